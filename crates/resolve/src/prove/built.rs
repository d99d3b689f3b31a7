//! The GPU targets that a package is built for, as a function of the targets that the user chooses.
//! They are derived from the targets that the recipe passes to upstream's build (`builds.rs`).

use crate::plan::Plan;
use crate::plan::planned::Planned;
use crate::prove::builds::{Builds, ChoiceEffect, Chooser, Nothing, PassedTargets};
use rocpkg_core::{Coverage, Listed};
use rocpkg_model::Spanned;
use rocpkg_targets::{Registry, TargetSet};

/// The GPU targets that a package is built for: for each choice of targets by the user, and when
/// nobody chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The targets that the distribution lists for this package's version: those on by default, and
    /// those that are offered.
    pub universe: TargetSet,
    /// The targets that are built for the user's choice: the chosen ones of `follows`, and those of
    /// `always`.
    pub coverage: Coverage,
    /// The targets that are built when nobody chooses.
    pub default: Listed,
    /// The targets that the package can be built for, according to the model.
    pub able: TargetSet,
    /// The targets that are excluded by name.
    pub excludes: TargetSet,
    /// Set if the recipe determines the targets that are built for each choice, so that `coverage`
    /// is complete.
    pub stated: bool,
    /// Set if the recipe passes the chosen targets to upstream's build.
    pub passes: bool,
    /// The targets that the recipe passes to upstream's build when they are chosen, although the
    /// package excludes them.
    pub in_vain: TargetSet,
    /// The targets that are built if the recipe passes none of the chosen targets.
    pub instead: TargetSet,
    /// Set if the recipe passes a list to upstream's build when nobody chooses.
    pub given: bool,
    /// Set if a rendered recipe passes no list, and upstream's build has no known variable for one.
    /// The package then compiles nothing for a GPU.
    pub host_only: bool,
    /// Set if the package states a policy for targets that it can't be built for, such as `stub`.
    pub mended: bool,
    /// The targets for which the recipe refuses to be built if no other target is chosen.
    pub refuses: TargetSet,
}

/// Returns the set of the targets that `names` contains. Names that are not in `registry` are left
/// out.
pub(super) fn set<'n>(
    registry: &Registry,
    names: impl IntoIterator<Item = &'n String>,
) -> TargetSet {
    let names = names.into_iter();
    names.filter_map(|name| registry.get(name)).collect()
}

impl Planned {
    /// Returns the targets that the package can be built for, according to the model: the targets
    /// of `supports`, or all targets if it has no such list, without those of `excludes`. Returns
    /// an empty set for a package without device code.
    pub fn able(&self, registry: &Registry) -> TargetSet {
        let Some(targets) = &self.targets else {
            return TargetSet::EMPTY;
        };
        let supports = if targets.supports.is_empty() {
            registry.all()
        } else {
            set(registry, &targets.supports)
        };
        supports.difference(set(registry, &targets.excludes))
    }
}

