//! The states of packages after a bump, as text.

use rocpkg::Backend;
use rocpkg::bump::ReviewItem;
use rocpkg::checkout::{BumpReport, State};
use std::collections::BTreeMap;

/// The states of the packages, as they are printed.
pub(super) struct ShownStates<'r> {
    pub(super) report: &'r BumpReport,
    pub(super) backend: Backend,
    /// The reasons why packages are not committed, by their ids.
    pub(super) uncommitted: &'r BTreeMap<String, String>,
}

impl ShownStates<'_> {
    /// Returns the number of packages that are done, and of those that are not.
    pub(super) fn count(&self) -> String {
        let states = &self.report.states;
        let is_kept = |state: &&State| matches!(state, State::Kept { .. });
        let kept = states.values().filter(is_kept).count();
        let done = states.values().filter(|state| state.is_done()).count() - kept;
        let kept = match kept {
            0 => String::new(),
            _ => format!(", {kept} at this release already"),
        };
        let left = match self.uncommitted.len() {
            0 => String::new(),
            left => format!(", {left} can't be committed yet"),
        };
        format!("{done} of {} packages are done{kept}{left}", states.len())
    }

    /// Returns the packages by id, with their states. Packages that are done come last.
    pub(super) fn sorted(&self) -> impl Iterator<Item = (&String, &State)> {
        let (done, rest): (Vec<_>, Vec<_>) = self
            .report
            .states
            .iter()
            .partition(|(_, state)| state.is_done());
        rest.into_iter().chain(done)
    }

    /// Returns the count, and one line for each package with its state.
    pub(super) fn table(&self) -> String {
        let width = self.report.states.keys().map(String::len).max();
        let width = width.unwrap_or_default();
        let line = |(id, state)| format!("  {id:width$}  {}\n", self.shown(id, state));
        let lines: String = self.sorted().map(line).collect();
        format!("{}\n{lines}", self.count())
    }

    /// Returns the state of the package `id` as text, with the number of items to review, and the
    /// reason why the package is not committed.
    pub(super) fn shown(&self, id: &String, state: &State) -> String {
        let mut shown = state.to_string();
        let name = self.report.names.get(id).unwrap_or(id);
        let is_of = |look: &&ReviewItem| look.packages_of(self.backend).any(|n| n == name);
        let looks = self.report.bumped.look.iter().filter(is_of).count();
        if *state == State::Done && looks > 0 {
            let noun = if looks == 1 { "item" } else { "items" };
            shown.push_str(&format!(", {looks} {noun} to review"));
        }
        if let Some(reason) = self.uncommitted.get(id) {
            shown.push_str(&format!("; not committed: {reason}"));
        }
        shown
    }
}
