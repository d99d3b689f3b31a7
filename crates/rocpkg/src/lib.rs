//! One model of AMD's ROCm packages, printed as Gentoo ebuilds, Arch PKGBUILDs, Nix expressions and
//! Solus recipes.
//!
//! A [`Stack`] is the model that ships with this crate, with layers of your own over it. It gives a
//! [`Tree`] that may be used as it is, or an [`Error`] that tells all that is wrong at once:
//!
//! ```
//! use rocpkg::{Backend, Options, Stack};
//!
//! let stack = Stack::shipped()?;
//! let backends = vec![Backend::Arch];
//! let tree = stack.render(&Options { backends, packages: vec!["rocblas".into()], ..Options::default() })?;
//! assert!(tree.text("arch/rocblas/PKGBUILD").unwrap().contains("pkgname=rocblas"));
//!
//! // A name that no package has is refused.
//! let wrong = Options { packages: vec!["rocblsa".into()], ..Options::default() };
//! let wrong = stack.render(&wrong).unwrap_err();
//! assert_eq!(wrong.to_string(), "no package is called `rocblsa`; did you mean `rocBLAS`?");
//! # Ok::<(), rocpkg::Error>(())
//! ```
//!
//! Profiles of your own change what the model says; what is wrong in them is shown with its line:
//!
//! ```
//! use rocpkg::{Options, Stack};
//!
//! let layer = [("components/rocblas.yaml".to_owned(), "summary: [BLAS]\n".to_owned())];
//! let stack = Stack::shipped()?.texts("mine", layer.into());
//! let wrong = stack.render(&Options::default()).unwrap_err();
//! assert!(wrong.to_string().contains("mine/components/rocblas.yaml:1:10"));
//! # Ok::<(), rocpkg::Error>(())
//! ```
//!
//! Everything is strict by default: a package of which a fact is guessed is left out, and refused
//! where it is asked for by its name; a recipe that needs a checksum that nobody knows likewise, so
//! what is rendered where no release is named is one of which they are known; what is proved to
//! disagree about GPU targets is not rendered. [`Options`] loosens that. Rendering runs nothing and
//! asks no network; [`Stack::write`] alone changes files, and of a checkout it asks git and, where
//! hands changed a PKGBUILD, makepkg.
//!
//! ```no_run
//! # fn main() -> Result<(), rocpkg::Error> {
//! let tree = rocpkg::Stack::shipped()?.layer("mine")?.render(&rocpkg::Options::default())?;
//! # let _ = tree; Ok(()) }
//! ```
//!
//! | what one wants to do | where |
//! | --- | --- |
//! | make an ebuild, an eclass or a metadata.xml from code | [`gentoo::Ebuild`], [`gentoo::Eclass`], [`gentoo::Metadata`] |
//! | make a PKGBUILD, a Nix expression or a recipe of Solus from code | [`arch::Pkgbuild`], [`nix::Expression`], [`solus::Recipe`] |
//! | render another stack than ROCm | [`Stack::empty`] and [`Stack::layer`] |
//! | change a package that ships | [`Stack::package`], [`Stack::component`], [`Stack::layer`] |
//! | ask what runs on a GPU, and which flags bring it | [`Stack::questions`], [`gpu`] |
//! | work with Gentoo's dependency language alone | [`pms`] |
//! | find out what must be fetched, and its checksums | [`Stack::wanted`], [`checksums`] |
//! | plan builds and tests | [`Stack::builds`], [`plans`] |
//! | look into what was built | [`audit::read`], [`gpu::Questions::audited`] |
//! | edit recipes that lie in a checkout | [`Stack::checkout`], [`Stack::write`], [`checkout`] |
//! | move the model to another release | [`Stack::bump`], [`bump`] |
//! | tell where a fact comes from, and what is proved | [`Stack::explain`], [`Stack::check`], [`explain`] |
//!
//! `examples/examples/` of the repository holds a program for each, of at most 75 lines.
//!
//! ```
//! use rocpkg::gpu::Way;
//! use rocpkg::resolve::Choice;
//! use rocpkg::{Backend, Stack};
//!
//! let stack = Stack::shipped()?;
//! let gentoo = stack.questions(Backend::Gentoo, &Choice::Shipped)?;
//! let gpus = stack.gpu("RX 7900 XTX")?.targets();
//! assert_eq!(gentoo.names(&gpus), ["gfx1100"]);
//! let native = gpus.iter().map(|gpu| gentoo.on_gpu(gpu).by(|way| *way == Way::Native).len());
//! assert!(native.sum::<usize>() > 10);
//! # Ok::<(), rocpkg::Error>(())
//! ```
//!
//! | feature | what it brings |
//! | --- | --- |
//! | `gentoo`, `arch`, `nix`, `solus` | a backend each |
//! | `checkout` | all four, what is written to disk, and edits of recipes that lie there |
//! | `serde` | records and answers are `Serialize`, and schemas of profiles |
//! | `audit` | what built files hold, and whether it is what their recipes say |
//! | `upstream` | the network: checksums, what changed upstream |
//!
//! All but the last two are on by default. The parts stand in crates of their own, of which [`pms`]
//! (Gentoo's dependency language) and [`targets`] (GPU targets) know nothing of the others.

