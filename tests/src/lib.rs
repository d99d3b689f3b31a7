//! The shipped model with files laid over it, rendered, and all helpers of `rocpkg-test-support`
//! beside.

mod stack;

pub use rocpkg_test_support::*;
pub use stack::{Rendered, laid, rendered};

/// The distributions that a profile is read for: a distribution's own file for it alone.
pub fn readers(path: &str) -> Vec<rocpkg::Backend> {
    let own = |b: &rocpkg::Backend| path.starts_with(&format!("distros/{}", b.distro()));
    let one = rocpkg::Backend::ALL.into_iter().find(own);
    one.map_or(rocpkg::Backend::ALL.to_vec(), |b| vec![b])
}
