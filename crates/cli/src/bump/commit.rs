//! Commits the files that a bump wrote, by git. Nothing is pushed.

use crate::args::CommitMode;
use crate::error::Error;
use crate::system::git;
use rocpkg::Backend;
use rocpkg::checkout::{BumpReport, BumpRequest, State, Written};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// The file with the settings of a checkout.
const SETTINGS: &str = "rocpkg.toml";

/// The git repository of a checkout.
pub(super) struct CheckoutRepository {
    folder: PathBuf,
    /// The commit before the bump.
    head: String,
    /// The paths with changes that are not committed, relative to the checkout.
    changed: BTreeSet<String>,
    /// The paths that git tracks, relative to the checkout.
    tracked: BTreeSet<String>,
}

/// A commit to make: its message, and its paths relative to the checkout.
struct PlannedCommit {
    message: String,
    paths: Vec<String>,
}

impl CheckoutRepository {
    /// Opens the repository of the checkout in `folder`.
    ///
    /// # Errors
    /// When the folder is not in a git repository, or the repository has no commit.
    pub(super) fn of(folder: &Path) -> Result<Self, Error> {
        let head = git(folder, &["rev-parse", "--verify", "HEAD"])?;
        let begun = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD"];
        let begun = begun
            .into_iter()
            .find(|name| git(folder, &["rev-parse", "--quiet", "--verify", name]).is_ok());
        if let Some(name) = begun {
            let said =
                format!("--commit: git has begun something else here ({name}); finish it first");
            return Err(Error::file(folder, said));
        }
        let prefix = git(folder, &["rev-parse", "--show-prefix"])?;
        let below = |path: &str| path.strip_prefix(prefix.trim_end()).map(str::to_owned);
        let status = [
            "status",
            "--porcelain",
            "-z",
            "--no-renames",
            "--untracked-files=all",
        ];
        let status = git(folder, &status)?;
        // Each entry is two letters, a blank and the path from the root of the repository.
        let entries = status.split('\0').filter_map(|entry| entry.get(3..));
        let tracked = git(folder, &["ls-files", "-z"])?;
        Ok(Self {
            folder: folder.to_owned(),
            head: head.trim().to_owned(),
            changed: entries.filter_map(below).collect(),
            tracked: tracked.split('\0').map(str::to_owned).collect(),
        })
    }

    /// Returns the paths with changes that were not committed before the bump, relative to the
    /// checkout.
    pub(super) fn changed(&self) -> BTreeSet<String> {
        self.changed.clone()
    }

    /// Returns the files of packages with changes that were not committed before the bump, and that
    /// the bump left as they are, for example those of an earlier run whose commit failed.
    pub(super) fn left_over(&self, written: &Written) -> Vec<&str> {
        let all = self.changed.iter().map(String::as_str);
        all.filter(|path| owner(path, written).is_some()).collect()
    }

    /// Returns an error if the settings have changes that are not committed. A bump that makes the
    /// checkout's own layer of profiles adds this layer to them.
    pub(super) fn check_settings(&self) -> Result<(), Error> {
        if self.changed.contains(SETTINGS) {
            return Err(rocpkg::Error::Protected(vec![SETTINGS.to_owned()]).into());
        }
        Ok(())
    }

    /// Commits the written files, and returns the message of each commit. Other changes in the
    /// repository stay as they are. If a commit fails, for example because it can't be signed, no
    /// commit of this run stays, and the written files do.
    ///
    /// # Errors
    /// When git fails.
    pub(super) fn commit(
        &self,
        mode: CommitMode,
        request: &BumpRequest,
        report: &BumpReport,
        written: &Written,
    ) -> Result<Vec<String>, Error> {
        let planned = self.planned(mode, request, report, written);
        for commit in &planned {
            let with = |head: &[&str]| -> Vec<String> {
                let paths = commit.paths.iter().cloned();
                head.iter()
                    .map(|&word| word.to_owned())
                    .chain(paths)
                    .collect()
            };
            let added = git(&self.folder, &with(&["add", "--"]));
            let committed = added.and_then(|_| {
                let head = [
                    "commit",
                    "--quiet",
                    "--message",
                    &commit.message,
                    "--only",
                    "--",
                ];
                git(&self.folder, &with(&head))
            });
            if let Err(error) = committed {
                // The first error is the one to report, whatever becomes of the others.
                let _ = git(&self.folder, &["reset", "--quiet", "--soft", &self.head]);
                let all = planned.iter().flat_map(|commit| &commit.paths).cloned();
                let head = ["reset", "--quiet", "--"].map(str::to_owned);
                let _ = git(
                    &self.folder,
                    &head.into_iter().chain(all).collect::<Vec<_>>(),
                );
                return Err(error);
            }
        }
        Ok(planned.into_iter().map(|commit| commit.message).collect())
    }

