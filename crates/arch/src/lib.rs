//! rocpkg-arch.
