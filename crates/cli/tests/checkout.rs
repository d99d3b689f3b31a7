//! Tests of maintainers' checkouts: manual edits are kept in each bump, and rocpkg leaves no files
//! of its own there.

use rocpkg_test_support::{commit, git, write_file};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// Runs `rocpkg` in a folder, and returns its exit status and its output.
pub(crate) fn rocpkg(root: &Path, args: &[&str]) -> (i32, String) {
    let out = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .current_dir(root)
        .output()
        .unwrap();
    (
        out.status.code().unwrap(),
        String::from_utf8_lossy(&[out.stdout, out.stderr].concat()).into_owned(),
    )
}

/// Runs `rocpkg` in a folder, and returns its output. The command must succeed.
pub(crate) fn fine(root: &Path, args: &[&str]) -> String {
    let (status, said) = rocpkg(root, args);
    assert_eq!(status, 0, "{args:?}: {said}");
    said
}

/// Makes a Gentoo overlay under git with these packages at a release.
pub(crate) fn overlay(packages: &[&str], release: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("profiles/repo_name", "mine\n"),
        (
            "metadata/layout.conf",
            "masters = gentoo\nthin-manifests = true\n",
        ),
    ] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(path, text);
    }
    git(dir.path(), &["init", "--quiet"]);
    fine(dir.path(), &["init", "gentoo"]);
    let toml = dir.path().join("rocpkg.toml");
    let text = fs::read_to_string(&toml).unwrap();
    write_file(
        &toml,
        text.replace(
            "# packages = [\"rocblas\"]",
            &format!("packages = {packages:?}"),
        ),
    );
    fine(
        dir.path(),
        &["render", "--allow-missing", "--release", release],
    );
    commit(dir.path());
    dir
}

pub(crate) fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{from:?} in\n{text}");
    write_file(file, text.replacen(from, to, 1));
}

/// Asserts that a checkout and its git folder contain no file of rocpkg except its settings.
fn holds_nothing_of_ours(root: &Path) {
    let named = |folder: &Path, name: &str| -> Vec<String> {
        let found = rocpkg_programs::command("find")
            .arg(folder)
            .args(["-name", name])
            .output()
            .unwrap();
        String::from_utf8(found.stdout)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect()
    };
    let all = named(root, "*rocpkg*");
    assert!(
        all.iter()
            .all(|path| path.ends_with("/rocpkg.toml") || Path::new(path) == root),
        "{all:?}"
    );
    assert_eq!(git(root, &["for-each-ref", "refs/rocpkg"]), "");
}

#[test]
fn hand_edits_live_through_two_bumps_and_a_revision() {
    let dir = overlay(&["rocblas"], "7.1.0");
    let root = dir.path();
    let folder = root.join("sci-libs/rocBLAS");
    let own = |version: &str| {
        let text = fs::read_to_string(folder.join(format!("rocBLAS-{version}.ebuild"))).unwrap();
        for line in [
            "# Ours, for a reason",
            "\t\t-DOURS=ON",
            "\t\"${FILESDIR}/ours.patch\"",
            "\tapp-misc/ours",
            "\tour_step",
        ] {
            assert!(
                text.lines().any(|l| l == line),
                "{line} in {version}:\n{text}"
            );
        }
        text
    };
    let file = folder.join("rocBLAS-7.1.0.ebuild");
    edit(&file, "\nLICENSE", "\n# Ours, for a reason\nLICENSE");
    edit(
        &file,
        "\tlocal mycmakeargs=(\n",
        "\tlocal mycmakeargs=(\n\t\t-DOURS=ON\n",
    );
    edit(
        &file,
        "PATCHES=(\n",
        "PATCHES=(\n\t\"${FILESDIR}/ours.patch\"\n",
    );
    edit(&file, "DEPEND=\"\n", "DEPEND=\"\n\tapp-misc/ours\n");
    edit(
        &file,
        "\tcmake_src_configure\n",
        "\tour_step\n\tcmake_src_configure\n",
    );
    commit(root);
    let bump = |release: &str| fine(root, &["render", "--allow-missing", "--release", release]);
    bump("7.2.0");
    assert!(own("7.2.0").contains("SLOT=\"0/$(ver_cut 1-2)\""));
    commit(root);
    // A revision of the same version counts as that version, and the next version is made from it.
    git(
        root,
        &[
            "mv",
            "sci-libs/rocBLAS/rocBLAS-7.2.0.ebuild",
            "sci-libs/rocBLAS/rocBLAS-7.2.0-r1.ebuild",
        ],
    );
    edit(
        &folder.join("rocBLAS-7.2.0-r1.ebuild"),
        "\tour_step\n",
        "\tour_step\n\tour_second_step\n",
    );
    commit(root);
    bump("7.2.0");
    assert_eq!(git(root, &["status", "--short"]), "");
    bump("7.2.4");
    assert!(own("7.2.4").contains("\tour_second_step\n"));
    assert_eq!(
        git(
            root,
            &["diff", "--diff-filter=DM", "--name-only", "--", "*.ebuild"]
        ),
        ""
    );
    holds_nothing_of_ours(root);
}

