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

#[test]
fn the_tag_of_an_unknown_release_is_the_one_that_exists() {
    let mirror = Mirror::new();
    mirror.tag(
        "ROCm/rocm-libraries",
        &["therock-98.0", "therock-99.0.0", "rocm-100.0.0"],
    );
    let bumped = |release: &str, more: &[&str]| {
        let layer = tempfile::tempdir().unwrap();
        let folder = layer.path().to_str().unwrap();
        let own = [
            "bump",
            release,
            "arch",
            "--package",
            "rocprim",
            "--profiles",
            folder,
        ];
        let (status, said) = rocpkg(&[&own, more].concat());
        assert_ne!(status, 2, "{said}");
        let line = release.rsplit_once('.').unwrap().0;
        let path = layer.path().join(format!("releases/{line}.yaml"));
        (fs::read_to_string(path).unwrap(), said)
    };
    let from_mirror = |release| bumped(release, &["--mirror", &mirror.address]);
    for (release, scheme, tag) in [
        ("98.0.0", "therock-${line}", "therock-98.0"),
        ("99.0.0", "therock-${version}", "therock-99.0.0"),
        ("100.0.0", "rocm-${version}", "rocm-100.0.0"),
    ] {
        let (profile, said) = from_mirror(release);
        assert!(profile.contains(&format!("\ntag: {scheme}\n")), "{profile}");
        assert!(!profile.contains("guess"), "{profile}");
        let row = format!("the tag of {release} is `{tag}`, as in ROCm/rocm-libraries");
        assert!(said.contains(&row), "{said}");
    }
    // Without a repository that has it, the tag is a guess, and called one.
    for (profile, said) in [from_mirror("97.0.0"), bumped("99.0.0", &[])] {
        assert!(profile.contains("The tag is a guess"), "{profile}");
        assert!(profile.contains("\ntag: therock-${line}\n"), "{profile}");
        assert!(said.contains("is guessed from 10.2"), "{said}");
    }
    // The tag of a line is that of its first release.
    let (profile, said) = bumped("10.1.1", &[]);
    let remark = "    # A guess: nobody looked at upstream's.\n    tag: therock-${version}\n";
    assert!(profile.contains(remark), "{profile}");
    let row = "the tag of 10.1.1 is guessed: `therock-10.1.1`, since `therock-10.1` is that of the \
               first release of 10.1";
    assert!(said.contains(row), "{said}");
    let (profile, said) = bumped("7.2.5", &[]);
    assert!(!profile.contains("tag"), "{profile}");
    assert!(!said.contains("is guessed"), "{said}");
}

