//! Names that a distribution's habits mention, and those of repositories, which all layers do.

use super::{Names, Pick, entries, is_gone, words};
use crate::layer::model::Model;
use crate::layer::rules::REPOSITORY;
use crate::layer::steps::STANDARD;
use crate::read::files::Layers;
use crate::validate::gaps::place;
use rocpkg_model::{Distro, Finding, Findings, Habits, Node, Span, Value, slip};
use std::collections::BTreeSet;

/// The rules of a distribution's habits.
fn rules(habits: &Node) -> &[Node] {
    match habits.get("rules").map(|n| &n.value) {
        Some(Value::Seq(rules)) => rules,
        _ => &[],
    }
}

/// The keys that rules give to packages.
pub(super) fn trees(habits: &Node) -> impl Iterator<Item = &Node> {
    rules(habits).iter().filter_map(|rule| rule.get("package"))
}

/// The sources of all layers. One may be a list of alternatives by release.
fn sources(model: &Model) -> impl Iterator<Item = &Node> {
    let overlays = model.overlays.values().flat_map(|o| o.values());
    let habits = model.distro_nodes.values().filter_map(|node| node.get("habits"));
    let layers =
        model.components.values().chain(overlays).flat_map(Layers::iter).chain(habits.flat_map(trees));
    layers.flat_map(|layer| entries(layer, "sources")).flat_map(|(_, source)| match &source.value {
        Value::Seq(items) => items.as_slice(),
        _ => std::slice::from_ref(source),
    })
}

/// What upstream.yaml says of a repository would not be found under another name.
pub(super) fn check_sources(model: &Model, findings: &mut Findings) {
    let Some(upstream) = &model.upstream else { return };
    let own =
        sources(model).filter(|s| s.get("owner").and_then(Node::text).is_none_or(|owner| owner == "ROCm"));
    for node in own.filter_map(|source| source.get("repository")) {
        let Some(name) = node.text() else { continue };
        if let Some(meant) = slip(name, upstream.repositories.keys().map(String::as_str)) {
            findings.push(
                Finding::error("E0232", node.span, format!("ROCm has no repository `{name}`"))
                    .label("expected one of upstream.yaml, or one that is like none of them")
                    .nearest(name, [meant]),
            );
        }
    }
}

/// Reports rules for components, and lists of packages, that are not there. What could not be read is.
pub(super) fn check_packages(model: &Model, distro_name: &str, distro: &Distro, findings: &mut Findings) {
    let Some(habits) = &distro.habits else { return };
    let is_broken = |name: &str| model.broken.contains(&format!("components/{name}.yaml"));
    for name in habits.rules.iter().flat_map(|rule| &rule.components) {
        if !model.components.contains_key(&name.value) && !is_broken(&name.value) {
            findings.push(
                Finding::error("E0242", name.span, format!("there is no component `{}`", name.value))
                    .label("expected the name of a file of `components`")
                    .nearest(&name.value, model.components.keys().map(String::as_str)),
            );
        }
    }
    let live = habits.live.iter().filter(|_| !model.broken.contains("externals.yaml"));
    for name in live {
        let outside = model.externals.contains_key(&name.value);
        if !distro.packages.contains_key(&name.value) && !outside {
            findings.push(
                Finding::error("E0243", name.span, format!("{distro_name} has no package `{}`", name.value))
                    .label("expected one of its packages, or a row of externals.yaml")
                    .nearest(&name.value, distro.packages.keys().map(String::as_str)),
            );
        }
    }
}

/// Reports what habits say and nothing reads.
pub(super) fn check(model: &Model, distro: &Distro, habits: &Node, findings: &mut Findings) {
    for kind in rules(habits).iter().filter(|r| r.get("depends-on").is_none()).filter_map(|r| r.get("as")) {
        let finding = Finding::error("E0113", kind.span, "a rule has `as` without `depends-on`");
        findings.push(finding.label("expected `depends-on`: the dependency that is of this kind"));
    }
    if let Some(habits) = &distro.habits {
        check_repositories(model, habits, findings);
    }
    // Such keys become others before rules speak.
    let told = [
        ("options", "expected `habits.option-values`, or `cmake.main.arguments`"),
        ("test-data", "expected it in components, or `sources`"),
    ];
    for tree in trees(habits) {
        for (key, label) in told {
            if let Some(span) = tree.get(key).and_then(place) {
                let message = format!("nothing reads `{key}` of a rule");
                findings.push(Finding::warning("W0222", Some(span), message).label(label));
            }
        }
    }
}

/// Reports rules for packages of a repository that none is from.
fn check_repositories(model: &Model, habits: &Habits, findings: &mut Findings) {
    let asked = habits.rules.iter().filter_map(|rule| rule.when.as_ref());
    let asked: Vec<_> = asked
        .flat_map(|w| w.cond.features().into_iter().map(|f| (f, w.span)))
        .filter_map(|(f, span)| Some((f.strip_prefix(REPOSITORY)?, span)))
        .collect();
    if asked.is_empty() {
        return;
    }
    let mut known: BTreeSet<&str> =
        model.upstream.iter().flat_map(|u| u.repositories.keys()).map(String::as_str).collect();
    known.extend(sources(model).filter_map(|source| source.get("repository")?.text()));
    for (name, span) in asked.into_iter().filter(|(name, _)| !known.contains(name)) {
        let finding = Finding::error("E0216", span, format!("no package is of the repository `{name}`"));
        let finding = finding.label("expected the repository of a source");
        findings.push(finding.nearest(name, known.iter().copied()));
    }
}

