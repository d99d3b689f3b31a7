//! Every finding of the model, the proof of GPU targets included.

use crate::backend::Backend;
use crate::sums;
use crate::tree::Tree;
use rocpkg_model::{Finding, Findings, Severity};
use rocpkg_render::Rendered;
use rocpkg_resolve::{KnownHole, Plan, Unproved};

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
    pub(crate) fn new(tree: Tree, mut findings: Findings, as_shipped: bool) -> Self {
        let (mut known, mut proved) = (Vec::new(), Vec::new());
        findings.append(sums::findings(&tree.unknown_sums, true));
        for (backend, proof) in tree.proofs {
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

/// Says what a reviewer of a distribution's packages asks: what they are built without, and what recipes leave out.
pub(crate) fn review(backend: Backend, plan: &Plan, rendered: Option<&Rendered>, findings: &mut Findings) {
    let mut note = |code, message, hint: &str| {
        let note = Finding { severity: Severity::Note, ..Finding::warning(code, None, message) };
        findings.push(note.hint(hint));
    };
    let distro = backend.distro();
    let lacking = plan.taken_back();
    if backend.is_reviewed() && !lacking.is_empty() {
        let each = lacking.iter().map(|(name, packages)| format!("{name} ({})", packages.join(", ")));
        let list = each.collect::<Vec<_>>().join(", ");
        let message = format!("upstream's builds ask for what packages of {distro} do without: {list}");
        note("N0203", message, "where nothing else brings it, a clean machine can't build the package");
    }
    if let Some(rendered) = rendered
        && !rendered.left_out.is_empty()
    {
        let each = rendered.left_out.iter().map(|(what, packages)| format!("{what} ({})", some(packages)));
        let list = each.collect::<Vec<_>>().join("; ");
        let message = format!("recipes of {distro} leave out what components or habits say: {list}");
        note(
            "N0204",
            message,
            "where it matters, the package's overlay says it in the distribution's own way",
        );
    }
}

/// The first packages of a list, and how many more there are.
fn some(packages: &[String]) -> String {
    match packages {
        [a, b, c, _, more @ ..] => format!("{a}, {b}, {c} and {} more", more.len() + 1),
        few => few.join(", "),
    }
}
