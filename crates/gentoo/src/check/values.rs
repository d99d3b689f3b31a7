//! The values of an ebuild's words, with variables replaced by their values. A part whose value is
//! not known is `*`.

use super::recipe::Recipe;
use super::versions::ver_cut;
use rocpkg_syntax::words::{Piece, split};
use std::ops::Range;

/// The deepest nesting of variables that is followed. Deeper nesting is taken for a cycle.
const MOST_LEVELS: usize = 8;

/// The greatest number of pieces and bytes of one value. The rest of a value is not known.
const MOST_WORK: usize = 1 << 14;

impl Recipe<'_> {
    /// Returns the values of a word of these pieces as patterns, in which `*` stands for unknown
    /// parts. A word with braces has several values: `${P}-{a,b}` → `hip-7.2.4-a`, `hip-7.2.4-b`.
    pub(super) fn patterns(&self, pieces: &[Piece]) -> Vec<String> {
        let mut text = String::new();
        let mut left = MOST_WORK;
        self.write(pieces, &mut text, 0, &mut left);
        let mut out = Vec::new();
        unbraced(&text, &mut out);
        out
    }

    /// Returns the value of a word of these pieces as a pattern; `*` if the word has several
    /// values.
    pub(super) fn pattern(&self, pieces: &[Piece]) -> String {
        let all = self.patterns(pieces);
        match all.as_slice() {
            [one] => one.clone(),
            _ => "*".to_owned(),
        }
    }

    /// Returns the value of the bytes `at` as a pattern. The bytes are a part of a text in double
    /// quotes.
    pub(super) fn quoted(&self, at: &Range<usize>) -> String {
        let inside = format!("\"{}\"", self.slice(at));
        let words = split(&inside, 0, inside.len());
        words
            .first()
            .map_or_else(String::new, |word| self.pattern(&word.pieces))
    }

    fn write(&self, pieces: &[Piece], out: &mut String, level: usize, left: &mut usize) {
        for piece in pieces {
            *left = left.saturating_sub(1);
            match piece {
                Piece::Text(text) => {
                    *left = left.saturating_sub(text.len());
                    out.push_str(text);
                }
                Piece::Variable(name) => self.variable(name, out, level, left),
                Piece::Other(text) => match text.as_str() {
                    "{" => out.push(OPEN),
                    "}" => out.push(CLOSE),
                    _ => match self.changed(text, level, left) {
                        Some(value) => out.push_str(&value),
                        None => out.push('*'),
                    },
                },
            }
        }
    }

    fn variable(&self, name: &str, out: &mut String, level: usize, left: &mut usize) {
        if let Some(value) = self.given(name) {
            return out.push_str(&value);
        }
        let set = self
            .only_set(name)
            .filter(|_| level < MOST_LEVELS && *left > 0);
        let value = set.map(|set| split(self.text, set.value_at.start, set.value_at.end));
        match value.as_deref() {
            Some([word]) if !self.text[word.at.clone()].starts_with('(') => {
                self.write(&word.pieces, out, level + 1, left);
            }
            Some([]) => {}
            _ => out.push('*'),
        }
    }

    /// Returns the value of an expansion such as `${NAME/a/b}`, `${NAME%.*}` or `$(ver_cut 1-2)`.
    /// Returns `None` for an expansion of another form or of an unknown value.
    fn changed(&self, text: &str, level: usize, left: &mut usize) -> Option<String> {
        if let Some(inside) = text.strip_prefix("$(").and_then(|t| t.strip_suffix(')')) {
            return self.version_part(inside);
        }
        let inside = text.strip_prefix("${")?.strip_suffix('}')?;
        let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        let (name, change) = inside.split_at(end);
        let mut value = String::new();
        self.variable(name, &mut value, level, left);
        let is_plain = |text: &str| !text.contains(['*', '?', '[', '$', '\\', '"', '\'', '/']);
        if value.contains('*') {
            return None;
        }
        if let Some(rest) = change.strip_prefix("//") {
            let (old, new) = rest.split_once('/').unwrap_or((rest, ""));
            return (is_plain(old) && is_plain(new)).then(|| value.replace(old, new));
        }
        if let Some(rest) = change.strip_prefix('/') {
            let (old, new) = rest.split_once('/').unwrap_or((rest, ""));
            let is_anchored = old.starts_with(['#', '%']);
            let is_known = is_plain(old) && is_plain(new) && !is_anchored;
            return is_known.then(|| value.replacen(old, new, 1));
        }
        match change {
            "^" => {
                let mut chars = value.chars();
                let first = chars.next()?.to_ascii_uppercase();
                Some(format!("{first}{}", chars.as_str()))
            }
            "^^" => Some(value.to_ascii_uppercase()),
            ",," => Some(value.to_ascii_lowercase()),
            _ => cut(&value, change),
        }
    }

    fn version_part(&self, command: &str) -> Option<String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let version = self.given("PV")?;
        match words.as_slice() {
            ["ver_cut", range] | ["ver_cut", range, "${PV}" | "$PV" | "\"${PV}\""] => {
                ver_cut(&version, range)
            }
            _ => None,
        }
    }
}

