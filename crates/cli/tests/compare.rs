//! Tests of the grades of `rocpkg compare`: rows that break a build, rows that differ, and rows
//! that are only spelled differently.

use crate::checkout::{edit, fine, overlay, rocpkg};
use rocpkg_test_support::{commit, write_file};
use serde_json::Value;
use std::fs;

#[test]
fn rows_have_three_grades() {
    let dir = overlay(&["rccl", "hipblas"], "7.2.0");
    let root = dir.path();
    let rccl = root.join("dev-libs/rccl/rccl-7.2.0.ebuild");
    edit(&rccl, " gfx1030 ", " ");
    let hipblas = root.join("sci-libs/hipBLAS/hipBLAS-7.2.0.ebuild");
    edit(&hipblas, "CLIENTS_TESTS=OFF", "CLIENTS_TESTS=Off");
    let copy = "\nsrc_compile() {\n\tcmake_src_compile\n}\n";
    let text = fs::read_to_string(&hipblas).unwrap() + copy;
    write_file(&hipblas, &text);
    // A difference in spelling alone is not reported.
    let said = fine(root, &["compare", "hipblas"]);
    assert_eq!(
        said,
        "0 rows of 1 recipes\n2 more are spelled differently; -v shows them\n"
    );
    assert_eq!(fine(root, &["compare", "hipblas", "--take", "all"]), said);
    assert_eq!(fs::read_to_string(&hipblas).unwrap(), text);
    edit(&hipblas, "IUSE=\"rocsolver\"", "IUSE=\"\"");
    edit(&hipblas, "BENCHMARKS=OFF", "BENCHMARKS=ON");
    let (status, said) = rocpkg(root, &["compare"]);
    assert_eq!(status, 1);
    for what in [
        "SUPPORTED_TARGETS / gfx1030 (breaks)\n    why: `rccl` is not built for gfx1030, but `caffe2` needs it\n",
        "IUSE / rocsolver (breaks)\n    why: USE flag `rocsolver` is used, but it is not in IUSE (E0802)\n",
        "src_configure() / mycmakeargs / -DBUILD_CLIENTS_BENCHMARKS\n",
        "3 rows of 2 recipes: 2 breaks, 1 differs; ",
        "\n2 more are spelled differently; -v shows them\n",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    assert!(!said.contains("src_compile()"), "{said}");
    let (_, said) = rocpkg(root, &["compare", "-v"]);
    for what in [
        "src_compile() (spelled differently)\n",
        "-DBUILD_CLIENTS_TESTS (spelled differently)\n",
        "\n2 more are spelled differently\n",
    ] {
        assert!(said.contains(what), "{what}: {said}");
    }
    let json: Value =
        serde_json::from_str(&rocpkg(root, &["compare", "--format", "json"]).1).unwrap();
    let grades = json["rows"].as_array().unwrap().iter();
    let grades: Vec<&str> = grades.map(|row| row["grade"].as_str().unwrap()).collect();
    assert_eq!(
        grades,
        ["breaks", "breaks", "differs", "spelled", "spelled"]
    );
    assert_eq!(json["grades"]["spelled"], 2);
    let sarif: Value =
        serde_json::from_str(&rocpkg(root, &["compare", "--format", "sarif"]).1).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap().iter();
    let levels: Vec<&str> = results.map(|row| row["level"].as_str().unwrap()).collect();
    assert_eq!(levels, ["error", "error", "note"]);
    rocpkg(root, &["compare", "--take", "all"]);
    assert!(fine(root, &["compare"]).starts_with("0 rows of 2 recipes\n2 more"));
}

#[test]
fn a_dependency_that_another_package_brings_is_a_row() {
    let names = [
        "rccl",
        "rocm-device-libs",
        "rocr-runtime",
        "miopen",
        "rocrand",
    ];
    let dir = overlay(&names, "7.2.4");
    let root = dir.path();
    // The order within a call has no meaning.
    let libs = "dev-libs/rocm-device-libs/rocm-device-libs-7.2.4.ebuild";
    let [lld, llvm] =
        ["lld", "llvm"].map(|name| format!("\t\tllvm-core/{name}:\\${{LLVM_SLOT}}\n"));
    edit(
        &root.join(libs),
        &format!("{llvm}{lld}"),
        &format!("{lld}{llvm}"),
    );
    let said = fine(root, &["compare"]);
    assert!(said.starts_with("0 rows of 5 recipes\n"), "{said}");
    for (recipe, line, less, row) in [
        (
            "dev-libs/rccl/rccl",
            "\tdev-libs/rocr-runtime:${SLOT}\n",
            "",
            "model: dev-libs/rocr-runtime:${SLOT}",
        ),
        (
            "dev-libs/rocm-device-libs/rocm-device-libs",
            "\t\tllvm-core/llvm:\\${LLVM_SLOT}\n",
            "",
            "llvm-core/llvm:\\${LLVM_SLOT} ",
        ),
        (
            "dev-libs/rocr-runtime/rocr-runtime",
            "\t\tllvm-core/llvm:\\${LLVM_SLOT}=\n",
            "",
            "llvm-core/llvm:\\${LLVM_SLOT}= ",
        ),
        (
            "sci-libs/miopen/miopen",
            "\thipblaslt? ( sci-libs/hipBLAS-common:${SLOT} )\n",
            "",
            "model: hipblaslt? ( sci-libs/hipBLAS-common:${SLOT} )",
        ),
        (
            "sci-libs/rocRAND/rocRAND",
            ">=dev-cpp/benchmark-1.9.1",
            "dev-cpp/benchmark",
            "model: >=dev-cpp/benchmark-1.9.1",
        ),
    ] {
        edit(&root.join(format!("{recipe}-7.2.4.ebuild")), line, less);
        let (_, said) = rocpkg(root, &["compare"]);
        assert!(said.contains(row), "{row}: {said}");
    }
}

#[test]
fn a_contradiction_that_the_model_does_not_know_is_a_row() {
    let dir = overlay(&["hipblas"], "7.2.0");
    let root = dir.path();
    let file = root.join("sci-libs/hipBLAS/hipBLAS-7.2.0.ebuild");
    edit(
        &file,
        "\trocm_use_clang\n",
        "\trocm_use_clang\n\tuse ours && einfo hi\n",
    );
    let (status, said) = rocpkg(root, &["compare"]);
    assert_eq!(status, 1);
    assert!(
        said.contains(
            "src_configure() / use ours && einfo hi (breaks)\n    why: USE flag `ours` is used"
        ),
        "{said}"
    );
    // An eclass that is inherited and not used breaks nothing.
    edit(&file, "\tuse ours && einfo hi\n", "");
    edit(&file, "inherit cmake", "inherit cmake edo");
    let (status, said) = rocpkg(root, &["compare"]);
    assert_eq!(status, 1);
    assert!(
        said.contains("inherit / edo\n    why: nothing uses edo.eclass (E0804)"),
        "{said}"
    );
}

#[test]
fn what_could_not_be_checked_is_counted_and_listed_on_request() {
    let dir = overlay(&["hipblas"], "7.1.1");
    let root = dir.path();
    let folder = root.join("sci-libs/hipBLAS");
    let file = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "ebuild"))
        .unwrap();
    edit(&file, "inherit cmake", "inherit cmake ours");
    edit(
        &file,
        "\trocm_use_clang\n",
        "\trocm_use_clang\n\tuse ours && einfo hi\n",
    );
    commit(root);
    let question = "USE flags: ours.eclass was not found";
    for command in [
        &["compare"][..],
        &["bump", "7.2.4", "hipblas", "--dry-run"],
        &["bump", "7.2.4", "hipblas"],
    ] {
        let said = rocpkg(root, command).1;
        let count = said.split("not checked (").nth(1).unwrap_or(&said);
        let end = "); -v lists them\n";
        assert!(count.contains(end) && !said.contains(question), "{said}");
        let said = rocpkg(root, &[command, &["-v"]].concat()).1;
        let line = said.lines().find(|line| line.ends_with(question));
        let line = line.unwrap_or_else(|| panic!("{command:?}: {said}"));
        // The place is one in the edited recipe.
        let version = if command.len() == 1 { "7.1.1" } else { "7.2.4" };
        let start = format!("  sci-libs/hipBLAS/hipBLAS-{version}");
        assert!(line.starts_with(&start), "{line}");
    }
    let json = rocpkg(root, &["bump", "7.2.4", "hipblas", "--dry-run", "--json"]).1;
    let json: Value = serde_json::from_str(&json).unwrap();
    let all = json["recipes"]["unchecked"].as_array().unwrap();
    let flags = all.iter().find(|q| q["subject"] == "USE flags").unwrap();
    assert_eq!(flags["reason"], "ours.eclass was not found");
    assert!(flags["line"].as_u64().unwrap() > 1, "{flags}");
    let json = rocpkg(root, &["compare", "--format", "json"]).1;
    let json: Value = serde_json::from_str(&json).unwrap();
    assert!(!json["unchecked"].as_array().unwrap().is_empty(), "{json}");
}

#[test]
fn an_item_that_is_no_list_of_targets_breaks_nothing() {
    let dir = overlay(&["rocblas"], "7.2.0");
    let root = dir.path();
    let file = root.join("sci-libs/rocBLAS/rocBLAS-7.2.0.ebuild");
    let option = "\t\t-DCHIP_OF_TESTS=gfx900\n";
    let args = "local mycmakeargs=(\n";
    edit(&file, args, &format!("{args}{option}"));
    let (status, said) = rocpkg(root, &["compare"]);
    assert_eq!(status, 1);
    assert!(
        said.contains("1 rows of 1 recipes: 0 breaks, 1 differs"),
        "{said}"
    );
}
