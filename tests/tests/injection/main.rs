//! Nobody's text becomes code: hostile strings at every place that the records describe, values and keys alike, also of keys that no
//! profile uses. The model is refused there, or real bash runs what is rendered, with recorders in place of all programs, and real
//! Nix evaluates it; nothing was run, read or written, and each string came back as it was.
//!
//! The places come from the records' own descriptions, so a new key is tried without being named here. `ROCPKG_INJECTIONS` is the
//! number of strings, 10,000 unless it is set (many are shared among the processors), and `ROCPKG_INJECTION_SEED` the seed; with `ROCPKG_INJECTION_SHIPPED` the shipped model
//! is taken instead of a small one. `cargo xtask whole` runs a million strings, and the shipped model.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test may write to scratch folders, run bash and tell what it did, and panics when it can't go on"
)]

mod hostile;
mod model;
mod run;

use hostile::Dice;
use model::{Base, Change, Edit, Put};
use rocpkg::model::{Files, Severity};
use rocpkg::resolve::Model;
use rocpkg::{Stack, StackOptions};
use rocpkg_tests::{fixture, texts};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::thread;

/// What came of a model.
struct Outcome {
    /// Why and where it is refused.
    refused: Vec<Refusal>,
    /// Where it holds code that is its author's.
    native: Vec<(String, usize, usize)>,
    files: BTreeMap<String, String>,
}

/// A fault that was found: the code, what is said, the file, from and to which byte.
#[derive(Debug, PartialEq)]
struct Refusal {
    code: &'static str,
    message: String,
    path: String,
    start: usize,
    end: usize,
}

impl Refusal {
    /// The changes that it is about: one whose string it names, else what stands there, else what is nearest behind it.
    fn blamed(&self, edits: &[Edit], ranges: &[(String, usize, usize)]) -> Vec<usize> {
        let all = || ranges.iter().enumerate();
        let tags = hostile::tags(&self.message);
        let tagged = |e: &Edit| e.strings.iter().any(|s| tags.contains(&s.hostile.number));
        let named: Vec<usize> =
            edits.iter().enumerate().filter(|(_, e)| !tags.is_empty() && tagged(e)).map(|(i, _)| i).collect();
        if !named.is_empty() {
            return named;
        }
        let at = |(p, s, e): &(String, usize, usize)| *p == self.path && *s <= self.start && self.start < *e;
        let here: Vec<usize> = all().filter(|(_, r)| at(r)).map(|(i, _)| i).collect();
        if !here.is_empty() {
            return here;
        }
        let below =
            |(p, s, e): &(String, usize, usize)| *p == self.path && self.start <= *s && *e <= self.end;
        let within: Vec<usize> = all().filter(|(_, r)| below(r)).map(|(i, _)| i).collect();
        if !within.is_empty() && within.len() <= 4 {
            return within;
        }
        let behind = all().filter(|(_, (p, s, _))| *p == self.path && *s >= self.start && self.start > 0);
        behind.min_by_key(|(_, (_, s, _))| *s).map(|(i, _)| i).into_iter().collect()
    }
}

fn render(files: Files, templates: &BTreeMap<String, String>) -> Outcome {
    let (model, mut findings) = Model::load(&[(String::new(), files)]);
    let stack = Stack::new(model, templates).unwrap();
    let options = StackOptions::everything();
    let tree = stack.render(&options, &mut findings).unwrap();
    let place = |span: rocpkg::model::Span| {
        let path = stack.sources().get(span.file).map(|s| s.path.clone()).unwrap_or_default();
        (path, span.start as usize, span.end as usize)
    };
    let errors = findings.sorted().into_iter().filter(|f| f.severity == Severity::Error);
    let refused = errors.map(|f| {
        let (path, start, end) = f.span.map(place).unwrap_or_default();
        Refusal { code: f.code, message: format!("{} {}", f.message, f.label), path, start, end }
    });
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Outcome {
        refused: refused.collect(),
        native: findings.native().map(|(span, _)| place(span)).collect(),
        files: tree.files.iter().map(|(p, b)| (p.as_str().to_owned(), text(b))).collect(),
    }
}

