//! Tests of the command's texts about itself: help, version, codes, completions and manual pages;
//! and of its exit status.

use rocpkg_test_support::write_file;
use std::fs;
use std::process::Output;

fn rocpkg(arguments: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(arguments)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_version_tells_the_newest_release() {
    let told = text(&rocpkg(&["--version"]).stdout);
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(
        told,
        format!("rocpkg {version} (newest release modelled 10.2.0)\n")
    );
}

#[test]
fn each_code_has_a_page() {
    for code in rocpkg::internal::model::codes() {
        let run = rocpkg(&["explain", code.code]);
        let page = text(&run.stdout);
        assert!(
            page.starts_with(&format!("{}: {}\n", code.code, code.meaning)),
            "{page}"
        );
        assert!(page.ends_with(&format!("\nFix: {}\n", code.mend)), "{page}");
    }
    insta::assert_snapshot!("page", text(&rocpkg(&["explain", "e0202"]).stdout));
    let unknown = rocpkg(&["explain", "E0299"]);
    assert_eq!(unknown.status.code(), Some(2));
    insta::assert_snapshot!("page_of_no_code", text(&unknown.stderr));
}

#[test]
fn help_is_grouped_and_tells_the_exit_status() {
    let help = text(&rocpkg(&["render", "--help"]).stdout);
    let heads: Vec<&str> = help
        .lines()
        .filter(|l| !l.starts_with(' ') && l.ends_with(':'))
        .collect();
    let groups = [
        "What to render:",
        "Which versions:",
        "Which profiles:",
        "Where to write:",
        "What is allowed:",
    ];
    let all = [
        &["Arguments:", "Options:"],
        &groups[..],
        &["What is shown:"],
    ]
    .concat();
    assert_eq!(heads, all, "{help}");
    let help = text(&rocpkg(&["--help"]).stdout);
    assert!(help.contains(include_str!("../src/exit.txt")));
    for name in ["completions", "man"] {
        assert!(help.contains(&format!("\n  {name} ")), "{name}: {help}");
    }
}

#[test]
fn shells_complete_and_each_command_has_a_manual_page() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = rocpkg(&["completions", shell]);
        assert!(
            run.status.success() && text(&run.stdout).contains("allow-guesses"),
            "{shell}"
        );
    }
    assert!(text(&rocpkg(&["man"]).stdout).contains(".SH SUBCOMMANDS"));
    let dir = tempfile::tempdir().unwrap();
    let pages = dir.path().join("man");
    assert!(rocpkg(&["man", pages.to_str().unwrap()]).status.success());
    assert!(pages.join("rocpkg.1").is_file() && pages.join("rocpkg-plan-build.1").is_file());
}

#[test]
fn the_exit_status_is_0_1_or_2() {
    let dir = tempfile::tempdir().unwrap();
    let (out, none) = (dir.path().join("out"), dir.path().join("none"));
    let (out, none) = (out.to_str().unwrap(), none.to_str().unwrap());
    let over = dir.path().join("over/distros/gentoo");
    fs::create_dir_all(&over).unwrap();
    write_file(over.join("rocblas.yaml"), "sumary: x\n");
    let wrong = dir.path().join("over");
    let wrong = wrong.to_str().unwrap();
    for (status, arguments) in [
        (0, &["list"][..]),
        (0, &["check", "--distro", "arch"]),
        (
            0,
            &["render", "arch", "--package", "rocminfo", "--out", out],
        ),
        (
            0,
            &[
                "render",
                "arch",
                "--package",
                "rocminfo",
                "--out",
                out,
                "--check",
            ],
        ),
        (0, &["use", "rocblas"]),
        (
            1,
            &[
                "render",
                "arch",
                "--package",
                "rocblas",
                "--out",
                out,
                "--check",
            ],
        ),
        (1, &["check", "--distro", "gentoo", "--profiles", wrong]),
        (
            1,
            &["use", "hipblaslt", "--flag", "test", "--flag", "-benchmark"],
        ),
        (2, &["render", "gentoo", "--out", none, "--profiles", wrong]),
        (2, &["check", "--profiles", none]),
        (2, &["explain", "rocblass"]),
        (2, &["use", "rocblas", "--flag", "benchmrk"]),
        (2, &["use", "hipblaslt", "--targets", "gfx1030"]),
        (2, &["gpu", "gfx9oa"]),
        (2, &["man", "/dev/null/man"]),
        (2, &["rendr"]),
    ] {
        let run = rocpkg(arguments);
        assert_eq!(
            run.status.code(),
            Some(status),
            "{arguments:?}: {}",
            text(&run.stderr)
        );
    }
}
