//! The core of rocpkg: GPU targets, `USE_EXPAND`, `REQUIRED_USE`, the propagation of USE
//! dependencies, and the proof that targets agree over dependency edges.
//!
//! The crate depends on Gentoo's dependency language ([`rocpkg_pms`]) alone: it reads no files and
//! contains no model and no distribution. A [`Registry`] contains GPU targets, which are added by
//! code. A [`TargetSet`] is a set of its targets, of any size. A [`UseExpand`] is a variable such
//! as `AMDGPU_TARGETS`, each of whose values has a USE flag. A [`Coverage`] is the targets that a
//! package is built for, as a function of the user's choice.
//!
//! Look first at these four. `README.md` of the crate lists the limitations.
//!
//! Three packages, of which one can't be built for every GPU:
//!
//! ```
//! use rocpkg_core::{Offer, Registry, UseExpand};
//! use rocpkg_pms::{Atom, Cpv, DepSpec, Flag, Member, Node, Problem, Wish};
//!
//! let gpus = UseExpand::new("AMDGPU_TARGETS")?;
//! let offer = Offer::new(["gfx90a"], ["gfx1030"]);
//! let package = |name: &str, offer: &Offer| -> Result<Member, rocpkg_pms::SyntaxError> {
//!     Ok(Member::new(name.parse::<Cpv>()?, gpus.iuse(offer)?))
//! };
//! let mut torch = package("sci-ml/torch-2", &offer)?;
//! let mut blas = package("sci-libs/blas-1", &offer)?;
//! let lt = package("sci-libs/lt-1", &Offer::new(["gfx90a"], [""; 0]))?;
//!
//! // The derived USE dependencies: torch asks of blas what is chosen for torch.
//! let flags = gpus.propagate(&torch, &blas);
//! let atom = Atom::new(blas.package.cpv.cpn.clone()).with_use_deps(flags)?;
//! let expected = "sci-libs/blas[amdgpu_targets_gfx90a(-)?,amdgpu_targets_gfx1030(-)?]";
//! assert_eq!(atom.to_string(), expected);
//! torch.depends = DepSpec::new([Node::Leaf(atom)]);
//!
//! // The proof: lt is not built for what blas can be built for.
//! let registry = Registry::builder().processors(offer.all()).build()?;
//! let [of_blas, of_lt] = [&blas, &lt].map(|package| gpus.coverage(package, &registry));
//! let hole = of_blas?.not_built_by(&of_lt?, &registry.all());
//! assert_eq!(registry.show(&hole), "gfx1030");
//!
//! // The fewest flags: who wants gfx1030 of torch sets it for torch and for blas.
//! blas.required_use = gpus.required_use(offer.all())?;
//! let flag = gpus.flag("gfx1030")?;
//! let wanted = vec![torch.package.cpv.cpn.clone()];
//! let wish = Wish { package: wanted[0].clone(), flag, on: true };
//! let problem = Problem { members: vec![lt, blas, torch], wanted, wishes: vec![wish] };
//! let solution = problem.solve().expect("a consistent choice");
//! assert_eq!(solution.changes.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The solver reads flags and dependencies alone. It reads no coverages, so it does not report that
//! `lt` is not built for a target of `blas`. [`holes`] proves many edges at once.

mod coverage;
mod expand;
mod id;
mod loads;
mod registry;
mod target;

pub use coverage::{Coverage, Hole, Lacking, Listed, NoCoverage, holes};
pub use expand::{Offer, UseExpand, UseExpandError};
pub use id::TargetIdError;
pub use loads::Via;
pub use registry::{Builder, Entry, Registry, RegistryError, TargetKind};
pub use target::{Target, TargetSet};
