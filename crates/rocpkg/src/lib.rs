//! One model of AMD's ROCm packages, printed as Gentoo ebuilds, Arch PKGBUILDs, Nix expressions and
//! Solus recipes.
//!
//! A [`Stack`] is the model that ships with this crate, with your own layers merged over it.
//! [`Stack::render`] returns a [`Tree`] that is ready to use, or an [`Error`] that lists all errors
//! at once:
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
//! Your own profiles change the model. An error in a profile is reported with its line:
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
//! Rendering is strict by default. [`Options`] loosens these rules:
//!
//! - A package that rests on a guessed fact is left out. If it was requested by name, it is an
//!   error.
//! - A recipe that needs an unknown checksum is treated in the same way. If no release is
//!   requested, a release is rendered whose checksums are known.
//! - Packages that provably disagree about GPU targets are not rendered.
//!
//! Rendering runs no program and uses no network. Only [`Stack::write`] and [`bump::Bumped::write`]
//! change files. In a checkout, `Stack::write` runs git, and makepkg if a PKGBUILD was edited by
//! hand.
//!
//! ```no_run
//! # fn main() -> Result<(), rocpkg::Error> {
//! let tree = rocpkg::Stack::shipped()?.layer("mine")?.render(&rocpkg::Options::default())?;
//! # let _ = tree; Ok(()) }
//! ```
//!
//! Look first at [`Stack`], [`Options`] and [`Tree`]. `README.md` of the crate lists the
//! limitations.
//!
//! | task | start with |
//! | --- | --- |
//! | make, read and change an ebuild, an eclass, a metadata.xml | [`gentoo`] |
//! | make, read and change a PKGBUILD, and its `.SRCINFO` | [`arch`] |
//! | make a Nix expression | [`nix`] |
//! | make a recipe of Solus | [`solus`] |
//! | read and change bash | [`gentoo::bash`], a crate of its own: `rocpkg-bash` |
//! | work with Gentoo's dependency language | [`pms`] |
//! | prove that GPU targets, or any `USE_EXPAND`, agree over dependencies | [`core`] |
//! | make a package, a component, a distribution from code | [`profile`], [`Stack::with`] |
//! | render another stack than ROCm | [`Stack::empty`], [`Stack::layer`], [`profile`] |
//! | list the files to fetch, and their checksums | [`Stack::wanted`], [`checksums`] |
//! | order the builds of packages | [`Stack::order`], [`order`] |
//! | edit the recipes of a checkout | [`Stack::checkout`], [`Stack::write`], [`checkout`] |
//! | move the model to another release | [`Stack::bump`], [`bump`] |
//! | move a checkout to another release | [`checkout::bump`] |
//! | show the source of a fact | [`Stack::explain`], [`explain`] |
//! | find the newest release of upstream, with the feature `upstream` | `Stack::latest` |
//! | answer what runs on a GPU, which flags to set, how to build and test | `rocpkg-answers` |
//! | read the GPU code in built files | `rocpkg-audit` |
//!
//! The folder `examples/examples/` of the repository holds programs for these tasks, each of at
//! most 75 lines.
//!
//! | feature | contents |
//! | --- | --- |
//! | `gentoo`, `arch`, `nix`, `solus` | a backend each |
//! | `checkout` | all four backends, writing to disk, and edits of existing recipes |
//! | `serde` | `Serialize` for results |
//! | `upstream` | network access: checksums, and changes of upstream's files |
//!
//! All features but the last one are on by default.
//!
//! # The promise
//!
//! These crates keep their public items within a version, as semantic versioning defines it:
//! `rocpkg`, `rocpkg-answers`, `rocpkg-arch`, `rocpkg-audit`, `rocpkg-bash`, `rocpkg-core`,
//! `rocpkg-gentoo`, `rocpkg-nix`, `rocpkg-pms` and `rocpkg-solus`. The file `crates/api.txt` of the
//! repository lists every item.
//!
//! - While versions begin with 0, the second number changes if an item is removed or changes its
//!   meaning, and the third one if items are added or faults are mended.
//! - A record that users fill in may get fields in any version: end it with
//!   `..Options::default()`. A `non_exhaustive` enum may get variants.
//! - Items that this documentation leaves out, such as the modules `internal`, are for the crates
//!   of rocpkg alone, and change without notice.
//! - Signatures name types that these crates export, and types of the standard library, of `serde`
//!   and of `semver`.
//! - The other crates (`rocpkg-model`, `-resolve`, `-render`, `-syntax`, `-edit`, `-shell`,
//!   `-upstream`, `-targets`) are published because these need them. They promise nothing.
//! - The oldest supported version of Rust is `rust-version` in `Cargo.toml`. If it rises, the
//!   second number changes.
//! - A feature is not removed within a version, and features only add items.
//! - Texts of messages, the facts in the shipped profiles and the layout of rendered recipes may
//!   change with any version. The codes of findings stay.

// Without the feature `checkout`, the code that only edits of recipes use is unused.
#![cfg_attr(not(feature = "checkout"), allow(unused, unreachable_code))]

