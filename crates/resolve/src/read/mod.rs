//! Reading: folders of YAML become trees.
//!
//! It takes the texts of profile folders, and gives the tree of each file, in which every scalar is
//! kept as it is written, with its place. A tree first, then records: so a fact keeps its file and
//! line through all layers (`rocpkg explain`), `7.10` stays text, and one run reports every fault.
//! Serde stops at the first, and loses places inside flattened values.
//!
//! What a profile may hold is limited here, once. Shapes that are wrong wherever they stand (a
//! release, a checksum, the registry of GPU targets) are told here as well. Nothing here knows a
//! layer.

pub(crate) mod checksums;
pub(crate) mod files;
pub(crate) mod registry;
pub(crate) mod release;
pub(crate) mod spellings;
pub(crate) mod texts;
