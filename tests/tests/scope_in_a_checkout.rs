//! Renders the scope into a checkout of nixpkgs. The rendered packages are written, all other files
//! stay, and Nix evaluates the scope before and after.

use crate::stack::tree;
use rocpkg::checkout::{Output, Written};
use rocpkg::internal::resolve::Choice;
use rocpkg::{Backend, Options, Stack};
use rocpkg_tests::{NixTree, companion, copy_tree, fixture, git, write_file};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the scope in nixpkgs.
const SCOPE: &str = "pkgs/development/rocm-modules";

/// Makes a checkout of nixpkgs with all packages that the scope calls: rendered packages, and
/// stand-ins for the others. Returns the folder of the scope.
fn nixpkgs(root: &Path) -> PathBuf {
    let folder = root.join(SCOPE);
    copy_tree(&tree("nix"), &folder);
    let scope = fs::read_to_string(fixture("standins/nixpkgs/default.nix")).unwrap();
    for call in scope.split("callPackage ./").skip(1) {
        let path = call.split_whitespace().next().unwrap();
        let file = if Path::new(path).extension().is_some() {
            path.to_owned()
        } else {
            format!("{path}/default.nix")
        };
        if folder.join(&file).exists() {
            continue;
        }
        let text = match file.as_str() {
            "update.nix" | "llvm/default.nix" => companion(&file),
            _ => format!(
                "{{ stdenv, ... }}:\nstdenv.mkDerivation {{\n  pname = \"{path}\";\n  version = \"1\";\n}}\n"
            ),
        };
        put(
            &folder.join(file),
            &text.replace("pname = \"composable_kernel/", "pname = \""),
        );
    }
    put(&folder.join("default.nix"), &scope);
    put(
        &folder.join("release-attrPaths.json"),
        "{ \"attrPaths\": [\"python3Packages\", \"nothing\"] }\n",
    );
    put(&root.join("pkgs/top-level/all-packages.nix"), "{ }: { }\n");
    folder
}

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    write_file(path, text);
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(
        text.contains(from),
        "{} does not hold {from:?}",
        path.display()
    );
    write_file(path, text.replacen(from, to, 1));
}

fn facts(scope: &Path, narrowed: Option<&str>) -> Value {
    NixTree::with_own_externals(scope)
        .eval(narrowed)
        .unwrap_or_else(|e| panic!("{e}"))
}

fn names(of: &Value) -> Vec<&str> {
    of.as_array()
        .unwrap()
        .iter()
        .map(|name| name.as_str().unwrap())
        .collect()
}

/// Renders into the checkout, as `rocpkg render nix --into` does.
fn render_into(root: &Path, options: Options) -> Result<Written, String> {
    render_with(&Stack::shipped().unwrap(), root, options)
}

/// Renders a stack into the checkout.
fn render_with(stack: &Stack, root: &Path, options: Options) -> Result<Written, String> {
    let tree = stack
        .render(&Options {
            backends: vec![Backend::Nix],
            ..options
        })
        .unwrap();
    let checkout = Some(
        stack
            .checkout(Backend::Nix, root, &BTreeMap::new())
            .unwrap(),
    );
    let output = Output {
        checkout,
        ..Output::default()
    };
    stack.write(&tree, root, &output).map_err(|e| e.to_string())
}

/// Commits an older state of the checkout, in which some packages, arguments and inputs differ from
/// the rendered scope.
fn commit_older(root: &Path) {
    let scope = root.join(SCOPE);
    let file = scope.join("default.nix");
    for (from, to) in [
        (
            "      hipsparselt = self.callPackage ./hipsparselt { };\n\n",
            "",
        ),
        (
            "boost179.override {\n          enableStatic = true;\n        }",
            "boost179",
        ),
        (
            "        inherit (self)\n          clr\n          rocmUpdateScript\n          ;\n",
            "        inherit (self) rocmUpdateScript;\n",
        ),
        ("rocm-comgr { }", "rocm-comgr { python3 = py.python; }"),
        ("./rccl { }", "./rccl { withNothing = true; }"),
    ] {
        edit(&file, from, to);
    }
    fs::remove_dir_all(scope.join("hipsparselt")).unwrap();
    edit(
        &scope.join("rocblas/default.nix"),
        "version = \"7.2.3\"",
        "version = \"7.2.2\"",
    );
    git(root, &["init", "-q"]);
    git(root, &["add", "-A"]);
    git(root, &["commit", "-qm", "as it was"]);
}

