//! Checks the features and releases that conditions name.

use crate::layer::conditions::{LISTS, conditions};
use crate::plan::constraints::one;
use crate::read::release::read_range;
use rocpkg_model::{Cond, Finding, Findings, Node};

/// Reports features in the conditions of `tree` that are not among `features`, the features of the
/// package. Also reports releases that can't be read.
pub(crate) fn check(tree: &Node, features: &[&str], findings: &mut Findings) {
    for (key, node) in conditions(tree) {
        let Some(text) = node.text() else { continue };
        // Conditions under other keys that can't be read are reported when they are decoded.
        let Some(cond) = Cond::parse(text)
            .ok()
            .or_else(|| LISTS.contains(&key).then(|| one(text)))
        else {
            continue;
        };
        for f in cond
            .features()
            .into_iter()
            .filter(|f| !features.contains(f))
        {
            findings.push(
                Finding::error("E0201", node.span, format!("unknown feature `{f}`"))
                    .label("expected a feature of this package")
                    .nearest(f, features.iter().copied()),
            );
        }
        for r in cond.releases().into_iter().chain(cond.llvms()) {
            read_range(r, node.span, findings);
        }
    }
}
