//! `rocpkg bump`: moves the model or a checkout to another release. `checkout.rs` has the part
//! about checkouts.

mod checkout;
mod commit;
mod document;
mod pull_request;
mod shown;
mod sparse;
mod tried_patches;
mod uncommitted;

use crate::args::{BumpArgs, BumpTarget, words};
use crate::diffs::{colored, stat};
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome, Verbosity};
use crate::settings::Settings;
use crate::upstream::other_forms;
use document::document;
use rocpkg::bump::{Bump, Bumped, ReviewItem, SeenTag};
use rocpkg::internal::model::Files;
use rocpkg::internal::render::Difference;
use rocpkg::internal::resolve::{Choice, Release};
use rocpkg::latest::TaggedSource;
use rocpkg::{Backend, Options, Stack};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The files that a whole model must have. A layer, which is merged over the shipped model, does
/// not need them.
const WHOLE: [&str; 3] = ["externals.yaml", "targets.yaml", "upstream.yaml"];

/// The number of review items that are shown for each risk without `-v`. A review item is something
/// that a person has to look at after a bump.
const SHOWN: usize = 8;

/// Returns the texts of checksums that the arguments name, as in [`Bump::sums`].
///
/// # Errors
/// When the file can't be read.
fn sums(args: &BumpArgs) -> Result<Vec<(String, String)>, Error> {
    let read = |file: &PathBuf| {
        let text = fs::read_to_string(file).map_err(|e| Error::file(file, e))?;
        Ok((file.display().to_string(), text))
    };
    args.sums.iter().map(read).collect()
}

/// Moves the model or a checkout to another release, and writes the changes, or only prints them in
/// a dry run.
pub(crate) fn run(args: &BumpArgs, verbosity: Verbosity) -> Result<Outcome, Error> {
    let settings = Settings::of(Path::new("."))?.unwrap_or_default();
    if let Some(backend) = settings.distribution.filter(|_| args.into.is_none()) {
        let (first, named) = words(&args.words);
        if first.is_some_and(|first| first != backend) {
            let said = format!("is a checkout of {}", backend.distro());
            return Err(Error::Usage(format!(
                "{}: {said}",
                settings.folder.display()
            )));
        }
        return checkout::run(
            args,
            (&settings, backend),
            [named, args.package.clone()].concat(),
            verbosity,
        );
    }
    if args.into.is_none() && args.model.profiles.is_empty() {
        return Err(Error::Usage(without_settings()?));
    }
    let (stack, folder) = place(args)?;
    let mut backends = Vec::new();
    for word in &args.words {
        let (Some(backend), _) = words(std::slice::from_ref(word)) else {
            let known = Backend::ALL.map(Backend::folder).join(", ");
            let said = format!(
                "unknown distribution `{word}`: expected {known}; to name a package, use `--package {word}`"
            );
            return Err(Error::Usage(said));
        };
        backends.push(backend);
    }
    if args.commit.is_some() || args.report.is_some() {
        let said = "--commit and --report: expected a checkout with rocpkg.toml (`rocpkg init`)";
        return Err(Error::Usage(said.to_owned()));
    }
    let target = target(args, &stack, &backends, &args.package)?;
    let mut asked = Bump {
        packages: args.package.clone(),
        ..Bump::new(target.release)
    };
    if !backends.is_empty() {
        asked.backends = backends;
    }
    asked.tag = target.tag;
    asked.sums = sums(args)?;
    let bumped = stack.bump(&folder.display().to_string(), &asked)?;
    let differences = bumped.differences(&folder)?;
    let mut status = if moves_all(&bumped, args) {
        OK
    } else {
        DIFFERS
    };
    if !args.dry_run {
        bumped.write(&folder)?;
    } else if !differences.is_empty() {
        status = DIFFERS;
    }
    if args.json {
        let value = document(&bumped, &differences, !args.dry_run);
        return Ok(Outcome {
            status,
            ..Outcome::json(&value)
        });
    }
    if verbosity.is_quiet() {
        return Ok(Outcome {
            status,
            ..Outcome::default()
        });
    }
    let text = text(&bumped, &differences, args, verbosity.is_verbose());
    let note = format!(
        "only the profiles in {} were moved: `bump` edits recipes in a checkout with rocpkg.toml (`rocpkg init`)\n",
        folder.display()
    );
    Ok(Outcome {
        status,
        is_paged: args.dry_run && !args.no_pager,
        ..Outcome::done(target.note + &text + &note)
    })
}

/// Returns true if no distribution is left behind the request. A distribution with a newer release
/// is left if it was named, or if no distribution has the requested release now.
fn moves_all(bumped: &Bumped, args: &BumpArgs) -> bool {
    let newer = bumped.left.iter().filter(|(_, v)| is_newer(v, bumped));
    let newer = newer.count();
    let has_some = !bumped.moved.is_empty() || newer < bumped.left.len();
    newer == 0 || args.words.is_empty() && has_some
}

/// Returns true if `version` is newer than the release of the bump.
fn is_newer(version: &str, bumped: &Bumped) -> bool {
    let read = |text: &str| text.parse::<Release>().ok();
    read(version) > read(&bumped.version)
}

struct Target {
    release: Release,
    /// The tag of the release, if a repository was read.
    tag: Option<SeenTag>,
    /// A line about a newer release that is not taken, or an empty text.
    note: String,
}

