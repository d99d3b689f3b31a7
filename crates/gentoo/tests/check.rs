//! Contradictions in ebuilds: each code by itself, with a similar ebuild that is correct.

mod broken;
mod files;
mod limits;
mod values;

use rocpkg_gentoo::check;
use rocpkg_syntax::{Checked, Fault, Surroundings};
use std::collections::{BTreeMap, BTreeSet};

/// An ebuild without contradictions.
const SOUND: &str = "\
EAPI=8

LLVM_COMPAT=( {20..22} )
MY_P=\"tool-rocm-${PV}\"

inherit cmake llvm-r2 optfeature

DESCRIPTION=\"A tool\"
SRC_URI=\"https://example.org/v${PV}.tar.gz -> ${P}.tar.gz\"
S=\"${WORKDIR}/${MY_P}\"

LICENSE=\"MIT\"
SLOT=\"0\"
KEYWORDS=\"~amd64\"
IUSE=\"+doc ssl test\"
REQUIRED_USE=\"doc? ( ssl )\"
RESTRICT=\"!test? ( test )\"

RDEPEND=\"ssl? ( dev-libs/openssl:= )\"
DEPEND=\"${RDEPEND}\"
BDEPEND=\"test? ( dev-cpp/gtest )\"

PATCHES=( \"${FILESDIR}/${PN}-llvm-22.patch\" )

src_configure() {
	local mycmakeargs=( -DTESTS=$(usex test) )
	cmake_src_configure
}

pkg_postinst() {
	optfeature \"pictures\" media-libs/libpng
}
";

/// Returns the files beside the sound ebuild.
fn beside() -> Surroundings {
    let files = ["files/tool-llvm-22.patch", "tool-1.2.3.ebuild", "Manifest"];
    let manifest = "DIST tool-1.2.3.tar.gz 1 BLAKE2B 00 SHA512 00\n";
    let address = "https://example.org/v1.2.3.tar.gz";
    Surroundings {
        path: "dev-util/tool/tool-1.2.3.ebuild".to_owned(),
        files: Some(files.map(str::to_owned).into()),
        texts: BTreeMap::from([("Manifest".to_owned(), manifest.into())]),
        archives: BTreeMap::from([(address.to_owned(), vec!["tool-rocm-1.2.3".to_owned()])]),
        ..Surroundings::default()
    }
}

/// Returns the line of a fault, counted from 1.
fn line(text: &str, fault: &Fault) -> usize {
    text[..fault.at()].matches('\n').count() + 1
}

/// Returns each fault as `E0802 3 message`: its code, its line, its message.
fn shown(text: &str, checked: &Checked) -> Vec<String> {
    let one = |f: &Fault| format!("{} {} {}", f.finding.code, line(text, f), f.finding.message);
    checked.faults.iter().map(one).collect()
}

/// Returns each question that was not decided, as `subject: reason`.
fn unchecked(checked: &Checked) -> Vec<String> {
    let all = checked.unchecked.iter();
    all.map(|u| format!("{}: {}", u.subject, u.reason))
        .collect()
}

/// Returns each item that the ebuild may lack, as `IUSE doc`.
fn doubtful(checked: &Checked) -> Vec<String> {
    let all = checked.doubtful.iter();
    all.map(|item| format!("{} {}", item.list, item.name))
        .collect()
}

/// Returns the sound ebuild with some parts replaced.
fn with(parts: &[(&str, &str)]) -> String {
    parts.iter().fold(SOUND.to_owned(), |text, (part, other)| {
        assert!(text.contains(part), "{part}");
        text.replacen(part, other, 1)
    })
}

/// Checks the sound ebuild with some parts replaced. Returns its text too.
fn checked(parts: &[(&str, &str)]) -> (String, Checked) {
    let text = with(parts);
    let checked = check(&text, &beside());
    (text, checked)
}

/// Returns the faults of the sound ebuild with one part replaced.
fn faults(part: &str, other: &str) -> Vec<String> {
    let (text, checked) = checked(&[(part, other)]);
    shown(&text, &checked)
}

/// Asserts that the sound ebuild with one part replaced has no fault, and that everything was
/// decided.
#[track_caller]
fn is_sound(part: &str, other: &str) {
    let (text, checked) = checked(&[(part, other)]);
    assert_eq!(shown(&text, &checked), [""; 0], "{other}");
    assert_eq!(unchecked(&checked), [""; 0], "{other}");
}

/// Asserts that the sound ebuild with one part replaced has no fault, and that `questions` are not
/// decided.
#[track_caller]
fn is_open(part: &str, other: &str, questions: &[&str]) {
    let (text, checked) = checked(&[(part, other)]);
    assert_eq!(shown(&text, &checked), [""; 0], "{other}");
    assert_eq!(unchecked(&checked), questions, "{other}");
}

#[test]
fn a_sound_ebuild_has_no_fault_and_is_checked_as_a_whole() {
    is_sound("", "");
}

#[test]
fn e0801_is_a_text_that_is_no_bash() {
    let found = faults("src_configure() {", "src_configure() { if");
    assert_eq!(found, ["E0801 25 the ebuild can't be read"]);
    let found = faults("=\"MIT\"", "=\"MIT");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].starts_with("E0801 "), "{found:?}");
    for (part, other, line) in [
        (
            "pkg_postinst() {",
            "pkg_postinst()\n\tif true; then :; fi",
            33,
        ),
        ("pkg_postinst() {", "fi\npkg_postinst() {", 30),
        ("pkg_postinst() {", "pkg_postinst() {\n\tdone", 31),
    ] {
        let found = faults(part, other);
        assert_eq!(
            found,
            [format!("E0801 {line} the ebuild can't be read")],
            "{other}"
        );
    }
    is_sound("pkg_postinst() {", "pkg_postinst() {\n\techo } fi done");
    is_sound("=\"MIT\"", "=MIT");
}

