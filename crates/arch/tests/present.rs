//! Values of an existing PKGBUILD that a rendered one keeps.

use rocpkg_arch::internal::{counted, stated_sums};

const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const C: &str = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";

/// Returns a rendered PKGBUILD.
fn rendered(version: &str) -> String {
    format!(
        "# Maintainer: A <a@example.org>\n\npkgname=tool\npkgver={version}\npkgrel=1\npkgdesc=\"A tool\"\narch=(x86_64)\n\
         source=(\n  \"$pkgname-$pkgver.tar.gz::https://example.org/v$pkgver.tar.gz\"\n  fix.patch\n)\n\
         sha256sums=(\n  {A}\n  {C}\n)\n\nbuild() {{\n  pkgrel=9\n  make\n}}\n"
    )
}

/// Returns the line that sets a field.
fn line<'a>(text: &'a str, field: &str) -> &'a str {
    text.lines()
        .find(|l| l.starts_with(&format!("{field}=")))
        .unwrap_or_default()
}

#[test]
fn pkgrel_counts_on_for_one_version_and_begins_anew_for_another() {
    let new = rendered("7.2.4");
    for (there, is_same, again, pkgrel) in [
        ("pkgver=7.2.4\npkgrel=3\n", true, false, "3"),
        ("pkgver=7.2.4\npkgrel=3\n", true, true, "4"),
        (
            "pkgver='7.2.4' # stays\npkgrel=\"11\"; epoch=''1\n",
            true,
            false,
            "11",
        ),
        ("pkgver=7.2.4\npkgrel=1.1\n", true, false, "1.1"),
        ("pkgver=7.2.4\npkgrel=1.9\n", true, true, "1.10"),
        ("pkgver=7.2.3\npkgrel=3\n", false, false, "1"),
        ("pkgver=7.2.3\npkgrel=3\n", false, true, "1"),
        ("nothing=of the kind\n", false, false, "1"),
        // The rendered pkgrel stays if the existing one is no number.
        ("pkgver=7.2.4\npkgrel=$(cat rel)\n", true, true, "1"),
        ("pkgver=7.2.4\npkgrel=one\n", true, true, "1"),
    ] {
        let text = counted(&new, there, is_same, again);
        assert_eq!(line(&text, "pkgrel"), format!("pkgrel={pkgrel}"), "{there}");
        assert!(text.contains("\n  pkgrel=9\n"), "{there}");
    }
}

#[test]
fn the_epoch_never_goes_back() {
    let new = rendered("7.2.4");
    for is_same in [true, false] {
        let there = "pkgver=7.2.3\npkgrel=1\nepoch=2\n";
        let text = counted(&new, there, is_same, false);
        assert!(text.contains("\npkgrel=1\nepoch=2\npkgdesc"), "{text}");
        // An epoch that the model increased stays increased.
        let raised = text.replace("epoch=2", "epoch=3");
        assert_eq!(counted(&raised, there, is_same, false), raised);
    }
}

#[test]
fn counting_leaves_what_hands_wrote() {
    let own = rendered("7.2.4")
        .replace("pkgrel=1\n", "pkgrel='1' # for a reason\n")
        .replace("  make", "  # by hand\n  make");
    assert_eq!(counted(&own, &own, true, false), own, "nothing is new");
    assert_eq!(
        counted(&own, &own, true, true),
        own.replace("pkgrel='1'", "pkgrel=2")
    );
}

#[test]
fn sums_are_of_the_source_at_their_place() {
    let archive = "https://example.org/v7.2.4.tar.gz";
    let of = |text: &str| -> Vec<(String, String)> {
        stated_sums(text)
            .into_iter()
            .filter(|own| !own.is_unknown())
            .map(|own| (own.address, own.sum))
            .collect()
    };
    let both = vec![
        (archive.to_owned(), A.to_owned()),
        ("fix.patch".to_owned(), C.to_owned()),
    ];
    let there = rendered("7.2.4");
    for same in [
        there.clone(),
        // Another name, other quotes, and comments.
        there.replace("$pkgname-$pkgver.tar.gz::", ""),
        there.replace("\"$pkgname-", "\"${pkgname}\"-\""),
        there.replace("source=(\n", "source=( # the archive\n"),
        there.replace(&format!("  {A}\n"), &format!("  '{A}' # by hand\n")),
    ] {
        assert_eq!(of(&same), both, "{same}");
    }
    for other in [
        // Skipped sums, texts that are no sums, and arrays of other lengths.
        there.replace(A, "SKIP"),
        there.replace(A, &"0".repeat(64)),
    ] {
        assert_eq!(of(&other), both[1..], "{other}");
    }
    assert_eq!(of(&there.replace("  fix.patch\n", "")), []);
    // The sums of an architecture are those of its sources.
    let of_one = there.replace("source=", "source_x86_64=");
    assert_eq!(of(&of_one.replace("sums=", "sums_x86_64=")), both);
    assert_eq!(of(&of_one), []);
    // Lists may be made of other lists.
    let appended = there.replace("source=", "source=()\nsource+=");
    assert_eq!(of(&appended.replace("sha256sums=", "sha256sums+=")), both);
    let named = there.replace("source=", "_from=");
    let named = named.replace("sha256sums=", "source=(\"${_from[@]}\")\n_own=");
    let named = named.replace("\nbuild", "sha256sums=(\"${_own[@]}\")\n\nbuild");
    assert_eq!(of(&named), both);
}
