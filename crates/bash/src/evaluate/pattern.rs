//! Patterns of bash: `*`, `?`, `[…]` and `@(…)`.

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

/// Returns the positions in `text` behind the matches of a pattern that begin at the positions
/// `from`. A position is marked by true.
fn step(pattern: &[Glob], text: &[char], from: Vec<bool>) -> Vec<bool> {
    let mut states = from;
    for part in pattern {
        let mut next = vec![false; text.len() + 1];
        match part {
            Glob::OneOf(all) => {
                for own in all {
                    let ends = step(own, text, states.clone());
                    next.iter_mut().zip(ends).for_each(|(a, b)| *a |= b);
                }
            }
            Glob::AnyText => {
                let mut is_open = false;
                for (at, state) in states.iter().enumerate() {
                    is_open |= state;
                    next[at] = is_open;
                }
            }
            part => {
                for (at, c) in text.iter().enumerate() {
                    next[at + 1] = states[at] && part.is(*c);
                }
            }
        }
        states = next;
    }
    states
}

impl Glob {
    fn is(&self, c: char) -> bool {
        match self {
            Self::Char(own) => *own == c,
            Self::Set(is_not, all) => {
                all.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *is_not
            }
            _ => true,
        }
    }
}

/// Returns the lengths of the beginnings of `text` that the pattern matches, in ascending order.
fn ends(pattern: &[Glob], text: &[char]) -> Vec<usize> {
    let mut from = vec![false; text.len() + 1];
    from[0] = true;
    let states = step(pattern, text, from);
    let ends = states.iter().enumerate().filter(|(_, is_end)| **is_end);
    ends.map(|(at, _)| at).collect()
}

/// Returns true if the pattern matches the whole text.
pub(super) fn fits(pattern: &[Glob], text: &[char]) -> bool {
    ends(pattern, text).last() == Some(&text.len())
}

/// Reads the text between the brackets of `[…]`. Returns `None` for a class such as `[:digit:]`
/// that is not known, and for a range whose order depends on the locale.
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
        if !first.is_ascii() || matches!(first, '[' | '\\' | '/') {
            return None;
        }
        rest = &rest[1..];
        let range = rest.strip_prefix('-').and_then(|tail| tail.chars().next());
        if let Some(last) = range {
            let kinds = [
                char::is_ascii_digit,
                char::is_ascii_lowercase,
                char::is_ascii_uppercase,
            ];
            kinds.iter().find(|kind| kind(&first) && kind(&last))?;
            rest = &rest[2..];
        }
        all.push((first, range.unwrap_or(first)));
    }
    Some(Glob::Set(is_not, all))
}

/// Adds the parts of a pattern that the value of a variable contains. Returns `None` for a pattern
/// that is not supported.
pub(super) fn of_value(text: &str, out: &mut Vec<Glob>) -> Option<()> {
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        out.push(match c {
            '*' => Glob::AnyText,
            '?' => Glob::AnyChar,
            '[' => {
                // A bracket directly behind the sign is one of the characters.
                let from = rest.chars().take_while(|c| "!^]".contains(*c)).count();
                let end = rest.get(from..)?.find(']')? + from;
                let inside = &rest[..end];
                rest = &rest[end + 1..];
                set(inside)?
            }
            '\\' | '(' => return None,
            c => Glob::Char(c),
        });
    }
    Some(())
}

/// Returns the text without the shortest or longest beginning, or end, that the pattern matches.
pub(super) fn strip(text: &str, pattern: &[Glob], is_head: bool, is_long: bool) -> String {
    let chars: Vec<char> = text.chars().collect();
    if is_head {
        let all = ends(pattern, &chars);
        let end = if is_long { all.last() } else { all.first() };
        return chars[end.copied().unwrap_or(0)..].iter().collect();
    }
    let mut starts = (0..=chars.len()).filter(|at| fits(pattern, &chars[*at..]));
    let start = if is_long {
        starts.next()
    } else {
        starts.next_back()
    };
    chars[..start.unwrap_or(chars.len())].iter().collect()
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
    let joined = |head: &[char], tail: &[char]| {
        let (head, tail): (String, String) = (head.iter().collect(), tail.iter().collect());
        format!("{head}{new}{tail}")
    };
    match anchor {
        Some('#') => {
            let end = ends(pattern, &chars).last().copied();
            return end.map_or_else(|| text.to_owned(), |end| joined(&[], &chars[end..]));
        }
        Some(_) => {
            let start = (0..=chars.len()).find(|at| fits(pattern, &chars[*at..]));
            return start.map_or_else(|| text.to_owned(), |start| joined(&chars[..start], &[]));
        }
        None => {}
    }
    let (mut out, mut at, mut is_done) = (String::new(), 0, false);
    while at < chars.len() {
        let end = ends(pattern, &chars[at..]).last().copied().unwrap_or(0);
        if end > 0 && !is_done {
            out.push_str(new);
            at += end;
            is_done = !is_all;
        } else {
            out.push(chars[at]);
            at += 1;
        }
    }
    out
}
