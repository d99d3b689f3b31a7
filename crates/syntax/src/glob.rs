//! Patterns for partly known names: `*` stands for any text.

/// Returns true if a text matches a pattern.
pub fn fits(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else {
            return false;
        };
        text = &text[at + part.len()..];
    }
    text.ends_with(last)
}

/// Returns true if a pattern begins with `*`: it does not state how the name begins.
pub fn is_open(pattern: &str) -> bool {
    pattern.starts_with('*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, text) in [
            ("a", "a"),
            ("a*", "a"),
            ("a*", "abc"),
            ("*c", "abc"),
            ("a*c*e", "abcde"),
            ("*", ""),
        ] {
            assert!(fits(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("a", "ab"), ("a*", "b"), ("a*b", "a"), ("ab*ba", "aba")] {
            assert!(!fits(pattern, text), "{pattern} {text}");
        }
    }
}
