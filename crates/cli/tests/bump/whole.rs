//! Tests the bump of the whole stack to a release of a stand-in for upstream, with its checksums.

use rocpkg_test_support::{commit, git, texts, write_file};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Instant;
use tempfile::TempDir;

const VERSION: &str = "10.0.0";

struct World {
    folder: TempDir,
}

impl World {
    /// Writes the shipped model without the checksums of the release, and makes upstream's
    /// repositories and files beside it.
    fn new() -> Self {
        let this = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let without = |text: &str| {
            let start = text.find(&format!("  \"{VERSION}\":\n"))?;
            let end = text[start..].find("    checksums:\n")?;
            Some(text[..start + end].to_owned())
        };
        for (path, text) in rocpkg::shipped::profiles() {
            let text = without(&text).unwrap_or(text);
            this.put(&format!("model/{path}"), &text);
        }
        this.upstream();
        this
    }

    fn put(&self, path: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(&path, text);
        path
    }

    /// Makes repositories with the tags and folders that the model names, and in `distdir` the
    /// files that upstream releases beside them. Commits in the model are replaced by those of the
    /// new repositories.
    fn upstream(&self) {
        let (mut tags, mut commits) = (BTreeMap::<String, BTreeSet<String>>::new(), Vec::new());
        for row in self.wanted(&["--release", VERSION]) {
            let (key, address) = (
                row["key"].as_str().unwrap(),
                row["address"].as_str().unwrap(),
            );
            let github = address
                .strip_prefix("https://github.com/")
                .unwrap_or_default();
            let words: Vec<&str> = github.trim_end_matches(".tar.gz").split('/').collect();
            let (owner, name, tag) = match words.as_slice() {
                [owner, name] => (owner, name, None),
                [owner, name, "archive", .., tag] => (owner, name, Some((*tag).to_owned())),
                _ => {
                    let stated = row["stated"].as_array().unwrap().iter();
                    for name in stated
                        .filter_map(|s| s["name"].as_str())
                        .filter(|name| !name.is_empty())
                    {
                        self.put(&format!("distdir/{name}"), address);
                    }
                    continue;
                }
            };
            let home = format!("upstream/{owner}/{}", name.trim_end_matches(".git"));
            let tree = key
                .split('?')
                .next()
                .unwrap()
                .split_once("/tree/")
                .map_or("", |(_, tree)| tree);
            for folder in tree.split('+') {
                self.put(
                    &format!("{home}/{folder}/CMakeLists.txt"),
                    &format!("project({name}) # {folder}\n"),
                );
            }
            let pin = address
                .trim_end_matches(".tar.gz")
                .split('/')
                .chain(key.split(['@', '/']))
                .find(|word| is_commit(word));
            commits.extend(pin.map(|pin| (home.clone(), pin.to_owned())));
            tags.entry(home).or_default().extend(tag);
        }
        for (home, tags) in &tags {
            let home = &self.folder.path().join(home);
            commit(home);
            let release = ["therock-10.0".to_owned()];
            for tag in tags
                .iter()
                .chain(&release)
                .filter(|tag| !is_commit(tag))
                .collect::<BTreeSet<_>>()
            {
                git(home, &["tag", tag]);
            }
            git(home, &["config", "uploadpack.allowFilter", "true"]);
            git(home, &["config", "uploadpack.allowAnySHA1InWant", "true"]);
        }
        for (path, text) in texts(&self.model(), &[]) {
            let mut now = text.clone();
            for (home, pin) in &commits {
                let head = git(&self.folder.path().join(home), &["rev-parse", "HEAD"]);
                now = now.replace(pin, head.trim());
            }
            if now != text {
                self.put(&format!("model/{path}"), &now);
            }
        }
    }

    fn model(&self) -> PathBuf {
        self.folder.path().join("model")
    }

    fn rocpkg(&self, args: &[&str]) -> Command {
        let mut command = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"));
        command.args(args).current_dir(self.folder.path());
        command
    }

    fn wanted(&self, args: &[&str]) -> Vec<Value> {
        let own = ["sums", "--json", "--no-builtin", "--profiles", "model"];
        let run = self.rocpkg(&[&own[..], args].concat()).output().unwrap();
        serde_json::from_slice(&run.stdout).unwrap_or_else(|_| panic!("{}", said(&run)))
    }

    fn bump(&self) -> Command {
        self.rocpkg(&["bump", VERSION, "--into", "model", "--sums", "sums.yaml"])
    }
}

fn is_commit(word: &str) -> bool {
    word.len() == 40 && word.bytes().all(|b| b.is_ascii_hexdigit())
}

fn said(run: &Output) -> String {
    [&run.stdout, &run.stderr]
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .concat()
}

fn files(folder: &Path) -> BTreeMap<String, String> {
    texts(folder, &["yaml"])
}

#[test]
fn one_bump_leaves_no_checksum_unknown_that_can_be_known() {
    let world = World::new();
    let mirror = format!(
        "file://{}/upstream/{{owner}}/{{repository}}",
        world.folder.path().display()
    );
    let own = [
        "sums",
        "--no-builtin",
        "--profiles",
        "model",
        "--release",
        VERSION,
    ];
    let how = ["--mirror", &mirror, "--from", "distdir", "--cache", "cache"];
    let run = world.rocpkg(&[&own[..], &how].concat()).output().unwrap();
    world.put("sums.yaml", &String::from_utf8_lossy(&run.stdout));

    // When a run is killed, each file has either its old or its new text.
    let before = files(&world.model());
    let begun = Instant::now();
    assert_eq!(
        world
            .bump()
            .arg("--dry-run")
            .output()
            .unwrap()
            .status
            .code(),
        Some(1)
    );
    let whole = begun.elapsed();
    let mut left = Vec::new();
    for part in 3..=6 {
        let mut child = world
            .bump()
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(whole * part / 6);
        child.kill().unwrap();
        child.wait().unwrap();
        left.push(files(&world.model()));
    }
    let run = world.bump().output().unwrap();
    assert_eq!(run.status.code(), Some(0), "{}", said(&run));
    let after = files(&world.model());
    for (path, text) in left.iter().flatten() {
        assert!(
            before.get(path) == Some(text) || after.get(path) == Some(text),
            "{path}"
        );
    }
    // The stand-in has no files that are fetched at other versions, and none that no recipe names:
    // an asset that Arch alone fetches.
    let can_be_known = |row: &&Value| {
        let mut stated = row["stated"].as_array().unwrap().iter();
        let is_named = stated.any(|s| s["name"] != "");
        let is_asset = row["key"].as_str().unwrap().contains("/asset/");
        (is_named || !is_asset) && row["version"].as_str().unwrap().starts_with("10.0")
    };
    let wanted = world.wanted(&[]);
    let unknown: Vec<String> = wanted
        .iter()
        .filter(can_be_known)
        .map(|row| row["key"].as_str().unwrap().to_owned())
        .collect();
    assert!(
        matches!(unknown.as_slice(), [one] if one.contains("?post-fetch=")),
        "{unknown:#?}"
    );
    let again = world.bump().output().unwrap();
    assert!(
        again.status.success() && files(&world.model()) == after,
        "{}",
        said(&again)
    );
}
