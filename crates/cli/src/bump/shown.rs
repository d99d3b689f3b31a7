//! The printed forms of a bump in a checkout: text, JSON and Markdown.

use super::commit::Committed;
use super::document::document;
use super::pull_request;
use super::sparse;
use super::tried_patches::ShownPatches;
use crate::args::CommitMode;
use crate::diffs::{colored, from_above, stat};
use crate::error::Error;
use crate::outcome::{Verbosity, shown};
use crate::report::{Report, not_checked};
use crate::todos;
use crate::upstream::ShownProbe;
use rocpkg::checkout::{BumpReport, BumpRequest, RecipeEdits, RecipeReport};
use rocpkg::internal::render::Difference;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The code of the finding about packages that depend on guesses.
const GUESSED: &str = "E0229";

pub(super) struct ShownBump<'r> {
    pub(super) report: &'r BumpReport,
    pub(super) request: &'r BumpRequest,
    pub(super) recipes: Report<'r>,
    /// The releases in `rocpkg.toml`.
    pub(super) known: &'r [String],
    /// The change of `rocpkg.toml`, which names the new folder of profiles.
    pub(super) settings: Option<&'r Difference>,
    /// The packages that a sparse checkout leaves out, with the folders of their recipes.
    pub(super) outside: BTreeMap<String, String>,
    pub(super) commit: Option<CommitMode>,
    pub(super) verbosity: Verbosity,
}

