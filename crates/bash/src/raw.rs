//! Divides shell text that is printed as written, [`Stmt::Raw`](super::Stmt::Raw), into lines.

use super::reader::read_shell;

/// Returns the lines of a shell text. The `bool` is true for a line that begins inside quotes or a
/// here-document; such a line is not changed. All other lines lose their common indentation and the
/// blanks at their ends.
pub(super) fn raw_lines(text: &str) -> Vec<(bool, String)> {
    let text = text.trim_matches('\n');
    let held = read_shell(text).held;
    let lines: Vec<(bool, &str)> = text
        .lines()
        .enumerate()
        .map(|(i, l)| (held.binary_search(&i).is_ok(), l))
        .collect();
    let own: Vec<&str> = lines
        .iter()
        .filter(|(held, _)| !held)
        .map(|(_, l)| *l)
        .collect();
    let mut dedented = dedented(&own).into_iter();
    let each = lines.iter().map(|(held, l)| {
        let own = if *held { None } else { dedented.next() };
        (*held, own.unwrap_or_else(|| (*l).to_owned()))
    });
    each.collect()
}

/// Returns lines without their common indentation, and without the blanks at their ends.
fn dedented(lines: &[&str]) -> Vec<String> {
    let common = lines
        .iter()
        .filter(|l| !l.trim().is_empty())
        .map(|l| l.len() - l.trim_start().len())
        .min()
        .unwrap_or(0);
    lines
        .iter()
        .map(|l| without_blanks(l.get(common..).unwrap_or("")).to_owned())
        .collect()
}

/// Returns a line without the blanks at its end. A blank after a backslash is kept: without it,
/// bash would join the line with the next one.
pub(super) fn without_blanks(line: &str) -> &str {
    let bare = line.trim_end();
    let escapes = bare.len() - bare.trim_end_matches('\\').len();
    let kept = if escapes % 2 == 1 {
        line[bare.len()..].chars().next().map_or(0, char::len_utf8)
    } else {
        0
    };
    &line[..bare.len() + kept]
}
