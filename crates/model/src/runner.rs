//! The records of `runners.yaml`: machines with GPUs that tests run on, the people behind a
//! project's backends, and the demands on both. The file is not a profile, and no other layer is
//! merged over it.

use crate::decode::{OneOrMany, Spanned, record};
use indexmap::IndexMap;

record! {
    /// The machines that a project's tests run on, and what its backends must have.
    pub struct Runners {
        /// The machines by name.
        runners: IndexMap<String, Runner>,
        /// The levels of maturity by name, each with its demands on a backend.
        maturity: IndexMap<String, Level>,
        /// The project's backends by name, each with its level of maturity.
        backends: IndexMap<String, TestedBackend>,
        /// The limits of benchmark results, by the name of the metric.
        limits: IndexMap<String, Limit>,
    }
}

record! {
    /// A machine, or several equal machines, that tests run on.
    pub struct Runner {
        /// The labels by which a CI system selects the machine; the machine's name when empty.
        labels: Vec<Spanned<String>>,
        /// The machine's GPUs: products, chips or targets, such as `RX 7900 XTX` or `gfx1100`.
        gpus: OneOrMany<Spanned<String>>,
        /// The machine's memory in mebibytes. When absent, it suffices for all tests.
        memory: Option<u64>,
        /// The operating system, such as `Ubuntu 24.04`.
        os: Option<String>,
        /// The version of the kernel.
        kernel: Option<String>,
        /// The GPU driver, with its version.
        driver: Option<String>,
        /// The person or team that is responsible for the machine.
        contact: Option<Spanned<String>>,
        /// The packages that are not tested on the machine, each with the GPU targets for which it
        /// is not tested. An empty list means all of the machine's targets.
        skips: IndexMap<String, OneOrMany<Spanned<String>>>,
    }
}

record! {
    /// The demands of a level of maturity on a backend.
    pub struct Level {
        /// The number of runners that must test each GPU target.
        runners: u64 = 0,
        /// Set if the newest test of each GPU target must have passed.
        results: bool,
        /// Set if the newest test must have passed at the version that the distribution has in the
        /// model.
        current: bool,
        /// The number of people who must be committed, by role.
        people: IndexMap<String, u64>,
        /// Set if backends of this level are listed apart, as experimental.
        experimental: bool,
    }
}

record! {
    /// A backend of a project: the part of a package that runs on GPUs.
    pub struct TestedBackend {
        /// The package, by any of its names.
        package: Spanned<String>,
        /// The level of maturity that the project states for the backend.
        maturity: Spanned<String>,
        /// A higher level that the backend is on its way to. What it lacks for that level is
        /// listed, and fails no gate.
        next: Option<Spanned<String>>,
        /// The distributions in which the demands hold; all that have the package when empty.
        distributions: OneOrMany<Spanned<String>>,
        /// The GPU targets for which the demands hold; all that the package has code for when
        /// empty.
        targets: OneOrMany<Spanned<String>>,
        /// The people who are committed, by role.
        people: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// The person or team that is responsible for the backend.
        contact: Option<Spanned<String>>,
    }
}

record! {
    /// A limit of a benchmark's results.
    pub struct Limit {
        /// The largest loss against the result before on the same device, in percent.
        worse_by: Option<u64>,
        /// The worst value that is allowed, in the unit of the results.
        worst: Option<Spanned<String>>,
        /// The packages whose results are limited; all when empty.
        packages: OneOrMany<Spanned<String>>,
    }
}
