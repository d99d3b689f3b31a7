//! rocpkg-gentoo.
