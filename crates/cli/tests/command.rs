//! Tests of the command: its exit status, the files that it writes, and the files that it leaves
//! alone.

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

#[test]
fn check_is_quiet_after_render_and_tells_a_change() {
    let dir = tempfile::tempdir().unwrap();
    let first = render(dir.path(), &[]);
    assert!(first.status.success(), "{}", text(&first.stderr));
    assert_eq!(render(dir.path(), &["--check"]).status.code(), Some(0));
    let recipe = dir.path().join("arch/rocblas/PKGBUILD");
    let before = fs::read_to_string(&recipe).unwrap();
    write_file(&recipe, before.replace("pkgdesc='", "pkgdesc='My "));
    let check = render(dir.path(), &["--check"]);
    assert_eq!(check.status.code(), Some(1));
    assert!(
        text(&check.stdout).contains("-pkgdesc='My "),
        "{}",
        text(&check.stdout)
    );
    let again = render(dir.path(), &[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(
        text(&again.stderr).contains("arch/rocblas/PKGBUILD"),
        "{}",
        text(&again.stderr)
    );
    // After the edited file is moved away, it is written again.
    fs::rename(&recipe, dir.path().join("mine")).unwrap();
    assert!(render(dir.path(), &[]).status.success());
    assert_eq!(fs::read_to_string(&recipe).unwrap(), before);
}

#[test]
fn one_package_is_written_alone_under_any_of_its_names() {
    let dir = tempfile::tempdir().unwrap();
    assert!(
        render(dir.path(), &["gentoo", "--package", "rocblas"])
            .status
            .success()
    );
    assert!(dir.path().join("gentoo/sci-libs/rocBLAS").is_dir());
    assert!(!dir.path().join("arch").exists() && !dir.path().join("gentoo/dev-util").exists());
    let typo = render(dir.path(), &["--package", "rocbals"]);
    assert_eq!(typo.status.code(), Some(2));
    assert!(
        text(&typo.stderr).contains("did you mean `rocBLAS`"),
        "{}",
        text(&typo.stderr)
    );
}

#[test]
fn targets_are_handed_on_as_the_command_or_the_settings_say() {
    let dir = tempfile::tempdir().unwrap();
    let hipblas = |folder: &Path| {
        let path = folder.join("sci-libs/hipBLAS/hipBLAS-7.2.0.ebuild");
        fs::read_to_string(path).unwrap()
    };
    let run = |mode: &str, distro: &str| render(dir.path(), &[distro, "--propagation", mode]);
    for (mode, part) in [
        ("eclass", "sci-libs/rocBLAS:${SLOT}[${ROCM_USEDEP}]"),
        (
            "chunked",
            "sci-libs/rocBLAS:${SLOT}[amdgpu_targets_gfx908(-)?,",
        ),
        ("none", "sci-libs/rocBLAS:${SLOT}\n"),
    ] {
        let run = run(mode, "gentoo");
        assert!(run.status.success(), "{}", text(&run.stderr));
        let ebuild = hipblas(&dir.path().join("gentoo"));
        assert!(ebuild.contains(part), "{mode}: {ebuild}");
    }
    // E0610 is not listed as known where it is not found.
    let check = rocpkg(&["check", "--distro", "gentoo", "--propagation", "eclass"]);
    assert!(check.status.success(), "{}", text(&check.stderr));
    let arch = run("eclass", "arch");
    assert_eq!(arch.status.code(), Some(2));
    assert!(text(&arch.stderr).contains("only Gentoo's ebuilds"));
    // In a checkout, its settings say so, for each command that renders.
    let root = dir.path().join("overlay");
    let into = |args: &[&str]| {
        let mut command = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
        command.args(args).current_dir(&root).output().unwrap()
    };
    fs::create_dir(&root).unwrap();
    assert!(into(&["init", "gentoo"]).status.success());
    let settings = root.join("rocpkg.toml");
    let said = fs::read_to_string(&settings).unwrap();
    let chunked = said.replace("# propagation = \"none\"", "propagation = \"chunked\"");
    assert_ne!(said, chunked);
    write_file(&settings, chunked);
    let args = [
        "--package",
        "hipblas",
        "--allow-missing",
        "--release",
        "7.2.0",
    ];
    let written = into(&[&["render"], &args[..]].concat());
    assert!(written.status.success(), "{}", text(&written.stderr));
    assert!(hipblas(&root).contains("[amdgpu_targets_gfx908(-)?,"));
    let same = into(&[&["render", "--check"], &args[..]].concat());
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stdout));
    let rows = text(&into(&["compare"]).stdout);
    assert!(!rows.contains("amdgpu_targets"), "{rows}");
    let bumped = into(&["bump", "7.2.4", "--dry-run", "hipblas"]);
    let bumped = text(&bumped.stdout);
    assert!(
        bumped.contains("copy to sci-libs/hipBLAS/hipBLAS-7.2.4.ebuild"),
        "{bumped}"
    );
    let gone = |line: &str| line.starts_with('-') && line.contains("amdgpu_targets");
    assert!(!bumped.lines().any(gone), "{bumped}");
}

