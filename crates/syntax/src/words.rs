//! Words of bash, with their pieces and quotes.

use crate::value::NormalText;
pub use crate::variables::Words;
use std::ops::Range;

/// The sign for the recipe's version in [`NormalText::open`].
pub const VERSION: char = '\u{1}';

/// The sign between the parts of a `sed` command in [`NormalText::open`] and [`NormalText::real`],
/// whatever sign the text has: `s:a:b:` and `s/a/b/` are equal.
pub const BETWEEN: char = '\u{2}';

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// The name of a variable that bash replaces by its value.
    Variable(String),
    /// Anything else that bash expands, as it is written: `$(…)`, `${x//a/b}`, a glob.
    Other(String),
}

/// The quotes of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quote {
    /// No quotes.
    Bare,
    /// `'…'`.
    Single,
    /// `"…"`.
    Double,
    /// More than one kind.
    Mixed,
}

/// A word.
#[derive(Clone, Debug)]
pub struct Word {
    /// The bytes of the word in the text, quotes included.
    pub at: Range<usize>,
    /// The parts of the word, without quotes.
    pub pieces: Vec<Piece>,
    /// The quotes around the parts.
    pub quote: Quote,
    /// The bytes behind the first `=`. None if the word has no `=`, if nothing is behind it, or if
    /// quotes or a variable begin before it.
    pub value_at: Option<Range<usize>>,
}

impl Word {
    /// Returns the text of the word, if the word contains no expansion. Returns none if a part of
    /// the word is a variable, a command or a glob.
    pub fn text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// Returns the byte behind the bracket that closes the bracket at the byte `open`. Brackets in
/// quotes don't count. Returns the end of the text if no bracket closes it.
pub fn closing(text: &str, open: usize) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (open, 0usize);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\'' if depth > 0 => {
                at = text[at + 1..]
                    .find('\'')
                    .map_or(bytes.len(), |n| at + 1 + n);
            }
            b'"' => at = end_of_string(text, at) - 1,
            b'(' | b'{' => depth += 1,
            b')' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// Returns the byte behind the quote that closes the string whose double quote is at the byte
/// `open`.
fn end_of_string(text: &str, open: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = open + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            b'$' if matches!(bytes.get(at + 1), Some(b'(' | b'{')) => at = closing(text, at + 1),
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Returns the piece that begins with the dollar sign at the byte `at`, and the byte behind the
/// piece.
fn expansion(text: &str, at: usize) -> (Piece, usize) {
    let rest = &text[at + 1..];
    let is_name = |s: &str| s.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let name_of = |s: &str| {
        s.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(s.len())
    };
    match rest.bytes().next() {
        Some(b'(' | b'{') => {
            let end = closing(text, at + 1);
            let inside = text.get(at + 2..end - 1).unwrap_or_default();
            let plain =
                text[at..].starts_with("${") && is_name(inside) && name_of(inside) == inside.len();
            let piece = if plain {
                Piece::Variable(inside.to_owned())
            } else {
                Piece::Other(text[at..end].to_owned())
            };
            (piece, end)
        }
        Some(_) if is_name(rest) => {
            let end = at + 1 + name_of(rest);
            (Piece::Variable(text[at + 1..end].to_owned()), end)
        }
        // `$1`, `$@`, `$'…'`.
        Some(b'\'') => {
            let end = text[at + 2..].find('\'').map_or(text.len(), |n| at + 3 + n);
            (Piece::Other(text[at..end].to_owned()), end)
        }
        Some(c) if b"@*#?-$!".contains(&c) || c.is_ascii_digit() => {
            (Piece::Other(text[at..at + 2].to_owned()), at + 2)
        }
        _ => (Piece::Text("$".to_owned()), at + 1),
    }
}

/// Reads the word that begins at the byte `start`. It ends before a blank outside of quotes, or at
/// `end`.
pub(crate) fn word(text: &str, start: usize, end: usize) -> Word {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut quotes = Vec::new();
    let mut at = start;
    while at < end && !bytes[at].is_ascii_whitespace() {
        match bytes[at] {
            b'\'' => {
                let close = text[at + 1..end].find('\'').map_or(end, |n| at + 1 + n);
                push(&mut pieces, Piece::Text(text[at + 1..close].to_owned()));
                quotes.push(Quote::Single);
                at = close + 1;
            }
            b'"' => {
                let close = end_of_string(text, at).min(end);
                quoted(text, at + 1, close - 1, &mut pieces);
                quotes.push(Quote::Double);
                at = close;
            }
            b'\\' => {
                let next = text[at + 1..end].chars().next().map_or(0, char::len_utf8);
                // A backslash at the end of a line continues the line.
                if &text[at + 1..at + 1 + next] != "\n" {
                    push(
                        &mut pieces,
                        Piece::Text(text[at + 1..at + 1 + next].to_owned()),
                    );
                }
                quotes.push(Quote::Mixed);
                at += 1 + next;
            }
            b'$' => {
                let (piece, next) = expansion(text, at);
                push(&mut pieces, piece);
                quotes.push(Quote::Bare);
                at = next;
            }
            b'`' => {
                let next = backtick(text, at, end);
                push(&mut pieces, Piece::Other(text[at..next].to_owned()));
                quotes.push(Quote::Bare);
                at = next;
            }
            b'*' | b'?' | b'[' | b'{' | b'}' | b'~' | b'<' | b'>' | b'|' | b'&' | b';' | b'('
            | b')' => {
                push(&mut pieces, Piece::Other(text[at..=at].to_owned()));
                quotes.push(Quote::Bare);
                at += 1;
            }
            _ => {
                let next = at + text[at..].chars().next().map_or(1, char::len_utf8);
                push(&mut pieces, Piece::Text(text[at..next].to_owned()));
                quotes.push(Quote::Bare);
                at = next;
            }
        }
    }
    quotes.dedup();
    let quote = match quotes.as_slice() {
        [] => Quote::Bare,
        [one] => *one,
        _ => Quote::Mixed,
    };
    let end = at.min(end);
    let head = text[start..end].find(['=', '"', '\'', '\\', '$', '`']);
    let value = head
        .map(|n| start + n)
        .filter(|at| text[*at..].starts_with('=') && at + 1 < end);
    Word {
        at: start..end,
        pieces,
        quote,
        value_at: value.map(|at| at + 1..end),
    }
}

/// Adds the pieces of the text from `start` to `end`, which is the inside of a string in double
/// quotes, to `pieces`.
pub(crate) fn quoted(text: &str, start: usize, end: usize, pieces: &mut Vec<Piece>) {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < end {
        match bytes[at] {
            b'$' => {
                let (piece, next) = expansion(text, at);
                push(pieces, piece);
                at = next;
            }
            b'`' => {
                let next = backtick(text, at, end);
                push(pieces, Piece::Other(text[at..next].to_owned()));
                at = next;
            }
            b'\\' if bytes.get(at + 1).is_some_and(|c| b"\"\\$`\n".contains(c)) => {
                if bytes[at + 1] != b'\n' {
                    push(pieces, Piece::Text(text[at + 1..at + 2].to_owned()));
                }
                at += 2;
            }
            _ => {
                let next = at + text[at..].chars().next().map_or(1, char::len_utf8);
                push(pieces, Piece::Text(text[at..next].to_owned()));
                at = next;
            }
        }
    }
}

/// Returns the byte behind a command in backticks, or `end` if the command is not closed. The first
/// backtick is at `at`.
fn backtick(text: &str, at: usize, end: usize) -> usize {
    let closing = text[at + 1..end].find('`');
    closing.map_or(end, |n| at + 2 + n)
}

/// Adds a piece. If the previous piece is of the same kind, both become one, except for variables.
pub fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), &piece) {
        (Some(Piece::Text(last)), Piece::Text(text))
        | (Some(Piece::Other(last)), Piece::Other(text)) => {
            last.push_str(text);
        }
        _ => pieces.push(piece),
    }
}

