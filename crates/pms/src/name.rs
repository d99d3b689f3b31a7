//! Names: USE flags, categories, packages, slots and repositories (PMS chapter 3).

use std::fmt;
use std::str::FromStr;

use crate::error::{Quoted, SyntaxError};
use crate::version::split_version;

/// Returns true if the byte is a letter, a digit or `_`.
pub(crate) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Returns the offset of the first byte that is not allowed in a name, or `None` if all are
/// allowed. An empty text gives 0. `first` returns true for bytes that are allowed at the
/// beginning, `rest` for bytes that are allowed elsewhere.
fn bad_byte(text: &str, first: impl Fn(u8) -> bool, rest: impl Fn(u8) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    match bytes.first() {
        None => Some(0),
        Some(&byte) if !first(byte) => Some(0),
        Some(_) => bytes.iter().position(|&byte| !rest(byte)),
    }
}

fn check(
    what: &str,
    text: &str,
    first: impl Fn(u8) -> bool,
    rest: impl Fn(u8) -> bool,
) -> Result<(), SyntaxError> {
    match bad_byte(text, first, rest) {
        None => Ok(()),
        Some(_) if text.is_empty() => {
            Err(SyntaxError::new(0, 0, format_args!("expected a {what}")))
        }
        Some(at) => {
            let len = text
                .get(at..)
                .and_then(|tail| tail.chars().next())
                .map_or(1, char::len_utf8);
            Err(SyntaxError::new(
                at,
                len,
                format_args!("{} is not a {what}", Quoted(text)),
            ))
        }
    }
}

/// Checks a category name by PMS 3.1.1.
pub(crate) fn check_category(text: &str) -> Result<(), SyntaxError> {
    check("category name", text, is_word, |byte| {
        is_word(byte) || matches!(byte, b'+' | b'.' | b'-')
    })
}

/// Checks a package name by PMS 3.1.2. A name may not end in a hyphen and text in the form of a
/// version, because that text would be read as the version.
pub(crate) fn check_package(text: &str) -> Result<(), SyntaxError> {
    check("package name", text, is_word, |byte| {
        is_word(byte) || matches!(byte, b'+' | b'-')
    })?;
    if let Some((name, version)) = split_version(text) {
        let message = format_args!("the package name {} ends in a version", Quoted(text));
        return Err(SyntaxError::new(name.len() + 1, version.len(), message));
    }
    Ok(())
}

/// Checks a slot name by PMS 3.1.3.
pub(crate) fn check_slot(text: &str) -> Result<(), SyntaxError> {
    check("slot name", text, is_word, |byte| {
        is_word(byte) || matches!(byte, b'+' | b'.' | b'-')
    })
}

/// Checks a USE flag name by PMS 3.1.4.
pub(crate) fn check_flag(text: &str) -> Result<(), SyntaxError> {
    check(
        "USE flag name",
        text,
        |byte| byte.is_ascii_alphanumeric(),
        |byte| is_word(byte) || matches!(byte, b'+' | b'@' | b'-'),
    )
}

/// Checks a repository name by PMS 3.1.5.
pub(crate) fn check_repository(text: &str) -> Result<(), SyntaxError> {
    check("repository name", text, is_word, |byte| {
        is_word(byte) || byte == b'-'
    })
}

/// Checks a licence name by PMS 3.1.7. Words of RESTRICT and PROPERTIES must have the same
/// characters. `what` is the kind of the name, for the error.
pub(crate) fn check_token(what: &str, text: &str) -> Result<(), SyntaxError> {
    check(what, text, is_word, |byte| {
        is_word(byte) || matches!(byte, b'+' | b'.' | b'-')
    })
}

/// A valid USE flag name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Flag(Box<str>);

impl Flag {
    /// Makes a flag after checking the name by PMS 3.1.4.
    ///
    /// # Errors
    /// When `text` is no USE flag name.
    pub fn new(text: &str) -> Result<Self, SyntaxError> {
        check_flag(text).map(|()| Self(text.into()))
    }

    /// Makes a flag of a name that was checked already.
    pub(crate) fn from_checked(text: &str) -> Self {
        Self(text.into())
    }

    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for Flag {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::new(text)
    }
}

impl AsRef<str> for Flag {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl std::borrow::Borrow<str> for Flag {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// A package without a version: `category/package`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cpn {
    text: Box<str>,
    slash: usize,
}

impl Cpn {
    /// Makes a package name after checking both halves by PMS 3.1.1 and 3.1.2.
    ///
    /// # Errors
    /// When either name is not valid. The offset of the error counts from the beginning of
    /// `category/package`.
    pub fn new(category: &str, package: &str) -> Result<Self, SyntaxError> {
        check_category(category)?;
        check_package(package).map_err(|error| error.shift(category.len() + 1))?;
        Ok(Self {
            text: format!("{category}/{package}").into(),
            slash: category.len(),
        })
    }

    /// Makes a name whose two halves were checked already. `slash` is the offset of the slash in
    /// `text`.
    pub(crate) fn from_checked(text: &str, slash: usize) -> Self {
        Self {
            text: text.into(),
            slash,
        }
    }

    /// Returns the category, `sci-libs` in `sci-libs/rocBLAS`.
    pub fn category(&self) -> &str {
        self.text.get(..self.slash).unwrap_or_default()
    }

    /// Returns the package, `rocBLAS` in `sci-libs/rocBLAS`.
    pub fn package(&self) -> &str {
        self.text.get(self.slash + 1..).unwrap_or_default()
    }

    /// Returns category and package, joined by a slash.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Cpn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl FromStr for Cpn {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let Some((category, package)) = text.split_once('/') else {
            let message = format_args!("expected `category/package`, got {}", Quoted(text));
            return Err(SyntaxError::new(text.len(), 0, message));
        };
        Self::new(category, package)
    }
}
