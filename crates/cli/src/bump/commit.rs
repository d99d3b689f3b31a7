//! Commits the files that a bump wrote, by git. Nothing is pushed.

use super::uncommitted::Decisions;
use crate::args::CommitMode;
use crate::error::Error;
use crate::system::git;
use rocpkg::Backend;
use rocpkg::checkout::{BumpReport, BumpRequest, RecipeReport, Todo, TodoKind, Written};
use rocpkg::internal::resolve::Release;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// The file with the settings of a checkout.
const SETTINGS: &str = "rocpkg.toml";

/// The mode of a submodule in git's index.
const SUBMODULE: &str = "160000";

pub(super) struct CheckoutRepository {
    folder: PathBuf,
    /// The folder of profiles to which the bump is written, relative to the checkout, with a slash
    /// at its end. `None` if it is outside of the checkout.
    layer: Option<String>,
    head: String,
    /// The paths with changes that are not committed, relative to the checkout.
    changed: BTreeSet<String>,
    /// The paths that git ignores, relative to the checkout. A path that ends with a slash is a
    /// folder with all of its files, here and below.
    ignored: BTreeSet<String>,
    /// The folders that are git repositories themselves, relative to the checkout.
    inner: BTreeSet<String>,
    /// The folders whose files can't be written before the settings are committed, which would name
    /// the folder.
    unnamed: BTreeSet<String>,
    /// The paths that git tracks, relative to the checkout.
    tracked: BTreeSet<String>,
    /// The tracked paths whose edits git hides, relative to the checkout, with the flag by which it
    /// does.
    hidden: BTreeMap<String, &'static str>,
    root: PathBuf,
    /// The path of the checkout from the root, with a slash at its end, or an empty text.
    prefix: String,
    /// The paths in the whole repository with changes that are not committed, relative to its root.
    changed_in_root: BTreeSet<String>,
}

/// The result of [`CheckoutRepository::commit`].
#[derive(Default)]
pub(super) struct Committed {
    pub(super) messages: Vec<String>,
    /// A line about a bump that wrote files and committed none.
    note: String,
    /// The lines of an error, if a commit failed. Then no commit stays.
    pub(super) failure: Option<String>,
}

impl Committed {
    /// Returns a line for each commit, and a line if nothing was committed.
    pub(super) fn text(&self) -> String {
        let made = self.messages.iter();
        let made = made.map(|message| format!("committed: {message}\n"));
        self.note.clone() + &made.collect::<String>()
    }

    /// Returns the line about what was not committed.
    pub(super) fn left(&self) -> &str {
        &self.note
    }
}

/// A commit to make: its message, and its paths relative to the checkout.
struct PlannedCommit {
    message: String,
    paths: Vec<String>,
}

/// The result of [`CheckoutRepository::planned`].
struct PlannedCommits {
    commits: Vec<PlannedCommit>,
    /// As in [`Committed::note`].
    note: String,
}

