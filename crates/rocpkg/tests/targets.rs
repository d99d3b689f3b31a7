//! Questions about GPU targets, and the check of the whole model, as people ask them.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]
#![allow(clippy::disallowed_methods, reason = "the command is run as people run it")]

use std::process::{Command, Output};

fn rocpkg(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rocpkg")).args(args).output().unwrap()
}

fn out(args: &[&str]) -> String {
    let run = rocpkg(args);
    String::from_utf8(run.stdout).unwrap() + &String::from_utf8(run.stderr).unwrap()
}

fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_slice(&rocpkg(args).stdout).unwrap()
}

#[test]
fn names_are_taken_as_people_write_them() {
    insta::assert_snapshot!("product", out(&["targets", "show", "RX 7900 XTX"]));
    insta::assert_snapshot!("family", out(&["targets", "show", "gfx103X-dgpu"]));
    insta::assert_snapshot!("feature", out(&["targets", "show", "gfx90a:xnack+"]));
    assert_eq!(
        out(&["targets", "show", "gfx1o30"]),
        "error: `gfx1o30` names no GPU target, family or product; did you mean `gfx1030`?\n"
    );
    assert_eq!(
        out(&["targets", "show", "gfx1030:xnack+"]),
        "error: `gfx1030:xnack+`: `gfx1030` has no xnack mode\n"
    );
    assert_eq!(rocpkg(&["targets", "show", "gfx1o30"]).status.code(), Some(2));
}

#[test]
fn all_targets_are_listed_once() {
    let list = json(&["targets", "list", "--json"]);
    assert_eq!(list.as_array().unwrap().len(), 57);
    assert_eq!(out(&["targets", "list"]).lines().count(), 58);
}

#[test]
fn reach_tells_who_is_left_out_by_which_package() {
    let text = out(&["targets", "reach", "gfx1030,RX 7900 XTX", "--isa-compat", "--package", "miopen"]);
    assert!(text.contains("served by every package: gfx1030 gfx1031 gfx1032"), "{text}");
    assert!(text.contains("left out by hipblaslt: gfx1030"), "{text}");
    let plain = json(&["targets", "reach", "gfx1030,gfx1150", "--json"]);
    assert_eq!(plain["serves"], serde_json::json!(["gfx1030"]), "rccl leaves gfx1150 out");
    let typo = out(&["targets", "reach", "gfx1o30,gfx9oa"]);
    assert!(typo.contains("gfx1030") && typo.contains("gfx90a"), "{typo}");
}

#[test]
fn cover_is_the_fewest_over_all_packages() {
    let plain = json(&["targets", "cover", "--gpu", "gfx103X-all", "--package", "rocblas", "--json"]);
    assert_eq!(plain["targets"].as_array().unwrap().len(), 7);
    let patched =
        json(&["targets", "cover", "--gpu", "gfx103X-all", "--package", "rocblas", "--isa-compat", "--json"]);
    assert_eq!(patched["targets"].as_array().unwrap().len(), 1);
    let generic =
        json(&["targets", "cover", "--gpu", "gfx103X-all", "--package", "rocblas", "--generic", "--json"]);
    assert_eq!(generic["targets"], serde_json::json!(["gfx10-3-generic"]));
    let impossible = rocpkg(&["targets", "cover", "--gpu", "gfx1010", "--distro", "nix"]);
    assert_eq!(impossible.status.code(), Some(1));
    let text = String::from_utf8(impossible.stdout).unwrap();
    assert!(text.contains("rccl can't be built for gfx1010"), "{text}");
}

#[test]
fn the_matrix_gives_a_class_and_a_reason_for_each_cell() {
    let csv = out(&["targets", "matrix", "--csv"]);
    assert!(csv.contains("rccl,gfx90a,official,"), "{csv}");
    assert!(csv.contains("rccl,gfx1103,compiler-only,\"https://github.com/ROCm/TheRock"), "{csv}");
    assert!(
        csv.contains("hipblaslt,gfx1030,compiler-only,\"https://github.com/ROCm/TheRock/issues/1062\""),
        "{csv}"
    );
    let cells = json(&["targets", "matrix", "--json", "--distro", "nix"]);
    let cells = cells["matrix"].as_array().unwrap();
    assert!(cells.iter().all(|c| !c["reason"].as_str().unwrap().is_empty()));
}

#[test]
fn the_check_of_the_shipped_model_passes_and_lists_what_is_known() {
    let run = rocpkg(&["check", "--json"]);
    assert_eq!(run.status.code(), Some(0));
    let all: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(all["findings"].as_array().unwrap().iter().all(|f| f["severity"] == "warning"));
    let known = all["known"].as_array().unwrap();
    assert!(known.iter().any(|k| k["code"] == "E0607" && k["distribution"] == "nixpkgs"));
    assert!(known.iter().all(|k| !k["reason"].as_str().unwrap().is_empty()));
}

#[test]
fn the_check_fails_with_1_on_a_hole() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("distros/gentoo")).unwrap();
    let text = "targets: {excludes: [{targets: [gfx1031], reason: to make a hole}]}\n";
    std::fs::write(dir.path().join("distros/gentoo/rocrand.yaml"), text).unwrap();
    let run = rocpkg(&["check", "--distro", "gentoo", "--profiles", dir.path().to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(1));
    let text = String::from_utf8(run.stderr).unwrap();
    assert!(text.contains("E0602") && text.contains("miopen > rocrand"), "{text}");
}
