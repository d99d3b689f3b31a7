//! The reports on the recipes of a run: all that is known to be left, as one list for each recipe.

use super::Ready;
use super::compilers;
use super::folder_kind::Checkout;
use super::own_files::beside;
use super::patches::{Patch, RecipeText, local_files, patches};
use super::surroundings::folder;
use super::todo::{RecipeReport, Todo, TodoKind};
use crate::backend::Backend;
use crate::error::Error;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_model::Owner;
use rocpkg_resolve::{Bundles, Choice, CompatibleCode, Dependency, Plan, Planned, Release};
use rocpkg_syntax::{Outline, place};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// As in [`Output::tried`](super::Output::tried).
type Tried = BTreeMap<String, BTreeMap<String, Option<String>>>;

/// The reason why a package that depends on a guess is left out.
const GUESSED: &str = "it depends on a guess: --allow-guesses renders it anyway";

/// The keys under which recipes state their sources, and with them their checksums.
const SOURCES: [&str; 3] = ["SRC_URI", "source", "src"];

/// The codes of the findings about facts that nobody checked for the release. The reports have
/// them, as far as the recipes state them.
const REPEATED: [&str; 2] = ["W0220", "W0225"];

/// Returns a report on each recipe of a tree that is ready to be written, and on each package that
/// was left out. `tried` are the patches that were tried, as in
/// [`Output::tried`](super::Output::tried).
///
/// # Errors
/// When a release of the tree can't be planned.
pub(super) fn reports(
    stack: &Stack,
    ready: &mut Ready,
    out: &Path,
    checkout: Option<&Checkout>,
    tried: &Tried,
) -> Result<Vec<RecipeReport>, Error> {
    let mut all = Reports::of(&ready.tree, &ready.left, checkout);
    for conflict in std::mem::take(&mut ready.conflicts) {
        let package = conflict.package.clone();
        let todo = conflict.todo();
        all.at(&todo.recipe.clone(), &package).add(todo);
    }
    for todo in std::mem::take(&mut ready.remarks) {
        let owner = ready.tree.owners.get(&todo.recipe);
        let package = owner.map(|(_, id)| id.clone()).unwrap_or_default();
        all.at(&todo.recipe.clone(), &package).add(todo);
    }
    all.files(&ready.tree, out);
    all.shared_files(&ready.tree);
    all.sums(&ready.tree);
    all.left_out(&ready.tree);
    for (path, kept) in &ready.kept {
        if let Some((_, id)) = ready.tree.owners.get(path) {
            let report = all.at(path, id);
            report.differences += kept.differences;
            report.since.clone_from(&kept.since);
        }
    }
    let mut all = all.all;
    for report in &mut all {
        if let Some(stated) = ready.stated.get(&report.recipe) {
            report.from.clone_from(&stated.before);
            report.version.clone_from(&stated.after);
            report.is_behind = stated.is_behind;
        }
    }
    if checkout.is_some() {
        let choices = &ready.tree.asked.choices;
        let shipped = [Choice::Shipped];
        let choices = if choices.is_empty() {
            &shipped
        } else {
            choices.as_slice()
        };
        for choice in choices {
            for backend in ready.tree.packages.keys() {
                let plan = stack.plan(*backend, choice)?;
                let facts = Facts {
                    tree: &ready.tree,
                    rendered: &ready.rendered,
                    out,
                    plan: &plan,
                    tried,
                    bases: &ready.bases,
                };
                for report in &mut all {
                    facts.add_to(report);
                }
                compressed_now(stack, &plan, &mut all);
            }
        }
        let findings = &mut ready.tree.findings;
        findings.retain(|finding| !REPEATED.contains(&finding.code));
    }
    for report in &mut all {
        compilers::add_to(report, &ready.tree);
        let kept = ready.kept.get(&report.recipe);
        if kept.is_some_and(|kept| kept.is_committed) {
            report.todos.retain(|todo| !todo.kind.ends_by_commit());
        }
        report.sort();
    }
    Ok(all)
}

struct Reports {
    all: Vec<RecipeReport>,
    backend: Backend,
}

