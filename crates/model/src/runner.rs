//! `runners.yaml`: machines with GPUs that tests run on. It is no profile, and no layer is laid
//! over it.

use crate::decode::{OneOrMany, Spanned, record};
use indexmap::IndexMap;

record! {
    /// The machines that tests run on.
    pub struct Runners {
        /// Each by its name.
        runners: IndexMap<String, Runner>,
    }
}

record! {
    /// A machine, or several alike, that tests run on.
    pub struct Runner {
        /// The labels by which a CI finds it; its name when empty.
        labels: Vec<Spanned<String>>,
        /// Its GPUs, by any names that their owner knows.
        gpus: OneOrMany<Spanned<String>>,
        /// Its memory in mebibytes, where it may be too little for some tests.
        memory: Option<u64>,
        /// Who answers for it.
        contact: Option<Spanned<String>>,
        /// Packages that are not tested there, each with the targets for which they are not; all of
        /// its when empty.
        skips: IndexMap<String, OneOrMany<Spanned<String>>>,
    }
}
