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
