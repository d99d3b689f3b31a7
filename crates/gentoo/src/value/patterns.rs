//! Ranges of releases as patterns of bash's `case`, by which rocm.eclass finds its targets: `>=6.0,
//! <6.4` → `6.[0-3].*`.

use rocpkg_model::TargetDefaults;
use rocpkg_resolve::{LIVE, LIVE_VERSION, Range};

/// A row of the distribution's table of GPU targets, as a branch of `case`.
pub(crate) struct Row<'a> {
    pub(crate) set: &'a TargetDefaults,
    /// The patterns of bash that match the versions of the row: `6.[0-3].*|7.*`.
    pub(crate) pattern: String,
    /// Versions that match this branch, for the eclass's tests: the first version of the range and,
    /// if the range has an end, its last. Versions that match an earlier row are left out.
    pub(crate) ends: Vec<String>,
}

/// Returns the rows of the table `targets` with their patterns. Rows whose versions all match
/// earlier rows are left out. A row `live` without targets has those of the newest release.
pub(crate) fn rows(targets: &[TargetDefaults]) -> Vec<Row<'_>> {
    let mut before: Vec<Range> = Vec::new();
    let mut live = false;
    let mut out = Vec::new();
    for set in targets {
        let mut ends = vec![LIVE_VERSION.to_owned()];
        let patterns = if set.releases.value == LIVE {
            if std::mem::replace(&mut live, true) {
                Vec::new()
            } else {
                ends.clone()
            }
        } else if let Ok(range) = set.releases.value.parse::<Range>() {
            let patterns = of_range(range, &before);
            ends = ends_of(range, &before);
            before.push(range);
            live |= range == Range::ALL;
            patterns
        } else {
            Vec::new()
        };
        let is_bare =
            set.default.is_empty() && set.offered.is_empty() && set.releases.value == LIVE;
        let newest = || {
            targets
                .iter()
                .max_by_key(|t| t.releases.value.parse::<Range>().ok().map(|r| r.from()))
        };
        if !patterns.is_empty() {
            let set = if is_bare {
                newest().unwrap_or(set)
            } else {
                set
            };
            out.push(Row {
                set,
                pattern: patterns.join("|"),
                ends,
            });
        }
    }
    out
}

/// Removes the patterns of a branch that another pattern of the branch includes: `6.4.[0-2]|6.*` →
/// `6.*`.
pub(crate) fn joined(patterns: &str) -> String {
    let all: Vec<&str> = patterns.split('|').collect();
    // A star matches any text behind its prefix.
    let holds = |wide: &str, narrow: &str| {
        wide.strip_suffix('*')
            .is_some_and(|start| narrow != wide && narrow.starts_with(start))
    };
    let kept = all
        .iter()
        .filter(|narrow| !all.iter().any(|wide| holds(wide, narrow)));
    kept.copied().collect::<Vec<_>>().join("|")
}

/// Returns the first and the last version of `range` that none of the ranges `before` includes:
/// `>=7.0, <7.3` → `7.0.0` and `7.2.99`. The unknown last number is [`OPEN`]. A range without an
/// end has no last version.
fn ends_of(range: Range, before: &[Range]) -> Vec<String> {
    let first = after(range.from(), before);
    let last = range.to().map(|to| match to {
        [major, 0, 0] => [major.saturating_sub(1), OPEN, OPEN],
        [major, minor, 0] => [major, minor.saturating_sub(1), OPEN],
        [major, minor, patch] => [major, minor, patch.saturating_sub(1)],
    });
    let last = last.filter(|last| *last != first && after(*last, before) == *last);
    [Some(first), last]
        .into_iter()
        .flatten()
        .map(|v| v.map(|n| n.to_string()).join("."))
        .collect()
}

/// A number that stands for the highest minor or patch number.
const OPEN: u64 = 99;

/// Returns patterns for `range`, as few as possible. They may also match versions of the ranges
/// `before`, which are earlier branches. Returns none if the ranges `before` include all of
/// `range`.
fn of_range(range: Range, before: &[Range]) -> Vec<String> {
    if range == Range::ALL {
        return if before.contains(&Range::ALL) {
            Vec::new()
        } else {
            vec!["*".to_owned()]
        };
    }
    let from = after(range.from(), before);
    if range.to().is_some_and(|to| to <= from) || from[0] == u64::MAX {
        return Vec::new();
    }
    let [major, minor, _] = range.from();
    // A pattern may also match versions of an earlier row, as the first matching row counts.
    let wider = [[major, minor, 0], [major, 0, 0]];
    let free = wider
        .into_iter()
        .filter(|w| *w < range.from() && after(*w, before) >= range.from());
    let mut all: Vec<Vec<String>> = [range.from()]
        .into_iter()
        .chain(free)
        .map(|from| spelt("", &from, range.to().as_ref().map(|to| &to[..])))
        .collect();
    // The first one of the shortest.
    let best = (0..all.len())
        .min_by_key(|i| all[*i].len())
        .unwrap_or_default();
    all.swap_remove(best)
}

