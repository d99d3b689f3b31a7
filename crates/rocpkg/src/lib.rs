//! rocpkg.
