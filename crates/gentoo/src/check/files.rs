//! E0807: names below `${FILESDIR}` that are not among the package's files.

use super::recipe::Recipe;
use rocpkg_syntax::glob;
use rocpkg_syntax::words::{Piece, split};
use rocpkg_syntax::{Checked, Fault, Use};
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let mut names = filesdir(recipe).peekable();
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
pub(super) fn filesdir<'a>(
    recipe: &'a Recipe,
) -> impl Iterator<Item = (Vec<String>, Range<usize>)> + 'a {
    let uses = recipe
        .script
        .uses
        .iter()
        .filter(|used| used.name == "FILESDIR");
    uses.filter_map(|used| {
        let (pieces, at) = word(recipe, used)?;
        let patterns = recipe.patterns(&pieces).into_iter();
        let names: Option<Vec<String>> = patterns
            .map(|name| {
                let name = name
                    .strip_prefix('/')?
                    .trim_end_matches("/.")
                    .trim_matches('/');
                (!name.is_empty()).then(|| name.to_owned())
            })
            .collect();
        Some((names?, at))
    })
}

/// Returns the pieces behind `${FILESDIR}` in the word that begins with the reference `used`, and
/// the bytes of the word. Returns `None` if the word does not begin with the reference, is not only
/// a name, or is the argument of a test such as `-f`.
fn word(recipe: &Recipe, used: &Use) -> Option<(Vec<Piece>, Range<usize>)> {
    let text = recipe.text;
    let before = text[..used.at.start].chars().next_back()?;
    let (start, is_quoted) = match before {
        '"' => (used.at.start - 1, true),
        ' ' | '\t' | '\n' | '(' | '=' => (used.at.start, false),
        _ => return None,
    };
    // Tests such as `-f` check files that may be missing.
    let asks = text[..start].trim_end();
    if ["-f", "-e", "-d", "-r", "-s", "-x"]
        .iter()
        .any(|ask| asks.ends_with(ask))
    {
        return None;
    }
    let line_end = text[start..].find('\n').map_or(text.len(), |n| start + n);
    let end = if is_quoted {
        line_end
    } else {
        // In a longer string, the end of the string ends the word.
        let stops = |c: char| c.is_whitespace() || "\"'();|&<>`".contains(c);
        let stop = text[start..line_end]
            .find(stops)
            .map_or(line_end, |n| start + n);
        let behind = text[stop..].chars().next();
        if matches!(behind, Some('"' | '\'')) {
            let next = text[stop + 1..].chars().next();
            if next.is_some_and(|c| !c.is_whitespace() && !");|&".contains(c)) {
                return None;
            }
        }
        stop
    };
    let first = split(text, start, end).into_iter().next()?;
    let mut pieces = first.pieces.into_iter();
    let Some(Piece::Variable(name)) = pieces.next() else {
        return None;
    };
    let ends = [')', ';', '|', '&', '<', '>'];
    let stops = |piece: &Piece| matches!(piece, Piece::Other(text) if text.starts_with(ends));
    let rest: Vec<Piece> = pieces.take_while(|piece| !stops(piece)).collect();
    // A string with blanks is not only a name.
    let has_blank =
        |piece: &Piece| matches!(piece, Piece::Text(text) if text.contains([' ', '\t', ':']));
    let is_name = name == "FILESDIR" && !rest.iter().any(has_blank);
    is_name.then_some((rest, first.at))
}

/// Returns true if a file or a folder below `files/` matches the pattern `name`. `files` are the
/// paths of the package's files.
fn is_there(files: &BTreeSet<String>, name: &str) -> bool {
    let pattern = format!("files/{name}").replace(['?', '['], "*");
    let folder = format!("{pattern}/*");
    files
        .iter()
        .any(|file| glob::fits(&pattern, file) || glob::fits(&folder, file))
}
