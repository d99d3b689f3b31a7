//! Merges rendered rows of GPU targets into an existing eclass, such as rocm.eclass. The file
//! belongs to other authors, so only the rows of targets change.

use crate::value::tokens::pattern;
use regex::Regex;
use rocpkg_resolve::{LIVE_VERSION, Release};
use std::collections::BTreeSet;
use std::sync::LazyLock;

static ROW: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^[ \t]*([^ \t\n()#*][^ \t\n()]*)\)[ \t]*$"));
/// The start of the table of GPU targets, a `case` of the release that an ebuild states.
static CASE: LazyLock<Regex> = LazyLock::new(|| pattern(r"case \$\{[A-Z0-9_]+_VERSION\} in\n"));
static LIST: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^[ \t]*([A-Za-z_]+)=\(([^()]*)\)"));

/// A branch of the table: the GPU targets of some releases.
struct TargetBranch<'t> {
    text: &'t str,
    pattern: &'t str,
    /// The lists of targets. Each is a pair of the variable's name and the text between its
    /// parentheses.
    lists: Vec<(&'t str, &'t str)>,
}

impl<'t> TargetBranch<'t> {
    fn patterns(&self) -> BTreeSet<&'t str> {
        self.pattern.split('|').collect()
    }

    /// Returns true if the row's pattern matches a release, as `case` of bash reads patterns.
    fn fits(&self, release: &str) -> bool {
        let fits = |pattern| glob(pattern).is_some_and(|pattern| pattern.is_match(release));
        self.pattern.split('|').any(fits)
    }

    /// Returns true if the row is for releases of the row `other` only. The live version does not
    /// count: an eclass may have it in any row.
    fn is_within(&self, other: &Self) -> bool {
        let of_releases = |row: &Self| {
            let all = row.patterns().into_iter();
            all.filter(|pattern| *pattern != LIVE_VERSION)
                .collect::<Vec<_>>()
        };
        let wide = of_releases(other);
        let is_part = |pattern: &str| {
            let heads = wide.iter().filter_map(|wide| wide.strip_suffix('*'));
            wide.contains(&pattern) || heads.into_iter().any(|head| pattern.starts_with(head))
        };
        of_releases(self).into_iter().all(is_part)
    }

    fn list(&self, official: bool) -> Option<(&'t str, &'t str)> {
        self.lists
            .iter()
            .find(|(name, _)| official != name.contains("unofficial"))
            .copied()
    }
}

