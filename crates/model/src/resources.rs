//! What somebody saw that a build needs of a machine.

use crate::decode::{Spanned, choice, record};
use indexmap::IndexMap;

choice! {
    /// What one of upstream's variables limits.
    pub enum Knob {
        /// Jobs that compile.
        Compile = "compile",
        /// Jobs that link.
        Link = "link",
        /// Jobs that generate kernels.
        Generate = "generate",
    }
}

record! {
    /// What somebody saw that a build needs.
    pub struct Resources {
        /// Memory for each job, in mebibytes.
        memory_per_job: Option<u64>,
        /// Memory for each job that links, in mebibytes.
        memory_per_link: Option<u64>,
        /// Upstream links no more of them at once.
        links: Option<u64>,
        /// Memory in all, in mebibytes; what jobs and targets take comes on top.
        memory: Option<u64>,
        /// Memory for each job and GPU target, in mebibytes.
        memory_per_target: Option<u64>,
        /// Memory for running the tests, in mebibytes.
        memory_for_tests: Option<u64>,
        /// Each GPU target takes about as long as a whole build for one.
        time_per_target: bool,
        /// Disk for the build, in mebibytes.
        disk: Option<u64>,
        /// How long the build takes.
        minutes: Option<u64>,
        /// On a machine with so many processors; the minutes are those of any machine when absent.
        cores: Option<u64>,
        /// The memory, disk and minutes of this row are those of a build for so many GPU targets,
        /// and are reckoned in proportion for others; they hang on no targets when absent.
        targets: Option<u64>,
        /// Upstream's variables that limit jobs.
        knobs: IndexMap<String, Knob>,
        /// A rule of thumb: builds are planned by it, and no recipe asks a machine for it.
        rough: bool,
        /// Where the numbers come from.
        source: Spanned<String>,
    }
}
