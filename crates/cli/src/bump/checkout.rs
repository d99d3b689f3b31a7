//! `rocpkg bump` in a checkout: the printed form of [`rocpkg::checkout::bump`].

use super::commit::{CheckoutRepository, Committed};
use super::pull_request;
use super::shown_states::ShownStates;
use super::tried_patches::ShownPatches;
use crate::args::{BumpArgs, BumpTarget};
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome, WRONG, failed};
use crate::report::{Report, left};
use crate::settings::{Settings, is_apart, own_layer};
use crate::sums;
use crate::upstream::ShownProbe;
use rocpkg::Backend;
use rocpkg::bump::{Bumped, ReviewItem};
use rocpkg::checkout::{BumpReport, BumpRequest, RecipeEdits, State, bump};
use rocpkg::checksums::SumSources;
use rocpkg::probe::{Probed, SourceTrees};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The number of review items that are shown for a package without `-v`. A review item is something
/// that a person has to look at after a bump.
const SHOWN: usize = 5;

/// Moves the recipes of a checkout to a release. `named` are the packages of the command line.
pub(super) fn run(
    args: &BumpArgs,
    (settings, backend): (&Settings, Backend),
    named: Vec<String>,
    verbose: bool,
) -> Result<Outcome, Error> {
    let folder = settings.folder.clone();
    args.report.as_deref().map_or(Ok(()), pull_request::check)?;
    let profiles = [settings.profiles(), args.model.profiles.clone()].concat();
    let stack = args.model.stack_of(&profiles)?;
    let packages = if named.is_empty() {
        settings.packages.clone()
    } else {
        named
    };
    let moving = match args.version {
        BumpTarget::Latest => settings.looked_up(&stack, backend, &packages)?,
        BumpTarget::Release(_) => packages.clone(),
    };
    let target = super::target(args, &stack, &[backend], &moving)?;
    // The checkout gets a layer of its own if no profiles are named.
    let own = own_layer(&stack);
    let layer = profiles
        .last()
        .cloned()
        .unwrap_or_else(|| folder.join(&own));
    let open = |_| CheckoutRepository::of(&folder, &layer, profiles.is_empty());
    let repository = args.commit.map(open).transpose()?;
    let request = BumpRequest {
        backend,
        layer: layer.clone(),
        version: target.release.clone(),
        packages,
        recipes: settings.recipes.clone(),
        targets: settings.targets.clone(),
        maintainers: settings.maintainers(backend, &folder),
        from: args.from.clone(),
        eclass: args.eclass.or(settings.eclass).map(Into::into),
        allow_guesses: args.allow_guesses,
        run_makepkg: args.run_makepkg || settings.run_makepkg,
        dry_run: args.dry_run,
        known_sums: super::sums(args)?,
        sums: args.computed.policy().map(|policy| SumSources {
            fetch: Some(policy),
            ..SumSources::default()
        }),
        sources: sources(args)?,
        protected: repository
            .as_ref()
            .map(CheckoutRepository::protected)
            .unwrap_or_default(),
        folder: folder.clone(),
    };
    if !args.dry_run {
        is_apart(&request.folder, &profiles)?;
    }
    let refused = |error| match &repository {
        Some(repository) => repository.refused(error),
        None => error,
    };
    let report = bump(&stack, &request)
        .map_err(|error| refused(forward_only(error, &args.version, &request)))?;
    if !args.dry_run && !report.profiles.is_empty() && profiles.is_empty() {
        settings.add_layer(&own)?;
    }
    let shown = ShownBump {
        report: &report,
        request: &request,
        recipes: Report {
            out: &request.folder,
            stack: &report.stack,
            checkout: Some(&report.checkout),
            prunes: false,
            verbose,
        },
        verbose,
    };
    let recipes = shown.recipes.outcome(&report.recipes);
    let gathered = report.gathered.as_ref().map(sums::remarks);
    let (err, status) = gathered.unwrap_or_default();
    let fits = report.probed.as_ref().is_none_or(Probed::fits);
    let is_done = report.is_done() && fits && ShownPatches::of(&report).fit();
    // Packages that were not moved are in the table, with the reason. The run failed only if no
    // package was moved.
    let untouched = |state: &State| matches!(state, State::Untouched { .. });
    let has_some = report.states.values().any(|state| !untouched(state));
    let most = if has_some { DIFFERS } else { WRONG };
    let status = status.max(recipes.status.min(most));
    let status = status.max(if is_done { OK } else { DIFFERS });
    let done = match (&repository, args.commit, &report.recipes) {
        (Some(repository), Some(mode), RecipeEdits::Written(written)) => {
            repository.commit(mode, &request, &report, written)
        }
        _ => Committed::default(),
    };
    let status = status.max(if done.is_whole() { OK } else { DIFFERS });
    let (out, err) = if args.json {
        let mut value = shown.json();
        value["commits"] = json!(done.messages);
        value["uncommitted"] = json!(done.reasons);
        value["note"] = json!(target.note);
        (Outcome::json(&value).out, err)
    } else {
        let text = shown.text(&recipes.out, settings, &done.reasons);
        (
            target.note.clone() + &text + &done.text(),
            err + &recipes.err,
        )
    };
    let mut ended = Outcome { out, err, status };
    // The files are edited, so these errors come after what was done.
    let file = args.report.as_deref();
    let reported = file.map_or(Ok(()), |file| {
        pull_request::write(file, &shown.markdown(&done, &target.note))
    });
    let failure = done.failure.map(Error::Usage);
    for error in failure.into_iter().chain(reported.err()) {
        let failed = failed(&error, verbose);
        ended.err.push_str(&failed.err);
        ended.status = failed.status;
    }
    Ok(ended)
}

