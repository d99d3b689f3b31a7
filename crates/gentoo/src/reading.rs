//! The reading of ebuilds: which variable holds which list, and what the name of the file gives.

use rocpkg_pms::Version;
use rocpkg_syntax::{Language, List, Reading, Rules};

/// What the variables of an ebuild hold (PMS 7).
static RULES: Rules = Rules {
    version: "PV",
    lists: &[
        ("*DEPEND", List::Spec),
        ("REQUIRED_USE", List::Spec),
        ("LICENSE", List::Spec),
        ("RESTRICT", List::Spec),
        ("HOMEPAGE", List::Spec),
        ("SRC_URI", List::Addresses),
        ("IUSE", List::Flags),
        ("KEYWORDS", List::Flags),
    ],
    of_sources: &["S", "*_S", "HOMEPAGE"],
    source_folder: "WORKDIR",
    asks: &["use", "usex", "use_enable", "use_with"],
};

/// How an ebuild is read, which knows its name and version by its file (PMS 11.1).
pub fn reading(path: &str) -> Reading {
    let (name, version) = named(path).map_or_else(Default::default, |(name, version)| {
        (name, version.base().to_owned())
    });
    let given = vec![
        ("PV", version),
        ("P", format!("{name}-${{PV}}")),
        ("PN", name),
    ];
    Reading {
        language: Language::Bash,
        rules: &RULES,
        given,
    }
}

/// The version of an ebuild by its file, without its revision.
pub fn version_of(path: &str) -> Option<String> {
    named(path).map(|(_, version)| version.base().to_owned())
}

/// The same with its revision.
pub fn whole_version(path: &str) -> Option<Version> {
    named(path).map(|(_, version)| version)
}

/// The name and the version in the name of an ebuild's file.
fn named(path: &str) -> Option<(String, Version)> {
    let file = path.rsplit('/').next()?.strip_suffix(".ebuild")?;
    file.match_indices('-')
        .find_map(|(at, _)| Some((file[..at].to_owned(), Version::new(&file[at + 1..]).ok()?)))
}
