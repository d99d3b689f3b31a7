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
fn no_name_is_not_every_gpu() {
    for args in [
        &["render", "arch", "--out", "/dev/null", "--targets", ","][..],
        &["use", "rocblas", "--targets", ""],
        &["targets", "reach", ""],
    ] {
        let run = rocpkg(args);
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.code() == Some(2) && said.contains("no GPU target is named"), "{args:?}: {said}");
    }
}

#[test]
fn all_targets_are_listed_once() {
    let list = json(&["targets", "list", "--json"]);
    assert_eq!(list.as_array().unwrap().len(), 57);
    assert_eq!(out(&["targets", "list"]).lines().count(), 58);
}

#[test]
fn reach_tells_who_is_left_out_by_which_package() {
    // Gentoo patches what compatible code needs, but for MIOpen and rocFFT.
    let text = out(&["targets", "reach", "gfx1030,RX 7900 XTX", "--package", "rocblas"]);
    assert!(text.contains("left out by hipblaslt: gfx1030"), "{text}");
    assert!(text.contains("rests on patches of: "), "{text}");
    assert!(text.contains("lost for compressed bundles"), "{text}");
    let plain = json(&["targets", "reach", "gfx1030,gfx1150", "--json"]);
    assert_eq!(plain["serves"], serde_json::json!(["gfx1030"]), "rccl leaves gfx1150 out");
    let typo = out(&["targets", "reach", "gfx1o30,gfx9oa"]);
    assert!(typo.contains("gfx1030") && typo.contains("gfx90a"), "{typo}");
    let strange = out(&["targets", "reach", "gfx1030,gfx1036", "--package", "rocblas"]);
    assert!(strange.contains("not offered by gentoo: gfx1036"), "{strange}");
}

#[test]
fn a_list_that_nobody_knows_is_unknown() {
    let text = out(&["targets", "reach", "gfx1100", "--distro", "arch"]);
    assert!(text.contains("unknown of rocblas: what `rocm-supported-gfx` prints"), "{text}");
    assert!(text.contains("unknown of hipblaslt: upstream's default list of hipblaslt"), "{text}");
    let csv = out(&["targets", "matrix", "--csv", "--distro", "arch"]);
    assert!(csv.contains("rocblas,gfx1100,unknown,"), "{csv}");
    assert!(csv.contains("composable-kernel,gfx1100,official,"), "{csv}");
    let cover = rocpkg(&["targets", "cover", "--gpu", "gfx1100", "--distro", "arch", "--package", "rocblas"]);
    assert_eq!(cover.status.code(), Some(2));
    assert!(String::from_utf8(cover.stderr).unwrap().contains("unknown"));
}

#[test]
fn a_scope_of_nixpkgs_is_answered_for_by_package() {
    let whole = out(&["targets", "reach", "--scope", "default", "--distro", "nix"]);
    assert!(whole.contains("unknown of hiprand: upstream's default list of hiprand"), "{whole}");
    let group = out(&["targets", "reach", "--scope", "gfx11", "--distro", "nix"]);
    assert!(group.contains("built for: gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151"), "{group}");
    assert!(group.contains("  rocblas: gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151"), "{group}");
    let one =
        json(&["targets", "cover", "--gpu", "gfx1100", "--scope", "gfx1101", "--distro", "nix", "--json"]);
    assert_eq!(one["not-served"], serde_json::json!(["gfx1100"]));
    let none = rocpkg(&["targets", "reach", "--scope", "gfx13", "--distro", "nix"]);
    assert_eq!(none.status.code(), Some(2));
    assert_eq!(rocpkg(&["targets", "reach", "--scope", "gfx11"]).status.code(), Some(2));
}

