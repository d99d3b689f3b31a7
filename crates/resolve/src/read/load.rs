//! Profile folders, laid over each other, as trees.

use crate::layer::identity::Kind;
use crate::layer::laid::{Depths, Laid, Layers};
use crate::plan::sources::LINE;
use crate::read::parsing;
use crate::read::release::Release;
use indexmap::IndexMap;
use rocpkg_model::{
    Decode, Distro, Externals, Files, Finding, Findings, NATIVE, Node, ReleaseLine, Sources, Span, Upstream,
    Value,
};
use rocpkg_targets::Registry;
use std::collections::{BTreeMap, BTreeSet};
use std::thread;

/// The distributions, as their profiles are named.
pub const DISTROS: [&str; 4] = ["gentoo", "arch", "nixpkgs", "solus"];

/// Reports keys of other distributions in an overlay, which nobody would read.
fn check_native(distro: &str, layers: &Layers, findings: &mut Findings) {
    for (key, _) in layers.iter().flat_map(Node::entries).filter(|(_, node)| node.value != Value::Null) {
        let whose = NATIVE.iter().find(|(native, _)| key.name == *native);
        if let Some((_, other)) = whose.filter(|(_, other)| *other != distro) {
            let message = format!("nobody reads `{}` in an overlay of {distro}", key.name);
            let label = format!("it belongs into an overlay of {other}");
            findings.push(Finding::error("E0110", key.span, message).label(label));
        }
    }
}

/// All profiles, parsed and laid over each other, not yet made concrete.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The files, for messages.
    pub sources: Sources,
    /// The folder that each file is of.
    pub depths: Depths,
    /// `components/NAME.yaml` by name, as each folder has it.
    pub components: BTreeMap<String, Layers>,
    /// `distros/DISTRO/NAME.yaml` by distribution, then name, as each folder has it.
    pub overlays: BTreeMap<String, BTreeMap<String, Layers>>,
    /// `distros/DISTRO.yaml` by name.
    pub distros: BTreeMap<String, Distro>,
    /// Where each distribution's file stands.
    pub distro_nodes: BTreeMap<String, Node>,
    /// `releases/LINE.yaml` by line.
    pub lines: IndexMap<String, ReleaseLine>,
    /// The same as trees, for places.
    pub line_nodes: BTreeMap<String, Node>,
    /// The files that are there but can't be read, by their path: what they would say is not missed.
    pub broken: BTreeSet<String>,
    /// `externals.yaml`.
    pub externals: Externals,
    /// `upstream.yaml`.
    pub upstream: Option<Upstream>,
    /// `targets.yaml`.
    pub targets: Option<Node>,
    /// The same, read and checked.
    pub registry: Option<Registry>,
    /// The only GPU targets that recipes are to build, instead of the distributions' own; those when empty.
    pub narrowed: Vec<String>,
    /// Overlays say what packages are and are called, and nothing else.
    pub bare: bool,
}

impl Model {
    /// Reads profile folders, a later one adding to or changing an earlier one.
    ///
    /// `layers` are pairs of what a path is shown under (empty for the embedded model) and the files.
    ///
    /// # Errors
    /// All faults are in the findings; the model holds what could be read.
    pub fn load(layers: &[(String, Files)]) -> (Self, Findings) {
        Self::load_in(layers, thread::available_parallelism().map_or(1, usize::from))
    }

