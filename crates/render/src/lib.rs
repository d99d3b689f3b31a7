//! Unstable, no promise: this crate changes with each release of rocpkg;
//! `rocpkg` is the promised way to it.
//!
//! Prints typed values as text and files: bash, strings of Nix, YAML, templates, a tree of files in
//! memory, and the writer of that tree.

#[doc(inline)]
pub use rocpkg_bash as bash;
pub mod nix;
mod rendered;
pub mod splice;
mod template;
mod tree;
mod unprintable;
#[cfg(feature = "write")]
mod writer;
pub mod yaml;

pub use minijinja;
pub use rendered::{Companion, Listing, Pinned, Rendered, Sum};
pub use template::{Embedded, TemplateError, Templates, escape_toml, escape_xml, ready};
pub use tree::{FileTree, RelPath, TreeError};
pub use unprintable::{Refused, Unprintable};
#[cfg(feature = "write")]
pub use writer::{
    Before, Difference, DifferenceKind, MANIFEST, Manifest, Report, WriteError, WriteOptions,
    check, git_id, read, read_text, write, write_through,
};
