//! `rocpkg explain`.

use crate::args::ExplainArgs;
use crate::outcome::{Outcome, shown};
use rocpkg::Error;

/// Prints each fact of a package with the file and line of every layer that spoke of it; notes about layers go beside them.
pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome, Error> {
    let stack = args.model.stack()?;
    let (all, notes) = stack.explain(&args.package, args.distro.map(Into::into))?;
    let mut out = String::new();
    for package in all {
        out.push_str(&format!("{} in {}, {}\n", package.name, package.distro, package.version));
        for (name, key, known) in package.sources {
            let known = if known { "checksum known" } else { "no checksum known" };
            out.push_str(&format!("  source {name} = {key} ({known})\n"));
        }
        for fact in package.facts {
            out.push_str(&format!("  {:<72} {}\n", fact.said, fact.places.join(" over ")));
        }
        out.push('\n');
    }
    Ok(Outcome { err: shown(&notes, stack.sources(), true), ..Outcome::done(out) })
}
