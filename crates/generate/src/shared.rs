//! Counts the facts in the shared model: those in the files of components, and those in the
//! overlays of each distribution.

use rocpkg::internal::model::{Findings, parse};
use std::collections::BTreeMap;

/// The highest number of facts that the overlays of each distribution's packages may contain
/// together. It covers the facts of the packages that are shipped, those of 10, and in Arch those
/// of the eleven packages that its pages added.
const MOST_OVERLAY_FACTS: [(&str, usize); 4] = [
    ("gentoo", 2215),
    ("arch", 1790),
    ("nixpkgs", 1535),
    ("solus", 797),
];

/// Counts and prints the facts. Fails if the overlays of a distribution contain more than
/// [`MOST_OVERLAY_FACTS`] allows.
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
        (held > most)
            .then(|| format!("overlays of {distro} contain {held} facts, {most} are allowed"))
    });
    let grown: Vec<_> = grown.collect();
    if grown.is_empty() {
        Ok(())
    } else {
        Err(grown.join("; "))
    }
}
