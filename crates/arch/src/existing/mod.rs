//! Recipes that exist in a checkout: rules for reading them, and what a rendered recipe keeps of
//! them.

#[cfg(feature = "checkout")]
pub(crate) mod pkgbuild;
#[cfg(feature = "checkout")]
pub(crate) mod ranges;
#[cfg(feature = "checkout")]
pub(crate) mod sums;
