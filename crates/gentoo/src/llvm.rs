//! Which slot of LLVM a package is built with (llvm-r2.eclass).

use rocpkg_model::{Node, Value};
use rocpkg_resolve::{Dependency, Plan, Planned};

/// What a text says that needs the eclass.
const MARKS: &[&str] = &["LLVM_SLOT", "get_llvm_prefix", "llvm_prepend_path"];

/// The major version of LLVM: that of the release, where the package or one of its dependencies speaks of a slot.
pub(crate) fn slot(plan: &Plan, p: &Planned) -> Option<String> {
    let edge = p.depends.iter().any(|e| match (&e.edge.spelt, &e.to) {
        (Some(text), _) => text.value.contains(MARKS[0]),
        (None, Dependency::External(name)) => name.contains(MARKS[0]),
        (None, Dependency::Package(_)) => false,
    });
    if !edge && !mentions(&p.node) {
        return None;
    }
    plan.lines.get(&p.version.line())?.llvm.as_ref().map(|v| v.value.clone())
}

fn mentions(node: &Node) -> bool {
    match &node.value {
        Value::Scalar { text, .. } => MARKS.iter().any(|m| text.contains(m)),
        Value::Seq(items) => items.iter().any(mentions),
        Value::Map(entries) => entries.iter().any(|(_, n)| mentions(n)),
        Value::Null => false,
    }
}
