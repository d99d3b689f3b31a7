//! Tests of recipes that count their own releases: the counter continues from the existing recipe.
//! In a checkout of a distribution's repository, packages are written to their folders.

use rocpkg_test_support::write_file;
use std::fs;
use std::path::Path;
use std::process::Output;

fn rocpkg(args: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap()
}

fn said(run: &Output) -> String {
    String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr)
}

/// Renders one package into a checkout, and returns its version and its counter.
fn render(dir: &Path, release: &str, more: &[&str]) -> (String, String) {
    let at = dir.to_str().unwrap();
    let args = [
        "render",
        "solus",
        "--into",
        at,
        "--package",
        "rocprim",
        "--release",
        release,
    ];
    let run = rocpkg(&[&args[..], more].concat());
    assert!(run.status.success(), "{}", said(&run));
    counted(dir)
}

fn counted(dir: &Path) -> (String, String) {
    let text = fs::read_to_string(dir.join("packages/r/rocprim/package.yml")).unwrap();
    let field = |key: &str| {
        let line = text.lines().find(|l| l.starts_with(key)).unwrap();
        line.split_once(": ").unwrap().1.to_owned()
    };
    (field("version"), field("release"))
}

#[test]
fn the_counter_of_a_recipe_goes_on_and_never_back() {
    let dir = tempfile::tempdir().unwrap();
    let pair = |version: &str, release: &str| (version.to_owned(), release.to_owned());
    // In an empty folder, the recipe gets the counter that the distribution's recipe had at this
    // release.
    assert_eq!(render(dir.path(), "6.0.0", &[]), pair("3.0.0", "4"));
    assert_eq!(render(dir.path(), "6.0.0", &[]), pair("3.0.0", "4"));
    assert!(
        dir.path()
            .join("packages/r/rocprim/monitoring.yaml")
            .is_file()
    );
    // The counter goes up by one for another version, stays for the same version, and also goes up
    // on the way back.
    assert_eq!(
        render(dir.path(), "7.0.2", &["--allow-missing"]),
        pair("7.0.2", "5")
    );
    assert_eq!(
        render(dir.path(), "7.0.2", &["--allow-missing"]),
        pair("7.0.2", "5")
    );
    assert_eq!(
        render(dir.path(), "6.0.0", &["--older"]),
        pair("3.0.0", "6")
    );
    let args = ["--package", "rocprim", "--release", "6.0.0", "--check"];
    let check = rocpkg(
        &[
            &["render", "solus", "--into", dir.path().to_str().unwrap()],
            &args[..],
        ]
        .concat(),
    );
    assert!(check.status.success(), "{}", said(&check));
}

#[test]
fn a_counter_that_was_set_by_hand_counts() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("packages/r/rocprim/package.yml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    // A recipe of an unknown version is not replaced by default. If it is replaced, its counter
    // continues.
    write_file(&file, "name : rocprim\nversion : 2.10.9\nrelease : 21\n");
    let at = dir.path().to_str().unwrap();
    let args = [
        "render",
        "solus",
        "--into",
        at,
        "--package",
        "rocprim",
        "--release",
        "6.0.0",
    ];
    let run = rocpkg(&args);
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    assert!(
        said(&run).contains("  rocprim  not touched: it states release 2.10.9"),
        "{}",
        said(&run)
    );
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .starts_with("name : rocprim\nversion : 2.10.9\n")
    );
    assert_eq!(
        render(dir.path(), "6.0.0", &["--whole"]),
        ("3.0.0".to_owned(), "22".to_owned())
    );
}

#[test]
fn a_bump_that_hides_code_in_compressed_bundles_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().to_str().unwrap();
    let layer = tempfile::tempdir().unwrap();
    let file = layer.path().join("distros/solus/rocm-comgr.yaml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    let gone = "patches: {0001-Comgr-Extend-ISA-compatibility-for-CCOB.patch: ~}\n";
    write_file(&file, gone);
    let made = rocpkg(&["render", "solus", "--release", "6.0.0", "--into", at]);
    assert!(made.status.success(), "{}", said(&made));
    write_file(dir.path().join("rocpkg.toml"), "distribution = \"solus\"\n");
    let bump = |more: &[&str]| {
        let run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
            .args(["bump", "6.2.4", "--json"])
            .args(more)
            .current_dir(dir.path())
            .output()
            .unwrap();
        let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        json.to_string()
    };
    // Both patches are part of the new recipes, and their files are missing.
    let patched = bump(&["--dry-run"]);
    assert!(
        patched.contains("`files/0001-Comgr-Extend-ISA-compatibility-for-CCOB.patch` is missing")
    );
    let reviewed = "\"kind\":\"target\",\"blocks\":false,\"text\":\"its code is in compressed bundles \
                    now (the recipe sets `OFFLOAD_BUNDLER_COMPRESS`), in which the runtime finds \
                    code for other GPUs only by rocm-llvm: ";
    assert!(patched.contains(reviewed));
    let lacking = bump(&["--dry-run", "--profiles", layer.path().to_str().unwrap()]);
    let todo = "\"kind\":\"target\",\"blocks\":true,\"text\":\"its code is in compressed bundles now \
                (the recipe sets `OFFLOAD_BUNDLER_COMPRESS`)";
    assert!(lacking.contains(todo));
}

#[test]
fn a_checkout_takes_its_own_distribution_alone() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().to_str().unwrap();
    let other = rocpkg(&["render", "arch", "solus", "--into", at]);
    assert_eq!(other.status.code(), Some(2), "{}", said(&other));
    assert!(
        said(&other).contains("a checkout contains the files of one distribution"),
        "{}",
        said(&other)
    );
    let whole = rocpkg(&["render", "solus", "--into", at]);
    assert!(whole.status.success(), "{}", said(&whole));
    for package in [
        "packages/r/rocblas",
        "packages/m/miopen",
        "packages/c/composable-kernel",
    ] {
        assert!(
            dir.path().join(package).join("package.yml").is_file(),
            "{package}"
        );
    }
    assert!(!dir.path().join("solus").exists());
    assert!(
        !rocpkg(&["render"]).status.success(),
        "it must be told where to write"
    );
}

#[test]
fn what_can_not_be_counted_on_from_is_refused_and_not_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().join("packages/r/rocprim/package.yml");
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    let args = [
        "render",
        "solus",
        "--into",
        dir.path().to_str().unwrap(),
        "--package",
        "rocprim",
        "--whole",
    ];
    assert!(
        rocpkg_programs::command("mkfifo")
            .arg(&at)
            .status()
            .unwrap()
            .success()
    );
    let run = rocpkg(&args);
    assert_eq!(run.status.code(), Some(2));
    assert!(said(&run).contains("error[E0571]"), "{}", said(&run));
    fs::remove_file(&at).unwrap();
    // The counter can't be read, so it would begin anew.
    write_file(&at, b"version : 6.0.0\nrelease : 17\nsummary : caf\xe9\n");
    let run = rocpkg(&args);
    assert_eq!(run.status.code(), Some(1), "{}", said(&run));
    assert!(
        said(&run).contains("not UTF-8 text") && said(&run).contains("package.yml"),
        "{}",
        said(&run)
    );
    assert!(fs::read(&at).unwrap().ends_with(b"caf\xe9\n"));
}