impl CheckoutRepository {
    /// Opens the repository of the checkout in `folder`. `layer` is the folder of profiles to which
    /// the bump is written, and `names_layer` is set if the settings have to name it then.
    ///
    /// # Errors
    /// When the folder is not in a git repository, or the repository has no commit, is within a
    /// merge, a rebase or the like, or has no name for the author of commits.
    pub(super) fn of(folder: &Path, layer: &Path, names_layer: bool) -> Result<Self, Error> {
        if git(folder, &["rev-parse", "--git-dir"]).is_err() {
            let said = "--commit needs one git repository around the packages, and this folder is in none; where each package is a repository of its own, run it in each clone";
            return Err(Error::file(folder, said));
        }
        let Ok(head) = git(folder, &["rev-parse", "--quiet", "--verify", "HEAD"]) else {
            let said =
                "--commit: the branch has no commit yet; commit the recipes as they are first";
            return Err(Error::file(folder, said));
        };
        // Git keeps these while it waits for the user to go on.
        let begun = [
            ("MERGE_HEAD", "a merge"),
            ("CHERRY_PICK_HEAD", "a cherry-pick"),
            ("REVERT_HEAD", "a revert"),
            ("rebase-merge", "a rebase"),
            ("rebase-apply", "a rebase or `git am`"),
            ("BISECT_LOG", "a bisection"),
        ];
        let exists = |name: &str| {
            let path = git(folder, &["rev-parse", "--git-path", name]);
            path.is_ok_and(|path| folder.join(path.trim_end_matches('\n')).exists())
        };
        if let Some((name, what)) = begun.into_iter().find(|(name, _)| exists(name)) {
            let said = format!("--commit: git has begun {what} here ({name}); finish it first");
            return Err(Error::file(folder, said));
        }
        let is_unknown = |who: &&str| git(folder, &["var", who]).is_err();
        if ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"]
            .iter()
            .any(is_unknown)
        {
            let said = "--commit: git does not know who commits; set `git config user.name` and `git config user.email`";
            return Err(Error::file(folder, said));
        }
        let line = |question| -> Result<String, Error> {
            let said = git(folder, &["rev-parse", question])?;
            Ok(said.trim_end_matches('\n').to_owned())
        };
        let (prefix, root) = (line("--show-prefix")?, line("--show-toplevel")?);
        let below = |path: &str| path.strip_prefix(&prefix).map(str::to_owned);
        let status = [
            "status",
            "--porcelain",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignored=matching",
        ];
        let status = git(folder, &status)?;
        let (mut changed, mut ignored) = (BTreeSet::new(), BTreeSet::new());
        let (mut inner, mut tracked) = (BTreeSet::new(), BTreeSet::new());
        let mut changed_in_root = BTreeSet::new();
        // Each entry is two letters, a blank and the path from the root of the repository.
        for entry in status.split('\0') {
            let Some((kind, path)) = entry.split_at_checked(3) else {
                continue;
            };
            if kind == "!! " && path.ends_with('/') && prefix.starts_with(path) {
                let said = format!("--commit: git ignores this folder, by a rule for {path}");
                return Err(Error::file(folder, said));
            }
            let all = match kind {
                "!! " => &mut ignored,
                // Files are listed one by one, so only a repository is listed as a folder.
                _ if path.ends_with('/') => &mut inner,
                _ => {
                    changed_in_root.insert(path.to_owned());
                    &mut changed
                }
            };
            all.extend(below(path));
        }
        let mut hidden = BTreeMap::new();
        for entry in index(folder)? {
            if entry.is_submodule {
                inner.insert(format!("{}/", entry.path));
            }
            // Git has no edit of a file that a sparse checkout leaves out.
            if let Some(flag) = entry.flag.filter(|_| folder.join(&entry.path).exists()) {
                hidden.insert(entry.path.clone(), flag);
            }
            tracked.insert(entry.path);
        }
        let within = layer.strip_prefix(folder).ok();
        // A layer outside of the checkout may have changes of others.
        let within =
            within.filter(|layer| layer.components().all(|part| part != Component::ParentDir));
        let within = within.map(|layer| format!("{}/", layer.display()));
        let new = within.clone().filter(|_| !layer.exists());
        let is_ignored = |layer: &String| {
            let file = format!("{layer}releases/new.yaml");
            git(folder, &["check-ignore", "--quiet", "--", &file]).is_ok()
        };
        ignored.extend(new.filter(is_ignored));
        let is_unnamed = names_layer && changed.contains(SETTINGS);
        Ok(Self {
            folder: folder.to_owned(),
            unnamed: within.iter().filter(|_| is_unnamed).cloned().collect(),
            layer: within,
            head: head.trim().to_owned(),
            changed,
            ignored,
            inner,
            tracked,
            hidden,
            root: root.into(),
            prefix,
            changed_in_root,
        })
    }

    /// Returns the paths that the bump must not change, relative to the checkout: those with
    /// changes that were not committed before, and those that can't be committed.
    pub(super) fn protected(&self) -> BTreeSet<String> {
        let all = [&self.changed, &self.ignored, &self.inner, &self.unnamed];
        let all = all.into_iter().flatten();
        all.chain(self.hidden.keys()).cloned().collect()
    }

