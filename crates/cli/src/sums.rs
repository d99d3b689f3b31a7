//! `rocpkg sums`: lists what must be fetched, with its checksums.

use crate::args::SumsArgs;
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome, Verbosity, WRONG};
use crate::settings::Settings;
use rocpkg::checksums::{ChecksumRequest, Gathered, SumSources, UnknownSum};
use rocpkg::internal::model::legible;
use rocpkg::{Options, Stack};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Lists what must be fetched. If the arguments request it, computes the checksums or reads them
/// from files.
pub(crate) fn run(args: &SumsArgs, verbosity: Verbosity) -> Result<Outcome, Error> {
    let here = Settings::here()?;
    let stack = args.plan.model.stack_over(&here.profiles())?;
    let mut options = Options {
        backends: args.distros.clone(),
        choices: args.plan.release.clone(),
        packages: args.package.clone(),
        ..Options::everything()
    };
    let own = here
        .distribution
        .filter(|own| args.distros.iter().all(|named| named == own));
    if let Some(own) = own {
        options.backends = vec![own];
        options.choices = vec![here.choice(&stack, &args.plan.release, &[own])?];
        if options.packages.is_empty() {
            let packages = here.own_packages(&stack, own)?;
            options.packages.extend(packages.into_iter().flatten());
        }
    }
    if args.computed.is_asked() || !args.from.is_empty() {
        let gathered = stack.gather_sums(
            &options,
            &SumSources {
                files: args.from.clone(),
                fetch: args.computed.policy(),
                verify: args.verify,
                all: args.all,
            },
        )?;
        return Ok(if args.verify {
            verified(&gathered, args.json, verbosity)
        } else {
            found(&stack, &gathered, args.json, verbosity)
        });
    }
    if args.verify {
        let ways = "--fetch, --mirror or --from";
        return Err(Error::Usage(format!(
            "--verify: expected a source of checksums: {ways}"
        )));
    }
    let (mut wanted, _) = stack.wanted(&options)?;
    if !args.all {
        wanted.retain(|w| !w.lacking().is_empty());
    }
    Ok(listed(&stack, &wanted, args.json))
}

/// Returns the text for standard error: failures, unknown checksums, and notes.
fn told(gathered: &Gathered, verbosity: Verbosity) -> String {
    let lines = |level: &str, all: &[String]| {
        all.iter()
            .map(|said| format!("{level}: {}\n", legible(said)))
            .collect::<String>()
    };
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for UnknownSum { key, kinds, reason } in &gathered.unknown {
        by_reason
            .entry(reason)
            .or_default()
            .push(format!("{kinds} of {key}"));
    }
    let unknown = by_reason
        .into_iter()
        .map(|(why, all)| format!("{why}: {}", all.join("; ")));
    let notes = if verbosity.is_quiet() {
        String::new()
    } else {
        lines("note", &gathered.notes)
    };
    let said = "nothing is taken from it: it contains no requested checksum, and its name is not that of a source";
    let unused = gathered.unused.iter().map(|path| format!("{path}: {said}"));
    let warnings: Vec<_> = unknown.chain(unused).collect();
    lines("error", &gathered.failed) + &lines("warning", &warnings) + &notes
}

/// Returns the exit status: 2 if there are `faults`, 1 if there are only `others`, and 0 if there
/// are neither.
fn status(faults: &[String], others: &[String]) -> u8 {
    match (faults, others) {
        ([], []) => OK,
        ([], _) => DIFFERS,
        _ => WRONG,
    }
}

/// Reports the checksums of the model that differ from the gathered ones.
fn verified(gathered: &Gathered, as_json: bool, verbosity: Verbosity) -> Outcome {
    let (checked, differ) = (gathered.checked, gathered.differs.len());
    let open = gathered.unknown.len() + gathered.failed.len();
    let out = if as_json {
        let unknown: Vec<_> = gathered.unknown.iter().map(unknown).collect();
        let (failed, differs) = (&gathered.failed, &gathered.differs);
        let said = json!({"checked": checked, "differs": differs, "unknown": unknown, "failed": failed, "unused": gathered.unused, "notes": gathered.notes});
        format!("{said:#}\n")
    } else {
        let lines: String = gathered
            .differs
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        let sum = format!(
            "{checked} checksums computed again, {differ} differ, {open} could not be checked\n"
        );
        lines + if verbosity.is_quiet() { "" } else { &sum }
    };
    let status = status(
        &gathered.failed,
        &[&gathered.differs[..], &gathered.unused].concat(),
    );
    Outcome {
        out,
        err: told(gathered, verbosity),
        status,
        ..Outcome::default()
    }
}

