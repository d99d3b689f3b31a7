//! Versions and their order (PMS 3.2 and 3.3).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::error::{Quoted, SyntaxError};

/// A package version with its revision, such as `7.2.0_rc1-r2`.
///
/// Comparison is the algorithm of PMS 3.3, by which `1` equals `1-r0` and `1.010` equals `1.01`. What was written is
/// kept and printed.
#[derive(Clone)]
pub struct Version {
    text: Box<str>,
}

impl Version {
    /// Reads a version.
    ///
    /// # Errors
    /// When the text is none, with the first byte that does not fit.
    pub fn new(text: &str) -> Result<Self, SyntaxError> {
        let end = scan(text.as_bytes());
        let fits = matches!(end, Scan::Complete(length) if length == text.len());
        if fits {
            return Ok(Self { text: text.into() });
        }
        let at = match end {
            Scan::Complete(at) | Scan::Wants(at, _) => at,
        };
        let wanted = match end {
            Scan::Wants(_, wanted) => wanted,
            Scan::Complete(_) => "the end of the version",
        };
        let len = text.get(at..).and_then(|tail| tail.chars().next()).map_or(0, char::len_utf8);
        Err(SyntaxError::new(at, len, format_args!("{} is not a version: expected {wanted}", Quoted(text))))
    }

    /// A text that the scanner has accepted.
    pub(crate) fn from_checked(text: &str) -> Self {
        Self { text: text.into() }
    }

    /// The version as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text without the revision: `1.2` of `1.2-r3`.
    pub fn base(&self) -> &str {
        Parts::of(&self.text).base
    }

    /// The digits after `-r` as written, or `None` where no revision stands.
    pub fn revision(&self) -> Option<&str> {
        Parts::of(&self.text).revision
    }

    /// The same version with no revision.
    #[must_use]
    pub fn without_revision(&self) -> Self {
        Self { text: self.base().into() }
    }

    /// Whether `self`, taken as the prefix of a `=…*` dependency, covers `other`.
    ///
    /// The prefix is textual, ends at the border of a component (`1*` covers `1.2` and `1a`, but not `10`),
    /// and leading zeros of the first component don't count.
    pub fn is_prefix_of(&self, other: &Self) -> bool {
        let (prefix, whole) = (without_zeros(&self.text), without_zeros(&other.text));
        let Some(tail) = whole.strip_prefix(prefix) else { return false };
        match (prefix.bytes().last(), tail.bytes().next()) {
            (_, None | Some(b'.' | b'_' | b'-')) => true,
            // With all zeros gone the prefix was `0`, which ends in a digit.
            (last, Some(next)) => last.is_none_or(|byte| byte.is_ascii_digit()) != next.is_ascii_digit(),
        }
    }
}

/// The text from its first significant digit on; one zero is kept where nothing but zeros leads.
fn without_zeros(text: &str) -> &str {
    let zeros = text.bytes().take_while(|&byte| byte == b'0').count();
    let digit_follows = text.as_bytes().get(zeros).is_some_and(u8::is_ascii_digit);
    text.get(if digit_follows { zeros } else { zeros.saturating_sub(1) }..).unwrap_or_default()
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.text, f)
    }
}

impl FromStr for Version {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::new(text)
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Version {}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let (a, b) = (Parts::of(&self.text), Parts::of(&other.text));
        a.compare_numbers(&b)
            .then_with(|| a.letter.cmp(&b.letter))
            .then_with(|| a.compare_suffixes(&b))
            .then_with(|| compare_integers(a.revision.unwrap_or("0"), b.revision.unwrap_or("0")))
    }
}

