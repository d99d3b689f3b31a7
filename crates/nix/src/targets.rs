//! GPU targets: the list that a package takes from the scope, what of it is built, and when nothing
//! is.

use crate::expr::{Binding, NixExpr, Operator, named};
use crate::lower::{Lower, base_attribute};
use rocpkg_model::{Cond, Feature, NixTargetDefault, Policy, TargetList, TargetRule};
use rocpkg_resolve::{Dependency, Plan, Planned};

/// The argument that holds the targets asked for.
pub(crate) const ASKED: &str = "gpuTargets";
/// Those of them that can be built.
const SUPPORTED: &str = "supportedTargets";
/// The list as upstream's build reads it.
const JOINED: &str = "gpuTargets'";
/// What tells whether anything can be built, where the overlay gives no name and parts ask for it.
const CAN_BE_BUILT: &str = "supportsTargets";

/// What of the targets asked for is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// These alone.
    Within(Vec<String>),
    /// All but these.
    Without(Vec<String>),
}

fn is_empty(list: NixExpr) -> NixExpr {
    NixExpr::binary(Operator::Equal, list, NixExpr::list([]))
}

fn is_some(list: NixExpr) -> NixExpr {
    NixExpr::binary(Operator::Differs, list, NixExpr::list([]))
}

/// `lib.intersectLists asked [ … ]`
fn among(asked: NixExpr, list: &[String]) -> NixExpr {
    NixExpr::call("lib.intersectLists", [asked, NixExpr::strings(list)])
}

/// What `gpuTargets` is by default. A package with device code follows a narrowed scope unless its
/// overlay says otherwise, and leaves the choice to upstream in the whole one.
pub(crate) fn target_default(p: &Planned) -> Option<NixTargetDefault> {
    let stated = p
        .package
        .nix
        .as_ref()
        .and_then(|n| n.gpu_targets.as_ref())
        .and_then(|t| t.default);
    let follows = p
        .package
        .targets
        .as_ref()
        .is_some_and(|t| t.list != TargetList::None);
    stated.or(follows.then_some(NixTargetDefault::Upstream))
}

/// What of the targets asked for a package is built for; `None` when all of them are passed on.
///
/// `supports` is a limit only of a list that is an intersection: elsewhere it is what upstream
/// builds by itself, and more may be asked for. `excludes` is one of every list.
pub(crate) fn limit(p: &Planned) -> Option<Limit> {
    let resolved = p.targets.as_ref()?;
    let list = p.package.targets.as_ref().map(|t| t.list);
    if list == Some(TargetList::None) || matches!(target_default(p)?, NixTargetDefault::Borrowed) {
        return None;
    }
    if list == Some(TargetList::Intersection) && !resolved.supports.is_empty() {
        let kept = resolved
            .supports
            .iter()
            .filter(|t| !resolved.excludes.contains(t));
        return Some(Limit::Within(kept.cloned().collect()));
    }
    (!resolved.excludes.is_empty()).then(|| Limit::Without(resolved.excludes.clone()))
}

/// The targets of which one must be asked for, when there is such a need.
pub(crate) fn needs(p: &Planned) -> Option<&[String]> {
    let needs = &p.targets.as_ref()?.needs;
    let takes = !matches!(target_default(p)?, NixTargetDefault::Borrowed);
    (takes && !needs.is_empty()).then_some(needs.as_slice())
}

/// Whether a package is broken where nothing of what is asked for can be built.
pub(crate) fn may_be_broken(p: &Planned) -> bool {
    let policy = p.package.targets.as_ref().and_then(|t| t.policy);
    let stops = matches!(policy, Some(Policy::Fail | Policy::Mask));
    stops && (needs(p).is_some() || limit(p).is_some())
}

/// Whether a condition can't hold without a feature.
pub(crate) fn rests_on(cond: &Cond, feature: &str) -> bool {
    match cond {
        Cond::Feature(f) => f == feature,
        Cond::All(all) => all.iter().any(|c| rests_on(c, feature)),
        _ => false,
    }
}

