//! GPU targets of a package: the list that it takes from the scope, the part of the list that can
//! be built, and the condition under which no target is left.

use crate::lower::{Lower, base_attribute};
use crate::value::expr::{Binding, NixExpr, Operator, named};
use rocpkg_model::{Cond, Feature, NixTargetDefault, Policy, TargetList, TargetRule};
use rocpkg_resolve::{Dependency, Plan, Planned};

/// The argument of a package's file that contains the chosen targets.
pub(crate) const ASKED: &str = "gpuTargets";
/// The binding for those of the chosen targets that can be built.
const SUPPORTED: &str = "supportedTargets";
/// The binding for the list as one text, as upstream's build reads it: `gfx900;gfx906`.
const JOINED: &str = "gpuTargets'";
/// The binding that is true if any of the chosen targets can be built. This name is used if the
/// overlay states none and the parts of the package need the binding.
const CAN_BE_BUILT: &str = "supportsTargets";

/// The limit on the chosen targets that a package can be built for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Limit {
    /// Only these targets.
    Within(Vec<String>),
    Without(Vec<String>),
}

fn is_empty(list: NixExpr) -> NixExpr {
    NixExpr::binary(Operator::Equal, list, NixExpr::list([]))
}

fn is_some(list: NixExpr) -> NixExpr {
    NixExpr::binary(Operator::Differs, list, NixExpr::list([]))
}

/// Makes `lib.intersectLists asked [ … ]`: those targets of `asked` that are in `list`.
fn among(asked: NixExpr, list: &[String]) -> NixExpr {
    NixExpr::call("lib.intersectLists", [asked, NixExpr::strings(list)])
}

/// Returns the kind of default that the argument `gpuTargets` has, or `None` if the package takes
/// no targets. If the overlay states no kind, a package with device code has the targets of a
/// narrowed scope, and upstream's own default in the whole scope.
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

/// Returns the limit on the chosen targets that a package can be built for, or `None` if it is
/// built for all of them.
///
/// The profile's `supports` is a limit only if `targets.list` is `intersection`. For other lists it
/// contains the targets that upstream builds by default, and others may be chosen. The profile's
/// `excludes` limits every list.
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

/// Returns the targets of which at least one must be chosen, or `None` if the package needs no
/// particular target.
pub(crate) fn needs(p: &Planned) -> Option<&[String]> {
    let needs = &p.targets.as_ref()?.needs;
    let takes = !matches!(target_default(p)?, NixTargetDefault::Borrowed);
    (takes && !needs.is_empty()).then_some(needs.as_slice())
}

/// Returns true if `meta.broken` of a package depends on the chosen targets: it is true when none
/// of them can be built.
pub(crate) fn may_be_broken(p: &Planned) -> bool {
    let policy = p.package.targets.as_ref().and_then(|t| t.policy);
    let stops = matches!(policy, Some(Policy::Fail | Policy::Mask));
    stops && (needs(p).is_some() || limit(p).is_some())
}

/// Returns true if a condition can't hold while the feature `feature` is off.
pub(crate) fn rests_on(cond: &Cond, feature: &str) -> bool {
    match cond {
        Cond::Feature(f) => f == feature,
        Cond::All(all) => all.iter().any(|c| rests_on(c, feature)),
        _ => false,
    }
}

/// Returns the ids of the packages that `p` depends on if `feature` is on, and that may be broken
/// for the chosen targets. If one of them is broken, the feature has to be off.
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

/// Returns the package's own default list of targets. If it states none, the result is the list of
/// targets that the plan is narrowed to, which is usually empty.
pub(crate) fn own_list(plan: &Plan, p: &Planned) -> Vec<String> {
    let own = p
        .targets
        .as_ref()
        .map(|t| t.default.clone())
        .filter(|list| !list.is_empty());
    own.unwrap_or_else(|| plan.narrowed.clone())
}

