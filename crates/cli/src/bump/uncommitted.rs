//! The packages of a bump that must not be committed, with the reasons.

use crate::args::CommitMode;
use rocpkg::Backend;
use rocpkg::checkout::{BumpReport, State, Written};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// The beginning of the reason of a package that waits for others.
pub(super) const WAITS: &str = "waits for ";

/// Packages, each with the packages for which it waits. All are ids.
type Waits<'b> = BTreeMap<&'b str, BTreeSet<&'b str>>;

/// The files and packages of a bump, as far as they decide what is committed.
pub(super) struct Decisions<'b> {
    pub(super) backend: Backend,
    pub(super) mode: CommitMode,
    /// The folder of the checkout.
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

impl<'b> Decisions<'b> {
    /// Returns true if the mode commits packages in this state.
    pub(super) fn may_commit(&self, state: &State) -> bool {
        self.mode == CommitMode::All || state.is_done()
    }

    /// Returns the packages that the mode would commit and that must not be committed, by their
    /// ids. Each has its reason, as a clause: `waits for hip, rocblas`.
    pub(super) fn reasons(&self) -> BTreeMap<String, String> {
        let states = self.report.states.iter();
        let may = states.filter(|(_, state)| self.may_commit(state));
        let mut reasons: BTreeMap<String, String> = may
            .filter_map(|(id, _)| Some((id.clone(), self.own_reason(id)?)))
            .collect();
        // The scope of nixpkgs is committed as a whole.
        if self.mode != CommitMode::All && self.backend != Backend::Nix {
            let waits = self.waits(&reasons);
            reasons.extend(waits.into_iter().map(|(id, open)| {
                let open = Vec::from_iter(open).join(", ");
                (id.to_owned(), format!("{WAITS}{open}"))
            }));
        }
        reasons
    }

    /// Returns the existing recipes of a package, relative to the checkout.
    pub(super) fn recipes(&self, id: &str) -> impl Iterator<Item = &'b str> {
        let owned = self.written.owners.iter();
        let own = owned.filter(move |(_, owner)| *owner == id);
        let (backend, folder) = (self.backend, self.folder);
        own.map(|(path, _)| path.as_str())
            .filter(move |path| backend.is_recipe(path) && folder.join(path).is_file())
    }

    /// Returns true if the file was neither written by the bump nor committed before.
    fn is_uncommitted(&self, path: &str) -> bool {
        let is_written = self.written.report.written.iter().any(|own| own == path);
        let has_changes = self.changed.contains(path) || self.hidden.contains_key(path);
        !is_written && (has_changes || !self.tracked.contains(path))
    }

    /// Returns the reason why a package can't be committed, whatever becomes of the others: one of
    /// its files has changes of others, or its recipe does not state the release. Returns `None` if
    /// there is no reason.
    fn own_reason(&self, id: &str) -> Option<String> {
        let of = |path: &str, what: &str| match self.hidden.get(path) {
            Some(flag) => {
                format!("git hides edits of {path}{what} because it has the flag {flag}")
            }
            None => format!("{path}{what} has uncommitted changes"),
        };
        for recipe in self.recipes(id) {
            if self.is_uncommitted(recipe) {
                return Some(of(recipe, ""));
            }
            let base = self.written.bases.get(recipe);
            if let Some(base) = base.filter(|base| self.is_uncommitted(base)) {
                return Some(of(base, ", from which its ebuild is made,"));
            }
        }
        for patch in self.written.patches.get(id).into_iter().flatten() {
            let (home, _) = patch.path.rsplit_once('/').unwrap_or_default();
            let file = format!("{home}/{}", patch.file);
            let file = file.trim_start_matches('/');
            if self.folder.join(file).is_file() && self.is_uncommitted(file) {
                return Some(of(file, ", which its recipe applies,"));
            }
        }
        let stated = self.written.stated.get(id);
        let stated = stated.filter(|_| self.written.behind.contains(id))?;
        Some(format!("its recipe still states {stated}"))
    }

    /// Returns true if the committed recipes of a package were at the release before the bump.
    fn is_at_release(&self, id: &str, state: &State) -> bool {
        let is_committed = |path: &str| {
            let mut written = self.written.report.written.iter();
            !self.is_uncommitted(path) && !written.any(|own| own == path)
        };
        let is_touched = !matches!(state, State::Untouched { .. });
        is_touched && !self.written.behind.contains(id) && self.recipes(id).all(is_committed)
    }

    /// Returns the packages that need a package which this run leaves uncommitted, directly or
    /// through other packages. Each has the packages for which it waits. `reasons` contains the
    /// packages that have a reason of their own.
    fn waits(&self, reasons: &BTreeMap<String, String>) -> Waits<'b> {
        let report = self.report;
        let is_left = |(id, state): &(&'b String, &'b State)| {
            let is_committed = self.may_commit(state) && !reasons.contains_key(*id);
            !is_committed && !self.is_at_release(id, state)
        };
        let left = report.states.iter().filter(is_left);
        let mut open: Waits = left
            .map(|(id, _)| (id.as_str(), BTreeSet::from([id.as_str()])))
            .collect();
        let written = self.written.report.written.iter();
        let moving: BTreeSet<&str> = written
            .filter_map(|path| self.written.owners.get(path))
            .map(String::as_str)
            .filter(|id| report.states.contains_key(*id) && !open.contains_key(id))
            .filter(|id| !reasons.contains_key(*id))
            .collect();
        let needs: Waits = moving.iter().map(|id| (*id, self.needs(id))).collect();
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
            let read = |path| fs::read_to_string(self.folder.join(path)).ok();
            let texts: Vec<String> = self.recipes(id).filter_map(read).collect();
            for (path, owner) in &self.written.owners {
                let home = path.rsplit_once('/').map_or("", |(home, _)| home);
                let atoms = [format!("{home}:${{SLOT}}"), format!("{home}-${{PV}}")];
                let is_atom = |text: &String| atoms.iter().any(|atom| text.contains(atom));
                if self.backend.is_recipe(path) && owner != id && texts.iter().any(is_atom) {
                    all.insert(owner);
                }
            }
        }
        all
    }
}
