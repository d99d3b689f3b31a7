//! Gathers checksums, by reading them from files or by computing them, and compares each of them
//! with the model.

use super::from::Found;
use crate::args::ComputedArgs;
use crate::error::Error;
use rocpkg::checksums::ChecksumRequest;
use rocpkg_upstream::{ChecksumSubject, Failure, Policy, Sums, Upstream};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// The checksums that were gathered, and the checksums that differ or could not be gathered.
#[derive(Default)]
pub(crate) struct Gathered {
    /// The checksums of each [`ChecksumRequest`], in the order of the requests.
    pub(crate) sums: Vec<Sums>,
    /// The number of checksums that were compared with the model.
    pub(crate) checked: usize,
    /// The checksums that differ from those of the model, one on each line.
    pub(crate) differs: Vec<String>,
    /// The requested checksums that are not known: the key of the source, the kinds, and the
    /// reason.
    pub(crate) unknown: Vec<(String, String, String)>,
    /// The fetches that failed, one on each line.
    pub(crate) failed: Vec<String>,
    /// Remarks on the checksums that were taken over from files.
    pub(crate) notes: Vec<String>,
}

/// The reason why a checksum is unknown although it could be computed.
const NOT_FETCHED: &str = "not known from files, and --fetch is not given";

/// The requests for checksums of one subject. Each is the position of the request, and the kind.
type Users = Vec<(usize, &'static str)>;

/// Gathers the checksums that `wanted` requests. Reads them from the files `taken`, and computes
/// the remaining ones if `computed` says so. With `verify`, gathers the checksums that the model
/// has already, to compare them.
///
/// # Errors
/// When a file or the cache can't be read.
pub(crate) fn gather(
    (taken, computed, verify): (&[PathBuf], &ComputedArgs, bool),
    wanted: &[ChecksumRequest],
    texts: &BTreeMap<String, String>,
    hosts: BTreeSet<String>,
) -> Result<Gathered, Error> {
    let from = Found::read(taken)?;
    let mut out = Gathered {
        sums: vec![Sums::new(); wanted.len()],
        ..Gathered::default()
    };
    let is_computed = computed.is_asked();
    let mut jobs: BTreeMap<ChecksumSubject, Users> = BTreeMap::new();
    for (i, w) in wanted.iter().enumerate() {
        let stated: BTreeSet<&'static str> =
            w.stated.iter().flat_map(|s| s.kinds).copied().collect();
        let asked = if verify {
            stated
                .into_iter()
                .filter(|k| w.known.contains_key(k))
                .collect()
        } else {
            w.lacking()
        };
        let mut there = from.of(w, texts, &mut out.notes)?;
        let agrees = out.compare(w, &there, "a file states");
        there.retain(|kind, _| asked.contains(kind));
        let mut refused: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for kind in asked.into_iter().filter(|kind| !there.contains_key(kind)) {
            match w.subject(kind) {
                Ok(subject) if is_computed => jobs.entry(subject).or_default().push((i, kind)),
                Ok(_) => refused
                    .entry(NOT_FETCHED.to_owned())
                    .or_default()
                    .push(kind),
                Err(why) => {
                    refused
                        .entry(format!("{why}: --from takes it from files"))
                        .or_default()
                        .push(kind);
                }
            }
        }
        out.unknown.extend(
            refused
                .into_iter()
                .map(|(why, kinds)| (w.key.clone(), kinds.join(", "), why)),
        );
        if agrees {
            out.sums[i] = there;
        }
    }
    if !jobs.is_empty() {
        let (mirror, cache) = (computed.mirror.clone(), computed.cache.clone());
        let policy = Policy {
            hosts,
            mirror,
            cache,
            ..Policy::default()
        };
        let upstream = Upstream::open(&policy)?;
        for (subject, users) in &jobs {
            out.compute(&upstream, subject, users, wanted);
        }
    }
    Ok(out)
}

impl Gathered {
    fn compute(
        &mut self,
        upstream: &Upstream,
        of: &ChecksumSubject,
        users: &Users,
        wanted: &[ChecksumRequest],
    ) {
        let keys: BTreeSet<usize> = users.iter().map(|(i, _)| *i).collect();
        match upstream.sums(of) {
            Ok(sums) => {
                let mut differ = BTreeSet::new();
                for i in keys {
                    // All known checksums of the same bytes must match, even if they were not
                    // requested.
                    let w = &wanted[i];
                    let mut same = sums.clone();
                    same.retain(|kind, _| w.subject(kind).as_ref() == Ok(of));
                    if !self.compare(w, &same, "upstream has") {
                        differ.insert(i);
                    }
                }
                // In a row, checksums of different bytes would not belong together.
                for (i, kind) in users.iter().filter(|(i, _)| !differ.contains(i)) {
                    self.sums[*i].extend(sums.get(kind).map(|sum| (*kind, sum.clone())));
                }
            }
            // These subjects are never fetched, so the run has not failed.
            Err(why @ (Failure::Unknown(_) | Failure::Insecure { .. })) => {
                let why = why.to_string();
                for i in keys {
                    let kinds: Vec<_> = users
                        .iter()
                        .filter(|(of, _)| *of == i)
                        .map(|(_, kind)| *kind)
                        .collect();
                    self.unknown
                        .push((wanted[i].key.clone(), kinds.join(", "), why.clone()));
                }
            }
            Err(other) => {
                let keys: Vec<_> = keys.into_iter().map(|i| wanted[i].key.as_str()).collect();
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
}
