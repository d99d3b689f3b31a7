//! The names that a distribution's habits mention, and the habits that its backend does not read.

use crate::habits::REPOSITORY;
use crate::layers::Layers;
use crate::load::Model;
use crate::plan::Plan;
use rocpkg_model::{Distro, Finding, Findings, Habits, Node, Span, Spanned, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Reports habits that speak of nothing.
pub(crate) fn check(model: &Model, distro_name: &str, distro: &Distro, findings: &mut Findings) {
    let Some(habits) = &distro.habits else { return };
    for name in habits.rules.iter().flat_map(|rule| &rule.components) {
        if !model.components.contains_key(&name.value) && !is_broken(model, &name.value) {
            findings.push(
                Finding::error("E0242", name.span, format!("there is no component `{}`", name.value))
                    .label("expected the name of a file of `components`")
                    .nearest(&name.value, model.components.keys().map(String::as_str)),
            );
        }
    }
    rules(model, distro_name, habits, findings);
    // Such keys become others before rules speak.
    let told = [
        ("options", "expected `habits.option-values`, or `cmake.main.arguments`"),
        ("test-data", "expected it in components, or `sources`"),
    ];
    for rule in habits.rules.iter().filter_map(|rule| rule.package.as_ref()) {
        for (key, label) in told {
            if let Some(span) = rule.0.get(key).and_then(place) {
                let message = format!("nothing reads `{key}` of a rule");
                findings.push(Finding::warning("W0222", Some(span), message).label(label));
            }
        }
    }
    for Spanned { value, span } in &habits.live {
        let outside = model.externals.contains_key(value);
        if !distro.packages.contains_key(value) && !outside {
            findings.push(
                Finding::error("E0243", *span, format!("{distro_name} has no package `{value}`"))
                    .label("expected one of its packages, or a row of externals.yaml")
                    .nearest(value, distro.packages.keys().map(String::as_str)),
            );
        }
    }
}

/// Reports rules about a kind of no dependency, and about a repository that no package is from.
fn rules(model: &Model, distro_name: &str, habits: &Habits, findings: &mut Findings) {
    let node = model.distro_nodes.get(distro_name).and_then(|n| n.get("habits")?.get("rules"));
    let Some(Value::Seq(written)) = node.map(|n| &n.value) else { return };
    for kind in written.iter().filter(|rule| rule.get("depends-on").is_none()).filter_map(|r| r.get("as")) {
        let finding = Finding::error("E0113", kind.span, "a rule has `as` without `depends-on`");
        findings.push(finding.label("expected `depends-on`: the dependency that is of this kind"));
    }
    let asked = habits.rules.iter().filter_map(|rule| rule.when.as_ref());
    let asked: Vec<_> = asked
        .flat_map(|w| w.cond.features().into_iter().map(|f| (f.to_owned(), w.span)).collect::<Vec<_>>())
        .filter_map(|(f, span)| Some((f.strip_prefix(REPOSITORY)?.to_owned(), span)))
        .collect();
    if asked.is_empty() {
        return;
    }
    let mut known: BTreeSet<&str> =
        model.upstream.iter().flat_map(|u| u.repositories.keys()).map(String::as_str).collect();
    let overlays = model.overlays.get(distro_name).into_iter().flat_map(BTreeMap::values);
    for layer in model.components.values().chain(overlays).flat_map(Layers::iter) {
        layer.get("sources").into_iter().for_each(|sources| repositories(sources, &mut known));
    }
    for (name, span) in asked.into_iter().filter(|(name, _)| !known.contains(name.as_str())) {
        let finding = Finding::error("E0216", span, format!("no package is of the repository `{name}`"));
        let finding = finding.label("expected the repository of a source");
        findings.push(finding.nearest(&name, known.iter().copied()));
    }
}

/// The repositories that sources name.
fn repositories<'n>(node: &'n Node, known: &mut BTreeSet<&'n str>) {
    known.extend(node.get("repository").and_then(Node::text));
    match &node.value {
        Value::Map(entries) => entries.iter().for_each(|(_, n)| repositories(n, known)),
        Value::Seq(items) => items.iter().for_each(|n| repositories(n, known)),
        Value::Null | Value::Scalar { .. } => {}
    }
}

/// Warns of habits that say something in a distribution's file, and that only the backend of another one, the `reader`, reads.
pub fn unheard(plan: &Plan, reader: &str, habits: &[&str], findings: &mut Findings) {
    let distro = &plan.distro_name;
    let said = plan.distro_node.as_ref().and_then(|node| node.get("habits"));
    for key in habits {
        // That nothing is done needs no reader.
        let asked = said.and_then(|habits| habits.get(key)).filter(|value| value.text() != Some("none"));
        if let Some(span) = asked.and_then(place) {
            findings.push(
                Finding::warning("W0222", Some(span), format!("nothing in {distro} reads `habits.{key}`"))
                    .label(format!("only {reader} does")),
            );
        }
    }
}

/// Reports settings in a distribution's file that its backend, which reads those `known`, does not have.
pub fn unread_settings(plan: &Plan, known: &[&str], findings: &mut Findings) {
    let settings = plan.distro_node.as_ref().and_then(|node| node.get("settings"));
    let settings = settings.map(Node::entries).unwrap_or_default();
    for (key, _) in settings.iter().filter(|(key, _)| !known.contains(&key.name.as_str())) {
        findings.push(
            Finding::error("E0110", key.span, format!("unknown setting `{}`", key.name))
                .label(format!("expected one of: {}", known.join(", ")))
                .nearest(&key.name, known.iter().copied()),
        );
    }
}

/// Where a value says something: of a list, its first element.
fn place(value: &Node) -> Option<Span> {
    match &value.value {
        Value::Null => None,
        Value::Seq(items) => items.first().map(|item| item.span),
        Value::Scalar { .. } | Value::Map(_) => Some(value.span),
    }
}

fn is_broken(model: &Model, name: &str) -> bool {
    model.broken.contains(&format!("components/{name}.yaml"))
}