#[test]
fn an_undone_bump_is_done_again_and_a_clone_needs_nothing() {
    let (dir, other) = (overlay(&["rocrand"], "7.2.0"), tempfile::tempdir().unwrap());
    let root = dir.path();
    let bump = |root: &Path| {
        fine(root, &["render", "--allow-missing", "--release", "7.2.4"]);
        fs::read_to_string(root.join("sci-libs/rocRAND/rocRAND-7.2.4.ebuild")).unwrap()
    };
    let first = bump(root);
    git(root, &["clean", "-dfq"]);
    git(root, &["checkout", "--quiet", "."]);
    assert_eq!(bump(root), first);
    git(root, &["clean", "-dfq"]);
    git(root, &["checkout", "--quiet", "."]);
    git(
        other.path(),
        &["clone", "--quiet", root.to_str().unwrap(), "clone"],
    );
    assert_eq!(bump(&other.path().join("clone")), first);
}

#[test]
fn what_lies_beside_ebuilds_changes_with_any_of_them() {
    let dir = overlay(&["rocrand"], "7.2.0");
    let root = dir.path();
    let metadata = root.join("sci-libs/rocRAND/metadata.xml");
    let rendered = fs::read_to_string(&metadata).unwrap();
    let flag = rendered
        .lines()
        .find(|line| line.contains("<flag"))
        .unwrap();
    write_file(&metadata, rendered.replace(&format!("{flag}\n"), ""));
    commit(root);
    fine(root, &["render", "--allow-missing", "--release", "7.2.0"]);
    let has_flag = || fs::read_to_string(&metadata).unwrap().contains(flag);
    assert!(!has_flag(), "no ebuild changes");
    fine(
        root,
        &["render", "--allow-missing", "--release", "7.2.0,7.2.4"],
    );
    assert!(has_flag(), "one of two does");
}

#[test]
fn folders_of_checkouts_are_edited_each() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let two = [
        "render",
        "arch",
        "--into",
        ".",
        "--package",
        "rocrand",
        "--package",
        "hiprand",
    ];
    let render = |release: &str| {
        fine(
            root,
            &[
                &two[..],
                &["--allow-missing", "--allow-guesses", "--release", release],
            ]
            .concat(),
        )
    };
    render("7.2.3");
    for package in ["rocrand", "hiprand"] {
        let folder = root.join(package);
        edit(
            &folder.join("PKGBUILD"),
            "build() {\n",
            "build() {\n  # Ours.\n",
        );
        // The maintainers have a file of their own, and left out others.
        fs::remove_file(folder.join("REUSE.toml")).unwrap_or_default();
        fs::remove_file(folder.join(".SRCINFO")).unwrap();
        write_file(folder.join(".nvchecker.toml"), "ours\n");
        git(&folder, &["init", "--quiet"]);
        commit(&folder);
    }
    render("7.2.4");
    for package in ["rocrand", "hiprand"] {
        let folder = root.join(package);
        assert_eq!(git(&folder, &["status", "--short"]), " M PKGBUILD\n");
        let text = fs::read_to_string(folder.join("PKGBUILD")).unwrap();
        assert!(
            text.contains("\npkgver=7.2.4\npkgrel=1\n") && text.contains("  # Ours.\n"),
            "{text}"
        );
        holds_nothing_of_ours(&folder);
    }
}

