//! `rocpkg compare`: lists the differences between the recipes of a checkout and the model.

use crate::args::{CompareArgs, RowFormat, words};
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome, Verbosity, remarks};
use crate::report::not_checked;
use crate::settings::Settings;
use crate::todos::{lines, shortened};
use rocpkg::checkout::{Grade, Reviewed, Row};
use rocpkg::{Backend, Options};
use serde_json::{Value, json};
use std::path::Path;

/// The names of the rules in SARIF: of rows that break a build, and of other rows.
const BREAKS: &str = "breaks";
const DIFFERS_FROM: &str = "differs-from-model";

/// The highest number of recipes of unknown packages that are named.
const OTHERS: usize = 10;

/// Compares the recipes of a checkout with the model, at the release that each recipe states.
pub(crate) fn run(args: &CompareArgs, verbosity: Verbosity) -> Result<Outcome, Error> {
    let folder = args.into.as_deref().unwrap_or(Path::new("."));
    let settings = Settings::of(folder)?.unwrap_or_default();
    let out = if args.into.is_none() && settings.distribution.is_some() {
        settings.folder.as_path()
    } else {
        folder
    };
    let (backend, mut names) = asked(args, &settings, folder)?;
    if names.is_empty() {
        names.clone_from(&settings.packages);
    }
    let stack = settings.stack(&args.model, None, &[backend])?;
    let checkout = stack.checkout(backend, out, &settings.recipes)?;
    let checkout = checkout.only(&names);
    if let Some(own) = checkout.package() {
        names = vec![own.to_owned()];
    }
    for name in &mut names {
        if let Some(package) = checkout.package_in(name) {
            package.clone_into(name);
        }
    }
    let options = Options {
        packages: names,
        targets: settings.targets.clone(),
        ..Options::default()
    };
    let is_taken = |row: &Row| args.take.iter().any(|place| is_meant(row, place));
    let picked: Option<&dyn Fn(&Row) -> bool> = if args.take.is_empty() {
        None
    } else {
        Some(&is_taken)
    };
    if picked.is_some() {
        let there = stack
            .review(out, &checkout, &options, args.from.as_ref(), None)?
            .rows;
        let is_strange =
            |place: &&String| *place != "all" && !there.iter().any(|row| is_meant(row, place));
        let strange: Vec<&str> = args
            .take
            .iter()
            .filter(is_strange)
            .map(String::as_str)
            .collect();
        if !strange.is_empty() {
            return Err(Error::Usage(format!(
                "--take: no row is at {}",
                strange.join(", ")
            )));
        }
    }
    let reviewed = stack.review(out, &checkout, &options, args.from.as_ref(), picked)?;
    let is_none = reviewed.recipes == 0 && reviewed.unknown.is_empty();
    if is_none && reviewed.left_out.is_empty() {
        let which = match options.packages.as_slice() {
            [] => "no recipe of the stack".to_owned(),
            names => format!("no recipe of {}", names.join(", ")),
        };
        let said = format!("{}: {which} is in this folder", out.display());
        return Err(Error::Usage(said));
    }
    let status = match (
        shown_rows(&reviewed, false).next(),
        reviewed.unknown.is_empty(),
    ) {
        (None, true) => OK,
        _ => DIFFERS,
    };
    let outcome = match args.format {
        RowFormat::Text => Outcome::done(text(&reviewed, verbosity)),
        RowFormat::Json => Outcome::json(&json!({
            "rows": reviewed.rows,
            "grades": {
                "breaks": reviewed.count(Grade::Breaks),
                "differs": reviewed.count(Grade::Differs),
                "spelled": reviewed.count(Grade::Spelled),
            },
            "unknown": reviewed.unknown,
            "not_taken": reviewed.not_taken,
            "others": reviewed.others,
            "left_out": reviewed.left_out,
            "unchecked": reviewed.unchecked,
            "recipes": reviewed.recipes,
            "written": reviewed.report.as_ref().map(|r| &r.written),
        })),
        RowFormat::Sarif => Outcome::json(&sarif(&reviewed)),
    };
    Ok(Outcome { status, ..outcome })
}

/// Returns the distribution and the packages of the command line. If the first word is not a
/// distribution, the settings or the recipes in `folder` state the distribution.
fn asked(
    args: &CompareArgs,
    settings: &Settings,
    folder: &Path,
) -> Result<(Backend, Vec<String>), Error> {
    let (named, packages) = words(&args.words);
    let is_distro = |word: &&String| words(std::slice::from_ref(word)).0.is_some();
    if let Some(word) = packages.iter().find(is_distro) {
        return Err(Error::Usage(format!(
            "`{word}` is a distribution, which is named first: `rocpkg compare {word} ...`"
        )));
    }
    let own = settings
        .distribution
        .or_else(|| Backend::of_checkout(folder));
    let Some(backend) = named.or(own) else {
        let said = "the distribution of these recipes is not known: name it first, as in `rocpkg compare gentoo`";
        return Err(Error::Usage(said.to_owned()));
    };
    Ok((backend, packages))
}

/// Returns true if `place`, a value of `--take`, selects the row. A place is `all`, a file, or a
/// line of a file with or without its column. Rows that are only spelled differently are never
/// selected, since they have nothing to take over.
fn is_meant(row: &Row, place: &str) -> bool {
    let line = format!("{}:{}", row.path, row.line);
    row.grade != Grade::Spelled
        && (place == "all" || place == row.path || place == line || place == row.place())
}

