//! The list of backends, and what is asked of each.

use rocpkg_resolve::Column;
#[cfg(feature = "checkout")]
use rocpkg_resolve::{Plan, Planned};
#[cfg(feature = "checkout")]
use rocpkg_syntax::{Checked, LocalFile, Node, Outline, Reading, Surroundings};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
#[cfg(feature = "checkout")]
use std::collections::BTreeMap;

/// A backend. In files and JSON, it is called as the distribution's profile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Deserialize, Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Backend {
    /// Ebuilds.
    Gentoo,
    /// PKGBUILDs.
    Arch,
    /// Nix expressions.
    #[cfg_attr(feature = "serde", serde(rename = "nixpkgs", alias = "nix"))]
    Nix,
    /// Recipes of Solus.
    Solus,
}

/// How many backends this build of the library has.
const BUILT: usize = cfg!(feature = "gentoo") as usize
    + cfg!(feature = "arch") as usize
    + cfg!(feature = "nix") as usize
    + cfg!(feature = "solus") as usize;

/// A column of nothing, for a backend that is not built: it is refused before anything is asked of
/// it.
static NONE: Column = Column {
    codes: "--",
    settings: &[],
    habits: &[],
    gaps: &[],
    edge: |_, _, _, _| None,
    chooses: None,
    versions: None,
};

impl Backend {
    /// Those that this build of the library has, in the order of output.
    pub const ALL: [Backend; BUILT] = [
        #[cfg(feature = "gentoo")]
        Backend::Gentoo,
        #[cfg(feature = "arch")]
        Backend::Arch,
        #[cfg(feature = "nix")]
        Backend::Nix,
        #[cfg(feature = "solus")]
        Backend::Solus,
    ];

