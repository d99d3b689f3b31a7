//! Tests of `rocpkg upstream` on stand-ins for upstream: the changes between two releases, and the
//! steps of recipes that still fit or no longer do.

use rocpkg_test_support::{commit, git, write_file};
use std::fs;

use std::process::Output;
use tempfile::TempDir;

/// A model with packages of two distributions.
const MODEL: [(&str, &str); 11] = [
    ("upstream.yaml", "owner: ROCm\nsuperbuild: TheRock\n"),
    (
        "targets.yaml",
        "processors:\n  gfx942: {family: CDNA3, kind: dGPU, llvm: '17', products: [AMD Instinct MI300X]}\n",
    ),
    (
        "releases/7.0.yaml",
        "tag: rocm-${version}\nversions: {7.0.2: {}}\n",
    ),
    (
        "releases/7.2.yaml",
        "tag: rocm-${version}\nllvm: '22'\nversions: {7.2.0: {}}\n",
    ),
    (
        "externals.yaml",
        "cmake: {gentoo: dev-build/cmake, arch: cmake}\n",
    ),
    (
        "components/mover.yaml",
        "title: Mover\nsummary: A small library\nhomepage: https://example.org/mover\nlicence: [MIT]\n\
         sources:\n  main:\n    - {releases: '<7.1', repository: Mover}\n    - {releases: '>=7.1', repository: rocm-libraries, path: projects/mover}\n\
         options:\n  WITH_KEPT: {default: on}\n  WITH_LOST: {default: on}\n  WITH_HELPER: {default: on}\n\
         depends: {helper: {kind: tool}}\ncmake: {main: {}}\n",
    ),
    (
        "components/helper.yaml",
        "title: Helper\nsummary: Modules\nhomepage: https://example.org/h\nlicence: [MIT]\ncontent: scripts\n\
         sources: {main: {repository: Helper}}\ncmake: {main: {}}\n",
    ),
    (
        "components/away.yaml",
        "title: Away\nsummary: It goes\nhomepage: https://example.org/a\nlicence: [MIT]\n\
         sources: {main: {repository: rocm-libraries, path: projects/away}}\ncmake: {main: {}}\n",
    ),
    (
        "distros/gentoo.yaml",
        "version: 7.2.0\nchecked-at: 7.0.2\nnaming: title\nfetch: archive\nyear: '2026'\npackages: {mover: default, helper: default, away: default}\nlicences: {MIT: MIT}\n\
         targets: [{releases: '*', default: [gfx942], offered: []}]\nmaintainers: [{name: A, email: a@example.org}]\n\
         habits: {options: always}\n",
    ),
    (
        "distros/gentoo/mover.yaml",
        "cmake: {main: {arguments: {WITH_KEPT: true, WITH_LOST: true, WITH_HELPER: true, Mover_DIR: /x}}}\npatches:\n  - file: fits.patch\n  - file: shifted.patch\n  - file: there.patch\n  - file: fails.patch\n  - file: gone.patch\n  - file: lacking.patch\n\
         phases:\n  prepare:\n    - standard\n    - replace: {from: fits, to: '', files: lines}\n    - replace: {from: 'no ${version}', to: '', files: lines}\n\
         \x20   - sed: {scripts: s/none/x/, files: lines}\n    - remove: gone.txt\n    - replace: {from: a, to: b, files: '${source}/gone'}\n",
    ),
    (
        "distros/arch.yaml",
        "version: 7.2.0\nnaming: component\nfetch: git\npackages: {mover: default, helper: default}\ntargets: []\nmaintainers: [{name: A, email: a at b}]\n\
         habits: {options: always, rules: [{package: {depends: {cmake: {kind: tool}}}}]}\n",
    ),
];

const LINES: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n";

struct World {
    dir: TempDir,
}

impl World {
    fn new() -> Self {
        let world = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        for (path, text) in MODEL {
            world.write(&format!("model/{path}"), text);
        }
        world
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(path, text);
    }

    /// Makes a repository with both releases. Each file has a path and its text at each release,
    /// which is empty if the file does not exist.
    fn repository(&self, name: &str, files: &[(&str, &str, &str)]) {
        let folder = self.dir.path().join("mirrors").join(name);
        fs::create_dir_all(&folder).unwrap();
        git(&folder, &["init", "--quiet"]);
        for (release, at) in [("rocm-7.0.2", 0), ("rocm-7.2.0", 1)] {
            for (path, a, b) in files {
                match [a, b][at] {
                    &"" => drop(fs::remove_file(folder.join(path))),
                    text => self.write(&format!("mirrors/{name}/{path}"), text),
                }
            }
            commit(&folder);
            if files.iter().any(|(_, a, b)| ![a, b][at].is_empty()) {
                git(&folder, &["tag", release]);
            }
        }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let model = ["--no-builtin", "--profiles", "model"];
        let mut command = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
        command
            .current_dir(self.dir.path())
            .arg("upstream")
            .args(arguments)
            .args(model)
            .output()
            .unwrap()
    }

