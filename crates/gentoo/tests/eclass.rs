//! rocm.eclass, run by bash with stand-ins for what the package manager gives it.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the eclass is a program, and bash is what runs it; a test that can't go on panics"
)]

use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};

/// What bash prints for some lines after the eclass was read.
fn bash(before: &str, after: &str) -> String {
    let eclass = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/gentoo/eclass/rocm.eclass");
    let script = format!(
        "die() {{ echo \"die: $*\"; exit 1; }}\ninherit() {{ :; }}\ndebug-print-function() {{ :; }}\n\
         EAPI=8 ECLASS=rocm\n{before}\n{}\n{after}\n",
        fs::read_to_string(eclass).unwrap()
    );
    let mut child = Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

fn iuse(version: &str) -> String {
    bash(&format!("ROCM_VERSION={version}"), "echo \"${IUSE//amdgpu_targets_gfx/}\"")
}

#[test]
fn targets_follow_the_release() {
    let newest = "+908 +90a +942 +950 +1030 +1100 +1101 +1200 +1201 \
                  803 900 906 940 941 1010 1011 1012 1031 1102 1103 1150 1151\n";
    assert_eq!(iuse("7.2.0"), newest);
    assert_eq!(iuse("9999"), newest);
    assert_eq!(iuse("5.1.3"), "+906 +908 +90a +1030 803 900 1010 1011 1012 1031\n");
    assert_eq!(iuse("5.7.1"), "+906 +908 +90a +1030 803 900 1010 1011 1012 1031 1100 1101 1102\n");
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
    assert_eq!(iuse("6.1"), last_six, "two parts miss the pattern of 6.0 to 6.3");
}

#[test]
fn a_release_without_targets_stops() {
    assert_eq!(iuse("4.5.2"), "die: rocm: no GPU targets are known for ROCM_VERSION=\"4.5.2\"\n");
    assert_eq!(iuse(""), "die: rocm: no GPU targets are known for ROCM_VERSION=\"\"\n");
}

#[test]
fn the_flags_are_required_and_handed_on_in_one_order() {
    let after = "echo \"${ROCM_REQUIRED_USE//amdgpu_targets_/}\"; echo \"${ROCM_USEDEP//amdgpu_targets_/}\"";
    assert_eq!(
        bash("ROCM_VERSION=5.1.3", after),
        " || ( gfx906 gfx908 gfx90a gfx1030 gfx803 gfx900 gfx1010 gfx1011 gfx1012 gfx1031 )\n\
         gfx906(-)?,gfx908(-)?,gfx90a(-)?,gfx1030(-)?,gfx803(-)?,gfx900(-)?,gfx1010(-)?,gfx1011(-)?,\
         gfx1012(-)?,gfx1031(-)?\n"
    );
}

#[test]
fn skipped_globals_leave_everything_alone() {
    let after = "echo \"[${IUSE}${ROCM_REQUIRED_USE}${ROCM_USEDEP}]\"";
    assert_eq!(bash("ROCM_SKIP_GLOBALS=1", after), "[]\n");
}

#[test]
fn the_list_ends_in_a_semicolon() {
    let list = |targets: &str| {
        bash("ROCM_SKIP_GLOBALS=1", &format!("AMDGPU_TARGETS={targets}\necho \"[$(get_amdgpu_flags)]\""))
    };
    assert_eq!(list("'gfx90a gfx1100'"), "[gfx90a;gfx1100;]\n");
    assert_eq!(list("( gfx90a gfx1100 )"), "[gfx90a;gfx1100;]\n");
    assert_eq!(list("''"), "[;]\n");
}

#[test]
fn tests_stop_where_there_is_no_gpu() {
    let before =
        "ROCM_SKIP_GLOBALS=1\neerror() { echo \"eerror: $*\"; }\naddwrite() { echo \"addwrite $*\"; }";
    let said = bash(before, "[[ -c /dev/kfd ]] || check_amdgpu");
    assert!(said.is_empty() || said.ends_with("die: /dev/kfd is missing\n"), "{said}");
}

#[test]
fn the_sandbox_takes_one_option() {
    let before = "ROCM_SKIP_GLOBALS=1\naddwrite() { :; }\naddpredict() { :; }";
    assert_eq!(bash(before, "rocm_add_sandbox; rocm_add_sandbox -w; echo fine"), "fine\n");
    assert_eq!(bash(before, "rocm_add_sandbox -x"), "die: rocm_add_sandbox: expected -w, got -x\n");
}

#[test]
fn hipcc_is_told_the_targets() {
    let before = "ROCM_SKIP_GLOBALS=1\nT=$(mktemp -d)\nstrip-unsupported-flags() { :; }\n\
                  test-flags-HIPCXX() { echo \"$@\"; }";
    let after = |targets: &str| {
        format!(
            "AMDGPU_TARGETS='{targets}'\nrocm_use_hipcc\necho \"${{CC}} $(< \"${{ROCM_TARGET_LST}}\")\"\nrm -r \"${{T}}\""
        )
    };
    assert_eq!(bash(before, &after("gfx90a gfx1100")), "hipcc gfx90a\ngfx1100\n");
    assert_eq!(bash(before, &after("")), "hipcc gfx000\n");
}

#[test]
fn clang_is_asked_of_hipconfig() {
    let before = "ROCM_SKIP_GLOBALS=1\nCHOST=x\nstrip-unsupported-flags() { :; }\ntest-flags-HIPCXX() { echo \"$@\"; }";
    let with = format!("{before}\nhipconfig() {{ echo /llvm/bin; }}");
    assert_eq!(
        bash(&with, "rocm_use_clang; echo \"${CC} ${CXX}\""),
        "/llvm/bin/x-clang /llvm/bin/x-clang++\n"
    );
    let without = format!("{before}\nhipconfig() {{ false; }}");
    assert_eq!(bash(&without, "rocm_use_clang"), "die: hipconfig does not know where clang is\n");
}
