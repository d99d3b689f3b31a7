//! Recipes are edited as their maintainers do it: what lies there stays, and only what differs
//! between two renderings is carried over, item by item.
//!
//! A [`rocpkg_syntax::Reading`] reads a recipe into an [`rocpkg_syntax::Outline`]: its items with
//! the place of each. [`carry()`] holds three of them against each other. Nothing here knows a
//! distribution; what its variables hold is told by [`rocpkg_syntax::Rules`].

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
