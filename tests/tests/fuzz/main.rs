//! Every text that comes from outside, with bytes that nobody expects: what `tests/fuzz/corpus` holds, and some thousand texts made
//! of it, the same ones on every machine. What a text takes is counted, and not timed: the bytes that are asked for, all together and
//! at once.
//!
//! `cargo xtask fuzz` goes on for as long as it is told, guided by which code a text reaches, and puts what it finds into the corpus;
//! a text that broke something once stays there. `ROCPKG_FUZZ_TEXTS` is the number of texts made for each target.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test may read plainly, and panics when it can't go on"
)]

mod mutate;
#[path = "../../fuzz/src/targets/mod.rs"]
mod targets;

use mutate::{Dice, mutated, words};
use rocpkg_tests::fixture;
use std::collections::BTreeSet;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use targets::{TARGETS, Target, target};

/// The most bytes that a target may hold at a time, and ask for in all.
const MOST_HELD: u64 = 64 << 20;
const MOST_ASKED: u64 = 1 << 30;

/// The texts of a target, by the name of their file.
fn corpus(target: &Target) -> Vec<(String, Vec<u8>)> {
    let folder = fixture("fuzz/corpus").join(target.name);
    let files = fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut out: Vec<(String, Vec<u8>)> = files
        .map(|file| {
            let file = file.unwrap();
            (file.file_name().into_string().unwrap(), fs::read(file.path()).unwrap())
        })
        .collect();
    out.sort();
    assert!(!out.is_empty(), "{} is empty", folder.display());
    out
}

/// Runs a target on a text and counts; what went wrong, in words.
fn fault(target: &Target, text: &[u8]) -> Option<String> {
    let mut outcome = Ok(());
    let taken = allocation_counter::measure(|| {
        outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(text)));
    });
    let why = match outcome {
        Err(panic) => {
            let said = panic.downcast_ref::<String>().map(String::as_str);
            said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic").to_owned()
        }
        Ok(()) if taken.bytes_max > MOST_HELD => format!("it holds {} bytes", taken.bytes_max),
        Ok(()) if taken.bytes_total > MOST_ASKED => format!("it asks for {} bytes", taken.bytes_total),
        Ok(()) => return None,
    };
    let shown = String::from_utf8_lossy(&text[..text.len().min(2000)]);
    Some(format!("{}: {why}\n  of {shown:?}", target.name))
}

/// The words of a target's language.
fn words_of(target: &Target) -> Vec<Vec<u8>> {
    let file = fixture("fuzz/dictionaries").join(format!("{}.dict", target.name));
    words(&fs::read_to_string(file).unwrap())
}

/// How much is tried for each target.
struct Effort {
    /// Texts made of the corpus.
    texts: usize,
    /// Words and texts that are repeated to so many bytes: what is not linear takes too long there.
    long: usize,
    length: usize,
}

const QUICK: Effort = Effort { texts: 1_000, long: 100, length: 16_384 };
/// For a target that renders a model, writes a folder or looks for the nearest of many names each time.
const SLOW: Effort = Effort { texts: 100, long: 20, length: 4_096 };

/// The corpus of a target, texts made of it, and long ones.
fn tried(target: &Target, effort: &Effort) {
    let corpus = corpus(target);
    let broken = |(name, text): &(String, Vec<u8>)| Some(format!("{name}: {}", fault(target, text)?));
    let mut faults: Vec<String> = corpus.iter().filter_map(broken).collect();
    let seeds: Vec<Vec<u8>> = corpus.into_iter().map(|(_, text)| text).collect();
    let words = words_of(target);
    let mut dice = Dice::new(2_026, target.name);
    let asked = std::env::var("ROCPKG_FUZZ_TEXTS").ok().map(|n| n.parse().expect("a number"));
    for _ in 0..asked.unwrap_or(effort.texts) {
        let text = mutated(&seeds, &words, target.longest, &mut dice);
        faults.extend(fault(target, &text));
        if faults.len() >= 3 {
            break;
        }
    }
    let parts: Vec<&Vec<u8>> = words.iter().chain(&seeds).filter(|part| !part.is_empty()).collect();
    for _ in 0..effort.long.min(parts.len()) {
        let part = parts[dice.below(parts.len())];
        let text: Vec<u8> = part.iter().copied().cycle().take(effort.length).collect();
        faults.extend(fault(target, &text));
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

macro_rules! each {
    ($($test:ident: $name:literal, $effort:ident;)*) => {
        $(#[test]
        fn $test() {
            tried(target($name).unwrap(), &$effort);
        })*

        #[test]
        fn every_target_is_tried() {
            let tried = BTreeSet::from([$($name),*]);
            assert_eq!(TARGETS.iter().map(|t| t.name).collect::<BTreeSet<_>>(), tried);
            for kind in ["corpus", "dictionaries"] {
                let files = fs::read_dir(fixture("fuzz").join(kind)).unwrap();
                let names = files.map(|f| f.unwrap().file_name().into_string().unwrap().replace(".dict", ""));
                assert_eq!(names.collect::<BTreeSet<_>>(), tried.iter().map(|t| (*t).to_owned()).collect(), "{kind}");
            }
        }
    };
}

each! {
    atoms: "atom", QUICK;
    conditions: "condition", QUICK;
    dependencies: "depend", QUICK;
    manifests_of_ebuilds: "ebuild-manifest", QUICK;
    layers: "layers", SLOW;
    text_of_nix: "nix", QUICK;
    manifests_of_an_output: "output-manifest", SLOW;
    pkgbuilds: "pkgbuild", QUICK;
    questions: "question", QUICK;
    releases: "release", QUICK;
    required_use: "required-use", QUICK;
    shell_texts: "shell-text", QUICK;
    srcinfos: "srcinfo", QUICK;
    target_ids: "target-id", SLOW;
    templates: "template", SLOW;
    text_with_references: "text", QUICK;
    files_of_yaml: "yaml", QUICK;
}
