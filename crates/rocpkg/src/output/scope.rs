//! The scope of a nixpkgs checkout: our calls join the file that names all packages, and all else of it stays.

use crate::error::{Error, Problems};
use crate::tree::Tree;
use rocpkg_model::{Finding, Findings, Sources, Span};
use rocpkg_render::{Manifest, WriteOptions, git_id, read_text};
use std::path::Path;

/// Takes the rendered scope into the tree, and notes that it joins the one below `prefix`, where one is there that holds more than ours.
///
/// # Errors
/// When that can't be read.
pub(super) fn fit(
    tree: &mut Tree,
    out: &Path,
    prefix: &str,
    ours: &Manifest,
    options: &mut WriteOptions,
) -> Result<(), Error> {
    let path = file(prefix);
    for (file, bytes) in tree.of_all() {
        tree.files.replace(file, bytes)?;
    }
    tree.shared = rocpkg_render::FileTree::default();
    let is_whole = tree.scope.is_empty();
    let is_ours = is_whole && ours.untouched(out, |p| p == path).contains(&path);
    if !is_ours && read_text(&out.join(&path))?.is_some() {
        let files = if ours.has(&path) { &mut options.merged } else { &mut options.shared };
        files.insert(path);
    }
    Ok(())
}

/// Joins the rendered scope to the one that lies there, once it is known which expressions will lie beside it: a call passes on what
/// the expression takes, and one that stays as hands made it is called as before.
///
/// # Errors
/// When the scope that lies there can't be understood.
pub(super) fn join(
    tree: &mut Tree,
    out: &Path,
    prefix: &str,
    ours: &Manifest,
    options: &WriteOptions,
) -> Result<(), Error> {
    let path = file(prefix);
    if !options.merged.contains(&path) && !options.shared.contains(&path) {
        return Ok(());
    }
    let Some(present) = read_text(&out.join(&path))? else { return Ok(()) };
    let stays = |path: &str, rendered: &str| {
        let by_hand = |present: &String| {
            present.as_str() != rendered && !ours.is_known(path, &git_id(present.as_bytes()))
        };
        let replaced = !options.keep || options.merged.contains(path);
        !replaced && read_text(&out.join(path)).ok().flatten().is_some_and(|text| by_hand(&text))
    };
    let written = |file: &str| {
        let path = format!("{prefix}{file}");
        tree.text(&path).filter(|rendered| !stays(&path, rendered))
    };
    let rendered = tree.text(&path).unwrap_or_default();
    let joined = rocpkg_nix::join_scope(rendered, &present, written).map_err(|fault| {
        let mut sources = Sources::default();
        let (start, end) = (u32::try_from(fault.start), u32::try_from(fault.end));
        let file = sources.add(&path, present.as_str());
        let span = Span { file, start: start.unwrap_or(0), end: end.unwrap_or(0), inset: None };
        let mut findings = Findings::default();
        findings.push(Finding::error(fault.code, span, fault.message).label(fault.label));
        Error::Findings(Box::new(Problems { findings, sources }))
    })?;
    tree.files.replace(path.as_str(), joined)?;
    Ok(())
}

/// The file that names all packages.
fn file(prefix: &str) -> String {
    format!("{prefix}default.nix")
}
