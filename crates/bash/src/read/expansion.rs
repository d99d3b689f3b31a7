//! Reads expansions, which begin with a dollar sign.

use super::words::Mode;
use super::{ScriptReader, Typed, Untyped};
use crate::word::{Expansion, Operation, Piece, Prefix, Word};

/// The signs between a name and a word: `${x:-word}`.
const VALUES: &[&str] = &[":-", ":=", ":+", ":?", "-", "=", "+", "?"];
const STRIPS: &[&str] = &["##", "#", "%%", "%"];
const REPLACES: &[&str] = &["//", "/#", "/%", "/"];
const CASES: &[&str] = &["^^", "^", ",,", ",", "~~", "~"];

fn is_special(c: char) -> bool {
    "@*#?$!-_".contains(c) || c.is_ascii_digit()
}

fn name_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
    }
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(text.len())
}

impl ScriptReader<'_> {
    /// Reads the piece that begins with the dollar sign at `at`, and moves `at` behind it. Returns
    /// `None` for a plain dollar sign. `quoted` is true between double quotes.
    pub(super) fn dollar(&self, at: &mut usize, quoted: bool) -> Typed<Option<Piece>> {
        let start = *at;
        let rest = &self.rest(start)[1..];
        if rest.starts_with("((")
            && let Some((arithmetic, end)) = self.dollar_arithmetic(start + 3)
        {
            *at = end;
            return Ok(Some(Piece::Arithmetic(arithmetic)));
        }
        if rest.starts_with('(') {
            let (stmts, end) = self.substituted(start, "command_substitution")?;
            *at = end;
            return Ok(Some(Piece::Substitution(stmts)));
        }
        if rest.starts_with('{') {
            *at += 2;
            let expansion = self.braced(at, quoted)?;
            return Ok(Some(Piece::Expansion(Box::new(expansion))));
        }
        if rest.starts_with('[') {
            return Err(Untyped);
        }
        let Some(first) = rest.chars().next() else {
            return Ok(None);
        };
        let length = if first.is_ascii_alphabetic() || first == '_' {
            name_length(rest)
        } else if is_special(first) {
            1
        } else {
            return Ok(None);
        };
        *at += 1 + length;
        Ok(Some(Piece::Expansion(Box::new(Expansion {
            name: rest[..length].to_owned(),
            ..Expansion::default()
        }))))
    }

    /// Reads `${…}`. `at` is the offset after the opening brace, and is moved behind the closing
    /// one. `quoted` is true between double quotes.
    fn braced(&self, at: &mut usize, quoted: bool) -> Typed<Expansion> {
        let mut prefix = Prefix::None;
        let rest = self.rest(*at);
        if let Some(sign @ ('#' | '!')) = rest.chars().next() {
            let behind = &rest[1..];
            let is_name = behind.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let is_whole =
                behind.starts_with(['@', '*', '#', '?', '!', '$']) && behind[1..].starts_with('}');
            if is_name || (is_whole && sign == '#') {
                prefix = if sign == '#' {
                    Prefix::Length
                } else {
                    Prefix::Indirect
                };
                *at += 1;
            }
        }
        let rest = self.rest(*at);
        let mut length = name_length(rest);
        if length == 0 {
            if !rest.starts_with(is_special) {
                return Err(Untyped);
            }
            length = 1;
        }
        let mut expansion = Expansion {
            name: rest[..length].to_owned(),
            prefix,
            braces: true,
            ..Expansion::default()
        };
        *at += length;
        if self.rest(*at).starts_with('[') {
            *at += 1;
            expansion.index = Some(Word::from(self.pieces(at, Mode::Index)?));
            if !self.rest(*at).starts_with(']') {
                return Err(Untyped);
            }
            *at += 1;
        }
        expansion.operation = self.operation(at, prefix, quoted)?;
        if !self.rest(*at).starts_with('}') {
            return Err(Untyped);
        }
        *at += 1;
        Ok(expansion)
    }

    fn operation(&self, at: &mut usize, prefix: Prefix, quoted: bool) -> Typed<Operation> {
        let rest = self.rest(*at);
        let find = |signs: &[&'static str]| signs.iter().copied().find(|s| rest.starts_with(s));
        let word = |at: &mut usize, quotes: bool| {
            let mode = if quoted {
                Mode::Quoted(quotes)
            } else {
                Mode::Inside
            };
            self.pieces(at, mode).map(Word::from)
        };
        if rest.starts_with('}') {
            return Ok(Operation::None);
        }
        if let Some(sign) = rest.chars().next().filter(|c| "@*".contains(*c)) {
            let letter = rest[1..].chars().next();
            if prefix == Prefix::Indirect && letter == Some('}') {
                *at += 1;
                return Ok(Operation::Names(sign));
            }
            let Some(letter) = letter.filter(char::is_ascii_alphabetic) else {
                return Err(Untyped);
            };
            *at += 2;
            return Ok(Operation::Transform(letter));
        }
        if let Some(sign) = find(VALUES) {
            *at += sign.len();
            return Ok(Operation::Value(sign, word(at, false)?));
        }
        if rest.starts_with(':') {
            *at += 1;
            let (offset, end) = self.arithmetic_until(*at, &[':', '}'])?;
            *at = end;
            let mut length = None;
            if self.rest(*at).starts_with(':') {
                let (tokens, end) = self.arithmetic_until(*at + 1, &['}'])?;
                length = Some(tokens);
                *at = end;
            }
            return Ok(Operation::Slice(offset, length));
        }
        if let Some(sign) = find(STRIPS) {
            *at += sign.len();
            return Ok(Operation::Strip(sign, word(at, true)?));
        }
        if let Some(sign) = find(CASES) {
            *at += sign.len();
            return Ok(Operation::Case(sign, word(at, true)?));
        }
        if let Some(sign) = find(REPLACES) {
            *at += sign.len();
            let mut pieces = super::words::Pieces::default();
            // The first character belongs to the pattern, even if it is a slash.
            if sign == "//" && self.rest(*at).starts_with('/') {
                pieces.text("/");
                *at += 1;
            }
            for piece in self.pieces(at, Mode::Pattern(quoted))? {
                pieces.push(piece);
            }
            let mut with = None;
            if self.rest(*at).starts_with('/') {
                *at += 1;
                with = Some(word(at, true)?);
            }
            return Ok(Operation::Replace(sign, Word::from(pieces.done()), with));
        }
        Err(Untyped)
    }
}
