//! Features, targets and releases that conditions name.

use crate::plan::constraints::one;
use crate::read::release::read_range;
use rocpkg_model::{Cond, Finding, Findings, Node, Value};

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
                        check_one(&one(text), item, features, targets, findings);
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