// What only edits of recipes use is not looked for where they are left out.
#![cfg_attr(not(feature = "checkout"), allow(unused, unreachable_code))]

#[cfg(feature = "arch")]
pub use rocpkg_arch as arch;
pub use rocpkg_core as core;
#[cfg(feature = "checkout")]
pub use rocpkg_edit as edit;
#[cfg(feature = "gentoo")]
pub use rocpkg_gentoo as gentoo;
pub use rocpkg_model as model;
#[cfg(feature = "nix")]
pub use rocpkg_nix as nix;
#[cfg(feature = "gentoo")]
pub use rocpkg_pms as pms;
pub use rocpkg_render as render;
pub use rocpkg_resolve as resolve;
#[cfg(feature = "solus")]
pub use rocpkg_solus as solus;
#[cfg(feature = "checkout")]
pub use rocpkg_syntax as syntax;
pub use rocpkg_targets as targets;
#[cfg(feature = "upstream")]
pub use rocpkg_upstream as upstream;

mod backend;
mod builds;
mod changes;
mod check;
mod error;
mod explained;
mod folder;
mod kinds;
mod machine;
mod made;
#[cfg(feature = "checkout")]
mod moved;
mod names;
mod narrowed;
mod needs;
mod options;
mod order;
#[cfg(feature = "checkout")]
mod output;
mod own;
mod questions;
mod rebuilds;
mod review;
#[cfg(feature = "serde")]
mod schema;
mod select;
mod stack;
mod sums;
#[cfg(feature = "upstream")]
mod thing;
mod tree;
mod wanted;

pub use backend::Backend;
pub use error::{Error, Problems};
pub use options::Options;
pub use rocpkg_model::Findings;
pub use select::Stopped;
pub use stack::Stack;
pub use tree::Tree;

/// Questions about GPUs: what runs on one, what is built for it, which flags bring it.
pub mod gpu {
    pub use crate::machine::{Machine, Seen};
    pub use crate::questions::{Evidence, OnGpu, Questions, Way, read_only};
    #[cfg(feature = "gentoo")]
    pub use crate::questions::{Use, Wish};
}

/// What built files hold, and where that is not what their recipes say.
#[cfg(feature = "audit")]
pub mod audit {
    pub use crate::questions::{About, RULES, Row, damaged, file_on, held, stem};
    pub use rocpkg_audit::*;
}

/// What is built in which order, what a build needs of a machine, and who tests what.
pub mod plans {
    pub use crate::builds::{Amount, BuildPlan, Builder, BuilderError, Demand, Fit, Job, Lack};
    pub use crate::needs::Need;
    pub use crate::order::Order;
    pub use crate::questions::{Runner, Runs, TestRun, Unit, Untested, fewest_runs};
    pub use crate::rebuilds::Rebuild;
}

/// The model at another release, and what users notice of it.
pub mod bump {
    pub use crate::changes::{Change, ChangeKind, Changes};
    #[cfg(feature = "checkout")]
    pub use crate::moved::{Bump, Bumped, Look, Moved, MovedPackage, Risk};
}

/// Recipes that lie in a distribution's own repository: edited, and held against the model.
#[cfg(feature = "checkout")]
pub mod checkout {
    pub use crate::output::{
        Checkout, Compared, Eclass, Fork, Grade, Left, NotChecked, Output, OwnPatch, Reviewed, Row,
        SplitOff, State, Summary, Written,
    };
}

/// Where facts come from, and what was proved of them.
pub mod explain {
    pub use crate::check::{Checked, Proved};
    pub use crate::explained::{Explained, Fact};
    pub use crate::names::is_named;
}

/// Which checksum is of what, and what has to be fetched for it.
pub mod checksums {
    pub use crate::wanted::{Of, Place, Stated, Wanted};
}

/// What ships with this crate: profiles, templates and the schemas of profiles.
pub mod shipped {
    pub use crate::own::{profiles, templates};
    #[cfg(feature = "serde")]
    pub use crate::schema::schema;
}

#[doc(hidden)]
pub use made::beside_each_other;
