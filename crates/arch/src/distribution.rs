//! The rules of Arch by which the library calls this crate.

use rocpkg_model::Findings;
use rocpkg_render::Templates;
use rocpkg_resolve::Capabilities;
use rocpkg_shell::{Distribution, Edition, Preparation, RenderResult, Start};
#[cfg(feature = "checkout")]
use {
    rocpkg_shell::{Commands, Excluded, ExistingRecipes, Landmark, Layout, TopRecipe, WrongSum},
    rocpkg_syntax::{Checked, LocalFile, Outline, Reading, Surroundings, Values},
    std::collections::BTreeMap,
};

/// The distribution Arch Linux.
pub struct Arch;

impl Distribution for Arch {
    fn capabilities(&self) -> &'static Capabilities {
        &crate::lower::capabilities::CAPABILITIES
    }

    fn words(&self) -> Vec<String> {
        crate::lower::vocabulary::REFERENCES.words()
    }

    fn recipe_ending(&self) -> &'static str {
        "PKGBUILD"
    }

    fn preparation(&self) -> Preparation {
        Preparation {
            phases: &[("prepare", true)],
            start: Start::Above,
            patches_first: false,
            restricts_patches: false,
            replace_fails: false,
        }
    }

    fn render(
        &self,
        editions: &[Edition],
        templates: &Templates,
        findings: &mut Findings,
    ) -> RenderResult {
        let (rendered, recipes) =
            crate::lower::render::render(&editions[0].plan, templates, findings);
        Ok((rendered, vec![recipes]))
    }
}

#[cfg(feature = "checkout")]
impl ExistingRecipes for Arch {
    fn layout(&self) -> Layout {
        Layout {
            landmark: Landmark::Recipes(&["", "*"]),
            top: TopRecipe::Package(|text| {
                crate::existing::pkgbuild::base(text).ok_or(
                    "unknown package: expected a `pkgbase` or `pkgname` that is a plain word",
                )
            }),
            packages: Some("*"),
            without_packages: &[],
        }
    }

    fn reading(&self, _path: &str) -> Reading {
        crate::existing::pkgbuild::reading()
    }

    fn check(&self, text: &str, surroundings: &Surroundings) -> Checked {
        crate::check::check(text, surroundings)
    }

    fn excluded(
        &self,
        recipe: &Outline,
        _path: &str,
        versions: &BTreeMap<String, String>,
    ) -> Vec<Excluded> {
        let mut out = Vec::new();
        crate::existing::ranges::excluded(&recipe.root, versions, &mut out);
        out
    }

    fn wrong_sums(&self, new: &Outline, after: &Outline) -> Vec<WrongSum> {
        crate::existing::sums::wrong_sums(new, after)
    }

    fn without_stale_sums(&self, existing: &Outline, text: String, after: &Outline) -> String {
        crate::existing::sums::with_own_sums(existing, text, after)
    }

    fn values(&self, text: &str, _surroundings: &Surroundings) -> Values {
        crate::check::values(text)
    }

    fn commands(&self, text: &str, _path: &str) -> Option<Commands> {
        crate::check::commands(text)
    }

    fn applies_addresses(&self) -> bool {
        true
    }

    fn local_files(&self, text: &str, _path: &str) -> Option<Vec<LocalFile>> {
        crate::check::local_files(text)
    }

    fn counted(&self, text: &str, (there, _): (&str, &str), is_same: bool, again: bool) -> String {
        crate::existing::pkgbuild::counted(text, there, is_same, again)
    }

    fn counters(&self) -> &'static [&'static str] {
        &["pkgrel", "epoch"]
    }
}