#[test]
fn targets_are_handed_on_as_a_profile_says() {
    let (dir, profiles) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(profiles.path().join("distros")).unwrap();
    let says = |mode: &str| {
        write_file(
            profiles.path().join("distros/gentoo.yaml"),
            format!("propagation: {mode}\n"),
        );
        render(
            dir.path(),
            &["gentoo", "--profiles", profiles.path().to_str().unwrap()],
        )
    };
    let run = says("chunked");
    assert!(run.status.success(), "{}", text(&run.stderr));
    let path = dir
        .path()
        .join("gentoo/sci-libs/hipBLAS/hipBLAS-7.2.0.ebuild");
    let chunked = fs::read_to_string(path).unwrap();
    assert!(
        chunked.contains("sci-libs/rocBLAS:${SLOT}[amdgpu_targets_gfx908(-)?,"),
        "{chunked}"
    );
    let typo = says("chunkd");
    assert_eq!(typo.status.code(), Some(2));
    assert!(
        text(&typo.stderr).contains("did you mean `chunked`"),
        "{}",
        text(&typo.stderr)
    );
}

#[test]
fn wrong_profiles_write_nothing_and_show_all_faults() {
    let (dir, profiles) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(profiles.path().join("components")).unwrap();
    let file = profiles.path().join("components/rocblas.yaml");
    write_file(
        &file,
        "sumary: x\ntargets:\n  excludes:\n    - {targets: [gfx1o30], reason: x}\n",
    );
    let out = dir.path().join("out");
    let run = render(&out, &["--profiles", profiles.path().to_str().unwrap()]);
    assert_eq!(run.status.code(), Some(2));
    let shown = text(&run.stderr);
    assert!(
        shown.contains("E0110") && shown.contains("did you mean `summary`"),
        "{shown}"
    );
    assert!(shown.contains("components/rocblas.yaml:1:1"), "{shown}");
    assert!(!out.exists());
}

#[test]
fn what_is_proved_to_disagree_is_not_written() {
    let (dir, profiles) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::create_dir(profiles.path().join("components")).unwrap();
    // In this layer, rocBLAS does not state how its targets depend on those of hipBLASLt.
    let overlay =
        "depends:\n  hipblaslt: ~\n  hipblas-common: {kind: link}\n  rocprim: {kind: link}\n";
    write_file(profiles.path().join("components/rocblas.yaml"), overlay);
    let out = dir.path().join("out");
    let run = render(
        &out,
        &["gentoo", "--profiles", profiles.path().to_str().unwrap()],
    );
    assert_eq!(run.status.code(), Some(2), "{}", text(&run.stdout));
    assert!(
        text(&run.stderr).contains("error[E0601]"),
        "{}",
        text(&run.stderr)
    );
    assert!(!out.exists());
}

#[test]
fn companions_come_from_the_users_folder_and_missing_ones_are_listed() {
    let (dir, files) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let listed = text(&render(dir.path(), &["gentoo", "-v"]).stdout);
    let wanted = listed
        .lines()
        .find_map(|l| l.trim().strip_prefix("gentoo/")?.split_once(": "));
    let (wanted, _) = wanted.expect("some patch is a companion");
    let place = files.path().join(wanted);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    write_file(&place, "a patch");
    let with = render(
        dir.path(),
        &["gentoo", "--files", files.path().to_str().unwrap()],
    );
    assert!(with.status.success(), "{}", text(&with.stderr));
    assert_eq!(
        fs::read_to_string(dir.path().join("gentoo").join(wanted)).unwrap(),
        "a patch"
    );
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
    assert_eq!(all["distributions"].as_array().unwrap().len(), 4);
    assert!(
        all["targets"]
            .as_array()
            .unwrap()
            .iter()
            .any(|t| t == "gfx90a")
    );
}

