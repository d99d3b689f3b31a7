//! The GPU targets of each package: the targets that its distribution offers, without those that
//! upstream can't build. `bundles.rs` decides which code loads on compatible GPUs.

use crate::plan::Plan;
use crate::plan::planned::{NearbyDefaults, Planned, ResolvedTargets};
use crate::read::files::Layers;
use crate::read::release::{Range, Release, read_range, target_row};
use rocpkg_model::{
    Distro, Finding, Findings, Guess, Node, Package, Spanned, TargetDefaults, TargetList,
    TargetRule, TargetTool, is_identifier,
};
use rocpkg_targets::Registry;

impl Plan {
    /// Returns the distribution's targets for a version: those on by default, then those offered.
    pub fn distro_targets(&self, version: &Release) -> (Vec<String>, Vec<String>) {
        distro_targets(&self.distro, version)
    }

    /// Sets the GPU targets of each package and consumer with device code.
    pub(crate) fn offer_targets(&mut self, findings: &mut Findings) {
        let mut all = Vec::with_capacity(self.packages.len());
        for p in self.packages.iter().chain(&self.consumers) {
            let mut own = Findings::default();
            all.push(self.resolved_targets(p, &mut own));
            findings.append_of(&self.owner(&p.id), own);
        }
        let planned = self.packages.iter_mut().chain(&mut self.consumers);
        for (p, targets) in planned.zip(all) {
            p.targets = targets;
        }
    }

    /// Returns the GPU targets of a package, or `None` if it has no device code.
    fn resolved_targets(&self, p: &Planned, findings: &mut Findings) -> Option<ResolvedTargets> {
        let t = p.package.targets.as_ref()?;
        check_variables(&t.variable.0, findings);
        let mut names = |rules| expand(rules, &p.version, self.registry.as_ref(), findings);
        let (supports, excludes, needs) = (names(&t.supports), names(&t.excludes), names(&t.needs));
        let defaults = unique(&names(&t.defaults));
        let upstream = unique(supports.iter().filter(|(default, _)| *default));
        let (supports, excludes) = (unique(&supports), unique(&excludes));
        let (default, offered) = distro_targets(&self.distro, &p.listed);
        let fits =
            |n: &String| (supports.is_empty() || supports.contains(n)) && !excludes.contains(n);
        let (default, offered, own) = if t.list == TargetList::Own && !supports.is_empty() {
            let wanted = |n: &&String| self.narrowed.is_empty() || self.narrowed.contains(n);
            let own = supports
                .iter()
                .filter(|n| !excludes.contains(n))
                .filter(wanted)
                .cloned()
                .collect();
            (own, Vec::new(), true)
        } else {
            let narrowed = default.iter().chain(&offered).any(|n| !fits(n));
            let keep = |l: Vec<String>| l.into_iter().filter(fits).collect();
            (keep(default), keep(offered), narrowed)
        };
        let needs = unique(&needs);
        Some(ResolvedTargets {
            default,
            offered,
            own,
            supports,
            excludes,
            upstream,
            defaults,
            needs,
        })
    }

    /// Returns the patch sites that patches of the packages name under `site`. A patch site is a
    /// place in upstream's sources, listed under `isa-compat` in `targets.yaml`, that must be
    /// patched so that code for one GPU loads on a compatible GPU.
    pub fn patched_sites(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.packages
            .iter()
            .flat_map(|p| &p.package.patches)
            .flat_map(|patch| &patch.site.0)
    }

    /// Returns the tool that prints the list of targets while the package `p` is built. Returns
    /// `None` if the distribution has no such tool, or if the package has a list of its own or is
    /// given no list. Also returns `None` if the distribution's file or the user's limit to some
    /// GPUs states the targets.
    pub fn target_tool(&self, p: &Planned) -> Option<&TargetTool> {
        let list = p.package.targets.as_ref().map(|t| t.list);
        let asks = matches!(list, Some(TargetList::All | TargetList::Intersection));
        let stated = self.distro_targets(&p.listed);
        let unstated = stated.0.is_empty() && stated.1.is_empty();
        self.distro
            .target_tool
            .as_ref()
            .filter(|_| asks && unstated)
    }

