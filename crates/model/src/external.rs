//! The records of `externals.yaml`: dependencies outside the model, with a row for each dependency
//! and a column for each distribution.

use crate::decode::{Decode, Spanned, record};
use crate::describe::{Book, Shape};
use indexmap::IndexMap;

/// The value of a column for a dependency that recipes of the distribution need not name.
const NONE: &str = "-";

/// The value of a column for a dependency that is needed in the distribution and that nobody
/// packages.
const MISSING: &str = "none";

/// A dependency outside the model, in one distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum External {
    /// The distribution's name for the dependency.
    Named(Spanned<String>),
    /// Recipes of the distribution need not name the dependency (`-`): it is always installed, or
    /// has no use. It is left out of recipes.
    None,
    /// Nobody packages the dependency in this distribution (`none`). Each use of the dependency is
    /// a finding.
    Missing,
}

/// The rows of `externals.yaml`, by neutral name.
pub type Externals = IndexMap<String, ExternalRow>;

impl Decode for External {
    const EXPECTED: &'static str =
        "a name, `-` if recipes need no dependency, or `none` if nobody packages it";
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
    /// A dependency outside the model, with a key for each distribution. If the key is absent, the
    /// distribution's name for the dependency is not known, and each use is a finding. `-` means
    /// that recipes need not name the dependency, so it is left out of them. `none` means that
    /// nobody packages the dependency in this distribution, so each use is a finding.
    pub struct ExternalRow {
        /// The atom in Gentoo, such as `dev-cpp/gtest`, or `-` or `none`. `${SLOT}` is the slot of
        /// the release, and `${LLVM_SLOT}` is the slot of each LLVM version that fits.
        gentoo: Option<External>,
        /// The package in Arch, or `-` or `none`.
        arch: Option<External>,
        /// The attribute in nixpkgs, or `-` or `none`.
        nixpkgs: Option<External>,
        /// The build dependency in Solus, such as `pkgconfig(gtest)`, or `-` or `none`.
        solus: Option<External>,
        /// The shared libraries of the dependency, without `lib` and `.so`, such as `numa`. Built
        /// files refer to the libraries that they need by these names.
        libraries: Vec<Spanned<String>>,
    }
}

impl ExternalRow {
    /// Returns the value for a distribution, by the name of its profile. Returns `None` if the key
    /// is absent or the distribution is none of the four.
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
