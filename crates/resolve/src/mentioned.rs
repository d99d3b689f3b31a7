//! Names that overlays and habits mention of what components have, looked at once, when all layers are read and none is taken out.
//!
//! A wrong one changes nothing, and nobody would notice.

use crate::habit_steps::STANDARD;
use crate::layers::Layers;
use crate::load::Model;
use rocpkg_model::{Distro, Finding, Findings, Key, Node, Span, Value, slip};
use std::collections::BTreeSet;

/// Variables of CMake that recipes set.
const CMAKE: &str = "\
BUILD_SHARED_LIBS BUILD_TESTING CMAKE_ASM_COMPILER CMAKE_BUILD_TYPE CMAKE_BUILD_WITH_INSTALL_RPATH CMAKE_CXX_COMPILER \
CMAKE_CXX_COMPILER_LAUNCHER CMAKE_CXX_FLAGS CMAKE_CXX_FLAGS_RELEASE CMAKE_CXX_STANDARD CMAKE_C_COMPILER CMAKE_C_COMPILER_LAUNCHER \
CMAKE_C_FLAGS CMAKE_C_FLAGS_RELEASE CMAKE_EXE_LINKER_FLAGS CMAKE_Fortran_COMPILER CMAKE_Fortran_FLAGS CMAKE_HIP_ARCHITECTURES \
CMAKE_HIP_COMPILER CMAKE_HIP_FLAGS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_DATADIR CMAKE_INSTALL_DOCDIR CMAKE_INSTALL_INCLUDEDIR \
CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_LIBEXECDIR CMAKE_INSTALL_MANDIR CMAKE_INSTALL_PREFIX CMAKE_INSTALL_RPATH \
CMAKE_INSTALL_SYSCONFDIR CMAKE_MODULE_LINKER_FLAGS CMAKE_MODULE_PATH CMAKE_POLICY_VERSION_MINIMUM \
CMAKE_POSITION_INDEPENDENT_CODE CMAKE_PREFIX_PATH CMAKE_SHARED_LINKER_FLAGS CMAKE_SKIP_INSTALL_RPATH CMAKE_SKIP_RPATH \
CMAKE_TOOLCHAIN_FILE CMAKE_VERBOSE_MAKEFILE Python_EXECUTABLE Python3_EXECUTABLE";

/// Variables of the environment that compilers and upstream's builds read.
const ENVIRONMENT: &str = "\
CFLAGS CPPFLAGS CXXFLAGS FCFLAGS FFLAGS HIPFLAGS LDFLAGS DEVICE_LIB_PATH HIPCC_COMPILE_FLAGS_APPEND HIPCC_LINK_FLAGS_APPEND \
HIP_CLANG_PATH HIP_DEVICE_LIB_PATH HIP_PATH HIP_PLATFORM HSA_PATH PYTHONPATH ROCM_PATH TENSILE_ROCM_ASSEMBLER_PATH \
TENSILE_ROCM_OFFLOAD_BUNDLER_PATH";

/// What some layers have.
#[derive(Debug, Default)]
struct Names<'m> {
    features: BTreeSet<&'m str>,
    options: BTreeSet<&'m str>,
    parts: BTreeSet<&'m str>,
    depends: BTreeSet<&'m str>,
    variables: BTreeSet<&'m str>,
}

impl<'m> Names<'m> {
    /// What components have, and what upstream has everywhere.
    fn new(model: &'m Model, components: &[String]) -> Self {
        let mut out = Self::default();
        let layers = components.iter().filter_map(|c| model.components.get(c)).flat_map(Layers::iter);
        layers.for_each(|layer| out.add(layer, false));
        out.features.extend(model.upstream.iter().flat_map(|u| u.features.keys().map(String::as_str)));
        out
    }

