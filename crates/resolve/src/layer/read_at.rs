//! At which release a folder's facts about upstream's files were seen to hold.
//!
//! A distribution's version moves, in its file or in a folder laid over it, and what was seen of
//! the version before stays what it is. So each folder answers for what stands in it: by `read-at`,
//! and by `packages-read-at` where one package was seen at another release; one that says neither,
//! by the versions which that folder itself states. `read-at: ~` says that nobody knows.

use crate::read::release::{Release, read_release};
use rocpkg_model::{Findings, Node, Spanned, Value};
use std::collections::BTreeMap;

/// What one folder says of it, for one distribution.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadAt {
    most: Option<Release>,
    packages: BTreeMap<String, Release>,
}

impl ReadAt {
    /// Reads a distribution's file as one folder has it.
    ///
    /// # Errors
    /// What is no release is E0207 in `findings`.
    pub(crate) fn of(layer: &Node, findings: &mut Findings) -> Self {
        let mut release = |node: &Node| {
            let text = node.text()?.to_owned();
            read_release(
                &Spanned {
                    value: text,
                    span: node.span,
                },
                findings,
            )
        };
        let most = layer.get("read-at").and_then(&mut release);
        let packages = layer.entries_of("packages-read-at").iter();
        let mut packages: BTreeMap<String, Release> = packages
            .filter_map(|(k, n)| Some((k.name.to_string(), release(n)?)))
            .collect();
        if layer.get("read-at").is_some() || !packages.is_empty() {
            return Self { most, packages };
        }
        // What is wrong with these is told where they are read as versions.
        let said = |node: &Node| node.text()?.parse().ok();
        for (id, node) in layer.entries_of("packages") {
            let row = match &node.value {
                Value::Seq(rows) if rows.len() == 1 => rows.first(),
                _ => Some(node),
            };
            let pin = row.and_then(|row| said(row.get("version").unwrap_or(row)));
            packages.extend(pin.map(|pin| (id.name.to_string(), pin)));
        }
        Self {
            most: layer.get("version").and_then(said),
            packages,
        }
    }

    /// The release at which what this folder says of a package was seen.
    pub(crate) fn package(&self, id: &str) -> Option<&Release> {
        self.packages.get(id).or(self.most.as_ref())
    }
}
