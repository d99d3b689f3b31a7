//! `rocpkg use`: finds the fewest USE flags to set so that a package and its dependencies fit
//! together.

use crate::args::UseArgs;
use crate::error::Error;
use crate::outcome::{DIFFERS, Outcome, Verbosity, WRONG};
use crate::settings::Settings;
use rocpkg::Backend;
use rocpkg_answers::Answers as _;
use rocpkg_answers::gpu::{Use, UseQuery};
use serde_json::json;
use std::path::Path;

/// Prints the lines to write to package.use on standard output, and notes on standard error. The
/// exit status is 1 if no choice of USE flags meets the request, and 2 if the request names unknown
/// flags.
pub(crate) fn run(args: &UseArgs, verbosity: Verbosity) -> Result<Outcome, Error> {
    let mut wish = UseQuery::new(&args.package);
    wish.targets.clone_from(&args.targets);
    wish.flags.clone_from(&args.flag);
    let settings = Settings::of(Path::new("."))?.unwrap_or_default();
    let stack = settings.stack(&args.plan.model, None, &[Backend::Gentoo])?;
    Ok(match stack.package_use(&wish, args.plan.choice()?)? {
        Use::Consistent {
            lines,
            changes,
            notes,
        } if args.json => {
            let changes: Vec<_> = changes
                .iter()
                .map(|c| json!({"package": c.package.cpn.to_string(), "flag": c.flag.as_str(), "on": c.on}))
                .collect();
            Outcome::json(
                &json!({"consistent": true, "package_use": lines, "changes": changes, "notes": notes}),
            )
        }
        Use::Consistent { lines, notes, .. } => {
            let mut err: String = notes.iter().map(|n| format!("note: {n}\n")).collect();
            if lines.is_empty() {
                err.push_str("note: no flags need to be set\n");
            }
            if verbosity.is_quiet() {
                err.clear();
            }
            Outcome {
                err,
                ..Outcome::done(lines.iter().map(|l| format!("{l}\n")).collect())
            }
        }
        Use::Refused {
            reasons,
            unknown_flags,
            ..
        } if args.json => {
            let status = if unknown_flags { WRONG } else { DIFFERS };
            Outcome {
                status,
                ..Outcome::json(&json!({"consistent": false, "reasons": reasons}))
            }
        }
        Use::Refused {
            reasons,
            unknown_flags: true,
            ..
        } => {
            let err = reasons.iter().map(|r| format!("error: {r}\n")).collect();
            Outcome {
                err,
                status: WRONG,
                ..Outcome::default()
            }
        }
        Use::Refused { reasons, cycle, .. } => {
            let list: String = reasons.iter().map(|r| format!("  - {r}\n")).collect();
            let mut err = format!("error: no choice of USE flags meets all of this:\n{list}");
            if cycle {
                err.push_str("hint: install it without these flags first, then again with them\n");
            }
            Outcome {
                err,
                status: DIFFERS,
                ..Outcome::default()
            }
        }
    })
}
