//! How much the shared model carries: the facts of components beside those that the overlays of
//! each distribution hold.

use rocpkg::model::{Findings, parse};
use std::collections::BTreeMap;

/// The most facts that the overlays of a distribution's packages may hold together: those of what
/// ships, and since then those of 10.
const MOST_OVERLAY_FACTS: [(&str, usize); 4] = [
    ("gentoo", 2030),
    ("arch", 990),
    ("nixpkgs", 1413),
    ("solus", 764),
];

/// Counts, prints, and fails where overlays hold more than they did.
pub(crate) fn run() -> Result<(), String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (path, text) in rocpkg::shipped::profiles() {
        let place = match path.split('/').collect::<Vec<_>>()[..] {
            ["components", _] => "components",
            ["distros", distro, _] => distro,
            _ => continue,
        };
        let node = parse(0, &text, &mut Findings::default());
        *counts.entry(place.to_owned()).or_default() +=
            node.as_ref().map_or(0, |node| node.ends().len());
    }
    println!("facts: {counts:?}");
    let grown = MOST_OVERLAY_FACTS.into_iter().filter_map(|(distro, most)| {
        let held = counts.get(distro).copied().unwrap_or_default();
        (held > most).then(|| format!("overlays of {distro} hold {held} facts, {most} are allowed"))
    });
    let grown: Vec<_> = grown.collect();
    if grown.is_empty() {
        Ok(())
    } else {
        Err(grown.join("; "))
    }
}
