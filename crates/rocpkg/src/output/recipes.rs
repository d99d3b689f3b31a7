//! Recipes that lie in a checkout are edited: the model is rendered at the release that they state and at the one that is asked for, and
//! what differs between the two is carried over to them.

use super::checkout::Checkout;
use super::options::Output;
use super::surroundings::Beside;
use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_edit::{Checks, carry};
use rocpkg_pms::Version;
use rocpkg_render::{WriteOptions, read, read_text};
use rocpkg_resolve::{Choice, Release};
use rocpkg_syntax::{Kind, Node, Outline};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The code of a checksum that is not filled in.
const UNKNOWN_SUM: &str = "E0845";

/// The item of a recipe whose release is not known.
const RELEASE: &str = "release of the recipe";

/// A change that a recipe has no place for, since what lies there is neither as the model had it nor as it has it now. It is the
/// maintainer's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Left {
    /// The package's id.
    pub package: String,
    /// The file.
    pub path: String,
    /// The line of the file, from 1: of what lies there, else of what it would stand in.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The item, from the file's margin inwards.
    pub item: Vec<String>,
    /// What the model had before; none for what is new.
    pub before: Option<String>,
    /// What it has now; none for what went.
    pub after: Option<String>,
    /// What lies there.
    pub there: Option<String>,
    /// The contradiction that the recipe would have with the change, or that it has in the new
    /// version; none for a change that has no place.
    pub reason: Option<String>,
}

impl Left {
    /// Whether nothing was tried, since the recipe states a release that the model does not know.
    pub fn is_of_an_unknown_release(&self) -> bool {
        self.item == [RELEASE]
    }

    /// Returns true if nothing was tried, since the recipe can't be read.
    pub fn is_unreadable(&self) -> bool {
        self.item == [RECIPE]
    }
}

/// The item of a recipe that can't be read.
const RECIPE: &str = "recipe";

/// What became of the recipes.
#[derive(Debug, Default)]
pub(super) struct Edited {
    pub(super) left: Vec<Left>,
    /// The recipes that are not as they are rendered, by path, with the text that lies there.
    pub(super) by_hand: BTreeMap<String, String>,
}

/// A recipe that lies where one is written, or that a new one is made from.
pub(super) struct There {
    /// Where the rendered one stands.
    path: String,
    /// Where it lies.
    pub(super) place: String,
    backend: Backend,
    pub(super) id: String,
    pub(super) outline: Outline,
    /// The version that it states.
    pub(super) version: Option<String>,
    /// True if every line of the file ends with CR and LF; the outline has LF alone.
    is_crlf: bool,
}

