//! Nix over the rendered scope.

use crate::tree;
use rocpkg_tests::NixTree;

#[test]
fn every_file_parses_and_is_laid_out_as_nixfmt_does() {
    let nix = NixTree::with_own_externals(&tree("nix"));
    assert!(nix.files().len() >= 20);
    nix.parse().unwrap();
    nix.layout().unwrap();
}

#[test]
fn the_scope_evaluates_by_default_and_narrowed() {
    let nix = NixTree::with_own_externals(&tree("nix"));
    for narrowed in [None, Some("gfx1030"), Some("gfx1201"), Some("gfx9")] {
        let facts = nix.eval(narrowed).unwrap_or_else(|e| panic!("{narrowed:?}: {e}"));
        let text = facts.to_string();
        assert!(text.contains("rocblas"), "{text}");
        if narrowed == Some("gfx1030") {
            assert!(text.contains("-DGPU_TARGETS=gfx1030"), "a narrowed scope builds for its target");
        }
    }
}
