//! Texts of a profile as words of bash.

use crate::operation::Place;
use rocpkg_model::{Piece, Text};
use rocpkg_render::bash::Word;

/// The characters that are patterns in a word that names files.
pub const PATTERNS: &str = "*?[]{}";

/// The word that a text stands for; `reference` answers `${name}`.
pub fn word(text: &Text, place: Place, reference: &mut dyn FnMut(&str) -> Word) -> Word {
    text.pieces.iter().fold(Word::default(), |word, piece| match piece {
        Piece::Literal(literal) if place == Place::Files => with_patterns(word, literal),
        Piece::Literal(literal) => word.literal(literal),
        Piece::Reference(name) => word.then(glob(name).map_or_else(|| reference(name), Word::pattern)),
    })
}

/// The pattern of the reference `glob:PATTERN`, when it holds nothing else that bash reads.
pub fn glob(reference: &str) -> Option<&str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.+@/*?[]{},".contains(&b);
    reference.strip_prefix("glob:").filter(|p| !p.is_empty() && p.bytes().all(plain))
}

/// Adds a literal whose patterns stay alive.
fn with_patterns(mut word: Word, text: &str) -> Word {
    let mut rest = text;
    while let Some(i) = rest.find(|c| PATTERNS.contains(c)) {
        if i > 0 {
            word = word.literal(&rest[..i]);
        }
        word = word.then(Word::pattern(&rest[i..=i]));
        rest = &rest[i + 1..];
    }
    if rest.is_empty() && !text.is_empty() { word } else { word.literal(rest) }
}
