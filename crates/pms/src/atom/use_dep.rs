//! USE dependencies in brackets (PMS 8.3.4).

use std::fmt;
use std::str::FromStr;

use crate::error::{Quoted, SyntaxError};
use crate::name::{Flag, check_flag};

/// The condition that a USE dependency sets for a flag of the other package. "Here" is the package
/// that has the dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UseDepKind {
    /// `flag`: the flag must be on.
    Enabled,
    /// `-flag`: the flag must be off.
    Disabled,
    /// `flag?`: the flag must be on if it is on here.
    IfEnabled,
    /// `!flag?`: the flag must be off if it is off here.
    IfDisabled,
    /// `flag=`: the flag must be in the same state as here.
    Equal,
    /// `!flag=`: the flag must be on if it is off here, and off if it is on here.
    Opposite,
}

impl UseDepKind {
    const ALL: [Self; 6] = [
        Self::Enabled,
        Self::Disabled,
        Self::IfEnabled,
        Self::IfDisabled,
        Self::Equal,
        Self::Opposite,
    ];

    /// Returns the signs before and after the flag: `!` and `?` for `!flag?`.
    fn affixes(self) -> (&'static str, &'static str) {
        match self {
            Self::Enabled => ("", ""),
            Self::Disabled => ("-", ""),
            Self::IfEnabled => ("", "?"),
            Self::IfDisabled => ("!", "?"),
            Self::Equal => ("", "="),
            Self::Opposite => ("!", "="),
        }
    }

    /// Returns the state that the flag of the other package must have, or `None` if any state is
    /// allowed. `here` is the state of the flag in the package that has the dependency.
    pub fn wanted(self, here: bool) -> Option<bool> {
        match self {
            Self::Enabled => Some(true),
            Self::Disabled => Some(false),
            Self::IfEnabled => here.then_some(true),
            Self::IfDisabled => (!here).then_some(false),
            Self::Equal => Some(here),
            Self::Opposite => Some(!here),
        }
    }

    /// Returns true if the condition depends on a flag of the package that has the dependency.
    pub fn is_conditional(self) -> bool {
        !matches!(self, Self::Enabled | Self::Disabled)
    }
}

/// One entry between the brackets of an atom.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UseDep {
    /// The flag.
    pub flag: Flag,
    /// The condition for the flag.
    pub kind: UseDepKind,
    /// The default for a package without that flag: `(+)` counts as on, `(-)` as off.
    pub default: Option<bool>,
}

impl UseDep {
    /// Makes an entry without a default.
    pub fn new(flag: Flag, kind: UseDepKind) -> Self {
        Self {
            flag,
            kind,
            default: None,
        }
    }

    /// Returns the entry without its condition: `flag`, `-flag`, or `None` if any state of the flag
    /// is allowed. `here` is the state of the flag in the package that has the dependency.
    pub fn evaluate(&self, here: bool) -> Option<Self> {
        let kind = if self.kind.wanted(here)? {
            UseDepKind::Enabled
        } else {
            UseDepKind::Disabled
        };
        Some(Self {
            kind,
            ..self.clone()
        })
    }
}

impl fmt::Display for UseDep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = self.kind.affixes();
        let default = match self.default {
            None => "",
            Some(true) => "(+)",
            Some(false) => "(-)",
        };
        write!(f, "{before}{}{default}{after}", self.flag)
    }
}

impl FromStr for UseDep {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let before = ["!", "-"]
            .into_iter()
            .find(|sign| text.starts_with(sign))
            .unwrap_or_default();
        let after = ["?", "="]
            .into_iter()
            .find(|sign| text.ends_with(sign))
            .unwrap_or_default();
        let kind = UseDepKind::ALL
            .into_iter()
            .find(|kind| kind.affixes() == (before, after))
            .ok_or_else(|| {
                let message = format_args!(
                    "expected `flag`, `-flag`, `flag?`, `!flag?`, `flag=` or `!flag=`, got {}",
                    Quoted(text)
                );
                SyntaxError::new(0, text.len(), message)
            })?;
        let rest = text
            .strip_prefix(before)
            .and_then(|rest| rest.strip_suffix(after))
            .unwrap_or_default();
        let (name, default) = if let Some(name) = rest.strip_suffix("(+)") {
            (name, Some(true))
        } else if let Some(name) = rest.strip_suffix("(-)") {
            (name, Some(false))
        } else {
            (rest, None)
        };
        check_flag(name).map_err(|error| error.shift(before.len()))?;
        Ok(Self {
            flag: Flag::from_checked(name),
            kind,
            default,
        })
    }
}
