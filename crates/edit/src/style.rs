//! The style of bash words: their quotes, and the form of their variables.

use rocpkg_syntax::words::{Piece, Quote, Word, Words, push};

/// The style of the existing recipe, into which words of a rendering are written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style<'a> {
    /// The quotes of the neighbours; none if a word keeps its own quotes.
    pub(crate) quote: Option<Quote>,
    /// Set if most references in the existing recipe are written as `$name`, and not as `${name}`.
    pub(crate) bare_variables: bool,
    pub(crate) existing: &'a Words,
    /// The variables of the rendering that words are taken from.
    pub(crate) here: &'a Words,
}

impl Style<'_> {
    /// Returns `word`, a word of the rendering `text`, in this style. A word with globs or commands
    /// outside of quotes is returned as it is written.
    pub(crate) fn write(&self, text: &str, word: &Word) -> String {
        let pieces = self.replaced(&word.pieces, 0);
        let is_plain = |p: &Piece| !matches!(p, Piece::Other(_));
        let changed = pieces != word.pieces;
        let Some(quote) = self.quote.filter(|q| *q != Quote::Mixed) else {
            return if changed {
                self.double(&pieces)
            } else {
                text[word.at.clone()].to_owned()
            };
        };
        if !pieces.iter().all(is_plain) && word.quote != Quote::Double {
            return text[word.at.clone()].to_owned();
        }
        let is_text = pieces.iter().all(|p| matches!(p, Piece::Text(_)));
        let is_safe = pieces.iter().all(|p| match p {
            Piece::Text(t) => t
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"_./:@%+=,-".contains(&c)),
            Piece::Variable(_) => word.quote == Quote::Bare,
            Piece::Other(_) => false,
        });
        match quote {
            Quote::Bare if is_safe && !pieces.is_empty() => self.plain(&pieces, true),
            Quote::Bare if !is_text => self.double(&pieces),
            Quote::Single | Quote::Bare if is_text && !self.plain(&pieces, true).contains('\'') => {
                format!("'{}'", self.plain(&pieces, true))
            }
            _ => self.double(&pieces),
        }
    }

    /// Returns a word with quotes around its first variable only: `"${FOLDER}/file"` →
    /// `"${FOLDER}"/file`. Returns none if the word does not begin with a variable and a slash, or
    /// if the rest of it needs quotes.
    pub(crate) fn apart(&self, word: &Word) -> Option<String> {
        let pieces = self.replaced(&word.pieces, 0);
        let (first, rest) = pieces
            .split_first()
            .filter(|(first, _)| matches!(first, Piece::Variable(_)))?;
        let is_safe = |p: &Piece| match p {
            Piece::Text(t) => t
                .bytes()
                .all(|c| c.is_ascii_alphanumeric() || b"_./:@%+=,-".contains(&c)),
            Piece::Variable(_) => true,
            Piece::Other(_) => false,
        };
        let is_file = matches!(rest.first(), Some(Piece::Text(t)) if t.starts_with('/'));
        let apart = || {
            format!(
                "{}{}",
                self.double(std::slice::from_ref(first)),
                self.plain(rest, true)
            )
        };
        (is_file && rest.iter().all(is_safe)).then(apart)
    }

    /// Returns pieces as they are written between double quotes.
    pub(crate) fn inside(&self, pieces: &[Piece]) -> String {
        self.plain(&self.replaced(pieces, 0), false)
    }

    fn double(&self, pieces: &[Piece]) -> String {
        format!("\"{}\"", self.plain(pieces, false))
    }

    /// Returns the text of the pieces. If `verbatim` is not set, text is escaped as in a string in
    /// double quotes.
    fn plain(&self, pieces: &[Piece], verbatim: bool) -> String {
        let mut out = String::new();
        for (i, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Text(t) if verbatim => out.push_str(t),
                Piece::Text(t) => out.extend(t.chars().flat_map(|c| {
                    let escape = matches!(c, '"' | '\\' | '$' | '`').then_some('\\');
                    escape.into_iter().chain([c])
                })),
                Piece::Other(t) => out.push_str(t),
                Piece::Variable(name) => {
                    let glued = match pieces.get(i + 1) {
                        Some(Piece::Text(t)) => t.starts_with(|c: char| {
                            c.is_ascii_alphanumeric() || c == '_' || c == '['
                        }),
                        _ => false,
                    };
                    if self.bare_variables && !glued {
                        out.push_str(&format!("${name}"));
                    } else {
                        out.push_str(&format!("${{{name}}}"));
                    }
                }
            }
        }
        out
    }

    /// Returns the variable that holds the release in the existing recipe, if the recipe has a
    /// version of its own and `name` is the variable of the version: `_rocm` for `pkgver`. Returns
    /// none for any other variable.
    fn stand_in(&self, name: &str) -> Option<&str> {
        self.existing
            .stand_in()
            .filter(|_| name == self.existing.version())
    }

    /// Replaces variables that the existing recipe does not have, or has with another meaning, by
    /// their values in the rendering. `depth` is the number of variables around `pieces`.
    fn replaced(&self, pieces: &[Piece], depth: usize) -> Vec<Piece> {
        let mut out = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Variable(name) if let Some(own) = self.stand_in(name) => {
                    push(&mut out, Piece::Variable(own.to_owned()));
                }
                Piece::Variable(name) if let Some(own) = self.existing.stands_for(name) => {
                    push(&mut out, Piece::Variable(own.to_owned()));
                }
                Piece::Variable(name) if !self.existing.means(name) && depth < 8 => {
                    match self.here.get(name) {
                        Some([Piece::Other(own)]) if *own == format!("${{{name}}}") => {
                            push(&mut out, piece.clone());
                        }
                        Some(known) => {
                            for piece in self.replaced(known, depth + 1) {
                                push(&mut out, piece);
                            }
                        }
                        None => push(&mut out, piece.clone()),
                    }
                }
                _ => push(&mut out, piece.clone()),
            }
        }
        out
    }
}