impl Reports {
    /// Returns a report for each recipe of the tree. `left` has the recipes that get no new text:
    /// the paths of the new recipes and of the existing ones.
    fn of(tree: &Tree, left: &BTreeMap<String, String>, checkout: Option<&Checkout>) -> Self {
        let mut all = Vec::new();
        for (path, (backend, id)) in &tree.owners {
            let existing = left.get(path);
            let is_there = tree.files.get(path).is_some() || existing.is_some();
            let is_part = |report: &RecipeReport| {
                report.package == *id && folder(&report.recipe) == folder(path)
            };
            // Several expressions of a folder are one recipe. Several ebuilds are of several
            // versions.
            let is_part = !backend.keeps_several() && all.iter().any(is_part);
            if backend.is_recipe(path) && is_there && !is_part {
                let mut report = RecipeReport::new(*backend, id, existing.unwrap_or(path));
                let mut forks = checkout.into_iter().flat_map(Checkout::forks);
                if let Some(fork) = forks.find(|fork| fork.folder == folder(path)) {
                    report.name.clone_from(&fork.folder);
                    report.is_fork = true;
                }
                all.push(report);
            }
        }
        let backend = checkout.map(Checkout::backend);
        let first = all.first().map(|report| report.backend);
        Self {
            all,
            backend: backend.or(first).unwrap_or(Backend::ALL[0]),
        }
    }

    /// Returns the report on the recipe at `path`, or on a recipe of the package `id` in whose
    /// folder `path` is, or on any recipe of the package. Adds a report if there is none.
    fn at(&mut self, path: &str, id: &str) -> &mut RecipeReport {
        let is_own = |report: &RecipeReport| report.package == id;
        let is_inside = |report: &RecipeReport| {
            let home = folder(&report.recipe);
            let rest = path.strip_prefix(home);
            is_own(report) && (home.is_empty() || rest.is_some_and(|rest| rest.starts_with('/')))
        };
        let exact = self.all.iter().position(|report| report.recipe == path);
        let inside = || self.all.iter().position(is_inside);
        let any = || self.all.iter().position(is_own);
        let at = exact.or_else(inside).or_else(any).unwrap_or_else(|| {
            let new = RecipeReport::new(self.backend, id, path);
            self.all.push(new);
            self.all.len() - 1
        });
        &mut self.all[at]
    }

    /// Adds the files that nobody supplied. A file of the whole tree belongs to no package.
    fn files(&mut self, tree: &Tree, out: &Path) {
        for file in tree.companions.iter().filter(|c| !c.package.is_empty()) {
            let report = self.at(&file.path, &file.package);
            let home = format!("{}/", folder(&report.recipe));
            let name = file.path.strip_prefix(home.trim_start_matches('/'));
            let name = name.unwrap_or(&file.path);
            let from = file
                .address
                .as_ref()
                .map(|address| format!("; see {address}"));
            let text = format!("`{name}` is missing{}", from.unwrap_or_default());
            let mut todo = Todo::new(&report.recipe, TodoKind::File, text).about(name);
            let read = |name: &str| beside(tree, out, &report.recipe, name);
            let text = tree.text(&report.recipe).unwrap_or_default();
            let files = local_files(report.backend, (&report.recipe, text), &read);
            if let Some(used) = files.iter().flatten().find(|used| used.is(name)) {
                let (line, column) = place(text, used.at.start);
                todo = todo.at(line, column);
            }
            report.add(todo);
        }
    }

    /// Adds the files of the whole distribution that nobody supplied, to the packages that need
    /// them.
    fn shared_files(&mut self, tree: &Tree) {
        for file in &tree.companions {
            let from = file
                .address
                .as_ref()
                .map(|address| format!("; see {address}"));
            let text = format!("`{}` is missing{}", file.path, from.unwrap_or_default());
            let is_user = |report: &&mut RecipeReport| file.needed_by.contains(&report.package);
            for report in self.all.iter_mut().filter(is_user) {
                report.add(Todo::new(&report.recipe, TodoKind::File, &text).about(&file.path));
            }
        }
    }

    /// Adds the unknown checksums, unless the check of the recipe found them.
    fn sums(&mut self, tree: &Tree) {
        let is_found = |report: &RecipeReport| report.count(TodoKind::Sum) > 0;
        let found: BTreeSet<String> = self
            .all
            .iter()
            .filter(|report| is_found(report))
            .map(|report| report.recipe.clone())
            .collect();
        for (backend, sum) in &tree.unknown_sums {
            let report = self.at(&sum.path, &sum.package);
            let is_checked = backend.implementation().checks_unknown_sums();
            if is_checked && found.contains(&report.recipe) {
                continue;
            }
            let of = if sum.address.is_empty() {
                &sum.name
            } else {
                &sum.address
            };
            let text = if sum.is_version() {
                format!(
                    "the version that upstream gives to {} in {} is not known: `own` of the release states it",
                    sum.of, sum.version
                )
            } else {
                format!("the checksum of {of} is not known")
            };
            let mut todo = Todo::new(&report.recipe, TodoKind::Sum, text).about(&sum.address);
            let text = tree.text(&report.recipe).unwrap_or_default();
            if let Ok(outline) = backend.reading(&report.recipe).read(text) {
                let node = SOURCES.iter().find_map(|key| outline.get(&[key]));
                if let Some(node) = node {
                    let (line, column) = outline.place(node.at.start);
                    todo = todo.at(line, column);
                }
            }
            report.add(todo);
        }
    }

