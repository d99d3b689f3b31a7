//! Packages with a version, as candidates for an atom.

use std::fmt;
use std::str::FromStr;

use crate::error::{Quoted, SyntaxError};
use crate::name::{Cpn, check_category, check_package, check_repository};
use crate::slot::Slot;
use crate::version::{Version, split_version};

/// One version of one package: `category/package-version`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cpv {
    /// Category and package.
    pub cpn: Cpn,
    /// Version and revision.
    pub version: Version,
}

impl Cpv {
    /// Makes a package version from a package name and a version.
    pub fn new(cpn: Cpn, version: Version) -> Self {
        Self { cpn, version }
    }
}

impl fmt::Display for Cpv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.cpn, self.version)
    }
}

impl FromStr for Cpv {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let (cpn, version) = split_cpv(text)?;
        Ok(Self { cpn, version })
    }
}

/// Reads `category/package-version`, and returns the package name and the version.
pub(crate) fn split_cpv(text: &str) -> Result<(Cpn, Version), SyntaxError> {
    let slash = find_slash(text)?;
    let (category, rest) = (
        text.get(..slash).unwrap_or_default(),
        text.get(slash + 1..).unwrap_or_default(),
    );
    check_category(category)?;
    let Some((package, version)) = split_version(rest) else {
        // The text after a hyphen that begins with a digit is taken for the intended version.
        let digit = |at: usize| rest.as_bytes().get(at + 1).is_some_and(u8::is_ascii_digit);
        if let Some((at, _)) = rest.match_indices('-').find(|(at, _)| digit(*at))
            && let Err(error) = Version::new(rest.get(at + 1..).unwrap_or_default())
        {
            return Err(error.shift(slash + at + 2));
        }
        let message = format_args!("{} does not end in a hyphen and a version", Quoted(text));
        return Err(SyntaxError::new(text.len(), 0, message));
    };
    check_package(package).map_err(|error| error.shift(slash + 1))?;
    let end = slash + 1 + package.len();
    Ok((
        Cpn::from_checked(text.get(..end).unwrap_or_default(), slash),
        Version::from_checked(version),
    ))
}

pub(crate) fn find_slash(text: &str) -> Result<usize, SyntaxError> {
    text.find('/').ok_or_else(|| {
        let message = format_args!("expected `category/package`, got {}", Quoted(text));
        SyntaxError::new(0, text.len(), message)
    })
}

/// A package version that an atom may match:
/// `category/package-version[:slot[/sub-slot]][::repository]`.
///
/// A slot or repository that is not known matches every condition, as in Portage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The package and its version.
    pub cpv: Cpv,
    /// The package's SLOT.
    pub slot: Option<Slot>,
    /// The name of the repository that contains the package.
    pub repository: Option<String>,
}

impl FromStr for Candidate {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let (text, repository) = match text.split_once("::") {
            Some((head, repository)) => {
                check_repository(repository).map_err(|error| error.shift(head.len() + 2))?;
                (head, Some(repository.to_owned()))
            }
            None => (text, None),
        };
        let (text, slot) = match text.split_once(':') {
            Some((head, slot)) => (
                head,
                Some(
                    slot.parse::<Slot>()
                        .map_err(|error| error.shift(head.len() + 1))?,
                ),
            ),
            None => (text, None),
        };
        Ok(Self {
            cpv: text.parse()?,
            slot,
            repository,
        })
    }
}

impl From<Cpv> for Candidate {
    fn from(cpv: Cpv) -> Self {
        Self {
            cpv,
            slot: None,
            repository: None,
        }
    }
}
