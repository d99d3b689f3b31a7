//! rocpkg-targets.
