//! E0870 to E0873: what Portage refuses to read, against Portage's own verdicts.

use super::{beside, checked, shown, unchecked, with};
use rocpkg_gentoo::{Ebuild, check};
use rocpkg_syntax::{Checked, Surroundings};
use std::fmt::Write;

/// The ebuild that the verdicts are about.
const BASE: &str = "\
EAPI=8

DESCRIPTION=\"A thing\"
HOMEPAGE=\"https://example.org/\"
SRC_URI=\"https://example.org/${P}.tar.gz\"
LICENSE=\"MIT\"
SLOT=\"0\"
KEYWORDS=\"~amd64\"
IUSE=\"foo +bar\"
RDEPEND=\"foo? ( dev-libs/a )\"
";

const PATH: &str = "app-misc/foo/foo-1.0.ebuild";

/// Returns the ebuild of a row of `verdicts.txt`.
fn ebuild(place: &str, text: &str) -> String {
    match place {
        "end" => format!("{BASE}{text}\n"),
        "mid" => BASE.replace("HOMEPAGE=", &format!("{text}\nHOMEPAGE=")),
        "EAPI" => BASE.replace("EAPI=8\n\n", &format!("{text}\n")),
        name => {
            let is_other = |line: &&str| !line.starts_with(&format!("{name}="));
            let rest: Vec<&str> = BASE.lines().filter(is_other).collect();
            format!("{}\n{name}=\"{text}\"\n", rest.join("\n"))
        }
    }
}

fn found(text: &str) -> Checked {
    let surroundings = Surroundings {
        path: PATH.to_owned(),
        ..Surroundings::default()
    };
    check(text, &surroundings)
}

/// Returns true if the text and the printed ebuild are accepted. Printing mends `EAPI=8;`.
fn is_accepted(text: &str) -> bool {
    let is_read = found(text).unreadable(text).next().is_none();
    is_read && Ebuild::read(text).is_ok_and(|ebuild| ebuild.check(PATH).is_ok())
}

#[test]
fn portage_and_check_refuse_the_same_ebuilds() {
    let (mut count, mut wrong) = ([0, 0], String::new());
    let rows = include_str!("verdicts.txt").lines();
    for row in rows.filter(|row| !row.starts_with('#')) {
        let mut parts = row.split('\t');
        let (verdict, place) = (parts.next().unwrap(), parts.next().unwrap());
        let text = parts.next().unwrap();
        let text = text.replace("\\\\", "\u{1}").replace("\\n", "\n");
        let accepted = is_accepted(&ebuild(place, &text.replace('\u{1}', "\\")));
        count[usize::from(accepted)] += 1;
        if accepted != (verdict == "accepted") {
            writeln!(wrong, "{row}").unwrap();
        }
    }
    assert_eq!(wrong, "");
    assert!(count[0] > 300 && count[1] > 300, "{count:?}");
}

#[test]
fn each_kind_of_fault_has_its_code() {
    for (code, place, text) in [
        ("E0870", "RDEPEND", "liba"),
        ("E0870", "SLOT", ""),
        ("E0870", "LICENSE", "|| ( MIT"),
        ("E0871", "EAPI", "EAPI=99"),
        ("E0871", "EAPI", "X=1\nEAPI=8"),
        ("E0872", "mid", "die"),
        ("E0872", "end", "false"),
        ("E0873", "mid", "doins() { :; }"),
    ] {
        let all = found(&ebuild(place, text)).faults;
        let codes: Vec<&str> = all.iter().map(|fault| fault.finding.code).collect();
        assert_eq!(codes, [code], "{place} {text}");
    }
}

#[test]
fn faults_that_portage_does_not_look_for_are_refused_too() {
    for (place, text) in [
        ("KEYWORDS", "~~amd64"),
        ("KEYWORDS", "~amd64 +x86"),
        ("end", "src_test() { :; }\nsrc_test() { default; }"),
        ("end", "dobin() { :; }"),
        ("end", "use() { :; }"),
    ] {
        assert!(!is_accepted(&ebuild(place, text)), "{place} {text}");
    }
    assert!(is_accepted(&ebuild(
        "KEYWORDS",
        "-* ~amd64 x64-macos ~arm64-linux"
    )));
}

