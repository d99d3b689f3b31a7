//! Checkouts of Nix files in the layouts that people have: `init`, `compare` and `bump` find the
//! recipes, and name all other places that set a release.

use crate::checkout::{edit, rocpkg};
use rocpkg::Backend;
use rocpkg::nix::check_style;
use rocpkg_test_support::{NixTree, commit, fixture, git, write_file};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A checkout with recipes of the shipped model, and with other files.
struct Layout {
    dir: TempDir,
}

impl Layout {
    /// Makes a checkout. `recipes` are packages with the paths of their recipes, and `files` are
    /// paths with texts.
    fn new(recipes: &[(&str, &str)], files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let put = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            write_file(path, text);
        };
        for (package, path) in recipes {
            put(path, &golden(package));
        }
        for (path, text) in files {
            put(path, text);
        }
        git(root, &["init", "--quiet"]);
        commit(root);
        Self { dir }
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    fn text(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap()
    }

    /// Runs `init`, `compare` and `bump`, and returns their output with their statuses. Recipes
    /// that were edited stay formatted, and Nix can read all files.
    fn said(&self, bump: &[&str]) -> String {
        let run = |args: &[&str]| {
            let (status, said) = rocpkg(self.root(), args);
            let said = said.trim_end();
            // The lines about checksums and untried steps are the same in each layout.
            let usual = ["the checksum of", "not tried at this release"];
            let is_usual = |line: &&str| usual.iter().any(|text| line.contains(text));
            let lines: Vec<&str> = said.lines().filter(|line| !is_usual(line)).collect();
            format!("$ {}\n{}\n=> {status}\n", args.join(" "), lines.join("\n"))
        };
        let (init, compare) = (run(&["init", "nixpkgs"]), run(&["compare"]));
        git(self.root(), &["add", "-A"]);
        commit(self.root());
        let bump = run(&[&["bump", "7.2.4"], bump].concat());
        self.is_nix();
        init + &compare + &bump
    }

