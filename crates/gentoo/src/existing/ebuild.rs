//! Existing ebuilds: a rendered ebuild keeps their keywords and the first year of their copyright.

use crate::value::tokens::pattern;
use regex::Regex;
use rocpkg_pms::Version;
use rocpkg_syntax::Script;
use std::ops::Range;
use std::sync::LazyLock;

/// The first line of Gentoo's files: the years and the owner of the copyright (GLEP 76).
static COPYRIGHT: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\A# Copyright ([0-9]{4})(?:-([0-9]{4}))? "));

/// Returns the existing ebuild that a rendered ebuild continues: the one of the same version with
/// the highest revision, else the newest older one. A live ebuild is not older than any other.
/// Returns `None` if all existing ebuilds are newer.
///
/// `package` is the package's name, `rendered` the file name of the rendered ebuild, and `present`
/// has the file names of the existing ones: for `hip`, `hip-7.2.4.ebuild`, and `hip-7.1.1.ebuild`
/// with `hip-7.0.2.ebuild`, the result is `hip-7.1.1.ebuild`.
pub fn predecessor(package: &str, rendered: &str, present: &[String]) -> Option<String> {
    let version = |file: &str| -> Option<Version> {
        Version::new(
            file.strip_prefix(package)?
                .strip_prefix('-')?
                .strip_suffix(".ebuild")?,
        )
        .ok()
    };
    let own = version(rendered)?;
    let mut all: Vec<(Version, &String)> = present
        .iter()
        .filter_map(|f| Some((version(f)?, f)))
        .collect();
    all.sort();
    let same = |(v, _): &&(Version, &String)| v.base() == own.base() && *v >= own;
    let before = |(v, _): &&(Version, &String)| *v < own && !v.base().ends_with("9999");
    let found = all
        .iter()
        .rev()
        .find(same)
        .or_else(|| all.iter().rev().find(before));
    found.map(|(_, file)| (*file).clone())
}

/// Returns the text `ebuild`, the result of an edit or a rendering, with the keywords and the first
/// copyright year of the existing ebuild `there`. `is_same` is true if both are of the same
/// version. If not, the keywords become testing keywords, and the copyright lasts to the year of
/// the ebuild `rendered`. With `is_same` the last year of `ebuild` stays.
pub(crate) fn counted(ebuild: &str, there: &str, rendered: &str, is_same: bool) -> String {
    let mut text = ebuild.to_owned();
    if let (Some((_, old)), Some((at, new))) = (keywords(there), keywords(&text)) {
        let old = if is_same { old } else { testing(&old) };
        if new != old {
            text.replace_range(at, &format!("\"{old}\""));
        }
    }
    let last = COPYRIGHT.captures(if is_same { ebuild } else { rendered });
    let last = last.map(|c| c.get(2).map_or(&c[1], |last| last.as_str()).to_owned());
    if let Some((first, last)) = COPYRIGHT.captures(there).map(|c| c[1].to_owned()).zip(last) {
        let years = if first == last {
            first
        } else {
            format!("{first}-{last}")
        };
        text = COPYRIGHT
            .replace(&text, format!("# Copyright {years} "))
            .into_owned();
    }
    text
}

/// Returns the bytes of the first literal value of `KEYWORDS` in an ebuild, quotes included, and
/// the value without quotes. A comment behind the value is not part of it. Returns `None` if there
/// is no such value.
fn keywords(text: &str) -> Option<(Range<usize>, String)> {
    let script = Script::read(text).ok()?;
    let mut sets = script.sets.iter().filter(|set| set.name == "KEYWORDS");
    sets.find_map(|set| {
        let value = text[set.value_at.clone()].trim_matches(['"', '\'']);
        let is_plain = !value.contains(['"', '\'', '$', '`', '\\']);
        is_plain.then(|| (set.value_at.clone(), value.to_owned()))
    })
}

/// Returns keywords for a version that is not tested yet: `amd64 ~arm64 -x86` → `~amd64 ~arm64
/// -x86`.
fn testing(keywords: &str) -> String {
    let word = |k: &str| {
        if k.starts_with(['~', '-']) {
            k.to_owned()
        } else {
            format!("~{k}")
        }
    };
    keywords
        .split_whitespace()
        .map(word)
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::existing::reading::{version_of, whole_version};

    /// Returns the ebuild that a rendered one continues, and true if it is of the same version.
    fn found(rendered: &str, present: &[&str]) -> Option<(String, bool)> {
        let present: Vec<String> = present.iter().map(|f| (*f).to_owned()).collect();
        let found = predecessor("hip", rendered, &present)?;
        let is_same = version_of(&found) == version_of(rendered)
            && whole_version(&found) >= whole_version(rendered);
        Some((found, is_same))
    }

    #[test]
    fn an_ebuild_goes_on_from_its_own_version_or_the_newest_before_it() {
        let all = [
            "hip-6.4.3.ebuild",
            "hip-7.1.1-r1.ebuild",
            "hip-7.1.1-r10.ebuild",
            "hip-9999.ebuild",
        ];
        assert_eq!(
            found("hip-7.1.1.ebuild", &all),
            Some(("hip-7.1.1-r10.ebuild".into(), true))
        );
        assert_eq!(
            found("hip-7.1.1-r11.ebuild", &all),
            Some(("hip-7.1.1-r10.ebuild".into(), false))
        );
        assert_eq!(
            found("hip-7.2.0.ebuild", &all),
            Some(("hip-7.1.1-r10.ebuild".into(), false))
        );
        assert_eq!(found("hip-6.0.ebuild", &all), None);
        assert_eq!(
            found("hip-9999.ebuild", &all),
            Some(("hip-9999.ebuild".into(), true))
        );
    }

    #[test]
    fn keywords_are_kept_and_become_testing_in_a_new_version() {
        let old = "# Copyright 2019-2024 Gentoo Authors\n\nKEYWORDS=\"amd64 ~arm64 -x86\"\n";
        let new = "# Copyright 1999-2026 Gentoo Authors\n\nif x; then\n\tKEYWORDS=\"~amd64\"\nfi\n";
        let head = "# Copyright 2019-2026 Gentoo Authors\n\nif x; then\n\tKEYWORDS=";
        assert_eq!(
            counted(new, old, new, true),
            format!("{head}\"amd64 ~arm64 -x86\"\nfi\n")
        );
        assert_eq!(
            counted(new, old, new, false),
            format!("{head}\"~amd64 ~arm64 -x86\"\nfi\n")
        );
        assert_eq!(counted(new, "nothing of it", new, true), new);
        let remark = old.replace("-x86\"", "-x86\" # stable");
        assert_eq!(
            counted(new, &remark, new, false),
            format!("{head}\"~amd64 ~arm64 -x86\"\nfi\n")
        );
        let kept = remark.replace("\"amd64 ~arm64 -x86\"", "\"~amd64 ~arm64 -x86\"");
        assert_eq!(
            counted(&remark, &remark, new, false),
            kept.replace("2024", "2026")
        );
    }
}