struct Trial<'a> {
    base: &'a Base,
    templates: &'a BTreeMap<String, String>,
    dice: Dice,
    /// How often each code refused something.
    codes: BTreeMap<&'static str, usize>,
    /// Places at which a string was taken.
    taken: BTreeSet<String>,
    refused: usize,
    accepted: usize,
    found: usize,
    /// How many Nix handed to a build, in scripts and elsewhere.
    evaluated: usize,
    /// What came of the strings at some places that must never happen, once for the same places.
    faulty: BTreeMap<Vec<String>, String>,
}

/// As many faults as one reads at a time; a trial ends at them.
const ENOUGH: usize = 10;

impl Trial<'_> {
    fn render(&self, edits: &[Edit]) -> (Outcome, Vec<(String, usize, usize)>) {
        let (files, ranges) = self.base.written(edits);
        (render(files, self.templates), ranges)
    }

    /// Takes back what is refused until the rest is rendered.
    fn settle(&mut self, mut edits: Vec<Edit>) -> Option<(Vec<Edit>, Outcome)> {
        for _ in 0..60 {
            let (outcome, ranges) = self.render(&edits);
            let mut gone = BTreeSet::new();
            for refusal in &outcome.refused {
                let blamed = refusal.blamed(&edits, &ranges);
                if !blamed.is_empty() {
                    *self.codes.entry(refusal.code).or_default() += 1;
                }
                gone.extend(blamed);
            }
            // Code that may stand there is no string.
            for (path, start, end) in &outcome.native {
                let here = |(p, s, e): &(String, usize, usize)| p == path && *s < *end && *start < *e;
                gone.extend(ranges.iter().enumerate().filter(|(_, r)| here(r)).map(|(i, _)| i));
            }
            if outcome.refused.is_empty() && gone.is_empty() {
                return Some((edits, outcome));
            }
            if gone.is_empty() {
                // Nobody can be blamed: a key that others speak of, or a fault of the whole.
                let half = edits.len().div_ceil(4);
                while gone.len() < half {
                    gone.insert(self.dice.below(edits.len()));
                }
                if edits.is_empty() {
                    return None;
                }
            } else {
                self.refused += gone.iter().map(|i| edits[*i].strings.len()).sum::<usize>();
            }
            let mut number = 0;
            edits.retain(|_| {
                number += 1;
                !gone.contains(&(number - 1))
            });
        }
        None
    }

    /// What is wrong with a rendered model.
    fn faults(&mut self, edits: &[Edit], outcome: &Outcome, count: bool) -> Vec<String> {
        let seen = run::run(&outcome.files);
        let mut faults = seen.faults;
        let (here, evaluated) = (by_number(&seen.strings), by_number(&seen.evaluated));
        if count {
            let hooks = by_number(&seen.hooks).into_keys();
            self.evaluated += evaluated.keys().copied().chain(hooks).collect::<BTreeSet<_>>().len();
        }
        for edit in edits {
            for Put { hostile, references, name } in &edit.strings {
                let meant = if *references { hostile.meant() } else { Some(hostile.written.clone()) };
                let Some(meant) = meant else { continue };
                let mut whole = |found: &BTreeMap<usize, Vec<&String>>, reader| {
                    let Some(found) = found.get(&hostile.number) else { return false };
                    let whole = found.iter().any(|s| s.contains(&meant));
                    if !whole && !may_differ(name, &meant, found) {
                        faults.push(format!("{name}: {meant:?} came back from {reader} as {:?}", found[0]));
                    }
                    whole
                };
                let (here, evaluated) = (whole(&here, "its reader"), whole(&evaluated, "Nix"));
                if count {
                    self.found += usize::from(here || evaluated);
                }
            }
        }
        faults
    }

    /// The fewest of the changes that still do harm.
    fn culprits(&mut self, edits: &[Edit]) -> Vec<Edit> {
        let mut left = edits.to_vec();
        let mut at = 0;
        let mut step = left.len().div_ceil(2);
        while step > 0 && !left.is_empty() {
            let end = (at + step).min(left.len());
            let fewer: Vec<Edit> = left[..at].iter().chain(&left[end..]).cloned().collect();
            let (outcome, _) = self.render(&fewer);
            if outcome.refused.is_empty() && !self.faults(&fewer, &outcome, false).is_empty() {
                left = fewer;
            } else {
                at = end;
            }
            if at >= left.len() {
                at = 0;
                step = if step == 1 { 0 } else { step.div_ceil(2) };
            }
        }
        left
    }
}

