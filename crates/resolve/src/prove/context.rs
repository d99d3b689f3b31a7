//! The common part of `packages.rs` and `edges.rs`: the input of the checks, their findings, and
//! the places of keys.

use super::builds::{Chooser, Recipes};
use super::built::Built;
use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned};
use rocpkg_model::{Finding, Policy, Span};
use rocpkg_targets::{Registry, TargetSet};
use std::collections::{BTreeMap, VecDeque};

/// The code of the finding that reports a package whose GPU targets are not known.
pub(super) const NOT_KNOWN: &str = "E0608";

/// A dependency edge whose proof needs facts that are not known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    /// The id of the package that has the edge.
    pub package: String,
    /// The id of the dependency.
    pub dependency: String,
    /// Descriptions of the missing facts, such as `upstream's default list of rocblas 7.2.4`.
    pub missing: Vec<String>,
}

/// A finding, with the package and the targets that it is about. The entries under `known` in the
/// distribution's file are compared to them.
pub(super) struct Fact {
    pub(super) package: String,
    pub(super) targets: TargetSet,
    pub(super) finding: Finding,
}

impl Fact {
    /// Returns a finding that is not about a single package or target.
    pub(super) fn of_all(finding: Finding) -> Self {
        Self {
            package: String::new(),
            targets: TargetSet::EMPTY,
            finding,
        }
    }
}

/// The input of the checks: the plan, the targets of its recipes, and the dependents of each
/// package.
pub(super) struct ProofContext<'a> {
    pub(super) plan: &'a Plan,
    pub(super) registry: &'a Registry,
    pub(super) recipes: &'a Recipes,
    pub(super) built: BTreeMap<&'a str, Built>,
    /// By the id of a package, the ids of the packages that need it.
    parents: BTreeMap<&'a str, Vec<&'a str>>,
    /// The distance of each package from the nearest package that no other package needs.
    depths: BTreeMap<&'a str, usize>,
}

/// The number of packages in the longest chain that is shown as a whole.
const MOST_SHOWN: usize = 16;

impl<'a> ProofContext<'a> {
    pub(super) fn new(plan: &'a Plan, registry: &'a Registry, recipes: &'a Recipes) -> Self {
        let mut parents: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for p in &plan.packages {
            for e in &p.depends {
                if let Dependency::Package(id) = &e.to {
                    parents.entry(id).or_default().push(&p.id);
                }
            }
        }
        let device = plan.packages.iter().filter(|p| p.targets.is_some());
        let built = device
            .map(|p| {
                let recipe = recipes.builds.get(&p.id);
                (
                    p.id.as_str(),
                    Built::new(plan, registry, recipes.chooser, p, recipe),
                )
            })
            .collect();
        let depths = depths(plan, &parents);
        Self {
            plan,
            registry,
            recipes,
            built,
            parents,
            depths,
        }
    }

    /// Returns true if the packager chooses the targets for everybody.
    pub(super) fn is_fixed(&self) -> bool {
        self.recipes.chooser == Chooser::Packager
    }

    /// Returns true if the user chooses the targets by flags.
    pub(super) fn by_flags(&self) -> bool {
        matches!(self.recipes.chooser, Chooser::Flags { .. })
    }

    /// Returns the shortest path to this package from a package that no other package needs. The
    /// middle of a long path is left out.
    pub(super) fn chain(&self, id: &str) -> String {
        let (mut way, mut at) = (vec![id], id);
        let depth = |id: &str| self.depths.get(id).copied();
        // A cycle has no top, so a package in it may be shown alone.
        while let Some(above) = depth(at).and_then(|d| d.checked_sub(1)) {
            let parents = self.parents.get(at).map_or(&[][..], Vec::as_slice);
            let Some(next) = parents.iter().find(|p| depth(p) == Some(above)) else {
                break;
            };
            way.push(next);
            at = next;
        }
        way.reverse();
        if way.len() > MOST_SHOWN {
            way.splice(MOST_SHOWN / 2..=way.len() - MOST_SHOWN / 2, ["…"]);
        }
        way.join(" > ")
    }
}

/// Returns the distance of each package from the nearest package that no other package needs.
fn depths<'a>(
    plan: &'a Plan,
    parents: &BTreeMap<&'a str, Vec<&'a str>>,
) -> BTreeMap<&'a str, usize> {
    let tops = plan
        .packages
        .iter()
        .map(|p| p.id.as_str())
        .filter(|id| !parents.contains_key(id));
    let mut out: BTreeMap<&str, usize> = tops.map(|id| (id, 0)).collect();
    let mut open: VecDeque<&str> = out.keys().copied().collect();
    while let Some(id) = open.pop_front() {
        let below = out[id] + 1;
        for e in plan.get(id).into_iter().flat_map(|p| &p.depends) {
            if let Dependency::Package(to) = &e.to
                && !out.contains_key(to.as_str())
            {
                out.insert(to, below);
                open.push_back(to);
            }
        }
    }
    out
}

/// Returns the place of a key at the top level of a package.
pub(super) fn key(p: &Planned, name: &str) -> Span {
    p.node.key(name).map_or(p.node.span.begin(), |key| key.span)
}

/// Returns the place of a key in a section, or the place of the section if the key does not exist.
pub(super) fn inner_key(p: &Planned, section: &str, name: &str) -> Span {
    p.node
        .get(section)
        .and_then(|inner| inner.key(name))
        .map_or_else(|| key(p, section), |key| key.span)
}

/// Returns true if a package with this policy can be installed for a target that it can't be built
/// for, or if the policy keeps users from choosing such a target.
pub(super) fn mends(policy: Policy) -> bool {
    // With most policies, the package exists and does nothing for the target. A masked target can't
    // be chosen.
    policy != Policy::Fail
}
