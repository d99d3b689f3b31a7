//! `rocpkg sums`: what must be fetched, and its checksums.

use crate::args::SumsArgs;
use crate::outcome::Outcome;
use rocpkg::{Error, Options, Stack, Wanted};
use serde_json::{Value, json};

/// Lists what must be fetched.
pub(crate) fn run(args: &SumsArgs) -> Result<Outcome, Error> {
    let stack = args.plan.model.stack()?;
    let options = Options::everything()
        .backends(args.distros.iter().map(|d| (*d).into()))
        .choices(args.plan.release.iter().cloned())
        .packages(&args.package);
    let (mut wanted, _) = stack.wanted(&options)?;
    if !args.all && !args.verify {
        wanted.retain(|w| !w.lacking().is_empty());
    }
    Ok(listed(&stack, &wanted, args.json))
}

/// The list, by the places where the checksums stand.
fn listed(stack: &Stack, wanted: &[Wanted], as_json: bool) -> Outcome {
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
            out += &format!(": lacks {}", lacking.into_iter().collect::<Vec<_>>().join(", "));
        } else if !known.is_empty() {
            out += &format!(": {}", known.keys().copied().collect::<Vec<_>>().join(", "));
        }
        let by: Vec<_> = w.stated.iter().map(|s| format!("{}/{}", s.backend.distro(), s.package)).collect();
        out += &format!(" ({})\n", by.join(", "));
        if !w.address.is_empty() {
            out += &format!("    {}\n", w.address);
        }
    }
    let lacking = wanted.iter().filter(|w| !w.lacking().is_empty()).count();
    out += &format!("{} to fetch, {lacking} with an unknown checksum\n", wanted.len());
    Outcome::done(out)
}

/// The place of a row: a file with the keys above the row, or the line of a patch.
fn at(stack: &Stack, w: &Wanted) -> String {
    if w.place.below.is_empty() {
        stack.sources().place(w.place.named)
    } else {
        format!("{}: {}", w.place.file, w.place.below.join(": "))
    }
}

fn row(stack: &Stack, w: &Wanted) -> Value {
    let stated = w.stated.iter().map(|s| {
        json!({"distribution": s.backend.distro(), "package": s.package, "path": s.path, "name": s.name, "kinds": s.kinds})
    });
    json!({
        "key": w.key,
        "version": w.version,
        "address": w.address,
        "file": w.place.file,
        "below": w.place.below,
        "place": at(stack, w),
        "lacking": w.lacking(),
        "known": w.known,
        "stated": stated.collect::<Vec<_>>(),
    })
}