/// The packages that only this feature asks for and that may be broken, so that it has to be off
/// where they are.
pub(crate) fn broken_with<'a>(
    plan: &'a Plan,
    p: &'a Planned,
    feature: &'a str,
) -> impl Iterator<Item = &'a str> {
    p.depends.iter().filter_map(move |e| {
        let Dependency::Package(id) = &e.to else {
            return None;
        };
        let asks = e
            .edge
            .when
            .as_ref()
            .is_some_and(|w| rests_on(&w.cond, feature));
        (asks && plan.get(id).is_some_and(may_be_broken)).then_some(id.as_str())
    })
}

/// The package's own list. One of a tree that is rendered for some GPUs holds none but these.
pub(crate) fn own_list(plan: &Plan, p: &Planned) -> Vec<String> {
    let own = p
        .targets
        .as_ref()
        .map(|t| t.default.clone())
        .filter(|list| !list.is_empty());
    own.unwrap_or_else(|| plan.narrowed.clone())
}

/// The policy's stand-in when no target that is asked for can be built.
pub(crate) fn throwaway(p: &Planned) -> Option<String> {
    let own = p.package.nix.as_ref()?.gpu_targets.as_ref()?;
    let policy = p.package.targets.as_ref().and_then(|t| t.policy);
    let stand_in = own
        .throwaway
        .as_ref()
        .filter(|_| policy == Some(Policy::Throwaway))?;
    own.supported.as_ref().map(|_| stand_in.value.clone())
}

