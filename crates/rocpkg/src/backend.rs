//! The list of backends, and the functions that call the code of each.

use rocpkg_resolve::Capabilities;
#[cfg(feature = "checkout")]
use rocpkg_resolve::{Plan, Planned};
#[cfg(feature = "checkout")]
use rocpkg_syntax::{Checked, LocalFile, Node, Outline, Reading, Surroundings};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};
#[cfg(feature = "checkout")]
use std::collections::BTreeMap;

/// A backend: the code that renders and edits the recipes of one distribution. In files and JSON,
/// it has the name of the distribution's profile.
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

/// The number of backends in this build of the library.
const BUILT: usize = cfg!(feature = "gentoo") as usize
    + cfg!(feature = "arch") as usize
    + cfg!(feature = "nix") as usize
    + cfg!(feature = "solus") as usize;

/// The empty capabilities of a backend that was not compiled in. Such a backend is refused before
/// its capabilities are used.
static NONE: Capabilities = Capabilities {
    codes: "--",
    settings: &[],
    habits: &[],
    gaps: &[],
    edge: |_, _, _, _| None,
    chooses: None,
    versions: None,
};

impl Backend {
    /// The backends in this build of the library, in the order of output.
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

    /// Returns the folder of the backend's files in a rendered tree, such as `nix`.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Gentoo => "gentoo",
            Self::Arch => "arch",
            Self::Nix => "nix",
            Self::Solus => "solus",
        }
    }

    /// Returns the path of a rendered file in a checkout of the distribution's packages. `path` is
    /// relative to [`Backend::folder`]: `rocblas/package.yml` -> `packages/r/rocblas/package.yml`
    /// in Solus. In the other distributions, both paths are the same.
    pub fn in_checkout(self, path: &str) -> String {
        match (self, path.split_once('/')) {
            #[cfg(feature = "solus")]
            (Self::Solus, Some((name, file))) => {
                format!("{}/{file}", rocpkg_solus::in_checkout(name))
            }
            _ => path.to_owned(),
        }
    }

    /// Returns the folder of a package's recipes, relative to [`Backend::folder`]:
    /// `sci-libs/rocBLAS` in Gentoo, `rocblas` elsewhere.
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

    /// Returns true if the path is that of a recipe: an ebuild, a PKGBUILD, a Nix expression or a
    /// `package.yml`.
    pub(crate) fn is_recipe(self, path: &str) -> bool {
        match self {
            Self::Gentoo => has_ending(path, "ebuild"),
            Self::Arch => path.ends_with("PKGBUILD"),
            Self::Nix => has_ending(path, "nix"),
            Self::Solus => path.ends_with("package.yml"),
        }
    }

    /// Returns the parser for recipes of this backend, by which they are edited. `path` is the path
    /// of the recipe.
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

    /// Returns the version that a recipe states: in Gentoo by the file name in `path`, elsewhere by
    /// an item such as `pkgver`. None if the recipe states no version.
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

    /// Returns the item of a recipe that states the version, such as `pkgver`. None in Gentoo,
    /// where the file name states the version, or if the recipe has no such item.
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

    /// Checks a recipe as a whole. Returns its contradictions, and the questions that could not be
    /// decided. `surroundings` are the files beside the recipe.
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

    /// Returns the files beside a recipe that the recipe uses, such as patches. `text` is the
    /// recipe, and `path` its path in the repository. None if the recipe can't be parsed, or if
    /// only running it would show the files.
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

    /// Returns the function of an eclass that runs in each phase that an ebuild does not define, by
    /// phase: `src_configure` -> `cmake_src_configure`. Empty in other distributions.
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

    /// Returns `recipe` with the values that continue from the existing recipe `there`: keywords
    /// and copyright years in Gentoo, pkgrel and epoch in Arch, the release number in Solus. In
    /// Nix, `recipe` is formatted if `there` is formatted. `rendered` is the rendered recipe, with
    /// the model's values. `is_same` is true if the version stays, and `again` if the package is
    /// built again, so that its counter increases.
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

    /// Returns the name of the distribution's profile, such as `nixpkgs`.
    pub fn distro(self) -> &'static str {
        match self {
            Self::Gentoo => "gentoo",
            Self::Arch => "arch",
            Self::Nix => "nixpkgs",
            Self::Solus => "solus",
        }
    }

    /// Returns the keys of the items in a recipe that continue from the existing recipe and are not
    /// taken from the model, such as `pkgrel`.
    #[cfg(feature = "checkout")]
    pub(crate) fn counters(self) -> &'static [&'static str] {
        match self {
            Self::Gentoo => &["KEYWORDS"],
            Self::Arch => &["pkgrel", "epoch"],
            Self::Nix => &[],
            Self::Solus => &["release"],
        }
    }

    /// Returns the capabilities of the backend: the facts that its recipes can express.
    pub fn column(self) -> &'static Capabilities {
        match self {
            #[cfg(feature = "gentoo")]
            Self::Gentoo => &rocpkg_gentoo::CAPABILITIES,
            #[cfg(feature = "arch")]
            Self::Arch => &rocpkg_arch::CAPABILITIES,
            #[cfg(feature = "nix")]
            Self::Nix => &rocpkg_nix::CAPABILITIES,
            #[cfg(feature = "solus")]
            Self::Solus => &rocpkg_solus::CAPABILITIES,
            #[allow(unreachable_patterns, reason = "all of them may be built")]
            _ => &NONE,
        }
    }

    /// Returns the names that a reference `${…}` in the profiles' texts may have in this backend. A
    /// part in capitals is a placeholder for any name of that kind: `source:SOURCE`.
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

    /// Returns true if `code` is the code of a finding about this backend's output: `E0705` is one
    /// of Solus.
    pub fn says(self, code: &str) -> bool {
        code.get(1..)
            .is_some_and(|number| number.starts_with(self.column().codes))
    }

    /// Returns true if a review lists the dependencies that packages are built without. nixpkgs
    /// needs no such list, because its builds see only their inputs and fail by themselves.
    pub fn is_reviewed(self) -> bool {
        self != Self::Nix
    }

    /// Returns true if the distribution keeps several versions of a package side by side, such as a
    /// release and the live version 9999.
    pub fn keeps_several(self) -> bool {
        self == Self::Gentoo
    }

    /// Returns true if all packages are in one Nix scope, so that none of them can be left out.
    pub fn needs_all(self) -> bool {
        self == Self::Nix
    }
}

/// Returns true if the part of `path` after the last dot is `ending`. Case matters, because it does
/// to Portage and Nix.
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