const OPEN: char = '\u{2}';
const CLOSE: char = '\u{3}';

/// Returns `value` without the prefix (`#`) or suffix (`%`) that matches the pattern in `change`:
/// `1.2.3` and `%.*` → `1.2`. The pattern may have one `*`. Returns `None` for another form of
/// `change`.
fn cut(value: &str, change: &str) -> Option<String> {
    let (is_head, is_long, pattern) = match change.as_bytes() {
        [b'#', b'#', ..] => (true, true, &change[2..]),
        [b'#', ..] => (true, false, &change[1..]),
        [b'%', b'%', ..] => (false, true, &change[2..]),
        [b'%', ..] => (false, false, &change[1..]),
        _ => return None,
    };
    if pattern.contains(['?', '[', '$', '\\', '"', '\'']) || pattern.matches('*').count() > 1 {
        return None;
    }
    let fits = |part: &str| rocpkg_syntax::glob::fits(pattern, part);
    let mut ends: Vec<usize> = value.char_indices().map(|(at, _)| at).collect();
    ends.push(value.len());
    // The shortest prefix ends first, and the shortest suffix begins last.
    if is_head == is_long {
        ends.reverse();
    }
    let found = ends.into_iter().find(|at| {
        let (head, tail) = value.split_at(*at);
        fits(if is_head { head } else { tail })
    });
    Some(match found {
        Some(at) if is_head => value[at..].to_owned(),
        Some(at) => value[..at].to_owned(),
        None => value.to_owned(),
    })
}

/// Adds the texts to which bash expands the braces of `text`: `a{b,c}d` → `abd`, `acd`. In `text`
/// the characters `OPEN` and `CLOSE` stand for braces that are not quoted.
fn unbraced(text: &str, out: &mut Vec<String>) {
    // The innermost bracket is expanded first.
    let Some(close) = text.find(CLOSE).filter(|_| out.len() < MOST_TEXTS) else {
        return out.push(text.replace([OPEN, CLOSE], "*"));
    };
    let Some(open) = text[..close].rfind(OPEN) else {
        return out.push(text.replace([OPEN, CLOSE], "*"));
    };
    let (head, inside, tail) = (&text[..open], &text[open + 1..close], &text[close + 1..]);
    if !inside.contains(',') {
        return unbraced(&format!("{head}*{tail}"), out);
    }
    for part in inside.split(',') {
        unbraced(&format!("{head}{part}{tail}"), out);
    }
}

/// The greatest number of texts of one word. The braces of further texts become `*`.
const MOST_TEXTS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_and_tails() {
        assert_eq!(cut("1.2.3", "%.*").as_deref(), Some("1.2"));
        assert_eq!(cut("1.2.3", "%%.*").as_deref(), Some("1"));
        assert_eq!(cut("1.2.3", "#*.").as_deref(), Some("2.3"));
        assert_eq!(cut("1.2.3", "##*.").as_deref(), Some("3"));
        assert_eq!(cut("lib-x", "#lib-").as_deref(), Some("x"));
        assert_eq!(cut("x-bin", "%-bin").as_deref(), Some("x"));
        assert_eq!(cut("x", "%-bin").as_deref(), Some("x"));
    }

    #[test]
    fn braces_make_several() {
        let mut out = Vec::new();
        unbraced("a\u{2}b,c\u{3}d", &mut out);
        assert_eq!(out, ["abd", "acd"]);
    }
}
