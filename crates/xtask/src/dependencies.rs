//! What the crates that we depend on may be: their licences, where they come from, and none of them twice.
//!
//! cargo-deny would say the same, but takes longer to build than all of CI; `cargo xtask whole` has it ask for advisories, the list
//! of which comes from the network.

use serde_json::Value;
use std::{collections::BTreeMap, path::Path};

use crate::tools::{self, Outcome};

/// Licences that a program under MIT may hold crates of.
const LICENCES: [&str; 6] = ["Apache-2.0", "BSD-3-Clause", "MIT", "MPL-2.0", "Unicode-3.0", "Zlib"];

/// Crates that stand twice, and who keeps the older one.
const TWICE: [(&str, &str); 4] = [
    ("cpufeatures", "sha2 0.10, and the random numbers of proptest"),
    ("foldhash", "hashbrown 0.15"),
    ("hashbrown", "rowan, petgraph and indexmap"),
    ("syn", "derives that have not moved yet"),
];

/// The registry that all crates come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Checks every crate that Cargo.lock names.
pub(crate) fn run(root: &Path) -> Outcome {
    let output = tools::cargo(root, &["metadata", "--format-version", "1", "--locked"])
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)));
    }
    let metadata: Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("cargo metadata: {e}"))?;
    let faults = faults(metadata["packages"].as_array().ok_or("cargo metadata names no packages")?);
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n  ")) }
}

fn faults(packages: &[Value]) -> Vec<String> {
    let mut out = Vec::new();
    let mut versions: BTreeMap<&str, usize> = BTreeMap::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        *versions.entry(name).or_default() += 1;
        // Ours have a folder and no source.
        match package["source"].as_str() {
            None | Some(REGISTRY) => {}
            Some(other) => out.push(format!("{name}: it comes from {other}, not from crates.io")),
        }
        let licence = package["license"].as_str().unwrap_or_default();
        if !is_allowed(licence) {
            out.push(format!("{name}: the licence `{licence}` is not one of {}", LICENCES.join(", ")));
        }
    }
    for (name, count) in &versions {
        match (TWICE.iter().any(|(known, _)| known == name), *count > 1) {
            (false, true) => out.push(format!("{name}: {count} versions of it are built")),
            (true, false) => out.push(format!("{name}: it stands once now, so it need not be listed")),
            _ => {}
        }
    }
    out
}

/// Whether an SPDX expression can be met by the licences above. Some crates still write `/` for `OR`.
fn is_allowed(licence: &str) -> bool {
    spdx::Expression::parse_mode(licence, spdx::ParseMode::LAX).is_ok_and(|parsed| {
        parsed.evaluate(|term| {
            term.license.id().is_some_and(|id| LICENCES.contains(&id.name)) && term.exception.is_none()
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn licences_are_read_as_spdx() {
        assert!(is_allowed("MIT OR Apache-2.0 OR LGPL-2.1-or-later") && is_allowed("Unlicense/MIT"));
        assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
        assert!(!is_allowed("GPL-3.0-only") && !is_allowed("MIT AND GPL-3.0-only") && !is_allowed(""));
    }

    #[test]
    fn a_stranger_is_named() {
        let ours = TWICE.iter().flat_map(|(name, _)| [name; 2]);
        let mut all: Vec<Value> =
            ours.map(|name| json!({"name": name, "license": "MIT", "source": REGISTRY})).collect();
        assert!(faults(&all).is_empty());
        all.push(json!({"name": "a", "license": "MIT", "source": "git+https://example.org/a"}));
        all.push(json!({"name": "a", "license": "GPL-3.0-only", "source": REGISTRY}));
        let found = faults(&all);
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
