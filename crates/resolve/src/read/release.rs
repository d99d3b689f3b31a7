//! Upstream's versions, such as `7.2.4` and `10.0`, and ranges of them.

use rocpkg_model::{BuiltWithLlvm, Distro, Finding, Findings, Span, Spanned, TargetDefaults};
use semver::{Comparator, Op, Version, VersionReq};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A release version. `10.0` and `10.0.0` compare equal and print as written.
///
/// A package with a version of its own prints that version. Its line, its order and the ranges that
/// contain it depend on the release of ROCm that the package belongs to.
#[derive(Clone, Debug)]
pub struct Release {
    text: String,
    padded: Version,
    own: Option<String>,
}

/// Reads a release that a profile states.
///
/// # Errors
/// A text that is no release is reported to `findings` as E0207.
pub(crate) fn read_release(text: &Spanned<String>, findings: &mut Findings) -> Option<Release> {
    let read = text.value.parse::<Release>();
    let wrong = |e| {
        Finding::error("E0207", text.span, format!("{e}")).label("expected a release such as 7.2.4")
    };
    read.map_err(|e: ReleaseError| findings.push(wrong(e))).ok()
}

/// Reads a range of releases that a profile states.
///
/// # Errors
/// A text that is no range is reported to `findings` as E0203.
pub(crate) fn read_range(text: &str, span: Span, findings: &mut Findings) -> Option<Range> {
    let read = text.parse::<Range>();
    let wrong = |e| {
        let finding =
            Finding::error("E0203", span, format!("{e}")).label("expected a range of releases");
        match text.parse::<Release>() {
            Ok(_) => finding.hint(format!(
                "write `={text}` for this line or release, `>={text}` to include later ones"
            )),
            Err(_) => finding,
        }
    };
    read.map_err(|e: ReleaseError| findings.push(wrong(e))).ok()
}

/// Returns true if a range contains a release. Returns `None` if the range can't be read, which is
/// reported when the range is loaded.
pub(crate) fn holds(range: &str, release: &Release) -> Option<bool> {
    range
        .parse::<Range>()
        .ok()
        .map(|range| range.contains(release))
}

/// An error in a version or a range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReleaseError {
    /// The text is not two or three numbers.
    #[error("`{0}` is not a release: expected two or three numbers such as 7.2.4")]
    Version(String),
    /// The text is not a range.
    #[error("`{0}` is not a range: expected one such as >=6.4, <7.0")]
    Range(String),
    /// The range ends before it begins.
    #[error("the range `{0}` contains no release")]
    Empty(String),
}

impl Release {
    /// Returns the first two numbers, as in a slot: `7.2`.
    pub fn line(&self) -> String {
        format!("{}.{}", self.padded.major, self.padded.minor)
    }

    /// Returns major, minor and patch level. An absent patch level is 0.
    pub fn parts(&self) -> [u64; 3] {
        [self.padded.major, self.padded.minor, self.padded.patch]
    }

    /// Returns the release with three numbers: `10.2` -> `10.2.0`.
    pub fn whole(&self) -> String {
        self.parts().map(|number| number.to_string()).join(".")
    }

    /// Returns the same release, for a package whose own version is `own`.
    #[must_use]
    pub fn called(&self, own: &str) -> Self {
        Self {
            own: Some(own.to_owned()),
            ..self.clone()
        }
    }

    /// Returns the package's own version, if it has one.
    pub fn own(&self) -> Option<&str> {
        self.own.as_deref()
    }

    /// Returns the package's own version, if it has one, or else the release. The text is as
    /// written.
    pub fn as_str(&self) -> &str {
        self.own().unwrap_or(&self.text)
    }

    /// Returns the release itself, as written.
    pub fn release(&self) -> &str {
        &self.text
    }
}

impl FromStr for Release {
    type Err = ReleaseError;
    fn from_str(s: &str) -> Result<Self, ReleaseError> {
        let padding = if s.matches('.').count() == 1 {
            ".0"
        } else {
            ""
        };
        match Version::parse(&format!("{s}{padding}")) {
            Ok(padded) if padded.pre.is_empty() && padded.build.is_empty() => Ok(Self {
                text: s.to_owned(),
                padded,
                own: None,
            }),
            _ => Err(ReleaseError::Version(s.to_owned())),
        }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PartialEq for Release {
    fn eq(&self, other: &Self) -> bool {
        self.padded == other.padded
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
        self.padded.cmp(&other.padded)
    }
}

/// A range of releases, in the syntax of the crate `semver`: comparisons joined by commas, all of
/// which must hold. `*` is every release.
///
/// `>=7.2` begins at 7.2.0. `<=7.2` and `=7.2` contain every release of the line 7.2. A bare
/// version, `^` and `~` are not accepted: in `semver`, `7.1` contains everything up to the next
/// major version, and authors mostly mean something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    from: [u64; 3],
    to: Option<[u64; 3]>,
}

impl Range {
    /// The range of all releases.
    pub const ALL: Self = Self {
        from: [0; 3],
        to: None,
    };

    /// Returns true if `release` is in the range.
    pub fn contains(&self, release: &Release) -> bool {
        self.from <= release.parts() && self.to.is_none_or(|to| release.parts() < to)
    }

