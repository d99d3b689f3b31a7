//! Records the GPU targets that expressions pass to upstream's build. They are recorded when a flag
//! is written, from the facts that the flag is made of. The proof in `rocpkg-resolve` reads the
//! records.

use crate::lower::targets::{
    Limit, broken_with, limit, may_be_broken, needs, own_list, rests_on, target_default, throwaway,
};
use crate::lower::{Lower, attribute, holds_targets};
use rocpkg_model::{ArgumentValue, NixTargetDefault, Piece};
use rocpkg_resolve::{
    Builds, ChoiceEffect, Chooser, Dependency, Nothing, PassedTargets, Plan, Planned, Recipes,
};

/// Returns the GPU targets that the expressions of a plan pass to upstream's build. `all` has the
/// id of each package, with its targets.
pub(crate) fn recipes<'a>(
    plan: &Plan,
    all: impl IntoIterator<Item = (&'a str, Builds)>,
) -> Recipes {
    let held = plan.packages.iter().any(|p| holds_targets(plan, p));
    let chooser = if held {
        Chooser::Scope
    } else {
        Chooser::Packager
    };
    Recipes {
        chooser,
        ..rocpkg_shell::recipes(plan, all)
    }
}

/// A list of GPU targets in an expression. It depends on the targets that the user chooses:
/// `unasked` is its content without a choice, and `asked` is the part of a choice that it contains.
#[derive(Clone, Debug, PartialEq, Eq)]
struct BuildList {
    unasked: PassedTargets,
    asked: ChoiceEffect,
}

impl BuildList {
    fn fixed(unasked: PassedTargets) -> Self {
        Self {
            unasked,
            asked: ChoiceEffect::Ignored,
        }
    }

    fn unread(text: impl Into<String>) -> Self {
        Self::fixed(PassedTargets::Unread(text.into()))
    }

    /// Returns the list in the argument `gpuTargets` of the package's file, or `None` if the file
    /// has no such argument.
    fn argument(plan: &Plan, p: &Planned) -> Option<Self> {
        let default = target_default(p)?;
        let Some(holder) = plan.packages.iter().find(|p| holds_targets(plan, p)) else {
            return Some(Self::unread("the scope's list, which no package defines"));
        };
        let of_scope = || plan.distro_targets(&holder.version).0;
        let unasked = match default {
            NixTargetDefault::Upstream => plan.narrowed.clone(),
            NixTargetDefault::All | NixTargetDefault::Always => of_scope(),
            NixTargetDefault::Own => own_list(plan, p),
            NixTargetDefault::Borrowed => return None,
        };
        let asked = if default == NixTargetDefault::Always {
            ChoiceEffect::Ignored
        } else {
            ChoiceEffect::Passed {
                within: None,
                nothing: Nothing::Empty,
            }
        };
        Some(Self {
            unasked: PassedTargets::List(unasked),
            asked,
        })
    }

    /// Returns the list that is passed to upstream's build: the argument `gpuTargets` without the
    /// targets that can't be built. A list that is borrowed from another package is looked up in
    /// that package. Returns `None` if the package's file takes no targets.
    fn joined(plan: &Plan, p: &Planned) -> Option<Self> {
        if target_default(p)? == NixTargetDefault::Borrowed {
            let from = p
                .package
                .nix
                .as_ref()?
                .gpu_targets
                .as_ref()?
                .from
                .as_ref()?;
            let holder = from.value.split_once('.').and_then(|(package, name)| {
                plan.packages
                    .iter()
                    .find(|p| attribute(p) == package && exports(p, name))
            });
            let lent = holder
                .filter(|h| h.id != p.id)
                .and_then(|holder| Self::joined(plan, holder));
            return Some(lent.unwrap_or_else(|| Self::unread(from.value.clone())));
        }
        let list = Self::argument(plan, p)?;
        let list = match limit(p) {
            None => list,
            Some(Limit::Within(names)) => list.within(&names),
            Some(Limit::Without(unwanted)) => {
                let (default, offered) = plan.distro_targets(&plan.version);
                let all = default.into_iter().chain(offered);
                list.within(&all.filter(|t| !unwanted.contains(t)).collect::<Vec<_>>())
            }
        };
        Some(match throwaway(p) {
            None => list,
            Some(target) if limit(p).is_some() && needs(p).is_none() => list.or_else(
                PassedTargets::List(vec![target.clone()]),
                Nothing::Instead(vec![target]),
            ),
            Some(target) => Self::unread(target),
        })
    }

    /// Limits the list to the targets in `names`.
    fn within(mut self, names: &[String]) -> Self {
        if let PassedTargets::List(list) = &mut self.unasked {
            list.retain(|name| names.contains(name));
        }
        if let ChoiceEffect::Passed { within, .. } = &mut self.asked {
            *within = Some(names.to_vec());
        }
        self
    }

    /// Returns the list as it is passed by a flag that exists only if the list `asked` is not
    /// empty. Without the flag, upstream builds its own default.
    fn passed_with(mut self, asked: &Self) -> Self {
        if self == *asked {
            return self.or_else(PassedTargets::Upstream, Nothing::Upstream);
        }
        if asked.is_empty() {
            self.unasked = PassedTargets::Upstream;
        }
        self
    }