/// The strings by the numbers that they hold.
fn by_number(strings: &[String]) -> BTreeMap<usize, Vec<&String>> {
    let mut out: BTreeMap<usize, Vec<&String>> = BTreeMap::new();
    for string in strings {
        for number in hostile::tags(string) {
            out.entry(number).or_default().push(string);
        }
    }
    out
}

/// Where what comes back is another text by design: sed's escapes, patterns of the shell in names of files, words of a command that
/// is written as one text, parts of a path, and blanks around a text.
fn may_differ(name: &str, meant: &str, here: &[&String]) -> bool {
    let replaced = name.starts_with("Replace.") || name.starts_with("Sed.");
    let words = name == "Step.run" && meant.contains(char::is_whitespace);
    // An ebuild installs into a folder, then under a name; the name of a project becomes a part of a function's.
    let apart = matches!(name, "FromTo.to" | "ConfigFile.path" | "Step.remove") && meant.contains('/');
    let project = name == "Package.cmake";
    // A folder is called without the slash behind it.
    let folder = matches!(name, "Project.source" | "Project.build") && meant.ends_with('/');
    // In Gentoo a licence may be two.
    let licences = name == "Distro.licences" && meant.contains(char::is_whitespace);
    let trimmed = here.iter().any(|s| s.contains(meant.trim()));
    replaced
        || words
        || apart
        || project
        || folder
        || licences
        || trimmed
        || meant.contains(['*', '?', '[', ']', '{', '}'])
}

#[test]
fn no_text_becomes_code() {
    let number =
        |name: &str, unless: usize| std::env::var(name).map_or(unless, |n| n.parse().expect("a number"));
    let goal = number("ROCPKG_INJECTIONS", 10_000);
    let seed = number("ROCPKG_INJECTION_SEED", 7_001);
    let shipped = std::env::var_os("ROCPKG_INJECTION_SHIPPED").is_some();
    let model = if shipped { rocpkg::profiles() } else { texts(&fixture("injection"), &["yaml"]) };
    let base = Base::read(&model);
    let templates = rocpkg::templates();
    let (untouched, harmless) = (render(base.written(&[]).0, &templates), |files| run::run(files).faults);
    assert_eq!(untouched.refused, [], "the model is sound as it is");
    assert_eq!(harmless(&untouched.files), [] as [&str; 0], "and does no harm");
    // In CI other tests run beside this one, and it takes half a minute.
    let workers = if goal > 20_000 { thread::available_parallelism().map_or(1, usize::from) } else { 1 };
    let tried = thread::scope(|s| {
        let started: Vec<_> = (0..workers)
            .map(|worker| {
                let (base, templates) = (&base, &templates);
                let dice = Dice::new((seed + worker * 1_000) as u64);
                s.spawn(move || trial(base, templates, dice, goal / workers, shipped))
            })
            .collect();
        started.into_iter().map(|t| t.join().unwrap_or_else(|panic| resume_unwind(panic))).collect::<Vec<_>>()
    });
    let sum = |of: fn(&(Trial, usize, usize)) -> usize| tried.iter().map(of).sum::<usize>();
    let (next, lost) = (sum(|t| t.1), sum(|t| t.2));
    let (refused, accepted) = (sum(|t| t.0.refused), sum(|t| t.0.accepted));
    let (found, evaluated) = (sum(|t| t.0.found), sum(|t| t.0.evaluated));
    let codes: BTreeSet<&str> = tried.iter().flat_map(|t| t.0.codes.keys().copied()).collect();
    let taken: BTreeSet<&String> = tried.iter().flat_map(|t| &t.0.taken).collect();
    println!(
        "{next} strings at {} places: {refused} refused by {} codes, {accepted} taken at {} places, {found} of them seen again as they were; Nix handed on {evaluated}",
        base.places().len(),
        codes.len(),
        taken.len(),
    );
    let faulty: BTreeMap<_, _> = tried.iter().flat_map(|t| &t.0.faulty).collect();
    let told: String = faulty.into_values().map(String::as_str).collect();
    assert!(told.is_empty(), "{told}ROCPKG_INJECTION_SEED={seed}");
    assert!(lost * 20 < next, "{lost} batches could not be rendered at all");
    assert!(accepted * 10 > next, "too few strings are taken to show anything: {accepted}");
    assert!(found * 20 > next, "too few strings come back to show anything: {found}");
    assert!(evaluated * 50 > next, "Nix hands on too few strings to show anything: {evaluated}");
}

