//! A tag of upstream, which both bumps and lookups of releases return.

/// A tag that was seen in a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeenTag {
    /// The tag, such as `therock-11.0.0`.
    pub tag: String,
    /// The owner and the name of the repository, such as `ROCm/rocm-libraries`.
    pub repository: String,
}
