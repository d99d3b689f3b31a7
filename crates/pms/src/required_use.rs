//! `REQUIRED_USE` against a set of flags.

use std::fmt;

use crate::kinds::{FlagState, RequiredUse};
use crate::name::Flag;
use crate::spec::Node;

/// A `REQUIRED_USE` names a flag that the package does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownFlag(pub Flag);

impl fmt::Display for UnknownFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "USE flag `{}` is not in IUSE", self.0)
    }
}

impl std::error::Error for UnknownFlag {}

impl RequiredUse {
    /// All flags that are named, as conditions too, from left to right.
    pub fn flags(&self) -> Vec<&Flag> {
        let mut found = self.conditions();
        found.extend(self.leaves().into_iter().map(|leaf| &leaf.flag));
        found
    }

    /// Whether the flags that are on fulfil it.
    ///
    /// # Errors
    /// When a flag is named, anywhere, that `has` does not know. Portage refuses such a
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

    /// Whether the flags that are on fulfil it; every name is taken for a flag of the package.
    pub fn is_met(&self, is_on: impl Fn(&str) -> bool) -> bool {
        self.holds(&is_on, |leaf| leaf.is_met(&is_on))
    }

    /// The parts that are not fulfilled, as they are written. Empty if all is.
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
    /// Whether the flag is in the state asked for.
    pub fn is_met(&self, is_on: impl Fn(&str) -> bool) -> bool {
        is_on(self.flag.as_str()) == self.on
    }
}
