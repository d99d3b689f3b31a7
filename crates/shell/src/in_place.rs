//! Writes changed words of a script into the text that the script was read from.

use rocpkg_render::bash::{Piece, Script, Seen, Style, Word, visit};
use std::collections::BTreeMap;
use std::ops::Range;

/// Returns `old`, the text that `before` was read from, with the changed words of `after`. All other
/// bytes stay, such as comments, blanks and line breaks.
///
/// Returns `None` if a change is none of a word's text: a statement or a word more, another name.
/// The result is right by construction: it reads as `after` does, or it is not returned.
pub fn words_in_place(old: &str, before: &Script, after: &Script, style: &Style) -> Option<String> {
    let (own, new) = (words(before), words(after));
    if own.len() != new.len() {
        return None;
    }
    let mut edits = BTreeMap::new();
    for (own, new) in own.iter().zip(&new).filter(|(own, new)| own != new) {
        let at = own.place().range()?;
        if let (Some(own), Some(new)) = (own.as_literal(), new.as_literal()) {
            let start = at.start + old.get(at)?.find(own)?;
            edits.insert((start, start + own.len()), new.to_owned());
        } else {
            let pieces = (own.pieces().collect(), new.pieces().collect());
            texts(old, at, pieces, &mut edits)?;
        }
    }
    let mut text = old.to_owned();
    for ((start, end), new) in edits.into_iter().rev() {
        text.replace_range(start..end, &new);
    }
    let read = Script::read(&text).ok()?;
    (read.print(style) == after.print(style)).then_some(text)
}

fn words(script: &Script) -> Vec<Word> {
    let mut out = Vec::new();
    visit(&script.items, &mut |seen| {
        if let Seen::Word(word) = seen {
            out.push(word.clone());
        }
    });
    out
}

/// Adds the changed texts of a word at the bytes `at` to `edits`, by their bytes. Words in
/// expansions and substitutions are visited by themselves.
fn texts(
    old: &str,
    at: Range<usize>,
    (own, new): (Vec<&Piece>, Vec<&Piece>),
    edits: &mut BTreeMap<(usize, usize), String>,
) -> Option<usize> {
    if own.len() != new.len() {
        return None;
    }
    let mut from = at.start;
    for (own, new) in own.into_iter().zip(new) {
        match (own, new) {
            (Piece::Double(own), Piece::Double(new)) | (Piece::Locale(own), Piece::Locale(new)) => {
                let pieces = (own.iter().collect(), new.iter().collect());
                from = texts(old, from..at.end, pieces, edits)?;
            }
            (Piece::Bare(own), Piece::Bare(new))
            | (Piece::Single(own), Piece::Single(new))
            | (Piece::Ansi(own), Piece::Ansi(new)) => {
                let start = from + old.get(from..at.end)?.find(own.as_str())?;
                from = start + own.len();
                if own != new {
                    edits.insert((start, from), new.clone());
                }
            }
            _ => {}
        }
    }
    Some(from)
}
