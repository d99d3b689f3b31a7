//! Recipes are edited as their maintainers do it: what lies there stays, and only what differs between two renderings is carried over,
//! item by item.
//!
//! [`Reading::read`] reads a recipe into an [`Outline`]: its items with the place of each. [`carry()`] holds three of them
//! against each other. Nothing here knows a distribution; what its variables hold is told by [`Rules`].

mod bash;
mod carried;
mod carry;
mod changes;
mod edits;
mod find;
mod leaning;
mod lists;
mod manner;
mod nix;
mod outline;
mod place;
mod read;
mod review;
mod spec;
mod value;
mod variables;
mod words;
mod work;
mod written;
mod yaml;

pub use carried::{Carried, Left};
pub use carry::carry;
pub use outline::{Body, Form, Kind, Language, List, Node, Outline, Reading, Rules};
pub use review::{Difference, differences, take};
pub use value::Value;