    /// The folder of its output.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Gentoo => "gentoo",
            Self::Arch => "arch",
            Self::Nix => "nix",
            Self::Solus => "solus",
        }
    }

    /// Where a rendered file lies in a checkout of the distribution's packages.
    pub(crate) fn in_checkout(self, path: &str) -> String {
        match (self, path.split_once('/')) {
            #[cfg(feature = "solus")]
            (Self::Solus, Some((name, file))) => {
                format!("{}/{file}", rocpkg_solus::in_checkout(name))
            }
            _ => path.to_owned(),
        }
    }

    /// The folder of a package's recipes, from the distribution's own: `sci-libs/rocBLAS`,
    /// `rocblas`.
    #[cfg(feature = "checkout")]
    pub(crate) fn home(self, plan: &Plan, package: &Planned) -> String {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => format!(
                "{}/{}",
                rocpkg_gentoo::category(plan, package),
                package.name
            ),
            _ => package.name.clone(),
        }
    }

    /// True for the file that a package is built by.
    pub(crate) fn is_recipe(self, path: &str) -> bool {
        match self {
            Self::Gentoo => has_ending(path, "ebuild"),
            Self::Arch => path.ends_with("PKGBUILD"),
            Self::Nix => has_ending(path, "nix"),
            Self::Solus => path.ends_with("package.yml"),
        }
    }

    /// How a recipe at a path is read, to be edited.
    #[cfg(feature = "checkout")]
    pub fn reading(self, path: &str) -> Reading {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => rocpkg_gentoo::reading(path),
            #[cfg(feature = "arch")]
            Self::Arch => rocpkg_arch::reading(),
            #[cfg(feature = "nix")]
            Self::Nix => rocpkg_nix::reading(),
            #[cfg(feature = "solus")]
            Self::Solus => rocpkg_solus::reading(),
            #[allow(unreachable_patterns, reason = "all of them may be built")]
            other => unreachable!(
                "{} is not built, so no recipe of it is read",
                other.distro()
            ),
        }
    }

    /// The version that a recipe at a path states.
    #[cfg(feature = "checkout")]
    pub(crate) fn stated(self, recipe: &Outline, path: &str) -> Option<String> {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => rocpkg_gentoo::version_of(path),
            _ => {
                let node = self.version_of(recipe)?;
                Some(node.value.real.trim_matches('"').to_owned())
            }
        }
    }

    /// Returns the item of a recipe that states the version; none in Gentoo, where the file's name
    /// does.
    #[cfg(feature = "checkout")]
    pub(crate) fn version_of(self, recipe: &Outline) -> Option<&Node> {
        let at = |keys: &[&str]| recipe.get(keys);
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => None,
            Self::Arch => at(&["pkgver"]),
            Self::Nix => at(&["derivation", "version"]).or_else(|| at(&["let", "version"])),
            Self::Solus => at(&["version"]),
        }
    }

    /// Reads a recipe as a whole and returns its contradictions.
    #[cfg(feature = "checkout")]
    pub fn check(self, text: &str, surroundings: &Surroundings) -> Checked {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => rocpkg_gentoo::check(text, surroundings),
            #[cfg(feature = "arch")]
            Self::Arch => rocpkg_arch::check(text, surroundings),
            #[cfg(feature = "nix")]
            Self::Nix => rocpkg_nix::check(text, surroundings),
            #[cfg(feature = "solus")]
            Self::Solus => rocpkg_solus::check(text, surroundings),
            #[allow(unreachable_patterns, reason = "all of them may be built")]
            other => unreachable!(
                "{} is not built, so no recipe of it is checked",
                other.distro()
            ),
        }
    }

    /// Returns the files beside a recipe that it uses; none where that can't be read.
    #[cfg(feature = "checkout")]
    pub(crate) fn local_files(self, text: &str, path: &str) -> Option<Vec<LocalFile>> {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => rocpkg_gentoo::local_files(text, path),
            #[cfg(feature = "arch")]
            Self::Arch => rocpkg_arch::local_files(text),
            #[cfg(feature = "nix")]
            Self::Nix => rocpkg_nix::local_files(text),
            #[cfg(feature = "solus")]
            Self::Solus => Some(rocpkg_solus::local_files(text)),
            #[allow(unreachable_patterns, reason = "all of them may be built")]
            _ => None,
        }
    }

    /// The function that runs in each phase that a recipe does not define, by the phase.
    #[cfg(feature = "checkout")]
    #[cfg_attr(
        not(feature = "gentoo"),
        allow(unused_variables, reason = "ebuilds alone have phases of eclasses")
    )]
    pub(crate) fn default_phases(
        self,
        text: &str,
        surroundings: &Surroundings,
    ) -> BTreeMap<String, String> {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => rocpkg_gentoo::default_phases(text, surroundings),
            _ => BTreeMap::new(),
        }
    }

    /// A recipe with what history decides of it: keywords and years, pkgrel and epoch, or the
    /// number of Solus go on from what lies there. `rendered` has what is the model's of these.
    #[cfg(feature = "checkout")]
    pub(crate) fn counted(
        self,
        recipe: &str,
        (there, rendered): (&str, &str),
        is_same: bool,
        again: bool,
    ) -> String {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => rocpkg_gentoo::counted(recipe, there, rendered, is_same),
            #[cfg(feature = "arch")]
            Self::Arch => rocpkg_arch::counted(recipe, there, is_same, again),
            #[cfg(feature = "solus")]
            Self::Solus => rocpkg_solus::counted(recipe, there, is_same, again),
            #[cfg(feature = "nix")]
            Self::Nix => rocpkg_nix::formatted(recipe, there),
            #[allow(unreachable_patterns, reason = "all of them may be built")]
            _ => recipe.to_owned(),
        }
    }

    /// The name of its distribution's profile.
    pub fn distro(self) -> &'static str {
        match self {
            Self::Gentoo => "gentoo",
            Self::Arch => "arch",
            Self::Nix => "nixpkgs",
            Self::Solus => "solus",
        }
    }

    /// The items of a recipe that history decides of: each change counts, and no release does.
    #[cfg(feature = "checkout")]
    pub(crate) fn counters(self) -> &'static [&'static str] {
        match self {
            Self::Gentoo => &["KEYWORDS"],
            Self::Arch => &["pkgrel", "epoch"],
            Self::Nix => &[],
            Self::Solus => &["release"],
        }
    }

    /// What it has words for.
    pub fn column(self) -> &'static Column {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => &rocpkg_gentoo::COLUMN,
            #[cfg(feature = "arch")]
            Self::Arch => &rocpkg_arch::COLUMN,
            #[cfg(feature = "nix")]
            Self::Nix => &rocpkg_nix::COLUMN,
            #[cfg(feature = "solus")]
            Self::Solus => &rocpkg_solus::COLUMN,
            #[allow(unreachable_patterns, reason = "all of them may be built")]
            _ => &NONE,
        }
    }

    /// The words that `${…}` of its texts may hold; a part in capitals stands for any name of that
    /// kind.
    pub fn words(self) -> Vec<String> {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => rocpkg_gentoo::words(),
            #[cfg(feature = "arch")]
            Self::Arch => rocpkg_arch::words(),
            #[cfg(feature = "nix")]
            Self::Nix => rocpkg_nix::words(),
            #[cfg(feature = "solus")]
            Self::Solus => rocpkg_solus::words(),
            #[allow(unreachable_patterns, reason = "all of them may be built")]
            _ => Vec::new(),
        }
    }

    /// True for the code of a finding about what this backend writes.
    pub fn says(self, code: &str) -> bool {
        code.get(1..)
            .is_some_and(|number| number.starts_with(self.column().codes))
    }

    /// True where a review asks what packages are built without. A build of nixpkgs sees nothing
    /// but its inputs, so it fails by itself.
    pub fn is_reviewed(self) -> bool {
        self != Self::Nix
    }

    /// True where versions of a package lie side by side, a live one among them.
    pub fn keeps_several(self) -> bool {
        self == Self::Gentoo
    }

    /// True where all packages stand in one scope, which can't do without any of them.
    pub fn needs_all(self) -> bool {
        self == Self::Nix
    }
}

/// Names of files are case-sensitive to those who read them.
fn has_ending(path: &str, ending: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, end)| end == ending)
}

#[cfg(test)]
mod tests {
    use super::Backend;
    use rocpkg_model::{Decode, Findings, Habits, codes, parse};

    #[test]
    fn what_one_backend_alone_reads_is_a_habit() {
        let mut all: Vec<&str> = Backend::ALL
            .iter()
            .flat_map(|b| b.column().habits)
            .copied()
            .collect();
        let mut findings = Findings::default();
        let node = parse(
            0,
            &all.iter()
                .map(|key| format!("{key}: ~\n"))
                .collect::<String>(),
            &mut findings,
        );
        Habits::decode(&node.unwrap(), &mut findings);
        assert!(!findings.any(|f| f.code == "E0110"), "{all:?}");
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    #[test]
    fn a_code_is_of_one_backend_at_most() {
        for code in codes().map(|c| c.code) {
            assert!(
                Backend::ALL.into_iter().filter(|b| b.says(code)).count() < 2,
                "{code}"
            );
        }
        assert!(Backend::Solus.says("E0705") && !Backend::Solus.says("W0611"));
    }
}
