//! What a package is built for, as a function of the choice.

use super::Setting;
use crate::plan::{Plan, Planned};
use rocpkg_model::{NixTargetDefault, RocmMode, TargetList};
use rocpkg_targets::{Registry, TargetSet};

/// `f(C) = (C ∩ follows) ∪ always`, and what is built when nobody chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Builds {
    /// The targets that can be chosen at this package's version.
    pub(super) universe: TargetSet,
    /// Built when chosen.
    pub(super) follows: TargetSet,
    /// Built whatever is chosen.
    pub(super) always: TargetSet,
    /// Built when nobody chooses; unknown when upstream decides, or a tool outside the model.
    pub(super) default: Option<TargetSet>,
    /// Whether it can be built for a target at all, as the model knows.
    pub(super) able: TargetSet,
    /// What is excluded by name.
    pub(super) excludes: TargetSet,
    /// The recipe states what is built for a choice; `list: none` leaves it to upstream.
    pub(super) stated: bool,
}

pub(super) fn set(registry: &Registry, names: &[String]) -> TargetSet {
    names.iter().filter_map(|n| registry.get(n)).collect()
}

impl Builds {
    pub(super) fn new(plan: &Plan, registry: &Registry, setting: Setting, p: &Planned) -> Self {
        let (Some(resolved), Some(written)) = (&p.targets, &p.package.targets) else {
            return Self::default();
        };
        let (default, offered) = plan.distro_targets(&p.version);
        let universe = set(registry, &default).union(set(registry, &offered));
        let supports = set(registry, &resolved.supports);
        let excludes = set(registry, &resolved.excludes);
        let limit = if supports.is_empty() { registry.all() } else { supports };
        let able = limit.difference(excludes);
        let listed = set(registry, &resolved.default).union(set(registry, &resolved.offered));
        let list = written.list.unwrap_or(TargetList::All);
        let base = Self { universe, able, excludes, stated: true, ..Self::default() };
        match setting {
            Setting::Flags => {
                let mode = p.package.ebuild.as_ref().and_then(|e| e.rocm);
                let none = list == TargetList::None || matches!(mode, Some(RocmMode::Skip | RocmMode::None));
                // A package with a list of its own offers that list as flags.
                let follows = if none { TargetSet::EMPTY } else { listed };
                Self { follows, default: (!none).then_some(follows), stated: !none, ..base }
            }
            Setting::Fixed => match list {
                TargetList::None => Self { stated: false, ..base },
                TargetList::Own => Self { always: listed, default: Some(listed), ..base },
                _ if universe.is_empty() => Self { stated: false, ..base },
                _ => Self { always: listed, default: Some(listed), ..base },
            },
            Setting::Scope => {
                let takes =
                    p.package.nix.as_ref().and_then(|n| n.gpu_targets.as_ref()).and_then(|t| t.default);
                let chosen = match list {
                    TargetList::Intersection => universe.intersection(able),
                    _ => universe.difference(excludes),
                };
                match takes {
                    None => Self { stated: false, ..base },
                    Some(NixTargetDefault::Always) => {
                        Self { always: universe, default: Some(universe), ..base }
                    }
                    Some(NixTargetDefault::Upstream) => Self { follows: chosen, ..base },
                    Some(NixTargetDefault::Own) => Self { follows: chosen, default: Some(listed), ..base },
                    Some(NixTargetDefault::All | NixTargetDefault::Borrowed) => {
                        Self { follows: chosen, default: Some(chosen), ..base }
                    }
                }
            }
        }
    }

    /// What is built for one choice.
    #[cfg(test)]
    pub(super) fn of(&self, choice: TargetSet) -> TargetSet {
        choice.intersection(self.follows).union(self.always)
    }

    /// The targets for which some choice out of `universe` builds `self` and not `other`.
    pub(super) fn not_built_by(&self, other: &Self, universe: TargetSet) -> TargetSet {
        let chosen = self.follows.intersection(universe).difference(other.follows.union(other.always));
        // What is always built must be built there always: a choice may leave a target out.
        chosen.union(self.always.difference(other.always))
    }
}
