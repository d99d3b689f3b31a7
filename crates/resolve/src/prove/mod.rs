//! Proving: GPU targets agree over every dependency edge, for every choice of targets.
//!
//! What is proved is what is written: each backend notes what a recipe passes to upstream's build where it writes the argument, from the
//! same value ([`Recipes`]), and the proof reads that and nothing else; nothing here knows how a recipe is written. Holes that a
//! distribution has today are `known` in its file, each with its reason; one that matches nothing any more is a finding.
//!
//! What a package is built for is a function of the choice `C` that is made once for all packages:
//! `f(C) = (C ∩ follows) ∪ always`. Union and intersection act on each target alone, so an edge holds for all choices
//! when it holds for each target alone, and no choice has to be tried. A list that an outside tool prints is a symbol L less
//! exclusions: `L \ X` covers `L \ Y` for every L exactly when `X ⊆ Y`.
//!
//! | code | what is wrong |
//! | --- | --- |
//! | `E0601` | an edge between two packages with device code states no relation of their targets |
//! | `E0602` | a target that a package is built for and its dependency is not |
//! | `E0603` | targets are asked of the user and never passed on to upstream's build |
//! | `E0604` | targets are offered, and none need be chosen |
//! | `E0605` | a choice that leaves the package with no target, and no policy for it |
//! | `E0606` | a scope that is narrowed to some targets is not honoured |
//! | `E0607` | a dependency that stops the build for a target of the package |
//! | `E0608` | what a package is built for stands outside the model |
//! | `E0609` | a variable that upstream's build does not read at this release |
//! | `E0610` | nothing makes two packages be built for the same choice |
//! | `W0611` | compatibility patches that compressed code bundles bypass, from release 6.2 on |
//! | `E0612` | a `known` entry that names no code or no package |
//! | `N0613` | targets for which a package does without an optional part, and is slower |

pub(crate) mod builds;
mod built;
mod edges;
mod packages;

use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned};
use crate::prove::builds::{Chooser, Recipes};
pub use built::{Built, Held};
use rocpkg_model::{Finding, Findings, Span};
use rocpkg_targets::{Registry, TargetSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Every code of the proof.
const PROOF_CODES: [&str; 13] = [
    "E0601", "E0602", "E0603", "E0604", "E0605", "E0606", "E0607", "E0608", "E0609", "E0610", "W0611",
    "E0612", "N0613",
];

/// A finding that the distribution's file calls known.
#[derive(Clone, Debug)]
pub struct KnownHole {
    /// The finding.
    pub finding: Finding,
    /// Why it may stand.
    pub reason: String,
}

/// What the proof of one distribution found.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// What is wrong.
    pub findings: Findings,
    /// What is wrong and known to be.
    pub known: Vec<KnownHole>,
    /// Entries of `known` that met nothing; of note only for the versions that the distribution ships.
    pub unmet: Vec<Finding>,
    /// The edges between packages with device code that were looked at.
    pub edges: usize,
    /// Those of them that nothing can be proved of, each with the facts that are missing.
    pub unproved: Vec<Unproved>,
    /// What each package with device code is built for, by its id.
    pub built: BTreeMap<String, Built>,
}

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

impl Proof {
    /// The findings without those that only say that something is not known, so that nothing is proved of it.
    pub fn disagreements(&self) -> impl Iterator<Item = &Finding> {
        self.findings.sorted().into_iter().filter(|f| f.code != packages::NOT_KNOWN)
    }
}

/// A finding with what `known` entries are matched by.
struct Fact {
    package: String,
    targets: TargetSet,
    finding: Finding,
}

