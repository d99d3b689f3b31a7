//! The records of upstream's releases: tag scheme, versions and checksums.

use crate::decode::{Spanned, record};
use crate::text::Text;
use indexmap::IndexMap;

record! {
    /// A line of releases, such as `releases/7.2.yaml`.
    pub struct ReleaseLine {
        /// The tag. `${version}` stands for the version, and `${line}` for its first two numbers:
        /// `therock-10.0` is 10.0.0.
        tag: Text,
        /// The major version of the LLVM that the releases are made with.
        llvm: Option<Spanned<String>>,
        /// The repositories in which the line's tags were seen, if not all repositories have them.
        /// A source that uses the tag in another repository is reported.
        tagged: Vec<Spanned<String>>,
        /// The versions of the line.
        versions: IndexMap<String, Version>,
        /// Checksums of files at fixed addresses that no release changes, by address.
        files: IndexMap<String, Checksum>,
    }
}

record! {
    /// A version of a line.
    pub struct Version {
        /// The day of its release, `YYYY-MM-DD`.
        date: Option<Spanned<String>>,
        /// Set if the assets of monorepos unpack into no folder of their own. Otherwise they unpack
        /// into a folder with the asset's name.
        flat_assets: bool,
        /// The components' own versions at this release, by component.
        own: IndexMap<String, Spanned<String>>,
        /// Checksums by the source's key, such as `rocm-libraries/asset/rocblas`.
        checksums: IndexMap<String, Checksum>,
    }
}

record! {
    /// The checksums of one source that are publicly known.
    pub struct Checksum {
        /// SHA-256 in hexadecimal.
        sha256: Option<Spanned<String>>,
        /// SHA-512 in hexadecimal.
        sha512: Option<Spanned<String>>,
        /// `BLAKE2b` in hexadecimal.
        blake2b: Option<Spanned<String>>,
        /// Size in bytes.
        size: Option<u64>,
        /// The checksum in Nix's form, Subresource Integrity (SRI).
        sri: Option<Spanned<String>>,
    }
}
