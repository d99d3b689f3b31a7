//! The scope of a nixpkgs checkout: our calls join the file that names all packages, and all else of it stays.

use crate::error::{Error, Problems};
use crate::tree::Tree;
use rocpkg_model::{Finding, Findings, Sources, Span};
use rocpkg_render::{Manifest, WriteOptions, read_text};
use std::path::Path;

/// Joins the rendered scope to the one at `path`, of which `folder` is the folder, where there is one that holds more than ours.
///
/// # Errors
/// When it can't be read or understood.
pub(super) fn fit(
    tree: &mut Tree,
    out: &Path,
    prefix: &str,
    ours: &Manifest,
    options: &mut WriteOptions,
) -> Result<(), Error> {
    let path = format!("{prefix}default.nix");
    for (file, bytes) in tree.of_all() {
        tree.files.replace(file, bytes)?;
    }
    tree.shared = rocpkg_render::FileTree::default();
    let Some(present) = read_text(&out.join(&path))? else { return Ok(()) };
    let is_whole = tree.scope.is_empty();
    if is_whole && ours.untouched(out, |p| p == path).contains(&path) {
        return Ok(());
    }
    let rendered = tree.text(&path).unwrap_or_default();
    let written = |file: &str| tree.text(&format!("{prefix}{file}"));
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
    let files = if ours.has(&path) { &mut options.merged } else { &mut options.shared };
    files.insert(path);
    Ok(())
}
