//! Tests of `rocpkg render` in a folder that people and tools change too: the files that it writes,
//! and its messages if it can't write.

use rocpkg_test_support::write_file;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Output, Stdio};

fn rocpkg(args: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap()
}

/// Renders with unknown checksums allowed.
fn render(out: &Path, more: &[&str]) -> Output {
    rocpkg(
        &[
            &["render", "--allow-missing", "--out", out.to_str().unwrap()],
            more,
        ]
        .concat(),
    )
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Makes a folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let at = dir.path().join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        write_file(at, text);
    }
    dir
}

/// Renders, and returns standard output. The command must succeed.
fn fine(out: &Path, more: &[&str]) -> String {
    let run = render(out, more);
    assert!(
        run.status.success(),
        "{more:?}: {}{}",
        text(&run.stdout),
        text(&run.stderr)
    );
    text(&run.stdout)
}

const RCCL: &str = "gentoo/dev-libs/rccl";

#[test]
fn an_answer_that_does_not_arrive_is_no_success() {
    let out = tempfile::tempdir().unwrap();
    let out = out.path().to_str().unwrap();
    let commands: [&[&str]; 8] = [
        &["list"],
        &["--help"],
        &["check", "--distro", "arch"],
        &["explain", "rocblas"],
        &["schema"],
        &["gpu", "gfx1100"],
        &["use", "rocblas"],
        &["render", "arch", "--out", out],
    ];
    for command in commands {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
            .args(command)
            .stdout(full)
            .output()
            .unwrap();
        assert_eq!(run.status.code(), Some(2), "{command:?}");
        assert!(
            text(&run.stderr).contains("standard output can't be written"),
            "{command:?}"
        );
    }
}

