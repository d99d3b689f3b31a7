//! The typed recipe: made from code, read from text, and printed.

pub(crate) mod evaluate;
pub(crate) mod ir;
pub(crate) mod pkgbuild;
pub(crate) mod pkgbuild_file;
pub(crate) mod print;
pub(crate) mod srcinfo;
pub(crate) mod unread;
pub(crate) mod versions;

use rocpkg_render::{Embedded, embedded};

/// The templates of this crate.
pub static TEMPLATES: Embedded =
    embedded!("arch": "0BSD.txt.j2" "PKGBUILD.j2" "REUSE.toml.j2" "nvchecker.toml.j2");
