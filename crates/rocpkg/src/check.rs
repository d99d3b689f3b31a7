//! Every finding of the model, the proof of GPU targets included.

use crate::backend::Backend;
use crate::made::Run;
use crate::sums;
use rocpkg_model::Findings;
use rocpkg_resolve::{KnownHole, Unproved};

/// What was found when distributions were checked.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// All that was found.
    pub findings: Findings,
    /// Holes that a distribution has and knows, each with its reason.
    pub known: Vec<(Backend, KnownHole)>,
    /// What was proved of each distribution.
    pub proved: Vec<Proved>,
}

/// What was proved of a distribution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proved {
    /// The distribution.
    pub backend: Backend,
    /// How many edges there are between packages with device code.
    pub edges: usize,
    /// Those that could not be decided, and what is not known.
    pub unproved: Vec<Unproved>,
}

impl Checked {
    pub(crate) fn new(runs: Vec<Run>, mut findings: Findings, as_shipped: bool) -> Self {
        let (mut known, mut proved) = (Vec::new(), Vec::new());
        for run in &runs {
            findings.append(sums::findings(run.rendered.unknown_sums().map(|u| (run.backend, u)), true));
        }
        for (backend, proof) in runs.into_iter().flat_map(|run| {
            let backend = run.backend;
            run.proofs.into_iter().map(move |proof| (backend, proof))
        }) {
            proved.push(Proved { backend, edges: proof.edges, unproved: proof.unproved });
            findings.append(proof.findings);
            known.extend(proof.known.into_iter().map(|k| (backend, k)));
            // At another release than the one it was written for, a known finding may well be absent.
            if as_shipped {
                proof.unmet.into_iter().for_each(|f| findings.push(f));
            }
        }
        Self { findings, known, proved }
    }

    /// True when nothing is wrong that nobody called known.
    pub fn is_sound(&self) -> bool {
        !self.findings.has_errors()
    }
}