#[test]
fn a_reader_that_leaves_is_no_fault() {
    let mut run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
    let mut run = run
        .args(["list", "--json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(run.stdout.take());
    let done = run.wait_with_output().unwrap();
    assert!(
        done.status.success() && done.stderr.is_empty(),
        "{}",
        text(&done.stderr)
    );
}

#[test]
fn the_first_command_says_little_and_all_when_asked() {
    let out = tempfile::tempdir().unwrap();
    let run = render(out.path(), &[]);
    let (told, short) = (text(&run.stdout), text(&run.stderr));
    // The report lists the written files, the packages that can be built, the missing files and the
    // next command, in a few lines for each distribution.
    for distro in [
        "gentoo: 46 packages",
        "arch: 45 packages",
        "nix: 55 packages",
        "solus: 41 packages",
    ] {
        let of_one = told
            .split_once(distro)
            .map(|(_, rest)| rest)
            .unwrap_or_default();
        let of_one: Vec<&str> = of_one.lines().take(7).collect();
        assert!(of_one[0].contains("can be built now"), "{told}");
        assert!(of_one.iter().any(|l| l.starts_with("  next: ")), "{told}");
    }
    assert!(
        told.lines().count() <= 28 && short.lines().count() <= 40,
        "{told}{short}"
    );
    let count = short
        .lines()
        .skip_while(|l| !l.contains("E0237"))
        .nth(1)
        .unwrap();
    let count = count
        .trim()
        .strip_prefix("= note: ")
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    let all = text(&render(out.path(), &["-v"]).stderr);
    let listed = all.matches("warning[E0237]").count();
    assert_eq!(count.parse::<usize>().unwrap() + 1, listed, "{short}");
}

#[test]
fn machines_are_told_what_was_written_and_what_is_missing() {
    let layer = folder(&[(
        "distros/gentoo/rccl.yaml",
        "patches: [{file: our.patch, checked: \"=7.2\"}]\n",
    )]);
    let layer = [
        "gentoo",
        "--package",
        "rccl",
        "--profiles",
        layer.path().to_str().unwrap(),
        "--json",
    ];
    let out = tempfile::tempdir().unwrap();
    let said = fine(out.path(), &layer[..layer.len() - 1]);
    let next = "  next: supply what is missing above, then name ";
    assert!(
        said.contains("of which 0 can be built now\n") && said.contains(next),
        "{said}"
    );
    let out = tempfile::tempdir().unwrap();
    let told: serde_json::Value = serde_json::from_str(&fine(out.path(), &layer)).unwrap();
    insta::assert_snapshot!(format!("{told:#}").replace(out.path().to_str().unwrap(), "OUT"));
    let missing = |run: &[&str]| -> Vec<(String, bool)> {
        let told: serde_json::Value = serde_json::from_str(&fine(out.path(), run)).unwrap();
        let each = told["distributions"].as_object().unwrap().values();
        let each = each.flat_map(|d| d["companions"].as_array().unwrap());
        each.map(|c| (c["path"].to_string(), c["address"].is_string()))
            .collect()
    };
    // The distributions have all files that recipes name, except those of a layer.
    let all = missing(&["--json", "--allow-guesses"]);
    let nowhere: Vec<_> = all.iter().filter(|(_, known)| !known).collect();
    assert!(
        all.len() > 30 && nowhere.is_empty(),
        "{} of {}: {nowhere:?}",
        nowhere.len(),
        all.len()
    );
    // The files of a release that the distribution does not have are not looked up in the
    // distribution.
    let ten = missing(&["gentoo", "--release", "10.0.0", "--json", "--allow-guesses"]);
    let known = |part: &str| {
        ten.iter()
            .find(|(path, _)| path.contains(part))
            .map(|(_, known)| *known)
    };
    assert_eq!(
        (
            known("hip-10.0.0-aligned-new"),
            known("no-isystem-usr-include")
        ),
        (Some(false), Some(true))
    );
    let ebuild = fs::read_dir(out.path().join(RCCL))
        .unwrap()
        .map(|e| e.unwrap().path());
    let mut ebuild = ebuild.filter(|path| path.extension().is_some_and(|e| e == "ebuild"));
    let ebuild = ebuild.next().unwrap();
    fs::remove_file(&ebuild).unwrap();
    let run = render(
        out.path(),
        &["gentoo", "--package", "rccl", "--check", "--json"],
    );
    let told: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        (run.status.code(), &told["differences"][0]["kind"]),
        (Some(1), &serde_json::json!("missing"))
    );
    // A refused command prints its findings in JSON, too.
    let run = rocpkg(&[
        "render",
        "gentoo",
        "--release",
        "7.2.99",
        "--json",
        "--out",
        out.path().to_str().unwrap(),
    ]);
    let told: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(
        (run.status.code(), &told["findings"][0]["code"]),
        (Some(2), &serde_json::json!("E0209"))
    );
}

#[test]
fn a_companion_is_what_its_recipe_states() {
    let name = "arch/hipblaslt/hipblaslt-Don-t-fetch-deps-for-rocroller.patch";
    let (out, files) = (
        tempfile::tempdir().unwrap(),
        folder(&[(name, "not that patch\n")]),
    );
    let path = files.path().to_str().unwrap();
    let run = render(out.path(), &["arch", "--files", path]);
    let said = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{said}");
    assert!(
        said.contains("error[E0441]") && said.contains("distros/arch/hipblaslt.yaml:"),
        "{said}"
    );
    assert!(said.contains("the SHA-256 of the file is"), "{said}");
    assert!(!out.path().join("arch").exists(), "nothing is written");
    // After a layer states the checksum of this file, the file is accepted.
    let sum = said
        .split("the SHA-256 of the file is ")
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .to_owned();
    let file = name.rsplit('/').next().unwrap();
    let layer = format!("patches: [{{file: {file}, hash: {sum}}}]\n");
    let layer = folder(&[("distros/arch/hipblaslt.yaml", layer.as_str())]);
    fine(
        out.path(),
        &[
            "arch",
            "--files",
            path,
            "--profiles",
            layer.path().to_str().unwrap(),
        ],
    );
    assert_eq!(
        fs::read_to_string(out.path().join(name)).unwrap(),
        "not that patch\n"
    );
    // The file is also checked in its place in the output, and it is not listed as missing.
    let again = render(out.path(), &["arch", "-v"]);
    assert!(
        text(&again.stderr).contains("error[E0441]"),
        "{}",
        text(&again.stderr)
    );
    let more = ["arch", "-v", "--profiles", layer.path().to_str().unwrap()];
    assert!(!fine(out.path(), &more).contains(file));
    // The existing file is not taken for one that is no longer rendered.
    assert!(!fine(out.path(), &[&more[..], &["--prune"]].concat()).contains("prune"));
    assert!(out.path().join(name).exists());
}

#[test]
fn a_companion_is_checked_by_the_kind_of_sum_that_its_recipe_states() {
    let files = folder(&[("arch/rocminfo/one.patch", "abc")]);
    let path = files.path().to_str().unwrap();
    let run = |sums: &str, hash: &str| {
        let layer = format!(
            "patches: [{{file: one.patch, hash: {hash}, checked: '*'}}]\npkgbuild: {{sums: {sums}}}\n"
        );
        let table = "versions:\n  \"7.2.4\":\n    checksums:\n";
        let digits = "a".repeat(128);
        let keys = ["rocm-systems/archive"]
            .map(|key| format!("      {key}: {{sha512: {digits}, blake2b: {digits}}}\n"));
        let layer = folder(&[
            ("distros/arch/rocminfo.yaml", layer.as_str()),
            ("releases/7.2.yaml", &format!("{table}{}", keys.concat())),
        ]);
        let out = tempfile::tempdir().unwrap();
        let layer = layer.path().to_str().unwrap();
        let run = render(
            out.path(),
            &[
                "arch",
                "--package",
                "rocminfo",
                "--files",
                path,
                "--profiles",
                layer,
            ],
        );
        (run.status.success(), text(&run.stderr))
    };
    // The test vector of RFC 7693, appendix A.
    let abc = "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1\
               7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923";
    let (fine, said) = run("b2", abc);
    assert!(fine, "{said}");
    let (fine, said) = run("b2", &abc.replace('b', "c"));
    assert!(
        !fine
            && said.contains("error[E0441]")
            && said.contains("the BLAKE2b of the file is ba80a53f"),
        "{said}"
    );
    let (fine, said) = run("sha512", abc);
    assert!(
        !fine && said.contains("the SHA-512 of the file is ddaf35a1"),
        "{said}"
    );
}

#[test]
fn folders_that_hold_nothing_to_read_are_refused() {
    let (out, empty) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let run = render(out.path(), &["--files", "/nonexistent"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        text(&run.stderr).contains("no such folder"),
        "{}",
        text(&run.stderr)
    );
    let run = render(out.path(), &["--profiles", empty.path().to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        text(&run.stderr).contains("contains no profile"),
        "{}",
        text(&run.stderr)
    );
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
}

/// Makes a layer with the checksums of some archives of a version.
fn sums(version: &str, keys: &[&str]) -> tempfile::TempDir {
    let mut table = format!("versions:\n  \"{version}\":\n    checksums:\n");
    for (key, digit) in keys.iter().zip('a'..) {
        let sum = digit.to_string().repeat(128);
        table.push_str(&format!(
            "      {key}: {{size: 5, blake2b: {sum}, sha512: {sum}}}\n"
        ));
    }
    folder(&[("releases/7.2.yaml", table.as_str())])
}

/// The keys of rccl's archive before and after rccl moved to another repository.
const RCCL_KEYS: [&str; 2] = ["rccl/archive", "rocm-systems/asset/rccl"];

#[test]
fn a_manifest_knows_all_archives_or_is_written_when_asked() {
    let hip = "gentoo/dev-util/hip";
    let (out, layer) = (
        tempfile::tempdir().unwrap(),
        sums("7.2.0", &["HIP/archive", "rocm-systems/asset/hip"]),
    );
    let args = [
        "gentoo",
        "--package",
        "hip",
        "--profiles",
        layer.path().to_str().unwrap(),
    ];
    let at = [
        "render",
        "--release",
        "7.2.0",
        "--out",
        out.path().to_str().unwrap(),
    ];
    let refused = rocpkg(&[&at[..], &args].concat());
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2), "{said}");
    assert!(
        said.contains("error[E0237]: unknown size, blake2b and sha512 of `rocm-systems/asset/clr`"),
        "{said}"
    );
    let needs =
        "gentoo/dev-util/hip/Manifest needs it for rocm-clr-7.2.0.tar.gz from https://github.com/";
    assert!(
        said.contains(needs) && said.contains("hip-tests-7.2.0.tar.gz"),
        "{said}"
    );
    assert!(!out.path().join("gentoo").exists(), "nothing is written");
    fine(out.path(), &args);
    let manifest = out.path().join(hip).join("Manifest");
    let partial = fs::read_to_string(&manifest).unwrap();
    assert_eq!(partial.lines().count(), 1, "as asked");
    // The checksums that `ebuild … manifest` adds are read, so no option is needed any more.
    let added = dist("rocm-clr-7.2.0.tar.gz", "c") + &dist("hip-tests-7.2.0.tar.gz", "d");
    write_file(&manifest, partial + &added);
    let again = rocpkg(&[&at[..], &args].concat());
    assert!(
        again.status.success() && again.stderr.is_empty(),
        "{}",
        text(&again.stderr)
    );
}

#[test]
fn what_ebuild_manifest_adds_is_kept() {
    let out = tempfile::tempdir().unwrap();
    fine(out.path(), &["gentoo", "--package", "rccl"]);
    let manifest = out.path().join(RCCL).join("Manifest");
    let ours = dist("rccl-7.2.0.tar.gz", "a");
    write_file(&manifest, &ours);
    fine(out.path(), &["gentoo"]);
    assert_eq!(fs::read_to_string(&manifest).unwrap(), ours);
    assert_eq!(
        render(out.path(), &["gentoo", "--check"]).status.code(),
        Some(0)
    );

    // The next version is written beside this one, and the Manifest has the archives of both.
    let layer = sums("7.2.4", &RCCL_KEYS);
    let next = [
        "gentoo",
        "--package",
        "rccl",
        "--release",
        "7.2.4",
        "--profiles",
        layer.path().to_str().unwrap(),
    ];
    fine(out.path(), &next);
    let both = fs::read_to_string(&manifest).unwrap();
    assert!(
        both.contains(&ours) && both.contains("rccl-7.2.4.tar.gz "),
        "{both}"
    );
    // When the old ebuild is removed, its archive's line is removed too.
    fine(out.path(), &[&next[..], &["--prune"]].concat());
    let one = fs::read_to_string(&manifest).unwrap();
    assert!(
        !one.contains("7.2.0") && one.contains("rccl-7.2.4.tar.gz "),
        "{one}"
    );
}

#[test]
fn a_manifest_that_contradicts_the_model_stops_the_run() {
    let (out, layer) = (tempfile::tempdir().unwrap(), sums("7.2.0", &RCCL_KEYS));
    let args = [
        "gentoo",
        "--package",
        "rccl",
        "--profiles",
        layer.path().to_str().unwrap(),
    ];
    fine(out.path(), &args);
    let manifest = out.path().join(RCCL).join("Manifest");
    let right = fs::read_to_string(&manifest).unwrap();
    write_file(&manifest, right.replace("BLAKE2B ", "BLAKE2B 0"));
    let run = render(out.path(), &args);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        text(&run.stderr).contains("the checksums of rccl-7.2.0.tar.gz"),
        "{}",
        text(&run.stderr)
    );
    fs::remove_file(&manifest).unwrap();
    fine(out.path(), &args);
    assert_eq!(fs::read_to_string(&manifest).unwrap(), right);
}

