//! Patterns of bash: `*`, `?`, `[…]` and `@(…)`.

/// A part of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Glob {
    Char(char),
    AnyText,
    AnyChar,
    /// `[…]`: the characters and ranges; the flag is set for `[!…]`.
    Set(bool, Vec<(char, char)>),
    /// `@(a|b)`.
    OneOf(Vec<Vec<Glob>>),
}

/// Returns true if the pattern matches the whole text.
pub(super) fn fits(pattern: &[Glob], text: &[char]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return text.is_empty();
    };
    let one = |is_fit: bool| is_fit && fits(rest, &text[1..]);
    match first {
        Glob::AnyText => (0..=text.len()).any(|at| fits(rest, &text[at..])),
        Glob::OneOf(all) => all.iter().any(|own| {
            let own = own.iter().chain(rest).cloned();
            fits(&own.collect::<Vec<_>>(), text)
        }),
        _ if text.is_empty() => false,
        Glob::Char(c) => one(*c == text[0]),
        Glob::AnyChar => one(true),
        Glob::Set(is_not, all) => {
            let has = all
                .iter()
                .any(|(from, to)| (*from..=*to).contains(&text[0]));
            one(has != *is_not)
        }
    }
}

/// Reads the text between the brackets of `[…]`. Returns `None` for a class such as `[:digit:]`
/// that is not known.
pub(super) fn set(inside: &str) -> Option<Glob> {
    let named = |name: &str| match name {
        "digit" => Some(vec![('0', '9')]),
        "alpha" => Some(vec![('a', 'z'), ('A', 'Z')]),
        "alnum" => Some(vec![('a', 'z'), ('A', 'Z'), ('0', '9')]),
        "lower" => Some(vec![('a', 'z')]),
        "upper" => Some(vec![('A', 'Z')]),
        "space" => Some(vec![(' ', ' '), ('\t', '\r')]),
        _ => None,
    };
    let (is_not, mut rest) = match inside.strip_prefix(['!', '^']) {
        Some(rest) => (true, rest),
        None => (false, inside),
    };
    let mut all = Vec::new();
    while let Some(first) = rest.chars().next() {
        if let Some(tail) = rest.strip_prefix("[:") {
            let (name, behind) = tail.split_once(":]")?;
            all.extend(named(name)?);
            rest = behind;
            continue;
        }
        rest = &rest[first.len_utf8()..];
        let range = rest.strip_prefix('-').and_then(|tail| tail.chars().next());
        if let Some(last) = range {
            rest = &rest[1 + last.len_utf8()..];
        }
        all.push((first, range.unwrap_or(first)));
    }
    Some(Glob::Set(is_not, all))
}

/// Returns the text without the shortest or longest beginning, or end, that the pattern matches.
pub(super) fn strip(text: &str, pattern: &[Glob], is_head: bool, is_long: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    let fit = |at: &usize| {
        let (head, tail) = chars.split_at(*at);
        fits(pattern, if is_head { head } else { tail })
    };
    // The shortest head ends first, and the shortest tail begins last.
    let found = if is_head == is_long {
        (0..=chars.len()).rev().find(fit)
    } else {
        (0..=chars.len()).find(fit)
    };
    match found {
        Some(at) if is_head => chars[at..].iter().collect(),
        Some(at) => chars[..at].iter().collect(),
        None => text.to_owned(),
    }
}

/// Replaces the first match of a pattern, or all matches. `anchor` is `#` or `%` for a match at the
/// beginning or the end.
pub(super) fn replace(
    text: &str,
    pattern: &[Glob],
    new: &str,
    is_all: bool,
    anchor: Option<char>,
) -> String {
    let chars: Vec<char> = text.chars().collect();
    let longest = |from: usize| {
        let ends = (from..=chars.len()).rev();
        ends.into_iter().find(|to| fits(pattern, &chars[from..*to]))
    };
    let put = |from: usize, to: usize| {
        let (head, tail) = (&chars[..from], &chars[to..]);
        let (head, tail): (String, String) = (head.iter().collect(), tail.iter().collect());
        format!("{head}{new}{tail}")
    };
    match anchor {
        Some('#') => return longest(0).map_or_else(|| text.to_owned(), |to| put(0, to)),
        Some(_) => {
            let from = (0..=chars.len()).find(|from| fits(pattern, &chars[*from..]));
            return from.map_or_else(|| text.to_owned(), |from| put(from, chars.len()));
        }
        None => {}
    }
    let (mut out, mut at, mut is_done) = (String::new(), 0, false);
    while at < chars.len() {
        let end = longest(at).filter(|end| *end > at && !is_done);
        if let Some(end) = end {
            out.push_str(new);
            at = end;
            is_done = !is_all;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}
