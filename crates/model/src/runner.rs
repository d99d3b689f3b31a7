//! The records of `runners.yaml`: machines with GPUs that tests run on. The file is not a profile,
//! and no other layer is merged over it.

use crate::decode::{OneOrMany, Spanned, record};
use indexmap::IndexMap;

record! {
    /// The content of `runners.yaml`: the machines that tests run on.
    pub struct Runners {
        /// The machines by name.
        runners: IndexMap<String, Runner>,
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
        /// The person or team that is responsible for the machine.
        contact: Option<Spanned<String>>,
        /// The packages that are not tested on the machine, each with the GPU targets for which it
        /// is not tested. An empty list means all of the machine's targets.
        skips: IndexMap<String, OneOrMany<Spanned<String>>>,
    }
}
