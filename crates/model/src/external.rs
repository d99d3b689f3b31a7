//! `externals.yaml`: everything outside the model, one row a thing, one column a distribution.

use crate::decode::{Decode, Spanned};
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
}
