//! Tries the steps by which recipes change source trees before a build, and reports the steps that
//! no longer fit the trees.
//!
//! Each step is applied to files in memory, in the order of the recipe, so that a step finds the
//! results of earlier ones. Nothing of the tree is run. Scripts of sed are run by `sed --sandbox`,
//! which can't read or write other files.

mod patch;

use patch::Evidence;
pub use patch::{FilePatch, Misfit, Slack, read};

use crate::fed;
use crate::tree::{Repository, Tree, TreeError};
use globset::{GlobBuilder, GlobMatcher};
use regex::bytes::{NoExpand, Regex};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::process::Command;

/// The result of trying one step on the source trees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The patch applies as it is, or the text or file was found.
    Fits,
    /// The patch applies, but at other lines than it states, or with fuzz.
    Shifted(Slack),
    /// The patch is already applied: its reverse applies.
    Already,
    /// The picked commit is already in the history of the source.
    Contained,
    /// A hunk of the patch does not fit anywhere in this file. The second field names the hunk.
    Fails(String, Misfit),
    /// The text is in no file at some path of the step, or the script changes no file there. The
    /// field names the text or script, and the paths.
    NoText(String),
    /// The text was not found, and the recipe allows that.
    Allowed,
    /// A file was not found. The field is its path or pattern.
    NoFile(String),
    /// The step could not be tried, for this reason.
    Unknown(String),
}

/// A text in pieces. `None` stands for a piece that is not known before the build, such as
/// `${EPREFIX}`.
pub type Pieces = Vec<Option<String>>;

/// A step of a recipe that changes or needs files. The path of a file is the name of its source,
/// followed by the path in the source's tree: `main/cmake/a.cmake`.
#[derive(Clone, Debug)]
pub enum ProbeStep {
    /// A patch that is applied.
    Patch {
        /// The text of the patch.
        text: Vec<u8>,
        /// The number of parts that are removed from the beginning of each path in the patch, as by
        /// `patch -p`.
        strip: usize,
        /// The folder in which the patch is applied.
        folder: String,
        /// The folder to which the patch is restricted; empty for the whole patch. Files of the
        /// patch that are not below this folder are left out, and the folder is removed from the
        /// paths of the others.
        relative: String,
        /// The files and folders whose changes are left out of the patch.
        leaves: Vec<String>,
    },
    /// The replacement of a text in files.
    Replace {
        /// The files in which the text is replaced.
        files: Vec<String>,
        /// The text that is replaced. A piece that is not known matches any text within a line.
        from: Pieces,
        /// The replacement.
        to: String,
        /// Set if the recipe allows that the text is absent.
        may_be_absent: bool,
    },
    /// Scripts of sed that are run.
    Sed {
        /// The files that the scripts change.
        files: Vec<String>,
        /// The scripts. Each of them has to change something.
        scripts: Vec<String>,
    },
    /// Files that must exist.
    Needs {
        /// The paths of the files or folders, or patterns.
        files: Vec<String>,
        /// Set if the step removes the files, so that later steps don't find them.
        removes: bool,
    },
}

/// The new contents of changed files, by path. `None` is a file that was removed.
type Changed = BTreeMap<String, Option<Vec<u8>>>;

/// The source trees by the names of their sources, with the changes that the steps so far made in
/// memory.
#[derive(Debug)]
pub struct Files<'t> {
    trees: BTreeMap<String, &'t Tree>,
    changed: Changed,
}

impl Fate {
    /// Returns true if the recipe still works with this step unchanged.
    pub fn is_fine(&self) -> bool {
        matches!(
            self,
            Self::Fits | Self::Shifted(_) | Self::Contained | Self::Allowed
        )
    }

    /// Returns the name of the result in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Fits => "fits",
            Self::Shifted(_) => "shifted",
            Self::Already => "already-there",
            Self::Contained => "contained",
            Self::Fails(..) => "fails",
            Self::NoText(_) => "text-not-found",
            Self::Allowed => "absent-as-allowed",
            Self::NoFile(_) => "file-gone",
            Self::Unknown(_) => "not-asked",
        }
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fits => f.write_str("fits"),
            Self::Shifted(Slack { fuzz: 0, offset }) => {
                write!(f, "applies with an offset of {offset} lines")
            }
            Self::Shifted(Slack { fuzz, .. }) => {
                write!(f, "applies with fuzz {fuzz}, which git refuses")
            }
            Self::Already => f.write_str("is already applied"),
            Self::Contained => f.write_str("is already in the history"),
            Self::Fails(file, misfit) => write!(f, "{misfit} fails in {file}"),
            Self::NoText(what) => write!(f, "not found: {what}"),
            Self::Allowed => f.write_str("not found, which is allowed"),
            Self::NoFile(file) => write!(f, "file gone: {file}"),
            Self::Unknown(why) => write!(f, "not tried: {why}"),
        }
    }
}

