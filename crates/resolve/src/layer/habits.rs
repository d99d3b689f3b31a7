//! What a distribution does everywhere, made part of one package.
//!
//! A component says what upstream offers; the distribution's habits (`distros/NAME.yaml`) say what
//! becomes of it. The result is a tree of a package's keys that lies between the component and the
//! package's overlay, so that an overlay can change each of them by its key.

use crate::layer::conditions::{Known, fixed_features, prune};
use crate::layer::identity::Kind;
use crate::layer::laid::{Laid, Layer};
use crate::layer::options::{Owners, options};
use crate::layer::rules::{Rules, fetches_test_data, reader};
use crate::layer::steps::{beside, filled, follow, precede};
use crate::layer::tree::{entry, is_listed, list, map, put, removals, scalar, take_back, without};
use crate::read::files::Depths;
use crate::read::release::Release;
use rocpkg_model::{Finding, Findings, Habits, Node, Rule, Value};

/// The keys that the habits give to a package; `package` is what it looks like with its overlay and
/// with its features fixed.
///
/// `of` are the components it is made of, `owners` says which of them each option comes from.
pub(crate) fn generate(
    mut package: Node,
    rules: &Rules,
    of: &[String],
    owners: &Owners,
    release: &Release,
    findings: &mut Findings,
) -> Node {
    let known = Known {
        release,
        fixed: fixed_features(&package),
        offered: None,
    };
    prune(&mut package, &known);
    let mut out = given(&package, rules, of, findings);
    tools(&package, rules.habits, &mut out);
    target_variable(&package, rules.habits, &mut out);
    options(&package, rules.habits, owners, &mut out);
    sparse(&package, rules.habits, &mut out);
    test_data(&package, rules.habits, &mut out);
    // What a component says of flags stands: a habit's edits of flags go before those of its own.
    if out.get("flags").is_some()
        && let Some(both) = behind_flags(Some(&out), &package).get("flags")
    {
        put(&mut out, &["flags"], both.clone());
    }
    out
}

/// What the rules about a package give to it.
fn given(package: &Node, rules: &Rules, of: &[String], findings: &mut Findings) -> Node {
    let depths = Depths::default();
    let mut laid = Laid::new(Kind::Package, None, &depths);
    let mut knowing: Vec<&str> = Vec::new();
    let mut taken = Vec::new();
    for (rule, keys) in rules.about(package, of) {
        let Some(keys) = keys else { continue };
        let mut own = Vec::new();
        removals(&keys.node, &mut Vec::new(), &mut own);
        // What a rule before this one put into a list is taken out of that.
        own.retain(|(path, _)| !laid.tree().is_some_and(|tree| is_listed(tree, path)));
        taken.extend(own);
        // A rule about one dependency or option knows what the component says.
        if rule.depends_on.is_some() || rule.option.is_some() {
            knowing.extend(keys.node.keys_of("depends"));
        }
        let node = behind_flags(laid.tree(), &keys.node);
        laid.lay_answered(Layer {
            node,
            answers: keys.answers.clone(),
        });
    }
    let (mut out, _) = laid.finish(findings);
    // What a component says of a dependency stands; a habit adds those of which it says nothing.
    for (name, said) in package.entries_of("depends") {
        let given = out.get("depends").and_then(|d| d.get(&name.name));
        if given.is_some_and(|d| d.value != Value::Null)
            && !knowing.iter().any(|k| name.name == *k)
            && (said.get("kind").is_some() || matches!(said.value, Value::Seq(_)))
        {
            out = without(out, "depends", &name.name);
        }
    }
    // What every package needs, the package itself does not.
    for own in of {
        out = without(out, "depends", own);
    }
    // A layer of rules keeps no `~`: what is taken back from the component is said again.
    for (path, by) in &taken {
        if !take_back(&mut out, path, *by) {
            let taken = path.join(".");
            findings.push(
                Finding::error("E0241", *by, format!("`{taken}` can't be taken back beside a list of another rule"))
                    .hint("let the rule that takes it back follow the one with the list, or write the whole list in one rule"),
            );
        }
    }
    out
}