    /// Asserts that Nix and the formatter accept the files that changed.
    fn is_nix(&self) {
        let changed = git(self.root(), &["diff", "--name-only"]);
        for path in changed.lines().filter(|path| Backend::Nix.is_recipe(path)) {
            check_style(&self.text(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        }
        NixTree::with_own_externals(self.root()).parse().unwrap();
    }

    /// Returns the lines that changed since the last commit, without those of hashes.
    fn changes(&self) -> String {
        let diff = git(self.root(), &["diff", "-U0"]);
        let is_change = |line: &&str| {
            let is_line = line.starts_with(['+', '-']) && !line.starts_with("---");
            is_line && !line.contains("sha256")
        };
        let lines = diff.lines().filter(is_change);
        lines.map(|line| format!("{line}\n")).collect()
    }
}

/// Returns the recipe of a package at 7.2.3.
fn golden(package: &str) -> String {
    let path = fixture(&format!("golden/nix/{package}/default.nix"));
    fs::read_to_string(path).unwrap()
}

const FLAT: &str = "{
  pkgs ? import <nixpkgs> { },
}:

{
  rocminfo = pkgs.callPackage ./rocminfo { inherit (pkgs.rocmPackages) rocm-cmake rocm-runtime; };
  rocprim = pkgs.rocmPackages.callPackage ./rocprim { };
}
";

#[test]
fn a_flat_set_keeps_its_calls() {
    let recipes = [
        ("rocminfo", "rocminfo/default.nix"),
        ("rocprim", "rocprim/default.nix"),
    ];
    let layout = Layout::new(&recipes, &[("default.nix", FLAT)]);
    insta::assert_snapshot!(layout.said(&[]));
    insta::assert_snapshot!(layout.changes());
    assert_eq!(layout.text("default.nix"), FLAT);
    // An expression that the set does not call is a todo.
    let new = ["render", "--package", "rocwmma", "--release", "7.2.3"];
    let (status, said) = rocpkg(layout.root(), &[&new[..], &["--allow-missing"]].concat());
    let todo = "default.nix is no scope: add a call of rocwmma/default.nix to it";
    assert!(status == 1 && said.contains(todo), "{said}");
}

#[test]
fn a_call_outside_of_a_scope_that_does_not_fit_is_a_todo() {
    let recipes = [("rocminfo", "rocminfo/default.nix")];
    let layout = Layout::new(&recipes, &[("default.nix", FLAT)]);
    // The call gives an argument that the recipe lacks, and the model adds a package of the scope.
    let call = layout.root().join("default.nix");
    edit(
        &call,
        " rocm-cmake rocm-runtime",
        " rocm-cmake rocm-runtime rocm-smi",
    );
    let uncalled = "  rocprim = pkgs.rocmPackages.callPackage ./rocprim { };\n";
    edit(&call, uncalled, "");
    let profile = layout.root().join("mine/distros/nixpkgs/rocminfo.yaml");
    fs::create_dir_all(profile.parent().unwrap()).unwrap();
    write_file(
        profile,
        "depends: {hip: {kind: link, releases: \">=7.2.4\"}}\n",
    );
    commit(layout.root());
    rocpkg(layout.root(), &["init", "nixpkgs"]);
    let (_, said) = rocpkg(layout.root(), &["bump", "7.2.4", "--profiles", "mine"]);
    for why in [
        "no argument `rocm-smi`: remove it from this call",
        "the new argument `hip-common`, which this call has to give",
    ] {
        let todo = format!("  default.nix:6:31: rocminfo/default.nix has {why}\n");
        assert!(said.contains(&todo), "{todo}\n{said}");
    }
}

#[test]
fn recipes_by_name_are_found_and_new_ones_go_beside_them() {
    let recipes = [
        ("rocminfo", "pkgs/by-name/ro/rocminfo/package.nix"),
        ("rocprim", "pkgs/by-name/ro/rocprim/package.nix"),
    ];
    let layout = Layout::new(&recipes, &[]);
    insta::assert_snapshot!(layout.said(&[]));
    insta::assert_snapshot!(layout.changes());
    let new = ["render", "--package", "hip", "--release", "7.2.3"];
    rocpkg(layout.root(), &[&new[..], &["--allow-missing"]].concat());
    let status = git(layout.root(), &["status", "--short", "-uall"]);
    assert!(
        status.contains("?? pkgs/by-name/hi/hip-common/package.nix\n"),
        "{status}"
    );
    assert!(!status.contains("default.nix"), "{status}");
}

#[test]
fn a_flake_below_the_root_names_its_inputs() {
    let flake = "{
  inputs.rocm-systems.url = \"github:ROCm/rocm-systems/rocm-7.2.3\";
  outputs =
    { nixpkgs, ... }:
    {
      packages.x86_64-linux.rocminfo =
        nixpkgs.legacyPackages.x86_64-linux.rocmPackages.callPackage ./pkgs/rocminfo.nix
          { };
    };
}
";
    let recipes = [("rocminfo", "nix/pkgs/rocminfo.nix")];
    let layout = Layout::new(&recipes, &[("nix/flake.nix", flake)]);
    insta::assert_snapshot!(layout.said(&[]));
    insta::assert_snapshot!(layout.changes());
}