/// Edits the recipes of a tree that is placed in a checkout.
///
/// # Errors
/// When a file can't be read, or a recipe goes back to an older release without being asked.
pub(super) fn edit(
    stack: &Stack,
    tree: &mut Tree,
    (out, checkout): (&Path, &Checkout),
    output: &Output,
    options: &mut WriteOptions,
) -> Result<Edited, Error> {
    let mut done = Edited::default();
    let (all, unreadable) = existing(tree, out);
    for (path, left) in unreadable {
        tree.files.remove(&path);
        options.present.insert(path);
        done.left.push(left);
    }
    let asked = tree.asked.clone();
    let mut renderings = Renderings::new(stack, checkout, &asked);
    // A file that states no version is of the version of its package.
    let stated: BTreeMap<String, String> = all
        .iter()
        .filter_map(|t| Some((t.id.clone(), t.version.clone()?)))
        .collect();
    older(tree, &all, output)?;
    let mut choices = asked.choices.clone();
    let releases = stated.values().filter_map(|v| v.parse().ok());
    choices.extend(releases.filter(|r| stack.knows(r)).map(Choice::Release));
    let beside_all = Beside::read(stack, (out, checkout.backend()), &choices)?;
    let (mut texts, mut skipped) = (Vec::new(), Vec::new());
    for t in &all {
        let rendered = tree.text(&t.path).unwrap_or_default().to_owned();
        let after = There::read(t.backend, &t.path, &rendered)?;
        let version = t
            .backend
            .stated(&after, &t.path)
            .or_else(|| tree.version_of(t.backend, &t.id));
        let from = t.version.as_ref().or_else(|| stated.get(&t.id)).cloned();
        let is_same = from == version;
        let mut text = t.outline.text.clone();
        if output.whole {
            text.clone_from(&rendered);
        } else if !is_same || output.from.is_some() {
            let Some((before, place)) =
                renderings.before(t, from.as_deref(), output.from.as_ref())?
            else {
                done.left.push(t.unknown(from.as_deref()));
                // The model can't tell what differs in the new version, so none is made.
                if t.path != t.place {
                    tree.files.remove(&t.path);
                    options.present.insert(t.path.clone());
                    skipped.push(t);
                    continue;
                }
                done.by_hand.insert(t.path.clone(), text.clone());
                texts.push((t, text, is_same));
                continue;
            };
            let before = There::read(t.backend, &place, &before)?;
            let (was, is) = (beside_all.of(&t.place, tree), beside_all.of(&t.path, tree));
            let check = |text: &str| {
                let mut checked = t.backend.check(text, &is);
                // The tree tells each checksum that nobody knows.
                checked
                    .faults
                    .retain(|fault| fault.finding.code != UNKNOWN_SUM);
                checked
            };
            let checks = Checks {
                before: &t.backend.check(&t.outline.text, &was),
                check: &check,
            };
            let carried = carry(&t.outline, &before, &after, checks);
            // At the same release, what was left is told again.
            if !is_same {
                text = carried.text;
            }
            let counters = t.backend.counters();
            let is_counted =
                |path: &[String]| path.len() == 1 && counters.contains(&path[0].as_str());
            let left = carried
                .left
                .into_iter()
                .filter(|left| !is_counted(&left.path));
            done.left.extend(left.map(|left| t.left(left)));
            let versions = (from.as_deref(), version.as_deref());
            if let Some(reason) = beside_all.unpacked_otherwise(&t.id, versions) {
                let gone = t.without_step((&before, &after), &reason);
                done.left.extend(gone.filter(|_| !is_same));
            }
        }
        let again = tree
            .rebuilt
            .iter()
            .any(|(b, again)| *b == t.backend && again.id == t.id);
        let counted = t
            .backend
            .counted(&text, (&t.outline.text, &rendered), is_same, again);
        if again && is_same && counted == text {
            done.left.extend(
                t.backend
                    .counters()
                    .first()
                    .map(|counter| t.uncounted(counter)),
            );
        }
        let text = counted;
        if text != rendered {
            done.by_hand.insert(t.path.clone(), t.outline.text.clone());
        }
        texts.push((t, text, is_same));
    }
    // What stands beside ebuilds goes with them: where none of a folder changes, it stays.
    let beside = |t: &There| -> Option<String> {
        t.path
            .rsplit_once('/')
            .map(|(folder, _)| format!("{folder}/metadata.xml"))
    };
    let is_new = |(t, text, is_same): &&(&There, String, bool)| {
        *text != t.outline.text || t.path != t.place && !is_same
    };
    let changed: BTreeSet<String> = texts
        .iter()
        .filter(is_new)
        .filter_map(|(t, ..)| beside(t))
        .collect();
    let all_beside = texts
        .iter()
        .map(|(t, ..)| *t)
        .chain(skipped)
        .filter_map(beside);
    for path in all_beside
        .filter(|path| !changed.contains(path))
        .collect::<BTreeSet<String>>()
    {
        if tree.files.remove(&path) {
            options.present.insert(path);
        }
    }
    let mut moved = Vec::new();
    for (t, text, is_same) in texts {
        tree.files
            .replace(t.path.as_str(), t.with_line_ends(text))?;
        // A revision of the very version is that version.
        if t.place != t.path && is_same {
            moved.push((t.path.clone(), t.place.clone()));
        }
    }
    others(tree, out, &mut renderings, &stated, (options, &mut done))?;
    for (path, place) in moved {
        tree.rename(&path, &place)?;
        if let Some(text) = done.by_hand.remove(&path) {
            done.by_hand.insert(place, text);
        }
    }
    done.left
        .sort_by(|a, b| (&a.package, &a.path, a.line).cmp(&(&b.package, &b.path, b.line)));
    Ok(done)
}

/// The recipes of a tree that exist in a folder: the path of each in the tree, its path in the
/// folder, its backend and its package.
pub(super) fn places<'a>(
    tree: &'a Tree,
    out: &'a Path,
) -> impl Iterator<Item = (&'a str, String, Backend, &'a str)> {
    tree.recipes().filter_map(move |(path, backend)| {
        let (_, id) = tree.owners.get(path)?;
        let place = if backend == Backend::Gentoo {
            predecessor(out, path)
        } else {
            Some(path.to_owned())
        };
        let place = place.filter(|place| out.join(place).is_file())?;
        Some((path, place, backend, id.as_str()))
    })
}

