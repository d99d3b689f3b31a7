//! The records of `runners.yaml`: machines with GPUs that tests run on. The file is not a profile,
//! and no other layer is merged over it.

use crate::decode::{OneOrMany, Spanned, record};
use indexmap::IndexMap;

record! {
    /// The machines that tests run on.
    pub struct Runners {
        /// The machines by name.
        runners: IndexMap<String, Runner>,
    }
}

record! {
    /// A machine, or several equal machines, that tests run on.
    pub struct Runner {
        /// The labels by which a CI system finds the machine; the machine's name when empty.
        labels: Vec<Spanned<String>>,
        /// The machine's GPUs, by any of their names.
        gpus: OneOrMany<Spanned<String>>,
        /// The machine's memory in mebibytes, if it may be too little for some tests.
        memory: Option<u64>,
        /// The person or team that is responsible for the machine.
        contact: Option<Spanned<String>>,
        /// Packages that are not tested on the machine, each with the targets for which they are
        /// not tested; all of the machine's targets when empty.
        skips: IndexMap<String, OneOrMany<Spanned<String>>>,
    }
}
