//! Features and releases that conditions name, and steps that wait for a condition.

use crate::plan::constraints::one;
use crate::read::release::read_range;
use rocpkg_model::{Cond, Finding, Findings, Node, Value};

/// Reports features and releases in conditions that nobody declared or that can't be read.
pub(crate) fn check(node: &Node, features: &[&str], findings: &mut Findings) {
    match &node.value {
        Value::Seq(items) => items.iter().for_each(|n| check(n, features, findings)),
        Value::Map(entries) => {
            let otherwise = entries.iter().find(|(key, _)| key.name == "otherwise");
            if let (Some((key, _)), None) = (otherwise, node.get("when")) {
                let finding = Finding::error("E0113", key.span, "`otherwise` without `when`");
                findings.push(finding.label("expected `when`: the condition that it depends on"));
            }
            for (key, value) in entries {
                let asks = matches!(key.name.as_str(), "when" | "choose" | "need" | "feature");
                // The lists of a constraint name conditions too.
                let lists = matches!(key.name.as_str(), "exactly-one" | "at-most-one" | "any-of");
                if let (true, Value::Seq(items)) = (lists, &value.value) {
                    for (item, text) in items.iter().filter_map(|i| Some((i, i.text()?))) {
                        check_one(&one(text), item, features, findings);
                    }
                    continue;
                }
                match value.text().filter(|_| asks).map(Cond::parse) {
                    Some(Ok(cond)) => check_one(&cond, value, features, findings),
                    Some(Err(_)) | None => check(value, features, findings),
                }
            }
        }
        _ => {}
    }
}

fn check_one(cond: &Cond, node: &Node, features: &[&str], findings: &mut Findings) {
    for f in cond.features().into_iter().filter(|f| !features.contains(f)) {
        findings.push(
            Finding::error("E0201", node.span, format!("unknown feature `{f}`"))
                .label("expected a feature of this package")
                .nearest(f, features.iter().copied()),
        );
    }
    for r in cond.releases() {
        read_range(r, node.span, findings);
    }
}
