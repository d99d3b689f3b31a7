//! The command: its exit status, what it writes, what it leaves alone.
#![allow(
    clippy::disallowed_methods,
    reason = "the command is run as people run it, and files are edited by hand"
)]
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn rocpkg(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rocpkg")).args(args).output().unwrap()
}

fn render(out: &Path, more: &[&str]) -> Output {
    rocpkg(&[&["render", "--out", out.to_str().unwrap()], more].concat())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn check_is_quiet_after_render_and_tells_a_change() {
    let dir = tempfile::tempdir().unwrap();
    let first = render(dir.path(), &[]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_eq!(render(dir.path(), &["--check"]).status.code(), Some(0));
    let recipe = dir.path().join("arch/rocblas/PKGBUILD");
    let before = fs::read_to_string(&recipe).unwrap();
    fs::write(&recipe, before.replace("pkgrel=", "pkgrel=9")).unwrap();
    let check = render(dir.path(), &["--check"]);
    assert_eq!(check.status.code(), Some(1));
    assert!(text(&check.stdout).contains("-pkgrel=9"), "{}", text(&check.stdout));
    let again = render(dir.path(), &[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(text(&again.stderr).contains("arch/rocblas/PKGBUILD"), "{}", text(&again.stderr));
    assert!(render(dir.path(), &["--force"]).status.success());
    assert_eq!(fs::read_to_string(&recipe).unwrap(), before);
}

#[test]
fn one_package_is_written_alone_under_any_of_its_names() {
    let dir = tempfile::tempdir().unwrap();
    assert!(render(dir.path(), &["gentoo", "--package", "rocblas"]).status.success());
    assert!(dir.path().join("gentoo/sci-libs/rocBLAS").is_dir());
    assert!(!dir.path().join("arch").exists() && !dir.path().join("gentoo/dev-util").exists());
    let typo = render(dir.path(), &["--package", "rocbals"]);
    assert_eq!(typo.status.code(), Some(2));
    assert!(text(&typo.stderr).contains("did you mean `rocBLAS`"), "{}", text(&typo.stderr));
}

#[test]
fn targets_are_handed_on_as_asked() {
    let folders: Vec<_> = (0..3).map(|_| tempfile::tempdir().unwrap()).collect();
    let ebuild = |at: usize, more: &[&str]| {
        let run = render(folders[at].path(), &[&["gentoo"], more].concat());
        assert!(run.status.success(), "{}", text(&run.stderr));
        let path = "gentoo/sci-libs/hipBLAS/hipBLAS-7.2.0.ebuild";
        fs::read_to_string(folders[at].path().join(path)).unwrap()
    };
    let shipped = ebuild(0, &[]);
    assert_eq!(ebuild(1, &["--propagation", "none"]), shipped);
    let chunked = ebuild(2, &["--propagation", "chunked"]);
    assert!(chunked.contains("sci-libs/rocBLAS:${SLOT}[amdgpu_targets_gfx908(-)?,"), "{chunked}");
    let typo = render(folders[0].path(), &["--propagation", "chunkd"]);
    assert_eq!(typo.status.code(), Some(2));
    assert!(text(&typo.stderr).contains("'chunked'"), "{}", text(&typo.stderr));
}

#[test]
fn wrong_profiles_write_nothing_and_show_all_faults() {
    let (dir, profiles) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(profiles.path().join("components")).unwrap();
    let file = profiles.path().join("components/rocblas.yaml");
    fs::write(&file, "sumary: x\ntargets:\n  excludes:\n    - {targets: [gfx1o30], reason: x}\n").unwrap();
    let out = dir.path().join("out");
    let run = render(&out, &["--profiles", profiles.path().to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(2));
    let shown = text(&run.stderr);
    assert!(shown.contains("E0110") && shown.contains("did you mean `summary`"), "{shown}");
    assert!(shown.contains("components/rocblas.yaml:1:1"), "{shown}");
    assert!(!out.exists());
}

#[test]
fn what_is_proved_to_disagree_is_not_written() {
    let (dir, profiles) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(profiles.path().join("components")).unwrap();
    // rocBLAS does not say how its targets relate to those of hipBLASLt.
    let overlay = "depends:\n  hipblaslt: ~\n  hipblas-common: {kind: link}\n  rocprim: {kind: link}\n";
    fs::write(profiles.path().join("components/rocblas.yaml"), overlay).unwrap();
    let out = dir.path().join("out");
    let run = render(&out, &["gentoo", "--profiles", profiles.path().to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stdout));
    assert!(text(&run.stderr).contains("error[E0601]"), "{}", text(&run.stderr));
    assert!(!out.exists());
}

#[test]
fn companions_come_from_the_users_folder_and_missing_ones_are_listed() {
    let (dir, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let listed = text(&render(dir.path(), &["gentoo"]).stdout);
    let wanted =
        listed.lines().find_map(|l| l.trim().strip_prefix("gentoo/")).expect("some patch is a companion");
    let place = files.path().join(wanted);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(&place, "a patch").unwrap();
    let with = render(dir.path(), &["gentoo", "--files", files.path().to_str().unwrap()]);
    assert!(with.status.success(), "{}", text(&with.stderr));
    assert_eq!(fs::read_to_string(dir.path().join("gentoo").join(wanted)).unwrap(), "a patch");
    assert!(!text(&with.stdout).contains(wanted));
}

#[test]
fn explain_names_file_and_line_of_every_fact() {
    let out = text(&rocpkg(&["explain", "rocblas", "--distro", "arch"]).stdout);
    assert!(out.contains("components/rocblas.yaml:2:"), "{out}");
    assert!(out.contains("distros/arch/rocblas.yaml:"), "{out}");
}

#[test]
fn list_speaks_json() {
    let out = rocpkg(&["list", "--json"]);
    let all: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(all["distributions"].as_array().unwrap().len(), 3);
    assert!(all["targets"].as_array().unwrap().iter().any(|t| t == "gfx90a"));
}

#[test]
fn schemas_are_printed_one_by_one_or_together() {
    let one = rocpkg(&["schema", "component"]);
    assert!(one.status.success());
    let one: serde_json::Value = serde_json::from_slice(&one.stdout).unwrap();
    let all: serde_json::Value = serde_json::from_slice(&rocpkg(&["schema"]).stdout).unwrap();
    assert_eq!(all["component"], one);
    assert_eq!(one["properties"]["title"]["description"], "Upstream's spelling, such as `rocBLAS`.");
    assert_eq!(rocpkg(&["schema", "componant"]).status.code(), Some(2));
}
