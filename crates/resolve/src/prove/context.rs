//! What the looks at packages and at edges share: the plan with who needs whom, a fact, and where a
//! key stands.

use super::builds::{Chooser, Recipes};
use super::built::Built;
use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned};
use rocpkg_model::{Finding, Policy, Span};
use rocpkg_targets::{Registry, TargetSet};
use std::collections::{BTreeMap, VecDeque};

/// The code for what a package is built for standing outside the model.
pub(super) const NOT_KNOWN: &str = "E0608";

/// An edge of which nothing can be proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unproved {
    /// The package's id.
    pub package: String,
    /// The id of what it needs.
    pub dependency: String,
    /// The facts that are missing.
    pub missing: Vec<String>,
}

/// A finding with what `known` entries are matched by.
pub(super) struct Fact {
    pub(super) package: String,
    pub(super) targets: TargetSet,
    pub(super) finding: Finding,
}

impl Fact {
    /// One that is about no package alone.
    pub(super) fn of_all(finding: Finding) -> Self {
        Self {
            package: String::new(),
            targets: TargetSet::EMPTY,
            finding,
        }
    }
}

/// What is looked at: the plan, how its recipes are built, and who needs whom.
pub(super) struct Context<'a> {
    pub(super) plan: &'a Plan,
    pub(super) registry: &'a Registry,
    pub(super) recipes: &'a Recipes,
    pub(super) built: BTreeMap<&'a str, Built>,
    /// Who needs a package.
    parents: BTreeMap<&'a str, Vec<&'a str>>,
    /// How far below one that nobody needs.
    depths: BTreeMap<&'a str, usize>,
}

/// A longer chain of packages is not shown whole.
const MOST_SHOWN: usize = 16;

impl<'a> Context<'a> {
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

    /// Whether the packager chooses, for everybody.
    pub(super) fn is_fixed(&self) -> bool {
        self.recipes.chooser == Chooser::Packager
    }

    /// Whether the user chooses by flags.
    pub(super) fn by_flags(&self) -> bool {
        matches!(self.recipes.chooser, Chooser::Flags { .. })
    }

    /// The way from a package that nobody needs down to this one, the shortest; the middle of a
    /// long one is left out.
    pub(super) fn chain(&self, id: &str) -> String {
        let (mut way, mut at) = (vec![id], id);
        let depth = |id: &str| self.depths.get(id).copied();
        // In a ring nobody is on top; a package of it stands for itself.
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

/// How far each package stands below the nearest one that nobody needs.
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

/// Where a key at the top of a package stands.
pub(super) fn key(p: &Planned, name: &str) -> Span {
    p.node.key(name).map_or(p.node.span.begin(), |key| key.span)
}

/// Where a key of a section stands, else the section.
pub(super) fn inner_key(p: &Planned, section: &str, name: &str) -> Span {
    p.node
        .get(section)
        .and_then(|inner| inner.key(name))
        .map_or_else(|| key(p, section), |key| key.span)
}

/// Whether a policy makes up for a target that a package can't be built for.
pub(super) fn mends(policy: Policy) -> bool {
    // It is there and does nothing for the target, as its policy says; a masked target can't be
    // chosen.
    policy != Policy::Fail
}
