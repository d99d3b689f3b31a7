//! What the end of a text takes of what comes behind it.

use super::reader::ShellFault;

/// Signs that a command must follow.
const JOINS: [&str; 4] = ["&&", "||", "|&", "|"];

/// What the last lines of a text that is not followed take of what comes behind it.
pub(super) fn swallows(text: &str) -> Option<ShellFault> {
    let text = text.trim_end_matches('\n');
    let begin = text.rfind('\n').map_or(0, |n| n + 1);
    let line = &text[begin..];
    if escapes(line) && code(line) == line {
        return Some(goes_on(begin + line.len() - 1, "\\"));
    }
    // A command may follow behind comments and empty lines.
    let mut end = text.len();
    loop {
        let begin = text[..end].rfind('\n').map_or(0, |n| n + 1);
        let bare = code(&text[begin..end]).trim_end_matches([' ', '\t']);
        if !bare.is_empty() || begin == 0 {
            let sign = JOINS.iter().find(|sign| bare.strip_suffix(**sign).is_some_and(|b| !escapes(b)))?;
            return Some(goes_on(begin + bare.len() - sign.len(), sign));
        }
        end = begin - 1;
    }
}

/// True where the last sign is taken from what comes behind it.
fn escapes(text: &str) -> bool {
    (text.len() - text.trim_end_matches('\\').len()) % 2 == 1
}

/// A line without its comment, where no quote makes it doubtful what is one.
fn code(line: &str) -> &str {
    let begins = |at: usize| at == 0 || line[..at].ends_with([' ', '\t', ';', '&', '|']);
    match line.match_indices('#').find(|(at, _)| begins(*at)) {
        Some((at, _)) if !line.contains(['"', '\'', '`', '\\']) => &line[..at],
        _ => line,
    }
}

/// The fault of a sign that a command must follow.
pub(super) fn goes_on(at: usize, sign: &str) -> ShellFault {
    ShellFault { at, message: format!("`{sign}` takes what comes behind the text for its own") }
}
