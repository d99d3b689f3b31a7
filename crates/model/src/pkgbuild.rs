//! The facts of a package that only a PKGBUILD can express.

use crate::decode::{Spanned, choice, record};
use crate::step::Step;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// The kind of checksums of a PKGBUILD's sources.
    pub enum SumKind {
        /// SHA-256, in the array `sha256sums`.
        Sha256 = "sha256",
        /// SHA-512, in the array `sha512sums`.
        Sha512 = "sha512",
        /// `BLAKE2b`, in the array `b2sums`.
        B2 = "b2",
    }
}

record! {
    /// A file in the PKGBUILD's folder that the PKGBUILD installs or applies.
    pub struct PkgbuildFile {
        /// The checksum of the file in hexadecimal, of the kind in `sums`. An unknown checksum is
        /// reported.
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
        /// SPDX licence expressions of the package, if they differ from those of the whole
        /// PKGBUILD.
        licence: Vec<Spanned<String>>,
        /// Set if the package has the dependencies in the array that `shared-depends` of the
        /// PKGBUILD names.
        shared: bool,
        /// The package's dependencies by neutral name, in addition to shared ones.
        depends: Vec<Spanned<String>>,
        /// Packages of the same PKGBUILD that the package depends on in exactly its own version:
        /// `tool=$epoch:$pkgver-$pkgrel`.
        same_version: Vec<Spanned<String>>,
        /// Optional dependencies by neutral name, each with its purpose.
        optdepends: IndexMap<String, Spanned<String>>,
        /// The array `provides`, such as `["hip=${version}"]`. `${version}` stands for the version.
        provides: Vec<Text>,
        /// The array `replaces`: the names of packages that this one replaces.
        replaces: Vec<Text>,
        /// The steps of the package's function `package_NAME`.
        steps: Vec<Step>,
    }
}

record! {
    /// Facts of an Arch package that have no counterpart elsewhere (PKGBUILD(5)).
    pub struct Pkgbuild {
        /// The epoch of the version, such as `"2"`; no epoch when absent.
        epoch: Option<Spanned<String>>,
        /// The `pkgrel` of a new PKGBUILD, such as `"2"`; 1 when absent.
        pkgrel: Option<Spanned<String>>,
        /// The array `arch`, such as `[any]`; the distribution's architectures when absent.
        arch: Vec<Spanned<String>>,
        /// The address in `url`. When absent, the address of the documentation, or else of the home
        /// page.
        url: Option<Spanned<String>>,
        /// The array `options` for makepkg, such as `["!lto"]`.
        options: Vec<Spanned<String>>,
        /// The array `provides`, such as `["hip=${version}"]`. `${version}` stands for the version.
        provides: Vec<Text>,
        /// The array `conflicts`: the names of packages that can't be installed beside this one.
        conflicts: Vec<Text>,
        /// The array `replaces`: the names of packages that this one replaces.
        replaces: Vec<Text>,
        /// The kind of checksums that the PKGBUILD states; `sha256` when absent.
        sums: Option<SumKind>,
        /// Files in the PKGBUILD's folder, by name, other than patches.
        files: IndexMap<String, PkgbuildFile>,
        /// The name of an array that contains the link and run dependencies of a split package,
        /// such as `_amd_depends`. The array is a part of `makedepends` too.
        shared_depends: Option<Spanned<String>>,
        /// The names of the distribution's usual CMake arguments that are not passed, by CMake
        /// project, or under `all` for all projects: `{main: [CMAKE_INSTALL_PREFIX]}`.
        without: IndexMap<String, Vec<Spanned<String>>>,
        /// The packages of a split PKGBUILD, by name.
        packages: IndexMap<String, PkgbuildPart>,
    }
}
