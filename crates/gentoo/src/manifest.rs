//! Manifests that are there already: what is rendered joins them.

use rocpkg_render::Listing;
use std::collections::BTreeMap;

/// The lines of a rendered Manifest and of the one that is there; `shared` when other ebuilds of the folder need the lines that
/// ours do not, `force` when the model's lines count where the two disagree. Also the archives of which they state different facts.
pub fn join_manifest(rendered: &Listing, old: &str, shared: bool, force: bool) -> (Listing, Vec<String>) {
    let mut lines = rendered.lines.clone();
    let mut wrong = Vec::new();
    // A carriage return before the end of a line is no part of it, nor before the end of the file.
    let old = old.lines().map(|l| l.trim_end_matches('\r'));
    for line in old.filter(|l| !l.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let name = match (words.next(), words.next()) {
            (Some("DIST"), Some(name)) => name.to_owned(),
            // A thick Manifest lists files of the repository too; these lines belong to whoever wrote them.
            _ => line.to_owned(),
        };
        match lines.get(&name) {
            Some(Some(known)) if !force && disagree(known, line) => wrong.push(name),
            Some(None) => {
                lines.insert(name, Some(line.to_owned()));
            }
            None if shared => {
                lines.insert(name, Some(line.to_owned()));
            }
            _ => {}
        }
    }
    (Listing { lines, ..rendered.clone() }, wrong)
}

/// True when two lines state the same fact of a file in two ways.
fn disagree(a: &str, b: &str) -> bool {
    let facts = |line: &str| -> BTreeMap<String, String> {
        let words: Vec<&str> = line.split_whitespace().skip(2).collect();
        let size = words.first().map(|s| ("size".to_owned(), (*s).to_owned()));
        let sums = words.get(1..).unwrap_or_default().chunks(2);
        let sums = sums.map(|pair| (pair[0].to_owned(), pair.get(1).unwrap_or(&"").to_lowercase()));
        size.into_iter().chain(sums).collect()
    };
    let (a, b) = (facts(a), facts(b));
    a.iter().any(|(kind, value)| b.get(kind).is_some_and(|other| other != value))
}
