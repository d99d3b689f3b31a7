//! Brace expansion: `{a,b}` and `{1..3}`. It operates on the written text with its quotes.

use super::scan::skip;

/// The greatest number of words to which one word may expand.
const MOST_WORDS: usize = 4096;

/// Returns the words to which bash expands the braces of a written word: `a{b,c}` -> `ab`, `ac`.
/// Returns `None` if there are too many words, a brace is not closed, or a sequence is not one of
/// numbers.
pub(super) fn braces(written: &str) -> Option<Vec<String>> {
    let mut out = Vec::new();
    expand(written, 0, &mut out)?;
    Some(out)
}

fn expand(written: &str, depth: usize, out: &mut Vec<String>) -> Option<()> {
    if depth > 64 || out.len() >= MOST_WORDS {
        return None;
    }
    let mut at = 0;
    while at < written.len() {
        if !written[at..].starts_with('{') {
            at = skip(written, at)?;
            continue;
        }
        let Some((parts, end)) = group(written, at).ok()? else {
            at += 1;
            continue;
        };
        for part in parts {
            let mut inner = Vec::new();
            expand(&part, depth + 1, &mut inner)?;
            for inner in inner {
                let mut tails = Vec::new();
                expand(&written[end..], depth + 1, &mut tails)?;
                for tail in tails {
                    out.push(format!("{}{inner}{tail}", &written[..at]));
                    if out.len() > MOST_WORDS {
                        return None;
                    }
                }
            }
        }
        return Some(());
    }
    out.push(written.to_owned());
    Some(())
}

/// The alternatives of a brace group such as `{b,c}`, and the byte behind its `}`.
type Group = (Vec<String>, usize);

/// The error for a brace that is not closed, or a sequence that is not one of numbers (`{a..c}`).
struct NotFollowed;

/// Parses the brace group whose `{` is at the byte `open`. Returns `None` for a `{` that begins no
/// group, as in `{a}`.
fn group(written: &str, open: usize) -> Result<Option<Group>, NotFollowed> {
    let (mut at, mut depth) = (open + 1, 0);
    let (mut start, mut parts) = (open + 1, Vec::new());
    while at < written.len() {
        match written.as_bytes()[at] {
            b'{' => depth += 1,
            b'}' if depth == 0 => {
                parts.push(written[start..at].to_owned());
                if parts.len() > 1 {
                    return Ok(Some((parts, at + 1)));
                }
                let inside = &written[open + 1..at];
                if !inside.contains("..") {
                    return Ok(None);
                }
                let parts = sequence(inside).ok_or(NotFollowed)?;
                return Ok(Some((parts, at + 1)));
            }
            b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(written[start..at].to_owned());
                start = at + 1;
            }
            _ => {
                at = skip(written, at).ok_or(NotFollowed)?;
                continue;
            }
        }
        at += 1;
    }
    Err(NotFollowed)
}

/// Returns the numbers of a sequence: `1..3` -> `1`, `2`, `3`, and `08..10` -> `08`, `09`, `10`.
/// Returns `None` if an end is no number.
fn sequence(inside: &str) -> Option<Vec<String>> {
    let (from, to) = inside.split_once("..")?;
    let is_number = |text: &str| {
        (1..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !is_number(from) || !is_number(to) {
        return None;
    }
    let is_padded = |text: &str| text.len() > 1 && text.starts_with('0');
    let width = if is_padded(from) || is_padded(to) {
        from.len().max(to.len())
    } else {
        0
    };
    let (first, last): (usize, usize) = (from.parse().ok()?, to.parse().ok()?);
    let print = |n: usize| format!("{n:0width$}");
    Some(if first <= last {
        (first..=last).map(print).collect()
    } else {
        (last..=first).rev().map(print).collect()
    })
}
