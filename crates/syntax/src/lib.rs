//! Unstable, no promise: this crate changes with each release of rocpkg;
//! the recipe types of the backends are promised.
//!
//! One reader for each language that recipes are written in: bash, Nix and YAML.
//!
//! [`Reading::read`] reads a recipe into an [`Outline`]: its items, each with its bytes in the
//! text. This crate has no rule of a distribution: [`Rules`] state which variable holds which kind
//! of list. `outline.rs` is the file to read next.

mod bash;
mod checked;
mod evaluated;
#[cfg(feature = "nix")]
mod final_attributes;
pub mod glob;
mod listing;
mod lists;
mod local;
mod memo;
#[cfg(feature = "nix")]
pub mod nix;
mod outline;
mod read;
mod script;
mod spec;
mod tolerated;
pub mod tree;
mod unreadable;
mod value;
mod variables;
mod versions;
#[cfg(feature = "nix")]
mod with;
pub mod words;
mod yaml;

pub use bash::quotes;
pub use checked::{Checked, Fault, Missing, Surroundings, Unchecked};
pub use evaluated::{Evaluated, RunCommand, Values, agreed, is_part_of};
pub use listing::{ListedFunction, ListedSet, Listing, Position};
pub use lists::{fetched, repository};
pub use local::LocalFile;
pub use memo::Memo;
pub use outline::{Body, Form, ItemKind, Language, List, Node, Outline, Reading, Rules, place};
pub use script::{Call, Function, Scope, Script, Set, SetKind, Use};
pub use unreadable::{MOST_BYTES, MOST_LEVELS, Reason, Unreadable};
pub use value::NormalText;
pub use versions::other_version;