    /// The same with at most so many threads: who counts what a thread does wants one.
    ///
    /// # Errors
    /// As [`Model::load`].
    pub fn load_in(layers: &[(String, Files)], threads: usize) -> (Self, Findings) {
        let mut findings = Findings::default();
        let mut model = Self::default();
        let mut files_by_path: BTreeMap<String, Layers> = BTreeMap::new();
        let mut profiles = Vec::new();
        for (folder, (label, files)) in layers.iter().enumerate() {
            let here = files.iter().filter(|(path, _)| is_profile(path));
            profiles.extend(here.map(|(path, text)| (folder, label, path, text)));
        }
        let texts: Vec<&str> = profiles.iter().map(|(.., text)| text.as_str()).collect();
        let mut parsed = parsing::side_by_side(&texts, threads).map(Vec::into_iter);
        for (folder, label, path, text) in profiles {
            let shown = if label.is_empty() { path.clone() } else { format!("{label}/{path}") };
            model.depths.push(folder);
            let at_hand = parsed.as_mut().and_then(Iterator::next);
            let file = model.sources.add(shown, text.clone());
            let (node, said) = at_hand.unwrap_or_else(|| parsing::one(file, text));
            findings.append(said);
            if let Some(node) = node {
                files_by_path.entry(path.clone()).or_default().push(node);
            } else {
                model.broken.insert(path.clone());
            }
        }
        let mut wanted = BTreeMap::new();
        for distro in DISTROS {
            if let Some(layers) = files_by_path.get(&format!("distros/{distro}.yaml")) {
                wanted.insert(distro, ids(layers));
            }
        }
        for (path, layers) in files_by_path {
            model.sort_in(&path, layers, &mut findings);
        }
        model.check_read(&wanted, &mut findings);
        crate::validate::mentioned::check(&model, &mut findings);
        if !findings.has_errors() {
            crate::plan::checksums::check_unread(&model, &mut findings);
        }
        (model, findings)
    }

    /// A component at a release, as every distribution meets it: with what upstream does everywhere. None of that name: `None`.
    ///
    /// # Errors
    /// Faults of its text go to `findings`.
    pub fn component(&self, name: &str, release: &Release, findings: &mut Findings) -> Option<Node> {
        crate::layer::upstream::component(self, name, release, findings)
    }

    /// The components that a distribution's package is made of: those it names, else the one of its own name.
    pub fn components_of(&self, distro: &str, id: &str) -> Vec<String> {
        let over = self.overlays.get(distro).and_then(|o| o.get(id));
        over.and_then(|o| o.last("of"))
            .and_then(|n| Vec::<String>::decode(n, &mut Findings::default()))
            .unwrap_or_else(|| vec![id.to_owned()])
    }

    /// The packages that rows of a distribution's file are about, by their ids, and where those stand.
    fn rows(&self, distro: &str) -> impl Iterator<Item = (&str, Span)> {
        let tables = self.distro_nodes.get(distro).into_iter();
        let tables = tables.flat_map(|n| ["contributors", "history", "monitoring"].map(|table| n.get(table)));
        let keys = tables.flatten().flat_map(Node::entries).map(|(key, _)| (key.name.as_str(), key.span));
        let people = self.distros.get(distro).into_iter().flat_map(|d| &d.maintainers);
        keys.chain(people.flat_map(|m| &m.packages).map(|id| (id.value.as_str(), id.span)))
    }

    /// Reports what a user wrote about a package or component that no distribution has.
    fn check_read(&self, wanted: &BTreeMap<&str, BTreeSet<String>>, findings: &mut Findings) {
        for (distro, ids) in wanted {
            let overlays = self.overlays.get(*distro).into_iter().flatten();
            let overlays = overlays.map(|(name, layers)| (name.as_str(), start(layers.span())));
            for (name, span) in overlays.chain(self.rows(distro)).filter(|(name, _)| !ids.contains(*name)) {
                let finding = Finding::error("E0122", span, format!("no package of {distro} is `{name}`"))
                    .label(format!("expected an id that distros/{distro}.yaml lists under `packages`"));
                findings.push_nearest(finding, name, ids.iter().map(String::as_str));
            }
        }
        let made_of = |layers: &Layers| match layers.last("of").map(|n| &n.value) {
            Some(Value::Seq(items)) => items.iter().filter_map(|n| n.text().map(str::to_owned)).collect(),
            _ => Vec::new(),
        };
        let mut used: BTreeSet<String> = wanted.values().flatten().cloned().collect();
        used.extend(self.overlays.values().flat_map(BTreeMap::values).flat_map(made_of));
        for (name, layers) in &self.components {
            // What ships is looked at by its own tests; a distribution's maintainer loads only a part of it.
            let span = layers.span();
            if self.depths.of(span) > 0 && !used.contains(name) {
                let known = self.components.keys().filter(|k| *k != name).map(String::as_str);
                let message = format!("no distribution has a package of the component `{name}`");
                let finding = Finding::warning("W0201", Some(start(span)), message);
                findings.push_nearest(finding.label("nothing reads this file"), name, known);
            }
        }
    }

