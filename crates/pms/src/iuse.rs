//! IUSE: the flags of a package and their defaults.

use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;

use crate::atom::UseState;
use crate::error::SyntaxError;
use crate::name::Flag;
use crate::spec::words;

/// The flags of a package in the order in which IUSE names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Iuse {
    flags: IndexMap<Flag, Option<bool>>,
}

impl Iuse {
    /// Adds a flag: `Some(true)` is `+flag`, `Some(false)` is `-flag`. If the flag exists already,
    /// its default is replaced.
    pub fn insert(&mut self, flag: Flag, default: Option<bool>) {
        self.flags.insert(flag, default);
    }

    /// Returns true if IUSE contains the flag.
    pub fn contains(&self, flag: &str) -> bool {
        self.flags.contains_key(flag)
    }

    /// Returns true if the flag is on by default. A flag without a sign is off.
    pub fn is_on_by_default(&self, flag: &str) -> bool {
        self.flags.get(flag).copied().flatten().unwrap_or(false)
    }

    /// Returns the flags in the order of IUSE, each with its default: true if it is on.
    pub fn defaults(&self) -> impl Iterator<Item = (&Flag, bool)> {
        self.flags
            .iter()
            .map(|(flag, default)| (flag, default.unwrap_or(false)))
    }

    /// Returns the position of a flag in IUSE, or `None` if IUSE does not contain the flag.
    pub(crate) fn index_of(&self, flag: &str) -> Option<usize> {
        self.flags.get_index_of(flag)
    }

    /// Returns the number of flags.
    pub fn len(&self) -> usize {
        self.flags.len()
    }

    /// Returns true if IUSE contains no flags.
    pub fn is_empty(&self) -> bool {
        self.flags.is_empty()
    }
}

/// The state of a package whose flags have their defaults.
impl UseState for Iuse {
    fn has(&self, flag: &str) -> bool {
        self.contains(flag)
    }

    fn is_on(&self, flag: &str) -> bool {
        self.is_on_by_default(flag)
    }
}

impl fmt::Display for Iuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (flag, default)) in self.flags.iter().enumerate() {
            let sign = match default {
                None => "",
                Some(true) => "+",
                Some(false) => "-",
            };
            write!(f, "{}{sign}{flag}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}

impl FromStr for Iuse {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let mut iuse = Self::default();
        for (at, word) in words(text) {
            let (name, default) = match word.bytes().next() {
                Some(b'+') => (word.get(1..).unwrap_or_default(), Some(true)),
                Some(b'-') => (word.get(1..).unwrap_or_default(), Some(false)),
                _ => (word, None),
            };
            let flag =
                Flag::new(name).map_err(|error| error.shift(at + word.len() - name.len()))?;
            iuse.insert(flag, default);
        }
        Ok(iuse)
    }
}
