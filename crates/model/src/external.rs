//! `externals.yaml`: everything outside the model, one row a thing, one column a distribution.

use crate::decode::{Decode, Spanned};
use crate::describe::{Book, Declared, Record, Shape};
use indexmap::IndexMap;

/// What stands in a column for a thing that the distribution has none of, or never names.
const NONE: &str = "-";

/// A thing outside the model, in one distribution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum External {
    /// The distribution's name for it.
    Named(Spanned<String>),
    /// The distribution has none, or it is there without being named: a dependency on it is left out.
    None,
}

/// The rows by neutral name; each column is a distribution's.
pub type Externals = IndexMap<String, IndexMap<String, External>>;

impl Decode for External {
    const EXPECTED: &'static str = "the distribution's name, or `-` where it has none";
    fn decode(node: &crate::Node, findings: &mut crate::Findings) -> Option<Self> {
        let name = Spanned::<String>::decode(node, findings)?;
        Some(if name.value == NONE { Self::None } else { Self::Named(name) })
    }
    fn shape(_: &mut Book) -> Shape {
        Shape::Text("name, or `-`")
    }
}

/// A row: it is read as a mapping, and its columns are known all the same.
pub(crate) const ROW: Record = Record {
    name: "ExternalRow",
    doc: "A thing outside the model, by its neutral name: a column for each distribution. A column that is not \
          there is not known, and a dependency on it is a finding.",
    fields: &[
        Declared::optional::<External>(
            "gentoo",
            "The atom in Gentoo, or `-`. `${SLOT}` is the slot of the release, `${LLVM_SLOT}` that of each LLVM that fits.",
        ),
        Declared::optional::<External>("arch", "The package in Arch, or `-`."),
        Declared::optional::<External>("nixpkgs", "The attribute in nixpkgs, or `-`."),
        Declared::optional::<External>(
            "solus",
            "The build dependency in Solus, such as `pkgconfig(gtest)`, or `-`.",
        ),
    ],
    words: &[],
    forms: &[],
};
