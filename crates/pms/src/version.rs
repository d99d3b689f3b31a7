//! Versions and their order (PMS 3.2 and 3.3).

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use crate::error::{Quoted, SyntaxError};

/// A package version with its revision, such as `7.2.0_rc1-r2`.
///
/// Versions are compared by the algorithm of PMS 3.3, by which `1` equals `1-r0` and `1.010` equals
/// `1.01`. The text is kept as written, and printed so.
#[derive(Debug, Clone)]
pub struct Version {
    text: Box<str>,
}

impl Version {
    /// Reads a version.
    ///
    /// # Errors
    /// When the text is not a version. The offset of the error is that of the first byte that does
    /// not fit.
    pub fn new(text: &str) -> Result<Self, SyntaxError> {
        check_version(text).map(|()| Self { text: text.into() })
    }

    /// Makes a version of a text that was already checked to be a version.
    pub(crate) fn from_checked(text: &str) -> Self {
        Self { text: text.into() }
    }

    /// Returns the version as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the text without the revision: `1.2-r3` → `1.2`.
    pub fn base(&self) -> &str {
        self.text
            .split_once('-')
            .map_or(&self.text, |(base, _)| base)
    }

    /// Returns the digits after `-r` as written, or `None` if the version has no revision.
    pub fn revision(&self) -> Option<&str> {
        // A version contains a hyphen only before its revision.
        self.text
            .split_once('-')
            .and_then(|(_, revision)| revision.strip_prefix('r'))
    }

    /// Returns true if the dependency `=…*` with the version `self` matches the version `other`.
    ///
    /// Prefixes are compared as text and must end at the border of a component: `1*` covers `1.2`
    /// and `1a`, but not `10`. Leading zeros of the first component don't count.
    pub fn is_prefix_of(&self, other: &Self) -> bool {
        let (prefix, whole) = (without_zeros(&self.text), without_zeros(&other.text));
        let Some(tail) = whole.strip_prefix(prefix) else {
            return false;
        };
        match (prefix.bytes().last(), tail.bytes().next()) {
            (_, None | Some(b'.' | b'_' | b'-')) => true,
            // If no prefix is left without its zeros, it was `0`, which ends in a digit.
            (last, Some(next)) => {
                last.is_none_or(|byte| byte.is_ascii_digit()) != next.is_ascii_digit()
            }
        }
    }
}

/// Removes leading zeros. One zero is kept if no digit follows the zeros.
fn without_zeros(text: &str) -> &str {
    let zeros = text.bytes().take_while(|&byte| byte == b'0').count();
    let digit_follows = text.as_bytes().get(zeros).is_some_and(u8::is_ascii_digit);
    text.get(
        if digit_follows {
            zeros
        } else {
            zeros.saturating_sub(1)
        }..,
    )
    .unwrap_or_default()
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
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
        compare(self.text.as_bytes(), other.text.as_bytes())
    }
}

/// The place where a scan of a version ended.
enum Scan {
    /// The text before this offset is a version. The rest is no part of it.
    Complete(usize),
    /// The text at this offset is not what the syntax requires here. The second field names the
    /// required part, for the error.
    Wants(usize, &'static str),
}

/// Reads a version from the beginning of a text, as far as the text follows PMS 3.2.
fn scan(bytes: &[u8]) -> Scan {
    let mut rest = Rest(bytes);
    let wants = |rest: Rest, what| Scan::Wants(bytes.len() - rest.0.len(), what);
    if rest.digits().is_empty() {
        return wants(rest, "a digit");
    }
    while rest.eat(b'.') {
        if rest.digits().is_empty() {
            return wants(rest, "a digit");
        }
    }
    rest.letter();
    while rest.eat(b'_') {
        if rest.suffix().is_none() {
            return wants(rest, "alpha, beta, pre, rc or p");
        }
        rest.digits();
    }
    if rest.eat(b'-') {
        if !rest.eat(b'r') {
            return wants(rest, "`r` and a revision number");
        }
        if rest.digits().is_empty() {
            return wants(rest, "a digit");
        }
    }
    Scan::Complete(bytes.len() - rest.0.len())
}

fn check_version(text: &str) -> Result<(), SyntaxError> {
    let (at, wanted) = match scan(text.as_bytes()) {
        Scan::Complete(length) if length == text.len() => return Ok(()),
        Scan::Complete(at) => (at, "the end of the version"),
        Scan::Wants(at, wanted) => (at, wanted),
    };
    let len = text
        .get(at..)
        .and_then(|tail| tail.chars().next())
        .map_or(0, char::len_utf8);
    Err(SyntaxError::new(
        at,
        len,
        format_args!("{} is not a version: expected {wanted}", Quoted(text)),
    ))
}

pub(crate) fn is_version(text: &str) -> bool {
    matches!(scan(text.as_bytes()), Scan::Complete(length) if length == text.len())
}

/// Splits `name-version` at the hyphen before the version. Returns `None` if the text does not end
/// in a version. The name is not checked.
pub(crate) fn split_version(text: &str) -> Option<(&str, &str)> {
    let last_hyphen = |text: &str| text.bytes().rposition(|byte| byte == b'-');
    let last = last_hyphen(text)?;
    let is_revision = |tail: &str| {
        tail.strip_prefix('r')
            .is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()))
    };
    let tail = text.get(last + 1..)?;
    let at = if is_revision(tail) {
        last_hyphen(text.get(..last)?)?
    } else {
        last
    };
    let (name, version) = (text.get(..at)?, text.get(at + 1..)?);
    (!name.is_empty() && is_version(version)).then_some((name, version))
}