#[test]
fn e0802_is_a_flag_that_is_not_in_iuse() {
    let (text, checked) = checked(&[(" ssl test\"", " ssl\"")]);
    let expected = "E0802 17 USE flag `test` is used, but it is not in IUSE";
    assert_eq!(shown(&text, &checked), [expected]);
    let missing = checked.faults[0].missing.as_ref().unwrap();
    assert_eq!((missing.list, missing.name.as_str()), ("IUSE", "test"));
    for (part, other, at) in [
        ("ssl? ( dev", "gpu? ( dev", 19),
        ("ssl? ( dev", "!gpu? ( dev", 19),
        ("openssl:= )", "openssl:=[gpu?] )", 19),
        ("openssl:= )", "openssl:=[a,!gpu(-)=] )", 19),
        ("\"MIT\"", "\"MIT gpu? ( BSD )\"", 12),
        ("doc? ( ssl )", "doc? ( gpu )", 16),
        ("doc? ( ssl )", "|| ( doc !gpu )", 16),
        ("doc? ( ssl )", "gpu? ( ssl )", 16),
        ("$(usex test)", "$(usex gpu a b)", 26),
        ("$(usex test)", "$(usex '!gpu' a b)", 26),
        (
            "\tcmake_src_configure",
            "\tif use gpu; then\n\t\tdie\n\tfi\n\tcmake_src_configure",
            27,
        ),
        (
            "\tcmake_src_configure",
            "\tuse !gpu && die\n\tcmake_src_configure",
            27,
        ),
        (
            "( -DTESTS",
            "( $(cmake_use_find_package gpu GPU) -DTESTS",
            26,
        ),
        (
            "RDEPEND=\"ssl",
            "COMMON=\"gpu? ( a/b )\"\nRDEPEND=\"${COMMON} ssl",
            19,
        ),
    ] {
        let expected = format!("E0802 {at} USE flag `gpu` is used, but it is not in IUSE");
        assert_eq!(faults(part, other), [expected], "{other}");
    }
}

