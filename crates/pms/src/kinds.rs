//! The variables of an ebuild whose values are trees, such as DEPEND and LICENSE: a type for the
//! leaves of each, and an alias for its tree.

use std::fmt;

use crate::atom::Atom;
use crate::error::{Quoted, SyntaxError};
use crate::name::{Flag, check_token};
use crate::spec::{Leaf, Spec};

/// The value of DEPEND, RDEPEND, BDEPEND, PDEPEND or IDEPEND.
pub type DepSpec = Spec<Atom>;
/// The value of `REQUIRED_USE`.
pub type RequiredUse = Spec<FlagState>;
/// The value of LICENSE.
pub type LicenseSpec = Spec<License>;
/// The value of `SRC_URI`.
pub type SrcUriSpec = Spec<SrcUri>;
/// The value of RESTRICT or PROPERTIES.
pub type RestrictSpec = Spec<Restriction>;

impl Leaf for Atom {
    const NAME: &'static str = "package dependency";
    const ANY_OF: bool = true;

    fn read(word: &str) -> Result<Self, SyntaxError> {
        word.parse()
    }
}

/// A leaf of `REQUIRED_USE`: `flag` or `!flag`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlagState {
    /// The flag.
    pub flag: Flag,
    /// The required state: `false` is `!flag`.
    pub on: bool,
}

impl FlagState {
    /// Makes `flag`.
    pub fn on(flag: Flag) -> Self {
        Self { flag, on: true }
    }

    /// Makes `!flag`.
    pub fn off(flag: Flag) -> Self {
        Self { flag, on: false }
    }
}

impl fmt::Display for FlagState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.on { "" } else { "!" }, self.flag)
    }
}

impl Leaf for FlagState {
    const NAME: &'static str = "USE flag";
    const ANY_OF: bool = true;
    const COUNTED: bool = true;
    const EMPTY_GROUPS: bool = true;

    fn read(word: &str) -> Result<Self, SyntaxError> {
        match word.strip_prefix('!') {
            Some(name) => Ok(Self::off(Flag::new(name).map_err(|error| error.shift(1))?)),
            None => Flag::new(word).map(Self::on),
        }
    }
}

/// Defines a type of leaf that is one plain word, such as the name of a licence.
macro_rules! word {
    ($(#[$doc:meta])+ $name:ident, $what:literal, any_of: $any_of:literal) => {
        $(#[$doc])+
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(Box<str>);

        impl $name {
            /// Makes the word after checking it by PMS 3.1.7.
            ///
            /// # Errors
            /// When the text contains a character that PMS 3.1.7 does not allow.
            pub fn new(text: &str) -> Result<Self, SyntaxError> {
                check_token($what, text).map(|()| Self(text.into()))
            }

            /// Returns the word as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl Leaf for $name {
            const NAME: &'static str = $what;
            const ANY_OF: bool = $any_of;

            fn read(word: &str) -> Result<Self, SyntaxError> {
                Self::new(word)
            }
        }
    };
}

word! {
    /// The name of a licence, which is its file's name in `licenses/`.
    License, "licence name", any_of: true
}
word! {
    /// A word of RESTRICT or PROPERTIES, such as `test` or `network-sandbox`.
    Restriction, "restriction", any_of: false
}

/// A leaf of `SRC_URI`: the URI of a file, and the name that the file is stored under if that name
/// is not the last part of the URI.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SrcUri {
    uri: Box<str>,
    name: Option<Box<str>>,
}

impl SrcUri {
    /// Makes a leaf of a URI or a bare file name. The URI may begin with `fetch+` or `mirror+`
    /// since EAPI 8.
    ///
    /// # Errors
    /// When the text is empty, contains white space or control characters, or is a word of the
    /// syntax.
    pub fn new(uri: &str) -> Result<Self, SyntaxError> {
        check_word("URI", uri)?;
        Ok(Self {
            uri: uri.into(),
            name: None,
        })
    }

    /// Returns the same URI, stored as `name`.
    ///
    /// # Errors
    /// When `name` is no plain file name.
    pub fn stored_as(mut self, name: &str) -> Result<Self, SyntaxError> {
        check_word("file name", name)?;
        if let Some(at) = name.find('/') {
            return Err(SyntaxError::new(at, 1, "a file name can't contain `/`"));
        }
        self.name = Some(name.into());
        Ok(self)
    }

    /// Returns the URI with its `fetch+` or `mirror+`.
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// Returns the name after the arrow, or `None` if the leaf has no arrow.
    pub fn rename(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the name of the file in DISTDIR: the name after the arrow, or else the last part of
    /// the URI.
    pub fn file_name(&self) -> &str {
        self.name
            .as_deref()
            .unwrap_or_else(|| self.uri.rsplit('/').next().unwrap_or_default())
    }
}

/// Checks that `text` can be one word of `SRC_URI`, and is not part of its syntax, such as `->`.
/// `what` is the kind of the word, for the error.
fn check_word(what: &str, text: &str) -> Result<(), SyntaxError> {
    if text.is_empty() {
        return Err(SyntaxError::new(0, 0, format_args!("expected a {what}")));
    }
    let bad = |c: char| c.is_control() || crate::spec::is_space(c);
    if let Some((at, c)) = text.char_indices().find(|(_, c)| bad(*c)) {
        let message = format_args!(
            "{} contains a character that is not allowed in a {what}",
            Quoted(text)
        );
        return Err(SyntaxError::new(at, c.len_utf8(), message));
    }
    if matches!(text, "(" | ")" | "||" | "^^" | "??" | "->") || text.ends_with('?') {
        return Err(SyntaxError::new(
            0,
            text.len(),
            format_args!("expected a {what}, got {}", Quoted(text)),
        ));
    }
    Ok(())
}

impl fmt::Display for SrcUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.uri)?;
        match &self.name {
            Some(name) => write!(f, " -> {name}"),
            None => Ok(()),
        }
    }
}

impl Leaf for SrcUri {
    const NAME: &'static str = "URI";
    const ANY_OF: bool = false;
    const ARROW: bool = true;

    fn read(word: &str) -> Result<Self, SyntaxError> {
        Self::new(word)
    }

    fn rename(self, word: &str) -> Result<Self, SyntaxError> {
        self.stored_as(word)
    }
}
