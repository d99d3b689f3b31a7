//! The files that the ebuilds of a folder share in Gentoo: Manifest and metadata.xml. The rendered
//! lines are merged into the existing files. These files contain lines that rocpkg can't render:
//! those that `ebuild … manifest` added, and those of ebuilds of other versions.

use super::line_ends::read_text;
use super::surroundings::{folder, names};
use crate::error::Error;
use crate::tree::Tree;
use rocpkg_gentoo::ManifestLine;
use rocpkg_gentoo::internal::{join_manifest, join_metadata, may_have_flag};
use rocpkg_render::{Listing, Manifest, WriteError, WriteOptions, read};
use rocpkg_syntax::fetched;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use walkdir::WalkDir;

/// Removes from the Manifests the archives that the model's recipe fetches and the edited recipe
/// does not. The edited recipe may fetch another archive of the same name.
///
/// `edited` maps the path of each recipe whose text differs from the model's recipe to the text of
/// the model's recipe.
///
/// # Errors
/// When a Manifest can't be replaced in the tree.
pub(super) fn without_unfetched(
    tree: &mut Tree,
    edited: &BTreeMap<String, String>,
) -> Result<(), Error> {
    let plain = |address: &str| fetched(address).to_lowercase();
    for (path, rendered) in edited {
        let text = tree.text(path).unwrap_or_default();
        let own = rocpkg_gentoo::internal::distfiles(text, path);
        let Some((own, model)) = own.zip(rocpkg_gentoo::internal::distfiles(
            rendered,
            tree.origin(path),
        )) else {
            continue;
        };
        let is_fetched = |(address, name): &(String, String)| {
            own.iter()
                .any(|(of, by)| by == name && plain(of) == plain(address))
        };
        let others = model.iter().filter(|archive| !is_fetched(archive));
        let others: BTreeSet<String> = others.map(|(_, name)| name.clone()).collect();
        let manifest = format!("{}/Manifest", folder(path));
        for listing in tree.listings.iter_mut().filter(|l| l.path == manifest) {
            listing.lines.retain(|name, _| !others.contains(name));
            if tree.files.get(&manifest).is_some() {
                match listing.text() {
                    Some(text) => tree.files.replace(manifest.as_str(), text)?,
                    None => _ = tree.files.remove(&manifest),
                }
            }
        }
        tree.unknown_sums
            .retain(|(_, sum)| sum.path != manifest || !others.contains(&sum.name));
    }
    Ok(())
}

