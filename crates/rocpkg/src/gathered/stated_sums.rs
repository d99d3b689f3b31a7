//! Reads checksums from files that others wrote: Manifests, PKGBUILDs and files of Nix. Computes
//! the checksums of archives on this machine.

use crate::checksum_request::{ChecksumOf, ChecksumRequest};
use crate::error::Error;
use rocpkg_arch::Field;
use rocpkg_arch::internal::stated_sums;
use rocpkg_gentoo::ManifestLine;
use rocpkg_resolve::{is_checksum, is_sri, with_version};
use rocpkg_syntax::Outline;
use rocpkg_upstream::{Sums, sums_of_file};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The number of bytes by which a text is told from an archive.
const HEAD: u64 = 4096;

/// The checksums and archives that were found in the files of `--from`. Each has the position of
/// the path of `--from` that it is from.
#[derive(Default)]
pub(super) struct StatedSums {
    manifests: Vec<(usize, Dist)>,
    /// The checksums in PKGBUILDs and .SRCINFOs, by the address of the source. Each has its kind.
    sources: BTreeMap<String, Vec<(usize, &'static str, String)>>,
    nix: Vec<(usize, String)>,
    /// The paths of all other files, by file name.
    files: BTreeMap<String, (usize, PathBuf)>,
    /// The positions of the paths from which something was taken.
    used: BTreeSet<usize>,
}

struct Dist {
    name: String,
    sums: Sums,
    /// The addresses from which the ebuilds beside the Manifest fetch the archive.
    addresses: BTreeSet<String>,
}

impl StatedSums {
    /// Reads the files at `paths`. Of a folder, all files below it are read.
    ///
    /// # Errors
    /// When a file or folder can't be read.
    pub(super) fn read(paths: &[PathBuf]) -> Result<Self, Error> {
        let mut found = Self::default();
        let walked = |path| {
            let walk = WalkDir::new(path).sort_by_file_name().into_iter();
            walk.filter_entry(|entry| entry.depth() == 0 || entry.file_name() != ".git")
        };
        let all = paths.iter().enumerate();
        for (from, entry) in all.flat_map(|(from, path)| walked(path).map(move |e| (from, e))) {
            let entry = entry.map_err(|e| {
                let path = e.path().map(Path::to_owned).unwrap_or_default();
                Error::io(&path, e.into())
            })?;
            if !entry.file_type().is_dir() {
                found
                    .file(from, entry.path())
                    .map_err(|e| Error::io(entry.path(), e))?;
            }
        }
        Ok(found)
    }

    /// Returns the paths among `paths`, which were read, from which nothing was taken.
    pub(super) fn unused<'p>(&self, paths: &'p [PathBuf]) -> impl Iterator<Item = &'p PathBuf> {
        let all = paths.iter().enumerate();
        all.filter(|(from, _)| !self.used.contains(from))
            .map(|(_, path)| path)
    }

    /// Reads a file. The content decides what the file is, since a copy of a Manifest may have any
    /// name.
    fn file(&mut self, from: usize, path: &Path) -> io::Result<()> {
        let text = text(path)?;
        let text = text.as_deref().unwrap_or_default();
        let lines = text.lines().filter_map(ManifestLine::read);
        let lines: Vec<ManifestLine> = lines.filter(|read| read.kind == "DIST").collect();
        let is_arch = ["pkgname", "sums"].iter().all(|word| text.contains(word));
        let sums = if is_arch {
            stated_sums(text)
        } else {
            Vec::new()
        };
        let is_nix = path.extension().is_some_and(|e| e == "nix");
        if !lines.is_empty() {
            let addresses = addresses(path.parent().unwrap_or(Path::new("")))?;
            for read in lines {
                let kinds = ["size", "blake2b", "sha512"].into_iter();
                let sums = kinds.filter_map(|kind| Some((kind, read.facts.get(kind)?.clone())));
                let dist = Dist {
                    name: read.name.to_owned(),
                    sums: sums.collect(),
                    addresses: addresses.get(read.name).cloned().unwrap_or_default(),
                };
                self.manifests.push((from, dist));
            }
        } else if !sums.is_empty() {
            for own in sums.into_iter().filter(|own| !own.is_unknown()) {
                let kind = match own.field {
                    Field::Sha256sums => "sha256",
                    Field::Sha512sums => "sha512",
                    Field::B2sums => "blake2b",
                    _ => continue,
                };
                let known = self.sources.entry(plain(&own.address)).or_default();
                known.push((from, kind, own.sum.to_ascii_lowercase()));
            }
        } else if is_nix || text.split('"').any(is_sri) {
            self.nix.push((from, text.to_owned()));
        } else {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let known = self.files.entry(name.into_owned());
            known.or_insert_with(|| (from, path.to_owned()));
        }
        Ok(())
    }

    /// Returns the checksums that the files state for the source or patch `w`. Adds remarks on them
    /// to `notes`. `texts` are the recipes by their paths, rendered with stand-ins for the
    /// checksums.
    ///
    /// # Errors
    /// When an archive can't be read.
    pub(super) fn of(
        &mut self,
        w: &ChecksumRequest,
        texts: &BTreeMap<String, String>,
        notes: &mut Vec<String>,
    ) -> Result<Sums, Error> {
        let mut all: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
        let used = &mut self.used;
        let mut take = |from: usize, kind: &'static str, sum: String| {
            used.insert(from);
            all.entry(kind).or_default().insert(sum);
        };
        for address in entries(w) {
            for (from, kind, sum) in self.sources.get(&address).into_iter().flatten() {
                take(*from, kind, sum.clone());
            }
        }
        for s in &w.stated {
            if let Some(text) = texts.get(&s.path) {
                let own = s.backend.implementation();
                let hash = |there: &str| nth(&own.with_sums_of(text, there), text, s.nth);
                let found = self.nix.iter();
                for (from, sum) in found.filter_map(|(from, there)| Some((*from, hash(there)?))) {
                    take(from, "sri", sum);
                }
            }
            for (from, dist) in self.manifests.iter().filter(|(_, d)| d.name == s.name) {
                let of = &dist.addresses;
                if !of.is_empty() && !of.contains(&plain(&w.address)) {
                    notes.push(format!(
                        "{}: {} of a Manifest is ignored, because its address differs",
                        w.key, s.name
                    ));
                    continue;
                }
                if of.is_empty() {
                    notes.push(format!(
                        "{}: {} of a Manifest is matched by its name alone",
                        w.key, s.name
                    ));
                }
                for (kind, sum) in &dist.sums {
                    take(*from, kind, sum.clone());
                }
            }
        }
        let own = matches!(w.of, ChecksumOf::Patch).then_some(&w.key);
        let names: BTreeSet<&String> = w.stated.iter().map(|s| &s.name).chain(own).collect();
        for (name, (from, path)) in names
            .into_iter()
            .filter_map(|name| self.files.get_key_value(name))
        {
            // The hash of Nix is of a patch that Nix rewrote, so it is not that of the file.
            let sums = sums_of_file(path)?;
            let fits = |kind: &str| own.is_none() || kind != "sri";
            for (kind, sum) in sums.into_iter().filter(|(kind, _)| fits(kind)) {
                take(*from, kind, sum);
            }
            notes.push(format!("{}: {name} is matched by its name alone", w.key));
        }
        for (kind, sums) in &mut all {
            sums.retain(|sum| {
                let fine = is_checksum(kind, sum);
                if !fine {
                    notes.push(format!(
                        "{}: ignored, because `{sum}` is not a {kind}",
                        w.key
                    ));
                }
                fine
            });
        }
        let disputed: Vec<_> = all
            .iter()
            .filter(|(_, sums)| sums.len() > 1)
            .map(|(kind, _)| *kind)
            .collect();
        if !disputed.is_empty() {
            notes.push(format!(
                "{}: ignored, because files state different values of {}",
                w.key,
                disputed.join(", ")
            ));
            return Ok(Sums::new());
        }
        Ok(all
            .into_iter()
            .filter_map(|(kind, sums)| Some((kind, sums.into_iter().next()?)))
            .collect())
    }
}

