//! Evaluation of `REQUIRED_USE` for a set of flags.

use std::fmt;

use crate::kinds::{FlagState, RequiredUse};
use crate::name::Flag;
use crate::spec::Node;

/// The error that a `REQUIRED_USE` names a flag that the package does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFlag(pub Flag);

impl fmt::Display for UnknownFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "USE flag `{}` is not in IUSE", self.0)
    }
}

impl std::error::Error for UnknownFlag {}

impl RequiredUse {
    /// Returns all flags that the `REQUIRED_USE` names. The flags of conditionals come first, then
    /// the leaves, each from left to right.
    pub fn flags(&self) -> Vec<&Flag> {
        let mut found = self.conditions();
        found.extend(self.leaves().into_iter().map(|leaf| &leaf.flag));
        found
    }

    /// Returns true if the `REQUIRED_USE` is fulfilled. `is_on` returns true for each flag that is
    /// on, and `has` for each flag that the package has.
    ///
    /// # Errors
    /// When any named flag is one for which `has` returns false. Portage refuses such a
    /// `REQUIRED_USE` even if the flag makes no difference.
    pub fn check(
        &self,
        is_on: impl Fn(&str) -> bool,
        has: impl Fn(&str) -> bool,
    ) -> Result<bool, UnknownFlag> {
        match self.flags().into_iter().find(|flag| !has(flag.as_str())) {
            Some(flag) => Err(UnknownFlag(flag.clone())),
            None => Ok(self.is_met(is_on)),
        }
    }

    /// Returns true if the `REQUIRED_USE` is fulfilled. `is_on` returns true for each flag that is
    /// on. In contrast to [`RequiredUse::check`], a flag that the package does not have is no
    /// error.
    pub fn is_met(&self, is_on: impl Fn(&str) -> bool) -> bool {
        self.holds(&is_on, |leaf| leaf.is_met(&is_on))
    }

    /// Returns the parts that are not fulfilled, unchanged. The result is empty if all parts are
    /// fulfilled. `is_on` returns true for each flag that is on.
    #[must_use]
    pub fn unmet(&self, is_on: impl Fn(&str) -> bool) -> Self {
        let fails = |node: &&Node<FlagState>| {
            node.outcome(&is_on, &mut |l| l.is_met(&is_on)) == Some(false)
        };
        Self {
            nodes: self.nodes.iter().filter(fails).cloned().collect(),
        }
    }
}

impl FlagState {
    /// Returns true if the flag is in the required state.
    pub fn is_met(&self, is_on: impl Fn(&str) -> bool) -> bool {
        is_on(self.flag.as_str()) == self.on
    }
}
