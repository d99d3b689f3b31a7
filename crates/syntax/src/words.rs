//! Words of bash: what they say without their quotes, and how they are written in the manner of their neighbours.

use crate::value::Value;
use std::collections::BTreeMap;
use std::ops::Range;

/// Stands for the version of the recipe in a normal form.
pub const VERSION: char = '\u{1}';

/// Stands for the sign between the parts of a `sed` command in a normal form.
pub const BETWEEN: char = '\u{2}';

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text.
    Text(String),
    /// A variable that is replaced by its value, by its name.
    Variable(String),
    /// Anything else that bash replaces, as it is written: `$(…)`, `${x//a/b}`, a glob.
    Other(String),
}

/// Which quotes a word stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quote {
    /// None.
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
    /// Its bytes in the text, quotes included.
    pub at: Range<usize>,
    /// Its parts, without quotes.
    pub pieces: Vec<Piece>,
    /// The quotes around its parts.
    pub quote: Quote,
    /// What stands behind the first `=`, where no quotes begin before it.
    pub value_at: Option<Range<usize>>,
}

impl Word {
    /// Returns the text of a word that holds nothing for bash to replace.
    pub fn text(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// Where something that begins with a bracket ends, quotes inside left out.
pub(crate) fn closing(text: &str, open: usize) -> usize {
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

/// Where a string in double quotes ends, its quotes with it.
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

/// What begins with a dollar sign: the piece, and where it ends.
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

/// Reads one word that begins at a byte, up to a blank or `end`.
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
                // A line that goes on.
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
                let next = text[at + 1..end].find('`').map_or(end, |n| at + 2 + n);
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

/// The pieces of a text in double quotes.
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

/// Adds a piece, to the one before it where both are of one kind.
pub fn push(pieces: &mut Vec<Piece>, piece: Piece) {
    match (pieces.last_mut(), &piece) {
        (Some(Piece::Text(last)), Piece::Text(text))
        | (Some(Piece::Other(last)), Piece::Other(text)) => {
            last.push_str(text);
        }
        _ => pieces.push(piece),
    }
}

/// The words that bash makes of one with `{a,b}` in it.
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

/// The most words that one word with braces is replaced by.
const MOST_UNBRACED: usize = 4096;

/// The number of words that bash makes of one with `{a,b}` in it, or more.
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

/// The words of a text, comments left out.
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

/// The most variables inside each other. More is a circle.
const MOST_DEPTH: usize = 8;

/// The most pieces and bytes of one value that variables bring. Variables beyond stay as they are
/// written, so that `a="$b$b"`, `b="$c$c"` and so on does not grow without end.
const MOST_WORK: usize = 1 << 14;

/// What variables stand for.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The pieces of each variable that is set once.
    known: BTreeMap<String, Vec<Piece>>,
    /// The variable that holds the version.
    version: String,
    /// True if the name of the file sets the version.
    is_version_given: bool,
    /// The variables that mean something else in another text; see [`Words::set_apart`].
    apart: BTreeMap<String, Option<String>>,
}

impl Words {
    /// Returns the variables of an empty text: `given` are those that the name of its file sets, as
    /// texts in double quotes.
    pub(crate) fn new(version: &str, given: &[(&str, String)]) -> Self {
        let pieces = |text: &str| {
            let mut pieces = Vec::new();
            quoted(text, 0, text.len(), &mut pieces);
            pieces
        };
        let known = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), pieces(value)))
            .collect();
        Self {
            known,
            version: version.to_owned(),
            is_version_given: given.iter().any(|(name, _)| *name == version),
            apart: BTreeMap::new(),
        }
    }

    /// Notes the variables that have another value here than in all of the other texts, so that
    /// words of those texts can't refer to them here: `$pkgname` of a fork is not upstream's name.
    ///
    /// A version that is the recipe's own may have a stand-in: a variable that holds the version of
    /// one of the other texts.
    pub fn set_apart(&mut self, others: &[&Self]) {
        let value = |words: &Self, name: &str| words.value(&[Piece::Variable(name.to_owned())]);
        let differs = |name: &str| {
            if name == self.version && self.is_version_given {
                return false;
            }
            let own = value(self, name);
            let is_same = |other: &Value| {
                if name == self.version {
                    own.real == other.real
                } else {
                    own.is(other)
                }
            };
            let known = others.iter().filter(|other| other.known.contains_key(name));
            let mut known = known.map(|other| value(other, name)).peekable();
            known.peek().is_some() && known.all(|other| !is_same(&other))
        };
        let versions: Vec<String> = others
            .iter()
            .map(|other| value(other, &self.version).real)
            .collect();
        let holds_version = |name: &&String| {
            let is_own = others.iter().all(|other| !other.known.contains_key(*name));
            is_own
                && matches!(&self.known[*name][..], [Piece::Text(text)] if versions.contains(text))
        };
        let stand_in = self.known.keys().find(holds_version);
        let names = self.known.keys().filter(|name| differs(name));
        let apart = names.map(|name| {
            let stand_in = stand_in.filter(|_| *name == self.version);
            (name.clone(), stand_in.cloned())
        });
        self.apart = apart.collect();
    }

    /// Returns the variable that holds the release, where the version of the recipe is its own.
    pub fn stand_in(&self) -> Option<&str> {
        self.apart.get(&self.version)?.as_deref()
    }

    /// Returns true if [`Words::set_apart`] found no variable with another value.
    pub fn have_one_meaning(&self) -> bool {
        self.apart.is_empty()
    }

    /// Returns true if words of another text can refer to a variable here and mean the same.
    pub fn means(&self, name: &str) -> bool {
        self.has(name) && !self.apart.contains_key(name)
    }

    /// The variables that are set, with what they stand for.
    pub fn own(&self) -> impl Iterator<Item = (&str, &[Piece])> {
        let all = self
            .known
            .iter()
            .map(|(name, pieces)| (name.as_str(), pieces.as_slice()));
        all.filter(|(name, pieces)| *pieces != [Piece::Other(format!("${{{name}}}"))])
    }

    /// Whether a variable is known.
    pub fn has(&self, name: &str) -> bool {
        name == self.version || self.known.contains_key(name)
    }

    /// Returns the name of the variable that holds the version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Notes what a variable is set to; one that is set to two things stands for nothing.
    pub(crate) fn set(&mut self, name: &str, pieces: Vec<Piece>) {
        let refers = pieces
            .iter()
            .any(|p| matches!(p, Piece::Variable(v) if v == name));
        if self.known.get(name) == Some(&pieces) {
            return;
        }
        if self.known.insert(name.to_owned(), pieces).is_some() || refers {
            self.known
                .insert(name.to_owned(), vec![Piece::Other(format!("${{{name}}}"))]);
        }
    }

    /// What a variable stands for.
    pub fn get(&self, name: &str) -> Option<&[Piece]> {
        self.known.get(name).map(Vec::as_slice)
    }

    /// The normal form of pieces.
    pub fn value(&self, pieces: &[Piece]) -> Value {
        let mut value = Value::default();
        let mut left = MOST_WORK;
        self.write(pieces, &mut value, 0, &mut left);
        value.written = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Other(text) => collapsed(text, true),
                Piece::Variable(name) => format!("${{{name}}}"),
            })
            .collect();
        value
    }

    fn write(&self, pieces: &[Piece], value: &mut Value, depth: usize, left: &mut usize) {
        for piece in pieces {
            *left = left.saturating_sub(1);
            match piece {
                Piece::Other(text) if let Some(base) = self.base_name(text, depth, left) => {
                    value.open.push_str(&base.open);
                    value.real.push_str(&base.real);
                }
                Piece::Text(text) | Piece::Other(text) => {
                    let text = collapsed(text, matches!(piece, Piece::Other(_)));
                    *left = left.saturating_sub(text.len());
                    value.open.push_str(&text);
                    value.real.push_str(&text);
                }
                Piece::Variable(name) if *name == self.version => {
                    value.open.push(VERSION);
                    match self.known.get(name) {
                        Some(pieces) => value.real.push_str(&self.real(pieces, depth + 1, left)),
                        None => value.real.push(VERSION),
                    }
                }
                Piece::Variable(name) => {
                    if let Some(pieces) = self
                        .known
                        .get(name)
                        .filter(|_| depth < MOST_DEPTH && *left > 0)
                    {
                        self.write(pieces, value, depth + 1, left);
                    } else {
                        let text = format!("${{{name}}}");
                        value.open.push_str(&text);
                        value.real.push_str(&text);
                    }
                }
            }
        }
    }

    /// What `$(basename PATH [SUFFIX])` prints, and an element of a list that is known.
    fn base_name(&self, text: &str, depth: usize, left: &mut usize) -> Option<Value> {
        if depth >= MOST_DEPTH || *left == 0 {
            return None;
        }
        if let Some(element) = text.strip_prefix("${").and_then(|t| t.strip_suffix('}')) {
            return self
                .known
                .get(element)
                .filter(|_| element.ends_with(']'))
                .map(|pieces| self.part(pieces, depth, left));
        }
        let inside = text.strip_prefix("$(basename ")?.strip_suffix(')')?;
        let all = split(inside, 0, inside.len());
        let said = all.iter().map(|word| self.part(&word.pieces, depth, left));
        let said: Vec<Value> = said.collect();
        let base = |path: &str, suffix: Option<&str>| {
            let name = path
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or_default();
            suffix
                .and_then(|s| name.strip_suffix(s))
                .unwrap_or(name)
                .to_owned()
        };
        match said.as_slice() {
            [path] => Some(path.map(|path| base(path, None))),
            [path, suffix] => Some(path.map(|path| base(path, Some(&suffix.open)))),
            _ => None,
        }
    }

    /// The value of pieces inside of another value.
    fn part(&self, pieces: &[Piece], depth: usize, left: &mut usize) -> Value {
        let mut value = Value::default();
        self.write(pieces, &mut value, depth + 1, left);
        value
    }

    fn real(&self, pieces: &[Piece], depth: usize, left: &mut usize) -> String {
        let mut value = Value::default();
        if depth < MOST_DEPTH {
            self.write(pieces, &mut value, depth, left);
        }
        value.real
    }
}

/// Brings the words of a `sed` command to normal form: options, scripts and files in this order,
/// and scripts by one sign between their parts. `written` keeps the signs of the text.
///
/// A command with other options than `-i` and `-e` keeps its order.
pub(crate) fn sed(words: &mut Vec<Value>) {
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
            // A variable may hold options.
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
        words.extend([Value::plain("-e"), script]);
    }
    words.append(&mut files);
}

/// The normal form of `s:a:b:g`, with an address before `s` or without one. Any other text is
/// returned as it is.
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
                // The sign itself needs no backslash between other signs.
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

/// A command in one line, whatever its wrapping.
fn collapsed(text: &str, is_code: bool) -> String {
    if !is_code || !text.contains(['\n', '\t']) {
        return text.to_owned();
    }
    text.replace("\\\n", " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
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
