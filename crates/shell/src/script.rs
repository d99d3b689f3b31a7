//! What a function or script of a recipe is put together from.

use crate::dialect::Dialect;
use crate::flags::edits;
use crate::names::{Variables, named_environment};
use rocpkg_model::FlagEdit;
use rocpkg_render::bash::Stmt;

/// What stands before the steps: edits of flags, and variables of the environment.
pub fn head<'e, D: Dialect>(
    d: &mut D,
    flags: impl Iterator<Item = &'e FlagEdit>,
    variables: Option<&Variables>,
) -> [Vec<Stmt>; 2] {
    let edits = edits(d, flags).concat();
    [
        edits,
        variables
            .map(|map| named_environment(d, map))
            .unwrap_or_default(),
    ]
}

/// Statements and others behind them, with an empty line between where there are both.
pub fn apart(mut first: Vec<Stmt>, second: Vec<Stmt>) -> Vec<Stmt> {
    if !first.is_empty() && !second.is_empty() {
        first.push(Stmt::Blank);
    }
    first.extend(second);
    first
}
