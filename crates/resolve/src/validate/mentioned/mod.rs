//! Names that overlays and habits mention of what components have, looked at once, when all layers are read and none is taken out.
//!
//! A wrong one changes nothing, and nobody would notice.

mod empty;
mod habits;
mod options;

use crate::layer::model::Model;
use crate::read::files::Layers;
use rocpkg_model::{Finding, Findings, Key, Node, Span, Value, slip};
use std::collections::{BTreeMap, BTreeSet};

/// The sections from which a layer may take what another one has, by `~`.
const REMOVABLE: [&str; 4] = ["depends", "sources", "programs", "warnings"];

/// What some layers have.
#[derive(Debug, Default)]
struct Names<'m> {
    features: BTreeSet<&'m str>,
    options: BTreeSet<&'m str>,
    parts: BTreeSet<&'m str>,
    /// The variables by which upstream is told GPU targets.
    variables: BTreeSet<&'m str>,
    /// What is passed to projects of CMake.
    arguments: BTreeSet<&'m str>,
    /// What stands in each section from which things are taken out.
    sections: BTreeMap<&'static str, BTreeSet<&'m str>>,
}

impl<'m> Names<'m> {
    /// What layers have. Those that may only change things have what they declare.
    fn of(layers: impl IntoIterator<Item = &'m Node>, declared_alone: bool) -> Self {
        let mut out = Self::default();
        layers.into_iter().for_each(|layer| out.add(layer, declared_alone));
        out
    }

    fn add(&mut self, layer: &'m Node, declared_alone: bool) {
        let declarations: [(&mut BTreeSet<&str>, &str, &[&str]); 3] = [
            (&mut self.features, "features", &["summary", "name", "targets"]),
            (&mut self.options, "options", &["default"]),
            (&mut self.parts, "parts", &["goals"]),
        ];
        for (names, section, whole) in declarations {
            let whole = |n: &Node| !declared_alone || whole.iter().any(|key| n.get(key).is_some());
            let entries = entries(layer, section).iter();
            names.extend(entries.filter(|(_, n)| whole(n)).map(|(k, _)| k.name.as_str()));
        }
        for (key, node) in entries(layer, "targets") {
            match key.name.as_str() {
                "variable" => self.variables.extend(words(node).map(|(word, _)| word)),
                "variables" => self.variables.extend(node.entries().iter().map(|(k, _)| k.name.as_str())),
                _ => {}
            }
        }
        self.arguments.extend(there(arguments(layer)));
        for section in REMOVABLE {
            self.sections.entry(section).or_default().extend(there(entries(layer, section)));
        }
        // A feature builds the programs of its name.
        if !declared_alone {
            self.features.extend(self.sections.get("programs").into_iter().flatten());
        }
    }
}

/// One of the sets of names.
type Pick = for<'a, 'm> fn(&'a Names<'m>) -> &'a BTreeSet<&'m str>;

/// The names of what is not taken out.
fn there<'m>(entries: impl IntoIterator<Item = &'m (Key, Node)>) -> impl Iterator<Item = &'m str> {
    entries.into_iter().filter(|entry| !is_gone(entry)).map(|(key, _)| key.name.as_str())
}

fn is_gone((_, node): &(Key, Node)) -> bool {
    node.value == Value::Null
}

/// The words of a list, or of a lone value.
fn words(node: &Node) -> impl Iterator<Item = (&str, Span)> {
    let items = match &node.value {
        Value::Seq(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    items.iter().filter_map(|n| Some((n.text()?, n.span)))
}

fn entries<'n>(layer: &'n Node, section: &str) -> &'n [(Key, Node)] {
    layer.get(section).map(Node::entries).unwrap_or_default()
}

/// The arguments of a layer's CMake projects.
fn arguments(layer: &Node) -> impl Iterator<Item = &(Key, Node)> {
    entries(layer, "cmake").iter().filter_map(|(_, project)| project.get("arguments")).flat_map(Node::entries)
}

