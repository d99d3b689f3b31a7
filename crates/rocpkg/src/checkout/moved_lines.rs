//! The places of a recipe's lines after an edit.

use super::existing_recipe::Conflict;
use similar::{DiffOp, TextDiff};

/// The lines of a text, and where they are in an edited text.
pub(super) struct MovedLines {
    ops: Vec<DiffOp>,
}

impl MovedLines {
    pub(super) fn new(old: &str, new: &str) -> Self {
        Self {
            ops: TextDiff::from_lines(old, new).ops().to_vec(),
        }
    }

    /// Returns the place in the new text of a line of the old text, both from 1, and true if the
    /// line is unchanged. A line that went has the place of the line behind it.
    fn line(&self, line: usize) -> (usize, bool) {
        let at = line.saturating_sub(1);
        let Some(op) = self.ops.iter().find(|op| op.old_range().contains(&at)) else {
            let last = self.ops.last().map_or(0, |op| op.new_range().end);
            return (last.max(1), false);
        };
        let (from, new) = (at - op.old_range().start, op.new_range());
        match op {
            DiffOp::Equal { .. } => (new.start + from + 1, true),
            _ => (new.start + from.min(new.len().saturating_sub(1)) + 1, false),
        }
    }

    /// Returns the conflicts of the old text with their places in the new text, which is that of
    /// the recipe `path`.
    pub(super) fn moved(&self, conflicts: Vec<Conflict>, path: &str) -> Vec<Conflict> {
        let moved = |conflict: Conflict| {
            let (line, is_same) = self.line(conflict.line);
            Conflict {
                path: path.to_owned(),
                line,
                column: if is_same { conflict.column } else { 1 },
                ..conflict
            }
        };
        conflicts.into_iter().map(moved).collect()
    }
}