impl Lower<'_> {
    /// Not everything that is asked for is built.
    pub(crate) fn is_limited(&self) -> bool {
        limit(self.planned).is_some()
    }

    /// The name of the list that is built: what is asked for, or what is left of it.
    fn targets_name(&self) -> &'static str {
        if self.is_limited() { SUPPORTED } else { ASKED }
    }

    /// The joined list as an expression, wherever it comes from.
    pub(crate) fn joined_targets(&mut self) -> NixExpr {
        if target_default(self.planned) == Some(NixTargetDefault::Borrowed)
            && let Some(from) = self.nix.gpu_targets.as_ref().and_then(|t| t.from.as_ref())
        {
            return self.name(&from.value, from.span);
        }
        if self.shares_joined() {
            return named(JOINED);
        }
        self.join_now()
    }

    /// `lib.concatStringsSep ";" gpuTargets`
    fn join_now(&self) -> NixExpr {
        NixExpr::call(
            "lib.concatStringsSep",
            [
                NixExpr::string(";"),
                NixExpr::Name(self.targets_name().into()),
            ],
        )
    }

    /// The joined list has a name of its own: it is needed more than once, or is not a plain join.
    pub(crate) fn shares_joined(&self) -> bool {
        let exports = self
            .nix
            .gpu_targets
            .as_ref()
            .is_some_and(|t| t.export.is_some());
        exports || throwaway(self.planned).is_some()
    }

    /// True where an empty list is a choice, too.
    pub(crate) fn may_be_handed_nothing(&self) -> bool {
        self.package.targets.as_ref().and_then(|t| t.policy) == Some(Policy::Stub)
    }

    /// When the list is passed to upstream's build; `None` when it always is.
    ///
    /// An empty list asks for upstream's default, so no flag is passed then, but to a package of
    /// which a stub is built. A list that others borrow is passed as it is handed on, and a
    /// stand-in is never empty.
    pub(crate) fn passed_when(&self) -> Option<NixExpr> {
        let own = target_default(self.planned) != Some(NixTargetDefault::Borrowed);
        (own && !self.shares_joined()).then(|| {
            is_some(named(if self.may_be_handed_nothing() {
                ASKED
            } else {
                self.targets_name()
            }))
        })
    }

    /// The default of the argument `gpuTargets`; `None` when there is no such argument.
    pub(crate) fn targets_argument(&self) -> Option<NixExpr> {
        let chosen = &self.plan.narrowed;
        // Where nothing holds the scope's list, it is the distribution's.
        let all = || {
            let stated = || NixExpr::strings(self.plan.distro_targets(&self.planned.version).0);
            self.of_holder("gpuTargets").unwrap_or_else(stated)
        };
        let local = |other: NixExpr| match self.of_holder("localGpuTargets") {
            Some(local) => local.or(other),
            None => other,
        };
        Some(match target_default(self.planned)? {
            // A tree that is rendered for some GPUs leaves nothing to upstream.
            NixTargetDefault::Upstream => local(NixExpr::strings(chosen)),
            NixTargetDefault::All => local(all()),
            NixTargetDefault::Always => all(),
            NixTargetDefault::Own => local(NixExpr::strings(own_list(self.plan, self.planned))),
            NixTargetDefault::Borrowed => return None,
        })
    }

    /// The default of a feature's argument. One that is on goes off by itself where it is of no use
    /// or where what it asks for is broken for all targets of the scope.
    pub(crate) fn feature_default(&self, key: &str, feature: &Feature) -> NixExpr {
        let mut needed = Vec::new();
        let takes = self.targets_argument().is_some();
        if feature.default && takes && !feature.targets.is_empty() {
            let of: Vec<String> = feature.targets.iter().map(|t| t.value.clone()).collect();
            let some = is_some(among(named(ASKED), &of));
            needed.push(
                if target_default(self.planned) == Some(NixTargetDefault::Upstream) {
                    NixExpr::binary(Operator::Or, is_empty(named(ASKED)), some)
                } else {
                    some
                },
            );
        }
        if feature.default {
            for id in broken_with(self.plan, self.planned, key) {
                let attribute = self.tables.dependency(&Dependency::Package(id.to_owned()));
                needed.push(named(&format!("{attribute}.meta.broken")).negated());
            }
        }
        NixExpr::join(Operator::And, needed).unwrap_or(NixExpr::Bool(feature.default))
    }

    /// The name that tells whether anything of what is asked for can be built.
    pub(crate) fn told_buildable(&self) -> Option<String> {
        let stated = self
            .nix
            .gpu_targets
            .as_ref()
            .and_then(|t| t.supported.as_ref())
            .map(|s| s.value.clone());
        let asked_by_parts = self.nix.parts && may_be_broken(self.planned);
        stated.or_else(|| asked_by_parts.then(|| CAN_BE_BUILT.to_owned()))
    }

    /// What is bound before the derivation.
    pub(crate) fn target_bindings(&self) -> Vec<Binding> {
        let mut out = Vec::new();
        let written = self.package.targets.as_ref();
        if let Some(limit) = limit(self.planned) {
            let (value, rules) = match limit {
                Limit::Within(list) => (among(named(ASKED), &list), written.map(|t| &t.supports)),
                Limit::Without(list) => {
                    let value =
                        NixExpr::call("lib.subtractLists", [NixExpr::strings(&list), named(ASKED)]);
                    (value, written.map(|t| &t.excludes))
                }
            };
            let reason = rules
                .and_then(|r| r.first())
                .map(|r| sentence(&r.reason.value));
            let reason = reason.map(|reason| reason + &self.left_out());
            out.push(Binding::new(SUPPORTED, value).comment(reason));
        }
        if let Some(told) = self.told_buildable() {
            let needed = needs(self.planned).map(|n| is_some(among(named(ASKED), n)));
            let left = self.is_limited().then(|| is_some(named(SUPPORTED)));
            let reason = needed
                .as_ref()
                .and(written)
                .and_then(|t| t.needs.first())
                .map(|r| sentence(&r.reason.value));
            let value = NixExpr::join(Operator::And, left.into_iter().chain(needed))
                .unwrap_or(NixExpr::Bool(true));
            out.push(Binding::plain(&told, value).comment(reason));
            if let Some(stand_in) = throwaway(self.planned) {
                let value =
                    NixExpr::choice(&named(&told), &self.join_now(), &NixExpr::string(stand_in));
                let empty = written.and_then(|t| t.empty.as_ref());
                let reason = match empty {
                    Some(does) => {
                        format!(
                            "With an empty list upstream {}, so one target stands in",
                            does.value
                        )
                    }
                    None => {
                        "Upstream is never given an empty list, so one target stands in".to_owned()
                    }
                };
                out.push(Binding::new(JOINED, value).comment(Some(reason)));
                return out;
            }
        }
        if self.shares_joined() {
            out.push(Binding::new(JOINED, self.join_now()));
        }
        out
    }

    /// Why the list lacks targets that upstream takes, after the reason for the list itself.
    fn left_out(&self) -> String {
        let Some((written, targets)) = self
            .package
            .targets
            .as_ref()
            .zip(self.planned.targets.as_ref())
        else {
            return String::new();
        };
        let lacks = |rule: &TargetRule| {
            let named = rule.targets.iter().map(|t| &t.value);
            let lost: Vec<&str> = named
                .filter(|t| targets.supports.contains(t))
                .map(String::as_str)
                .collect();
            (!lost.is_empty()).then(|| format!("; not {}: {}", lost.join(" "), rule.reason.value))
        };
        written.excludes.iter().filter_map(lacks).collect()
    }

    /// Whether the package's file binds a name itself: a feature, an argument, a list of targets, a
    /// binding.
    pub(crate) fn binds(&self, name: &str) -> bool {
        let feature = self
            .package
            .features
            .iter()
            .any(|(k, f)| crate::names::feature(k, f) == name);
        let told = self.told_buildable().is_some_and(|t| t == name);
        feature
            || told
            || self.own.contains_key(name)
            || self.target_lists().any(|list| list == name)
    }

    /// The names that the backend binds to lists of GPU targets.
    pub(crate) fn target_lists(&self) -> impl Iterator<Item = &'static str> + use<> {
        let lists = [
            (ASKED, self.targets_argument().is_some()),
            (SUPPORTED, self.is_limited()),
            (JOINED, self.shares_joined()),
            ("localGpuTargets", self.holds_targets()),
        ];
        lists
            .into_iter()
            .filter(|(_, is_bound)| *is_bound)
            .map(|(list, _)| list)
    }

    /// When the package is broken for want of a target: what is asked for holds nothing that can be
    /// built.
    ///
    /// An empty list asks for upstream's default, unless some target has to be there.
    pub(crate) fn refusal(&self) -> Option<NixExpr> {
        if !may_be_broken(self.planned) {
            return None;
        }
        let (told, asked) = if self.nix.parts {
            let told = self
                .told_buildable()
                .map(|t| named(&format!("finalAttrs.passthru.{t}")));
            (
                told,
                named(&format!("{}.{ASKED}", base_attribute(&self.attribute))),
            )
        } else {
            (self.told_buildable().map(|t| named(&t)), named(ASKED))
        };
        let needs = needs(self.planned);
        if let Some(told) = told {
            let nothing = told.negated();
            return Some(match needs {
                Some(_) => nothing,
                None => NixExpr::binary(Operator::And, is_some(asked), nothing),
            });
        }
        let missing = needs.map(|n| is_empty(among(asked.clone(), n)));
        let left = self
            .is_limited()
            .then(|| NixExpr::binary(Operator::And, is_some(asked), is_empty(named(SUPPORTED))));
        NixExpr::join(Operator::Or, missing.into_iter().chain(left))
    }
}

/// The text with a capital letter in front, an address and a name with digits left alone.
fn sentence(text: &str) -> String {
    // What has a digit in it is a name.
    let first = text.split(' ').next().unwrap_or_default();
    let name = text.starts_with("http") || first.contains(|c: char| c.is_ascii_digit());
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if !name => c.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
