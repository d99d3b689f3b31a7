//! Tests of a maintainer's checkout of Arch packages: counters continue by the history, manual
//! edits are kept, and each `.SRCINFO` is equal to makepkg's.

use rocpkg_test_support::{give_away, open_programs, printsrcinfo, unprivileged, write_file};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::{Command, Output};
use tempfile::TempDir;

/// A maintainer's git repository of packages.
struct Checkout {
    dir: TempDir,
}

impl Checkout {
    fn new() -> Self {
        let dir = TempDir::with_prefix("rocpkg-arch-").expect("a scratch folder");
        // The program is not copied by `fs::copy`: it can't be started while a child of another
        // thread has it open for writing.
        let mut copy = rocpkg_programs::command("cp");
        let copy = copy.args([env!("CARGO_BIN_EXE_rocpkg").as_ref(), dir.path()]);
        assert!(copy.status().expect("cp").success());
        open_programs(dir.path());
        let checkout = Self { dir };
        fs::create_dir(checkout.root()).expect("a folder");
        checkout.given();
        checkout.git(&["init", "--quiet"]);
        checkout
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("packages")
    }

    /// Gives the files that the test wrote to the maintainer's user.
    fn given(&self) {
        give_away(self.dir.path());
    }

    fn run(&self, command: &mut Command) -> Output {
        self.run_with(command, "programs")
    }

    /// Runs a command whose `PATH` is a folder of the scratch folder.
    fn run_with(&self, command: &mut Command, programs: &str) -> Output {
        let command = command
            .current_dir(self.root())
            .env("HOME", self.dir.path())
            .env("PATH", self.dir.path().join(programs));
        command.output().expect("a program that can be run")
    }

    fn git(&self, arguments: &[&str]) -> String {
        let own = [
            "-c",
            "user.name=Somebody",
            "-c",
            "user.email=somebody@example.org",
        ];
        let out = self.run(
            unprivileged(&rocpkg_programs::path("git"))
                .args(own)
                .args(arguments)
                .env("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z")
                .env("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
        );
        assert!(
            out.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        String::from_utf8(out.stdout).expect("text")
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&[
            "commit",
            "--quiet",
            "--allow-empty",
            "--message",
            "as it is",
        ]);
    }

    /// Returns the exit status and the output of `rocpkg render arch`.
    fn render(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = unprivileged(&self.dir.path().join("rocpkg"));
        let out = self.run(
            command
                .args(["render", "arch", "--into", "."])
                .args(arguments),
        );
        let text = [out.stdout, out.stderr].concat();
        (
            out.status.code().expect("an end"),
            String::from_utf8(text).expect("text"),
        )
    }

    /// Renders two packages at a release.
    fn render_two(&self, release: &str, more: &[&str]) -> (i32, String) {
        let two = [
            "--package",
            "rocrand",
            "--package",
            "hiprand",
            "--allow-guesses",
            "--allow-missing",
        ];
        self.render(&[&two[..], &["--release", release], more].concat())
    }

    /// Renders two packages at a release. The command must succeed, and each `.SRCINFO` must be
    /// makepkg's.
    fn rendered(&self, release: &str, more: &[&str]) -> String {
        let (status, said) = self.render_two(release, more);
        assert_eq!(status, 0, "{said}");
        self.srcinfo_is_makepkgs();
        said
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
    }

    /// Edits a PKGBUILD as a maintainer does, and writes its .SRCINFO.
    fn edit(&self, package: &str, edit: impl Fn(&str) -> String) {
        let folder = self.root().join(package);
        let text = self.read(&format!("{package}/PKGBUILD"));
        assert_ne!(edit(&text), text, "an edit");
        write_file(folder.join("PKGBUILD"), edit(&text));
        let info = printsrcinfo(&folder).unwrap_or_else(|e| panic!("{package}: {e}"));
        write_file(folder.join(".SRCINFO"), info);
        self.given();
        self.commit();
    }

    fn srcinfo_is_makepkgs(&self) {
        for package in ["rocrand", "hiprand"] {
            let real = printsrcinfo(&self.root().join(package))
                .unwrap_or_else(|e| panic!("{package}: {e}"));
            assert_eq!(self.read(&format!("{package}/.SRCINFO")), real, "{package}");
        }
    }

    fn status(&self) -> String {
        self.git(&["status", "--short"])
    }
}

/// Returns the line that sets a field.
fn line<'a>(text: &'a str, field: &str) -> &'a str {
    text.lines()
        .find(|l| l.starts_with(&format!("{field}=")))
        .unwrap_or_default()
}

