//! Renders the shipped model with further files merged over it, and exports all helpers of
//! `rocpkg-test-support`.

mod stack;

pub use rocpkg_test_support::*;
pub use stack::{Rendered, laid, rendered};

/// Returns the distributions that read a profile. A distribution's own file is read for that
/// distribution alone.
pub fn readers(path: &str) -> Vec<rocpkg::Backend> {
    let own = |b: &rocpkg::Backend| path.starts_with(&format!("distros/{}", b.distro()));
    let one = rocpkg::Backend::ALL.into_iter().find(own);
    one.map_or(rocpkg::Backend::ALL.to_vec(), |b| vec![b])
}