/// Returns the text of a file, or `None` if the file is no text, such as an archive.
fn text(path: &Path) -> io::Result<Option<String>> {
    let mut head = Vec::new();
    fs::File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    if head.contains(&0) {
        return Ok(None);
    }
    let bytes = fs::read(path)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the forms in which a PKGBUILD may write the address of the source or patch `w`.
fn entries(w: &ChecksumRequest) -> Vec<String> {
    let ChecksumOf::Source { source, .. } = &w.of else {
        return vec![plain(&w.address)];
    };
    let tag = with_version(&source.tag, &source.version);
    let pin = source
        .revision
        .as_ref()
        .map_or_else(|| format!("tag={tag}"), |commit| format!("commit={commit}"));
    let home = with_version(&source.url, &source.version);
    vec![plain(&w.address), plain(&format!("git+{home}#{pin}"))]
}

/// Returns an address without the differences between addresses of the same file. GitHub serves the
/// archive of a tag at two addresses, and a repository with `.git` or without it.
fn plain(address: &str) -> String {
    let address = address.replace("/archive/refs/tags/", "/archive/");
    match address.split_once('#') {
        Some((home, pin)) if home.starts_with("git+") => {
            format!(
                "{}#{}",
                home.trim_end_matches(".git"),
                pin.trim_end_matches("?signed")
            )
        }
        _ => address,
    }
}

/// Returns one of Nix's hashes in `text`. `unknown` is the same text with stand-ins for hashes. The
/// result is the hash at the position of the stand-in with the number `number`, from 0. It is
/// `None` if `text` has a stand-in there, too.
fn nth(text: &str, unknown: &str, number: usize) -> Option<String> {
    let hashes = |text| str::split(text, '"').filter(|word| is_sri(word));
    let is_open = |sum: &str| {
        sum.trim_start_matches("sha256-")
            .trim_matches(['A', '='])
            .is_empty()
    };
    let (at, _) = hashes(unknown)
        .enumerate()
        .filter(|(_, sum)| is_open(sum))
        .nth(number)?;
    hashes(text)
        .nth(at)
        .filter(|sum| !is_open(sum))
        .map(str::to_owned)
}

/// Returns the addresses from which the ebuilds of a folder fetch archives, by the archives' names.
/// Addresses that are known only by running the ebuild are left out.
fn addresses(folder: &Path) -> io::Result<BTreeMap<String, BTreeSet<String>>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let shown = path.to_string_lossy();
        if rocpkg_gentoo::internal::version_of(&shown).is_none() {
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        let read = rocpkg_gentoo::internal::reading(&shown).read(&text).ok();
        let all_of =
            |read: &Outline| Some(read.expanded(&read.get(&["SRC_URI"])?.body.as_ref()?.inside));
        let words = read.as_ref().and_then(all_of).unwrap_or_default();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        for (i, word) in words
            .iter()
            .enumerate()
            .filter(|(_, word)| word.contains("://"))
        {
            let own = || word.rsplit('/').next();
            let name = if words.get(i + 1) == Some(&"->") {
                words.get(i + 2).copied()
            } else {
                own()
            };
            all.entry(name.unwrap_or_default().to_owned())
                .or_default()
                .insert(plain(word));
        }
    }
    Ok(all)
}