/// Returns the first version from `from` on that none of `ranges` includes. Each number of the
/// result is `u64::MAX` if there is no such version.
fn after(from: [u64; 3], ranges: &[Range]) -> [u64; 3] {
    let mut at = from;
    // Each round skips at least one range.
    for _ in 0..ranges.len() {
        for r in ranges {
            if r.from() <= at {
                at = at.max(r.to().unwrap_or([u64::MAX; 3]));
            }
        }
    }
    at
}

/// Returns patterns for the versions from `from` up to and excluding `to`, or for all versions from
/// `from` on: `[6, 0, 0]` and `[6, 4, 0]` → `6.[0-3].*`. Each pattern begins with `before`.
fn spelt(before: &str, from: &[u64], to: Option<&[u64]>) -> Vec<String> {
    let Some((first, further)) = from.split_first() else {
        return Vec::new();
    };
    let end = to.map(|to| to[0]);
    let below = |number: u64| format!("{before}{number}.");
    if end == Some(*first) {
        return spelt(&below(*first), further, to.map(|to| &to[1..]));
    }
    // A start in the middle of a line does not include the whole line. A major version is a pattern
    // of its own.
    let is_whole = further.iter().all(|number| *number == 0);
    let mut out = match is_whole {
        true if before.is_empty() => vec![format!("{first}.*")],
        true => Vec::new(),
        false => spelt(&below(*first), further, None),
    };
    let next = if is_whole && !before.is_empty() {
        *first
    } else {
        first + 1
    };
    let all = if further.is_empty() { "" } else { ".*" };
    out.extend(numbers(next, end).map(|number| format!("{before}{number}{all}")));
    if let Some([end, behind @ ..]) = to {
        out.extend(spelt(&below(*end), &vec![0; behind.len()], Some(behind)));
    }
    out
}

