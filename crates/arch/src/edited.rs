//! What people and their tools change in a PKGBUILD again and again: `pkgrel`, and checksums as `updpkgsums` writes them.

/// What is taken out of a PKGBUILD, and the lines that are left.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// `pkgrel`, without quotes.
    pub release: String,
    /// The kind of the checksums: `sha256`, `sha512` or `b2`; empty where there are none.
    pub kind: String,
    /// The checksums in order, without quotes.
    pub sums: Vec<String>,
    /// Every other line, without blanks at its end.
    pub rest: Vec<String>,
}

impl Edited {
    /// Reads a PKGBUILD as far as these go; all else stays a line.
    pub fn read(text: &str) -> Self {
        let mut out = Self::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if let Some(release) = line.strip_prefix("pkgrel=") {
                release.trim_matches(['\'', '"']).clone_into(&mut out.release);
                continue;
            }
            let Some((kind, first)) = line.split_once("sums=(").filter(|(k, _)| is_kind(k)) else {
                out.rest.push(line.trim_end().to_owned());
                continue;
            };
            kind.clone_into(&mut out.kind);
            let mut line = Some(first);
            while let Some(part) = line {
                let end = part.find(')');
                let words = part[..end.unwrap_or(part.len())].split_whitespace();
                out.sums.extend(words.map(|w| w.trim_matches(['\'', '"']).to_owned()));
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
