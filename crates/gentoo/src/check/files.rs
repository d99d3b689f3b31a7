//! E0807: names below `${FILESDIR}` that are not among the package's files.

use super::patterns::{Patterns, behind};
use super::recipe::Recipe;
use rocpkg_bash::{Seen, Word, statements, visit};
use rocpkg_syntax::glob;
use rocpkg_syntax::{Checked, Fault};
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let mut names = filesdir(recipe).into_iter().peekable();
    let Some(files) = &recipe.surroundings.files else {
        if let Some((_, at)) = names.peek() {
            out.not_checked(at.start, "files", "the folder of the recipe is not known");
        }
        return;
    };
    let mut done = BTreeSet::new();
    for (patterns, at) in names {
        let missing = patterns.iter().find(|pattern| !is_there(files, pattern));
        let Some(name) = missing.filter(|name| done.insert((*name).clone())) else {
            continue;
        };
        let message = format!("`{name}` is not in the files of the package");
        let fault = Fault::new("E0807", at, message);
        out.faults
            .push(fault.label(format!("files/{name} does not exist")));
    }
}

/// Returns the names of each word that begins with `${FILESDIR}`, with the range of the word in
/// bytes. A word with braces has several names: `${FILESDIR}/{a,b}.patch` → `a.patch`, `b.patch`.
/// In a name, `*` stands for parts that are not known.
pub(super) fn filesdir(recipe: &Recipe) -> Vec<(Vec<String>, Range<usize>)> {
    if !recipe.names.contains("FILESDIR") {
        return Vec::new();
    }
    let Ok(script) = statements(recipe.text) else {
        return Vec::new();
    };
    let mut words = Vec::new();
    visit(&script, &mut |seen| {
        if let Seen::Word(word) = seen {
            words.extend(word.place().range().map(|at| (word.clone(), at)));
        }
    });
    let mut patterns = Patterns::of(recipe);
    let mut named = |(word, at): (Word, Range<usize>)| {
        let is_named = recipe.slice(&at).trim_start_matches('"');
        if !is_named.starts_with("${FILESDIR}") && !is_named.starts_with("$FILESDIR") {
            return None;
        }
        // Tests such as `-f` check files that may be missing.
        let asks = recipe.text[..at.start].trim_end();
        if TESTS.iter().any(|test| asks.ends_with(test)) {
            return None;
        }
        let names = patterns.run.fields(&word);
        let names = names.iter().map(|name| {
            let name = behind(name, "FILESDIR")?;
            let name = name.strip_prefix('/')?.trim_end_matches("/.");
            // A text with blanks is not only a name.
            let name = name.trim_matches('/').to_owned();
            (!name.is_empty() && !name.contains([' ', '\t', ':'])).then_some(name)
        });
        let names: Option<Vec<String>> = names.collect();
        Some((names?, at))
    };
    let mut all: Vec<_> = words.into_iter().filter_map(&mut named).collect();
    all.sort_by_key(|(_, at)| at.start);
    all.dedup();
    all
}

/// Tests of a file that may be missing.
const TESTS: [&str; 6] = ["-f", "-e", "-d", "-r", "-s", "-x"];

/// Returns true if a file or a folder below `files/` matches the pattern `name`. `files` are the
/// paths of the package's files.
fn is_there(files: &BTreeSet<String>, name: &str) -> bool {
    let pattern = format!("files/{name}").replace(['?', '['], "*");
    let folder = format!("{pattern}/*");
    files
        .iter()
        .any(|file| glob::fits(&pattern, file) || glob::fits(&folder, file))
}
