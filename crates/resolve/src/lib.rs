//! rocpkg-resolve.