/// Reports what overlays and habits of each distribution mention and nobody has.
pub(crate) fn check(model: &Model, findings: &mut Findings) {
    empty::check(model, findings);
    for (name, distro) in &model.distros {
        habits::check_packages(model, name, distro, findings);
    }
    // What could not be read may have it.
    if !model.broken.is_empty() {
        return;
    }
    habits::check_sources(model, findings);
    let layers = |component: &String| model.components.get(component).into_iter().flat_map(Layers::iter);
    let upstream: BTreeSet<&str> =
        model.upstream.iter().flat_map(|u| u.features.keys()).map(String::as_str).collect();
    let all = Names::of(model.components.keys().flat_map(layers), false);
    for (distro_name, distro) in &model.distros {
        let said = model.distro_nodes.get(distro_name).and_then(|node| node.get("habits"));
        let trees: Vec<&Node> = said.into_iter().flat_map(habits::trees).collect();
        let given = Names::of(trees.iter().copied(), false);
        let overlays = model.overlays.get(distro_name).into_iter().flatten();
        for (id, overlays) in overlays.clone() {
            let of = model.components_of(distro_name, id);
            if of.iter().all(|c| model.components.contains_key(c)) {
                let overlays: Vec<&Node> = overlays.iter().collect();
                let own = Names::of(overlays.iter().copied(), true);
                let component = Names::of(of.iter().flat_map(layers), false);
                check_overlays(&[&component, &own], &upstream, &overlays, findings);
                check_removed(&[&component, &given, &own], &overlays, findings);
                options::check(&[&component, &given], &own, &overlays, findings);
                options::check_environment(&overlays, findings);
            }
        }
        let own = Names::of(trees.iter().copied(), true);
        check_removed(&[&all, &own], &trees, findings);
        options::check(&[&all], &own, &trees, findings);
        options::check_environment(&trees, findings);
        if let Some(habits) = said {
            let overlays = Names::of(overlays.flat_map(|(_, layers)| layers.iter()), false);
            let names = [&all, &overlays, &own];
            habits::check_mentioned(model, (distro_name, distro), habits, &upstream, &names, findings);
            habits::check(model, distro, habits, findings);
        }
    }
}

/// An overlay changes what is there; what it adds says more of itself than how it stands.
fn check_overlays(known: &[&Names], upstream: &BTreeSet<&str>, overlays: &[&Node], findings: &mut Findings) {
    let written = |section: &'static str| overlays.iter().flat_map(move |o| entries(o, section));
    let features = || known.iter().flat_map(|k| &k.features).chain(upstream).copied();
    // One of the distribution's own needs no words where every package has such a flag.
    let unknown = written("features").filter(|(key, _)| slip(&key.name, features()).is_some());
    for (key, _) in unknown {
        let finding = Finding::error("E0201", key.span, format!("unknown feature `{}`", key.name))
            .label("expected one of the component's; a further one has a `summary` or a `name`");
        findings.push_nearest(finding, &key.name, features());
    }
    let sections: [(_, _, _, Pick); 2] =
        [("options", "option", "default", |k| &k.options), ("parts", "part", "goals", |k| &k.parts)];
    for (section, what, own, of) in sections {
        let unknown = written(section).filter(|(key, _)| !known.iter().any(|k| of(k).contains(&*key.name)));
        for (key, _) in unknown {
            let finding = Finding::error("E0228", key.span, format!("unknown {what} `{}`", key.name))
                .label(format!("expected one of the component's; a further one states its `{own}`"));
            findings.push_nearest(finding, &key.name, known.iter().flat_map(|k| of(k)).copied());
        }
    }
}

/// What a layer takes out by `~` may be gone already, as where a user's rules replace all that ship; what is `known` under a name that
/// is another but for a letter was meant.
fn check_removed(known: &[&Names], layers: &[&Node], findings: &mut Findings) {
    let mut refuse = |what: &str, key: &Key, meant: Option<&str>| {
        if let Some(meant) = meant {
            findings.push(
                Finding::error("E0218", key.span, format!("{what} has no `{}`", key.name))
                    .label("nothing is taken out by this")
                    .nearest(&key.name, [meant]),
            );
        }
    };
    for section in REMOVABLE {
        let there = known.iter().filter_map(|k| k.sections.get(section)).flatten().copied();
        for (key, _) in layers.iter().flat_map(|l| entries(l, section)).filter(|entry| is_gone(entry)) {
            refuse(section, key, slip(&key.name, there.clone()));
        }
    }
    for (key, _) in layers.iter().flat_map(|l| arguments(l)).filter(|entry| is_gone(entry)) {
        refuse("CMake's call", key, slip(&key.name, options::known(known)));
    }
}