/// Proves that the targets of a plan agree, as its recipes pass them on. Pure: it reads nothing but its arguments.
pub fn prove(plan: &Plan, registry: &Registry, recipes: &Recipes) -> Proof {
    let cx = Context::new(plan, registry, recipes);
    let mut facts = Vec::new();
    packages::look(&cx, &mut facts);
    let (edges, unproved) = edges::look(&cx, &mut facts);
    let built = cx.built.iter().map(|(id, b)| ((*id).to_owned(), b.clone())).collect();
    let mut proof = Proof { edges, unproved, built, ..Proof::default() };
    let mut met = BTreeSet::new();
    for fact in facts {
        let fits = |k: &&rocpkg_model::KnownFinding| {
            k.code.value == fact.finding.code
                && (k.packages.is_empty() || k.packages.iter().any(|p| p.value == fact.package))
                && (k.targets.is_empty()
                    || fact
                        .targets
                        .is_subset(k.targets.iter().filter_map(|t| registry.get(&t.value)).collect()))
        };
        match plan.distro.known.iter().find(fits) {
            Some(k) => {
                met.insert(k.reason.span);
                proof.known.push(KnownHole { finding: fact.finding, reason: k.reason.value.clone() });
            }
            None => proof.findings.push(fact.finding),
        }
    }
    for k in &plan.distro.known {
        if !PROOF_CODES.contains(&k.code.value.as_str()) {
            proof.findings.push(
                Finding::error("E0612", k.code.span, format!("`{}` is no code of the proof", k.code.value))
                    .nearest(&k.code.value, PROOF_CODES),
            );
        } else if !met.contains(&k.reason.span) {
            let what = format!("{} is known in {} and was not found", k.code.value, plan.distro_name);
            proof.unmet.push(Finding::error("E0612", k.code.span, what).hint("take the entry out"));
        }
    }
    proof
}

struct Context<'a> {
    plan: &'a Plan,
    registry: &'a Registry,
    recipes: &'a Recipes,
    built: BTreeMap<&'a str, Built>,
    /// Who needs a package.
    parents: BTreeMap<&'a str, Vec<&'a str>>,
    /// How far below one that nobody needs.
    depths: BTreeMap<&'a str, usize>,
}

/// A longer chain of packages is not shown whole.
const MOST_SHOWN: usize = 16;

impl<'a> Context<'a> {
    fn new(plan: &'a Plan, registry: &'a Registry, recipes: &'a Recipes) -> Self {
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
                (p.id.as_str(), Built::new(plan, registry, recipes.chooser, p, recipe))
            })
            .collect();
        let depths = depths(plan, &parents);
        Self { plan, registry, recipes, built, parents, depths }
    }

    /// Whether the packager chooses, for everybody.
    fn is_fixed(&self) -> bool {
        self.recipes.chooser == Chooser::Packager
    }

    /// Whether the user chooses by flags.
    fn by_flags(&self) -> bool {
        matches!(self.recipes.chooser, Chooser::Flags { .. })
    }

    /// The way from a package that nobody needs down to this one, the shortest; the middle of a long one is left out.
    fn chain(&self, id: &str) -> String {
        let (mut way, mut at) = (vec![id], id);
        let depth = |id: &str| self.depths.get(id).copied();
        // In a ring nobody is on top; a package of it stands for itself.
        while let Some(above) = depth(at).and_then(|d| d.checked_sub(1)) {
            let parents = self.parents.get(at).map_or(&[][..], Vec::as_slice);
            let Some(next) = parents.iter().find(|p| depth(p) == Some(above)) else { break };
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
fn depths<'a>(plan: &'a Plan, parents: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeMap<&'a str, usize> {
    let tops = plan.packages.iter().map(|p| p.id.as_str()).filter(|id| !parents.contains_key(id));
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
fn key(p: &Planned, name: &str) -> Span {
    let whole = p.node.span.begin();
    p.node.entries().iter().find(|(k, _)| k.name == name).map_or(whole, |(k, _)| k.span)
}

/// Where a key of a section stands, else the section.
fn inner_key(p: &Planned, section: &str, name: &str) -> Span {
    let inner = p.node.get(section).into_iter().flat_map(rocpkg_model::Node::entries);
    inner.into_iter().find(|(k, _)| k.name == name).map_or_else(|| key(p, section), |(k, _)| k.span)
}
