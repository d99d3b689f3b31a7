//! Recipes are edited as their maintainers do it: what lies there stays, and only what differs between two renderings is carried over,
//! item by item.
//!
//! [`bash::read`] reads a recipe into an [`Outline`]: its items with the place of each. [`carry()`] holds three of them
//! against each other. Nothing here knows a distribution; what its variables hold is told by [`bash::Rules`].

pub mod bash;
mod carry;
mod changes;
mod lists;
mod outline;
mod place;
mod spec;
mod words;

pub use carry::{Carried, Left, carry};
pub use lists::List;
pub use outline::{Body, Form, Kind, Language, Node, Outline, Value};
