//! The last gate: it looks at the bytes of a tree directly before they are written, and stops those
//! that bash can't run, that contradict their recipe, or that replace a file which changed.

use super::line_ends::with_lf;
use super::srcinfo::evaluated;
use super::surroundings::folder;
use super::todo::{Todo, TodoKind};
use crate::error::Error;
use crate::tree::Tree;
use rocpkg_render::{WriteOptions, git_id, read};
use rocpkg_syntax::place;
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// A file that must not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stop {
    path: String,
    /// The line in the bytes that were to be written, from 1.
    line: usize,
    /// The column, from 1.
    column: usize,
    /// The reason, without a full stop.
    reason: String,
}

/// Returns git's ids of the existing files at `paths`, for [`WriteOptions::read`]. A path without a
/// file has none. Files that can't be read are left out: the writer reports them.
pub(crate) fn seen<'p>(
    out: &Path,
    paths: impl Iterator<Item = &'p str>,
) -> BTreeMap<String, Option<String>> {
    let id = |path: &str| {
        let bytes = read(&out.join(path)).ok()?;
        Some((path.to_owned(), bytes.map(|bytes| git_id(&bytes))))
    };
    paths.filter_map(id).collect()
}

/// Returns the files of `tree` that must not be written to the folder `out`, in the order of their
/// paths. Files that don't change are not looked at. `seen` has the ids of the existing files when
/// they were read.
///
/// # Errors
/// When a file can't be read.
fn stops(
    tree: &Tree,
    out: &Path,
    seen: &BTreeMap<String, Option<String>>,
) -> Result<Vec<Stop>, Error> {
    let bash = Bash::default();
    let mut all = Vec::new();
    for (path, bytes) in &tree.files {
        let path = path.as_str();
        let existing = read(&out.join(path))?;
        if existing.as_deref() == Some(bytes) {
            continue;
        }
        let id = existing.as_deref().map(git_id);
        let is_changed = seen.get(path).is_some_and(|known| *known != id);
        let fault = if is_changed {
            let reason = "changed on disk since it was read; run the command again";
            Some((1, 1, reason.to_owned()))
        } else if is_bash(path) {
            bash.fault(path, bytes)
        } else if path.rsplit('/').next() == Some(".SRCINFO") {
            srcinfo_fault(tree, out, path)?
        } else {
            None
        };
        all.extend(fault.map(|(line, column, reason)| Stop {
            path: path.to_owned(),
            line,
            column,
            reason,
        }));
    }
    Ok(all)
}

/// Takes the files that must not be written out of `tree`, and returns a todo for each. `bases` has
/// the existing ebuilds that new ebuilds were made from. The existing recipes of the packages are
/// added to `left`, by the paths of the new ones.
///
/// # Errors
/// When a file can't be read.
pub(super) fn pass(
    tree: &mut Tree,
    out: &Path,
    options: &mut WriteOptions,
    bases: &BTreeMap<String, String>,
    left: &mut BTreeMap<String, String>,
) -> Result<Vec<Todo>, Error> {
    let stops = stops(tree, out, &options.read)?;
    take_out(tree, &stops, options);
    let existing = |path: &String| bases.get(path).unwrap_or(path).clone();
    let recipes = tree.owners.iter();
    let stopped = recipes
        .filter(|(path, (backend, _))| backend.is_recipe(path) && tree.files.get(path).is_none());
    for (path, _) in stopped {
        left.entry(path.clone()).or_insert_with(|| existing(path));
    }
    let todo = |stop: &Stop| {
        let recipe = existing(&stop.path);
        Todo::new(recipe, TodoKind::Gate, &stop.reason).at(stop.line, stop.column)
    };
    Ok(stops.iter().map(todo).collect())
}

/// Takes the stopped files out of the tree. All files of the same package in the same folder go
/// too: a Manifest without its ebuild, or the reverse, can't be used.
fn take_out(tree: &mut Tree, stops: &[Stop], options: &mut WriteOptions) {
    for stop in stops {
        let mut gone = BTreeSet::from([stop.path.clone()]);
        if let Some((_, id)) = tree.owners.get(&stop.path) {
            let recipes = tree.recipes().map(|(path, _)| folder(path).to_owned());
            let is_inside = |path: &str, home: &str| {
                let rest = path.strip_prefix(home);
                rest.is_some_and(|rest| home.is_empty() || rest.starts_with('/'))
            };
            let homes: BTreeSet<String> =
                recipes.filter(|home| is_inside(&stop.path, home)).collect();
            let home = homes.iter().max_by_key(|home| home.len());
            let is_beside = |path: &str| home.is_some_and(|home| is_inside(path, home));
            let own = tree.owners.iter().filter(|(_, (_, of))| of == id);
            gone.extend(
                own.map(|(path, _)| path.clone())
                    .filter(|path| is_beside(path)),
            );
            options.removed.retain(|path| !is_beside(path));
        }
        for path in gone {
            tree.files.remove(&path);
            options.present.insert(path);
        }
    }
}

