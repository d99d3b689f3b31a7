//! Gentoo's Manifests: what is rendered joins what is there. `ebuild … manifest` adds lines for archives whose checksums are
//! in no table, and the ebuilds of other versions beside the rendered one need theirs.

use crate::present;
use rocpkg::StackTree;
use rocpkg::gentoo::join_manifest;
use rocpkg::render::WriteOptions;
use std::collections::BTreeSet;
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
        let Some(old) = present::text(&place)? else { continue };
        let folder = listing.path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let others = ebuilds(&out.join(folder))?.into_iter().map(|name| format!("{folder}/{name}"));
        let mut others = others.filter(|path| tree.files.get(path).is_none());
        let shared = others.any(|path| !(options.prune && ours.contains(&path)));
        let (joined, other) = join_manifest(&listing, &old, shared, options.force);
        wrong.extend(other.iter().map(|name| {
            let path = &listing.path;
            format!("{path}: the checksums of {name} are not those of the model (--force takes the model's)")
        }));
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
