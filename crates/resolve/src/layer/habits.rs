//! What a distribution does everywhere, made part of one package.
//!
//! A component says what upstream offers; the distribution's habits (`distros/NAME.yaml`) say what becomes of it. The result
//! is a tree of a package's keys that lies between the component and the package's overlay, so that an overlay can change
//! each of them by its key.

use crate::layer::conditions::{Known, prune};
use crate::layer::habit_steps::{beside, filled, follow, precede};
use crate::layer::identity::Kind;
use crate::layer::laid::{Depths, Laid};
use crate::layer::test_data::{converts_test_data, test_data};
use crate::layer::tree::{entry, flag, list, map, put, scalar};
use crate::read::release::{Release, read_range};
use indexmap::IndexMap;
use rocpkg_model::{
    Cond, Decode, EdgeKind, Finding, Findings, Habits, Node, OneOrMany, OptionHabit, Rule, Span, Spanned,
    Text, Value, WarningHabit,
};

/// A rule may also ask for the repository of the main source, by this and its name.
pub(crate) const REPOSITORY: &str = "repository-";

/// What a package is, as rules may ask.
const KINDS: &[&str] = &[
    "device",
    "headers",
    "large",
    "library",
    "limited",
    "monorepo",
    "parts",
    "python",
    "scripts",
    "test-data",
];

/// The CMake project that takes all options unless it says otherwise.
const MAIN: &str = "main";

/// The component that each option comes from.
pub(crate) type Owners = IndexMap<String, String>;

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
    let known = Known { release, fixed: crate::layer::conditions::fixed_features(package), offered: None };
    let mut package = package.clone();
    prune(&mut package, &known);
    let depths = Depths::default();
    let mut rules = Laid::new(Kind::Package, Some(release), &depths);
    let mut knowing: Vec<String> = Vec::new();
    let mut taken = Vec::new();
    for rule in &habits.rules {
        if let Some(w) = &rule.when {
            for unknown in
                w.cond.features().into_iter().filter(|f| !KINDS.contains(f) && !f.starts_with(REPOSITORY))
            {
                findings.push(
                    Finding::error("E0216", w.span, format!("no package is `{unknown}`"))
                        .label(format!("expected one of: {}", KINDS.join(", ")))
                        .nearest(unknown, KINDS.iter().copied()),
                );
            }
        }
        if !at(rule, release, findings) {
            continue;
        }
        if let Some(keys) = rule.package.as_ref().filter(|_| holds(rule, &package, habits, of)) {
            let mut own = Vec::new();
            crate::layer::tree::removals(&keys.0, &mut Vec::new(), &mut own);
            // What a rule before this one put into a list is taken out of that.
            let listed =
                |path: &[String]| rules.tree().is_some_and(|tree| crate::layer::tree::is_listed(tree, path));
            own.retain(|(path, _)| !listed(path));
            taken.extend(own);
            rules.lay(&behind_flags(rules.tree(), &keys.0), findings);
            // A rule about one dependency or option knows what the component says.
            if rule.depends_on.is_some() || rule.option.is_some() {
                let told = keys.0.get("depends").map(Node::entries).unwrap_or_default();
                knowing.extend(told.iter().map(|(k, _)| k.name.to_string()));
            }
        }
    }
    let (mut out, _) = rules.finish();
    // What a component says of a dependency stands; a habit adds those of which it says nothing.
    for (name, said) in package.get("depends").map(Node::entries).unwrap_or_default() {
        let given = out.get("depends").and_then(|d| d.get(&name.name));
        if given.is_some_and(|d| d.value != Value::Null)
            && !knowing.iter().any(|k| name.name == *k)
            && (said.get("kind").is_some() || said.text().is_none() && matches!(said.value, Value::Seq(_)))
        {
            out = crate::layer::tree::without(out, "depends", &name.name);
        }
    }
    // What every package needs, the package itself does not.
    for own in of {
        out = crate::layer::tree::without(out, "depends", own);
    }
    // A layer of rules keeps no `~`: what is taken back from the component is said again.
    for (path, by) in &taken {
        if !crate::layer::tree::take_back(&mut out, path, *by) {
            let taken = path.join(".");
            findings.push(
                Finding::error("E0241", *by, format!("`{taken}` can't be taken back beside a list of another rule"))
                    .hint("let the rule that takes it back follow the one with the list, or write the whole list in one rule"),
            );
        }
    }
    tools(&package, habits, &mut out);
    target_variable(&package, habits, &mut out);
    options(&package, habits, owners, &mut out);
    sparse(&package, habits, &mut out);
    test_data(&package, habits, &mut out);
    // What a component says of flags stands: a habit's edits of flags go before those of its own.
    if out.get("flags").is_some()
        && let Some(both) = behind_flags(Some(&out), &package).get("flags")
    {
        put(&mut out, &["flags"], both.clone());
    }
    out
}

/// The keys with their edits of flags behind those that were given before, which would be lost under a list of their own.
fn behind_flags(before: Option<&Node>, keys: &Node) -> Node {
    let edits = |n: &Node| match n.get("flags").map(|f| f.value.clone()) {
        Some(Value::Seq(edits)) => edits,
        _ => Vec::new(),
    };
    let (mut all, own) = (before.map(edits).unwrap_or_default(), edits(keys));
    let mut out = keys.clone();
    if let (false, Some(flags)) = (own.is_empty(), keys.get("flags")) {
        all.extend(own);
        put(&mut out, &["flags"], list(all, flags.span));
    }
    out
}

