//! What people and their tools change in a PKGBUILD again and again: `pkgrel`, and checksums as `updpkgsums` writes them.

use std::ops::Range;

/// What is taken out of a PKGBUILD, and the lines that are left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// `pkgrel`, without quotes.
    pub release: String,
    /// Its bytes in the text.
    pub release_at: Range<usize>,
    /// The kind of the checksums: `sha256`, `sha512` or `b2`; empty where there are none.
    pub kind: String,
    /// The checksums in order, without quotes.
    pub sums: Vec<String>,
    /// The bytes of each in the text, its quotes with it.
    pub sums_at: Vec<Range<usize>>,
    /// Every other line, without blanks at its end.
    pub rest: Vec<String>,
}

impl Edited {
    /// Reads a PKGBUILD as far as these go; all else stays a line.
    pub fn read(text: &str) -> Self {
        let mut out = Self::default();
        let mut end = 0;
        let mut lines = text.split_inclusive('\n').map(|whole| {
            end += whole.len();
            (end - whole.len(), whole.strip_suffix('\n').unwrap_or(whole))
        });
        while let Some((start, line)) = lines.next() {
            if let Some(release) = line.strip_prefix("pkgrel=") {
                out.release_at = start + line.len() - release.len()..start + line.trim_end().len();
                release.trim_end().trim_matches(['\'', '"']).clone_into(&mut out.release);
                continue;
            }
            let Some((kind, first)) = line.split_once("sums=(").filter(|(k, _)| is_kind(k)) else {
                out.rest.push(line.trim_end().to_owned());
                continue;
            };
            kind.clone_into(&mut out.kind);
            let mut line = Some((start + line.len() - first.len(), first));
            while let Some((start, part)) = line {
                let end = part.find(')');
                let mut at = 0;
                for word in part[..end.unwrap_or(part.len())].split_whitespace() {
                    at += part[at..].find(word).unwrap_or_default();
                    out.sums_at.push(start + at..start + at + word.len());
                    at += word.len();
                    out.sums.push(word.trim_matches(['\'', '"']).to_owned());
                }
                line = if end.is_some() { None } else { lines.next() };
            }
        }
        // `updpkgsums` leaves empty lines as they are, but an editor may not.
        while out.rest.last().is_some_and(String::is_empty) {
            out.rest.pop();
        }
        out
    }
}

fn is_kind(word: &str) -> bool {
    matches!(word, "sha256" | "sha512" | "b2")
}
