//! The rules of Solus by which the library calls this crate.

use rocpkg_model::Findings;
use rocpkg_render::Templates;
use rocpkg_resolve::Capabilities;
use rocpkg_shell::{Distribution, Edition, Preparation, RenderResult, Start};
#[cfg(feature = "checkout")]
use {
    rocpkg_shell::{ExistingRecipes, Landmark, Layout, TopRecipe},
    rocpkg_syntax::{Checked, LocalFile, Reading, Surroundings},
};

/// The distribution Solus.
pub struct Solus;

impl Distribution for Solus {
    fn capabilities(&self) -> &'static Capabilities {
        &crate::lower::capabilities::CAPABILITIES
    }

    fn words(&self) -> Vec<String> {
        crate::lower::vocabulary::REFERENCES.words()
    }

    fn recipe_ending(&self) -> &'static str {
        "package.yml"
    }

    fn preparation(&self) -> Preparation {
        Preparation {
            phases: &[("setup", true)],
            start: Start::Source,
            patches_first: false,
            restricts_patches: false,
            replace_fails: false,
        }
    }

    fn render(
        &self,
        editions: &[Edition],
        _templates: &Templates,
        findings: &mut Findings,
    ) -> RenderResult {
        let (rendered, recipes) = crate::lower::render::render(&editions[0].plan, findings);
        Ok((rendered, vec![recipes]))
    }

    /// Returns the path in Solus' repository of packages: `rocblas/package.yml` ->
    /// `packages/r/rocblas/package.yml`. Folders are grouped by the package's first letter. All
    /// packages that begin with `py` are in the group `py`.
    fn in_checkout(&self, path: &str) -> String {
        let group = match path.split_once('/') {
            Some((name, _)) if name.starts_with("py") => "py",
            Some((name, _)) => name.get(..1).unwrap_or("x"),
            None => return path.to_owned(),
        };
        format!("packages/{}/{path}", group.to_ascii_lowercase())
    }
}

#[cfg(feature = "checkout")]
impl ExistingRecipes for Solus {
    fn layout(&self) -> Layout {
        Layout {
            landmark: Landmark::Recipes(&["", "*", "packages/*/*"]),
            top: TopRecipe::Any,
            packages: None,
            without_packages: &[],
        }
    }

    fn reading(&self, _path: &str) -> Reading {
        crate::existing::reading::reading()
    }

    fn check(&self, text: &str, surroundings: &Surroundings) -> Checked {
        crate::check::check(text, surroundings)
    }

    /// Returns true if a line of a step, which is text, enters a folder.
    fn may_enter_folder(&self, text: &str) -> bool {
        text.lines().any(|line| {
            let word = line.split_whitespace().find(|word| *word != "-");
            matches!(word, Some("cd" | "pushd"))
        })
    }

    fn local_files(&self, text: &str, _path: &str) -> Option<Vec<LocalFile>> {
        Some(crate::check::local_files(text))
    }

    /// Returns the list that ypkg's macro `%apply_patches` reads.
    fn patch_list(&self, text: &str) -> Option<LocalFile> {
        let mut lines = text.match_indices("%apply_patches");
        let start_of = |at: usize| text[..at].rfind('\n').map_or(0, |end| end + 1);
        let (start, name) =
            lines.find(|(at, _)| !text[start_of(*at)..*at].trim_start().starts_with('#'))?;
        Some(LocalFile {
            path: "files/series".to_owned(),
            at: start..start + name.len(),
        })
    }

    fn counted(&self, text: &str, (there, _): (&str, &str), is_same: bool, again: bool) -> String {
        crate::existing::counter::counted(text, there, is_same, again)
    }

    fn counters(&self) -> &'static [&'static str] {
        &["release"]
    }
}