/// Reads the existing recipes of a tree, and returns those that can't be read as conflicts, each
/// with its path in the tree.
fn existing(tree: &Tree, out: &Path) -> (Vec<There>, Vec<(String, Left)>) {
    let (mut all, mut unreadable) = (Vec::new(), Vec::new());
    for (path, place, backend, id) in places(tree, out) {
        match There::load(out, (path, &place), backend, id) {
            Ok(there) => all.push(there),
            Err(error) => {
                let left = Left {
                    package: id.to_owned(),
                    path: place,
                    line: 1,
                    column: 1,
                    item: vec![RECIPE.to_owned()],
                    before: None,
                    after: None,
                    there: None,
                    reason: Some(error.to_string()),
                };
                unreadable.push((path.to_owned(), left));
            }
        }
    }
    (all, unreadable)
}

/// The ebuild of the version, or the newest before it.
fn predecessor(out: &Path, path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/')?;
    let package = folder.rsplit('/').next().unwrap_or_default();
    let files = fs::read_dir(out.join(folder))
        .into_iter()
        .flatten()
        .flatten();
    let files: Vec<String> = files
        .map(|f| f.file_name().to_string_lossy().into_owned())
        .collect();
    Some(format!(
        "{folder}/{}",
        rocpkg_gentoo::predecessor(package, file, &files)?
    ))
}

/// The ebuilds that lie beside a rendered one, the newest last; no live one.
pub(super) fn sorted_versions(out: &Path, path: &str) -> Vec<String> {
    let Some((folder, _)) = path.rsplit_once('/') else {
        return Vec::new();
    };
    let files = fs::read_dir(out.join(folder))
        .into_iter()
        .flatten()
        .flatten();
    let files = files.map(|f| f.file_name().to_string_lossy().into_owned());
    let mut all: Vec<(Version, String)> = files
        .filter_map(|file| Some((rocpkg_gentoo::whole_version(&file)?, file)))
        .collect();
    all.retain(|(version, _)| !version.base().ends_with("9999"));
    all.sort();
    all.into_iter()
        .map(|(_, file)| format!("{folder}/{file}"))
        .collect()
}

/// Refuses to set recipes back.
fn older(tree: &Tree, all: &[There], output: &Output) -> Result<(), Error> {
    if output.older || output.whole {
        return Ok(());
    }
    let mut back = Vec::new();
    for t in all.iter().filter(|t| t.path == t.place) {
        let (Some(there), Some(asked)) = (&t.version, tree.version_of(t.backend, &t.id)) else {
            continue;
        };
        if compare(there, &asked) == Ordering::Greater {
            back.push(format!(
                "{}: {there} lies there, and {asked} is older",
                t.place
            ));
        }
    }
    if back.is_empty() {
        Ok(())
    } else {
        Err(Error::Older(back))
    }
}

/// Which of two versions is newer; neither where one is no release.
fn compare(one: &str, other: &str) -> Ordering {
    let read = |text: &str| text.parse::<Release>().ok();
    read(one)
        .zip(read(other))
        .map_or(Ordering::Equal, |(one, other)| one.cmp(&other))
}

impl There {
    /// Reads the recipe at a place of a folder.
    ///
    /// # Errors
    /// A file that is no text of UTF-8, and the line that can't be read.
    pub(super) fn load(
        out: &Path,
        (path, place): (&str, &str),
        backend: Backend,
        id: &str,
    ) -> Result<Self, Error> {
        let text = read_text(&out.join(place))?.unwrap_or_default();
        let is_crlf = text.contains("\r\n") && !text.replace("\r\n", "").contains('\n');
        let text = if is_crlf {
            text.replace("\r\n", "\n")
        } else {
            text
        };
        let outline = Self::read(backend, place, &text)?;
        let there = Self::new((path, place), backend, id, outline);
        Ok(Self { is_crlf, ..there })
    }

