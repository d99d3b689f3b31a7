//! For which releases a patch, a replacement or a piece of shell text was checked, and for which it is known what targets upstream
//! accepts.
//!
//! Such a fact was seen to hold where its distribution ships the package; `checked: ">=7.1, <7.3"` says more. Rendering
//! another release is possible, and names each fact of which nobody said that it holds there.

use crate::read::files::Layers;
use crate::read::release::{Release, read_range};
use rocpkg_model::{Finding, Findings, Node, Package, Value};

/// The keys of a step that rests on what upstream's files hold, with what to call it.
const STEPS: [(&str, &str); 4] = [
    ("replace", "replacement"),
    ("sed", "sed script"),
    ("cherry-pick", "picked commit"),
    ("raw", "shell text"),
];

/// Names each fact of a package that was not checked for `release`; `shipped` is what the distribution ships.
pub(crate) fn unchecked(node: &Node, release: &Release, shipped: &Release, findings: &mut Findings) {
    let mut asked = Asked { release, shipped, findings };
    if let Some(Value::Seq(patches)) = node.get("patches").map(|n| &n.value) {
        for patch in patches {
            let name = patch.get("file").and_then(Node::text).unwrap_or_default();
            asked.fact(patch, &format!("patch `{name}`"));
        }
    }
    asked.steps(node);
}

/// Reports a release of which nobody said what targets upstream accepts, while it is known of others: all that are not excluded
/// are offered then.
pub(crate) fn unknown_support(
    package: &Package,
    component: &Layers,
    version: &Release,
    findings: &mut Findings,
) {
    let Some(targets) = package.targets.as_ref().filter(|t| t.supports.is_empty()) else { return };
    let mut rows = component.iter().filter_map(|layer| layer.get("targets")?.get("supports"));
    let rows = rows.rfind(|rows| matches!(&rows.value, Value::Seq(rows) if !rows.is_empty()));
    let Some(rows) = rows else { return };
    let variable = targets.variable.0.first().map_or("its list", |v| v.value.as_str());
    let message = format!("what `{variable}` may hold at {version} is not known");
    findings.push(
        Finding::warning("W0224", Some(rows.span.begin()), message)
            .label("expected a row for this release; all targets that are not excluded are offered")
            .hint("look into upstream's CMakeLists.txt of that release"),
    );
}

struct Asked<'a> {
    release: &'a Release,
    shipped: &'a Release,
    findings: &'a mut Findings,
}

impl Asked<'_> {
    fn steps(&mut self, node: &Node) {
        match &node.value {
            Value::Seq(items) => items.iter().for_each(|n| self.steps(n)),
            Value::Map(entries) => {
                for (key, what) in STEPS {
                    if node.get(key).is_some_and(|n| is_step(key, n)) {
                        self.fact(node, what);
                    }
                }
                // A dependency may be called `sed`; steps stand elsewhere.
                let elsewhere =
                    entries.iter().filter(|(k, _)| !matches!(k.name.as_str(), "depends" | "patches"));
                elsewhere.for_each(|(_, n)| self.steps(n));
            }
            _ => {}
        }
    }

    fn fact(&mut self, node: &Node, what: &str) {
        let stated = node.get("checked").and_then(|n| Some((n, n.text()?)));
        let range = match stated.map(|(n, text)| read_range(text, n.span, self.findings)) {
            None => None,
            Some(Some(range)) => Some(range),
            Some(None) => return,
        };
        let holds = self.release == self.shipped || range.is_some_and(|r| r.contains(self.release));
        if holds {
            return;
        }
        let label = match stated {
            Some((_, text)) => format!("checked for {} and `{text}`", self.shipped),
            None => format!("checked for {}, which is shipped", self.shipped),
        };
        let message = format!("nobody checked for {} the {what}", self.release);
        self.findings.push(
            Finding::warning("W0220", Some(node.span), message)
                .label(label)
                .hint("look at upstream's files, then say `checked` with the range of releases"),
        );
    }
}

/// True when the value under a step's key is what such a step has.
fn is_step(key: &str, node: &Node) -> bool {
    match key {
        "replace" | "sed" => node.get("files").is_some(),
        "cherry-pick" => matches!(node.value, Value::Seq(_)),
        _ => node.text().is_some(),
    }
}