/// Returns true for a file that bash runs: an ebuild, an eclass, a PKGBUILD.
fn is_bash(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name == "PKGBUILD" || name.ends_with(".ebuild") || name.ends_with(".eclass")
}

/// A line, a column and the reason.
type Fault = (usize, usize, String);

/// The bash that reads texts, and runs nothing of them.
#[derive(Default)]
struct Bash {
    /// Set if bash can't be started. Our own reader then stands in.
    is_missing: Cell<bool>,
}

impl Bash {
    /// Returns the reason why bash can't run a file.
    fn fault(&self, path: &str, bytes: &[u8]) -> Option<Fault> {
        let Ok(text) = str::from_utf8(bytes) else {
            return None;
        };
        if text.starts_with('\u{feff}') {
            let reason = "the file begins with a byte order mark, and bash reads it as a part of the first word; save the file without";
            return Some((1, 1, reason.to_owned()));
        }
        if let Some(at) = text.find("\r\n") {
            let (line, column) = place(text, at);
            let reason = "the line ends with CR and LF, and bash reads the CR as a part of the last word; convert the file by `dos2unix`";
            return Some((line, column, reason.to_owned()));
        }
        let is_extended = path.ends_with("PKGBUILD");
        if !self.is_missing.get() {
            match syntax_fault(text, is_extended) {
                Ok(fault) => return fault.map(|(line, reason)| (line, 1, reason)),
                Err(_) => self.is_missing.set(true),
            }
        }
        let unreadable = rocpkg_syntax::tree::parse(text).err()?;
        let (line, column) = place(text, unreadable.at);
        Some((line, column, unreadable.reason.to_string()))
    }
}

/// Returns the line and the message of `bash -n`, which reads a text and runs nothing. makepkg
/// enables extended patterns before it reads a PKGBUILD, which `is_extended` does here.
///
/// # Errors
/// When bash can't be started.
#[expect(
    clippy::disallowed_methods,
    reason = "bash reads the text, and runs nothing"
)]
fn syntax_fault(text: &str, is_extended: bool) -> io::Result<Option<(usize, String)>> {
    let mut file = tempfile::tempfile()?;
    file.write_all(text.as_bytes())?;
    file.rewind()?;
    let mut command = Command::new("bash");
    command.args(["--norc", "--noprofile"]);
    if is_extended {
        command.args(["-O", "extglob"]);
    }
    // `BASH_ENV` and exported functions would be run.
    let done = command
        .arg("-n")
        .env_clear()
        .env("PATH", env::var_os("PATH").unwrap_or_default())
        .env("LC_ALL", "C")
        .stdin(Stdio::from(file))
        .stdout(Stdio::null())
        .output()?;
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    match done.status.code() {
        Some(0) => Ok(None),
        Some(_) => {
            let first = said.lines().next().unwrap_or_default();
            let told = first.strip_prefix("bash: line ");
            let told = told.and_then(|rest| rest.split_once(": "));
            let told = told.and_then(|(line, text)| Some((line.parse().ok()?, text)));
            let (line, text) = told.unwrap_or((1, first));
            Ok(Some((line, format!("bash can't read the file: {text}"))))
        }
        None => Err(io::Error::other("bash was ended")),
    }
}