/// Returns the words that bash expands a word with braces to: `x{a,b}` → `xa`, `xb`. A word without
/// braces, or with too many of them, is returned alone.
pub fn unbraced(pieces: &[Piece]) -> Vec<Vec<Piece>> {
    let is = |piece: &Piece, bracket: &str| matches!(piece, Piece::Other(text) if text == bracket);
    if unbraced_count(pieces) > MOST_UNBRACED {
        return vec![pieces.to_vec()];
    }
    let Some(open) = pieces.iter().position(|p| is(p, "{")) else {
        return vec![pieces.to_vec()];
    };
    let Some(close) = pieces
        .iter()
        .position(|p| is(p, "}"))
        .filter(|close| *close > open)
    else {
        return vec![pieces.to_vec()];
    };
    let mut parts: Vec<Vec<Piece>> = vec![Vec::new()];
    for piece in &pieces[open + 1..close] {
        let Piece::Text(text) = piece else {
            parts
                .last_mut()
                .into_iter()
                .for_each(|part| push(part, piece.clone()));
            continue;
        };
        for (i, text) in text.split(',').enumerate() {
            if i > 0 {
                parts.push(Vec::new());
            }
            parts
                .last_mut()
                .into_iter()
                .for_each(|part| push(part, Piece::Text(text.to_owned())));
        }
    }
    if parts.len() < 2 {
        return vec![pieces.to_vec()];
    }
    let mut out = Vec::new();
    for part in parts {
        let mut word = Vec::new();
        for piece in pieces[..open]
            .iter()
            .chain(&part)
            .chain(&pieces[close + 1..])
        {
            push(&mut word, piece.clone());
        }
        out.extend(unbraced(&word));
    }
    out
}

