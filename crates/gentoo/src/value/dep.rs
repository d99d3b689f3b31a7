//! The leaves of dependency variables and of `REQUIRED_USE` in an ebuild. They extend the leaves of
//! `rocpkg_pms` by variables of eclasses.

use crate::value::open::Call;
use rocpkg_pms::{Atom, DepSpec, FlagState, Leaf, RequiredUse, Spec, SyntaxError};
use rocpkg_render::bash::is_identifier;
use std::fmt;
use std::ops::Deref;

/// The dependency variables of PMS 8.1. Each one is complete; references from one to another are
/// made when they are printed.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Dependencies {
    pub(crate) run: Spec<Dep>,
    pub(crate) build: Spec<Dep>,
    pub(crate) tool: Spec<Dep>,
    pub(crate) install: Spec<Dep>,
    pub(crate) post: Spec<Dep>,
    /// Comments on single dependencies. Each is a pair of the variable above which the comment is
    /// printed, and the comment.
    pub(crate) notes: Vec<(&'static str, String)>,
}

impl Dependencies {
    /// Returns true if a dependency contains the text `variable`.
    pub(crate) fn mention(&self, variable: &str) -> bool {
        let all = [
            &self.run,
            &self.build,
            &self.tool,
            &self.install,
            &self.post,
        ];
        all.iter()
            .flat_map(|spec| spec.leaves())
            .any(|dep| dep.to_string().contains(variable))
    }
}

/// A text of an ebuild that this crate has parsed or printed itself, such as an atom with its
/// variables. Other crates can't make a value of this type, so a dependency never brings code into
/// an ebuild.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written(String);

impl Written {
    /// Keeps a text that a parser has accepted, or that was printed from typed values.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

impl Deref for Written {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A leaf of a dependency variable. `"dev-util/hip:= ~sci-libs/rocBLAS-${PV}
/// ${PYTHON_DEPS}".parse()` reads a tree of them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Dep {
    /// An atom: its value after variables are expanded, and its text with the variables.
    Atom(Box<Atom>, Written),
    /// An atom with variables whose values are known only when the ebuild runs.
    Open(Written),
    /// A variable that an eclass sets, such as `${PYTHON_DEPS}`: its name.
    Expansion(Written),
    /// Dependencies that a function of an eclass repeats for each version of LLVM or Python.
    Call(Box<Call>),
}

impl Dep {
    /// Converts a specification of plain atoms, which contains no variable, to a specification with
    /// leaves of this type.
    ///
    /// ```
    /// use rocpkg_gentoo::Dep;
    ///
    /// let depends: rocpkg_pms::DepSpec = "hip? ( dev-util/hip:= )".parse()?;
    /// assert_eq!(Dep::spec(&depends).to_string(), depends.to_string());
    /// # Ok::<(), rocpkg_pms::SyntaxError>(())
    /// ```
    pub fn spec(depends: &DepSpec) -> Spec<Self> {
        depends.map(|atom| Self::from(atom.clone()))
    }
}

impl From<Atom> for Dep {
    fn from(atom: Atom) -> Self {
        let text = atom.to_string();
        Self::Atom(Box::new(atom), Written(text))
    }
}

/// Returns `NAME` if a word is the single reference `${NAME}`, else `None`.
fn reference(word: &str) -> Option<&str> {
    word.strip_prefix("${")?
        .strip_suffix('}')
        .filter(|name| is_identifier(name))
}

/// Replaces each reference in a word by a plain text, so that the word can be parsed as an atom:
/// `~sci-libs/rocBLAS-${PV}` → `~sci-libs/rocBLAS-1`. Returns `None` if the word has no reference,
/// or one that is not of the form `${NAME}`.
fn closed(word: &str) -> Option<String> {
    let (mut out, mut rest) = (String::new(), word);
    let has_version = word
        .trim_start_matches('!')
        .starts_with(['<', '>', '=', '~']);
    while let Some((head, tail)) = rest.split_once("${") {
        let (name, behind) = tail
            .split_once('}')
            .filter(|(name, _)| is_identifier(name))?;
        // A reference behind `[` or `,` is a list of flags. Elsewhere it may be a version.
        let is_flags = head.ends_with(['[', ',']);
        out += head;
        out += match name {
            _ if is_flags || !has_version => "x",
            "P" | "PF" => "x-1",
            _ => "1",
        };
        rest = behind;
    }
    (!out.is_empty()).then(|| out + rest)
}

impl Leaf for Dep {
    const NAME: &'static str = "package dependency";
    const ANY_OF: bool = true;

    fn read(word: &str) -> Result<Self, SyntaxError> {
        if let Some(name) = reference(word) {
            return Ok(Self::Expansion(Written::new(name)));
        }
        match closed(word) {
            Some(closed) => closed
                .parse::<Atom>()
                .map(|_| Self::Open(Written::new(word))),
            None => word.parse::<Atom>().map(Self::from),
        }
    }
}

impl fmt::Display for Dep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(_, text) | Self::Open(text) => f.write_str(text),
            Self::Expansion(name) => write!(f, "${{{name}}}"),
            Self::Call(call) => call.fmt(f),
        }
    }
}

/// A leaf of `REQUIRED_USE`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Required {
    /// `flag` or `!flag`.
    Flag(FlagState),
    /// The name of a variable that an eclass or the ebuild sets, such as `${ROCM_REQUIRED_USE}`.
    Expansion(Written),
    /// A word that bash expands, in an ebuild that was read: `$(…)`, `${x[@]/#/y}`.
    Open(Written),
}

impl Required {
    /// Converts a `REQUIRED_USE` that contains no variable, such as the result of
    /// [`UseExpand::required_use`](rocpkg_core::UseExpand::required_use), to a specification with
    /// leaves of this type.
    pub fn spec(required: &RequiredUse) -> Spec<Self> {
        required.map(|state| Self::Flag(state.clone()))
    }
}

impl Leaf for Required {
    const NAME: &'static str = FlagState::NAME;
    const ANY_OF: bool = FlagState::ANY_OF;
    const COUNTED: bool = FlagState::COUNTED;
    const EMPTY_GROUPS: bool = FlagState::EMPTY_GROUPS;

    fn read(word: &str) -> Result<Self, SyntaxError> {
        match reference(word) {
            Some(name) => Ok(Self::Expansion(Written::new(name))),
            None => FlagState::read(word).map(Self::Flag),
        }
    }
}

impl fmt::Display for Required {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(state) => state.fmt(f),
            Self::Expansion(name) => write!(f, "${{{name}}}"),
            Self::Open(text) => text.fmt(f),
        }
    }
}
