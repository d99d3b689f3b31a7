//! The slot of LLVM that a package is built with, and the eclass that chooses it (llvm-r2.eclass).

use rocpkg_model::{Node, Value};
use rocpkg_resolve::{Dependency, Plan, Planned, llvm_row};

/// Names in a package's profile that require the eclass of LLVM slots, such as llvm-r2.eclass.
const MARKS: &[&str] = &["LLVM_SLOT", "get_llvm_prefix", "llvm_prepend_path"];

/// Returns the major version of LLVM that a package is built with: the version that the
/// distribution's file states, else that of the release line. Returns `None` if the package's
/// profile and its dependencies mention no slot of LLVM.
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

/// Returns the eclass that chooses the slot of LLVM: the one that the distribution's file states,
/// else `llvm-r2`.
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
