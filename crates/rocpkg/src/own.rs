//! The profiles and templates that are built into the program.

use rocpkg_model::Files;

static PROFILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/profiles.rs"));
static TEMPLATES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/templates.rs"));

/// The profiles that ship with rocpkg: path inside `profiles/` -> text.
pub fn profiles() -> Files {
    collect(PROFILES)
}

/// The templates that ship with rocpkg: path inside `templates/` -> text.
pub fn templates() -> Files {
    collect(TEMPLATES)
}

fn collect(texts: &[(&str, &str)]) -> Files {
    texts
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}
