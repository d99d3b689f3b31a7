//! The records of resources that a build was seen to need of a machine.

use crate::decode::{Spanned, choice, record};
use indexmap::IndexMap;

choice! {
    /// The jobs that one of upstream's variables limits.
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
    /// The resources that a build was seen to need.
    pub struct Resources {
        /// Memory for each job, in mebibytes.
        memory_per_job: Option<u64>,
        /// Memory for each job that links, in mebibytes.
        memory_per_link: Option<u64>,
        /// The largest number of link jobs that upstream runs at once.
        links: Option<u64>,
        /// Memory of the build as a whole, in mebibytes. The memory for jobs and targets is added
        /// to it.
        memory: Option<u64>,
        /// Memory for each job and GPU target, in mebibytes.
        memory_per_target: Option<u64>,
        /// Memory for running the tests, in mebibytes.
        memory_for_tests: Option<u64>,
        /// Set if each GPU target takes about as long as a whole build for one target.
        time_per_target: bool,
        /// Disk for the build, in mebibytes.
        disk: Option<u64>,
        /// The duration of the build, in minutes.
        minutes: Option<u64>,
        /// The number of processors of the machine on which `minutes` was measured. When absent,
        /// `minutes` holds for any machine.
        cores: Option<u64>,
        /// The number of GPU targets for which the memory, disk and minutes of this row were
        /// measured. They are scaled in proportion for other numbers. When absent, they do not
        /// depend on the number of targets.
        targets: Option<u64>,
        /// Upstream's variables that limit jobs.
        knobs: IndexMap<String, Knob>,
        /// Set if the row is a rule of thumb. Builds are planned with the row, but no recipe
        /// requires a machine to meet it.
        rough: bool,
        /// The source of the numbers.
        source: Spanned<String>,
    }
}