/// Returns a PKGBUILD as `updpkgsums` leaves it: with the same checksums, in makepkg's layout.
fn updpkgsums(text: &str) -> String {
    let (head, rest) = text.split_once("sha256sums=(").expect("sums");
    let (sums, tail) = rest.split_once(")\n").expect("their end");
    let sums: Vec<String> = sums
        .split_whitespace()
        .map(|sum| format!("'{sum}'"))
        .collect();
    format!("{head}sha256sums=({})\n{tail}", sums.join("\n            "))
}

#[test]
fn what_history_and_hands_wrote_lives_through_a_bump() {
    let there = Checkout::new();
    there.rendered("7.2.3", &[]);
    there.commit();
    for n in 1..=10 {
        there.edit("rocrand", |text| {
            text.replace(&format!("pkgrel={n}\n"), &format!("pkgrel={}\n", n + 1))
        });
    }
    there.edit("rocrand", updpkgsums);
    // The history contains only changes of the counter: the next rendering continues it, whatever
    // the layout is.
    there.rendered("7.2.3", &[]);
    assert_eq!(line(&there.read("rocrand/PKGBUILD"), "pkgrel"), "pkgrel=11");
    there.commit();
    there.edit("rocrand", updpkgsums);
    there.edit("rocrand", |text| {
        text.replace("build() {\n", "build() {\n  # Hands wrote this.\n")
    });
    there.rendered("7.2.3", &[]);
    assert_eq!(there.status(), "", "nothing is new");

    there.rendered("7.2.4", &[]);
    let text = there.read("rocrand/PKGBUILD");
    assert!(
        text.contains("\npkgver=7.2.4\npkgrel=1\n") && text.contains("  # Hands wrote this.\n"),
        "{text}"
    );
    let changed = [
        "hiprand/.SRCINFO",
        "hiprand/PKGBUILD",
        "rocrand/.SRCINFO",
        "rocrand/PKGBUILD",
    ];
    assert_eq!(
        there.status(),
        changed.map(|path| format!(" M {path}\n")).concat()
    );
    there.commit();
    there.rendered("7.2.4", &[]);
    assert_eq!(there.status(), "", "the second run changes nothing");
    // The .SRCINFO is the same as that of a rendering without manual edits.
    let plain = Checkout::new();
    plain.rendered("7.2.4", &[]);
    let says = |of: &Checkout| {
        of.read("rocrand/.SRCINFO")
            .lines()
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(says(&plain), says(&there));
}

#[test]
fn dependents_count_one_more() {
    let there = Checkout::new();
    there.rendered("7.2.4", &[]);
    there.commit();
    let pkgrel =
        |package: &str| line(&there.read(&format!("{package}/PKGBUILD")), "pkgrel").to_owned();
    let said = there.rendered("7.2.4", &["--rebuild", "rocrand"]);
    assert!(
        said.starts_with("to be rebuilt in this order, because they contain code of rocrand (")
            && said.contains("): hiprand\n"),
        "{said}"
    );
    assert_eq!(
        (pkgrel("rocrand"), pkgrel("hiprand")),
        ("pkgrel=1".to_owned(), "pkgrel=2".to_owned())
    );
    there.commit();
    // The counter goes up in a recipe that was edited by hand, and nothing else in the recipe
    // changes.
    there.edit("hiprand", |text| {
        text.replace("build() {\n", "build() {\n  # Hands wrote this.\n")
    });
    there.rendered(
        "7.2.4",
        &["--rebuild", "rocrand", "--rebuild", "hip-runtime-amd"],
    );
    assert_eq!(
        (pkgrel("rocrand"), pkgrel("hiprand")),
        ("pkgrel=1".to_owned(), "pkgrel=3".to_owned())
    );
    assert_eq!(
        there.git(&["diff", "--numstat", "--", "hiprand/PKGBUILD"]),
        "1\t1\thiprand/PKGBUILD\n"
    );
    there.commit();
    there.rendered("7.2.4", &[]);
    assert_eq!(there.status(), "");
}

#[test]
fn what_cannot_be_read_is_said() {
    let there = Checkout::new();
    there.rendered("7.2.4", &[]);
    there.edit("rocrand", |text| {
        text.replace("pkgrel=1\n", "pkgrel=$((1 + 1))\n")
    });
    let own = [
        "--package",
        "rocrand",
        "--allow-guesses",
        "--release",
        "7.2.4",
    ];
    let (status, said) = there.render(&own);
    assert!(
        status == 0 && there.status().is_empty(),
        "nothing has to be counted: {said}"
    );
    let (status, said) = there.render(&[&own[..], &["--rebuild", "hip-runtime-amd"]].concat());
    assert!(
        status != 0 && said.contains("rocrand/PKGBUILD:7:1: pkgrel"),
        "{status} {said}"
    );
    assert_eq!(there.status(), "");
    let (status, said) = there.render(&["--rebuild", "rocrnd"]);
    assert!(
        status == 2 && said.contains("did you mean `rocrand`?"),
        "{said}"
    );
}

#[test]
fn one_packages_own_checkout() {
    let there = Checkout::new();
    there.rendered("7.2.3", &[]);
    // This is the layout of `pkgctl repo clone`: the files of one package in a repository of their
    // own, with files beside them.
    let root = there.root();
    fs::create_dir(root.join("LICENSES")).expect("a folder");
    for path in [".nvchecker.toml", "LICENSES/0BSD.txt"] {
        write_file(root.join(path), "theirs\n");
    }
    for name in ["PKGBUILD", ".SRCINFO"] {
        fs::rename(root.join("rocrand").join(name), root.join(name)).expect("a file that moves");
    }
    for folder in ["rocrand", "hiprand", ".git"] {
        fs::remove_dir_all(root.join(folder)).expect("a folder");
    }
    there.given();
    there.git(&["init", "--quiet"]);
    there.commit();
    let run = |more: &[&str]| {
        let (status, said) =
            there.render(&[&["--allow-guesses", "--allow-missing"], more].concat());
        assert_eq!(
            there.read(".SRCINFO"),
            printsrcinfo(&root).expect("a PKGBUILD"),
            "{said}"
        );
        (status, said, there.status())
    };
    // The maintainer's files stay, and files that the maintainer left out are not added.
    let (status, said, changed) = run(&["--release", "7.2.3"]);
    assert!(status == 0 && changed.is_empty(), "{changed}{said}");
    let (status, said, changed) = run(&["--release", "7.2.4"]);
    assert!(
        status == 0 && changed == " M .SRCINFO\n M PKGBUILD\n",
        "{changed}{said}"
    );
    assert!(
        there
            .read("PKGBUILD")
            .contains("\npkgver=7.2.4\npkgrel=1\n")
    );
}

/// Returns a checkout with one package, whose `url` is known only to bash.
fn open_url() -> Checkout {
    let there = Checkout::new();
    there.rendered("7.2.3", &[]);
    there.edit("rocrand", |text| {
        text.replace("\nurl=", "\n_a=$(uname)\nurl=$_a")
    });
    there
}

/// The arguments that move the package to the next release.
const MOVE: [&str; 5] = [
    "--package",
    "rocrand",
    "--allow-guesses",
    "--release",
    "7.2.4",
];

#[test]
fn makepkg_runs_only_if_it_is_allowed() {
    let there = open_url();
    let tools = there.dir.path().join("tools");
    fs::create_dir(&tools).expect("a folder");
    symlink(rocpkg_programs::path("git"), tools.join("git")).expect("a link");
    let info = there.read("rocrand/.SRCINFO");
    let render = |more: &[&str]| {
        let mut command = unprivileged(&there.dir.path().join("rocpkg"));
        command.args(["render", "arch", "--into", "."]).args(MOVE);
        let out = there.run_with(command.args(more), "tools");
        assert!(there.read("rocrand/PKGBUILD").contains("\npkgver=7.2.4\n"));
        let own = there.read("rocrand/.SRCINFO");
        there.git(&["checkout", "--quiet", "."]);
        let said = String::from_utf8([out.stdout, out.stderr].concat()).expect("text");
        (said, own)
    };
    let makepkg = |script: &str| {
        let text = format!("#!/bin/sh\n{script}\n");
        write_file(tools.join("makepkg"), text);
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(tools.join("makepkg"), mode).expect("a program");
    };
    let run = there.dir.path().join("run");
    makepkg(&format!("echo > {}", run.display()));
    let (said, own) = render(&[]);
    assert_eq!(own, info);
    let place = "rocrand/PKGBUILD:10:6: .SRCINFO is not updated: only bash can evaluate";
    assert!(
        said.contains(place) && said.contains("--run-makepkg"),
        "{said}"
    );
    assert!(!run.exists(), "nothing of a recipe runs");
    for (script, reason) in [
        ("exit 10", "makepkg does not run as root"),
        (
            "echo '==> ERROR: Cannot find the fakeroot binary.' >&2; exit 15",
            "makepkg failed: Cannot find the fakeroot binary.",
        ),
        ("echo hello", "no line of a .SRCINFO: `hello`"),
    ] {
        makepkg(script);
        let (said, own) = render(&["--run-makepkg"]);
        assert_eq!(own, info, "{script}");
        assert!(said.contains(reason), "{script}: {said}");
    }
    fs::remove_file(tools.join("makepkg")).expect("a file");
    let (said, own) = render(&["--run-makepkg"]);
    assert_eq!(own, info);
    assert!(said.contains("makepkg is not installed"), "{said}");
}

#[test]
fn makepkg_is_allowed_by_an_option_or_a_setting() {
    let there = open_url();
    let is_made = |status: i32, said: &str| {
        let own = there.read("rocrand/.SRCINFO");
        assert!(status == 0 && own.contains("\tpkgver = 7.2.4\n"), "{said}");
        there.srcinfo_is_makepkgs();
        there.git(&["checkout", "--quiet", "."]);
    };
    let (status, said) = there.render(&[&MOVE[..], &["--run-makepkg"]].concat());
    is_made(status, &said);
    let settings = "distribution = \"arch\"\nrun-makepkg = true\n";
    write_file(there.root().join("rocpkg.toml"), settings);
    there.given();
    let (status, said) = there.render(&MOVE);
    is_made(status, &said);
    // A program that prints between the lines of the file is refused.
    let text = format!("echo hello\n{}", there.read("rocrand/PKGBUILD"));
    write_file(there.root().join("rocrand/PKGBUILD"), text);
    there.given();
    there.commit();
    let info = there.read("rocrand/.SRCINFO");
    let (_, said) = there.render(&MOVE);
    assert!(said.contains("line 1 of makepkg's output"), "{said}");
    assert_eq!(there.read("rocrand/.SRCINFO"), info);
}

#[test]
fn a_pkgbuild_that_needs_no_bash_is_evaluated_without_makepkg() {
    let there = Checkout::new();
    there.rendered("7.2.3", &[]);
    there.edit("rocrand", |text| {
        text.replace("build() {\n", "build() {\n  # Hands wrote this.\n")
    });
    let tools = there.dir.path().join("tools");
    fs::create_dir(&tools).expect("a folder");
    let mut command = unprivileged(&there.dir.path().join("rocpkg"));
    command.args(["render", "arch", "--into", "."]).args(MOVE);
    let out = there.run_with(&mut command, "tools");
    assert_eq!(out.status.code(), Some(0));
    there.srcinfo_is_makepkgs();
    assert!(
        there
            .read("rocrand/.SRCINFO")
            .contains("\tpkgver = 7.2.4\n")
    );
}

#[test]
fn what_bash_cannot_run_is_not_written() {
    let there = Checkout::new();
    there.rendered("7.2.3", &[]);
    let path = there.root().join("rocrand/PKGBUILD");
    let plain = there.read("rocrand/PKGBUILD");
    for (text, place) in [
        (plain.replace('\n', "\r\n"), "rocrand/PKGBUILD:1:"),
        (format!("\u{feff}{plain}"), "rocrand/PKGBUILD:1:"),
        (
            plain.replacen("build() {", "build()\\ {", 1),
            "rocrand/PKGBUILD:",
        ),
        (format!("{plain}a;;b\n"), "rocrand/PKGBUILD:"),
    ] {
        write_file(&path, &text);
        there.given();
        there.commit();
        let (status, said) = there.render(&MOVE);
        assert!(status != 0 && said.contains(place), "{status} {said}");
        assert_eq!(there.read("rocrand/PKGBUILD"), text);
        assert_eq!(there.status(), "", "{said}");
    }
}
