//! The files beside a recipe that list what it says, Manifest and `.SRCINFO`, read back once all is
//! in its place.

use super::line_ends::read_text;
use super::surroundings::folder;
use super::there::Left;
use crate::error::Error;
use crate::tree::Tree;
use rocpkg_syntax::{Fault, Surroundings, place};
use std::collections::BTreeMap;
use std::path::Path;

/// The files, each with the code of what a check finds in it.
pub(super) const LISTS: [(&str, &str); 2] = [("Manifest", "E0809"), (".SRCINFO", "E0825")];

/// Returns a conflict for each archive that a Manifest lacks, and for each `.SRCINFO` that says
/// something else than its recipe.
///
/// `by_hand` are the recipes that are not as they are rendered; rendered ones come with lists of
/// their own.
///
/// # Errors
/// When a file can't be read.
pub(super) fn stale(
    tree: &Tree,
    out: &Path,
    by_hand: &BTreeMap<String, String>,
) -> Result<Vec<Left>, Error> {
    let mut all = Vec::new();
    for path in by_hand.keys() {
        let (Some(text), Some((backend, package))) = (tree.text(path), tree.owners.get(path))
        else {
            continue;
        };
        for (name, code) in LISTS {
            let list = [folder(path), name].join("/");
            let list = list.trim_start_matches('/').to_owned();
            let listed = match tree.text(&list) {
                Some(text) => Some(text.to_owned()),
                None => read_text(&out.join(&list))?,
            };
            let Some(listed) = listed else { continue };
            let surroundings = Surroundings {
                path: path.clone(),
                texts: BTreeMap::from([(name.to_owned(), listed.into())]),
                ..Surroundings::default()
            };
            // A checksum that nobody knows is told as such.
            let is_unknown = |fault: &Fault| {
                let mut unknown = tree.unknown_sums.iter().filter(|(_, sum)| sum.path == list);
                unknown.any(|(_, sum)| fault.finding.message.contains(&format!("`{}`", sum.name)))
            };
            let faults = backend.check(text, &surroundings).faults;
            let faults: Vec<&Fault> = faults
                .iter()
                .filter(|fault| fault.finding.code == code && !is_unknown(fault))
                .collect();
            if let Some(first) = faults.first() {
                let (line, column) = place(text, first.at());
                let more = match faults.len() {
                    1 => String::new(),
                    n => format!(", and {} more like it", n - 1),
                };
                all.push(Left {
                    package: package.clone(),
                    path: path.clone(),
                    line,
                    column,
                    item: vec![name.to_owned()],
                    before: None,
                    after: None,
                    there: None,
                    reason: Some(format!("{}{more}", first.finding.message)),
                });
            }
        }
    }
    Ok(all)
}
