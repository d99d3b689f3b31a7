//! Runs the programs of `examples/` and compares their output.

use rocpkg_test_support::write_file;

/// Returns the output of an example. Cargo builds the examples together with the tests, into a
/// folder beside theirs.
fn printed(name: &str) -> String {
    given(name, &[])
}

/// Returns the output of an example that is run with arguments.
fn given(name: &str, words: &[&str]) -> String {
    let here = std::env::current_exe().unwrap();
    let program = here.ancestors().nth(2).unwrap().join("examples").join(name);
    let run = rocpkg_programs::own(program)
        .args(words)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn a_package_is_held_in_a_snapshot() {
    printed("snapshot");
}

#[test]
fn each_program_prints_what_it_is_there_to_show() {
    let all = [
        "build_plan",
        "built",
        "changed_package",
        "checkout",
        "dependencies",
        "ebuild",
        "ebuild_live",
        "ebuild_llvm",
        "ebuild_module",
        "ebuild_python",
        "ebuild_rust",
        "eclass",
        "expression",
        "gpus",
        "other_stack",
        "pkgbuild",
        "srcinfo",
    ];
    for name in all {
        insta::assert_snapshot!(name, printed(name));
    }
}

#[test]
fn a_recipe_is_printed_from_its_values_with_what_was_added() {
    let dir = tempfile::tempdir().unwrap();
    for (file, text, added) in [
        (
            "x-1.ebuild",
            "EAPI=8\nIUSE=\"a\" # ours\n",
            "EAPI=8\nIUSE=\"a zz\" # ours\n",
        ),
        (
            "x.eclass",
            "inherit a\nIUSE=a\nx() { :; }\n",
            "inherit a\nIUSE=\"a zz\"\nx() {\n\t:\n}\n",
        ),
        ("PKGBUILD", "IUSE=(a)\n", "IUSE=(a zz)\n"),
    ] {
        let path = dir.path().join(file);
        write_file(&path, text);
        let path = path.display().to_string();
        assert_eq!(given("reprint", &["--add", "IUSE=zz", &path]), added);
    }
}

#[test]
fn sums_come_from_a_mirror_that_lies_here() {
    let mirror = tempfile::tempdir().unwrap();
    let repository = mirror.path().join("nimbus-hpc/nimBLAS.git");
    std::fs::create_dir_all(&repository).unwrap();
    write_file(repository.join("CMakeLists.txt"), "project(nimBLAS)\n");
    rocpkg_test_support::git(&repository, &["init", "--quiet"]);
    rocpkg_test_support::commit(&repository);
    rocpkg_test_support::git(&repository, &["tag", "v3.1.0"]);
    let address = format!(
        "file://{}/{{owner}}/{{repository}}.git",
        mirror.path().display()
    );
    let said = given("sums", &[&address]);
    assert!(
        said.starts_with("nimBLAS/tree at 3.1.0: sri sha256-"),
        "{said}"
    );
}

#[test]
fn no_program_is_longer_than_75_lines() {
    for entry in std::fs::read_dir("examples").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|e| e == "rs") {
            assert!(
                std::fs::read_to_string(&path).unwrap().lines().count() <= 75,
                "{}",
                path.display()
            );
        }
    }
}
