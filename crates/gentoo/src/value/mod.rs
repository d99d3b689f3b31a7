//! The typed recipe: made from code, read from text, and printed.

pub(crate) mod dep;
pub(crate) mod ebuild;
pub(crate) mod ebuild_file;
pub(crate) mod ebuild_setters;
pub(crate) mod eclass;
pub(crate) mod line;
pub(crate) mod manifest;
pub(crate) mod markup;
pub(crate) mod metadata;
pub(crate) mod open;
pub(crate) mod patterns;
pub(crate) mod print;
pub(crate) mod tokens;
pub(crate) mod variable_names;

use rocpkg_render::{Embedded, embedded};

/// The templates of this crate.
pub static TEMPLATES: Embedded = embedded!("gentoo":
    "categories.j2" "ebuild.j2" "eapi.j2" "eclass.j2" "eclass-tests.sh.j2" "layout.conf.j2" "metadata.xml.j2" "repo_name.j2"
    "target-globals.j2" "target-list.j2" "targets.desc.j2"
);
