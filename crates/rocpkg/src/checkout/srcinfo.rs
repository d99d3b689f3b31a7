//! The `.SRCINFO` beside a PKGBUILD. For a PKGBUILD with manual edits, makepkg makes the file: it
//! runs the PKGBUILD, as each build does.

use super::todo::{Todo, TodoKind};
use crate::error::Error;
use crate::tree::Tree;
use rocpkg_render::WriteOptions;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt;
use std::fs::{File, create_dir, read_dir};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The name of the file that makepkg makes from a PKGBUILD.
const SRCINFO: &str = ".SRCINFO";

/// Brings each `.SRCINFO` in line with the PKGBUILD beside it. `by_hand` maps the path of each
/// PKGBUILD whose text differs from the model's recipe to its text before the edit. The other
/// PKGBUILDs keep the rendered `.SRCINFO`. If a PKGBUILD of `by_hand` changed, makepkg makes the
/// file. Where makepkg is missing or refuses to run as root, [`evaluated`] does. A package without
/// the file in the checkout gets none.
///
/// Returns todos for the files that could not be made, with the command that makes them.
///
/// # Errors
/// When the tree can't replace a file.
pub(super) fn follow(
    tree: &mut Tree,
    out: &Path,
    by_hand: &BTreeMap<String, String>,
    options: &mut WriteOptions,
) -> Result<Vec<Todo>, Error> {
    let mut notes = Vec::new();
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
        let text = tree.text(&recipe).unwrap_or_default().to_owned();
        let is_there = out.join(&path).exists();
        if *before == text || !is_there {
            tree.files.remove(&path);
            options.present.insert(path);
            continue;
        }
        let folder = out.join(&recipe);
        let folder = folder.parent().unwrap_or(out);
        let beside = tree
            .files
            .iter()
            .filter_map(|(path, bytes)| Some((path.as_str().strip_prefix(inside)?, bytes)));
        let beside = beside.filter(|(name, _)| !name.contains('/'));
        let told = from_makepkg(&text, folder, beside).or_else(|why| match why {
            Untold::Missing | Untold::Root => evaluated(&text).ok_or(why),
            Untold::Refused(_) => Err(why),
        });
        match told {
            Ok(info) => tree.files.replace(path.as_str(), info)?,
            Err(why) => {
                let text = format!(
                    "{SRCINFO} is not updated: {why}; run `makepkg --printsrcinfo > {SRCINFO}`"
                );
                notes.push(Todo::new(recipe, TodoKind::File, text));
                tree.files.remove(&path);
                options.present.insert(path);
            }
        }
    }
    Ok(notes)
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
    let info = tree.text(path).and_then(evaluated);
    if let Some(info) = info.filter(|_| tree.files.get(&beside).is_some()) {
        tree.files.replace(beside.as_str(), info)?;
    }
    Ok(())
}

/// Returns the `.SRCINFO` of the PKGBUILD `text`, computed without bash and makepkg. Returns None
/// if the PKGBUILD contains code that only bash can evaluate.
#[cfg(feature = "arch")]
fn evaluated(text: &str) -> Option<String> {
    rocpkg_arch::evaluate(text)
        .ok()
        .map(|info| info.to_string())
}

#[cfg(not(feature = "arch"))]
fn evaluated(_: &str) -> Option<String> {
    None
}

/// The reason why makepkg printed no `.SRCINFO`.
#[derive(Debug)]
enum Untold {
    /// makepkg is not installed.
    Missing,
    /// makepkg refused to run, because the user is root.
    Root,
    /// makepkg could not read the PKGBUILD, or it could not be started. The text contains the
    /// errors.
    Refused(String),
}

impl fmt::Display for Untold {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => {
                f.write_str("makepkg is not installed, and must read the existing PKGBUILD")
            }
            Self::Root => {
                f.write_str("makepkg does not run as root, and must read the existing PKGBUILD")
            }
            Self::Refused(why) => {
                write!(f, "makepkg can't read the existing PKGBUILD: {why}")
            }
        }
    }
}

/// The exit status of makepkg when it is run as root (`util/error.sh`).
const E_ROOT: i32 = 10;

/// Returns the output of `makepkg --printsrcinfo` for the PKGBUILD `text`, as if it were in
/// `folder`. `beside` are files of the tree, by name, that replace or join the files of `folder`.
/// makepkg runs in a temporary folder, so nothing in `folder` changes.
///
/// # Errors
/// The reason why makepkg printed nothing.
#[expect(
    clippy::disallowed_methods,
    reason = "who renders asks for it: the file is makepkg's own, and hands wrote what it reads"
)]
fn from_makepkg<'t>(
    text: &'t str,
    folder: &Path,
    beside: impl Iterator<Item = (&'t str, &'t [u8])>,
) -> Result<String, Untold> {
    let failed = |e: io::Error| Untold::Refused(e.to_string());
    let scratch = laid_out(text, folder, beside).map_err(failed)?;
    let recipe = scratch.path().join("recipe");
    let mut command = Command::new("makepkg");
    command
        .arg("--printsrcinfo")
        .current_dir(&recipe)
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    for variable in ["BUILDDIR", "PKGDEST", "SRCDEST", "SRCPKGDEST", "LOGDEST"] {
        command.env(variable, scratch.path());
    }
    let said = match command.output() {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(Untold::Missing),
        said => said.map_err(failed)?,
    };
    match said.status.code() {
        Some(0) => String::from_utf8(said.stdout).map_err(|e| Untold::Refused(e.to_string())),
        Some(E_ROOT) => Err(Untold::Root),
        _ => {
            let text = String::from_utf8_lossy(&said.stderr);
            let errors: Vec<&str> = text
                .lines()
                .filter_map(|l| l.split_once("ERROR: "))
                .map(|(_, e)| e)
                .collect();
            Err(Untold::Refused(if errors.is_empty() {
                text.trim().to_owned()
            } else {
                errors.join("; ")
            }))
        }
    }
}

/// Creates a temporary folder `recipe` with the PKGBUILD `text`, the files of `beside`, and
/// symbolic links to all other files of `folder`.
fn laid_out<'t>(
    text: &'t str,
    folder: &Path,
    beside: impl Iterator<Item = (&'t str, &'t [u8])>,
) -> io::Result<TempDir> {
    let scratch = TempDir::new()?;
    let recipe = scratch.path().join("recipe");
    create_dir(&recipe)?;
    let new = beside
        .filter(|(name, _)| *name != "PKGBUILD")
        .chain([("PKGBUILD", text.as_bytes())]);
    for (name, bytes) in new {
        File::create(recipe.join(name))?.write_all(bytes)?;
    }
    let existing = folder.canonicalize().and_then(read_dir);
    for entry in existing.into_iter().flatten() {
        let entry = entry?;
        let name = entry.file_name();
        // makepkg uses these two folders itself.
        if ![OsStr::new("src"), OsStr::new("pkg")].contains(&name.as_os_str())
            && !recipe.join(&name).exists()
        {
            symlink(entry.path(), recipe.join(&name))?;
        }
    }
    Ok(scratch)
}
