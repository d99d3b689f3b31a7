//! `rocpkg bump` in a checkout: the printed form of [`rocpkg::checkout::bump`].

use super::commit::{CheckoutRepository, Committed};
use super::pull_request;
use super::tried_patches::ShownPatches;
use crate::args::{BumpArgs, BumpTarget};
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome, WRONG, failed};
use crate::report::Report;
use crate::settings::{Settings, is_apart, own_layer};
use crate::sums;
use crate::todos;
use crate::upstream::ShownProbe;
use rocpkg::Backend;
use rocpkg::checkout::{
    BumpReport, BumpRequest, Ending, RecipeEdits, RecipeReport, TodoKind, bump, ending,
};
use rocpkg::checksums::SumSources;
use rocpkg::probe::SourceTrees;
use serde_json::{Value, json};

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
    let is_named = !named.is_empty();
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
        is_named,
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
    let mut report = bump(&stack, &request)
        .map_err(|error| refused(forward_only(error, &args.version, &request)))?;
    if !args.dry_run && !report.profiles.is_empty() && profiles.is_empty() {
        settings.add_layer(&own)?;
    }
    let mut done = Committed::default();
    if let (Some(repository), Some(mode), RecipeEdits::Written(written)) =
        (&repository, args.commit, &report.edits)
    {
        let written = written.clone();
        let (todos, layer) = repository.todos(mode, &request, &report, &written);
        for (at, todo) in todos {
            report.recipes[at].add(todo);
        }
        report.recipes.extend(layer);
        done = repository.commit(mode, &request, &report, &written);
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
    let recipes = shown.recipes.outcome(&report.edits);
    let gathered = report.gathered.as_ref().map(sums::remarks);
    let (err, _) = gathered.unwrap_or_default();
    let status = match ending(&report.recipes) {
        Ending::Done => OK,
        Ending::Left => DIFFERS,
        Ending::Nothing => WRONG,
    };
    let (out, err) = if args.json {
        let mut value = shown.json();
        value["commits"] = json!(done.messages);
        value["uncommitted"] = uncommitted(&report);
        value["note"] = json!(target.note);
        (Outcome::json(&value).out, err)
    } else {
        let text = shown.text(&recipes.out, settings);
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
        value["recipes"] = self.recipes.value(&report.edits, &[]);
        value["packages"] = todos::packages(&report.recipes);
        value["forks"] = json!(report.forks);
        let probed = self.probed().filter(|shown| !shown.probed.lacks_sources());
        value["patches"] = ShownPatches::of(report).json();
        value["probed"] = probed.map_or(Value::Null, |shown| shown.json());
        value
    }

    /// Returns the report as text. `recipes` is the text about the recipes.
    fn text(&self, recipes: &str, settings: &Settings) -> String {
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
        out.push_str(&self.reviewed());
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
        out.push_str(&todos::table(&report.recipes));
        out
    }

    /// Returns the report as Markdown, for the text of a pull request.
    fn markdown(&self, done: &Committed, note: &str) -> String {
        let report = self.report;
        let stack = report.stack.model().stack();
        let title = format!("{stack} {}", self.request.version.whole());
        let left = todos::left(&report.recipes);
        let patches = ShownPatches::of(report).text(true);
        pull_request::text(
            &title,
            report,
            &[
                ("Newer releases", note),
                ("Left to do", &left),
                ("Not committed", done.left()),
                ("Patches", &patches),
                ("To review", &todos::to_review(&report.recipes, true)),
            ],
        )
    }

    /// Returns the facts of the release and of its recipes that a person has to review.
    fn reviewed(&self) -> String {
        let notes = self.report.release_notes.iter();
        let notes = notes.map(|note| format!("{note}\n"));
        notes.collect::<String>() + &todos::to_review(&self.report.recipes, self.verbose)
    }

    fn probed(&self) -> Option<ShownProbe<'_>> {
        let probed = self.report.probed.as_ref()?;
        let sources = self.report.stack.sources();
        Some(ShownProbe { probed, sources })
    }
}

/// Returns the reasons why recipes are not committed, by their keys.
fn uncommitted(report: &BumpReport) -> Value {
    let reason = |recipe: &RecipeReport| {
        let kinds = [TodoKind::Uncommitted, TodoKind::Waits];
        let mut all = recipe.blocking();
        let todo = all.find(|todo| kinds.contains(&todo.kind))?;
        Some((recipe.key().to_owned(), json!(todo.text)))
    };
    Value::Object(report.recipes.iter().filter_map(reason).collect())
}
