//! What a distribution does everywhere, made part of one package.
//!
//! A component says what upstream offers; the distribution's habits (`distros/NAME.yaml`) say what becomes of it. The result
//! is a tree of a package's keys that lies between the component and the package's overlay, so that an overlay can change
//! each of them by its key.

use crate::conditions::{Known, prune};
use crate::identity::Kind;
use crate::layers::{Depths, Laid};
use crate::release::Release;
use crate::tree::{entry, flag, list, map, put, scalar};
use indexmap::IndexMap;
use rocpkg_model::{
    Cond, FeatureHabit, Finding, Findings, Habits, Node, OptionHabit, TestDataHabit, Text, Value,
};

/// A rule may also ask for the repository of the main source, by this and its name.
const REPOSITORY: &str = "repository-";

/// What a package is, as rules may ask.
const KINDS: &[&str] =
    &["device", "headers", "large", "library", "limited", "monorepo", "parts", "python", "scripts"];

/// The CMake project that takes all options unless it says otherwise.
const MAIN: &str = "main";

/// The component that each option comes from.
pub(crate) type Owners = IndexMap<String, String>;

/// Adds what the distribution decides about features; `package` is the merged tree. An overlay that says `fixed`, be it `~`,
/// decides itself.
pub(crate) fn fix_features(package: &mut Node, habits: &Habits, overlays: &[&Node]) {
    let decided = |name: &str| {
        overlays.iter().any(|o| o.get("features").and_then(|f| f.get(name)?.get("fixed")).is_some())
    };
    let programs: Vec<String> = package
        .get("programs")
        .map(Node::entries)
        .unwrap_or_default()
        .iter()
        .map(|(k, _)| k.name.clone())
        .collect();
    let Value::Map(entries) = &mut package.value else { return };
    let Some((_, features)) = entries.iter_mut().find(|(k, _)| k.name == "features") else { return };
    let Value::Map(features) = &mut features.value else { return };
    for (key, feature) in features {
        let habit = habits.features.get(&key.name).or(habits.other_features.as_ref());
        let default = feature.get("default").and_then(Node::text) == Some("true");
        let fixed = match habit {
            None | Some(FeatureHabit::Offered) => continue,
            Some(FeatureHabit::On) => true,
            Some(FeatureHabit::Off) => false,
            Some(FeatureHabit::Default) => default,
            Some(FeatureHabit::WithPrograms) if programs.contains(&key.name) => continue,
            Some(FeatureHabit::WithPrograms) => false,
        };
        if decided(&key.name) {
            continue;
        }
        let span = key.span;
        match &mut feature.value {
            Value::Map(facts) => facts.push(entry("fixed", span, flag(fixed, span))),
            Value::Null => feature.value = Value::Map(vec![entry("fixed", span, flag(fixed, span))]),
            _ => {}
        }
    }
}

/// The keys that the habits give to a package; `package` is the merged tree with its features fixed.
///
/// `of` are the components it is made of, `owners` says which of them each option comes from.
pub(crate) fn generate(
    package: &Node,
    habits: &Habits,
    of: &[String],
    owners: &Owners,
    release: &Release,
    findings: &mut Findings,
) -> Node {
    let known = Known { release, fixed: crate::conditions::fixed_features(package) };
    let mut package = package.clone();
    prune(&mut package, &known);
    let depths = Depths::default();
    let mut rules = Laid::new(Kind::Package, Some(release), &depths);
    for rule in &habits.rules {
        let holds = rule.when.as_ref().is_none_or(|w| {
            for unknown in
                w.cond.features().into_iter().filter(|f| !KINDS.contains(f) && !f.starts_with(REPOSITORY))
            {
                findings.push(
                    Finding::error("E0216", w.span, format!("no package is `{unknown}`"))
                        .label(format!("expected one of: {}", KINDS.join(", ")))
                        .nearest(unknown, KINDS.iter().copied()),
                );
            }
            w.cond.reduce(&|c| Some(matches!(c, Cond::Feature(f) if is(&package, f)))) == Ok(true)
        });
        if holds {
            rules.lay(&rule.package.0, findings);
        }
    }
    let (mut out, _) = rules.finish();
    // What a component says of a dependency stands; a habit adds those of which it says nothing.
    for (name, said) in package.get("depends").map(Node::entries).unwrap_or_default() {
        let given = out.get("depends").and_then(|d| d.get(&name.name));
        if given.is_some_and(|d| d.value != Value::Null)
            && (said.get("kind").is_some() || said.text().is_none() && matches!(said.value, Value::Seq(_)))
        {
            out = crate::tree::without(out, "depends", &name.name);
        }
    }
    // What every package needs, the package itself does not.
    for own in of {
        out = crate::tree::without(out, "depends", own);
    }
    tools(&package, habits, &mut out);
    target_variable(&package, habits, &mut out);
    options(&package, habits, owners, &mut out);
    sparse(&package, habits, &mut out);
    test_data(&package, habits, &mut out);
    out
}

