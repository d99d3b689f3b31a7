//! rocpkg-nix.
