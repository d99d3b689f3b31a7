//! The records of resources that a build was seen to need of a machine.

use crate::decode::{Spanned, choice, record};
use indexmap::IndexMap;

choice! {
    /// The kind of jobs whose number one of upstream's variables limits.
    pub enum Knob {
        /// Jobs that compile.
        Compile = "compile",
        /// Jobs that link.
        Link = "link",
        /// Jobs that generate kernels for GPUs.
        Generate = "generate",
    }
}

record! {
    /// The resources of a machine that a build was seen to need. Each key may be absent if its
    /// number is not known.
    pub struct Resources {
        /// Memory for each compile job, in mebibytes.
        memory_per_job: Option<u64>,
        /// Memory for each job that links, in mebibytes.
        memory_per_link: Option<u64>,
        /// The largest number of link jobs that upstream runs at once.
        links: Option<u64>,
        /// Base memory of the build, in mebibytes. The memory for jobs and for GPU targets is added
        /// to it.
        memory: Option<u64>,
        /// Memory for each GPU target in each job, in mebibytes.
        memory_per_target: Option<u64>,
        /// Memory for running the tests, in mebibytes.
        memory_for_tests: Option<u64>,
        /// Set if the duration grows with the GPU targets: a build for three targets takes about
        /// three times as long as for one.
        time_per_target: bool,
        /// Disk space for the build, in mebibytes.
        disk: Option<u64>,
        /// The duration of the build, in minutes.
        minutes: Option<u64>,
        /// The number of processors of the machine on which `minutes` was measured. When absent,
        /// `minutes` holds for any machine.
        cores: Option<u64>,
        /// The duration of the longest single job, in minutes: a file to compile, or a link. No
        /// number of processors makes the build shorter than this job.
        longest_job: Option<u64>,
        /// The number of GPU targets for which the memory, disk space, minutes and longest job of
        /// this row were measured. They are scaled in proportion for another number of targets.
        /// When absent, they are the same for any number of targets.
        targets: Option<u64>,
        /// Upstream's CMake or environment variables that limit the number of jobs, by name, each
        /// with the kind of jobs.
        knobs: IndexMap<String, Knob>,
        /// Set if the row is a rule of thumb. Builds are planned with the row, but no recipe
        /// requires a machine to meet it.
        rough: bool,
        /// The source of the numbers: a measurement, an issue or a recipe.
        source: Spanned<String>,
    }
}