#[test]
fn flags_come_from_iuse_eclasses_and_profiles() {
    for (part, other) in [
        ("openssl:= )", "openssl:=[gpu] )"),
        ("ssl? ( dev", "amd64? ( dev"),
        ("ssl? ( dev", "kernel_linux? ( dev"),
        ("ssl? ( dev", "elibc_musl? ( dev"),
        ("ssl? ( dev", "llvm_slot_22? ( dev"),
        ("IUSE=\"+doc", "IUSE=\"gpu\"\nIUSE+=\" +doc"),
        (
            "\tcmake_src_configure",
            "\tin_iuse gpu && use gpu && die\n\tcmake_src_configure",
        ),
        ("RDEPEND=\"ssl", "TEXT=\"gpu? ( a/b )\"\nRDEPEND=\"ssl"),
        (
            "\tcmake_src_configure",
            "\t# use gpu\n\tcmake_src_configure",
        ),
        (
            "\tcmake_src_configure",
            "\techo 'use gpu'\n\tcmake_src_configure",
        ),
    ] {
        is_sound(part, other);
    }
    let list = "CPU=( avx fma )\nIUSE=\"${CPU[@]/#/+cpu_}";
    let parts = [("IUSE=\"+doc", format!("{list} +doc"))];
    let (_, all) = checked(&[(parts[0].0, &parts[0].1), ("ssl? ( dev", "cpu_avx? ( dev")]);
    assert_eq!(all.faults, []);
    let (text, all) = checked(&[(parts[0].0, &parts[0].1), ("ssl? ( dev", "cpu_sse? ( dev")]);
    let expected = "E0802 20 USE flag `cpu_sse` is used, but it is not in IUSE";
    assert_eq!(shown(&text, &all), [expected]);
    // Flags of an eclass whose text is beside the ebuild.
    let mut beside = beside();
    let own = "IUSE=\"gpu\"\nown_f() { :; }\n".to_owned();
    beside
        .texts
        .insert("eclass/own.eclass".to_owned(), own.into());
    let text = with(&[
        ("optfeature\n", "optfeature own\n"),
        ("ssl? ( dev", "gpu? ( dev"),
    ]);
    assert_eq!(shown(&text, &check(&text, &beside)), [""; 0]);
}

#[test]
fn flags_that_cant_be_known_are_not_checked() {
    let unknown = "USE flags: other.eclass was not found";
    let parts = [
        ("optfeature\n", "optfeature other\n"),
        ("ssl? ( dev", "gpu? ( dev"),
    ];
    let (text, all) = checked(&parts);
    assert_eq!(shown(&text, &all), [""; 0]);
    assert!(
        unchecked(&all).contains(&unknown.to_owned()),
        "{:?}",
        all.unchecked
    );
    // An edit adds the flag to IUSE nevertheless, if the rendering has it there.
    assert_eq!(doubtful(&all), ["IUSE gpu"]);
    // The keys of an array are not known.
    let loops = "for x in \"${!Y[@]}\"; do IUSE+=\" g${x}\"; done\nRDEPEND";
    let parts = [
        ("IUSE=\"", "declare -A Y=( [pu]=a )\nIUSE=\""),
        ("RDEPEND", loops),
        ("ssl? ( dev", "gpu? ( dev"),
    ];
    let (text, all) = checked(&parts);
    assert_eq!(shown(&text, &all), [""; 0]);
    let computed = "USE flags: IUSE contains names that are known only when the ebuild runs";
    for list in ["${x[@]}", "${x}", "$(echo ${ABI})", "${x[@]/#/+}"] {
        let parts = [
            ("IUSE=\"", &*format!("x=( ${{ABI}} )\nIUSE=\"{list} ")),
            ("ssl? ( dev", "gpu? ( dev"),
        ];
        let (text, all) = checked(&parts);
        assert_eq!(shown(&text, &all), [""; 0], "{list}");
        assert_eq!(unchecked(&all), [computed], "{list}");
    }
    is_open(
        "\tcmake_src_configure",
        "\tlocal f\n\tfor f in a b; do\n\t\tuse ${f} && die\n\tdone\n\tcmake_src_configure",
        &["USE flags: the name of the flag in `use ${f}` is known only when the ebuild runs"],
    );
}

