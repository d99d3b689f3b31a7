//! rocpkg-pms.
