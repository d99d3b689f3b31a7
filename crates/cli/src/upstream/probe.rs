//! `rocpkg upstream probe`: tries the steps of recipes on upstream's sources, for instance whether
//! a patch still applies.

use crate::args::UpstreamProbeArgs;
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome};
use rocpkg::internal::model::{Findings, Sources, Span, legible};
use rocpkg::internal::probe::{PatchFiles, Probe, Probed, ProbedStep, SourceTrees};
use rocpkg::internal::resolve::{Range, Release};
use rocpkg_upstream::probe::Fate;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The code of the finding about a fact that nobody checked for a release.
const UNCHECKED: &str = "W0220";

/// Tries the steps of recipes on upstream's sources.
pub(super) fn run(args: &UpstreamProbeArgs, verbose: bool) -> Result<Outcome, Error> {
    let stack = args.plan.model.stack()?;
    let trees = match (&args.tree, &args.mirror) {
        (Some(folder), _) => SourceTrees::folder(folder)?,
        (None, mirror) => SourceTrees::mirror(mirror.as_deref().unwrap_or_default())?,
    };
    let probed = stack.probe(&Probe {
        backends: args.distros.clone(),
        choice: args.plan.choice()?.clone(),
        packages: args.package.clone(),
        trees: &trees,
        patches: PatchFiles::of(&args.patches)?,
    })?;
    if probed.lacks_sources() {
        let hint = if args.mirror.is_some() {
            "does --mirror have repositories with the release's tags?"
        } else {
            "does --tree contain source trees?"
        };
        return Err(Error::NoSources(hint));
    }
    let shown = ShownProbe {
        probed: &probed,
        sources: stack.sources(),
    };
    let mut outcome = if args.json {
        Outcome::json(&shown.json())
    } else {
        Outcome::done(shown.text(verbose))
    };
    if args.rows {
        outcome.out += &checked(&probed.steps, &probed.findings, stack.sources());
    }
    outcome.status = if probed.fits() { OK } else { DIFFERS };
    Ok(outcome)
}

pub(crate) struct ShownProbe<'p> {
    pub(crate) probed: &'p Probed,
    /// The texts of the profiles that the steps are from.
    pub(crate) sources: &'p Sources,
}

impl ShownProbe<'_> {
    pub(crate) fn json(&self) -> Value {
        let row = |step: &ProbedStep| {
            json!({"distribution": step.distro, "package": step.package, "release": step.release.release(), "what": step.what,
                "place": self.sources.place(step.span), "fate": step.fate.word(), "said": step.fate.to_string()})
        };
        let all: Vec<Value> = self.probed.steps.iter().map(row).collect();
        json!({"steps": all, "not-at-hand": self.probed.absent})
    }

    /// Returns the steps that no longer fit as text, the number of steps by result, and the
    /// packages without sources. With `verbose`, the text lists all steps.
    pub(crate) fn text(&self, verbose: bool) -> String {
        let place = |span: Span| self.sources.place(span);
        text(&self.probed.steps, &place, verbose) + &self.absent(verbose)
    }

    /// Returns the number of steps by result, and the packages without sources.
    pub(crate) fn counts(&self) -> String {
        counts(&self.probed.steps) + &self.absent(false)
    }

    /// Returns the line about the packages without sources, or an empty text if there are none.
    fn absent(&self, verbose: bool) -> String {
        let absent = &self.probed.absent;
        let mut out = String::new();
        if !absent.is_empty() {
            let list = if verbose {
                absent.iter().cloned().collect::<Vec<_>>().join(", ")
            } else {
                absent.len().to_string()
            };
            out += &format!("packages whose sources were not found: {list}\n");
        }
        out
    }
}

/// Returns the steps that no longer fit as text, and the number of steps by result. With `verbose`,
/// the text lists all steps.
fn text(rows: &[ProbedStep], place: &dyn Fn(Span) -> String, verbose: bool) -> String {
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
        let said = format!("{}: {}", row.what, row.fate);
        out += &format!("  {} {}\n", place(row.span), legible(&said));
    }
    out + &counts(rows)
}

/// Returns the number of steps by result, one line for each distribution.
fn counts(rows: &[ProbedStep]) -> String {
    let mut out = String::new();
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
fn checked(rows: &[ProbedStep], findings: &Findings, sources: &Sources) -> String {
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
        let at = line(row.span);
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
        format!("steps that fit, and were not checked before:\n{rows}")
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
