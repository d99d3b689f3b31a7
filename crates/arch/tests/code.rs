//! PKGBUILDs from code: `check` refuses everything that makepkg would refuse or build wrongly.

use rocpkg_arch::{Field, Function, Pkgbuild};
use rocpkg_render::Sum;
use rocpkg_render::bash::{Word, run};

fn sound() -> Pkgbuild {
    without_package().function(Function::Package, vec![run("make", [Word::lit("install")])])
}

fn without_package() -> Pkgbuild {
    let address = Word::lit("https://github.com/ROCm/thing/archive/v");
    let source = address.variable("pkgver").literal(".tar.gz");
    Pkgbuild::new("thing", "1.0", 1, ["x86_64"])
        .description("A thing")
        .license(["MIT"])
        .source(source, &Sum::Sha256("0".repeat(64)))
}

fn entering(folder: Word) -> Pkgbuild {
    sound().function(Function::Package, vec![run("cd", [folder])])
}

/// Asserts that `check` refuses a PKGBUILD with a message.
#[track_caller]
fn refused(pkgbuild: &Pkgbuild, text: &str) {
    let found = pkgbuild
        .check()
        .expect_err(&pkgbuild.to_string())
        .to_string();
    assert!(found.contains(text), "{found}");
}

#[test]
fn variables_are_set_once_and_before_their_use() {
    let folder = || Word::var("_folder");
    let made = Word::lit("thing-").variable("pkgver");
    let set = entering(folder()).variable("_folder", made.clone());
    assert_eq!(set.check(), Ok(()));
    refused(&set.variable("_folder", Word::lit("other")), "`_folder`");
    refused(&entering(folder()), "`_folder`");
}

#[test]
fn functions_enter_folders_that_sources_unpack_to() {
    let inside = |name: &str| Word::var("srcdir").literal("/").literal(name);
    assert_eq!(entering(inside("thing-1.0")).check(), Ok(()));
    refused(&entering(inside("other-2.0")), "other-2.0");
    // Files beside the PKGBUILD and in unknown archives are not checked.
    let sum = Sum::Sha256("0".repeat(64));
    let more = entering(inside("data")).source(Word::lit("https://example.org/data.zip"), &sum);
    assert_eq!(more.source(Word::lit("fix.patch"), &sum).check(), Ok(()));
}

#[test]
fn values_are_what_makepkg_takes() {
    assert_eq!(sound().check(), Ok(()));
    refused(
        &sound().field(Field::Epoch, [Word::lit("x")]),
        "makepkg refuses the epoch `x`",
    );
    refused(
        &sound().depends(["b c"]),
        "makepkg refuses `b c` in `depends`",
    );
    refused(&sound().depends([""]), "makepkg refuses `` in `depends`");
    assert_eq!(sound().depends(["b>=1", "libc.so=6-64"]).check(), Ok(()));
    let single = sound().field_for(Field::Url, "x86_64", [Word::lit("https://example.org")]);
    assert!(
        single
            .to_string()
            .contains("\nurl_x86_64='https://example.org'\n"),
        "{single}"
    );
    refused(&single, "`url` can't be set for the architecture x86_64");
    let nonsense = sound().source(Word::lit("a"), &Sum::Sha256("nonsense".to_owned()));
    refused(&nonsense, "makepkg refuses `nonsense` in `sha256sums`");
    let short = sound().source(Word::lit("a"), &Sum::Sha512("0".repeat(64)));
    assert!(short.check().unwrap_err().reasons().len() > 1);
}

