//! `externals.yaml`: everything outside the model, one row a thing, one column a distribution.

use crate::decode::{Decode, Spanned, record};
use crate::describe::{Book, Shape};
use crate::encode::{Encode, scalar};
use indexmap::IndexMap;

/// What stands in a column for a thing that the distribution never names.
const NONE: &str = "-";

/// What stands in a column for a thing that is needed there, and that nobody packages.
const MISSING: &str = "none";

/// A thing outside the model, in one distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum External {
    /// The distribution's name for it.
    Named(Spanned<String>),
    /// It needs no word there, or is of no use: a dependency on it is left out.
    None,
    /// Nobody packages it there: a dependency on it is a finding.
    Missing,
}

/// The rows by neutral name.
pub type Externals = IndexMap<String, ExternalRow>;

impl Decode for External {
    const EXPECTED: &'static str =
        "the distribution's name, `-` where it needs no word, or `none` where nobody packages it";
    fn decode(node: &crate::Node, findings: &mut crate::Findings) -> Option<Self> {
        let name = Spanned::<String>::decode(node, findings)?;
        Some(match name.value.as_str() {
            NONE => Self::None,
            MISSING => Self::Missing,
            _ => Self::Named(name),
        })
    }
    fn shape(_: &mut Book) -> Shape {
        Shape::Text("name, `-` or `none`")
    }
}

record! {
    /// A thing outside the model, by its neutral name: a column for each distribution. A column
    /// that is not there is not known, and a dependency on it is a finding. `-` is a thing that
    /// needs no word there, so that a dependency on it is left out; `none` is one that nobody
    /// packages, so that a dependency on it is a finding.
    pub struct ExternalRow {
        /// The atom in Gentoo, or `-`. `${SLOT}` is the slot of the release, `${LLVM_SLOT}` that of
        /// each LLVM that fits.
        gentoo: Option<External>,
        /// The package in Arch, or `-`.
        arch: Option<External>,
        /// The attribute in nixpkgs, or `-`.
        nixpkgs: Option<External>,
        /// The build dependency in Solus, such as `pkgconfig(gtest)`, or `-`.
        solus: Option<External>,
        /// The shared libraries of it, without `lib` and `.so`: by these, built files name what
        /// they need.
        libraries: Vec<Spanned<String>>,
    }
}

impl ExternalRow {
    /// The column of a distribution.
    pub fn get(&self, distro: &str) -> Option<&External> {
        match distro {
            "gentoo" => self.gentoo.as_ref(),
            "arch" => self.arch.as_ref(),
            "nixpkgs" => self.nixpkgs.as_ref(),
            "solus" => self.solus.as_ref(),
            _ => None,
        }
    }
}

impl Encode for External {
    fn encode(&self) -> Option<crate::Node> {
        Some(match self {
            Self::Named(name) => scalar(name, false),
            Self::None => scalar("-", false),
            Self::Missing => scalar("none", false),
        })
    }
}
