//! Tests of `rocpkg bump`: a model, or a layer over the shipped one, moves to another release.

mod patches;
mod whole;

use rocpkg::bump::Bump;
use rocpkg::{Backend, Stack};
use rocpkg_test_support::{check_schema, write_file};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Output;

fn rocpkg(args: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes the shipped model into a folder.
fn model(dir: &Path) {
    for (path, text) in rocpkg::shipped::profiles() {
        write(dir, &path, &text);
    }
}

fn write(dir: &Path, path: &str, text: &str) {
    let at = dir.join(path);
    fs::create_dir_all(at.parent().unwrap()).unwrap();
    write_file(at, text);
}

/// Returns all files of a folder, including hidden ones.
fn files(dir: &Path) -> BTreeMap<String, String> {
    rocpkg_test_support::texts(dir, &[])
}

fn comments(text: &str) -> Vec<&str> {
    text.lines()
        .filter_map(|line| line.find('#').map(|at| &line[at..]))
        .collect()
}

/// Returns the findings of `check` about facts that nobody checked for the release `choice`.
fn unchecked(stack: &Stack, choice: &str) -> BTreeSet<String> {
    let checked = stack.check(&[], &[choice.parse().unwrap()]).unwrap();
    let told = checked.findings.sorted();
    let told = told
        .into_iter()
        .filter(|f| matches!(f.code, "W0220" | "W0225"));
    // Arch ships these at 10.1 already, and a bump to an older release does not move them back.
    let newer = ["hipthreads", "libhipcxx", "rocjitsu"];
    told.map(|f| format!("{} {}", stack.sources().place(f.span.unwrap()), f.message))
        .filter(|said| {
            !newer
                .iter()
                .any(|name| said.contains(&format!("/{name}.yaml:")))
        })
        .collect()
}

fn bump(dir: &Path, how: &str, more: &[&str]) -> Output {
    rocpkg(&[&["bump"], more, &[how, dir.to_str().unwrap()]].concat())
}

#[test]
fn a_model_moves_and_what_nobody_checked_stays_unchecked() {
    let dir = tempfile::tempdir().unwrap();
    for version in ["7.2.4", "10.0.0"] {
        model(dir.path());
        let stack = Stack::empty().unwrap().layer(dir.path()).unwrap();
        let (asked, before) = (unchecked(&stack, version), files(dir.path()));
        let run = bump(dir.path(), "--into", &[version]);
        assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
        let after = files(dir.path());
        assert_eq!(
            before.keys().collect::<Vec<_>>(),
            after.keys().collect::<Vec<_>>(),
            "no file is left over"
        );
        for (path, old) in before.iter().filter(|(path, old)| after[*path] != **old) {
            assert!(path.starts_with("distros/"), "{path}");
            assert_eq!(comments(old), comments(&after[path]), "{path}");
            let of = |text: &str| {
                text.lines()
                    .filter(|l| l.contains("checked-at"))
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            assert_eq!(of(old), of(&after[path]));
        }
        let stack = Stack::empty().unwrap().layer(dir.path()).unwrap();
        let now = unchecked(&stack, "shipped");
        if version == "10.0.0" {
            // Some of Solus' packages are at 7.14 already, and a bump to 7.2.4 does not move them
            // back.
            assert!(
                asked.len() > 200 && now == asked,
                "{} and {}",
                asked.len(),
                now.len()
            );
        }
        let again = bump(dir.path(), "--into", &[version, "--dry-run"]);
        assert_eq!(again.status.code(), Some(0), "{}", text(&again.stdout));
        assert!(
            text(&again.stdout).starts_with("gentoo: nothing to do, it has "),
            "{}",
            text(&again.stdout)
        );
    }
}

#[test]
fn a_distribution_with_a_newer_release_is_not_done() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "distros/arch.yaml", "version: 7.2.4\n");
    let run = |args: &[&str]| {
        let run = bump(dir.path(), "--profiles", args);
        (run.status.code(), text(&run.stdout))
    };
    let (status, said) = run(&["7.1.1", "arch", "--dry-run"]);
    assert_eq!(status, Some(1), "{said}");
    let newer = "arch: not moved, it has 7.2.4, which is newer\n";
    assert!(said.starts_with(newer), "{said}");
    assert!(said.contains("only the profiles in"), "{said}");
    // All distributions are newer, so the request had no effect.
    assert_eq!(run(&["6.0.0"]).0, Some(1));
    let (status, said) = run(&["7.2.3"]);
    assert!(
        said.contains(newer) && said.contains("gentoo: 7.2.0 -> 7.2.3"),
        "{said}"
    );
    assert_eq!(status, Some(0), "Arch was not named: {said}");
    assert_eq!(run(&["7.2.3", "arch", "gentoo"]).0, Some(1));
    assert_eq!(run(&["7.2.3", "gentoo"]).0, Some(0));
}