/// Returns the error of a bump that would move recipes to an older release, with what to do
/// instead. Other errors stay as they are.
fn forward_only(error: rocpkg::Error, target: &BumpTarget, request: &BumpRequest) -> Error {
    let rocpkg::Error::Older(recipes) = error else {
        return error.into();
    };
    let release = request.version.whole();
    let hint = match target {
        BumpTarget::Latest => format!(
            "{release} is the newest release that all of upstream's repositories have, so nothing is to do for these recipes; name the packages to move"
        ),
        BumpTarget::Release(_) => format!(
            "a bump only moves forward; `rocpkg render --release {release} --older` goes back"
        ),
    };
    Error::OlderRelease { recipes, hint }
}

/// Returns upstream's sources on this machine, if the arguments name any.
fn sources(args: &BumpArgs) -> Result<Option<SourceTrees>, Error> {
    let mirror = args.computed.mirror.as_deref();
    let folder = mirror.and_then(|mirror| mirror.strip_prefix("file://"));
    Ok(folder.map(SourceTrees::mirror).transpose()?)
}

/// The printed form of a report.
struct ShownBump<'r> {
    report: &'r BumpReport,
    request: &'r BumpRequest,
    recipes: Report<'r>,
    verbose: bool,
}

impl ShownBump<'_> {
    /// Returns the report as JSON.
    fn json(&self) -> Value {
        let report = self.report;
        let is_written = !self.request.dry_run;
        let mut value = super::document(&report.bumped, &report.profiles, is_written);
        value["recipes"] = self.recipes.value(&report.recipes, &[]);
        value["packages"] = json!(report.states);
        value["forks"] = json!(report.forks);
        let probed = self.probed().filter(|shown| !shown.probed.lacks_sources());
        value["patches"] = ShownPatches::of(report).json();
        value["probed"] = probed.map_or(Value::Null, |shown| shown.json());
        value
    }

    /// Returns the report as text. `recipes` is the text about the recipes, and `uncommitted` has
    /// the reasons why packages are not committed, by their ids.
    fn text(
        &self,
        recipes: &str,
        settings: &Settings,
        uncommitted: &BTreeMap<String, String>,
    ) -> String {
        let report = self.report;
        let mut out = String::new();
        for d in &report.profiles {
            if self.request.dry_run {
                out.push_str(&d.diff);
            } else {
                let path = self.request.layer.join(&d.path);
                out.push_str(&format!("written: {}\n", path.display()));
            }
        }
        out.push_str(recipes);
        let patches = ShownPatches::of(report).text(self.verbose);
        if !patches.is_empty() {
            out.push_str(&format!(
                "\npatches of the recipes, tried on upstream's files:\n{patches}"
            ));
        }
        if let Some(shown) = self.probed() {
            let text = if shown.probed.lacks_sources() {
                let hint = "does --mirror have repositories with the release's tags?";
                format!("{}\n", Error::NoSources(hint))
            } else {
                shown.text(self.verbose)
            };
            if !text.is_empty() {
                out.push_str(&format!("\ntried on upstream's files:\n{text}"));
            }
        }
        let backend = self.request.backend;
        out.push_str(&by_package(
            &report.bumped,
            backend,
            &report.names,
            self.verbose,
        ));
        let version = Some(&self.request.version);
        let mut versions = settings.versions.iter();
        if !settings.versions.is_empty() && !versions.any(|v| v.parse().ok().as_ref() == version) {
            out.push_str(&format!(
                "rocpkg.toml states other releases: versions = {:?}\n",
                settings.versions
            ));
        }
        for fork in &report.forks {
            out.push_str(&format!("{fork}\n"));
        }
        let packages = ShownStates {
            report,
            backend,
            uncommitted,
        };
        out.push_str(&packages.table());
        out
    }

    /// Returns the report as Markdown, for the text of a pull request.
    fn markdown(&self, done: &Committed, note: &str) -> String {
        let report = self.report;
        let verbose = true;
        let items = by_package(&report.bumped, self.request.backend, &report.names, verbose);
        let conflicts = match &report.recipes {
            RecipeEdits::Written(written) => left(&written.conflicts),
            RecipeEdits::Compared(compared) => left(&compared.conflicts),
        };
        let stack = report.stack.model().stack();
        let title = format!("{stack} {}", self.request.version.whole());
        pull_request::text(
            &title,
            &ShownStates {
                report,
                backend: self.request.backend,
                uncommitted: &done.reasons,
            },
            &[
                ("Newer releases", note),
                ("Left to do", &conflicts),
                ("Not committed", &done.left()),
                ("Patches", &ShownPatches::of(report).text(verbose)),
                ("To review", &items),
            ],
        )
    }

    fn probed(&self) -> Option<ShownProbe<'_>> {
        let probed = self.report.probed.as_ref()?;
        let sources = self.report.stack.sources();
        Some(ShownProbe { probed, sources })
    }
}

