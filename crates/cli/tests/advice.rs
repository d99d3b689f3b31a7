//! Runs the commands that commands advise, and tests what is rendered for some GPUs, releases and
//! distributions when not everything can be.

use crate::checkout::{edit, fine, rocpkg};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Returns the commands of rocpkg in a text, each in backquotes there, as lists of arguments.
/// `NAME` stands for a package in them.
fn advised(text: &str) -> Vec<Vec<String>> {
    let commands = text.split('`').skip(1).step_by(2);
    let commands = commands.filter_map(|command| command.strip_prefix("rocpkg "));
    let word = |word: &str| word.replace("NAME", "rocm-cmake");
    commands
        .map(|command| command.split_whitespace().map(word).collect())
        .collect()
}

/// Runs a command in `root`, and returns its exit status and what it prints.
fn run(root: &Path, arguments: &[String]) -> (i32, String) {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    rocpkg(root, &arguments)
}

#[test]
fn what_gpu_advises_renders_recipes() {
    let mut count = 0;
    for distro in ["gentoo", "arch", "nix", "solus"] {
        for gpu in [
            "gfx900", "gfx90a", "gfx1031", "gfx1035", "gfx1103", "gfx1152", "gfx1201",
        ] {
            let dir = tempfile::tempdir().unwrap();
            let said = fine(dir.path(), &["gpu", gpu, "--distro", distro]);
            for mut command in advised(&said) {
                // Its files are built packages. A program without device code stands for them.
                if command[0] == "audit" {
                    let file = command.iter_mut().find(|word| *word == "FILE...").unwrap();
                    env!("CARGO_BIN_EXE_rocpkg").clone_into(file);
                    let (status, said) = run(dir.path(), &command);
                    assert!(status < 2, "{command:?}: {said}");
                    continue;
                }
                count += 1;
                let (status, said) = run(dir.path(), &command);
                assert_eq!(status, 0, "{command:?}: {said}");
                assert!(
                    dir.path().join(gpu).join(distro).is_dir(),
                    "{command:?}: {said}"
                );
            }
        }
    }
    assert!(count > 8, "{count}");
}

#[test]
fn what_commands_advise_in_a_checkout_ends_as_they_say() {
    for (distro, release) in [
        ("gentoo", "6.4.1"),
        ("arch", "7.1.0"),
        ("nix", "7.1.1"),
        ("solus", "6.2.4"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let said = fine(root, &["init", distro]);
        assert_eq!(
            advised(&said),
            [["render", "--package", "rocm-cmake"]],
            "{said}"
        );
        let missing = ["--allow-missing", "--allow-guesses", "--release", release];
        let (status, said) = rocpkg(
            root,
            &[&["render", "--package", "rocm-cmake"], &missing[..]].concat(),
        );
        assert!(status < 2, "{distro}: {said}");
        fs::remove_file(root.join("rocpkg.toml")).unwrap();
        let said = fine(root, &["init", distro]);
        let commands = advised(&said);
        assert_eq!(commands.len(), 2, "{said}");
        for command in &commands {
            let (status, said) = run(root, command);
            assert!(status < 2, "{distro}: {command:?}: {said}");
        }
        // A bump does not go back, and names the command that does.
        let (status, said) = rocpkg(root, &["bump", "6.0.0", "rocm-cmake"]);
        assert_eq!(status, 2, "{distro}: {said}");
        for mut command in advised(&said) {
            command.extend(["--package", "rocm-cmake", "--allow-missing"].map(str::to_owned));
            let (status, said) = run(root, &command);
            assert!(status < 2, "{distro}: {command:?}: {said}");
        }
    }
}

#[test]
fn the_settings_state_the_release_of_the_checkout() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    fine(root, &["init", "gentoo"]);
    let settings = || fs::read_to_string(root.join("rocpkg.toml")).unwrap();
    assert!(settings().contains("\nversions = [\"7.2.4\"]\n"));
    let packages = [
        "--package",
        "rocm-cmake",
        "--package",
        "rocminfo",
        "--allow-missing",
    ];
    fine(
        root,
        &[&["render", "--release", "6.4.1"], &packages[..]].concat(),
    );
    fs::remove_file(root.join("rocpkg.toml")).unwrap();
    let said = fine(root, &["init", "gentoo"]);
    assert!(
        settings().contains("\nversions = [\"6.4.1\"]\n"),
        "{}",
        settings()
    );
    assert!(said.contains("`rocpkg bump 7.2.4 --dry-run`"), "{said}");
}

/// Returns the JSON that a rendering of a distribution prints.
fn rendered(arguments: &[&str]) -> Value {
    let dir = tempfile::tempdir().unwrap();
    let common = ["--allow-missing", "--out", "out", "--json"];
    let text = fine(dir.path(), &[&["render"], arguments, &common[..]].concat());
    serde_json::from_str(&text[text.find('{').unwrap()..]).unwrap()
}

/// Returns the packages without a recipe, each with the reason.
fn left_out(value: &Value) -> Vec<String> {
    let recipes = value["recipes"].as_array().unwrap();
    let without = recipes.iter().filter(|recipe| recipe["recipe"] == "");
    let text = |recipe: &Value| {
        let (name, todo) = (&recipe["package"], &recipe["todos"][0]["text"]);
        format!("{}: {}", name.as_str().unwrap(), todo.as_str().unwrap())
    };
    let mut all: Vec<String> = without.map(text).collect();
    all.retain(|text| !text.contains("guess"));
    all.sort();
    all
}

