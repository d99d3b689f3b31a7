//! USE dependencies in brackets (PMS 8.3.4).

use std::fmt;
use std::str::FromStr;

use crate::error::{Quoted, SyntaxError};
use crate::name::{Flag, check_flag};

/// What a USE dependency asks of the flag of the other package.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UseDepKind {
    /// `flag`: on.
    Enabled,
    /// `-flag`: off.
    Disabled,
    /// `flag?`: on if it is on here.
    IfEnabled,
    /// `!flag?`: off if it is off here.
    IfDisabled,
    /// `flag=`: as it is here.
    Equal,
    /// `!flag=`: the opposite of what it is here.
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

    /// The signs before and after the flag.
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

    /// What is asked once the flag here is known: on, off, or nothing.
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

    /// Whether what is asked depends on a flag of the package that has the dependency.
    pub fn is_conditional(self) -> bool {
        !matches!(self, Self::Enabled | Self::Disabled)
    }
}

/// One entry between the brackets of an atom.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UseDep {
    /// The flag.
    pub flag: Flag,
    /// What is asked of it.
    pub kind: UseDepKind,
    /// How a package without that flag counts: `(+)` as if it were on, `(-)` as if it were off.
    pub default: Option<bool>,
}

impl UseDep {
    /// An entry without a default.
    pub fn new(flag: Flag, kind: UseDepKind) -> Self {
        Self {
            flag,
            kind,
            default: None,
        }
    }

    /// What it asks once the flags of the depending package are known: `flag`, `-flag` or nothing.
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
                    "{} is none of `flag`, `-flag`, `flag?`, `!flag?`, `flag=`, `!flag=`",
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
