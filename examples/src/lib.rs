//! rocpkg examples.
