//! Conditions that the plan can answer already (release, fixed features) are answered on the tree itself.

use crate::read::release::{Release, holds, read_range};
use compact_str::ToCompactString;
use rocpkg_model::{Cond, Finding, Findings, Key, Node, Value};
use std::collections::BTreeMap;

/// What is known when a package is planned.
pub(crate) struct Known<'a> {
    pub(crate) release: &'a Release,
    pub(crate) fixed: BTreeMap<String, bool>,
    /// The GPU targets that can be chosen; another one never is. Absent where that is not known.
    pub(crate) offered: Option<Vec<String>>,
}

impl Known<'_> {
    fn answer(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Feature(f) => self.fixed.get(f).copied(),
            Cond::Release(r) => holds(r, self.release),
            Cond::Target(t) => self.offered.as_ref().filter(|all| !all.contains(t)).map(|_| false),
            _ => None,
        }
    }
}

/// The features that a distribution fixes, read from the merged tree.
pub(crate) fn fixed_features(package: &Node) -> BTreeMap<String, bool> {
    let features = package.get("features").map(Node::entries).unwrap_or_default();
    features
        .iter()
        .filter_map(|(key, node)| match node.get("fixed").and_then(Node::text) {
            Some("true") => Some((key.name.to_string(), true)),
            Some("false") => Some((key.name.to_string(), false)),
            _ => None,
        })
        .collect()
}

/// Drops every entry whose `when` is known to be false, and every `when` that is known to be true.
pub(crate) fn prune(node: &mut Node, known: &Known) {
    match &mut node.value {
        Value::Seq(items) => {
            items.retain_mut(|n| keep(n, known));
            for n in items {
                prune(n, known);
            }
        }
        Value::Map(entries) => {
            entries.retain_mut(|(_, n)| keep(n, known));
            for (_, n) in entries {
                prune(n, known);
            }
        }
        _ => {}
    }
}

/// Answers the conditions of one entry; false when it falls away.
pub(crate) fn keep(node: &mut Node, known: &Known) -> bool {
    if matches!(node.value, Value::Map(_)) {
        answer_value(node, known);
    }
    let Value::Map(entries) = &mut node.value else { return true };
    let Some(at) = entries.iter().position(|(k, _)| k.name == "when") else { return true };
    let Some(Ok(cond)) = entries[at].1.text().map(Cond::parse) else { return true };
    match cond.reduce(&|c| known.answer(c)) {
        Ok(true) => {
            entries.remove(at);
            entries.retain(|(k, _)| k.name != "otherwise");
            true
        }
        Ok(false) => {
            let Some(other) = entries.iter().position(|(k, _)| k.name == "otherwise") else { return false };
            let (key, steps) = entries.remove(other);
            *entries = vec![(Key { name: "group".into(), span: key.span }, steps)];
            true
        }
        Err(left) => {
            let span = entries[at].1.span;
            entries[at].1 =
                Node { span, value: Value::Scalar { text: left.to_compact_string(), plain: true } };
            true
        }
    }
}

/// `feature: test`, `unless: test` and `choose: test` become plain values when the answer is known; what is known of a part
/// of the condition falls away.
fn answer_value(node: &mut Node, known: &Known) {
    let Value::Map(entries) = &mut node.value else { return };
    for word in ["feature", "unless", "choose"] {
        let Some(at) = entries.iter().position(|(k, _)| k.name == word) else { continue };
        let Some(Ok(cond)) = entries[at].1.text().map(Cond::parse) else { continue };
        let answer = match cond.reduce(&|c| known.answer(c)) {
            Ok(answer) => answer,
            Err(left) => {
                entries[at].1.value = Value::Scalar { text: left.to_compact_string(), plain: true };
                continue;
            }
        };
        let (key, asked) = entries.remove(at);
        let value = match word {
            "choose" => {
                let (take, leave) = if answer { ("then", "else") } else { ("else", "then") };
                entries.retain(|(k, _)| k.name != leave);
                let Some(i) = entries.iter().position(|(k, _)| k.name == take) else { return };
                entries.remove(i).1.value
            }
            _ => Value::Scalar { text: (answer == (word == "feature")).to_compact_string(), plain: true },
        };
        entries.push((Key { name: "value".into(), span: key.span }, Node { span: asked.span, value }));
    }
}

/// Reports features and releases in conditions that nobody declared or that can't be read.
pub(crate) fn check(node: &Node, features: &[&str], targets: &[&str], findings: &mut Findings) {
    match &node.value {
        Value::Seq(items) => items.iter().for_each(|n| check(n, features, targets, findings)),
        Value::Map(entries) => {
            for (key, value) in entries {
                let asks = matches!(key.name.as_str(), "when" | "unless" | "choose" | "need" | "feature");
                // The lists of a constraint name conditions too.
                let lists = matches!(key.name.as_str(), "exactly-one" | "at-most-one" | "any-of");
                if let (true, Value::Seq(items)) = (lists, &value.value) {
                    for (item, text) in items.iter().filter_map(|i| Some((i, i.text()?))) {
                        check_one(
                            &crate::validate::constraints::one(text),
                            item,
                            features,
                            targets,
                            findings,
                        );
                    }
                    continue;
                }
                match value.text().filter(|_| asks).map(Cond::parse) {
                    Some(Ok(cond)) => check_one(&cond, value, features, targets, findings),
                    Some(Err(_)) | None => check(value, features, targets, findings),
                }
            }
        }
        _ => {}
    }
}

fn check_one(cond: &Cond, node: &Node, features: &[&str], targets: &[&str], findings: &mut Findings) {
    for f in cond.features().into_iter().filter(|f| !features.contains(f)) {
        findings.push(
            Finding::error("E0201", node.span, format!("unknown feature `{f}`"))
                .label("expected a feature of this package")
                .nearest(f, features.iter().copied()),
        );
    }
    for t in cond.targets().into_iter().filter(|t| !targets.is_empty() && !targets.contains(t)) {
        findings.push(
            Finding::error("E0202", node.span, format!("unknown GPU target `{t}`"))
                .label("expected a processor of targets.yaml")
                .nearest(t, targets.iter().copied()),
        );
    }
    for r in cond.releases() {
        read_range(r, node.span, findings);
    }
}