#[test]
fn every_attribute_alias_group_and_override_is_there_and_evaluates() {
    let root = tempfile::tempdir().unwrap();
    let scope = nixpkgs(root.path());
    let all = facts(&scope, None);
    let narrowed = facts(&scope, Some("gfx12"));
    let gone = [
        "clang-ocl",
        "miopen-opencl",
        "miopengemm",
        "mivisionx-opencl",
        "rocm-merged-llvm",
        "rocm-thunk",
        "rocmPath",
        "rpp-opencl",
        "triton",
    ];
    assert_eq!(names(&all["gone"]), gone);
    for name in ["gfx9", "gfx10", "gfx11", "gfx12", "gfx1201"] {
        assert!(names(&all["scopes"]).contains(&name), "{name}");
    }
    for name in [
        "hsa-amd-aqlprofile-bin",
        "hsakmt",
        "miopen-hip",
        "mpi",
        "rocmlir",
        "mivisionx-hip",
        "openmp",
        "meta",
    ] {
        assert!(names(&all["names"]).contains(&name), "{name}");
    }

    commit_older(root.path());
    render_into(root.path(), Options::everything()).unwrap();
    let status = git(root.path(), &["status", "--porcelain", "-uall"]);
    insta::assert_snapshot!(status, @r"
     M pkgs/development/rocm-modules/default.nix
     M pkgs/development/rocm-modules/rocblas/default.nix
    ?? pkgs/development/rocm-modules/hipsparselt/default.nix
    ");
    let diff = git(
        root.path(),
        &["diff", "-U0", "--", &format!("{SCOPE}/default.nix")],
    );
    let lines: String = diff
        .lines()
        .skip(4)
        .filter(|l| !l.starts_with("@@"))
        .map(|l| format!("{l}\n"))
        .collect();
    insta::assert_snapshot!(lines, @r"
    -      rccl = self.callPackage ./rccl { withNothing = true; };
    +      rccl = self.callPackage ./rccl { };
    +      hipsparselt = self.callPackage ./hipsparselt { };
    +
    -        boost = boost179;
    +        boost = boost179.override { enableStatic = true; };
    -        inherit (self) rocmUpdateScript;
    +        inherit (self) rocmUpdateScript clr;
    ");

    let mut expected = all.clone();
    // The package accepts the argument that was added by hand, so the argument stays.
    expected["packages"]["rocm-comgr"]["nativeBuildInputs"] = Value::Null;
    let mut now = facts(&scope, None);
    now["packages"]["rocm-comgr"]["nativeBuildInputs"] = Value::Null;
    assert_eq!(now, expected);
    assert_eq!(facts(&scope, Some("gfx12"))["names"], narrowed["names"]);
    assert!(
        render_into(root.path(), Options::everything())
            .unwrap()
            .report
            .written
            .is_empty()
    );
    assert_eq!(
        git(
            root.path(),
            &["diff", "-U0", "--", &format!("{SCOPE}/default.nix")]
        ),
        diff
    );
}

#[test]
fn an_argument_that_a_hand_gave_a_package_is_passed_on() {
    let root = tempfile::tempdir().unwrap();
    let scope = nixpkgs(root.path());
    git(root.path(), &["init", "-q"]);
    git(root.path(), &["add", "-A"]);
    git(root.path(), &["commit", "-qm", "as it was"]);
    render_into(root.path(), Options::everything()).unwrap();
    edit(
        &scope.join("rccl/default.nix"),
        "\n}:\n",
        "\n  withLogs ? false,\n}:\n",
    );
    edit(
        &scope.join("default.nix"),
        "./rccl { }",
        "./rccl { withLogs = true; }",
    );
    let by_hand = git(root.path(), &["diff"]);
    render_into(root.path(), Options::everything()).unwrap();
    assert_eq!(git(root.path(), &["diff"]), by_hand);
    // A rendering of another release keeps both manual edits.
    let (file, next) = (
        format!("{SCOPE}/default.nix"),
        Choice::Release("7.2.4".parse().unwrap()),
    );
    let before = git(root.path(), &["diff", &file]);
    render_into(
        root.path(),
        Options {
            choices: vec![next],
            ..Options::everything()
        },
    )
    .unwrap();
    let rccl = fs::read_to_string(scope.join("rccl/default.nix")).unwrap();
    assert!(
        rccl.contains("\n  withLogs ? false,\n}:\n") && rccl.contains("version = \"7.2.4\""),
        "{rccl}"
    );
    assert_eq!(git(root.path(), &["diff", &file]), before);
}

#[test]
fn what_lacks_a_checksum_stays_as_it_is_in_the_scope() {
    let root = tempfile::tempdir().unwrap();
    let scope = nixpkgs(root.path());
    for package in ["rocrand", "rocprim"] {
        edit(
            &scope.join(package).join("default.nix"),
            "version = \"7.2.3\"",
            "version = \"7.2.2\"",
        );
    }
    commit_older(root.path());
    let key = "rocm-libraries/tree/projects/rocrand+shared";
    let table = format!("versions:\n  \"7.2.3\":\n    checksums:\n      {key}: {{sri: ~}}\n");
    let files = BTreeMap::from([("releases/7.2.yaml".to_owned(), table)]);
    let stack = Stack::shipped().unwrap().texts("layer", files);
    let options = Options {
        decide_when_written: true,
        ..Options::default()
    };
    let written = render_with(&stack, root.path(), options).unwrap();
    let unknown = written.merged.without_sums.iter();
    let unknown: Vec<&str> = unknown.map(|(_, id)| id.as_str()).collect();
    let unsummed = [
        "hipfft",
        "hiprand",
        "migraphx",
        "miopen",
        "mivisionx",
        "rocalution",
        "rocfft",
        "rocrand",
    ];
    assert_eq!(unknown, unsummed);
    let status = git(root.path(), &["status", "--porcelain", "-uall"]);
    insta::assert_snapshot!(status, @r"
     M pkgs/development/rocm-modules/default.nix
     M pkgs/development/rocm-modules/rocblas/default.nix
     M pkgs/development/rocm-modules/rocprim/default.nix
    ?? pkgs/development/rocm-modules/hipsparselt/default.nix
    ");
    let diff = git(
        root.path(),
        &["diff", "-U0", "--", &format!("{SCOPE}/default.nix")],
    );
    let removed = diff.lines().filter(|l| l.starts_with('-'));
    let calls: Vec<&str> = removed.filter(|l| l.contains("callPackage ./")).collect();
    assert_eq!(
        calls,
        ["-      rccl = self.callPackage ./rccl { withNothing = true; };"]
    );
    let facts = facts(&scope, None);
    assert!(facts["packages"]["rocrand"].is_object() && facts["packages"]["hiprand"].is_object());
}

#[test]
fn a_sum_that_no_table_has_stays_for_its_version_and_a_file_that_is_no_scope_stays() {
    let root = tempfile::tempdir().unwrap();
    let scope = nixpkgs(root.path());
    git(root.path(), &["init", "-q"]);
    git(root.path(), &["add", "-A"]);
    git(root.path(), &["commit", "-qm", "as it was"]);
    let one = |release: &str| {
        let choice = Choice::Release(release.parse().unwrap());
        let packages = vec!["rocrand".to_owned()];
        Options {
            choices: vec![choice],
            packages,
            ..Options::everything()
        }
    };
    render_into(root.path(), one("7.2.4")).unwrap();
    let status = git(root.path(), &["status", "--porcelain", "-uall"]);
    assert_eq!(status, format!(" M {SCOPE}/rocrand/default.nix\n"));
    // A user fills in the checksum that a failed build prints.
    let file = scope.join("rocrand/default.nix");
    let none = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
    edit(
        &file,
        none,
        "sha256-vAVVpTwt49lGHu2YopR1X68v5LwFOjUYuSC4ucBpFGg=",
    );
    let by_hand = fs::read_to_string(&file).unwrap();
    render_into(root.path(), one("7.2.4")).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), by_hand);

    let no_scope = "{ lib }:\n{ }\n";
    put(&scope.join("default.nix"), no_scope);
    render_into(root.path(), one("7.2.4")).unwrap();
    assert_eq!(fs::read_to_string(&file).unwrap(), by_hand);
    let text = fs::read_to_string(scope.join("default.nix")).unwrap();
    assert_eq!(text, no_scope);
}