    /// Returns the error of a bump with the reason why a protected file can't be committed. Other
    /// errors stay as they are.
    pub(super) fn refused(&self, error: Error) -> Error {
        let Error::Library(rocpkg::Error::Protected(paths)) = &error else {
            return error;
        };
        let of = |all: &BTreeSet<String>| -> Vec<String> {
            let is_in = |path: &&String| {
                let mut all = all.iter();
                all.any(|own| path == &own || own.ends_with('/') && path.starts_with(own.as_str()))
            };
            paths.iter().filter(is_in).cloned().collect()
        };
        let (ignored, inner, unnamed) = (of(&self.ignored), of(&self.inner), of(&self.unnamed));
        let said = if let Some(path) = inner.first() {
            let folder = self
                .inner
                .iter()
                .find(|folder| path.starts_with(folder.as_str()));
            let folder = folder.map_or("", |folder| folder.trim_end_matches('/'));
            format!("{folder} is another git repository: run rocpkg in it, or without --commit")
        } else if !ignored.is_empty() {
            format!(
                "git ignores {}: change the rule that `git check-ignore --verbose` names, or run without --commit",
                ignored.join(", ")
            )
        } else if !unnamed.is_empty() {
            format!(
                "{SETTINGS} would name the new folder of profiles, and has uncommitted changes: commit it first"
            )
        } else if let Some((path, flag)) = paths.iter().find_map(|p| self.hidden.get_key_value(p)) {
            format!(
                "git hides edits of {path}, which has the flag {flag}: `git update-index --no-{flag} {}` removes it",
                quoted(path)
            )
        } else {
            return error;
        };
        Error::file(&self.folder, format!("nothing is written, because {said}"))
    }

