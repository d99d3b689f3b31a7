//! The `.SRCINFO` beside a PKGBUILD. It is computed from the PKGBUILD, and nothing runs. If only
//! bash can evaluate the PKGBUILD, makepkg makes the file, provided that the user allowed it.

use super::makepkg::{Makepkg, MakepkgFailure};
use crate::error::Error;
use crate::tree::Tree;
use rocpkg_render::WriteOptions;
use rocpkg_syntax::{Fault, place};
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

const SRCINFO: &str = ".SRCINFO";

/// The option of the command line that allows to run makepkg.
pub(crate) const FLAG: &str = "--run-makepkg";

/// A `.SRCINFO` that stays as it is, although its PKGBUILD changes.
#[derive(Clone, Debug)]
pub(crate) struct StaleSrcinfo {
    pub(crate) recipe: String,
    /// The first place of the new PKGBUILD that only bash can evaluate: line and column, from 1.
    pub(crate) place: (usize, usize),
    /// The reason why only bash can evaluate this place.
    pub(crate) why: String,
    /// The reason why makepkg did not make the file. None if makepkg is not allowed.
    pub(crate) failure: Option<MakepkgFailure>,
}

/// Prints the fault without its place, and the way out.
impl fmt::Display for StaleSrcinfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let by_hand = "`makepkg --printsrcinfo > .SRCINFO`";
        write!(
            f,
            ".SRCINFO is not updated: only bash can evaluate the PKGBUILD ({})",
            self.why
        )?;
        match &self.failure {
            None => write!(f, "; allow makepkg to run it by `{FLAG}`, or run {by_hand}"),
            Some(failure) => write!(f, "; {failure}; run {by_hand}"),
        }
    }
}

/// Brings each `.SRCINFO` in line with the PKGBUILD beside it. `by_hand` maps the path of each
/// PKGBUILD whose text differs from the model's recipe to its text before the edit. The other
/// PKGBUILDs keep the rendered `.SRCINFO`. A package without the file in the checkout gets none.
/// makepkg runs only with `runs_makepkg`, and only for a PKGBUILD that can't be evaluated without.
///
/// Returns the files that could not be made. They stay as they are.
///
/// # Errors
/// When the tree can't replace a file.
pub(crate) fn follow(
    tree: &mut Tree,
    out: &Path,
    by_hand: &BTreeMap<String, String>,
    options: &mut WriteOptions,
    runs_makepkg: bool,
) -> Result<Vec<StaleSrcinfo>, Error> {
    let mut stale = Vec::new();
    let all = tree.files.iter().map(|(path, _)| path.as_str().to_owned());
    for path in all
        .filter(|path| path.ends_with(SRCINFO))
        .collect::<Vec<_>>()
    {
        let inside = path.strip_suffix(SRCINFO).unwrap_or_default();
        let recipe = format!("{inside}PKGBUILD");
        let Some(before) = by_hand.get(&recipe) else {
            continue;
        };
        let text = tree.text(&recipe).unwrap_or_default();
        let is_there = out.join(&path).exists();
        let info = if *before == text || !is_there {
            None
        } else {
            match evaluated(text) {
                Ok(info) => Some(info),
                Err((at, why)) => {
                    let made = runs_makepkg.then(|| from_makepkg(tree, out, inside, text));
                    let (info, failure) = match made {
                        Some(Ok(info)) => (Some(info), None),
                        Some(Err(failure)) => (None, Some(failure)),
                        None => (None, None),
                    };
                    if info.is_none() {
                        stale.push(StaleSrcinfo {
                            recipe,
                            place: place(text, at),
                            why,
                            failure,
                        });
                    }
                    info
                }
            }
        };
        if let Some(info) = info {
            tree.files.replace(path, info)?;
        } else {
            tree.files.remove(&path);
            options.present.insert(path);
        }
    }
    Ok(stale)
}

/// Returns the `.SRCINFO` that makepkg prints for `text`, the PKGBUILD of the folder `inside`.
fn from_makepkg(
    tree: &Tree,
    out: &Path,
    inside: &str,
    text: &str,
) -> Result<String, MakepkgFailure> {
    let beside = tree
        .files
        .iter()
        .filter_map(|(path, bytes)| Some((path.as_str().strip_prefix(inside)?, bytes)));
    let beside = beside.filter(|(name, _)| !name.contains('/'));
    Makepkg::new().srcinfo(text, &out.join(inside), beside)
}

/// Replaces the rendered `.SRCINFO` beside a rendered PKGBUILD whose counter changed. `path` is the
/// path of the PKGBUILD; other recipes have no such file.
///
/// # Errors
/// When the tree can't replace the file.
pub(super) fn renew(tree: &mut Tree, path: &str) -> Result<(), Error> {
    let Some(inside) = path.strip_suffix("PKGBUILD") else {
        return Ok(());
    };
    let beside = format!("{inside}{SRCINFO}");
    let info = tree.text(path).and_then(|text| evaluated(text).ok());
    if let Some(info) = info.filter(|_| tree.files.get(&beside).is_some()) {
        tree.files.replace(beside.as_str(), info)?;
    }
    Ok(())
}

/// Returns the `.SRCINFO` of the PKGBUILD `text`, computed without bash and makepkg. If the
/// PKGBUILD contains code that only bash can evaluate, returns the first byte of it, and the
/// reason.
pub(super) fn evaluated(text: &str) -> Result<String, (usize, String)> {
    let info = rocpkg_arch::evaluate(text);
    info.map(|info| info.to_string()).map_err(|faults| {
        let first = faults
            .into_iter()
            .next()
            .map(|Fault { finding, .. }| finding);
        let at = first.as_ref().and_then(|finding| finding.span);
        let why = first.map(|first| match first.label.as_str() {
            "" => first.message,
            _ => first.label,
        });
        let at = at.map_or(0, |span| span.start as usize);
        (at, why.unwrap_or_default())
    })
}
