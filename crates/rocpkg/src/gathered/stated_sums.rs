//! Reads checksums from files that others wrote: Manifests, PKGBUILDs and files of Nix. Computes
//! the checksums of archives on this machine.

use crate::backend::Backend;
use crate::checksum_request::{ChecksumOf, ChecksumRequest};
use crate::error::Error;
use rocpkg_arch::{Field, stated_sums};
use rocpkg_gentoo::ManifestLine;
use rocpkg_nix::sums_from;
use rocpkg_resolve::{is_checksum, is_sri, with_version};
use rocpkg_syntax::Outline;
use rocpkg_upstream::{Sums, sums_of_file};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// The checksums and archives that were found in the files of `--from`.
#[derive(Default)]
pub(super) struct StatedSums {
    /// The lines of Manifests. Each has the archive's name, its checksums, and the addresses from
    /// which the ebuilds beside the Manifest fetch the archive.
    manifests: Vec<(String, Sums, BTreeSet<String>)>,
    /// The checksums in PKGBUILDs and .SRCINFOs, by the address of the source. Each has its kind.
    sources: BTreeMap<String, Vec<(&'static str, String)>>,
    /// The texts of Nix files.
    nix: Vec<String>,
    /// The paths of all other files, by file name.
    files: BTreeMap<String, PathBuf>,
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
        for entry in paths.iter().flat_map(walked) {
            let entry = entry.map_err(|e| {
                let path = e.path().map(Path::to_owned).unwrap_or_default();
                Error::io(&path, e.into())
            })?;
            if !entry.file_type().is_dir() {
                found
                    .file(entry.path())
                    .map_err(|e| Error::io(entry.path(), e))?;
            }
        }
        Ok(found)
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let text = || fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        match name.as_str() {
            "Manifest" => {
                let addresses = addresses(path.parent().unwrap_or(Path::new("")))?;
                for line in text()?.lines() {
                    if let Some(read) = ManifestLine::read(line).filter(|read| read.kind == "DIST")
                    {
                        let of = addresses.get(read.name).cloned().unwrap_or_default();
                        let kinds = ["size", "blake2b", "sha512"].into_iter();
                        let sums =
                            kinds.filter_map(|kind| Some((kind, read.facts.get(kind)?.clone())));
                        self.manifests
                            .push((read.name.to_owned(), sums.collect(), of));
                    }
                }
            }
            "PKGBUILD" | ".SRCINFO" => {
                let all = stated_sums(&text()?).into_iter();
                for own in all.filter(|own| !own.is_unknown()) {
                    let kind = match own.field {
                        Field::Sha256sums => "sha256",
                        Field::Sha512sums => "sha512",
                        Field::B2sums => "blake2b",
                        _ => continue,
                    };
                    self.sources
                        .entry(plain(&own.address))
                        .or_default()
                        .push((kind, own.sum.to_ascii_lowercase()));
                }
            }
            _ if path.extension().is_some_and(|e| e == "nix") => self.nix.push(text()?),
            _ => {
                self.files.entry(name).or_insert_with(|| path.to_owned());
            }
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
        &self,
        w: &ChecksumRequest,
        texts: &BTreeMap<String, String>,
        notes: &mut Vec<String>,
    ) -> Result<Sums, Error> {
        let mut all: BTreeMap<&'static str, BTreeSet<String>> = BTreeMap::new();
        let mut take =
            |kind: &'static str, sum: String| _ = all.entry(kind).or_default().insert(sum);
        for address in entries(w) {
            for (kind, sum) in self.sources.get(&address).into_iter().flatten() {
                take(kind, sum.clone());
            }
        }
        for s in &w.stated {
            if s.backend == Backend::Nix
                && let Some(text) = texts.get(&s.path)
            {
                for sum in self
                    .nix
                    .iter()
                    .filter_map(|there| nth(&sums_from(text, there), text, s.nth))
                {
                    take("sri", sum);
                }
            }
            for (_, sums, of) in self.manifests.iter().filter(|(name, ..)| *name == s.name) {
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
                for (kind, sum) in sums {
                    take(kind, sum.clone());
                }
            }
        }
        let own = matches!(w.of, ChecksumOf::Patch).then_some(&w.key);
        let names: BTreeSet<&String> = w.stated.iter().map(|s| &s.name).chain(own).collect();
        for (name, path) in names
            .into_iter()
            .filter_map(|name| self.files.get_key_value(name))
        {
            // The hash of Nix is of a patch that Nix rewrote, so it is not that of the file.
            let sums = sums_of_file(path)?;
            let fits = |kind: &str| own.is_none() || kind != "sri";
            for (kind, sum) in sums.into_iter().filter(|(kind, _)| fits(kind)) {
                take(kind, sum);
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
        if rocpkg_gentoo::version_of(&shown).is_none() {
            continue;
        }
        let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        let read = rocpkg_gentoo::reading(&shown).read(&text).ok();
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
