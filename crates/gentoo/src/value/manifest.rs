//! Manifests: made from code, and merged with the existing one.

use rocpkg_render::Listing;
use std::collections::BTreeMap;
use std::fmt;

/// A rendered Manifest merged with the existing one.
#[derive(Clone, Debug)]
pub struct JoinedManifest {
    /// The lines of both Manifests. If both have a line for the same archive, it is the rendered
    /// line.
    pub listing: Listing,
    /// The archives for which the two Manifests state different facts.
    pub disputed: Vec<String>,
    /// Set if the existing file has lines that are no lines of a Manifest, such as notes or a
    /// signature. They are left out of `listing`.
    pub is_strange: bool,
}

/// Merges the lines of a rendered Manifest and of `old`, the text of the existing one. `goes` is
/// called with the kind and the name of an existing line that is not rendered, such as `DIST` and
/// `hip-7.1.1.tar.gz`, and returns true if the line is no longer needed.
pub fn join_manifest(
    rendered: &Listing,
    old: &str,
    goes: impl Fn(&str, &str) -> bool,
) -> JoinedManifest {
    let mut lines = rendered.lines.clone();
    let mut disputed = Vec::new();
    let mut is_strange = false;
    // A carriage return at the end of a line or of the file is not part of the line.
    let old = old.lines().map(|l| l.trim_end_matches('\r'));
    for line in old.filter(|l| !l.trim().is_empty()) {
        let Some(ManifestLine { kind, name, .. }) = ManifestLine::read(line) else {
            is_strange = true;
            continue;
        };
        // A thick Manifest also lists files of the repository. Such lines are kept unchanged.
        let key = if kind == "DIST" { name } else { line };
        match lines.get(key) {
            Some(Some(known)) if disagree(known, line) => disputed.push(key.to_owned()),
            Some(None) => {
                lines.insert(key.to_owned(), Some(line.to_owned()));
            }
            None if !goes(kind, name) => {
                lines.insert(key.to_owned(), Some(line.to_owned()));
            }
            _ => {}
        }
    }
    JoinedManifest {
        listing: Listing {
            lines,
            ..rendered.clone()
        },
        disputed,
        is_strange,
    }
}

/// Returns the `DIST` line of a file of `size` bytes.
pub(crate) fn dist(name: &str, size: u64, blake2b: &str, sha512: &str) -> String {
    format!("DIST {name} {size} BLAKE2B {blake2b} SHA512 {sha512}")
}

/// A thin Manifest made from code: the archives of a package (GLEP 74), sorted by name.
///
/// ```
/// let sum = "0".repeat(128);
/// let manifest = rocpkg_gentoo::Manifest::default().dist("hipThing-1.0.tar.gz", 12, &sum, &sum);
/// assert!(manifest.to_string().starts_with("DIST hipThing-1.0.tar.gz 12 BLAKE2B 000"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    lines: BTreeMap<String, String>,
}

impl Manifest {
    /// Adds an archive of `size` bytes, with its sums in hexadecimal digits.
    #[must_use]
    pub fn dist(mut self, name: &str, size: u64, blake2b: &str, sha512: &str) -> Self {
        let line = dist(name, size, blake2b, sha512);
        self.lines.insert(name.to_owned(), line);
        self
    }
}

impl fmt::Display for Manifest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines
            .values()
            .try_for_each(|line| writeln!(f, "{line}"))
    }
}

/// A line of a package's Manifest (GLEP 74).
#[derive(Clone, Debug)]
pub struct ManifestLine<'a> {
    /// The kind of the file: `DIST`, `AUX`, `EBUILD` or `MISC`.
    pub kind: &'a str,
    /// The name of the file.
    pub name: &'a str,
    /// The `size` in bytes, and the checksums. The keys are in small letters, such as `blake2b`.
    pub facts: BTreeMap<String, String>,
}

impl<'a> ManifestLine<'a> {
    /// Parses a line of a kind, a name, a size, and pairs of a kind of checksum and its value.
    /// Returns `None` for other lines.
    pub fn read(line: &'a str) -> Option<Self> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [
            kind @ ("DIST" | "AUX" | "EBUILD" | "MISC"),
            name,
            size,
            sums @ ..,
        ] = words.as_slice()
        else {
            return None;
        };
        let (pairs, rest) = sums.as_chunks::<2>();
        if size.parse::<u64>().is_err() || pairs.is_empty() || !rest.is_empty() {
            return None;
        }
        let sums = pairs
            .iter()
            .map(|[kind, sum]| (kind.to_lowercase(), sum.to_lowercase()));
        let facts = [("size".to_owned(), (*size).to_owned())]
            .into_iter()
            .chain(sums)
            .collect();
        Some(Self { kind, name, facts })
    }
}

/// Returns true if the lines `a` and `b` state different values for the same fact of a file: its
/// size, or a checksum of the same kind.
fn disagree(a: &str, b: &str) -> bool {
    let facts = |line| {
        ManifestLine::read(line)
            .map(|read| read.facts)
            .unwrap_or_default()
    };
    let (a, b) = (facts(a), facts(b));
    a.iter()
        .any(|(kind, value)| b.get(kind).is_some_and(|other| other != value))
}
