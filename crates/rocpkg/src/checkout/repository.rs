//! Shared files of an existing Gentoo repository. The repository keeps its name and its settings,
//! lists gain lines, and an eclass that a master has is not written.

use super::line_ends::read_text;
use super::options::Eclass;
use crate::backend::Backend;
use crate::error::Error;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_gentoo::ManifestLine;
use rocpkg_model::Distro;
use rocpkg_render::{Sum, WriteOptions};
use rocpkg_resolve::{Choice, LIVE_VERSION};
use std::collections::BTreeSet;
use std::path::Path;

/// The kind of a file that belongs to a Gentoo repository as a whole and to no package.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shared {
    Categories,
    Descriptions,
    Eclass,
    EclassTests,
    Other,
}

impl Shared {
    fn of(path: &str) -> Self {
        match path.split('/').collect::<Vec<_>>()[..] {
            ["profiles", "categories"] => Self::Categories,
            ["profiles", "desc", _] => Self::Descriptions,
            ["eclass", _] => Self::Eclass,
            ["eclass", "tests", _] => Self::EclassTests,
            _ => Self::Other,
        }
    }
}

const LAYOUT: &str = "metadata/layout.conf";
const NAME: &str = "profiles/repo_name";

/// Fits the shared files of `tree` into the existing Gentoo repository `out`. `eclass` is the
/// user's choice for rocm.eclass; see [`Output::eclass`](super::Output::eclass) for None. Files
/// that are not written are added to `options.present`.
///
/// Returns a note if the eclass that the ebuilds inherit lacks the GPU targets of a release.
///
/// # Errors
/// When a file can't be read, or the existing eclass has no table of targets.
pub(super) fn fit(
    stack: &Stack,
    tree: &mut Tree,
    out: &Path,
    eclass: Option<Eclass>,
    options: &mut WriteOptions,
) -> Result<Vec<String>, Error> {
    let mut notes = Vec::new();
    let distro = stack.model().distros.get(Backend::Gentoo.distro());
    let is_there = |path: &str| out.join(path).exists();
    let is_repository = [NAME, LAYOUT].into_iter().any(is_there);
    let of_all = tree.of_all();
    // A folder without a layout.conf becomes a new repository, with ::gentoo as its master.
    let settings = read_text(&out.join(LAYOUT))?;
    let has_master = settings
        .as_ref()
        .is_none_or(|text| layout(text, "masters").next().is_some());
    let is_below_gentoo = settings
        .as_ref()
        .is_none_or(|text| layout(text, "masters").any(|master| master == "gentoo"));
    let eclass = eclass.unwrap_or(match has_master {
        true => Eclass::None,
        false
            if of_all
                .iter()
                .any(|(path, _)| Shared::of(path) == Shared::Eclass && is_there(path)) =>
        {
            Eclass::Rows
        }
        false => Eclass::Whole,
    });
    let rendered = of_all
        .iter()
        .find(|(path, _)| Shared::of(path) == Shared::Eclass)
        .map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
        .unwrap_or_default();
    for (path, bytes) in of_all {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        tree.files.remove(&path);
        let present = read_text(&out.join(&path))?;
        if eclass == Eclass::None && Shared::of(&path) == Shared::Eclass {
            notes.extend(distro.and_then(|distro| behind(distro, tree, &text, present.as_deref())));
        }
        let written = match (Shared::of(&path), present) {
            (Shared::Eclass | Shared::Descriptions, _) if eclass == Eclass::None => None,
            (Shared::Eclass, Some(present)) if eclass == Eclass::Rows => Some(
                rocpkg_gentoo::join_eclass(&text, &present, &releases(distro, tree))
                    .ok_or_else(|| Error::NoTable(path.clone()))?,
            ),
            (Shared::Categories, Some(present)) => {
                let own = categories(tree, &present, is_below_gentoo)?;
                Some(with_lines(&present, &own))
            }
            (Shared::Descriptions, Some(present)) => {
                let all = releases(distro, tree);
                let targets = rocpkg_gentoo::eclass_targets(&rendered, &all);
                let own = text.split_inclusive('\n').filter(|line| {
                    let target = line.split_whitespace().next();
                    eclass == Eclass::Whole || target.is_some_and(|t| targets.contains(t))
                });
                Some(with_lines(&present, &own.collect::<String>()))
            }
            (Shared::Eclass | Shared::Descriptions, _) => Some(text),
            (Shared::EclassTests, _) => (eclass == Eclass::Whole).then_some(text),
            // The masters of a repository list the categories.
            (Shared::Categories, None) => (!is_repository || !has_master).then_some(text),
            _ => (!is_repository).then_some(text),
        };
        let Some(written) = written else {
            // The existing file may come from an earlier run of rocpkg.
            options.present.insert(path);
            continue;
        };
        tree.files.insert(path, written)?;
    }
    Ok(notes)
}

/// Returns a note if ebuilds of `tree` are of a release for which the eclass that they inherit has
/// no GPU targets. Otherwise returns None. `rendered` is the model's eclass. `present` is the
/// eclass of the repository; if it is None, the ebuilds inherit the eclass of `::gentoo`.
fn behind(distro: &Distro, tree: &Tree, rendered: &str, present: Option<&str>) -> Option<String> {
    let name = &distro.eclass.as_ref()?.name.value;
    // The facts about the eclass of ::gentoo are those of the release in `checked-at`.
    let known = &distro.checked_at.as_ref().unwrap_or(&distro.version).value;
    let unknown: BTreeSet<String> = releases(Some(distro), tree)
        .into_iter()
        .filter(|r| r != LIVE_VERSION && !rocpkg_gentoo::has_targets(rendered, present, known, r))
        .collect();
    let all = unknown
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join(", ");
    let (whose, mend) = match present {
        Some(_) => ("in this repository", "rows"),
        None => ("of ::gentoo", "whole"),
    };
    let said = "so Portage can't read the ebuilds that inherit it";
    (!all.is_empty()).then(|| {
        format!("{name}.eclass {whose} has no GPU targets for {all}, {said}; `--eclass {mend}`, or `eclass = \"{mend}\"` in rocpkg.toml, adds them to this repository")
    })
}

