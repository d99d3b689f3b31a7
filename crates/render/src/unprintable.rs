//! The reasons why a recipe that code made, and did not read from a text, can't be printed.

use std::fmt;

/// All reasons why a recipe is refused; there is at least one.
///
/// ```
/// use rocpkg_render::{Refused, Unprintable};
///
/// let all = [Unprintable::Name("a b".into()), Unprintable::Lacks("a licence")];
/// let refused = Refused::if_any(all).unwrap_err();
/// assert_eq!(refused.to_string(), "`a b` is not a valid name\na licence is missing");
/// assert!(Refused::if_any([]).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    reasons: Vec<Unprintable>,
}

impl Refused {
    /// Returns an error with all reasons if there is a reason. Equal reasons are listed once.
    ///
    /// # Errors
    /// The reasons.
    pub fn if_any(all: impl IntoIterator<Item = Unprintable>) -> Result<(), Self> {
        let mut reasons: Vec<Unprintable> = Vec::new();
        for reason in all {
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        if reasons.is_empty() {
            Ok(())
        } else {
            Err(Self { reasons })
        }
    }

    /// Returns the reasons: those of single values first, then those of the printed text in its
    /// order.
    pub fn reasons(&self) -> &[Unprintable] {
        &self.reasons
    }
}

/// Prints each reason on a line.
impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, reason) in self.reasons.iter().enumerate() {
            let end = if i > 0 { "\n" } else { "" };
            write!(f, "{end}{reason}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

/// A reason why a recipe that code made can't be printed, or why the tool of its distribution would
/// refuse it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unprintable {
    /// A text at a place where a language or a tool requires a name.
    #[error("`{0}` is not a valid name")]
    Name(String),
    /// A variable or function of an eclass without a description.
    #[error("`{0}` has no description")]
    Undocumented(String),
    /// A variable or function of an eclass that is defined twice.
    #[error("`{0}` is defined twice")]
    Twice(String),
    /// A missing part that every file of this kind must have, such as a licence.
    #[error("{0} is missing")]
    Lacks(&'static str),
    /// A text that can't be read in its language, with the reason.
    #[error("{0}")]
    Text(String),
}
