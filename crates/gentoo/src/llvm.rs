//! The slot of LLVM that a package is built with (llvm-r2.eclass).

use rocpkg_model::{Node, Value};
use rocpkg_resolve::{Dependency, Plan, Planned, llvm_row};

/// Names that need the eclass when a profile mentions them.
const MARKS: &[&str] = &["LLVM_SLOT", "get_llvm_prefix", "llvm_prepend_path"];

/// Returns the major version of LLVM: the distribution's, else that of the release. Returns `None`
/// if neither the package nor one of its dependencies mentions a slot.
pub(crate) fn slot(plan: &Plan, p: &Planned) -> Option<String> {
    let edge = p.depends.iter().any(|e| match (&e.edge.exact_name, &e.to) {
        (Some(text), _) => text.value.contains(MARKS[0]),
        (None, Dependency::External(name)) => name.contains(MARKS[0]),
        (None, Dependency::Package(_)) => false,
    });
    if !edge && !mentions(&p.node) {
        return None;
    }
    let own = llvm_row(&plan.distro, &p.version).and_then(|row| row.slot.as_ref());
    let made_with = || plan.lines.get(&p.version.line())?.llvm.as_ref();
    own.or_else(made_with).map(|v| v.value.clone())
}

/// Returns the eclass that chooses the slot.
pub(crate) fn eclass(plan: &Plan, p: &Planned) -> String {
    let stated = llvm_row(&plan.distro, &p.version).and_then(|row| row.eclass.as_ref());
    stated.map_or_else(|| "llvm-r2".to_owned(), |eclass| eclass.value.clone())
}

fn mentions(node: &Node) -> bool {
    match &node.value {
        Value::Scalar { text, .. } => MARKS.iter().any(|m| text.contains(m)),
        Value::Seq(items) => items.iter().any(mentions),
        Value::Map(entries) => entries.iter().any(|(_, n)| mentions(n)),
        Value::Null => false,
    }
}
