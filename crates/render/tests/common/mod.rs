//! Files and options for the tests of the writer.

use rocpkg_render::{FileTree, WriteOptions};

pub(crate) fn tree(files: &[(&str, &str)]) -> FileTree {
    let mut t = FileTree::default();
    for (path, text) in files {
        t.insert(*path, *text).unwrap();
    }
    t
}

pub(crate) fn prune() -> WriteOptions {
    WriteOptions {
        prune: true,
        ..WriteOptions::default()
    }
}