    /// Returns the exit status and the output.
    fn said(&self, arguments: &[&str]) -> (i32, String) {
        let run = self.run(arguments);
        let text = [run.stdout, run.stderr].concat();
        (run.status.code().unwrap(), String::from_utf8(text).unwrap())
    }
}

/// Makes upstream's repositories with both releases.
fn upstream() -> World {
    let world = World::new();
    let before = "option(WITH_KEPT \"\" ON)\noption(WITH_LOST \"\" ON)\nset(GPUS gfx906 gfx942)\nfind_package(hip 6.0)\nadd_subdirectory(src)\n";
    let after = "option(WITH_KEPT \"\" OFF)\nset(GPUS gfx942 gfx1250)\nfind_package(hip 7.0)\nfind_package(fmt)\nadd_subdirectory(lib/src)\nset(NEW a CACHE STRING \"\")\n";
    world.repository(
        "Mover",
        &[("CMakeLists.txt", before, ""), ("LICENSE.md", "a", "")],
    );
    world.repository(
        "rocm-libraries",
        &[
            ("projects/mover/CMakeLists.txt", "", after),
            ("projects/mover/LICENSE.md", "", "b"),
            (
                "projects/mover/lines",
                "",
                &format!("zero\n{}", LINES.replace("nine", "9")),
            ),
            ("projects/away/CMakeLists.txt", "project(away)", ""),
            ("projects/young/CMakeLists.txt", "", "project(young)"),
            (
                "projects/stays/CMakeLists.txt",
                "project(stays)",
                "project(stays)",
            ),
        ],
    );
    world.repository(
        "Helper",
        &[(
            "HelperConfig.cmake",
            "if(WITH_HELPER)\nendif()",
            "if(WITH_HELPER)\nendif()",
        )],
    );
    let gpu = "therock_add_amdgpu_target(gfx1103 \"780M\" FAMILY igpu-all EXCLUDE_TARGET_PROJECTS hipTensor)";
    world.repository(
        "TheRock",
        &[(
            "cmake/targets.cmake",
            gpu,
            &gpu.replace(" EXCLUDE_TARGET_PROJECTS hipTensor", ""),
        )],
    );
    world
}

