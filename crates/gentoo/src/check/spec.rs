//! The words of a dependency string with their places, and the flags in its conditions.

use std::ops::Range;

/// Returns the bytes of each word of `text` within the bytes `at`. A command substitution or a
/// variable is one word together with adjacent text: `${P}.tar.gz`.
pub(super) fn tokens(text: &str, at: &Range<usize>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let end = at.end.min(bytes.len());
    let mut out = Vec::new();
    let mut at = at.start;
    let is_blank = |byte: u8| byte.is_ascii_whitespace() || byte == b'"' || byte == b'\'';
    while at < end {
        let is_continued = bytes[at] == b'\\' && bytes.get(at + 1) == Some(&b'\n');
        if is_blank(bytes[at]) || is_continued {
            at += 1;
            continue;
        }
        let start = at;
        while at < end && !is_blank(bytes[at]) {
            let opens = matches!(bytes.get(at + 1), Some(b'(' | b'{'));
            at = if bytes[at] == b'$' && opens {
                closing(bytes, at + 1, end)
            } else {
                at + 1
            };
        }
        out.push(start..at);
    }
    out
}

/// Returns the index of the byte behind the bracket that closes the one at index `open`, or `end`
/// if no bracket closes it before `end`.
fn closing(bytes: &[u8], open: usize, end: usize) -> usize {
    let mut level = 0usize;
    for (at, byte) in bytes[..end].iter().enumerate().skip(open) {
        match byte {
            b'(' | b'{' => level += 1,
            b')' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
        if level == 0 {
            return at + 1;
        }
    }
    end
}

/// Returns true if a text has the form of a USE flag (PMS 3.1.4).
pub(super) fn is_flag(text: &str) -> bool {
    let rest = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '_' | '@' | '-');
    text.starts_with(|c: char| c.is_ascii_alphanumeric()) && text.chars().all(rest)
}

/// Returns the flags of the ebuild that a word of a dependency string depends on: `a` for `!a?`,
/// and `b` and `c` for the atom `x/y[b?,!c=,d]` (PMS 8.3.4).
pub(super) fn conditions(word: &str) -> Vec<&str> {
    // `??` is an operator (PMS 8.2).
    if let Some(flag) = word.strip_suffix('?').filter(|flag| *flag != "?") {
        return vec![flag.strip_prefix('!').unwrap_or(flag)];
    }
    let Some((atom, list)) = word.strip_suffix(']').and_then(|word| word.split_once('[')) else {
        return Vec::new();
    };
    if !atom.contains('/') {
        return Vec::new();
    }
    let parts = list.split(',').filter_map(|part| {
        let flag = part.strip_suffix(['?', '='])?;
        let flag = flag.strip_prefix('!').unwrap_or(flag);
        let bare = flag
            .strip_suffix("(+)")
            .or_else(|| flag.strip_suffix("(-)"));
        Some(bare.unwrap_or(flag))
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_their_conditions() {
        let text = "\"a? ( x/y[b?,!c(+)=,d] ) $(f 'e? ( z )') ${V}\"";
        let words: Vec<&str> = tokens(text, &(0..text.len()))
            .into_iter()
            .map(|at| &text[at])
            .collect();
        let expected = [
            "a?",
            "(",
            "x/y[b?,!c(+)=,d]",
            ")",
            "$(f 'e? ( z )')",
            "${V}",
        ];
        assert_eq!(words, expected);
        assert_eq!(conditions(words[0]), ["a"]);
        assert_eq!(conditions(words[2]), ["b", "c"]);
        assert_eq!(conditions("??"), [""; 0]);
    }
}
