//! Layering: all that speaks of a package becomes one tree.
//!
//! It takes the trees of all folders, and gives for each package what upstream does everywhere
//! (`upstream.yaml`), its component, what the distribution's habits make of it, and its overlay,
//! laid over each other in this order; each in as many folders as are given. What is true of
//! upstream stands in the component, whichever distribution found it out; a habit stands once in
//! the distribution's file; an overlay holds what is left.
//!
//! One set of rules lays them (`laid.rs`, `identity.rs`): mappings merge by key, lists whose
//! elements have an identity merge by it, `~` removes, and of an argument's `value`, `feature` and
//! `choose` the highest layer's takes the place of the others. What a layer was laid over stays
//! known (`History`). A component and the rules of a release are made once, and kept
//! (`package.rs`).
//!
//! Conditions over the release are answered in each layer before it is laid (`conditions.rs`). A
//! release is a range everywhere. All maps are ordered, and nothing asks for a clock or a locale:
//! planning twice gives the same.

pub(crate) mod components;
pub(crate) mod conditions;
pub(crate) mod features;
pub(crate) mod habits;
pub(crate) mod identity;
pub(crate) mod laid;
pub(crate) mod model;
pub(crate) mod options;
pub(crate) mod overlays;
pub(crate) mod package;
pub(crate) mod read_at;
pub(crate) mod rules;
pub(crate) mod steps;
pub(crate) mod tree;
pub(crate) mod upstream;
