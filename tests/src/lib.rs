//! The conformance harness: runs Portage, pkgcheck, makepkg and Nix over rendered trees, each in a scratch folder.
//!
//! A missing tool is a failure with the command that installs it, never a skipped test.
#![allow(
    clippy::disallowed_methods,
    reason = "the ban on running programs and on plain writes is for what rocpkg ships; this crate only tests it"
)]

mod arch;
mod copy;
mod gentoo;
mod nix;
mod tools;

pub use arch::{pkgbases, printsrcinfo};
pub use copy::copy_tree;
pub use gentoo::{ExternalPackage, Finding, GentooWorld, Level, Pretend, externals_of};
pub use nix::{NixTree, companion, nix_layout, nix_parse};
pub use tools::{portage_tool, portage_venv, system_tool};

use std::path::PathBuf;

/// A file or folder of this crate: a sample tree or a stand-in.
pub fn fixture(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}
