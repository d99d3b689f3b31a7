//! The reading of `package.yml`, which edits, the counter and the check share.

use rocpkg_syntax::{Language, Reading, Rules};

static RULES: Rules = Rules {
    version: "version",
    lists: &[],
    of_sources: &[],
    source_folder: "",
    asks: &[],
};

/// Returns the reading of a `package.yml`.
pub fn reading() -> Reading {
    Reading {
        language: Language::Yaml,
        rules: &RULES,
        given: Vec::new(),
    }
}
