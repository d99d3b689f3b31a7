//! Reads source trees: a folder, or a commit of a git repository, which needs no work tree.
//!
//! Of a repository, only objects and the history are read. No hook, filter, prompt or transport is
//! used, and the missing files of a partial clone are not fetched.

use crate::file_of;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use walkdir::{DirEntry, WalkDir};

/// The reason why a tree can't be read.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    /// A file or folder that the system can't read.
    #[error("{}: {}", .0.display(), .1)]
    Refused(PathBuf, io::Error),
    /// A name of no tag, branch or commit in the repository.
    #[error("{}: no tag, branch or commit is called `{}`", .0.display(), .1)]
    Unknown(PathBuf, String),
    /// A failure of git, with its message.
    #[error("{}: git: {}", .0.display(), .1)]
    Git(PathBuf, String),
    /// A file of a tree that has more bytes than are read. The path of the tree, that of the file
    /// in it, and the limit in bytes.
    #[error("{}: {} has more than {} bytes, the most that are read of a file", .0.display(), .1, .2)]
    Large(PathBuf, String, u64),
}

/// The most bytes that are read of a file. GitHub, which has upstream's repositories, refuses larger
/// files (its documentation, "About large files").
const MOST_BYTES: u64 = 100 << 20;

/// A git repository on this machine.
#[derive(Clone, Debug)]
pub struct Repository(PathBuf);

/// A source tree, or a folder of a source tree.
#[derive(Clone, Debug)]
pub struct Tree {
    root: Root,
    /// The path of the folder, with a slash at its end; empty for the whole tree.
    prefix: String,
    /// The files by path. In a repository, the values are the ids of their objects.
    files: Arc<BTreeMap<String, String>>,
    /// The commits of submodules, by path. Only repositories have them.
    pins: Arc<BTreeMap<String, String>>,
}

#[derive(Clone, Debug)]
enum Root {
    Folder(PathBuf),
    Git(Repository),
}

impl Repository {
    /// Returns the repository in a folder, bare or with a work tree. Returns `None` if the folder
    /// contains no repository.
    pub fn at(folder: &Path) -> Option<Self> {
        let is = folder.join(".git").exists()
            || folder.join("HEAD").is_file() && folder.join("objects").is_dir();
        is.then(|| Self(folder.to_owned()))
    }

    /// Returns the id of the commit that `revision` refers to: a tag, a branch or a commit's id.
    /// Returns `None` if it refers to no commit.
    ///
    /// # Errors
    /// When git can't be run.
    pub fn commit(&self, revision: &str) -> Result<Option<String>, TreeError> {
        let name = format!("{revision}^{{commit}}");
        let (is_there, said) = self.ask(&[
            "rev-parse",
            "--verify",
            "--quiet",
            "--end-of-options",
            &name,
        ])?;
        Ok(is_there.then(|| String::from_utf8_lossy(&said).trim().to_owned()))
    }

    /// Returns true if `commit` is in the history of `revision`.
    ///
    /// # Errors
    /// When git can't be run.
    pub fn holds(&self, revision: &str, commit: &str) -> Result<bool, TreeError> {
        Ok(self
            .ask(&["merge-base", "--is-ancestor", commit, revision])?
            .0)
    }

    /// Returns true if a commit between `commit` and `revision` says that it reverts `commit`.
    ///
    /// # Errors
    /// When git can't be run.
    pub fn reverts(&self, revision: &str, commit: &str) -> Result<bool, TreeError> {
        let id = self.commit(commit)?.unwrap_or_else(|| commit.to_owned());
        let said = format!("--grep=This reverts commit {}", id.get(..10).unwrap_or(&id));
        let range = format!("{id}..{revision}");
        let asked = [
            "log",
            "--fixed-strings",
            "--max-count=1",
            "--format=%H",
            &said,
            &range,
        ];
        let (worked, found) = self.ask(&asked)?;
        Ok(!worked || !found.is_empty())
    }

