//! The records of upstream's releases: tag scheme, versions and checksums.

use crate::day::Day;
use crate::decode::{Spanned, record};
use crate::text::Text;
use indexmap::IndexMap;

record! {
    /// A line of upstream's releases, such as 7.2 with 7.2.0 and 7.2.4. The file is
    /// `releases/LINE.yaml`.
    pub struct ReleaseLine {
        /// The scheme of the tags in upstream's repositories, such as `rocm-${version}`.
        /// `${version}` stands for the version, and `${line}` for its first two numbers:
        /// `therock-${line}` gives `therock-10.0` for 10.0.0.
        tag: Text,
        /// The major version of AMD's fork of LLVM, with which upstream makes the releases of the
        /// line, such as `"22"`. Distributions that build the fork use it.
        llvm: Option<Spanned<String>>,
        /// The major versions of plain LLVM that the packages of the line can be built with, the
        /// oldest first; only that of `llvm` when empty. Distributions without the fork use them.
        plain_llvm: Vec<Spanned<String>>,
        /// The repositories in which the line's tags were seen; all repositories when empty. A
        /// source that uses the tag in another repository is reported.
        tagged: Vec<Spanned<String>>,
        /// The versions of the release line by name, such as `7.2.4`.
        versions: IndexMap<String, Version>,
        /// Checksums of files that are the same for every version, by address.
        files: IndexMap<String, Checksum>,
    }
}

record! {
    /// A version of a release line.
    pub struct Version {
        /// The day on which upstream released the version, as `YYYY-MM-DD`.
        date: Option<Spanned<String>>,
        /// The scheme of the version's tags, if it differs from that of the release line, such as
        /// `therock-${version}` for 7.14.1, whose tag has three numbers.
        tag: Option<Text>,
        /// The days on which distributions got the version, by distribution. A distribution that is
        /// not rendered may be named, too.
        shipped: IndexMap<String, Shipped>,
        /// Set if the assets of monorepos (one archive for each project) contain their files
        /// without a common folder. Otherwise an asset unpacks into a folder with its own name.
        flat_assets: bool,
        /// The versions that upstream gives to components at this release, by component, such as
        /// `{rocblas: "5.2.0"}`.
        own: IndexMap<String, Spanned<String>>,
        /// Checksums of sources by `REPOSITORY/METHOD/NAME`, such as
        /// `rocm-libraries/asset/rocblas`.
        checksums: IndexMap<String, Checksum>,
    }
}

record! {
    /// The day on which a distribution got a version of upstream's, as far as it is known: the day
    /// itself, or one or two bounds.
    pub struct Shipped {
        /// The day, if it is known.
        day: Option<Day>,
        /// A day before which the distribution did not have the version, such as the day of the
        /// pull request.
        from: Option<Day>,
        /// A day on which the distribution had the version.
        by: Option<Day>,
        /// The address or file that states these days.
        source: Spanned<String>,
    }
}

record! {
    /// The publicly known checksums of one source.
    pub struct Checksum {
        /// The SHA-256 in hexadecimal digits.
        sha256: Option<Spanned<String>>,
        /// The SHA-512 in hexadecimal digits.
        sha512: Option<Spanned<String>>,
        /// The `BLAKE2b` in hexadecimal digits.
        blake2b: Option<Spanned<String>>,
        /// The size of the file in bytes.
        size: Option<u64>,
        /// The checksum in Nix's form, Subresource Integrity (SRI).
        sri: Option<Spanned<String>>,
    }
}