    /// Returns the facts by which files are committed.
    fn decisions<'b>(
        &'b self,
        mode: CommitMode,
        report: &'b BumpReport,
        written: &'b Written,
    ) -> Decisions<'b> {
        Decisions {
            backend: report.checkout.backend(),
            mode,
            folder: &self.folder,
            report,
            written,
            changed: &self.changed,
            hidden: &self.hidden,
            tracked: &self.tracked,
        }
    }

    /// Returns all that keeps recipes from being committed, each with the index of its recipe in
    /// the report. Files of the layer that no commit takes along have a report of their own, which
    /// is the second value.
    pub(super) fn todos(
        &self,
        mode: CommitMode,
        request: &BumpRequest,
        report: &BumpReport,
        written: &Written,
    ) -> (Vec<(usize, Todo)>, Option<RecipeReport>) {
        let decisions = self.decisions(mode, report, written);
        let todos = decisions.todos();
        let mut after = report.recipes.clone();
        for (at, todo) in &todos {
            after[*at].add(todo.clone());
        }
        let planned = self.planned(&decisions, &request.version, &after);
        let is_of_layer = |path: &&String| {
            let layer = self.layer.as_ref();
            layer.is_some_and(|layer| path.starts_with(layer.as_str()))
        };
        let before = self.changed.iter().filter(is_of_layer).cloned();
        let alone = if planned.commits.is_empty() {
            self.profiles(report)
        } else {
            Vec::new()
        };
        let reasons = alone
            .into_iter()
            .map(|path| (path, "not committed, because no package is"))
            .chain(before.map(|path| {
                (
                    path,
                    "not committed, because it had changes before this run",
                )
            }));
        let mut layer: Option<RecipeReport> = None;
        for (path, reason) in reasons {
            let of_layer =
                layer.get_or_insert_with(|| RecipeReport::of_file(decisions.backend, &path));
            of_layer.add(Todo::new(path, TodoKind::Uncommitted, reason));
        }
        (todos, layer)
    }

    /// Commits the written files of recipes that are done, or of all recipes. Other changes in the
    /// repository stay as they are. If a commit fails, for example because it can't be signed, no
    /// commit of this run stays, and the written files do. The result then has the failure.
    pub(super) fn commit(
        &self,
        mode: CommitMode,
        request: &BumpRequest,
        report: &BumpReport,
        written: &Written,
    ) -> Committed {
        let decisions = self.decisions(mode, report, written);
        let planned = self.planned(&decisions, &request.version, &report.recipes);
        let (messages, failed) = self.make(&planned.commits);
        let files = written.report.written.iter().chain(&written.report.removed);
        let files = files.cloned().chain(self.profiles(report));
        let failure = failed.map(|lines| lines + &self.resume(files));
        Committed {
            messages,
            note: planned.note,
            failure,
        }
    }

    /// Makes the commits, and returns their messages. Returns the lines of an error if one of them
    /// fails; then no commit stays.
    fn make(&self, planned: &[PlannedCommit]) -> (Vec<String>, Option<String>) {
        let mut messages = Vec::new();
        // The files of the commits, and those that hooks added to them, relative to the root.
        let mut touched: BTreeSet<String> = BTreeSet::new();
        for commit in planned {
            let own = commit.paths.iter();
            touched.extend(own.map(|path| format!("{}{path}", self.prefix)));
            match self.commit_one(commit, &mut touched) {
                Ok(true) => messages.push(commit.message.clone()),
                // A hook added these files to the commit before.
                Ok(false) => {}
                Err(error) => {
                    let of = (commit, messages.len());
                    return (Vec::new(), Some(self.undone(&error, of, &touched)));
                }
            }
        }
        (messages, None)
    }

    /// Makes a commit, and adds the files that it contains to `touched`. Returns false if the files
    /// of the commit are as in HEAD already.
    fn commit_one(
        &self,
        commit: &PlannedCommit,
        touched: &mut BTreeSet<String>,
    ) -> Result<bool, Error> {
        let on_paths = |head: &[&str]| git(&self.folder, &with_paths(head, &commit.paths));
        on_paths(&["add", "--"])?;
        if on_paths(&["diff", "--cached", "--quiet", "HEAD", "--"]).is_ok() {
            return Ok(false);
        }
        let message = &commit.message;
        on_paths(&["commit", "--quiet", "--message", message, "--only", "--"])?;
        let listing = [
            "diff-tree",
            "--no-commit-id",
            "--name-only",
            "-r",
            "-z",
            "HEAD",
        ];
        let listed = git(&self.root, &listing)?;
        let listed = listed.split('\0').filter(|path| !path.is_empty());
        touched.extend(listed.map(str::to_owned));
        self.unstage(touched)?;
        Ok(true)
    }

    /// Sets the files in the index to HEAD. With `git commit --only`, a hook edits another index,
    /// so that the index still has the files as they were before the hook. Files with changes of
    /// others stay as they are.
    fn unstage(&self, paths: &BTreeSet<String>) -> Result<(), Error> {
        let own = paths.difference(&self.changed_in_root);
        git(&self.root, &with_paths(&["reset", "--quiet", "--"], own)).map(|_| ())
    }

    /// Takes back the commits before `commit`, whose number is `made`, because it failed with
    /// `error`. Returns the lines of the error. `touched` are the files of these commits, relative
    /// to the root.
    fn undone(
        &self,
        error: &Error,
        (commit, made): (&PlannedCommit, usize),
        touched: &BTreeSet<String>,
    ) -> String {
        let moved = git(&self.folder, &["reset", "--quiet", "--soft", &self.head]);
        let earlier = match (moved.and_then(|_| self.unstage(touched)), made) {
            (Err(why), _) => format!(
                "the commits before it could not be undone ({why}); `git reset --soft {}` does",
                self.head
            ),
            (Ok(()), 0) => "no commit was made before it".to_owned(),
            (Ok(()), 1) => "the commit before it was undone".to_owned(),
            (Ok(()), _) => format!("the {made} commits before it were undone"),
        };
        format!(
            "{error}\n  not committed: {}; {earlier}, and the edits of all packages are kept",
            commit.message,
        )
    }

    /// Returns the lines about the actions after a failed commit. `files` are the files that the
    /// bump wrote or removed, relative to the checkout.
    fn resume(&self, files: impl Iterator<Item = String>) -> String {
        let folder = quoted(&self.folder.display().to_string());
        let files: Vec<String> = files.map(|path| quoted(&path)).collect();
        let files = files.join(" ");
        format!(
            "\n  remove the cause, then commit the files by hand; or set them aside, and run again:\n  \
             git -C {folder} stash push --include-untracked -- {files}"
        )
    }

    /// Returns the commits to make, in their order: profiles, files of the whole distribution, then
    /// recipes by name. If there is no commit of a recipe, the profiles stay too. `recipes` are the
    /// reports on the recipes, with all that keeps them from being committed.
    fn planned(
        &self,
        decisions: &Decisions,
        version: &Release,
        recipes: &[RecipeReport],
    ) -> PlannedCommits {
        let written = decisions.written;
        let release = version.whole();
        let mut shared = Vec::new();
        let mut by_recipe: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for path in written.report.written.iter().chain(&written.report.removed) {
            match owner(path, recipes) {
                Some(at) => by_recipe.entry(at).or_default().push(path.clone()),
                None => shared.push(path.clone()),
            }
        }
        let may_commit = |at: usize| decisions.may_commit(&recipes[at]);
        let mut out = Vec::new();
        let mut note = String::new();
        if decisions.backend == Backend::Nix {
            // The scope refers to all packages, so it is committed as a whole or not at all.
            let open = (0..recipes.len()).filter(|at| !may_commit(*at)).count();
            let paths = [shared, by_recipe.into_values().flatten().collect()].concat();
            if paths.is_empty() {
                // Nothing was written.
            } else if open > 0 {
                note = format!(
                    "nothing was committed: the scope is committed as a whole, and {open} of {} recipes are not done; `--commit=all` commits it as it is\n",
                    recipes.len()
                );
            } else {
                let change = match from(version, recipes) {
                    Some(from) => format!("{from} -> {release}"),
                    None => format!("update to {release}"),
                };
                let message = format!("rocmPackages: {change}");
                out.push(PlannedCommit { message, paths });
            }
            shared = Vec::new();
            by_recipe = BTreeMap::new();
        }
        let has_recipes = !by_recipe.is_empty();
        let mut by_recipe: Vec<(usize, Vec<String>)> = by_recipe.into_iter().collect();
        by_recipe.sort_by_key(|(at, _)| recipes[*at].key());
        for (at, paths) in by_recipe.into_iter().filter(|(at, _)| may_commit(*at)) {
            let message = self.message(decisions.report, (&recipes[at], &release), &paths);
            out.push(PlannedCommit { message, paths });
        }
        if out.is_empty() && has_recipes {
            let hint = match decisions.mode {
                CommitMode::All => "",
                CommitMode::Done => {
                    "; `--commit=all` also commits recipes with something left to do"
                }
            };
            note = format!("no recipe was committed{hint}\n");
        }
        let first = if out.is_empty() {
            Vec::new()
        } else {
            self.profiles(decisions.report)
        };
        let shared = (format!("{}: {release}", folders(&shared)), shared);
        let first = [(format!("rocpkg: facts of {release}"), first), shared].into_iter();
        let first = first.filter(|(_, paths)| !paths.is_empty());
        let first = first.map(|(message, paths)| PlannedCommit { message, paths });
        PlannedCommits {
            commits: first.chain(out).collect(),
            note,
        }
    }

    /// Returns the files of the layer and the settings that the bump changed.
    fn profiles(&self, report: &BumpReport) -> Vec<String> {
        let Some(layer) = &self.layer else {
            return Vec::new();
        };
        let files = report.profiles.iter();
        let mut all: Vec<String> = files.map(|d| format!("{layer}{}", d.path)).collect();
        // Settings with changes of others are not this run's: it writes only settings without any.
        let is_own = self.tracked.contains(SETTINGS) && !self.changed.contains(SETTINGS);
        if !all.is_empty() && is_own {
            all.push(SETTINGS.to_owned());
        }
        all
    }

    /// Returns the message of a recipe's commit, in the form that its distribution uses.
    fn message(
        &self,
        bump: &BumpReport,
        (report, release): (&RecipeReport, &str),
        paths: &[String],
    ) -> String {
        let version = bump.versions.get(&report.package);
        let version = version.map_or(release, String::as_str);
        let name = &report.name;
        match report.backend {
            // <https://wiki.gentoo.org/wiki/Gentoo_git_workflow#Git_commit_message_format>
            Backend::Gentoo => {
                let home = report.recipe.rsplit_once('/');
                let home = home.map_or(name.as_str(), |(home, _)| home);
                let is_new =
                    |path: &String| path.ends_with(".ebuild") && !self.tracked.contains(path);
                let verb = if paths.iter().any(is_new) {
                    "add"
                } else {
                    "update"
                };
                format!("{home}: {verb} {version}")
            }
            Backend::Solus => format!("{name}: Update to v{version}"),
            Backend::Arch | Backend::Nix => format!("{name}: update to {version}"),
        }
    }
}

