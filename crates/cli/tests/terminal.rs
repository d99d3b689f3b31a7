//! Tests of the output on terminals: colours, the pager, `--stat` and `--quiet`; and of names that
//! a shell completed.

use crate::automation::checkout;
use crate::checkout::{edit, overlay, rocpkg as run};
use insta::assert_snapshot;
use rocpkg_test_support::{commit, git, write_file};
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// The variables that change the output.
const VARIABLES: [&str; 8] = [
    "NO_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "GIT_PAGER",
    "PAGER",
    "LESS",
    "TERM",
    "GIT_CONFIG_PARAMETERS",
];

/// Runs `rocpkg` in a folder, with these variables and no others that change the output.
fn rocpkg(root: &Path, variables: &[(&str, &str)], args: &[&str]) -> Output {
    let mut command = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
    for name in VARIABLES {
        command.env_remove(name);
    }
    let command = command.envs(variables.iter().copied()).args(args);
    command.current_dir(root).output().unwrap()
}

/// Runs `rocpkg` in a folder on a terminal, and returns its exit status and its output.
fn on_terminal(root: &Path, variables: &[(&str, &str)], args: &[&str]) -> (i32, String) {
    let mut command = rocpkg_programs::command("script");
    for name in VARIABLES {
        command.env_remove(name);
    }
    let program = format!("{} {}", env!("CARGO_BIN_EXE_rocpkg"), args.join(" "));
    let out = command
        .envs([("TERM", "xterm"), ("SHELL", "/bin/sh")])
        .envs(variables.iter().copied())
        .args(["--quiet", "--return", "--command", &program, "/dev/null"])
        .current_dir(root)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&out.stdout).replace("\r\n", "\n");
    (out.status.code().unwrap(), text)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns a checkout of a package of Arch at an older release.
fn arch() -> TempDir {
    let dir = checkout("arch", &["hipblas-common"], "7.2.0");
    commit(dir.path());
    dir
}

const DRY: [&str; 3] = ["bump", "7.2.4", "--dry-run"];

#[test]
fn colours_follow_the_option_then_the_variables() {
    let dir = arch();
    let root = dir.path();
    let no_color = ("NO_COLOR", "1");
    let force = ("CLICOLOR_FORCE", "1");
    for (variables, option, is_colored) in [
        (&[][..], None, false),
        (&[force], None, true),
        (&[("CLICOLOR_FORCE", "0")], None, false),
        (&[no_color, force], None, false),
        (&[no_color], Some("--color=always"), true),
        (&[force], Some("--color=never"), false),
        (&[], Some("--color=auto"), false),
    ] {
        let args: Vec<&str> = DRY.into_iter().chain(option).collect();
        let out = text(&rocpkg(root, variables, &args).stdout);
        let case = format!("{variables:?} {option:?}");
        assert_eq!(
            out.contains("\u{1b}[31m-pkgver"),
            is_colored,
            "{case}: {out}"
        );
        assert_eq!(
            out.contains("\u{1b}[32m+pkgver"),
            is_colored,
            "{case}: {out}"
        );
        assert_eq!(out.contains("\u{1b}[1m--- a/"), is_colored, "{case}: {out}");
        assert_eq!(out.contains('\u{1b}'), is_colored, "{case}: {out}");
        // An error of the command line, and a finding with an excerpt.
        let wrong = root.join("wrong/distros/arch/rocblas.yaml");
        write_file(&wrong, "sumary: x\n");
        for words in [&["nonsense"][..], &["check", "--profiles", "wrong"]] {
            let args: Vec<&str> = words.iter().copied().chain(option).collect();
            let err = text(&rocpkg(root, variables, &args).stderr);
            assert!(err.contains("error"), "{err}");
            assert_eq!(
                err.contains('\u{1b}'),
                is_colored,
                "{case} {words:?}: {err}"
            );
        }
    }
}

