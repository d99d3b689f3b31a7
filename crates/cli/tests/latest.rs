//! Tests of `rocpkg upstream latest` and `rocpkg trackers`: new releases by the tags of upstream's
//! repositories.

use rocpkg_test_support::{commit, git};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

fn rocpkg(arguments: &[&str]) -> (i32, String) {
    let run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(arguments)
        .output()
        .unwrap();
    let text = [run.stdout, run.stderr].concat();
    (run.status.code().unwrap(), String::from_utf8(text).unwrap())
}

/// Stand-ins for upstream's repositories: empty ones, with tags.
struct Mirror {
    dir: TempDir,
    address: String,
}

impl Mirror {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let address = format!("file://{}/{{owner}}/{{repository}}", dir.path().display());
        Self { dir, address }
    }

    fn tag(&self, repository: &str, tags: &[&str]) {
        let folder = self.dir.path().join(repository);
        fs::create_dir_all(&folder).unwrap();
        commit(&folder);
        for tag in tags {
            git(&folder, &["tag", tag]);
        }
    }

    fn latest(&self, more: &[&str]) -> (i32, String) {
        let own = ["upstream", "latest", "--mirror", &self.address];
        rocpkg(&[&own, more].concat())
    }

    fn json(&self) -> (i32, Value) {
        let (status, said) = self.latest(&["--json"]);
        (status, serde_json::from_str(&said).unwrap())
    }
}

fn names(value: &Value) -> Vec<&str> {
    let all = value.as_array().unwrap().iter();
    all.map(|v| v.as_str().or_else(|| v["repository"].as_str()).unwrap())
        .collect()
}

#[test]
fn a_release_is_partly_tagged_until_every_repository_has_it() {
    let mirror = Mirror::new();
    let (status, all) = mirror.json();
    assert_eq!(status, 1);
    assert!(all["release"].is_null());
    let all = names(&all["failed"]);
    assert!(all.contains(&"ROCm/rocm-libraries") && all.contains(&"ROCm/HIPIFY"));
    // Previews and tags of single projects are no releases.
    let noise = [
        "rocm-7.2.4",
        "therock-7.9",
        "hip-version_10.9.1",
        "20250912-42",
    ];
    for repository in &all {
        mirror.tag(repository, &noise);
        if *repository != "ROCm/rocm_bandwidth_test" {
            mirror.tag(repository, &["therock-10.0", "therock-10.1"]);
        }
    }
    let (_, before) = mirror.json();
    assert_eq!(before["release"], "10.1.0");
    assert_eq!(names(&before["waiting"]), [""; 0]);
    mirror.tag("ROCm/rocm-libraries", &["therock-99.1"]);
    // A monorepo that is two lines behind is waited for. The model does not list the other
    // repository among those that upstream still tags.
    let systems = mirror.dir.path().join("ROCm/rocm-systems");
    git(&systems, &["tag", "--delete", "therock-10.1"]);
    let (status, partly) = mirror.json();
    assert_eq!((status, &partly["release"]), (1, &"99.1.0".into()));
    assert!(
        names(&partly["waiting"]).contains(&"ROCm/rocm-systems"),
        "{partly}"
    );
    assert_eq!(names(&partly["ended"]), ["ROCm/rocm_bandwidth_test"]);
    assert!(
        names(&partly["waiting"]).contains(&"ROCm/HIPIFY"),
        "{partly}"
    );
    assert!(!names(&partly["waiting"]).contains(&"ROCm/rocm-libraries"));
    let (_, said) = mirror.latest(&["arch", "--package", "rocblas", "--package", "hipify"]);
    assert_eq!(
        said,
        "99.1.0 is the newest release, partly tagged: 1 of 2 repositories wait for it: ROCm/HIPIFY (10.1.0)\n  \
           ROCm/HIPIFY          10.1.0 (therock-10.1): hipify\n  \
           ROCm/rocm-libraries  99.1.0 (therock-99.1): rocblas\n"
    );
    let (status, said) = mirror.latest(&["--package", "rocblas"]);
    assert_eq!(status, 0, "{said}");
    let (status, said) = mirror.latest(&["--package", "rocblass"]);
    assert!(status == 2 && said.contains("rocblas"), "{said}");
}

/// Runs nvchecker on a file that `rocpkg trackers` printed, with the mirror in place of GitHub.
/// Returns the versions by package.
fn nvchecker(mirror: &Mirror, folder: &Path, text: &str) -> Value {
    let home = format!("file://{}/", mirror.dir.path().display());
    let local = text.replace("https://github.com/", &home);
    let local = local.replace(".git\"", "\"");
    let new = folder.join("new.json");
    let old = folder.join("old.json").display().to_string();
    let shown = new.display().to_string();
    // nvchecker writes the versions only if both files are named.
    let config = format!("[__config__]\noldver = {old:?}\nnewver = {shown:?}\n\n{local}");
    let file = folder.join("nvchecker.toml");
    rocpkg_test_support::write_file(&file, config);
    let run: &mut Command = &mut rocpkg_programs::command("nvchecker");
    let run = run.arg("-c").arg(&file).output().unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let read: Value = serde_json::from_str(&fs::read_to_string(new).unwrap()).unwrap();
    read["data"].clone()
}

#[test]
fn trackers_find_the_release_that_latest_finds() {
    let mirror = Mirror::new();
    let noise = [
        "rocm-7.2.4",
        "hip-version_10.9.1",
        "20250912-42",
        "v14.3.0",
        "rocm-systems",
    ];
    mirror.tag("ROCm/rocm-libraries", &noise);
    mirror.tag("ROCm/rocm-libraries", &["therock-7.14.1", "therock-10.0"]);
    let scratch = tempfile::tempdir().unwrap();
    let version = |distro: &str| {
        let (status, text) = rocpkg(&["trackers", distro, "--package", "rocblas"]);
        assert_eq!(status, 0, "{text}");
        nvchecker(&mirror, scratch.path(), &text)
            .as_object()
            .unwrap()
            .values()
            .map(|found| found["version"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(version("gentoo"), ["10.0.0"]);
    assert_eq!(version("arch"), ["10.0"]);
    mirror.tag("ROCm/rocm-libraries", &["therock-10.0.1"]);
    assert_eq!(version("gentoo"), ["10.0.1"]);
    assert_eq!(version("arch"), ["10.0.1"]);
}

#[test]
fn trackers_of_other_programs_are_read_by_them() {
    let (status, text) = rocpkg(&["trackers", "nix"]);
    assert_eq!(status, 0, "{text}");
    assert!(
        text.starts_with("{\n  nix-update-script,\n}:")
            || text.starts_with("{ nix-update-script }:"),
        "{text}"
    );
    assert!(text.contains("--version-regex"), "{text}");
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("update.nix");
    rocpkg_test_support::write_file(&file, &text);
    let run = rocpkg_programs::command("nix-instantiate")
        .args(["--parse"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let (_, text) = rocpkg(&["trackers", "arch", "--format", "renovate"]);
    let read: Value = serde_json::from_str(&text).unwrap();
    let managers = read["customManagers"].as_array().unwrap();
    assert!(
        managers
            .iter()
            .any(|m| m["depNameTemplate"] == "ROCm/rocm-libraries"),
        "{text}"
    );
    let (status, text) = rocpkg(&["trackers", "gentoo", "--format", "renovate"]);
    assert!(status == 2 && text.contains("file name"), "{text}");
}
