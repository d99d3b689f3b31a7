//! `rocpkg explain`: prints where each fact of a package comes from, or the meaning of a code.

use crate::args::ExplainArgs;
use crate::error::Error;
use crate::outcome::{Outcome, Verbosity, shown};
use rocpkg::internal::model::unknown_name;

/// Prints the meaning of a code, such as E0205. For a package, prints each fact with the file and
/// line of every layer that sets the fact, followed by notes about layers.
pub(crate) fn run(args: &ExplainArgs, verbosity: Verbosity) -> Result<Outcome, Error> {
    if let Some(answer) = page(&args.subject) {
        return answer;
    }
    let stack = args.model.stack()?;
    let (all, notes) = stack.explain(&args.subject, args.distro, &args.release)?;
    let mut out = String::new();
    for package in all {
        out.push_str(&format!(
            "{} in {}, {}\n",
            package.name, package.distro, package.version
        ));
        for (name, key, known) in package.sources {
            let known = if known {
                "checksum known"
            } else {
                "no checksum known"
            };
            out.push_str(&format!("  source {name} = {key} ({known})\n"));
        }
        for fact in package.facts {
            let mark = if fact.unchecked {
                "  (not checked for this release)"
            } else {
                ""
            };
            out.push_str(&format!(
                "  {:<72} {}{mark}\n",
                fact.said,
                fact.places.join(" over ")
            ));
        }
        for cycle in package.cycles {
            out.push_str(&format!("  a cycle: {cycle}\n"));
        }
        out.push('\n');
    }
    Ok(Outcome {
        err: shown(&notes, stack.sources(), verbosity.with_all()),
        ..Outcome::done(out)
    })
}

/// Returns the page about a code, such as E0205. Returns `None` if the subject does not have the
/// form of a code.
fn page(subject: &str) -> Option<Result<Outcome, Error>> {
    let (letter, number) = subject.split_at_checked(1)?;
    let digits = number.len() == 4 && number.bytes().all(|b| b.is_ascii_digit());
    let code = digits.then(|| format!("{}{number}", letter.to_ascii_uppercase()))?;
    // The pages are generated from `codes.txt` and the snapshots of the fixtures. A line of hyphens
    // separates two pages.
    let mut pages = include_str!("pages.txt")
        .split("\n---\n")
        .filter_map(|page| page.split_once(':'));
    if let Some((_, text)) = pages.clone().find(|(name, _)| *name == code) {
        return Some(Ok(Outcome::done(format!("{code}:{}\n", text.trim_end()))));
    }
    let known = pages.by_ref().map(|(name, _)| name);
    let (message, _) = unknown_name("error or warning", &code, known);
    Some(Err(Error::Usage(message)))
}
