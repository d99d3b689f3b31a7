//! An empty crate, which turns on features of other crates for all tests of the workspace. See
//! `Cargo.toml`.
