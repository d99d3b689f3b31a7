//! makepkg over the rendered recipes.

use crate::stack::tree;
use rocpkg_tests::{pkgbases, printsrcinfo};
use std::fs;

#[test]
fn srcinfo_is_what_makepkg_prints_byte_for_byte() {
    let bases = pkgbases(&tree("arch"));
    assert!(bases.len() >= 19, "{bases:?}");
    for folder in bases {
        let name = folder.display();
        let real = printsrcinfo(&folder).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(fs::read_to_string(folder.join(".SRCINFO")).unwrap(), real, "{name}");
    }
}
