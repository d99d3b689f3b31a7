//! A place outside of the recipes of a checkout of Nix files that sets a release; see `nix_pins.rs`
//! for the search.

use super::todo::{RecipeReport, Todo, TodoKind, TodoPlace};
use crate::backend::Backend;
use rocpkg_nix::internal::Literal;
use rocpkg_resolve::Release;
use rocpkg_syntax::nix;

/// A place outside of the recipes that sets a release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pin {
    pub(super) kind: PinKind,
    /// The package's id; none if the place is about several packages.
    pub(super) package: Option<String>,
    /// The name of the package; empty if the place is about several packages.
    pub(super) name: String,
    pub(super) release: Release,
    /// The path of the file, relative to the checkout.
    pub(super) path: String,
    pub(super) place: TodoPlace,
    /// The strings that are set beside the release and the release itself, which is the first.
    pub(super) beside: Vec<Literal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PinKind {
    Derivation,
    /// A call of `overrideAttrs`.
    Override,
    /// The entry of a package in a table of sources.
    Source,
    /// A release or a tag that is not about a single package.
    Release,
    /// A whole recipe of a package that has another one.
    Further,
}

impl Pin {
    /// Returns the place as `FILE:LINE:COLUMN`.
    pub(super) fn place(&self) -> String {
        format!("{}:{}:{}", self.path, self.place.line, self.place.column)
    }

    pub(super) fn todo(&self) -> Todo {
        let Self { name, release, .. } = self;
        let text = match self.kind {
            PinKind::Derivation => {
                format!("{name} {release} is a derivation inside a set, which is not edited")
            }
            PinKind::Override => {
                format!("`overrideAttrs` sets {name} to {release}, and is not edited")
            }
            PinKind::Source => format!("{name} {release} is set here, outside of a recipe"),
            PinKind::Release => format!("{release} is set here, outside of a recipe"),
            PinKind::Further => {
                format!("another recipe of {name}, at {release}, which is not moved")
            }
        };
        let kind = match self.kind {
            PinKind::Derivation => TodoKind::Leftover,
            _ => TodoKind::Unasked,
        };
        Todo::new(&self.path, kind, text).at(self.place.line, self.place.column)
    }

    /// Returns a report with the todo of a bump to `version`. Only a derivation counts as a recipe
    /// of the run.
    pub(super) fn report(&self, backend: Backend, version: &str) -> RecipeReport {
        let mut report = RecipeReport::of_file(backend, &self.path);
        let mut todo = self.todo();
        if self.kind == PinKind::Derivation {
            report.package = self.package.clone().unwrap_or_default();
            report.name.clone_from(&self.name);
            todo.text += &format!(": change it to {version}, and its hashes");
        } else {
            report.name = self.place();
        }
        report.add(todo);
        report
    }

    /// Returns the string that the recipe's item `expression` selects from the set of this place:
    /// the value of `hash` for `sources.rocblas.hash` and for `inherit (sources.rocblas) hash;`.
    pub(super) fn selected(&self, expression: &str) -> Option<&Literal> {
        let value = expression.rsplit(" = ").next()?;
        let name = value.trim_end_matches(';').rsplit('.').next()?;
        let mut all = self.beside.iter();
        all.find(|literal| literal.names.last().is_some_and(|own| own == name))
    }

    /// Returns true if a difference between a recipe and the model is only that the recipe takes
    /// the value from this place. `name` is the last key of the item.
    pub(super) fn explains(&self, name: &str, existing: Option<&str>, model: Option<&str>) -> bool {
        let Some(model) = model else {
            let names = existing.and_then(|text| text.strip_prefix("inherit (")?.split_once(')'));
            let mut names = names.iter().flat_map(|(_, names)| nix::names(names));
            return names.all(|name| name.is_empty() || self.selected(name).is_some())
                && existing.is_some_and(|text| text.starts_with("inherit ("));
        };
        let own = self.selected(existing.unwrap_or(name));
        own.is_some_and(|own| model.contains(&own.text))
    }
}
