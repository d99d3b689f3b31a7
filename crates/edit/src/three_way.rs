//! The three texts of a merge.

use rocpkg_syntax::Outline;

/// An existing recipe, and the two renderings whose differences are applied to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreeWay<'a> {
    /// The recipe that is edited. After the first round, it has the changes of the rounds before.
    pub(crate) existing: &'a Outline,
    pub(crate) before: &'a Outline,
    pub(crate) after: &'a Outline,
}