impl<'t> Files<'t> {
    /// Makes the files of `trees`, which are given by the names of their sources. No step has
    /// changed them yet.
    pub fn new(trees: BTreeMap<String, &'t Tree>) -> Self {
        Self {
            trees,
            changed: BTreeMap::new(),
        }
    }

    /// Applies a step in memory, and returns the result. A patch that does not apply changes
    /// nothing.
    ///
    /// # Errors
    /// When a tree can't be read.
    pub fn take(&mut self, step: &ProbeStep) -> Result<Fate, TreeError> {
        match step {
            ProbeStep::Patch {
                text,
                strip,
                folder,
                relative,
                leaves,
            } => {
                let own = |path: Option<String>| stripped(path.as_ref(), *strip, relative);
                let mut files = read(text);
                let is_whole = files.iter().all(|f| f.from.is_some() || f.to.is_some());
                for file in &mut files {
                    (file.from, file.to) = (own(file.from.take()), own(file.to.take()));
                }
                files.retain(|file| {
                    let Some(path) = file.to.as_ref().or(file.from.as_ref()) else {
                        return false;
                    };
                    let below = |of: &String| {
                        let rest = path.strip_prefix(of.trim_end_matches('/'));
                        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                    };
                    !leaves.iter().any(below)
                });
                self.patch(&files, folder, is_whole)
            }
            ProbeStep::Replace {
                files,
                from,
                to,
                may_be_absent,
            } => {
                let literal = |piece: &Option<String>| {
                    piece.as_deref().map_or("[^\n]*?".to_owned(), regex::escape)
                };
                let shown: String = from.iter().map(|p| p.as_deref().unwrap_or("…")).collect();
                let pattern = format!("(?-u){}", from.iter().map(literal).collect::<String>());
                let Ok(pattern) = Regex::new(&pattern) else {
                    return Ok(Fate::Unknown(format!("`{shown}`")));
                };
                let changes = |text: &[u8]| {
                    let changed = pattern
                        .replace_all(text, NoExpand(to.as_bytes()))
                        .into_owned();
                    Ok(pattern.is_match(text).then_some(changed))
                };
                let fate = self.change(files, &format!("`{shown}`"), changes)?;
                Ok(if *may_be_absent && matches!(fate, Fate::NoText(_)) {
                    Fate::Allowed
                } else {
                    fate
                })
            }
            ProbeStep::Sed { files, scripts } => {
                for script in scripts {
                    let changes =
                        |text: &[u8]| sed(script, text).map(|out| Some(out).filter(|o| o != text));
                    let fate = self.change(files, &format!("`{script}`"), changes)?;
                    if fate != Fate::Fits {
                        return Ok(fate);
                    }
                }
                Ok(Fate::Fits)
            }
            ProbeStep::Needs { files, removes } => {
                for pattern in files {
                    let found = self.matching(pattern);
                    if found.is_empty() {
                        return Ok(Fate::NoFile(shown(pattern)));
                    }
                    self.changed.extend(
                        found
                            .into_iter()
                            .filter(|_| *removes)
                            .map(|path| (path, None)),
                    );
                }
                Ok(Fate::Fits)
            }
        }
    }

    /// Returns [`Fate::Contained`] if the picked commit `commit` is in the history of `revision`.
    /// Otherwise applies the changes of the commit to the tree of the source named `source`, and
    /// returns the result.
    ///
    /// # Errors
    /// When git can't be run, or a tree can't be read.
    pub fn pick(
        &mut self,
        git: &Repository,
        revision: &str,
        commit: &str,
        source: &str,
    ) -> Result<Fate, TreeError> {
        if git.commit(commit)?.is_none() {
            return Ok(Fate::Unknown(
                "the repository does not have the commit".to_owned(),
            ));
        }
        if git.holds(revision, commit)? {
            return Ok(Fate::Contained);
        }
        let (relative, leaves) = (String::new(), Vec::new());
        self.take(&ProbeStep::Patch {
            text: git.patch(commit)?,
            strip: 1,
            folder: source.to_owned(),
            relative,
            leaves,
        })
    }