#[test]
fn a_terminal_gets_the_diff_through_the_pager_of_git() {
    let dir = arch();
    let root = dir.path();
    let pages = |variables: &[(&str, &str)], more: &[&str]| {
        let (status, out) = on_terminal(root, variables, &[&DRY[..], more].concat());
        assert_eq!(status, 0, "{out}");
        assert!(out.contains("pkgver=7.2.4"), "{out}");
        out
    };
    let sed = "sed s/^/PAGED:/";
    let out = pages(&[("GIT_PAGER", sed)], &[]);
    assert!(out.lines().all(|line| line.starts_with("PAGED:")), "{out}");
    assert!(out.contains("\u{1b}[32m+pkgver=7.2.4"), "{out}");
    // Git's setting comes before the variable of the system.
    git(root, &["config", "core.pager", "sed s/^/CORE:/"]);
    let out = pages(&[("PAGER", sed)], &[]);
    assert!(out.starts_with("CORE:"), "{out}");
    git(root, &["config", "--unset", "core.pager"]);
    assert!(pages(&[("PAGER", sed)], &[]).starts_with("PAGED:"));
    // The options of the pager are those of git.
    let out = pages(&[("PAGER", "cat; echo LESS=$LESS")], &[]);
    assert!(out.ends_with("LESS=FRX\n"), "{out}");
    let mine = [("PAGER", "cat; echo LESS=$LESS"), ("LESS", "M")];
    assert!(pages(&mine, &[]).ends_with("LESS=M\n"));
    for (variables, more) in [
        ([("PAGER", sed)], &["--no-pager"][..]),
        ([("PAGER", "cat")], &[]),
        ([("PAGER", "")], &[]),
        ([("PAGER", "no-such-program")], &[]),
    ] {
        let out = pages(&variables, more);
        assert!(!out.contains("PAGED:"), "{variables:?}: {out}");
    }
    // A pipe gets none, and neither do commands without a diff.
    let out = rocpkg(root, &[("GIT_PAGER", sed)], &DRY);
    assert!(!text(&out.stdout).contains("PAGED:"));
    let (_, out) = on_terminal(root, &[("GIT_PAGER", sed)], &["list"]);
    assert!(!out.contains("PAGED:"), "{out}");
}

#[test]
fn stat_prints_a_line_for_each_file() {
    let rows = |root: &Path| {
        let dry = rocpkg(root, &[], &[&DRY[..], &["--stat"]].concat());
        let out = text(&dry.stdout);
        let rows = out.lines().take_while(|line| line.starts_with(' '));
        rows.map(|line| format!("{line}\n")).collect::<String>()
    };
    let dir = checkout("arch", &["hipblas-common", "rocm-core"], "7.1.1");
    commit(dir.path());
    let of_arch = rows(dir.path());
    let dir = overlay(&["hipblas-common", "hipcc"], "7.2.0");
    let root = dir.path();
    assert_snapshot!(of_arch + &rows(root));
    // Without the option, the diff of the same files is there.
    let out = text(&rocpkg(root, &[], &DRY).stdout);
    assert!(
        out.contains("copy to dev-util/hipcc/hipcc-7.2.4.ebuild"),
        "{out}"
    );
    let check = [
        "render",
        "--check",
        "--stat",
        "--release",
        "7.2.0",
        "--allow-missing",
    ];
    edit(
        &root.join("dev-util/hipcc/hipcc-7.2.0.ebuild"),
        "KEYWORDS=",
        "KEYWORDS=~",
    );
    let out = rocpkg(root, &[], &check);
    assert!(!text(&out.stdout).contains("@@"), "{}", text(&out.stdout));
    let without = run(root, &["bump", "7.2.4", "--stat"]);
    assert!(
        without.0 == 2 && without.1.contains("--dry-run"),
        "{}",
        without.1
    );
}

#[test]
fn a_quiet_command_prints_what_fails_and_nothing_else() {
    let dir = overlay(&["hipblas-common", "hipcc"], "7.2.0");
    let root = dir.path();
    let quiet = |args: &[&str], status: i32| {
        let both = ["--quiet", "-q"].map(|option| {
            let out = rocpkg(root, &[], &[args, &[option]].concat());
            assert_eq!(out.status.code(), Some(status), "{args:?}: {out:?}");
            text(&out.stdout) + &text(&out.stderr)
        });
        assert_eq!(both[0], both[1]);
        let [said, _] = both;
        said
    };
    for (args, status) in [
        (&["render", "--release", "7.2.0", "--allow-missing"][..], 0),
        (
            &["render", "--check", "--release", "7.2.4", "--allow-missing"],
            1,
        ),
        (&["check"], 0),
        (&["compare"], 0),
        (&["bump", "7.2.4", "--dry-run"], 0),
    ] {
        assert_eq!(quiet(args, status), "", "{args:?}");
    }
    // A failure is printed, as is what programs read.
    assert!(quiet(&["bump", "7.2.4", "nonsense"], 2).starts_with("error: "));
    assert!(quiet(&["list"], 0).contains("rocBLAS"));
    let json = quiet(&["bump", "7.2.4", "--dry-run", "--json"], 0);
    assert!(json.starts_with('{'), "{json}");
    let ebuild = root.join("sci-libs/hipBLAS-common/hipBLAS-common-7.2.0.ebuild");
    edit(&ebuild, "SLOT=\"0/$(ver_cut 1-2)\"", "SLOT=\"mine\"");
    let said = quiet(&["compare"], 1);
    assert!(said.contains("SLOT"), "{said}");
    assert!(!said.contains("rows of"), "{said}");
    let (status, said) = run(root, &["check", "--quiet", "--verbose"]);
    assert!(
        status == 2 && said.contains("cannot be used with"),
        "{said}"
    );
}

