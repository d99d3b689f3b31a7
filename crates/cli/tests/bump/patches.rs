//! Tests of the patches of existing recipes, which a bump tries on upstream's sources. A patch
//! whose changes upstream has goes.

use rocpkg_test_support::{check_schema, commit, git, write_file};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// A checkout beside a repository of rocm-cmake with the tag of 7.2.4.
struct World {
    folder: TempDir,
    /// The ids of the three commits. The tag is at the second one.
    commits: [String; 3],
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let upstream = folder.path().join("mirror/ROCm/rocm-cmake");
        fs::create_dir_all(&upstream).unwrap();
        git(&upstream, &["init", "--quiet"]);
        let mut lines: Vec<String> = (1..=12).map(|n| n.to_string()).collect();
        write_file(upstream.join("CMakeLists.txt"), lines.join("\n") + "\n");
        commit(&upstream);
        let commits = [(1, "two"), (6, "seven"), (11, "twelve")].map(|(at, word)| {
            word.clone_into(&mut lines[at]);
            write_file(upstream.join("CMakeLists.txt"), lines.join("\n") + "\n");
            commit(&upstream);
            git(&upstream, &["rev-parse", "HEAD"]).trim().to_owned()
        });
        git(&upstream, &["tag", "rocm-7.2.4", &commits[1]]);
        Self { folder, commits }
    }

    fn checkout(&self) -> PathBuf {
        self.folder.path().join("checkout")
    }

    fn upstream(&self) -> PathBuf {
        self.folder.path().join("mirror/ROCm/rocm-cmake")
    }

    /// Returns the changes of a commit as a patch. `is_mail` adds the header of `git format-patch`.
    fn patch(&self, commit: usize, is_mail: bool) -> String {
        let id = &self.commits[commit];
        let range = format!("{id}^!");
        if is_mail {
            git(&self.upstream(), &["format-patch", "--stdout", &range])
        } else {
            git(&self.upstream(), &["diff", &format!("{id}^"), id])
        }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
        command.current_dir(self.checkout()).args(arguments);
        command.output().unwrap()
    }

    /// Renders rocm-cmake at 7.2.3 into the checkout of a distribution.
    fn render(&self, distro: &str) {
        fs::create_dir_all(self.checkout()).unwrap();
        let run = self.run(&[
            "render",
            distro,
            "--package",
            "rocm-cmake",
            "--release",
            "7.2.3",
            "--allow-missing",
            "--into",
            ".",
        ]);
        assert!(self.checkout().read_dir().unwrap().count() > 0, "{run:?}");
        let _ = fs::remove_file(self.checkout().join(".rocpkg-manifest"));
        assert!(self.run(&["init", distro]).status.success());
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.checkout().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(path, text);
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.checkout().join(path)).unwrap()
    }

    fn is_there(&self, path: &str) -> bool {
        Path::new(&self.checkout()).join(path).is_file()
    }

    /// Replaces one text of a recipe.
    fn edit(&self, path: &str, from: &str, to: &str) {
        let text = self.read(path);
        assert!(text.contains(from), "{from} in {text}");
        self.write(path, &text.replacen(from, to, 1));
    }

    fn bump_run(&self, more: &[&str]) -> Output {
        let mirror = self.folder.path().join("mirror/{owner}/{repository}");
        let mirror = format!("file://{}", mirror.display());
        self.run(&[&["bump", "7.2.4", "--mirror", &mirror], more].concat())
    }

    /// Returns the number of patches in the JSON of a dry run, which is a document of its schema.
    fn patches_in_json(&self) -> usize {
        let schema = self.run(&["schema", "bump"]).stdout;
        let schema = serde_json::from_slice(&schema).unwrap();
        let run = self.bump_run(&["--dry-run", "--json"]);
        let document: Value = serde_json::from_slice(&run.stdout).unwrap();
        let patches = document["patches"].as_array().unwrap();
        let faults = check_schema(&schema, &document);
        assert!(faults.is_empty(), "{faults:#?}");
        patches.len()
    }

    /// Bumps the checkout to 7.2.4, and returns the exit status and the printed lines about
    /// patches.
    fn bump(&self, more: &[&str]) -> (i32, String) {
        let run = self.bump_run(more);
        let text = String::from_utf8(run.stdout).unwrap();
        let lines = text.lines().filter(|line| {
            line.contains(" patch `") || line.starts_with("patches:") || line.contains("removed")
        });
        let lines: String = lines.map(|line| format!("{line}\n")).collect();
        (run.status.code().unwrap(), lines)
    }
}