    /// Changes files in memory. The function `how` gets the content of a file, and returns the new
    /// content, or `None` if it changes nothing. Each path in `files` must match a file, and `how`
    /// must change one of the files that match the path. `what` names the change in the result.
    fn change(
        &mut self,
        files: &[String],
        what: &str,
        how: impl Fn(&[u8]) -> Result<Option<Vec<u8>>, String>,
    ) -> Result<Fate, TreeError> {
        let (mut changed, mut lacking) = (BTreeMap::new(), Vec::new());
        for pattern in files {
            let found = self.matching(pattern);
            if found.is_empty() {
                return Ok(Fate::NoFile(shown(pattern)));
            }
            let before = changed.len();
            for path in found {
                match how(&self.get(&path)?.unwrap_or_default()) {
                    Ok(Some(text)) => drop(changed.insert(path, Some(text))),
                    Ok(None) => {}
                    Err(why) => return Ok(Fate::Unknown(why)),
                }
            }
            // It is enough if one of the files that match a pattern changes.
            if changed.len() == before {
                lacking.push(shown(pattern));
            }
        }
        self.changed.append(&mut changed);
        Ok(if lacking.is_empty() {
            Fate::Fits
        } else {
            Fate::NoText(format!("{what} in {}", lacking.join(", ")))
        })
    }

    /// Applies a patch. `is_whole` is set if `files` are all of its files.
    fn patch(
        &mut self,
        files: &[FilePatch],
        folder: &str,
        is_whole: bool,
    ) -> Result<Fate, TreeError> {
        if files.is_empty() {
            return Ok(Fate::Unknown("the patch names no file".to_owned()));
        }
        if files.iter().any(|file| file.is_other) {
            return Ok(Fate::Unknown("the patch contains a binary file".to_owned()));
        }
        let (fate, changed) = self.attempt(&self.chosen(files, folder), folder)?;
        if fate.is_fine() {
            self.changed.extend(changed);
            return Ok(fate);
        }
        let is_there = is_whole && self.is_applied(files, folder)?;
        Ok(if is_there { Fate::Already } else { fate })
    }

    /// Returns the changes of a patch with the paths of the files in `folder` that they are made
    /// in.
    fn chosen(&self, files: &[FilePatch], folder: &str) -> Vec<FilePatch> {
        let mut files = files.to_vec();
        for file in &mut files {
            file.choose(|path| self.is_file(&join(folder, path)));
        }
        files
    }

    /// Returns true if the unchanged trees have all changes of a patch. Earlier steps don't count,
    /// since one of them may have been another form of the patch.
    fn is_applied(&self, files: &[FilePatch], folder: &str) -> Result<bool, TreeError> {
        let trees = Self::new(self.trees.clone());
        let mut is_found = false;
        for file in &trees.chosen(files, folder) {
            let get = |path: &Option<String>| {
                let path = path.as_ref().map(|path| join(folder, path));
                path.map_or(Ok(None), |path| trees.get(&path))
            };
            let is_moved = file.from.is_some() && file.to.is_some() && file.from != file.to;
            if is_moved && get(&file.from)?.is_some() {
                return Ok(false);
            }
            let path = if file.to.is_some() {
                &file.to
            } else {
                &file.from
            };
            match file.evidence(get(path)?.as_deref()) {
                Evidence::Applied => is_found = true,
                Evidence::Absent => {}
                Evidence::None => return Ok(false),
            }
        }
        Ok(is_found)
    }

    /// Applies a patch to files in `folder` without keeping the changes. Returns the result and the
    /// changed files.
    fn attempt(&self, files: &[FilePatch], folder: &str) -> Result<(Fate, Changed), TreeError> {
        let mut out = Changed::new();
        let mut slack = Slack::default();
        for file in files {
            let whole = |path: &Option<String>| Some(join(folder, path.as_ref()?));
            let (from, to) = (whole(&file.from), whole(&file.to));
            let get = |path: &String| out.get(path).cloned().map_or_else(|| self.get(path), Ok);
            let text = if let Some(path) = &from {
                let Some(text) = get(path)? else {
                    return Ok((Fate::NoFile(shown(path)), out));
                };
                text
            } else {
                if let Some(path) = &to
                    && get(path)?.is_some()
                {
                    return Ok((Fate::Fails(shown(path), Misfit(1, 1)), out));
                }
                Vec::new()
            };
            match file.apply(&text) {
                Ok((_, own)) if to.is_none() && own.fuzz == 0 => {
                    drop(from.map(|path| out.insert(path, None)));
                }
                Ok((text, own)) => {
                    slack = Slack {
                        fuzz: slack.fuzz.max(own.fuzz),
                        offset: slack.offset.max(own.offset),
                    };
                    out.extend(
                        from.filter(|from| to.as_ref() != Some(from))
                            .map(|path| (path, None)),
                    );
                    out.extend(to.map(|path| (path, Some(text))));
                }
                Err(misfit) => {
                    let path = from.or(to).as_deref().map(shown).unwrap_or_default();
                    return Ok((Fate::Fails(path, misfit), out));
                }
            }
        }
        Ok((
            if slack == Slack::default() {
                Fate::Fits
            } else {
                Fate::Shifted(slack)
            },
            out,
        ))
    }

