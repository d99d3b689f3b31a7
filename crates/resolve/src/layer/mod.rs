//! Layering: all facts about a package are merged into one tree.
//!
//! The input is the trees of all folders. A package is merged from these layers, the lowest first:
//! upstream's conventions (`upstream.yaml`), the component, the keys that the distribution's habits
//! give to the package, and the package's overlay. Each layer can come from several folders. Facts
//! about upstream belong in the component, whichever distribution found them. A habit belongs in
//! the distribution's file. An overlay contains the rest.
//!
//! All layers merge by the same rules (`merged.rs`, `identity.rs`). Mappings merge by key. Lists
//! whose elements have an identity merge by that identity. `~` removes. An argument has one of
//! `value`, `feature` and `choose`, so that of the highest layer replaces the others. `History`
//! contains the values that a layer was merged over. A component and the rules of a release are
//! merged once and cached (`package.rs`).
//!
//! Conditions over the release are answered in each layer before it is merged (`conditions.rs`). A
//! profile always states releases as a range. All maps are ordered, and no code reads a clock or a
//! locale, so planning twice gives the same result.

pub(crate) mod checked_at;
pub(crate) mod components;
pub(crate) mod conditions;
pub(crate) mod features;
pub(crate) mod habits;
pub(crate) mod identity;
pub(crate) mod merged;
pub(crate) mod model;
pub(crate) mod options;
pub(crate) mod overlays;
pub(crate) mod package;
pub(crate) mod rules;
pub(crate) mod steps;
pub(crate) mod tree;
pub(crate) mod upstream;
