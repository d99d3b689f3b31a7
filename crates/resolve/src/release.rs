//! Upstream's versions: `7.2.4`, `10.0`; and ranges over them.

use std::fmt;
use std::str::FromStr;

/// A release version. `10.0` and `10.0.0` compare equal and print as written.
#[derive(Clone, Debug)]
pub struct Release {
    text: String,
    parts: [u64; 3],
}

/// What is wrong with a version or a range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseError {
    /// Not one to three numbers.
    #[error("`{0}` is not a release: expected two or three numbers such as 7.2.4")]
    Version(String),
    /// Not a range.
    #[error("`{0}` is not a range: expected one such as >=6.4, <7.0")]
    Range(String),
}

impl Release {
    /// The first two parts, as in a slot: `7.2`.
    pub fn line(&self) -> String {
        format!("{}.{}", self.parts[0], self.parts[1])
    }

    /// Major, minor and patch level; an absent patch level is 0.
    pub fn parts(&self) -> [u64; 3] {
        self.parts
    }

    /// The text as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl FromStr for Release {
    type Err = ReleaseError;
    fn from_str(s: &str) -> Result<Self, ReleaseError> {
        let wrong = || ReleaseError::Version(s.to_owned());
        let read: Vec<&str> = s.split('.').collect();
        if !(2..=3).contains(&read.len()) {
            return Err(wrong());
        }
        let mut parts = [0; 3];
        for (slot, part) in parts.iter_mut().zip(&read) {
            let plain = !part.is_empty() && part.len() <= 9 && part.bytes().all(|b| b.is_ascii_digit());
            if !plain || (part.len() > 1 && part.starts_with('0')) {
                return Err(wrong());
            }
            *slot = part.parse().map_err(|_| wrong())?;
        }
        Ok(Self { text: s.to_owned(), parts })
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl PartialEq for Release {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
    }
}
impl Eq for Release {}
impl PartialOrd for Release {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Release {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.parts.cmp(&other.parts)
    }
}

/// A range of releases: comparisons joined by commas, all of which must hold.
#[derive(Clone, Debug)]
pub struct Range(semver::VersionReq);

impl Range {
    /// True when `release` lies in the range.
    pub fn contains(&self, release: &Release) -> bool {
        let [major, minor, patch] = release.parts;
        self.0.matches(&semver::Version::new(major, minor, patch))
    }
}

impl FromStr for Range {
    type Err = ReleaseError;
    fn from_str(s: &str) -> Result<Self, ReleaseError> {
        // semver reads `>=7.2` as `>=7.2.0` and `<=7.2` as `<7.3`, which is what people mean.
        semver::VersionReq::parse(s).map(Self).map_err(|_| ReleaseError::Range(s.to_owned()))
    }
}

/// True when `release` fits a shell pattern as in a `case` of bash: `*`, `?` and `[0-3]`.
///
/// Gentoo's eclass chooses its target list this way, so the same pattern must answer the same here and there.
pub fn fits_pattern(release: &str, pattern: &str) -> bool {
    fn go(text: &[u8], pat: &[u8]) -> bool {
        match pat {
            [] => text.is_empty(),
            [b'*', rest @ ..] => (0..=text.len()).any(|i| go(&text[i..], rest)),
            [b'?', rest @ ..] => !text.is_empty() && go(&text[1..], rest),
            [b'[', rest @ ..] => {
                let Some(end) = rest.iter().position(|b| *b == b']') else { return false };
                let (set, rest) = (&rest[..end], &rest[end + 1..]);
                let Some((&c, tail)) = text.split_first() else { return false };
                let mut i = 0;
                let mut hit = false;
                while i < set.len() {
                    if i + 2 < set.len() && set[i + 1] == b'-' {
                        hit |= (set[i]..=set[i + 2]).contains(&c);
                        i += 3;
                    } else {
                        hit |= set[i] == c;
                        i += 1;
                    }
                }
                hit && go(tail, rest)
            }
            [p, rest @ ..] => text.first() == Some(p) && go(&text[1..], rest),
        }
    }
    pattern.split('|').any(|p| go(release.as_bytes(), p.trim().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_patch_level_is_zero() {
        let (a, b): (Release, Release) = ("10.0".parse().unwrap(), "10.0.0".parse().unwrap());
        assert_eq!(a, b);
        assert_eq!(a.to_string(), "10.0");
        assert!("7.10.0".parse::<Release>().unwrap() > "7.2.4".parse().unwrap());
    }

    #[test]
    fn broken_versions_are_refused() {
        for bad in ["", "7", "7.", "7.2.4.1", "7.2.4\n", "7.02", "7.2-rc1", "../7.2", "7.2.99999999999"] {
            assert!(bad.parse::<Release>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn ranges_pad_versions() {
        let r: Range = ">=6.4, <7.2".parse().unwrap();
        assert!(r.contains(&"6.4.1".parse().unwrap()));
        assert!(!r.contains(&"7.2".parse().unwrap()));
    }

    #[test]
    fn patterns_answer_as_bash_does() {
        assert!(fits_pattern("6.3.1", "6.[0-3].*"));
        assert!(!fits_pattern("6.1", "6.[0-3].*"), "the two-part version that misses its list");
        assert!(fits_pattern("6.4.2", "6.4.[0-2]"));
        assert!(fits_pattern("9999", "7.*|9999"));
    }
}
