//! Gentoo's Manifests: what is rendered joins what is there. `ebuild … manifest` adds lines for archives whose checksums are
//! in no table, and the ebuilds of other versions beside the rendered one need theirs.

use rocpkg::StackTree;
use rocpkg::render::{Listing, WriteOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Joins each Manifest of the tree with the one in the output, where `ours` are our files, and tells the writer which they are.
///
/// # Errors
/// When a file can't be read, or states another checksum than the model and `--force` is not given.
pub(crate) fn join(
    tree: &mut StackTree,
    out: &Path,
    ours: &BTreeSet<String>,
    partial: bool,
    options: &mut WriteOptions,
) -> Result<(), String> {
    let mut wrong = Vec::new();
    for listing in std::mem::take(&mut tree.listings) {
        let place = out.join(&listing.path);
        // What is no plain file, the writer refuses; reading it could wait for ever.
        if !fs::symlink_metadata(&place).is_ok_and(|m| m.is_file()) {
            continue;
        }
        let old = fs::read_to_string(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        let folder = listing.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let others = ebuilds(&out.join(folder))?.into_iter().map(|name| format!("{folder}/{name}"));
        let mut others = others.filter(|path| tree.files.get(path).is_none());
        let shared = others.any(|path| !(options.prune && ours.contains(&path)));
        let joined = joined(&listing, &old, shared, options.force, &mut wrong);
        if let Some(text) = joined.text(partial) {
            tree.files.replace(listing.path.clone(), text).map_err(|e| e.to_string())?;
            options.merged.insert(listing.path);
        } else {
            // What is there may be all that is known; half a Manifest would not be better.
            tree.files.remove(&listing.path);
            options.present.insert(listing.path);
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\nerror: ")) }
}

/// The ebuilds of a folder by name.
fn ebuilds(folder: &Path) -> Result<Vec<String>, String> {
    let said = |e| format!("{}: {e}", folder.display());
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).map_err(said)? {
        out.push(entry.map_err(said)?.file_name().to_string_lossy().into_owned());
    }
    out.retain(|name| name.ends_with(".ebuild"));
    Ok(out)
}

/// The lines of both; `shared` when other ebuilds of the folder need the lines that ours do not.
fn joined(listing: &Listing, old: &str, shared: bool, force: bool, wrong: &mut Vec<String>) -> Listing {
    let mut lines = listing.lines.clone();
    for line in old.lines().filter(|l| !l.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let name = match words.as_slice() {
            ["DIST", name, ..] => (*name).to_owned(),
            // A thick Manifest lists files of the repository too; these lines belong to whoever wrote them.
            _ => line.to_owned(),
        };
        match lines.get(&name) {
            Some(Some(known)) if !force && disagree(known, line) => {
                wrong.push(format!(
                    "{}: the checksums of {name} are not those of the model (--force takes the model's)",
                    listing.path
                ));
            }
            Some(None) => {
                lines.insert(name, Some(line.to_owned()));
            }
            None if shared => {
                lines.insert(name, Some(line.to_owned()));
            }
            _ => {}
        }
    }
    Listing { lines, ..listing.clone() }
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