const PKGBUILD: &str = "rocm-cmake/PKGBUILD";

/// Makes a checkout of Arch whose recipe applies three patches: upstream has the first and the
/// last.
fn arch() -> World {
    let world = World::new();
    world.render("arch");
    let fetched = &world.commits[1];
    let zeros = "0".repeat(64);
    let sums: String = ["1", "2", "3"]
        .map(|digit| format!("\n            '{}'", digit.repeat(64)))
        .concat();
    world.edit(
        PKGBUILD,
        "archive/rocm-$pkgver.tar.gz\")",
        &format!(
            "archive/rocm-$pkgver.tar.gz\"\n        # https://example.org/why\n        there.patch\n        \"$pkgname-fits.patch\"\n        \"fetched.patch::https://github.com/ROCm/rocm-cmake/commit/{fetched}.patch\")"
        ),
    );
    world.edit(
        PKGBUILD,
        &format!("('{zeros}')"),
        &format!("('{zeros}'{sums})"),
    );
    world.edit(
        PKGBUILD,
        "prepare() {\n  cd \"$_dirname\"\n",
        "prepare() {\n  cd \"$_dirname\"\n  patch -Np1 -i \"$srcdir/there.patch\"\n  patch -Np1 -i \"$srcdir/$pkgname-fits.patch\"\n  patch -Np1 -i ../fetched.patch\n",
    );
    world.write("rocm-cmake/there.patch", &world.patch(0, true));
    world.write("rocm-cmake/rocm-cmake-fits.patch", &world.patch(2, false));
    world
}