/// Returns the review items as text, by package. Items without a package come first, then packages
/// that move. Among these, the packages with the highest risk come first. `names` are the
/// distribution's names of the packages, by id.
fn by_package(
    bumped: &Bumped,
    backend: Backend,
    names: &BTreeMap<String, String>,
    verbose: bool,
) -> String {
    let mut all: BTreeMap<(bool, usize, &str), Vec<&ReviewItem>> = BTreeMap::new();
    let moves = |name: &str| {
        bumped
            .moved
            .iter()
            .flat_map(|m| &m.packages)
            .any(|p| p.name == name)
    };
    for name_of in names.values().map(String::as_str) {
        let of = |look: &&ReviewItem| look.packages_of(backend).any(|name| name == name_of);
        let looks: Vec<&ReviewItem> = bumped.look.iter().filter(of).collect();
        let worst = bumped
            .look
            .iter()
            .position(|look| of(&look))
            .unwrap_or_default();
        if !looks.is_empty() {
            all.insert((!moves(name_of), worst, name_of), looks);
        }
    }
    let shared: Vec<&ReviewItem> = bumped
        .look
        .iter()
        .filter(|look| look.packages.is_empty())
        .collect();
    let parts = Some(("the release", shared))
        .into_iter()
        .filter(|(_, looks)| !looks.is_empty());
    let mut out = String::new();
    for (name, looks) in parts.chain(all.into_iter().map(|((_, _, name), looks)| (name, looks))) {
        out.push_str(&format!("to review in {name} ({}):\n", looks.len()));
        let shown = if verbose { looks.len() } else { SHOWN };
        for look in looks.iter().take(shown) {
            let place = look
                .place
                .as_ref()
                .map(|place| format!("{place}: "))
                .unwrap_or_default();
            out.push_str(&format!("  {}: {place}{}\n", look.risk, look.said));
        }
        if looks.len() > shown {
            out.push_str(&format!(
                "  and {} more; -v shows them\n",
                looks.len() - shown
            ));
        }
    }
    for risk in bumped.look.chunk_by(|a, b| a.risk == b.risk) {
        out.push_str(&format!("{}: {}\n", risk[0].risk, risk[0].advice));
    }
    out
}
