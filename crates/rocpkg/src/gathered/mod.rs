//! Gathers checksums that the model lacks, by reading them from files or by computing them. Each
//! gathered checksum is compared with those of the model.

mod stated_sums;

use crate::checksum_request::ChecksumRequest;
use crate::error::Error;
use crate::options::Options;
use crate::stack::Stack;
use rocpkg_render::yaml::scalar;
use rocpkg_upstream::{ChecksumSubject, Failure, Policy, Sums, Upstream};
use stated_sums::StatedSums;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The places from which checksums are gathered.
#[derive(Clone, Debug, Default)]
pub struct SumSources {
    /// Manifests, PKGBUILDs, files of Nix, archives, and folders with such files.
    pub files: Vec<PathBuf>,
    /// Set if checksums that no file states are computed from fetched sources. The hosts of the
    /// model's addresses are added to [`Policy::hosts`].
    pub fetch: Option<Policy>,
    /// Set if the checksums are gathered that the model has already, to compare them.
    pub verify: bool,
    /// Set if checksums that files state are compared with the model even for sources of which the
    /// model has all checksums.
    pub all: bool,
}

/// A request, and the checksums that were gathered for it.
#[derive(Clone, Debug)]
pub struct SumRow {
    /// The request: a source or patch whose checksums are unknown.
    pub request: ChecksumRequest,
    /// The gathered checksums, by kind. Empty if there are none.
    pub sums: Sums,
}

/// A requested checksum that could not be gathered.
#[derive(Clone, Debug)]
pub struct UnknownSum {
    /// The key of the source or patch.
    pub key: String,
    /// The kinds of checksums, as text: `blake2b, sha512`.
    pub kinds: String,
    /// The reason.
    pub reason: String,
}

/// The checksums that were gathered, and the checksums that differ or could not be gathered.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Gathered {
    /// The requests with their checksums, in the order of their places in the profiles.
    pub rows: Vec<SumRow>,
    /// The number of checksums that were compared with the model.
    pub checked: usize,
    /// The checksums that differ from those of the model, one on each line.
    pub differs: Vec<String>,
    /// The requested checksums that are not known.
    pub unknown: Vec<UnknownSum>,
    /// The fetches that failed, one on each line.
    pub failed: Vec<String>,
    /// The paths of [`SumSources::files`] that contain no requested checksum.
    pub unused: Vec<String>,
    /// Remarks on the checksums that were taken over from files.
    pub notes: Vec<String>,
}

/// The reason why a checksum is unknown although it could be computed.
const NOT_FETCHED: &str = "not found in files, and --fetch is not given";

