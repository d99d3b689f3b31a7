//! Turns the steps of a recipe before the build into steps on files in memory. Paths are resolved,
//! and the steps are in the order of the recipe's phases.

use super::source_trees::SourceTree;
use crate::backend::Backend;
use crate::error::Error;

use rocpkg_model::{Action, Fetch, Patch, Piece, Span, Step as Written, Text};
use rocpkg_resolve::{Planned, ResolvedSource};
use rocpkg_shell::{Preparation, Start};
use rocpkg_upstream::probe::{ProbeStep, join, read};
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use walkdir::WalkDir;

/// A step of a recipe, with the form in which it is tried.
#[derive(Debug)]
pub(super) struct Task {
    /// The kind and name of the step in messages: ``patch `a.patch` ``.
    pub(super) what: String,
    /// The name of the patch that the step applies.
    pub(super) patch: Option<String>,
    /// The place of the step in the profiles.
    pub(super) span: Span,
    /// The step to try, or the reason why the step can't be tried.
    pub(super) trial: Result<Trial, String>,
    /// The first reference (`${…}`) in the step's text whose value is not known before the build.
    pub(super) open: Option<String>,
}

#[derive(Debug)]
pub(super) enum Trial {
    Step(ProbeStep),
    /// A picked commit: the name of its source, and its id.
    Commit(String, String),
}

/// The sources of a package that were found, by the names of the sources.
pub(super) type SourcesByName = BTreeMap<String, SourceTree>;

/// The paths of files that may be patches, by file name.
#[derive(Debug, Default)]
pub struct PatchFiles(BTreeMap<String, Vec<PathBuf>>);

impl PatchFiles {
    /// Searches folders for patches, at any depth.
    ///
    /// # Errors
    /// When a folder does not exist.
    pub fn of(folders: &[PathBuf]) -> Result<Self, Error> {
        let mut all: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
        for folder in folders {
            if !folder.is_dir() {
                return Err(Error::place(folder, "no such folder"));
            }
            let inside = WalkDir::new(folder)
                .into_iter()
                .filter_entry(|entry| entry.file_name() != ".git");
            for entry in inside.flatten().filter(|entry| entry.file_type().is_file()) {
                let name = entry.file_name().to_string_lossy().into_owned();
                all.entry(name).or_default().push(entry.into_path());
            }
        }
        Ok(Self(all))
    }

    /// Returns the text of the patch `file` of the package `p`. If several files have that name,
    /// the file below a folder with the package's name or id is read. The error says why no text
    /// was read.
    fn text(&self, p: &Planned, file: &str) -> Result<Vec<u8>, String> {
        let name = file.rsplit('/').next().unwrap_or(file);
        let all = self.0.get(name).map(Vec::as_slice).unwrap_or_default();
        let is_own = |path: &&PathBuf| {
            path.iter()
                .any(|part| part == p.name.as_str() || part == p.id.as_str())
        };
        let own: Vec<&PathBuf> = if all.len() > 1 {
            all.iter().filter(is_own).collect()
        } else {
            all.iter().collect()
        };
        match *own {
            [] if all.is_empty() => Err("its text was not found".to_owned()),
            [path] => fs::read(path).map_err(|e| format!("{}: {e}", path.display())),
            _ => Err(format!("{} files have this name", all.len())),
        }
    }
}

/// Returns all steps of the recipe of `p` before the build that change or need its sources.
/// `sources` are the sources that were found.
pub(super) fn tasks(
    backend: Backend,
    p: &Planned,
    sources: &SourcesByName,
    patches: &PatchFiles,
) -> Vec<Task> {
    let preparation = backend.implementation().preparation();
    let mut all = TaskReader {
        preparation,
        p,
        sources,
        patches,
        folder: None,
        values: BTreeMap::new(),
        applied: false,
        out: Vec::new(),
    };
    for (phase, applies) in preparation.phases {
        let steps = p
            .package
            .phases
            .get(*phase)
            .map(Vec::as_slice)
            .unwrap_or_default();
        all.folder = all.start().filter(|_| preparation.start != Start::Above);
        // A phase whose steps don't contain the standard step begins with it.
        if *applies && (preparation.patches_first || !has_standard(steps)) {
            all.patches();
        }
        all.steps(steps);
    }
    all.out
}