#[test]
fn a_private_overlay_moves_to_a_release() {
    let dir = overlay(&["rocblas", "hipblas", "rocrand"], "7.2.0");
    let root = dir.path();
    let file = root.join("sci-libs/rocRAND/rocRAND-7.2.0.ebuild");
    edit(&file, "DESCRIPTION=\"", "DESCRIPTION=\"Ours: ");
    // The maintainer changed a line that the release changes, too.
    edit(&file, "HOMEPAGE=\"", "HOMEPAGE=\"https://example.org/ours ");
    commit(root);
    // The patches of ::gentoo are not in the overlay, so none of its packages can be built yet.
    let (status, said) = rocpkg(root, &["bump", "10.0.0", "--allow-guesses"]);
    assert_eq!(status, 1, "{said}");
    for what in [
        "0 of 3 recipes are done",
        "  rocBLAS  left: 3 items",
        "  hipBLAS, rocBLAS, rocRAND: note: `dev-util/hip` 10.0.0 is not in this repository, and gentoo has 7.2.0; `rocpkg render` makes it\n",
        "  rocBLAS: note: `sci-libs/hipBLASLt` 10.0.0 is not in this repository",
    ] {
        assert!(said.contains(what), "{what}:\n{said}");
    }
    assert!(!said.contains("miopen"), "{said}");
    let status = git(root, &["status", "--short", "-uall"]);
    let made: Vec<&str> = status
        .lines()
        .filter(|l| l.ends_with("-10.0.0.ebuild"))
        .collect();
    assert_eq!(made.len(), 3, "{status}");
    assert!(!root.join("rocm-profiles").exists(), "the release is known");
    let next = fs::read_to_string(root.join("sci-libs/rocRAND/rocRAND-10.0.0.ebuild")).unwrap();
    assert!(
        next.contains("DESCRIPTION=\"Ours: ") && next.contains("https://example.org/ours "),
        "{next}"
    );
    // A second run changes nothing, and reports the same list.
    commit(root);
    let (_, again) = rocpkg(root, &["bump", "10.0.0", "--allow-guesses"]);
    let list = |said: &str| {
        said.lines()
            .filter(|l| l.starts_with("  patch: "))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(list(&again), list(&said));
    assert_eq!(git(root, &["status", "--short"]), "");
}

#[test]
fn a_release_that_nobody_knows_goes_into_the_checkouts_own_layer() {
    let dir = overlay(&["rocrand"], "7.2.0");
    let root = dir.path();
    let (status, dry) = rocpkg(root, &["bump", "7.2.77", "--dry-run"]);
    assert!(
        status == 1 && dry.contains("+++ b/rocm-profiles/releases/7.2.yaml"),
        "{dry}"
    );
    assert!(dry.contains("\n+profiles = [\"rocm-profiles\"]\n"), "{dry}");
    assert_eq!(git(root, &["status", "--short"]), "");
    let (status, said) = rocpkg(root, &["bump", "7.2.77"]);
    assert_eq!(status, 1, "no sum is known: {said}");
    assert!(
        said.contains("written: rocm-profiles/releases/7.2.yaml\nwritten: rocpkg.toml\n"),
        "{said}"
    );
    assert!(
        fs::read_to_string(root.join("rocpkg.toml"))
            .unwrap()
            .contains("\nprofiles = [\"rocm-profiles\"]\n")
    );
    assert!(
        root.join("sci-libs/rocRAND/rocRAND-7.2.77.ebuild")
            .is_file()
    );
    commit(root);
    rocpkg(root, &["bump", "7.2.77"]);
    assert_eq!(git(root, &["status", "--short"]), "");
    let (status, said) = rocpkg(root, &["bump", "7.2.77", "rocfft"]);
    assert!(
        status == 2 && said.contains("no recipe of rocfft is in this folder"),
        "{said}"
    );
    let (status, said) = rocpkg(root, &["bump", "7.2.77", "rocrnd"]);
    assert!(
        status == 2 && said.contains("did you mean `rocrand`"),
        "{said}"
    );
}

#[test]
fn profiles_of_the_command_line_are_facts_for_the_recipes_of_a_checkout() {
    let dir = overlay(&["rocrand"], "7.1.0");
    let root = dir.path();
    let facts = root.join("mine/distros/gentoo.yaml");
    fs::create_dir_all(facts.parent().unwrap()).unwrap();
    write_file(&facts, "year: \"2031\"\n");
    commit(root);
    let rocrand = |version: &str| root.join(format!("sci-libs/rocRAND/rocRAND-{version}.ebuild"));
    // The model has a newer release in Gentoo, which says nothing about the recipes.
    let (_, said) = rocpkg(root, &["bump", "7.1.1", "--profiles", "mine"]);
    assert!(said.contains(" of 1 recipe is done"), "{said}");
    let next = fs::read_to_string(rocrand("7.1.1")).unwrap();
    assert!(next.contains("-2031 Gentoo Authors"), "{next}");
    // A release that the model does not have goes into that layer, which the settings don't name.
    rocpkg(root, &["bump", "7.2.77", "--profiles", "mine"]);
    assert!(rocrand("7.2.77").is_file());
    assert!(root.join("mine/releases/7.2.yaml").is_file());
    assert!(!root.join("rocm-profiles").exists());
    assert_eq!(git(root, &["status", "--short", "rocpkg.toml"]), "");
}

#[test]
fn sums_of_a_mirror_come_into_the_layer_and_patches_are_tried_on_it() {
    let dir = tempfile::tempdir().unwrap();
    let (root, mirror) = (
        dir.path().join("packages"),
        dir.path().join("mirror/ROCm/rocm-libraries.git"),
    );
    // The sources of the release, as upstream would have them.
    fs::create_dir_all(mirror.join("projects/rocrand")).unwrap();
    write_file(
        mirror.join("projects/rocrand/CMakeLists.txt"),
        "project(rocRAND)\n",
    );
    git(&mirror, &["init", "--quiet"]);
    commit(&mirror);
    git(&mirror, &["tag", "rocm-7.2.77"]);
    fs::create_dir(&root).unwrap();
    git(&root, &["init", "--quiet"]);
    let layer = root.join("mine/distros/arch");
    fs::create_dir_all(&layer).unwrap();
    write_file(
        layer.join("rocrand.yaml"),
        "patches: [{file: ours.patch}]\n",
    );
    write_file(
        root.join("rocpkg.toml"),
        "distribution = \"arch\"\npackages = [\"rocrand\"]\nprofiles = [\"mine\"]\n",
    );
    fine(
        &root,
        &[
            "render",
            "--release",
            "7.2.4",
            "--allow-guesses",
            "--allow-missing",
        ],
    );
    write_file(
        root.join("rocrand/ours.patch"),
        "--- a/CMakeLists.txt\n+++ b/CMakeLists.txt\n@@ -1 +1 @@\n-project(other)\n+project(ours)\n",
    );
    commit(&root);
    let address = format!(
        "file://{}/mirror/{{owner}}/{{repository}}.git",
        dir.path().display()
    );
    let (status, said) = rocpkg(
        &root,
        &["bump", "7.2.77", "--allow-guesses", "--mirror", &address],
    );
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("arch: 0 fit, 1 don't\n") && said.contains("ours.patch"),
        "{said}"
    );
    let table = fs::read_to_string(root.join("mine/releases/7.2.yaml")).unwrap();
    let sum = table
        .lines()
        .find_map(|l| l.trim().strip_prefix("sha256: "))
        // A sum that YAML could read as a number, such as 0b6dea…, is in quotes.
        .map(|sum| sum.trim_matches('"'))
        .unwrap();
    let text = fs::read_to_string(root.join("rocrand/PKGBUILD")).unwrap();
    assert!(
        text.contains("\npkgver=7.2.77\n") && text.contains(sum),
        "{table}{text}"
    );
}

