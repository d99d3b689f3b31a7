//! Checksums that no source has a use for.

use crate::layer::model::Model;
use crate::plan::Plan;
use crate::read::checksums::entries;
use crate::read::release::Release;
use rocpkg_model::{Finding, Findings, Node, slip};
use std::collections::BTreeSet;

/// Names the checksums of a user's layers that no source reads, where `plans` are those of all distributions. Of a release that not all
/// of them plan, only what is a key of theirs but for a letter is named: nobody looked at its sources.
pub fn check_unread(model: &Model, plans: &[&Plan], findings: &mut Findings) {
    let theirs = |node: &Node| model.depths.of(node.span) > 0;
    let sources = || plans.iter().flat_map(|plan| &plan.packages).flat_map(|p| &p.sources);
    for line in model.line_nodes.values() {
        let tables = entries(line, "versions").iter();
        let tables = tables.map(|(key, version)| (Some(key.name.as_str()), entries(version, "checksums")));
        for (version, table) in tables.chain([(None, entries(line, "files"))]) {
            let mut added = table.iter().filter(|(_, sums)| theirs(sums)).peekable();
            if added.peek().is_none() {
                continue;
            }
            let planned = version.filter(|v| plans.iter().all(|plan| plan.version.as_str() == *v));
            let known: BTreeSet<&str> = sources()
                .filter(|s| planned.is_none_or(|v| v.parse().is_ok_and(|v: Release| v == s.version)))
                .map(|s| s.key.as_str())
                .collect();
            let guess = version.is_some() && planned.is_none();
            for (key, _) in added.filter(|(key, _)| !known.contains(key.name.as_str())) {
                if guess && slip(&key.name, known.iter().copied()).is_none() {
                    continue;
                }
                let at = version.map_or_else(String::new, |v| format!(" of {v}"));
                let message = format!("no source reads the checksum `{}`{at}", key.name);
                let finding = Finding::warning("W0221", Some(key.span), message)
                    .label("expected a key that `rocpkg explain PACKAGE` prints");
                findings.push_nearest(finding, &key.name, known.iter().copied());
            }
        }
    }
}
