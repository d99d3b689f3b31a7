//! The sources and files whose checksums recipes state. Each is listed once for a version, with the
//! recipes that state its checksums.

use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use crate::package_output::PackageOutput;
use crate::select::Packages;
use crate::stack::Stack;
use rocpkg_model::{Checksum, Patch, Span};
use rocpkg_render::Pinned;
use rocpkg_resolve::{Model, Planned, Release, ResolvedSource, is_sri};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A source or file whose checksums recipes state. The recipes fetch it, or it is a file beside
/// them.
#[derive(Clone, Debug)]
pub struct ChecksumRequest {
    /// The source's name in the tables of checksums, or the file name of a patch.
    pub key: String,
    /// The version of the package or source that is fetched.
    pub version: String,
    /// The URL from which the source or patch is fetched. Empty for a file beside the recipe.
    pub address: String,
    /// The kind: a source or a patch.
    #[doc(hidden)]
    pub of: ChecksumOf,
    /// The place in the profiles that holds its checksums, or would hold them.
    #[doc(hidden)]
    pub place: ChecksumPlace,
    /// The recipes that state its checksums, each with the kinds of checksums.
    #[doc(hidden)]
    pub stated: Vec<DeclaredSum>,
    /// The checksums that the profiles state, by their kind in the tables (`sha256`, `sri`, …).
    pub known: BTreeMap<&'static str, String>,
}

/// The kind of a [`ChecksumRequest`].
#[derive(Clone, Debug)]
pub enum ChecksumOf {
    /// A source.
    Source {
        /// The source: its repository, tag and method of fetching.
        #[doc(hidden)]
        source: Box<ResolvedSource>,
        /// Set if a profile states the source's `url`, so that the address is not made from the
        /// GitHub repository.
        own_address: bool,
    },
    /// A patch that is fetched, or a file beside the recipe.
    Patch,
}

/// A place for checksums in the profiles.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChecksumPlace {
    /// The file, such as `releases/7.2.yaml`. It may not exist yet.
    pub file: String,
    /// The keys above the row of checksums, such as `versions`, `7.2.4`, `checksums`. Empty for a
    /// patch, which has its checksum in its own key `hash`.
    pub below: Vec<String>,
    /// The position at which the profiles name the patch. `Span::default()` for a source, because
    /// several packages may share its row.
    pub named: Span,
}

/// A recipe that states checksums of a source or file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct DeclaredSum {
    /// The distribution.
    #[cfg_attr(feature = "serde", serde(rename = "distribution"))]
    pub backend: Backend,
    /// The package's id.
    pub package: String,
    /// The rendered file that states the checksums, such as `arch/rocblas/PKGBUILD`.
    pub path: String,
    /// The name of the source or file in a list of checksums by name, such as a Manifest. Empty if
    /// the file has no such list.
    pub name: String,
    /// The index of these checksums among all that the file states, counted from 0.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub nth: usize,
    /// The kinds of checksums, named as in the tables: `blake2b`, `sha512`.
    pub kinds: &'static [&'static str],
}

impl ChecksumRequest {
    /// Returns the kinds of checksums that recipes state and the model does not have.
    pub fn lacking(&self) -> BTreeSet<&'static str> {
        let all = self.stated.iter().flat_map(|s| s.kinds);
        all.copied()
            .filter(|kind| !self.known.contains_key(kind))
            .collect()
    }
}

impl Stack {
    /// Returns the place in the model of the checksums of `request`, as text: the file with the
    /// keys above their row, or the line that names a patch.
    #[doc(hidden)]
    pub fn place_of(&self, request: &ChecksumRequest) -> String {
        let ChecksumPlace { file, below, named } = &request.place;
        if below.is_empty() {
            self.sources().place(*named)
        } else {
            format!("{file}: {}", below.join(": "))
        }
    }

