//! Tests of the questions about GPU targets, and of the check of the whole model.

use rocpkg_test_support::write_file;
use std::process::Output;

fn rocpkg(args: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap()
}

fn out(args: &[&str]) -> String {
    let run = rocpkg(args);
    String::from_utf8(run.stdout).unwrap() + &String::from_utf8(run.stderr).unwrap()
}

#[test]
fn names_are_taken_as_people_write_them() {
    let gpu = |name| out(&["gpu", name, "--distro", "gentoo"]);
    assert!(
        gpu("RX 7900 XTX").starts_with("RX 7900 XTX: gfx1100, "),
        "{}",
        gpu("RX 7900 XTX")
    );
    assert!(
        gpu("gfx90a:xnack+").starts_with("gfx90a:xnack+: gfx90a, "),
        "{}",
        gpu("gfx90a:xnack+")
    );
    let family = gpu("gfx103X-dgpu");
    assert!(
        family.starts_with("gfx103X-dgpu: gfx1030 gfx1031 gfx1032 gfx1034, family gfx103X-dgpu\n"),
        "{family}"
    );
    assert_eq!(
        gpu("gfx1o30"),
        "error: `gfx1o30` is not a known GPU target, family or product; did you mean `gfx1030`?\n"
    );
    assert_eq!(
        gpu("gfx1030:xnack+"),
        "error: `gfx1030:xnack+`: `gfx1030` has no xnack mode\n"
    );
    assert_eq!(rocpkg(&["gpu", "gfx1o30"]).status.code(), Some(2));
}

#[test]
fn no_name_is_not_every_gpu() {
    for args in [
        &["render", "arch", "--out", "/dev/null", "--targets", ","][..],
        &["use", "rocblas", "--targets", ""],
    ] {
        let run = rocpkg(args);
        let said = String::from_utf8(run.stderr).unwrap();
        assert!(
            run.status.code() == Some(2) && said.contains("no GPU target named"),
            "{args:?}: {said}"
        );
    }
}

#[test]
fn what_a_gpu_is_and_why_a_package_has_no_code_for_it_is_told() {
    let gpu = |name, distro| -> serde_json::Value {
        let run = rocpkg(&["gpu", name, "--distro", distro, "--json"]);
        serde_json::from_slice::<serde_json::Value>(&run.stdout).unwrap()["gpus"][0]["on"][0]
            .clone()
    };
    let facts = &gpu("gfx90a", "gentoo")["facts"];
    assert_eq!(facts["modes"], "xnack sramecc");
    assert_eq!(facts["family"], "CDNA2, card");
    assert_eq!(
        gpu("gfx1031", "gentoo")["facts"]["loads code for"],
        "gfx1031 gfx10-3-generic"
    );
    let reason = |name, distro, package: &str| {
        let on = gpu(name, distro);
        let rows = on["distributions"][0]["packages"]
            .as_array()
            .unwrap()
            .clone();
        let row = rows
            .into_iter()
            .find(|row| row["package"] == package)
            .unwrap();
        (
            row["way"].as_str().unwrap().to_owned(),
            row["reason"].as_str().unwrap().to_owned(),
        )
    };
    let (way, why) = reason("gfx1030", "gentoo", "hipblaslt");
    assert_eq!(
        (way.as_str(), why.as_str()),
        ("no-kernels", "https://github.com/ROCm/TheRock/issues/1062")
    );
    let (_, why) = reason("gfx1103", "gentoo", "rccl");
    assert_eq!(why, "not in the package's list");
    let (_, why) = reason("gfx1152", "gentoo", "rocrand");
    assert_eq!(why, "rocRAND has no flag for it");
    let (way, why) = reason("gfx1100", "arch", "rocblas");
    assert_eq!(
        (way.as_str(), why.as_str()),
        ("unknown", "what `rocm-supported-gfx` prints is not known")
    );
}

#[test]
fn a_tree_for_some_gpus_is_written_or_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().to_str().unwrap();
    let written = rocpkg(&[
        "render",
        "arch",
        "--targets",
        "RX 7900 XTX",
        "--out",
        at,
        "--allow-missing",
    ]);
    assert_eq!(
        written.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&written.stderr)
    );
    let text = std::fs::read_to_string(dir.path().join("arch/rocblas/PKGBUILD")).unwrap();
    assert!(text.contains("-D GPU_TARGETS=gfx1100"), "{text}");
    let strange = rocpkg(&["render", "gentoo", "--targets", "gfx1036", "--out", at]);
    assert_eq!(strange.status.code(), Some(2));
    assert!(
        String::from_utf8(strange.stderr)
            .unwrap()
            .contains("gentoo does not offer gfx1036")
    );
    let some = rocpkg(&["render", "gentoo", "--targets", "gfx1103", "--out", at]);
    assert_eq!(some.status.code(), Some(0));
    let said = String::from_utf8(some.stdout).unwrap();
    assert!(
        said.contains("left out (1): rccl: it can't be built for gfx1103\n"),
        "{said}"
    );
    let named = ["--targets", "gfx1103", "--package", "rccl", "--out", at];
    let none = rocpkg(&[&["render", "gentoo"], &named[..]].concat());
    assert_eq!(none.status.code(), Some(2));
    assert!(String::from_utf8(none.stderr).unwrap().contains("rccl"));
}

#[test]
fn the_check_of_the_shipped_model_passes_and_lists_what_is_known() {
    let run = rocpkg(&["check", "--json"]);
    assert_eq!(run.status.code(), Some(0));
    let all: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(
        all["findings"]
            .as_array()
            .unwrap()
            .iter()
            .all(|f| f["severity"] != "error")
    );
    let open = all["not-proved"].as_array().unwrap();
    assert!(
        !open.is_empty()
            && open
                .iter()
                .all(|e| !e["missing"].as_array().unwrap().is_empty())
    );
    let known = all["known"].as_array().unwrap();
    assert!(
        known
            .iter()
            .any(|k| k["code"] == "E0608" && k["distribution"] == "nixpkgs")
    );
    assert!(
        known
            .iter()
            .all(|k| !k["reason"].as_str().unwrap().is_empty())
    );
}

#[test]
fn the_check_fails_with_1_on_a_hole() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(dir.path().join("distros/gentoo")).unwrap();
    let text = "targets: {excludes: [{targets: [gfx1031], reason: to make a hole}]}\n";
    write_file(dir.path().join("distros/gentoo/rocrand.yaml"), text);
    let run = rocpkg(&[
        "check",
        "--distro",
        "gentoo",
        "--profiles",
        dir.path().to_str().unwrap(),
    ]);
    assert_eq!(run.status.code(), Some(1));
    let text = String::from_utf8(run.stderr).unwrap();
    assert!(
        text.contains("E0602") && text.contains("miopen > rocrand"),
        "{text}"
    );
}
