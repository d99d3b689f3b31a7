//! Folders of YAML become trees, each value with its place.

pub(crate) mod load;
pub(crate) mod names;
pub(crate) mod parsing;
pub(crate) mod registry;
pub(crate) mod release;
