//! Steps that habits put into the phases of packages: beside what a package does itself, never in
//! its place.

use crate::layer::tree::{list, put, scalar};
use rocpkg_model::{Beside, NO_STANDARD, Node, Value};

/// The phases that have a standard step, in the words of one distribution or another.
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

/// Whether a step is a standard one, or holds one, under whatever condition; or says that there is
/// none.
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

/// The steps that a package has of its own in a phase.
fn own_steps(package: &Node, phase: &str) -> Option<Vec<Node>> {
    match &package.get("phases")?.get(phase)?.value {
        Value::Seq(own) => Some(own.clone()),
        _ => None,
    }
}

/// Puts the standard step beside the steps of a phase that has some, and none of that kind.
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

/// Puts steps behind the first standard one of a phase, which is there where a package says
/// nothing.
pub(crate) fn follow(package: &mut Node, phase: &str, steps: &[Node]) {
    let span = package.span;
    let mut all = own_steps(package, phase).unwrap_or_else(|| vec![scalar("standard", span)]);
    let at = all.iter().position(standard).map_or(all.len(), |i| i + 1);
    all.splice(at..at, steps.iter().cloned());
    put(package, &["phases", phase], list(all, span));
}

/// Puts steps before those of a phase; where a package says nothing, before the standard one, if
/// there is one.
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

/// The steps with what the component says of its test data in place.
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
            // Only the tests read it, unless something else is said to.
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
