//! The printed form of differences between files: diffs, or the numbers of changed lines.

use rocpkg::internal::render::Difference;
use std::borrow::Cow;
use std::io;
use std::path::Path;

use crate::terminal::has_colors;

/// The number of columns of a row of [`stat`], as in git if the output is no terminal.
const COLUMNS: usize = 80;

/// The least number of columns for the plus and minus signs of a row of [`stat`].
const LEAST_SIGNS: usize = 10;

/// The escape sequences of a line's colours, as git has them.
const RESET: &str = "\u{1b}[m";
const BOLD: &str = "\u{1b}[1m";
const RED: &str = "\u{1b}[31m";
const GREEN: &str = "\u{1b}[32m";
const CYAN: &str = "\u{1b}[36m";

/// Returns a diff for standard output, with colours if it has them.
pub(crate) fn colored(diff: &str) -> Cow<'_, str> {
    if has_colors(&io::stdout()) {
        Cow::Owned(in_colors(diff))
    } else {
        Cow::Borrowed(diff)
    }
}

fn in_colors(diff: &str) -> String {
    let mut out = String::new();
    for (line, is_header) in lines(diff) {
        let color = match line.as_bytes().first() {
            _ if is_header => BOLD,
            Some(b'@') => CYAN,
            Some(b'-') => RED,
            Some(b'+') => GREEN,
            _ => "",
        };
        let (text, end) = match line.strip_suffix('\n') {
            Some(text) => (text, "\n"),
            None => (line, ""),
        };
        let reset = if color.is_empty() { "" } else { RESET };
        out += &format!("{color}{text}{reset}{end}");
    }
    out
}

/// Returns a diff of a file in `folder` as that of the same file seen from above the folder.
pub(crate) fn from_above(diff: &str, folder: &Path) -> String {
    let folder = folder.display();
    let moved = lines(diff).map(|(line, is_header)| {
        let heads = ["--- a/", "+++ b/"].into_iter().filter(|_| is_header);
        let head = heads.into_iter().find(|head| line.starts_with(head));
        head.map_or_else(
            || line.to_owned(),
            |head| format!("{head}{folder}/{}", &line[head.len()..]),
        )
    });
    moved.collect()
}

/// Returns the lines of a file's diff. Those before the first `@@` are the header.
fn lines(diff: &str) -> impl Iterator<Item = (&str, bool)> {
    let mut is_header = true;
    diff.split_inclusive('\n').map(move |line| {
        is_header &= !line.starts_with("@@");
        (line, is_header)
    })
}

/// The changes of one file, as [`stat`] prints them.
struct Row<'d> {
    path: Cow<'d, str>,
    /// The numbers of added and removed lines. `None` if the files are too long to compare.
    changed: Option<(usize, usize)>,
}

impl<'d> Row<'d> {
    fn of((path, difference): (Cow<'d, str>, &'d Difference)) -> Self {
        let diff = &difference.diff;
        let base = diff
            .lines()
            .find_map(|line| line.strip_prefix("copy from "));
        let path = match base {
            Some(base) => Cow::Owned(copied(base, &path)),
            None => path,
        };
        let body = || lines(diff).filter(|(_, is_header)| !is_header);
        let count = |sign| body().filter(|(line, _)| line.starts_with(sign)).count();
        // A copy without changes has no names of files, and files that are too long have no lines.
        let is_compared =
            body().next().is_some() || !lines(diff).any(|(l, _)| l.starts_with("+++"));
        let changed = is_compared.then(|| (count('+'), count('-')));
        Self { path, changed }
    }
}

/// Returns the paths of a file and of its changed copy in git's form:
/// `hip/{hip-7.2.0.ebuild => hip-7.2.4.ebuild}`.
fn copied(from: &str, to: &str) -> String {
    let shared = from
        .bytes()
        .zip(to.bytes())
        .take_while(|(a, b)| a == b)
        .count();
    let folder = from[..from.floor_char_boundary(shared)]
        .rfind('/')
        .map_or(0, |at| at + 1);
    let (above, from, to) = (&from[..folder], &from[folder..], &to[folder..]);
    if above.is_empty() {
        format!("{from} => {to}")
    } else {
        format!("{above}{{{from} => {to}}}")
    }
}

/// Returns a line for each of some files, with the number of changed lines, and a line with the
/// sums, as `git diff --stat` prints them. Each path is given with its difference.
pub(crate) fn stat<'d>(all: impl IntoIterator<Item = (Cow<'d, str>, &'d Difference)>) -> String {
    let rows: Vec<Row> = all.into_iter().map(Row::of).collect();
    if rows.is_empty() {
        return String::new();
    }
    let changed = |row: &Row| row.changed.map_or(0, |(added, removed)| added + removed);
    let most = rows.iter().map(changed).max().unwrap_or_default();
    let width = rows.iter().map(|row| row.path.chars().count()).max();
    let (width, digits) = (width.unwrap_or_default(), most.to_string().len());
    // ` PATH | COUNT SIGNS`
    let room = COLUMNS.saturating_sub(width + digits + 5).max(LEAST_SIGNS);
    let signs = |count: usize| match (most > room, count) {
        (false, count) => count,
        (true, 0) => 0,
        (true, count) => (count * room / most).max(1),
    };
    let mut out = String::new();
    let (is_colored, mut sums) = (has_colors(&io::stdout()), (0, 0));
    for row in &rows {
        let line = match row.changed {
            None => "too many lines to compare".to_owned(),
            Some((added, removed)) => {
                sums = (sums.0 + added, sums.1 + removed);
                let [plus, minus] = [("+", added, GREEN), ("-", removed, RED)].map(
                    |(sign, count, color)| match sign.repeat(signs(count)) {
                        signs if is_colored && !signs.is_empty() => {
                            format!("{color}{signs}{RESET}")
                        }
                        signs => signs,
                    },
                );
                format!("{:>digits$} {plus}{minus}", added + removed)
            }
        };
        let line = format!(" {:width$} | {line}", row.path);
        out += &format!("{}\n", line.trim_end());
    }
    let noun = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        count => format!("{count} {word}s"),
    };
    let mut sum = format!(" {} changed", noun(rows.len(), "file"));
    if sums.0 > 0 || sums.1 == 0 {
        sum += &format!(", {}(+)", noun(sums.0, "insertion"));
    }
    if sums.1 > 0 || sums.0 == 0 {
        sum += &format!(", {}(-)", noun(sums.1, "deletion"));
    }
    out + &sum + "\n"
}
