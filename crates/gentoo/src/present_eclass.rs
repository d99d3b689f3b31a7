//! An eclass of GPU targets that is there already: of a file that is somebody else's, the rows of targets alone change.

use crate::present::pattern;
use regex::Regex;
use rocpkg_resolve::Release;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

static ROW: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^[ \t]*([^ \t\n()#*][^ \t\n()]*)\)[ \t]*$"));
/// The table is asked for the release that an ebuild states.
static CASE: LazyLock<Regex> = LazyLock::new(|| pattern(r"case \$\{[A-Z0-9_]+_VERSION\} in\n"));
static LIST: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^[ \t]*([A-Za-z_]+)=\(([^()]*)\)"));

/// One branch of the table.
struct Row<'t> {
    text: &'t str,
    pattern: &'t str,
    /// The lists of targets: the variable, and what stands between the brackets.
    lists: Vec<(&'t str, &'t str)>,
}

impl<'t> Row<'t> {
    fn patterns(&self) -> BTreeSet<&'t str> {
        self.pattern.split('|').collect()
    }

    fn list(&self, official: bool) -> Option<(&'t str, &'t str)> {
        self.lists
            .iter()
            .find(|(name, _)| official != name.contains("unofficial"))
            .copied()
    }
}

/// The table of targets in an eclass: where its rows stand in the text, and the rows.
fn table<'t>(text: &'t str, case: &str) -> Option<(usize, usize, Vec<Row<'t>>)> {
    let head = text.find(case)? + case.len();
    let end = head + text[head..].find("esac")?;
    let mut rows = Vec::new();
    let mut at = head;
    while let Some(found) = ROW.captures(&text[at..end]) {
        let whole = found.get(0)?;
        // What stands before a row, such as a comment, is the row's.
        let close = at + whole.end() + text[at + whole.end()..end].find(";;\n")? + ";;\n".len();
        let body = &text[at..close];
        let lists = LIST
            .captures_iter(body)
            .filter_map(|c| Some((c.get(1)?.as_str(), c.get(2)?.as_str())));
        rows.push(Row {
            text: body,
            pattern: found.get(1)?.as_str(),
            lists: lists.collect(),
        });
        at = close;
    }
    Some((head, at, rows))
}

/// Whether an eclass has targets for a release: the one that is there, else the rendered one up to the row of a release that a master
/// is known to have.
pub fn has_targets(rendered: &str, present: Option<&str>, known: &str, release: &str) -> bool {
    let rows = CASE
        .find(rendered)
        .and_then(|case| Some(table(present.unwrap_or(rendered), case.as_str())?.2));
    // As a star or a range is met, the rest may be anything.
    let fits = |row: &Row, release: &str| {
        row.pattern
            .split('|')
            .any(|p| release.starts_with(p.split(['*', '[']).next().unwrap_or_default()))
    };
    let row = |release: &str| rows.iter().flatten().position(|row| fits(row, release));
    let is_older = || release.parse::<Release>().ok() <= known.parse().ok();
    rows.is_none()
        || row(release)
            .is_some_and(|own| present.is_some() || row(known) == Some(own) || is_older())
}