impl Built {
    /// Derives the targets of the package `p` from `recipe`, the targets that its recipe passes.
    /// `chooser` is the person who chooses targets in the distribution. The result has no targets
    /// if `p` has no recipe or no device code.
    pub fn new(
        plan: &Plan,
        registry: &Registry,
        chooser: Chooser,
        p: &Planned,
        recipe: Option<&Builds>,
    ) -> Self {
        let (Some(resolved), Some(recipe)) = (&p.targets, recipe) else {
            return Self::default();
        };
        let (default, offered) = plan.distro_targets(&p.listed);
        let universe = set(registry, &default).union(set(registry, &offered));
        let excludes = set(registry, &resolved.excludes);
        let able = p.able(registry);
        let host_only = recipe.unasked == PassedTargets::Upstream
            && plan.get(&p.id).is_some()
            && p.known_variables.is_empty()
            && p.package
                .targets
                .as_ref()
                .is_none_or(|t| t.variable.0.is_empty());
        if host_only {
            return Self {
                universe,
                host_only,
                ..Self::default()
            };
        }
        let base = Self {
            universe: universe.clone(),
            able,
            excludes: excludes.clone(),
            given: recipe.unasked != PassedTargets::Upstream,
            mended: p
                .package
                .targets
                .as_ref()
                .is_some_and(|t| t.policy.is_some()),
            refuses: set(registry, &recipe.refuses),
            default: held(plan, registry, chooser, p, &recipe.unasked),
            ..Self::default()
        };
        match &recipe.asked {
            ChoiceEffect::Passed { within, nothing } => {
                let flags = set(registry, &recipe.flags);
                let passed = match (within, chooser) {
                    (Some(names), Chooser::Flags { .. }) => set(registry, names),
                    (Some(names), _) => set(registry, names).intersection(&universe),
                    (None, Chooser::Flags { .. }) => flags,
                    (None, _) => universe,
                };
                let instead = match nothing {
                    Nothing::Instead(names) => set(registry, names),
                    Nothing::Empty | Nothing::Upstream => TargetSet::EMPTY,
                };
                Self {
                    coverage: Coverage {
                        follows: passed.difference(&excludes),
                        ..Coverage::default()
                    },
                    in_vain: passed.intersection(excludes),
                    stated: true,
                    passes: true,
                    instead,
                    ..base
                }
            }
            ChoiceEffect::Ignored => {
                let always = base.default.set().cloned().unwrap_or_default();
                Self {
                    coverage: Coverage {
                        always,
                        ..Coverage::default()
                    },
                    stated: base.default.set().is_some(),
                    ..base
                }
            }
        }
    }
}

/// Returns the targets that the package `p` is built for if its recipe passes `given`. The output
/// of a tool is not known here. It becomes [`Listed::Printed`] with the tool's name, unless the
/// distribution's file states the targets that the tool prints.
fn held(
    plan: &Plan,
    registry: &Registry,
    chooser: Chooser,
    p: &Planned,
    given: &PassedTargets,
) -> Listed {
    let upstream = p.targets.as_ref().map_or(&[][..], |t| &t.upstream);
    // If no policy exists, upstream replaces an empty list by its default.
    let bare = p
        .package
        .targets
        .as_ref()
        .is_none_or(|t| t.policy.is_none());
    let empty = *given == PassedTargets::List(Vec::new())
        && bare
        && !matches!(chooser, Chooser::Flags { .. });
    let given = if empty {
        &PassedTargets::Upstream
    } else {
        given
    };
    match given {
        PassedTargets::List(names) => Listed::Set(set(registry, names)),
        PassedTargets::Tool {
            command,
            without,
            further,
        } => {
            let (without, further) = (set(registry, without), set(registry, further));
            let told = plan
                .distro
                .target_tool
                .as_ref()
                .filter(|t| t.command.value == *command);
            let of = |list: &[Spanned<String>]| set(registry, list.iter().map(|t| &t.value));
            match told.map(|t| t.list.as_slice()).filter(|l| !l.is_empty()) {
                Some(list) => Listed::Set(of(list).difference(without).union(further)),
                // `Listed::Printed` has no field for further targets, so the whole list is not
                // known.
                None if !further.is_empty() => Listed::Unknown(format!("what `{command}` prints")),
                None => Listed::Printed {
                    tool: command.clone(),
                    known: told.map_or(TargetSet::EMPTY, |t| of(&t.known).difference(&without)),
                    without,
                },
            }
        }
        PassedTargets::Upstream if !upstream.is_empty() => Listed::Set(set(registry, upstream)),
        PassedTargets::Upstream => {
            Listed::Unknown(format!("upstream's default list of {} {}", p.id, p.version))
        }
        PassedTargets::Unread(text) => {
            Listed::Unknown(format!("the value of `{text}` in {}", p.id))
        }
    }
}