#[test]
fn a_release_without_the_folder_of_a_source_is_left() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("packages");
    let mirror = dir.path().join("mirror/ROCm/rocm-libraries.git");
    fs::create_dir_all(mirror.join("libs/rocrand")).unwrap();
    write_file(mirror.join("libs/rocrand/CMakeLists.txt"), "project(x)\n");
    commit(&mirror);
    git(&mirror, &["tag", "rocm-7.2.77"]);
    fs::create_dir(&root).unwrap();
    fine(&root, &["init", "arch"]);
    let make = ["render", "--release", "7.2.4", "--package", "rocrand"];
    fine(&root, &[&make[..], &["--allow-missing"]].concat());
    let (head, tail) = ("mirror/{owner}", "{repository}.git");
    let mirror = format!("file://{}/{head}/{tail}", dir.path().display());
    let (status, said) = rocpkg(&root, &["bump", "7.2.77", "--mirror", &mirror]);
    assert_eq!(status, 1, "{said}");
    let row = "source `main`: file gone: projects/rocrand in ROCm/rocm-libraries at rocm-7.2.77\n";
    assert!(
        said.contains(row) && said.contains("  rocrand  left: 1 item\n"),
        "{said}"
    );
}

#[test]
fn a_checkout_is_not_set_back_unasked_and_an_unknown_release_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    let render = |more: &[&str]| {
        let one = [
            "render",
            "arch",
            "--into",
            ".",
            "--package",
            "rocrand",
            "--allow-missing",
            "--allow-guesses",
        ];
        rocpkg(root, &[&one[..], more].concat())
    };
    assert_eq!(render(&["--release", "7.2.4"]).0, 0);
    let file = root.join("rocrand/PKGBUILD");
    let text = fs::read_to_string(&file).unwrap();
    let (status, said) = render(&["--release", "7.1.0"]);
    assert!(
        status == 2
            && said.contains("rocrand/PKGBUILD: the existing recipe has 7.2.4, but 7.1.0 is older"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
    assert_eq!(render(&["--release", "7.1.0", "--older"]).0, 0);
    assert!(
        fs::read_to_string(&file)
            .unwrap()
            .contains("\npkgver=7.1.0\n")
    );
    // The recipe states a release that is not in the model.
    edit(&file, "pkgver=7.1.0", "pkgver=7.0.99");
    let strange = fs::read_to_string(&file).unwrap();
    let (status, said) = render(&["--release", "7.2.4"]);
    assert!(
        status == 1
            && said.contains(
                "  rocrand  not touched: it states release 7.0.99, which the model does not know"
            ),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), strange);
    let (status, said) = render(&["--release", "7.2.4", "--from", "7.1.0"]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        status == 1 && said.contains("pkgver") && said.contains("there: pkgver=7.0.99"),
        "{said}\n{text}"
    );
}

