//! The values of an ebuild's words as patterns, in which `*` stands for parts that are not known.

use super::globals::Portage;
use super::recipe::Recipe;
use rocpkg_bash::evaluate::{Part, Run, Value};
use std::ops::Range;

/// Evaluates words of an ebuild, at the end of its global scope. Variables that functions set are
/// not known.
pub(super) struct Patterns<'r> {
    recipe: &'r Recipe<'r>,
    pub(super) run: Run<Portage<'r>>,
}

impl<'r> Patterns<'r> {
    pub(super) fn of(recipe: &'r Recipe<'r>) -> Self {
        let mut run = recipe.globals().run(recipe);
        let sets = recipe.script.sets.iter();
        for set in sets.filter(|set| set.scope.function.is_some()) {
            run.forget(&set.name, "a function sets it");
        }
        Self { recipe, run }
    }

    /// Returns the value of the word at the bytes `at`; `*` if the word has several values.
    pub(super) fn word(&mut self, at: &Range<usize>) -> String {
        let written = self.recipe.slice(at);
        if is_plain(written) {
            return written.to_owned();
        }
        let assignment = format!("X=({written})");
        let value = self.run.assigned(&assignment, 0);
        match value.as_ref().map(|(_, _, value)| value.elements()) {
            Some(Ok([one])) => pattern(&one.parts),
            _ => "*".to_owned(),
        }
    }

    /// Returns the value of the bytes `at`, which are a part of a text in double quotes.
    pub(super) fn quoted(&mut self, at: &Range<usize>) -> String {
        let written = self.recipe.slice(at);
        if is_plain(written) {
            return written.to_owned();
        }
        let assignment = format!("X=\"{written}\"");
        let value = self.run.assigned(&assignment, 0);
        value.map_or_else(
            || "*".to_owned(),
            |(_, _, value)| pattern(&value.text().parts),
        )
    }
}

/// Returns true for text in which bash expands nothing.
fn is_plain(written: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/+-:=@,%".contains(c);
    !written.is_empty() && written.chars().all(is_plain)
}

pub(super) fn pattern(parts: &[Part]) -> String {
    let parts = parts.iter().map(|part| match part {
        Part::Text(text) => text,
        Part::Open { .. } => "*",
    });
    parts.collect()
}

/// Returns a value behind the variable `name` of Portage, at which it begins: `${WORKDIR}/hip` →
/// `/hip`.
pub(super) fn behind(value: &Value, name: &str) -> Option<String> {
    let (first, rest) = value.parts.split_first()?;
    match first {
        Part::Open {
            variable: Some(variable),
            ..
        } if **variable == *name => Some(pattern(rest)),
        _ => None,
    }
}