#[test]
fn each_change_between_two_releases_is_told_once() {
    let world = upstream();
    let (status, said) = world.said(&["diff", "7.0.2", "7.2.0", "--mirror", "mirrors", "-v"]);
    insta::assert_snapshot!(said, @r#"
    away (rocm-libraries/projects/away)
      gone: it was rocm-libraries/projects/away; the folder is gone
    mover (rocm-libraries/projects/mover)
      option WITH_LOST: passed by gentoo, but no CMake file names it (CMakeLists.txt:2)
      moved: Mover -> rocm-libraries/projects/mover
      GPUS: + gfx1250, - gfx906 (CMakeLists.txt:2)
      option WITH_KEPT: default ON -> OFF (CMakeLists.txt:1)
      package fmt: new (CMakeLists.txt:4)
      package hip: 6.0 -> 7.0 (CMakeLists.txt:3)
      part src: src -> lib/src (CMakeLists.txt:5)
      licence file LICENSE.md: changed
      option NEW: new (default a) (CMakeLists.txt:6)
    TheRock
      gfx1103: no longer excluded from hipTensor (cmake/targets.cmake:1)
    rocm-libraries
      part projects/young: new
    4 of 4 compared components changed
    "#);
    assert_eq!(status, 1);
    // The release of a branch is not known, so the shipped recipes are read.
    let folder = world.dir.path().join("mirrors/Helper");
    git(&folder, &["branch", "develop"]);
    let (_, branch) = world.said(&["diff", "7.0.2", "develop", "--mirror", "mirrors"]);
    assert!(
        branch.ends_with("are those of the shipped recipes: gentoo, arch\n"),
        "{branch}"
    );
    // A component is also gone if its repository does not have the tag.
    let helper = world.dir.path().join("mirrors/Helper");
    git(&helper, &["tag", "--delete", "rocm-7.2.0"]);
    let (_, all) = world.said(&["diff", "7.0.2", "7.2.0", "--mirror", "mirrors"]);
    assert!(
        all.contains("helper (Helper)\n  gone: it was Helper; Helper has no `rocm-7.2.0`\n"),
        "{all}"
    );
    git(&helper, &["tag", "rocm-7.2.0"]);
    // Tags give the same result as releases, and a template finds the same repositories.
    let again = world.said(&[
        "diff",
        "rocm-7.0.2",
        "rocm-7.2.0",
        "--mirror",
        "mirrors/{repository}",
        "-v",
    ]);
    assert_eq!(again, (1, said));
    let (status, alone) = world.said(&[
        "diff",
        "7.0.2",
        "7.2.0",
        "--mirror",
        "mirrors",
        "--package",
        "Helper",
    ]);
    assert_eq!(
        (status, alone.as_str()),
        (0, "0 of 1 compared components changed\n")
    );
}

#[test]
fn folders_are_compared_as_tags_are() {
    let world = upstream();
    for (release, folder) in [("rocm-7.0.2", "a"), ("rocm-7.2.0", "b")] {
        for repository in ["Mover", "rocm-libraries", "Helper", "TheRock"] {
            let (from, to) = (
                world.dir.path().join("mirrors").join(repository),
                world.dir.path().join(folder),
            );
            if !git(&from, &["tag", "--list", release]).trim().is_empty() {
                let to = to.join(repository);
                git(
                    &from,
                    &[
                        "worktree",
                        "add",
                        "--quiet",
                        "--detach",
                        to.to_str().unwrap(),
                        release,
                    ],
                );
            }
        }
    }
    let of_tags = world.said(&["diff", "7.0.2", "7.2.0", "--mirror", "mirrors"]);
    assert_eq!(
        world.said(&["diff", "a", "b", "--release", "7.2.0"]),
        of_tags
    );
    let one = world.said(&[
        "diff",
        "a/Mover",
        "b/rocm-libraries/projects/mover",
        "--package",
        "mover",
        "--json",
    ]);
    let read: serde_json::Value = serde_json::from_str(&one.1).unwrap();
    let kinds: Vec<&str> = read["components"][0]["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|c| c["kind"].as_str().unwrap())
        .collect();
    assert_eq!(
        kinds[..4],
        [
            "option-named-nowhere",
            "option-named-nowhere",
            "targets",
            "default"
        ]
    );
}

#[test]
fn what_strangers_write_moves_no_cursor() {
    let world = World::new();
    let escape = "option(A \"\" \"\u{1b}[2J\")";
    world.repository("Helper", &[("CMakeLists.txt", "option(A \"\" ON)", escape)]);
    let (_, said) = world.said(&["diff", "7.0.2", "7.2.0", "--mirror", "mirrors"]);
    assert!(
        said.contains("option A: default ON -> \u{241b}[2J"),
        "{said:?}"
    );
}

#[test]
fn what_can_not_be_compared_is_refused() {
    let world = upstream();
    for (arguments, told) in [
        (
            &["diff", "7.0.2", "7.2.0"][..],
            "7.0.2: no such folder; use --mirror for git repositories",
        ),
        (
            &[
                "diff",
                "7.0.2",
                "7.2.0",
                "--mirror",
                "https://example.org/{repository}",
            ],
            "expected a path on this machine",
        ),
        (
            &["diff", "7.0.2", "8.0.0", "--mirror", "mirrors"],
            "no component found on both sides",
        ),
        (
            &[
                "diff",
                "7.0.2",
                "7.2.0",
                "--mirror",
                "mirrors",
                "--package",
                "nothing",
            ],
            "no component or package is called `nothing`",
        ),
        (&["probe", "--mirror", "nowhere"], "nowhere: no such folder"),
        (
            &["probe", "--mirror", "mirrors", "--package", "nothing"],
            "no package is called `nothing`",
        ),
        (
            &["probe", "--mirror", "mirrors", "--patches", "nowhere"],
            "nowhere: no such folder",
        ),
        (
            &["probe", "--tree", "model"],
            "no sources of any package found",
        ),
    ] {
        let (status, said) = world.said(arguments);
        assert_eq!(status, 2, "{said}");
        assert!(said.contains(told), "{said}");
    }
}

/// Returns a patch of one line of `lines`.
fn patch(from: &str, to: &str, at: usize) -> String {
    let lines: Vec<&str> = LINES.lines().collect();
    let i = lines.iter().position(|line| *line == from).unwrap();
    let (b, a) = (lines[i - 1], lines[i + 1]);
    format!("--- a/lines\n+++ b/lines\n@@ -{at},3 +{at},3 @@\n {b}\n-{from}\n+{to}\n {a}\n")
}

/// The range to write covers the range that was stated, to its end.
#[test]
fn a_range_of_later_releases_is_kept_whole() {
    let world = upstream();
    world.write("patches/gentoo/fits.patch", &patch("four", "fits", 4));
    let row = "patches: [{file: fits.patch, checked: '>=8.0, <8.3'}]\n";
    world.write("model/distros/gentoo/mover.yaml", row);
    let arguments = [
        "probe",
        "gentoo",
        "--mirror",
        "mirrors",
        "--patches",
        "patches",
    ];
    let (_, said) = world.said(&[&arguments[..], &["--rows"]].concat());
    assert!(said.contains("checked: \">=7.2.0, <8.3.0\""), "{said}");
}

#[test]
fn each_fate_of_a_step_is_told_once() {
    let world = upstream();
    world.write("patches/gentoo/fits.patch", &patch("four", "fits", 4));
    world.write("patches/gentoo/shifted.patch", &patch("seven", "7", 5));
    world.write("patches/gentoo/there.patch", &patch("nine", "9", 9));
    world.write("patches/gentoo/fails.patch", &patch("nine", "IX", 9));
    world.write(
        "patches/gentoo/gone.patch",
        "--- a/gone\n+++ b/gone\n@@ -1 +1 @@\n-a\n+b\n",
    );
    let repository = world.dir.path().join("mirrors/rocm-libraries");
    let head = git(&repository, &["rev-parse", "rocm-7.2.0"]);
    let picks = format!(
        "phases: {{prepare: [{{enter: '${{source}}'}}, {{cherry-pick: [{}, {}]}}]}}\n",
        head.trim(),
        "1".repeat(40)
    );
    world.write("model/distros/arch/mover.yaml", &picks);
    let arguments = [
        "probe",
        "--mirror",
        "mirrors",
        "--patches",
        "patches",
        "--package",
        "mover",
    ];
    let (status, said) = world.said(&[&arguments[..], &["-v", "--rows"]].concat());
    insta::assert_snapshot!(said.replace(head.trim().get(..12).unwrap(), "COMMIT"), @r#"
    gentoo Mover 7.2.0
      model/distros/gentoo/mover.yaml:3:11 patch `fits.patch`: fits
      model/distros/gentoo/mover.yaml:4:11 patch `shifted.patch`: applies with an offset of 2 lines
      model/distros/gentoo/mover.yaml:5:11 patch `there.patch`: is already applied
      model/distros/gentoo/mover.yaml:6:11 patch `fails.patch`: hunk 1 of 1 fails in projects/mover/lines
      model/distros/gentoo/mover.yaml:7:11 patch `gone.patch`: file gone: projects/mover/gone
      model/distros/gentoo/mover.yaml:8:11 patch `lacking.patch`: not tried: its text was not found
      model/distros/gentoo/mover.yaml:12:7 replacement: fits
      model/distros/gentoo/mover.yaml:13:7 replacement: not found: `no 7.2.0` in projects/mover/lines
      model/distros/gentoo/mover.yaml:14:7 sed script: not found: `s/none/x/` in projects/mover/lines
      model/distros/gentoo/mover.yaml:15:7 file: file gone: projects/mover/gone.txt
      model/distros/gentoo/mover.yaml:16:7 replacement: file gone: projects/mover/gone
    arch mover 7.2.0
      model/distros/arch/mover.yaml:1:42 picked commit COMMIT: is already in the history
      model/distros/arch/mover.yaml:1:42 picked commit 111111111111: not tried: the repository does not have the commit
    arch: 1 fit, 0 don't, 1 could not be tried (-v)
    gentoo: 3 fit, 7 don't, 1 could not be tried (-v)
    steps that fit, and were not checked before:
      model/distros/gentoo/mover.yaml:3: checked: ">=7.0.2, <=7.2.0"
      model/distros/gentoo/mover.yaml:4: checked: ">=7.0.2, <=7.2.0"
      model/distros/gentoo/mover.yaml:12: checked: ">=7.0.2, <=7.2.0"
    "#);
    assert_eq!(status, 1);
    let (_, short) = world.said(&arguments);
    assert!(
        !short.contains("fits.patch") && short.contains("gone.txt"),
        "{short}"
    );
    // The tree of the project alone gives the same result.
    let tree = world.dir.path().join("tree");
    git(
        &repository,
        &[
            "worktree",
            "add",
            "--quiet",
            "--detach",
            tree.to_str().unwrap(),
            "rocm-7.2.0",
        ],
    );
    let of_tree = [
        "probe",
        "gentoo",
        "--tree",
        "tree/projects/mover",
        "--patches",
        "patches",
        "--package",
        "mover",
    ];
    let own = |text: &str| {
        text.lines()
            .filter(|l| l.contains("gentoo/mover.yaml"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        own(&world.said(&of_tree).1),
        own(&short.replace("projects/mover/", ""))
    );
}