#[test]
fn what_can_not_be_built_for_a_gpu_is_left_out_with_its_reason() {
    let solus = rendered(&["solus", "--targets", "gfx1031"]);
    let expected = [
        "hipblaslt: it is built for upstream's default list of hipblaslt 7.14.0, not for gfx1031 alone; keep the distribution's own for rocblas",
        "rocwmma: it is built for upstream's default list of rocwmma 7.0.1, not for gfx1031 alone",
    ];
    assert_eq!(left_out(&solus), expected);
    let gentoo = rendered(&["gentoo", "--targets", "gfx1031"]);
    assert_eq!(left_out(&gentoo), ["rccl: it can't be built for gfx1031"]);
    // A scope can't refer to a package that it lacks.
    let nix = rendered(&["nix", "--targets", "gfx1030"]);
    let expected =
        "rocwmma: it is built for upstream's default list of rocwmma 7.2.3, not for gfx1030 alone";
    assert_eq!(left_out(&nix), [expected]);
    let dir = tempfile::tempdir().unwrap();
    let named = [
        "render",
        "arch",
        "--targets",
        "gfx1031",
        "--out",
        "out",
        "--package",
    ];
    let (status, said) = rocpkg(dir.path(), &[&named[..], &["rocblas"]].concat());
    assert_eq!(status, 0, "{said}");
    let (status, said) = rocpkg(dir.path(), &[&named[..], &["hiptensor"]].concat());
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("these packages can't be built for gfx1031 alone"),
        "{said}"
    );
}

#[test]
fn nothing_can_be_built_without_the_compiler_of_the_scope() {
    let nix = &rendered(&["nix"])["distributions"]["nixpkgs"];
    assert_eq!(
        nix["ready"],
        serde_json::json!(["rocm-docs-core", "rocm-smi"])
    );
    let dir = tempfile::tempdir().unwrap();
    let plan = |arguments: &[&str]| {
        let text = fine(dir.path(), &[&["plan", "build", "nix"], arguments].concat());
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let whole = plan(&[]);
    assert!(whole[0].contains(": 65 builds"), "{whole:?}");
    assert!(whole[2].starts_with("llvm.rocmClangStdenv "), "{whole:?}");
    let changed = plan(&["--changed", "rocm-llvm"]);
    assert!(
        changed[2].starts_with("llvm.rocmClangStdenv "),
        "{changed:?}"
    );
    assert!(
        !plan(&["--changed", "rocblas"])
            .concat()
            .contains("rocmClangStdenv")
    );
    let order = fine(dir.path(), &["order", "nix", "--changed", "rocm-llvm"]);
    assert!(
        order.starts_with("nixpkgs 7.2.3: 50 packages and 8 consumers, which are not rendered"),
        "{order}"
    );
    let (status, said) = rocpkg(dir.path(), &["order", "gentoo", "--changed", "rocm-llvm"]);
    let refused = "error: no `rocm-llvm` in gentoo; arch and solus have it\n";
    assert_eq!((status, said.as_str()), (2, refused));
}

/// Returns a checkout of Solus with the packages at a release.
fn solus(release: &str, packages: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fine(dir.path(), &["init", "solus"]);
    let named = packages.iter().flat_map(|package| ["--package", package]);
    let named: Vec<&str> = named.collect();
    let options = ["--release", release, "--allow-missing", "--allow-guesses"];
    rocpkg(
        dir.path(),
        &[&["render"], &named[..], &options[..]].concat(),
    );
    dir
}

/// Returns the version in a recipe of Solus.
fn stated(root: &Path, package: &str) -> String {
    let path = format!("packages/{}/{package}/package.yml", &package[..1]);
    let text = fs::read_to_string(root.join(path)).unwrap();
    let line = text
        .lines()
        .find(|line| line.starts_with("version"))
        .unwrap();
    line.rsplit(' ').next().unwrap().to_owned()
}

#[test]
fn upstreams_own_versions_follow_the_release_that_a_recipe_fetches() {
    let dir = solus("6.0.2", &["hipblas", "rocsolver", "rocm-cmake"]);
    let root = dir.path();
    let versions = |names: [&str; 3]| names.map(|name| stated(root, name));
    let names = ["hipblas", "rocsolver", "rocm-cmake"];
    assert_eq!(versions(names), ["2.0.0", "3.24.0", "6.0.2"]);
    let (status, said) = rocpkg(root, &["bump", "6.2.4"]);
    assert!(status < 2 && !said.contains("is older"), "{said}");
    assert_eq!(versions(names), ["2.2.0", "3.26.2", "6.2.4"]);
    // The number of the release instead of upstream's own, as earlier recipes had it.
    let file = root.join("packages/h/hipblas/package.yml");
    edit(&file, "version    : 2.2.0", "version    : 6.2.4");
    let (status, said) = rocpkg(root, &["bump", "6.3.3"]);
    assert!(status < 2 && !said.contains("is older"), "{said}");
    assert_eq!(stated(root, "rocsolver"), "3.27.0");
}

#[test]
fn an_unknown_version_of_upstreams_own_is_missing_as_a_checksum_is() {
    let dir = solus("6.2.4", &["rocsolver", "rocm-cmake"]);
    let root = dir.path();
    let (status, said) = rocpkg(root, &["bump", "6.4.1", "-v"]);
    assert_eq!(status, 1, "{said}");
    let text = "the version that upstream gives to rocsolver in 6.4.1 is not known";
    assert!(said.contains(text), "{said}");
    assert_eq!(
        (
            stated(root, "rocsolver").as_str(),
            stated(root, "rocm-cmake").as_str()
        ),
        ("\"0\"", "6.4.1")
    );
    let (status, said) = rocpkg(
        root,
        &[
            "render",
            "--package",
            "rocsolver",
            "--release",
            "6.4.1",
            "--whole",
        ],
    );
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("error[E0237]: unknown version of `rocsolver` in 6.4.1"),
        "{said}"
    );
}