#[test]
fn e0803_is_a_function_whose_eclass_is_not_inherited() {
    let (text, all) = checked(&[(" optfeature\n", "\n")]);
    let expected = "E0803 31 `optfeature` is called, but no inherited eclass defines it";
    assert_eq!(shown(&text, &all), [expected]);
    let missing = all.faults[0].missing.as_ref().unwrap();
    assert_eq!(
        (missing.list, missing.name.as_str()),
        ("inherit", "optfeature")
    );
    let call = |name: &str| format!("\t{name} a\n\tcmake_src_configure");
    for name in ["edo", "systemd_dounit", "python_setup"] {
        let expected = format!("E0803 27 `{name}` is called, but no inherited eclass defines it");
        assert_eq!(faults("\tcmake_src_configure", &call(name)), [expected]);
    }
    // `cmake` inherits `flag-o-matic`. The other names are those of programs.
    for name in ["append-flags", "tc-export", "eapply", "sed", "own_function"] {
        is_sound("\tcmake_src_configure", &call(name));
    }
    is_sound(
        "pkg_postinst() {",
        "edo() { :; }\n\npkg_postinst() {\n\tedo a",
    );
    is_sound(
        "pkg_postinst() {",
        "pkg_postinst() {\n\techo edo \"edo\" # edo",
    );
    let parts = [
        ("EAPI=8", "EAPI=9"),
        ("\tcmake_src_configure", &*call("edo")),
    ];
    assert_eq!(checked(&parts).1.faults, []);
    let mut beside = beside();
    let own = "own_f() { :; }\n".to_owned();
    beside
        .texts
        .insert("eclass/own.eclass".to_owned(), own.into());
    let text = with(&[("\tcmake_src_configure", &call("own_f"))]);
    let expected = "E0803 27 `own_f` is called, but no inherited eclass defines it";
    assert_eq!(shown(&text, &check(&text, &beside)), [expected]);
}

#[test]
fn a_branch_that_does_not_run_calls_what_it_likes() {
    let branches = |condition: &str| {
        let text = format!(
            "\tif [[ ${{PV}} {condition} ]]; then\n\t\tgit-r3_fetch\n\telse\n\t\tdefault\n\tfi\n"
        );
        faults("\tcmake_src_configure", &(text + "\tcmake_src_configure"))
    };
    assert_eq!(branches("== *9999"), [""; 0]);
    assert_eq!(branches("== 1.*").len(), 1);
    assert_eq!(branches("!= *9999").len(), 1);
}

#[test]
fn functions_of_eclasses_that_are_not_at_hand_are_not_checked() {
    let questions = ["functions of eclasses: other.eclass was not found"];
    let parts = [(" optfeature\n", " other\n")];
    let (text, all) = checked(&parts);
    assert_eq!(shown(&text, &all), [""; 0]);
    assert!(
        unchecked(&all).contains(&questions[0].to_owned()),
        "{:?}",
        all.unchecked
    );
    assert_eq!(doubtful(&all), ["inherit optfeature"]);
    let (text, all) = checked(&[(" optfeature\n", " ${MORE}\n")]);
    assert_eq!(shown(&text, &all), [""; 0]);
    let reason = "functions of eclasses: the name of an eclass is known only when the ebuild runs";
    assert!(
        unchecked(&all).contains(&reason.to_owned()),
        "{:?}",
        all.unchecked
    );
}

#[test]
fn e0804_is_an_eclass_that_nothing_uses() {
    let found = faults("optfeature\n", "optfeature edo\n");
    assert_eq!(found, ["E0804 6 nothing uses edo.eclass"]);
    let found = faults("\toptfeature \"", "\t: \"");
    assert_eq!(found, ["E0804 6 nothing uses optfeature.eclass"]);
    // Phases, flags and dependencies have an effect without a call.
    is_sound("optfeature\n", "optfeature xdg\n");
    is_sound("optfeature\n", "optfeature verify-sig\n");
    let two = [
        ("optfeature\n", "optfeature edo\n"),
        ("\tcmake_src", "\tedo a\n\tcmake_src"),
    ];
    assert_eq!(checked(&two).1.faults, []);
    for (own, is_used) in [
        ("own_f() { :; }\n", false),
        ("RDEPEND=\"a/b\"\nown_f() { :; }\n", true),
        ("EXPORT_FUNCTIONS src_test\nown_src_test() { :; }\n", true),
    ] {
        let mut beside = beside();
        beside
            .texts
            .insert("eclass/own.eclass".to_owned(), own.into());
        let text = with(&[("optfeature\n", "optfeature own\n")]);
        let found = shown(&text, &check(&text, &beside));
        let expected = ["E0804 6 nothing uses own.eclass"];
        assert_eq!(found, expected[usize::from(is_used)..], "{own}");
    }
}