/// What a habit mentions.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Feature,
    Option,
    Part,
    Variable,
    Phase,
    Dependency,
    /// One that a rule adds.
    Added,
}

impl Kind {
    fn code(self) -> &'static str {
        match self {
            Self::Feature => "E0201",
            Self::Option | Self::Part => "E0228",
            Self::Variable => "E0609",
            Self::Phase => "E0114",
            Self::Dependency | Self::Added => "E0205",
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Feature => "feature",
            Self::Option => "option",
            Self::Part => "part",
            Self::Variable => "variable",
            Self::Phase => "phase",
            Self::Dependency | Self::Added => "dependency",
        }
    }

    fn expected(self, distro: &str) -> String {
        match self {
            Self::Feature | Self::Option | Self::Part => {
                format!("expected the {} of a component", self.word())
            }
            Self::Variable => "expected one that a component reads GPU targets from".to_owned(),
            Self::Phase => format!("expected one of: {}", STANDARD.join(", ")),
            Self::Dependency => "expected a package, or a row of externals.yaml".to_owned(),
            // The same is said of each package that gets it, and held once.
            Self::Added => {
                format!("neither a package of {distro} nor a row of externals.yaml with a column `{distro}`")
            }
        }
    }
}

/// The keys by which habits mention names, each with its place.
fn keys(habits: &Node) -> Vec<(&str, Span, Kind)> {
    let mut out: Vec<(&str, Span, Kind)> = Vec::new();
    let mut keys = |node, section, kind| {
        out.extend(entries(node, section).iter().map(|(key, _)| (key.name.as_str(), key.span, kind)));
    };
    keys(habits, "features", Kind::Feature);
    keys(habits, "option-values", Kind::Option);
    for rule in rules(habits) {
        keys(rule, "own-steps", Kind::Phase);
    }
    for tree in trees(habits) {
        keys(tree, "features", Kind::Feature);
        keys(tree, "options", Kind::Option);
        keys(tree, "parts", Kind::Part);
    }
    // What is taken out may be there no more.
    let depends = trees(habits).flat_map(|tree| entries(tree, "depends")).filter(|entry| !is_gone(entry));
    out.extend(depends.map(|(key, _)| (key.name.as_str(), key.span, Kind::Added)));
    out
}

/// The words of lists that habits mention, each with its place.
fn listed(habits: &Node) -> Vec<(&str, Span, Kind)> {
    let mut out: Vec<(&str, Span, Kind)> = Vec::new();
    let mut list = |node, key, kind| {
        let found = Node::get(node, key).into_iter().flat_map(words);
        out.extend(found.map(|(word, span)| (word, span, kind)));
    };
    list(habits, "tools", Kind::Dependency);
    list(habits, "target-variable", Kind::Variable);
    for rule in rules(habits) {
        list(rule, "depends-on", Kind::Dependency);
        list(rule, "feature", Kind::Feature);
        list(rule, "option", Kind::Option);
    }
    for own in trees(habits).filter_map(|tree| tree.get("ebuild")) {
        let lists = ["require-targets", "describes"].into_iter().filter_map(|key| own.get(key));
        let names = lists.flat_map(words).filter(|(word, _)| !matches!(*word, "always" | "never"));
        out.extend(names.map(|(word, span)| (word, span, Kind::Feature)));
    }
    out
}

/// Whether an edge, or one of several, says how it is spelt.
fn is_spelt(edge: &Node) -> bool {
    match &edge.value {
        Value::Seq(edges) => edges.iter().any(is_spelt),
        _ => edge.get("spelt").is_some(),
    }
}

/// Reports the names that habits mention and nobody has.
pub(super) fn check_mentioned(
    model: &Model,
    distro: (&str, &Distro),
    habits: &Node,
    upstream: &BTreeSet<&str>,
    names: &[&Names],
    findings: &mut Findings,
) {
    let (distro_name, distro) = distro;
    let join = |of: Pick| -> BTreeSet<&str> { names.iter().flat_map(|names| of(names)).copied().collect() };
    // What a rule adds and spells itself is its own.
    let added = trees(habits).flat_map(|tree| entries(tree, "depends"));
    let mut depends: BTreeSet<&str> =
        added.filter(|(_, edge)| is_spelt(edge)).map(|(key, _)| key.name.as_str()).collect();
    // The last of them is what rules say, and what they add is looked at itself.
    let below = names.split_last().map_or(names, |(_, below)| below);
    depends.extend(below.iter().filter_map(|names| names.sections.get("depends")).flatten());
    depends.extend(model.components.keys().map(String::as_str));
    depends.extend(model.externals.keys().map(String::as_str));
    depends.extend(distro.packages.keys().map(String::as_str));
    let mut features = join(|names| &names.features);
    features.extend(upstream);
    let (options, variables) = (join(|names| &names.options), join(|names| &names.variables));
    let parts = join(|names| &names.parts);
    let phases = STANDARD.into_iter().collect();
    for (name, span, kind) in keys(habits).into_iter().chain(listed(habits)) {
        let known = match kind {
            Kind::Feature => &features,
            Kind::Option => &options,
            Kind::Part => &parts,
            Kind::Variable => &variables,
            Kind::Phase => &phases,
            Kind::Dependency | Kind::Added => &depends,
        };
        if !known.contains(name) {
            let finding = Finding::error(kind.code(), span, format!("unknown {} `{name}`", kind.word()));
            findings.push_nearest(finding.label(kind.expected(distro_name)), name, known.iter().copied());
        }
    }
}