#[test]
fn a_patch_that_upstream_has_goes_with_its_file_and_sum() {
    let world = arch();
    let before = world.read(PKGBUILD);
    let checkout = world.checkout();
    commit(&checkout);
    for (key, value) in [("user.name", "A"), ("user.email", "a@example.org")] {
        git(&checkout, &["config", key, value]);
    }
    let (status, told) = world.bump(&["--dry-run"]);
    assert_eq!((status, world.read(PKGBUILD)), (0, before), "{told}");
    assert!(world.is_there("rocm-cmake/there.patch"));
    assert_eq!(world.patches_in_json(), 3);
    let (status, told) = world.bump(&["--commit"]);
    insta::assert_snapshot!(told.replace(&world.commits[1], "ID"), @r"
      rocm-cmake/PKGBUILD:19:9 patch `there.patch`: goes, because upstream's sources contain it
      rocm-cmake/PKGBUILD:21:9 patch `https://github.com/ROCm/rocm-cmake/commit/ID.patch`: goes, because upstream's sources contain it
    patches: 1 apply, 2 go, 0 don't apply
    to review (-v lists all): rocm-cmake: removed: the comment `# https://example.org/why` was removed with the item below it
    ");
    assert_eq!(status, 0, "{told}");
    let after = world.read(PKGBUILD);
    let lines = |from: &str, to: &str| {
        let start = after.find(from).unwrap();
        let end = after[start..].find(to).unwrap();
        after[start..start + end + to.len()].to_owned()
    };
    assert_eq!(
        lines("source=", ")\n"),
        "source=(\"$pkgname-$pkgver.tar.gz::https://github.com/ROCm/rocm-cmake/archive/rocm-$pkgver.tar.gz\"\n        \"$pkgname-fits.patch\")\n"
    );
    assert_eq!(lines("sha256sums=", ")").lines().count(), 2);
    assert!(lines("sha256sums=", ")").contains(&"2".repeat(64)));
    assert!(lines("prepare() {", "}").contains(
        "  cd \"$_dirname\"\n  patch -Np1 -i \"$srcdir/$pkgname-fits.patch\"\n  # they need"
    ));
    assert!(!world.is_there("rocm-cmake/there.patch"));
    assert!(world.is_there("rocm-cmake/rocm-cmake-fits.patch"));
    let info = world.read("rocm-cmake/.SRCINFO");
    assert!(info.contains("source = rocm-cmake-fits.patch") && !info.contains("there.patch"));
    assert_eq!(git(&checkout, &["status", "--porcelain"]), "");
    let gone = git(
        &checkout,
        &["log", "--format=%s", "--diff-filter=D", "--name-only"],
    );
    assert_eq!(
        gone,
        "rocm-cmake: update to 7.2.4\n\nrocm-cmake/there.patch\n"
    );
    let (status, told) = world.bump(&[]);
    assert_eq!(status, 0, "{told}");
    assert_eq!(world.read(PKGBUILD), after, "a second run changes nothing");
}

#[test]
fn what_is_not_certain_stays() {
    let world = arch();
    // Another recipe's file of the folder uses the patch, and the recipe reverts the other one.
    world.write("rocm-cmake/PKGBUILD-git", "source=(there.patch)\n");
    world.edit(
        PKGBUILD,
        "patch -Np1 -i ../fetched",
        "patch -RNp1 -i ../fetched",
    );
    // Upstream has neither side of this patch.
    let wrong = world.patch(0, false).replace("-2\n", "-II\n");
    let wrong = wrong.replace("+two\n", "+zwei\n");
    world.write("rocm-cmake/rocm-cmake-fits.patch", &wrong);
    let (status, told) = world.bump(&[]);
    insta::assert_snapshot!(told.replace(&world.commits[1], "ID"), @r"
      rocm-cmake/PKGBUILD:18:9: patch `rocm-cmake-fits.patch` does not apply: hunk 1 of 1 fails in CMakeLists.txt
      rocm-cmake/PKGBUILD:19:9 patch `there.patch`: goes, because upstream's sources contain it; its file stays, because rocm-cmake/PKGBUILD-git names it
    patches: 0 apply, 1 go, 1 don't apply, 1 could not be tried (-v)
    to review (-v lists all): rocm-cmake: removed: the comment `# https://example.org/why` was removed with the item below it; not ...
    ");
    assert_eq!(status, 1, "{told}");
    // The patch that fails is left to the maintainer, and so no commit is made.
    let again = world.bump_run(&[]).stdout;
    let again = String::from_utf8(again).unwrap();
    assert!(again.contains("rocm-cmake  left: 1 item"), "{again}");
    let text = world.read(PKGBUILD);
    assert!(text.contains("commit/") && text.contains("-RNp1"), "{text}");
    assert!(
        text.contains("$pkgname-fits.patch") && !text.contains("there.patch"),
        "{text}"
    );
    assert!(world.is_there("rocm-cmake/there.patch"));
}

#[test]
fn older_ebuilds_keep_their_patches() {
    let world = World::new();
    world.render("gentoo");
    let old = "dev-build/rocm-cmake/rocm-cmake-7.2.3.ebuild";
    world.edit(
        old,
        "PATCHES=(\n",
        "PATCHES=(\n\t\"${FILESDIR}/${PN}-7.2.3-there.patch\"\n",
    );
    let files = "dev-build/rocm-cmake/files";
    for (name, commit) in [("7.2.3-there", 1), ("6.1.1-license", 2)] {
        world.write(
            &format!("{files}/rocm-cmake-{name}.patch"),
            &world.patch(commit, false),
        );
    }
    // The first line of the context is not that of the file. `eapply` allows this.
    let fuzzy = "--- a/CMakeLists.txt\n+++ b/CMakeLists.txt\n@@ -2,7 +2,7 @@\n zwei\n 3\n 4\n-5\n+five\n 6\n seven\n 8\n";
    world.write(
        &format!("{files}/rocm-cmake-6.1.1-no-rocmchecks-warnings.patch"),
        fuzzy,
    );
    let before = world.read(old);
    let (_, told) = world.bump(&[]);
    insta::assert_snapshot!(told, @r"
      dev-build/rocm-cmake/rocm-cmake-7.2.3.ebuild:22:2 patch `rocm-cmake-7.2.3-there.patch`: goes, because upstream's sources contain it
    patches: 2 apply, 1 go, 0 don't apply
    ");
    let new = world.read("dev-build/rocm-cmake/rocm-cmake-7.2.4.ebuild");
    assert!(
        !new.contains("there.patch") && new.contains("license.patch"),
        "{new}"
    );
    assert_eq!(world.read(old), before);
    assert!(world.is_there(&format!("{files}/rocm-cmake-7.2.3-there.patch")));
}

#[test]
fn a_fetched_patch_of_nixpkgs_goes_with_its_fetcher() {
    let world = World::new();
    world.render("nix");
    let path = "rocm-cmake/default.nix";
    let text = world.read(path);
    let fetched = &world.commits[1];
    let patches = format!(
        "\n  patches = [\n    (fetchpatch {{\n      url = \"https://github.com/ROCm/rocm-cmake/commit/{fetched}.patch?full_index=1\";\n      hash = \"sha256-{}=\";\n    }})\n  ];\n\n  meta = {{",
        "A".repeat(43)
    );
    world.write(
        path,
        &text
            .replace("\n  meta = {", &patches)
            .replace("  lib,\n", "  lib,\n  fetchpatch,\n"),
    );
    let (_, told) = world.bump(&[]);
    insta::assert_snapshot!(told.replace(&world.commits[1], "ID"), @r"
      rocm-cmake/default.nix:37:7 patch `https://github.com/ROCm/rocm-cmake/commit/ID.patch?full_index=1`: goes, because upstream's sources contain it
    patches: 0 apply, 1 go, 0 don't apply
    ");
    let after = world.read(path);
    assert!(!after.contains("patch"), "{after}");
    let version = after.replace("7.2.4", "7.2.3");
    let lines = |text: &str| {
        text.lines()
            .filter(|l| !l.contains("hash"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&version), lines(&text));
}

/// Moves upstream's file to `share/` in 7.2.4.
fn in_share(world: &World) {
    let upstream = world.upstream();
    git(&upstream, &["checkout", "--quiet", "rocm-7.2.4"]);
    fs::create_dir(upstream.join("share")).unwrap();
    git(&upstream, &["mv", "CMakeLists.txt", "share"]);
    commit(&upstream);
    git(&upstream, &["tag", "--force", "rocm-7.2.4"]);
}

#[test]
fn a_pkgbuilds_patch_is_tried_in_the_folder_that_the_recipe_enters() {
    let world = arch();
    in_share(&world);
    world.edit(
        PKGBUILD,
        "  patch -Np1 -i \"$srcdir/there.patch\"\n",
        "  pushd share >/dev/null\n  patch -Np1 -i \"$srcdir/there.patch\"\n  popd\n",
    );
    let (status, told) = world.bump(&["-v"]);
    insta::assert_snapshot!(told.replace(&world.commits[1], "ID"), @r"
      rocm-cmake/PKGBUILD:18:9: patch `rocm-cmake-fits.patch` does not apply: file gone: CMakeLists.txt
      rocm-cmake/PKGBUILD:19:9 patch `there.patch`: goes, because upstream's sources contain it
      rocm-cmake/PKGBUILD:20:9 patch `rocm-cmake-fits.patch`: file gone: CMakeLists.txt
      rocm-cmake/PKGBUILD:21:9 patch `https://github.com/ROCm/rocm-cmake/commit/ID.patch`: goes, because upstream's sources contain it
    patches: 0 apply, 2 go, 1 don't apply
      rocm-cmake/PKGBUILD:18:1: removed: the comment `# https://example.org/why` was removed with the item below it
    ");
    // The file of another patch is not in the folder that the recipe returns to.
    assert_eq!(status, 1, "{told}");
    let text = world.read(PKGBUILD);
    assert!(!text.contains("there.patch"), "{text}");

    // `patch` enters a folder, too. One that is not known may be any.
    let world = arch();
    in_share(&world);
    world.edit(
        PKGBUILD,
        "patch -Np1 -i \"$srcdir/there",
        "cd \"$(_part)\"\n  patch -Np1 -i \"$srcdir/there",
    );
    world.edit(
        PKGBUILD,
        "patch -Np1 -i \"$srcdir/$pkgname-fits",
        "patch -d \"$srcdir/$_dirname/share\" -Np1 -i \"$srcdir/$pkgname-fits",
    );
    let (_, told) = world.bump(&["-v"]);
    insta::assert_snapshot!(told.replace(&world.commits[1], "ID"), @r"
      rocm-cmake/PKGBUILD:19:9 patch `there.patch`: not tried: its folder can't be read from the recipe
      rocm-cmake/PKGBUILD:20:9 patch `rocm-cmake-fits.patch`: fits
      rocm-cmake/PKGBUILD:21:9 patch `https://github.com/ROCm/rocm-cmake/commit/ID.patch`: goes, because upstream's sources contain it
    patches: 1 apply, 1 go, 0 don't apply, 1 could not be tried (-v)
      rocm-cmake/PKGBUILD:19:9: not tried at this release: patch `there.patch`
    ");
}

#[test]
fn an_ebuilds_patch_is_tried_in_its_folder_of_sources() {
    let world = World::new();
    world.render("gentoo");
    in_share(&world);
    let old = "dev-build/rocm-cmake/rocm-cmake-7.2.3.ebuild";
    let files = "dev-build/rocm-cmake/files";
    for (name, commit) in [
        ("6.1.1-license", 1),
        ("6.1.1-no-rocmchecks-warnings", 2),
        ("top", 2),
        ("other", 2),
    ] {
        world.write(
            &format!("{files}/rocm-cmake-{name}.patch"),
            &world.patch(commit, false),
        );
    }
    world.edit(
        old,
        "rocm-cmake-rocm-${PV}\"",
        "rocm-cmake-rocm-${PV}/share\"",
    );
    world.edit(
        old,
        "\tcmake_src_prepare\n",
        "\tcmake_src_prepare\n\tpushd \"${S}/..\" || die\n\teapply \"${FILESDIR}/${PN}-top.patch\"\n\tpopd || die\n\tcd \"${WORKDIR}/half-1.0\" || die\n\teapply \"${FILESDIR}/${PN}-other.patch\"\n",
    );
    let (_, told) = world.bump(&["-v"]);
    insta::assert_snapshot!(told, @r"
      dev-build/rocm-cmake/rocm-cmake-7.2.4.ebuild:33:9: patch `rocm-cmake-top.patch` does not apply: file gone: CMakeLists.txt
      dev-build/rocm-cmake/rocm-cmake-7.2.3.ebuild:22:2 patch `rocm-cmake-6.1.1-license.patch`: goes, because upstream's sources contain it
      dev-build/rocm-cmake/rocm-cmake-7.2.3.ebuild:23:2 patch `rocm-cmake-6.1.1-no-rocmchecks-warnings.patch`: fits
      dev-build/rocm-cmake/rocm-cmake-7.2.3.ebuild:34:9 patch `rocm-cmake-top.patch`: file gone: CMakeLists.txt
      dev-build/rocm-cmake/rocm-cmake-7.2.3.ebuild:37:9 patch `rocm-cmake-other.patch`: not tried: its folder can't be read from the recipe
    patches: 1 apply, 1 go, 1 don't apply, 1 could not be tried (-v)
      distros/gentoo/rocm-cmake.yaml:3:11 patch `rocm-cmake-6.1.1-no-rocmchecks-warnings.patch`: file gone: CMakeLists.txt
      dev-build/rocm-cmake/rocm-cmake-7.2.4.ebuild:36:9: not tried at this release: patch `rocm-cmake-other.patch`
    ");
    let new = world.read("dev-build/rocm-cmake/rocm-cmake-7.2.4.ebuild");
    assert!(!new.contains("license.patch"), "{new}");
}

/// Upstream took a commit, reverted it, and changed lines near it.
#[test]
fn a_fetched_commit_that_upstream_reverted_stays() {
    for reverted in [false, true] {
        let world = arch();
        let upstream = world.upstream();
        git(&upstream, &["checkout", "--quiet", "rocm-7.2.4"]);
        if reverted {
            git(&upstream, &["revert", "--no-edit", &world.commits[1]]);
        }
        let text = fs::read_to_string(upstream.join("CMakeLists.txt")).unwrap();
        write_file(
            upstream.join("CMakeLists.txt"),
            text.replace("\n8\n", "\nVIII\n"),
        );
        commit(&upstream);
        git(&upstream, &["tag", "--force", "rocm-7.2.4"]);
        let (status, told) = world.bump(&[]);
        assert_eq!(status, i32::from(reverted), "{told}");
        assert_eq!(
            world.read(PKGBUILD).contains("/commit/"),
            reverted,
            "{told}"
        );
    }
}

#[test]
fn patches_of_one_name_and_those_of_a_fork_are_apart() {
    let world = arch();
    // The fork has another patch of this name, which applies.
    let fork = world.checkout().join("rocm-cmake-debug");
    rocpkg_test_support::copy_tree(&world.checkout().join("rocm-cmake"), &fork);
    let path = "rocm-cmake-debug/PKGBUILD";
    world.edit(
        path,
        "pkgname=rocm-cmake\n",
        "pkgname=rocm-cmake-debug\n_pkgname=rocm-cmake\nprovides=(rocm-cmake)\n",
    );
    world.edit(path, "$pkgname-fits.patch", "rocm-cmake-fits.patch");
    world.edit(path, "$pkgname-fits.patch", "rocm-cmake-fits.patch");
    world.write("rocm-cmake-debug/there.patch", &world.patch(2, false));
    world.write(
        "rocm-cmake-debug/rocm-cmake-fits.patch",
        &world.patch(0, false),
    );
    let (_, told) = world.bump(&[]);
    let text = world.read(path);
    assert!(
        text.contains("there.patch") && !text.contains("fits.patch"),
        "{told}{text}"
    );
    let text = world.read(PKGBUILD);
    assert!(
        !text.contains("there.patch") && text.contains("fits.patch"),
        "{told}{text}"
    );
}