#[test]
fn compare_tells_what_differs_in_meaning_and_takes_what_is_picked() {
    let dir = overlay(&["rocrand", "hipblas"], "7.2.0");
    let root = dir.path();
    assert!(fine(root, &["compare"]).starts_with("0 rows of 2 recipes"));
    let file = root.join("sci-libs/hipBLAS/hipBLAS-7.2.0.ebuild");
    // Differences in spelling, order and comments are not rows.
    edit(&file, "IUSE=\"rocsolver\"", "# Ours.\nIUSE='rocsolver'");
    edit(
        &file,
        "\t\t-DBUILD_CLIENTS_TESTS=OFF\n\t\t-DBUILD_CLIENTS_BENCHMARKS=OFF\n",
        "\t\t-DBUILD_CLIENTS_BENCHMARKS=OFF\n\t\t-D BUILD_CLIENTS_TESTS=OFF\n",
    );
    assert!(
        fine(root, &["compare"]).starts_with("0 rows of 2 recipes"),
        "{}",
        rocpkg(root, &["compare"]).1
    );
    edit(&file, "\tdev-util/hip:${SLOT}\n", "\tdev-util/hip\n");
    edit(
        &file,
        "-DBUILD_CLIENTS_BENCHMARKS=OFF",
        "-DBUILD_CLIENTS_BENCHMARKS=ON",
    );
    let line = 1 + fs::read_to_string(&file)
        .unwrap()
        .lines()
        .position(|l| l == "\tdev-util/hip")
        .unwrap();
    let place = format!("sci-libs/hipBLAS/hipBLAS-7.2.0.ebuild:{line}");
    let (status, said) = rocpkg(root, &["compare", "hipblas"]);
    assert_eq!(status, 1);
    assert!(
        said.contains("(2 rows)") && said.contains(&format!("  {line}:2: DEPEND / dev-util/hip")),
        "{said}"
    );
    let json: serde_json::Value =
        serde_json::from_str(&rocpkg(root, &["compare", "--format", "json"]).1).unwrap();
    assert_eq!(json["rows"].as_array().unwrap().len(), 2, "{json:#}");
    let sarif: serde_json::Value =
        serde_json::from_str(&rocpkg(root, &["compare", "--format", "sarif"]).1).unwrap();
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    assert!(region["startLine"].is_number(), "{sarif:#}");
    // A place of no row stops the run, even if other places are valid.
    let before = fs::read_to_string(&file).unwrap();
    let (status, said) = rocpkg(
        root,
        &["compare", "--take", &place, "--take", "elsewhere:1"],
    );
    assert!(
        status == 2 && said.contains("no row is at elsewhere:1"),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    let (_, said) = rocpkg(root, &["compare", "--take", &place]);
    assert!(
        said.contains("edited: sci-libs/hipBLAS/hipBLAS-7.2.0.ebuild"),
        "{said}"
    );
    let text = fs::read_to_string(&file).unwrap();
    assert!(
        text.contains("\tdev-util/hip:${SLOT}\n") && text.contains("BENCHMARKS=ON"),
        "{text}"
    );
    let (status, said) = rocpkg(
        root,
        &[
            "compare",
            "--take",
            "sci-libs/hipBLAS/hipBLAS-7.2.0.ebuild:1",
        ],
    );
    assert!(status == 2 && said.contains("no row is at"), "{said}");
    rocpkg(root, &["compare", "--take", "all"]);
    assert!(fine(root, &["compare"]).starts_with("0 rows of 2 recipes"));
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("# Ours.\nIUSE='rocsolver'\n"), "{text}");
}

