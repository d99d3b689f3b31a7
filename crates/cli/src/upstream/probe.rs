//! `rocpkg upstream probe`: tries the steps of recipes on upstream's sources, for instance whether
//! a patch still applies.

use super::steps::{Patches, Sources, Task, Trial, tasks};
use super::trees::{Project, Trees};
use crate::args::UpstreamProbeArgs;
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome};
use rocpkg::explain::is_named;
use rocpkg::model::{Fetch, Findings, Sources as Texts, Span, legible};
use rocpkg::resolve::{Plan, Planned, Range, Release, with_version};
use rocpkg::{Backend, Stack};
use rocpkg_upstream::probe::{Fate, Files};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The code of the finding about a fact that nobody checked for a release.
const UNCHECKED: &str = "W0220";

/// The result of one step of a recipe.
struct Row {
    distro: String,
    package: String,
    release: Release,
    task: Task,
    fate: Fate,
}

/// Tries the steps of recipes on upstream's sources.
pub(super) fn run(args: &UpstreamProbeArgs, verbose: bool) -> Result<Outcome, Error> {
    over(&args.plan.model.stack()?, args, verbose)
}

/// Tries the steps of recipes on upstream's sources, with a stack that was read before.
pub(crate) fn over(
    stack: &Stack,
    args: &UpstreamProbeArgs,
    verbose: bool,
) -> Result<Outcome, Error> {
    let mut backends = args.distros.clone();
    if backends.is_empty() {
        backends = Backend::ALL.to_vec();
        backends.retain(|b| stack.model().distros.contains_key(b.distro()));
    }
    let trees = match (&args.tree, &args.mirror) {
        (Some(folder), _) => Trees::folder(folder)?,
        (None, mirror) => Trees::mirror(mirror.as_deref().unwrap_or_default())?,
    };
    let patches = Patches::of(&args.patches)?;
    let (plans, findings) = stack.plans(&backends, args.plan.choice()?, &args.package)?;
    let mut unmet: BTreeSet<&String> = args.package.iter().collect();
    let (mut rows, mut absent) = (Vec::new(), BTreeSet::new());
    for (backend, plan) in backends.iter().zip(&plans) {
        for p in &plan.packages {
            let named: Vec<&String> = args
                .package
                .iter()
                .filter(|name| is_named(p, name))
                .collect();
            unmet.retain(|name| !named.contains(name));
            if args.package.is_empty() || !named.is_empty() {
                let found = try_all(*backend, plan, p, &trees, &patches)?;
                absent.extend(found.is_none().then(|| p.name.clone()));
                rows.extend(found.into_iter().flatten());
            }
        }
    }
    if let Some(name) = unmet.first() {
        return Err(stack.no_package(&plans, name).into());
    }
    if rows.is_empty() && !absent.is_empty() {
        let hint = if args.mirror.is_some() {
            "has --mirror repositories with the release's tags?"
        } else {
            "does --tree hold source trees?"
        };
        return Err(Error::NoSources(hint));
    }
    let place = |span: Span| stack.sources().place(span);
    let status = if rows
        .iter()
        .all(|r| r.fate.is_fine() || matches!(r.fate, Fate::Unknown(_)))
    {
        OK
    } else {
        DIFFERS
    };
    if args.json {
        let row = |r: &Row| {
            json!({"distribution": r.distro, "package": r.package, "release": r.release.release(), "what": r.task.what,
                "place": place(r.task.span), "fate": r.fate.word(), "said": r.fate.to_string()})
        };
        let all: Vec<Value> = rows.iter().map(row).collect();
        return Ok(Outcome {
            status,
            ..Outcome::json(&json!({"steps": all, "not-at-hand": absent}))
        });
    }
    let mut out = text(&rows, &place, verbose);
    if !absent.is_empty() {
        let list = if verbose {
            absent.iter().cloned().collect::<Vec<_>>().join(", ")
        } else {
            absent.len().to_string()
        };
        out += &format!("packages whose sources are not at hand: {list}\n");
    }
    if args.rows {
        out += &checked(&rows, &findings, stack.sources());
    }
    Ok(Outcome {
        status,
        ..Outcome::done(out)
    })
}

