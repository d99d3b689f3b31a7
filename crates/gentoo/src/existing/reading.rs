//! Rules for reading ebuilds: the lists in variables, and the variables that the file name sets.

use rocpkg_pms::Version;
use rocpkg_syntax::{Language, List, Reading, Rules};

/// The kinds of lists in the variables of an ebuild (PMS 7).
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
    same: &[("SLOT_NOLIVE", "SLOT")],
    live: Some("9999"),
    apply: &["eapply", "epatch"],
    phases: &["src_prepare()"],
    ..Rules::NONE
};

/// Returns the rules for reading the ebuild at `path`, with the values of `PV`, `P` and `PN`, which
/// its file name sets (PMS 11.1).
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

/// Returns the version in the name of an ebuild's file, without the revision: `hip-7.2.4-r1.ebuild`
/// → `7.2.4`. Returns `None` for a path of another form.
pub fn version_of(path: &str) -> Option<String> {
    named(path).map(|(_, version)| version.base().to_owned())
}

/// Returns the version in the name of an ebuild's file, with the revision: `hip-7.2.4-r1.ebuild` →
/// `7.2.4-r1`. Returns `None` for a path of another form.
pub fn whole_version(path: &str) -> Option<Version> {
    named(path).map(|(_, version)| version)
}

/// Returns the package's name and the version with its revision in the name of an ebuild's file;
/// `None` for a path of another form.
fn named(path: &str) -> Option<(String, Version)> {
    let file = path.rsplit('/').next()?.strip_suffix(".ebuild")?;
    file.match_indices('-')
        .find_map(|(at, _)| Some((file[..at].to_owned(), Version::new(&file[at + 1..]).ok()?)))
}