    /// Returns the commits to make, in their order: profiles, files of the whole distribution, then
    /// packages by name.
    fn planned(
        &self,
        mode: CommitMode,
        request: &BumpRequest,
        report: &BumpReport,
        written: &Written,
    ) -> Vec<PlannedCommit> {
        let release = request.version.whole();
        let may_commit = |state: &State| mode == CommitMode::All || state.is_done();
        let mut shared = Vec::new();
        let mut packages: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for path in written.report.written.iter().chain(&written.report.removed) {
            match owner(path, written) {
                Some(id) => packages.entry(id).or_default().push(path.clone()),
                None => shared.push(path.clone()),
            }
        }
        let mut out = Vec::new();
        let profiles = self.profiles(request, report);
        if !profiles.is_empty() {
            let message = format!("rocpkg: facts of {release}");
            out.push(PlannedCommit {
                message,
                paths: profiles,
            });
        }
        if request.backend == Backend::Nix {
            // The scope refers to all packages, so it is committed as a whole or not at all.
            if report.states.values().all(may_commit) {
                let paths = [shared, packages.into_values().flatten().collect()].concat();
                let message = format!("rocmPackages: {}{release}", from(report));
                out.extend((!paths.is_empty()).then_some(PlannedCommit { message, paths }));
            }
            return out;
        }
        if !shared.is_empty() {
            let message = format!("{}: {release}", folders(&shared));
            out.push(PlannedCommit {
                message,
                paths: shared,
            });
        }
        for (id, paths) in packages {
            if report.states.get(id).is_some_and(may_commit) {
                let version = report
                    .versions
                    .get(id)
                    .map_or(release.as_str(), String::as_str);
                let message = self.message(request.backend, report, (id, version), &paths);
                out.push(PlannedCommit { message, paths });
            }
        }
        out
    }

    /// Returns the files of the layer and the settings that the bump changed.
    fn profiles(&self, request: &BumpRequest, report: &BumpReport) -> Vec<String> {
        let Ok(layer) = request.layer.strip_prefix(&request.folder) else {
            return Vec::new();
        };
        // A layer outside of the checkout may have changes of others.
        if layer.components().any(|part| part == Component::ParentDir) {
            return Vec::new();
        }
        let files = report.profiles.iter();
        let mut all: Vec<String> = files
            .map(|d| layer.join(&d.path).display().to_string())
            .collect();
        // Settings with changes of others are not this run's: it writes only settings without any.
        let is_own = self.tracked.contains(SETTINGS) && !self.changed.contains(SETTINGS);
        if !all.is_empty() && is_own {
            all.push(SETTINGS.to_owned());
        }
        all
    }

    /// Returns the message of a package's commit, in the form that its distribution uses.
    fn message(
        &self,
        backend: Backend,
        report: &BumpReport,
        (id, version): (&str, &str),
        paths: &[String],
    ) -> String {
        let name = report.names.get(id).map_or(id, String::as_str);
        match backend {
            // <https://wiki.gentoo.org/wiki/Gentoo_git_workflow#Git_commit_message_format>
            Backend::Gentoo => {
                let recipe = paths.iter().find(|path| path.ends_with(".ebuild"));
                let home = recipe.and_then(|path| path.rsplit_once('/'));
                let home = home.map_or(name, |(home, _)| home);
                let is_new = recipe.is_some_and(|path| !self.tracked.contains(path));
                let verb = if is_new { "add" } else { "update" };
                format!("{home}: {verb} {version}")
            }
            Backend::Solus => format!("{name}: Update to v{version}"),
            Backend::Arch | Backend::Nix => format!("{name}: update to {version}"),
        }
    }
}

/// Returns the id of the package to which a written file belongs: the package whose recipe is in
/// the file's folder, or in the nearest folder above it.
fn owner<'w>(path: &str, written: &'w Written) -> Option<&'w str> {
    if let Some(id) = written.owners.get(path) {
        return Some(id);
    }
    let folders = path.match_indices('/').map(|(at, _)| &path[..=at]);
    folders
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .find_map(|folder| {
            let mut owners = written.owners.iter();
            let found = owners.find(|(other, _)| {
                let rest = other.strip_prefix(folder);
                rest.is_some_and(|rest| !rest.contains('/'))
            });
            found.map(|(_, id)| id.as_str())
        })
}

/// Returns the outermost folders of some paths: `eclass, profiles`.
fn folders(paths: &[String]) -> String {
    let tops: BTreeSet<&str> = paths
        .iter()
        .filter_map(|path| path.split('/').next())
        .collect();
    tops.into_iter().collect::<Vec<_>>().join(", ")
}

/// Returns the release before the bump with an arrow, `7.2.3 -> `, or an empty text if the model
/// was at the release before.
fn from(report: &BumpReport) -> String {
    let moved = report.bumped.moved.first();
    moved
        .map(|moved| format!("{} -> ", moved.from))
        .unwrap_or_default()
}