#[cfg(feature = "arch")]
pub use rocpkg_arch as arch;
pub use rocpkg_core as core;
#[cfg(feature = "gentoo")]
pub use rocpkg_gentoo as gentoo;
#[cfg(feature = "nix")]
pub use rocpkg_nix as nix;
#[cfg(feature = "gentoo")]
pub use rocpkg_pms as pms;
#[cfg(feature = "solus")]
pub use rocpkg_solus as solus;

mod backend;
mod build_order;
mod changes;
mod check;
#[cfg(feature = "checkout")]
pub mod checkout;
mod checksum_request;
#[cfg(feature = "upstream")]
mod checksum_subject;
mod error;
mod explained;
mod folder;
#[cfg(all(feature = "checkout", feature = "upstream"))]
mod gathered;
mod kinds;
mod licences;
mod loaded;
#[cfg(feature = "checkout")]
mod model_bump;
mod names;
mod narrowed;
mod needs;
mod options;
mod own;
mod package_output;
#[cfg(feature = "checkout")]
mod plain_llvm;
#[cfg(all(feature = "checkout", feature = "upstream"))]
mod probe;
pub mod profile;
mod rebuilds;
mod review;
#[cfg(feature = "serde")]
mod schema;
#[cfg(any(feature = "checkout", feature = "upstream"))]
mod seen_tag;
mod select;
mod stack;
mod sums;
#[cfg(feature = "upstream")]
mod tagged;
mod tree;
mod unfit;

pub use backend::Backend;
pub use error::{Error, Problems};
pub use options::Options;
pub use rocpkg_model::{
    Files, Finding, Findings, Position, Propagation, Severity, SourceFile, Sources, Span,
};
pub use rocpkg_render::{Companion, FileTree, RelPath, TemplateError, TreeError};
pub use rocpkg_resolve::{Choice, Release, ReleaseError};
#[cfg(feature = "upstream")]
pub use rocpkg_upstream::tree::TreeError as SourceError;
pub use select::Stopped;
pub use stack::Stack;
pub use tree::Tree;

/// GPUs by the names that people use: products, chips and target IDs.
pub mod gpu {
    pub use rocpkg_targets::{Carrier, Found, NotFound, Why};
}

/// The newest releases in upstream's repositories.
#[cfg(feature = "upstream")]
pub mod latest {
    #[doc(hidden)]
    pub use crate::tagged::TrackedPackage;
    pub use crate::tagged::{Latest, TaggedRepository, TaggedSource};
}

/// The build order of packages, and the packages to build again after a change.
pub mod order {
    pub use crate::build_order::Order;
    pub use crate::needs::Need;
    pub use crate::rebuilds::Rebuild;
}

/// Moves of the model to another release, and the changes between two releases that users notice.
pub mod bump {
    pub use crate::changes::{Change, ChangeKind, Changes};
    #[cfg(feature = "checkout")]
    pub use crate::model_bump::{Bump, Bumped, BumpedPackage, ModelBump, ReviewItem, Risk};
    #[cfg(any(feature = "checkout", feature = "upstream"))]
    pub use crate::seen_tag::SeenTag;
}

/// The file and line of each fact, and the proof that GPU targets agree.
pub mod explain {
    pub use crate::check::{Checked, Proved};
    pub use crate::explained::{Explained, Fact};
    pub use rocpkg_resolve::{KnownHole, Packed, Unproved};
}

/// The sources and files that must be fetched, and their checksums.
pub mod checksums {
    pub use crate::checksum_request::ChecksumRequest;
    #[doc(hidden)]
    pub use crate::checksum_request::{ChecksumOf, ChecksumPlace, DeclaredSum};
    #[cfg(all(feature = "checkout", feature = "upstream"))]
    pub use crate::gathered::{Gathered, SumRow, SumSources, UnknownSum};
    #[cfg(feature = "upstream")]
    pub use rocpkg_upstream::{Failure, Limits, Policy, Sums};
}

/// The files that ship with this crate: profiles, templates and the schemas of profiles.
pub mod shipped {
    pub use crate::own::{profiles, templates};
}

/// Items that the other crates of rocpkg call. They are no part of the promise: they change without
/// notice.
#[doc(hidden)]
pub mod internal {
    pub use crate::licences::{Licences, Trouble};
    pub use crate::names::{Named, is_named};
    pub use crate::package_output::beside_each_other;
    #[cfg(feature = "serde")]
    pub use crate::schema::schema;
    #[cfg(all(feature = "checkout", feature = "upstream"))]
    pub mod probe {
        pub use crate::probe::{
            PatchFiles, Probe, Probed, ProbedStep, SourceProject, SourceTree, SourceTrees,
            TriedPatch,
        };
        pub use rocpkg_upstream::probe::{Fate, Misfit, Slack};
    }
    #[cfg(feature = "checkout")]
    pub use rocpkg_edit as edit;
    pub use rocpkg_model as model;
    pub use rocpkg_render as render;
    pub use rocpkg_resolve as resolve;
    pub use rocpkg_shell::ScopeFile;
    #[cfg(feature = "checkout")]
    pub use rocpkg_syntax as syntax;
    pub use rocpkg_targets as targets;
    #[cfg(feature = "upstream")]
    pub use rocpkg_upstream as upstream;
}
