//! `rocpkg check`: checks the model, and proves that GPU targets agree over dependencies.

use crate::args::CheckArgs;
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome, Verbosity, described, findings, shown};
use crate::settings::Settings;
use rocpkg::Backend;
use rocpkg::explain::Checked;
use rocpkg::internal::model::{Severity, Sources};
use rocpkg::internal::resolve::KnownHole;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Lists the findings about the model. The exit status is 1 if a finding is an error that the model
/// does not list as known.
pub(crate) fn run(args: &CheckArgs, verbosity: Verbosity) -> Result<Outcome, Error> {
    let settings = Settings::of(Path::new("."))?.unwrap_or_default();
    let backends: Vec<_> = args.distro.or(settings.distribution).into_iter().collect();
    let stack = settings.stack(&args.plan.model, args.propagation, &backends)?;
    let mut checked = stack.check(&backends, &settings.choices(&args.plan.release)?)?;
    let status = if checked.is_sound() { OK } else { DIFFERS };
    let sources = stack.sources();
    if args.json {
        return Ok(Outcome {
            status,
            ..Outcome::json(&as_json(&checked, sources))
        });
    }
    let out = if verbosity.is_quiet() {
        String::new()
    } else {
        summary(&checked, sources, verbosity.is_verbose())
    };
    if !verbosity.is_verbose() {
        checked.findings.retain(|f| f.severity != Severity::Note);
    }
    Ok(Outcome {
        out,
        err: shown(&checked.findings, sources, verbosity),
        status,
        ..Outcome::default()
    })
}

fn as_json(checked: &Checked, sources: &Sources) -> Value {
    let known = checked.known.iter().map(|(backend, k)| {
        let mut value = described(&k.finding, sources);
        value["distribution"] = json!(backend);
        value["reason"] = json!(k.reason);
        value
    });
    let known: Vec<Value> = known.collect();
    let proved = &checked.proved;
    let edges: Map<_, _> = proved
        .iter()
        .map(|p| (p.backend.distro().to_owned(), json!(p.edges)))
        .collect();
    let unproved = proved
        .iter()
        .flat_map(|p| p.unproved.iter().map(move |e| (p.backend, e)));
    let unproved: Vec<Value> = unproved
        .map(|(d, e)| {
            json!({"distribution": d, "package": e.package, "dependency": e.dependency, "missing": e.missing})
        })
        .collect();
    let packed = proved.iter().flat_map(|p| {
        let distro = p.backend.distro();
        p.packed.iter().map(move |(id, reason)| {
            json!({"distribution": distro, "package": id, "cause": reason.cause,
                "without": reason.without, "missing": reason.missing})
        })
    });
    let packed: Vec<Value> = packed.collect();
    json!({"findings": findings(&checked.findings, sources), "known": known, "edges": edges,
        "not-proved": unproved, "packed": packed})
}

/// Returns the numbers of proved dependencies and of findings, as text. With `verbose`, the text
/// also lists each known exception, and each dependency that could not be decided.
fn summary(checked: &Checked, sources: &Sources, verbose: bool) -> String {
    let mut out = String::new();
    for (backend, k) in checked.known.iter().filter(|_| verbose) {
        let (distro, place) = (
            backend.distro(),
            k.finding.span.map(|s| sources.place(s)).unwrap_or_default(),
        );
        out.push_str(&format!(
            "known in {distro}: {} {place}: {}\n",
            k.finding.code, k.finding.message
        ));
        out.push_str(&format!("    {}\n", k.reason));
    }
    for proved in &checked.proved {
        let (distro, edges, unknown) =
            (proved.backend.distro(), proved.edges, proved.unproved.len());
        let decided = edges - unknown;
        out.push_str(&format!(
            "{distro}: {decided} of {edges} edges between packages with device code decided"
        ));
        if unknown > 0 {
            out.push_str(&format!(
                ", {unknown} unknown{}",
                if verbose { ":" } else { "" }
            ));
        }
        out.push('\n');
        if let Some(reason) = proved.packed.values().next() {
            let ids: Vec<&str> = proved.packed.keys().map(String::as_str).collect();
            let is_known = |(backend, hole): &(Backend, KnownHole)| {
                *backend == proved.backend && hole.finding.code == "W0611"
            };
            let known = checked.known.iter().any(is_known);
            out.push_str(&format!(
                "{distro}: code for other GPUs is not found in the compressed bundles of {} (W0611{}); not patched: {}\n",
                ids.join(", "),
                if known { ", known" } else { "" },
                reason.missing.join("; ")
            ));
        }
        for e in proved.unproved.iter().filter(|_| verbose) {
            let missing = e.missing.join("; ");
            out.push_str(&format!(
                "    {} > {}: not known: {missing}\n",
                e.package, e.dependency
            ));
        }
    }
    let all = checked.findings.sorted();
    let count = |s: Severity| all.iter().filter(|f| f.severity == s).count();
    let (notes, known) = (count(Severity::Note), checked.known.len());
    out.push_str(&format!(
        "{} errors, {} warnings",
        count(Severity::Error),
        count(Severity::Warning)
    ));
    if notes > 0 {
        out.push_str(&format!(", {notes} notes"));
    }
    let hint = if !verbose && notes + known > 0 {
        "; -v shows notes and known findings"
    } else {
        ""
    };
    out.push_str(&format!(", {known} known{hint}\n"));
    out
}
