//! Shared files of an existing Gentoo repository. The repository keeps its name and its settings,
//! lists gain lines, and an eclass that a master has is not written.

use super::line_ends::read_text;
use super::masters::{LAYOUT, NAME, layout};
use super::options::Eclass;
use super::todo::{Todo, TodoKind};
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

/// Fits the shared files of `tree` into the existing Gentoo repository `out`. `eclass` is the
/// user's choice for rocm.eclass; see [`Output::eclass`](super::Output::eclass) for None. Files
/// that are not written are added to `options.present`.
///
/// Returns the eclass that the ebuilds inherit, if it is not written.
///
/// # Errors
/// When a file can't be read, or the existing eclass has no table of targets.
pub(super) fn fit(
    stack: &Stack,
    backend: Backend,
    tree: &mut Tree,
    out: &Path,
    eclass: Option<Eclass>,
    options: &mut WriteOptions,
) -> Result<Option<InheritedEclass>, Error> {
    let mut inherited = None;
    let distro = stack.model().distros.get(backend.distro());
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
    // The files are in the order of their paths, so the eclass is before the descriptions.
    let mut written_eclass = String::new();
    for (path, bytes) in of_all {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        tree.files.remove(&path);
        let present = read_text(&out.join(&path))?;
        if eclass == Eclass::None && Shared::of(&path) == Shared::Eclass {
            inherited =
                distro.and_then(|distro| InheritedEclass::of(distro, &text, present.as_deref()));
        }
        let written = match (Shared::of(&path), present) {
            (Shared::Eclass | Shared::Descriptions, _) if eclass == Eclass::None => None,
            (Shared::Eclass, Some(present)) if eclass == Eclass::Rows => Some(
                rocpkg_gentoo::internal::join_eclass(&text, &present, &releases(distro, tree))
                    .ok_or_else(|| Error::NoTable(path.clone()))?,
            ),
            (Shared::Categories, Some(present)) => {
                let own = categories(backend, tree, &present, is_below_gentoo)?;
                Some(with_lines(&present, &own))
            }
            (Shared::Descriptions, Some(present)) => {
                let all = releases(distro, tree);
                let targets = rocpkg_gentoo::internal::eclass_targets(&written_eclass, &all);
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
        if Shared::of(&path) == Shared::Eclass {
            written_eclass.clone_from(&written);
        }
        tree.files.insert(path, written)?;
    }
    Ok(inherited)
}

/// The eclass of GPU targets that ebuilds inherit, in this repository or in `::gentoo`.
pub(super) struct InheritedEclass {
    name: String,
    rendered: String,
    /// The text of the eclass in this repository; None if ebuilds inherit that of `::gentoo`.
    present: Option<String>,
    /// The release of the facts about the eclass of `::gentoo`.
    known: String,
}

impl InheritedEclass {
    fn of(distro: &Distro, rendered: &str, present: Option<&str>) -> Option<Self> {
        // The facts about the eclass of ::gentoo are those of the release in `checked-at`.
        let known = distro.checked_at.as_ref().unwrap_or(&distro.version);
        Some(Self {
            name: distro.eclass.as_ref()?.name.value.clone(),
            rendered: rendered.to_owned(),
            present: present.map(str::to_owned),
            known: known.value.clone(),
        })
    }

    /// Returns a todo for each ebuild of `tree` that is of a release for which the eclass has no
    /// GPU targets. Portage can't read such an ebuild.
    pub(super) fn lacking(&self, tree: &Tree) -> Vec<Todo> {
        let (whose, mend) = match &self.present {
            Some(_) => ("in this repository", "rows"),
            None => ("of ::gentoo", "whole"),
        };
        let is_unknown = |release: &String| {
            let (rendered, present) = (&self.rendered, self.present.as_deref());
            let is_known =
                rocpkg_gentoo::internal::has_targets(rendered, present, &self.known, release);
            release != LIVE_VERSION && !is_known
        };
        let found = tree.recipes().filter_map(|(path, _)| {
            let stated = release(&self.name, tree, path)?;
            is_unknown(&stated.release).then_some((path, stated))
        });
        let todo = |(path, StatedRelease { release, line }): (&str, StatedRelease)| {
            let text = format!(
                "{}.eclass {whose} has no GPU targets for {release}, so Portage can't read the ebuild; `--eclass {mend}`, or `eclass = \"{mend}\"` in rocpkg.toml, adds them to this repository",
                self.name
            );
            Todo::new(path, TodoKind::Eclass, text).at(line, 1)
        };
        found.map(todo).collect()
    }
}

/// A release that an ebuild states for the eclass, and the line that states it, from 1.
struct StatedRelease {
    release: String,
    line: usize,
}

/// Returns the release whose GPU targets an ebuild takes from the eclass `name`: the value of
/// `ROCM_VERSION`. Returns None if the ebuild takes none: it sets `ROCM_SKIP_GLOBALS`.
fn release(name: &str, tree: &Tree, path: &str) -> Option<StatedRelease> {
    let name = name.to_uppercase();
    let (variable, skip) = (format!("{name}_VERSION="), format!("{name}_SKIP_GLOBALS="));
    let text = tree.text(path)?;
    let skips = |line: &str| {
        line.strip_prefix(&skip)
            .is_some_and(|value| !value.is_empty())
    };
    if text.lines().any(skips) {
        return None;
    }
    let mut lines = text.lines().zip(1..);
    let (said, line) =
        lines.find_map(|(text, line)| Some((text.strip_prefix(&variable)?, line)))?;
    let said = said.trim_matches('"');
    let release = if said.starts_with('$') {
        rocpkg_gentoo::internal::version_of(path)?
    } else {
        said.to_owned()
    };
    Some(StatedRelease { release, line })
}

/// Returns the releases whose GPU targets the ebuilds of a tree take from the eclass. Returns none
/// for a distribution without an eclass.
fn releases(distro: Option<&Distro>, tree: &Tree) -> BTreeSet<String> {
    let Some(eclass) = distro.and_then(|distro| distro.eclass.as_ref()) else {
        return BTreeSet::new();
    };
    let of = |path: &str| Some(release(&eclass.name.value, tree, path)?.release);
    tree.recipes().filter_map(|(path, _)| of(path)).collect()
}

/// Returns lines for the file `profiles/categories`: the categories of the tree's ebuilds that are
/// neither in `present`, the existing file, nor in `::gentoo`. `::gentoo` counts only if it is a
/// master (`is_below_gentoo`).
///
/// # Errors
/// When the shipped model can't be planned.
fn categories(
    backend: Backend,
    tree: &Tree,
    present: &str,
    is_below_gentoo: bool,
) -> Result<String, Error> {
    let mut all: BTreeSet<String> = tree
        .recipes()
        .filter_map(|(path, _)| Some(path.split_once('/')?.0.to_owned()))
        .collect();
    let known: BTreeSet<&str> = present.lines().map(str::trim).collect();
    all.retain(|category| !known.contains(category.as_str()));
    if is_below_gentoo && !all.is_empty() {
        // The user's layers may have categories that ::gentoo lacks, so the shipped model is
        // planned.
        let plan = Stack::shipped()?.plan(backend, &Choice::Shipped)?;
        let theirs = plan.packages.iter();
        let theirs: BTreeSet<String> = theirs
            .map(|p| rocpkg_gentoo::internal::category(&plan, p))
            .collect();
        all.retain(|category| !theirs.contains(category));
    }
    Ok(all.into_iter().map(|c| format!("{c}\n")).collect())
}

/// Returns a todo for each ebuild that has no line in its Manifest, although the repository needs
/// such lines. Returns none if layout.conf sets `thin-manifests = true`: then Manifests list
/// archives only. The Manifests that rocpkg writes list archives only.
///
/// # Errors
/// When a file can't be read.
pub(super) fn unlisted(tree: &Tree, out: &Path) -> Result<Vec<Todo>, Error> {
    let Some(text) = read_text(&out.join(LAYOUT))? else {
        return Ok(Vec::new());
    };
    if layout(&text, "thin-manifests").any(|word| word == "true") {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
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
            let text = format!(
                "the Manifest has no line for the ebuild, and metadata/layout.conf has no `thin-manifests = true`: `pkgdev manifest {folder}` adds ebuilds and other files"
            );
            all.push(Todo::new(format!("{folder}/{file}"), TodoKind::File, text));
        }
    }
    Ok(all)
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
