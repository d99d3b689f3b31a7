//! Variables of `USE_EXPAND`, such as `AMDGPU_TARGETS`: their USE flags, and the USE dependencies
//! that pass the state of these flags from a package to its dependencies.

use crate::{Coverage, Registry, RegistryError};
use rocpkg_pms::{
    Flag, FlagState, Iuse, Member, Node, RequiredUse, SyntaxError, UseDep, UseDepKind,
};

/// A variable of `USE_EXPAND` (PMS 5.2.4 and 11.1.1): each of its values is a USE flag whose name
/// begins with the variable's name in lower case.
///
/// ```
/// let targets = rocpkg_core::UseExpand::new("AMDGPU_TARGETS")?;
/// assert_eq!(targets.flag("gfx90a")?.as_str(), "amdgpu_targets_gfx90a");
/// assert_eq!(targets.value("amdgpu_targets_gfx90a"), Some("gfx90a"));
/// assert!(rocpkg_core::UseExpand::new("amdgpu_targets").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "String", into = "String"))]
pub struct UseExpand {
    variable: String,
    prefix: String,
}

/// The error that a text can't be the name of a variable of `USE_EXPAND`. The field is the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` can't be the name of a USE_EXPAND variable: expected capital letters, digits and `_`"
)]
pub struct UseExpandError(pub String);

/// The values of a `USE_EXPAND` variable for which a package has flags. A value in both lists is on
/// by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Offer {
    /// The values that are on by default.
    pub default: Vec<String>,
    /// The values that are off by default.
    pub offered: Vec<String>,
}

impl Offer {
    /// Makes an offer of the values `default`, whose flags are on by default, and of `offered`,
    /// whose flags are off by default.
    pub fn new(
        default: impl IntoIterator<Item = impl Into<String>>,
        offered: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Self {
            default: default.into_iter().map(Into::into).collect(),
            offered: offered.into_iter().map(Into::into).collect(),
        }
    }

    /// Returns all values, those that are on by default first. A value in both lists is returned
    /// twice.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        let all = self.default.iter().chain(&self.offered);
        all.map(String::as_str)
    }
}

impl TryFrom<String> for UseExpand {
    type Error = UseExpandError;

    fn try_from(variable: String) -> Result<Self, UseExpandError> {
        Self::new(&variable)
    }
}

impl From<UseExpand> for String {
    fn from(expand: UseExpand) -> Self {
        expand.variable
    }
}

impl UseExpand {
    /// Makes the variable with this name, such as `AMDGPU_TARGETS`.
    ///
    /// # Errors
    /// When the name contains other characters than capital letters, digits and `_`, begins with a
    /// digit or `_`, or ends with `_`.
    pub fn new(variable: &str) -> Result<Self, UseExpandError> {
        let is_part = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
        let is_name = variable.starts_with(|c: char| c.is_ascii_uppercase())
            && variable.chars().all(is_part)
            && !variable.ends_with('_');
        if !is_name {
            return Err(UseExpandError(variable.to_owned()));
        }
        Ok(Self {
            variable: variable.to_owned(),
            prefix: format!("{}_", variable.to_ascii_lowercase()),
        })
    }

    /// Returns the variable's name.
    pub fn variable(&self) -> &str {
        &self.variable
    }

    /// Returns the prefix of the variable's USE flags: `amdgpu_targets_` for `AMDGPU_TARGETS`.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the USE flag of a value: `gfx90a` gives `amdgpu_targets_gfx90a`.
    ///
    /// # Errors
    /// A value that can't be part of a flag's name.
    pub fn flag(&self, value: &str) -> Result<Flag, SyntaxError> {
        Flag::new(&format!("{}{value}", self.prefix))
    }

    /// Returns the value that a USE flag stands for, or `None` if the flag does not begin with the
    /// variable's prefix.
    pub fn value<'f>(&self, flag: &'f str) -> Option<&'f str> {
        flag.strip_prefix(&self.prefix)
    }

    /// Returns the values that have flags in `iuse`, a package's IUSE, in the order of IUSE.
    pub fn values<'m>(&'m self, iuse: &'m Iuse) -> impl Iterator<Item = &'m str> {
        iuse.defaults()
            .filter_map(|(flag, _)| self.value(flag.as_str()))
    }

    /// Returns the IUSE of a package with this offer. The flags that are on by default come first,
    /// and have a plus sign.
    ///
    /// # Errors
    /// A value that can't be part of a flag's name.
    pub fn iuse(&self, offer: &Offer) -> Result<Iuse, SyntaxError> {
        let mut iuse = Iuse::default();
        for value in &offer.default {
            iuse.insert(self.flag(value)?, Some(true));
        }
        for value in &offer.offered {
            let flag = self.flag(value)?;
            if !iuse.contains(flag.as_str()) {
                iuse.insert(flag, None);
            }
        }
        Ok(iuse)
    }

    /// Returns the targets that a package is built for. Each value of this variable in the
    /// package's IUSE is a target, and is built if its flag is on. No target is built always.
    ///
    /// # Errors
    /// A value that is no target of the registry.
    pub fn coverage(
        &self,
        package: &Member,
        registry: &Registry,
    ) -> Result<Coverage, RegistryError> {
        let follows = registry.set(self.values(&package.iuse))?;
        Ok(Coverage {
            follows,
            ..Coverage::default()
        })
    }

    /// Returns a `REQUIRED_USE` by which the flag of at least one value must be on (PMS 8.2.5): `a`
    /// and `b` give `|| ( amdgpu_targets_a amdgpu_targets_b )`. Without values, the `REQUIRED_USE`
    /// is empty.
    ///
    /// # Errors
    /// A value that can't be part of a flag's name.
    pub fn required_use<'v>(
        &self,
        values: impl IntoIterator<Item = &'v str>,
    ) -> Result<RequiredUse, SyntaxError> {
        let leaf = |value| {
            Ok(Node::Leaf(FlagState {
                flag: self.flag(value)?,
                on: true,
            }))
        };
        let leaves: Vec<_> = values.into_iter().map(leaf).collect::<Result<_, _>>()?;
        let any = (!leaves.is_empty()).then(|| Node::any(leaves));
        Ok(RequiredUse::new(any))
    }

    /// Returns the USE dependencies for the dependency of `from` on `to`, by which `to` must have
    /// the values of this variable that are on in `from`. They are `flag(-)?` (PMS 8.3.4) for each
    /// flag that both packages have. By `(-)`, a version of `to` without the flag counts as built
    /// without the value.
    pub fn propagate(&self, from: &Member, to: &Member) -> Vec<UseDep> {
        let shared = from.iuse.defaults().filter(|(flag, _)| {
            self.value(flag.as_str()).is_some() && to.iuse.contains(flag.as_str())
        });
        shared.map(|(flag, _)| handed_on(flag.clone())).collect()
    }

    /// Returns the USE dependency `flag(-)?` of each value, in the order of `values`: `gfx90a`
    /// gives `amdgpu_targets_gfx90a(-)?`.
    ///
    /// # Errors
    /// A value that can't be part of a flag's name.
    pub fn use_deps<'v>(
        &self,
        values: impl IntoIterator<Item = &'v str>,
    ) -> Result<Vec<UseDep>, SyntaxError> {
        let values = values.into_iter();
        values
            .map(|value| Ok(handed_on(self.flag(value)?)))
            .collect()
    }
}

/// Returns the USE dependency `flag(-)?`: the dependency must have the flag on if the package has
/// it on.
fn handed_on(flag: Flag) -> UseDep {
    UseDep {
        flag,
        default: Some(false),
        kind: UseDepKind::IfEnabled,
    }
}
