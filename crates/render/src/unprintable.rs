//! Why a recipe that was made in code can't be printed.

/// Why a recipe that was made in code can't be printed, or its tool would not take it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unprintable {
    /// What stands where a language or a tool reads a name, and is none.
    #[error("`{0}` is no name")]
    Name(String),
    /// A flag that is asked about, and is not in IUSE.
    #[error("USE flag `{0}` is not in IUSE")]
    Flag(String),
    /// A variable or function of an eclass without a description.
    #[error("`{0}` has no description")]
    Undocumented(String),
    /// What every such file has.
    #[error("it lacks {0}")]
    Lacks(&'static str),
    /// No version.
    #[error("`{0}` is no version")]
    Version(String),
    /// Sources and sums of a kind are not as many.
    #[error("{sources} sources have {sums} sums")]
    Sums {
        /// How many sources.
        sources: usize,
        /// How many sums.
        sums: usize,
    },
    /// Text that its language can't read, and why.
    #[error("{0}")]
    Text(String),
}