#[test]
fn cover_is_the_fewest_over_all_packages() {
    let gpus = ["targets", "cover", "--gpu", "gfx103X-all"];
    let patched = json(&[&gpus[..], &["--package", "rocblas", "--json"]].concat());
    assert_eq!(patched["targets"], serde_json::json!(["gfx1030"]), "Gentoo carries the patches");
    assert!(!patched["bundles-not-patched"].as_array().unwrap().is_empty());
    // rocFFT's place is patched nowhere, and Gentoo has flags for two of the seven alone.
    let plain = json(&[&gpus[..], &["--package", "rocfft", "--json"]].concat());
    assert_eq!(plain["targets"], serde_json::json!(["gfx1030", "gfx1031"]));
    assert_eq!(plain["not-served"].as_array().unwrap().len(), 5);
    let assumed = json(&[&gpus[..], &["--package", "rocfft", "--isa-compat", "--json"]].concat());
    assert_eq!(assumed["targets"].as_array().unwrap().len(), 1);
    let impossible = rocpkg(&["targets", "cover", "--gpu", "gfx1010", "--distro", "nix"]);
    assert_eq!(impossible.status.code(), Some(1));
    let text = String::from_utf8(impossible.stdout).unwrap();
    assert!(text.contains("rccl can't be built for gfx1010"), "{text}");
    assert!(text.contains("composable-kernel, without which miopen is slower"), "{text}");
}

#[test]
fn the_matrix_gives_a_class_and_a_reason_for_each_cell() {
    let csv = out(&["targets", "matrix", "--csv"]);
    assert!(csv.contains("rccl,gfx90a,official,"), "{csv}");
    assert!(csv.contains("rccl,gfx1103,no-kernels,\"https://github.com/ROCm/TheRock"), "{csv}");
    assert!(csv.contains("rocrand,gfx1010,unknown,\"the package states no limit"), "{csv}");
    assert!(csv.contains("rocrand,gfx1152,no-kernels,\"rocRAND has no flag for it"), "{csv}");
    assert!(
        csv.contains("hipblaslt,gfx1030,no-kernels,\"https://github.com/ROCm/TheRock/issues/1062\""),
        "{csv}"
    );
    let cells = json(&["targets", "matrix", "--json", "--distro", "nix"]);
    let cells = cells["matrix"].as_array().unwrap();
    assert!(cells.iter().all(|c| !c["reason"].as_str().unwrap().is_empty()));
}

#[test]
fn a_tree_for_some_gpus_is_written_or_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().to_str().unwrap();
    let written = rocpkg(&["render", "arch", "--targets", "RX 7900 XTX", "--out", at, "--allow-missing"]);
    assert_eq!(written.status.code(), Some(0), "{}", String::from_utf8_lossy(&written.stderr));
    let text = std::fs::read_to_string(dir.path().join("arch/rocblas/PKGBUILD")).unwrap();
    assert!(text.contains("-D GPU_TARGETS=gfx1100"), "{text}");
    let strange = rocpkg(&["render", "gentoo", "--targets", "gfx1036", "--out", at]);
    assert_eq!(strange.status.code(), Some(2));
    assert!(String::from_utf8(strange.stderr).unwrap().contains("gentoo offers no gfx1036"));
    let none = rocpkg(&["render", "gentoo", "--targets", "gfx1103", "--out", at]);
    assert_eq!(none.status.code(), Some(2));
    assert!(String::from_utf8(none.stderr).unwrap().contains("rccl"));
}

#[test]
fn the_check_of_the_shipped_model_passes_and_lists_what_is_known() {
    let run = rocpkg(&["check", "--json"]);
    assert_eq!(run.status.code(), Some(0));
    let all: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(all["findings"].as_array().unwrap().iter().all(|f| f["severity"] != "error"));
    let open = all["not-proved"].as_array().unwrap();
    assert!(!open.is_empty() && open.iter().all(|e| !e["missing"].as_array().unwrap().is_empty()));
    let known = all["known"].as_array().unwrap();
    assert!(known.iter().any(|k| k["code"] == "E0608" && k["distribution"] == "nixpkgs"));
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
