//! Reads each text of the corpus in `tests/fuzz` once, so that texts that once broke a reader stay
//! tested.

#![allow(
    unreachable_pub,
    reason = "the laws are a crate of their own for cargo-fuzz"
)]

#[path = "../fuzz/src/lib.rs"]
mod laws;

use rocpkg_tests::fixture;
use std::fs;

#[test]
fn each_text_of_the_corpus_is_read() {
    for (name, target) in laws::TARGETS {
        let files = fs::read_dir(fixture("fuzz/corpus").join(name)).unwrap();
        let texts: Vec<_> = files
            .map(|file| fs::read(file.unwrap().path()).unwrap())
            .collect();
        assert!(texts.len() > 2, "{name}");
        for text in &texts {
            target(text);
        }
    }
}