/// Returns patterns for the numbers from `first` up to and excluding `end`: 3 and 12 → `[3-9]`,
/// `10`, `11`. Without an `end`, the patterns are for all numbers from `first` on.
fn numbers(first: u64, end: Option<u64>) -> impl Iterator<Item = String> {
    let mut out = Vec::new();
    let digit = |from: u64, to: u64| {
        if from == to {
            from.to_string()
        } else {
            format!("[{from}-{to}]")
        }
    };
    match end {
        None if first == 0 => out.push("*".to_owned()),
        None if first < 10 => out.extend([digit(first, 9), "[1-9][0-9]*".to_owned()]),
        None => {
            let tens = first.div_ceil(10) * 10;
            out.extend((first..tens).map(|n| n.to_string()));
            let [ten, hundred] = [tens / 10, 10];
            if ten < hundred {
                out.push(format!("{}[0-9]", digit(ten, 9)));
            }
            out.push("[1-9][0-9][0-9]*".to_owned());
        }
        Some(end) if first < end && first < 10 => {
            out.push(digit(first, (end - 1).min(9)));
            out.extend((10..end).map(|n| n.to_string()));
        }
        Some(end) => out.extend((first..end).map(|n| n.to_string())),
    }
    out.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocpkg_resolve::Release;

    /// Returns true if a text matches one of the patterns, as in bash's `case`.
    fn fits(text: &str, patterns: &str) -> bool {
        fn go(text: &[u8], pat: &[u8]) -> bool {
            match pat {
                [] => text.is_empty(),
                [b'*', rest @ ..] => (0..=text.len()).any(|i| go(&text[i..], rest)),
                [b'[', a, b'-', z, b']', rest @ ..] => {
                    text.first().is_some_and(|c| (a..=z).contains(&c)) && go(&text[1..], rest)
                }
                [p, rest @ ..] => text.first() == Some(p) && go(&text[1..], rest),
            }
        }
        patterns
            .split('|')
            .any(|p| go(text.as_bytes(), p.as_bytes()))
    }

    fn table(ranges: &[&str]) -> Vec<TargetDefaults> {
        let none = Vec::<String>::new;
        let row = |r: &&str| TargetDefaults::new(r, none(), none());
        ranges.iter().map(row).collect()
    }

    #[test]
    fn a_branch_has_no_pattern_that_another_of_its_patterns_holds() {
        assert_eq!(joined("6.[0-3].*|6.4.[0-2]|6.*"), "6.*");
        assert_eq!(
            joined("5.[4-9].*|5.[1-9][0-9]*|6.0.1"),
            "5.[4-9].*|5.[1-9][0-9]*|6.0.1"
        );
        assert_eq!(joined("7.*|9999"), "7.*|9999");
    }

    fn patterns(ranges: &[&str]) -> Vec<String> {
        rows(&table(ranges))
            .into_iter()
            .map(|r| r.pattern)
            .collect()
    }

    #[test]
    fn patterns_are_those_that_people_write() {
        let gentoo = [
            ">=5.0, <5.4",
            ">=5.4, <6",
            ">=6.0, <6.4",
            ">=6.4, <6.4.3",
            ">=6.4.3, <7",
            ">=7.0, <8",
            "live",
        ];
        let written = [
            "5.[0-3].*",
            "5.*",
            "6.[0-3].*",
            "6.4.[0-2]",
            "6.*",
            "7.*",
            "9999",
        ];
        assert_eq!(patterns(&gentoo), written);
        assert_eq!(patterns(&["=7.2", ">=7.0, <8"]), ["7.2.*", "7.*"]);
        assert_eq!(
            patterns(&["*", ">=7.0, <8", "live"]),
            ["*"],
            "nothing is left for the others"
        );
        assert_eq!(
            patterns(&[">=7.3"]),
            ["7.[3-9].*|7.[1-9][0-9]*.*|[8-9].*|[1-9][0-9]*.*"]
        );
    }

    #[test]
    fn the_live_version_has_the_targets_of_the_newest_release_where_it_lists_none() {
        let row = |r: &str, t: &str| TargetDefaults::new(r, [t], Vec::<String>::new());
        let mut all = vec![
            row(">=7.0, <8", "gfx950"),
            row(">=10, <11", "gfx1152"),
            row(">=6.0, <7", "gfx906"),
        ];
        all.extend(table(&["live"]));
        let live = |all: &[TargetDefaults]| rows(all).pop().unwrap().set.default[0].value.clone();
        assert_eq!(live(&all), "gfx1152");
        all[3] = row("live", "gfx90a");
        assert_eq!(live(&all), "gfx90a");
    }

    #[test]
    fn a_pattern_holds_what_its_range_holds() {
        let ends = [
            "0.0", "6.0", "6.4.3", "7.0", "7.2.1", "7.9", "7.12.3", "8.0.10", "10.0", "11.2",
        ];
        let mut tables: Vec<Vec<String>> = Vec::new();
        for (i, from) in ends.iter().enumerate() {
            tables.push(vec![format!(">={from}")]);
            for to in &ends[i + 1..] {
                tables.push(vec![format!(">={from}, <{to}")]);
                tables.push(vec![
                    ">=6.4, <7.2".into(),
                    "=7.2".into(),
                    format!(">={from}, <{to}"),
                    "*".into(),
                ]);
            }
        }
        let versions: Vec<Release> = [0, 5, 6, 7, 8, 9, 10, 11, 12]
            .iter()
            .flat_map(|a| [0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 13, 23].map(|b| (a, b)))
            .flat_map(|(a, b)| {
                [0, 1, 2, 3, 4, 9, 10, 11, 31].map(|c| format!("{a}.{b}.{c}").parse().unwrap())
            })
            .collect();
        for ranges in tables {
            let ranges: Vec<&str> = ranges.iter().map(String::as_str).collect();
            let sets = table(&ranges);
            let rows = rows(&sets);
            for row in &rows {
                let own = |end: &String| {
                    rows.iter()
                        .find(|r| fits(end, &r.pattern))
                        .map(|r| &r.pattern)
                };
                assert!(
                    row.ends.iter().all(|end| own(end) == Some(&row.pattern)),
                    "{:?}",
                    row.ends
                );
            }
            for v in &versions {
                let holds = |r: &&str| r.parse::<Range>().unwrap().contains(v);
                let by_range = ranges.iter().find(|r| holds(r)).copied();
                let by_pattern = rows.iter().find(|r| fits(v.as_str(), &r.pattern));
                assert_eq!(
                    by_pattern.map(|r| r.set.releases.value.as_str()),
                    by_range,
                    "{v} in {ranges:?}"
                );
            }
        }
    }
}