/// Makes a folder of profiles with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let at = dir.path().join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        write_file(at, text);
    }
    dir
}

#[test]
fn explain_names_every_layer_that_spoke() {
    let over = folder(&[(
        "distros/gentoo/rocblas.yaml",
        "summary: Ours\nlicence: [NCSA]\npatches: {rocBLAS-7.1.0-no-git.patch: ~}\n",
    )]);
    let path = over.path().to_str().unwrap();
    let run = rocpkg(&[
        "explain",
        "rocblas",
        "--distro",
        "gentoo",
        "--profiles",
        path,
    ]);
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    let line = |start: &str| {
        let found = out.lines().find(|l| l.trim().starts_with(start));
        found
            .unwrap_or_else(|| panic!("no {start}:\n{out}"))
            .to_owned()
    };
    let ours = format!("{path}/distros/gentoo/rocblas.yaml");
    assert!(
        line("summary = Ours").ends_with(&format!("{ours}:1:10 over components/rocblas.yaml:2:10"))
    );
    assert!(
        line("licence replaced")
            .contains(&format!("{ours}:2:10 over components/rocblas.yaml:3:10"))
    );
    assert!(
        line("patches.rocBLAS-7.1.0-no-git.patch removed")
            .contains(&format!("{ours}:3:39 over distros/gentoo/"))
    );
    assert!(
        line("programs removed").contains("distros/gentoo.yaml"),
        "what ships removes too"
    );
    assert!(
        err.contains("note[N0201]: `licence` replaces a whole list"),
        "{err}"
    );
    let plain = rocpkg(&["explain", "rocblas", "--distro", "gentoo"]);
    assert!(plain.stderr.is_empty(), "{}", text(&plain.stderr));
}

#[test]
fn without_the_built_in_profiles_only_the_folders_count() {
    let none = rocpkg(&["list", "--no-builtin"]);
    assert_eq!(none.status.code(), Some(2));
    assert!(
        text(&none.stderr).contains("--profiles <DIR>"),
        "{}",
        text(&none.stderr)
    );

    let own = folder(&[
        (
            "distros/arch.yaml",
            "version: 1.2.3\nnaming: component\nfetch: archive\npackages: {tool: default}\nmaintainers: [{name: A, email: a@example.org}]\n",
        ),
        (
            "components/tool.yaml",
            "title: Tool\nsummary: A tool\nhomepage: https://example.org\nlicence: [MIT]\nsources: {main: {owner: A, repository: tool}}\n",
        ),
        (
            "releases/1.2.yaml",
            "tag: v${version}\nversions: {1.2.3: {}}\n",
        ),
    ]);
    let args = ["--no-builtin", "--profiles", own.path().to_str().unwrap()];
    let list = rocpkg(&[&["list"], &args[..]].concat());
    assert!(list.status.success(), "{}", text(&list.stderr));
    assert!(
        text(&list.stdout).starts_with("arch (1 packages, 1.2.3)\n  tool "),
        "{}",
        text(&list.stdout)
    );
    let out = tempfile::tempdir().unwrap();
    let run = render(out.path(), &args);
    assert!(run.status.success(), "{}", text(&run.stderr));
    assert!(out.path().join("arch/tool/PKGBUILD").is_file() && !out.path().join("gentoo").exists());
    for asked in [
        &["render", "gentoo", "--out", "nowhere"][..],
        &["use", "tool"],
        &["check", "--distro", "gentoo"],
    ] {
        let run = rocpkg(&[asked, &args[..]].concat());
        assert_eq!(run.status.code(), Some(2), "{asked:?}");
        assert!(
            text(&run.stderr).contains("distros/gentoo.yaml is missing"),
            "{}",
            text(&run.stderr)
        );
    }
}

