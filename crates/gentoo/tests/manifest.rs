//! Manifests from code.

use rocpkg_gentoo::{Manifest, ManifestLine};

#[test]
fn a_manifest_has_a_line_for_each_archive_by_name() {
    let (one, two) = ("a".repeat(128), "b".repeat(128));
    let text = Manifest::default()
        .dist("b.tar.gz", 2, &two, &one)
        .dist("a.tar.gz", 1, &one, &two)
        .to_string();
    let read: Vec<_> = text.lines().filter_map(ManifestLine::read).collect();
    assert_eq!(read.len(), 2);
    assert_eq!((read[0].name, &*read[0].facts["size"]), ("a.tar.gz", "1"));
    assert_eq!(read[1].facts["blake2b"], two);
}