/// The most words that a single word with braces is expanded to.
const MOST_UNBRACED: usize = 4096;

/// Returns an upper bound of the number of words that bash expands a word with braces to.
fn unbraced_count(pieces: &[Piece]) -> usize {
    let (mut count, mut inside) = (1usize, 1);
    for piece in pieces {
        match piece {
            Piece::Other(text) if text.contains('{') => inside = 1,
            Piece::Other(text) if text.contains('}') => count = count.saturating_mul(inside),
            Piece::Text(text) => inside += text.matches(',').count(),
            _ => {}
        }
    }
    count
}

/// Returns the words of `text` between the bytes `start` and `end`, without comments.
pub fn split(text: &str, start: usize, end: usize) -> Vec<Word> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = start;
    while at < end {
        match bytes[at] {
            c if c.is_ascii_whitespace() => at += 1,
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => at += 2,
            b'#' => at = text[at..end].find('\n').map_or(end, |n| at + n),
            _ => {
                let word = word(text, at, end);
                at = word.at.end.max(at + 1);
                all.push(word);
            }
        }
    }
    all
}

/// Brings the words of a `sed` command to normal form: options, scripts and files in this order,
/// and scripts with [`BETWEEN`] between their parts. [`NormalText::written`] of a script keeps the
/// signs of the text. Words of any other command stay as they are.
///
/// A command with other options than `-i` and `-e` keeps its order.
pub(crate) fn sed(words: &mut Vec<NormalText>) {
    if words.first().is_none_or(|name| name.open != "sed") {
        return;
    }
    for word in words.iter_mut().skip(1) {
        word.open = substitution(&word.open);
        word.real = substitution(&word.real);
    }
    let (mut options, mut scripts, mut files) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = words[1..].iter().cloned();
    while let Some(word) = rest.next() {
        match word.open.as_str() {
            "-i" if options.is_empty() => options.push(word),
            "-i" => {}
            "-e" => scripts.extend(rest.next()),
            other if other.starts_with('-') => return,
            // A variable may contain options.
            other if other.starts_with('$') && !other.contains('/') => return,
            _ => files.push(word),
        }
    }
    if scripts.is_empty() && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    words.truncate(1);
    words.append(&mut options);
    for script in scripts {
        words.extend([NormalText::plain("-e"), script]);
    }
    words.append(&mut files);
}

/// Returns the normal form of a substitution of `sed`: in `s:a:b:g`, each `:` becomes [`BETWEEN`].
/// An address may precede it: `1,3s:a:b:`. Any other text is returned as it is.
fn substitution(text: &str) -> String {
    let same = || text.to_owned();
    let of_lines = |c: char| c.is_ascii_digit() || matches!(c, ',' | '$');
    let command = match text.strip_prefix('/').and_then(|rest| rest.split_once('/')) {
        Some((address, rest)) if !address.ends_with('\\') => rest,
        _ => text.trim_start_matches(of_lines),
    };
    let head = text.len() - command.len();
    let mut rest = command.trim_start().chars();
    let (Some('s'), Some(sign)) = (rest.next(), rest.next()) else {
        return same();
    };
    if !sign.is_ascii_punctuation() || matches!(sign, '\\' | '_' | '-') {
        return same();
    }
    let (mut out, mut count) = (format!("{}s{BETWEEN}", &text[..head]), 0);
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                // The sign of the text needs no backslash between other signs.
                Some(next) if next == sign => out.push(next),
                next => out.extend(std::iter::once(c).chain(next)),
            },
            _ if c == sign => {
                count += 1;
                out.push(BETWEEN);
            }
            _ => out.push(c),
        }
    }
    let flags = out.rsplit(BETWEEN).next().unwrap_or_default();
    let is_flag = |c: char| c.is_ascii_digit() || "gpIiMmew".contains(c);
    if count == 2 && flags.chars().all(is_flag) {
        out
    } else {
        same()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substitutions_are_the_same_by_any_sign() {
        let form = substitution("s/a/b/g");
        for other in ["s:a:b:g", "s|a|b|g", "s@a@b@g", "s,a,b,g"] {
            assert_eq!(substitution(other), form, "{other}");
        }
        assert_eq!(
            substitution(r"s/\/usr/\/opt/"),
            substitution("s:/usr:/opt:")
        );
        assert_eq!(substitution("/x/s/a/b/"), substitution("/x/s:a:b:"));
        assert_eq!(substitution("/x/ s/a/b/"), substitution("/x/s:a:b:"));
        assert_eq!(substitution("1,3s/a/b/"), substitution("1,3s:a:b:"));
        assert_ne!(substitution("s:a:b:"), substitution("s:a:b:g"));
        for other in [
            "src/lib.txt",
            "s:a:b",
            "-es",
            "s",
            "",
            "/a",
            "s/a/b/;s/c/d/",
            "ß/s",
        ] {
            assert_eq!(substitution(other), other);
        }
    }
}