fn has_standard(steps: &[Written]) -> bool {
    steps.iter().any(|step| match &step.action {
        Action::Standard(_) => true,
        Action::Group(inner) => has_standard(inner),
        Action::Inside(inside) => has_standard(&inside.steps),
        _ => false,
    })
}

/// Adds the file names of the patches that `steps` apply by name to `names`.
fn by_name(steps: &[Written], names: &mut Vec<String>) {
    for step in steps {
        match &step.action {
            Action::Patch(file) => names.push(file.to_string()),
            Action::Group(inner) => by_name(inner, names),
            Action::Inside(inside) => by_name(&inside.steps, names),
            Action::Each(each) => by_name(&each.steps, names),
            _ => {}
        }
    }
}

struct TaskReader<'a> {
    preparation: Preparation,
    p: &'a Planned,
    sources: &'a SourcesByName,
    patches: &'a PatchFiles,
    /// The folder in which the next step runs, in the form of [`ProbeStep`]; `None` for the folder
    /// above the sources.
    folder: Option<String>,
    /// The values of the variables of loops, by name.
    values: BTreeMap<String, String>,
    /// Set if the patches of the package were already applied.
    applied: bool,
    out: Vec<Task>,
}

impl TaskReader<'_> {
    /// Returns the folder in which patches are applied and phases begin, or `None` if the first
    /// source was not found.
    fn start(&self) -> Option<String> {
        let is_project = self.preparation.start == Start::Project;
        let source = self.p.sources.first()?;
        self.place(source, is_project).ok()
    }

    /// Returns the folder of a source, in the form of [`ProbeStep`]. If `project` is set and the
    /// source is a repository with many projects, returns the folder of the package's project.
    fn place(&self, source: &ResolvedSource, project: bool) -> Result<String, String> {
        let found = self.sources.get(&source.name);
        let found = found.ok_or_else(|| format!("the source `{}` was not found", source.name))?;
        // The recipe may enter a folder below the unpacked one.
        let folder = source
            .folder
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        let below = folder
            .split_once('/')
            .map(|(_, below)| below)
            .unwrap_or_default();
        let inner = match (source.fetch, project) {
            (Fetch::Asset, _) => join(&found.project, below),
            (_, true) => join(below, &found.project),
            (_, false) => below.to_owned(),
        };
        Ok(join(&source.name, &inner))
    }

    fn steps(&mut self, steps: &[Written]) {
        for step in steps {
            self.step(step);
        }
    }

    fn step(&mut self, step: &Written) {
        match &step.action {
            Action::Standard(_) => self.patches(),
            Action::Patch(file) => self.named_patch(file, step.span),
            Action::Replace(r) => {
                let (to, _) = self.text(&r.to);
                let may_be_absent = r.may_be_absent;
                let from = r
                    .from
                    .pieces
                    .iter()
                    .map(|piece| self.known(piece))
                    .collect();
                let files = self.paths(&r.files.0);
                let made = |files| {
                    Trial::Step(ProbeStep::Replace {
                        files,
                        from,
                        to,
                        may_be_absent,
                    })
                };
                self.add("replacement", step.span, files.map(made), None);
            }
            Action::Sed(s) => {
                let (scripts, open): (Vec<_>, Vec<_>) =
                    s.scripts.0.iter().map(|script| self.text(script)).unzip();
                let files = self.paths(&s.files.0);
                let made = |files| Trial::Step(ProbeStep::Sed { files, scripts });
                self.add(
                    "sed script",
                    step.span,
                    files.map(made),
                    open.into_iter().flatten().next(),
                );
            }
            // A removed folder may be absent, so only files are tried.
            Action::Remove(paths) => {
                let due: Vec<&Text> = paths
                    .iter()
                    .filter(|path| !path.to_string().ends_with('/'))
                    .collect();
                self.files(&due, true, step.span);
            }
            Action::Move(m) | Action::Copy(m) | Action::InstallFile(m) => {
                self.files(&m.from.0.iter().collect::<Vec<_>>(), false, step.span);
            }
            Action::Raw(text) => self.add(
                "shell text",
                text.span,
                Err("rocpkg does not run it".to_owned()),
                None,
            ),
            Action::Licence(licence) => self.files(&[&licence.file], false, step.span),
            Action::CherryPick(commits) => {
                let folder = self.folder.clone().unwrap_or_default();
                let source = folder.split('/').next().unwrap_or_default().to_owned();
                for commit in commits {
                    let what = format!(
                        "picked commit {}",
                        commit.value.get(..12).unwrap_or(&commit.value)
                    );
                    let trial = Trial::Commit(source.clone(), commit.value.clone());
                    self.add(&what, step.span, Ok(trial), None);
                }
            }
            Action::Enter(folder) => self.folder = self.path(folder).ok(),
            Action::Inside(inside) => {
                let before = self.folder.clone();
                self.folder = self.path(&inside.folder).ok();
                self.steps(&inside.steps);
                self.folder = before;
            }
            Action::Group(inner) => self.steps(inner),
            Action::Each(each) => {
                for item in &each.items {
                    let (value, _) = self.text(item);
                    self.values.insert(each.variable.value.clone(), value);
                    self.steps(&each.steps);
                }
                self.values.remove(&each.variable.value);
            }
            _ => {}
        }
    }

    fn add(&mut self, what: &str, span: Span, trial: Result<Trial, String>, open: Option<String>) {
        self.out.push(Task {
            what: what.to_owned(),
            patch: None,
            span,
            trial,
            open,
        });
    }

    fn add_patch(&mut self, name: &str, span: Span, trial: Result<Trial, String>) {
        self.out.push(Task {
            what: format!("patch `{name}`"),
            patch: Some(name.to_owned()),
            span,
            trial,
            open: None,
        });
    }

    fn files(&mut self, paths: &[&Text], removes: bool, span: Span) {
        let files: Result<Vec<String>, String> = paths.iter().map(|path| self.path(path)).collect();
        // Files beside the recipe and files of the build are not upstream's.
        let Ok(files) = files else { return };
        if !files.is_empty() {
            self.add(
                "file",
                span,
                Ok(Trial::Step(ProbeStep::Needs { files, removes })),
                None,
            );
        }
    }

    /// Adds the patches of the package that no step applies by name. Does nothing when called
    /// again.
    fn patches(&mut self) {
        if std::mem::replace(&mut self.applied, true) {
            return;
        }
        let mut named = Vec::new();
        self.p
            .package
            .phases
            .values()
            .for_each(|steps| by_name(steps, &mut named));
        let folder = self.start();
        for patch in &self.p.package.patches {
            if !named.iter().any(|name| name.ends_with(&patch.file.value)) {
                self.patch(patch, folder.clone());
            }
        }
    }

    fn named_patch(&mut self, file: &Text, span: Span) {
        let name = file.to_string();
        let name = name.rsplit('/').next().unwrap_or(&name).to_owned();
        let folder = self.folder.clone();
        if let Some(known) = self
            .p
            .package
            .patches
            .iter()
            .find(|patch| patch.file.value.ends_with(&name))
        {
            self.patch(known, folder);
        } else {
            let text = self.patches.text(self.p, &name);
            let (relative, leaves) = (String::new(), Vec::new());
            let folder = folder.ok_or_else(|| "its folder is not known".to_owned());
            let made = |(folder, text)| {
                Trial::Step(ProbeStep::Patch {
                    text,
                    strip: 1,
                    folder,
                    relative,
                    leaves,
                })
            };
            let trial = folder.and_then(|folder| Ok((folder, text?))).map(made);
            self.add_patch(&name, span, trial);
        }
    }

    fn patch(&mut self, patch: &Patch, folder: Option<String>) {
        let before = std::mem::replace(&mut self.folder, folder);
        let folder = match &patch.inside {
            Some(inside) => self.path(inside),
            None => self
                .folder
                .clone()
                .ok_or_else(|| "the source was not found".to_owned()),
        };
        self.folder = before;
        let leaves: Vec<String> = patch.excludes.iter().map(|n| n.value.clone()).collect();
        let made = folder.and_then(|folder| {
            let text = self.patches.text(self.p, &patch.file.value)?;
            let strip = usize::try_from(patch.strip).unwrap_or(1);
            let relative = self.relative(patch, strip, &text);
            Ok(Trial::Step(ProbeStep::Patch {
                text,
                strip,
                folder,
                relative,
                leaves,
            }))
        });
        self.add_patch(&patch.file.value, patch.file.span, made);
    }

    /// Returns the folder to which nixpkgs' `fetchpatch` restricts a patch. `text` is the patch,
    /// and `strip` the number of parts that are removed from its paths. The patch may be of a whole
    /// repository, and the sources are one folder of it. Returns an empty text if the patch is not
    /// restricted.
    fn relative(&self, patch: &Patch, strip: usize, text: &[u8]) -> String {
        let stated = patch
            .relative
            .as_ref()
            .map(|relative| relative.value.as_str());
        let folder = stated.or_else(|| self.p.sources.first()?.path.as_deref());
        let restricts = self.preparation.restricts_patches && patch.url.is_some();
        let Some(folder) = folder.filter(|_| restricts) else {
            return String::new();
        };
        let bare = |name: &str| name.split('/').skip(strip).collect::<Vec<_>>().join("/");
        let mut named = read(text)
            .into_iter()
            .filter_map(|file| file.to.or(file.from));
        let is_below = named.any(|name| {
            bare(&name)
                .strip_prefix(folder)
                .is_some_and(|p| p.starts_with('/'))
        });
        if is_below {
            folder.to_owned()
        } else {
            String::new()
        }
    }

    fn paths(&self, files: &[Text]) -> Result<Vec<String>, String> {
        files.iter().map(|file| self.path(file)).collect()
    }

    /// Returns a path of a recipe in the form of [`ProbeStep`]: the source's name, followed by the
    /// path in the source's tree. The error says why the path is not known.
    fn path(&self, text: &Text) -> Result<String, String> {
        let mut out = String::new();
        let mut is_whole = false;
        for piece in &text.pieces {
            let Piece::Reference(name) = piece else {
                out.push_str(text_of(piece));
                continue;
            };
            let (kind, of) = name.split_once(':').unwrap_or((name, ""));
            let named = if of.is_empty() {
                self.p.sources.first()
            } else {
                self.p.source(of)
            };
            match (kind, named) {
                ("glob", _) => out.push_str(of),
                ("source" | "S", Some(source)) => {
                    (out, is_whole) = (self.place(source, true)?, true);
                }
                ("checkout", Some(source)) => (out, is_whole) = (self.place(source, false)?, true),
                ("source", None) if self.p.carried.contains_key(of) => {
                    let main = self.p.sources.first().ok_or("the package has no source")?;
                    (out, is_whole) = (join(&main.name, &self.p.carried[of]), true);
                }
                // These references mean the folder above the sources.
                ("srcdir" | "WORKDIR" | "workdir", _) => {}
                _ => out.push_str(
                    &self
                        .known(piece)
                        .ok_or_else(|| format!("`${{{name}}}` is not known here"))?,
                ),
            }
        }
        if is_whole {
            return Ok(join("", &out));
        }
        if out.starts_with('/') {
            return Err(format!("`{out}` is not a file of the sources"));
        }
        let folder = self.folder.as_ref().ok_or("its folder is not known")?;
        Ok(join(folder, &out))
    }

    /// Returns the text of a piece: a literal, or the value of a reference. Returns `None` if the
    /// value is not known before the build.
    fn known(&self, piece: &Piece) -> Option<String> {
        let Piece::Reference(name) = piece else {
            return Some(text_of(piece).to_owned());
        };
        match name.as_str() {
            "version" | "PV" | "pkgver" => Some(self.p.version.to_string()),
            "name" | "PN" | "pkgname" => Some(self.p.name.clone()),
            name => self.values.get(name).cloned(),
        }
    }

    /// Returns a text with its references replaced by their values. The second result is the first
    /// reference whose value is not known; such a reference stays as it is written.
    fn text(&self, text: &Text) -> (String, Option<String>) {
        let open = text
            .pieces
            .iter()
            .find(|piece| self.known(piece).is_none())
            .map(|piece| text_of(piece).to_owned());
        let each = text.pieces.iter().map(|piece| {
            self.known(piece)
                .unwrap_or_else(|| format!("${{{}}}", text_of(piece)))
        });
        (each.collect(), open)
    }
}

fn text_of(piece: &Piece) -> &str {
    match piece {
        Piece::Literal(text) | Piece::Reference(text) => text,
    }
}