    /// Returns the changes of a commit, as a patch.
    ///
    /// # Errors
    /// When git can't be run, or does not find the commit.
    pub fn patch(&self, commit: &str) -> Result<Vec<u8>, TreeError> {
        let flags = [
            "--no-commit-id",
            "--no-ext-diff",
            "--no-textconv",
            "--no-renames",
            "--root",
        ];
        let (worked, said) = self.ask(&[&["diff-tree", "-p"], &flags[..], &[commit]].concat())?;
        if worked {
            Ok(said)
        } else {
            Err(TreeError::Unknown(self.0.clone(), commit.to_owned()))
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a repository is git's")]
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        for name in [
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
            "GIT_PREFIX",
            "GIT_OBJECT_DIRECTORY",
        ] {
            command.env_remove(name);
        }
        for (name, value) in [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("LC_ALL", "C"),
        ] {
            command.env(name, value);
        }
        command
            .arg("-C")
            .arg(&self.0)
            .args(["--no-replace-objects", "-c", "core.fsmonitor=false"]);
        command.args([
            "-c",
            "protocol.allow=never",
            "-c",
            "core.hooksPath=/dev/null",
        ]);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs git with these arguments. Returns true if git succeeds, and its standard output.
    fn ask(&self, arguments: &[&str]) -> Result<(bool, Vec<u8>), TreeError> {
        let said = self
            .command()
            .args(arguments)
            .output()
            .map_err(|e| self.refused(&e))?;
        let text = String::from_utf8_lossy(&said.stderr);
        // If git refuses the repository, its exit status does not answer the question.
        if text.contains("not a git repository") || text.contains("dubious ownership") {
            return Err(TreeError::Git(self.0.clone(), text.trim().to_owned()));
        }
        Ok((said.status.success(), said.stdout))
    }

    fn refused(&self, error: &io::Error) -> TreeError {
        TreeError::Git(self.0.clone(), error.to_string())
    }

    /// Returns the contents of objects, in the order of `files`: the path of each file, and the id
    /// of its object.
    ///
    /// # Errors
    /// When an object is missing, or has more than `most` bytes.
    fn objects(&self, files: &[(&str, &str)], most: u64) -> Result<Vec<Vec<u8>>, TreeError> {
        let asked: String = files.iter().map(|(_, id)| format!("{id}\n")).collect();
        let mut git = self.command();
        git.args(["cat-file", "--batch"]).stderr(Stdio::null());
        let no = |e| self.refused(&e);
        let mut git = git
            .stdin(file_of(asked.as_bytes()).map_err(no)?)
            .spawn()
            .map_err(no)?;
        let out = git.stdout.take().map(BufReader::new);
        let mut out = out.ok_or_else(|| no(io::Error::other("it has no output")))?;
        let all = files
            .iter()
            .map(|(path, id)| match object(&mut out, id, most) {
                Ok(Some(bytes)) => Ok(bytes),
                Ok(None) => Err(TreeError::Large(self.0.clone(), (*path).to_owned(), most)),
                Err(_) => Err(no(io::Error::other(format!("object {id} is missing")))),
            });
        let all = all.collect();
        // If an object is too large, git is still writing it.
        drop(out);
        git.wait().map_err(no)?;
        all
    }
}

/// Reads an object from the output of `git cat-file --batch`: a line `ID TYPE SIZE`, the object and
/// a line break. Returns `None` if the object has more than `most` bytes.
///
/// # Errors
/// When the object is missing.
fn object(out: &mut impl BufRead, id: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut head = String::new();
    out.read_line(&mut head)?;
    let size = head
        .trim_end()
        .rsplit(' ')
        .next()
        .and_then(|size| size.parse().ok());
    let size: u64 = size
        .filter(|_| head.starts_with(id))
        .ok_or(io::ErrorKind::NotFound)?;
    if size > most {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    out.take(size + 1).read_to_end(&mut bytes)?;
    let is_whole = bytes.len() as u64 == size + 1;
    bytes.pop();
    is_whole
        .then_some(Some(bytes))
        .ok_or(io::ErrorKind::UnexpectedEof.into())
}

impl Tree {
    /// Reads the paths in a folder and its folders. Symbolic links are skipped, and so are git
    /// repositories in folders below it.
    ///
    /// # Errors
    /// When the system can't read a folder.
    pub fn folder(folder: &Path) -> Result<Self, TreeError> {
        let is_own = |entry: &DirEntry| {
            let is_inside = entry.depth() > 0 && entry.file_type().is_dir();
            !is_inside || entry.file_name() != ".git" && !entry.path().join(".git").exists()
        };
        let mut files = BTreeMap::new();
        for entry in WalkDir::new(folder).into_iter().filter_entry(is_own) {
            let entry = entry.map_err(|e| {
                let place = e.path().unwrap_or(folder).to_owned();
                TreeError::Refused(place, e.into())
            })?;
            let path = entry
                .path()
                .strip_prefix(folder)
                .ok()
                .and_then(Path::to_str);
            files.extend(
                path.filter(|_| entry.file_type().is_file())
                    .map(|path| (path.to_owned(), String::new())),
            );
        }
        Ok(Self::new(
            Root::Folder(folder.to_owned()),
            files,
            BTreeMap::new(),
        ))
    }

    /// Reads the paths in a commit of a repository. `revision` is a tag, a branch or the id of the
    /// commit.
    ///
    /// # Errors
    /// When git can't be run, or does not find the commit.
    pub fn commit(repository: &Repository, revision: &str) -> Result<Self, TreeError> {
        let commit = repository.commit(revision)?;
        let commit =
            commit.ok_or_else(|| TreeError::Unknown(repository.0.clone(), revision.to_owned()))?;
        let (_, said) = repository.ask(&["ls-tree", "-r", "-z", "--full-tree", &commit])?;
        let (mut files, mut pins) = (BTreeMap::new(), BTreeMap::new());
        for row in said.split(|b| *b == 0) {
            let row = String::from_utf8_lossy(row);
            let Some((head, path)) = row.split_once('\t') else {
                continue;
            };
            match *head.split(' ').collect::<Vec<_>>() {
                ["100644" | "100755", _, id] => drop(files.insert(path.to_owned(), id.to_owned())),
                ["160000", _, id] => drop(pins.insert(path.to_owned(), id.to_owned())),
                _ => {}
            }
        }
        Ok(Self::new(Root::Git(repository.clone()), files, pins))
    }

    fn new(root: Root, files: BTreeMap<String, String>, pins: BTreeMap<String, String>) -> Self {
        Self {
            root,
            prefix: String::new(),
            files: Arc::new(files),
            pins: Arc::new(pins),
        }
    }

    /// Returns the part of the tree that is below `folder`, or `None` if no file is.
    pub fn inside(&self, folder: &str) -> Option<Self> {
        let folder = folder.trim_matches('/');
        let slash = if folder.is_empty() { "" } else { "/" };
        let tree = Self {
            prefix: format!("{}{folder}{slash}", self.prefix),
            ..self.clone()
        };
        tree.paths().next()?;
        Some(tree)
    }

    /// Returns the paths of the files, relative to the folder of this tree.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let below = self
            .files
            .range(self.prefix.clone()..)
            .map(|(path, _)| path.as_str());
        below.map_while(|path| path.strip_prefix(self.prefix.as_str()))
    }

    /// Returns the submodules of a git repository, each as its path and its commit. Other folders
    /// have none.
    pub fn pins(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pins
            .iter()
            .filter_map(|(path, id)| Some((path.strip_prefix(self.prefix.as_str())?, id.as_str())))
    }

    /// Returns true if the tree has a file at `path`, which is relative to the folder of this tree.
    pub fn is_file(&self, path: &str) -> bool {
        self.files.contains_key(&format!("{}{path}", self.prefix))
    }

    /// Returns the contents of the files at `paths`, in the order of `paths`.
    ///
    /// # Errors
    /// When a file can't be read, or has more than 100 MiB.
    pub fn read(&self, paths: &[&str]) -> Result<Vec<Vec<u8>>, TreeError> {
        let whole: Vec<String> = paths
            .iter()
            .map(|path| format!("{}{path}", self.prefix))
            .collect();
        match &self.root {
            Root::Folder(folder) => {
                let read = |path: &String| {
                    let at = folder.join(path);
                    let mut bytes = Vec::new();
                    let file = File::open(&at).map(|file| file.take(MOST_BYTES + 1));
                    match file.and_then(|mut file| file.read_to_end(&mut bytes)) {
                        Ok(read) if read as u64 <= MOST_BYTES => Ok(bytes),
                        Ok(_) => Err(TreeError::Large(folder.clone(), path.clone(), MOST_BYTES)),
                        Err(e) => Err(TreeError::Refused(at, e)),
                    }
                };
                whole.iter().map(read).collect()
            }
            Root::Git(repository) => {
                let id = |path: &String| self.files.get(path).map_or("none", String::as_str);
                let files: Vec<_> = whole.iter().map(|path| (path.as_str(), id(path))).collect();
                repository.objects(&files, MOST_BYTES)
            }
        }
    }
}
