//! `rocpkg upstream latest`: lists the newest release in each of upstream's repositories.

use crate::args::UpstreamLatestArgs;
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome};
use crate::settings::Settings;
use rocpkg::internal::resolve::Release;
use rocpkg::latest::{Latest, TaggedRepository, TaggedSource};
use rocpkg_upstream::Policy;
use serde_json::{Value, json};
use std::path::Path;

pub(super) fn run(args: &UpstreamLatestArgs, verbose: bool) -> Result<Outcome, Error> {
    let settings = Settings::of(Path::new("."))?.unwrap_or_default();
    let stack = args.model.stack_over(&settings.profiles())?;
    // In a checkout, its own packages are looked up if nothing is named.
    let own = settings
        .distribution
        .filter(|_| args.distros.is_empty() && args.package.is_empty());
    let (distros, packages) = match own {
        Some(backend) => (vec![backend], settings.looked_up(&stack, backend, &[])?),
        None => (args.distros.clone(), args.package.clone()),
    };
    let policy = Policy {
        mirror: args.mirror.clone(),
        ..Policy::default()
    };
    let latest = stack.latest(&distros, &packages, &policy)?;
    let newest = latest.newest();
    let is_partly = newest.is_some_and(|newest| latest.waiting(newest).next().is_some());
    let is_read = latest.failed.is_empty() && other_forms(&latest).is_empty();
    let is_whole = !is_partly && is_read && newest.is_some();
    let outcome = if args.json {
        Outcome::json(&value(&latest))
    } else {
        Outcome::done(text(&latest, verbose))
    };
    Ok(Outcome {
        status: if is_whole { OK } else { DIFFERS },
        ..outcome
    })
}

/// Returns a line about each repository with a newer tag in another form, or an empty text.
pub(crate) fn other_forms(latest: &Latest) -> String {
    let of = |r: &TaggedRepository| {
        let tag = r.other_form.as_ref()?;
        Some(format!(
            "{} has the tag {tag}, which looks newer but has not the form of the newest release line ({})\n",
            name(&r.source),
            r.source.scheme
        ))
    };
    latest.repositories.iter().filter_map(of).collect()
}

fn name(source: &TaggedSource) -> String {
    format!("{}/{}", source.owner, source.repository)
}

fn value(latest: &Latest) -> Value {
    let of = |r: &TaggedRepository| {
        let newest = r.releases.last_key_value();
        json!({
            "repository": name(&r.source),
            "address": r.source.address,
            "release": newest.map(|(release, _)| release.whole()),
            "tag": newest.map(|(_, tag)| tag),
            "other_form": r.other_form,
            "packages": r.source.packages,
        })
    };
    let newest = latest.newest();
    let names = |all: &mut dyn Iterator<Item = &TaggedRepository>| -> Vec<String> {
        all.map(|r| name(&r.source)).collect()
    };
    let failed =
        |(source, why): &(TaggedSource, String)| json!({"repository": name(source), "why": why});
    json!({
        "release": newest.map(Release::whole),
        "waiting": newest.map(|newest| names(&mut latest.waiting(newest))).unwrap_or_default(),
        "ended": newest.map(|newest| names(&mut latest.ended(newest))).unwrap_or_default(),
        "repositories": latest.repositories.iter().map(of).collect::<Vec<_>>(),
        "failed": latest.failed.iter().map(failed).collect::<Vec<_>>(),
        "pinned": latest.pinned,
    })
}

fn text(latest: &Latest, verbose: bool) -> String {
    let mut out = String::new();
    match latest.newest() {
        None => out.push_str("no repository has a tag of a release\n"),
        Some(newest) => out.push_str(&head(latest, newest)),
    }
    out.push_str(&other_forms(latest));
    let width = latest
        .repositories
        .iter()
        .map(|r| name(&r.source).len())
        .max();
    let width = width.unwrap_or_default();
    for r in &latest.repositories {
        let name = name(&r.source);
        let found = r.releases.last_key_value();
        let found = found.map_or_else(
            || "no release".to_owned(),
            |(release, tag)| format!("{} ({tag})", release.whole()),
        );
        let packages = &r.source.packages;
        let packages = match packages.len() {
            1..4 => packages
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", "),
            _ if verbose => packages
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", "),
            count => format!("{count} packages"),
        };
        out.push_str(&format!("  {name:width$}  {found}: {packages}\n"));
    }
    for (source, why) in &latest.failed {
        out.push_str(&format!("could not be read: {}: {why}\n", name(source)));
    }
    if !latest.pinned.is_empty() {
        let list = latest.pinned.iter().map(String::as_str).collect::<Vec<_>>();
        out.push_str(&format!(
            "not looked up, because no tag says when they change: {}\n",
            list.join(", ")
        ));
    }
    out
}

/// Returns the lines about the newest release as a whole.
fn head(latest: &Latest, newest: &Release) -> String {
    let names = |all: Vec<&TaggedRepository>| {
        let each = all.into_iter().map(|r| match r.newest() {
            Some(release) => format!("{} ({})", name(&r.source), release.whole()),
            None => name(&r.source),
        });
        each.collect::<Vec<_>>().join(", ")
    };
    let waiting: Vec<_> = latest.waiting(newest).collect();
    let mut out = format!("{} is the newest release", newest.whole());
    if !waiting.is_empty() {
        out.push_str(&format!(
            ", partly tagged: {} of {} repositories wait for it: {}",
            waiting.len(),
            latest.repositories.len(),
            names(waiting)
        ));
    }
    out.push('\n');
    let ended: Vec<_> = latest.ended(newest).collect();
    if !ended.is_empty() {
        out.push_str(&format!(
            "without a release of the last two lines: {}\n",
            names(ended)
        ));
    }
    out
}
