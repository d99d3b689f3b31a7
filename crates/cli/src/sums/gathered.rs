//! Checksums that were taken over or computed, each compared with what the model states.

use crate::error::Error;
use super::from::Found;
use crate::args::ComputedArgs;
use rocpkg::checksums::Wanted;
use rocpkg_upstream::{Failure, Policy, Sums, Thing, Upstream};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// What became of each thing.
#[derive(Default)]
pub(crate) struct Gathered {
    /// The checksums that were asked for, thing by thing.
    pub(crate) sums: Vec<Sums>,
    /// How many of the model's were met or not.
    pub(crate) checked: usize,
    /// What the model states and is another, a line each.
    pub(crate) differs: Vec<String>,
    /// What no rule gives: its key, the kinds, and why.
    pub(crate) unknown: Vec<(String, String, String)>,
    /// What could not be had, a line each.
    pub(crate) failed: Vec<String>,
    /// What should be known of what was taken over.
    pub(crate) notes: Vec<String>,
}

/// Why what a rule gives is not known all the same.
const NOT_FETCHED: &str = "not known from files, and --fetch is not given";

/// Who wants what of one thing: its number in the list, and the kind.
type Users = Vec<(usize, &'static str)>;

/// Takes over what files state of some things, and computes what is left where that is asked for.
///
/// # Errors
/// When a file or the cache can't be read.
pub(crate) fn gather(
    (taken, computed, verify): (&[PathBuf], &ComputedArgs, bool),
    wanted: &[Wanted],
    texts: &BTreeMap<String, String>,
    hosts: BTreeSet<String>,
) -> Result<Gathered, Error> {
    let from = Found::read(taken)?;
    let mut out = Gathered {
        sums: vec![Sums::new(); wanted.len()],
        ..Gathered::default()
    };
    let is_computed = computed.is_asked();
    let mut jobs: BTreeMap<Thing, Users> = BTreeMap::new();
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
            match w.thing(kind) {
                Ok(thing) if is_computed => jobs.entry(thing).or_default().push((i, kind)),
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
        for (thing, users) in &jobs {
            out.compute(&upstream, thing, users, wanted);
        }
    }
    Ok(out)
}

impl Gathered {
    fn compute(&mut self, upstream: &Upstream, of: &Thing, users: &Users, wanted: &[Wanted]) {
        let keys: BTreeSet<usize> = users.iter().map(|(i, _)| *i).collect();
        match upstream.sums(of) {
            Ok(sums) => {
                let mut differ = BTreeSet::new();
                for i in keys {
                    // What the model states of the same bytes must be met, whatever was asked for.
                    let w = &wanted[i];
                    let mut same = sums.clone();
                    same.retain(|kind, _| w.thing(kind).as_ref() == Ok(of));
                    if !self.compare(w, &same, "upstream has") {
                        differ.insert(i);
                    }
                }
                // A row beside a checksum of other bytes would be half of each.
                for (i, kind) in users.iter().filter(|(i, _)| !differ.contains(i)) {
                    self.sums[*i].extend(sums.get(kind).map(|sum| (*kind, sum.clone())));
                }
            }
            // What is never fetched is no failure of this run.
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

    /// Compares with what the model states; true where nothing differs.
    fn compare(&mut self, w: &Wanted, sums: &Sums, who: &str) -> bool {
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
