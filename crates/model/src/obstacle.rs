//! The records of what packagers work around: obstacles to shipping a package, and cycles of
//! dependencies.

use crate::decode::{Spanned, choice, record};

choice! {
    /// The kind of an obstacle to shipping a package.
    pub enum ObstacleKind {
        /// The licence forbids changes, redistribution or some uses.
        NonFree = "non-free",
        /// Upstream publishes binaries and no source.
        Binary = "binary",
        /// Upstream states no licence.
        Unlicensed = "unlicensed",
        /// The package works only with a kernel module that mainline Linux lacks, or lacked for
        /// long.
        Kernel = "kernel-module",
    }
}

record! {
    /// An obstacle to shipping a package.
    pub struct Obstacle {
        /// The kind of the obstacle.
        kind: ObstacleKind,
        /// The obstacle in a few words.
        reason: Spanned<String>,
        /// The address or file that states it.
        source: Spanned<String>,
    }
}

record! {
    /// A cycle: the package and another component need each other.
    pub struct Cycle {
        /// The reason why each needs the other.
        reason: Spanned<String>,
        /// The address or file that states it.
        source: Spanned<String>,
        /// The way in which the distribution breaks the cycle. Only in overlays, and in
        /// `consumers.yaml`.
        broken_by: Option<Spanned<String>>,
    }
}
