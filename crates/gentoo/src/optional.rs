//! Optional dependencies: no variable of an ebuild holds them (PMS 8.1), and `optfeature.eclass`
//! tells whoever installs the package.

use crate::context::Context;
use crate::dep::Dep;
use crate::depends::subject;
use rocpkg_model::{Edge, EdgeKind};
use rocpkg_render::bash::{Stmt, Word, run};

/// Whether an edge is one that the user is told of: of use to some, and it is known what for.
pub(crate) fn asks_to_tell(edge: &Edge) -> bool {
    edge.kind.0.contains(&EdgeKind::Optional) && edge.reason.is_some()
}

impl Context<'_> {
    /// True when the user is told of something.
    pub(crate) fn tells_of_optional(&self) -> bool {
        self.p.depends.iter().any(|e| asks_to_tell(&e.edge))
    }

    /// A line for each, which is shown while it is not installed.
    pub(crate) fn optional(&mut self) -> Vec<Stmt> {
        let p = self.p;
        let mut out = Vec::new();
        for e in p.depends.iter().filter(|e| asks_to_tell(&e.edge)) {
            let Some(reason) = &e.edge.reason else {
                continue;
            };
            // What is wrong with it was said, and Python itself is there.
            let first = self.atoms(e, reason.span).into_iter().next();
            let Some(dep) = first.filter(|dep| !matches!(dep, Dep::Expansion(_))) else {
                continue;
            };
            let name = Word::lit(subject(&dep));
            let line = run("optfeature", vec![Word::lit(reason.value.clone()), name]);
            out.extend(self.conditional(e.edge.when.as_ref(), None, vec![line]));
        }
        out
    }
}