    /// Returns the sources and files that must be fetched for the recipes that `options` request,
    /// sorted by the places of their checksums in the profiles. Sources and files whose checksums
    /// are all known are included.
    ///
    /// The second value holds the recipes by path, as they would be if no checksum were known: with
    /// a stand-in such as `sha256-AAAA…=` for each checksum. Each stand-in belongs to one
    /// [`DeclaredSum`].
    ///
    /// # Errors
    /// All errors in the profiles, and requested names that no package has.
    pub fn wanted(
        &self,
        options: &Options,
    ) -> Result<(Vec<ChecksumRequest>, BTreeMap<String, String>), Error> {
        let model = self.changed(options)?;
        let backends = self.backends(&options.backends)?;
        let mut render_run = self.render_run(&model, &backends, options, &Packages::new())?;
        // Findings about a backend's output don't matter here: the sources are fetched anyway.
        render_run
            .findings
            .retain(|f| !Backend::ALL.into_iter().any(|b| b.says(f.code)));
        render_run.settle();
        if render_run.findings.has_errors() {
            return Err(self.wrong(render_run.findings));
        }
        render_run.check_names()?;
        let mut list = List {
            model: &model,
            all: BTreeMap::new(),
            texts: BTreeMap::new(),
        };
        for run in &render_run.runs {
            for (_, made) in run
                .made()
                .into_iter()
                .filter(|(id, _)| render_run.asked.has(run.backend, id))
            {
                list.take(run.backend, &made);
            }
        }
        Ok((list.all.into_values().collect(), list.texts))
    }
}

/// The requests and the recipes that are collected so far.
struct List<'a> {
    model: &'a Model,
    all: BTreeMap<(ChecksumPlace, String), ChecksumRequest>,
    texts: BTreeMap<String, String>,
}

impl List<'_> {
    fn take(&mut self, backend: Backend, made: &PackageOutput) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        // Several versions of a package may share a source.
        let mut seen: Vec<&Pinned> = Vec::new();
        for &u in &made.fetches {
            if seen.contains(&u) {
                continue;
            }
            seen.push(u);
            let count = counts.entry(&u.path).or_default();
            let nth = std::mem::replace(count, *count + 1);
            let is_it = |s: &&ResolvedSource| {
                s.key == u.of && s.span == u.span && s.version.to_string() == u.version
            };
            let source = made
                .planned
                .iter()
                .find_map(|p| Some((*p, p.sources.iter().find(is_it)?)));
            let own_address = |p: &Planned, s: &ResolvedSource| {
                p.package
                    .sources
                    .get(&s.name)
                    .is_some_and(|written| written.url.is_some())
            };
            let (place, known, of) = if let Some((p, source)) = source {
                (
                    self.of_source(source, &p.version),
                    table(source.checksum.as_ref()),
                    ChecksumOf::Source {
                        own_address: own_address(p, source),
                        source: Box::new(source.clone()),
                    },
                )
            } else {
                let Some(p) = made
                    .planned
                    .iter()
                    .find(|p| p.version.to_string() == u.version)
                else {
                    continue;
                };
                let patch = p
                    .package
                    .patches
                    .iter()
                    .find(|patch| patch.file.value == u.of);
                (
                    self.row(patch, u.span),
                    hash_of(p, patch, &u.of, u.kinds),
                    ChecksumOf::Patch,
                )
            };
            let recipe = format!("{}/{}", backend.folder(), u.path);
            if let Some(text) = made
                .recipe
                .get(u.path.as_str())
                .and_then(|b| std::str::from_utf8(b).ok())
            {
                let text = self
                    .texts
                    .entry(recipe.clone())
                    .or_insert_with(|| text.to_owned());
                #[cfg(feature = "nix")]
                if let Some(sum) = known.get("sri") {
                    *text = text.replace(sum, rocpkg_nix::internal::NO_HASH);
                }
            }
            let states = DeclaredSum {
                backend,
                package: u.package.clone(),
                path: recipe,
                name: u.name.clone(),
                nth,
                kinds: u.kinds,
            };
            let wanted = self
                .all
                .entry((place.clone(), u.of.clone()))
                .or_insert_with(|| ChecksumRequest {
                    key: u.of.clone(),
                    version: u.version.clone(),
                    address: u.address.clone(),
                    of,
                    place,
                    stated: Vec::new(),
                    known: BTreeMap::new(),
                });
            wanted.known.extend(known);
            if !wanted.stated.contains(&states) {
                wanted.stated.push(states);
            }
        }
    }

    /// Returns the place of a source's checksums: under its version, or in the `files` of a release
    /// line, for a source that is the same at every release. `release` is the release of the
    /// package.
    fn of_source(&self, s: &ResolvedSource, release: &Release) -> ChecksumPlace {
        let lines = &self.model.lines;
        let line = s.version.line();
        let versions = || lines.get(&line).into_iter().flat_map(|l| l.versions.keys());
        let listed = versions().find(|v| v.parse::<Release>().is_ok_and(|v| v == s.version));
        let fixed = lines
            .iter()
            .find(|(_, line)| line.files.contains_key(&s.key));
        let released = lines.contains_key(&line) || s.version == *release;
        let (line, below) = match (fixed, listed) {
            (Some((line, _)), _) => (line.clone(), vec!["files".to_owned()]),
            // A source with a version of its own, which is no release, is found by its key alone.
            (None, None) if !released => (release.line(), vec!["files".to_owned()]),
            (None, listed) => {
                let version = listed.cloned().unwrap_or_else(|| s.version.to_string());
                (
                    line,
                    vec!["versions".to_owned(), version, "checksums".to_owned()],
                )
            }
        };
        // Several packages share a row, so the position of the source's name is not part of the
        // place.
        ChecksumPlace {
            file: format!("releases/{line}.yaml"),
            below,
            named: Span::default(),
        }
    }

    /// Returns the place of a patch's checksum, which is beside the patch's name. `span` is the
    /// position to use if the package has no such patch.
    fn row(&self, patch: Option<&Patch>, span: Span) -> ChecksumPlace {
        let named = patch.map_or(span, |patch| patch.file.span);
        let file = self
            .model
            .sources
            .get(named.file)
            .map(|s| s.path.clone())
            .unwrap_or_default();
        ChecksumPlace {
            file,
            below: Vec::new(),
            named,
        }
    }
}