#[test]
fn e0805_is_a_variable_that_is_used_before_it_is_set() {
    let (text, all) = checked(&[
        ("RDEPEND=\"ssl? ( dev-libs/openssl:= )\"\n", ""),
        (
            "DEPEND=\"${RDEPEND}\"\n",
            "DEPEND=\"${RDEPEND}\"\nRDEPEND=\"a/b\"\n",
        ),
    ]);
    let expected = "E0805 19 `RDEPEND` is used in `DEPEND` before it is set";
    assert_eq!(shown(&text, &all), [expected]);
    assert_eq!(
        all.faults[0].finding.label,
        "empty here, as it is set in line 20"
    );
    let late = |used: &str| format!("LICENSE=\"MIT\"\nX=\"{used}\"\nOWN=1\n");
    let found = faults("LICENSE=\"MIT\"\n", &late("${OWN}"));
    assert_eq!(found, ["E0805 13 `OWN` is used in `X` before it is set"]);
    let found = faults(
        "LICENSE=\"MIT\"\n",
        "LICENSE=\"MIT\"\n[[ ${OWN} == 1 ]] && X=1\nOWN=1\n",
    );
    assert_eq!(found, ["E0805 13 `OWN` is used before it is set"]);
    for used in [
        "${OWN:-a}",
        "${OWN-}",
        "${OWN:+a}",
        "\\${OWN}",
        "${PV}",
        "${OTHER}",
    ] {
        is_sound("LICENSE=\"MIT\"\n", &late(used));
    }
    let configure = "\tcmake_src_configure";
    let below = "\tcmake_src_configure \"${own}\"\n\tlocal own=1";
    let found = faults(configure, below);
    assert_eq!(found, ["E0805 27 `own` is used before it is set"]);
    is_sound(configure, "\tlocal own=1\n\tcmake_src_configure \"${own}\"");
    // A function runs after the whole text is read. An eclass may set its own variables.
    is_sound(
        "pkg_postinst() {\n",
        "pkg_postinst() {\n\techo \"${OWN}\"\n}\nOWN=1\nf() {\n",
    );
    is_sound(
        "LICENSE=\"MIT\"\n",
        "LICENSE=\"MIT\"\nX=\"${LLVM_SLOT}\"\nLLVM_SLOT=22\n",
    );
    is_sound(
        "LICENSE=\"MIT\"\n",
        "LICENSE=\"MIT\"\n[[ -z ${OWN} ]] && OWN=1\n",
    );
    let python = |eclasses: &str, depends: &str| {
        let parts = [
            ("optfeature\n", format!("optfeature {eclasses}\n")),
            ("RDEPEND=\"ssl?", format!("RDEPEND=\"{depends} ssl?")),
        ];
        let (text, all) = checked(
            &parts
                .each_ref()
                .map(|(part, other)| (*part, other.as_str())),
        );
        shown(&text, &all)
    };
    let plain = "dev-python/numpy[${PYTHON_USEDEP}]";
    let expected = "E0805 19 `PYTHON_USEDEP` is empty outside of `python_gen_cond_dep`";
    assert_eq!(python("python-single-r1", plain), [expected]);
    let expected = "E0805 19 `PYTHON_USEDEP` is empty outside of `python_gen_any_dep`";
    assert_eq!(python("python-any-r1", plain), [expected]);
    assert_eq!(python("python-r1", plain), [""; 0]);
    let single = "optfeature distutils-r1\nDISTUTILS_SINGLE_IMPL=1";
    assert_eq!(
        python(single, "$(python_gen_cond_dep 'a/b[${PYTHON_USEDEP}]')"),
        [""; 0]
    );
    let parts = [
        ("optfeature\n", "optfeature other\n"),
        ("LICENSE=\"MIT\"\n", &*late("${OWN}")),
    ];
    let (text, all) = checked(&parts);
    assert_eq!(shown(&text, &all), [""; 0]);
    let question = "order of variables: other.eclass was not found".to_owned();
    assert!(unchecked(&all).contains(&question), "{:?}", all.unchecked);
}