#[test]
fn code_is_refused_for_the_same_values() {
    let made = || {
        let cpv = "app-misc/foo-1.0".parse().unwrap();
        Ebuild::new(cpv, &"0".parse().unwrap(), "A thing", 2026).license("MIT".parse().unwrap())
    };
    assert_eq!(made().keywords("~amd64").check(), Ok(()));
    let refused = made().keywords("~~amd64").check().unwrap_err().to_string();
    assert!(
        refused.contains("refuses the value of `KEYWORDS`"),
        "{refused}"
    );
}

/// Returns the faults of the sound ebuild after replacements.
fn faults(parts: &[(&str, &str)]) -> Vec<String> {
    let (text, all) = checked(parts);
    shown(&text, &all)
}

#[test]
fn faults_are_at_the_part_that_is_wrong() {
    let value = |name: &str| format!("Portage refuses the value of `{name}`");
    assert_eq!(
        faults(&[("BDEPEND=\"test?", "BDEPEND=\"liba test?")]),
        [format!("E0870 21 {}", value("BDEPEND"))]
    );
    // The part is in another variable.
    let parts = [
        ("LICENSE", "COMMON=\"\n\tdev-libs/a-1\n\"\nLICENSE"),
        ("RDEPEND=\"ssl", "RDEPEND=\"${COMMON} ssl"),
        ("DEPEND=\"${RDEPEND}\"\n", ""),
    ];
    assert_eq!(faults(&parts), [format!("E0870 13 {}", value("RDEPEND"))]);
    assert_eq!(
        faults(&[("EAPI=8\n", "X=1\nEAPI=8\n")]),
        ["E0871 2 Portage can't read `EAPI`"]
    );
    assert_eq!(
        faults(&[("LICENSE", "dodoc a\nLICENSE")]),
        ["E0872 12 `dodoc` can't be used in the global scope"]
    );
    assert_eq!(
        faults(&[("src_configure() {", "doins() { :; }\n\nsrc_configure() {")]),
        ["E0873 25 the function `doins` replaces a command of Portage"]
    );
}

#[test]
fn what_depends_on_an_eclass_or_a_condition_is_no_fault() {
    for (old, new) in [
        ("RDEPEND=\"ssl", "RDEPEND=\"${ABI} ssl"),
        ("RDEPEND=\"ssl? (", "RDEPEND=\"ssl? ( ${ABI}"),
        (
            "BDEPEND=\"test? ( dev-cpp/gtest )",
            "BDEPEND=\"test? ( ${ABI})",
        ),
        (
            "BDEPEND=\"",
            "BDEPEND=\"$(llvm_gen_dep 'llvm-core/llvm:${LLVM_SLOT}')\n",
        ),
        ("IUSE=\"", "C=( a b )\nIUSE=\"${C[@]/#/cpu_} "),
        (
            "PATCHES=(",
            "[[ ${PV} == 9999 ]] && RDEPEND+=\" (\"\n\nPATCHES=(",
        ),
        (
            "PATCHES=(",
            "[[ -n ${ABI} ]] && RDEPEND+=\" a/b\"\n\nPATCHES=(",
        ),
        (
            "PATCHES=(",
            "for x in ${ABI}; do RDEPEND+=\" a/${x}\"; done\n\nPATCHES=(",
        ),
        ("PATCHES=(", "[[ -n ${ABI} ]] && die\n\nPATCHES=("),
        ("PATCHES=(", "[[ -n ${ABI} ]] && use doc\n\nPATCHES=("),
        ("SLOT=\"0\"", "SLOT=\"0/${ABI}\""),
        ("KEYWORDS=\"~amd64\"", "KEYWORDS=\"${ABI} ~amd64\""),
        ("LICENSE=\"MIT\"", "LICENSE=\"|| ( MIT ${ABI} )\""),
        (
            "inherit cmake",
            "[[ ${PV} == *9999 ]] && inherit git-r3\ninherit cmake",
        ),
    ] {
        assert_eq!(faults(&[(old, new)]), [""; 0], "{new}");
    }
}

#[test]
fn questions_of_an_eclass_that_is_not_at_hand_name_it() {
    let text = with(&[
        ("optfeature\n", "optfeature own\n"),
        ("RDEPEND=\"ssl", "RDEPEND=\"${OWN_DEPS} ssl"),
        ("PATCHES=(", "own_f\nPATCHES=("),
    ]);
    let all = check(&text, &beside());
    assert_eq!(shown(&text, &all), [""; 0]);
    let asked = unchecked(&all);
    let question = "RDEPEND: own.eclass was not found".to_owned();
    assert!(asked.contains(&question), "{asked:?}");
}
