//! `rocpkg sums`: lists what must be fetched, with its checksums.

mod from;
mod gathered;

use crate::args::{ComputedArgs, SumsArgs};
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome, WRONG};
use gathered::{Gathered, gather};
use rocpkg::checksums::ChecksumRequest;
use rocpkg::model::legible;
use rocpkg::render::yaml::scalar;
use rocpkg::{Options, Stack};
use rocpkg_upstream::Sums;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Lists what must be fetched. If the arguments request it, computes the checksums or reads them
/// from files.
pub(crate) fn run(args: &SumsArgs) -> Result<Outcome, Error> {
    let stack = args.plan.model.stack()?;
    let options = Options {
        backends: args.distros.clone(),
        choices: args.plan.release.clone(),
        packages: args.package.clone(),
        ..Options::everything()
    };
    let (mut wanted, texts) = stack.wanted(&options)?;
    let hosts = wanted.iter().filter_map(ChecksumRequest::host).collect();
    if !args.all && !args.verify {
        wanted.retain(|w| !w.lacking().is_empty());
    }
    if args.computed.is_asked() || !args.from.is_empty() {
        let gathered = gather(
            (&args.from, &args.computed, args.verify),
            &wanted,
            &texts,
            hosts,
        )?;
        return Ok(if args.verify {
            verified(&gathered, args.json)
        } else {
            found(&stack, &wanted, &gathered, args.json)
        });
    }
    if args.verify {
        let ways = "--fetch, --mirror or --from";
        return Err(Error::Usage(format!(
            "--verify: expected where checksums are taken from: {ways}"
        )));
    }
    Ok(listed(&stack, &wanted, args.json))
}

/// Computes the unknown checksums of the packages in `options`. Prints them as rows for the tables
/// of checksums in `releases/`.
pub(crate) fn computed(
    stack: &Stack,
    options: &Options,
    args: &ComputedArgs,
) -> Result<Outcome, Error> {
    let (mut wanted, texts) = stack.wanted(options)?;
    let hosts = wanted.iter().filter_map(ChecksumRequest::host).collect();
    wanted.retain(|w| !w.lacking().is_empty());
    let gathered = gather((&[], args, false), &wanted, &texts, hosts)?;
    Ok(found(stack, &wanted, &gathered, false))
}

