//! Folders of YAML become trees, each value with its place.

pub(crate) mod checksums;
pub(crate) mod files;
pub(crate) mod registry;
pub(crate) mod release;
pub(crate) mod texts;