#[test]
fn a_line_that_nobody_knows_is_made_with_what_is_guessed_said() {
    let dir = tempfile::tempdir().unwrap();
    model(dir.path());
    let run = bump(dir.path(), "--into", &["10.9", "arch"]);
    let told = text(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{told}");
    assert!(told.contains("the tag of 10.9.0 is guessed"), "{told}");
    let line = fs::read_to_string(dir.path().join("releases/10.9.yaml")).unwrap();
    assert!(
        line.contains("\ntag: therock-${line}\nversions:\n  \"10.9.0\": {}\n"),
        "{line}"
    );
    assert!(!line.contains("date") && !line.contains("\nllvm"), "{line}");
    // A further version of an existing line is added after the last version.
    let run = bump(
        dir.path(),
        "--into",
        &["7.2.9", "gentoo", "--package", "rocblas"],
    );
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let line = fs::read_to_string(dir.path().join("releases/7.2.yaml")).unwrap();
    assert!(line.contains("\n  \"7.2.9\": {}\n"), "{line}");
    let gentoo = fs::read_to_string(dir.path().join("distros/gentoo.yaml")).unwrap();
    assert!(
        gentoo.contains("\nversion: 7.2.0\n") && gentoo.contains("\n  rocblas: 7.2.9\n"),
        "{gentoo}"
    );
}

#[test]
fn a_layer_keeps_what_it_was_read_at() {
    let dir = tempfile::tempdir().unwrap();
    let patch = "patches: [{file: ours.patch}]  # mine\n";
    write(
        dir.path(),
        "distros/arch.yaml",
        "# Mine.\nversion: 7.2.3  # for now\npackages: {rocrand: 7.1.1}\n",
    );
    write(dir.path(), "distros/arch/rccl.yaml", patch);
    write(dir.path(), "distros/gentoo/rccl.yaml", patch);
    let run = bump(dir.path(), "--profiles", &["10.0", "arch", "gentoo"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let now = files(dir.path());
    let expected = "# Mine.\nversion: 10.0.0  # for now\nchecked-at: 7.2.3\npackages-checked-at:\n  rocrand: 7.1.1\npackages: {rocrand: default, rocwmma: default, hipfort: default, hipdnn: default, rocjpeg: default}\n";
    assert!(
        now["distros/arch.yaml"].starts_with(expected),
        "{}",
        now["distros/arch.yaml"]
    );
    assert_eq!(
        now["distros/gentoo.yaml"],
        "version: 10.0.0\nchecked-at: ~\n"
    );
    assert_eq!(now["distros/arch/rccl.yaml"], patch);
    let stack = Stack::shipped().unwrap().layer(dir.path()).unwrap();
    let named = unchecked(&stack, "shipped");
    assert_eq!(
        named
            .iter()
            .filter(|told| told.contains("`ours.patch`"))
            .count(),
        2,
        "{named:?}"
    );
}

#[test]
fn a_new_layer_begins_with_what_a_bump_writes() {
    let dir = tempfile::tempdir().unwrap();
    let run = bump(dir.path(), "--profiles", &["10.0.0", "gentoo"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert_eq!(
        files(dir.path())["distros/gentoo.yaml"],
        "version: 10.0.0\n"
    );
}

#[test]
fn what_gentoo_keeps_side_by_side_stays() {
    let dir = tempfile::tempdir().unwrap();
    let file = "versions: [7.1.1, default]\npackages:\n  rocblas:\n    - default  # this one\n    - 7.0.2\n";
    write(dir.path(), "distros/gentoo.yaml", file);
    let run = bump(dir.path(), "--profiles", &["7.2.4", "gentoo"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let now = fs::read_to_string(dir.path().join("distros/gentoo.yaml")).unwrap();
    let expected = "versions: [7.1.1, default, 7.2.0]\npackages:\n  rocblas:\n    - default  # this one\n    - 7.0.2\n    - 7.2.0\nversion: 7.2.4\n";
    assert_eq!(now, expected);
}

#[test]
fn a_package_without_a_source_stays_behind() {
    let dir = tempfile::tempdir().unwrap();
    model(dir.path());
    let file = "components/rocfft.yaml";
    let component = fs::read_to_string(dir.path().join(file)).unwrap();
    write(
        dir.path(),
        file,
        &component.replace("{releases: \">=7.2\"", "{releases: \">=7.2, <10\""),
    );
    let one = bump(
        dir.path(),
        "--into",
        &["10.0.0", "arch", "--package", "rocfft"],
    );
    assert_eq!(one.status.code(), Some(2));
    assert!(text(&one.stderr).contains("E0253"), "{}", text(&one.stderr));
    let all = [
        "changes",
        "7.2.3",
        "10.0.0",
        "nix",
        "--no-builtin",
        "--profiles",
        dir.path().to_str().unwrap(),
    ];
    let changes = text(&rocpkg(&all).stdout);
    assert!(
        changes.contains("no longer have a source:\n- rocfft: needed by torch\n"),
        "{changes}"
    );
    let run = bump(dir.path(), "--into", &["10.0.0", "nix", "--json", "-v"]);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stdout));
    let now = fs::read_to_string(dir.path().join("distros/nixpkgs.yaml")).unwrap();
    assert!(now.contains("\n  rocfft: 7.2.3\n"), "{now}");
    let told = text(&run.stdout);
    assert!(
        told.contains("`rocfft` of nixpkgs has no source at 10.0.0: it stays at 7.2.3"),
        "{told}"
    );
}

#[test]
fn sums_are_taken_and_never_contradicted() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("sums.yaml");
    let sums = |key: &str, sum: char| {
        format!(
            "{key}:\n  sha256: {}\n  size: 123\n",
            sum.to_string().repeat(64)
        )
    };
    write_file(&file, sums("rocm-cmake/archive", 'a'));
    let layer = dir.path().join("layer");
    write(&layer, "releases/7.2.yaml", "versions: {}\n");
    let args = [
        "7.2.9",
        "arch",
        "--package",
        "rocm-cmake",
        "--sums",
        file.to_str().unwrap(),
    ];
    let run = bump(&layer, "--profiles", &args);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let line = fs::read_to_string(layer.join("releases/7.2.yaml")).unwrap();
    let row = format!(
        "    checksums:\n      rocm-cmake/archive:\n        sha256: {}\n        size: 123\n",
        "a".repeat(64)
    );
    assert_eq!(line, format!("versions:\n  7.2.9:\n{row}"));
    assert!(
        !text(&run.stdout).contains("checksum ("),
        "none is missing: {}",
        text(&run.stdout)
    );
    let before = files(&layer);
    assert_eq!(bump(&layer, "--profiles", &args).status.code(), Some(0));
    write_file(&file, sums("rocm-cmake/archive", 'b'));
    let wrong = bump(&layer, "--profiles", &args);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        text(&wrong.stderr)
            .contains("another sha256 of `versions: 7.2.9: checksums: rocm-cmake/archive`"),
        "{}",
        text(&wrong.stderr)
    );
    write_file(&file, "rocm-cmake/archive: {sha257: a}\n");
    assert_eq!(bump(&layer, "--profiles", &args).status.code(), Some(2));
    let row = sums("rocm-cmake/archive", 'a');
    write_file(&file, format!("{row}{row}"));
    assert!(text(&bump(&layer, "--profiles", &args).stderr).contains("or a duplicate key"));
    assert_eq!(files(&layer), before);

    // The form in which `rocpkg sums` prints checksums: parts of several files, and the comments
    // for checksums that are in no table.
    let inner = |key: &str| {
        sums(key, 'c')
            .replace("\n ", "\n        ")
            .replacen(key, &format!("      {key}"), 1)
    };
    let printed = format!(
        "# releases/7.2.yaml\nversions:\n  7.2.9:\n    checksums:\n{}# releases/7.2.yaml\nfiles:\n  https://x.org/a.tar.gz:\n    sha256: {}\n\
         # releases/7.1.yaml\nversions:\n  7.1.1:\n    checksums:\n{}# distros/arch/rccl.yaml:3:5\nhash: {}\n",
        inner("rccl/archive"),
        "d".repeat(64),
        inner("ours/archive"),
        "e".repeat(64)
    );
    write_file(&file, printed);
    let run = bump(&layer, "--profiles", &[&args[..], &["--json"]].concat());
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    let now = files(&layer);
    let line = &now["releases/7.2.yaml"];
    assert!(line.starts_with(&before["releases/7.2.yaml"]), "{line}");
    assert!(
        line.contains("\n      rccl/archive:\n        sha256: ccc"),
        "{line}"
    );
    assert!(
        line.contains("\nfiles:\n  https://x.org/a.tar.gz:\n    sha256: ddd"),
        "{line}"
    );
    assert!(
        now["releases/7.1.yaml"]
            .starts_with("versions:\n  7.1.1:\n    checksums:\n      ours/archive:\n")
    );
    assert!(
        text(&run.stdout).contains("write the checksum of this patch here: `hash: eee"),
        "{}",
        text(&run.stdout)
    );
}

#[test]
fn nothing_is_written_when_anything_is_wrong() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        "distros/arch.yaml",
        "version: 7.2.3\nchecked-at: 7.2.3\n",
    );
    // A file in the place of a folder: the line can't be written, so the distribution's file is not
    // written either.
    write(dir.path(), "releases", "");
    let before = files(dir.path());
    for (args, said) in [
        (&["10.9.0", "arch"][..], "releases"),
        (
            &["10.0.0", "--package", "rocblsa"],
            "did you mean `rocblas`",
        ),
        (&["v10.0.0"], "did you mean 10.0.0?"),
        (&["10.0.0", "--sums", "/no/such/file"], "/no/such/file"),
    ] {
        let run = bump(dir.path(), "--profiles", args);
        assert_eq!(
            run.status.code(),
            Some(2),
            "{args:?}: {}",
            text(&run.stdout)
        );
        assert!(
            text(&run.stderr).contains(said),
            "{args:?}: {}",
            text(&run.stderr)
        );
        assert_eq!(files(dir.path()), before);
    }
    write(dir.path(), "distros/arch/rccl.yaml", "sumary: x\n");
    let run = bump(dir.path(), "--profiles", &["10.0.0", "arch"]);
    assert_eq!(
        (run.status.code(), text(&run.stderr).contains("E0110")),
        (Some(2), true)
    );
    let no_place = rocpkg(&["bump", "10.0.0"]);
    assert_eq!(no_place.status.code(), Some(2));
    assert!(
        text(&no_place.stderr).contains("no rocpkg.toml"),
        "{}",
        text(&no_place.stderr)
    );
    assert!(text(&bump(dir.path(), "--into", &["10.0.0"]).stderr).contains("no whole model"));
}

#[test]
fn what_somebody_changed_meanwhile_is_not_written_over() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "distros/arch.yaml", "version: 7.2.3\n");
    let name = dir.path().display().to_string();
    let stack = Stack::shipped().unwrap().layer(dir.path()).unwrap();
    let asked = Bump {
        backends: vec![Backend::Arch],
        ..Bump::new("10.0.0".parse().unwrap())
    };
    let bumped = stack.bump(&name, &asked).unwrap();
    write(dir.path(), "distros/arch.yaml", "version: 7.2.4\n");
    let before = files(dir.path());
    let said = bumped.write(dir.path()).unwrap_err().to_string();
    assert!(
        said.contains("distros/arch.yaml: changed since it was read"),
        "{said}"
    );
    assert_eq!(files(dir.path()), before);
    write(dir.path(), "distros/arch.yaml", "version: 7.2.3\n");
    assert_eq!(
        bumped.write(dir.path()).unwrap().written,
        ["distros/arch.yaml"]
    );
}