/// Returns the text for standard error: failures, unknown checksums, and notes.
fn told(gathered: &Gathered) -> String {
    let lines = |level: &str, all: &[String]| {
        all.iter()
            .map(|said| format!("{level}: {}\n", legible(said)))
            .collect::<String>()
    };
    let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (key, kinds, why) in &gathered.unknown {
        by_reason
            .entry(why)
            .or_default()
            .push(format!("{kinds} of {key}"));
    }
    let unknown = by_reason
        .into_iter()
        .map(|(why, all)| format!("{why}: {}", all.join("; ")));
    let unknown: Vec<_> = unknown.collect();
    lines("error", &gathered.failed) + &lines("warning", &unknown) + &lines("note", &gathered.notes)
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
fn verified(gathered: &Gathered, as_json: bool) -> Outcome {
    let (checked, differ) = (gathered.checked, gathered.differs.len());
    let open = gathered.unknown.len() + gathered.failed.len();
    let out = if as_json {
        let unknown: Vec<_> = gathered.unknown.iter().map(unknown).collect();
        let (failed, differs) = (&gathered.failed, &gathered.differs);
        let said = json!({"checked": checked, "differs": differs, "unknown": unknown, "failed": failed, "notes": gathered.notes});
        format!("{said:#}\n")
    } else {
        let lines: String = gathered
            .differs
            .iter()
            .map(|line| format!("{line}\n"))
            .collect();
        format!(
            "{lines}{checked} checksums computed again, {differ} differ, {open} could not be checked\n"
        )
    };
    let status = status(&gathered.failed, &gathered.differs);
    Outcome {
        out,
        err: told(gathered),
        status,
        ..Outcome::default()
    }
}

/// Prints the checksums that were gathered, as rows for the tables of checksums. The exit status is
/// not 0 if something failed, since the rows are incomplete then.
fn found(stack: &Stack, wanted: &[ChecksumRequest], gathered: &Gathered, as_json: bool) -> Outcome {
    let mut err = told(gathered);
    let differs: String = gathered
        .differs
        .iter()
        .map(|line| format!("error: {line}\n"))
        .collect();
    err.insert_str(0, &differs);
    let status = status(&gathered.differs, &gathered.failed);
    let rows = wanted
        .iter()
        .zip(&gathered.sums)
        .filter(|(_, sums)| !sums.is_empty());
    if as_json {
        let rows: Vec<Value> = rows
            .map(|(w, sums)| {
                let mut row = row(stack, w);
                row["found"] = json!(sums);
                row
            })
            .collect();
        let unknown: Vec<_> = gathered.unknown.iter().map(unknown).collect();
        let out = json!({"rows": rows, "unknown": unknown, "failed": gathered.failed, "notes": gathered.notes});
        return Outcome {
            err,
            status,
            ..Outcome::json(&out)
        };
    }
    let mut out = String::new();
    let (mut file, mut above): (&str, &[String]) = ("", &[]);
    for (w, sums) in rows {
        let below = &w.place.below;
        if below.is_empty() {
            out += &format!("# {}\n{}\n", at(stack, w), patch(w, sums));
            continue;
        }
        if file != w.place.file {
            out += &format!("# {}\n", w.place.file);
            (file, above) = (&w.place.file, &[]);
        }
        let same = above.iter().zip(below).take_while(|(a, b)| a == b).count();
        for (depth, key) in below.iter().enumerate().skip(same) {
            out += &format!("{}{}:\n", "  ".repeat(depth), scalar(key));
        }
        above = below;
        let depth = "  ".repeat(below.len());
        out += &format!("{depth}{}:\n", scalar(&w.key));
        let mut whole = w.known.clone();
        whole.extend(sums.clone());
        for (kind, sum) in whole {
            let sum = if kind == "size" { sum } else { scalar(&sum) };
            out += &format!("{depth}  {kind}: {sum}\n");
        }
    }
    Outcome {
        err,
        status,
        ..Outcome::done(out)
    }
}

/// Returns the line to write for a patch: its key `hash` in the model. The checksums that a
/// Manifest has of a patch are in no file of the model, so they are returned as a comment.
fn patch(w: &ChecksumRequest, sums: &Sums) -> String {
    let of = |kind| {
        sums.get(kind)
            .or_else(|| w.known.get(kind))
            .map(String::as_str)
            .unwrap_or_default()
    };
    match sums.iter().next() {
        Some((_, sum)) if sums.len() == 1 => format!("hash: {}", scalar(sum)),
        _ => {
            let name = w.stated.first().map_or(&w.key, |s| &s.name);
            format!(
                "# DIST {name} {} BLAKE2B {} SHA512 {}",
                of("size"),
                of("blake2b"),
                of("sha512")
            )
        }
    }
}

fn unknown((key, kinds, why): &(String, String, String)) -> Value {
    json!({"key": key, "kinds": kinds, "why": why})
}

/// Lists the requests in `wanted`, by the places where the model has their checksums.
fn listed(stack: &Stack, wanted: &[ChecksumRequest], as_json: bool) -> Outcome {
    if as_json {
        return Outcome::json(&wanted.iter().map(|w| row(stack, w)).collect());
    }
    let mut out = String::new();
    let mut place = String::new();
    for w in wanted {
        let here = at(stack, w);
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
    let lacking = wanted.iter().filter(|w| !w.lacking().is_empty()).count();
    out += &format!(
        "{} to fetch, {lacking} with an unknown checksum\n",
        wanted.len()
    );
    Outcome::done(out)
}

/// Returns the place in the model of the checksums of `w`: the file with the keys above their row,
/// or the line that names a patch.
fn at(stack: &Stack, w: &ChecksumRequest) -> String {
    if w.place.below.is_empty() {
        stack.sources().place(w.place.named)
    } else {
        format!("{}: {}", w.place.file, w.place.below.join(": "))
    }
}

fn row(stack: &Stack, w: &ChecksumRequest) -> Value {
    json!({
        "key": w.key,
        "version": w.version,
        "address": w.address,
        "file": w.place.file,
        "below": w.place.below,
        "place": at(stack, w),
        "lacking": w.lacking(),
        "known": w.known,
        "stated": w.stated,
    })
}
