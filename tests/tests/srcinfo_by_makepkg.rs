//! Compares each rendered .SRCINFO with the output of makepkg.

use crate::stack::{NEXT, tree, tree_at};
use rocpkg_tests::{pkgbases, printsrcinfo, sample};
use std::fs;

#[test]
fn srcinfo_is_what_makepkg_prints_byte_for_byte() {
    let bases = pkgbases(&tree("arch"));
    assert!(bases.len() >= 19, "{bases:?}");
    // Packages whose recipes at the next release differ by more than numbers.
    let next = ["amdsmi", "hip-runtime", "python-tensile", "rccl", "rocblas"];
    let next = next.map(|base| tree_at(NEXT[0], "arch").join(base));
    for folder in sample("PKGBUILDs", 12, bases.into_iter().chain(next)) {
        let name = folder.display();
        let real = printsrcinfo(&folder).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(
            fs::read_to_string(folder.join(".SRCINFO")).unwrap(),
            real,
            "{name}"
        );
    }
}