/// Lays so many strings into a model, in batches; also how many there were, and how many batches could not be rendered.
fn trial<'a>(
    base: &'a Base,
    templates: &'a BTreeMap<String, String>,
    dice: Dice,
    goal: usize,
    shipped: bool,
) -> (Trial<'a>, usize, usize) {
    let places = base.places();
    let mut trial = Trial {
        base,
        templates,
        dice,
        codes: BTreeMap::new(),
        taken: BTreeSet::new(),
        refused: 0,
        accepted: 0,
        found: 0,
        evaluated: 0,
        faulty: BTreeMap::new(),
    };
    let mut next = 0;
    let mut lost = 0;
    // A large model is poisoned at some places at a time, so that most of it is rendered.
    let share = if shipped { places.len().div_ceil(100) } else { 1 };
    let mut tried: BTreeMap<String, usize> = BTreeMap::new();
    while next < goal {
        let mut edits: Vec<Edit> = Vec::new();
        // Each place once in a batch: most values, some of the keys.
        for place in &places {
            // Where nothing was ever taken, little is learnt from trying again.
            let hopeless =
                tried.get(&place.name).is_some_and(|n| *n > 5) && !trial.taken.contains(&place.name);
            if hopeless && !trial.dice.one_in(6) {
                continue;
            }
            if !trial.dice.one_in(share) {
                continue;
            }
            let take = match place.change {
                Change::Value => trial.dice.below(10) < 8,
                Change::Add(..) => trial.dice.one_in(12),
                Change::Key(_) => trial.dice.one_in(25),
            };
            if take {
                *tried.entry(place.name.clone()).or_default() += 1;
                edits.push(base.edit(place, &mut next, &mut trial.dice));
            }
        }
        let Some((edits, outcome)) = trial.settle(edits) else {
            lost += 1;
            continue;
        };
        let faults = trial.faults(&edits, &outcome, true);
        if !faults.is_empty() {
            let culprits = trial.culprits(&edits);
            let told: Vec<String> = culprits
                .iter()
                .map(|e| {
                    let strings: Vec<&str> = e.strings.iter().map(|s| s.hostile.written.as_str()).collect();
                    format!("{}: {strings:?}", e.place.name)
                })
                .collect();
            let told = format!("{faults:#?}\nby {told:#?}\n");
            // A long run that has found one goes on: it may find others.
            print!("{told}");
            let places: Vec<String> = culprits.into_iter().map(|e| e.place.name).collect();
            trial.faulty.entry(places).or_insert(told);
            if trial.faulty.len() >= ENOUGH {
                break;
            }
            continue;
        }
        trial.accepted += edits.iter().map(|e| e.strings.len()).sum::<usize>();
        trial.taken.extend(edits.iter().map(|e| e.place.name.clone()));
    }
    (trial, next, lost)
}