/// Returns the text for standard error about gathered checksums, and the exit status. The status is
/// not 0 if something failed, since the rows are incomplete then.
pub(crate) fn remarks(gathered: &Gathered, verbosity: Verbosity) -> (String, u8) {
    let differs = gathered.differs.iter();
    let differs: String = differs.map(|line| format!("error: {line}\n")).collect();
    let status = status(&gathered.differs, &gathered.failed);
    (differs + &told(gathered, verbosity), status)
}

/// Prints the checksums that were gathered, as rows for the tables of checksums. The exit status is
/// not 0 if a requested checksum is missing, whatever the reason.
fn found(stack: &Stack, gathered: &Gathered, as_json: bool, verbosity: Verbosity) -> Outcome {
    let (err, status) = remarks(gathered, verbosity);
    let is_whole = gathered.unknown.is_empty() && gathered.unused.is_empty();
    let status = status.max(if is_whole { OK } else { DIFFERS });
    let done = if as_json {
        let rows = gathered.rows.iter().filter(|row| !row.sums.is_empty());
        let rows = rows.map(|found| {
            let mut row = row(stack, &found.request);
            row["found"] = json!(found.sums);
            row
        });
        let unknown: Vec<_> = gathered.unknown.iter().map(unknown).collect();
        Outcome::json(
            &json!({"rows": rows.collect::<Vec<_>>(), "unknown": unknown, "failed": gathered.failed, "unused": gathered.unused, "notes": gathered.notes}),
        )
    } else {
        Outcome::done(gathered.table(stack))
    };
    Outcome {
        err,
        status,
        ..done
    }
}

fn unknown(sum: &UnknownSum) -> Value {
    json!({"key": sum.key, "kinds": sum.kinds, "why": sum.reason})
}

/// Lists the requests in `wanted`, by the places where the model has their checksums. The exit
/// status is not 0 if a checksum is unknown.
fn listed(stack: &Stack, wanted: &[ChecksumRequest], as_json: bool) -> Outcome {
    let lacking = wanted.iter().filter(|w| !w.lacking().is_empty()).count();
    let status = if lacking == 0 { OK } else { DIFFERS };
    let done = if as_json {
        Outcome::json(&wanted.iter().map(|w| row(stack, w)).collect())
    } else {
        Outcome::done(lines(stack, wanted, lacking))
    };
    Outcome { status, ..done }
}

/// Returns the lines about the requests in `wanted`. `lacking` is the number of those with an
/// unknown checksum.
fn lines(stack: &Stack, wanted: &[ChecksumRequest], lacking: usize) -> String {
    let mut out = String::new();
    let mut place = String::new();
    for w in wanted {
        let here = stack.place_of(w);
        if here != place {
            out += &format!("{here}\n");
            place = here;
        }
        out += &format!("  {}", w.key);
        let (lacking, known) = (w.lacking(), &w.known);
        if !lacking.is_empty() {
            out += &format!(
                ": lacks {}",
                lacking.iter().copied().collect::<Vec<_>>().join(", ")
            );
        } else if !known.is_empty() {
            out += &format!(": {}", known.keys().copied().collect::<Vec<_>>().join(", "));
        }
        let who = w
            .stated
            .iter()
            .filter(|s| lacking.is_empty() || s.kinds.iter().any(|k| lacking.contains(k)));
        let by: Vec<_> = who
            .map(|s| format!("{}/{}", s.backend.distro(), s.package))
            .collect();
        out += &format!(" ({})\n", by.join(", "));
        if !w.address.is_empty() {
            out += &format!("    {}\n", w.address);
        }
    }
    let ways = if lacking == 0 {
        ""
    } else {
        "; --fetch computes them, and --from PATH reads them from files"
    };
    out += &format!(
        "{} to fetch, {lacking} with an unknown checksum{ways}\n",
        wanted.len()
    );
    out
}

fn row(stack: &Stack, w: &ChecksumRequest) -> Value {
    json!({
        "key": w.key,
        "version": w.version,
        "address": w.address,
        "file": w.place.file,
        "below": w.place.below,
        "place": stack.place_of(w),
        "lacking": w.lacking(),
        "known": w.known,
        "stated": w.stated,
    })
}
