//! The rules of Gentoo by which the library calls this crate.

use rocpkg_model::Findings;
use rocpkg_render::Templates;
use rocpkg_resolve::{Capabilities, Plan, Planned};
use rocpkg_shell::{Distribution, Edition, Preparation, RenderResult, Start};
#[cfg(feature = "checkout")]
use {
    rocpkg_shell::{Commands, Excluded, ExistingRecipes, Landmark, Layout, TopRecipe},
    rocpkg_syntax::{Checked, LocalFile, Outline, Reading, Surroundings, Values},
    std::collections::BTreeMap,
};

/// The distribution Gentoo.
pub struct Gentoo;

impl Distribution for Gentoo {
    fn capabilities(&self) -> &'static Capabilities {
        &crate::lower::capabilities::CAPABILITIES
    }

    fn words(&self) -> Vec<String> {
        crate::lower::vocabulary::words()
    }

    fn recipe_ending(&self) -> &'static str {
        ".ebuild"
    }

    fn render(
        &self,
        editions: &[Edition],
        templates: &Templates,
        findings: &mut Findings,
    ) -> RenderResult {
        Ok(crate::lower::repository::render(
            editions, templates, findings,
        ))
    }

    fn preparation(&self) -> Preparation {
        Preparation {
            phases: &[("unpack", false), ("prepare", true)],
            start: Start::Project,
            patches_first: false,
            restricts_patches: false,
            replace_fails: false,
        }
    }

    /// Returns the package's folder in its category: `sci-libs/rocBLAS`.
    fn package_folder(&self, plan: &Plan, package: &Planned) -> String {
        format!(
            "{}/{}",
            crate::lower::context::category(plan, package),
            package.name
        )
    }

    fn own_rebuilds(&self) -> Option<&'static str> {
        Some("Portage rebuilds dependents by their slot operators (`:=`)")
    }

    fn keeps_several(&self) -> bool {
        true
    }
}

#[cfg(feature = "checkout")]
impl ExistingRecipes for Gentoo {
    fn layout(&self) -> Layout {
        Layout {
            landmark: Landmark::Recipes(&["", "*", "*/*"]),
            top: TopRecipe::Refused(
                "a package's folder: expected the root of its repository, which contains `profiles` and `metadata`",
            ),
            packages: Some("*/*"),
            without_packages: &["metadata", "profiles", "eclass", "licenses"],
        }
    }

    fn has_repository(&self) -> bool {
        true
    }

    fn reading(&self, path: &str) -> Reading {
        crate::existing::reading::reading(path)
    }

    fn check(&self, text: &str, surroundings: &Surroundings) -> Checked {
        crate::check::check(text, surroundings)
    }

    fn required(&self) -> Option<&'static str> {
        Some("EAPI")
    }

    fn excluded(
        &self,
        recipe: &Outline,
        path: &str,
        versions: &BTreeMap<String, String>,
    ) -> Vec<Excluded> {
        let all = crate::check::excluded_versions(&recipe.text, path, versions);
        let all = all.unwrap_or_default().into_iter();
        let excluded = |own: crate::check::ExcludedVersion| Excluded {
            at: own.at,
            dependency: own.atom,
            package: own.package,
            version: own.version,
        };
        all.map(excluded).collect()
    }

    fn values(&self, text: &str, surroundings: &Surroundings) -> Values {
        crate::check::values(text, surroundings)
    }

    fn commands(&self, text: &str, path: &str) -> Option<Commands> {
        crate::check::commands(text, path)
    }

    fn local_files(&self, text: &str, path: &str) -> Option<Vec<LocalFile>> {
        crate::check::local_files(text, path)
    }

    fn counted(
        &self,
        text: &str,
        (there, rendered): (&str, &str),
        is_same: bool,
        _again: bool,
    ) -> String {
        crate::existing::ebuild::counted(text, there, rendered, is_same)
    }

    fn in_form_of(&self, rendered: String, there: &str) -> String {
        crate::existing::targets::in_form_of(&rendered, there).unwrap_or(rendered)
    }

    fn counters(&self) -> &'static [&'static str] {
        &["KEYWORDS"]
    }

    fn stated(&self, _recipe: &Outline, path: &str) -> Option<String> {
        crate::existing::reading::version_of(path)
    }

    fn llvm(&self, text: &str, path: &str) -> Option<(&'static str, Vec<u64>)> {
        crate::lower::llvm::named(text, path)
    }

    fn names_highest_llvm(&self, variable: &str) -> bool {
        variable == crate::lower::llvm::MAX_SLOT
    }

    fn set_llvm(&self, text: &str, path: &str, majors: &[u64]) -> Option<String> {
        crate::lower::llvm::set(text, path, majors)
    }

    fn with_llvm(&self, rendered: &str, variable: &str, majors: &[u64]) -> String {
        crate::lower::llvm::with(rendered, variable, majors)
    }

    fn default_phases(&self, text: &str, beside: &Surroundings) -> BTreeMap<String, String> {
        crate::check::default_phases(text, beside)
    }
}
