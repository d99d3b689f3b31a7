//! Target IDs: a GPU target, followed by the modes that the code is built for, such as
//! `gfx90a:sramecc+:xnack-`.

use crate::{Registry, Target};

/// The reason why a text is not a target ID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetIdError {
    /// No target has this name.
    #[error("`{0}` is not a GPU target")]
    Target(String),
    /// A feature is neither `xnack` nor `sramecc`, or ends in neither `+` nor `-`.
    #[error("`{0}` is not a feature: expected xnack+, xnack-, sramecc+ or sramecc-")]
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
    /// Returns the target in a target ID: `gfx90a:sramecc+:xnack-` gives the target `gfx90a`. The
    /// features are checked, but are not part of the result. They may come in either order, each at
    /// most once, and only if the target has that mode.
    ///
    /// # Errors
    /// When the target or a feature is wrong. The error is about the first one that is.
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