#[test]
fn e0806_is_a_variable_that_is_set_twice() {
    let found = faults("SLOT=\"0\"\n", "SLOT=\"0\"\nLICENSE=\"BSD\"\n");
    assert_eq!(
        found,
        ["E0806 14 `LICENSE` is set twice, and only the second value counts"]
    );
    is_sound("SLOT=\"0\"\n", "SLOT=\"0\"\nLICENSE=\"MIT\"\n");
    let found = faults("PATCHES=(", "PATCHES=( )\nPATCHES=(");
    assert_eq!(
        found,
        ["E0806 24 `PATCHES` is set twice, and only the second value counts"]
    );
    let found = faults(
        "DEPEND=\"${R",
        "DEPEND=\"$(llvm_gen_dep 'a/b')\"\nDEPEND=\"${R",
    );
    assert_eq!(
        found,
        ["E0806 21 `DEPEND` is set twice, and only the second value counts"]
    );
    let generated = "BDEPEND=\"a/b\"\nBDEPEND=\"$(llvm_gen_dep 'a/b') test?";
    assert_eq!(
        faults("BDEPEND=\"test?", generated),
        ["E0806 22 `BDEPEND` is set twice, and only the second value counts"]
    );
    let twice = "\nown() { :; }\n\nown() { own2; }\n\nsrc_configure() {";
    assert_eq!(
        faults("\nsrc_configure() {", twice),
        ["E0806 27 `own` is defined twice, and only the second definition counts"]
    );
    let either = "\nif [[ -n ${ABI} ]]; then\n\town() { :; }\nelse\n\town() { own2; }\nfi\n\nsrc_configure() {";
    is_sound("\nsrc_configure() {", either);
    for other in [
        "SLOT=\"0\"\nown() { echo MIT; }\nLICENSE=\"$(own)\"\n",
        "SLOT=\"0\"\nLICENSE+=\" BSD\"\n",
        "SLOT=\"0\"\n[[ ${PV} == 1* ]] && LICENSE=\"BSD\"\n",
        "SLOT=\"0\"\nif [[ ${PV} == 1* ]]; then\n\tLICENSE=\"BSD\"\nfi\n",
        "SLOT=\"0\"\nLICENSE=\"${LICENSE} BSD\"\n",
        "SLOT=\"0\"\nX=\"${LICENSE}\"\nLICENSE=\"BSD\"\n",
        "SLOT=\"0\"\nset_globals() { :; }\nset_globals\nLICENSE=\"BSD\"\n",
    ] {
        is_sound("SLOT=\"0\"\n", other);
    }
    is_sound(
        "pkg_postinst() {\n",
        "pkg_postinst() {\n\tA=1\n\tA=2\n\tLICENSE=x\n",
    );
}

#[test]
fn e0810_is_a_function_that_is_no_phase() {
    let none = "is not a phase function, and nothing calls it";
    for (name, label) in [
        ("src_confgure", "did you mean `src_configure`?"),
        ("src_instal", "did you mean `src_install`?"),
        ("scr_install", "did you mean `src_install`?"),
        ("pkg_postints", "did you mean `pkg_postinst`?"),
        ("src_build", "no EAPI has this phase"),
        ("pkg_check", "no EAPI has this phase"),
    ] {
        let own = format!("{name}() {{ :; }}\n\npkg_postinst() {{");
        let (text, all) = checked(&[("pkg_postinst() {", &own)]);
        assert_eq!(shown(&text, &all), [format!("E0810 30 `{name}` {none}")]);
        assert_eq!(all.faults[0].finding.label, label);
    }
    for own in [
        "src_test() { :; }\n\npkg_postinst() {",
        "pkg_pretend() { :; }\n\npkg_postinst() {",
        "my_configure() { :; }\n\npkg_postinst() {",
        "src_build() { :; }\n\npkg_postinst() {\n\tsrc_build",
        "src_build() { :; }\n\npkg_postinst() {\n\trun \"src_build\"",
    ] {
        is_sound("pkg_postinst() {", own);
    }
    let parts = [
        ("optfeature\n", "optfeature other\n"),
        ("pkg_post", "src_build() { :; }\npkg_post"),
    ];
    let (text, all) = checked(&parts);
    assert_eq!(shown(&text, &all), [""; 0]);
    let question = "phases: other.eclass was not found".to_owned();
    assert!(unchecked(&all).contains(&question), "{:?}", all.unchecked);
}