/// Returns the target that the policy `throwaway` builds if none of the chosen targets can be
/// built. Returns `None` for other policies, or if the overlay does not state the target.
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
    /// Returns true if the package may be built for fewer targets than are chosen.
    pub(crate) fn is_limited(&self) -> bool {
        limit(self.planned).is_some()
    }

    /// Returns the name of the list that is built: `supportedTargets` if the chosen targets are
    /// limited, and `gpuTargets` otherwise.
    fn targets_name(&self) -> &'static str {
        if self.is_limited() { SUPPORTED } else { ASKED }
    }

    /// Returns the expression for the list as one text, `gfx900;gfx906`. A borrowed list is an
    /// attribute of another package.
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

    /// Makes `lib.concatStringsSep ";" gpuTargets`.
    fn join_now(&self) -> NixExpr {
        NixExpr::call(
            "lib.concatStringsSep",
            [
                NixExpr::string(";"),
                NixExpr::Name(self.targets_name().into()),
            ],
        )
    }

    /// Returns true if the joined list is bound to a name, [`JOINED`]. This is so if `passthru`
    /// exports the list, or if the policy `throwaway` may replace it by a stand-in: one target that
    /// is built if none of the chosen targets can be built.
    pub(crate) fn shares_joined(&self) -> bool {
        let exports = self
            .nix
            .gpu_targets
            .as_ref()
            .is_some_and(|t| t.export.is_some());
        exports || throwaway(self.planned).is_some()
    }

    /// Returns true if an empty list may be passed to upstream's build, because the package then
    /// builds a stub without device code.
    pub(crate) fn may_be_handed_nothing(&self) -> bool {
        self.package.targets.as_ref().and_then(|t| t.policy) == Some(Policy::Stub)
    }

    /// Returns the condition under which the list is passed to upstream's build, such as
    /// `gpuTargets != [ ]`. Returns `None` if it is always passed.
    ///
    /// With an empty list upstream would build its default, so no flag is passed then. There are
    /// exceptions. For a package that can build a stub, the condition tests the chosen targets
    /// instead of those that can be built. A list that is borrowed from another package, or that
    /// other packages borrow, is always passed. So is a list with a stand-in (see
    /// [`Self::shares_joined`]), because it is never empty.
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

    /// Returns the default of the argument `gpuTargets`, or `None` if the file has no such
    /// argument.
    pub(crate) fn targets_argument(&self) -> Option<NixExpr> {
        let chosen = &self.plan.narrowed;
        // If no package holds the scope's list, the distribution's list is used.
        let all = || {
            let stated = || NixExpr::strings(self.plan.distro_targets(&self.planned.version).0);
            self.of_holder("gpuTargets").unwrap_or_else(stated)
        };
        let local = |other: NixExpr| match self.of_holder("localGpuTargets") {
            Some(local) => local.or(other),
            None => other,
        };
        Some(match target_default(self.planned)? {
            // If the plan is narrowed to some GPUs, the choice is not left to upstream.
            NixTargetDefault::Upstream => local(NixExpr::strings(chosen)),
            NixTargetDefault::All => local(all()),
            NixTargetDefault::Always => all(),
            NixTargetDefault::Own => local(NixExpr::strings(own_list(self.plan, self.planned))),
            NixTargetDefault::Borrowed => return None,
        })
    }

    /// Returns the default of a feature's argument: `true`, `false` or a condition. A feature that
    /// is on by default is off in two cases: it is of no use for any of the chosen targets, or a
    /// package that it depends on is broken.
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

    /// Returns the name of the binding that is true if any of the chosen targets can be built, such
    /// as `anyGfx9Target`. Returns `None` if the file has no such binding.
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

    /// Returns the bindings for lists of targets, which come before the derivation.
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

    /// Returns text for the comment above the list: the targets that upstream supports and that the
    /// list excludes, each with the reason.
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

    /// Returns true if the package's file binds `name` itself: as the argument of a feature, as
    /// another argument or binding of the overlay, or for a list of targets.
    pub(crate) fn binds(&self, name: &str) -> bool {
        let feature = self
            .package
            .features
            .iter()
            .any(|(k, f)| crate::lower::names::feature(k, f) == name);
        let told = self.told_buildable().is_some_and(|t| t == name);
        feature
            || told
            || self.own.contains_key(name)
            || self.target_lists().any(|list| list == name)
    }

    /// Returns the names that the package's file binds to lists of GPU targets.
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

    /// Returns the condition under which the package is broken because none of the chosen targets
    /// can be built. Returns `None` if it is not broken then.
    ///
    /// With an empty list upstream builds its default, so the package is not broken then, unless it
    /// needs particular targets.
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

/// Returns the text with a capital letter at its beginning. An address, and a first word with a
/// digit such as `gfx900`, are not changed.
fn sentence(text: &str) -> String {
    // A word with a digit in it is a name.
    let first = text.split(' ').next().unwrap_or_default();
    let name = text.starts_with("http") || first.contains(|c: char| c.is_ascii_digit());
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if !name => c.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}
