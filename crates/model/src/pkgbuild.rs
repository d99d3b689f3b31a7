//! The facts of a package that only a PKGBUILD can express.

use crate::decode::{Spanned, choice, record};
use crate::step::Step;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// The kind of checksums of a PKGBUILD's sources.
    pub enum SumKind {
        /// `sha256sums`
        Sha256 = "sha256",
        /// `sha512sums`
        Sha512 = "sha512",
        /// `b2sums`
        B2 = "b2",
    }
}

record! {
    /// A file beside the PKGBUILD that the PKGBUILD installs or applies.
    pub struct PkgbuildFile {
        /// The checksum of the file, of the kind that the PKGBUILD uses.
        hash: Option<Spanned<String>>,
    }
}

record! {
    /// One package of a split PKGBUILD.
    pub struct PkgbuildPart {
        /// The components that this package contains. A dependency on one of them becomes a
        /// dependency on this package.
        of: Vec<Spanned<String>>,
        /// A one-line description, without a full stop.
        summary: Option<Spanned<String>>,
        /// SPDX licence expressions, if they differ from those of the whole PKGBUILD.
        licence: Vec<Spanned<String>>,
        /// Set if the package has the dependencies in the array that `shared-depends` names.
        shared: bool,
        /// Dependencies by neutral name.
        depends: Vec<Spanned<String>>,
        /// Optional dependencies by neutral name, each with its purpose.
        optdepends: IndexMap<String, Spanned<String>>,
        /// `provides`; `${version}` stands for the version.
        provides: Vec<Text>,
        /// `replaces`
        replaces: Vec<Text>,
        /// The steps of the package's function `package_NAME`.
        steps: Vec<Step>,
    }
}

record! {
    /// Facts of an Arch package that have no counterpart elsewhere (PKGBUILD(5)).
    pub struct Pkgbuild {
        /// The epoch.
        epoch: Option<Spanned<String>>,
        /// `pkgrel`; 1 when absent.
        pkgrel: Option<Spanned<String>>,
        /// Architectures; the distribution's when absent.
        arch: Vec<Spanned<String>>,
        /// The address shown for the package; the documentation or the home page when absent.
        url: Option<Spanned<String>>,
        /// makepkg's options, such as `!lto`.
        options: Vec<Spanned<String>>,
        /// `provides`; `${version}` stands for the version.
        provides: Vec<Text>,
        /// `conflicts`
        conflicts: Vec<Text>,
        /// `replaces`
        replaces: Vec<Text>,
        /// The kind of checksums; sha256 when absent.
        sums: Option<SumKind>,
        /// Files beside the PKGBUILD, by name.
        files: IndexMap<String, PkgbuildFile>,
        /// The name of the private array that contains the link and run dependencies of a split
        /// package. The array is part of `makedepends` too.
        shared_depends: Option<Spanned<String>>,
        /// The distribution's usual CMake arguments that are not passed, by project, or under `all`
        /// for all projects.
        without: IndexMap<String, Vec<Spanned<String>>>,
        /// The packages of a split PKGBUILD, by name.
        packages: IndexMap<String, PkgbuildPart>,
    }
}
