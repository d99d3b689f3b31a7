//! All findings of the model, including those of the proof of GPU targets.

use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::package_output::Run;
use crate::select::RenderRun;
use crate::stack::Stack;
use crate::sums;
use rocpkg_model::Findings;
use rocpkg_resolve::{Choice, KnownHole, Unproved};

/// The result of checking distributions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// All findings.
    pub findings: Findings,
    /// Findings that a distribution's file lists as known, each with its reason.
    pub known: Vec<(Backend, KnownHole)>,
    /// The proof of each distribution.
    pub proved: Vec<Proved>,
}

/// The proof of a distribution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proved {
    /// The distribution.
    pub backend: Backend,
    /// The number of edges between packages with device code.
    pub edges: usize,
    /// The edges that could not be decided, each with the unknown facts.
    pub unproved: Vec<Unproved>,
}

impl Stack {
    /// Returns all findings of some distributions, or of all. They include the proof that GPU
    /// targets agree over every dependency.
    ///
    /// # Errors
    /// When no profile tells of a distribution. What is wrong with the profiles is no error here:
    /// it is among the findings.
    pub fn check(&self, backends: &[Backend], choices: &[Choice]) -> Result<Checked, Error> {
        if !backends.is_empty() {
            self.require(backends)?;
        }
        let all = if backends.is_empty() {
            &Backend::ALL
        } else {
            backends
        };
        let options = Options {
            choices: choices.to_vec(),
            review: true,
            ..Options::everything()
        };
        let RenderRun {
            runs, mut findings, ..
        } = self.render_run(self.model(), all, &options)?;
        findings.append(self.read_names().1.clone());
        let (mut known, mut proved) = (Vec::new(), Vec::new());
        for Run {
            backend,
            rendered,
            proofs,
            ..
        } in runs
        {
            findings.append(sums::findings(
                rendered.unknown_sums().map(|u| (backend, u)),
                true,
            ));
            for proof in proofs {
                proved.push(Proved {
                    backend,
                    edges: proof.edges,
                    unproved: proof.unproved,
                });
                findings.append(proof.findings);
                known.extend(proof.known.into_iter().map(|k| (backend, k)));
                // At another release than the one it was written for, a known finding may well be
                // absent.
                if choices.iter().all(|choice| *choice == Choice::Shipped) {
                    proof.unmet.into_iter().for_each(|f| findings.push(f));
                }
            }
        }
        Ok(Checked {
            findings,
            known,
            proved,
        })
    }
}

impl Checked {
    /// Returns true if there are no errors except those that are listed as known.
    pub fn is_sound(&self) -> bool {
        !self.findings.has_errors()
    }
}