/// Returns the line of a Manifest for the file `name`. Its checksums consist of the digit `digit`.
fn dist(name: &str, digit: &str) -> String {
    format!("DIST {name} 5 BLAKE2B {0} SHA512 {0}\n", digit.repeat(128))
}

#[test]
fn lines_of_an_ebuild_that_stays_stay() {
    let (out, layer) = (tempfile::tempdir().unwrap(), sums("7.2.4", &RCCL_KEYS));
    fine(out.path(), &["gentoo", "--package", "rccl"]);
    let at = |name: &str| out.path().join(RCCL).join(name);
    let old = dist("rccl-7.2.0.tar.gz", "b") + &dist("rccl-fix.patch", "c");
    write_file(at("Manifest"), &old);
    let next = [
        "gentoo",
        "--package",
        "rccl",
        "--release",
        "7.2.4",
        "--profiles",
        layer.path().to_str().unwrap(),
    ];
    fine(out.path(), &next);
    let ebuild = fs::read_to_string(at("rccl-7.2.0.ebuild")).unwrap();
    write_file(at("rccl-7.2.0.ebuild"), format!("{ebuild}# mine\n"));
    assert_eq!(
        render(out.path(), &[&next[..], &["--prune"]].concat())
            .status
            .code(),
        Some(2)
    );
    fine(out.path(), &next);
    assert!(at("rccl-7.2.0.ebuild").is_file());
    let kept = fs::read_to_string(at("Manifest")).unwrap();
    assert!(
        old.lines().all(|l| kept.contains(l)) && kept.contains("rccl-7.2.4.tar.gz "),
        "{kept}"
    );
    // An unchanged ebuild is removed, together with the lines of its files. A line of no ebuild
    // stays.
    write_file(at("rccl-7.2.0.ebuild"), ebuild);
    fine(out.path(), &[&next[..], &["--prune"]].concat());
    assert!(!at("rccl-7.2.0.ebuild").exists());
    let kept = fs::read_to_string(at("Manifest")).unwrap();
    assert!(
        !kept.contains("7.2.0") && kept.contains("rccl-fix.patch"),
        "{kept}"
    );
}

