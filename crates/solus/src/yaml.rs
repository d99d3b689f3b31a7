//! YAML as recipes of Solus are written, so that each reader of YAML 1.1 takes every value for what it is.

/// The width to which keys are padded.
const KEY: usize = 11;

/// A key of the recipe and what follows it on its line.
pub(crate) fn line(out: &mut String, key: &str, value: &str) {
    out.push_str(format!("{key:<KEY$}: {value}").trim_end());
    out.push('\n');
}

/// A list, one element on each line.
pub(crate) fn list(out: &mut String, depth: usize, items: &[String]) {
    for item in items {
        out.push_str(&format!("{}- {}\n", "    ".repeat(depth), scalar(item)));
    }
}

/// A block of lines.
pub(crate) fn block(out: &mut String, key: &str, text: &str) {
    line(out, key, "|");
    for l in text.trim_matches('\n').lines() {
        out.push_str(if l.is_empty() { "" } else { "    " });
        out.push_str(l);
        out.push('\n');
    }
}

/// A value on one line: plain where every reader takes it for text, else in quotes.
pub(crate) fn scalar(text: &str) -> String {
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

/// True for text that may stand plain: no sign of YAML, and nothing that YAML 1.1 takes for a number, a date, a truth or nothing.
pub(crate) fn is_text(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let word = ["", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", "="];
    let sign = text.starts_with(|c: char| "-?:,[]{}#&*!|>'\"%@`".contains(c) || c.is_whitespace());
    let inner = text.contains(": ") || text.contains(" #") || text.chars().any(char::is_control);
    let end = text.ends_with(':') || text.ends_with(char::is_whitespace);
    !word.contains(&lower.as_str()) && !sign && !inner && !end && !is_number(&lower)
}

/// True where YAML 1.1 may read a number or a date. Wider than its rules: in doubt, a value stands in quotes.
fn is_number(text: &str) -> bool {
    let digits = text.trim_start_matches(['+', '-', '.']);
    if matches!(digits, "inf" | "nan") {
        return true;
    }
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.bytes().all(|b| b.is_ascii_hexdigit() || b"xo_.:+-t z".contains(&b))
        // Two points make a version; a number has one.
        && (digits.matches('.').count() < 2 || digits.contains(':'))
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
        for text in
            ["6.0.0", "3.00.0", "pkgconfig(gtest)", "/*", "MIT", "git|https://x", "4.2.4", "^rocm-hip"]
        {
            assert_eq!(scalar(text), text);
        }
    }

    #[test]
    fn quotes_are_escaped() {
        assert_eq!(scalar("- \"a\\"), "\"- \\\"a\\\\\"");
    }
}