    /// Returns a text with the line ends of the recipe's file.
    pub(super) fn with_line_ends(&self, text: String) -> String {
        if self.is_crlf {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    }

    fn new((path, place): (&str, &str), backend: Backend, id: &str, outline: Outline) -> Self {
        let version = backend.stated(&outline, place);
        Self {
            path: path.to_owned(),
            place: place.to_owned(),
            backend,
            id: id.to_owned(),
            outline,
            version,
            is_crlf: false,
        }
    }

    /// Reads a recipe.
    ///
    /// # Errors
    /// The line that can't be read.
    pub(super) fn read(backend: Backend, place: &str, text: &str) -> Result<Outline, Error> {
        backend.reading(place).read(text).map_err(|unreadable| {
            let before = &text[..unreadable.at.min(text.len())];
            let (line, reason) = (before.matches('\n').count() + 1, unreadable.reason);
            Error::Asked(format!(
                "{place}:{line}: {reason}, so the recipe can't be edited"
            ))
        })
    }

    /// Returns a conflict for each function that the model drops since archives unpack otherwise, and that the
    /// recipe never had: it dealt with the archives by other means, which may be wrong now.
    fn without_step<'a>(
        &'a self,
        (before, after): (&'a Outline, &'a Outline),
        reason: &'a str,
    ) -> impl Iterator<Item = Left> + 'a {
        let steps = before.root.nodes.iter().filter(|node| {
            let is_function = node
                .body
                .as_ref()
                .is_some_and(|body| body.kind == Kind::Steps);
            let is_in = |recipe: &Outline| recipe.root.find(&node.key).is_some();
            is_function && !is_in(after) && !is_in(&self.outline)
        });
        let folder = self.outline.get(&["S"]);
        steps.map(move |step| {
            self.left(rocpkg_edit::Left {
                path: vec![step.key.open.clone()],
                at: folder.map_or(0, |node| node.at.start),
                there: folder.map(|node| self.outline.text[node.at.clone()].to_owned()),
                before: Some(before.text[step.at.clone()].to_owned()),
                reason: Some(reason.to_owned()),
                ..rocpkg_edit::Left::default()
            })
        })
    }

    fn left(&self, left: rocpkg_edit::Left) -> Left {
        let (line, column) = self.outline.place(left.at);
        let rocpkg_edit::Left {
            path: item,
            before,
            after,
            there,
            reason,
            ..
        } = left;
        Left {
            package: self.id.clone(),
            path: self.place.clone(),
            line,
            column,
            item,
            before,
            after,
            there,
            reason,
        }
    }

    /// What is said of a recipe of a release that the model does not know.
    pub(super) fn unknown(&self, version: Option<&str>) -> Left {
        self.left(rocpkg_edit::Left {
            path: vec![RELEASE.to_owned()],
            there: version.map(str::to_owned),
            ..rocpkg_edit::Left::default()
        })
    }

    /// What is said of a counter that can't be counted on.
    fn uncounted(&self, counter: &str) -> Left {
        let found = self.outline.get(&[counter]);
        let text = |node: &Node| self.outline.text[node.at.clone()].to_owned();
        self.left(rocpkg_edit::Left {
            path: vec![counter.to_owned()],
            at: found.map(|node| node.at.start).unwrap_or_default(),
            there: found.map(text),
            ..rocpkg_edit::Left::default()
        })
    }
}

/// The model at the releases that recipes state.
pub(super) struct Renderings<'a> {
    stack: &'a Stack,
    checkout: &'a Checkout,
    /// What the tree was made of.
    asked: &'a Options,
    made: BTreeMap<String, Option<Tree>>,
}

impl<'a> Renderings<'a> {
    pub(super) fn new(stack: &'a Stack, checkout: &'a Checkout, asked: &'a Options) -> Self {
        Self {
            stack,
            checkout,
            asked,
            made: BTreeMap::new(),
        }
    }

    /// The recipe that the model has for a version, with its path; none where it knows none of that version.
    ///
    /// # Errors
    /// When an option can't be met.
    pub(super) fn before(
        &mut self,
        there: &There,
        version: Option<&str>,
        from: Option<&Choice>,
    ) -> Result<Option<(String, String)>, Error> {
        let (Some(version), None) = (version, from) else {
            let Some(from) = from else { return Ok(None) };
            return Ok(self.at(from)?.and_then(|tree| recipe(tree, there)));
        };
        let tree = self.of(there.backend, &there.id, version)?;
        Ok(tree.and_then(|tree| recipe(tree, there)))
    }

    /// The tree in which a package has a version. Most packages are called as the release is; those with a version of their own are
    /// looked for.
    fn of(&mut self, backend: Backend, id: &str, version: &str) -> Result<Option<&Tree>, Error> {
        let mut all: Vec<Choice> = version.parse().map(Choice::Release).into_iter().collect();
        let lines = self.stack.model().lines.values();
        let mut releases: Vec<Release> = lines
            .flat_map(|line| line.versions.keys())
            .filter_map(|v| v.parse().ok())
            .collect();
        releases.sort();
        all.extend(releases.into_iter().rev().map(Choice::Release));
        for choice in all {
            let Some(tree) = self.at(&choice)? else {
                continue;
            };
            if tree.version_of(backend, id).as_deref() == Some(version) {
                return self.at(&choice);
            }
        }
        Ok(None)
    }

