//! `rocpkg changes`: lists what users of a distribution notice between two releases.

use crate::args::ChangesArgs;
use crate::error::Error;
use crate::outcome::Outcome;
use indexmap::{IndexMap, IndexSet};
use rocpkg::Backend;
use rocpkg::bump::{Change, ChangeKind, Changes};
use serde_json::{Value, json};

/// Prints the changes between two releases: as text for a news item or a pull request, or as JSON.
pub(crate) fn run(args: &ChangesArgs, verbose: bool) -> Result<Outcome, Error> {
    let stack = args.model.stack()?;
    let named = args.distros.as_slice();
    let backends = if named.is_empty() {
        &Backend::ALL
    } else {
        named
    };
    let all = stack.changes(&args.old, &args.new, backends)?;
    if args.json {
        return Ok(Outcome::json(&all.iter().map(document).collect()));
    }
    let each: Vec<String> = all.iter().map(|changes| text(changes, verbose)).collect();
    Ok(Outcome::done(each.join("\n")))
}

/// Returns the changes as text: a heading, then the changes of each kind. With `verbose`, the text
/// has the places of the changes in the model.
pub(crate) fn text(c: &Changes, verbose: bool) -> String {
    let mut out = format!("{}: {} to {}\n", c.distro, c.releases.0, c.releases.1);
    for kind in c.all.chunk_by(|a, b| a.kind == b.kind) {
        let head = kind[0].kind.head();
        let count = if kind[0].kind == ChangeKind::Replacement {
            format!(" ({})", kind.len())
        } else {
            String::new()
        };
        out.push_str(&format!("\n{head}{count}:\n"));
        // Packages with the same change are printed on one line.
        let mut alike: IndexMap<String, IndexSet<&str>> = IndexMap::new();
        for change in kind {
            alike
                .entry(line(change, verbose))
                .or_default()
                .insert(&change.package);
        }
        for (line, packages) in alike {
            let gap = if line.is_empty() { "" } else { ": " };
            out.push_str(&format!(
                "- {}{gap}{line}\n",
                Vec::from_iter(packages).join(", ")
            ));
        }
    }
    out
}

/// Returns the change of one package as text: `7.1.1 -> 7.2.4`. With `verbose`, the text has the
/// place of the change in the model.
fn line(c: &Change, verbose: bool) -> String {
    let (was, is) = (c.was.join(" "), c.is.join(" "));
    let mut parts = match c.kind {
        ChangeKind::Renamed | ChangeKind::Source | ChangeKind::Version | ChangeKind::Bundles => {
            vec![format!("{was} -> {is}")]
        }
        _ => {
            let told = [("gained", is), ("lost", was)]
                .into_iter()
                .filter(|(_, names)| !names.is_empty());
            told.map(|(verb, names)| format!("{verb} {names}"))
                .collect()
        }
    };
    parts.extend(Some(c.reason.clone()).filter(|reason| !reason.is_empty()));
    parts.extend(c.place.clone().filter(|_| verbose));
    parts.join("; ")
}

fn document(c: &Changes) -> Value {
    json!({"distribution": c.distro, "from": c.releases.0, "to": c.releases.1, "changes": c.all})
}
