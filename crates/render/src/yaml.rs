//! Scalars of YAML: a scalar is plain if every reader of YAML 1.1 and 1.2 takes it for text, and
//! quoted otherwise.

/// Returns a scalar on one line. It is plain if every reader takes it for text, and quoted
/// otherwise: `12` → `"12"`.
pub fn scalar(text: &str) -> String {
    if is_text(text) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns true if `text` needs no quotes to be read as text: it contains no sign of YAML, and YAML
/// 1.1 does not read it as a number, a date, a truth value or null.
pub fn is_text(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let word = [
        "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", "=",
    ];
    let sign = text.starts_with(|c: char| "-?:,[]{}#&*!|>'\"%@`".contains(c) || c.is_whitespace());
    let inner = text.contains(": ") || text.contains(" #") || text.chars().any(char::is_control);
    let end = text.ends_with(':') || text.ends_with(char::is_whitespace);
    !word.contains(&lower.as_str()) && !sign && !inner && !end && !is_number(&lower)
}

/// Returns true if YAML 1.1 or 1.2 reads the text as a number or a date.
fn is_number(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = |t: &str| !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    if matches!(text, ".inf" | ".nan") {
        return true;
    }
    if let Some(rest) = ["0x", "0o", "0b"].iter().find_map(|p| text.strip_prefix(p)) {
        return rest.bytes().all(|b| b.is_ascii_hexdigit() || b == b'_');
    }
    // YAML 1.1 reads 1:30 as a number to base 60, and 2026-01-02 as a date.
    if text.starts_with(|c: char| c.is_ascii_digit()) && text.contains([':', '-']) {
        return text
            .bytes()
            .all(|b| b.is_ascii_digit() || b"_:.-+tz ".contains(&b));
    }
    let (mantissa, exponent) = text
        .split_once('e')
        .map_or((text, None), |(m, e)| (m, Some(e)));
    let (whole, part) = mantissa
        .split_once('.')
        .map_or((mantissa, None), |(w, p)| (w, Some(p)));
    let number = digits(whole) || (whole.is_empty() && part.is_some_and(digits));
    number
        && part.is_none_or(|p| p.is_empty() || digits(p))
        && exponent.is_none_or(|e| digits(e.strip_prefix(['+', '-']).unwrap_or(e)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_would_take_for_something_else_is_quoted() {
        for text in [
            "7.14",
            "7.10",
            "12",
            "0x1f",
            "1e3",
            "1:30",
            "2026-01-02",
            "yes",
            "~",
            "",
            "a: b",
            "a #b",
            "*x",
            "- a",
            "0o7",
            ".5",
            "1_000",
        ] {
            assert!(scalar(text).starts_with('"'), "{text:?}");
        }
        for text in [
            "6.0.0",
            "3.00.0",
            "pkgconfig(gtest)",
            "/*",
            "MIT",
            "git|https://x",
            "4.2.4",
            "^rocm-hip",
        ] {
            assert_eq!(scalar(text), text);
        }
    }

    #[test]
    fn quotes_are_escaped() {
        assert_eq!(scalar("- \"a\\"), "\"- \\\"a\\\\\"");
    }
}