#[test]
fn derivations_in_one_file_are_todos() {
    let text = "{ stdenv, fetchFromGitHub }:

{
  rocm-core = stdenv.mkDerivation (finalAttrs: {
    pname = \"rocm-core\";
    version = \"7.2.3\";
    src = fetchFromGitHub { tag = \"rocm-${finalAttrs.version}\"; };
  });
  rocminfo = stdenv.mkDerivation {
    pname = \"rocminfo\";
    version = \"7.2.3\";
    src = fetchFromGitHub { tag = \"rocm-7.2.3\"; };
  };
  other = stdenv.mkDerivation {
    pname = \"other\";
    version = \"7.2.3\";
  };
}
";
    let layout = Layout::new(&[], &[("default.nix", text)]);
    insta::assert_snapshot!(layout.said(&[]));
    let (_, named) = rocpkg(layout.root(), &["bump", "7.2.4", "rocminfo"]);
    assert!(!named.contains("rocm-core"), "{named}");
    assert_eq!(layout.text("default.nix"), text);
}

#[test]
fn an_overlay_that_sets_a_release_is_named_and_does_not_block() {
    let overlay = "final: prev: {
  rocmPackages = prev.rocmPackages.overrideScope (
    rf: rp: {
      rocminfo = rf.callPackage ./pkgs/rocminfo { };
      half = rp.half.overrideAttrs (old: rec {
        version = \"7.2.3\";
        src = prev.fetchFromGitHub { tag = \"rocm-${version}\"; };
      });
      clr = rp.clr.override { localGpuTargets = [ \"gfx1151\" ]; };
    }
  );
}
";
    let recipes = [("rocminfo", "pkgs/rocminfo/default.nix")];
    let layout = Layout::new(&recipes, &[("overlay.nix", overlay)]);
    insta::assert_snapshot!(layout.said(&[]));
    let (_, json) = rocpkg(layout.root(), &["bump", "7.2.4", "--json"]);
    let pin = "\"overlay.nix:6:19\"";
    assert!(json.contains(pin), "{json}");
    // With nothing else to move, the place is the reason of the error.
    fs::remove_dir_all(layout.root().join("pkgs")).unwrap();
    let (status, said) = rocpkg(layout.root(), &["bump", "7.2.4"]);
    let why = "no recipe moves: overlay.nix:6:19: `overrideAttrs` sets half to 7.2.3";
    assert!(status == 2 && said.contains(why), "{said}");
}

const SCOPE: &str = "{ lib, newScope }:

lib.makeScope newScope (self: {
  rocminfo = self.callPackage ./rocminfo { };
  rocmUpdateScript = { ... }: null;
})
";

/// Makes a checkout in which the recipe of rocminfo takes its version and its hash from a table.
fn with_table(path: &str, table: &str, import: &str, select: impl Fn(&str) -> String) -> Layout {
    let layout = Layout::new(
        &[("rocminfo", "rocminfo/default.nix")],
        &[("default.nix", SCOPE), (path, table)],
    );
    let recipe = layout.root().join("rocminfo/default.nix");
    let text = golden("rocminfo");
    let hash = text.lines().find(|line| line.contains("hash = ")).unwrap();
    edit(&recipe, "version = \"7.2.3\";", &select("version"));
    edit(&recipe, hash.trim(), &select("hash"));
    let bound = format!("}}:\n\nlet\n  sources = {import};\nin\nstdenv.");
    edit(&recipe, "}:\n\nstdenv.", &bound);
    commit(layout.root());
    layout
}

#[test]
fn a_table_of_sources_moves_with_its_recipe() {
    let hash = "sha256-0esRBEXVibC2uzyonpc0ABNNHQ2NAWZrBmmg6p1zP0c=";
    let nix = format!(
        "{{\n  rocminfo = {{\n    version = \"7.2.3\";\n    hash = \"{hash}\";\n  }};\n}}\n"
    );
    let select = |name: &str| format!("{name} = sources.rocminfo.{name};");
    let layout = with_table("sources.nix", &nix, "import ../sources.nix", select);
    insta::assert_snapshot!(layout.said(&[]));
    insta::assert_snapshot!(layout.changes());
    assert_eq!(layout.text("sources.nix").matches("AAAA").count(), 10);
    // A second run has the same list, until somebody fills in the hash.
    let (status, said) = rocpkg(layout.root(), &["bump", "7.2.4"]);
    let todo = "rocminfo/default.nix:19:3: `hash` beside sources.nix:3:15 is unknown\n";
    assert!(status == 1 && said.contains(todo), "{said}");
    let filled = layout.text("sources.nix").replace("AAAA", "BBBB");
    write_file(layout.root().join("sources.nix"), filled);
    let (status, said) = rocpkg(layout.root(), &["bump", "7.2.4"]);
    assert_eq!(status, 0, "{said}");
    let scope = NixTree::with_own_externals(layout.root());
    let facts = scope.eval(None).unwrap();
    assert_eq!(facts["packages"]["rocminfo"]["version"], "7.2.4");

    let json = format!(
        "{{\n  \"rocminfo\": {{\n    \"version\": \"7.2.3\",\n    \"hash\": \"{hash}\"\n  }}\n}}\n"
    );
    let inherit = |name: &str| format!("inherit (sources.rocminfo) {name};");
    let layout = with_table(
        "sources.json",
        &json,
        "lib.importJSON ../sources.json",
        inherit,
    );
    let (status, said) = rocpkg(layout.root(), &["compare", "nixpkgs"]);
    assert_eq!(status, 0, "{said}");
    rocpkg(layout.root(), &["init", "nixpkgs"]);
    rocpkg(layout.root(), &["bump", "7.2.4"]);
    insta::assert_snapshot!(layout.changes(), @r#"
    +++ b/sources.json
    -    "version": "7.2.3",
    +    "version": "7.2.4",
    "#);
}

#[test]
fn versions_of_other_things_are_no_releases() {
    let lock = "{\"packages\": {\"ship\": {\"version\": \"7.2.3\"}}}\n";
    let flake = "{ outputs = { nixpkgs, ... }: { version = \"7.2.3\"; a = nixpkgs.rocminfo; }; }\n";
    let recipes = [("rocminfo", "rocminfo/default.nix")];
    let layout = Layout::new(&recipes, &[("lock.json", lock), ("flake.nix", flake)]);
    // The recipe takes its version from another package.
    let recipe = layout.root().join("rocminfo/default.nix");
    edit(
        &recipe,
        "version = \"7.2.3\";",
        "inherit (rocm-runtime) version;",
    );
    let (status, said) = rocpkg(layout.root(), &["compare", "nixpkgs"]);
    let why = "its release is open, since `rocm-runtime` is of another file";
    assert!(status == 1 && said.contains(why), "{said}");
    let (_, said) = rocpkg(layout.root(), &["init", "nixpkgs"]);
    assert!(!said.contains("7.2.3"), "{said}");
}

#[test]
fn an_entry_that_the_recipe_does_not_take_as_a_whole_stays() {
    let hash = "sha256-0esRBEXVibC2uzyonpc0ABNNHQ2NAWZrBmmg6p1zP0c=";
    let entries = [
        "hash = \"sha256-ours\";".to_owned(),
        format!("tag = \"rocm-7.2.3\";\n    hash = \"{hash}\";"),
    ];
    for entry in entries {
        let table =
            format!("{{\n  rocminfo = {{\n    version = \"7.2.3\";\n    {entry}\n  }};\n}}\n");
        let select = |name: &str| format!("{name} = sources.rocminfo.{name};");
        let layout = with_table("sources.nix", &table, "import ../sources.nix", select);
        rocpkg(layout.root(), &["init", "nixpkgs"]);
        let (status, said) = rocpkg(layout.root(), &["bump", "7.2.4"]);
        let why = "derivation version: it is set in sources.nix:3:15: change it to 7.2.4\n";
        assert!(status == 1 && said.contains(why), "{said}");
        assert_eq!(layout.text("sources.nix"), table);
    }
}

#[test]
fn one_version_for_all_recipes_is_named() {
    let scope = SCOPE.replace("(self: {\n", "(self: {\n  rocmVersion = \"7.2.3\";\n");
    let layout = Layout::new(
        &[("rocminfo", "rocminfo/default.nix")],
        &[("default.nix", &scope)],
    );
    let recipe = layout.root().join("rocminfo/default.nix");
    edit(&recipe, "version = \"7.2.3\";", "version = rocmVersion;");
    edit(&recipe, "  lib,\n", "  lib,\n  rocmVersion,\n");
    commit(layout.root());
    insta::assert_snapshot!(layout.said(&[]));
    // A person changes it, and the recipe is at the release.
    edit(&layout.root().join("default.nix"), "\"7.2.3\"", "\"7.2.4\"");
    let (_, said) = rocpkg(layout.root(), &["bump", "7.2.4"]);
    assert!(!said.contains("derivation version"), "{said}");
}

#[test]
fn of_two_scopes_the_newer_one_moves() {
    let recipes = [
        ("rocminfo", "pkgs/rocm-6/rocminfo/default.nix"),
        ("rocminfo", "pkgs/rocm-7/rocminfo/default.nix"),
    ];
    let layout = Layout::new(&recipes, &[]);
    let older = layout.root().join("pkgs/rocm-6/rocminfo/default.nix");
    edit(&older, "version = \"7.2.3\"", "version = \"6.4.3\"");
    commit(layout.root());
    insta::assert_snapshot!(layout.said(&[]));
    insta::assert_snapshot!(layout.changes());
}

#[test]
fn a_folder_with_one_recipe_is_a_checkout() {
    let layout = Layout::new(&[("rocminfo", "default.nix")], &[]);
    insta::assert_snapshot!(layout.said(&[]));
    insta::assert_snapshot!(layout.changes());
}