#[test]
fn a_package_that_went_goes_whole_or_not_at_all() {
    let (out, layer) = (tempfile::tempdir().unwrap(), sums("7.2.0", &RCCL_KEYS));
    let args = ["gentoo", "--profiles", layer.path().to_str().unwrap()];
    fine(out.path(), &args);
    let at = |name: &str| out.path().join(RCCL).join(name);
    let ebuild = fs::read_to_string(at("rccl-7.2.0.ebuild")).unwrap();
    write_file(at("rccl-7.2.0.ebuild"), format!("{ebuild}# mine\n"));
    // The package gets another name, so nothing is rendered into this folder any more.
    let away = folder(&[(
        "distros/gentoo/rccl.yaml",
        "ebuild:\n  category: sci-libs\n",
    )]);
    let away = [
        "gentoo",
        "--profiles",
        away.path().to_str().unwrap(),
        "--prune",
    ];
    let run = render(out.path(), &away);
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stderr));
    assert!(at("rccl-7.2.0.ebuild").is_file() && at("metadata.xml").exists());
    assert!(
        fs::read_to_string(at("Manifest"))
            .unwrap()
            .contains("rccl-7.2.0.tar.gz ")
    );
    write_file(at("rccl-7.2.0.ebuild"), ebuild);
    fine(out.path(), &away);
    assert!(!at("Manifest").exists());
    // The same happens if only this package is requested. No other package is removed.
    let back = [
        "gentoo",
        "--profiles",
        layer.path().to_str().unwrap(),
        "--package",
        "rccl",
    ];
    assert!(
        fine(out.path(), &back)
            .contains("removed by --prune: gentoo/sci-libs/rccl/rccl-7.2.0.ebuild")
    );
    fine(out.path(), &[&back[..], &["--prune"]].concat());
    assert!(at("rccl-7.2.0.ebuild").is_file() && !out.path().join("gentoo/sci-libs/rccl").exists());
    assert!(
        out.path()
            .join("gentoo/sci-libs/rocBLAS/metadata.xml")
            .is_file()
    );
}

