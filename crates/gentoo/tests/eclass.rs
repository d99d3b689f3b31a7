//! rocm.eclass, run by bash: its own rendered tests, and the targets of each release.

use regex::Regex;
use rocpkg_gentoo::{Eclass, EclassFunction, EclassVariable};
use rocpkg_render::bash::run;
use rocpkg_test_support::write_file;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Output;

const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests");

fn eclass() -> String {
    fs::read_to_string(format!("{TREE}/golden/gentoo/eclass/rocm.eclass")).unwrap()
}

fn bash(at: &Path, script: &str) -> Output {
    let mut bash = rocpkg_programs::command("bash");
    bash.args(["-c", script]).current_dir(at);
    bash.env("GENTOO_ECLASSES", format!("{TREE}/standins/gentoo/eclass"))
        .output()
        .unwrap()
}

fn iuse(version: &str) -> String {
    let before = "die() { exit 1; }; inherit() { :; }; EAPI=8 ECLASS=rocm";
    let print = "echo \"${IUSE//amdgpu_targets_gfx/}\"";
    let said = bash(
        Path::new("."),
        &format!("{before} ROCM_VERSION={version}\n{}\n{print}", eclass()),
    );
    String::from_utf8(said.stdout).unwrap()
}

/// Runs eclass/tests/rocm.sh beside an eclass. Returns its output, true if all tests passed, and
/// the lines of the eclass that were run.
fn own_tests(eclass: &str) -> (String, bool, BTreeSet<usize>) {
    let root = tempfile::tempdir().unwrap();
    let tests = root.path().join("tests");
    fs::create_dir(&tests).unwrap();
    write_file(root.path().join("rocm.eclass"), eclass);
    for from in [
        "golden/gentoo/eclass/tests/rocm.sh",
        "standins/gentoo/eclass/tests/tests-common.sh",
    ] {
        let from = Path::new(TREE).join(from);
        fs::copy(&from, tests.join(from.file_name().unwrap())).unwrap();
    }
    let traced =
        "exec 9>trace; BASH_XTRACEFD=9 PS4='+${BASH_SOURCE##*/}:${LINENO}:'; set -x; . ./rocm.sh";
    let run = bash(&tests, traced);
    let trace = fs::read_to_string(tests.join("trace")).unwrap();
    let lines = trace.lines().filter_map(|l| {
        l.split_once("+rocm.eclass:")?
            .1
            .split_once(':')?
            .0
            .parse()
            .ok()
    });
    (
        String::from_utf8([run.stdout, run.stderr].concat()).unwrap(),
        run.status.success(),
        lines.collect(),
    )
}

#[test]
fn its_own_tests_hold_and_run_every_line() {
    let eclass = eclass();
    let (said, held, ran) = own_tests(&eclass);
    assert!(held, "{said}");
    // Lines that open or end a construct are no commands, and neither are the lines of a list.
    let none = r"^\s*(#.*|[^ ]*\)( ;;)?|;;|esac|done|fi|\}|[a-z_]+\(\) \{|[a-z]+=\(|gfx.*)?$";
    let none = Regex::new(none).unwrap();
    let code = eclass
        .lines()
        .zip(1..)
        .filter(|(line, _)| !none.is_match(line));
    let missed: Vec<_> = code.filter(|(_, number)| !ran.contains(number)).collect();
    assert!(missed.is_empty(), "{missed:#?}");
}

#[test]
fn its_own_tests_find_what_is_wrong() {
    let eclass = eclass();
    let mutants = [
        ("\t8) ;;", "\t[78]) ;;"),
        ("-z ${_ROCM_ECLASS}", "-z ''"),
        ("[[ -n ${ROCM_SKIP_GLOBALS} ]] && return", ""),
        ("5.[0-3].*)", "5.[0-2].*)"),
        ("6.4.[0-2])", "6.4.[0-1])"),
        ("10.*|9999)", "10.*)"),
        ("gfx90a gfx942 gfx950", "gfx90a gfx950"),
        ("\t\t*)\n\t\t\tdie", "\t\t*)\n\t\t\t: die"),
        ("/#/+amdgpu_targets_", "/#/amdgpu_targets_"),
        ("|| ( ${flags[*]} )", "^^ ( ${flags[*]} )"),
        ("(-)?", "?"),
        ("'%s;'", "'%s,'"),
        ("[[ -c ${device} ]] && echo", "echo"),
        ("how=addpredict", "how=addwrite"),
        ("-w) how=addwrite", "-w) how=addpredict"),
        ("*/kfd ]]", "* ]]"),
        ("! -r ${device} || ! -w ${device}", "-d ${device}"),
        ("\taddwrite \"${device}\"", "\t:"),
        ("targets[@]:-gfx000", "targets[@]"),
        ("CC=hipcc CXX=hipcc", "CC=hipcc"),
        ("\tstrip-unsupported-flags\n", ""),
        ("test-flags-HIPCXX ", "echo "),
        ("--hipclangpath", "--path"),
        ("|| die \"hipconfig", "|| : \"hipconfig"),
    ];
    for (from, to) in mutants {
        assert!(eclass.contains(from), "{from}");
        let (said, held, _) = own_tests(&eclass.replace(from, to));
        assert!(!held, "{from} -> {to}: {said}");
    }
}

