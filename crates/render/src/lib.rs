//! rocpkg-render.
