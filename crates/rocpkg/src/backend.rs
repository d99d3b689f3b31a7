//! The list of backends, and the table of the code that each of them calls.

use crate::error::Error;
use rocpkg_resolve::Capabilities;
#[cfg(feature = "checkout")]
use rocpkg_syntax::{Checked, Outline, Reading, RunCommand, Surroundings, Values};
#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

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

/// The code of a distribution. The feature `checkout` includes the code for existing recipes.
#[cfg(feature = "checkout")]
type Implementation = dyn rocpkg_shell::ExistingRecipes;
#[cfg(not(feature = "checkout"))]
type Implementation = dyn rocpkg_shell::Distribution;

/// The backends in this build of the library, in the order of output.
const BUILT: &[(Backend, &Implementation)] = &[
    #[cfg(feature = "gentoo")]
    (Backend::Gentoo, &rocpkg_gentoo::internal::Gentoo),
    #[cfg(feature = "arch")]
    (Backend::Arch, &rocpkg_arch::internal::Arch),
    #[cfg(feature = "nix")]
    (Backend::Nix, &rocpkg_nix::internal::Nixpkgs),
    #[cfg(feature = "solus")]
    (Backend::Solus, &rocpkg_solus::internal::Solus),
];

impl Backend {
    /// The backends in this build of the library, in the order of output. Methods that need the
    /// code of another backend panic.
    pub const ALL: [Backend; BUILT.len()] = {
        let mut all = [Backend::Gentoo; BUILT.len()];
        let mut at = 0;
        while at < all.len() {
            all[at] = BUILT[at].0;
            at += 1;
        }
        all
    };

    /// Returns the code of the distribution. Panics if the backend is not in [`Backend::ALL`]; such
    /// a backend is refused before its code is called.
    pub(crate) fn implementation(self) -> &'static Implementation {
        let built = BUILT.iter().find(|(backend, _)| *backend == self);
        built
            .unwrap_or_else(|| panic!("{}", Error::NotBuilt(self)))
            .1
    }

    /// Returns the folder of the backend's files in a rendered tree, such as `nix`.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Gentoo => "gentoo",
            Self::Arch => "arch",
            Self::Nix => "nix",
            Self::Solus => "solus",
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

    /// Returns the path of a rendered file in a checkout of the distribution's packages. `path` is
    /// relative to [`Backend::folder`]: `rocblas/package.yml` -> `packages/r/rocblas/package.yml`
    /// in Solus. In the other distributions, both paths are the same.
    #[doc(hidden)]
    pub fn in_checkout(self, path: &str) -> String {
        self.implementation().in_checkout(path)
    }

    /// Returns true if the path is that of a recipe: an ebuild, a PKGBUILD, a Nix expression or a
    /// `package.yml`.
    #[doc(hidden)]
    pub fn is_recipe(self, path: &str) -> bool {
        path.ends_with(self.implementation().recipe_ending())
    }

    /// Returns the parser for recipes of this backend, by which they are edited. `path` is the path
    /// of the recipe.
    #[cfg(feature = "checkout")]
    #[doc(hidden)]
    pub fn reading(self, path: &str) -> Reading {
        self.implementation().reading(path)
    }

    /// Returns the version that a recipe states: in Gentoo by the file name in `path`, elsewhere by
    /// an item such as `pkgver`. None if the recipe states no version.
    #[cfg(feature = "checkout")]
    pub(crate) fn stated(self, recipe: &Outline, path: &str) -> Option<String> {
        self.implementation().stated(recipe, path)
    }

    /// Checks a recipe as a whole. Returns its contradictions, and the questions that could not be
    /// decided. `surroundings` are the files beside the recipe.
    #[cfg(feature = "checkout")]
    pub fn check(self, text: &str, surroundings: &Surroundings) -> Checked {
        self.implementation().check(text, surroundings)
    }

    /// Returns the values of the variables of a recipe, as far as they are known without running
    /// it. `surroundings` are the files beside the recipe. Returns no value for recipes in Nix and
    /// YAML.
    #[cfg(feature = "checkout")]
    #[doc(hidden)]
    pub fn values(self, text: &str, surroundings: &Surroundings) -> Values {
        self.implementation().values(text, surroundings)
    }

    /// Returns the commands that the functions of the recipe at `path` run, as far as they are
    /// known without running it. Only recipes in bash have such functions.
    #[cfg(feature = "checkout")]
    #[doc(hidden)]
    pub fn commands(self, text: &str, path: &str) -> Vec<RunCommand> {
        let all = self.implementation().commands(text, path);
        all.map_or_else(Vec::new, |all| all.listed())
    }

    /// Returns the capabilities of the backend: the facts that its recipes can express.
    #[doc(hidden)]
    pub fn column(self) -> &'static Capabilities {
        self.implementation().capabilities()
    }

    /// Returns the names that a reference `${…}` in the profiles' texts may have in this backend. A
    /// part in capitals is a placeholder for any name of that kind: `source:SOURCE`.
    #[doc(hidden)]
    pub fn words(self) -> Vec<String> {
        self.implementation().words()
    }

    /// Returns true if `code` is the code of a finding about this backend's output: `E0705` is one
    /// of Solus.
    #[doc(hidden)]
    pub fn says(self, code: &str) -> bool {
        code.get(1..)
            .is_some_and(|number| number.starts_with(self.column().codes))
    }

    /// Returns true if a review lists the dependencies that packages are built without. nixpkgs
    /// needs no such list, because its builds see only their inputs and fail by themselves.
    #[doc(hidden)]
    pub fn is_reviewed(self) -> bool {
        self.implementation().is_reviewed()
    }

    /// Returns true if the distribution keeps several versions of a package side by side, such as a
    /// release and the live version 9999.
    pub fn keeps_several(self) -> bool {
        self.implementation().keeps_several()
    }

    /// Returns true if all packages are in one Nix scope. A package can then be left out only
    /// together with those that refer to it.
    #[doc(hidden)]
    pub fn needs_all(self) -> bool {
        self.implementation().needs_all()
    }
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
