//! Expansions of variables that recipes use for versions and names: `${pkgver%.*}`,
//! `${pkgver//_/-}`. Patterns may hold `*`; a pattern with more than that needs bash.

/// Splits `NAME%PATTERN` behind the name.
pub(crate) fn name(inside: &str) -> (&str, &str) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = inside.find(|c| !is_part(c)).unwrap_or(inside.len());
    inside.split_at(end)
}

/// Returns what bash makes of a value by an operator and its pattern.
///
/// `1.2.3` and `%.*` -> `1.2`
pub(crate) fn apply(value: &str, operator: &str) -> Option<String> {
    if operator.contains(['$', '`', '"', '\'', '\\', '[', '?', '(', '&', '~']) {
        return None;
    }
    if operator.contains('*') && operator.starts_with('/') {
        return None;
    }
    let bytes = 0..=value.len();
    let cuts = bytes.filter(|at| value.is_char_boundary(*at));
    let behind = |pattern: &str| {
        let fits: Vec<_> = cuts
            .clone()
            .filter(|at| fits(pattern, &value[*at..]))
            .collect();
        fits
    };
    let before = |pattern: &str| {
        let fits: Vec<_> = cuts
            .clone()
            .filter(|at| fits(pattern, &value[..*at]))
            .collect();
        fits
    };
    let upto = |cut: Option<&usize>| value[..cut.copied().unwrap_or(value.len())].to_owned();
    let from = |cut: Option<&usize>| value[cut.copied().unwrap_or(0)..].to_owned();
    Some(match operator {
        "" => value.to_owned(),
        ",," => value.to_lowercase(),
        "^^" => value.to_uppercase(),
        _ => {
            if let Some(pattern) = operator.strip_prefix("%%") {
                upto(behind(pattern).first())
            } else if let Some(pattern) = operator.strip_prefix('%') {
                upto(behind(pattern).last())
            } else if let Some(pattern) = operator.strip_prefix("##") {
                from(before(pattern).last())
            } else if let Some(pattern) = operator.strip_prefix('#') {
                from(before(pattern).first())
            } else {
                let (pattern, all) = match operator.strip_prefix("//") {
                    Some(pattern) => (pattern, true),
                    None => (operator.strip_prefix('/')?, false),
                };
                let (pattern, with) = pattern.split_once('/').unwrap_or((pattern, ""));
                if pattern.is_empty() || pattern.starts_with(['#', '%']) {
                    return None;
                }
                value.replacen(pattern, with, if all { usize::MAX } else { 1 })
            }
        }
    })
}

/// Returns true if a text fits a pattern, in which `*` is any text.
fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, inner)) = parts.split_last() else {
        return rest.is_empty();
    };
    let mut rest = rest;
    for part in inner {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::apply;

    #[test]
    fn expansions_are_those_of_bash() {
        for (value, operator, expected) in [
            ("1.2.3", "%.*", Some("1.2")),
            ("1.2.3", "%%.*", Some("1")),
            ("1.2.3", "#*.", Some("2.3")),
            ("1.2.3", "##*.", Some("3")),
            ("1.2.3", "%.3", Some("1.2")),
            ("1.2.3", "%.4", Some("1.2.3")),
            ("python-a", "#python-", Some("a")),
            ("1_2_3", "//_/-", Some("1-2-3")),
            ("1_2_3", "/_/", Some("12_3")),
            ("1_2_3", "//_", Some("123")),
            ("aB", ",,", Some("ab")),
            ("1.2.3", "%.[0-9]", None),
            ("1.2.3", "//.*/", None),
            ("1.2.3", ":0:1", None),
            ("1.2.3", "/%.3/", None),
        ] {
            assert_eq!(apply(value, operator).as_deref(), expected, "{operator}");
        }
    }
}