    /// Adds what a layer names; of one that may only change things, what it declares.
    fn add(&mut self, layer: &'m Node, declared_alone: bool) {
        let sections: [(&mut BTreeSet<&str>, &str, &[&str]); 6] = [
            (&mut self.features, "features", &["summary", "name", "targets"]),
            (&mut self.options, "options", &["default"]),
            (&mut self.parts, "parts", &["goals"]),
            (&mut self.depends, "depends", &[]),
            (&mut self.variables, "targets", &[]),
            (&mut BTreeSet::new(), "programs", &[]),
        ];
        for (names, section, whole) in sections {
            let entries = layer.get(section).map(Node::entries).unwrap_or_default();
            let whole = |n: &Node| !declared_alone || whole.iter().any(|key| n.get(key).is_some());
            if section == "targets" {
                for (key, node) in entries {
                    match key.name.as_str() {
                        "variable" => names.extend(words(node).map(|(word, _)| word)),
                        "variables" => names.extend(node.entries().iter().map(|(k, _)| k.name.as_str())),
                        _ => {}
                    }
                }
            } else {
                names.extend(entries.iter().filter(|(_, n)| whole(n)).map(|(k, _)| k.name.as_str()));
            }
        }
        if !declared_alone {
            let programs = layer.get("programs").map(Node::entries).unwrap_or_default();
            self.features.extend(programs.iter().map(|(k, _)| k.name.as_str()));
        }
    }
}

/// The words of a list, or of a lone value.
fn words(node: &Node) -> impl Iterator<Item = (&str, Span)> {
    let items = match &node.value {
        Value::Seq(items) => items.as_slice(),
        _ => std::slice::from_ref(node),
    };
    items.iter().filter_map(|n| Some((n.text()?, n.span)))
}

/// Reports what overlays and habits of each distribution mention and nobody has.
pub(crate) fn check(model: &Model, findings: &mut Findings) {
    // What could not be read may have it.
    if !model.broken.is_empty() {
        return;
    }
    check_repositories(model, findings);
    for (distro_name, distro) in &model.distros {
        let said = model.distro_nodes.get(distro_name).and_then(|node| node.get("habits"));
        let trees: Vec<&Node> = said.into_iter().flat_map(trees).collect();
        let overlays = model.overlays.get(distro_name).into_iter().flatten();
        for (id, layers) in overlays.clone() {
            let of = model.components_of(distro_name, id);
            if of.iter().all(|c| model.components.contains_key(c)) {
                let overlays: Vec<&Node> = layers.iter().collect();
                check_overlays(Names::new(model, &of), &overlays, findings);
                let below = of.iter().filter_map(|c| model.components.get(c)).flat_map(Layers::iter);
                let below: Vec<&Node> = below.chain(trees.iter().copied()).collect();
                check_removed(&below, &overlays, findings);
                check_arguments(&below, &overlays, findings);
            }
        }
        let all: Vec<String> = model.components.keys().cloned().collect();
        let mut names = Names::new(model, &all);
        overlays.flat_map(|(_, layers)| layers.iter()).for_each(|layer| names.add(layer, false));
        if let Some(habits) = said {
            check_habits(model, distro, habits, names, findings);
        }
        let below: Vec<&Node> = model.components.values().flat_map(Layers::iter).collect();
        check_removed(&below, &trees, findings);
        check_arguments(&below, &trees, findings);
    }
}

/// The rules of a distribution's habits.
fn rules(habits: &Node) -> &[Node] {
    match habits.get("rules").map(|n| &n.value) {
        Some(Value::Seq(rules)) => rules,
        _ => &[],
    }
}

/// The keys that rules give to packages.
fn trees(habits: &Node) -> impl Iterator<Item = &Node> {
    rules(habits).iter().filter_map(|rule| rule.get("package"))
}