    /// Returns the targets that a recipe without switches passes to upstream's build: the tool that
    /// prints a list, if the recipe uses one, and the targets of the package. With a tool, the
    /// recipe leaves out the excluded targets from its list. Without a tool, the recipe passes the
    /// targets that are on by default. Returns `None` if no list is passed, so that upstream
    /// decides. If the user limits the plan to some GPUs, a package that usually passes no list
    /// passes one.
    pub fn settled_targets<'p>(
        &'p self,
        p: &'p Planned,
    ) -> Option<(Option<&'p TargetTool>, &'p ResolvedTargets)> {
        let (written, resolved) = (p.package.targets.as_ref()?, p.targets.as_ref()?);
        let tool = self.target_tool(p);
        match written.list {
            _ if !p.settles(written.when.as_ref()) => None,
            TargetList::None if self.narrowed.is_empty() => None,
            TargetList::All | TargetList::Intersection
                if tool.is_none() && resolved.default.is_empty() =>
            {
                None
            }
            _ => Some((tool, resolved)),
        }
    }

    /// Returns true if a recipe without switches builds one of the targets of which the package `p`
    /// needs at least one. Also returns true if it needs none. Returns `None` if the known part of
    /// the list of built targets does not decide it.
    pub(crate) fn builds_needed(&self, p: &Planned) -> Option<bool> {
        let needs = p
            .targets
            .as_ref()
            .map(|t| &t.needs)
            .filter(|needs| !needs.is_empty());
        let Some(needs) = needs else {
            return Some(true);
        };
        let mut is_whole = true;
        let built: Vec<&String> = match self.settled_targets(p) {
            Some((Some(tool), resolved)) => {
                is_whole = !tool.list.is_empty();
                let list = if is_whole { &tool.list } else { &tool.known };
                let all = list.iter().map(|t| &t.value);
                all.filter(|t| !resolved.excludes.contains(t)).collect()
            }
            Some((None, resolved)) => resolved.default.iter().collect(),
            None => p.targets.iter().flat_map(|t| &t.upstream).collect(),
        };
        let is_met = built.iter().any(|t| needs.contains(t));
        (is_met || is_whole && !built.is_empty()).then_some(is_met)
    }
}

/// Reports variables whose name is not one word. CMake and the environment require one word.
fn check_variables(names: &[Spanned<String>], findings: &mut Findings) {
    for name in names.iter().filter(|n| !is_identifier(&n.value)) {
        findings.push(
            Finding::error(
                "E0234",
                name.span,
                format!("`{}` can't be the name of a variable", name.value),
            )
            .label("expected letters, digits and `_`, such as GPU_TARGETS"),
        );
    }
}

/// Reduces each list of targets in the distribution's file to `targets`, all on by default. A
/// distribution that states no list gets `targets` as its list. Does nothing if `targets` is empty.
pub(crate) fn narrow(distro: &mut Distro, targets: &[String]) {
    if targets.is_empty() {
        return;
    }
    if distro.targets.is_empty() {
        distro.targets.push(TargetDefaults::new(
            "*",
            targets.to_vec(),
            Vec::<String>::new(),
        ));
        return;
    }
    for row in &mut distro.targets {
        // An offered target that is in `targets` is on.
        let all = std::mem::take(&mut row.default)
            .into_iter()
            .chain(std::mem::take(&mut row.offered));
        row.default = all.filter(|t| targets.contains(&t.value)).collect();
    }
}

pub(crate) fn distro_targets(distro: &Distro, version: &Release) -> (Vec<String>, Vec<String>) {
    let texts = |l: &[Spanned<String>]| l.iter().map(|s| s.value.clone()).collect();
    target_row(distro, version)
        .map(|t| (texts(&t.default), texts(&t.offered)))
        .unwrap_or_default()
}

