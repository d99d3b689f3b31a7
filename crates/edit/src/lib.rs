//! Unstable, no promise: this crate changes with each release of rocpkg;
//! `EbuildFile::written_into` and `PkgbuildFile::written_into` are promised.
//!
//! Editing of recipes as their maintainers would do it. The existing text stays, and only the
//! differences between two renderings are applied, item by item.
//!
//! A [`rocpkg_syntax::Reading`] reads a recipe into an [`rocpkg_syntax::Outline`]: its items with
//! the place of each. [`merge3()`] compares three outlines: the existing recipe, the rendering at
//! the old release, and the rendering at the new one. Nothing in this crate depends on a
//! distribution: [`rocpkg_syntax::Rules`] states the meaning of a distribution's variables.

mod aligned;
mod changes;
mod dependent_changes;
mod edits;
mod find;
mod lists;
mod merge3;
mod merge_result;
mod order;
mod place;
mod ran;
mod remove;
mod review;
mod sed_words;
mod settle;
mod style;
mod three_way;
mod trial;
mod variables;
mod work;
mod written;

pub use changes::shown;
pub use merge_result::{ItemConflict, MergeResult};
pub use merge3::{merge3, merge3_text};

pub use remove::remove;
pub use review::{Difference, differences, spellings, take};
pub use settle::{Checks, item_of};
pub use trial::lacks;