/// Returns the arguments `head`, followed by `paths` as pathspecs that contain no patterns. The
/// variable of git that turns patterns off would be set in hooks, too.
fn with_paths<'p>(head: &[&str], paths: impl IntoIterator<Item = &'p String>) -> Vec<String> {
    let head = head.iter().map(|&word| word.to_owned());
    let paths = paths.into_iter().map(|path| format!(":(literal){path}"));
    head.chain(paths).collect()
}

pub(super) struct IndexEntry {
    /// The path, relative to the folder in which git ran.
    pub(super) path: String,
    pub(super) is_submodule: bool,
    /// The flag that makes git ignore edits of the file: `assume-unchanged` or `skip-worktree`.
    pub(super) flag: Option<&'static str>,
}

/// Returns the files in git's index that are in a folder or below.
pub(super) fn index(folder: &Path) -> Result<Vec<IndexEntry>, Error> {
    let listed = git(folder, &["ls-files", "-z", "-v", "--stage"])?;
    // Each entry is a letter, a mode, an id and a stage, then a tab and the path.
    let entries = listed.split('\0').filter_map(|entry| {
        let (kind, path) = entry.split_once('\t')?;
        let (letter, mode) = kind.split_once(' ')?;
        let flag = match letter {
            "S" | "s" => Some("skip-worktree"),
            letter if letter.chars().all(char::is_lowercase) => Some("assume-unchanged"),
            _ => None,
        };
        Some(IndexEntry {
            path: path.to_owned(),
            is_submodule: mode.starts_with(SUBMODULE),
            flag,
        })
    });
    Ok(entries.collect())
}

