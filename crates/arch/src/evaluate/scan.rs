//! Finds the ends of words and of their parts in a bash text. Nothing is evaluated here.

/// Returns the offset behind the part of a word that begins at the byte `at`: a quoted text, an
/// expansion, an escaped character, or one character. Returns `None` if the part has no end.
pub(super) fn skip(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let mut chars = rest.chars();
    let first = chars.next()?;
    match first {
        '\\' => Some(at + 1 + chars.next()?.len_utf8()),
        '\'' => rest[1..].find('\'').map(|n| at + n + 2),
        '"' => double(text, at + 1),
        '`' => backquoted(text, at + 1),
        '$' if rest.starts_with("$'") => ansi(text, at + 2),
        '$' if rest.starts_with("${") => braced(text, at + 2, false),
        '$' if rest.starts_with("$(") => parentheses(text, at + 2),
        _ => Some(at + first.len_utf8()),
    }
}

/// Returns the offset behind the word that begins at the byte `start`. Returns `None` if a part of
/// it has no end.
pub(super) fn word(text: &str, start: usize) -> Option<usize> {
    let mut at = start;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("<(") || rest.starts_with(">(") {
            at = parentheses(text, at + 2)?;
        } else if rest.starts_with([' ', '\t', '\n', ';', '&', '|', '<', '>', '(', ')']) {
            break;
        } else {
            at = skip(text, at)?;
        }
    }
    Some(at)
}

/// Returns the offset behind the `"` that closes a text in double quotes, whose first byte is
/// `start`.
fn double(text: &str, start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        let rest = text.get(at..)?;
        at = match rest.chars().next()? {
            '"' => return Some(at + 1),
            '$' if rest.starts_with("${") => braced(text, at + 2, true)?,
            '$' if rest.starts_with("$(") => parentheses(text, at + 2)?,
            '\\' => skip(text, at)?,
            '`' => backquoted(text, at + 1)?,
            c => at + c.len_utf8(),
        };
    }
}

fn backquoted(text: &str, start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at = match text.get(at..)?.chars().next()? {
            '`' => return Some(at + 1),
            '\\' => skip(text, at)?,
            c => at + c.len_utf8(),
        };
    }
}

fn ansi(text: &str, start: usize) -> Option<usize> {
    let mut at = start;
    loop {
        at = match text.get(at..)?.chars().next()? {
            '\'' => return Some(at + 1),
            '\\' => skip(text, at)?,
            c => at + c.len_utf8(),
        };
    }
}

fn parentheses(text: &str, start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 1);
    loop {
        match text.get(at..)?.chars().next()? {
            ')' if depth == 1 => return Some(at + 1),
            ')' => depth -= 1,
            '(' => depth += 1,
            _ => {
                at = skip(text, at)?;
                continue;
            }
        }
        at += 1;
    }
}

/// Returns the offset behind the `}` that closes `${…}`. `start` is the offset behind `${`.
///
/// In double quotes a single quote is a plain character behind `-`, `+`, `=` and `?`, and begins a
/// quoted text behind all other operators.
pub(super) fn braced(text: &str, start: usize, in_double: bool) -> Option<usize> {
    let head = start + text[start..].find(|c: char| !is_name_part(c))?;
    let head = match text[head..].strip_prefix('[') {
        Some(inside) => head + 1 + inside.find(']')? + 1,
        None => head,
    };
    let operator = text[head..].trim_start_matches(':');
    let is_word = operator.starts_with(['-', '+', '=', '?']);
    let mut at = head;
    loop {
        let c = text.get(at..)?.chars().next()?;
        at = match c {
            '}' => return Some(at + 1),
            '\'' if in_double && is_word => at + 1,
            '\'' | '"' | '\\' | '`' | '$' => skip(text, at)?,
            c => at + c.len_utf8(),
        };
    }
}

/// Returns true for a character that the name of a variable may contain.
pub(super) fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns the length of the name at the start of a text; `None` if there is no name.
pub(super) fn name(text: &str) -> Option<usize> {
    let is_start = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let end = text.find(|c: char| !is_name_part(c)).unwrap_or(text.len());
    is_start.then_some(end)
}