#[test]
fn e0811_is_a_list_of_slots_that_contradicts_itself_or_a_patch() {
    for (slots, line, message) in [
        ("21 22 22", 3, "LLVM_COMPAT has slot 22 twice"),
        ("{20..22} 21", 3, "LLVM_COMPAT has slot 21 twice"),
        ("22 21", 3, "LLVM_COMPAT has slot 21 after 22"),
        (
            "{20..21}",
            23,
            "a patch is for LLVM 22, but LLVM_COMPAT ends at 21",
        ),
        (
            "20",
            23,
            "a patch is for LLVM 22, but LLVM_COMPAT ends at 20",
        ),
    ] {
        let found = faults("{20..22}", slots);
        assert_eq!(found, [format!("E0811 {line} {message}")], "{slots}");
    }
    for slots in ["22", "21 22", "{20..23}", "20 {21..22}", "'22'", "\"22\""] {
        is_sound("{20..22}", slots);
    }
    let question = "LLVM_COMPAT: `${SLOTS}` is known only when the ebuild runs";
    is_open("{20..22}", "22 ${SLOTS} 21", &[question]);
}

#[test]
fn e0878_is_a_required_use_that_the_default_flags_break() {
    let only = format!(
        "{} 16 the default flags exclude each other in REQUIRED_USE",
        "E0878"
    );
    let only = only.as_str();
    let found = |flags: &str, parts: &str| {
        let iuse = format!("IUSE=\"{flags} ");
        let (text, checked) = checked(&[("IUSE=\"", &iuse), ("doc? ( ssl )", parts)]);
        shown(&text, &checked)
    };
    assert_eq!(found("+a +b", "?? ( a b )"), [only]);
    assert_eq!(found("+a +b c", "a? ( !b ) c? ( a )"), [only]);
    assert_eq!(found("+a +b", "^^ ( a b ) ${LLVM_REQUIRED_USE}"), [only]);
    // A profile may turn other flags on.
    for (flags, parts) in [
        ("+a b", "?? ( a b )"),
        ("a b", "|| ( a b )"),
        ("+a b", "a? ( b )"),
        ("+a -b", "a? ( !b )"),
    ] {
        assert_eq!(found(flags, parts), [""; 0], "{flags}: {parts}");
    }
}

#[test]
fn e0813_is_a_required_use_that_no_choice_meets() {
    let none = "E0813 16 no choice of flags meets REQUIRED_USE";
    for parts in [
        "doc !doc",
        "^^ ( doc ssl ) doc ssl",
        "doc ssl? ( !doc ) ssl",
        "|| ( doc ssl ) !doc !ssl",
        "doc? ( ${LLVM_REQUIRED_USE} !doc ) doc",
    ] {
        assert_eq!(faults("doc? ( ssl )", parts), [none], "{parts}");
    }
    for parts in [
        "doc !ssl",
        "^^ ( doc ssl )",
        "ssl? ( !ssl )",
        "?? ( doc ssl test )",
        "${LLVM_REQUIRED_USE} doc",
        "doc? ( ${LLVM_REQUIRED_USE} ) ssl? ( ( ${LLVM_REQUIRED_USE} !doc ) )",
    ] {
        is_sound("doc? ( ssl )", parts);
    }
    let question = "REQUIRED_USE: `${CHOICE}` is known only when the ebuild runs";
    is_open("doc? ( ssl )", "|| ( ${CHOICE} ) doc", &[question]);
    let condition = "REQUIRED_USE: `${ABI}?` is known only when the ebuild runs";
    let text = with(&[("doc? ( ssl )", "${ABI}? ( !doc ) doc")]);
    let all = check(&text, &beside());
    assert_eq!(shown(&text, &all), [""; 0]);
    assert!(unchecked(&all).contains(&condition.to_owned()), "{all:?}");
    is_open(
        "doc? ( ssl )",
        "^^ ( doc ( ssl? ( ${CHOICE} ) ) ) doc !doc",
        &[question],
    );
}

