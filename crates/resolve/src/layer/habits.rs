//! Turns the habits of a distribution into keys of one package.
//!
//! A component states what upstream offers. The distribution's habits (`distros/NAME.yaml`) state
//! how the distribution packages that. The result is a tree of package keys. It is merged above the
//! component and below the package's overlay, so an overlay can change each of the keys.

use crate::layer::conditions::{Known, fixed_features, prune};
use crate::layer::identity::Kind;
use crate::layer::merged::{Layer, Merged};
use crate::layer::options::{Owners, options};
use crate::layer::rules::{Rules, fetches_test_data, reader};
use crate::layer::steps::{beside, filled, follow, precede};
use crate::layer::tree::{entry, is_listed, list, map, put, removals, scalar, take_back, without};
use crate::read::files::Depths;
use crate::read::release::Release;
use rocpkg_model::{Finding, Findings, Habits, Node, Rule, Value};

/// Returns the keys that the habits give to a package. `package` is the tree merged with the
/// overlay, after its features are fixed.
///
/// `of` are the components of the package. `owners` maps each option to its component. `release` is
/// the planned version.
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
        llvm: Vec::new(),
    };
    prune(&mut package, &known);
    let mut out = given(&package, rules, of, findings);
    tools(&package, rules.habits, &mut out);
    target_variable(&package, rules.habits, &mut out);
    options(&package, rules.habits, owners, &mut out);
    sparse(&package, rules.habits, &mut out);
    test_data(&package, rules.habits, &mut out);
    // A list replaces the list below. So the component's edits of flags are repeated here, after
    // those of the habits.
    if out.get("flags").is_some()
        && let Some(both) = behind_flags(Some(&out), &package).get("flags")
    {
        put(&mut out, &["flags"], both.clone());
    }
    out
}

/// Returns the keys that the rules of the habits give to a package. `of` are the components of the
/// package.
fn given(package: &Node, rules: &Rules, of: &[String], findings: &mut Findings) -> Node {
    let depths = Depths::default();
    let mut laid = Merged::new(Kind::Package, None, &depths);
    let mut knowing: Vec<&str> = Vec::new();
    let mut taken = Vec::new();
    for (rule, keys) in rules.about(package, of) {
        let Some(keys) = keys else { continue };
        let mut own = Vec::new();
        removals(&keys.node, &mut Vec::new(), &mut own);
        // A `~` for an element that an earlier rule put into a list removes that element.
        own.retain(|(path, _)| !laid.tree().is_some_and(|tree| is_listed(tree, path)));
        taken.extend(own);
        // A rule about one dependency or option may change dependencies that the component states.
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
    // A dependency that the component states does not change. A habit may only add a dependency
    // that the component does not state.
    for (name, said) in package.entries_of("depends") {
        let given = out.get("depends").and_then(|d| d.get(&name.name));
        if given.is_some_and(|d| d.value != Value::Null)
            && !knowing.iter().any(|k| name.name == *k)
            && (said.get("kind").is_some() || matches!(said.value, Value::Seq(_)))
        {
            out = without(out, "depends", &name.name);
        }
    }
    // A rule may add a dependency to every package. The dependency's own package does not need it.
    for own in of {
        out = without(out, "depends", own);
    }
    // The merged rules contain no `~`. Each `~` that removes a fact of the component is added
    // again.
    for (path, by) in &taken {
        if !take_back(&mut out, path, *by) {
            let taken = path.join(".");
            findings.push(
                Finding::error(
                    "E0241",
                    *by,
                    format!("`{taken}` can't be removed from a list that another rule sets"),
                )
                .hint(
                    "move the rule that removes it after the rule with the list, or write the \
                    whole list in one rule",
                ),
            );
        }
    }
    out
}

/// Returns `keys` with the edits of compiler flags (`flags`) of `before` in front of its own.
/// Otherwise, the list in `keys` would replace the list in `before` when both are merged.
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

/// Adds the steps that rules put beside the package's own steps. `package` is the tree merged with
/// the overlay, `of` are the components of the package.
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

/// Changes the kind of dependencies on tools, such as compilers, from `link` or `build` to `tool`.
/// The habits list the tools. Components state `link` because packages also link against parts of
/// them.
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

/// Selects the distribution's usual variable for GPU targets, if upstream's build reads it.
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

/// Sets the folders of a sparse checkout of the main source: the project's folder, and those that
/// the habits name. Does nothing if the project is the whole repository.
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

/// Adds a source for each archive of test data, under the condition of the features that read it.
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