#[test]
fn compare_uses_the_targets_of_the_settings() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fine(root, &["init", "arch"]);
    let toml = root.join("rocpkg.toml");
    let all = fs::read_to_string(&toml).unwrap();
    edit(
        &toml,
        "# targets = \"RX 7900 XTX\"",
        "targets = \"RX 7900 XTX\"",
    );
    let package = ["--package", "rocblas", "--package", "rocrand"];
    let render = ["render", "--allow-missing", "--allow-guesses"];
    fine(root, &[&render[..], &package].concat());
    let said = fine(root, &["compare"]);
    assert!(said.starts_with("0 rows of 2 recipes"), "{said}");
    write_file(&toml, all);
    let (status, said) = rocpkg(root, &["compare"]);
    assert!(status == 1 && said.contains("gfx1100"), "{said}");
}

#[test]
fn recipes_of_the_oldest_releases_are_in_their_category() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    for package in ["rocm-comgr", "rocm-device-libs"] {
        let args = ["render", "gentoo", "--into", ".", "--allow-missing"];
        let of = ["--release", "6.0.0", "--package", package];
        fine(root, &[&args[..], &of].concat());
        let file = format!("dev-libs/{package}/{package}-6.0.0.ebuild");
        assert!(root.join(file).is_file(), "{package}");
    }
    fine(root, &["init", "gentoo"]);
    // The patches that the recipes name are missing.
    let (_, said) = rocpkg(root, &["compare"]);
    assert!(said.contains(" rows of 2 recipes: "), "{said}");
    assert!(said.contains(" breaks, 0 differs;"), "{said}");
    let (_, said) = rocpkg(root, &["bump", "6.0.2"]);
    assert!(said.contains(" of 2 recipes are done"), "{said}");
}