/// What stands beside the steps and flags that a package has of its own; `package` is the tree with its overlay, `of` the components it
/// is made of.
pub(crate) fn complete(package: &mut Node, habits: &Habits, of: &[String], release: &Release) {
    let quiet = &mut Findings::default();
    let rules: Vec<&Rule> = habits.rules.iter().filter(|rule| at(rule, release, quiet)).collect();
    for rule in rules.iter().filter(|r| !r.own_steps.is_empty()) {
        if !holds(rule, package, habits, of) {
            continue;
        }
        for (phase, place) in &rule.own_steps {
            beside(package, phase, *place);
        }
    }
    for rule in rules.iter().filter(|r| !r.after.is_empty() || !r.first.is_empty()) {
        if !holds(rule, package, habits, of) {
            continue;
        }
        for (phase, steps) in &rule.first {
            let Value::Seq(steps) = filled(&steps.0, package).value else { continue };
            precede(package, phase, steps);
        }
        for (phase, steps) in &rule.after {
            let Value::Seq(steps) = filled(&steps.0, package).value else { continue };
            follow(package, phase, steps);
        }
    }
    if habits.warnings == Some(WarningHabit::Silenced) {
        silence(package);
    }
}

/// Known warnings are turned off before a package's own edits of flags that hang on nothing; those of one reason go together.
fn silence(package: &mut Node) {
    let warnings = package.get("warnings").map(Node::entries).unwrap_or_default().to_vec();
    let mut edits: Vec<(String, Vec<Node>, Span)> = Vec::new();
    for (name, reason) in &warnings {
        let flag = scalar(&format!("-Wno-{}", name.name), name.span);
        let reason = reason.text().unwrap_or_default();
        match edits.iter_mut().find(|(r, ..)| r == reason) {
            Some((_, flags, _)) => flags.push(flag),
            None => edits.push((reason.to_owned(), vec![flag], name.span)),
        }
    }
    if edits.is_empty() {
        return;
    }
    let edit = |(reason, flags, span): (String, Vec<Node>, Span)| {
        let facts =
            [("action", scalar("append", span)), ("on", scalar("cxx", span)), ("flags", list(flags, span))];
        let mut facts: Vec<_> = facts.map(|(k, n)| entry(k, span, n)).into();
        if !reason.is_empty() {
            facts.push(entry("comment", span, scalar(&reason, span)));
        }
        map(facts, span)
    };
    let mut all = match package.get("flags").map(|f| f.value.clone()) {
        Some(Value::Seq(own)) => own,
        _ => Vec::new(),
    };
    // Flags of the kind of build stand before all others.
    let at = all.iter().take_while(|e| e.get("when").is_some()).count();
    all.splice(at..at, edits.into_iter().map(edit));
    let span = package.span;
    put(package, &["flags"], list(all, span));
}

/// Whether a rule is about a release.
pub(crate) fn at(rule: &Rule, release: &Release, findings: &mut Findings) -> bool {
    rule.releases.as_ref().is_none_or(|text| {
        read_range(&text.value, text.span, findings).is_some_and(|range| range.contains(release))
    })
}

/// Whether a rule is about a package.
pub(crate) fn holds(rule: &Rule, package: &Node, habits: &Habits, of: &[String]) -> bool {
    let kind = |c: &Cond| match c {
        Cond::Feature(f) if f == "test-data" => converts_test_data(package, habits),
        Cond::Feature(f) => is(package, f),
        _ => false,
    };
    let has = |section: &str, name: &Option<Spanned<String>>| {
        name.as_ref().is_none_or(|n| package.get(section).is_some_and(|s| s.get(&n.value).is_some()))
    };
    let made_of = |name: &Spanned<String>| of.contains(&name.value);
    (rule.components.is_empty() || rule.components.iter().any(made_of))
        && rule.when.as_ref().is_none_or(|w| w.cond.reduce(&|c| Some(kind(c))) == Ok(true))
        && has("depends", &rule.depends_on)
        && has("features", &rule.feature)
        && has("options", &rule.option)
        && rule.kind.is_none_or(|kind| {
            let edge = rule.depends_on.as_ref().and_then(|n| package.get("depends")?.get(&n.value));
            let kinds =
                edge.and_then(|e| OneOrMany::<EdgeKind>::decode(e.get("kind")?, &mut Findings::default()));
            kinds.is_some_and(|k| k.0.contains(&kind))
        })
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
    let way = habits.options;
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
    // The order in which projects are built is the package's, whichever of them take options.
    let mut ordered = map(Vec::new(), package.span);
    for (key, _) in projects {
        let given = out.get("cmake").and_then(|c| c.get(&key.name)).cloned();
        put(&mut ordered, &[&key.name], given.unwrap_or_else(|| map(Vec::new(), key.span)));
    }
    for (key, project) in out.get("cmake").map(Node::entries).unwrap_or_default() {
        let there = ordered.get(&key.name).is_some();
        if let (false, Value::Map(entries)) = (there, &mut ordered.value) {
            entries.push((key.clone(), project.clone()));
        }
    }
    if !ordered.entries().is_empty() {
        put(out, &["cmake"], ordered);
    }
    for (project, of) in takers {
        for (key, option) in options.entries() {
            let owner = owners.get(key.name.as_str()).map(String::as_str);
            if of.as_ref().is_some_and(|of| owner.is_none_or(|o| !of.contains(&o))) {
                continue;
            }
            let set = habits.option_values.get(key.name.as_str()).filter(|_| option.get("value").is_none());
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
    // Where it is passed only for its own feature, it is on.
    let sole = option.get("when").and_then(Node::text);
    let sure = sole.is_some() && sole == option.get("feature").and_then(Node::text);
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
    } else if sure && way == OptionHabit::Always {
        facts.push(entry("value", span, flag(true, span)));
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