/// Returns the release to which packages move. For `latest`, reads the tags of the repositories
/// from which these packages are fetched, and returns the newest release that all of them have.
///
/// # Errors
/// When there is no such release, or one of the repositories can't be read.
fn target(
    args: &BumpArgs,
    stack: &Stack,
    backends: &[Backend],
    packages: &[String],
) -> Result<Target, Error> {
    let latest = match &args.version {
        BumpTarget::Release(version) => {
            let network = args.computed.policy();
            let read = |policy| stack.tag_of(version, backends, packages, &policy);
            return Ok(Target {
                release: version.clone(),
                tag: network.map(read).transpose()?.flatten(),
                note: String::new(),
            });
        }
        BumpTarget::Latest => stack.latest(backends, packages, &args.computed.network())?,
    };
    let name = |s: &TaggedSource| format!("{}/{}", s.owner, s.repository);
    if let Some((source, why)) = latest.failed.first() {
        let said = format!("latest: {} could not be read: {why}", name(source));
        return Err(Error::Usage(said));
    }
    let others = other_forms(&latest);
    let Some(newest) = latest.newest() else {
        let said = format!("latest: no repository has a tag of a release\n{others}");
        return Err(Error::Usage(said.trim_end().to_owned()));
    };
    let waiting: Vec<String> = latest.waiting(newest).map(|r| name(&r.source)).collect();
    let mut note = others;
    if !waiting.is_empty() {
        note += &format!(
            "{newest} is only partly tagged, and missing in {}; `rocpkg bump {newest}` moves to it all the same\n",
            waiting.join(", "),
            newest = newest.whole(),
        );
    }
    let Some(whole) = latest.newest_whole() else {
        return Err(Error::Usage(format!("latest: {}", note.trim_end())));
    };
    let release = whole.whole().parse();
    let release = release.map_err(|e| Error::Usage(format!("latest: {e}")))?;
    let tag = latest.tag(whole);
    Ok(Target { release, tag, note })
}

/// Returns the error of a bump outside of a checkout with settings. It names the command that
/// writes them, with the distribution whose recipes are in the working folder.
///
/// # Errors
/// When the model can't be read.
fn without_settings() -> Result<String, Error> {
    let (stack, folder) = (Stack::shipped()?, Path::new("."));
    let has_recipes = |backend: &Backend| {
        let options = Options {
            backends: vec![*backend],
            choices: vec![Choice::Shipped],
            ..Options::everything()
        };
        let checkout = stack.checkout(*backend, folder, &BTreeMap::new());
        let there = checkout.and_then(|checkout| stack.recipes_there(&options, folder, &checkout));
        there.is_ok_and(|there| !there.is_empty())
    };
    let found = Backend::ALL.into_iter().find(has_recipes);
    let init = match found {
        Some(backend) => format!("`rocpkg init {}` writes it", backend.folder()),
        None => format!(
            "`rocpkg init DISTRO` writes it, with {}",
            Backend::ALL.map(Backend::folder).join(", ")
        ),
    };
    Ok(format!(
        "no rocpkg.toml, the settings of a checkout, is in this folder or above: {init}"
    ))
}

/// Returns the model to move, and the folder to which its changed files are written.
fn place(args: &BumpArgs) -> Result<(Stack, PathBuf), Error> {
    if let Some(into) = &args.into {
        let inner = into.join("profiles");
        let folder = if inner.join(WHOLE[0]).is_file() {
            inner
        } else {
            into.clone()
        };
        if let Some(missing) = WHOLE.iter().find(|name| !folder.join(name).is_file()) {
            let said = format!(
                "contains no whole model: {missing} is missing; to name a layer, use --profiles"
            );
            return Err(Error::file(into, said));
        }
        return Ok((Stack::empty()?.layer(&folder)?, folder));
    }
    let Some((folder, others)) = args.model.profiles.split_last() else {
        return Err(Error::Usage(without_settings()?));
    };
    // An empty folder is a new layer, which gets its contents from this run.
    let is_new = fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none());
    let stack = if is_new {
        let below = args.model.stack_of(others)?;
        below.texts(&folder.display().to_string(), Files::new())
    } else {
        args.model.stack()?
    };
    Ok((stack, folder.clone()))
}

fn text(bumped: &Bumped, differences: &[Difference], args: &BumpArgs, verbose: bool) -> String {
    let mut out = String::new();
    if args.stat {
        out = stat(differences.iter().map(|d| (d.path.as_str().into(), d)));
    }
    for d in differences.iter().filter(|_| !args.stat) {
        if args.dry_run {
            out.push_str(&colored(&d.diff));
        } else {
            out.push_str(&format!("written: {}\n", d.path));
        }
    }
    for (distro, version) in &bumped.left {
        out.push_str(&if is_newer(version, bumped) {
            format!("{distro}: not moved, it has {version}, which is newer\n")
        } else {
            format!("{distro}: nothing to do, it has {version}\n")
        });
    }
    for moved in &bumped.moved {
        let count = moved.packages.len();
        let noun = if count == 1 { "package" } else { "packages" };
        out.push_str(&format!(
            "{}: {} -> {}, {count} {noun}\n",
            moved.distro, moved.from, bumped.version
        ));
    }
    for risk in bumped.look.chunk_by(|a, b| a.risk == b.risk) {
        out.push_str(&format!(
            "\n{} ({}): {}\n",
            risk[0].risk,
            risk.len(),
            risk[0].advice
        ));
        let shown = if verbose { risk.len() } else { SHOWN };
        risk.iter()
            .take(shown)
            .for_each(|look| out.push_str(&line(look)));
        if risk.len() > shown {
            out.push_str(&format!(
                "  and {} more; -v shows them\n",
                risk.len() - shown
            ));
        }
    }
    out
}

fn line(look: &ReviewItem) -> String {
    let place = look
        .place
        .as_ref()
        .map(|place| format!("{place}: "))
        .unwrap_or_default();
    let packages = match look.packages.as_slice() {
        [] => String::new(),
        [one] => format!(" ({one})"),
        [one, more @ ..] => format!(" ({one} and {} more)", more.len()),
    };
    format!("  {place}{}{packages}\n", look.said)
}
