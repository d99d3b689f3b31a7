//! Runs the system's git on repositories in the cache: without hooks, filters and prompts, with no
//! configuration but the one in this file, and with no protocol but that of the repository's
//! address.

use crate::failure::Failure;
use crate::fetch::{Bounds, Cache};
use crate::file_of;
use crate::sums::Reference;
use indicatif::ProgressBar;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File};
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

/// The time between two looks at a git that fetches.
const PAUSE: Duration = Duration::from_millis(5);

/// The environment variables that git inherits: search paths, proxies and certificates.
const KEPT: [&str; 14] = [
    "PATH",
    "TMPDIR",
    "http_proxy",
    "https_proxy",
    "HTTPS_PROXY",
    "all_proxy",
    "ALL_PROXY",
    "no_proxy",
    "NO_PROXY",
    "GIT_SSL_CAINFO",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "LD_LIBRARY_PATH",
];

const SETTINGS: [&str; 14] = [
    "core.hooksPath=/dev/null",
    "core.attributesFile=/dev/null",
    "core.fsmonitor=false",
    "core.autocrlf=false",
    "core.eol=lf",
    "credential.helper=",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.followRedirects=false",
    // A transfer of less than 100 bytes per second for a minute counts as broken off.
    "http.lowSpeedLimit=100",
    "http.lowSpeedTime=60",
    "protocol.ext.allow=never",
    "submodule.recurse=false",
    // GitHub has always made its archives with this umask, and git's default may change.
    "tar.umask=0002",
];

/// The attributes in `.gitattributes` that take effect when files are written to an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exported {
    /// All attributes, as in the archives of GitHub.
    AsArchive,
    /// The attributes that affect a checkout: those for line endings, but neither export-ignore nor
    /// export-subst.
    AsCheckout,
}

pub(crate) struct Repository<'c> {
    cache: &'c Cache,
    folder: PathBuf,
    url: String,
    bounds: Bounds,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// `blob`, `tree`, or `commit` for a submodule.
    pub(crate) kind: String,
    pub(crate) id: String,
    pub(crate) path: String,
}

/// A running `git archive`.
pub(crate) struct Running {
    child: Child,
    said: File,
}

impl<'c> Repository<'c> {
    /// Opens the repository in the cache for the address `url`, or makes an empty one. Nothing is
    /// fetched yet.
    pub(crate) fn open(cache: &'c Cache, url: &str, bounds: Bounds) -> Result<Self, Failure> {
        let this = Self {
            cache,
            folder: cache.repository(url),
            url: url.to_owned(),
            bounds,
        };
        // No other run uses the cache, so each lock file was left by a git that was killed.
        for folder in [
            this.folder.clone(),
            this.folder.join("refs/tags"),
            this.folder.join("refs/rocpkg"),
        ] {
            for entry in fs::read_dir(folder)
                .into_iter()
                .flatten()
                .flatten()
                .map(|entry| entry.path())
            {
                if entry.extension().is_some_and(|e| e == "lock") {
                    fs::remove_file(&entry).map_err(Failure::file(&entry))?;
                }
            }
        }
        this.run(&["init", "--quiet", "--bare", "--template="], None)?;
        this.run(&["config", "remote.origin.url", url], None)?;
        this.forget_promise();
        Ok(this)
    }

    /// Removes the settings of a partial clone. With them, git would fetch missing files by itself,
    /// one by one or all of them.
    fn forget_promise(&self) {
        for key in ["remote.origin.promisor", "remote.origin.partialclonefilter"] {
            // The command fails if the setting does not exist.
            let _ = self.run(&["config", "--unset-all", key], None);
        }
    }