/// Whether a package is of a kind.
fn is(package: &Node, kind: &str) -> bool {
    let content = package.get("content").and_then(Node::text).unwrap_or("library");
    match kind {
        "device" => package.get("targets").is_some_and(|t| {
            matches!(t.value, Value::Map(_)) && t.get("list").and_then(Node::text) != Some("none")
        }),
        "limited" => package.get("targets").and_then(|t| t.get("supports")).is_some(),
        "parts" => package.get("parts").is_some(),
        "large" => package.get("resources").is_some(),
        "monorepo" => main_source(package).is_some_and(|s| s.get("path").and_then(Node::text).is_some()),
        other => match other.strip_prefix(REPOSITORY) {
            Some(name) => {
                main_source(package).and_then(|s| s.get("repository")).and_then(Node::text) == Some(name)
            }
            None => content == other,
        },
    }
}

fn main_source(package: &Node) -> Option<&Node> {
    package.get("sources")?.entries().first().map(|(_, s)| s)
}

/// Compilers and their like stand with the tools, although something of them is linked against.
fn tools(package: &Node, habits: &Habits, out: &mut Node) {
    let Some(depends) = package.get("depends") else { return };
    for name in &habits.tools {
        let linked = depends.get(&name.value).and_then(|d| d.get("kind")).and_then(Node::text);
        if linked.is_some_and(|k| matches!(k, "link" | "build")) {
            put(out, &["depends", &name.value, "kind"], scalar("tool", name.span));
        }
    }
}

/// Of several variables for GPU targets the usual one is passed.
fn target_variable(package: &Node, habits: &Habits, out: &mut Node) {
    let Some(usual) = &habits.target_variable else { return };
    let read = package.get("targets").and_then(|t| t.get("variable")).map(|v| &v.value);
    if let Some(Value::Seq(names)) = read
        && let Some(name) = names.iter().find(|n| n.text() == Some(usual.value.as_str()))
    {
        put(out, &["targets", "variable"], name.clone());
    }
}

/// Upstream's options become arguments of the main CMake project, or of the project that says whose it takes.
fn options(package: &Node, habits: &Habits, owners: &Owners, out: &mut Node) {
    let Some(options) = package.get("options") else { return };
    let way = habits.options.unwrap_or(OptionHabit::Always);
    let projects = package.get("cmake").map(Node::entries).unwrap_or_default();
    let mut takers: Vec<(&str, Option<Vec<&str>>)> = Vec::new();
    for (key, project) in projects {
        let of = match project.get("of").map(|n| &n.value) {
            Some(Value::Seq(items)) => Some(items.iter().filter_map(Node::text).collect()),
            _ if key.name == MAIN => None,
            _ => continue,
        };
        takers.push((&key.name, of));
    }
    if projects.is_empty() {
        takers.push((MAIN, None));
    }
    for (project, of) in takers {
        for (key, option) in options.entries() {
            let owner = owners.get(&key.name).map(String::as_str);
            if of.as_ref().is_some_and(|of| owner.is_none_or(|o| !of.contains(&o))) {
                continue;
            }
            let set = habits.option_values.get(&key.name).filter(|_| option.get("value").is_none());
            if let Some(argument) = argument(option, set, way) {
                put(out, &["cmake", project, "arguments", &key.name], argument);
            }
        }
    }
}