/// The eclass that is there with the rows of a rendered one: a row of the same pattern has its targets, and one that is not there
/// stands in front, as the first that fits counts. All else stays. None where no table is found.
pub fn join_eclass(rendered: &str, present: &str) -> Option<String> {
    let case = CASE.find(rendered)?.as_str();
    let (start, end, theirs) = table(present, case)?;
    let (_, _, ours) = table(rendered, case)?;
    let name = |official| {
        theirs
            .iter()
            .find_map(|row| row.list(official))
            .map(|(name, _)| name)
    };
    let names = (name(true)?, name(false)?);
    let mut new = String::new();
    for row in ours
        .iter()
        .filter(|row| !theirs.iter().any(|t| t.patterns() == row.patterns()))
    {
        let mut text = row.text.to_owned();
        for (official, name) in [(true, names.0), (false, names.1)] {
            if let Some((own, _)) = row.list(official) {
                text = text.replace(&format!("\t{own}=("), &format!("\t{name}=("));
            }
        }
        new.push_str(&text);
    }
    let mut rows = String::new();
    for row in &theirs {
        let mut text = row.text.to_owned();
        if let Some(own) = ours.iter().find(|own| own.patterns() == row.patterns()) {
            for official in [true, false] {
                let words = |list: &str| {
                    list.split_whitespace()
                        .map(str::to_owned)
                        .collect::<BTreeSet<_>>()
                };
                let (Some((name, old)), Some((_, new))) = (row.list(official), own.list(official))
                else {
                    continue;
                };
                if words(old) != words(new) {
                    text = text.replace(&format!("\t{name}=({old})"), &format!("\t{name}=({new})"));
                }
            }
        }
        let _ = write!(rows, "{text}");
    }
    Some(format!(
        "{}{new}{rows}{}",
        &present[..start],
        &present[end..]
    ))
}

#[cfg(test)]
mod tests {
    use super::join_eclass;

    const THEIRS: &str = "# theirs\n_set() {\n\tcase ${ROCM_VERSION} in\n\t\t# a note\n\t\t6.*)\n\t\t\tunofficial_amdgpu_targets=(\n\t\t\t\tgfx803\n\t\t\t)\n\t\t\tofficial_amdgpu_targets=(\n\t\t\t\tgfx908 gfx90a\n\t\t\t)\n\t\t\t;;\n\t\t5.*|9999)\n\t\t\tunofficial_amdgpu_targets=()\n\t\t\tofficial_amdgpu_targets=( gfx906 )\n\t\t\t;;\n\t\t*)\n\t\t\tdie\n\t\t\t;;\n\tesac\n}\n";
    const OURS: &str = "_rocm() {\n\tcase ${ROCM_VERSION} in\n\t\t6.*)\n\t\t\tofficial=(\n\t\t\t\tgfx908 gfx90a gfx942\n\t\t\t)\n\t\t\tunofficial=(\n\t\t\t\tgfx803\n\t\t\t)\n\t\t\t;;\n\t\t7.*)\n\t\t\tofficial=(\n\t\t\t\tgfx950\n\t\t\t)\n\t\t\tunofficial=()\n\t\t\t;;\n\t\t*)\n\t\t\tdie\n\t\t\t;;\n\tesac\n}\n";

    #[test]
    fn a_list_that_was_empty_is_filled_in_its_place() {
        let ours = OURS
            .replace("\t\t7.*)", "\t\t5.*|9999)")
            .replace("unofficial=()", "unofficial=( gfx803 )");
        let joined = join_eclass(&ours, THEIRS).unwrap();
        let row = "\t\t5.*|9999)\n\t\t\tunofficial_amdgpu_targets=( gfx803 )\n\t\t\tofficial_amdgpu_targets=(\n\t\t\t\tgfx950\n\t\t\t)\n\t\t\t;;\n";
        assert!(joined.contains(row), "{joined}");
    }

    #[test]
    fn rows_alone_change_and_nothing_that_others_wrote_is_lost() {
        let joined = join_eclass(OURS, THEIRS).unwrap();
        let new = "\t\t7.*)\n\t\t\tofficial_amdgpu_targets=(\n\t\t\t\tgfx950\n\t\t\t)\n\t\t\tunofficial_amdgpu_targets=()\n\t\t\t;;\n";
        let expected = THEIRS
            .replace("gfx908 gfx90a", "gfx908 gfx90a gfx942")
            .replace("\t\t# a note", &format!("{new}\t\t# a note"));
        assert_eq!(joined, expected);
        assert_eq!(join_eclass(OURS, &joined).unwrap(), joined);
        assert_eq!(join_eclass(OURS, "nothing"), None);
    }
}
