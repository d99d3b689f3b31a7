//! Profile folders, laid over each other, as trees.

use indexmap::IndexMap;
use rocpkg_model::{
    Decode, Distro, Externals, Files, Finding, Findings, Node, ReleaseLine, Sources, Span, layer, overlay,
    parse,
};
use rocpkg_targets::Registry;
use std::collections::BTreeMap;

/// The three distributions, as their profiles are named.
pub const DISTROS: [&str; 3] = ["gentoo", "arch", "nixpkgs"];

/// All profiles, parsed and laid over each other, not yet made concrete.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The files, for messages.
    pub sources: Sources,
    /// `components/NAME.yaml` by name.
    pub components: BTreeMap<String, Node>,
    /// `distros/DISTRO/NAME.yaml` by distribution, then name.
    pub overlays: BTreeMap<String, BTreeMap<String, Node>>,
    /// `distros/DISTRO.yaml` by name.
    pub distros: BTreeMap<String, Distro>,
    /// Where each distribution's file stands.
    pub distro_nodes: BTreeMap<String, Node>,
    /// `releases/LINE.yaml` by line.
    pub lines: IndexMap<String, ReleaseLine>,
    /// `externals.yaml`.
    pub externals: Externals,
    /// `targets.yaml`.
    pub targets: Option<Node>,
    /// The same, read and checked.
    pub registry: Option<Registry>,
}

impl Model {
    /// Reads profile folders, a later one adding to or changing an earlier one.
    ///
    /// `layers` are pairs of what a path is shown under (empty for the embedded model) and the files.
    ///
    /// # Errors
    /// All faults are in the findings; the model holds what could be read.
    pub fn load(layers: &[(String, Files)]) -> (Self, Findings) {
        let mut findings = Findings::default();
        let mut model = Self::default();
        let mut trees: BTreeMap<String, Node> = BTreeMap::new();
        for (label, files) in layers {
            for (path, text) in files {
                let shown = if label.is_empty() { path.clone() } else { format!("{label}/{path}") };
                let file = model.sources.add(shown, text.clone());
                let Some(node) = parse(file, text, &mut findings) else { continue };
                let merged = match trees.remove(path) {
                    // What is laid over something else keeps its `~` until then.
                    Some(base) if path.starts_with("components/") || path.matches('/').count() == 2 => {
                        layer(base, node)
                    }
                    Some(base) => overlay(base, node),
                    None => node,
                };
                trees.insert(path.clone(), merged);
            }
        }
        for (path, node) in trees {
            model.sort_in(&path, node, &mut findings);
        }
        (model, findings)
    }

    fn sort_in(&mut self, path: &str, node: Node, findings: &mut Findings) {
        let parts: Vec<&str> = path.strip_suffix(".yaml").unwrap_or("").split('/').collect();
        match parts.as_slice() {
            ["targets"] => {
                self.registry = crate::registry::read_registry(&node, findings);
                self.targets = Some(node);
            }
            ["externals"] => {
                if let Some(read) = Externals::decode(&node, findings) {
                    self.externals = read;
                }
                for (column, span) in node.entries().iter().flat_map(|(_, row)| row.entries()).map(|(k, _)| (&k.name, k.span)) {
                    if !DISTROS.contains(&column.as_str()) {
                        findings.push(
                            Finding::error("E0110", span, format!("unknown key `{column}`"))
                                .label(format!("expected one of: {}", DISTROS.join(", ")))
                                .nearest(column, DISTROS),
                        );
                    }
                }
            }
            ["releases", line] => {
                if let Some(read) = ReleaseLine::decode(&node, findings) {
                    self.lines.insert((*line).to_owned(), read);
                }
            }
            ["components", name] => {
                check_name(name, node.span, findings);
                self.components.insert((*name).to_owned(), node);
            }
            ["distros", distro] if DISTROS.contains(distro) => {
                if let Some(read) = Distro::decode(&node, findings) {
                    self.distros.insert((*distro).to_owned(), read);
                }
                self.distro_nodes.insert((*distro).to_owned(), node);
            }
            ["distros", distro, name] if DISTROS.contains(distro) => {
                check_name(name, node.span, findings);
                self.overlays.entry((*distro).to_owned()).or_default().insert((*name).to_owned(), node);
            }
            _ => findings.push(
                Finding::error("E0120", Span { end: node.span.start, ..node.span }, format!("no profile is named `{path}`"))
                    .label("expected targets.yaml, externals.yaml, releases/LINE.yaml, components/NAME.yaml, distros/DISTRO.yaml or distros/DISTRO/NAME.yaml"),
            ),
        }
    }
}

fn check_name(name: &str, span: Span, findings: &mut Findings) {
    let fine = !name.is_empty()
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_+".contains(c));
    if !fine {
        findings.push(
            Finding::error(
                "E0121",
                Span { end: span.start, ..span },
                format!("`{name}` can't be a package's name"),
            )
            .label("expected letters, digits, `-`, `_` or `+`"),
        );
    }
}
