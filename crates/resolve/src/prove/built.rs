//! The targets that a package is built for, as a function of the choice. They are derived from the
//! targets that the recipe passes on.

use crate::plan::Plan;
use crate::plan::planned::Planned;
use crate::prove::builds::{Builds, ChoiceEffect, Chooser, Nothing, PassedTargets};
use rocpkg_core::{Coverage, Listed};
use rocpkg_targets::{Registry, TargetSet};

/// The targets that a package is built for, as a function of the choice and when nobody chooses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// The targets that can be chosen at this package's version.
    pub universe: TargetSet,
    /// The targets that are built for a choice.
    pub coverage: Coverage,
    /// The targets that are built when nobody chooses.
    pub default: Listed,
    /// The targets that the package can be built for, according to the model.
    pub able: TargetSet,
    /// The targets that are excluded by name.
    pub excludes: TargetSet,
    /// Set if the recipe states the targets that are built for a choice.
    pub stated: bool,
    /// Set if the recipe passes a choice on.
    pub passes: bool,
    /// Chosen targets that are passed on although they are excluded.
    pub in_vain: TargetSet,
    /// The targets that are built if no target of a choice is left.
    pub instead: TargetSet,
    /// Set if the recipe passes a list to upstream's build when nobody chooses.
    pub given: bool,
    /// Set if no list is passed, and upstream's build has no known variable for one. The package
    /// then compiles nothing for a GPU.
    pub host_only: bool,
    /// Set if a policy exists for targets that the package can't be built for.
    pub mended: bool,
    /// The targets for which the recipe refuses to be built if no other target is chosen.
    pub refuses: TargetSet,
}

/// Returns the targets of a list of names. Names that are no targets are left out.
pub(super) fn set<'n>(
    registry: &Registry,
    names: impl IntoIterator<Item = &'n String>,
) -> TargetSet {
    let names = names.into_iter();
    names.filter_map(|name| registry.get(name)).collect()
}

impl Planned {
    /// Returns the targets that the package can be built for, according to the model: its own list,
    /// or all targets, without the targets that it excludes.
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
    /// Derives the targets from a recipe. A package without a recipe, or without device code, is
    /// built for no targets.
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

/// Returns the targets in a recipe's list. The list of a tool stays a symbol, unless the
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
            match told.map(|t| t.list.as_slice()).filter(|l| !l.is_empty()) {
                Some(list) => {
                    let names: Vec<String> = list.iter().map(|t| t.value.clone()).collect();
                    Listed::Set(set(registry, &names).difference(without).union(further))
                }
                // A symbol can't contain further targets, so the whole list is not known.
                None if !further.is_empty() => Listed::Unknown(format!("what `{command}` prints")),
                None => Listed::Printed {
                    tool: command.clone(),
                    without,
                },
            }
        }
        PassedTargets::Upstream if !upstream.is_empty() => Listed::Set(set(registry, upstream)),
        PassedTargets::Upstream => {
            Listed::Unknown(format!("upstream's default list of {} {}", p.id, p.version))
        }
        PassedTargets::Unread(text) => Listed::Unknown(format!("what `{text}` holds in {}", p.id)),
    }
}
