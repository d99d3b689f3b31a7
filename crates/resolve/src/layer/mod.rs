//! What speaks of a package is laid over each other: upstream, component, habits, overlay, in each folder.

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
pub(crate) mod rules;
pub(crate) mod steps;
pub(crate) mod tree;
pub(crate) mod upstream;
