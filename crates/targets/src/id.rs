//! Target IDs: a target and the modes that its code states.

use crate::{Registry, Target};

/// Whether code or a GPU states a mode, and which. Ordered as printed text is: nothing, `+`, `-`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Not stated: the code runs in either mode.
    #[default]
    Any,
    /// `+`.
    On,
    /// `-`.
    Off,
}

/// A target with its modes, such as `gfx90a:sramecc+:xnack-`. Grammar and order of the features: clang's target ID.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetId {
    /// The target.
    pub target: Target,
    /// The sramecc mode.
    pub sramecc: Feature,
    /// The xnack mode.
    pub xnack: Feature,
}

/// Why a text is no target ID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetIdError {
    /// No target has this name.
    #[error("`{0}` is no GPU target")]
    Target(String),
    /// A feature is neither `xnack` nor `sramecc`, or ends in neither `+` nor `-`.
    #[error("`{0}` is no feature: expected xnack+, xnack-, sramecc+ or sramecc-")]
    Feature(String),
    /// The target doesn't have the feature.
    #[error("`{target}` has no {feature} mode")]
    Unable {
        /// The target.
        target: String,
        /// The feature.
        feature: &'static str,
    },
    /// A feature is stated twice.
    #[error("{0} is stated twice")]
    Twice(&'static str),
}

impl TargetId {
    /// The target with no mode stated.
    pub fn plain(target: Target) -> Self {
        Self { target, sramecc: Feature::Any, xnack: Feature::Any }
    }
}

impl Registry {
    /// Reads a target ID. Features may come in either order, each once, and only where the target has the mode.
    ///
    /// # Errors
    ///
    /// The first part that is wrong.
    pub fn parse_id(&self, text: &str) -> Result<TargetId, TargetIdError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let target = self.get(name).ok_or_else(|| TargetIdError::Target(name.to_owned()))?;
        let mut id = TargetId::plain(target);
        for part in parts {
            let bad = || TargetIdError::Feature(part.to_owned());
            let (name, mode) = match part.strip_suffix('+') {
                Some(name) => (name, Feature::On),
                None => (part.strip_suffix('-').ok_or_else(bad)?, Feature::Off),
            };
            let entry = self.entry(target);
            let (feature, able, slot) = match name {
                "sramecc" => ("sramecc", entry.sramecc, &mut id.sramecc),
                "xnack" => ("xnack", entry.xnack, &mut id.xnack),
                _ => return Err(bad()),
            };
            if !able {
                return Err(TargetIdError::Unable { target: entry.name.clone(), feature });
            }
            if *slot != Feature::Any {
                return Err(TargetIdError::Twice(feature));
            }
            *slot = mode;
        }
        Ok(id)
    }
}
