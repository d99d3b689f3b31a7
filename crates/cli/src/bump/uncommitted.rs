//! The recipes of a bump that must not be committed, with the reasons.

use crate::args::CommitMode;
use rocpkg::Backend;
use rocpkg::checkout::{BumpReport, RecipeReport, Todo, TodoKind, Written};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The files and recipes of a bump, as far as they decide what is committed.
pub(super) struct Decisions<'b> {
    pub(super) backend: Backend,
    pub(super) mode: CommitMode,
    pub(super) folder: &'b Path,
    pub(super) report: &'b BumpReport,
    pub(super) written: &'b Written,
    /// The paths that had uncommitted changes before the bump, relative to the checkout.
    pub(super) changed: &'b BTreeSet<String>,
    /// The paths whose edits git hides, relative to the checkout, with the flag by which it does.
    pub(super) hidden: &'b BTreeMap<String, &'static str>,
    /// The paths that git tracks, relative to the checkout.
    pub(super) tracked: &'b BTreeSet<String>,
}

/// Packages, each with the names of the recipes for which it waits. Packages are ids.
type Waits<'b> = BTreeMap<&'b str, BTreeSet<&'b str>>;

impl<'b> Decisions<'b> {
    /// Returns true if the mode commits the recipe.
    pub(super) fn may_commit(&self, report: &RecipeReport) -> bool {
        let is_kept_back = |todo: &Todo| {
            let kinds = [TodoKind::Uncommitted, TodoKind::Waits, TodoKind::Gate];
            kinds.contains(&todo.kind)
        };
        let may = self.mode == CommitMode::All && !report.is_untouched();
        (may || report.is_done()) && !report.blocking().any(is_kept_back)
    }

    /// Returns the todos of the recipes that the mode would commit and that must not be committed,
    /// each with the index of its recipe.
    pub(super) fn todos(&self) -> Vec<(usize, Todo)> {
        let recipes = self.report.recipes.iter().enumerate();
        let may = recipes.filter(|(_, report)| self.may_commit(report));
        let mut todos: Vec<(usize, Todo)> = may
            .filter_map(|(at, report)| {
                let text = self.own_reason(report)?;
                Some((at, Todo::new(&report.recipe, TodoKind::Uncommitted, text)))
            })
            .collect();
        // The scope of nixpkgs is committed as a whole.
        if self.mode != CommitMode::All && self.backend != Backend::Nix {
            let kept_back: BTreeSet<usize> = todos.iter().map(|(at, _)| *at).collect();
            let waits = self.waits(&kept_back);
            for (at, report) in self.report.recipes.iter().enumerate() {
                let open = waits.get(report.package.as_str());
                let open = open.filter(|_| self.may_commit(report) && !kept_back.contains(&at));
                if let Some(open) = open {
                    let open: Vec<&str> = open.iter().copied().collect();
                    let text = format!("waits for {}", open.join(", "));
                    todos.push((at, Todo::new(&report.recipe, TodoKind::Waits, text)));
                }
            }
        }
        todos
    }

    /// Returns true if the file was neither written by the bump nor committed before.
    fn is_uncommitted(&self, path: &str) -> bool {
        let has_changes = self.changed.contains(path) || self.hidden.contains_key(path);
        !self.is_written(path) && (has_changes || !self.tracked.contains(path))
    }

    fn is_written(&self, path: &str) -> bool {
        self.written.report.written.iter().any(|own| own == path)
    }

