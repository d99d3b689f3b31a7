//! Tests of rocpkg as a whole, one file for each feature. `growth.rs` is a program of its own,
//! since it counts allocations.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "figures are for people to read, and a test that can't go on panics"
)]

mod built;
mod code;
mod consumers;
mod corpus;
mod edits;
mod errors;
mod flags_at_releases;
mod followers;
mod golden;
mod harness;

mod layers;
mod llvm;
mod moved;
mod one_mistake;
mod order;
mod other_stack;
mod other_words;
mod overlay;
mod package_use;
mod phases_by_bash;
mod phases_by_portage;
mod proof;
mod propagation;
mod read_back;
mod really_built;
mod recipes_by_ypkg;
mod repository_by_portage;
mod schema;
mod scope_by_nix;
mod scope_in_a_checkout;
mod siblings_by_python;
mod srcinfo_by_makepkg;
mod stack;
mod supported;
mod targets_by_bash;
mod targets_by_nix;
mod targets_by_portage;
mod use_at_releases;
mod values;
mod versions;
mod world;
