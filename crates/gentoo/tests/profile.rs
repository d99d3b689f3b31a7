//! Files of profiles, news items and Manifests from code, as Portage reads them.

use rocpkg_gentoo::{Manifest, ManifestLine, NewsItem, ProfileList};
use rocpkg_test_support::write_file;

/// A program that prints the atoms of a list, the flags of another list by atom, and if a news item
/// is valid.
const SCRIPT: &str = "
import sys
from portage.util import grabfile_package, grabdict_package
from portage.news import NewsItem
mask, uses, news = sys.argv[1:]
print(*grabfile_package(mask, verify_eapi=True, eapi='8'))
for atom, flags in sorted(grabdict_package(uses, verify_eapi=True, eapi='8').items(), key=str):
    print(atom, *flags)
item = NewsItem(news, 'item')
item.parse()
print(item.isValid())
";

fn mask() -> ProfileList {
    ProfileList::default()
        .entry("Jane Doe <jane@example.org> (2026-11-27)\n\nBroken. $(touch x)")
        .package(&"=sci-libs/hipThing-1.0*".parse().unwrap())
        .package(&">=sci-libs/hipThing-2:0".parse().unwrap())
        .entry("Above this profile.")
        .without_package(&"dev-util/hip".parse().unwrap())
}

fn news() -> NewsItem {
    NewsItem::new("A title", "Jane Doe <jane@example.org>", "2026-11-27")
        .author("A B <c@d.org>")
        .revision(2)
        .if_installed(["<dev-util/hip-7".parse().unwrap()])
        .if_keyword(["amd64"])
        .if_profile(["default/linux/amd64/23.0"])
        .body("A text.\n\nAnd more of it.")
}

#[test]
fn portage_reads_lists_and_news() {
    let folder = tempfile::tempdir().unwrap();
    let hip = || "rocm".parse().unwrap();
    let uses = ProfileList::default()
        .package_flags(&"sci-ml/caffe2".parse().unwrap(), [(hip(), false)])
        .package_flags(
            &"sci-libs/a".parse().unwrap(),
            [(hip(), true), ("test".parse().unwrap(), false)],
        );
    assert_eq!(news().check(), Ok(()));
    let mut python = rocpkg_programs::command("python");
    python.arg("-c").arg(SCRIPT);
    for (name, text) in [
        ("package.mask", mask().to_string()),
        ("package.use.mask", uses.to_string()),
        ("news.en.txt", news().to_string()),
    ] {
        write_file(folder.path().join(name), text);
        python.arg(folder.path().join(name));
    }
    let output = python.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let expected = "=sci-libs/hipThing-1.0* >=sci-libs/hipThing-2:0 -dev-util/hip\n\
        sci-libs/a rocm -test\nsci-ml/caffe2 -rocm\nTrue\n";
    assert_eq!(
        text,
        expected,
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn lists_and_news_are_text() {
    let expected = "\
# Jane Doe <jane@example.org> (2026-11-27)
#
# Broken. $(touch x)
=sci-libs/hipThing-1.0*
>=sci-libs/hipThing-2:0

# Above this profile.
-dev-util/hip
---
Title: A title
Author: Jane Doe <jane@example.org>
Author: A B <c@d.org>
Posted: 2026-11-27
Revision: 2
News-Item-Format: 2.0
Display-If-Installed: <dev-util/hip-7
Display-If-Keyword: amd64
Display-If-Profile: default/linux/amd64/23.0

A text.

And more of it.
";
    assert_eq!(format!("{}---\n{}", mask(), news()), expected);
}

#[test]
fn news_follow_the_rules_of_glep_42() {
    let item = NewsItem::new(&"x".repeat(51), "Jane", "2026-13-01").body(&"y".repeat(73));
    let refused = item.check().unwrap_err().to_string();
    assert_eq!(refused.lines().count(), 4, "{refused}");
    let empty = NewsItem::new("a\nb", "Jane <j@e.org>", "2026-11-27");
    let refused = empty.check().unwrap_err().to_string();
    assert_eq!(
        refused,
        "\"a\\nb\" has more than one line\na text is missing"
    );
}

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
