//! USE dependencies in brackets (PMS 8.3.4).

use std::fmt;
use std::str::FromStr;

use crate::error::{Quoted, SyntaxError};
use crate::name::{Flag, check_flag, is_flag_byte};

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
        Self { flag, kind, default: None }
    }

    /// The same with `(+)` or `(-)`.
    #[must_use]
    pub fn with_default(mut self, on: bool) -> Self {
        self.default = Some(on);
        self
    }

    /// What it asks once the flags of the depending package are known: `flag`, `-flag` or nothing.
    pub fn evaluate(&self, here: bool) -> Option<Self> {
        let kind = if self.kind.wanted(here)? { UseDepKind::Enabled } else { UseDepKind::Disabled };
        Some(Self { kind, ..self.clone() })
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

impl UseDep {
    /// Reads an entry at the start of a list and tells how long it is, in one pass over its bytes. `None` if what stands
    /// there is wrong, or is more than an entry.
    pub(super) fn scan(text: &str) -> Option<(Self, usize)> {
        let bytes = text.as_bytes();
        let (before, start) = match bytes.first()? {
            b'!' => (b'!', 1),
            b'-' => (b'-', 1),
            _ => (0, 0),
        };
        if !bytes.get(start)?.is_ascii_alphanumeric() {
            return None;
        }
        let rest = bytes.get(start..)?;
        let mut at = start + rest.iter().position(|&byte| !is_flag_byte(byte)).unwrap_or(rest.len());
        let flag = text.get(start..at)?;
        let default = match bytes.get(at..at + 3) {
            Some(b"(+)") => Some(true),
            Some(b"(-)") => Some(false),
            _ => None,
        };
        at += if default.is_some() { 3 } else { 0 };
        let after = match bytes.get(at) {
            Some(&sign @ (b'?' | b'=')) => sign,
            _ => 0,
        };
        at += usize::from(after != 0);
        let kind = match (before, after) {
            (0, 0) => UseDepKind::Enabled,
            (b'-', 0) => UseDepKind::Disabled,
            (0, b'?') => UseDepKind::IfEnabled,
            (b'!', b'?') => UseDepKind::IfDisabled,
            (0, b'=') => UseDepKind::Equal,
            (b'!', b'=') => UseDepKind::Opposite,
            _ => return None,
        };
        matches!(bytes.get(at), None | Some(b','))
            .then(|| (Self { flag: Flag::from_checked(flag), kind, default }, at))
    }
}

impl FromStr for UseDep {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let (before, rest) = match text.bytes().next() {
            Some(b'!') => (Some('!'), text.get(1..).unwrap_or_default()),
            Some(b'-') => (Some('-'), text.get(1..).unwrap_or_default()),
            _ => (None, text),
        };
        let (rest, after) = match rest.bytes().last() {
            Some(b'?') => (rest.get(..rest.len() - 1).unwrap_or_default(), Some('?')),
            Some(b'=') => (rest.get(..rest.len() - 1).unwrap_or_default(), Some('=')),
            _ => (rest, None),
        };
        let kind = match (before, after) {
            (None, None) => UseDepKind::Enabled,
            (Some('-'), None) => UseDepKind::Disabled,
            (None, Some('?')) => UseDepKind::IfEnabled,
            (Some('!'), Some('?')) => UseDepKind::IfDisabled,
            (None, Some('=')) => UseDepKind::Equal,
            (Some('!'), Some('=')) => UseDepKind::Opposite,
            _ => {
                let message = format_args!(
                    "{} is none of `flag`, `-flag`, `flag?`, `!flag?`, `flag=`, `!flag=`",
                    Quoted(text)
                );
                return Err(SyntaxError::new(0, text.len(), message));
            }
        };
        let (name, default) = if let Some(name) = rest.strip_suffix("(+)") {
            (name, Some(true))
        } else if let Some(name) = rest.strip_suffix("(-)") {
            (name, Some(false))
        } else {
            (rest, None)
        };
        check_flag(name).map_err(|error| error.shift(usize::from(before.is_some())))?;
        Ok(Self { flag: Flag::from_checked(name), kind, default })
    }
}