/// Tries all steps of the recipe of `p`. Returns `None` if none of its sources is available.
fn try_all(
    backend: Backend,
    plan: &Plan,
    p: &Planned,
    trees: &Trees,
    patches: &Patches,
) -> Result<Option<Vec<Row>>, Error> {
    let mut sources = Sources::new();
    for source in p
        .sources
        .iter()
        .filter(|s| s.fetch != Fetch::File && !s.repository.is_empty())
    {
        let tag = with_version(&source.tag, &source.version);
        let revision = source.revision.as_ref().unwrap_or(&tag);
        let (owner, repository, path) = (&source.owner, &source.repository, source.path.as_deref());
        if let Some(found) = trees.find(Project {
            owner,
            repository,
            path,
            revision,
        })? {
            sources.insert(source.name.clone(), found);
        }
    }
    if sources.is_empty() {
        return Ok(None);
    }
    let mut files = Files::new(
        sources
            .iter()
            .map(|(name, found)| (name.clone(), &found.tree))
            .collect(),
    );
    let mut rows = Vec::new();
    for task in tasks(backend, p, &sources, patches) {
        let fate = match &task.trial {
            Err(why) => Ok(Fate::Unknown(why.clone())),
            Ok(Trial::Step(step)) => files.take(step),
            Ok(Trial::Commit(source, commit)) => {
                match sources.get(source).and_then(|found| found.git.as_ref()) {
                    None => Ok(Fate::Unknown("no repository is at hand".to_owned())),
                    Some((git, revision)) => files.pick(git, revision, commit, source),
                }
            }
        };
        let fate = match (fate?, &task.open) {
            (Fate::NoText(_), Some(open)) => {
                Fate::Unknown(format!("`${{{open}}}` is not known before the build"))
            }
            (fate, _) => fate,
        };
        let (distro, package, release) =
            (plan.distro_name.clone(), p.name.clone(), p.version.clone());
        rows.push(Row {
            distro,
            package,
            release,
            task,
            fate,
        });
    }
    Ok(Some(rows))
}

/// Returns the steps that no longer fit as text, and the number of steps by result. With `verbose`,
/// the text lists all steps.
fn text(rows: &[Row], place: &dyn Fn(Span) -> String, verbose: bool) -> String {
    let mut out = String::new();
    let mut last = ("", "");
    for row in rows
        .iter()
        .filter(|r| verbose || !r.fate.is_fine() && !matches!(r.fate, Fate::Unknown(_)))
    {
        if last != (&row.distro, &row.package) {
            out += &format!("{} {} {}\n", row.distro, row.package, row.release);
            last = (&row.distro, &row.package);
        }
        let said = format!("{}: {}", row.task.what, row.fate);
        out += &format!("  {} {}\n", place(row.task.span), legible(&said));
    }
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for row in rows {
        let which = if row.fate.is_fine() {
            0
        } else {
            1 + usize::from(matches!(row.fate, Fate::Unknown(_)))
        };
        counts.entry(&row.distro).or_default()[which] += 1;
    }
    for (distro, [fine, wrong, unknown]) in counts {
        let unknown = if unknown == 0 {
            String::new()
        } else {
            format!(", {unknown} could not be tried (-v)")
        };
        out += &format!("{distro}: {fine} fit, {wrong} don't{unknown}\n");
    }
    out
}

/// Returns the lines to add to the profiles, as text: a key `checked` for each fact that fits and
/// that nobody has checked for the release.
fn checked(rows: &[Row], findings: &Findings, sources: &Texts) -> String {
    let line = |span: Span| {
        let path = sources.get(span.file).map_or("", |file| file.path.as_str());
        (path.to_owned(), sources.position(span).line)
    };
    let unchecked = findings
        .sorted()
        .into_iter()
        .filter(|f| f.code == UNCHECKED);
    let open: BTreeMap<_, &str> = unchecked
        .filter_map(|f| Some((line(f.span?), f.label.as_str())))
        .collect();
    let mut out = BTreeMap::new();
    for row in rows {
        let at = line(row.task.span);
        let Some(label) = open.get(&at) else { continue };
        // A fact that several recipes share fits only if it fits for all of them.
        let is_fine = out.get(&at).is_none_or(Option::is_some) && row.fate.is_fine();
        out.insert(
            at,
            if is_fine {
                range(label, &row.release)
            } else {
                None
            },
        );
    }
    let rows = out
        .iter()
        .filter_map(|((path, line), range)| Some((path, line, range.as_ref()?)));
    let rows: String = rows
        .map(|(path, line, range)| format!("  {path}:{line}: checked: \"{range}\"\n"))
        .collect();
    if rows.is_empty() {
        String::new()
    } else {
        format!("what fits, and nobody had checked:\n{rows}")
    }
}

/// Returns the range of releases for which a fact is checked from now on: the releases that `label`
/// states, `release`, and all between them. `checked for 7.1.0` and 7.2.4 give `>=7.1.0, <=7.2.4`;
/// ``checked for `>=8.0, <8.3` `` and 7.2.4 give `>=7.2.4, <8.3.0`. Returns `None` if the label has
/// another form.
fn range(label: &str, release: &Release) -> Option<String> {
    let said = label.strip_prefix("checked for ")?;
    let shown = |parts: [u64; 3]| parts.map(|n| n.to_string()).join(".");
    let release = release.parts();
    let (from, end) = if let Some(range) = said.strip_prefix('`') {
        let range = range.trim_end_matches('`').parse::<Range>().ok()?;
        let end = match range.to() {
            // The end of a range is the first release behind it.
            Some(end) if release < end => format!(", <{}", shown(end)),
            Some(_) => format!(", <={}", shown(release)),
            None => String::new(),
        };
        (range.from(), end)
    } else {
        let stated = said.split(',').next()?.parse::<Release>().ok()?.parts();
        (stated, format!(", <={}", shown(stated.max(release))))
    };
    Some(format!(">={}{end}", shown(from.min(release))))
}
