//! Merges each broken fixture over the shipped model. The findings must contain the fixture's code,
//! and a snapshot contains their text with the place.

use rocpkg::internal::model::{Files, Findings, Severity, nearest};
use rocpkg::{Backend, Options, Stack};
use rocpkg_tests::readers;
use std::collections::BTreeMap;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::thread;

/// Renders the shipped model with one file merged over it. Returns the findings of one kind and
/// their printed text. Kind `E` stands for all errors, and a code for the first finding with that
/// code.
fn findings(path: &str, text: &str, kind: &str) -> (Findings, String) {
    let over = Files::from([(path.to_owned(), text.to_owned())]);
    let shipped = Stack::shipped().unwrap();
    // The files of the shipped model are parsed once, and not again for each fixture.
    assert!(!shipped.findings().has_errors());
    let stack = shipped.texts("over", over);
    // The shipped model itself lacks checksums in Gentoo, so E0237 is tested with Arch.
    let refused = kind == "E0237";
    let options = Options {
        backends: if refused {
            vec![Backend::Arch]
        } else {
            readers(path)
        },
        allow_missing: !refused,
        allow_guesses: kind == "N0202",
        review: kind.starts_with("N0"),
        packages: requested(text).map(str::to_owned).collect(),
        ..Options::default()
    };
    let (tree, mut findings) = stack.attempt(&options).unwrap();
    // The proof of targets needs a model without other errors.
    if !findings.has_errors() {
        for (_, proof) in tree.proofs {
            findings.append(proof.findings);
        }
    }
    let mut errors = Findings::default();
    let many = if kind == "E" { usize::MAX } else { 1 };
    for f in findings
        .sorted()
        .into_iter()
        .filter(|f| f.code.starts_with(kind) && (kind != "E" || f.severity == Severity::Error))
        .take(many)
    {
        errors.push(f.clone());
    }
    let text = errors.render(stack.sources(), false);
    (errors, text)
}

/// Returns the packages that a fixture's second line requests by name: `# requests: rocrand`.
fn requested(text: &str) -> impl Iterator<Item = &str> {
    let line = text.lines().nth(1);
    let names = line.and_then(|line| line.strip_prefix("# requests: "));
    names.into_iter().flat_map(str::split_whitespace)
}

/// Returns the codes of a fixture's findings, and their printed text.
fn answered(file: &Path) -> (Vec<&'static str>, String) {
    let text = fs::read_to_string(file).unwrap();
    let place = text.lines().next().and_then(|l| l.strip_prefix("# at: "));
    let place = place.expect("the first line says where it lies");
    let name = file.file_stem().unwrap().to_string_lossy();
    let code = name.split('-').next().unwrap();
    // The shipped model has warnings of its own. Of warnings, only the first in order of place is
    // shown.
    let kind = if code.starts_with('E') && code != "E0237" {
        "E"
    } else {
        code
    };
    let (found, picture) = findings(place, &text, kind);
    (found.sorted().iter().map(|f| f.code).collect(), picture)
}

#[test]
fn every_fixture_is_answered_with_its_code() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("errors");
    let files: Vec<PathBuf> = fs::read_dir(&folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    let files: Vec<PathBuf> = files
        .into_iter()
        .filter(|f| f.extension().is_some_and(|e| e == "yaml"))
        .collect();
    let answers: BTreeMap<&Path, _> = thread::scope(|s| {
        let halves: Vec<_> = files
            .chunks(files.len().div_ceil(2))
            .map(|half| {
                s.spawn(move || {
                    half.iter()
                        .map(|f| (f.as_path(), answered(f)))
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        halves
            .into_iter()
            .flat_map(|half| half.join().unwrap_or_else(|e| resume_unwind(e)))
            .collect()
    });
    let mut wrong = Vec::new();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    let _names = settings.bind_to_scope();
    insta::glob!(&folder, "*.yaml", |file| {
        let (codes, picture) = &answers[file];
        let name = file.file_stem().unwrap().to_string_lossy();
        if !codes.contains(&name.split('-').next().unwrap()) {
            wrong.push(format!("{name}: found {codes:?}\n{picture}"));
        }
        // tests/errors/README.md is generated from the snapshots of this name.
        insta::assert_snapshot!("errors__every_fixture_is_answered_with_its_code", picture);
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_shipped_model_has_no_error() {
    let (found, picture) = findings("releases/0.0.yaml", "tag: x\nversions: {}\n", "E");
    assert!(found.is_empty(), "{picture}");
}

#[test]
fn a_file_of_100_megabytes_is_refused_at_once() {
    let (found, _) = findings(
        "components/rocblas.yaml",
        &"# a comment\n".repeat(9_000_000),
        "E",
    );
    assert_eq!(found.sorted()[0].code, "E0101");
}

#[test]
fn the_nearest_name_is_offered() {
    assert_eq!(nearest("rocbals", ["rocblas", "rocfft"]), Some("rocblas"));
    assert_eq!(nearest("completely-different", ["rocblas", "rocfft"]), None);
}