/// Merges each Manifest and metadata.xml of the tree with the existing file in the folder `out`.
/// `options.merged` gets the paths of the merged files, and `options.present` those of existing
/// files that stay as they are. `ours` lists the files that rocpkg wrote in earlier runs.
///
/// # Errors
/// When a file can't be read, or an existing Manifest states another checksum than the model.
pub(super) fn join(
    tree: &mut Tree,
    out: &Path,
    ours: &Manifest,
    options: &mut WriteOptions,
) -> Result<(), Error> {
    let known = UnchangedEbuilds {
        out,
        untouched: ours.untouched(out, |path| path.ends_with(".ebuild")),
    };
    let mut wrong = Vec::new();
    share(tree, out)?;
    for listing in tree.listings.clone() {
        let Some(old) = read_text(&out.join(&listing.path))? else {
            continue;
        };
        let folder = listing
            .path
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let ebuilds = known.ebuilds(tree, folder, options.prune)?;
        let is_free = ours.has(&listing.path) && !ebuilds.stay;
        let goes = |kind: &str, name: &str| is_free && ebuilds.go.iter().any(|e| e.has(kind, name));
        let joined = join_manifest(&listing, &old, goes);
        let is_known = |name: &str| joined.listing.lines.get(name).is_some_and(Option::is_some);
        tree.unknown_sums
            .retain(|(_, u)| u.path != listing.path || !is_known(&u.name));
        if joined.is_strange {
            // The writer refuses to replace the file. If the tree has no such file, the existing
            // one stays as it is.
            if tree.files.get(&listing.path).is_none() {
                options.present.insert(listing.path);
            }
            continue;
        }
        wrong.extend(joined.disputed.iter().map(|name| {
            let path = &listing.path;
            format!("{path}: the checksums of {name} differ from the model; remove the line to use the model's")
        }));
        if joined.listing.text().is_some() {
            let text = spliced(&joined.listing, &old);
            tree.files.replace(listing.path.clone(), text)?;
            options.merged.insert(listing.path);
        } else {
            // The existing Manifest may contain all that is known. A Manifest with a part of the
            // lines would not be better.
            tree.files.remove(&listing.path);
            options.present.insert(listing.path);
        }
    }
    let untouched = ours.untouched(out, |path| path.ends_with(METADATA));
    let all = tree
        .files
        .iter()
        .filter(|(path, _)| path.as_str().ends_with(METADATA));
    for path in all
        .map(|(path, _)| path.as_str().to_owned())
        .collect::<Vec<_>>()
    {
        let Some(old) = read_text(&out.join(&path))? else {
            continue;
        };
        let folder = path.strip_suffix(METADATA).unwrap_or_default();
        if !untouched.contains(&path) || known.ebuilds(tree, folder, options.prune)?.stay {
            let ebuilds = texts(tree, out, folder)?;
            let has_flag = |flag: &str| ebuilds.iter().any(|text| may_have_flag(text, flag));
            // A file that is no metadata.xml is not merged, and the writer refuses to replace it.
            let rendered = tree.text(&path).unwrap_or_default();
            if let Some(joined) = join_metadata(rendered, &old, has_flag) {
                tree.files.replace(path.as_str(), joined)?;
                options.merged.insert(path);
            }
        }
    }
    // If an ebuild of a package that is no longer rendered stays, it still needs its Manifest.
    for path in ours.paths().filter(|path| tree.files.get(path).is_none()) {
        let Some(folder) = path
            .strip_suffix("/Manifest")
            .filter(|f| out.join(f).is_dir())
        else {
            continue;
        };
        if known.ebuilds(tree, folder, true)?.stay {
            options.present.insert(path.to_owned());
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(Error::Manifests(wrong))
    }
}

/// Adds to the Manifests of the tree the lines that they lack and that another Manifest of the tree
/// or of the checkout `out` has. The name of an archive stands for one file: Portage saves the
/// archives of all packages in one folder. A line is left out if two Manifests contradict each
/// other.
///
/// # Errors
/// When a Manifest can't be read, or can't be replaced in the tree.
fn share(tree: &mut Tree, out: &Path) -> Result<(), Error> {
    let lacking: Vec<BTreeSet<String>> = tree
        .listings
        .iter()
        .map(|listing| lacking(tree, listing))
        .collect();
    if lacking.iter().all(BTreeSet::is_empty) {
        return Ok(());
    }
    let mut known: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |text: &str| {
        let read = ManifestLine::read(text).filter(|read| read.kind == "DIST");
        if let Some(read) = read {
            let lines = known.entry(read.name.to_owned()).or_default();
            lines.insert(text.to_owned());
        }
    };
    let own = tree.listings.iter();
    own.flat_map(|listing| listing.lines.values().flatten())
        .for_each(|line| add(line));
    let walk = WalkDir::new(out).min_depth(3).max_depth(3);
    let files = walk.into_iter().flatten();
    for file in files.filter(|file| file.file_name() == "Manifest") {
        let text = read_text(file.path())?.unwrap_or_default();
        text.lines().for_each(&mut add);
    }
    for (listing, lacking) in tree.listings.iter_mut().zip(lacking) {
        let mut is_changed = false;
        for name in lacking {
            let all = known.get(&name).filter(|all| all.len() == 1);
            if let Some(line) = all.and_then(BTreeSet::first) {
                listing.lines.insert(name, Some(line.clone()));
                is_changed = true;
            }
        }
        if let Some(text) = listing.text().filter(|_| is_changed) {
            tree.files.replace(listing.path.as_str(), text)?;
            let is_known = |name: &str| listing.lines.get(name).is_some_and(Option::is_some);
            tree.unknown_sums
                .retain(|(_, sum)| sum.path != listing.path || !is_known(&sum.name));
        }
    }
    Ok(())
}

/// Returns the names of the archives that the ebuilds beside a Manifest fetch, and whose lines it
/// does not have.
fn lacking(tree: &Tree, listing: &Listing) -> BTreeSet<String> {
    let unknown = listing.lines.iter().filter(|(_, line)| line.is_none());
    let mut all: BTreeSet<String> = unknown.map(|(name, _)| name.clone()).collect();
    for (path, text) in &tree.files {
        let path = path.as_str();
        if path.ends_with(".ebuild") && folder(path) == folder(&listing.path) {
            let text = String::from_utf8_lossy(text);
            let fetched = rocpkg_gentoo::internal::distfiles(&text, path).unwrap_or_default();
            let names = fetched.into_iter().map(|(_, name)| name);
            all.extend(names.filter(|name| !listing.lines.contains_key(name)));
        }
    }
    all
}

/// Returns the text of the merged Manifest `listing`, with its lines in the order of the existing
/// Manifest `old`. Lines of `old` that `listing` does not have are removed. Each new line is
/// inserted among the `DIST` lines by its name.
fn spliced(listing: &Listing, old: &str) -> String {
    let all: BTreeSet<&str> = listing
        .lines
        .values()
        .flatten()
        .map(String::as_str)
        .collect();
    let mut lines: Vec<&str> = old.lines().filter(|line| all.contains(line)).collect();
    let is_archive = |line: &&str| line.starts_with("DIST ");
    let own: BTreeSet<&str> = old.lines().collect();
    for line in all.difference(&own) {
        let next = lines.iter().position(|own| is_archive(own) && own > line);
        let last = lines.iter().rposition(is_archive);
        let at = next.or(last.map(|last| last + 1)).unwrap_or(lines.len());
        lines.insert(at, line);
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

const METADATA: &str = "/metadata.xml";

/// Returns the texts of the ebuilds that `folder` will contain: those of the tree, and the existing
/// ones of other names.
fn texts(tree: &Tree, out: &Path, folder: &str) -> Result<Vec<String>, WriteError> {
    let mut all = Vec::new();
    let is_here = |path: &str| {
        path.rsplit_once('/')
            .is_some_and(|(above, _)| above == folder)
    };
    for (path, bytes) in &tree.files {
        if is_here(path.as_str()) && path.as_str().ends_with(".ebuild") {
            all.push(String::from_utf8_lossy(bytes).into_owned());
        }
    }
    for name in names(&out.join(folder)) {
        let path = format!("{folder}/{name}");
        if name.ends_with(".ebuild") && tree.files.get(&path).is_none() {
            let bytes = read(&out.join(&path))?.unwrap_or_default();
            all.push(String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    Ok(all)
}

/// The output folder, and the unchanged ebuilds in it.
struct UnchangedEbuilds<'a> {
    out: &'a Path,
    /// The ebuilds that rocpkg wrote and nobody has changed since.
    untouched: BTreeSet<String>,
}

/// The existing ebuilds of a folder, sorted into those that stay and those that are removed.
#[derive(Default)]
struct Ebuilds {
    /// Set if an ebuild stays that rocpkg did not render: one of another version, or one with
    /// manual edits.
    stay: bool,
    go: Vec<Gone>,
}

impl UnchangedEbuilds<'_> {
    fn ebuilds(&self, tree: &Tree, folder: &str, prune: bool) -> Result<Ebuilds, WriteError> {
        let at = self.out.join(folder);
        let said = |source| WriteError::Io {
            path: at.clone(),
            source,
        };
        let mut all = Ebuilds::default();
        for entry in fs::read_dir(&at).map_err(said)? {
            let name = entry
                .map_err(said)?
                .file_name()
                .to_string_lossy()
                .into_owned();
            if !name.ends_with(".ebuild") {
                continue;
            }
            let path = format!("{folder}/{name}");
            if tree.files.get(&path).is_some() {
                all.stay |= !self.untouched.contains(&path);
            } else if prune && self.untouched.contains(&path) {
                let text = read(&self.out.join(&path))?.unwrap_or_default();
                all.go.push(Gone::new(folder, name, &text));
            } else {
                all.stay = true;
            }
        }
        Ok(all)
    }
}

struct Gone {
    name: String,
    version: String,
    text: String,
}

impl Gone {
    fn new(folder: &str, name: String, text: &[u8]) -> Self {
        let package = folder.rsplit('/').next().unwrap_or_default();
        let version = name
            .strip_suffix(".ebuild")
            .and_then(|n| n.strip_prefix(package)?.strip_prefix('-'));
        let version = version.unwrap_or_default();
        // The name of an archive contains no revision.
        let version = version
            .rsplit_once("-r")
            .map_or(version, |(version, _)| version)
            .to_owned();
        Self {
            name,
            version,
            text: String::from_utf8_lossy(text).into_owned(),
        }
    }

    /// Returns true if a line of a Manifest belongs to this ebuild. `kind` is the first word of the
    /// line, and `file` the second. An `EBUILD` line belongs to the ebuild that it names. A `DIST`
    /// line belongs to the ebuild whose text contains the archive's name, or whose version is in
    /// the archive's name.
    fn has(&self, kind: &str, file: &str) -> bool {
        match kind {
            "EBUILD" => file == self.name,
            "DIST" => self.text.contains(file) || bears(file, &self.version),
            _ => false,
        }
    }
}

/// Returns true if the file name `name` contains `version`, and not as a part of a longer number:
/// `hip-7.2.0.tar.gz` contains 7.2.0, and `hip-17.2.0.tar.gz` does not.
fn bears(name: &str, version: &str) -> bool {
    let digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    let is_part = |before: &str, after: &str| {
        before.ends_with(|c: char| c.is_ascii_digit() || c == '.')
            || digit(after)
            || after.strip_prefix('.').is_some_and(digit)
    };
    !version.is_empty()
        && name
            .match_indices(version)
            .any(|(at, _)| !is_part(&name[..at], &name[at + version.len()..]))
}

#[cfg(test)]
mod tests {
    use super::{Listing, spliced};

    #[test]
    fn a_list_keeps_its_order() {
        let list = |lines: &[&str]| Listing {
            path: "a/b/Manifest".to_owned(),
            package: "b".to_owned(),
            lines: lines
                .iter()
                .map(|line| ((*line).to_owned(), Some((*line).to_owned())))
                .collect(),
        };
        let old = "AUX x 1\nDIST b-1 1\nDIST b-3 1\nEBUILD b-1.ebuild 1\nMISC y 1\n";
        let all = [
            "AUX x 1",
            "DIST b-1 1",
            "DIST b-3 1",
            "EBUILD b-1.ebuild 1",
            "MISC y 1",
        ];
        assert_eq!(spliced(&list(&all), old), old);
        let more = [&all[..], &["DIST b-2 1", "DIST b-4 1"]].concat();
        let text = spliced(&list(&more), old);
        assert_eq!(
            text,
            "AUX x 1\nDIST b-1 1\nDIST b-2 1\nDIST b-3 1\nDIST b-4 1\nEBUILD b-1.ebuild 1\nMISC y 1\n"
        );
        assert_eq!(spliced(&list(&all), &text), old);
    }
}
