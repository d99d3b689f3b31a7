//! Writes the changes of a script into the text that the script was read from.

use crate::sites::printed;
use rocpkg_render::bash::{Piece, Script, Seen, Style, Word, visit};
use std::collections::BTreeMap;
use std::ops::Range;

/// Returns `old`, the text that `before` was read from, with changes of `after`, and true if these
/// are all changes. All other bytes stay, such as comments, blanks and line breaks.
///
/// A changed word is written in its place. If there are other changes, the lines in which the
/// printed scripts differ are changed. If that is not certain, each changed item is printed anew,
/// where `old` contains the item as it is printed; the rest is left to a merge. No change is made
/// if the result has more `faults` than `old`.
pub fn in_place(
    old: &str,
    before: &Script,
    after: &Script,
    style: &Style,
    faults: impl Fn(&str) -> usize,
) -> (String, bool) {
    let is_sound = |text: &String| text == old || faults(text) <= faults(old);
    let by_words = by_words(old, before, after, style).filter(is_sound);
    let by_lines = |is_late| by_lines(old, before, after, style, is_late).filter(is_sound);
    if let Some(text) = by_words
        .or_else(|| by_lines(false))
        .or_else(|| by_lines(true))
    {
        return (text, true);
    }
    let (text, is_whole) = by_items(old, before, after, style);
    if is_sound(&text) {
        (text, is_whole)
    } else {
        (old.to_owned(), false)
    }
}

/// Returns `old` with the changed words of `after`. Returns `None` if the result would not read as
/// `after` does, since more changed than the texts of words.
fn by_words(old: &str, before: &Script, after: &Script, style: &Style) -> Option<String> {
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
    reads_as(&text, after, style).then_some(text)
}

fn reads_as(text: &str, script: &Script, style: &Style) -> bool {
    Script::read(text).is_ok_and(|read| read.print(style) == script.print(style))
}

/// Returns `old` with the lines in which `before` and `after` differ when they are printed. A new
/// line follows the line above it, or with `is_late` precedes the line below it, and has the
/// indentation that `old` has. Returns `None` if the result would not read as `after` does, as
/// `old` has other line breaks there.
fn by_lines(
    old: &str,
    before: &Script,
    after: &Script,
    style: &Style,
    is_late: bool,
) -> Option<String> {
    let (own, new) = (before.print(style), after.print(style));
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    let (own, new, old_lines) = (lines(&own), lines(&new), lines(old));
    // The blanks of `old` are not those of the printed lines.
    let squeezed = |lines: &[String]| -> Vec<String> {
        let words = lines.iter().map(|line| line.split_whitespace().collect());
        words.map(|words: Vec<&str>| words.join(" ")).collect()
    };
    let in_old = aligned(&squeezed(&own), &squeezed(&old_lines));
    let kept = aligned(&new, &own);
    // A changed line with blanks of its own is left to what changes its words.
    let has_own_blanks = |(own_at, old_at): (usize, &Option<usize>)| {
        let is_gone = !kept.contains(&Some(own_at));
        is_gone && old_at.is_some_and(|at| old_lines[at].trim() != own[own_at].trim())
    };
    if in_old.iter().enumerate().any(has_own_blanks) {
        return None;
    }
    let blank = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
    // The indentation of the nearest line that has the same one in the printed script.
    let blank_of = |line: &str, near: usize| {
        let own_blank = blank(line);
        let pairs = in_old.iter().enumerate();
        let pairs = pairs.filter_map(|(own_at, old_at)| Some((own_at, (*old_at)?)));
        pairs
            .filter(|(own_at, _)| blank(&own[*own_at]) == own_blank)
            .min_by_key(|(own_at, _)| own_at.abs_diff(near))
            .map_or(own_blank.clone(), |(_, old_at)| blank(&old_lines[old_at]))
    };
    let is_gone = |old_at: usize| {
        let own_at = in_old.iter().position(|at| *at == Some(old_at));
        own_at.is_some_and(|own_at| !kept.contains(&Some(own_at)))
    };
    let (mut out, mut next): (Vec<String>, usize) = (Vec::new(), 0);
    let (mut waiting, mut last) = (Vec::new(), 0);
    for (line, own_at) in new.iter().zip(&kept) {
        let Some(own_at) = own_at else {
            let blank = blank_of(line, last);
            waiting.push(format!("{blank}{}", line.trim_start()));
            continue;
        };
        last = *own_at;
        if !is_late {
            out.append(&mut waiting);
        }
        let Some(old_at) = in_old[*own_at] else {
            continue;
        };
        out.extend(
            (next..old_at)
                .filter(|at| !is_gone(*at))
                .map(|at| old_lines[at].clone()),
        );
        out.append(&mut waiting);
        out.push(old_lines[old_at].clone());
        next = old_at + 1;
    }
    let rest = (next..old_lines.len()).filter(|at| !is_gone(*at));
    let rest: Vec<String> = rest.map(|at| old_lines[at].clone()).collect();
    let (first, last) = if is_late {
        (rest, waiting)
    } else {
        (waiting, rest)
    };
    out.extend(first.into_iter().chain(last));
    let text = out.join("\n") + if old.ends_with('\n') { "\n" } else { "" };
    reads_as(&text, after, style).then_some(text)
}

/// Returns for each line of `own` the index of the same line in `other`, as a diff aligns them.
fn aligned(own: &[String], other: &[String]) -> Vec<Option<usize>> {
    let mut out = vec![None; own.len()];
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, own, other) {
        if let similar::DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            (0..len).for_each(|at| out[old_index + at] = Some(new_index + at));
        }
    }
    out
}

/// Returns `old` with the changed items of `after`, and true if these are all changes. An item
/// stays if neither its lines can be changed, nor `old` contains it as it is printed.
fn by_items(old: &str, before: &Script, after: &Script, style: &Style) -> (String, bool) {
    let (mut text, mut is_whole) = (old.to_owned(), true);
    if before.items.len() != after.items.len() {
        return (text, false);
    }
    let mut script = before.clone();
    for (at, new) in after.items.iter().enumerate() {
        if script.items[at] == *new {
            continue;
        }
        let mut next = script.clone();
        next.items[at] = new.clone();
        let mut ways = [false, true].into_iter();
        if let Some(changed) =
            ways.find_map(|is_late| by_lines(&text, &script, &next, style, is_late))
        {
            (text, script) = (changed, next);
            continue;
        }
        let own = printed(&script.items[at], style);
        let is_line = |at: &usize| *at == 0 || text.as_bytes()[at - 1] == b'\n';
        let all = text.match_indices(&own).map(|(at, _)| at);
        let all: Vec<usize> = all.filter(is_line).collect();
        if let [start] = all[..] {
            text.replace_range(start..start + own.len(), &printed(new, style));
            script = next;
        } else {
            is_whole = false;
        }
    }
    (text, is_whole)
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