#[test]
fn a_release_that_no_line_lists_is_refused() {
    let out = tempfile::tempdir().unwrap();
    for (release, says) in [
        (
            "7.2.99",
            "the releases of 7.2 are 7.2.0, 7.2.1, 7.2.2, 7.2.3, 7.2.4",
        ),
        ("7.2", "write it as upstream does: 7.2.0"),
        ("10.0", "write it as upstream does: 10.0.0"),
        ("9.1.0", "expected a version of"),
    ] {
        for command in [
            &["render", "--out", out.path().to_str().unwrap()][..],
            &["check"],
            &["gpu", "gfx1100"],
        ] {
            let run = rocpkg(&[command, &["--release", release]].concat());
            assert!(!run.status.success(), "{command:?} {release}");
            let err = text(&run.stderr);
            assert!(
                err.contains(says) && err.matches("error[").count() == 1,
                "{err}"
            );
        }
    }
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn a_name_that_nothing_reads_is_told() {
    for (path, code) in [
        ("components/tool.yml", "E0120"),
        ("distros/gentoo/rocBLAS.yaml", "E0122"),
    ] {
        let over = folder(&[(path, "summary: x\n")]);
        let run = rocpkg(&[
            "check",
            "--distro",
            "gentoo",
            "--profiles",
            over.path().to_str().unwrap(),
        ]);
        assert!(text(&run.stderr).contains(code), "{}", text(&run.stderr));
    }
}

#[test]
fn schemas_are_printed_one_by_one_or_together() {
    let one = rocpkg(&["schema", "component"]);
    assert!(one.status.success());
    let one: serde_json::Value = serde_json::from_slice(&one.stdout).unwrap();
    let all: serde_json::Value = serde_json::from_slice(&rocpkg(&["schema"]).stdout).unwrap();
    assert_eq!(all["component"], one);
    assert_eq!(
        one["properties"]["title"]["description"],
        "Upstream's spelling of the package's name, such as `rocBLAS`."
    );
    assert_eq!(rocpkg(&["schema", "componant"]).status.code(), Some(2));
}

#[test]
fn a_bare_tree_holds_what_is_shared_and_nothing_of_overlays() {
    let out = tempfile::tempdir().unwrap();
    let read = |at: &str| fs::read_to_string(out.path().join(at)).unwrap();
    let whole = rocpkg(&[
        "render",
        "arch",
        "--out",
        out.path().join("whole").to_str().unwrap(),
    ]);
    assert!(whole.status.success(), "{}", text(&whole.stderr));
    let place = out.path().join("bare");
    let bare = render(&place, &["--bare"]);
    assert!(bare.status.success(), "{}", text(&bare.stderr));
    for distro in ["gentoo", "arch", "nix", "solus"] {
        assert!(
            place.join(distro).is_dir(),
            "{distro} gives a bare tree of its own accord"
        );
    }
    let (whole_text, bare_text) = (
        read("whole/arch/rocsparse/PKGBUILD"),
        read("bare/arch/rocsparse/PKGBUILD"),
    );
    assert!(
        whole_text.contains("!buildflags"),
        "what the overlay says:\n{whole_text}"
    );
    assert!(
        !bare_text.contains("!buildflags"),
        "nothing of the overlay:\n{bare_text}"
    );
    assert!(
        bare_text.contains("rocm-supported-gfx -e gfx950"),
        "what habits give:\n{bare_text}"
    );
    assert!(
        bare_text.contains("rocprim"),
        "what the component gives:\n{bare_text}"
    );
}

#[test]
fn what_nobody_checked_for_a_release_is_named() {
    let over = folder(&[(
        "distros/arch/rccl.yaml",
        "patches:\n  - {file: a.patch}\n  - {file: b.patch, checked: \">=7.1, <7.2.3\"}\nphases: {prepare: [standard]}\n",
    )]);
    let said = |release: &str, package: &str| {
        let out = tempfile::tempdir().unwrap();
        let mut more = vec!["arch", "--package", package, "-v"];
        more.extend([
            "--profiles",
            over.path().to_str().unwrap(),
            "--release",
            release,
        ]);
        let run = render(out.path(), &more);
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stderr)
    };
    let old = said("7.2.2", "rccl");
    assert!(
        old.contains("W0220") && old.contains("the patch `a.patch` was not checked for 7.2.2"),
        "{old}"
    );
    assert!(
        !old.contains("the patch `b.patch`"),
        "it was checked: {old}"
    );
    assert!(
        said("7.2.3", "rccl").contains("the patch `b.patch` was not checked for 7.2.3"),
        "no longer"
    );
    // The shipped model states for which releases its steps were checked.
    assert!(!said("7.1.1", "rocprofiler-register").contains("W0220"));
    assert!(
        said("7.0.2", "rocprofiler-register").contains("the sed script was not checked for 7.0.2")
    );
}

