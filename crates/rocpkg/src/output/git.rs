//! What git is asked: what a file was when it was rendered last, whether one is committed, and to bring two changes together. No hook,
//! no filter and no command of a configuration takes part.

use crate::error::Error;
use rocpkg_render::git_id;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The repository that a folder lies in.
#[derive(Clone, Debug)]
pub(super) struct Git {
    folder: PathBuf,
    /// Git's own folder.
    own: PathBuf,
    /// Where the folder lies in the work tree, with a slash behind; empty at its top.
    prefix: String,
}

/// What became of two changes of one file.
pub(super) struct MergedText {
    pub(super) text: Vec<u8>,
    /// True when both change the same lines: they stand between git's markers.
    pub(super) conflicts: bool,
}

impl Git {
    /// The repository of a folder; none where there is none, or no git.
    ///
    /// # Errors
    /// When git refuses the repository.
    pub(super) fn of(folder: &Path) -> Result<Option<Self>, Error> {
        let Some(there) =
            folder.canonicalize().ok().filter(|f| f.ancestors().any(|f| f.join(".git").exists()))
        else {
            return Ok(None);
        };
        let mut git = Self { folder: there, own: PathBuf::new(), prefix: String::new() };
        let Ok(said) = git.run(&["rev-parse", "--absolute-git-dir", "--show-prefix"]) else {
            return Ok(None);
        };
        if !said.status.success() {
            return Err(refused(&said));
        }
        let text = String::from_utf8_lossy(&said.stdout);
        let mut lines = text.lines();
        git.own = PathBuf::from(lines.next().unwrap_or_default());
        lines.next().unwrap_or_default().clone_into(&mut git.prefix);
        Ok(Some(git))
    }

    /// Where the manifest of the folder stands among git's own files, so that it is no file of the work tree.
    pub(super) fn manifest(&self) -> PathBuf {
        let name = self.prefix.trim_end_matches('/').replace('/', "+");
        self.own.join("rocpkg").join(if name.is_empty() {
            "manifest".to_owned()
        } else {
            format!("manifest.{name}")
        })
    }

    /// The content of an id; none where git does not have it.
    pub(super) fn content(&self, id: &str) -> Option<Vec<u8>> {
        let said = self.run(&["cat-file", "blob", id]).ok()?;
        said.status.success().then_some(said.stdout)
    }

    /// True for a file that is committed as it lies there.
    pub(super) fn is_committed(&self, path: &str) -> bool {
        let quiet = |arguments: &[&str]| self.run(arguments).is_ok_and(|said| said.status.success());
        quiet(&["ls-files", "--error-unmatch", "--", path])
            && quiet(&["diff", "--quiet", "--no-ext-diff", "HEAD", "--", path])
    }

    /// Brings together what became of `base`: by hand, and by a new rendering.
    ///
    /// # Errors
    /// When the system refuses a file, or git the merge.
    pub(super) fn merge(&self, by_hand: &[u8], base: &[u8], rendered: &[u8]) -> Result<MergedText, Error> {
        let file = |bytes: &[u8]| -> std::io::Result<tempfile::NamedTempFile> {
            let mut file = tempfile::NamedTempFile::new()?;
            file.write_all(bytes)?;
            Ok(file)
        };
        let files = [file(by_hand), file(base), file(rendered)].into_iter().collect::<Result<Vec<_>, _>>();
        let files = files.map_err(|e| Error::Asked(format!("a temporary file can't be written: {e}")))?;
        let mut command = self.command();
        command.args(["merge-file", "-p", "-L", "by hand", "-L", "rendered before", "-L", "rendered"]);
        let said = command.args(files.iter().map(tempfile::NamedTempFile::path)).output();
        let said = said.map_err(|e| Error::Asked(format!("git can't be run: {e}")))?;
        // The status is the number of conflicts, and negative when something else is wrong.
        match said.status.code() {
            Some(n) if n < 128 => Ok(MergedText { text: said.stdout, conflicts: n > 0 }),
            _ => Err(refused(&said)),
        }
    }

    /// Gives git what was rendered, so that it is the base of a later merge: files as they were written, which last for weeks unless
    /// they are committed, and texts that no file holds, which are kept by a reference.
    ///
    /// # Errors
    /// When git can't be run, or refuses.
    pub(super) fn store<'p>(
        &self,
        paths: impl Iterator<Item = &'p String>,
        texts: &[String],
    ) -> Result<(), Error> {
        let paths: String = paths.map(|path| format!("{}\n", self.folder.join(path).display())).collect();
        let mut all = vec![(vec!["hash-object", "-w", "--no-filters", "--stdin-paths"], paths.into_bytes())];
        for text in texts {
            let update = format!("update refs/rocpkg/{0} {0}\n", git_id(text.as_bytes()));
            all.push((vec!["hash-object", "-w", "--no-filters", "--stdin"], text.clone().into_bytes()));
            all.push((vec!["update-ref", "--stdin"], update.into_bytes()));
        }
        for (arguments, input) in all {
            let failed = |e: std::io::Error| Error::Asked(format!("git can't be run: {e}"));
            let mut command = self.command();
            command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().map_err(failed)?;
            if let Some(mut stdin) = child.stdin.take() {
                stdin.write_all(&input).map_err(failed)?;
            }
            let said = child.wait_with_output().map_err(failed)?;
            if !said.status.success() {
                return Err(refused(&said));
            }
        }
        Ok(())
    }

    #[expect(clippy::disallowed_methods, reason = "a checkout is git's")]
    fn command(&self) -> Command {
        let mut command = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"] {
            command.env_remove(name);
        }
        command.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
        command.arg("-C").arg(&self.folder).args(["-c", "core.fsmonitor=false"]);
        command
    }

    fn run(&self, arguments: &[&str]) -> std::io::Result<Output> {
        self.command().args(arguments).output()
    }
}

fn refused(said: &Output) -> Error {
    Error::Asked(format!("git: {}", String::from_utf8_lossy(&said.stderr).trim()))
}
