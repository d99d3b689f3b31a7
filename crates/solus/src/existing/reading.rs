//! The rules by which `package.yml` is read. Edits of existing recipes (`rocpkg-edit`),
//! `counter.rs` and `check.rs` share these rules.

use rocpkg_syntax::{Language, Reading, Rules};

static RULES: Rules = Rules {
    version: "version",
    apply: &["%patch"],
    ..Rules::NONE
};

/// Returns the rules by which a `package.yml` is read.
pub fn reading() -> Reading {
    Reading {
        language: Language::Yaml,
        rules: &RULES,
        given: Vec::new(),
    }
}