    /// Replaces the list if it is empty. Without a choice it is replaced by `unasked`. If a choice
    /// leaves no target, it is replaced by `asked`.
    fn or_else(mut self, unasked: PassedTargets, asked: Nothing) -> Self {
        if self.is_empty() {
            self.unasked = unasked;
        }
        if let ChoiceEffect::Passed { nothing, .. } = &mut self.asked {
            *nothing = asked;
        }
        self
    }

    fn is_empty(&self) -> bool {
        self.unasked == PassedTargets::List(Vec::new())
    }
}

fn exports(p: &Planned, name: &str) -> bool {
    let export = p
        .package
        .nix
        .as_ref()
        .and_then(|n| n.gpu_targets.as_ref())
        .and_then(|t| t.export.as_ref());
    export.is_some_and(|e| e.value == name)
}

impl Lower<'_> {
    /// Records that the package's list of targets is passed in `variable`, under the condition that
    /// [`Self::passed_when`] returns.
    pub(crate) fn pass_targets(&mut self, variable: &str) {
        let Some(mut list) = BuildList::joined(self.plan, self.planned) else {
            return;
        };
        if self.passed_when().is_some() {
            let whole = BuildList::argument(self.plan, self.planned)
                .filter(|_| self.may_be_handed_nothing());
            let asked = whole.unwrap_or_else(|| list.clone());
            list = list.passed_with(&asked);
        }
        self.passed
            .push((variable.to_owned(), (list.unasked, list.asked)));
    }

    /// Records the targets that a CMake argument of the profile passes in `variable`, if upstream
    /// reads this variable. `conditional` is true if the argument has a condition. Its targets are
    /// then recorded as not known.
    pub(crate) fn pass_argument(
        &mut self,
        variable: &str,
        value: &ArgumentValue,
        conditional: bool,
    ) {
        if !self.planned.reads(variable) {
            return;
        }
        let ArgumentValue::Text(text) = value else {
            return;
        };
        let list = match text.pieces.as_slice() {
            _ if conditional => None,
            [Piece::Reference(name)] if name == "targets" => {
                BuildList::joined(self.plan, self.planned)
            }
            _ => text.as_literal().map(|names| {
                BuildList::fixed(PassedTargets::List(rocpkg_shell::listed(&names).collect()))
            }),
        };
        let list = list.unwrap_or_else(|| BuildList::unread(text.to_string()));
        self.passed
            .push((variable.to_owned(), (list.unasked, list.asked)));
    }

    /// Returns the records of the package: the targets that it passes to upstream's build, those
    /// for which it refuses to be built (`meta.broken`), and the dependencies that it drops when
    /// they are broken.
    pub(crate) fn builds(&mut self) -> Builds {
        let (plan, p) = (self.plan, self.planned);
        let passed = std::mem::take(&mut self.passed);
        let variables = passed
            .iter()
            .map(|(variable, _)| variable.clone())
            .collect();
        let list = PassedTargets::alike(passed)
            .unwrap_or_else(|unread| Some((unread, ChoiceEffect::Ignored)));
        let (unasked, asked) = list.unwrap_or((PassedTargets::Upstream, ChoiceEffect::Ignored));
        let (default, offered) = plan.distro_targets(&plan.version);
        let refuses = default
            .into_iter()
            .chain(offered)
            .filter(|target| refuses(plan, p, target))
            .collect();
        let offered = p
            .package
            .features
            .iter()
            .filter(|(_, f)| f.fixed.is_none() && f.default);
        let drops = offered.flat_map(|(key, _)| {
            let whole = |id: &&str| {
                let edges = p
                    .depends
                    .iter()
                    .filter(|e| e.to == Dependency::Package((*id).to_owned()));
                edges
                    .into_iter()
                    .all(|e| e.edge.when.as_ref().is_some_and(|w| rests_on(&w.cond, key)))
            };
            broken_with(plan, p, key).filter(whole).map(str::to_owned)
        });
        let drops = drops.collect();
        Builds {
            unasked,
            asked,
            variables,
            refuses,
            drops,
            ..Builds::default()
        }
    }
}

/// Returns true if a package is broken in a scope that is narrowed to `target`: it can't be built
/// for this target, or it needs at least one of certain targets, and `target` is none of them.
fn refuses(plan: &Plan, p: &Planned, target: &str) -> bool {
    let asked = match BuildList::argument(plan, p) {
        Some(BuildList {
            asked: ChoiceEffect::Passed { .. },
            ..
        }) => vec![target.to_owned()],
        Some(BuildList {
            unasked: PassedTargets::List(list),
            ..
        }) => list,
        _ => return false,
    };
    let left = |t: &&String| match limit(p) {
        None => true,
        Some(Limit::Within(names)) => names.contains(t),
        Some(Limit::Without(names)) => !names.contains(t),
    };
    let has_needed = needs(p).is_none_or(|needs| asked.iter().any(|t| needs.contains(t)));
    may_be_broken(p) && !(asked.iter().any(|t| left(&t)) && has_needed)
}