/// Returns the targets of those `rules` that apply to the release `version`. The `bool` of each is
/// true if upstream builds the target by default. The name of a family is replaced by the family's
/// targets. Without a registry, names are returned as written.
fn expand(
    rules: &[TargetRule],
    version: &Release,
    registry: Option<&Registry>,
    findings: &mut Findings,
) -> Vec<(bool, String)> {
    let mut out = Vec::new();
    for rule in rules {
        if let Some(range) = &rule.releases
            && !read_range(&range.value, range.span, findings).is_some_and(|r| r.contains(version))
        {
            continue;
        }
        for t in &rule.targets {
            match registry {
                Some(all) if all.get(&t.value).is_none() => {
                    let members = all.file().families.get(&t.value).into_iter().flatten();
                    out.extend(members.map(|n| (rule.default, n.value.clone())));
                }
                _ => out.push((rule.default, t.value.clone())),
            }
        }
    }
    out
}

/// Returns each name once, in the order of first occurrence.
fn unique<'n>(names: impl IntoIterator<Item = &'n (bool, String)>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (_, name) in names {
        if !out.contains(name) {
            out.push(name.clone());
        }
    }
    out
}

/// Returns the lists of targets that upstream builds when it is given no list, at the releases
/// nearest to `version`: the last list that ends before it, and the first that begins after it.
/// Returns no lists if the component states one for `version`.
pub(crate) fn nearby_defaults(component: &Layers, version: &Release) -> Vec<NearbyDefaults> {
    let mut before: Option<([u64; 3], NearbyDefaults)> = None;
    let mut after: Option<([u64; 3], NearbyDefaults)> = None;
    for targets in component.iter().filter_map(|layer| layer.get("targets")) {
        let rows = |key| targets.get(key).map_or(&[][..], Node::list);
        let accepted = rows("supports")
            .iter()
            .filter(|row| row.get("default").and_then(Node::text) == Some("true"));
        for row in rows("defaults").iter().chain(accepted) {
            let Some(text) = row.get("releases").and_then(Node::text) else {
                return Vec::new();
            };
            let Ok(range) = text.parse::<Range>() else {
                continue;
            };
            if range.contains(version) {
                return Vec::new();
            }
            let named = row.get("targets").map_or(&[][..], Node::list);
            let list = NearbyDefaults {
                releases: text.to_owned(),
                targets: named
                    .iter()
                    .filter_map(|t| Some(t.text()?.to_owned()))
                    .collect(),
            };
            if range.from() > version.parts() {
                if after.as_ref().is_none_or(|(from, _)| range.from() < *from) {
                    after = Some((range.from(), list));
                }
            } else if let Some(to) = range.to()
                && before.as_ref().is_none_or(|(end, _)| *end < to)
            {
                before = Some((to, list));
            }
        }
    }
    before
        .into_iter()
        .chain(after)
        .map(|(_, list)| list)
        .collect()
}

/// The name of the guessed fact, if no profile states the targets that upstream accepts at a
/// release.
pub(crate) const SUPPORTED: &str = "targets.supports";

/// Returns the guess that upstream accepts all targets at this release that are not excluded. It is
/// made if the component states the accepted targets (`targets.supports`) for other releases only.
/// Otherwise returns `None`.
pub(crate) fn guessed_support(package: &Package, component: &Layers) -> Option<Guess> {
    package
        .targets
        .as_ref()
        .filter(|targets| targets.supports.is_empty())?;
    let mut rows = component
        .iter()
        .filter_map(|layer| layer.get("targets")?.get("supports"));
    let span = rows.rfind(|rows| !rows.list().is_empty())?.span.begin();
    let said = |text: &str| Spanned {
        value: text.to_owned(),
        span,
    };
    let mut guess = Guess::default();
    guess.about = said(SUPPORTED);
    guess.reason = said("stated for other releases only; look at the CMakeLists.txt of this one");
    Some(guess)
}
