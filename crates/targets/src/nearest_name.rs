//! Finds the known names that are nearest to a wrong name, for hints.

use crate::product_line::Words;
use crate::{Carrier, Products, Registry};

/// The length of the longest name for which the nearest names are looked up, in bytes. A longer
/// name is no typo, and the cost of the search grows with its length for each known name.
const LONGEST: usize = 64;

/// Returns the known names at the smallest distance from the wrong name `lower`, each with its
/// targets as text. The text is empty if the name is itself a target. At most five names are
/// returned, and none that is farther away than a third of the letters or eight edits.
pub(crate) fn nearest(
    registry: &Registry,
    products: Option<&Products>,
    lower: &str,
) -> Vec<(String, String)> {
    if lower.len() > LONGEST {
        return Vec::new();
    }
    let bare = lower.split(':').next().unwrap_or(lower);
    let limit = (bare.chars().count() / 3).min(8);
    // Two words are at least as far apart as their lengths, which spares most of the comparisons.
    let near = |a: &str, b: &str| {
        let apart = a.chars().count().abs_diff(b.chars().count());
        (apart <= limit)
            .then(|| strsim::osa_distance(a, b))
            .filter(|d| *d <= limit)
    };
    let mut all: Vec<(usize, String, String)> = Vec::new();
    for t in registry.all().iter() {
        let name = registry.name(t);
        all.extend(near(bare, name).map(|d| (d, name.to_owned(), String::new())));
    }
    for (name, targets) in registry.families() {
        let d = near(bare, &name.to_ascii_lowercase());
        all.extend(d.map(|d| (d, name.to_owned(), registry.show(targets))));
    }
    let wanted = Words::of(bare);
    for (words, row) in products
        .iter()
        .flat_map(|p| &p.names)
        .filter(|(w, _)| !w.rest.is_empty())
    {
        // A name of another product line is no typo, unless all other words are the same.
        let (key, other) = (wanted.key(), words.key());
        let d = if wanted.may_mean(words) {
            near(&key, &other)
        } else {
            (key.len() > 3 && key == other).then_some(1)
        };
        let d = d
            .into_iter()
            .chain(near(&wanted.line(), &words.line()))
            .min();
        all.extend(d.map(|d| (d, row.name.clone(), registry.name(row.target).to_owned())));
    }
    if all.is_empty() {
        // "RX 7800 XT Something": the longest name that the text begins with.
        let begun = |(w, _): &&(Words, Carrier)| wanted.may_mean(w) && w.begins(&wanted);
        let begun: Vec<_> = products
            .iter()
            .flat_map(|p| &p.names)
            .filter(begun)
            .collect();
        let longest = begun.iter().map(|(w, _)| w.key().len()).max();
        let of_it = begun.iter().filter(|(w, _)| Some(w.key().len()) == longest);
        all.extend(
            of_it.map(|(_, row)| (0, row.name.clone(), registry.name(row.target).to_owned())),
        );
    }
    let least = all.iter().map(|(d, ..)| *d).min();
    let mut out: Vec<(String, String)> = Vec::new();
    for (_, name, target) in all.into_iter().filter(|(d, ..)| Some(*d) == least) {
        if let Some((_, targets)) = out.iter_mut().find(|(n, _)| *n == name) {
            *targets = format!("{targets} or {target}");
        } else if out.len() < 5 {
            out.push((name, target));
        }
    }
    out
}
