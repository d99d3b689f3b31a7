//! PKGBUILDs of random values: if `check` accepts one, makepkg accepts it and prints the same
//! `.SRCINFO`.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rocpkg_arch::{Field, Function, Pkgbuild};
use rocpkg_render::Sum;
use rocpkg_render::bash::{Word, run};
use rocpkg_test_support::{is_whole, printsrcinfo, write_file};

/// Returns a strategy for texts of printable characters, some of which have a meaning in bash.
fn text() -> impl Strategy<Value = String> {
    let known = [
        "$(x)",
        "`x`",
        "a\"b",
        "it's",
        "${pkgver}",
        "\\",
        "a  b",
        "*",
        "{a,b}",
        "~",
        "#",
    ];
    prop_oneof![
        "[ -~]{0,8}",
        prop::sample::select(known.to_vec()).prop_map(str::to_owned),
    ]
}

/// Returns a strategy for expansions of a version and of a private variable.
fn expansion() -> impl Strategy<Value = String> {
    let operators = [
        "", "%.*", "%%.*", "#*.", "##*.", "//./_", "/./-", "//_/.", ",,", "^^", "%_*",
    ];
    let name = prop::sample::select(vec!["pkgver", "_own", "pkgname"]);
    (name, prop::sample::select(operators.to_vec()))
        .prop_map(|(name, operator)| format!("{name}{operator}"))
}

fn pkgbuild() -> impl Strategy<Value = Pkgbuild> {
    let version = "[0-9]{1,2}([._][0-9a-z]{1,3}){0,3}";
    let lists = prop::collection::vec("[a-z]{1,4}([<>=]{1,2}[0-9.]{1,3})?", 0..3);
    (version, text(), text(), expansion(), expansion(), lists).prop_map(
        |(version, about, own, provided, further, depends)| {
            let provided = Word::lit("thing-").variable(provided);
            Pkgbuild::new("thing", &version, 1, ["any"])
                .description(&about)
                .license(["MIT"])
                .depends(depends)
                .variable("_own", Word::lit(own))
                .field(
                    Field::Provides,
                    [provided, Word::lit("b=").variable(further)],
                )
                .source(
                    Word::lit("https://example.org/a"),
                    &Sum::Sha256("0".repeat(64)),
                )
                .function(Function::Package, vec![run("true", [])])
        },
    )
}

#[test]
fn makepkg_prints_the_srcinfo_of_what_check_accepts() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let most = if is_whole() { 300 } else { 6 };
    let mut accepted = 0;
    for case in 0.. {
        assert!(case < most * 8, "{accepted} of {case} were accepted");
        let made = pkgbuild().new_tree(&mut runner).unwrap().current();
        if made.check().is_err() {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        write_file(dir.path().join("PKGBUILD"), made.to_string());
        let real = printsrcinfo(dir.path()).unwrap_or_else(|e| panic!("{e}\n{made}"));
        let own = made.srcinfo().map(|info| info.to_string());
        assert_eq!(own.as_ref(), Ok(&real), "{made}");
        accepted += 1;
        if accepted == most {
            break;
        }
    }
}
