//! Steps that habits add to the phases of packages. They are added beside the package's own steps,
//! and never replace them.

use crate::layer::tree::{list, put, scalar};
use rocpkg_model::{Beside, NO_STANDARD, Node, Value};

/// The phases that have a standard step, by the names that the distributions use for them. The
/// standard step is what the distribution does by itself, such as `cmake_src_configure`.
pub const STANDARD: [&str; 10] = [
    "setup",
    "unpack",
    "prepare",
    "configure",
    "compile",
    "build",
    "test",
    "check",
    "install",
    "package",
];

/// Returns true if a step is a standard step or contains one under any condition. Also returns true
/// if the step states that the phase has no standard step.
fn standard(step: &Node) -> bool {
    let steps = |node: &Node| node.list().iter().any(standard);
    let within = |key: &str| {
        step.get(key)
            .and_then(|inner| inner.get("steps"))
            .is_some_and(steps)
    };
    matches!(step.text(), Some("standard" | NO_STANDARD))
        || step.get("standard").is_some()
        || step.get("group").is_some_and(steps)
        || ["inside", "each"].into_iter().any(within)
}

/// Returns the steps that a package states for a phase.
fn own_steps(package: &Node, phase: &str) -> Option<Vec<Node>> {
    match &package.get("phases")?.get(phase)?.value {
        Value::Seq(own) => Some(own.clone()),
        _ => None,
    }
}

/// Adds the standard step beside the steps of a phase. Does nothing if the phase has no steps, or
/// has a standard step already. `place` states if the package's own steps come before or after the
/// standard step.
pub(crate) fn beside(package: &mut Node, phase: &str, place: Beside) {
    let Some(own) = package.get("phases").and_then(|p| p.get(phase)) else {
        return;
    };
    let (mut all, span) = (own.list().to_vec(), own.span);
    if all.is_empty() || all.iter().any(standard) {
        return;
    }
    let at = if place == Beside::Before {
        all.len()
    } else {
        0
    };
    all.insert(at, scalar("standard", span));
    put(package, &["phases", phase], list(all, span));
}

/// Inserts steps after the first standard step of a phase. If the package does not state the phase,
/// its own step is the standard step.
pub(crate) fn follow(package: &mut Node, phase: &str, steps: &[Node]) {
    let span = package.span;
    let mut all = own_steps(package, phase).unwrap_or_else(|| vec![scalar("standard", span)]);
    let at = all.iter().position(standard).map_or(all.len(), |i| i + 1);
    all.splice(at..at, steps.iter().cloned());
    put(package, &["phases", phase], list(all, span));
}

/// Inserts steps before those of a phase. If the package does not state the phase, its own step is
/// the standard step, unless the phase has none.
pub(crate) fn precede(package: &mut Node, phase: &str, steps: &[Node]) {
    let span = package.span;
    let unsaid = STANDARD.contains(&phase).then(|| scalar("standard", span));
    let own = own_steps(package, phase).unwrap_or_else(|| unsaid.into_iter().collect());
    put(
        package,
        &["phases", phase],
        list([steps, &own].concat(), span),
    );
}

/// Returns the steps with references to test data, such as `${test-data:base}`, replaced by the
/// values under `test-data` of the package.
pub(crate) fn filled(steps: &Node, package: &Node) -> Node {
    let value = match &steps.value {
        Value::Seq(items) => Value::Seq(items.iter().map(|n| filled(n, package)).collect()),
        Value::Map(facts) => Value::Map(
            facts
                .iter()
                .map(|(k, n)| (k.clone(), filled(n, package)))
                .collect(),
        ),
        Value::Scalar { text, plain } => {
            let mut text = text.to_string();
            for (key, fact) in package.entries_of("test-data") {
                if let Some(fact) = fact.text() {
                    text = text.replace(&format!("${{test-data:{}}}", key.name), fact);
                }
            }
            // Only the tests read the data, unless `when` states something else.
            let text = text.replace("${test-data:when}", "test");
            Value::Scalar {
                text: text.into(),
                plain: *plain,
            }
        }
        Value::Null => Value::Null,
    };
    Node {
        span: steps.span,
        value,
    }
}
