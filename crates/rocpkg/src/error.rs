//! Why something is not rendered, answered or written.

use rocpkg_model::{Findings, Sources};
use rocpkg_render::{TemplateError, TreeError, WriteError};
use std::fmt;

/// Why something is not rendered, answered or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The profiles are wrong, or what they say can't be rendered.
    #[error("{0}")]
    Findings(Box<Problems>),
    /// What was asked for is not there, or can't be: one line a reason, and lines that belong to it begin with blanks.
    #[error("{0}")]
    Asked(String),
    /// A file can't be read or written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A template that is built in does not fit what is printed with it.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// Two files would be written to one place, or a path leads out.
    #[error(transparent)]
    Tree(#[from] TreeError),
}

impl Error {
    pub(crate) fn asked(said: impl Into<String>) -> Self {
        Self::Asked(said.into())
    }

    /// The findings, where the profiles are wrong.
    pub fn findings(&self) -> Option<&Findings> {
        match self {
            Self::Findings(problems) => Some(&problems.findings),
            _ => None,
        }
    }
}

/// Findings of which one at least is an error, with the texts that they point into.
pub struct Problems {
    /// All of them.
    pub findings: Findings,
    /// The texts.
    pub sources: Sources,
}

/// As the command shows them, without colours.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.findings.summary(&self.sources, false).trim_end())
    }
}

/// The same: a `main` that returns an error prints it so.
impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}
