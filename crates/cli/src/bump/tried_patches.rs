//! The patches of existing recipes as tried on upstream's sources, in their printed forms.

use rocpkg::checkout::{BumpReport, RecipeEdits};
use rocpkg::internal::model::legible;
use rocpkg::internal::probe::TriedPatch;
use serde_json::{Value, json};

pub(super) struct ShownPatches<'r> {
    tried: &'r [TriedPatch],
    recipes: &'r RecipeEdits,
}

impl<'r> ShownPatches<'r> {
    pub(super) fn of(report: &'r BumpReport) -> Self {
        Self {
            tried: &report.tried_patches,
            recipes: &report.edits,
        }
    }

    fn is_removed(&self, patch: &TriedPatch) -> bool {
        self.recipes.removed(patch).is_some()
    }

    /// Returns the patches that were removed, one on each line, and a line with the numbers of
    /// patches by result. With `verbose`, the text lists all patches. Returns an empty text if no
    /// patch was tried.
    pub(super) fn text(&self, verbose: bool) -> String {
        if self.tried.is_empty() {
            return String::new();
        }
        let mut out = String::new();
        let [mut fine, mut removed, mut wrong, mut unknown] = [0; 4];
        for patch in self.tried {
            let is_removed = self.is_removed(patch);
            let count = if is_removed {
                &mut removed
            } else if patch.applies() {
                &mut fine
            } else if !patch.is_tried() {
                &mut unknown
            } else {
                &mut wrong
            };
            *count += 1;
            if verbose || is_removed {
                let TriedPatch {
                    path, line, column, ..
                } = patch;
                let said = format!("patch `{}`: {}", patch.patch, self.said(patch));
                out += &format!("  {path}:{line}:{column} {}\n", legible(&said));
            }
        }
        let unknown = match unknown {
            0 => String::new(),
            _ => format!(", {unknown} could not be tried (-v)"),
        };
        out + &format!("patches: {fine} apply, {removed} go, {wrong} don't apply{unknown}\n")
    }

    pub(super) fn json(&self) -> Value {
        let row = |patch: &TriedPatch| {
            json!({"package": patch.package, "patch": patch.patch,
                "place": format!("{}:{}:{}", patch.path, patch.line, patch.column),
                "fate": patch.fate.word(), "said": self.said(patch), "removed": self.is_removed(patch)})
        };
        self.tried.iter().map(row).collect()
    }

    fn said(&self, patch: &TriedPatch) -> String {
        let Some(removed) = self.recipes.removed(patch) else {
            return patch.fate.to_string();
        };
        let stays = removed.file_stays.as_ref();
        let stays = stays.map(|why| format!("; its file stays, because {why}"));
        let stays = stays.unwrap_or_default();
        format!("goes, because upstream's sources contain it{stays}")
    }
}