#[test]
fn a_manifest_of_somebodys_own_is_not_overwritten() {
    let layer = sums("7.2.0", &RCCL_KEYS);
    let args = [
        "gentoo",
        "--package",
        "rccl",
        "--profiles",
        layer.path().to_str().unwrap(),
    ];
    let known = dist("other-1.tar.gz", "c");
    let signed = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{known}-----END PGP SIGNATURE-----\n"
    );
    for own in [
        "my very own notes\n",
        "DIST my own notes\n",
        "DIST a 5 SHA512\n",
        signed.as_str(),
    ] {
        let out = folder(&[(&format!("{RCCL}/Manifest"), own)]);
        let manifest = out.path().join(RCCL).join("Manifest");
        let run = render(out.path(), &args);
        assert_eq!(run.status.code(), Some(2), "{own}");
        let said = text(&run.stderr);
        assert!(
            said.contains("error[E0573]") && said.contains("rccl/Manifest"),
            "{said}"
        );
        let check = text(&render(out.path(), &[&args[..], &["--check"]].concat()).stdout);
        assert!(
            check.contains("not written by rocpkg: gentoo/dev-libs/rccl/Manifest"),
            "{check}"
        );
        assert_eq!(fs::read_to_string(&manifest).unwrap(), own);
    }
    // If no line can be rendered, no error is reported.
    let out = folder(&[(&format!("{RCCL}/Manifest"), "my very own notes\n")]);
    fine(out.path(), &["gentoo"]);
    assert_eq!(
        fs::read_to_string(out.path().join(RCCL).join("Manifest")).unwrap(),
        "my very own notes\n"
    );
    // Lines in a known form are kept, whoever wrote them.
    let own = known
        + "MISC metadata.xml 5 SHA512 00\nAUX a.patch 5 SHA512 00\nEBUILD rccl-1.ebuild 5 SHA512 00\n";
    let out = folder(&[(&format!("{RCCL}/Manifest"), &own)]);
    for more in [&[][..], &["--prune"]] {
        fine(out.path(), &[&args[..], more].concat());
        let joined = fs::read_to_string(out.path().join(RCCL).join("Manifest")).unwrap();
        assert!(
            own.lines().all(|l| joined.contains(l)) && joined.contains("rccl-7.2.0.tar.gz "),
            "{joined}"
        );
    }
}

