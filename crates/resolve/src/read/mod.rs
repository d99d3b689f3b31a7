//! Reading: folders of YAML become trees.
//!
//! The input is the texts of profile folders. The output is the tree of each file, in which every
//! scalar is kept as it is written, with its place. Files become trees first, and records later. So
//! a fact keeps its file and line through all layers (`rocpkg explain`), `7.10` stays text, and one
//! run reports every error. Serde stops at the first error, and loses places inside flattened
//! values.
//!
//! The limits for the contents of a profile are checked here only. Values that are wrong in any
//! place (a release, a checksum, the registry of GPU targets) are reported here as well. This stage
//! does not use layers.

pub(crate) mod checksums;
pub(crate) mod files;
pub(crate) mod registry;
pub(crate) mod release;
pub(crate) mod spellings;
pub(crate) mod texts;
