//! A tree becomes a package of a plan: versions, sources, edges, targets.

pub(crate) mod checksums;
pub(crate) mod compat;
pub(crate) mod package;
pub(crate) mod packages;
pub(crate) mod place;
pub(crate) mod planned;
pub(crate) mod settled;
pub(crate) mod sources;
pub(crate) mod taken_back;
