//! The GPU targets of each package: what its distribution offers, less what upstream can't build;
//! and which code loads on other GPUs, by the patches that the packages carry.

use crate::plan::Plan;
use crate::plan::planned::{Planned, ResolvedTargets};
use crate::read::files::Layers;
use crate::read::registry::patch_sites;
use crate::read::release::{Release, read_range, target_row};
use rocpkg_model::{
    Distro, Finding, Findings, Guess, Owner, Package, PatchSiteEntry, Spanned, TargetDefaults,
    TargetList, TargetRule, TargetTool, is_identifier,
};
use rocpkg_targets::Registry;
use std::collections::BTreeSet;

impl Plan {
    /// The distribution's targets for a version: those on by default, then those offered.
    pub fn distro_targets(&self, version: &Release) -> (Vec<String>, Vec<String>) {
        distro_targets(&self.distro, version)
    }

    /// Says of each package which targets it is built for.
    pub(crate) fn offer_targets(&mut self, findings: &mut Findings) {
        for p in self.packages.iter_mut() {
            let Some(t) = &p.package.targets else {
                continue;
            };
            let mut own = Findings::default();
            check_variables(&t.variable.0, &mut own);
            let mut names = |rules| expand(rules, &p.version, self.registry.as_ref(), &mut own);
            let (supports, excludes, needs) =
                (names(&t.supports), names(&t.excludes), names(&t.needs));
            findings.append_of(&Owner::package(&self.distro_name, &p.id), own);
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
            p.targets = Some(ResolvedTargets {
                default,
                offered,
                own,
                supports,
                excludes,
                upstream,
                needs,
            });
        }
    }

    /// The places of `isa-compat` that the patches of all packages patch, as each says itself.
    pub fn patched_sites(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.packages
            .iter()
            .flat_map(|p| &p.package.patches)
            .flat_map(|patch| &patch.site.0)
    }

    /// The same by their names, for [`Plan::serves_compatible`].
    pub fn carried(&self) -> BTreeSet<String> {
        self.patched_sites().map(|s| s.value.clone()).collect()
    }

    /// Whether a package serves GPUs of a group with code for another one: some place of the
    /// runtime is patched, and each place of the package's own components. Which of the runtime's
    /// places suffice is not known, so that one is taken to. `carried` are the places that patches
    /// of the plan reach.
    pub fn serves_compatible(
        &self,
        registry: &Registry,
        carried: &BTreeSet<String>,
        p: &Planned,
    ) -> bool {
        let (own, runtime): (Vec<_>, Vec<_>) =
            patch_sites(registry, &p.version).partition(|s| s.component.is_some());
        let ours = |c: &Spanned<String>| p.components.contains(&c.value);
        let is_carried = |site: &PatchSiteEntry| carried.contains(&site.site.value);
        runtime.iter().any(|s| s.since.is_none() && is_carried(s))
            && own
                .iter()
                .filter(|s| s.component.as_ref().is_some_and(ours))
                .all(|s| is_carried(s))
    }

    /// The places that a release needs patched for compressed code bundles, and that no patch of
    /// the plan reaches.
    pub fn bundles_unpatched<'r>(&self, registry: &'r Registry) -> Vec<&'r str> {
        let sites = patch_sites(registry, &self.version).filter(|s| s.since.is_some());
        let carried = self.carried();
        sites
            .map(|s| s.site.value.as_str())
            .filter(|site| !carried.contains(*site))
            .collect()
    }

    /// The tool that prints the list of targets for a package while it is built: none where the
    /// package has a list of its own or is given none, and where the distribution's file, or
    /// whoever asks for some GPUs, states the list.
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

    /// What a recipe without switches is to pass as targets: the tool, less what the package can't
    /// be built for, or a list. None where upstream is to decide; a tree that is rendered for some
    /// GPUs leaves nothing to it.
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

    /// Whether a recipe without switches builds one of the targets that a package needs; none where
    /// nobody knows the list.
    pub(crate) fn builds_needed(&self, p: &Planned) -> Option<bool> {
        let needs = p
            .targets
            .as_ref()
            .map(|t| &t.needs)
            .filter(|needs| !needs.is_empty());
        let Some(needs) = needs else {
            return Some(true);
        };
        let built: Vec<&String> = match self.settled_targets(p) {
            Some((Some(tool), resolved)) => {
                let all = tool.list.iter().map(|t| &t.value);
                all.filter(|t| !resolved.excludes.contains(t)).collect()
            }
            Some((None, resolved)) => resolved.default.iter().collect(),
            None => p.targets.iter().flat_map(|t| &t.upstream).collect(),
        };
        (!built.is_empty()).then(|| built.iter().any(|t| needs.contains(t)))
    }
}

/// A variable of a build is one word, in CMake as in the environment.
fn check_variables(names: &[Spanned<String>], findings: &mut Findings) {
    for name in names.iter().filter(|n| !is_identifier(&n.value)) {
        findings.push(
            Finding::error(
                "E0234",
                name.span,
                format!("`{}` can't be a variable", name.value),
            )
            .label("expected letters, digits and `_`, such as GPU_TARGETS"),
        );
    }
}

/// Leaves of each list of targets only some; a distribution that states no list gets them as its
/// list.
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
        // What was offered and is asked for is on.
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

/// The targets of those rules that are about a release, each with whether upstream builds it
/// unasked. Without a registry nothing can be checked, and names stand for themselves.
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

/// Each name once, where it stands first.
fn unique<'n>(names: impl IntoIterator<Item = &'n (bool, String)>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (_, name) in names {
        if !out.contains(name) {
            out.push(name.clone());
        }
    }
    out
}

/// What is guessed where nobody said what targets upstream accepts at a release.
pub(crate) const SUPPORTED: &str = "targets.supports";

/// That guess: of other releases it is known, and at this one all are offered that are not
/// excluded.
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
    guess.reason =
        said("it is known of other releases; the CMakeLists.txt of this one would settle it");
    Some(guess)
}
