//! The records of `consumers.yaml`: software that distributions build on the stack, and for which
//! no recipe is rendered.

use crate::decode::{Spanned, record};
use crate::obstacle::Cycle;
use crate::package::Targets;
use indexmap::IndexMap;

/// The rows of `consumers.yaml`, by neutral name.
pub type Consumers = IndexMap<String, Consumer>;

record! {
    /// Software that distributions build on the stack, with a key for each distribution that has
    /// it. Answers such as `rocpkg order` and `rocpkg gpu` contain these packages. No recipe of
    /// them is rendered, edited or checked.
    pub struct Consumer {
        /// The name by which users know the software, such as `PyTorch`. When absent, the title of
        /// the component with the row's name.
        title: Option<Spanned<String>>,
        /// The address of the home page.
        homepage: Option<Spanned<String>>,
        /// SPDX licence expressions; all of them apply. When absent, the licences of the component
        /// with the row's name.
        licence: Vec<Spanned<String>>,
        /// The package in Gentoo.
        gentoo: Option<KnownPackage>,
        /// The package in Arch.
        arch: Option<KnownPackage>,
        /// The package in nixpkgs.
        nixpkgs: Option<KnownPackage>,
        /// The package in Solus.
        solus: Option<KnownPackage>,
        /// The distributions that do not package the software, each with the source of this fact.
        not_packaged: IndexMap<String, Spanned<String>>,
    }
}

record! {
    /// A package of a distribution for which no recipe is rendered. If the distribution's file
    /// lists a package with the row's name under `packages`, that package is used instead.
    pub struct KnownPackage {
        /// The distribution's name for the package, such as `python-pytorch`, with the category in
        /// Gentoo.
        name: Spanned<String>,
        /// The names of the packages that the recipe makes with the stack, if they are others than
        /// `name`: `[python-pytorch-rocm]`.
        packages: Vec<Spanned<String>>,
        /// The version of the recipe that was read, as the distribution writes it.
        version: Spanned<String>,
        /// The setting with which the package is built on the stack: a USE flag, or an argument in
        /// nixpkgs. Absent if the package always is.
        switch: Option<Spanned<String>>,
        /// The packages that it links against, by their names in the profiles.
        link: Vec<Spanned<String>>,
        /// The packages whose headers or static libraries it needs at build time only.
        build: Vec<Spanned<String>>,
        /// The packages whose programs run during its build.
        tool: Vec<Spanned<String>>,
        /// The packages that it needs at run time only.
        run: Vec<Spanned<String>>,
        /// The packages that it loads at run time if they are installed.
        optional: Vec<Spanned<String>>,
        /// The packages that its tests need.
        test: Vec<Spanned<String>>,
        /// The GPU targets that its recipe builds. Absent if it contains no device code of its own.
        targets: Option<Targets>,
        /// The package that contains the device code which this package loads, such as `ggml`.
        device_code_in: Option<Spanned<String>>,
        /// The licences in this distribution, if they are others than those of the row.
        licence: Vec<Spanned<String>>,
        /// Cycles of dependencies between the package and components, by the component. When
        /// absent, those of the component with the row's name.
        cycles: IndexMap<String, Cycle>,
        /// The recipe or page from which the facts were read.
        source: Spanned<String>,
    }
}

impl Consumer {
    /// Returns the package in a distribution, by the name of its profile. Returns `None` if the
    /// distribution does not have it.
    pub fn get(&self, distro: &str) -> Option<&KnownPackage> {
        match distro {
            "gentoo" => self.gentoo.as_ref(),
            "arch" => self.arch.as_ref(),
            "nixpkgs" => self.nixpkgs.as_ref(),
            "solus" => self.solus.as_ref(),
            _ => None,
        }
    }
}
