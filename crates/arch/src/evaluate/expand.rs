//! Expansion of words: quotes, variables, and the words into which bash splits a value.

use super::braces::braces;
use super::parameter;
use super::scan;
use super::values::{Stop, Values};
use std::ops::Range;

/// The origin of a character in an expanded word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The character is in quotes.
    Quoted,
    /// The character is written without quotes.
    Plain,
    /// The character is from the value of a variable outside of quotes. Bash splits the word at
    /// blanks of this origin.
    Expanded,
}

/// A part of a word after its variables are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Atom {
    Char(char, Mark),
    /// A sign that the word contains quotes. A word with quotes is kept even if it is empty.
    Quotes,
    /// The end of a word, which is between two elements of an array.
    Break,
}

/// The greatest number of characters of a value. It is limited because `a=$a$a` doubles a text with
/// each line.
const MOST_CHARS: usize = 1 << 16;

/// The deepest nesting of expansions.
const MOST_LEVELS: usize = 32;

/// The state while a word is expanded.
pub(super) struct WordExpansion<'a> {
    text: &'a str,
    at: usize,
    level: usize,
    pub(super) values: &'a Values,
    /// The range of bytes of the whole word in the PKGBUILD.
    place: &'a Range<usize>,
    /// Set after an expansion of an array without elements, such as `"${a[@]}"`.
    pub(super) is_empty_list: bool,
}

/// Returns the value of an assignment that is no array. `written` is the text behind `=`, and
/// `place` is its place in the PKGBUILD. Bash does not split this text into words.
pub(super) fn text(written: &str, place: &Range<usize>, values: &Values) -> Result<String, Stop> {
    let atoms = WordExpansion::new(written, place, values).unquoted()?;
    let mut out = String::new();
    for atom in atoms {
        match atom {
            Atom::Char(c, _) => out.push(c),
            Atom::Break => out.push(' '),
            Atom::Quotes => {}
        }
    }
    Ok(out)
}

/// Returns the words to which bash expands `written`, an element of an array. `place` is its place
/// in the PKGBUILD.
pub(super) fn words(
    written: &str,
    place: &Range<usize>,
    values: &Values,
) -> Result<Vec<String>, Stop> {
    let stop = |reason: &str| Stop {
        at: place.clone(),
        reason: reason.to_owned(),
    };
    if written.starts_with('[') && written.contains("]=") {
        return Err(stop("an element has an explicit index"));
    }
    let all = braces(written).ok_or_else(|| stop("the braces are not supported"))?;
    let mut out = Vec::new();
    for word in all {
        let atoms = WordExpansion::new(&word, place, values).unquoted()?;
        split(&atoms, &mut out).ok_or_else(|| stop("a pattern may match files"))?;
        if out.len() > MOST_CHARS {
            return Err(stop("the value has too many words"));
        }
    }
    Ok(out)
}

/// Splits an expanded word at blanks from variables, and adds the words to `out`. Returns `None`
/// for a word that is a pattern of file names.
fn split(atoms: &[Atom], out: &mut Vec<String>) -> Option<()> {
    let mut word: Vec<(char, Mark)> = Vec::new();
    let mut is_quoted = false;
    let mut end = |word: &mut Vec<(char, Mark)>, is_quoted: &mut bool| {
        let text: String = word.iter().map(|(c, _)| *c).collect();
        let is_active = |sign: char| {
            word.contains(&(sign, Mark::Plain)) || word.contains(&(sign, Mark::Expanded))
        };
        let is_pattern = is_active('*') || is_active('?') || (is_active('[') && is_active(']'));
        // No folder is called `https:`, so an address matches no file and stays unchanged.
        if is_pattern && !text.contains("://") {
            return None;
        }
        if *is_quoted || !word.is_empty() {
            out.push(text);
        }
        word.clear();
        *is_quoted = false;
        Some(())
    };
    for atom in atoms {
        match atom {
            Atom::Char(' ' | '\t' | '\n', Mark::Expanded) | Atom::Break => {
                end(&mut word, &mut is_quoted)?;
            }
            Atom::Char(c, mark) => word.push((*c, *mark)),
            Atom::Quotes => is_quoted = true,
        }
    }
    end(&mut word, &mut is_quoted)
}

impl<'a> WordExpansion<'a> {
    fn new(text: &'a str, place: &'a Range<usize>, values: &'a Values) -> Self {
        Self {
            text,
            at: 0,
            level: 0,
            values,
            place,
            is_empty_list: false,
        }
    }

