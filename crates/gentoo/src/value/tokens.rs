//! Helpers for texts: the characters of a word, and comments.

use regex::Regex;
use rocpkg_model::Spanned;

/// Returns true if `word` is not empty, and consists of ASCII letters, ASCII digits and the
/// characters in `signs`.
pub(crate) fn is_made_of(word: &str, signs: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || signs.contains(c))
}

/// Returns true for a year of four digits.
pub(crate) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit())
}

/// Returns the texts without their spans.
pub(crate) fn texts(list: &[Spanned<String>]) -> Vec<String> {
    list.iter().map(|s| s.value.clone()).collect()
}

/// Returns a text as a comment, with `#` before each line; nothing for an empty text.
pub(crate) fn comment(text: &str) -> String {
    text.trim_end().lines().fold(String::new(), |all, l| {
        all + format!("# {l}").trim_end() + "\n"
    })
}

pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a pattern of ours")
}
