//! The release at which the facts in a folder of profiles were read from upstream's files.
//!
//! The version of a distribution changes, in its file or in a folder merged over it. Facts that
//! were read at the earlier version do not change with it. So each folder states the release of its
//! own facts: by `checked-at`, and by `packages-checked-at` for a package that was read at another
//! release. If a folder states neither, the versions that the same folder states are used.
//! `checked-at: ~` states that the release is not known.

use crate::read::release::{Release, read_release};
use rocpkg_model::{Findings, Node, Spanned, Value};
use std::collections::BTreeMap;

/// The releases at which one folder's facts about one distribution were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct CheckedAt {
    most: Option<Release>,
    packages: BTreeMap<String, Release>,
}

impl CheckedAt {
    /// Reads one folder's file of a distribution.
    ///
    /// # Errors
    /// A text that is no release is reported to `findings` as E0207.
    pub(crate) fn of(layer: &Node, findings: &mut Findings) -> Self {
        let mut read = |text: &str, span| {
            let value = text.to_owned();
            read_release(&Spanned { value, span }, findings)
        };
        // The days in `seen` are read with the whole record.
        for (key, _) in layer.entries_of("seen") {
            read(&key.name, key.span);
        }
        let mut release = |node: &Node| read(node.text()?, node.span);
        let most = layer.get("checked-at").and_then(&mut release);
        let packages = layer.entries_of("packages-checked-at").iter();
        let mut packages: BTreeMap<String, Release> = packages
            .filter_map(|(k, n)| Some((k.name.to_string(), release(n)?)))
            .collect();
        if layer.get("checked-at").is_some() || !packages.is_empty() {
            return Self { most, packages };
        }
        // Errors in these texts are reported where they are read as versions.
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

    /// Returns the release at which this folder's facts about the package `id` were read. Returns
    /// `None` if it is not known.
    pub(crate) fn package(&self, id: &str) -> Option<&Release> {
        self.packages.get(id).or(self.most.as_ref())
    }
}