impl ShownBump<'_> {
    pub(super) fn json(&self) -> Value {
        let report = self.report;
        let is_written = !self.request.dry_run;
        let mut value = document(&report.bumped, &report.profiles, is_written);
        value["recipes"] = self.recipes.value(&report.edits, &[]);
        value["packages"] = todos::packages(&report.recipes);
        value["forks"] = json!(report.forks);
        let of_settings = |d: &Difference| json!({"path": d.path, "diff": d.diff});
        value["outside"] = json!(self.outside);
        value["settings"] = json!(self.settings.map(of_settings));
        let probed = self.probed().filter(|shown| !shown.probed.lacks_sources());
        value["patches"] = ShownPatches::of(report).json();
        value["probed"] = probed.map_or(Value::Null, |shown| shown.json());
        value
    }

    /// Returns the report as text: the changes of a dry run, a line that sums up, what is left by
    /// recipe, and the recipes with their states. `note` is about newer releases.
    pub(super) fn text(&self, done: &Committed, note: &str) -> String {
        let (report, verbose) = (self.report, self.verbosity.is_verbose());
        let left = todos::left(&report.recipes, verbose);
        if self.verbosity.is_quiet() {
            return left + &todos::untouched_ones(&report.recipes) + done.left();
        }
        let mut out = self.changes();
        out += &self.headline();
        out += note;
        out += &left;
        out += &self.tried();
        out.extend(report.release_notes.iter().map(|note| format!("{note}\n")));
        out += &todos::to_review(&report.recipes, verbose);
        let merged = report.edits.merged();
        out.extend(merged.notes.iter().map(|note| format!("{note}\n")));
        out += &not_checked(&merged.unchecked, verbose);
        let is_known =
            |version: &String| version.parse().ok().as_ref() == Some(&self.request.version);
        if !self.known.is_empty() && !self.known.iter().any(is_known) {
            let known = self.known;
            out += &format!("rocpkg.toml states other releases: versions = {known:?}\n");
        }
        out += &sparse::text(&self.outside);
        out.extend(report.forks.iter().map(|fork| format!("{fork}\n")));
        out += &todos::table(&report.recipes);
        if let RecipeEdits::Written(written) = &report.edits {
            out += &self.recipes.next_step(&written.merged, &report.recipes);
        }
        out + &done.text()
    }

    /// Returns the errors in the model as text for standard error. Packages that depend on guesses
    /// are listed with the recipes. If verbose, the text has all findings.
    pub(super) fn errors(&self) -> String {
        if self.verbosity.is_verbose() {
            return self.recipes.outcome(&self.report.edits).err;
        }
        let mut faults = self.report.edits.merged().faults.clone();
        faults.retain(|fault| fault.code != GUESSED);
        shown(&faults, self.report.stack.sources(), Verbosity::Quiet)
    }

    /// Returns the differences of a dry run, or the names of the written files that are no recipes.
    fn changes(&self) -> String {
        let layer = self.request.layer.strip_prefix(&self.request.folder);
        let layer = layer.unwrap_or(&self.request.layer);
        let profiles = self.report.profiles.iter().map(|d| Difference {
            path: layer.join(&d.path).display().to_string(),
            diff: from_above(&d.diff, layer),
            kind: d.kind,
        });
        let mut all: Vec<Difference> = profiles.chain(self.settings.cloned()).collect();
        let RecipeEdits::Compared(compared) = &self.report.edits else {
            let written = all.iter().map(|d| format!("written: {}\n", d.path));
            return written.collect();
        };
        all.extend(compared.differences.iter().cloned());
        if self.recipes.is_stat {
            return stat(all.iter().map(|d| (d.path.as_str().into(), d)));
        }
        all.iter().map(|d| colored(&d.diff)).collect()
    }

    fn headline(&self) -> String {
        let files = match &self.report.edits {
            RecipeEdits::Compared(compared) => (compared.differences.len(), "would change"),
            RecipeEdits::Written(written) => {
                let report = &written.report;
                (report.written.len() + report.removed.len(), "changed")
            }
        };
        let (count, verb) = files;
        let noun = if count == 1 { "file" } else { "files" };
        let counts = todos::headline(&self.report.recipes);
        format!("{}: {counts}; {count} {noun} {verb}\n", self.title())
    }

    /// Returns the results of trying patches and steps on upstream's files.
    fn tried(&self) -> String {
        let verbose = self.verbosity.is_verbose();
        let mut out = ShownPatches::of(self.report).text(verbose);
        if let Some(shown) = self.probed() {
            out += &if shown.probed.lacks_sources() {
                let hint = "does --mirror have repositories with the release's tags?";
                format!("{}\n", Error::NoSources(hint))
            } else if verbose {
                shown.text(true)
            } else {
                shown.counts()
            };
        }
        if out.is_empty() {
            out
        } else {
            format!("tried on upstream's files:\n{out}")
        }
    }

    /// Returns the report as Markdown, for the text of a pull request.
    ///
    /// # Errors
    /// When the model has an error at the release that the recipes were of.
    pub(super) fn markdown(&self, done: &Committed, note: &str) -> Result<String, Error> {
        let (report, verbose) = (self.report, true);
        let backend = self.request.backend;
        // With `--commit`, the other edits are not part of the pull request.
        let is_part = |recipe: &&RecipeReport| {
            let is_committed = self.commit != Some(CommitMode::Done) || recipe.is_done();
            recipe.is_changed && is_committed
        };
        let noticed = pull_request::noticed(report, backend, &self.request.version, is_part)?;
        Ok(pull_request::text(
            &self.title(),
            report,
            &[
                ("What users notice", &noticed),
                ("Newer releases", note),
                ("Left to do", &todos::left(&report.recipes, verbose)),
                ("Not committed", done.left()),
                ("Patches", &ShownPatches::of(report).text(verbose)),
                ("To review", &todos::to_review(&report.recipes, verbose)),
            ],
        ))
    }

    /// Returns the name of the stack with the release: `ROCm 7.2.4`.
    fn title(&self) -> String {
        let stack = self.report.stack.model().stack();
        format!("{stack} {}", self.request.version.whole())
    }

    fn probed(&self) -> Option<ShownProbe<'_>> {
        let probed = self.report.probed.as_ref()?;
        let sources = self.report.stack.sources();
        Some(ShownProbe { probed, sources })
    }
}
