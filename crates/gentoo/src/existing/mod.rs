//! Recipes that exist in a checkout: rules for reading them, and what a rendered recipe keeps of
//! them.

#[cfg(feature = "checkout")]
pub(crate) mod ebuild;
#[cfg(feature = "checkout")]
pub(crate) mod eclass;
#[cfg(feature = "checkout")]
pub(crate) mod metadata;
pub(crate) mod reading;
#[cfg(feature = "checkout")]
pub(crate) mod targets;