#[test]
fn one_package_in_an_empty_folder_brings_what_it_needs_to_be_a_tree() {
    let out = tempfile::tempdir().unwrap();
    fine(out.path(), &["gentoo", "nix", "--package", "rccl"]);
    let at = |path: &str| out.path().join(path);
    for path in [
        "eclass/rocm.eclass",
        "profiles/repo_name",
        "metadata/layout.conf",
    ] {
        assert!(at("gentoo").join(path).is_file(), "{path}");
    }
    assert!(at("nix/default.nix").is_file() && !at("gentoo/sci-libs").exists());
    assert_eq!(
        render(
            out.path(),
            &["gentoo", "nix", "--package", "rccl", "--check"]
        )
        .status
        .code(),
        Some(0)
    );
    // A file of the tree that exists is not changed by rendering one package.
    write_file(at("gentoo/metadata/layout.conf"), "masters = mine\n");
    fine(out.path(), &["gentoo", "--package", "rccl"]);
    assert_eq!(
        fs::read_to_string(at("gentoo/metadata/layout.conf")).unwrap(),
        "masters = mine\n"
    );
}

#[test]
fn one_package_is_not_stopped_by_another() {
    let layer = folder(&[
        ("components/rocsolver.yaml", "smumary: x\n"),
        ("distros/gentoo/rocsparse.yaml", "- not a mapping\n"),
        ("distros/arch/hipblaslt.yaml", "a: [\n"),
    ]);
    let profiles = ["--profiles", layer.path().to_str().unwrap()];
    let out = tempfile::tempdir().unwrap();
    let run = render(
        out.path(),
        &[&["--package", "rocm-cmake"], &profiles[..]].concat(),
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(out.path().join("arch/rocm-cmake/PKGBUILD").is_file());
    // A package is stopped by its own faults, and by needed files that can't be read.
    let own = render(
        out.path(),
        &[&["--package", "rocsolver"], &profiles[..]].concat(),
    );
    assert!(
        text(&own.stderr).contains("smumary"),
        "{}",
        text(&own.stderr)
    );
    let needs = render(
        out.path(),
        &[&["arch", "--package", "migraphx"], &profiles[..]].concat(),
    );
    assert_eq!(
        needs.status.code(),
        Some(2),
        "migraphx without hipblaslt: {}",
        text(&needs.stdout)
    );
    assert!(
        text(&needs.stderr).contains("arch/hipblaslt.yaml"),
        "{}",
        text(&needs.stderr)
    );
    // An unknown name may belong to a file that can't be read. So the package with that name is
    // stopped, and the file is reported.
    let typo = folder(&[
        ("components/rocsolver.yaml", "title: 'rocSOLVER\n"),
        (
            "components/rocm-cmake.yaml",
            "depends: {rocsolvr: {kind: tool}}\n",
        ),
    ]);
    let typo = [
        "arch",
        "--profiles",
        typo.path().to_str().unwrap(),
        "--package",
        "rocm-cmake",
    ];
    let stopped = render(out.path(), &[&typo[..], &["--json"]].concat());
    assert_eq!(stopped.status.code(), Some(2), "{}", text(&stopped.stdout));
    // The proof about one package does not depend on a fault in another one.
    let unproved = folder(&[
        ("components/rpp.yaml", "smumary: x\n"),
        (
            "distros/gentoo/rocrand.yaml",
            "targets: {excludes: [{targets: [gfx1031], reason: a test}]}\n",
        ),
    ]);
    let unproved = [
        "gentoo",
        "--profiles",
        unproved.path().to_str().unwrap(),
        "--package",
        "hiprand",
    ];
    let unproved = render(out.path(), &unproved);
    assert!(
        text(&unproved.stderr).contains("error[E0602]"),
        "{}",
        text(&unproved.stderr)
    );
    // JSON output contains the stopped packages and the reasons.
    let several = ["--package", "rocminfo", "--package", "rocsolver", "--json"];
    let several = render(
        out.path(),
        &[&["arch"], &several[..], &profiles[..]].concat(),
    );
    assert_eq!(several.status.code(), Some(2));
    let said: serde_json::Value = serde_json::from_str(&text(&several.stdout)).unwrap();
    assert_eq!(said["stopped"][0]["package"], "rocsolver", "{said}");
    assert!(said["findings"].to_string().contains("smumary"), "{said}");
    // If all packages are requested, all faults are reported.
    let all = render(out.path(), &profiles);
    assert!(
        text(&all.stderr).matches("error[").count() >= 3,
        "{}",
        text(&all.stderr)
    );
}

#[test]
fn files_edited_by_hand_are_not_written_over() {
    let out = tempfile::tempdir().unwrap();
    fine(out.path(), &["arch"]);
    let recipe = out.path().join("arch/rocblas/PKGBUILD");
    let mine = fs::read_to_string(&recipe)
        .unwrap()
        .replace("pkgrel=", "# mine\npkgrel=");
    write_file(&recipe, &mine);
    let layer = folder(&[("components/rccl.yaml", "summary: Ours\n")]);
    let profiles = ["arch", "--profiles", layer.path().to_str().unwrap()];
    let check = text(&render(out.path(), &[&profiles[..], &["--check"]].concat()).stdout);
    assert!(
        check.contains("edited by hand: arch/rocblas/PKGBUILD\n"),
        "{check}"
    );
    assert!(
        check.contains("out of date: arch/rccl/PKGBUILD\n"),
        "{check}"
    );
    assert_eq!(
        render(out.path(), &profiles).status.code(),
        Some(2),
        "one stops all"
    );
    assert_eq!(fs::read_to_string(&recipe).unwrap(), mine);
    // After the edited file is moved away, it is written again with the others.
    fs::rename(&recipe, out.path().join("mine")).unwrap();
    fine(out.path(), &profiles);
    assert!(!fs::read_to_string(&recipe).unwrap().contains("# mine"));
    assert!(
        fs::read_to_string(out.path().join("arch/rccl/PKGBUILD"))
            .unwrap()
            .contains("pkgdesc='Ours'")
    );
    assert_eq!(
        render(out.path(), &[&profiles[..], &["--check"]].concat())
            .status
            .code(),
        Some(0)
    );
}
