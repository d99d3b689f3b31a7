//! Optional dependencies. No variable of an ebuild holds them (PMS 8.1), so `optfeature.eclass`
//! prints them when the package is installed.

use crate::lower::context::Context;
use crate::lower::depends::subject;
use crate::value::dep::Dep;
use rocpkg_model::{Edge, EdgeKind};
use rocpkg_render::bash::{Stmt, Word, run};

/// Returns true for an optional dependency whose profile states a reason. Only these are printed
/// for users.
pub(crate) fn asks_to_tell(edge: &Edge) -> bool {
    edge.kind.0.contains(&EdgeKind::Optional) && edge.reason.is_some()
}

impl Context<'_> {
    /// Returns true if the ebuild prints optional dependencies.
    pub(crate) fn tells_of_optional(&self) -> bool {
        self.p.depends.iter().any(|e| asks_to_tell(&e.edge))
    }

    /// Returns a call of `optfeature` for each optional dependency. `optfeature` prints a line for
    /// users if the dependency is not installed.
    pub(crate) fn optional(&mut self) -> Vec<Stmt> {
        let p = self.p;
        let mut out = Vec::new();
        for e in p.depends.iter().filter(|e| asks_to_tell(&e.edge)) {
            let Some(reason) = &e.edge.reason else {
                continue;
            };
            // `atoms` reports an invalid dependency. Python itself is always installed.
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
