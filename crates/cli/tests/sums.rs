//! Tests of `rocpkg sums`: the files to fetch, and their checksums, which are computed, taken over
//! from files, and verified.

use rocpkg_test_support::{Server, TEXT, commit, git, write_file};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;
use tempfile::TempDir;

/// A folder with a small model, and with the repositories and files of upstream that the model
/// names.
struct World {
    folder: TempDir,
    server: Server,
}

impl World {
    fn new() -> Self {
        let this = Self {
            folder: tempfile::tempdir().unwrap(),
            server: Server::start(),
        };
        let package = |title: &str, sources: &str| {
            format!(
                "title: {title}\nsummary: A small library\nhomepage: https://example.org/x\nlicence: [MIT]\n\
                 cmake: {{main: {{}}}}\nsources:\n  main: {sources}\n"
            )
        };
        let file = format!(
            "{{url: \"{}/whole\", fetch: file, folder: x}}",
            this.server.home
        );
        let distro = |naming: &str, fetch: &str, packages: &str| {
            format!(
                "version: 7.2.0\nnaming: {naming}\nfetch: {fetch}\npackages: {{{packages}}}\n\
                 licences: {{MIT: MIT}}\nmaintainers: [{{name: A Maintainer, email: a@example.org}}]\n"
            )
        };
        let targets = "targets: [{releases: \"*\", default: [gfx942], offered: []}]\n";
        let files = [
            ("components/mover.yaml", package("Mover", "{repository: Mover}")),
            ("components/filed.yaml", package("Filed", &file) + "version: \"1\"\n"),
            ("components/scripted.yaml", package("Scripted", "{repository: Mover}")),
            (
                "distros/gentoo.yaml",
                distro("title", "archive", "mover: default") + "year: \"2026\"\n" + targets,
            ),
            (
                "distros/arch.yaml",
                distro("component", "git", "mover: default, filed: default") + "targets: []\n",
            ),
            (
                "distros/nixpkgs.yaml",
                distro("component", "tree", "mover: default, scripted: default")
                    + targets
                    + "settings: {team: rocm}\n",
            ),
            ("distros/nixpkgs/mover.yaml", "sources: {main: {sparse: [projects/a]}}\n".into()),
            ("distros/nixpkgs/scripted.yaml", "sources: {main: {post-fetch: \"rm -r $out/b\"}}\n".into()),
            ("externals.yaml", "cmake: {gentoo: dev-build/cmake, arch: cmake, nixpkgs: cmake}\n".into()),
            ("upstream.yaml", "owner: ROCm\n".into()),
            ("releases/7.2.yaml", "tag: rocm-${version}\nllvm: \"22\"\nversions: {7.2.0: {}}\n".into()),
            (
                "targets.yaml",
                "processors:\n  gfx942: {family: CDNA3, kind: dGPU, llvm: \"17\", products: [MI300X]}\n"
                    .into(),
            ),
        ];
        for (path, text) in files {
            this.put(&format!("model/{path}"), &text);
        }
        let upstream = this.put("ROCm/Mover/projects/a/CMakeLists.txt", "project(mover)\n");
        let home = upstream.ancestors().nth(3).unwrap();
        this.put("ROCm/Mover/projects/b/other", "other\n");
        commit(home);
        git(home, &["tag", "rocm-7.2.0"]);
        git(home, &["config", "uploadpack.allowFilter", "true"]);
        git(home, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
        this
    }

    fn put(&self, path: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(&path, text);
        path
    }

    fn run(&self, args: &[&str]) -> Output {
        rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
            .args(args)
            .args(["--no-builtin", "--profiles", "model"])
            .args(if self.folder.path().join("known").is_dir() {
                &["--profiles", "known"][..]
            } else {
                &[]
            })
            .current_dir(self.folder.path())
            .output()
            .unwrap()
    }

    /// Computes checksums from the repositories in the folder.
    fn compute(&self, args: &[&str]) -> Output {
        let mirror = format!(
            "file://{}/{{owner}}/{{repository}}",
            self.folder.path().display()
        );
        self.run(&[&["sums", "--mirror", &mirror], args].concat())
    }

    /// Writes the printed rows into the table of the release.
    fn know(&self, printed: &str) {
        self.put("known/releases/7.2.yaml", printed);
    }
}

fn out(run: &Output) -> String {
    String::from_utf8(run.stdout.clone()).unwrap()
}

fn err(run: &Output) -> String {
    String::from_utf8(run.stderr.clone()).unwrap()
}

fn keys(list: &Value) -> Vec<(&str, Vec<&str>)> {
    let each = list.as_array().unwrap().iter();
    each.map(|row| {
        let lacking = row["lacking"]
            .as_array()
            .unwrap()
            .iter()
            .map(|kind| kind.as_str().unwrap());
        (row["key"].as_str().unwrap(), lacking.collect())
    })
    .collect()
}

#[test]
fn what_must_be_fetched_is_listed() {
    let world = World::new();
    let run = world.run(&["sums", "--json"]);
    assert_eq!(run.status.code(), Some(1), "checksums are unknown");
    let list: Value = serde_json::from_slice(&run.stdout).unwrap();
    let file = world.server.at("whole");
    assert_eq!(
        keys(&list),
        [
            ("Mover/archive", vec!["blake2b", "sha512", "size"]),
            ("Mover/git", vec!["sha256"]),
            ("Mover/tree/projects/a", vec!["sri"]),
            ("Mover/tree?post-fetch=bc7ee6b4", vec!["sri"]),
            (file.as_str(), vec!["sha256"]),
        ]
    );
    let first = &list[0];
    assert_eq!(
        first["place"],
        "releases/7.2.yaml: versions: 7.2.0: checksums"
    );
    assert_eq!(
        first["address"],
        "https://github.com/ROCm/Mover/archive/refs/tags/rocm-7.2.0.tar.gz"
    );
    assert_eq!(first["stated"][0]["path"], "gentoo/sci-libs/Mover/Manifest");
    assert_eq!(first["stated"][0]["name"], "Mover-7.2.0.tar.gz");
    // The list can be limited to one package of one distribution.
    let list: Value = serde_json::from_slice(
        &world
            .run(&["sums", "nix", "--package", "scripted", "--json"])
            .stdout,
    )
    .unwrap();
    assert_eq!(
        keys(&list),
        [("Mover/tree?post-fetch=bc7ee6b4", vec!["sri"])]
    );
    let unknown = world.run(&["sums", "--package", "mver"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(
        err(&unknown).contains("no package is called `mver`; did you mean `Mover`?"),
        "{}",
        err(&unknown)
    );
}

#[test]
fn what_is_computed_fits_into_the_tables_and_is_verified() {
    let world = World::new();
    let run = world.compute(&[]);
    // One of the checksums is not computed.
    assert_eq!(run.status.code(), Some(1), "{}", err(&run));
    let script = "a script changes the source after the fetch, and rocpkg runs no scripts";
    assert!(
        err(&run).starts_with(&format!("warning: {script}")),
        "{}",
        err(&run)
    );
    let rows: Value = serde_json::from_slice(&world.compute(&["--json"]).stdout).unwrap();
    assert_eq!(rows["rows"].as_array().unwrap().len(), 4);
    assert_eq!(rows["rows"][0]["found"].as_object().unwrap().len(), 3);
    assert!(
        rows["unknown"][0]["why"]
            .as_str()
            .unwrap()
            .starts_with(script)
    );
    world.know(&out(&run));
    // The checksum of the source with a script stays unknown; it is never guessed.
    let left: Value = serde_json::from_slice(&world.run(&["sums", "--json"]).stdout).unwrap();
    assert_eq!(
        keys(&left),
        [("Mover/tree?post-fetch=bc7ee6b4", vec!["sri"])]
    );
    let again = world.compute(&["--verify"]);
    assert_eq!(again.status.code(), Some(0), "{}", err(&again));
    assert_eq!(
        out(&again),
        "6 checksums computed again, 0 differ, 0 could not be checked\n"
    );
    // The rows of two versions are printed as one document.
    git(
        &world.folder.path().join("ROCm/Mover"),
        &["tag", "rocm-7.2.1"],
    );
    world.know("tag: rocm-${version}\nversions: {7.2.0: {}, 7.2.1: {}}\n");
    let two = world.compute(&["gentoo", "--release", "7.2.0,7.2.1"]);
    assert_eq!(two.status.code(), Some(0), "{}", err(&two));
    let keys: Vec<_> = out(&two)
        .lines()
        .filter(|l| l.ends_with(':'))
        .map(str::to_owned)
        .collect();
    let [first, second] = ["  7.2.0:", "  7.2.1:"].map(str::to_owned);
    let row = ["    checksums:", "      Mover/archive:"].map(str::to_owned);
    assert_eq!(
        keys,
        [
            vec!["versions:".into(), first],
            row.to_vec(),
            vec![second],
            row.to_vec()
        ]
        .concat()
    );
    world.know(&out(&run));
    // Without an option that requests it, nothing is computed.
    let bare = world.run(&["sums", "--verify"]);
    assert_eq!((bare.status.code(), out(&bare).as_str()), (Some(2), ""));

    // A wrong checksum is reported by `--verify`, and also when another checksum of the same file
    // is computed.
    let git_sum = out(&run)
        .lines()
        .skip_while(|l| !l.contains("Mover/git"))
        .nth(1)
        .unwrap()
        .to_owned();
    let wrong = format!("        sha256: {}", "a".repeat(64));
    world.know(&out(&run).replace(&git_sum, &wrong));
    let wrong = world.compute(&["--verify"]);
    assert_eq!(wrong.status.code(), Some(1));
    assert!(
        out(&wrong).starts_with("sha256 of Mover/git at 7.2.0: the model states aaaa"),
        "{}",
        out(&wrong)
    );
    assert!(
        out(&wrong).ends_with("6 checksums computed again, 1 differ, 0 could not be checked\n")
    );
    let size = out(&run)
        .lines()
        .find(|l| l.contains("size: "))
        .unwrap()
        .to_owned();
    let half: String = out(&run)
        .lines()
        .filter(|l| !l.contains("sha512: "))
        .map(|l| format!("{l}\n"))
        .collect();
    world.know(&half.replace(&size, "        size: 7"));
    let wrong = world.compute(&[]);
    assert_eq!((wrong.status.code(), out(&wrong).as_str()), (Some(2), ""));
    assert!(
        err(&wrong)
            .contains("error: size of Mover/archive at 7.2.0: the model states 7, upstream has ")
    );
}

#[test]
fn what_fails_is_told_beside_what_was_computed() {
    let world = World::new();
    git(
        &world.folder.path().join("ROCm/Mover"),
        &["tag", "--delete", "rocm-7.2.0"],
    );
    let run = world.compute(&[]);
    assert_eq!(run.status.code(), Some(1));
    let file = world.server.at("whole");
    assert!(
        out(&run).contains(&file) && !out(&run).contains("Mover/"),
        "{}",
        out(&run)
    );
    let home = world.folder.path().display();
    let said =
        format!("error: file://{home}/ROCm/Mover: tag rocm-7.2.0 does not exist (Mover/archive)\n");
    assert!(err(&run).contains(&said), "{}", err(&run));
    // A server that redirects, and one that does not have the file.
    let component = world.folder.path().join("model/components/filed.yaml");
    let text = fs::read_to_string(&component).unwrap();
    for (path, said) in [
        (
            "outside",
            "not fetched, because the server redirects to https://example.org/x",
        ),
        ("nothing", "there is no such file"),
    ] {
        write_file(&component, text.replace("/whole", &format!("/{path}")));
        let run = world.run(&["sums", "arch", "--fetch", "--package", "filed"]);
        assert_eq!((run.status.code(), out(&run).as_str()), (Some(1), ""));
        let url = world.server.at(path);
        assert_eq!(err(&run), format!("error: {url}: {said} ({url})\n"));
    }
}

#[test]
fn what_is_not_asked_for_is_left_unknown() {
    let world = World::new();
    let component = world.folder.path().join("model/components/filed.yaml");
    let text = fs::read_to_string(&component).unwrap();
    write_file(
        &component,
        text.replace(&world.server.home, "http://example.org"),
    );
    let run = world.run(&["sums", "arch", "--fetch", "--package", "filed"]);
    let url = "http://example.org/whole";
    assert_eq!((run.status.code(), out(&run).as_str()), (Some(1), ""));
    assert_eq!(
        err(&run),
        format!("warning: {url}: not fetched, because it is not https: sha256 of {url}\n")
    );
    for mirror in [
        "ext::sh {repository}",
        "file:///srv/git/{owner}",
        "git@host:{repository}",
    ] {
        let run = world.run(&["sums", "--mirror", mirror]);
        assert_eq!(run.status.code(), Some(2));
        assert!(
            err(&run).contains("expected an address with `{repository}`"),
            "{}",
            err(&run)
        );
    }
}

#[test]
fn checksums_of_others_are_taken_over_by_what_they_are_of() {
    let world = World::new();
    let computed = world.compute(&[]);
    world.know(&out(&computed));
    let rendered = world.run(&["render", "--allow-missing", "--out", "rendered"]);
    assert_eq!(rendered.status.code(), Some(0), "{}", err(&rendered));
    fs::remove_dir_all(world.folder.path().join("known")).unwrap();
    let taken = |from: &[&str]| {
        let from: Vec<&str> = from.iter().flat_map(|path| ["--from", path]).collect();
        world.run(&[&["sums"], from.as_slice()].concat())
    };
    let run = taken(&["rendered"]);
    assert_eq!(
        (run.status.code(), out(&run)),
        (Some(1), out(&computed)),
        "{}",
        err(&run)
    );
    assert!(!err(&run).contains("by its name alone"), "{}", err(&run));
    // A .SRCINFO gives the same checksums as its PKGBUILD.
    let both = [
        taken(&["rendered/arch/mover/PKGBUILD"]),
        taken(&["rendered/arch/mover/.SRCINFO"]),
    ];
    assert_eq!(out(&both[0]), out(&both[1]));
    assert!(
        out(&both[0]).contains("Mover/git:") && !out(&both[0]).contains("archive"),
        "{}",
        out(&both[0])
    );

    // An archive of the same name from another address is not taken over.
    let ebuild = "rendered/gentoo/sci-libs/Mover/Mover-7.2.0.ebuild";
    let text = fs::read_to_string(world.folder.path().join(ebuild)).unwrap();
    world.put(ebuild, &text.replace("ROCm/Mover", "Other/Mover"));
    let other = taken(&["rendered/gentoo"]);
    assert!(!out(&other).contains("archive"), "{}", out(&other));
    assert!(
        err(&other)
            .contains("Mover-7.2.0.tar.gz of a Manifest is ignored, because its address differs"),
        "{}",
        err(&other)
    );
    // If no ebuild states the address, that is reported.
    fs::remove_file(world.folder.path().join(ebuild)).unwrap();
    let alone = taken(&["rendered/gentoo"]);
    assert!(out(&alone).contains("Mover/archive:") && err(&alone).contains("by its name alone"));
    // If files state two checksums of one archive, neither is taken over.
    let manifest = "rendered/gentoo/sci-libs/Mover/Manifest";
    let text = fs::read_to_string(world.folder.path().join(manifest)).unwrap();
    let other = |sum: &str| format!("{}SHA512 {sum}\n", text.split_once("SHA512 ").unwrap().0);
    world.put("other/Manifest", &other(&"0".repeat(128)));
    let disputed = taken(&["rendered/gentoo", "other"]);
    assert!(!out(&disputed).contains("archive"), "{}", out(&disputed));
    assert!(
        err(&disputed).contains("ignored, because files state different values of sha512"),
        "{}",
        err(&disputed)
    );
    world.put("other/Manifest", &other("zz"));
    let odd = taken(&["other"]);
    assert!(
        !out(&odd).contains("zz\n") && err(&odd).contains("ignored, because `zz` is not a sha512"),
        "{}",
        err(&odd)
    );
    // The placeholder of an unknown checksum is not taken over.
    let zeros = world.run(&["render", "arch", "nix", "--allow-missing", "--out", "zeros"]);
    assert_eq!(zeros.status.code(), Some(0));
    assert_eq!(out(&taken(&["zeros"])), "");
    // Archives in a folder are read, too.
    world.put("distfiles/Mover-7.2.0.tar.gz", TEXT);
    let files = taken(&["distfiles"]);
    assert!(
        out(&files).contains(&format!("size: {}\n", TEXT.len())),
        "{}",
        out(&files)
    );
    // A copy of a Manifest, a .SRCINFO or a file of Nix may have any name.
    world.put("copies/sums.txt", &text);
    let copied = taken(&["copies/sums.txt"]);
    assert!(out(&copied).contains("Mover/archive:"), "{}", err(&copied));
    for (path, copy) in [
        ("arch/mover/.SRCINFO", "info"),
        ("nix/mover/default.nix", "mover"),
    ] {
        let path = world.folder.path().join("rendered").join(path);
        let copy = format!("copies/{copy}");
        world.put(&copy, &fs::read_to_string(&path).unwrap());
        let both = [taken(&[path.to_str().unwrap()]), taken(&[&copy])];
        assert!(!out(&both[0]).is_empty());
        assert_eq!(out(&both[0]), out(&both[1]));
    }
    // A file of which nothing is taken is named.
    world.put("copies/notes", "no checksums\n");
    let none = taken(&["copies/sums.txt", "copies/notes"]);
    let said = "copies/notes: nothing is taken from it: ";
    assert_eq!(none.status.code(), Some(1));
    assert!(err(&none).contains(said), "{}", err(&none));
    assert!(!err(&none).contains("sums.txt: nothing"), "{}", err(&none));
    let missing = taken(&["nowhere"]);
    assert_eq!(missing.status.code(), Some(2));
}

#[test]
fn a_cache_is_gone_on_from() {
    let world = World::new();
    let component = world.folder.path().join("model/components/filed.yaml");
    let text = fs::read_to_string(&component).unwrap();
    write_file(&component, text.replace("/whole", "/half"));
    let run = world.run(&[
        "sums",
        "arch",
        "--fetch",
        "--package",
        "filed",
        "--cache",
        "cache",
    ]);
    assert_eq!(run.status.code(), Some(0), "{}", err(&run));
    assert_eq!(world.server.asked(), ["half", "half"]);
    let again = world.run(&[
        "sums",
        "arch",
        "--fetch",
        "--package",
        "filed",
        "--cache",
        "cache",
    ]);
    assert_eq!(out(&run), out(&again));
    assert!(world.server.asked().is_empty());
    assert!(Path::new(&world.folder.path().join("cache/files")).is_dir());
}

#[test]
fn nothing_of_the_users_git_and_of_a_repository_is_run() {
    let world = World::new();
    let home = world.folder.path().join("home");
    let mark = home.join("mark");
    let touch = format!("touch {}; cat", mark.display());
    let hook = world.put(
        "home/template/hooks/reference-transaction",
        &format!("#!/bin/sh\n{touch}\n"),
    );
    let mode = rocpkg_programs::command("chmod")
        .arg("+x")
        .arg(&hook)
        .status()
        .unwrap();
    assert!(mode.success());
    let hooks = hook.parent().unwrap().display();
    world.put(
        "home/.gitconfig",
        &format!(
            "[init]\n\ttemplateDir = {}\n[core]\n\thooksPath = {hooks}\n[credential]\n\thelper = \"!{touch}\"\n\
             [filter \"lfs\"]\n\tsmudge = \"{touch}\"\n\trequired = true\n[tar \"tar.gz\"]\n\tcommand = \"{touch}\"\n\
             [url \"file:///nowhere/\"]\n\tinsteadOf = file://{}\n",
            home.join("template").display(),
            world.folder.path().display()
        ),
    );
    let upstream = world.folder.path().join("ROCm/Mover");
    world.put("ROCm/Mover/.gitattributes", "*.bin filter=lfs -text\n");
    world.put(
        "ROCm/Mover/projects/a/data.bin",
        "version https://git-lfs.github.com/spec/v1\n",
    );
    commit(&upstream);
    git(&upstream, &["tag", "--force", "rocm-7.2.0"]);
    let mirror = format!(
        "file://{}/{{owner}}/{{repository}}",
        world.folder.path().display()
    );
    let args = [
        "sums",
        "--mirror",
        &mirror,
        "--no-builtin",
        "--profiles",
        "model",
    ];
    let run = |hostile: bool| {
        let mut command = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
        command.args(args).current_dir(world.folder.path());
        if hostile {
            command
                .env("HOME", &home)
                .env("GIT_CONFIG_PARAMETERS", "'core.fsmonitor'='touch mark'");
            command
                .env("GIT_DIR", &home)
                .env("GIT_EXEC_PATH", &home)
                .env("GIT_TEMPLATE_DIR", home.join("template"));
            command
                .env("GIT_SSH_COMMAND", "touch mark")
                .env("GZIP", "-1");
        }
        command.output().unwrap()
    };
    let (plain, hostile) = (run(false), run(true));
    assert_eq!(hostile.status.code(), Some(1), "{}", err(&hostile));
    assert_eq!(out(&plain), out(&hostile));
    assert!(out(&plain).contains("Mover/tree/projects/a:"));
    assert!(!mark.exists() && !world.folder.path().join("mark").exists());
}