    /// Adds the packages that were left out: because of an error, a guess, a checksum or the
    /// release.
    fn left_out(&mut self, tree: &Tree) {
        for stopped in &tree.stopped {
            let id = &stopped.package;
            let (kind, text) = match &stopped.needs {
                Some(needs) => (
                    TodoKind::Untouched,
                    format!("it needs {needs}, which has an error"),
                ),
                None if is_guessed(tree, id) => (TodoKind::Untouched, GUESSED.to_owned()),
                None => (
                    TodoKind::Untouched,
                    "the model has an error, which is printed above".to_owned(),
                ),
            };
            self.add_left_out(stopped.backend, id, Todo::new("", kind, text));
        }
        for (backend, id) in &tree.guessed {
            self.add_left_out(*backend, id, Todo::new("", TodoKind::Untouched, GUESSED));
        }
        for ((backend, id), reason) in &tree.absent {
            self.add_left_out(*backend, id, Todo::new("", TodoKind::Untouched, reason));
        }
        for (backend, id) in &tree.without_sums {
            let text = "a checksum is unknown";
            self.add_left_out(*backend, id, Todo::new("", TodoKind::Untouched, text));
        }
    }

    fn add_left_out(&mut self, backend: Backend, id: &str, todo: Todo) {
        let is_own = |report: &&mut RecipeReport| report.backend == backend && report.package == id;
        if let Some(report) = self.all.iter_mut().find(is_own) {
            report.add(Todo {
                recipe: report.recipe.clone(),
                ..todo
            });
        } else {
            let mut report = RecipeReport::new(backend, id, "");
            report.add(todo);
            self.all.push(report);
        }
    }
}

/// Returns true if all errors of a package are guessed facts.
fn is_guessed(tree: &Tree, package: &str) -> bool {
    let is_its = |owner: &Owner| matches!(owner, Owner::Package { id, .. } if id == package);
    let own = tree
        .faults
        .owned()
        .filter(|(_, owners)| owners.iter().any(is_its));
    let mut own = own.map(|(fault, _)| fault.code).peekable();
    own.peek().is_some() && own.all(|code| code == "E0229")
}

struct AppliedPatch {
    name: String,
    /// The first byte of the recipe that names the patch.
    at: usize,
    /// The path of the patch, relative to the recipe's folder; None if it is fetched.
    file: Option<String>,
}

/// The facts of the model about the recipes of a release that a person has to review.
struct Facts<'a> {
    tree: &'a Tree,
    /// The model's texts of the recipes whose text differs from them, by path.
    rendered: &'a BTreeMap<String, String>,
    out: &'a Path,
    plan: &'a Plan,
    /// As in [`Output::tried`](super::Output::tried).
    tried: &'a Tried,
    /// As in [`Merged::bases`](super::Merged::bases).
    bases: &'a BTreeMap<String, String>,
}

