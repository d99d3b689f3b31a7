//! Unstable, no promise: this crate changes with each release of rocpkg;
//! the recipe types of the backends are promised.
//!
//! The common part of the backends that write bash: Gentoo, Arch and Solus. Nix' hooks use a part
//! of it. Steps, edits of flags and CMake arguments of the model are lowered to statements of bash.
//!
//! Lowering has two halves. [`operations`] divides an [`Action`](rocpkg_model::Action) into
//! elementary operations. [`lower`] turns these into bash, and calls a [`Dialect`] for all points
//! in which distributions differ.
//!
//! The library `rocpkg` calls all backends by [`Distribution`].

mod argument;
mod dialect;
mod distribution;
mod flags;
mod in_place;
mod lower;
mod names;
mod operation;
mod outside;
mod patches;
mod project;
mod references;
mod rename;
mod script;
mod sed;
mod setter;
mod sites;
mod targets;
mod usual;
mod word;

pub use argument::{environment, value, variables};
pub use dialect::{
    Condition, Dialect, Habits, InPlace, Inputs, Outputs, call, conditional, failing,
};
pub use distribution::{
    Commands, Distribution, Edition, Excluded, ExistingRecipes, Landmark, Layout, Preparation,
    RenderResult, ScopeFile, Start, TopRecipe, WrongSum,
};
pub use flags::{by_assignment, by_text, edits, flag_variables};
pub use in_place::in_place;
pub use lower::lower;
pub use names::{
    Name, Variables, assigned, check_name, check_steps, declared, is_of_bash, named_environment,
    named_steps, named_variables, names, taken,
};
pub use operation::{Arg, Call, Native, Operation, Place, Tool, batches, operations};
pub use outside::check_outside;
pub use patches::{below, beside, named, patch_file, patched, unapplied};
pub use project::{CmakeArgument, arguments, chosen, goals, is_for_tests, is_installed};
pub use references::{Fixed, References, Vocabulary, contents, inherited, reference};
pub use rename::Renaming;
pub use script::{apart, head};
pub use setter::{NewWord, Setter, changed};
pub use sites::Undecided;
pub use targets::{List, Passed, Targets, builds, listed, pass, pass_argument, recipes};
pub use usual::{
    config_file, git_cherry_pick, here_document, install_file, installed, licence, where_there,
};
pub use word::{glob, word};
