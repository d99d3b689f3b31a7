//! The check of the model: all findings, including those of the proof that GPU targets agree.

use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::package_output::Run;
use crate::select::{Packages, RenderRun};
use crate::stack::{Stack, report_circles_once};
use crate::sums;
use rocpkg_model::Findings;
use rocpkg_resolve::{Choice, KnownHole, Packed, Unproved};
use std::collections::BTreeMap;

/// The result of checking distributions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// All findings that are not listed as known.
    pub findings: Findings,
    /// Findings about GPU targets that a distribution's file lists as known, each with its reason.
    pub known: Vec<(Backend, KnownHole)>,
    /// The results of the proof that GPU targets agree: one for each distribution and set of
    /// versions.
    pub proved: Vec<Proved>,
}

/// The result of the proof that GPU targets agree in a distribution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Proved {
    /// The distribution.
    pub backend: Backend,
    /// The number of dependencies between packages with device code.
    pub edges: usize,
    /// The dependencies for which the proof could not decide if the targets agree, each with the
    /// unknown facts.
    pub unproved: Vec<Unproved>,
    /// The packages whose code for compatible GPUs the runtime does not find in compressed
    /// bundles, by id, each with the reason. They count even if the finding is listed as known.
    pub packed: BTreeMap<String, Packed>,
}

impl Stack {
    /// Returns all findings about the distributions `backends`, or about all if `backends` is
    /// empty, at the releases `choices`. They include the findings of the proof that GPU targets
    /// agree over every dependency.
    ///
    /// # Errors
    /// If no profile describes one of `backends`. Errors in the profiles are among the findings,
    /// and not returned as an error.
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
        let (mut findings, mut known, mut proved) = (Findings::default(), Vec::new(), Vec::new());
        // A distribution of thousands of packages takes hundreds of MB, so only one is kept at a
        // time.
        for backend in all {
            let none = Packages::new();
            let RenderRun {
                runs,
                findings: found,
                ..
            } = self.render_run(self.loaded(), &[*backend], &options, &none)?;
            self.loaded().forget_plans();
            findings.append(found);
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
                        packed: proof.packed,
                    });
                    findings.append(proof.findings);
                    known.extend(proof.known.into_iter().map(|k| (backend, k)));
                    // An entry for a known finding that does not occur is reported only at the
                    // shipped release, because the entry was written for that release.
                    if choices.iter().all(|choice| *choice == Choice::Shipped) {
                        proof.unmet.into_iter().for_each(|f| findings.push(f));
                    }
                }
            }
        }
        report_circles_once(&mut findings);
        findings.append(self.read_names().1.clone());
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
