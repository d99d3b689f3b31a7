//! Proving: GPU targets agree over every dependency edge, for every choice of targets by the user.
//!
//! The proof is about the recipes as they are written. Each backend records the targets that a
//! recipe passes to upstream's build when it writes the argument, from the same value
//! ([`Recipes`]). The proof reads these records, and does not depend on the format of a recipe.
//! Accepted findings of a distribution are listed under `known` in its file, each with its reason.
//! A `known` entry that matches no finding is a finding itself.
//!
//! The targets that a package is built for are a function of `C`, the set of targets that the user
//! chooses once for all packages: `f(C) = (C ∩ follows) ∪ always`. Union and intersection act on
//! each target alone. So an edge holds for all choices if it holds for each target alone, and
//! choices need not be tried one by one. A list that an external tool prints is an unknown set `L`
//! without some excluded targets: `L \ X` covers `L \ Y` for every L exactly when `X ⊆ Y`.
//!
//! | code | what is wrong |
//! | --- | --- |
//! | `E0601` | an edge between two packages with device code states no relation of their targets |
//! | `E0602` | a target that a package is built for and its dependency is not |
//! | `E0603` | the user must choose targets, and they are not passed to upstream's build |
//! | `E0604` | the user can choose targets, and need not choose any |
//! | `E0605` | a choice that leaves the package with no target, and no policy for it |
//! | `E0606` | the recipe ignores that a Nix scope is limited to some targets |
//! | `E0607` | a dependency that stops the build for a target of the package |
//! | `E0608` | the targets that a package is built for are not known |
//! | `E0609` | a variable that upstream's build does not read at this release |
//! | `E0610` | two packages can be built for different choices of targets |
//! | `W0611` | compatibility patches that compressed code bundles bypass, from release 6.2 on |
//! | `E0612` | a `known` entry that names no code or no package |
//! | `N0613` | targets for which a package does without an optional part, and is slower |
//! | `W0616` | an ebuild whose default USE flags break its `REQUIRED_USE` |

pub(crate) mod builds;
mod built;
mod consumers;
mod context;
mod edges;
mod packages;

use crate::plan::Plan;
use crate::plan::bundles::Packed;
use crate::prove::builds::Recipes;
pub use built::Built;
use built::set as target_set;
pub use context::Unproved;
use context::{NOT_KNOWN, ProofContext};
use rocpkg_model::{Finding, Findings, Owner};
use rocpkg_targets::Registry;
use std::collections::{BTreeMap, BTreeSet};

const PROOF_CODES: [&str; 14] = [
    "E0601", "E0602", "E0603", "E0604", "E0605", "E0606", "E0607", "E0608", "E0609", "E0610",
    "W0611", "E0612", "N0613", "W0616",
];

/// A finding that the distribution's file lists as known.
#[derive(Clone, Debug)]
pub struct KnownHole {
    /// The finding.
    pub finding: Finding,
    /// The reason in the distribution's file why the finding is accepted.
    pub reason: String,
}

/// The result of the proof of one distribution.
#[derive(Clone, Debug, Default)]
pub struct Proof {
    /// The findings that the distribution's file does not list as known.
    pub findings: Findings,
    /// The findings that the distribution's file lists as known.
    pub known: Vec<KnownHole>,
    /// Findings about entries of `known` that matched nothing. The entries are about the versions
    /// that the distribution ships, so these findings do not matter for other versions.
    pub unmet: Vec<Finding>,
    /// The number of edges between packages with device code that were checked.
    pub edges: usize,
    /// The edges whose proof needs facts that are not known, each with the missing facts.
    pub unproved: Vec<Unproved>,
    /// The targets that each package with device code is built for, by its id.
    pub built: BTreeMap<String, Built>,
    /// The packages whose code for compatible GPUs the runtime does not find in compressed
    /// bundles, by id, each with the reason.
    pub packed: BTreeMap<String, Packed>,
}

impl Proof {
    /// Returns the findings that report a disagreement of targets. Findings that only report
    /// unknown targets of a package (E0608) are left out.
    pub fn disagreements(&self) -> Findings {
        let mut findings = self.findings.clone();
        findings.retain(|f| f.code != NOT_KNOWN);
        findings
    }
}

/// Proves that the targets of the plan's packages agree. `recipes` are the targets that its recipes
/// pass to upstream's builds. The function is pure: it reads nothing but its arguments.
pub fn prove(plan: &Plan, registry: &Registry, recipes: &Recipes) -> Proof {
    let cx = ProofContext::new(plan, registry, recipes);
    let mut facts = Vec::new();
    packages::look(&cx, &mut facts);
    let (edges, unproved) = edges::look(&cx, &mut facts);
    let built = cx
        .built
        .iter()
        .map(|(id, b)| ((*id).to_owned(), b.clone()))
        .collect();
    let mut proof = Proof {
        edges,
        unproved,
        built,
        packed: packages::packed(&cx).into_iter().collect(),
        ..Proof::default()
    };
    let mut met = BTreeSet::new();
    for fact in facts {
        let fits = |k: &&rocpkg_model::KnownFinding| {
            k.code.value == fact.finding.code
                && (k.packages.is_empty() || k.packages.iter().any(|p| p.value == fact.package))
                && (k.targets.is_empty()
                    || fact.targets.is_subset(target_set(
                        registry,
                        k.targets.iter().map(|name| &name.value),
                    )))
        };
        if let Some(k) = plan.distro.known.iter().find(fits) {
            met.insert(k.reason.span);
            proof.known.push(KnownHole {
                finding: fact.finding,
                reason: k.reason.value.clone(),
            });
            continue;
        }
        let owner = match fact.package.as_str() {
            "" => Owner::Distribution(plan.distro_name.clone()),
            id => plan.owner(id),
        };
        proof.findings.push_of(&owner, fact.finding);
    }
    for k in &plan.distro.known {
        if !PROOF_CODES.contains(&k.code.value.as_str()) {
            proof.findings.push(
                Finding::error(
                    "E0612",
                    k.code.span,
                    format!("`{}` is not a code of the proof", k.code.value),
                )
                .nearest(&k.code.value, PROOF_CODES),
            );
        } else if !met.contains(&k.reason.span) {
            let what = format!(
                "{} is listed as known in {}, but was not found",
                k.code.value, plan.distro_name
            );
            proof.unmet.push(
                Finding::error("E0612", k.code.span, what).hint(
                    "remove the entry; a layer above removes it by `known: {CODE PACKAGES: ~}`",
                ),
            );
        }
    }
    proof
}