/// Returns the reason why the `.SRCINFO` at `path` is none of its PKGBUILD: a line that is no line
/// of a `.SRCINFO`, or that differs from the one that is computed from the PKGBUILD.
///
/// # Errors
/// When the PKGBUILD can't be read.
fn srcinfo_fault(tree: &Tree, out: &Path, path: &str) -> Result<Option<Fault>, Error> {
    let text = with_lf(tree.text(path).unwrap_or_default());
    if let Err(line) = rocpkg_arch::read_srcinfo(&text) {
        let reason = "the line is no line of a .SRCINFO".to_owned();
        return Ok(Some((line, 1, reason)));
    }
    let recipe = format!("{}PKGBUILD", path.strip_suffix(".SRCINFO").unwrap_or(path));
    let recipe = match tree.text(&recipe) {
        Some(text) => Some(text.to_owned()),
        None => rocpkg_render::read_text(&out.join(&recipe))?,
    };
    let computed = recipe.and_then(|text| evaluated(&with_lf(&text)).ok());
    let Some(computed) = computed.filter(|computed| *computed != text) else {
        return Ok(None);
    };
    let mut lines = computed.lines();
    let at = text.lines().position(|line| lines.next() != Some(line));
    let at = at.unwrap_or_else(|| text.lines().count());
    let reason = match computed.lines().nth(at) {
        Some(line) => format!("the PKGBUILD gives the line `{}`", line.trim()),
        None => "the PKGBUILD gives no such line".to_owned(),
    };
    Ok(Some((at + 1, 1, reason)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PKGBUILD: &str = "pkgname=a\npkgver=1\npkgrel=1\narch=(any)\npackage() {\n\t:\n}\n";

    /// Returns the stops of files that no existing file is at, as `path:line: reason`.
    fn of(files: &[(&str, &str)]) -> Vec<String> {
        let out = tempfile::tempdir().unwrap();
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.files.insert(*path, *text).unwrap();
        }
        let all = stops(&tree, out.path(), &BTreeMap::new()).unwrap();
        let line = |stop: &Stop| format!("{}:{}: {}", stop.path, stop.line, stop.reason);
        all.iter().map(line).collect()
    }

    #[test]
    fn bash_reads_every_recipe() {
        let accepted = [
            ("a/a-1.ebuild", "EAPI=8\nsrc_test() {\n\tdie\n}\n"),
            ("a/PKGBUILD", PKGBUILD),
            ("b/PKGBUILD", "a=b\ncase ${a} in\n\t!(b)) c ;;\nesac\n"),
            ("c/package.yml", "name: a\r\n"),
        ];
        assert_eq!(of(&accepted), [""; 0]);
        for (text, line) in [
            ("EAPI=8\n(\n", 3),
            ("EAPI=8\ndepends('x')\n", 2),
            ("EAPI=8\nX=1\r\n", 2),
            ("\u{feff}EAPI=8\n", 1),
        ] {
            let told = of(&[("eclass/a.eclass", text)]);
            let start = format!("eclass/a.eclass:{line}: ");
            assert!(
                told.len() == 1 && told[0].starts_with(&start),
                "{text:?}: {told:?}"
            );
        }
        // Without bash, our own reader refuses the same.
        let bash = Bash {
            is_missing: Cell::new(true),
        };
        for (text, line) in [("EAPI=8\ndepends('x')\n", 2), ("EAPI=8\nX=1\r\n", 2)] {
            let (at, _, _) = bash.fault("a.ebuild", text.as_bytes()).unwrap();
            assert_eq!(at, line);
        }
        assert_eq!(bash.fault("PKGBUILD", PKGBUILD.as_bytes()), None);
    }

    #[test]
    fn a_srcinfo_is_that_of_its_pkgbuild() {
        let info = evaluated(PKGBUILD).unwrap();
        let with = |info: &str| of(&[("a/PKGBUILD", PKGBUILD), ("a/.SRCINFO", info)]);
        assert_eq!(with(&info), [""; 0]);
        assert_eq!(
            with(&info.replace("pkgver = 1", "pkgver = 2")),
            ["a/.SRCINFO:2: the PKGBUILD gives the line `pkgver = 1`"]
        );
        assert_eq!(
            with(&format!("hello\n{info}")),
            ["a/.SRCINFO:1: the line is no line of a .SRCINFO"]
        );
        assert_eq!(
            with(&format!("{info}\tarch = any\n")),
            [format!(
                "a/.SRCINFO:{}: the PKGBUILD gives no such line",
                info.lines().count() + 1
            )]
        );
    }

    #[test]
    fn a_file_that_changed_since_it_was_read_stops_its_package() {
        let out = tempfile::tempdir().unwrap();
        let mut tree = Tree::default();
        for path in ["a/PKGBUILD", "a/a.patch", "b/PKGBUILD"] {
            tree.files.insert(path, PKGBUILD).unwrap();
            let owner = (crate::Backend::Arch, path[..1].to_owned());
            tree.owners.insert(path.to_owned(), owner);
        }
        let known = seen(out.path(), ["a/PKGBUILD", "b/PKGBUILD"].into_iter());
        assert_eq!(stops(&tree, out.path(), &known).unwrap(), []);
        std::fs::create_dir(out.path().join("a")).unwrap();
        std::fs::File::create(out.path().join("a/PKGBUILD")).unwrap();
        let all = stops(&tree, out.path(), &known).unwrap();
        let paths: Vec<&str> = all.iter().map(|stop| stop.path.as_str()).collect();
        assert_eq!(paths, ["a/PKGBUILD"]);
        let mut options = WriteOptions {
            removed: BTreeSet::from(["a/b.patch".to_owned(), "b/b.patch".to_owned()]),
            ..WriteOptions::default()
        };
        take_out(&mut tree, &all, &mut options);
        let left: Vec<&str> = tree.files.iter().map(|(path, _)| path.as_str()).collect();
        assert_eq!(left, ["b/PKGBUILD"]);
        assert_eq!(options.removed, BTreeSet::from(["b/b.patch".to_owned()]));
    }
}
