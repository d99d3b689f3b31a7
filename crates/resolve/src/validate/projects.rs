//! Checks CMake projects that exist at every release.

use crate::layer::conditions::asks_release;
use crate::layer::options::MAIN;
use rocpkg_model::{Finding, Findings, Node, Value};
use std::collections::BTreeSet;

/// Reports conditions over releases on CMake projects that exist at every release: those that a
/// lower layer has and, in an overlay, the project `main`, which exists without being declared.
/// Such a condition would only remove the project from its own layer.
pub(crate) fn check_releases(components: &[&Node], overlays: &[&Node], findings: &mut Findings) {
    let mut there: BTreeSet<&str> = BTreeSet::new();
    for (i, layer) in components.iter().chain(overlays).enumerate() {
        for (key, project) in layer.entries_of("cmake") {
            let known =
                there.contains(key.name.as_str()) || (i >= components.len() && key.name == MAIN);
            let asked = project
                .get("when")
                .filter(|when| known && asks_release(when));
            if let Some(when) = asked {
                let message = format!(
                    "the project `{}` can't depend on the release here",
                    key.name
                );
                findings.push(
                    Finding::error("E0249", when.span, message)
                        .label("expected no release: a lower layer has the project")
                        .hint(
                            "move the condition to its arguments, to steps, or to the layer that \
                            first states the project",
                        ),
                );
            }
            if project.value == Value::Null {
                there.remove(key.name.as_str());
            } else {
                there.insert(key.name.as_str());
            }
        }
    }
}
