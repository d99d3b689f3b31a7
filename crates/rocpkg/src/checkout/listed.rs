//! The files beside a recipe that repeat facts of the recipe: Manifest and `.SRCINFO`. They are
//! compared with the recipe once all files of the tree are complete.

use super::existing_recipe::Conflict;
use super::line_ends::read_text;
use super::surroundings::folder;
use super::todo::TodoKind;
use crate::error::Error;
use crate::tree::Tree;
use rocpkg_syntax::{Fault, Surroundings, place};
use std::collections::BTreeMap;
use std::path::Path;

/// The names of these files. Beside each is the code of the finding that the check of a recipe
/// reports if the file and the recipe disagree.
pub(super) const LISTS: [(&str, &str); 2] = [("Manifest", "E0809"), (".SRCINFO", "E0825")];

/// Returns a conflict for each Manifest that lacks archives, and for each `.SRCINFO` that differs
/// from its recipe. `by_hand` has the path of each recipe whose text differs from the model's
/// recipe. Other recipes are not checked: the model has the right lists for them.
///
/// # Errors
/// When a file can't be read.
pub(super) fn stale(
    tree: &Tree,
    out: &Path,
    by_hand: &BTreeMap<String, String>,
) -> Result<Vec<Conflict>, Error> {
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
            // An archive whose checksum is unknown has no line in the Manifest. That is reported
            // elsewhere.
            let is_unknown = |fault: &Fault| {
                let mut unknown = tree.unknown_sums.iter().filter(|(_, sum)| sum.path == list);
                unknown.any(|(_, sum)| fault.file.as_ref() == Some(&sum.name))
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
                all.push(Conflict {
                    kind: if name == "Manifest" {
                        TodoKind::Sum
                    } else {
                        TodoKind::Refused
                    },
                    package: package.clone(),
                    path: path.clone(),
                    line,
                    column,
                    item: vec![name.to_owned()],
                    before: None,
                    after: None,
                    existing: None,
                    reason: Some(format!("{}{more}", first.finding.message)),
                });
            }
        }
    }
    Ok(all)
}
