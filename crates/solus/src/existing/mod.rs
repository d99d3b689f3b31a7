//! Recipes that exist in a checkout: rules for reading them, and what a rendered recipe keeps of
//! them.

#[cfg(feature = "checkout")]
pub(crate) mod counter;
pub(crate) mod reading;