    /// Runs `git fetch` with these arguments, in a repository that may have only some files of its
    /// commits. `input` is git's standard input.
    fn fetch_with(&self, arguments: &[&str], input: Option<&str>) -> Result<(), Failure> {
        let mut all = vec![
            "-c",
            "remote.origin.promisor=true",
            "-c",
            "remote.origin.partialclonefilter=blob:none",
        ];
        all.extend([
            "-c",
            "fetch.negotiationAlgorithm=noop",
            "fetch",
            "--quiet",
            "--no-tags",
            "--no-recurse-submodules",
        ]);
        all.extend(arguments);
        let bar = ProgressBar::new_spinner().with_message(format!("git fetch {}", self.url));
        bar.enable_steady_tick(Duration::from_millis(200));
        let result = self.run_in_time(&all, input);
        bar.finish_and_clear();
        self.forget_promise();
        result.map(|_| ())
    }

    fn command(&self) -> Command {
        #[expect(
            clippy::disallowed_methods,
            reason = "repositories are read by git; nothing that it fetches is run"
        )]
        let mut git = Command::new("git");
        git.env_clear().envs(
            KEPT.iter()
                .filter_map(|name| Some((*name, std::env::var_os(name)?))),
        );
        let protocol = self.url.split(':').next().unwrap_or_default();
        git.env("GIT_ALLOW_PROTOCOL", protocol)
            .env("HOME", self.cache.empty())
            .env("LC_ALL", "C");
        for (name, value) in [
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_ASKPASS", "false"),
            ("GIT_LITERAL_PATHSPECS", "1"),
        ] {
            git.env(name, value);
        }
        git.arg("--git-dir")
            .arg(&self.folder)
            .args(SETTINGS.iter().flat_map(|setting| ["-c", setting]));
        git.current_dir(self.cache.empty()).stdin(Stdio::null());
        git
    }

    /// Returns the command that runs git with these arguments. `input` is git's standard input.
    fn with(&self, arguments: &[&str], input: Option<&str>) -> Result<Command, Failure> {
        let mut command = self.command();
        command.args(arguments);
        if let Some(input) = input {
            let file = file_of(input.as_bytes()).map_err(Failure::file(&self.folder))?;
            command.stdin(file);
        }
        Ok(command)
    }

    /// Runs git with these arguments, and returns its standard output. `input` is git's standard
    /// input.
    fn run(&self, arguments: &[&str], input: Option<&str>) -> Result<Vec<u8>, Failure> {
        let output = self.with(arguments, input)?.output().map_err(not_run)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        Err(self.failed(&String::from_utf8_lossy(&output.stderr)))
    }

    /// Runs git as [`Repository::run`] does, and ends it when the time of fetching is over.
    fn run_in_time(&self, arguments: &[&str], input: Option<&str>) -> Result<Vec<u8>, Failure> {
        let mut command = self.with(arguments, input)?;
        let (git, mut out) = Running::start(self.cache, &mut command)?;
        let read = thread::spawn(move || {
            let mut bytes = Vec::new();
            out.read_to_end(&mut bytes).map(|_| bytes)
        });
        while !read.is_finished() {
            if let Err(late) = self.bounds.check_time(&self.url) {
                git.stop();
                return Err(late);
            }
            thread::sleep(PAUSE);
        }
        let bytes = read.join().ok().and_then(Result::ok).unwrap_or_default();
        match git.waited() {
            Ok(()) => Ok(bytes),
            Err(said) => Err(self.failed(&said)),
        }
    }

    /// Makes a failure from `said`, git's standard error. The failure contains the lines with
    /// errors, joined to one line.
    pub(crate) fn failed(&self, said: &str) -> Failure {
        let url = self.url.clone();
        let lines = said
            .lines()
            .filter(|line| line.starts_with("fatal: ") || line.starts_with("error: "));
        let why: Vec<_> = lines
            .map(|line| line.split_once(": ").map_or(line, |(_, why)| why))
            .collect();
        let why = if why.is_empty() {
            said.trim().replace('\n', "; ")
        } else {
            why.join("; ")
        };
        Failure::Network { url, why }
    }

    /// Returns the names of the repository's tags, as the server has them now. `attempts` is the
    /// number of times that git is run if the network fails.
    pub(crate) fn tags(&self, attempts: u32) -> Result<Vec<String>, Failure> {
        let arguments = ["ls-remote", "--tags", "--refs", "--quiet", "origin"];
        let mut result = self.run_in_time(&arguments, None);
        for _ in 1..attempts {
            match &result {
                Err(Failure::Network { why, .. }) if !is_final(why) => {
                    result = self.run_in_time(&arguments, None);
                }
                _ => break,
            }
        }
        let said = String::from_utf8_lossy(&result?).into_owned();
        let name = |line: &str| Some(line.split_once("\trefs/tags/")?.1.to_owned());
        Ok(said.lines().filter_map(name).collect())
    }

    /// Fetches a tag or a commit, and returns the id of the commit. Fetches all files of the
    /// commit, or only its folders if `partial` is set. `attempts` is the number of times that git
    /// is run if the network fails.
    pub(crate) fn fetch(
        &self,
        reference: &Reference,
        partial: bool,
        attempts: u32,
    ) -> Result<String, Failure> {
        let (from, to) = match reference {
            Reference::Tag(tag) => (format!("refs/tags/{tag}"), format!("refs/tags/{tag}")),
            Reference::Commit(id) => (id.clone(), format!("refs/rocpkg/{id}")),
        };
        let commit = format!("{to}^{{commit}}");
        let name = ["rev-parse", "--quiet", "--verify", &commit];
        // A commit can't change, but a tag may have moved.
        let known = matches!(reference, Reference::Commit(_)) && self.run(&name, None).is_ok();
        let refspec = format!("+{from}:{to}");
        let filter = if partial {
            "--filter=blob:none"
        } else {
            "--no-filter"
        };
        let arguments = ["--depth=1", filter, "origin", &refspec];
        let mut result = if known {
            Ok(())
        } else {
            self.fetch_with(&arguments, None)
        };
        for attempt in 1..=attempts {
            match &result {
                // GitLab redirects to the address with `.git`, and git is run without following
                // redirects.
                Err(Failure::Network { why, .. })
                    if is_sent_on(why) && self.url.strip_suffix(".git").is_none() =>
                {
                    self.run(
                        &["config", "remote.origin.url", &format!("{}.git", self.url)],
                        None,
                    )?;
                    result = self.fetch_with(&arguments, None);
                    break;
                }
                Err(Failure::Network { why, .. }) if !is_final(why) && attempt < attempts => {
                    result = self.fetch_with(&arguments, None);
                }
                _ => break,
            }
        }
        result.map_err(|failure| match failure {
            Failure::Network { why, url } if is_missing(&why) => Failure::Missing {
                url,
                what: format!("{reference} does not exist"),
            },
            other => other,
        })?;
        let commit = self.run(&name, None)?;
        Ok(String::from_utf8_lossy(&commit).trim().to_owned())
    }

    /// Returns the entries of a commit's tree at `paths`, or all entries if `paths` is empty. If
    /// `deep` is set, a folder gives all files below it. Otherwise a folder gives one entry, the
    /// folder itself, and a path that ends in a slash gives the entries in that folder.
    pub(crate) fn entries(
        &self,
        commit: &str,
        paths: &[String],
        deep: bool,
    ) -> Result<Vec<Entry>, Failure> {
        let mut arguments = vec!["ls-tree", "-z", "--full-tree"];
        arguments.extend(deep.then_some("-r"));
        arguments.extend([commit, "--"]);
        arguments.extend(paths.iter().map(String::as_str));
        let listed = self.run(&arguments, None)?;
        let listed = String::from_utf8(listed).map_err(|_| {
            Failure::Unknown(format!(
                "{}: a file name in the tree is not UTF-8",
                self.url
            ))
        })?;
        let entry = |line: &str| {
            let (head, path) = line.split_once('\t')?;
            let mut words = head.split(' ').skip(1).map(str::to_owned);
            Some(Entry {
                kind: words.next()?,
                id: words.next()?,
                path: path.to_owned(),
            })
        };
        Ok(listed.split('\0').filter_map(entry).collect())
    }

    /// Fetches the files in `entries` that are not in the cache, with one request. Folders and
    /// submodules in `entries` are ignored.
    pub(crate) fn complete(&self, entries: &[Entry]) -> Result<(), Failure> {
        let files = entries.iter().filter(|entry| entry.kind == "blob");
        let all: BTreeSet<&str> = files.map(|entry| entry.id.as_str()).collect();
        let lines = |ids: &[&str]| ids.iter().map(|id| format!("{id}\n")).collect::<String>();
        let missing = || -> Result<Vec<&str>, Failure> {
            let asked: Vec<&str> = all.iter().copied().collect();
            let said = self.run(
                &["cat-file", "--batch-check=%(objectname)"],
                Some(&lines(&asked)),
            )?;
            let said = String::from_utf8_lossy(&said).into_owned();
            let lacks: BTreeSet<&str> = said
                .lines()
                .filter_map(|line| line.strip_suffix(" missing"))
                .collect();
            Ok(asked.into_iter().filter(|id| lacks.contains(id)).collect())
        };
        let lacks = missing()?;
        if lacks.is_empty() {
            return Ok(());
        }
        // The arguments with which git fetches the missing files of a partial clone.
        let arguments = [
            "--no-write-fetch-head",
            "--filter=blob:none",
            "--stdin",
            "origin",
        ];
        self.fetch_with(&arguments, Some(&lines(&lacks)))?;
        let lacks = missing()?.len();
        if lacks == 0 {
            return Ok(());
        }
        Err(Failure::Network {
            url: self.url.clone(),
            why: format!("{lacks} files are missing after the fetch"),
        })
    }

    /// Returns the bytes of a file. The file must be in the cache.
    pub(crate) fn blob(&self, entry: &Entry) -> Result<Vec<u8>, Failure> {
        self.run(&["cat-file", "blob", &entry.id], None)
    }

    /// Returns the address from which the repository is fetched.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Returns the settings of the submodules in the file `.gitmodules` of a commit, by the
    /// submodule's path. Each submodule has its settings by their names. The `url` is as it is
    /// written, and may be relative. `update` is the command that updates the submodule, such as
    /// `checkout`.
    pub(crate) fn modules(
        &self,
        commit: &str,
    ) -> Result<BTreeMap<String, BTreeMap<String, String>>, Failure> {
        let entries = self.entries(commit, &[".gitmodules".to_owned()], false)?;
        if !entries.iter().any(|entry| entry.kind == "blob") {
            return Ok(BTreeMap::new());
        }
        self.complete(&entries)?;
        let blob = format!("--blob={commit}:.gitmodules");
        let listed = self.run(&["config", &blob, "--list", "-z"], None)?;
        let listed = String::from_utf8_lossy(&listed).into_owned();
        let mut by_name: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for (key, value) in listed.split('\0').filter_map(|line| line.split_once('\n')) {
            if let Some((name, key)) = key
                .strip_prefix("submodule.")
                .and_then(|k| k.rsplit_once('.'))
            {
                by_name
                    .entry(name.to_owned())
                    .or_default()
                    .insert(key.to_owned(), value.to_owned());
            }
        }
        Ok(by_name
            .into_values()
            .filter_map(|of| Some((of.get("path")?.clone(), of)))
            .collect())
    }

    /// Returns the files in `entries` that have the attribute `export-subst` in a commit. Git
    /// replaces texts such as `$Format:%H$` in these files when it makes an archive.
    pub(crate) fn substituted(
        &self,
        commit: &str,
        entries: &[Entry],
    ) -> Result<Vec<Entry>, Failure> {
        let index = self.folder.join("index");
        self.run(&["read-tree", commit], None)?;
        let paths: String = entries
            .iter()
            .map(|entry| format!("{}\0", entry.path))
            .collect();
        let said = self.run(
            &["check-attr", "--cached", "--stdin", "-z", "export-subst"],
            Some(&paths),
        );
        let _ = fs::remove_file(index);
        let said = String::from_utf8_lossy(&said?).into_owned();
        let words: Vec<&str> = said.split('\0').collect();
        let set: BTreeSet<&str> = words
            .chunks(3)
            .filter(|row| row.get(2) == Some(&"set"))
            .map(|row| row[0])
            .collect();
        Ok(entries
            .iter()
            .filter(|entry| set.contains(entry.path.as_str()))
            .cloned()
            .collect())
    }

    /// Starts `git archive`, which writes files of a commit: all files, or those at `paths`.
    /// `format` is `tar` or `tar.gz`, and `prefix` is put before each path in the archive. Returns
    /// the running program and its output.
    pub(crate) fn archive(
        &self,
        commit: &str,
        exported: Exported,
        format: &str,
        prefix: &str,
        paths: &[String],
    ) -> Result<(Running, ChildStdout), Failure> {
        // Attributes in this file override those of the tree. makepkg (libmakepkg/source/git.sh)
        // uses the same file.
        let (folder, attributes) = (
            self.folder.join("info"),
            self.folder.join("info/attributes"),
        );
        fs::create_dir_all(&folder).map_err(Failure::file(&folder))?;
        let lines: &[u8] = if exported == Exported::AsCheckout {
            b"* -export-subst -export-ignore\n"
        } else {
            b""
        };
        let written = File::create(&attributes).and_then(|mut file| file.write_all(lines));
        written.map_err(Failure::file(&attributes))?;
        let mut command = self.command();
        command.args([
            "-c",
            "core.abbrev=no",
            "-c",
            "tar.tar.gz.command=gzip -cn",
            "archive",
        ]);
        command.args([
            format!("--format={format}"),
            format!("--prefix={prefix}"),
            commit.into(),
            "--".into(),
        ]);
        Running::start(self.cache, command.args(paths))
    }
}

