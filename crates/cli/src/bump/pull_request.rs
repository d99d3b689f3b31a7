//! The report of a bump as Markdown, for the text of a pull request.

use crate::changes;
use crate::error::Error;
use crate::todos::{headline, sorted, state};
use rocpkg::Backend;
use rocpkg::bump::ChangeKind;
use rocpkg::checkout::{BumpReport, RecipeReport};
use rocpkg::internal::resolve::{Choice, Release};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Returns the report as Markdown: a table of the recipes with their states, the origin of the
/// edits, then the texts in `parts`, each with its heading. Empty texts are left out.
pub(super) fn text(title: &str, report: &BumpReport, parts: &[(&str, &str)]) -> String {
    let rows = sorted(&report.recipes).into_iter().map(|recipe| {
        let version = report.versions.get(&recipe.package);
        let version = version.map_or("", String::as_str);
        let (name, state) = (cell(&recipe.name), cell(&state(recipe)));
        format!("| {name} | {} | {state} |\n", cell(version))
    });
    let rows: String = rows.collect();
    let count = headline(&report.recipes);
    let mut out = format!(
        "# {title}\n\n{count}.\n\n| package | version | state |\n| --- | --- | --- |\n{rows}\n{}\n",
        origin()
    );
    for (heading, text) in parts.iter().filter(|(_, text)| !text.is_empty()) {
        // The fence is longer than any row of backticks in the text.
        let longest = text
            .split(|c| c != '`')
            .map(str::len)
            .max()
            .unwrap_or_default();
        let fence = "`".repeat(longest.max(2) + 1);
        out.push_str(&format!(
            "\n## {heading}\n\n{fence}\n{}\n{fence}\n",
            text.trim_end()
        ));
    }
    out
}

/// Returns the sentence about the origin of the edits. Some projects ask who or what wrote a change.
fn origin() -> String {
    format!(
        "rocpkg {} made these edits by fixed rules, so that they are the same in each run; no \
         language model and no person took part.",
        env!("CARGO_PKG_VERSION")
    )
}

/// Returns the changes that users notice of the packages for which `is_noticed` is true, by the
/// releases that the recipes were of. A package with a version of its own counts as one of the most frequent release.
///
/// # Errors
/// When the model has an error at one of the releases.
pub(super) fn noticed(
    report: &BumpReport,
    backend: Backend,
    release: &Release,
    is_noticed: impl FnMut(&&RecipeReport) -> bool,
) -> Result<String, Error> {
    let lines = report.stack.model().lines.values();
    let known: BTreeSet<Release> = lines
        .flat_map(|line| line.versions.keys())
        .filter_map(|version| version.parse().ok())
        .collect();
    let read = |version: &String| {
        version
            .parse()
            .ok()
            .filter(|version| known.contains(version))
    };
    let mut by_release: BTreeMap<Release, BTreeSet<&str>> = BTreeMap::new();
    let mut others = BTreeSet::new();
    let changed = report.recipes.iter().filter(is_noticed);
    let named = changed.filter_map(|recipe| {
        let name = report.names.get(&recipe.package)?;
        Some((recipe.from.as_ref().map(read)?, name.as_str()))
    });
    for (before, name) in named {
        match before {
            Some(before) => by_release.entry(before).or_default().insert(name),
            None => others.insert(name),
        };
    }
    if let Some(most) = by_release.values_mut().max_by_key(|names| names.len()) {
        most.extend(&others);
    }
    let mut out = Vec::new();
    for (before, names) in by_release.iter().filter(|(before, _)| *before != release) {
        let [before, after] = [before, release].map(|release| Choice::Release(release.clone()));
        for mut changes in report.stack.changes(&before, &after, &[backend])? {
            changes.all.retain(|change| {
                // Reviewers look at replacements, and users don't notice them.
                names.contains(change.package.as_str()) && change.kind != ChangeKind::Replacement
            });
            if !changes.all.is_empty() {
                out.push(changes::text(&changes, false));
            }
        }
    }
    Ok(out.join("\n"))
}

/// Returns a text as the content of a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

/// Checks that the report can be written to a file of this name. The file must end in `.md`, so
/// that a recipe is never replaced.
///
/// # Errors
/// When the file has another name, or no file can be made in its folder.
pub(super) fn check(file: &Path) -> Result<(), Error> {
    let is_markdown = file.extension().is_some_and(|end| end == "md");
    if !is_markdown || file.is_dir() {
        return Err(Error::file(
            file,
            "--report: expected a file that ends in .md",
        ));
    }
    let wrong = |e| Error::file(file, format!("--report: the file can't be written: {e}"));
    let new = written_beside(file, "").map_err(wrong)?;
    fs::remove_file(&new).map_err(wrong)
}

/// Writes the report as a whole or not at all, and replaces an existing file.
///
/// # Errors
/// When the system refuses.
pub(super) fn write(file: &Path, text: &str) -> Result<(), Error> {
    let written = written_beside(file, text).and_then(|new| {
        fs::rename(&new, file).inspect_err(|_| {
            // The first error is the one to report.
            let _ = fs::remove_file(&new);
        })
    });
    written.map_err(|e| Error::file(file, format!("--report: the file can't be written: {e}")))
}

/// Writes a text to a new file in the folder of `file`, and returns the path of the new file. The
/// writer of recipes can't do that, since it refuses names with blanks and names in other scripts.
#[expect(
    clippy::disallowed_methods,
    reason = "the new file gets its name when it is complete"
)]
fn written_beside(file: &Path, text: &str) -> io::Result<PathBuf> {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".rocpkg-{}", std::process::id()));
    let new = file.with_file_name(name);
    if let Err(error) = fs::write(&new, text) {
        // The first error is the one to report.
        let _ = fs::remove_file(&new);
        return Err(error);
    }
    Ok(new)
}