impl Facts<'_> {
    /// Adds the patches of the recipe, and all that nobody tried at the release: patches, steps and
    /// options, the bounds of versions, and the guesses. A recipe of another release gets only its
    /// patches.
    fn add_to(&self, report: &mut RecipeReport) {
        let backend = report.backend;
        let Some(p) = self.plan.get(&report.package) else {
            return;
        };
        let Some(text) = self.tree.text(&report.recipe) else {
            return;
        };
        let home = folder(&report.recipe);
        let files = self.patches(report, text).into_iter().filter_map(|patch| {
            let path = [home, &patch.file?].join("/");
            Some(path.trim_start_matches('/').to_owned())
        });
        report.patches = files.collect();
        let Ok(outline) = backend.reading(&report.recipe).read(text) else {
            return;
        };
        let stated = backend.stated(&outline, &report.recipe);
        let printed = crate::changes::printed(self.plan, p);
        let release = |version: &str| version.parse::<Release>().ok();
        if stated.is_some_and(|stated| stated != printed && release(&stated) != release(&printed)) {
            return;
        }
        let mut all = self.untried(report, p, &outline);
        all.extend(bounds(report, p, &outline));
        all.extend(self.lacking(report, p, &outline));
        for guess in &p.package.guesses {
            let text = format!("{} is a guess: {}", guess.about.value, guess.reason.value);
            all.push(Todo::new(&report.recipe, TodoKind::Guess, text));
        }
        for todo in all {
            report.add(todo);
        }
    }

    /// Returns a todo for each package that a recipe needs in the slot of a release which the
    /// distribution does not have, and of which the checkout has no recipe of that release.
    /// Another repository of the user may have it.
    fn lacking(&self, report: &RecipeReport, p: &Planned, outline: &Outline) -> Vec<Todo> {
        let (shipped, version) = (&self.plan.distro.version.value, &self.plan.version);
        let is_newer = shipped
            .parse::<Release>()
            .is_ok_and(|shipped| &shipped < version && shipped.line() != version.line());
        if !report.backend.keeps_several() || !is_newer {
            return Vec::new();
        }
        let implementation = report.backend.implementation();
        let mut all: BTreeMap<String, usize> = BTreeMap::new();
        for edge in &p.depends {
            let Dependency::Package(id) = &edge.to else {
                continue;
            };
            let Some(needed) = self.plan.get(id) else {
                continue;
            };
            let folder = implementation.package_folder(self.plan, needed);
            let Some(at) = outline.text.find(&format!("{folder}:")) else {
                continue;
            };
            let printed = crate::changes::printed(self.plan, needed);
            let name = format!("{}-{printed}", needed.name);
            let mut paths = self.tree.files.iter().map(|(path, _)| path.as_str());
            let there = std::fs::read_dir(self.out.join(&folder));
            let mut there = there.into_iter().flatten().flatten();
            if !paths.any(|path| path.starts_with(&format!("{folder}/{name}")))
                && !there.any(|file| file.file_name().to_string_lossy().starts_with(&name))
            {
                all.insert(folder, at);
            }
        }
        let distro = &self.plan.distro_name;
        let todos = all.into_iter().map(|(folder, at)| {
            let (line, column) = outline.place(at);
            let text = format!(
                "`{folder}` {version} is not in this repository, and {distro} has {shipped}; \
                 `rocpkg render` makes it"
            );
            Todo::new(&report.recipe, TodoKind::Note, text).at(line, column)
        });
        todos.collect()
    }

    fn untried(&self, report: &RecipeReport, p: &Planned, outline: &Outline) -> Vec<Todo> {
        let path = &report.recipe;
        let todo = |text: String, at: Option<usize>| {
            let todo = Todo::new(path, TodoKind::Untried, text);
            match at.map(|at| outline.place(at)) {
                Some((line, column)) => todo.at(line, column),
                None => todo,
            }
        };
        let unchecked = p.unchecked(&self.plan.depths);
        let is_patch = |fact: &&rocpkg_resolve::Unchecked| fact.what == "patch";
        let of_patches = unchecked.iter().filter(is_patch);
        let unchecked_patches: BTreeSet<&str> = of_patches
            .flat_map(|fact| &fact.subjects)
            .map(|name| file_name(name))
            .collect();
        let rendered = self.rendered.get(path);
        let theirs = self.patches(report, rendered.unwrap_or(&outline.text));
        let theirs: BTreeSet<&str> = theirs.iter().map(|patch| file_name(&patch.name)).collect();
        let tried = self.tried.get(self.bases.get(path).unwrap_or(path));
        let mut all = Vec::new();
        for AppliedPatch { name, at, .. } in self.patches(report, &outline.text) {
            let file = file_name(&name);
            let is_checked = theirs.contains(file) && !unchecked_patches.contains(file);
            match tried.and_then(|tried| tried.get(&name)) {
                Some(None) => {}
                Some(Some(why)) => all.push(Todo {
                    kind: TodoKind::Patch,
                    blocks: true,
                    ..todo(format!("patch `{name}` does not apply: {why}"), Some(at))
                }),
                None if is_checked => {}
                None => all.push(todo(format!("patch `{name}`"), Some(at))),
            }
        }
        for fact in unchecked.iter().filter(|fact| fact.what != "patch") {
            let names = fact.subjects.iter();
            let found = names.filter_map(|name| Some((name, outline.text.find(file_name(name))?)));
            let found: Vec<(&String, usize)> = found.collect();
            // A recipe without these texts does not have the step.
            if found.is_empty() && (rendered.is_some() || !fact.subjects.is_empty()) {
                continue;
            }
            let list: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            let what = match fact.what {
                "options" => "options",
                "cherry-pick" => "picked commit",
                "raw" => "shell text",
                _ => "replacement in",
            };
            let sought = fact.texts.iter();
            let sought: Vec<String> = sought
                .map(|text| format!("`{}`", text.replace("$$", "$")))
                .collect();
            let what = match sought.as_slice() {
                [] => what.to_owned(),
                _ => format!("replacement of {} in", sought.join(", ")),
            };
            let text = format!("{what} {}", list.join(", "));
            let at = found.iter().map(|(_, at)| *at).min();
            all.push(todo(text.trim_end().to_owned(), at));
        }
        all
    }

    /// Returns the patches that a text of the recipe applies.
    fn patches(&self, report: &RecipeReport, text: &str) -> Vec<AppliedPatch> {
        let recipe = RecipeText {
            backend: report.backend,
            id: report.package.clone(),
            path: report.recipe.clone(),
            text: text.to_owned(),
        };
        let Ok(outline) = recipe.backend.reading(&recipe.path).read(text) else {
            return Vec::new();
        };
        let read = |file: &str| beside(self.tree, self.out, &recipe.path, file);
        let all = patches(&recipe, &outline, &read).into_iter();
        let patch = |patch: Patch| AppliedPatch {
            file: patch.origin.file(),
            name: patch.shown,
            at: patch.at,
        };
        all.map(patch).collect()
    }
}