#[test]
fn a_dry_run_is_a_document_of_the_schema_that_ships() {
    let schema = serde_json::from_str(&text(&rocpkg(&["schema", "bump"]).stdout)).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let tried = |args: &[&str], status| {
        let run = bump(dir.path(), "--profiles", args);
        assert_eq!(run.status.code(), Some(status), "{}", text(&run.stderr));
        let document = serde_json::from_slice(&run.stdout).unwrap();
        let faults = check_schema(&schema, &document);
        assert!(faults.is_empty(), "{faults:#?}");
        text(&run.stdout)
    };
    write(dir.path(), "distros/solus.yaml", "year: \"2026\"\n");
    let before = files(dir.path());
    let told = tried(&["10.0.0", "--dry-run", "--json"], 1);
    for risk in [
        "refused",
        "release",
        "target",
        "patch",
        "replacement",
        "option",
        "checksum",
    ] {
        // An empty answer would match the schema, too.
        assert!(
            told.contains(&format!("\"risk\": \"{risk}\"")) || risk == "refused",
            "{risk}"
        );
    }
    assert_eq!(files(dir.path()), before);
    tried(&["7.0.2", "solus", "--dry-run", "--json"], 0);
    write(dir.path(), "distros/solus/rocblas.yaml", "sumary: x\n");
    tried(&["10.0.0", "--dry-run", "--json"], 2);
}

