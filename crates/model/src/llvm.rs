//! The record of the LLVM that a package is built with.

use crate::decode::{OneOrMany, Spanned, record};

record! {
    /// The versions of plain LLVM (the one of llvm.org, not AMD's fork) that a package can be built
    /// with, where they are not those of the release line, and the parts that plain LLVM can't
    /// compile.
    pub struct PackageLlvm {
        /// The versions that the package can be built with. The first row counts.
        works: OneOrMany<LlvmWorks>,
        /// The parts that plain LLVM can't compile, and AMD's fork can.
        fails: OneOrMany<LlvmFails>,
    }
}

record! {
    /// The major versions of plain LLVM that a package can be built with.
    pub struct LlvmWorks {
        /// The range of releases; all releases when absent.
        releases: Option<Spanned<String>>,
        /// The major versions, the oldest first: `["22", "23"]`.
        with: Vec<Spanned<String>>,
        /// The recipes or the page that state it.
        source: Spanned<String>,
    }
}

record! {
    /// A part of a package that plain LLVM can't compile.
    pub struct LlvmFails {
        /// The range of releases; all releases when absent.
        releases: Option<Spanned<String>>,
        /// The part, such as `the fp8 kernels`; the whole package when absent.
        part: Option<Spanned<String>>,
        /// The GPU targets whose code can't be compiled; those of all GPUs when empty.
        targets: Vec<Spanned<String>>,
        /// The range of major versions that fail, such as `"<24"`; all versions when absent.
        with: Option<Spanned<String>>,
        /// The commit, the patch or the step by which plain LLVM compiles the rest, as a clause.
        instead: Option<Spanned<String>>,
        /// The recipes or the page that state it.
        source: Spanned<String>,
    }
}