#[test]
fn faults_are_in_the_order_of_the_text() {
    let (text, all) = checked(&[
        ("\"${FILESDIR}/", "\"${FILESDIR}/other-"),
        ("{20..22}", "22 21"),
        ("-> ${P}", "-> ${PN}"),
        ("pkg_postinst() {", "pkg_postints() {"),
        (" optfeature\n", " optfeature edo\n"),
    ]);
    let codes: Vec<&str> = all.faults.iter().map(|f| f.finding.code).collect();
    assert_eq!(codes, ["E0811", "E0804", "E0809", "E0807", "E0810"]);
    let lines: BTreeSet<usize> = all.faults.iter().map(|f| line(&text, f)).collect();
    assert_eq!(lines.len(), codes.len());
}

#[test]
fn the_last_eclass_that_exports_a_phase_gives_its_default() {
    let phases = |inherit: &str| {
        let text = format!("EAPI=8\ninherit {inherit}\n");
        rocpkg_gentoo::internal::default_phases(&text, &Surroundings::default())
    };
    assert_eq!(phases("cmake edo")["src_prepare"], "cmake_src_prepare");
    assert_eq!(
        phases("cmake meson")["src_configure"],
        "meson_src_configure"
    );
    assert_eq!(
        phases("meson cmake")["src_configure"],
        "cmake_src_configure"
    );
    // ecm.eclass inherits cmake.eclass and has no such phase itself.
    assert_eq!(phases("ecm").get("src_compile"), None);
    assert!(phases("cmake ours").is_empty());
}

#[test]
fn e0874_is_a_command_that_contradicts_those_before_it() {
    let line = "\tcmake_src_configure\n";
    for (other, at, message) in [
        (
            "\tcd \"${MY_P}\" || die\n",
            27,
            "`tool-rocm-1.2.3` is entered inside of `tool-rocm-1.2.3`",
        ),
        (
            "\tmy_enter\n}\n\nmy_enter() {\n\tpushd \"${S}\"/${MY_P} >/dev/null || die\n",
            31,
            "`tool-rocm-1.2.3` is entered inside of `tool-rocm-1.2.3`",
        ),
        (
            "\tcmake_src_configure\n\t-DA=1 || die\n",
            28,
            "`-DA=1` is run as a command",
        ),
        (
            "\tcmake_src_configure\n\tCXXFLAGS+=\" -O1\"\n",
            28,
            "`CXXFLAGS` is set after the build is configured",
        ),
        (
            "\tgit cherry-pick -n 0123 || die\n",
            27,
            "`git cherry-pick` needs a repository, and no source is one",
        ),
    ] {
        assert_eq!(
            faults(line, other),
            [format!("{} {at} {message}", "E0874")],
            "{other}"
        );
    }
    for other in [
        "\tcd \"${S}\" || die\n\tcmake_src_configure\n",
        "\tpushd \"${WORKDIR}/${MY_P}\" || die\n\tpopd || die\n\tcmake_src_configure\n",
        "\tCXXFLAGS+=\" -O1\"\n\tcmake_src_configure\n",
    ] {
        is_sound(line, other);
    }
}

#[test]
fn braces_and_loops_make_flags_and_folders() {
    let uses = "cpu_flags_x86_aes? ( dev-libs/a )\"";
    let arrays =
        format!("CPU=( cpu_flags_x86_{{aes,sse4_1}} )\nIUSE+=\" ${{CPU[@]}}\"\nPDEPEND=\"{uses}");
    let lists = "IUSE+=\" g_{a,b}\"\n";
    is_sound("RESTRICT=", &format!("{arrays}\nRESTRICT="));
    assert_eq!(
        faults("RESTRICT=", &format!("PDEPEND=\"{uses}\n{lists}RESTRICT=")).len(),
        1
    );
}
