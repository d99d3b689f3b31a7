//! Commits the files that a bump wrote, by git. Nothing is pushed.

use crate::args::CommitMode;
use crate::error::Error;
use crate::system::git;
use rocpkg::Backend;
use rocpkg::checkout::{BumpReport, BumpRequest, State, Written};
use rocpkg::resolve::Release;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// The file with the settings of a checkout.
const SETTINGS: &str = "rocpkg.toml";

/// The mode of a submodule in git's index.
const SUBMODULE: &str = "160000";

/// The git repository of a checkout.
pub(super) struct CheckoutRepository {
    folder: PathBuf,
    /// The folder of profiles to which the bump is written, relative to the checkout, with a slash
    /// at its end. `None` if it is outside of the checkout.
    layer: Option<String>,
    /// The commit before the bump.
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
}

/// The result of [`CheckoutRepository::commit`].
#[derive(Default)]
pub(super) struct Committed {
    /// The message of each commit.
    pub(super) messages: Vec<String>,
    /// The files of packages, and of the layer, that had changes before the bump, and that the bump
    /// left as they are, for example those of an earlier run whose commit failed.
    pub(super) changed_before: Vec<String>,
    /// The written files of the layer, and the settings, if no package was committed with them.
    pub(super) without_package: Vec<String>,
}

impl Committed {
    /// Returns a line for each commit, and for the files that were not committed.
    pub(super) fn text(&self) -> String {
        let left = [
            ("they had changes before this run", &self.changed_before),
            ("no package is", &self.without_package),
        ];
        let left = left.iter().filter(|(_, paths)| !paths.is_empty());
        let left = left
            .map(|(why, paths)| format!("not committed, because {why}: {}\n", paths.join(", ")));
        let made = self.messages.iter();
        left.chain(made.map(|message| format!("committed: {message}\n")))
            .collect()
    }
}

/// A commit to make: its message, and its paths relative to the checkout.
struct PlannedCommit {
    message: String,
    paths: Vec<String>,
}

impl CheckoutRepository {
    /// Opens the repository of the checkout in `folder`. `layer` is the folder of profiles to which
    /// the bump is written, and `names_layer` is set if the settings have to name it then.
    ///
    /// # Errors
    /// When the folder is not in a git repository, or the repository has no commit, is within a
    /// merge, or has no name for the author of commits.
    pub(super) fn of(folder: &Path, layer: &Path, names_layer: bool) -> Result<Self, Error> {
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
        let is_unknown = |who: &&str| git(folder, &["var", who]).is_err();
        if ["GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"]
            .iter()
            .any(is_unknown)
        {
            let said = "--commit: git does not know who commits; set `git config user.name` and `git config user.email`";
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
            "--ignored=matching",
        ];
        let status = git(folder, &status)?;
        let (mut changed, mut ignored) = (BTreeSet::new(), BTreeSet::new());
        let (mut inner, mut tracked) = (BTreeSet::new(), BTreeSet::new());
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
                _ => &mut changed,
            };
            all.extend(below(path));
        }
        let listed = git(folder, &["ls-files", "-z", "--stage"])?;
        // Each entry is a mode, an id and a stage, then a tab and the path.
        for (kind, path) in listed
            .split('\0')
            .filter_map(|entry| entry.split_once('\t'))
        {
            if kind.starts_with(SUBMODULE) {
                inner.insert(format!("{path}/"));
            }
            tracked.insert(path.to_owned());
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
        })
    }

    /// Returns the paths that the bump must not change, relative to the checkout: those with
    /// changes that were not committed before, and those that can't be committed.
    pub(super) fn protected(&self) -> BTreeSet<String> {
        let all = [&self.changed, &self.ignored, &self.inner, &self.unnamed];
        all.into_iter().flatten().cloned().collect()
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
        } else {
            return error;
        };
        Error::file(&self.folder, format!("nothing is written, because {said}"))
    }

    /// Commits the written files. Other changes in the repository stay as they are. If a commit
    /// fails, for example because it can't be signed, no commit of this run stays, and the written
    /// files do.
    ///
    /// # Errors
    /// When git fails.
    pub(super) fn commit(
        &self,
        mode: CommitMode,
        request: &BumpRequest,
        report: &BumpReport,
        written: &Written,
    ) -> Result<Committed, Error> {
        let (planned, without_package) = self.planned(mode, request, report, written);
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
        let is_of_layer = |path: &String| {
            let layer = self.layer.as_ref();
            layer.is_some_and(|layer| path.starts_with(layer.as_str()))
        };
        let changed = self.changed.iter();
        let changed = changed.filter(|path| owner(path, written).is_some() || is_of_layer(path));
        Ok(Committed {
            messages: planned.into_iter().map(|commit| commit.message).collect(),
            changed_before: changed.cloned().collect(),
            without_package,
        })
    }

    /// Returns the commits to make, in their order: profiles, files of the whole distribution, then
    /// packages by name. If there is no commit of a package, the profiles stay too, and the second
    /// value has their paths.
    fn planned(
        &self,
        mode: CommitMode,
        request: &BumpRequest,
        report: &BumpReport,
        written: &Written,
    ) -> (Vec<PlannedCommit>, Vec<String>) {
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
        if request.backend == Backend::Nix {
            // The scope refers to all packages, so it is committed as a whole or not at all.
            if report.states.values().all(may_commit) {
                let paths = [shared, packages.into_values().flatten().collect()].concat();
                let change = match from(request, report, written) {
                    Some(from) => format!("{from} -> {release}"),
                    None => format!("update to {release}"),
                };
                let message = format!("rocmPackages: {change}");
                out.extend((!paths.is_empty()).then_some(PlannedCommit { message, paths }));
            }
            shared = Vec::new();
            packages = BTreeMap::new();
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
        let profiles = self.profiles(report);
        let (first, left) = if out.is_empty() {
            (Vec::new(), profiles)
        } else {
            (profiles, Vec::new())
        };
        let shared = (format!("{}: {release}", folders(&shared)), shared);
        let first = [(format!("rocpkg: facts of {release}"), first), shared].into_iter();
        let first = first.filter(|(_, paths)| !paths.is_empty());
        let first = first.map(|(message, paths)| PlannedCommit { message, paths });
        (first.chain(out).collect(), left)
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

/// Returns the release that the edited recipes had before the bump, or `None` if they had several.
/// Packages with versions of their own don't count.
fn from(request: &BumpRequest, report: &BumpReport, written: &Written) -> Option<String> {
    let read = |text: &String| text.parse::<Release>().ok();
    let release = Some(&request.version);
    let is_of_release = |id: &&String| report.versions.get(*id).and_then(read).as_ref() == release;
    let paths = written.report.written.iter();
    let ids: BTreeSet<&String> = paths.filter_map(|path| written.owners.get(path)).collect();
    let stated = ids
        .into_iter()
        .filter(is_of_release)
        .filter_map(|id| written.stated.get(id));
    let all: BTreeSet<Release> = stated.filter_map(read).collect();
    let mut all = all.iter().filter(|before| Some(*before) != release);
    let first = all.next()?;
    all.next().is_none().then(|| first.whole())
}