#[test]
fn a_newer_tag_of_another_form_is_told() {
    let mirror = Mirror::new();
    let noise = [
        "therock-10.2",
        "rocm-7.2.4",
        "hip-version_99.15.0",
        "v99.3.0",
        "20250912-42",
    ];
    mirror.tag("ROCm/rocm-libraries", &noise);
    let asked = ["arch", "--package", "rocblas"];
    let (status, said) = mirror.latest(&asked);
    assert!(status == 0 && !said.contains("looks newer"), "{said}");
    mirror.tag("ROCm/rocm-libraries", &["rocm-99.0.0"]);
    let (status, said) = mirror.latest(&asked);
    assert_eq!(status, 1, "{said}");
    let line = "ROCm/rocm-libraries has the tag rocm-99.0.0, which looks newer but has not the form \
                of the newest release line (therock-${line})\n";
    assert!(said.contains(line), "{said}");
    let (status, said) = mirror.latest(&[&asked[..], &["--json"]].concat());
    let value: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(status, 1);
    assert_eq!(value["repositories"][0]["other_form"], "rocm-99.0.0");
    let layer = tempfile::tempdir().unwrap();
    let layer = layer.path().to_str().unwrap();
    let bump = [
        "bump",
        "latest",
        "--dry-run",
        "arch",
        "--package",
        "rocblas",
        "--profiles",
        layer,
    ];
    let (_, said) = rocpkg(&[&bump[..], &["--mirror", &mirror.address]].concat());
    assert!(said.contains(line), "{said}");
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
fn a_package_whose_tags_are_not_known_has_no_rule() {
    let (status, text) = rocpkg(&["trackers", "gentoo", "--package", "ik_llama-cpp"]);
    assert_eq!(status, 0, "{text}");
    let said = "no rule, because the model knows no tags that say when they change: ik_llama-cpp";
    assert_eq!(text, format!("# {said}\n"));
    let (_, text) = rocpkg(&["trackers", "gentoo"]);
    assert!(!text.contains("stable-diffusion.cpp"), "{text}");
    assert!(text.contains("[\"rocBLAS\"]"), "{text}");
    let (_, text) = rocpkg(&["trackers", "nix", "--format", "renovate"]);
    let read: Value = serde_json::from_str(&text).unwrap();
    let said = read["description"][0].as_str().unwrap();
    assert!(said.starts_with("no rule, because "), "{said}");
    // The tags of a package whose version is more than numbers have no rule either.
    for package in ["aotriton", "hiprt"] {
        let (_, text) = rocpkg(&["trackers", "arch", "--package", package]);
        let said = format!(
            "# no rule, because the model knows no tags that say when they change: {package}\n"
        );
        assert_eq!(text, said);
    }
    // A release does not wait for them either.
    let mirror = Mirror::new();
    let (_, said) = mirror.latest(&["gentoo", "--package", "ik_llama-cpp"]);
    assert!(
        said.ends_with("because no tag says when they change: ik_llama-cpp\n"),
        "{said}"
    );
}

/// Returns the versions that nix-update would get from the script for rocBLAS of nixpkgs.
fn nix_update(mirror: &Mirror, folder: &Path) -> String {
    let (_, text) = rocpkg(&["trackers", "nix", "--package", "rocblas"]);
    let file = folder.join("update.nix");
    rocpkg_test_support::write_file(&file, &text);
    let own = "lib.getExe = a: a.text; writeShellApplication = a: a; \
               coreutils = 0; git = 0; gnused = 0; nix-update = 0;";
    let call = format!("(import {} {{ {own} }}).rocblas", file.display());
    let run = rocpkg_programs::command("nix-instantiate")
        .args(["--eval", "--strict", "--json", "--expr", &call])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    let words: Vec<String> = serde_json::from_slice(&run.stdout).expect(&said);
    assert_eq!(words[1], "https://github.com/ROCm/rocm-libraries.git");
    let address = format!("file://{}/ROCm/rocm-libraries", mirror.dir.path().display());
    let script = format!("nix-update() {{ echo \"$@\"; }}\n{}", words[0]);
    let run = rocpkg_programs::command("bash")
        .args([
            "-euo",
            "pipefail",
            "-c",
            &script.replace("exec ", ""),
            "update",
        ])
        .args([&address, &words[2], &words[3]])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{said}");
    String::from_utf8(run.stdout).unwrap()
}

#[test]
fn versions_of_nixpkgs_have_three_numbers() {
    let mirror = Mirror::new();
    let tags = [
        "rocm-7.2.4",
        "v14.3.0",
        "therock-9.0",
        "therock-10.0",
        "therock-10.x",
    ];
    mirror.tag("ROCm/rocm-libraries", &tags);
    let scratch = tempfile::tempdir().unwrap();
    assert_eq!(nix_update(&mirror, scratch.path()), "--version 10.0.0\n");
    mirror.tag("ROCm/rocm-libraries", &["therock-10.0.1"]);
    assert_eq!(nix_update(&mirror, scratch.path()), "--version 10.0.1\n");
    let arguments = [
        "trackers",
        "nix",
        "--format",
        "renovate",
        "--package",
        "rocblas",
    ];
    let (_, text) = rocpkg(&arguments);
    let read: Value = serde_json::from_str(&text).unwrap();
    let manager = &read["customManagers"][0];
    assert_eq!(
        manager["matchStrings"],
        serde_json::json!([
            r#"version = "(?<currentValue>[0-9]+\.[0-9]+)\.0";"#,
            r#"version = "(?<currentValue>[0-9]+\.[0-9]+\.[1-9][0-9]*)";"#
        ])
    );
    assert_eq!(
        manager["autoReplaceStringTemplate"],
        r#"version = "{{{replace '^([0-9]+\.[0-9]+)$' '$1.0' newValue}}}";"#
    );
}

#[test]
fn trackers_of_other_programs_are_read_by_them() {
    let (status, text) = rocpkg(&["trackers", "nix"]);
    assert_eq!(status, 0, "{text}");
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