/// Where a scan of a version ended.
enum Scan {
    /// What stands before this offset is a version.
    Complete(usize),
    /// Something else had to stand at this offset.
    Wants(usize, &'static str),
}

fn digits(bytes: &[u8], from: usize) -> usize {
    bytes.iter().skip(from).take_while(|byte| byte.is_ascii_digit()).count()
}

const SUFFIXES: [(&str, i8); 5] = [("alpha", -4), ("beta", -3), ("pre", -2), ("rc", -1), ("p", 0)];

/// Follows PMS 3.2 as far as the text goes along.
fn scan(bytes: &[u8]) -> Scan {
    let mut at = digits(bytes, 0);
    if at == 0 {
        return Scan::Wants(0, "a digit");
    }
    while bytes.get(at) == Some(&b'.') {
        let count = digits(bytes, at + 1);
        if count == 0 {
            return Scan::Wants(at + 1, "a digit");
        }
        at += 1 + count;
    }
    if bytes.get(at).is_some_and(u8::is_ascii_lowercase) {
        at += 1;
    }
    while bytes.get(at) == Some(&b'_') {
        let tail = bytes.get(at + 1..).unwrap_or_default();
        let Some((name, _)) = SUFFIXES.iter().find(|(name, _)| tail.starts_with(name.as_bytes())) else {
            return Scan::Wants(at + 1, "alpha, beta, pre, rc or p");
        };
        at += 1 + name.len();
        at += digits(bytes, at);
    }
    if bytes.get(at) == Some(&b'-') {
        if bytes.get(at + 1) != Some(&b'r') {
            return Scan::Wants(at + 1, "`r` and a revision number");
        }
        let count = digits(bytes, at + 2);
        if count == 0 {
            return Scan::Wants(at + 2, "a digit");
        }
        at += 2 + count;
    }
    Scan::Complete(at)
}

pub(crate) fn is_version(text: &str) -> bool {
    matches!(scan(text.as_bytes()), Scan::Complete(length) if length == text.len())
}

/// Divides `name-version` at the hyphen before the version, if it ends in one. The name may be anything.
pub(crate) fn split_version(text: &str) -> Option<(&str, &str)> {
    let last = text.rfind('-')?;
    let is_revision = |tail: &str| {
        tail.strip_prefix('r').is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    };
    let tail = text.get(last + 1..)?;
    let at = if is_revision(tail) { text.get(..last)?.rfind('-')? } else { last };
    let (name, version) = (text.get(..at)?, text.get(at + 1..)?);
    (!name.is_empty() && is_version(version)).then_some((name, version))
}

/// A version taken apart; every field is a slice of it.
struct Parts<'a> {
    base: &'a str,
    numbers: &'a str,
    letter: Option<u8>,
    suffixes: &'a str,
    revision: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        // A hyphen stands before the revision only; letters and `_` are greater than digits and dots.
        let (base, revision) = match text.split_once('-') {
            Some((base, revision)) => (base, revision.strip_prefix('r')),
            None => (text, None),
        };
        let end = base.bytes().position(|byte| byte > b'9').unwrap_or(base.len());
        let (numbers, tail) = base.split_at_checked(end).unwrap_or((base, ""));
        let letter = tail.bytes().next().filter(u8::is_ascii_lowercase);
        let suffixes = tail.get(usize::from(letter.is_some())..).unwrap_or_default();
        Self { base, numbers, letter, suffixes, revision }
    }

    /// PMS 3.3, the numeric components: the first as an integer, the others as integers too unless one begins with a
    /// zero, when both are fractions.
    fn compare_numbers(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (self.numbers.split('.'), other.numbers.split('.'));
        let first = compare_integers(a.next().unwrap_or_default(), b.next().unwrap_or_default());
        if first != Ordering::Equal {
            return first;
        }
        loop {
            let order = match (a.next(), b.next()) {
                (None, None) => return Ordering::Equal,
                (None, Some(_)) => return Ordering::Less,
                (Some(_), None) => return Ordering::Greater,
                (Some(a), Some(b)) if a.starts_with('0') || b.starts_with('0') => {
                    a.trim_end_matches('0').cmp(b.trim_end_matches('0'))
                }
                (Some(a), Some(b)) => compare_integers(a, b),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
    }

    /// PMS 3.3, the suffixes: a version without one stands between `_rc` and `_p`.
    fn compare_suffixes(&self, other: &Self) -> Ordering {
        let (mut a, mut b) = (self.suffixes.split('_').skip(1), other.suffixes.split('_').skip(1));
        loop {
            let order = match (a.next().map(suffix), b.next().map(suffix)) {
                (None, None) => return Ordering::Equal,
                (Some((rank, _)), None) => return if rank < 0 { Ordering::Less } else { Ordering::Greater },
                (None, Some((rank, _))) => return if rank < 0 { Ordering::Greater } else { Ordering::Less },
                (Some((rank_a, number_a)), Some((rank_b, number_b))) => {
                    rank_a.cmp(&rank_b).then_with(|| compare_integers(number_a, number_b))
                }
            };
            if order != Ordering::Equal {
                return order;
            }
        }
    }
}

/// The rank and the number of a suffix; no number counts as 0.
fn suffix(text: &str) -> (i8, &str) {
    let end = text.bytes().position(|byte| byte.is_ascii_digit()).unwrap_or(text.len());
    let (name, number) = text.split_at_checked(end).unwrap_or((text, ""));
    let rank = SUFFIXES.iter().find(|(known, _)| *known == name).map_or(0, |(_, rank)| *rank);
    (rank, number)
}

/// Decimal integers of any length; an empty one is 0.
fn compare_integers(a: &str, b: &str) -> Ordering {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}