/// What upstream.yaml says of a repository would not be found under another name.
fn check_repositories(model: &Model, findings: &mut Findings) {
    let Some(upstream) = &model.upstream else { return };
    let overlays = model.overlays.values().flat_map(|o| o.values());
    let habits = model.distro_nodes.values().filter_map(|node| node.get("habits"));
    let layers =
        model.components.values().chain(overlays).flat_map(Layers::iter).chain(habits.flat_map(trees));
    let sources = layers.filter_map(|layer| layer.get("sources")).flat_map(Node::entries);
    // A source may be a list of alternatives by release.
    let alternatives = sources.flat_map(|(_, source)| match &source.value {
        Value::Seq(items) => items.as_slice(),
        _ => std::slice::from_ref(source),
    });
    let own =
        alternatives.filter(|s| s.get("owner").and_then(Node::text).is_none_or(|owner| owner == "ROCm"));
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

/// An overlay changes what is there; what it adds says more of itself than how it stands.
fn check_overlays<'m>(mut names: Names<'m>, overlays: &[&'m Node], findings: &mut Findings) {
    for overlay in overlays {
        names.add(overlay, true);
    }
    let entries =
        |section: &'static str| overlays.iter().filter_map(move |o| o.get(section)).flat_map(Node::entries);
    let features = || names.features.iter().copied();
    // One of the distribution's own needs no words where every package has such a flag.
    let unknown = entries("features").filter(|(key, _)| slip(&key.name, features()).is_some());
    for (key, _) in unknown {
        let finding = Finding::error("E0201", key.span, format!("unknown feature `{}`", key.name))
            .label("expected one of the component's; a further one has a `summary` or a `name`");
        findings.push_nearest(finding, &key.name, features());
    }
    for (section, what, own, known) in
        [("options", "option", "default", &names.options), ("parts", "part", "goals", &names.parts)]
    {
        for (key, _) in entries(section).filter(|(key, _)| !known.contains(key.name.as_str())) {
            let finding = Finding::error("E0228", key.span, format!("unknown {what} `{}`", key.name))
                .label(format!("expected one of the component's; a further one states its `{own}`"));
            findings.push_nearest(finding, &key.name, known.iter().copied());
        }
    }
}

/// What a layer takes out by `~` may be gone already, as where a user's rules replace all that ship; what one of those `below` it, or of
/// the `layers`, has under a name that is another but for a letter was meant.
fn check_removed(below: &[&Node], layers: &[&Node], findings: &mut Findings) {
    let mut refuse = |what: &str, entries: &[&(Key, Node)], known: BTreeSet<&str>| {
        for (key, _) in entries {
            if let Some(meant) = slip(&key.name, known.iter().copied()) {
                findings.push(
                    Finding::error("E0218", key.span, format!("{what} has no `{}`", key.name))
                        .label("nothing is taken out by this")
                        .nearest(&key.name, [meant]),
                );
            }
        }
    };
    let is_gone = |(_, node): &&(Key, Node)| node.value == Value::Null;
    let all = || below.iter().chain(layers);
    for section in ["depends", "sources", "programs", "warnings"] {
        let gone: Vec<_> = layers.iter().flat_map(|l| entries(l, section)).filter(is_gone).collect();
        if !gone.is_empty() {
            let there = all().flat_map(|l| entries(l, section)).filter(|entry| !is_gone(entry));
            refuse(section, &gone, there.map(|(key, _)| key.name.as_str()).collect());
        }
    }
    let gone: Vec<_> = layers.iter().flat_map(|l| arguments(l)).filter(is_gone).collect();
    if !gone.is_empty() {
        let mut names = Names::default();
        for layer in below {
            names.add(layer, false);
        }
        let there = all().flat_map(|l| arguments(l)).filter(|entry| !is_gone(entry));
        let there = there.map(|(key, _)| key.name.as_str());
        let known = there.chain(names.options).chain(names.variables).chain(CMAKE.split_whitespace());
        refuse("CMake's call", &gone, known.collect());
    }
}

/// CMake takes any argument, and tells of one that nobody reads behind all else that it says. One that is an option but for a letter
/// is refused.
fn check_arguments(below: &[&Node], layers: &[&Node], findings: &mut Findings) {
    let mut names = Names::default();
    for layer in below {
        names.add(layer, false);
    }
    for layer in layers {
        names.add(layer, true);
    }
    let given = below.iter().flat_map(|l| arguments(l)).map(|(key, _)| key.name.as_str());
    let known: BTreeSet<&str> =
        given.chain(names.options).chain(names.variables).chain(CMAKE.split_whitespace()).collect();
    let flags = |layer: &&'_ Node| layer.get("nix").and_then(|n| n.get("flags")).cloned();
    let flags: Vec<Node> = layers.iter().filter_map(flags).collect();
    let written = layers.iter().flat_map(|l| arguments(l)).chain(flags.iter().flat_map(Node::entries));
    let phases = layers.iter().filter_map(|l| l.get("environment")).flat_map(Node::entries);
    let phases = phases.flat_map(|(_, variables)| variables.entries());
    let projects = layers.iter().flat_map(|l| entries(l, "cmake"));
    let of_projects = projects.flat_map(|(_, project)| entries(project, "environment"));
    for (key, _) in phases.chain(of_projects) {
        let words = ENVIRONMENT.split_whitespace().chain(CMAKE.split_whitespace());
        if let Some(meant) = slip(&key.name, words) {
            findings.push(
                Finding::error("E0228", key.span, format!("nothing reads the variable `{}`", key.name))
                    .label("expected another one")
                    .nearest(&key.name, [meant]),
            );
        }
    }
    for (key, _) in written.filter(|(_, node)| node.value != Value::Null) {
        if let Some(meant) = slip(&key.name, known.iter().copied()) {
            findings.push(
                Finding::error("E0228", key.span, format!("unknown option `{}`", key.name))
                    .label("expected one of a component or of CMake; a further one is stated under `options`")
                    .nearest(&key.name, [meant]),
            );
        }
    }
}

fn entries<'n>(layer: &'n Node, section: &str) -> &'n [(Key, Node)] {
    layer.get(section).map(Node::entries).unwrap_or_default()
}

