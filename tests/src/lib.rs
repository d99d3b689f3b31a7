//! rocpkg tests.