    /// Returns true if the range contains the major version `major` of a program such as LLVM.
    pub fn has_major(&self, major: u64) -> bool {
        self.from <= [major, 0, 0] && self.to.is_none_or(|to| [major, 0, 0] < to)
    }

    /// Returns the first release of the range.
    pub fn from(&self) -> [u64; 3] {
        self.from
    }

    /// Returns the first release after the range, or `None` if the range has no end.
    pub fn to(&self) -> Option<[u64; 3]> {
        self.to
    }
}

thread_local! {
    /// The ranges that were read, by their texts. A model has few texts of ranges, and each is read
    /// for thousands of packages.
    static READ: RefCell<BTreeMap<String, Range>> = const { RefCell::new(BTreeMap::new()) };
}

impl FromStr for Range {
    type Err = ReleaseError;
    fn from_str(s: &str) -> Result<Self, ReleaseError> {
        if let Some(range) = READ.with_borrow(|read| read.get(s).copied()) {
            return Ok(range);
        }
        let range = Self::read(s)?;
        READ.with_borrow_mut(|read| read.insert(s.to_owned(), range));
        Ok(range)
    }
}

impl Range {
    fn read(s: &str) -> Result<Self, ReleaseError> {
        let wrong = || ReleaseError::Range(s.to_owned());
        let mut range = Self::ALL;
        for comparator in VersionReq::parse(s).map_err(|_| wrong())?.comparators {
            let (from, to) = bounds(&comparator).ok_or_else(wrong)?;
            range.from = range.from.max(from);
            range.to = match (range.to, to) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        if range.to.is_some_and(|to| to <= range.from) {
            return Err(ReleaseError::Empty(s.to_owned()));
        }
        Ok(range)
    }
}

/// Returns the range that one comparison allows, as `semver` reads it: the first release, and the
/// first release after the range. Returns `None` if the comparison is not accepted.
fn bounds(c: &Comparator) -> Option<([u64; 3], Option<[u64; 3]>)> {
    if !c.pre.is_empty() {
        return None;
    }
    let first = [c.major, c.minor.unwrap_or(0), c.patch.unwrap_or(0)];
    // `<=7.2` ends where 7.3 begins.
    let next = match (c.minor, c.patch) {
        (None, _) => [c.major.checked_add(1)?, 0, 0],
        (Some(minor), None) => [c.major, minor.checked_add(1)?, 0],
        (Some(minor), Some(patch)) => [c.major, minor, patch.checked_add(1)?],
    };
    match c.op {
        Op::GreaterEq => Some((first, None)),
        Op::Greater => Some((next, None)),
        Op::Less => Some(([0; 3], Some(first))),
        Op::LessEq => Some(([0; 3], Some(next))),
        Op::Exact => Some((first, Some(next))),
        _ => None,
    }
}

/// The word for the live version (upstream's development branch) in `releases` of a distribution's
/// row of targets. Of all ranges, only `*` contains the live version.
pub const LIVE: &str = "live";

/// The version number of the live version, as in Gentoo.
pub const LIVE_VERSION: &str = "9999";

/// Returns the row of a distribution's targets for a release: the first row whose range contains
/// the release.
pub fn target_row<'d>(distro: &'d Distro, release: &Release) -> Option<&'d TargetDefaults> {
    let holds = |row: &&TargetDefaults| holds(&row.releases.value, release) == Some(true);
    distro.targets.iter().find(holds)
}

/// Returns the row of a distribution's LLVM for a release: the first row whose range contains the
/// release.
pub fn llvm_row<'d>(distro: &'d Distro, release: &Release) -> Option<&'d BuiltWithLlvm> {
    distro
        .llvm
        .iter()
        .find(|row| holds(&row.releases.value, release) == Some(true))
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
    fn a_version_of_its_own_is_printed_and_the_release_is_asked() {
        let release: Release = "7.2.0".parse().unwrap();
        let own = release.called("0_pre9888");
        assert_eq!(
            (own.to_string().as_str(), own.release(), own.line().as_str()),
            ("0_pre9888", "7.2.0", "7.2")
        );
        assert_eq!(own, release);
        assert_eq!(holds(">=7.1", &own), Some(true));
    }

    #[test]
    fn broken_versions_are_refused() {
        for bad in [
            "", "7", "7.", "7.2.4.1", "7.2.4\n", "7.02", "7.2-rc1", "../7.2",
        ] {
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
    fn each_comparison_has_its_bounds() {
        let ends = |text: &str| text.parse::<Range>().map(|r| (r.from(), r.to()));
        assert_eq!(ends("*"), Ok(([0; 3], None)));
        assert_eq!(ends(">=6.4.3, <7"), Ok(([6, 4, 3], Some([7, 0, 0]))));
        assert_eq!(ends("=7.2"), Ok(([7, 2, 0], Some([7, 3, 0]))));
        assert_eq!(ends("<=7.2.1"), Ok(([0; 3], Some([7, 2, 2]))));
        assert_eq!(ends(">7"), Ok(([8, 0, 0], None)));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for bad in [
            "",
            "7.1",
            "7.*",
            "^7.1",
            "~7.1",
            ">=7, <6",
            ">=seven",
            ">= 7.1.0.0",
            "6.4 - 7.0",
            ">=7,",
        ] {
            assert!(bad.parse::<Range>().is_err(), "{bad:?}");
        }
    }
}