/// The arguments of a layer's CMake projects.
fn arguments(layer: &Node) -> impl Iterator<Item = &(Key, Node)> {
    let projects = layer.get("cmake").map(Node::entries).unwrap_or_default().iter();
    projects.filter_map(|(_, project)| project.get("arguments")).flat_map(Node::entries)
}

/// A habit speaks of what some package has.
fn check_habits<'m>(
    model: &'m Model,
    distro: &'m Distro,
    habits: &'m Node,
    mut names: Names<'m>,
    findings: &mut Findings,
) {
    let trees: Vec<&Node> = trees(habits).collect();
    for tree in &trees {
        names.add(tree, true);
    }
    let mut brought: BTreeSet<&str> = trees.iter().filter_map(|t| t.get("depends")).flat_map(keys).collect();
    brought.extend(names.depends.iter().copied());
    brought.extend(model.components.keys().map(String::as_str));
    brought.extend(model.externals.keys().map(String::as_str));
    brought.extend(distro.packages.keys().map(String::as_str));

    let mut mentioned: Vec<(&str, Span, &str)> = Vec::new();
    for (section, kind) in [("features", "feature"), ("option-values", "option")] {
        let entries = habits.get(section).map(Node::entries).unwrap_or_default();
        mentioned.extend(entries.iter().map(|(key, _)| (key.name.as_str(), key.span, kind)));
    }
    for (key, kind) in [("tools", "dependency"), ("target-variable", "variable")] {
        mentioned.extend(habits.get(key).into_iter().flat_map(words).map(|(word, span)| (word, span, kind)));
    }
    for rule in rules(habits) {
        for (key, kind) in [("depends-on", "dependency"), ("feature", "feature"), ("option", "option")] {
            mentioned
                .extend(rule.get(key).into_iter().flat_map(words).map(|(word, span)| (word, span, kind)));
        }
        let phases = rule.get("own-steps").map(Node::entries).unwrap_or_default();
        mentioned.extend(phases.iter().map(|(key, _)| (key.name.as_str(), key.span, "phase")));
    }
    for tree in &trees {
        let entries = tree.get("options").map(Node::entries).unwrap_or_default();
        mentioned.extend(entries.iter().map(|(key, _)| (key.name.as_str(), key.span, "option")));
        let own = tree.get("ebuild");
        let lists = ["require-targets", "describes"].into_iter().filter_map(|key| own?.get(key));
        let lists = lists.flat_map(words).filter(|(word, _)| !matches!(*word, "always" | "never"));
        mentioned.extend(lists.map(|(word, span)| (word, span, "feature")));
    }
    for (name, span, kind) in mentioned {
        let (code, known): (_, Vec<&str>) = match kind {
            "feature" => ("E0201", names.features.iter().copied().collect()),
            "option" => ("E0228", names.options.iter().copied().collect()),
            "variable" => ("E0609", names.variables.iter().copied().collect()),
            "phase" => ("E0114", STANDARD.to_vec()),
            _ => ("E0205", brought.iter().copied().collect()),
        };
        if !known.contains(&name) {
            let finding = Finding::error(code, span, format!("unknown {kind} `{name}`"));
            findings.push_nearest(finding.label(format!("expected {}", expected(kind))), name, known);
        }
    }
}

fn keys(node: &Node) -> impl Iterator<Item = &str> {
    node.entries().iter().map(|(key, _)| key.name.as_str())
}

/// What a habit may name.
fn expected(kind: &str) -> String {
    match kind {
        "feature" | "option" => format!("the {kind} of a component"),
        "variable" => "one that a component reads GPU targets from".to_owned(),
        "phase" => format!("one of: {}", STANDARD.join(", ")),
        _ => "a package, or a row of externals.yaml".to_owned(),
    }
}