/// The part of a version that is not yet read.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    /// Skips this byte if it comes next, and returns true if it did.
    fn eat(&mut self, byte: u8) -> bool {
        match self.0.split_first() {
            Some((first, rest)) if *first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    fn digits(&mut self) -> &'a [u8] {
        let text = self.0;
        while let [b'0'..=b'9', rest @ ..] = self.0 {
            self.0 = rest;
        }
        text.get(..text.len() - self.0.len()).unwrap_or_default()
    }

    /// Reads the letter that comes next. Returns 0 if the next byte is not a letter.
    fn letter(&mut self) -> u8 {
        match self.0.split_first() {
            Some((&letter @ b'a'..=b'z', rest)) => {
                self.0 = rest;
                letter
            }
            _ => 0,
        }
    }

    /// Reads the suffix that comes next, such as `rc` after the underscore, without its number.
    /// Returns the suffix's rank in the order of versions, or `None` if no suffix comes next. A
    /// version without a suffix has rank 0, between `_rc` (-1) and `_p` (1).
    fn suffix(&mut self) -> Option<i8> {
        let (rest, rank) = match self.0 {
            [b'a', b'l', b'p', b'h', b'a', rest @ ..] => (rest, -4),
            [b'b', b'e', b't', b'a', rest @ ..] => (rest, -3),
            [b'p', b'r', b'e', rest @ ..] => (rest, -2),
            [b'r', b'c', rest @ ..] => (rest, -1),
            [b'p', rest @ ..] => (rest, 1),
            _ => return None,
        };
        self.0 = rest;
        Some(rank)
    }

    /// Returns the digits of the revision, or no digits if no revision is written.
    fn revision(&self) -> &'a [u8] {
        self.0.strip_prefix(b"-r").unwrap_or_default()
    }
}

/// Compares two versions by PMS 3.3.
fn compare(a: &[u8], b: &[u8]) -> Ordering {
    let (mut a, mut b) = (Rest(a), Rest(b));
    compare_numbers(&mut a, &mut b)
        .then_with(|| a.letter().cmp(&b.letter()))
        .then_with(|| compare_suffixes(&mut a, &mut b))
        // Nothing but the revision can be left.
        .then_with(|| compare_integers(a.revision(), b.revision()))
}

/// Compares the numeric components, such as the 7, 2 and 0 of `7.2.0`. The first is compared as an
/// integer. Of the others, two are compared as integers too, unless one of them begins with a zero:
/// then both are compared as fractions.
fn compare_numbers(a: &mut Rest, b: &mut Rest) -> Ordering {
    let mut order = compare_integers(a.digits(), b.digits());
    while order == Ordering::Equal {
        order = match (a.eat(b'.'), b.eat(b'.')) {
            (true, true) => match (a.digits(), b.digits()) {
                (a @ [b'0', ..], b) | (a, b @ [b'0', ..]) => {
                    without_last_zeros(a).cmp(without_last_zeros(b))
                }
                (a, b) => compare_integers(a, b),
            },
            (false, false) => break,
            (a, b) => a.cmp(&b),
        };
    }
    order
}

/// Compares the suffixes, such as `_rc1`. If one version has no more suffixes, the rank of the
/// other's suffix decides.
fn compare_suffixes(a: &mut Rest, b: &mut Rest) -> Ordering {
    let mut order = Ordering::Equal;
    while order == Ordering::Equal && (a.eat(b'_') | b.eat(b'_')) {
        let (rank_a, rank_b) = (
            a.suffix().unwrap_or_default(),
            b.suffix().unwrap_or_default(),
        );
        order = rank_a
            .cmp(&rank_b)
            .then_with(|| compare_integers(a.digits(), b.digits()));
    }
    order
}

fn without_last_zeros(digits: &[u8]) -> &[u8] {
    let end = digits
        .iter()
        .rposition(|&digit| digit != b'0')
        .map_or(0, |last| last + 1);
    digits.get(..end).unwrap_or_default()
}

/// Compares decimal integers of any length. An empty integer is 0.
fn compare_integers(a: &[u8], b: &[u8]) -> Ordering {
    if let ([a], [b]) = (a, b) {
        return a.cmp(b);
    }
    let significant = |digits: &'_ [u8]| {
        digits
            .iter()
            .position(|&digit| digit != b'0')
            .unwrap_or(digits.len())
    };
    let (a, b) = (
        a.get(significant(a)..).unwrap_or_default(),
        b.get(significant(b)..).unwrap_or_default(),
    );
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}