#[test]
fn an_eclass_that_ends_before_a_release_is_told_with_what_brings_it() {
    let dir = overlay(&["rocblas"], "7.2.0");
    let root = dir.path();
    let ten = [
        "render",
        "--release",
        "10.0.0",
        "--allow-missing",
        "--allow-guesses",
    ];
    let (status, said) = rocpkg(root, &ten);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("rocm.eclass of ::gentoo has no GPU targets for 10.0.0"),
        "{said}"
    );
    let advice = "`--eclass whole`, or `eclass = \"whole\"` in rocpkg.toml, adds";
    assert!(said.contains(advice), "{said}");
    let said = fine(root, &[&ten[..], &["--eclass", "whole"]].concat());
    assert!(!said.contains("rocm.eclass of"), "{said}");
    assert!(!fine(root, &ten).contains("has no GPU targets"));
    // If the overlay has an eclass, that eclass is checked.
    edit(&root.join("eclass/rocm.eclass"), "10.*|9999)", "9.*)");
    let (status, said) = rocpkg(root, &ten);
    assert_eq!(status, 1, "{said}");
    assert!(
        said.contains("rocm.eclass in this repository has no GPU targets for 10.0.0"),
        "{said}"
    );
    fine(root, &[&ten[..], &["--eclass", "rows"]].concat());
    assert!(!fine(root, &ten).contains("has no GPU targets"));
}

#[test]
fn a_bare_render_after_init_works_and_new_packages_are_the_checkouts_own() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    git(root, &["init", "--quiet"]);
    git(root, &["config", "user.name", "Jane \"J\" Doe"]);
    git(root, &["config", "user.email", "jane@example.org"]);
    fine(root, &["init", "gentoo"]);
    let said = fine(root, &["render"]);
    assert!(
        said.contains("left out of gentoo, because a checksum is unknown"),
        "{said}"
    );
    assert!(
        root.join("dev-util/hip/hip-7.2.4.ebuild").is_file(),
        "{said}"
    );
    assert!(
        !root.join("dev-util/amdsmi").exists(),
        "of which a checksum is not known"
    );
    let metadata =
        |package: &str| fs::read_to_string(root.join(package).join("metadata.xml")).unwrap();
    let theirs = "<maintainer type=\"person\">\n\t\t<email>jane@example.org</email>\n\t\t<name>Jane &quot;J&quot; Doe</name>\n\t</maintainer>";
    for package in ["dev-util/hip", "dev-libs/rocdbgapi"] {
        let text = metadata(package);
        assert!(
            text.contains(theirs) && text.matches("<maintainer").count() == 1,
            "{text}"
        );
    }
    // The maintainers of existing packages stay, and those of ::gentoo are its own.
    edit(&root.join("rocpkg.toml"), "jane@", "joan@");
    fine(
        root,
        &[
            "render",
            "--package",
            "hip",
            "--release",
            "10.0.0",
            "--allow-guesses",
        ],
    );
    assert!(metadata("dev-util/hip").contains("jane@"));
    fs::remove_file(root.join("rocpkg.toml")).unwrap();
    fs::remove_dir_all(root.join("dev-util")).unwrap();
    write_file(root.join("profiles/repo_name"), "gentoo\n");
    fine(root, &["init", "gentoo"]);
    fine(root, &["render", "--package", "hip"]);
    assert!(metadata("dev-util/hip").contains("sci@gentoo.org"));
}

#[test]
fn a_manifest_that_is_to_list_every_file_is_told_until_it_does() {
    let dir = overlay(&["rocblas"], "7.2.0");
    let root = dir.path();
    edit(
        &root.join("metadata/layout.conf"),
        "thin-manifests = true",
        "thin-manifests = false",
    );
    let render = ["render", "--allow-missing", "--release", "7.2.0"];
    let said = fine(root, &render);
    assert!(
        said.contains("`pkgdev manifest sci-libs/rocBLAS` adds ebuilds"),
        "{said}"
    );
    let folder = root.join("sci-libs/rocBLAS");
    let sum = rocpkg_programs::command("b2sum")
        .arg("rocBLAS-7.2.0.ebuild")
        .current_dir(&folder)
        .output()
        .unwrap();
    let sum = String::from_utf8(sum.stdout).unwrap();
    let sum = sum.split_whitespace().next().unwrap();
    write_file(
        folder.join("Manifest"),
        format!("EBUILD rocBLAS-7.2.0.ebuild 5 BLAKE2B {sum}\n"),
    );
    let said = fine(root, &render);
    assert!(!said.contains("pkgdev"), "{said}");
}