    /// Returns true if a file exists after the steps so far.
    fn is_file(&self, path: &str) -> bool {
        if let Some(changed) = self.changed.get(path) {
            return changed.is_some();
        }
        let (name, inner) = path.split_once('/').unwrap_or((path, ""));
        let tree = self.trees.get(name);
        tree.is_some_and(|tree| tree.is_file(inner))
    }

    /// Returns the content of a file after the steps so far, or `None` if the file does not exist.
    fn get(&self, path: &str) -> Result<Option<Vec<u8>>, TreeError> {
        if let Some(changed) = self.changed.get(path) {
            return Ok(changed.clone());
        }
        let (name, inner) = path.split_once('/').unwrap_or((path, ""));
        match self.trees.get(name).filter(|tree| tree.is_file(inner)) {
            Some(tree) => Ok(tree.read(&[inner])?.pop()),
            None => Ok(None),
        }
    }

    /// Returns the paths of all files that match `pattern`: the path of a file, a folder, or a
    /// pattern of the shell.
    fn matching(&self, pattern: &str) -> BTreeSet<String> {
        let (name, inner) = pattern.split_once('/').unwrap_or((pattern, ""));
        if !self.changed.contains_key(pattern)
            && self.trees.get(name).is_some_and(|tree| tree.is_file(inner))
        {
            return [pattern.to_owned()].into();
        }
        let is = glob(pattern);
        let own = self
            .trees
            .get(name)
            .into_iter()
            .flat_map(|tree| tree.paths())
            .map(|path| format!("{name}/{path}"));
        let own = own.filter(|path| !self.changed.contains_key(path));
        let left = self
            .changed
            .iter()
            .filter(|(_, content)| content.is_some())
            .map(|(path, _)| path.clone());
        own.chain(left)
            .filter(|path| is.as_ref().is_some_and(|is| is.is_match(path)))
            .collect()
    }
}

/// Returns a path without the name of its source: `main/cmake/a.cmake` gives `cmake/a.cmake`.
fn shown(path: &str) -> String {
    path.split_once('/')
        .map_or(path, |(_, rest)| rest)
        .to_owned()
}

/// Joins a folder and a path, and resolves `.` and `..` in them: `a/b` and `../c` give `a/c`.
pub fn join(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns a path of a patch without its first `strip` parts, and then without the folder
/// `relative`. Returns `None` if the path has fewer parts, or is not below that folder.
fn stripped(path: Option<&String>, strip: usize, relative: &str) -> Option<String> {
    let parts: Vec<&str> = path?.split('/').collect();
    let path = parts.get(strip..)?.join("/");
    if relative.is_empty() {
        Some(path)
    } else {
        Some(path.strip_prefix(relative)?.strip_prefix('/')?.to_owned())
    }
}

/// Compiles a pattern of the shell for paths. The path of a folder matches all files below the
/// folder. Returns `None` if the pattern is not valid.
fn glob(pattern: &str) -> Option<GlobMatcher> {
    let whole = format!("{}{{,/**}}", pattern.trim_end_matches('/'));
    let glob = GlobBuilder::new(&whole)
        .literal_separator(true)
        .empty_alternates(true)
        .build()
        .ok()?;
    Some(glob.compile_matcher())
}

/// Runs a script of sed on a text, and returns the changed text.
#[expect(
    clippy::disallowed_methods,
    reason = "what sed does with a script, sed alone knows"
)]
fn sed(script: &str, text: &[u8]) -> Result<Vec<u8>, String> {
    let mut command = Command::new("sed");
    command
        .arg("--sandbox")
        .arg("-e")
        .arg(script)
        .env("LC_ALL", "C");
    let said = fed(&mut command, text).map_err(|e| format!("sed can't be run: {e}"))?;
    if said.status.success() {
        Ok(said.stdout)
    } else {
        Err(String::from_utf8_lossy(&said.stderr).trim().to_owned())
    }
}