#[test]
fn another_release_has_its_own_tag_and_starts_its_counts_anew() {
    let out = tempfile::tempdir().unwrap();
    let run = render(out.path(), &["arch", "--release", "10.0.0"]);
    assert!(run.status.success(), "{}", text(&run.stderr));
    for package in ["rocminfo", "hsa-rocr", "rocm-cmake", "rocblas"] {
        let recipe =
            fs::read_to_string(out.path().join("arch").join(package).join("PKGBUILD")).unwrap();
        assert!(recipe.contains("\npkgrel=1\n"), "{package}: {recipe}");
        // `vercmp 10.0.0 10.0` prints 1: with a third part, Arch's own package would be a
        // downgrade.
        assert!(recipe.contains("\npkgver=10.0\n"), "{package}: {recipe}");
        assert!(recipe.contains("therock-$pkgver"), "{package}: {recipe}");
        assert!(
            !recipe.contains("/rocm-$pkgver.tar.gz") && !recipe.contains("tag=rocm-"),
            "{package}: {recipe}"
        );
    }
}

/// A counter that continues from the existing PKGBUILD is in `.SRCINFO`, too.
#[test]
fn a_counter_continues_in_both_files_of_an_output_folder() {
    let out = tempfile::tempdir().unwrap();
    let again = || render(out.path(), &["arch", "--package", "hipblas"]);
    assert!(again().status.success());
    let file = |name: &str| out.path().join("arch/hipblas").join(name);
    let recipe = fs::read_to_string(file("PKGBUILD")).unwrap();
    write_file(
        file("PKGBUILD"),
        recipe.replace("\npkgrel=1\n", "\npkgrel=3\n"),
    );
    let run = again();
    assert!(run.status.success(), "{}", text(&run.stderr));
    let stated = |name: &str| fs::read_to_string(file(name)).unwrap();
    assert!(stated("PKGBUILD").contains("\npkgrel=3\n"));
    assert!(stated(".SRCINFO").contains("\n\tpkgrel = 3\n"));
}

