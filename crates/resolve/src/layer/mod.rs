//! What speaks of a package is laid over each other: upstream, component, habits, overlay, in each folder.

pub(crate) mod bare;
pub(crate) mod conditions;
pub(crate) mod habit_features;
pub(crate) mod habit_steps;
pub(crate) mod habits;
pub(crate) mod identity;
pub(crate) mod laid;
pub(crate) mod projects;
pub(crate) mod releases;
pub(crate) mod test_data;
pub(crate) mod tree;
pub(crate) mod upstream;