#[test]
fn srcinfo_has_what_bash_makes_of_a_word_or_is_refused() {
    let of = |inside: &str| sound().field(Field::Provides, [Word::var(inside)]);
    for (inside, expected) in [
        ("pkgver", "provides = 1.0"),
        ("pkgver%.*", "provides = 1"),
        ("pkgver#*.", "provides = 0"),
        ("pkgver//./_", "provides = 1_0"),
    ] {
        let made = of(inside);
        assert_eq!(made.check(), Ok(()), "{inside}");
        let text = made.srcinfo().unwrap().to_string();
        assert!(
            text.contains(&format!("\t{expected}\n")),
            "{inside}: {text}"
        );
    }
    for (inside, reason) in [
        ("pkgver@Q", "`${pkgver@Q}` is not evaluated"),
        ("_unset", "`_unset` is not set in the PKGBUILD"),
    ] {
        let made = of(inside);
        refused(&made, reason);
        made.srcinfo().unwrap_err();
    }
}

#[test]
fn a_variable_stands_above_those_that_use_it_for_a_field() {
    let made = sound()
        .variable("_a", Word::lit("1"))
        .variable("_b", Word::var("_a").literal("2"))
        .field(Field::Provides, [Word::lit("x=").variable("_b")]);
    assert_eq!(made.check(), Ok(()), "{made}");
    assert!(
        made.srcinfo()
            .unwrap()
            .to_string()
            .contains("\tprovides = x=12\n")
    );
}

#[test]
fn a_function_of_one_package_is_refused_beside_several() {
    let body = || vec![run("make", [Word::lit("install")])];
    let after = without_package()
        .package("thing", [], body())
        .package("docs", [], body());
    assert_eq!(after.check(), Ok(()), "{after}");
    after
        .function(Function::Package, body())
        .check()
        .unwrap_err();
    let before = sound().function(Function::Package, body());
    before.package("thing", [], body()).check().unwrap_err();
}

#[test]
fn what_no_new_pkgbuild_has_is_refused() {
    let people = ["a\nrm -rf /", "a\u{1b}b", "a\r", "  "];
    for person in people {
        refused(&sound().maintainer(person), "can't be a comment");
    }
    let mut contributed = sound();
    contributed.contributors.push("a\nb".to_owned());
    refused(&contributed, "can't be a comment");
    let release = |text: &str| sound().field(Field::Pkgrel, [Word::lit(text)]);
    for text in ["0", "00", "0.1"] {
        refused(&release(text), "a pkgrel is at least 1");
    }
    assert_eq!(release("1.1").check(), Ok(()));
    refused(
        &without_package(),
        "the function `package` of thing is missing",
    );
    // A metapackage has dependencies alone.
    let meta = || Pkgbuild::new("meta", "1", 1, ["any"]).license(["MIT"]);
    refused(&meta(), "the function `package` of meta is missing");
    assert_eq!(meta().depends(["hip-runtime"]).check(), Ok(()));
    let two = [Word::lit("1"), Word::lit("2")];
    refused(
        &sound().field(Field::Pkgver, two),
        "`pkgver` has one value, not 2",
    );
    refused(&sound().field(Field::Url, []), "`url` has one value, not 0");
    let own = [(Field::Pkgver, vec![Word::lit("2")])];
    let split = without_package().package("thing", own, vec![run("true", [])]);
    refused(
        &split,
        "makepkg refuses `pkgver` in the function of a package",
    );
    let exits = sound().function(Function::Build, vec![run("exit", [])]);
    assert_eq!(exits.check(), Ok(()));
}

#[test]
fn a_checkout_of_a_branch_has_no_sum_and_a_version_that_is_printed() {
    let made = sound()
        .source_unchecked(Word::lit("git+https://example.org/tool.git"))
        .function(Function::Build, vec![run("make", [])])
        .function(Function::Pkgver, vec![run("git", [Word::lit("describe")])])
        .function(Function::Verify, vec![run("true", [])]);
    assert_eq!(made.check(), Ok(()), "{made}");
    let text = made.to_string();
    let at = |name: &str| text.find(name).unwrap_or_else(|| panic!("{name}: {text}"));
    assert!(
        at("verify()") < at("pkgver()") && at("pkgver()") < at("build()"),
        "{text}"
    );
    assert!(text.contains("'SKIP'"), "{text}");
}