/// Returns a pattern of bash's `case` as a regular expression: `6.[0-3].*` → `^6\.[0-3]\..*$`.
/// Returns `None` if a bracket is not closed.
fn glob(text: &str) -> Option<Regex> {
    let mut out = String::from("^");
    let mut is_set = false;
    for c in text.chars() {
        match c {
            '*' if !is_set => out.push_str(".*"),
            '?' if !is_set => out.push('.'),
            '[' | ']' => {
                is_set = c == '[';
                out.push(c);
            }
            '!' if is_set && out.ends_with('[') => out.push('^'),
            '-' if is_set => out.push('-'),
            _ => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    Regex::new(&(out + "$")).ok()
}

/// Returns the byte at which the rows of an eclass's table of targets begin, the byte behind the
/// last row, and the rows. `text` is the eclass, and `case` the line that opens the table. Returns
/// `None` if the eclass has no such table.
fn table<'t>(text: &'t str, case: &str) -> Option<(usize, usize, Vec<TargetBranch<'t>>)> {
    let head = text.find(case)? + case.len();
    let end = head + text[head..].find("esac")?;
    let mut rows = Vec::new();
    let mut at = head;
    while let Some(found) = ROW.captures(&text[at..end]) {
        let whole = found.get(0)?;
        // Text above a row, such as a comment, belongs to the row.
        let close = at + whole.end() + text[at + whole.end()..end].find(";;\n")? + ";;\n".len();
        let body = &text[at..close];
        let lists = LIST
            .captures_iter(body)
            .filter_map(|c| Some((c.get(1)?.as_str(), c.get(2)?.as_str())));
        rows.push(TargetBranch {
            text: body,
            pattern: found.get(1)?.as_str(),
            lists: lists.collect(),
        });
        at = close;
    }
    Some((head, at, rows))
}

/// Returns true if the eclass that an ebuild of `release` inherits has GPU targets for this
/// release.
///
/// If the repository has an eclass, `present` is its text, and its rows count. If not, the eclass
/// is that of the master repository, which is known only at the release `known`. The rows of the
/// eclass `rendered` then count as its rows, up to the row of `known`. Returns true if no table of
/// targets is found.
pub fn has_targets(rendered: &str, present: Option<&str>, known: &str, release: &str) -> bool {
    let rows = CASE
        .find(rendered)
        .and_then(|case| Some(table(present.unwrap_or(rendered), case.as_str())?.2));
    let row = |release: &str| rows.iter().flatten().position(|row| row.fits(release));
    let is_older = || release.parse::<Release>().ok() <= known.parse().ok();
    rows.is_none()
        || row(release)
            .is_some_and(|own| present.is_some() || row(known) == Some(own) || is_older())
}

/// Returns the text of the existing eclass `present` with the rows of GPU targets that it lacks for
/// some releases, as the eclass `rendered` has them; `None` if one of the two eclasses has no table
/// of targets.
///
/// - A release whose row is for the releases of the rendered row alone, or for fewer: the row
///   stays, since its targets are the choice of the eclass's maintainer.
/// - A release without a row: the rendered row is added behind the last one.
/// - A release whose row is for releases of several rendered rows: a row for the release alone is
///   added above it, unless the targets are the same.
///
/// All other rows and lines stay unchanged.
pub fn join_eclass(rendered: &str, present: &str, releases: &BTreeSet<String>) -> Option<String> {
    let case = CASE.find(rendered)?.as_str();
    let (start, end, theirs) = table(present, case)?;
    let (_, _, ours) = table(rendered, case)?;
    let name = |official| {
        let lists = theirs.iter().find_map(|row| row.list(official));
        lists.map(|(name, _)| name)
    };
    let names = [(true, name(true)?), (false, name(false)?)];
    let mut above = vec![String::new(); theirs.len() + 1];
    for release in releases {
        let Some(own) = ours.iter().find(|row| row.fits(release)) else {
            continue;
        };
        let row = |pattern: &str| {
            let (old, new) = (format!("{})", own.pattern), format!("{pattern})"));
            let text = own.text.replacen(&old, &new, 1);
            names.iter().fold(text, |text, (official, name)| {
                let Some((own, _)) = own.list(*official) else {
                    return text;
                };
                text.replace(&format!("\t{own}=("), &format!("\t{name}=("))
            })
        };
        let at = theirs.iter().position(|row| row.fits(release));
        let is_fine = |row: &TargetBranch| row.is_within(own) || has_same_targets(row, own);
        let (at, text) = match at {
            Some(at) if is_fine(&theirs[at]) => continue,
            Some(at) => (at, row(release)),
            None => {
                let is_new =
                    |pattern: &&str| !theirs.iter().any(|row| row.patterns().contains(pattern));
                let rest: Vec<&str> = own.pattern.split('|').filter(is_new).collect();
                (theirs.len(), row(&rest.join("|")))
            }
        };
        if !above[at].contains(&text) {
            above[at].push_str(&text);
        }
    }
    let texts = theirs.iter().map(|row| row.text).chain([""]);
    let rows: String = above
        .iter()
        .zip(texts)
        .flat_map(|(above, text)| [above.as_str(), text])
        .collect();
    Some(format!("{}{rows}{}", &present[..start], &present[end..]))
}

/// Returns the GPU targets that the eclass with the text `text` has for some releases.
pub fn eclass_targets(text: &str, releases: &BTreeSet<String>) -> BTreeSet<String> {
    let case = CASE.find(text);
    let rows = case.and_then(|case| Some(table(text, case.as_str())?.2));
    let rows = rows.unwrap_or_default();
    let of = |release: &String| rows.iter().find(|row| row.fits(release));
    let lists = releases.iter().filter_map(of).flat_map(|row| &row.lists);
    lists
        .flat_map(|(_, list)| words(list))
        .map(str::to_owned)
        .collect()
}

/// Returns the words of a list: `gfx908 gfx90a` → `gfx908`, `gfx90a`.
fn words(list: &str) -> BTreeSet<&str> {
    list.split_whitespace().collect()
}

/// Returns true if two rows have the same targets.
fn has_same_targets(one: &TargetBranch, other: &TargetBranch) -> bool {
    let targets =
        |row: &TargetBranch, official| row.list(official).map_or("", |(_, list)| list).to_owned();
    let is_same = |official| words(&targets(one, official)) == words(&targets(other, official));
    is_same(true) && is_same(false)
}

#[cfg(test)]
mod tests {
    use super::{eclass_targets, glob, join_eclass};

    const THEIRS: &str = "# theirs\n_set() {\n\tcase ${ROCM_VERSION} in\n\t\t# a note\n\t\t6.*)\n\t\t\tunofficial_amdgpu_targets=(\n\t\t\t\tgfx803\n\t\t\t)\n\t\t\tofficial_amdgpu_targets=(\n\t\t\t\tgfx908 gfx90a\n\t\t\t)\n\t\t\t;;\n\t\t5.*|9999)\n\t\t\tunofficial_amdgpu_targets=()\n\t\t\tofficial_amdgpu_targets=( gfx906 )\n\t\t\t;;\n\t\t*)\n\t\t\tdie\n\t\t\t;;\n\tesac\n}\n";
    const OURS: &str = "_rocm() {\n\tcase ${ROCM_VERSION} in\n\t\t6.*)\n\t\t\tofficial=(\n\t\t\t\tgfx908 gfx90a gfx942\n\t\t\t)\n\t\t\tunofficial=(\n\t\t\t\tgfx803\n\t\t\t)\n\t\t\t;;\n\t\t7.*)\n\t\t\tofficial=(\n\t\t\t\tgfx950\n\t\t\t)\n\t\t\tunofficial=()\n\t\t\t;;\n\t\t*)\n\t\t\tdie\n\t\t\t;;\n\tesac\n}\n";

    fn join(ours: &str, theirs: &str, releases: &[&str]) -> Option<String> {
        let releases = releases.iter().map(|r| (*r).to_owned()).collect();
        join_eclass(ours, theirs, &releases)
    }

    const NEW: &str = "\t\t7.*)\n\t\t\tofficial_amdgpu_targets=(\n\t\t\t\tgfx950\n\t\t\t)\n\t\t\tunofficial_amdgpu_targets=()\n\t\t\t;;\n";

    #[test]
    fn rows_of_the_releases_alone_change_and_nothing_that_others_wrote_is_lost() {
        let (both, last) = (["6.4.3", "7.0.2", "7.2.4"], "\t\t*)\n");
        let with_new = |text: &str| text.replace(last, &format!("{NEW}{last}"));
        for (releases, expected) in [
            (&both[..0], THEIRS.to_owned()),
            (&["5.7.1", "9999", "8.0"], THEIRS.to_owned()),
            (&both[..1], THEIRS.to_owned()),
            (&both[1..], with_new(THEIRS)),
            (&both[..], with_new(THEIRS)),
        ] {
            let joined = join(OURS, THEIRS, releases).unwrap();
            assert_eq!(joined, expected, "{releases:?}");
            assert_eq!(join(OURS, &joined, releases).unwrap(), joined);
        }
        assert_eq!(join(OURS, "nothing", &both), None);
        let of = |release: &str| eclass_targets(OURS, &[release.to_owned()].into());
        assert_eq!(Vec::from_iter(of("7.2.4")), ["gfx950"]);
        assert_eq!(of("6.4.3").len(), 4);
        assert!(of("5.7.1").is_empty());
    }

    #[test]
    fn a_row_that_is_for_other_releases_too_stays() {
        let theirs = THEIRS.replace("6.*)", "[67].*)");
        let joined = join(OURS, &theirs, &["7.2.4"]).unwrap();
        let new = NEW.replace("7.*)", "7.2.4)");
        assert_eq!(
            joined,
            theirs.replace("\t\t# a note", &format!("{new}\t\t# a note"))
        );
        assert_eq!(join(OURS, &joined, &["7.2.4"]).unwrap(), joined);
        // A row with the same targets need not change.
        let same = theirs
            .replace("gfx908 gfx90a", "gfx950")
            .replace("\t\t\t\tgfx803\n", "");
        assert_eq!(join(OURS, &same, &["7.2.4"]).unwrap(), same);
    }

    #[test]
    fn a_row_for_the_same_releases_or_fewer_is_the_choice_of_its_maintainer() {
        let ours = OURS.replace("7.*)", "7.*|9999)");
        for pattern in ["7.*", "7.*|9999", "7.2.*", "7.2.4|7.3.*"] {
            let theirs = THEIRS.replace("6.*)", &format!("{pattern})"));
            let joined = join(&ours, &theirs, &["7.2.4"]).unwrap();
            assert_eq!(joined, theirs, "{pattern}");
        }
        // The live version has a row already.
        let joined = join(&ours, THEIRS, &["7.2.4"]).unwrap();
        assert_eq!(joined.matches("9999").count(), 1);
        assert!(joined.contains(NEW), "{joined}");
    }

    #[test]
    fn patterns_fit_as_bash_has_them() {
        for (pattern, fitting, other) in [
            ("7.*", "7.2.4", "17.2.4"),
            ("6.4.[0-2]", "6.4.1", "6.4.3"),
            ("6.[!0-3].*", "6.4.1", "6.3.1"),
            ("7.?.4", "7.2.4", "7.24"),
            ("9999", "9999", "99999"),
        ] {
            let text = glob(pattern).unwrap();
            assert!(text.is_match(fitting) && !text.is_match(other), "{pattern}");
        }
    }
}
