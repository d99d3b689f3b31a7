//! Tests of `rocpkg audit` and of `rocpkg gpu --installed`, on libraries that were made by Debian's
//! clang.

use rocpkg_test_support::{library, write_file};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

fn rocpkg(folder: &Path, args: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn what_a_library_holds_is_told_for_people_and_for_tools() {
    let dir = tempfile::tempdir().unwrap();
    library(
        dir.path(),
        "rocrand",
        &["gfx1030", "gfx90a:xnack-"],
        &["amdhip64", "rocblas"],
        &[],
    );
    let run = rocpkg(
        dir.path(),
        &["audit", "librocrand.so.1", "--gpu", "RX 6650 XT"],
    );
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    insta::assert_snapshot!(text(&run.stdout), @r"
    librocrand.so.1: 1 file read
      librocrand.so.1: 2 code objects, 11 kB, plain
        gfx1030 gfx90a:xnack-
        on gfx1032: only by HSA_OVERRIDE_GFX_VERSION=10.3.0; code for gfx1030 if the runtime is patched for it
    ");
    let held = [
        "audit",
        "gentoo",
        "librocrand.so.1",
        "--targets",
        "gfx1030,gfx1100",
        "--release",
        "7.2.0",
        "-v",
    ];
    let run = rocpkg(dir.path(), &held);
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
    insta::assert_snapshot!(text(&run.stdout), @r"
    librocrand.so.1: 1 file read, against gentoo 7.2.0
      librocrand.so.1 of rocrand: 2 code objects, 11 kB, plain
        gfx1030 gfx90a:xnack-
      librocrand.so.1 needs libamdhip64.so.1 librocblas.so.1
    warning[lacking]: librocrand.so.1: no code for gfx1100, but the recipe builds for it
    warning[unasked]: librocrand.so.1: code for gfx90a, but the recipe does not build for it
    warning[undeclared]: librocrand.so.1: needs librocblas.so.1 of rocBLAS, but the recipe of rocRAND does not depend on it
    ");
    let sarif = rocpkg(dir.path(), &[&held[..], &["--format", "sarif"]].concat());
    let sarif: Value = serde_json::from_slice(&sarif.stdout).unwrap();
    let rules: Vec<&str> = sarif["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r["ruleId"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["lacking", "unasked", "undeclared"]);
    // The report's pages show its results as a kind of their own.
    let json = rocpkg(dir.path(), &[&held[..], &["--format", "json"]].concat());
    let told: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(told["results"][0]["outcome"], "built");
    fs::create_dir(dir.path().join("results")).unwrap();
    write_file(dir.path().join("results/built.json"), &json.stdout);
    let run = rocpkg(
        dir.path(),
        &["report", "--out", "pages", "--results", "results"],
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    let page = fs::read_to_string(dir.path().join("pages/gpu/gfx1030.html")).unwrap();
    assert!(page.contains("built at 7.2.0"), "{page}");
}

/// Arch builds for the targets that a tool prints, and the model knows some of them.
#[test]
fn a_target_that_the_known_part_of_a_tools_list_has_is_expected() {
    let dir = tempfile::tempdir().unwrap();
    library(dir.path(), "rocblas", &["gfx1030", "gfx1200"], &[], &[]);
    let held = ["audit", "arch", "librocblas.so.1", "--release", "7.2.4"];
    let run = rocpkg(dir.path(), &held);
    assert_eq!(run.status.code(), Some(1), "{}", text(&run.stderr));
    insta::assert_snapshot!(text(&run.stdout));
}

#[test]
fn a_folder_of_kernels_without_a_target_of_its_library_is_a_fault() {
    let dir = tempfile::tempdir().unwrap();
    let lib = dir.path().join("lib");
    library(&lib, "rocblas", &["gfx1030", "gfx90a"], &[], &[]);
    fs::create_dir_all(lib.join("rocblas/library")).unwrap();
    let kernels = lib.join("rocblas/library");
    let other = library(&dir.path().join("other"), "x", &["gfx1030"], &[], &[]);
    let code = other.with_file_name("kernel.o");
    fs::copy(code, kernels.join("Kernels.so-000-gfx1030.hsaco")).unwrap();
    let run = rocpkg(dir.path(), &["audit", "lib"]);
    let said = text(&run.stdout);
    let row = "warning[damaged]: rocblas/library: no kernels for gfx90a, but librocblas.so.1 has code for it";
    assert!(said.contains(row), "{said}");
    assert_eq!(run.status.code(), Some(1), "{said}");
    let run = rocpkg(dir.path(), &["audit", "lib", "--format", "json"]);
    assert!(text(&run.stdout).contains("no kernels for gfx90a"));
}

#[test]
fn what_is_no_built_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    write_file(dir.path().join("notes"), "words");
    fs::create_dir(dir.path().join("empty")).unwrap();
    library(&dir.path().join("x"), "rocrand", &["gfx1030"], &[], &[]);
    let run = rocpkg(dir.path(), &["audit", "notes", "x/librocrand.so.1"]);
    assert!(
        text(&run.stdout).contains("gfx1030")
            && text(&run.stderr).contains("notes: not an ELF file"),
        "{run:?}"
    );
    assert_eq!(run.status.code(), Some(2));
    for (args, said) in [
        (
            &["audit", "empty"][..],
            "empty: contains no ELF file, offload bundle, kernel library or package",
        ),
        (
            &["audit", "archh"],
            "No such file or directory (os error 2); the distributions are gentoo, arch, nix and solus",
        ),
        (
            &["audit", "x/librocrand.so.1", "--targets", "gfx1030"],
            "name it first",
        ),
        (
            &["audit", "arch", "x/librocrand.so.1", "--package", "rocrnad"],
            "no package of arch is called `rocrnad`; did you mean `rocrand`?",
        ),
        (
            &["audit", "notes"][..],
            "notes: not an ELF file, an offload bundle, a kernel library or a package",
        ),
        (&["audit", "nowhere"], "nowhere: No such file or directory"),
        (&["audit", "gentoo"], "nothing to read"),
        (
            &["gpu", "gfx1030", "--installed", "."],
            "no library of the stack is in .",
        ),
    ] {
        let run = rocpkg(dir.path(), args);
        assert_eq!(run.status.code(), Some(2));
        assert!(text(&run.stderr).contains(said), "{}", text(&run.stderr));
    }
}

#[test]
fn what_is_installed_is_told_beside_what_is_promised() {
    let dir = tempfile::tempdir().unwrap();
    library(dir.path(), "rocrand", &["gfx1030"], &[], &[]);
    library(dir.path(), "rccl", &["gfx1100"], &[], &[]);
    library(dir.path(), "somebodys", &["gfx1032"], &[], &[]);
    let run = rocpkg(
        dir.path(),
        &[
            "gpu",
            "RX 6650 XT",
            "--distro",
            "gentoo",
            "--installed",
            ".",
        ],
    );
    let said = text(&run.stdout);
    let (_, installed) = said.split_once("installed in ").unwrap();
    insta::assert_snapshot!(installed, @r"
    ., on gfx1032:
      no kernels: librccl.so.1
      code for gfx1030, which loads by the distribution's patches: librocrand.so.1
    ");
    // A library and the links to it are read once.
    std::os::unix::fs::symlink("librocrand.so.1", dir.path().join("librocrand.so")).unwrap();
    let json = rocpkg(
        dir.path(),
        &[
            "gpu",
            "gfx1030",
            "--distro",
            "gentoo",
            "--installed",
            ".",
            "--json",
        ],
    );
    let told: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(told["installed"]["libraries"][1]["on"]["gfx1030"], "native");
}

#[test]
fn names_of_files_move_no_cursor() {
    let dir = tempfile::tempdir().unwrap();
    library(dir.path(), "rocrand", &["gfx1030"], &[], &[]);
    let name = "lib\x1b[31mred\n.so.1";
    fs::rename(dir.path().join("librocrand.so.1"), dir.path().join(name)).unwrap();
    // The kernels are for another target, which a row reports.
    let kernels = dir.path().join("\x1b[31mred\n");
    fs::create_dir(&kernels).unwrap();
    write_file(kernels.join("table_gfx90a.dat"), "table");
    for folder in [".", name, "no\x1bsuch"] {
        let run = rocpkg(dir.path(), &["audit", folder, "-v"]);
        let said = [run.stdout, run.stderr].concat();
        let said = text(&said);
        assert!(!said.contains('\x1b'), "{said:?}");
        assert!(said.contains('\u{241b}'), "{said:?}");
    }
}