/// The requests for checksums of one subject. Each is the position of the request, and the kind.
type Users = Vec<(usize, &'static str)>;

impl Stack {
    /// Gathers the checksums of the packages in `options` that the model lacks. With
    /// [`SumSources::verify`], gathers those that the model has.
    ///
    /// # Errors
    /// When the packages can't be rendered, or a file or the cache can't be read. A fetch that
    /// fails is no error; [`Gathered::failed`] lists it.
    pub fn gather_sums(&self, options: &Options, from: &SumSources) -> Result<Gathered, Error> {
        let (mut wanted, texts) = self.wanted(options)?;
        let hosts: BTreeSet<String> = wanted.iter().filter_map(ChecksumRequest::host).collect();
        if !from.verify && !from.all {
            wanted.retain(|w| !w.lacking().is_empty());
        }
        let mut stated = StatedSums::read(&from.files)?;
        let row = |request| SumRow {
            request,
            sums: Sums::new(),
        };
        let mut out = Gathered {
            rows: wanted.into_iter().map(row).collect(),
            ..Gathered::default()
        };
        let mut jobs: BTreeMap<ChecksumSubject, Users> = BTreeMap::new();
        for i in 0..out.rows.len() {
            out.take_stated(i, from, &mut stated, &texts, &mut jobs)?;
        }
        if !out.rows.is_empty() {
            let unused = stated.unused(&from.files);
            out.unused = unused.map(|path| path.display().to_string()).collect();
        }
        if let Some(policy) = from.fetch.as_ref().filter(|_| !jobs.is_empty()) {
            let mut policy = policy.clone();
            policy.hosts.extend(hosts);
            let upstream = Upstream::open(&policy)?;
            for (subject, users) in &jobs {
                out.compute(&upstream, subject, users);
            }
        }
        Ok(out)
    }
}

impl Gathered {
    /// Gathers the checksums of the row at the position `i` from files. Checksums that no file
    /// states are added to `jobs`.
    fn take_stated(
        &mut self,
        i: usize,
        from: &SumSources,
        stated: &mut StatedSums,
        texts: &BTreeMap<String, String>,
        jobs: &mut BTreeMap<ChecksumSubject, Users>,
    ) -> Result<(), Error> {
        let w = self.rows[i].request.clone();
        let asked: BTreeSet<&'static str> = if from.verify {
            let all = w.stated.iter().flat_map(|s| s.kinds).copied();
            all.filter(|k| w.known.contains_key(k)).collect()
        } else {
            w.lacking()
        };
        let mut there = stated.of(&w, texts, &mut self.notes)?;
        let agrees = self.compare(&w, &there, "a file states");
        there.retain(|kind, _| asked.contains(kind));
        let mut refused: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for kind in asked.into_iter().filter(|kind| !there.contains_key(kind)) {
            let reason = match w.subject(kind) {
                Ok(subject) if from.fetch.is_some() => {
                    jobs.entry(subject).or_default().push((i, kind));
                    continue;
                }
                Ok(_) => NOT_FETCHED.to_owned(),
                Err(why) => format!("{why}: --from reads its checksum from files"),
            };
            refused.entry(reason).or_default().push(kind);
        }
        for (reason, kinds) in refused {
            let (key, kinds) = (w.key.clone(), kinds.join(", "));
            self.unknown.push(UnknownSum { key, kinds, reason });
        }
        if agrees {
            self.rows[i].sums = there;
        }
        Ok(())
    }

    fn compute(&mut self, upstream: &Upstream, of: &ChecksumSubject, users: &Users) {
        let keys: BTreeSet<usize> = users.iter().map(|(i, _)| *i).collect();
        match upstream.sums(of) {
            Ok(sums) => {
                let mut differ = BTreeSet::new();
                for i in keys {
                    // All known checksums of the same bytes must match, even if they were not
                    // requested.
                    let w = self.rows[i].request.clone();
                    let mut same = sums.clone();
                    same.retain(|kind, _| w.subject(kind).as_ref() == Ok(of));
                    if !self.compare(&w, &same, "upstream has") {
                        differ.insert(i);
                    }
                }
                // In a row, checksums of different bytes would not belong together.
                for (i, kind) in users.iter().filter(|(i, _)| !differ.contains(i)) {
                    let sum = sums.get(kind).map(|sum| (*kind, sum.clone()));
                    self.rows[*i].sums.extend(sum);
                }
            }
            // These subjects are never fetched, so the run has not failed.
            Err(why @ (Failure::Unknown(_) | Failure::Insecure { .. })) => {
                for i in keys {
                    let own = users.iter().filter(|(of, _)| *of == i);
                    let kinds: Vec<_> = own.map(|(_, kind)| *kind).collect();
                    self.unknown.push(UnknownSum {
                        key: self.rows[i].request.key.clone(),
                        kinds: kinds.join(", "),
                        reason: why.to_string(),
                    });
                }
            }
            Err(other) => {
                let key = |i: usize| self.rows[i].request.key.as_str();
                let keys: Vec<_> = keys.into_iter().map(key).collect();
                self.failed.push(format!("{other} ({})", keys.join(", ")));
            }
        }
    }

    /// Compares checksums of the source or patch `w` with those of the model. Adds the differences
    /// to `self.differs`, with `who` as the text before the new checksum. Returns true if no
    /// checksum differs.
    fn compare(&mut self, w: &ChecksumRequest, sums: &Sums, who: &str) -> bool {
        let before = self.differs.len();
        for (kind, sum) in sums {
            let Some(known) = w.known.get(kind) else {
                continue;
            };
            self.checked += 1;
            if known != sum {
                let (key, version) = (&w.key, &w.version);
                self.differs.push(format!(
                    "{kind} of {key} at {version}: the model states {known}, {who} {sum}"
                ));
            }
        }
        self.differs.len() == before
    }

    /// Returns the gathered checksums as rows of YAML for the tables of checksums in `releases/`.
    /// [`crate::bump::Bump::sums`] takes the same text. `stack` is the stack that they were
    /// gathered for.
    pub fn table(&self, stack: &Stack) -> String {
        let mut out = String::new();
        let (mut file, mut above): (&str, &[String]) = ("", &[]);
        for SumRow { request: w, sums } in self.rows.iter().filter(|row| !row.sums.is_empty()) {
            let below = &w.place.below;
            if below.is_empty() {
                out += &format!("# {}\n{}\n", stack.place_of(w), patch(w, sums));
                continue;
            }
            if file != w.place.file {
                out += &format!("# {}\n", w.place.file);
                (file, above) = (&w.place.file, &[]);
            }
            let same = above.iter().zip(below).take_while(|(a, b)| a == b).count();
            for (depth, key) in below.iter().enumerate().skip(same) {
                out += &format!("{}{}:\n", "  ".repeat(depth), scalar(key));
            }
            above = below;
            let depth = "  ".repeat(below.len());
            out += &format!("{depth}{}:\n", scalar(&w.key));
            let mut whole = w.known.clone();
            whole.extend(sums.clone());
            for (kind, sum) in whole {
                let sum = if kind == "size" { sum } else { scalar(&sum) };
                out += &format!("{depth}  {kind}: {sum}\n");
            }
        }
        out
    }
}

/// Returns the line to write for a patch: its key `hash` in the model. The checksums that a
/// Manifest has of a patch are in no file of the model, so they are returned as a comment.
fn patch(w: &ChecksumRequest, sums: &Sums) -> String {
    let of = |kind| {
        sums.get(kind)
            .or_else(|| w.known.get(kind))
            .map(String::as_str)
            .unwrap_or_default()
    };
    match sums.iter().next() {
        Some((_, sum)) if sums.len() == 1 => format!("hash: {}", scalar(sum)),
        _ => {
            let name = w.stated.first().map_or(&w.key, |s| &s.name);
            format!(
                "# DIST {name} {} BLAKE2B {} SHA512 {}",
                of("size"),
                of("blake2b"),
                of("sha512")
            )
        }
    }
}
