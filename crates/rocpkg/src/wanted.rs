//! What must be fetched at a version: each thing once, with the checksums that recipes state of it.

use crate::backend::Backend;
use crate::error::Error;
use crate::made::Made;
use crate::options::Options;
use crate::stack::Stack;
use rocpkg_model::{Checksum, Patch, Span};
use rocpkg_render::Pinned;
use rocpkg_resolve::{Model, Planned, Release, ResolvedSource, is_sri};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A thing that recipes fetch, or that lies beside them, and state checksums of.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The source by its name in the tables of checksums, or the file of a patch.
    pub key: String,
    /// The version that it is fetched at.
    pub version: String,
    /// Where it is fetched from; empty for a file that lies beside the recipe.
    pub address: String,
    /// What it is.
    pub of: Of,
    /// Where its checksums stand in the model, or are to stand.
    pub place: Place,
    /// Who states which of them.
    pub stated: Vec<Stated>,
    /// What the model knows, by the words of the tables.
    pub known: BTreeMap<&'static str, String>,
}

/// What is fetched.
#[derive(Clone, Debug)]
pub enum Of {
    /// A source.
    Source {
        /// How it is fetched.
        source: Box<ResolvedSource>,
        /// Its address is written, so that of GitHub is not what decides.
        own_address: bool,
    },
    /// A patch that is fetched, or a file that lies beside the recipe.
    Patch,
}

/// A place of the model.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The file, such as `releases/7.2.yaml`; it may not be there yet.
    pub file: String,
    /// The keys below which the row of checksums stands; none for a patch, which has a `hash` of
    /// its own.
    pub below: Vec<String>,
    /// Where the model names the source or the patch.
    pub named: Span,
}

/// A recipe that states checksums of a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct Stated {
    /// The distribution.
    #[cfg_attr(feature = "serde", serde(rename = "distribution"))]
    pub backend: Backend,
    /// The package's id.
    pub package: String,
    /// The file that states them, such as `arch/rocblas/PKGBUILD`.
    pub path: String,
    /// The name that this file gives the thing, where it lists its sums by name.
    pub name: String,
    /// Which of the place's checksums in the file these are, counted from 0.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub nth: usize,
    /// The kinds, in the words of the tables.
    pub kinds: &'static [&'static str],
}

impl Wanted {
    /// The kinds of checksums that recipes state and the model does not know.
    pub fn lacking(&self) -> BTreeSet<&'static str> {
        let all = self.stated.iter().flat_map(|s| s.kinds);
        all.copied()
            .filter(|kind| !self.known.contains_key(kind))
            .collect()
    }
}

impl Stack {
    /// What must be fetched for some recipes, in the order of the places where its checksums stand:
    /// what no checksum is lacking of too.
    ///
    /// The second value is the recipes as they would be if no checksum were known, by path: each
    /// stands in for one of a [`Stated`].
    ///
    /// # Errors
    /// What is wrong with the profiles, and names that nothing has.
    pub fn wanted(
        &self,
        options: &Options,
    ) -> Result<(Vec<Wanted>, BTreeMap<String, String>), Error> {
        let model = self.changed(options)?;
        let backends = self.backends(&options.backends)?;
        let mut trip = self.trip(&model, &backends, options)?;
        // What a recipe has no words for is fetched all the same.
        trip.findings
            .retain(|f| !Backend::ALL.into_iter().any(|b| b.says(f.code)));
        trip.settle();
        if trip.findings.has_errors() {
            return Err(self.wrong(trip.findings));
        }
        trip.check_names()?;
        let mut list = List {
            model: &model,
            all: BTreeMap::new(),
            texts: BTreeMap::new(),
        };
        for run in &trip.runs {
            for (_, made) in run
                .made()
                .into_iter()
                .filter(|(id, _)| trip.asked.has(run.backend, id))
            {
                list.take(run.backend, &made);
            }
        }
        Ok((list.all.into_values().collect(), list.texts))
    }
}

/// What was found so far.
struct List<'a> {
    model: &'a Model,
    all: BTreeMap<(Place, String), Wanted>,
    texts: BTreeMap<String, String>,
}

impl List<'_> {
    fn take(&mut self, backend: Backend, made: &Made) {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        // Of several versions, a thing may be the same.
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
                    Of::Source {
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
                    Of::Patch,
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
                    *text = text.replace(sum, rocpkg_nix::NO_HASH);
                }
            }
            let states = Stated {
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
                .or_insert_with(|| Wanted {
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

    /// Where the checksums of a source stand: under its version, or among the files of a line that
    /// no release changes.
    fn of_source(&self, s: &ResolvedSource, release: &Release) -> Place {
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
            // A number of its own is of no release, so its key says all of it.
            (None, None) if !released => (release.line(), vec!["files".to_owned()]),
            (None, listed) => {
                let version = listed.cloned().unwrap_or_else(|| s.version.to_string());
                (
                    line,
                    vec!["versions".to_owned(), version, "checksums".to_owned()],
                )
            }
        };
        // Several packages share a row, so what names the source is no part of where it stands.
        Place {
            file: format!("releases/{line}.yaml"),
            below,
            named: Span::default(),
        }
    }

    /// A patch keeps its checksum beside its name.
    fn row(&self, patch: Option<&Patch>, span: Span) -> Place {
        let named = patch.map_or(span, |patch| patch.file.span);
        let file = self
            .model
            .sources
            .get(named.file)
            .map(|s| s.path.clone())
            .unwrap_or_default();
        Place {
            file,
            below: Vec::new(),
            named,
        }
    }
}

/// A row of checksums by the words of the tables.
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

/// The one checksum that is stated of a patch or of a file beside the recipe, where it is of the
/// kind that is wanted.
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
