//! The scope of a nixpkgs checkout: the file `default.nix` that calls the expressions of all
//! packages. The rendered calls are merged into it, and the rest of the file stays.

use super::line_ends::read_text;
use crate::error::{Error, Problems};
use crate::tree::Tree;
use rocpkg_model::{Finding, Findings, Sources, Span};
use std::path::Path;

/// Takes the rendered scope into the tree. If the checkout `out` has a scope, the rendered calls
/// are merged into it. A call passes only arguments that the expression takes once all files are
/// written. A checkout with expressions and without a scope gets no scope. `prefix` is the path
/// from the checkout to the scope's folder, with a slash at the end.
///
/// Returns notes about arguments that were removed from calls.
///
/// # Errors
/// When the existing scope can't be read or parsed.
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

/// Returns the path of the scope's file in the checkout.
fn file(prefix: &str) -> String {
    format!("{prefix}default.nix")
}
