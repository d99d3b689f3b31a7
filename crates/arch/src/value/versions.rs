//! Versions and relations that makepkg accepts (`lint_pkgbuild/{epoch,pkgver,pkgrel}.sh` and
//! `fullpkgver.sh`).

use crate::lower::lint::is_name;
use crate::value::ir::Field;

/// Returns true for a valid `pkgver`: ASCII without blanks, `:`, `/` and `-`.
pub(crate) fn is_pkgver(text: &str) -> bool {
    let is_wrong = |c: char| ":/-".contains(c) || c.is_whitespace();
    !text.is_empty() && text.is_ascii() && !text.contains(is_wrong)
}

/// Returns true for a valid `pkgrel`: `1` or `1.2`.
pub(crate) fn is_pkgrel(text: &str) -> bool {
    let (first, rest) = text.split_once('.').unwrap_or((text, "0"));
    is_epoch(first) && is_epoch(rest)
}

/// Returns true for a valid `epoch`: digits only.
pub(crate) fn is_epoch(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

/// Returns true for `epoch:pkgver-pkgrel`. The epoch and the pkgrel may be absent.
fn is_full(text: &str) -> bool {
    let (epoch, rest) = text.split_once(':').unwrap_or(("0", text));
    let (version, release) = match rest.rsplit_once('-') {
        Some((version, release)) if !version.is_empty() => (version, release),
        _ => (rest, "1"),
    };
    // makepkg accepts an empty epoch.
    let is_digits = |text: &str| text.bytes().all(|c| c.is_ascii_digit());
    is_digits(epoch) && is_pkgver(version) && is_pkgrel(release)
}

/// Returns true for an element of a field that names other packages: `b>=1.0`. `provides` allows
/// only `=`.
pub(crate) fn is_relation(field: Field, text: &str) -> bool {
    if field == Field::Provides {
        return match text.rsplit_once('=') {
            _ if text.contains(['<', '>']) => false,
            Some((name, version)) => is_name(name) && is_full(version),
            None => is_name(text),
        };
    }
    let end = text.find(['<', '>', '=']).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let two = rest.strip_prefix("<=").or_else(|| rest.strip_prefix(">="));
    let version = two.unwrap_or_else(|| rest.strip_prefix(['<', '>', '=']).unwrap_or(rest));
    // `depends` alone may have an operator without a version (`lint_pkgbuild/depends.sh`).
    let is_bare = rest.is_empty() || (version.is_empty() && field == Field::Depends);
    is_name(name) && (is_bare || is_full(version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_those_of_makepkg() {
        for (field, text, expected) in [
            (Field::Depends, "b", true),
            (Field::Depends, "b>=1:1.0-2", true),
            (Field::Depends, "b=", true),
            (Field::Makedepends, "b>=", false),
            (Field::Optdepends, "b=", false),
            (Field::Depends, "b>=:1", true),
            (Field::Depends, "b=>1", true),
            (Field::Depends, "b>=x:1", false),
            (Field::Depends, "b==1", true),
            (Field::Depends, "b c", false),
            (Field::Depends, ">=1", false),
            (Field::Provides, "b=1.0", true),
            (Field::Provides, "b=", false),
            (Field::Provides, "b>=1", false),
            (Field::Provides, "libb.so=6-64", true),
        ] {
            assert_eq!(is_relation(field, text), expected, "{text}");
        }
    }
}
