//! Answers to questions about a rendered stack: what runs on a GPU, which USE flags to set, whether
//! built files are what their recipes say, how to build packages, and where to test them.
//!
//! ```
//! use rocpkg::{Backend, Choice, Stack};
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
//!
//! Look first at [`Answers`], which adds the questions to [`Stack`], [`gpu::Questions`], the
//! questions about GPUs, and [`plans::BuildPlan`]. `README.md` of the crate lists the limitations.

mod builds;
mod machine;
mod questions;

use builds::{BuildPlan, Builder};
use questions::{Lab, Questions, Use, UseQuery};
use rocpkg::{Backend, Choice, Error, Stack};
use std::collections::BTreeSet;

/// Questions about GPUs: the packages that run on a GPU or are built for it, and the flags that
/// enable it.
pub mod gpu {
    pub use crate::machine::{KernelGpu, Machine};
    pub use crate::questions::{
        Application, Evidence, Likely, OnGpu, Questions, Support, Use, UseQuery,
        declared_applications, read_only, title,
    };
}

/// The contents of built files, and the differences between these files and their recipes.
pub mod audit {
    pub use crate::questions::{About, AuditedRow, RULES, damaged, file_on, held, stem};
    pub use rocpkg_audit::*;
}

/// The resources that a build needs, the tests that each test runner runs, and the demands of a
/// project on its backends.
pub mod plans {
    #[doc(hidden)]
    pub use crate::builds::KnownSize;
    pub use crate::builds::{
        Amount, BuildPlan, Builder, BuilderError, Demand, Job, MissingResource, Placement,
    };
    pub use crate::questions::Runs;
    #[doc(hidden)]
    pub use crate::questions::{
        Lab, LabBackend, Level, Limit, Runner, TestRun, Unit, Untested, fewest_runs,
    };
}

/// The questions about a rendered stack, as methods of [`Stack`].
pub trait Answers {
    /// Plans a distribution's packages at the release `choice`, and reads their recipes. The result
    /// has methods such as [`Questions::on_gpu`](gpu::Questions::on_gpu), which answer questions
    /// about GPU targets.
    ///
    /// # Errors
    /// All errors in the profiles.
    fn questions(&self, backend: Backend, choice: &Choice) -> Result<Questions<'_>, Error>;

    /// Returns the fewest USE flags to set in Gentoo so that the USE dependencies and
    /// `REQUIRED_USE` of a package and of all its dependencies are met. A flag counts as set if it
    /// differs from its default in IUSE, or from the requested GPU targets. `choice` is the
    /// release.
    ///
    /// # Errors
    /// All errors in the profiles, or an unknown package or GPU, or a text that is no valid USE
    /// flag.
    fn package_use(&self, query: &UseQuery, choice: &Choice) -> Result<Use, Error>;

    /// Parses a list of test runners and of the demands on a project's backends. `text` is the
    /// content of the file, and `shown` is its path in error messages.
    ///
    /// # Errors
    /// All errors in the list.
    #[doc(hidden)]
    fn lab(&self, shown: &str, text: &str) -> Result<Lab, Error>;

    /// Returns the plan of builds of a distribution's packages. `changed` names packages or
    /// external dependencies that changed: only the packages among them, and the packages to build
    /// after them, are in the plan. If `changed` is empty, all packages are. `targets` are names of
    /// GPUs, separated by commas. If None, the builds are for the distribution's default targets.
    /// `machines` are the build machines, in any order. `choice` is the release.
    ///
    /// # Errors
    /// All errors in the profiles, or a name in `changed` or `targets` that is unknown.
    fn builds(
        &self,
        backend: Backend,
        choice: &Choice,
        changed: &[String],
        targets: Option<&str>,
        machines: &[Builder],
    ) -> Result<BuildPlan, Error>;

    /// Returns the names of the libraries that components install, without `lib` and `.so`:
    /// `amdhip64` for `libamdhip64.so`. [`audit::stem`] makes such a name from a path.
    fn libraries(&self) -> BTreeSet<&str>;
}

impl Answers for Stack {
    fn questions(&self, backend: Backend, choice: &Choice) -> Result<Questions<'_>, Error> {
        questions::questions(self, backend, choice)
    }

    fn package_use(&self, query: &UseQuery, choice: &Choice) -> Result<Use, Error> {
        questions::package_use(self, query, choice)
    }

    fn lab(&self, shown: &str, text: &str) -> Result<Lab, Error> {
        questions::lab(self, shown, text)
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
