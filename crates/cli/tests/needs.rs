//! Runs `order --needs`, `list --licences` and `explain` with the names that distributions have.

use rocpkg_programs::own;
use std::process::Output;

fn rocpkg(args: &[&str]) -> Output {
    let mut program = own(env!("CARGO_BIN_EXE_rocpkg"));
    program.args(args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn out(args: &[&str]) -> String {
    let run = rocpkg(args);
    assert!(run.status.success(), "{args:?}: {}", text(&run.stderr));
    text(&run.stdout)
}

#[test]
fn what_makes_hip_in_arch_is_listed_with_licences() {
    let said = out(&["order", "arch", "--needs", "hip-runtime-amd"]);
    insta::assert_snapshot!("hip_in_arch", said);
    // The same by the component, and by the name of another distribution.
    let packages = |name| {
        let json = out(&["order", "arch", "--needs", name, "--json"]);
        let all: serde_json::Value = serde_json::from_str(&json).unwrap();
        all["stages"].clone()
    };
    assert_eq!(packages("hip-runtime-amd"), packages("clr"));
    let rows = packages("clr");
    let rows = rows.as_array().unwrap().iter();
    let rows: Vec<_> = rows.flat_map(|stage| stage.as_array().unwrap()).collect();
    let llvm = rows.iter().find(|row| row["id"] == "rocm-llvm").unwrap();
    assert_eq!(llvm["device"], false);
    let parts = llvm["packages"].as_array().unwrap();
    assert!(parts.iter().any(|part| part == "comgr"), "{llvm}");
    assert!(llvm["licences"].as_array().unwrap().iter().any(|l| l != ""));
    let typo = rocpkg(&["order", "arch", "--needs", "hip-runtme"]);
    assert_eq!(typo.status.code(), Some(2), "{}", text(&typo.stdout));
}

#[test]
fn a_name_that_another_distribution_uses_stands_for_its_package() {
    let stages = |name: &str| {
        let json = out(&["order", "nix", "--needs", name, "--json"]);
        let all: serde_json::Value = serde_json::from_str(&json).unwrap();
        all["stages"].clone()
    };
    // `hip` is the runtime in Gentoo, and the profile of the headers alone in nixpkgs.
    assert_eq!(stages("hip"), stages("clr"));
    assert_eq!(stages("hip-common").as_array().unwrap().len(), 1);
    // Nothing is listed for a name that is only an external dependency.
    for (distro, name, expected) in [
        (
            "solus",
            "rocprofiler-register",
            "no `rocprofiler-register` in solus; arch and nixpkgs have it",
        ),
        ("arch", "boost", "no package of arch is called `boost`"),
    ] {
        let run = rocpkg(&["order", distro, "--needs", name]);
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{said}");
        assert!(said.contains(expected), "{said}");
    }
}

#[test]
fn the_compiler_of_the_distribution_is_named() {
    let said = out(&["order", "gentoo", "--needs", "hip"]);
    let line = "and from the distribution, as their compiler: llvm-core/clang\n";
    assert!(said.contains(line), "{said}");
    // Arch has a package of the compiler.
    let said = out(&["order", "arch", "--needs", "clr"]);
    assert!(!said.contains("as their compiler"), "{said}");
}

#[test]
fn packages_of_several_releases_have_a_range_in_the_heading() {
    let of_one = out(&["list", "--distro", "solus", "--release", "7.0.2"]);
    assert!(of_one.contains("packages, 7.0.2)\n"), "{of_one}");
    let shipped = out(&["list", "--distro", "solus"]);
    let range = shipped
        .split_once(" packages, ")
        .and_then(|(_, s)| s.split_once(')'));
    let (range, _) = range.unwrap();
    assert!(range.starts_with("6.0.0 to 7."), "{range}");
    let gpu = out(&["gpu", "gfx1031", "--distro", "solus"]);
    assert!(gpu.contains(&format!("  solus {range}: native")), "{gpu}");
}

#[test]
fn licences_are_listed_with_what_is_troublesome() {
    let said = out(&["list", "--licences"]);
    let line = |start: &str| {
        let found = said.lines().filter(|l| l.trim().starts_with(start));
        found.map(str::to_owned).collect::<Vec<_>>()
    };
    let binary = line("troubled: aqlprofile: binary: <7.0: ");
    assert_eq!(binary.len(), 1, "upstream alone, with its releases: {said}");
    assert_eq!(line("troubled: rocm-core: binary: <5.1: ").len(), 1);
    assert!(!line("troubled: rocm-gdb: kernel-module: ").is_empty());
    assert!(!line("troubled: hsa-amd-aqlprofile: binary: AMD's binary").is_empty());
    let arch = out(&["list", "--licences", "--distro", "arch", "--json"]);
    let arch: serde_json::Value = serde_json::from_str(&arch).unwrap();
    assert_eq!(arch.as_array().unwrap().len(), 1);
    let mit = arch[0]["licences"]["MIT"].as_array().unwrap();
    assert!(mit.iter().any(|name| name == "rocblas"), "{mit:?}");
    assert_eq!(arch[0]["troubled"]["rocm-core"], serde_json::Value::Null);
}

#[test]
fn explain_takes_the_name_that_any_distribution_has() {
    let heads = |name: &str| -> Vec<String> {
        let said = out(&["explain", name]);
        let heads = said
            .lines()
            .filter(|l| !l.starts_with(' ') && !l.is_empty());
        heads.map(str::to_owned).collect()
    };
    let has = |name: &str, package: &str| {
        let heads = heads(name);
        let found = heads.iter().any(|head| head.starts_with(package));
        assert!(found, "{name}: {heads:?}");
    };
    has("comgr", "rocm-llvm in arch");
    has("comgr", "rocm-comgr in gentoo");
    has("hip-runtime-amd", "hip-runtime in arch");
    has("hip-runtime-amd", "clr in nixpkgs");
    has("librocsolver0", "rocsolver in arch");
    has("python-pytorch-rocm", "python-pytorch in arch");
    has("python-pytorch-rocm", "caffe2 in gentoo");
    has("PyTorch", "torch in nixpkgs");
    has("rocmPackages.aotriton", "aotriton in nixpkgs");
}

#[test]
fn cycles_are_named_with_the_way_in_which_they_are_broken() {
    let said = out(&["order", "arch", "--changed", "rocblas"]);
    let cycle = "a cycle: python-aotriton and python-pytorch need each other: ";
    assert!(said.contains(cycle), "{said}");
    assert!(said.contains("arch breaks it: AOTRITON_USE_TORCH is off"));
    let nix = out(&["order", "nix"]);
    for cycle in [
        "aotriton and torch need each other",
        "rocm-runtime and aqlprofile need each other",
        "clr and rocprofiler-register need each other",
    ] {
        assert!(nix.contains(&format!("a cycle: {cycle}")), "{nix}");
    }
    let explained = out(&["explain", "rocr-runtime", "--distro", "nix"]);
    assert!(explained.contains("nixpkgs breaks it: remove-hsa-aqlprofile-dep.patch"));
    let untouched = out(&["order", "arch", "--changed", "rocal"]);
    assert!(!untouched.contains("a cycle"), "{untouched}");
}

#[test]
fn a_component_is_absent_at_releases_before_its_first_one() {
    let said = out(&["changes", "6.0.2", "6.2.4", "arch"]);
    let new = "New packages:\n- rocprofiler-register, rocdecode, rocal\n";
    assert!(said.contains(new), "{said}");
    for name in [
        "hipblas-common",
        "hipdnn",
        "rocjitsu",
        "libhipcxx",
        "rocjpeg",
    ] {
        assert!(!said.contains(name), "{name}: {said}");
        let run = rocpkg(&["order", "arch", "--release", "6.0.2", "--needs", name]);
        let refused = text(&run.stderr);
        assert_eq!(run.status.code(), Some(2), "{refused}");
        let reason = format!("arch has no `{name}` at ROCm 6.0.2: it is made for ROCm >=");
        assert!(refused.contains(&reason), "{refused}");
    }
    // Packages that need such a component at later releases alone are not absent with it.
    let nix = out(&["order", "nix", "--release", "6.0.2"]);
    for name in ["rocblas", "miopen", "migraphx", "rccl"] {
        assert!(nix.contains(&format!(" {name}")), "{name}: {nix}");
    }
    assert!(!nix.contains("hipblas-common") && !nix.contains("rocprofiler-register"));
}