    /// Returns a reader for a text inside of this word, such as the operand of an operator.
    pub(super) fn inner<'b>(&self, text: &'b str) -> WordExpansion<'b>
    where
        'a: 'b,
    {
        WordExpansion {
            level: self.level + 1,
            ..WordExpansion::new(text, self.place, self.values)
        }
    }

    pub(super) fn stop(&self, reason: impl Into<String>) -> Stop {
        let at = self.place.clone();
        let reason = reason.into();
        Stop { at, reason }
    }

    /// Reads a text that begins outside of quotes to its end.
    pub(super) fn unquoted(mut self) -> Result<Vec<Atom>, Stop> {
        if self.level > MOST_LEVELS {
            return Err(self.stop("too many expansions are nested"));
        }
        let mut out = Vec::new();
        while let Some(c) = self.text[self.at..].chars().next() {
            match c {
                '\'' => {
                    let end = scan::skip(self.text, self.at)
                        .ok_or_else(|| self.stop("a quote is not closed"))?;
                    out.push(Atom::Quotes);
                    push(&self.text[self.at + 1..end - 1], Mark::Quoted, &mut out);
                    self.at = end;
                }
                '"' => self.quotes(&mut out)?,
                '\\' => self.escaped(&mut out)?,
                '$' => self.dollar(false, &mut out)?,
                '`' | '<' | '>' | '(' | ')' => {
                    return Err(self.stop("the value is the output of a command"));
                }
                c => {
                    let home =
                        matches!(out.last(), None | Some(Atom::Char(':' | '=', Mark::Plain)));
                    if c == '~' && home {
                        return Err(self.stop("`~` is the user's home folder"));
                    }
                    out.push(Atom::Char(c, Mark::Plain));
                    self.at += c.len_utf8();
                }
            }
            if out.len() > MOST_CHARS {
                return Err(self.stop("the value is too long"));
            }
        }
        Ok(out)
    }

    /// Reads a text in double quotes to its end, or to the closing quote.
    pub(super) fn double(&mut self, out: &mut Vec<Atom>) -> Result<(), Stop> {
        while let Some(c) = self.text[self.at..].chars().next() {
            match c {
                '"' => {
                    self.at += 1;
                    return Ok(());
                }
                '$' => self.dollar(true, out)?,
                '`' => return Err(self.stop("the value is the output of a command")),
                '\\' if self.text[self.at + 1..].starts_with(['"', '\\', '$', '`', '\n']) => {
                    let next = self.text.as_bytes()[self.at + 1] as char;
                    if next != '\n' {
                        out.push(Atom::Char(next, Mark::Quoted));
                    }
                    self.at += 2;
                }
                c => {
                    out.push(Atom::Char(c, Mark::Quoted));
                    self.at += c.len_utf8();
                }
            }
        }
        Ok(())
    }

    fn quotes(&mut self, out: &mut Vec<Atom>) -> Result<(), Stop> {
        self.at += 1;
        let (start, marker) = (self.at, out.len());
        self.is_empty_list = false;
        out.push(Atom::Quotes);
        self.double(out)?;
        if self.is_empty_list && out.len() == marker + 1 {
            let inside = &self.text[start..self.at - 1];
            if scan::skip(inside, 0) != Some(inside.len()) {
                return Err(self.stop("an empty array is beside other text"));
            }
            out.pop();
        }
        Ok(())
    }

    fn escaped(&mut self, out: &mut Vec<Atom>) -> Result<(), Stop> {
        let next = self.text[self.at + 1..].chars().next();
        let next = next.ok_or_else(|| self.stop("the value ends in a backslash"))?;
        if next != '\n' {
            out.push(Atom::Char(next, Mark::Quoted));
        }
        self.at += 1 + next.len_utf8();
        Ok(())
    }

    /// Reads an expansion, which begins with `$`, and adds its value to `out`. `in_double` is true
    /// in double quotes.
    fn dollar(&mut self, in_double: bool, out: &mut Vec<Atom>) -> Result<(), Stop> {
        let rest = &self.text[self.at + 1..];
        if rest.starts_with('{') {
            let end = scan::braced(self.text, self.at + 2, in_double);
            let end = end.ok_or_else(|| self.stop("a brace is not closed"))?;
            let inside = &self.text[self.at + 2..end - 1];
            self.at = end;
            return parameter::expand(self, inside, in_double, out);
        }
        if rest.starts_with('\'') && !in_double {
            let end =
                scan::skip(self.text, self.at).ok_or_else(|| self.stop("a quote is not closed"))?;
            let inside = &self.text[self.at + 2..end - 1];
            let said =
                ansi(inside).ok_or_else(|| self.stop("an escape sequence is not supported"))?;
            out.push(Atom::Quotes);
            push(&said, Mark::Quoted, out);
            self.at = end;
            return Ok(());
        }
        if let Some(end) = scan::name(rest) {
            self.at += 1 + end;
            return parameter::expand(self, &rest[..end], in_double, out);
        }
        if rest.starts_with("((") || rest.starts_with('[') {
            return Err(self.stop("the value is computed"));
        }
        if rest.starts_with('(') {
            return Err(self.stop("the value is the output of a command"));
        }
        let is_special = |c: char| c.is_ascii_digit() || "@*#?-$!\"'".contains(c);
        if rest.starts_with(is_special) && !(in_double && rest.starts_with(['"', '\''])) {
            return Err(self.stop("the value uses a special variable of bash"));
        }
        if !in_double {
            // Bash does not split such a word at the blanks of its variables.
            return Err(self.stop("a `$` without a name is outside of quotes"));
        }
        out.push(Atom::Char('$', Mark::Quoted));
        self.at += 1;
        Ok(())
    }
}

pub(super) fn push(text: &str, mark: Mark, out: &mut Vec<Atom>) {
    out.extend(text.chars().map(|c| Atom::Char(c, mark)));
}

/// Returns the value of `$'…'` by its inside: `a\tb` has a tab. Returns `None` for an escape that
/// is not supported.
fn ansi(inside: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = inside.chars();
    while let Some(c) = rest.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match rest.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1b}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            c @ ('\\' | '\'' | '"' | '?') => c,
            'x' => {
                let digits: String = rest.clone().take(2).collect();
                let code = u8::from_str_radix(&digits, 16).ok()?;
                rest.nth(1);
                (digits.len() == 2 && (1..0x80).contains(&code)).then_some(code as char)?
            }
            _ => return None,
        });
    }
    Some(out)
}