    /// Returns the reason why a recipe can't be committed, whatever becomes of the others: one of
    /// its files has changes of others, or it does not state the release. Returns `None` if there
    /// is no reason.
    fn own_reason(&self, report: &RecipeReport) -> Option<String> {
        let of = |path: &str, what: &str| match self.hidden.get(path) {
            Some(flag) => {
                format!("git hides edits of {path}{what} because it has the flag {flag}")
            }
            None => format!("{path}{what} has uncommitted changes"),
        };
        let recipe = &report.recipe;
        if !self.folder.join(recipe).is_file() {
            return None;
        }
        if self.is_uncommitted(recipe) {
            return Some(of(recipe, ""));
        }
        let base = self.written.merged.bases.get(recipe);
        if let Some(base) = base.filter(|base| self.is_uncommitted(base)) {
            return Some(of(base, ", from which its ebuild is made,"));
        }
        let mut patches = report.patches.iter();
        let is_open =
            |path: &&String| self.folder.join(path).is_file() && self.is_uncommitted(path);
        if let Some(patch) = patches.find(is_open) {
            return Some(of(patch, ", which its recipe applies,"));
        }
        let stated = report.version.as_ref().filter(|_| report.is_behind)?;
        Some(format!("its recipe still states {stated}"))
    }

    /// Returns true if the committed recipe was at the release before the bump.
    fn is_at_release(&self, report: &RecipeReport) -> bool {
        let is_committed = !self.is_uncommitted(&report.recipe) && !self.is_written(&report.recipe);
        !report.is_untouched() && !report.is_behind && is_committed
    }

    /// Returns the packages that need a package which this run leaves uncommitted, directly or
    /// through other packages. Each has the recipes for which it waits. `kept_back` are the indices
    /// of the recipes that have a reason of their own.
    fn waits(&self, kept_back: &BTreeSet<usize>) -> Waits<'b> {
        let report = self.report;
        let mut open = Waits::new();
        let mut moving = BTreeSet::new();
        for (at, recipe) in report.recipes.iter().enumerate() {
            let id = recipe.package.as_str();
            let is_kept_back = kept_back.contains(&at);
            // Others need the package's own recipe, if there is one.
            let has_own = report.recipes.iter().any(|r| r.package == id && !r.is_fork);
            if recipe.is_fork && has_own {
                continue;
            }
            let is_committed = self.may_commit(recipe) && !is_kept_back;
            let is_unasked = recipe.is_untouched() && recipe.is_done();
            if !is_committed && !is_unasked && !self.is_at_release(recipe) {
                open.insert(id, BTreeSet::from([recipe.name.as_str()]));
            } else if !is_kept_back && self.is_written(&recipe.recipe) {
                moving.insert(id);
            }
        }
        let needs: BTreeMap<&str, BTreeSet<&str>> =
            moving.iter().map(|id| (*id, self.needs(id))).collect();
        let own: BTreeSet<&str> = open.keys().copied().collect();
        loop {
            let before = open.clone();
            for (id, needs) in &needs {
                let roots = needs.iter().filter_map(|need| before.get(need)).flatten();
                let roots: BTreeSet<&str> = roots.copied().collect();
                if !roots.is_empty() {
                    open.insert(id, roots);
                }
            }
            if open == before {
                break;
            }
        }
        open.retain(|id, _| !own.contains(id));
        open
    }

    /// Returns the packages of the bump that a package depends on: those of the model, and in
    /// Gentoo those that its ebuilds require with the slot or the version of the ebuild.
    fn needs(&self, id: &str) -> BTreeSet<&'b str> {
        let of_model = self.report.needs.get(id).into_iter().flatten();
        let mut all: BTreeSet<&str> = of_model.map(String::as_str).collect();
        if self.backend == Backend::Gentoo {
            let own = self.report.recipes.iter().filter(|r| r.package == id);
            let read = |r: &RecipeReport| fs::read_to_string(self.folder.join(&r.recipe)).ok();
            let texts: Vec<String> = own.filter_map(read).collect();
            for other in self.report.recipes.iter().filter(|r| r.package != id) {
                let home = other.recipe.rsplit_once('/').map_or("", |(home, _)| home);
                let atoms = [format!("{home}:${{SLOT}}"), format!("{home}-${{PV}}")];
                let is_atom = |text: &String| atoms.iter().any(|atom| text.contains(atom));
                if !home.is_empty() && texts.iter().any(is_atom) {
                    all.insert(&other.package);
                }
            }
        }
        all
    }
}