/// Returns true if another attempt would fail in the same way. `why` is git's error.
fn is_final(why: &str) -> bool {
    let signs = [
        "not appear to be a git repository",
        "not found",
        "not allowed",
        "returned error: 4",
    ];
    is_missing(why) || is_sent_on(why) || signs.iter().any(|sign| why.contains(sign))
}

fn is_sent_on(why: &str) -> bool {
    why.contains("returned error: 30")
}

/// Returns true if git found the repository, but not the tag or commit. `why` is git's error.
fn is_missing(why: &str) -> bool {
    why.contains("couldn't find remote ref") || why.contains("not our ref")
}

impl Running {
    fn start(cache: &Cache, command: &mut Command) -> Result<(Self, ChildStdout), Failure> {
        let said = cache.scratch()?;
        let copy = said.try_clone().map_err(Failure::file(&cache.empty()))?;
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(copy)
            .spawn()
            .map_err(not_run)?;
        let no_output = || not_run("it has no output");
        let out = child.stdout.take().ok_or_else(no_output)?;
        Ok((Self { child, said }, out))
    }

    /// Waits until git ends, and returns an error if git failed. The caller must have read git's
    /// output to the end before.
    pub(crate) fn end(self) -> Result<(), Failure> {
        let failed = |why: String| Failure::Program(format!("git archive failed: {}", why.trim()));
        self.waited().map_err(failed)
    }

    /// Waits until git ends. Returns git's standard error if git failed.
    fn waited(mut self) -> Result<(), String> {
        if self.child.wait().is_ok_and(|status| status.success()) {
            return Ok(());
        }
        let mut why = String::new();
        let _ = self
            .said
            .rewind()
            .and_then(|()| self.said.read_to_string(&mut why));
        Err(why)
    }

    fn stop(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn not_run(why: impl fmt::Display) -> Failure {
    Failure::Program(format!("git can't be run: {why}"))
}
