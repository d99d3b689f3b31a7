//! One model of AMD's ROCm packages, printed as Gentoo ebuilds, Arch PKGBUILDs, Nix expressions and Solus recipes.
//!
//! A [`Stack`] is the model that ships with this crate, with layers of your own over it. It gives a [`Tree`] that may be used as it
//! is, or an [`Error`] that tells all that is wrong at once:
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
//! Everything is strict by default: a package of which a fact is guessed is left out, and refused where it is asked for by its name;
//! a recipe that needs a checksum that nobody knows is refused; what is proved to disagree about GPU targets is not rendered.
//! [`Options`] loosens that. Rendering runs nothing and asks no network; [`Stack::write`] alone changes files, and of a checkout it asks
//! git and, where hands changed a PKGBUILD, makepkg.
//!
//! Beside rendering, a stack is checked ([`Stack::check`]), tells where facts come from ([`Stack::explain`]), finds USE flags
//! ([`Stack::package_use`]) and answers questions about GPUs ([`Stack::questions`]):
//!
//! ```
//! use rocpkg::resolve::Choice;
//! use rocpkg::{Backend, Stack, Way};
//!
//! let stack = Stack::shipped()?;
//! let gentoo = stack.questions(Backend::Gentoo, &Choice::Shipped)?;
//! let gpus = stack.gpu("RX 7900 XTX")?.targets();
//! assert_eq!(gentoo.names(gpus), ["gfx1100"]);
//! let native = gpus.iter().map(|gpu| gentoo.on_gpu(gpu).by(|way| *way == Way::Native).len());
//! assert!(native.sum::<usize>() > 10);
//! # Ok::<(), rocpkg::Error>(())
//! ```
//!
//! The parts stand in crates of their own, of which [`pms`] (Gentoo's dependency language) and [`targets`] (GPU targets) know
//! nothing of the others.

pub use rocpkg_arch as arch;
pub use rocpkg_edit as edit;
pub use rocpkg_gentoo as gentoo;
pub use rocpkg_model as model;
pub use rocpkg_nix as nix;
pub use rocpkg_pms as pms;
pub use rocpkg_render as render;
pub use rocpkg_resolve as resolve;
pub use rocpkg_solus as solus;
pub use rocpkg_targets as targets;

mod backend;
mod builds;
mod bump;
mod changes;
mod check;
mod error;
mod explain;
mod folder;
mod machine;
mod made;
mod names;
mod narrowed;
mod needs;
mod options;
mod order;
mod output;
mod questions;
mod rebuilds;
mod review;
mod schema;
mod select;
mod shipped;
mod stack;
mod sums;
mod tree;
mod wanted;

pub use backend::Backend;
pub use builds::{Amount, BuildPlan, Builder, BuilderError, Demand, Fit, Job, Lack};
pub use bump::{Bump, Bumped, Look, Moved, MovedPackage};
pub use changes::{CHANGES, Change, Changes};
pub use check::{Checked, Proved};
pub use error::{Error, Problems};
pub use explain::{Explained, Fact};
pub use machine::{Machine, Seen};
pub use made::beside_each_other;
pub use names::is_named;
pub use needs::Need;
pub use options::Options;
pub use order::Order;
pub use output::{Checkout, Compared, Eclass, Left, Output, Reviewed, Row, Summary, Written};
pub use questions::{
    Evidence, OnGpu, Questions, Runner, Runs, TestRun, Unit, Untested, Use, Way, Wish, fewest_runs,
};
pub use rebuilds::Rebuild;
pub use schema::schema;
pub use select::Stopped;
pub use shipped::{profiles, templates};
pub use stack::Stack;
pub use tree::Tree;
pub use wanted::{Of, Place, Stated, Wanted};