/// Returns a path as a word of a shell.
fn quoted(path: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._+-".contains(c);
    if path.chars().all(is_plain) {
        path.to_owned()
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}

/// Returns the index of the recipe to which a written file belongs: that of the recipe in the
/// file's folder, or in the nearest folder above it. A recipe at the top of the checkout has only
/// the files beside it.
fn owner(path: &str, recipes: &[RecipeReport]) -> Option<usize> {
    let home = |report: &RecipeReport| {
        let (home, _) = report.recipe.rsplit_once('/').unwrap_or_default();
        home.len()
    };
    let is_inside = |report: &RecipeReport| match report.recipe.rsplit_once('/') {
        Some((home, _)) => {
            let rest = path.strip_prefix(home);
            rest.is_some_and(|rest| rest.starts_with('/'))
        }
        None => !report.recipe.is_empty() && (!path.contains('/') || path.starts_with("LICENSES/")),
    };
    let inside = recipes.iter().enumerate();
    let inside = inside.filter(|(_, report)| !report.package.is_empty() && is_inside(report));
    inside
        .max_by_key(|(_, report)| home(report))
        .map(|(at, _)| at)
}

/// Returns the outermost folders of some paths: `eclass, profiles`.
fn folders(paths: &[String]) -> String {
    let tops: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.split('/').next())
        .collect();
    tops.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns the release that the changed recipes had before the bump, or `None` if they had several.
/// Recipes with versions of their own don't count.
fn from(version: &Release, recipes: &[RecipeReport]) -> Option<String> {
    let read = |text: &Option<String>| text.as_ref()?.parse::<Release>().ok();
    let is_of_release = |report: &&RecipeReport| {
        report.is_changed && read(&report.version).as_ref() == Some(version)
    };
    let all = recipes.iter().filter(is_of_release);
    let all: BTreeSet<Release> = all.filter_map(|report| read(&report.from)).collect();
    let mut all = all.iter().filter(|before| *before != version);
    let first = all.next()?;
    all.next().is_none().then(|| first.whole())
}
