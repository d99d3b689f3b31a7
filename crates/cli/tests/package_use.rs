//! Tests of `rocpkg use`.

use rocpkg_test_support::write_file;
use std::process::Output;

fn rocpkg(args: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .arg("use")
        .args(args)
        .output()
        .unwrap()
}

/// Returns both streams and the exit status.
fn asked(args: &[&str]) -> String {
    let run = rocpkg(args);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    format!(
        "{}{}exit status {}",
        text(&run.stdout),
        text(&run.stderr),
        run.status.code().unwrap()
    )
}

#[test]
fn a_card_that_a_part_of_the_stack_has_no_code_for() {
    insta::assert_snapshot!(asked(&[
        "miopen",
        "--targets",
        "RX 6800",
        "--flag",
        "composable-kernel"
    ]));
}

#[test]
fn defaults_need_little() {
    insta::assert_snapshot!(asked(&["sci-libs/rocBLAS"]));
    insta::assert_snapshot!(asked(&["rocm-cmake"]));
}

#[test]
fn flags_bring_others() {
    insta::assert_snapshot!(asked(&[
        "rocfft",
        "--flag",
        "perfscripts",
        "--targets",
        "gfx90a,gfx1100"
    ]));
    // A target that was requested by its flag is not reported as added.
    insta::assert_snapshot!(asked(&[
        "rocrand",
        "--flag",
        "amdgpu_targets_gfx908",
        "--targets",
        "gfx1030"
    ]));
}

#[test]
fn code_of_another_target_is_planned_where_it_loads() {
    let said = asked(&["rocblas", "--targets", "RX 6600"]);
    assert!(
        said.contains("sci-libs/rocBLAS AMDGPU_TARGETS: -* gfx1030\n"),
        "{said}"
    );
    let code = asked(&["rocblas", "--targets", "gfx1030"]);
    assert_eq!(
        said.lines()
            .filter(|l| !l.starts_with("note: rocBLAS has no flag"))
            .collect::<Vec<_>>(),
        code.lines().collect::<Vec<_>>()
    );
    insta::assert_snapshot!(said);
    insta::assert_snapshot!(asked(&["miopen", "--targets", "gfx1032"]));
}

#[test]
fn what_a_flag_brings_in_is_built_for_the_default_targets() {
    insta::assert_snapshot!(asked(&["miopen", "--flag", "composable-kernel"]));
}

#[test]
fn targets_without_effect_are_told() {
    let note = |args: &[&str]| {
        asked(args).contains("while `rocm` is off (the default): `--flag rocm` turns it on")
    };
    assert!(note(&["caffe2", "--targets", "gfx1100"]));
    assert!(!note(&["caffe2", "--targets", "gfx1100", "--flag", "rocm"]) && !note(&["caffe2"]));
}

/// The profiles of a project with a ROCm backend.
const IREE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../examples/consumers/iree/rocm"
);

#[test]
fn the_flag_that_carries_the_targets_stays_on() {
    let iree = |more: &[&str]| asked(&[&["IREE", "--profiles", IREE], more].concat());
    insta::assert_snapshot!(iree(&["--targets", "MI300X"]));
    let defaults = iree(&[]);
    assert!(!defaults.contains("-hip"), "{defaults}");
    let off = iree(&["--targets", "MI300X", "--flag", "-hip"]);
    assert!(
        off.contains("targets have no effect on IREE while `hip` is off"),
        "{off}"
    );
    // Neither a tool of the build nor a dependency of the tests carries targets.
    let layer = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(layer.path().join("distros/gentoo")).unwrap();
    write_file(
        layer.path().join("distros/gentoo/iree.yaml"),
        "depends: {rocm-cmake: {kind: tool}, rocrand: {kind: build, when: test, targets: none}}\n",
    );
    let tools = iree(&["--profiles", layer.path().to_str().unwrap()]);
    assert!(!tools.contains("-hip"), "{tools}");
    // With a constraint that only turning the flag off would meet, there is no answer.
    let layer = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(layer.path().join("distros/gentoo")).unwrap();
    write_file(
        layer.path().join("distros/gentoo/iree.yaml"),
        "constraints: [{when: hip, need: \"!target:gfx942\"}]\n",
    );
    let over = layer.path().to_str().unwrap();
    insta::assert_snapshot!(iree(&["--profiles", over, "--targets", "MI300X"]));
}

#[test]
fn why_there_is_no_choice() {
    insta::assert_snapshot!(asked(&[
        "hipblaslt",
        "--flag",
        "test",
        "--flag",
        "-benchmark"
    ]));
    insta::assert_snapshot!(asked(&["hipblaslt", "--targets", "gfx1030"]));
    insta::assert_snapshot!(asked(&["rocm-comgr", "--flag", "test"]));
    insta::assert_snapshot!(asked(&["hip", "--flag", "amdgpu_targets_gfx90a"]));
    insta::assert_snapshot!(asked(&[
        "rocblas",
        "--targets",
        "gfx90a",
        "--flag",
        "-amdgpu_targets_gfx90a"
    ]));
}

#[test]
fn wrong_names_are_told_with_the_nearest() {
    insta::assert_snapshot!(asked(&["rocblas", "--flag", "hipblastl"]));
    insta::assert_snapshot!(asked(&["rocbals"]));
    insta::assert_snapshot!(asked(&["rocblas", "--targets", "gfx1o30"]));
    insta::assert_snapshot!(asked(&["rocblas", "--flag", "a b"]));
}

#[test]
fn answers_speak_json() {
    let value = |args: &[&str]| -> serde_json::Value {
        serde_json::from_slice(&rocpkg(args).stdout).unwrap()
    };
    let found = value(&["rocrand", "--targets", "gfx1100", "--json"]);
    insta::assert_snapshot!(format!("{found:#}"));
    let refused = value(&[
        "hipblaslt",
        "--flag",
        "test",
        "--flag",
        "-benchmark",
        "--json",
    ]);
    assert_eq!(refused["consistent"], false);
    assert_eq!(refused["reasons"].as_array().unwrap().len(), 4);
}
