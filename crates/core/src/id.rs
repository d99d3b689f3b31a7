//! Target IDs: a target with the modes that its code states.

use crate::{Registry, Target};

/// The reason why a text is no target ID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
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

impl Registry {
    /// Returns the target of a target ID, such as `gfx90a:sramecc+:xnack-`. Features may come in
    /// either order, each once, and only where the target has the mode. The features of code make
    /// no other target of it.
    ///
    /// # Errors
    /// The first part that is wrong.
    pub fn parse_id(&self, text: &str) -> Result<Target, TargetIdError> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let target = self
            .get(name)
            .ok_or_else(|| TargetIdError::Target(name.to_owned()))?;
        let entry = self.entry(target);
        let mut stated = Vec::new();
        for part in parts {
            let (feature, able) = match part.strip_suffix(['+', '-']) {
                Some("sramecc") => ("sramecc", entry.sramecc),
                Some("xnack") => ("xnack", entry.xnack),
                _ => return Err(TargetIdError::Feature(part.to_owned())),
            };
            if !able {
                return Err(TargetIdError::Unable {
                    target: entry.name.clone(),
                    feature,
                });
            }
            if stated.contains(&feature) {
                return Err(TargetIdError::Twice(feature));
            }
            stated.push(feature);
        }
        Ok(target)
    }
}
