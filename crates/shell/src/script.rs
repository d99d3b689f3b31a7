//! Joins the parts of a function or script of a recipe.

use crate::dialect::Dialect;
use crate::flags::edits;
use crate::names::{Variables, named_environment};
use rocpkg_model::FlagEdit;
use rocpkg_render::bash::Stmt;

/// Returns the two parts of a script that come before its steps: the statements that edit flags,
/// and those that set variables of the environment.
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

/// Joins two lists of statements, with an empty line between them if both contain statements.
pub fn apart(mut first: Vec<Stmt>, second: Vec<Stmt>) -> Vec<Stmt> {
    if !first.is_empty() && !second.is_empty() {
        first.push(Stmt::Blank);
    }
    first.extend(second);
    first
}