#[test]
fn targets_follow_the_release() {
    let newest = "+908 +90a +942 +950 +1030 +1100 +1101 +1200 +1201 \
                  803 900 906 940 941 1010 1011 1012 1031 1102 1103 1150 1151\n";
    assert_eq!(iuse("7.2.0"), newest);

    let ten = "+908 +90a +942 +950 +1030 +1100 +1101 +1102 +1103 +1150 +1151 +1152 +1153 +1200 +1201 \
               803 900 906 1010 1011 1012 1031\n";
    assert_eq!(iuse("10.0.0"), ten);
    assert_eq!(iuse("10.1.0"), ten);
    assert_eq!(iuse("9999"), ten);
    assert_eq!(
        iuse("5.1.3"),
        "+906 +908 +90a +1030 803 900 1010 1011 1012 1031\n"
    );
    assert_eq!(
        iuse("5.7.1"),
        "+906 +908 +90a +1030 803 900 1010 1011 1012 1031 1100 1101 1102\n"
    );
    assert_eq!(
        iuse("6.3.3"),
        "+906 +908 +90a +942 +1030 +1100 803 900 940 941 1010 1011 1012 1031 1101 1102\n"
    );
    assert_eq!(
        iuse("6.4.2"),
        "+908 +90a +942 +1030 +1100 803 900 906 940 941 1010 1011 1012 1031 1101 1102 1200 1201\n"
    );
    let last_six = "+908 +90a +942 +1030 +1100 +1101 +1200 +1201 \
                    803 900 906 940 941 1010 1011 1012 1031 1102 1103 1150 1151\n";
    assert_eq!(iuse("6.4.3"), last_six);
    assert_eq!(
        iuse("6.1"),
        last_six,
        "two parts miss the pattern of 6.0 to 6.3"
    );
}

#[test]
fn nothing_but_years_stands_in_a_copyright_line() {
    let made = |years: &str| {
        let eclass = rocpkg_gentoo::Eclass::new("tune", "Tunes what is built", years);
        eclass.maintainer("Jane Doe <jane@example.org>").check()
    };
    assert_eq!(made("2022-2026"), Ok(()));
    for wrong in ["", "2026\nPWNED", "1999-YEAR", "2022-2024-2026"] {
        assert!(made(wrong).is_err(), "{wrong:?}");
    }
}

#[test]
fn tags_of_eclass_manpages_stand_in_their_order_and_arrays_are_defaults() {
    let flags = EclassVariable::new("HIP_FLAGS", "Flags of each call.")
        .default_elements(["-O2", "--offload-arch=native"]);
    let find = EclassFunction::new("hip_find", "Finds HIP.", vec![run("true", [])])
        .usage("[folder]")
        .returns("0 if it is there")
        .deprecated("hip_path");
    let eclass = Eclass::new("hip", "Builds with HIP", "2026")
        .maintainer("Jane Doe <jane@example.org>")
        .bug_reports("By mail.")
        .vcs_url("https://example.org/hip.eclass")
        .provides("cmake")
        .deprecated("hip-r1")
        .inherit("cmake")
        .variable(flags)
        .function(find);
    eclass.check().unwrap();
    let text = eclass.to_string();
    let header = "# @BUGREPORTS:\n# By mail.\n# @VCSURL: https://example.org/hip.eclass\n\
        # @SUPPORTED_EAPIS: 8\n# @PROVIDES: cmake\n# @BLURB: Builds with HIP\n# @DEPRECATED: hip-r1\n";
    assert!(text.contains(header), "{text}");
    let function = "# @USAGE: [folder]\n# @RETURN: 0 if it is there\n# @DEPRECATED: hip_path\n";
    assert!(text.contains(function), "{text}");
    assert!(!text.contains("EXPORT_FUNCTIONS"), "{text}");
    let told = |before: &str| {
        let script = format!(
            "inherit() {{ :; }}; EAPI=8; {before}\n{text}\nprintf '<%s>' \"${{HIP_FLAGS[@]}}\""
        );
        let out = rocpkg_programs::command("bash")
            .args(["-c", &script])
            .output()
            .unwrap();
        String::from_utf8(out.stdout).unwrap()
    };
    assert_eq!(told(""), "<-O2><--offload-arch=native>");
    assert_eq!(told("HIP_FLAGS=( 'a b' )"), "<a b>");
    let once = EclassFunction::new("hip_src_test", "Tests.", vec![run("true", [])]).called_once();
    let gone = Eclass::new("hip", "Builds", "2026")
        .maintainer("Jane Doe <jane@example.org>")
        .function(once)
        .export(rocpkg_gentoo::Phase::SrcTest);
    let reason = gone.check().unwrap_err().to_string();
    assert!(reason.contains("unset after its first call"), "{reason}");
    let lines = Eclass::new("hip", "Builds", "2026")
        .provides("a\nb")
        .check();
    assert!(
        lines
            .unwrap_err()
            .to_string()
            .contains("has more than one line")
    );
}