    /// The tree at a release that the model knows.
    fn at(&mut self, choice: &Choice) -> Result<Option<&Tree>, Error> {
        let key = format!("{choice:?}");
        if !self.made.contains_key(&key) {
            let backend = self.checkout.backend();
            let options = Options {
                choices: vec![choice.clone()],
                backends: vec![backend],
                packages: Vec::new(),
                rebuild: Vec::new(),
                allow_guesses: true,
                ..self.asked.clone()
            };
            let is_known = match choice {
                Choice::Release(release) => self.stack.knows(release),
                _ => true,
            };
            let tree = if is_known {
                let model = self.stack.changed(&options)?;
                Some(
                    self.checkout
                        .placed(self.stack.make_tree(&model, &[backend], &options)?)?,
                )
            } else {
                None
            };
            self.made.insert(key.clone(), tree);
        }
        Ok(self.made.get(&key).and_then(Option::as_ref))
    }
}

/// The recipe of a package in a tree, with its path: the same file, or the ebuild.
fn recipe(tree: &Tree, there: &There) -> Option<(String, String)> {
    let path = match there.backend {
        Backend::Gentoo => tree
            .recipes_of(there.backend.distro(), &there.id)
            .next()?
            .0
            .to_owned(),
        _ => there.path.clone(),
    };
    Some((tree.text(&path)?.to_owned(), path))
}

/// Other files of packages: one that lies there as the model had it becomes what it is now, any other one stays, and one that is not
/// there is written where the model did not have it before.
///
/// # Errors
/// When one can't be read.
fn others(
    tree: &mut Tree,
    out: &Path,
    renderings: &mut Renderings,
    stated: &BTreeMap<String, String>,
    (options, done): (&mut WriteOptions, &mut Edited),
) -> Result<(), Error> {
    let is_other = |path: &str, backend: Backend| {
        !backend.is_recipe(path)
            && !["Manifest", "metadata.xml", ".SRCINFO"]
                .iter()
                .any(|f| path.ends_with(f))
    };
    let all: Vec<(String, Backend, String)> = tree
        .owners
        .iter()
        .filter(|(path, (backend, _))| tree.files.get(path).is_some() && is_other(path, *backend))
        .map(|(path, (backend, id))| (path.clone(), *backend, id.clone()))
        .collect();
    for (path, backend, id) in all {
        let present = read(&out.join(&path))?;
        let now = tree.files.get(&path).unwrap_or_default().to_vec();
        if present.as_ref() == Some(&now) {
            continue;
        }
        let before = match stated.get(&id) {
            Some(version) => {
                let tree = renderings.of(backend, &id, version)?;
                // Beside a recipe of an unknown release, nothing is new.
                tree.map_or_else(
                    || Some(now.clone()),
                    |t| t.files.get(&path).map(<[u8]>::to_vec),
                )
            }
            None => None,
        };
        let Some(present) = present else {
            // What the recipe had beside it before, and has not here, was left out by its maintainer.
            if before.is_some() {
                tree.files.remove(&path);
                options.present.insert(path);
            }
            continue;
        };
        if before.as_ref() == Some(&present) {
            continue;
        }
        tree.files.remove(&path);
        options.present.insert(path.clone());
        if before.is_some_and(|before| before != now)
            && tree.version_of(backend, &id) != stated.get(&id).cloned()
        {
            let text = |bytes: &[u8]| Some(String::from_utf8_lossy(bytes).into_owned());
            done.left.push(Left {
                package: id,
                path,
                line: 1,
                column: 1,
                item: vec!["file".to_owned()],
                before: None,
                after: text(&now),
                there: text(&present),
                reason: None,
            });
        }
    }
    Ok(())
}

/// In a tree of our own, what history decides of recipes goes on from what lies in their places.
///
/// # Errors
/// When a file can't be read.
pub(super) fn count(tree: &mut Tree, out: &Path) -> Result<Edited, Error> {
    let (all, unreadable) = existing(tree, out);
    if let Some((_, Left { reason, .. })) = unreadable.into_iter().next() {
        return Err(Error::Asked(reason.unwrap_or_default()));
    }
    for t in all {
        let rendered = tree.text(&t.path).unwrap_or_default().to_owned();
        let after = t.backend.reading(&t.path).read(&rendered);
        let version = after
            .ok()
            .and_then(|after| t.backend.stated(&after, &t.path));
        let again = tree
            .rebuilt
            .iter()
            .any(|(b, again)| *b == t.backend && again.id == t.id);
        let is_same = t.version == version;
        let text = t
            .backend
            .counted(&rendered, (&t.outline.text, &rendered), is_same, again);
        tree.files.replace(t.path.as_str(), text)?;
        if t.place != t.path && is_same {
            tree.rename(&t.path, &t.place)?;
        }
    }
    Ok(Edited::default())
}
