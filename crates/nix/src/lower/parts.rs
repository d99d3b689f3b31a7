//! Builds a package in parts, as `composable_kernel` in nixpkgs. A base derivation, `NAME_base`, is
//! never built itself. Each part is a variant of the base that compiles some goals and keeps only
//! object files. The package is one more variant: it copies the object files into its build folder,
//! where make takes them for built.

use crate::lower::targets::ASKED;
use crate::lower::{Lower, NixFile, base_attribute};
use crate::value::arguments::function;
use crate::value::expr::{Binding, NixExpr};
use crate::value::text::{expression, open_names};
use indexmap::IndexSet;
use rocpkg_model::Part as Group;

/// The template of the expression that joins the parts of a package. A part that is not wanted for
/// the chosen GPU targets is null, so that its name exists in every scope.
const TOGETHER: &str = include_str!("parts.nix.j2");

impl Lower<'_> {
    /// Returns the `default.nix` of a package in parts, which joins them. Returns `None` for other
    /// packages.
    pub(crate) fn parts_file(&mut self) -> Option<NixFile> {
        if !self.nix.parts {
            return None;
        }
        let base = base_attribute(&self.attribute);
        let package = self.package;
        let parts: Vec<Binding> = package
            .parts
            .iter()
            .map(|(key, part)| self.part(key, part))
            .collect();
        let (told, named) = (self.told_to_parts(), self.named_by_broken());
        let asked: Vec<&str> = told
            .iter()
            .filter(|n| *n != ASKED || named.contains(*n))
            .map(String::as_str)
            .collect();
        let told = if asked.is_empty() {
            String::new()
        } else {
            format!("\n  inherit ({base}) {};", asked.join(" "))
        };
        let memory = package.asks(|r| r.memory_per_job);
        let suffix = self
            .suffix()
            .map(|suffix| format!("${{{suffix}}}"))
            .unwrap_or_default();
        let always = self
            .of_holder("gpuArchSuffix")
            .map(|suffix| format!("${{{suffix}}}"))
            .unwrap_or_default();
        let broken = self.parts_broken.take().unwrap_or(NixExpr::Bool(false));
        let context = minijinja::context! {
            told, base, suffix, always,
            gigabytes => memory.map(|m| m.div_ceil(1024)),
            attribute => self.attribute,
            broken => broken.to_string(),
            parts => NixExpr::Set(parts).to_string(),
        };
        let text = minijinja::Environment::new().render_str(TOGETHER, context);
        let text = text.unwrap_or_default();
        let body = NixExpr::read(&text).unwrap_or(NixExpr::Null);
        let path = format!("{}/default.nix", self.attribute);
        Some(NixFile {
            path,
            expr: function(body, &[]),
        })
    }

    /// Returns the names that the base derivation passes to the file with the parts, by `passthru`:
    /// the list of GPU targets, and the names in the parts' conditions and in `meta.broken`.
    pub(crate) fn told_to_parts(&self) -> IndexSet<String> {
        if !self.nix.parts {
            return IndexSet::new();
        }
        let conditions = self.package.parts.values().filter_map(|p| p.when.as_ref());
        let names = conditions.flat_map(|when| open_names(&self.cond(&when.cond)));
        std::iter::once(ASKED.to_owned())
            .chain(names)
            .chain(self.named_by_broken())
            .collect()
    }

    /// Returns the names in the overlay's `meta.broken` that the base's file binds. `callPackage`
    /// can't supply them to the file with the parts.
    fn named_by_broken(&self) -> IndexSet<String> {
        let text = self.nix.meta.as_ref().and_then(|m| m.broken.as_ref());
        let names = text
            .and_then(|t| expression(&t.text).ok())
            .map(|read| read.found.names());
        names
            .into_iter()
            .flatten()
            .filter(|name| self.binds(name))
            .collect()
    }

    fn part(&mut self, key: &str, part: &Group) -> Binding {
        let mut b = Vec::new();
        if let Some(w) = &part.when {
            b.push(Binding::new("enabled", self.cond(&w.cond)));
        }
        if !part.only_for.is_empty() {
            b.push(Binding::new(
                "onlyFor",
                NixExpr::strings(part.only_for.iter().map(|t| &t.value)),
            ));
        }
        b.push(Binding::new(
            "makeTargets",
            NixExpr::strings(part.goals.iter().map(|g| &g.value)),
        ));
        let flag = |(name, value)| {
            NixExpr::call(
                "lib.cmakeFeature",
                [NixExpr::string(name), self.text(value)],
            )
        };
        if !part.arguments.is_empty() {
            b.push(Binding::new(
                "cmakeFlags",
                NixExpr::list(part.arguments.iter().map(flag)),
            ));
        }
        Binding::plain(key, NixExpr::Set(b)).comment(part.comment.clone())
    }
}
