//! Writes the changes of a script into the text that the script was read from.

use crate::sites::printed;
use rocpkg_render::bash::{Piece, Script, Seen, Style, Word, visit};
use std::collections::{BTreeMap, BTreeSet};
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
/// indentation that `old` has. Returns `None` if a changed line has blanks of its own, or if the
/// result would not read as `after` does, as `old` has other line breaks there.
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
    let squeezed = |lines: &[String]| -> Vec<String> {
        let words = lines.iter().map(|line| line.split_whitespace().collect());
        words.map(|words: Vec<&str>| words.join(" ")).collect()
    };
    // The printed lines that `old` has, whatever its blanks, each with its place there.
    let in_old = aligned(&squeezed(&own), &squeezed(&old_lines));
    let pairs = in_old.iter().enumerate();
    let pairs: Vec<_> = pairs
        .filter_map(|(own, old)| Some((own, (*old)?)))
        .collect();
    let kept = aligned(&new, &own);
    let mut gone = BTreeSet::new();
    for (own_at, old_at) in &pairs {
        if !kept.contains(&Some(*own_at)) {
            if old_lines[*old_at].trim() != own[*own_at].trim() {
                return None;
            }
            gone.insert(*old_at);
        }
    }
    let blank = |line: &str| line[..line.len() - line.trim_start().len()].to_owned();
    // The new lines, by the line of `old` that they precede.
    let mut added: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let (mut last, mut next) = (0, 0);
    for (at, line) in new.iter().enumerate() {
        if let Some(own_at) = kept[at] {
            last = own_at;
            next = in_old[own_at].map_or(next, |old_at| old_at + 1);
            continue;
        }
        let mut below = kept[at..].iter().flatten();
        let place = match below.find_map(|own_at| in_old[*own_at]).filter(|_| is_late) {
            Some(below) => below,
            None => next,
        };
        // The nearest line that is printed with the same indentation shows that of `old`.
        let alike = pairs
            .iter()
            .filter(|(own_at, _)| blank(&own[*own_at]) == blank(line));
        let nearest = alike.min_by_key(|(own_at, _)| own_at.abs_diff(last));
        let shown = nearest.map_or(line, |(_, old_at)| &old_lines[*old_at]);
        let line = blank(shown) + line.trim_start();
        added.entry(place).or_default().push(line);
    }
    let mut out = Vec::new();
    for at in 0..=old_lines.len() {
        out.append(added.entry(at).or_default());
        out.extend(old_lines.get(at).filter(|_| !gone.contains(&at)).cloned());
    }
    let text = out.join("\n") + if old.ends_with('\n') { "\n" } else { "" };
    reads_as(&text, after, style).then_some(text)
}

/// Returns for each line of `own` the index of the same line in `other`, as a diff aligns them.
fn aligned(own: &[String], other: &[String]) -> Vec<Option<usize>> {
    let mut out = vec![None; own.len()];
    for op in similar::capture_diff_slices(similar::Algorithm::Myers, own, other) {
        if op.tag() == similar::DiffTag::Equal {
            for (own_at, at) in op.old_range().zip(op.new_range()) {
                out[own_at] = Some(at);
            }
        }
    }
    out
}

/// Returns `old` with the changed items of `after`, and true if it reads as `after` does. An item
/// stays if neither its lines can be changed, nor `old` contains it as it is printed.
fn by_items(old: &str, before: &Script, after: &Script, style: &Style) -> (String, bool) {
    let mut text = old.to_owned();
    if before.items.len() != after.items.len() {
        return (text, false);
    }
    let mut script = before.clone();
    for (at, new) in after.items.iter().enumerate() {
        let mut next = script.clone();
        next.items[at] = new.clone();
        if script == next {
            continue;
        }
        let by_lines = |is_late| by_lines(&text, &script, &next, style, is_late);
        if let Some(changed) = by_lines(false).or_else(|| by_lines(true)) {
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
        }
    }
    let is_whole = reads_as(&text, after, style);
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
