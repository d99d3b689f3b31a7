//! `rocpkg bump` in a checkout: calls [`rocpkg::checkout::bump`], and commits what it wrote.
//! `shown.rs` has the printed form.

use super::commit::{CheckoutRepository, Committed};
use super::pull_request;
use super::shown::ShownBump;
use super::sparse;
use crate::args::{BumpArgs, BumpTarget, CommitMode};
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome, Verbosity, WRONG, failed};
use crate::report::Report;
use crate::settings::{Settings, is_apart, own_layer};
use crate::sums;
use rocpkg::Backend;
use rocpkg::checkout::{
    BumpReport, BumpRequest, Ending, RecipeEdits, RecipeReport, TodoKind, bump, ending,
};
use rocpkg::checksums::SumSources;
use rocpkg::internal::probe::SourceTrees;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Moves the recipes of a checkout to a release. `named` are the packages of the command line.
pub(super) fn run(
    args: &BumpArgs,
    (settings, backend): (&Settings, Backend),
    named: Vec<String>,
    verbosity: Verbosity,
) -> Result<Outcome, Error> {
    let folder = settings.folder.clone();
    args.report.as_deref().map_or(Ok(()), pull_request::check)?;
    let profiles = [settings.profiles(), args.model.profiles.clone()].concat();
    let stack = settings.stack(&args.model, None, &[backend])?;
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
    let layer = profiles.last().cloned();
    let layer = layer.unwrap_or_else(|| folder.join(&own));
    let open = |_| CheckoutRepository::of(&folder, &layer, profiles.is_empty());
    let repository = args.commit.map(open).transpose()?;
    let request = BumpRequest {
        backend,
        layer: layer.clone(),
        version: target.release.clone(),
        tag: target.tag.clone(),
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
    let outside = sparse::left_out(&stack, backend, &folder)?;
    let refused = |error| match &repository {
        Some(repository) => repository.refused(error),
        None => error,
    };
    let mut report = bump(&stack, &request)
        .map_err(|error| sparse::explained(error, &outside))
        .map_err(|error| refused(forward_only(error, &args.version, &request)))?;
    let new_settings = if report.profiles.is_empty() || !profiles.is_empty() {
        None
    } else {
        Some(settings.add_layer(&own, args.dry_run)?)
    };
    let done = match (&repository, args.commit) {
        (Some(repository), Some(mode)) => committed(repository, mode, &request, &mut report),
        _ => Committed::default(),
    };
    let shown = ShownBump {
        report: &report,
        request: &request,
        known: &settings.versions,
        recipes: Report {
            out: &request.folder,
            stack: &report.stack,
            checkout: Some(&report.checkout),
            prunes: false,
            is_stat: args.stat,
            verbosity,
        },
        settings: new_settings.as_ref(),
        // Packages that were not asked for are no news.
        outside: if request.packages.is_empty() {
            outside
        } else {
            BTreeMap::new()
        },
        commit: args.commit,
        verbosity,
    };
    let gathered = report.gathered.as_ref();
    let gathered = gathered.map(|gathered| sums::remarks(gathered, verbosity));
    let (err, _) = gathered.unwrap_or_default();
    let (out, err) = if args.json {
        let mut value = shown.json();
        value["commits"] = json!(done.messages);
        value["uncommitted"] = uncommitted(&report);
        value["note"] = json!(target.note);
        (Outcome::json(&value).out, err)
    } else {
        (shown.text(&done, &target.note), err + &shown.errors())
    };
    let mut ended = Outcome {
        out,
        err,
        status: status(&report),
        is_paged: args.dry_run && !args.no_pager && !args.json,
    };
    // The files are edited, so these errors come after what was done.
    let file = args.report.as_deref();
    let reported = file.map_or(Ok(()), |file| {
        pull_request::write(file, &shown.markdown(&done, &target.note)?)
    });
    let failure = done.failure.map(Error::Usage);
    for error in failure.into_iter().chain(reported.err()) {
        let failed = failed(&error, verbosity);
        ended.err.push_str(&failed.err);
        ended.status = failed.status;
    }
    Ok(ended)
}

/// Commits what was written, and adds what keeps recipes from being committed to the report.
fn committed(
    repository: &CheckoutRepository,
    mode: CommitMode,
    request: &BumpRequest,
    report: &mut BumpReport,
) -> Committed {
    let RecipeEdits::Written(written) = &report.edits else {
        return Committed::default();
    };
    let written = written.clone();
    let (todos, layer) = repository.todos(mode, request, report, &written);
    for (at, todo) in todos {
        report.recipes[at].add(todo);
    }
    report.recipes.extend(layer);
    repository.commit(mode, request, report, &written)
}

fn status(report: &BumpReport) -> u8 {
    match ending(&report.recipes) {
        Ending::Done => OK,
        Ending::Left => DIFFERS,
        Ending::Nothing => WRONG,
    }
}

/// Returns the error of a bump that would move recipes to an older release, with what to do
/// instead. Other errors stay as they are.
fn forward_only(error: Error, target: &BumpTarget, request: &BumpRequest) -> Error {
    let Error::Library(rocpkg::Error::Older(recipes)) = error else {
        return error;
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