#[test]
fn the_order_is_told_for_people_and_machines() {
    let order = rocpkg(&["order", "arch", "--changed", "rocrand"]);
    let said = "arch 7.2.4: 9 packages and 4 consumers, which are not rendered (+), after rocrand, on which they depend, directly or through others (`render --rebuild` counts those with *), in 3 stages
  1  hiprand* rocalution* miopen-hip*
  2  rocm-hip-sdk hipfort* hipdnn migraphx mivisionx python-cupy+* ginkgo-hpc+
  3  rocal python-pytorch+* onnxruntime+
a cycle: python-aotriton and python-pytorch need each other: ";
    let found = text(&order.stdout);
    assert!(found.starts_with(said), "{found}");
    let circle = "a cycle: rocm-cmake needs rocm-llvm (test), which is built later: build rocm-cmake without it first\n";
    assert!(text(&rocpkg(&["order", "arch"]).stdout).contains(circle));
    let json = rocpkg(&["order", "arch", "--json"]).stdout;
    let dot = text(&rocpkg(&["order", "arch", "--changed", "rocrand", "--dot"]).stdout);
    assert!(
        dot.starts_with("digraph") && dot.contains("\"rocalution\";"),
        "{dot}"
    );
    let value: serde_json::Value = serde_json::from_slice(&json).unwrap();
    let broken = value["needs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|need| need["broken"] == true);
    let pairs: Vec<_> = broken
        .map(|need| {
            (
                need["from"].as_str().unwrap(),
                need["kinds"][0].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(pairs, [("rocm-cmake", "test")]);
    let typo = rocpkg(&["order", "arch", "--changed", "rocrnad"]);
    let said =
        "error: no package or dependency of arch is called `rocrnad`; did you mean `rocrand`?\n";
    assert_eq!(
        (typo.status.code(), text(&typo.stderr).as_str()),
        (Some(2), said)
    );
}

#[test]
fn a_release_without_known_checksums_is_left_out_in_each_distribution() {
    for (distro, has_files) in [("gentoo", false), ("nix", true), ("solus", true)] {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let at = ["render", distro, "--release", "6.2.4", "--out"];
        let run = rocpkg(&[&at[..], &[out.to_str().unwrap()]].concat());
        let said = text(&run.stderr);
        assert_eq!(run.status.code(), Some(0), "{said}");
        let left_out = "because a checksum is unknown: ";
        assert!(
            said.contains(left_out) && said.contains("rocblas"),
            "{said}"
        );
        assert_eq!(
            out.join(distro).exists(),
            has_files,
            "{}",
            text(&run.stdout)
        );
        let listed = rocpkg(&["sums", distro, "--release", "6.2.4"]);
        assert_eq!(listed.status.code(), Some(1), "{}", text(&listed.stdout));
    }
}

#[test]
fn the_first_command_needs_no_flag() {
    for (distro, least) in [("gentoo", 30), ("arch", 25), ("nix", 50), ("solus", 35)] {
        let dir = tempfile::tempdir().unwrap();
        let run = rocpkg(&[
            "render",
            distro,
            "--out",
            dir.path().to_str().unwrap(),
            "--json",
        ]);
        assert!(run.status.success(), "{distro}: {}", text(&run.stderr));
        let told: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        let of = told["distributions"]
            .as_object()
            .unwrap()
            .values()
            .next()
            .unwrap();
        let count = |key: &str| of[key].as_array().unwrap().len();
        let lacking = of["lacking"].as_object().unwrap().len();
        let written = count("ready") + count("waiting") + lacking;
        assert!(written >= least, "{distro}: {written}");
        let unsummed = of["unsummed"].as_array().unwrap();
        assert_eq!(
            unsummed.is_empty(),
            matches!(distro, "nix" | "solus"),
            "{unsummed:?}"
        );
        // Packages that are not written lack no files.
        let companions = of["companions"].as_array().unwrap();
        assert!(
            companions.iter().all(|c| !unsummed.contains(&c["package"])),
            "{companions:?}"
        );
        // A package that is requested by its name is refused with an error.
        if let Some(one) = unsummed.first() {
            let out = dir.path().to_str().unwrap();
            let run = rocpkg(&[
                "render",
                distro,
                "--package",
                one.as_str().unwrap(),
                "--out",
                out,
            ]);
            assert_eq!(run.status.code(), Some(2));
            assert!(
                text(&run.stderr).contains("error[E0237]"),
                "{}",
                text(&run.stderr)
            );
        }
    }
}

#[test]
fn a_version_that_a_package_does_not_have_is_told_with_those_that_are_there() {
    let dir = tempfile::tempdir().unwrap();
    let run = render(
        dir.path(),
        &["gentoo", "--package", "hipblas", "--release", "9999"],
    );
    let said = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2));
    assert!(
        said.contains(
            "gentoo has no such version of `hipblas`: expected 7.2.0; 9999 exists for hip,"
        ),
        "{said}"
    );
    // A package with a live version needs packages that have none.
    let run = render(
        dir.path(),
        &["gentoo", "--package", "rocblas", "--release", "9999"],
    );
    assert!(run.status.success(), "{}", text(&run.stderr));
    let run = rocpkg(&["sums", "--release", "6.1.0"]);
    assert!(
        text(&run.stderr).contains("of 6.0, 6.2, 6.3, 6.4, 7.0, 7.1, 7.2, 7.14, 10.0, 10.1"),
        "{}",
        text(&run.stderr)
    );
}

#[test]
fn ones_own_places_are_not_counted_with_those_that_ship() {
    let layer = folder(&[(
        "distros/gentoo/rocblas.yaml",
        "patches: [{file: mine.patch, checked: \"=7.2\"}]\n",
    )]);
    let dir = tempfile::tempdir().unwrap();
    let own = [
        "gentoo",
        "--release",
        "7.1.0",
        "--profiles",
        layer.path().to_str().unwrap(),
    ];
    let said = text(&render(dir.path(), &own).stderr);
    assert!(
        said.contains("the patch `mine.patch` was not checked for 7.1.0"),
        "{said}"
    );
    assert!(said.contains("similar findings"), "{said}");
}