/// What is passed for one option, if anything.
fn argument(option: &Node, set: Option<&Text>, way: OptionHabit) -> Option<Node> {
    let span = option.span;
    let default = option.get("default").and_then(Node::text).map(switch);
    let value = match set {
        Some(text) => Some(scalar(&text.to_string(), text.span)),
        None => option.get("value").cloned(),
    };
    let mut facts = Vec::new();
    if let Some(value) = value {
        let same = value.text().map(switch) == default && default.is_some();
        if same && way != OptionHabit::Always {
            return None;
        }
        // A switch, not text that happens to be one of the two words.
        let value = match value.text().map(switch).as_deref() {
            Some("ON") => flag(true, value.span),
            Some("OFF") => flag(false, value.span),
            _ => value,
        };
        facts.push(entry("value", span, value));
    } else if let Some(asked) = option.get("feature") {
        if way == OptionHabit::WhenOn && default.as_deref() != Some("ON") {
            facts.push(entry("value", span, flag(true, span)));
            let both = match option.get("when").and_then(Node::text) {
                Some(when) if Some(when) == asked.text() => when.to_owned(),
                Some(when) => format!("({when}) & ({})", asked.text().unwrap_or_default()),
                None => asked.text().unwrap_or_default().to_owned(),
            };
            facts.push(entry("when", span, scalar(&both, asked.span)));
        } else {
            facts.push(entry("feature", span, asked.clone()));
        }
    } else if let Some(asked) = option.get("unless") {
        facts.push(entry("unless", span, asked.clone()));
    } else {
        return None;
    }
    for key in ["when", "comment", "type"] {
        if let Some(fact) = option.get(key)
            && !facts.iter().any(|(k, _)| k.name == key)
        {
            facts.push(entry(key, span, fact.clone()));
        }
    }
    Some(map(facts, span))
}

/// CMake's words for a switch; any other text stands for itself.
fn switch(text: &str) -> String {
    match text {
        "on" | "true" | "ON" => "ON".into(),
        "off" | "false" | "OFF" => "OFF".into(),
        other => other.to_owned(),
    }
}

/// The folders of a sparse checkout.
fn sparse(package: &Node, habits: &Habits, out: &mut Node) {
    let Some((name, source)) = package.get("sources").and_then(|s| s.entries().first()) else { return };
    let Some(path) = source.get("path").filter(|p| p.text().is_some()) else { return };
    if !habits.sparse.is_empty() && source.get("fetch").is_none() {
        let mut folders = vec![path.clone()];
        folders.extend(habits.sparse.iter().map(|s| scalar(&s.value, s.span)));
        put(out, &["sources", &name.name, "sparse"], list(folders, path.span));
    }
}

/// Each archive of test data becomes a source of the feature `test`.
fn test_data(package: &Node, habits: &Habits, out: &mut Node) {
    let Some(data) = package.get("test-data") else { return };
    let offered =
        package.get("features").and_then(|f| f.get("test")).is_some_and(|t| t.get("fixed").is_none());
    if habits.test_data != Some(TestDataHabit::Fetched) || !offered {
        return;
    }
    let base = data.get("base").and_then(Node::text).unwrap_or_default();
    let prefix = data.get("prefix").and_then(Node::text).unwrap_or("${name}_");
    let Some(Value::Seq(files)) = data.get("files").map(|f| &f.value) else { return };
    for file in files {
        let Some(text) = file.text() else { continue };
        let (span, name) = (file.span, text.rsplit('/').next().unwrap_or(text));
        let source = map(
            vec![
                entry("fetch", span, scalar("file", span)),
                entry("url", span, scalar(&format!("{base}/{text}.tar.gz"), span)),
                entry("save-as", span, scalar(&format!("{prefix}{name}.tar.gz"), span)),
                entry("when", span, scalar("test", span)),
            ],
            span,
        );
        put(out, &["sources", name], source);
    }
}