/// Adds a todo to each recipe whose code is in compressed bundles since its move to the release of
/// `plan`, if the code loads on compatible GPUs otherwise. The todo blocks if the runtime does not
/// find the code, unless the distribution lists the finding as known.
fn compressed_now(stack: &Stack, plan: &Plan, all: &mut [RecipeReport]) {
    let Some(registry) = &plan.registry else {
        return;
    };
    // A recipe with a version of its own is of the release that most other recipes are of.
    let release = |report: &RecipeReport| {
        let from = report.from.as_ref()?.parse::<Release>().ok()?;
        stack.listed(&from).map(|_| from)
    };
    let mut counts: BTreeMap<Release, usize> = BTreeMap::new();
    for from in all.iter().filter_map(release) {
        *counts.entry(from).or_default() += 1;
    }
    let usual = counts.into_iter().max_by_key(|(_, n)| *n).map(|(r, _)| r);
    let is_known = plan.distro.known.iter().any(|k| k.code.value == "W0611");
    let patches = plan.bundle_patches(registry);
    let mut before: BTreeMap<Release, Option<Plan>> = BTreeMap::new();
    let is_ours = |r: &&mut RecipeReport| r.backend.distro() == plan.distro_name;
    for report in all.iter_mut().filter(is_ours) {
        let is_moved = report.is_changed || report.from != report.version;
        let from = release(report).or_else(|| usual.clone());
        let (Some(p), Some(from)) = (plan.get(&report.package), from.filter(|_| is_moved)) else {
            continue;
        };
        let Bundles::Compressed { cause, without } = plan.bundles(registry, p) else {
            continue;
        };
        let (blocks, what) = match plan.compatible_code(registry, p) {
            CompatibleCode::Packed(packed) => {
                let missing = packed.missing.join("; ");
                let what = format!("does not find code for other GPUs: patch {missing}");
                (!is_known, what)
            }
            CompatibleCode::Loads if !patches.is_empty() => {
                let by = patches.join(", ");
                (false, format!("finds code for other GPUs only by {by}"))
            }
            _ => continue,
        };
        // If the old release can't be planned, the change is reported.
        let old = before.entry(from.clone()).or_insert_with(|| {
            let choice = Choice::Release(from);
            stack.plan(report.backend, &choice).ok()
        });
        let old = old.as_ref().and_then(|old| Some((old, old.get(&p.id)?)));
        let was = old.map(|(old, p)| old.bundles(registry, p));
        if matches!(was, Some(Bundles::Compressed { .. })) {
            continue;
        }
        let text = format!(
            "its code is in compressed bundles now ({cause}), in which the runtime {what}, or \
             build {without}"
        );
        report.add(Todo {
            blocks,
            ..Todo::new(&report.recipe, TodoKind::Target, text)
        });
    }
}

/// Returns the last part of a path or an address.
fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Returns a todo for each bound of a version on a package outside of the model that the recipe
/// states.
fn bounds(report: &RecipeReport, p: &Planned, outline: &Outline) -> Vec<Todo> {
    let mut all = Vec::new();
    for edge in &p.depends {
        let range = edge.edge.version.as_ref().map(|range| range.value.as_str());
        let is_outside = matches!(edge.to, Dependency::External(_));
        let Some(range) = range.filter(|range| is_outside && range.starts_with(['<', '>', '=']))
        else {
            continue;
        };
        let text = format!("{} `{range}`", edge.name);
        let bound = range.trim_start_matches(['<', '>', '=', ' ']);
        if let Some(at) = outline.text.find(bound) {
            let (line, column) = outline.place(at);
            all.push(Todo::new(&report.recipe, TodoKind::Bound, text).at(line, column));
        }
    }
    all
}
