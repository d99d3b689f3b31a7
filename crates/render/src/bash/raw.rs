//! Lines of text that was written by hand.

use super::reader::read_shell;

/// The lines of a raw text: those that the shell reads as its own without their common indentation and without blank ends, those
/// that begin inside of a text as they are, which is told.
pub(super) fn raw_lines(text: &str) -> Vec<(bool, String)> {
    let text = text.trim_matches('\n');
    let held = read_shell(text).held;
    let lines: Vec<(bool, &str)> =
        text.lines().enumerate().map(|(i, l)| (held.binary_search(&i).is_ok(), l)).collect();
    let own: Vec<&str> = lines.iter().filter(|(held, _)| !held).map(|(_, l)| *l).collect();
    let mut dedented = dedented(&own).into_iter();
    let each = lines.iter().map(|(held, l)| {
        let own = if *held { None } else { dedented.next() };
        (*held, own.unwrap_or_else(|| (*l).to_owned()))
    });
    each.collect()
}

/// The lines of a text without their common indentation and without blank ends.
pub fn dedent(text: &str) -> Vec<String> {
    dedented(&text.trim_matches('\n').lines().collect::<Vec<_>>())
}

fn dedented(lines: &[&str]) -> Vec<String> {
    let common = lines
        .iter()
        .filter(|l| !l.trim().is_empty())
        .map(|l| l.len() - l.trim_start().len())
        .min()
        .unwrap_or(0);
    lines.iter().map(|l| l.get(common..).unwrap_or("").trim_end().to_owned()).collect()
}
