//! Lowers texts of a profile, which may contain references `${…}`, to words of bash.

use crate::operation::Place;
use rocpkg_model::{Piece, Text};
use rocpkg_render::bash::Word;

/// The characters that bash reads as a pattern in a word that names files.
const PATTERNS: &str = "*?[]{}";

/// Returns the word for a text of the profile. `place` decides if `*` in it is a pattern.
/// `reference` returns the word for `${name}`.
pub fn word(text: &Text, place: Place, reference: &mut dyn FnMut(&str) -> Word) -> Word {
    text.pieces
        .iter()
        .fold(Word::default(), |word, piece| match piece {
            Piece::Literal(literal) if place == Place::Files => with_patterns(word, literal),
            Piece::Literal(literal) => word.literal(literal),
            Piece::Reference(name) => {
                word.then(glob(name).map_or_else(|| reference(name), Word::pattern))
            }
        })
}

/// Returns PATTERN of the reference `glob:PATTERN`. Returns `None` for another reference, or if
/// PATTERN contains more than names and patterns of bash, such as `$`.
pub fn glob(reference: &str) -> Option<&str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.+@/*?[]{},".contains(&b);
    // A bracket expression may be negated by `!` or `^`.
    let bare = |p: &str| p.replace("[!", "[").replace("[^", "[").bytes().all(plain);
    reference
        .strip_prefix("glob:")
        .filter(|p| !p.is_empty() && bare(p))
}

/// Returns the number of bytes of pattern characters at the beginning of a text: `[!a]` -> 2. The
/// `!` or `^` that negates a bracket expression is counted, because in quotes it would be an
/// ordinary character.
fn patterns(text: &str) -> usize {
    let mut end = 0;
    while let Some(sign) = text[end..].chars().next().filter(|c| PATTERNS.contains(*c)) {
        end += 1;
        end += usize::from(sign == '[' && text[end..].starts_with(['!', '^']));
    }
    end
}

/// Adds a literal text to a word. Its pattern characters are left unquoted, and all other text is
/// quoted.
fn with_patterns(mut word: Word, text: &str) -> Word {
    let mut rest = text;
    while let Some(i) = rest.find(|c| PATTERNS.contains(c)) {
        if i > 0 {
            word = word.literal(&rest[..i]);
        }
        let end = i + patterns(&rest[i..]);
        word = word.then(Word::pattern(&rest[i..end]));
        rest = &rest[end..];
    }
    if rest.is_empty() && !text.is_empty() {
        word
    } else {
        word.literal(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocpkg_model::Span;
    use rocpkg_render::bash::Quoting;

    #[test]
    fn patterns_stand_outside_of_quotes() {
        let shown = |text: &str| {
            let text = Text::parse(text, Span::default()).unwrap();
            word(&text, Place::Files, &mut |name| Word::var(name)).print(Quoting::Whole)
        };
        assert_eq!(shown("${x}/.[!.]*"), "\"${x}/.\"[!.]*");
        assert_eq!(shown("a b[^c d]?"), "\"a b\"[^\"c d\"]?");
        assert_eq!(shown("${glob:.[!.]*}"), ".[!.]*");
        assert_eq!(shown("wow!"), "\"wow!\"");
        assert_eq!(glob("glob:!(a)"), None);
    }
}