/// Returns the releases whose GPU targets the ebuilds of a tree take from the eclass: the value of
/// `ROCM_VERSION` in each ebuild. Returns none for a distribution without an eclass.
fn releases(distro: Option<&Distro>, tree: &Tree) -> BTreeSet<String> {
    let Some(eclass) = distro.and_then(|distro| distro.eclass.as_ref()) else {
        return BTreeSet::new();
    };
    let variable = format!("{}_VERSION=", eclass.name.value.to_uppercase());
    let of = |path: &str| {
        let mut lines = tree.text(path)?.lines();
        let said = lines
            .find_map(|line| line.strip_prefix(&variable))?
            .trim_matches('"');
        if said.starts_with('$') {
            rocpkg_gentoo::version_of(path)
        } else {
            Some(said.to_owned())
        }
    };
    tree.recipes().filter_map(|(path, _)| of(path)).collect()
}

/// Returns lines for the file `profiles/categories`: the categories of the tree's ebuilds that are
/// neither in `present`, the existing file, nor in `::gentoo`. `::gentoo` counts only if it is a
/// master (`is_below_gentoo`).
///
/// # Errors
/// When the shipped model can't be planned.
fn categories(tree: &Tree, present: &str, is_below_gentoo: bool) -> Result<String, Error> {
    let mut all: BTreeSet<String> = tree
        .recipes()
        .filter_map(|(path, _)| Some(path.split_once('/')?.0.to_owned()))
        .collect();
    let known: BTreeSet<&str> = present.lines().map(str::trim).collect();
    all.retain(|category| !known.contains(category.as_str()));
    if is_below_gentoo && !all.is_empty() {
        // The user's layers may have categories that ::gentoo lacks, so the shipped model is
        // planned.
        let plan = Stack::shipped()?.plan(Backend::Gentoo, &Choice::Shipped)?;
        let theirs = plan.packages.iter();
        let theirs: BTreeSet<String> = theirs.map(|p| rocpkg_gentoo::category(&plan, p)).collect();
        all.retain(|category| !theirs.contains(category));
    }
    Ok(all.into_iter().map(|c| format!("{c}\n")).collect())
}

/// Returns the words of the value of `key` in `text`, a layout.conf: `gentoo` for
/// `masters = gentoo`.
fn layout<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    let line = text
        .lines()
        .filter_map(move |l| l.trim().strip_prefix(key)?.trim_start().strip_prefix('='));
    line.flat_map(str::split_whitespace)
}

/// Returns a note if an ebuild has no line in its Manifest, although the repository needs such
/// lines. Returns None if layout.conf sets `thin-manifests = true`: then Manifests list archives
/// only. The Manifests that rocpkg writes list archives only.
///
/// # Errors
/// When a file can't be read.
pub(super) fn unlisted(tree: &Tree, out: &Path) -> Result<Option<String>, Error> {
    let Some(text) = read_text(&out.join(LAYOUT))? else {
        return Ok(None);
    };
    if layout(&text, "thin-manifests").any(|word| word == "true") {
        return Ok(None);
    }
    let mut folders = BTreeSet::new();
    for (folder, file) in tree.recipes().filter_map(|(path, _)| path.rsplit_once('/')) {
        let path = format!("{folder}/Manifest");
        let existing = read_text(&out.join(&path))?.unwrap_or_default();
        let listed = tree
            .text(&path)
            .unwrap_or(&existing)
            .lines()
            .filter_map(ManifestLine::read);
        let bytes = tree
            .files
            .get(&format!("{folder}/{file}"))
            .unwrap_or_default();
        let sum = Sum::Blake2b(String::new()).of(bytes);
        let is_it = |l: ManifestLine| {
            l.name == file && l.facts.get("blake2b").is_some_and(|s| s == sum.digits())
        };
        if !listed.into_iter().any(is_it) {
            folders.insert(folder);
        }
    }
    let all = folders.into_iter().collect::<Vec<_>>().join(" ");
    let said =
        "the Manifests list only archives, but metadata/layout.conf has no `thin-manifests = true`";
    Ok((!all.is_empty())
        .then(|| format!("{said}; `pkgdev manifest {all}` adds ebuilds and other files")))
}

/// Returns the list `present` with the lines of `rendered` that it lacks. Lines are the same if
/// their first words are. If `present` is sorted, the new lines are inserted in order; otherwise
/// they are added at the end. Comments of `rendered` are left out.
fn with_lines(present: &str, rendered: &str) -> String {
    let word = |line: &str| {
        line.split_whitespace()
            .next()
            .filter(|w| !w.starts_with('#'))
            .map(str::to_owned)
    };
    let known: BTreeSet<String> = present.lines().filter_map(word).collect();
    let mut lines: Vec<&str> = present.lines().collect();
    let sorted = lines.is_sorted();
    for line in rendered
        .lines()
        .filter(|line| word(line).is_some_and(|w| !known.contains(&w)))
    {
        let at = if sorted {
            lines.partition_point(|l| *l < line)
        } else {
            lines.len()
        };
        lines.insert(at, line);
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