#[test]
fn changes_tell_why_a_target_is_gone() {
    let dir = tempfile::tempdir().unwrap();
    let rule =
        "targets:\n  excludes:\n    - {releases: '>=10', targets: [gfx1100], reason: issue 1}\n";
    write(dir.path(), "components/rocsparse.yaml", rule);
    let layer = dir.path().to_str().unwrap();
    let all = [
        "changes",
        "7.2.0",
        "10.0.0",
        "nix",
        "gentoo",
        "--profiles",
        layer,
    ];
    let run = rocpkg(&all);
    let told = text(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
    assert!(
        told.contains("- rocsparse: lost gfx1100; excluded: issue 1\n"),
        "{told}"
    );
    assert!(
        told.contains("- rccl: ROCm/rccl -> ROCm/rocm-systems/projects/rccl\n"),
        "{told}"
    );
    assert!(
        told.contains("that fail silently if the text is gone ("),
        "{told}"
    );
    let run = rocpkg(&[&all[..], &["--json"]].concat());
    let value: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let of = |at: usize| value[at]["changes"].as_array().unwrap();
    let lost = of(0)
        .iter()
        .find(|change| change["reason"] == "excluded: issue 1")
        .unwrap();
    assert_eq!(
        (&lost["package"], &lost["was"][0]),
        (&"rocsparse".into(), &"gfx1100".into())
    );
    assert!(
        lost["place"]
            .as_str()
            .unwrap()
            .contains("components/rocsparse.yaml:3:"),
        "{lost}"
    );
    let silent = of(1)
        .iter()
        .filter(|change| change["kind"] == "replacement")
        .count();
    assert!(silent > 0, "sed says nothing in an ebuild");
    assert_eq!(
        rocpkg(&["changes", "7.2.3", "7.2.3", "nix"]).stdout,
        b"nixpkgs: 7.2.3 to 7.2.3\n"
    );
}

#[test]
fn explain_marks_what_nobody_checked_for_a_release() {
    let dir = tempfile::tempdir().unwrap();
    write(
        dir.path(),
        "distros/gentoo/rccl.yaml",
        "patches: [{file: ours.patch, checked: '=7.2'}]\n",
    );
    let layer = dir.path().to_str().unwrap();
    let told = |more: &[&str]| {
        let all = ["explain", "rccl", "--distro", "gentoo", "--profiles", layer];
        text(&rocpkg(&[&all[..], more].concat()).stdout)
    };
    let shipped = told(&[]);
    assert!(
        shipped.starts_with("rccl in gentoo, 7.2.0\n") && !shipped.contains("not checked"),
        "{shipped}"
    );
    let next = told(&["--release", "10.0.0"]);
    assert!(next.starts_with("rccl in gentoo, 10.0.0\n"), "{next}");
    let marked = |fact: &str| {
        let mut lines = next.lines().filter(|line| line.contains(fact));
        lines
            .next()
            .unwrap()
            .ends_with("  (not checked for this release)")
    };
    assert!(
        marked(".file = ours.patch") && !marked("  title = "),
        "{next}"
    );
}
