//! Which CMake projects a package has: those that it names, and the one that is there unsaid.

use crate::layer::releases::asks_release;
use crate::layer::tree::map;
use rocpkg_model::{Finding, Findings, Key, Node, Package, Span, Value};
use std::collections::BTreeSet;

/// The CMake project that is there unsaid.
pub(crate) const MAIN: &str = "main";

/// Where a package names further projects only, and none that takes the options of a component, the unsaid one is built before them.
pub(crate) fn with_main<'n>(package: &mut Node, layers: impl Iterator<Item = &'n Node>) {
    let said = layers.filter_map(|layer| layer.get("cmake")).flat_map(Node::entries);
    let mut named = said.filter(|(_, project)| project.value != Value::Null).peekable();
    let further = named.peek().is_some() && named.all(|(_, project)| project.get("of").is_none());
    let Value::Map(entries) = &mut package.value else { return };
    let Some((_, projects)) = entries.iter_mut().find(|(key, _)| key.name == "cmake") else { return };
    let span = Span { end: projects.span.start, ..projects.span };
    let Value::Map(projects) = &mut projects.value else { return };
    if further {
        let main = projects.iter().position(|(key, _)| key.name == MAIN).map(|at| projects.remove(at));
        let unsaid = || (Key { name: MAIN.into(), span }, map(Vec::new(), span));
        projects.insert(0, main.unwrap_or_else(unsaid));
    }
}

/// Reports projects that are built in one folder: the second would find what the first made there.
pub(crate) fn check_folders(package: &Package, findings: &mut Findings) {
    let mut seen = BTreeSet::new();
    let stated = package.cmake.values().filter_map(|project| project.build.as_ref());
    for folder in stated.filter(|folder| !seen.insert(folder.to_string().trim_end_matches('/').to_owned())) {
        let message = format!("two projects are built in `{folder}`");
        let finding = Finding::error("E0248", folder.span, message);
        findings.push(finding.label("expected a folder of its own for each"));
    }
}

/// Whether a layer names the project that is there unsaid, even to take it out.
pub(crate) fn names_main(layer: &Node) -> bool {
    layer.get("cmake").is_some_and(|projects| projects.get(MAIN).is_some())
}

/// Reports conditions over releases on projects that are there whatever a layer says of a release: those that a layer below has, and in
/// an overlay the one that is there unsaid. What does not hold falls away in its own layer alone.
pub(crate) fn check_releases(components: &[&Node], overlays: &[&Node], findings: &mut Findings) {
    let mut there: BTreeSet<&str> = BTreeSet::new();
    for (i, layer) in components.iter().chain(overlays).enumerate() {
        let projects = layer.get("cmake").map(Node::entries).unwrap_or_default();
        for (key, project) in projects {
            let known = there.contains(key.name.as_str()) || (i >= components.len() && key.name == MAIN);
            let asked = project.get("when").filter(|when| known && asks_release(when));
            if let Some(when) = asked {
                let message =
                    format!("the project `{}` is there whatever this layer says of a release", key.name);
                findings.push(
                    Finding::error("E0249", when.span, message)
                        .label("expected no release here: a layer below has the project")
                        .hint("put the condition on its arguments, on steps, or where the project is said first"),
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
