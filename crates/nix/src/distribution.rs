//! The rules of nixpkgs by which the library calls this crate.

use crate::lower::render::{files_of_scope, lowered};
use rocpkg_model::Findings;
use rocpkg_render::{TemplateError, Templates};
use rocpkg_resolve::{Capabilities, Plan, Planned, Recipes};
use rocpkg_shell::{Distribution, Edition, Preparation, RenderResult, ScopeFile, Start};
#[cfg(feature = "checkout")]
use {
    rocpkg_shell::{ExistingRecipes, Landmark, Layout, TopRecipe, WrongSum},
    rocpkg_syntax::{Checked, LocalFile, Outline, Reading, Surroundings, Values},
};

/// The distribution nixpkgs.
pub struct Nixpkgs;

impl Distribution for Nixpkgs {
    fn capabilities(&self) -> &'static Capabilities {
        &crate::lower::capabilities::CAPABILITIES
    }

    fn words(&self) -> Vec<String> {
        crate::lower::model_text::words()
    }

    fn recipe_ending(&self) -> &'static str {
        ".nix"
    }

    fn preparation(&self) -> Preparation {
        Preparation {
            phases: &[
                ("postUnpack", false),
                ("prePatch", false),
                ("postPatch", true),
            ],
            start: Start::Project,
            patches_first: true,
            restricts_patches: true,
            replace_fails: true,
        }
    }

    fn builds_references(&self) -> bool {
        true
    }

    fn render(
        &self,
        editions: &[Edition],
        templates: &Templates,
        findings: &mut Findings,
    ) -> RenderResult {
        let (rendered, recipes) =
            crate::lower::render::render(&editions[0].plan, templates, findings)?;
        Ok((rendered, vec![recipes]))
    }

    /// Returns the GPU targets without printing the expressions. Printing is slow, since it formats
    /// each expression.
    fn recipes(
        &self,
        plan: &Plan,
        _templates: &Templates,
        findings: &mut Findings,
    ) -> Result<Recipes, TemplateError> {
        let (_, lowered) = lowered(plan, findings);
        let all = lowered
            .into_iter()
            .map(|(p, lowered, _)| (p.id.as_str(), lowered.builds));
        Ok(crate::lower::builds::recipes(plan, all))
    }

    fn own_rebuilds(&self) -> Option<&'static str> {
        Some("Nix rebuilds a package when its inputs change")
    }

    /// Returns false, because builds see only their inputs and fail by themselves.
    fn is_reviewed(&self) -> bool {
        false
    }

    /// Returns true, because all packages are in one scope.
    fn needs_all(&self) -> bool {
        true
    }

    fn scope_files(&self, plan: &Plan) -> Vec<ScopeFile> {
        files_of_scope(plan)
    }

    fn refers_to(&self, package: &Planned, other: &Planned) -> bool {
        crate::lower::beside::is_named_by(package, &crate::lower::attribute(other))
    }
}

#[cfg(feature = "checkout")]
impl ExistingRecipes for Nixpkgs {
    fn layout(&self) -> Layout {
        Layout {
            landmark: Landmark::Folder("pkgs/top-level"),
            top: TopRecipe::Any,
            packages: None,
            without_packages: &[],
        }
    }

    /// Returns false for a file that contains no derivation, since a folder of Nix files need not
    /// be a package.
    fn is_package(&self, text: &str) -> bool {
        crate::existing::values::one_derivation(text).is_some()
    }

    fn reading(&self, _path: &str) -> Reading {
        crate::existing::reading()
    }

    fn check(&self, text: &str, surroundings: &Surroundings) -> Checked {
        crate::check::check(text, surroundings)
    }

    fn checks_unknown_sums(&self) -> bool {
        true
    }

    fn wrong_sums(&self, new: &Outline, after: &Outline) -> Vec<WrongSum> {
        let mut all = Vec::new();
        crate::existing::stale::wrong_hashes(new, &new.root, &after.root, &mut all);
        all
    }

    fn without_stale_sums(&self, existing: &Outline, text: String, after: &Outline) -> String {
        match crate::existing::reading().read(&text) {
            Ok(new) if self.stated(&new, "") != self.stated(existing, "") => {
                crate::existing::stale::without_kept(existing, &new, after)
            }
            _ => text,
        }
    }

    fn with_sums_of(&self, text: &str, there: &str) -> String {
        crate::existing::sums_from(text, there)
    }

    fn applies_addresses(&self) -> bool {
        true
    }

    fn values(&self, text: &str, _surroundings: &Surroundings) -> Values {
        crate::existing::values::values(text)
    }

    /// Returns the version, wherever in the file the text is that it is made of.
    fn stated(&self, recipe: &Outline, _path: &str) -> Option<String> {
        let mut values = crate::existing::values::values(&recipe.text);
        values.remove("derivation.version")?.words.pop()
    }

    fn local_files(&self, text: &str, _path: &str) -> Option<Vec<LocalFile>> {
        crate::check::local_files(text)
    }

    fn counted(
        &self,
        text: &str,
        (there, _): (&str, &str),
        _is_same: bool,
        _again: bool,
    ) -> String {
        crate::existing::formatted(text, there)
    }
}
