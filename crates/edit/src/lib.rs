//! Editing of recipes as their maintainers would do it. The existing text stays, and only the
//! differences between two renderings are applied, item by item.
//!
//! A [`rocpkg_syntax::Reading`] reads a recipe into an [`rocpkg_syntax::Outline`]: its items with
//! the place of each. [`carry()`] compares three of them. Nothing in this crate depends on a
//! distribution: [`rocpkg_syntax::Rules`] states the meaning of a distribution's variables.

mod carried;
mod carry;
mod changes;
mod edits;
mod find;
mod leaning;
mod manner;
mod order;
mod place;
mod review;
mod settle;
mod variables;
mod work;
mod written;

pub use carried::{Carried, Left};
pub use carry::{carry, carry_text};
pub use changes::shown;

pub use review::{Difference, differences, spellings, take};
pub use settle::{Checks, item_of};