    fn sort_in(&mut self, path: &str, layers: Layers, findings: &mut Findings) {
        let parts: Vec<&str> = path.strip_suffix(".yaml").unwrap_or("").split('/').collect();
        let kind = if matches!(parts.as_slice(), ["distros", _]) { Kind::Distro } else { Kind::Other };
        let span = layers.span();
        let whole = |findings: &mut Findings| {
            let mut laid = Laid::new(kind, None, &self.depths);
            layers.iter().for_each(|layer| laid.lay(layer, findings));
            laid.finish().0
        };
        match parts.as_slice() {
            ["targets"] => {
                let node = whole(findings);
                self.registry = crate::read::registry::read_registry(&node, findings);
                if self.registry.is_none() {
                    self.broken.insert(path.to_owned());
                }
                self.targets = Some(node);
            }
            ["upstream"] => {
                let read = Upstream::decode(&whole(findings), findings);
                self.upstream = read.inspect(|u| crate::layer::upstream::check(u, findings));
                if self.upstream.is_none() {
                    self.broken.insert(path.to_owned());
                }
            }
            ["externals"] => {
                let node = whole(findings);
                match Externals::decode(&node, findings) {
                    Some(read) => self.externals = read,
                    None => {
                        self.broken.insert(path.to_owned());
                    }
                }
                for (column, span) in
                    node.entries().iter().flat_map(|(_, row)| row.entries()).map(|(k, _)| (&k.name, k.span))
                {
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
                let node = whole(findings);
                crate::plan::checksums::check_line(line, &node, findings);
                let known = ["version", LINE];
                match ReleaseLine::decode(&node, findings) {
                    Some(read)
                        if crate::validate::named::references(&read.tag, "a source", &known, findings) =>
                    {
                        self.lines.insert((*line).to_owned(), read);
                    }
                    Some(_) | None => {
                        self.broken.insert(path.to_owned());
                    }
                }
                self.line_nodes.insert((*line).to_owned(), node);
            }
            ["components", name] => {
                check_name(name, span, findings);
                self.components.insert((*name).to_owned(), layers);
            }
            ["distros", distro] if DISTROS.contains(distro) => {
                let node = whole(findings);
                if let Some(read) = Distro::decode(&node, findings) {
                    self.distros.insert((*distro).to_owned(), read);
                }
                self.distro_nodes.insert((*distro).to_owned(), node);
            }
            ["distros", distro, name] if DISTROS.contains(distro) => {
                check_name(name, span, findings);
                check_native(distro, &layers, findings);
                self.overlays.entry((*distro).to_owned()).or_default().insert((*name).to_owned(), layers);
            }
            _ => {
                let finding = Finding::error("E0120", start(span), format!("no profile is named `{path}`"));
                findings.push(match path.rsplit_once('.').filter(|(_, ending)| *ending != "yaml") {
                    Some((stem, _)) => finding.label("expected a name that ends in `.yaml`").hint(format!("rename it to {stem}.yaml")),
                    None => finding.label("expected targets.yaml, externals.yaml, upstream.yaml, releases/LINE.yaml, components/NAME.yaml, distros/DISTRO.yaml or distros/DISTRO/NAME.yaml"),
                });
            }
        }
    }
}

/// True for what is read as a profile; a folder may hold other files, such as a README.
fn is_profile(path: &str) -> bool {
    let ending = path.rsplit('.').next().unwrap_or_default();
    ending.eq_ignore_ascii_case("yaml") || ending.eq_ignore_ascii_case("yml")
}

/// Every package that a layer of a distribution's file names, also where a later one removes it.
fn ids(layers: &Layers) -> BTreeSet<String> {
    let named = layers.iter().filter_map(|layer| layer.get("packages")).flat_map(Node::entries);
    named.map(|(key, _)| key.name.to_string()).collect()
}

/// The first byte of a file, for what is wrong with its name.
fn start(span: Span) -> Span {
    Span { end: span.start, ..span }
}

fn check_name(name: &str, span: Span, findings: &mut Findings) {
    let fine = !name.is_empty()
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_+".contains(c));
    if !fine {
        findings.push(
            Finding::error("E0121", start(span), format!("`{name}` can't be a package's name"))
                .label("expected letters, digits, `-`, `_` or `+`"),
        );
    }
}