/// Returns the rows that are printed. Rows that are only spelled differently are printed with
/// `verbose` only.
fn shown_rows(reviewed: &Reviewed, verbose: bool) -> impl Iterator<Item = &Row> {
    let all = reviewed.rows.iter();
    all.filter(move |row| verbose || row.grade != Grade::Spelled)
}

fn text(reviewed: &Reviewed, verbosity: Verbosity) -> String {
    let verbose = verbosity.is_verbose();
    let mut told = String::new();
    if let Some(report) = reviewed.report.as_ref().filter(|_| !verbosity.is_quiet()) {
        report
            .written
            .iter()
            .for_each(|path| told.push_str(&format!("edited: {path}\n")));
        if report
            .written
            .iter()
            .any(|path| Backend::Arch.is_recipe(path))
        {
            told.push_str(
                "next: `updpkgsums` if a source is new, then `makepkg --printsrcinfo > .SRCINFO`\n",
            );
        }
    }
    if !reviewed.not_taken.is_empty() {
        told.push_str(&format!("not taken over ({}):\n", reviewed.not_taken.len()));
        told.push_str(&reviewed.not_taken.iter().map(lines).collect::<String>());
    }
    let rows: Vec<&Row> = shown_rows(reviewed, verbose).collect();
    for of in rows.chunk_by(|a, b| a.path == b.path) {
        told.push_str(&format!("{} ({} rows)\n", of[0].path, of.len()));
        for row in of {
            let grade = match row.grade {
                Grade::Differs => String::new(),
                grade => format!(" ({grade})"),
            };
            told.push_str(&format!(
                "  {}:{}: {}{grade}\n",
                row.line,
                row.column,
                row.item.join(" / ")
            ));
            for (what, text) in [
                ("why", &row.reason),
                ("there", &row.existing),
                ("model", &row.model),
                ("fact", &row.fact),
            ] {
                if let Some(text) = text {
                    told.push_str(&format!("    {what}: {}\n", shortened(text)));
                }
            }
            if !row.targets.is_empty() {
                let with = if row.edges.is_empty() {
                    "nothing".to_owned()
                } else {
                    row.edges.join(", ")
                };
                told.push_str(&format!(
                    "    targets: {}, which must agree with {with}\n",
                    row.targets.join(" ")
                ));
            }
        }
    }
    for todo in &reviewed.unknown {
        told.push_str(&format!("{}: {}\n", todo.place(), todo.text));
    }
    if verbosity.is_quiet() {
        return told;
    }
    if !reviewed.others.is_empty() {
        let shown = reviewed.others.iter().take(OTHERS).map(String::as_str);
        let more = reviewed.others.len().saturating_sub(OTHERS);
        told.push_str(&format!(
            "other recipes, of packages that the model does not know ({}): {}{}\n",
            reviewed.others.len(),
            shown.collect::<Vec<_>>().join(", "),
            if more == 0 {
                String::new()
            } else {
                format!(", and {more} more")
            },
        ));
    }
    for recipe in &reviewed.left_out {
        told.push_str(&format!("{recipe}\n"));
    }
    told.push_str(&summary(reviewed, verbose));
    told.push_str(&not_checked(&reviewed.unchecked, verbose));
    told
}

/// Returns the number of rows of each grade (breaks, differs, spelled differently) as text.
fn summary(reviewed: &Reviewed, verbose: bool) -> String {
    let recipes = reviewed.recipes;
    let [breaks, differs, spelled] =
        [Grade::Breaks, Grade::Differs, Grade::Spelled].map(|grade| reviewed.count(grade));
    let rows = breaks + differs;
    let mut told = format!("{rows} rows of {recipes} recipes");
    if rows > 0 {
        told.push_str(&format!(
            ": {breaks} {}, {differs} {}; --take PLACE or --take all takes over the model's text",
            Grade::Breaks,
            Grade::Differs
        ));
    }
    if spelled > 0 {
        let more = if verbose { "" } else { "; -v shows them" };
        told.push_str(&format!("\n{spelled} more are {}{more}", Grade::Spelled));
    }
    told.push('\n');
    told
}

/// Returns the rows in SARIF 2.1.0, a format for tools that show findings beside code.
fn sarif(reviewed: &Reviewed) -> Value {
    let result = |row: &Row| {
        let say = |text: &Option<String>| text.as_deref().map_or("nothing".to_owned(), shortened);
        let item = row.item.join(" / ");
        let differs = || {
            let (there, model) = (say(&row.existing), say(&row.model));
            format!("{item}: the recipe has {there}, the model has {model}")
        };
        let reason = row.reason.as_ref();
        let message = reason.map_or_else(differs, |reason| format!("{item}: {reason}"));
        let level = match row.grade {
            Grade::Breaks => "error",
            _ if !row.targets.is_empty() => "warning",
            _ => "note",
        };
        let at = json!({
            "artifactLocation": {"uri": row.path},
            "region": {"startLine": row.line, "startColumn": row.column},
        });
        json!({
            "ruleId": if row.grade == Grade::Breaks { BREAKS } else { DIFFERS_FROM },
            "level": level,
            "message": {"text": message},
            "locations": [{"physicalLocation": at}],
        })
    };
    let rules = [
        (
            BREAKS,
            "A recipe contradicts itself, or lacks a GPU target that is needed",
        ),
        (DIFFERS_FROM, "A recipe differs from the model"),
    ];
    let rows = shown_rows(reviewed, false);
    remarks(&rules, &rows.map(result).collect::<Vec<_>>())
}
