//! Releases of upstream: tag scheme, versions, checksums.

use crate::decode::{Spanned, record};
use crate::text::Text;
use indexmap::IndexMap;

record! {
    /// One line of releases, `releases/7.2.yaml`.
    pub struct ReleaseLine {
        /// The tag; `${version}` stands for the version, and `${line}` for its first two numbers:
        /// `therock-10.0` is 10.0.0.
        tag: Text,
        /// The major version of the LLVM that it is made with.
        llvm: Option<Spanned<String>>,
        /// The repositories in which its tags were seen, where not all have them: a source at the
        /// tag from another one is named.
        tagged: Vec<Spanned<String>>,
        /// The versions of the line.
        versions: IndexMap<String, Version>,
        /// Checksums of files at fixed addresses, which no release changes, by address.
        files: IndexMap<String, Checksum>,
    }
}

record! {
    /// One version of a line.
    pub struct Version {
        /// The day of its release, `YYYY-MM-DD`.
        date: Option<Spanned<String>>,
        /// The assets of monorepos unpack into no folder of their own; into one with the asset's
        /// name when false.
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
        /// Nix's subresource integrity form.
        sri: Option<Spanned<String>>,
    }
}
