//! rocpkg-model.