#[test]
fn the_name_of_a_folder_names_its_package() {
    let dir = arch();
    let root = dir.path();
    for args in [
        &["bump", "7.2.4", "--dry-run", "NAME"][..],
        &["bump", "7.2.4", "--dry-run", "--package", "NAME"],
        &[
            "render",
            "--check",
            "--release",
            "7.2.0",
            "--allow-missing",
            "--package",
            "NAME",
        ],
        &[
            "render",
            "--check",
            "--release",
            "7.2.0",
            "--allow-missing",
            "--rebuild",
            "NAME",
        ],
        &["compare", "NAME"],
        &["explain", "NAME"],
        &["trackers", "arch", "--package", "NAME"],
        &["use", "NAME"],
        &["order", "arch", "--changed", "NAME"],
        &["sums", "arch", "--package", "NAME"],
        &["plan", "build", "arch", "--changed", "NAME"],
    ] {
        let with = |name: &str| {
            let args: Vec<String> = args.iter().map(|word| word.replace("NAME", name)).collect();
            run(root, &args.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let plain = with("hipblas-common");
        assert!(plain.0 < 2, "{args:?}: {}", plain.1);
        for completed in ["hipblas-common/", "./hipblas-common/", "./hipblas-common"] {
            assert_eq!(with(completed), plain, "{args:?}");
        }
    }
    let gentoo = overlay(&["hipcc"], "7.2.0");
    let said = run(
        gentoo.path(),
        &["bump", "7.2.4", "--dry-run", "dev-util/hipcc/"],
    );
    assert_eq!(
        said,
        run(gentoo.path(), &["bump", "7.2.4", "--dry-run", "hipcc"])
    );
}

#[test]
fn a_bump_without_settings_names_the_command_that_writes_them() {
    let empty = tempfile::tempdir().unwrap();
    let says = |root: &Path, init: &str| {
        for more in [
            &[][..],
            &["--dry-run"],
            &["rocblas"],
            &["arch"],
            &["--commit"],
        ] {
            let (status, said) = run(root, &[&["bump", "7.2.4"], more].concat());
            let line = format!(
                "error: no rocpkg.toml, the settings of a checkout, is in this folder or above: {init}\n"
            );
            assert_eq!((status, said), (2, line), "{more:?}");
        }
    };
    says(
        empty.path(),
        "`rocpkg init DISTRO` writes it, with gentoo, arch, nix, solus",
    );
    let arch = arch();
    std::fs::remove_file(arch.path().join("rocpkg.toml")).unwrap();
    says(arch.path(), "`rocpkg init arch` writes it");
    let gentoo = overlay(&["hipcc"], "7.2.0");
    std::fs::remove_file(gentoo.path().join("rocpkg.toml")).unwrap();
    says(gentoo.path(), "`rocpkg init gentoo` writes it");
    let nix = checkout("nix", &["hipblas-common"], "7.2.0");
    std::fs::remove_file(nix.path().join("rocpkg.toml")).unwrap();
    says(nix.path(), "`rocpkg init nix` writes it");
    let solus = checkout("solus", &["hipblas-common"], "7.2.0");
    std::fs::remove_file(solus.path().join("rocpkg.toml")).unwrap();
    says(solus.path(), "`rocpkg init solus` writes it");
}

#[test]
fn a_bump_of_one_package_prints_12_lines_and_of_all_130() {
    for distro in ["gentoo", "arch"] {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        git(root, &["init", "--quiet"]);
        run(root, &["init", distro]);
        let render = ["render", "--release", "7.2.0"];
        let allowed = ["--allow-missing", "--allow-guesses"];
        run(root, &[&render[..], &allowed].concat());
        commit(root);
        for (package, most) in [(Some("rocblas"), 12), (None, 130)] {
            for (release, more) in [
                ("10.1.0", &["--dry-run", "--stat"][..]),
                ("7.2.4", &["--dry-run", "--stat"]),
                ("7.2.4", &[]),
            ] {
                let args = ["bump", release].into_iter().chain(package);
                let args: Vec<&str> = args.chain(more.iter().copied()).collect();
                let (_, said) = run(root, &args);
                assert!(said.contains("ROCm "), "{args:?}: {said}");
                let lines = said.lines().count();
                assert!(lines <= most, "{distro} {args:?}: {lines}\n{said}");
            }
            git(root, &["reset", "--quiet", "--hard"]);
            git(root, &["clean", "--quiet", "--force"]);
        }
    }
}
