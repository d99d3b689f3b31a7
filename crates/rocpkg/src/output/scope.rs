//! The scope of a nixpkgs checkout: our calls join the file that names all packages, and all else
//! of it stays.

use super::line_ends::read_text;
use crate::error::{Error, Problems};
use crate::tree::Tree;
use rocpkg_model::{Finding, Findings, Sources, Span};
use std::path::Path;

/// Takes the rendered scope into the tree. Where one lies there, our calls join it: a call passes
/// on what the expression takes that will lie beside it. A checkout that has recipes and no scope
/// gets none. Returns what calls lost.
///
/// # Errors
/// When the scope that lies there can't be read or understood.
pub(super) fn join(tree: &mut Tree, out: &Path, prefix: &str) -> Result<Vec<String>, Error> {
    let path = file(prefix);
    let present = read_text(&out.join(&path))?;
    let has_recipe = tree.recipes().any(|(path, _)| out.join(path).is_file());
    for (file, bytes) in tree.of_all() {
        if present.is_none() && has_recipe {
            tree.files.remove(&file);
        } else {
            tree.files.replace(file, bytes)?;
        }
    }
    tree.shared = rocpkg_render::FileTree::default();
    let Some(present) = present else {
        return Ok(Vec::new());
    };
    let written = |file: &str| tree.text(&format!("{prefix}{file}"));
    let rendered = tree.text(&path).unwrap_or_default();
    let (joined, lost) = rocpkg_nix::join_scope(rendered, &present, written).map_err(|fault| {
        let mut sources = Sources::default();
        let (start, end) = (u32::try_from(fault.start), u32::try_from(fault.end));
        let file = sources.add(&path, present.as_str());
        let span = Span {
            file,
            start: start.unwrap_or(0),
            end: end.unwrap_or(0),
            inset: None,
        };
        let mut findings = Findings::default();
        findings.push(Finding::error(fault.code, span, fault.message).label(fault.label));
        Error::Findings(Box::new(Problems { findings, sources }))
    })?;
    tree.files.replace(path.as_str(), joined)?;
    let line = |at: usize| present[..at].matches('\n').count() + 1;
    Ok(lost
        .into_iter()
        .map(|(at, said)| format!("{path}:{}: {said}", line(at)))
        .collect())
}

/// The file that names all packages.
fn file(prefix: &str) -> String {
    format!("{prefix}default.nix")
}