/// The keys with their edits of flags behind those that were given before, which would be lost
/// under a list of their own.
fn behind_flags(before: Option<&Node>, keys: &Node) -> Node {
    let (own, mut out) = (keys.list_of("flags"), keys.clone());
    if let (false, Some(flags)) = (own.is_empty(), keys.get("flags")) {
        let before = before
            .map(|before| before.list_of("flags"))
            .unwrap_or_default();
        put(
            &mut out,
            &["flags"],
            list([before, own].concat(), flags.span),
        );
    }
    out
}

/// What stands beside the steps and flags that a package has of its own; `package` is the tree with
/// its overlay, `of` the components it is made of.
pub(crate) fn complete(package: &mut Node, rules: &Rules, of: &[String]) {
    let about: Vec<&Rule> = rules.about(package, of).map(|(rule, _)| rule).collect();
    for (phase, place) in about.iter().flat_map(|rule| &rule.own_steps) {
        beside(package, phase, *place);
    }
    for rule in about {
        for (phase, steps) in &rule.first {
            precede(package, phase, filled(&steps.0, package).list());
        }
        for (phase, steps) in &rule.after {
            follow(package, phase, filled(&steps.0, package).list());
        }
    }
}

/// Compilers and their like stand with the tools, although something of them is linked against.
fn tools(package: &Node, habits: &Habits, out: &mut Node) {
    let Some(depends) = package.get("depends") else {
        return;
    };
    for name in &habits.tools {
        let linked = depends
            .get(&name.value)
            .and_then(|d| d.get("kind"))
            .and_then(Node::text);
        if linked.is_some_and(|k| matches!(k, "link" | "build")) {
            put(
                out,
                &["depends", &name.value, "kind"],
                scalar("tool", name.span),
            );
        }
    }
}

/// Of several variables for GPU targets the usual one is passed.
fn target_variable(package: &Node, habits: &Habits, out: &mut Node) {
    let Some(usual) = &habits.target_variable else {
        return;
    };
    let read = package
        .get("targets")
        .map(|targets| targets.list_of("variable"))
        .unwrap_or_default();
    if let Some(name) = read.iter().find(|n| n.text() == Some(usual.value.as_str())) {
        put(out, &["targets", "variable"], name.clone());
    }
}

/// The folders of a sparse checkout.
fn sparse(package: &Node, habits: &Habits, out: &mut Node) {
    let Some((name, source)) = package.get("sources").and_then(|s| s.entries().first()) else {
        return;
    };
    let Some(path) = source.get("path").filter(|p| p.text().is_some()) else {
        return;
    };
    if !habits.sparse.is_empty() && source.get("fetch").is_none() {
        let mut folders = vec![path.clone()];
        folders.extend(habits.sparse.iter().map(|s| scalar(&s.value, s.span)));
        put(
            out,
            &["sources", &name.name, "sparse"],
            list(folders, path.span),
        );
    }
}

/// Each archive of test data becomes a source of the features that read it.
pub(crate) fn test_data(package: &Node, habits: &Habits, out: &mut Node) {
    let Some(data) = package
        .get("test-data")
        .filter(|_| fetches_test_data(package, habits))
    else {
        return;
    };
    let base = data.get("base").and_then(Node::text).unwrap_or_default();
    let prefix = data
        .get("prefix")
        .and_then(Node::text)
        .unwrap_or("${name}_");
    for file in data.list_of("files") {
        let Some(text) = file.text() else { continue };
        let (span, name) = (file.span, text.rsplit('/').next().unwrap_or(text));
        let source = map(
            vec![
                entry("fetch", span, scalar("file", span)),
                entry("url", span, scalar(&format!("{base}/{text}.tar.gz"), span)),
                entry(
                    "save-as",
                    span,
                    scalar(&format!("{prefix}{name}.tar.gz"), span),
                ),
                entry("when", span, scalar(reader(data), span)),
            ],
            span,
        );
        put(out, &["sources", name], source);
    }
}
