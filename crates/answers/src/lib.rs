//! Answers to questions about a rendered stack: what runs on a GPU, which USE flags to set, whether
//! built files are what their recipes say, how to build packages, and where to test them.
//!
//! The crate uses the public API of [`rocpkg`] alone. [`Answers`] adds its questions to
//! [`Stack`]. Read `questions/mod.rs` and `builds/mod.rs` next.
//!
//! ```
//! use rocpkg::resolve::Choice;
//! use rocpkg::{Backend, Stack};
//! use rocpkg_answers::Answers;
//! use rocpkg_answers::gpu::Support;
//!
//! let stack = Stack::shipped()?;
//! let gentoo = stack.questions(Backend::Gentoo, &Choice::Shipped)?;
//! let gpus = stack.gpu("RX 7900 XTX")?.targets();
//! assert_eq!(gentoo.names(&gpus), ["gfx1100"]);
//! let native = |gpu| gentoo.on_gpu(gpu).by(|support| *support == Support::Native).len();
//! assert!(gpus.iter().map(native).sum::<usize>() > 10);
//! # Ok::<(), rocpkg::Error>(())
//! ```

mod builds;
mod machine;
mod questions;

use builds::{BuildPlan, Builder};
use questions::{Questions, Runner, Use, UseQuery};
use rocpkg::resolve::Choice;
use rocpkg::{Backend, Error, Stack};
use std::collections::BTreeSet;

/// Questions about GPUs: the packages that run on a GPU or are built for it, and the flags that
/// enable it.
pub mod gpu {
    pub use crate::machine::{KernelGpu, Machine};
    pub use crate::questions::{Evidence, OnGpu, Questions, Support, Use, UseQuery, read_only};
}

/// The contents of built files, and the differences from their recipes.
pub mod audit {
    pub use crate::questions::{About, RULES, Row, damaged, file_on, held, stem};
    pub use rocpkg_audit::*;
}

/// The resources that a build needs, and the tests that each test runner runs.
pub mod plans {
    pub use crate::builds::{
        Amount, BuildPlan, Builder, BuilderError, Demand, Job, MissingResource, Placement,
    };
    pub use crate::questions::{Runner, Runs, TestRun, Unit, Untested, fewest_runs};
}

/// Questions that a [`Stack`] answers.
pub trait Answers {
    /// Prepares the questions about GPU targets in a distribution. The answers are read from the
    /// rendered recipes.
    ///
    /// # Errors
    /// All errors in the profiles.
    fn questions(&self, backend: Backend, choice: &Choice) -> Result<Questions<'_>, Error>;

    /// Returns the fewest USE flags to set in Gentoo so that a package and all its dependencies fit
    /// together. The flags are compared with the defaults of IUSE, or with the requested GPU
    /// targets.
    ///
    /// # Errors
    /// All errors in the profiles, or an unknown name.
    fn package_use(&self, query: &UseQuery, choice: &Choice) -> Result<Use, Error>;

    /// Reads a list of test runners. `shown` is its path in messages.
    ///
    /// # Errors
    /// All errors in the list.
    fn runners(&self, shown: &str, text: &str) -> Result<Vec<Runner>, Error>;

    /// Returns the builds of a distribution's packages. If `changed` names packages or
    /// dependencies, only these and the packages that come after a change of them are built. The
    /// builds are for the distribution's GPU targets, or for those in `targets`, which are
    /// separated by commas.
    ///
    /// # Errors
    /// All that is wrong with the profiles, and names that stand for nothing.
    fn builds(
        &self,
        backend: Backend,
        choice: &Choice,
        changed: &[String],
        targets: Option<&str>,
        machines: &[Builder],
    ) -> Result<BuildPlan, Error>;

    /// Returns the stems of the libraries that components install, as [`audit::stem`] returns them.
    fn libraries(&self) -> BTreeSet<&str>;
}

impl Answers for Stack {
    fn questions(&self, backend: Backend, choice: &Choice) -> Result<Questions<'_>, Error> {
        questions::questions(self, backend, choice)
    }

    fn package_use(&self, query: &UseQuery, choice: &Choice) -> Result<Use, Error> {
        questions::package_use(self, query, choice)
    }

    fn runners(&self, shown: &str, text: &str) -> Result<Vec<Runner>, Error> {
        questions::runners(self, shown, text)
    }

    fn builds(
        &self,
        backend: Backend,
        choice: &Choice,
        changed: &[String],
        targets: Option<&str>,
        machines: &[Builder],
    ) -> Result<BuildPlan, Error> {
        builds::builds(self, backend, choice, changed, targets, machines)
    }

    fn libraries(&self) -> BTreeSet<&str> {
        questions::all_libraries(self)
    }
}
