//! `rocpkg check`: every finding of the model, the proof of GPU targets included.

use crate::args::CheckArgs;
use crate::outcome::{DIFFERS, Outcome, shown};
use crate::profiles;
use rocpkg::model::{Finding, Findings, Severity, Sources, Span};
use rocpkg::resolve::{Choice, Unproved};
use rocpkg::{Backend, Stack, StackOptions};
use serde_json::{Value, json};

/// Lists the findings; exit status 1 when one of them is an error that nobody called known.
pub(crate) fn run(args: &CheckArgs) -> Result<Outcome, String> {
    let choice = args.plan.choice()?;
    let (model, mut findings) = profiles::load(&args.plan.model)?;
    let stack = Stack::new(model, &rocpkg::templates()).map_err(|e| e.to_string())?;
    let backends = args.distro.map_or(Backend::ALL.to_vec(), |d| vec![d.backend()]);
    if args.distro.is_some() {
        profiles::require(stack.model(), &findings, &backends)?;
    }
    let options = StackOptions {
        backends: backends.clone(),
        choice: choice.clone(),
        review: true,
        ..StackOptions::everything()
    };
    let tree = stack.render(&options, &mut findings).map_err(|e| e.to_string())?;
    let mut known = Vec::new();
    let mut proved = Vec::new();
    for (backend, proof) in tree.proofs {
        proved.push((backend.distro(), proof.edges, proof.unproved));
        findings.append(proof.findings);
        known.extend(proof.known.into_iter().map(|k| (backend.distro(), k)));
        // At another release than the one it was written for, a known finding may well be absent.
        if choice == Choice::Shipped {
            proof.unmet.into_iter().for_each(|f| findings.push(f));
        }
    }
    let sources = stack.sources();
    let status = if findings.has_errors() { DIFFERS } else { 0 };
    if args.json {
        let list: Vec<Value> = findings.sorted().into_iter().map(|f| described(f, sources)).collect();
        let known: Vec<Value> = known
            .iter()
            .map(|(distro, k)| {
                let mut value = described(&k.finding, sources);
                value["distribution"] = json!(distro);
                value["reason"] = json!(k.reason);
                value
            })
            .collect();
        let edges: serde_json::Map<_, _> =
            proved.iter().map(|(d, n, _)| ((*d).to_owned(), json!(n))).collect();
        let unproved: Vec<Value> = proved
            .iter()
            .flat_map(|(d, _, list)| list.iter().map(move |e| (d, e)))
            .map(|(d, e)| {
                json!({"distribution": d, "package": e.package, "dependency": e.dependency, "missing": e.missing})
            })
            .collect();
        let all = json!({"findings": list, "known": known, "edges": edges, "not-proved": unproved});
        return Ok(Outcome { out: format!("{all:#}\n"), status, ..Outcome::default() });
    }
    Ok(Outcome {
        out: summary(&findings, &known, &proved, sources),
        err: shown(&findings, sources, args.plan.model.verbose),
        status,
    })
}

fn summary(
    findings: &Findings,
    known: &[(&str, rocpkg::resolve::KnownHole)],
    proved: &[(&str, usize, Vec<Unproved>)],
    sources: &Sources,
) -> String {
    let mut out = String::new();
    for (distro, k) in known {
        let place = k.finding.span.map(|s| sources.place(s)).unwrap_or_default();
        out.push_str(&format!("known in {distro}: {} {place}: {}\n", k.finding.code, k.finding.message));
        out.push_str(&format!("    {}\n", k.reason));
    }
    for (distro, edges, unproved) in proved {
        let decided = edges - unproved.len();
        out.push_str(&format!(
            "{distro}: {decided} of {edges} edges between packages with device code decided"
        ));
        if !unproved.is_empty() {
            out.push_str(&format!(", {} unknown:", unproved.len()));
        }
        out.push('\n');
        for e in unproved {
            out.push_str(&format!(
                "    {} > {}: not known: {}\n",
                e.package,
                e.dependency,
                e.missing.join("; ")
            ));
        }
    }
    let all = findings.sorted();
    let count = |s: Severity| all.iter().filter(|f| f.severity == s).count();
    out.push_str(&format!("{} errors, {} warnings", count(Severity::Error), count(Severity::Warning)));
    let notes = count(Severity::Note);
    if notes > 0 {
        out.push_str(&format!(", {notes} notes"));
    }
    out.push_str(&format!(", {} known\n", known.len()));
    out
}

fn described(f: &Finding, sources: &Sources) -> Value {
    let severity = match f.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let place = |span: Option<Span>| span.map(|s| sources.place(s));
    let (here, other) = (place(f.span), place(f.other));
    json!({"code": f.code, "severity": severity, "message": f.message, "place": here, "other": other, "label": f.label, "hint": f.hint})
}