/// Returns the known checksums in a row of a table, by kind: `sha256`, `sri`, `size`. Hexadecimal
/// ones are in lower case. Empty without a row.
fn table(row: Option<&Checksum>) -> BTreeMap<&'static str, String> {
    let Some(row) = row else {
        return BTreeMap::new();
    };
    let texts = [
        ("sha256", &row.sha256),
        ("sha512", &row.sha512),
        ("blake2b", &row.blake2b),
        ("sri", &row.sri),
    ];
    let texts = texts
        .into_iter()
        .filter_map(|(kind, sum)| Some((kind, sum.as_ref()?.value.clone())));
    let size = row.size.map(|size| ("size", size.to_string()));
    let lower = |(kind, sum): (&'static str, String)| {
        (
            kind,
            if kind == "sri" {
                sum
            } else {
                sum.to_ascii_lowercase()
            },
        )
    };
    texts.chain(size).map(lower).collect()
}

/// Returns the checksum in `hash` of the patch `patch`, or of the PKGBUILD's file `name`, by its
/// kind. Empty if `kinds` are several, or if the checksum is of another kind.
fn hash_of(
    p: &Planned,
    patch: Option<&Patch>,
    name: &str,
    kinds: &[&'static str],
) -> BTreeMap<&'static str, String> {
    let files = p
        .package
        .pkgbuild
        .as_ref()
        .and_then(|own| own.files.get(name));
    let hash = patch
        .and_then(|patch| patch.hash.as_ref())
        .or_else(|| files?.hash.as_ref());
    let Some(hash) = hash else {
        return BTreeMap::new();
    };
    let fits = |kind: &&&str| match **kind {
        "sri" => is_sri(&hash.value),
        "sha256" => hash.value.len() == 64,
        _ => hash.value.len() == 128,
    };
    match kinds {
        [kind] => Some(kind)
            .filter(fits)
            .map(|kind| (*kind, hash.value.clone()))
            .into_iter()
            .collect(),
        _ => BTreeMap::new(),
    }
}
