//! Words, and lists of them.

use rocpkg_model::Spanned;

/// True for a word of letters, digits and some other signs, which bash reads as it is.
pub(crate) fn is_made_of(word: &str, signs: &str) -> bool {
    !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || signs.contains(c))
}

/// True for a year of four digits.
pub(crate) fn is_year(word: &str) -> bool {
    word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit())
}

/// Plain texts of spanned ones.
pub(crate) fn texts(list: &[Spanned<String>]) -> Vec<String> {
    list.iter().map(|s| s.value.clone()).collect()
}

/// Each line behind `#`; nothing for no text.
pub(crate) fn comment(text: &str) -> String {
    text.trim_end().lines().fold(String::new(), |all, l| {
        all + format!("# {l}").trim_end() + "\n"
    })
}
