//! Patterns of bash: `*`, `?` and `[…]`. Quoted characters are literal.

/// A part of a pattern: a character, `?`, `*`, or a class `[…]`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternPart {
    Literal(char),
    One,
    Any,
    Class {
        is_negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// A pattern of bash, parsed into its parts.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    parts: Vec<PatternPart>,
}

impl Pattern {
    /// Parses a pattern from its characters, each with true if it is quoted. Returns `None` for a
    /// pattern that is not supported: a named character class, or a backslash from a variable.
    pub(super) fn read(written: &[(char, bool)]) -> Option<Self> {
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(&(c, is_quoted)) = written.get(at) {
            at += 1;
            parts.push(match c {
                _ if is_quoted => PatternPart::Literal(c),
                '*' => PatternPart::Any,
                '?' => PatternPart::One,
                '[' => {
                    let (class, end) = class(written, at)?;
                    at = end;
                    class
                }
                '\\' | '(' => return None,
                _ => PatternPart::Literal(c),
            });
        }
        Some(Self { parts })
    }

    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns true if the pattern begins with one of these characters.
    pub(super) fn starts_with(&self, signs: &[char]) -> bool {
        matches!(self.parts.first(), Some(PatternPart::Literal(c)) if signs.contains(c))
    }

    /// Returns the lengths of all prefixes of `text` that match the pattern, in ascending order.
    pub(super) fn ends(&self, text: &[char]) -> Vec<usize> {
        let mut states = vec![false; text.len() + 1];
        states[0] = true;
        for part in &self.parts {
            let mut next = vec![false; text.len() + 1];
            let mut is_open = false;
            for at in 0..=text.len() {
                if *part == PatternPart::Any {
                    is_open |= states[at];
                    next[at] = is_open;
                } else if states[at] && text.get(at).is_some_and(|c| part.fits(*c)) {
                    next[at + 1] = true;
                }
            }
            states = next;
        }
        let ends = states.iter().enumerate().filter(|(_, fits)| **fits);
        ends.map(|(at, _)| at).collect()
    }

    /// Returns true if the pattern matches the whole text.
    pub(super) fn fits(&self, text: &[char]) -> bool {
        self.ends(text).last() == Some(&text.len())
    }
}

impl PatternPart {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Literal(own) => *own == c,
            Self::One | Self::Any => true,
            Self::Class { is_negated, ranges } => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *is_negated
            }
        }
    }
}

/// Parses a class such as `[a-z]` from the index `start`, which is behind its `[`. Returns the
/// class, and the index behind its `]`. Returns `None` for a class that is not supported or not
/// closed.
fn class(written: &[(char, bool)], start: usize) -> Option<(PatternPart, usize)> {
    let mut at = start;
    let is_negated = matches!(written.get(at), Some(('!' | '^', false)));
    at += usize::from(is_negated);
    let first = at;
    let mut ranges = Vec::new();
    loop {
        let &(c, is_quoted) = written.get(at)?;
        if c == ']' && !is_quoted && at > first {
            return Some((PatternPart::Class { is_negated, ranges }, at + 1));
        }
        // Named classes, and characters whose order depends on the locale.
        if (matches!(c, '[' | '\\' | '/') && !is_quoted) || !c.is_ascii() {
            return None;
        }
        let upper = match (written.get(at + 1), written.get(at + 2)) {
            (Some(('-', false)), Some(&(upper, is_quoted))) if upper != ']' || is_quoted => {
                at += 2;
                upper
            }
            _ => c,
        };
        let is_range = upper != c;
        let is_one_kind = c.is_ascii_digit() && upper.is_ascii_digit()
            || c.is_ascii_lowercase() && upper.is_ascii_lowercase()
            || c.is_ascii_uppercase() && upper.is_ascii_uppercase();
        if is_range && !is_one_kind {
            return None;
        }
        ranges.push((c, upper));
        at += 1;
    }
}
