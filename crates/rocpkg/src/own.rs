//! The profiles and templates that are built into the program.

use rocpkg_model::Files;

static PROFILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/profiles.rs"));
static TEMPLATES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// Returns the profiles that ship with rocpkg, by path inside `profiles/`.
pub fn profiles() -> Files {
    collect(PROFILES)
}

/// Returns true if these are the profiles that ship with rocpkg.
pub(crate) fn is_shipped(files: &Files) -> bool {
    let mut own = PROFILES.iter();
    files.len() == PROFILES.len()
        && own.all(|(path, text)| files.get(*path).is_some_and(|file| file == text))
}

/// Returns the templates that ship with rocpkg, by path inside `templates/`.
pub fn templates() -> Files {
    collect(TEMPLATES)
}

fn collect(texts: &[(&str, &str)]) -> Files {
    texts
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}
