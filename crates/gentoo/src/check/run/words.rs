//! Evaluates words: quotes, braces, and the splitting of values into words.

use super::pattern::{Glob, set};
use super::value::Value;
use super::{Run, Status};
use rocpkg_render::bash::{Piece, Stmt, Word};
use std::rc::Rc;

/// A part of a word on the way to fields.
pub(super) enum Atom {
    /// Text that stays in one field.
    Kept(Value),
    /// The value of an expansion without quotes. Blanks in it end the field.
    Split(Value),
    /// A pattern without quotes, which bash expands to the names of files.
    Glob(&'static str),
    /// The end of a field of `"${NAME[@]}"`.
    Break,
    /// An expansion such as `"${NAME[@]}"` without elements, so that no field is made.
    Nothing,
}

impl Run<'_> {
    /// Returns the value of a word at a place where bash does not split it, such as behind `NAME=`.
    pub(super) fn text(&mut self, word: &Word) -> Value {
        let mut atoms = Vec::new();
        for piece in pieces(word) {
            self.piece(&piece, false, &mut atoms);
        }
        joined(atoms)
    }

    /// Returns the words that bash makes of a word by expanding and splitting.
    pub(super) fn fields(&mut self, word: &Word) -> Vec<Value> {
        let mut out = Vec::new();
        for pieces in unbraced(&pieces(word)) {
            let mut atoms = Vec::new();
            for piece in &pieces {
                self.piece(piece, false, &mut atoms);
            }
            let is_pattern = atoms.iter().any(|atom| matches!(atom, Atom::Glob(_)));
            let is_text = |atom: &Atom| match atom {
                Atom::Kept(value) => value.known().is_some_and(|text| !text.contains('/')),
                Atom::Glob(_) => true,
                _ => false,
            };
            let in_folder = atoms.iter().all(is_text);
            let own = split(atoms);
            if is_pattern && in_folder {
                // Portage sets `failglob`, and there is no file.
                self.last = Status::Failed;
            } else if is_pattern {
                out.push(Value::open(&"the names of files are not known".into()));
                continue;
            }
            out.extend(own);
        }
        out
    }

    /// Returns the value of a word as a pattern; `None` if it is not known.
    pub(super) fn pattern(&mut self, word: &Word) -> Option<Vec<Glob>> {
        let mut out = Vec::new();
        for piece in pieces(word) {
            match &piece {
                Piece::AnyText => out.push(Glob::AnyText),
                Piece::AnyCharacter => out.push(Glob::AnyChar),
                Piece::Bracket(inside) => {
                    let inside = self.text(&Word::from(inside.clone())).known()?;
                    out.push(set(&inside)?);
                }
                Piece::Extglob('@', words) => {
                    let all = words.iter().map(|word| self.pattern(word));
                    out.push(Glob::OneOf(all.collect::<Option<Vec<_>>>()?));
                }
                Piece::Extglob(..) => return None,
                piece => {
                    let mut atoms = Vec::new();
                    self.piece(piece, false, &mut atoms);
                    let is_split = atoms.iter().any(|atom| matches!(atom, Atom::Split(_)));
                    let text = joined(atoms).known()?;
                    // The value of a variable without quotes is a pattern, too.
                    if is_split && text.contains(['[', '\\', '(']) {
                        return None;
                    }
                    out.extend(text.chars().map(|c| match c {
                        '*' if is_split => Glob::AnyText,
                        '?' if is_split => Glob::AnyChar,
                        c => Glob::Char(c),
                    }));
                }
            }
        }
        Some(out)
    }

    fn piece(&mut self, piece: &Piece, is_quoted: bool, out: &mut Vec<Atom>) {
        self.step();
        let open = |reason: &str| Value::open(&reason.into());
        match piece {
            Piece::Bare(text) | Piece::Single(text) => out.push(Atom::Kept(text.as_str().into())),
            Piece::Escaped(c) => out.push(Atom::Kept(c.to_string().into())),
            Piece::Joined => {}
            Piece::Ansi(text) => out.push(Atom::Kept(match unescaped(text) {
                Some(text) => text.into(),
                None => open("an escape in `$'…'` is not evaluated"),
            })),
            Piece::Double(pieces) | Piece::Locale(pieces) => {
                if pieces.is_empty() {
                    out.push(Atom::Kept(Value::default()));
                }
                for piece in pieces {
                    self.piece(piece, true, out);
                }
            }
            Piece::Expansion(expansion) => {
                let (all, is_list) = self.expansion(expansion);
                let wrap = |value| {
                    if is_quoted {
                        Atom::Kept(value)
                    } else {
                        Atom::Split(value)
                    }
                };
                if all.is_empty() && is_list {
                    out.push(Atom::Nothing);
                }
                for (i, value) in all.into_iter().enumerate() {
                    out.extend((i > 0).then_some(Atom::Break));
                    out.push(wrap(value));
                }
            }
            Piece::Substitution(stmts) | Piece::Backticks(stmts) => {
                let (value, _) = self.substitution(stmts);
                out.push(if is_quoted {
                    Atom::Kept(value)
                } else {
                    Atom::Split(value)
                });
            }
            Piece::Arithmetic(arithmetic) => {
                let value = self.arithmetic(arithmetic);
                let number = value.map(|number| number.to_string().into());
                out.push(Atom::Kept(
                    number.unwrap_or_else(|| open("`$((…))` is not evaluated")),
                ));
            }
            Piece::AnyText => out.push(Atom::Glob("*")),
            Piece::AnyCharacter => out.push(Atom::Glob("?")),
            Piece::Bracket(inside) => {
                let inside = self.text(&Word::from(inside.clone()));
                let mut value = Value::from("[");
                value.append(&inside);
                value.push("]");
                out.push(Atom::Kept(value));
            }
            other => {
                let written = Word::from(other.clone());
                let written = written.print(rocpkg_render::bash::Quoting::Whole);
                out.push(Atom::Kept(open(&format!("`{written}` is not evaluated"))));
            }
        }
    }

    /// Returns the output of a command substitution without the line breaks at its end, and its
    /// status.
    pub(super) fn substitution(&mut self, stmts: &[Stmt]) -> (Value, Status) {
        let outer = self.output.replace(Value::default());
        let status = self.subshell(|run| run.all(stmts));
        let mut value = std::mem::replace(&mut self.output, outer).unwrap_or_default();
        if let Some(super::Part::Text(last)) = value.parts.last_mut() {
            last.truncate(last.trim_end_matches('\n').len());
        }
        self.last = status;
        (value, status)
    }
}

/// Returns the pieces of a word that was read.
pub(super) fn pieces(word: &Word) -> Vec<Piece> {
    match word.as_literal() {
        Some(text) if !word.is_written() => vec![Piece::Single(text.to_owned())],
        _ => word.pieces().cloned().collect(),
    }
}

/// Joins the parts of a word that is not split.
fn joined(atoms: Vec<Atom>) -> Value {
    let mut out = Value::default();
    for atom in atoms {
        match atom {
            Atom::Kept(value) | Atom::Split(value) => out.append(&value),
            Atom::Glob(text) => out.push(text),
            Atom::Break => out.push(" "),
            Atom::Nothing => {}
        }
    }
    out
}

/// Splits the parts of a word into fields.
fn split(atoms: Vec<Atom>) -> Vec<Value> {
    let mut out = Vec::new();
    let mut field: Option<Value> = None;
    for atom in atoms {
        match atom {
            Atom::Kept(value) => field.get_or_insert_default().append(&value),
            Atom::Glob(text) => field.get_or_insert_default().push(text),
            Atom::Break => out.extend(field.take()),
            Atom::Nothing => {}
            Atom::Split(value) => {
                for part in value.parts {
                    let super::Part::Text(text) = part else {
                        field.get_or_insert_default().parts.push(part);
                        continue;
                    };
                    for (i, word) in text.split([' ', '\t', '\n']).enumerate() {
                        if i > 0 {
                            out.extend(field.take());
                        }
                        if !word.is_empty() {
                            field.get_or_insert_default().push(word);
                        }
                    }
                }
            }
        }
    }
    out.extend(field);
    out
}

/// The greatest number of words that the braces of one word make.
const MOST_WORDS: usize = 256;

/// Returns the words that bash makes of `a{b,c}` and `{1..3}`.
fn unbraced(all: &[Piece]) -> Vec<Vec<Piece>> {
    let mut out: Vec<Vec<Piece>> = vec![Vec::new()];
    for piece in all {
        let own: Vec<Vec<Piece>> = match piece {
            Piece::Braces(words) => words
                .iter()
                .flat_map(|word| unbraced(&pieces(word)))
                .collect(),
            Piece::Sequence(ends) => match sequence(ends) {
                Some(texts) => texts
                    .into_iter()
                    .map(|text| vec![Piece::Single(text)])
                    .collect(),
                None => vec![vec![piece.clone()]],
            },
            piece => vec![vec![piece.clone()]],
        };
        let head = std::mem::take(&mut out);
        for one in &head {
            let each = own.iter().take(MOST_WORDS);
            out.extend(each.map(|two| [one.as_slice(), two].concat()));
        }
        out.truncate(MOST_WORDS);
    }
    out
}

/// Returns the texts of `{1..9..2}` or `{a..e}`.
fn sequence(ends: &[String]) -> Option<Vec<String>> {
    let step = match ends.get(2) {
        Some(step) => step.parse::<i64>().ok()?.abs().max(1),
        None => 1,
    };
    let (first, last) = (ends.first()?, ends.get(1)?);
    let numbers = first.parse::<i64>().ok().zip(last.parse::<i64>().ok());
    let letter = |text: &str| {
        let mut chars = text.chars();
        let one = chars.next().filter(char::is_ascii_alphabetic)?;
        chars.next().is_none().then_some(i64::from(u32::from(one)))
    };
    let is_number = numbers.is_some();
    let (from, to) = numbers.or_else(|| letter(first).zip(letter(last)))?;
    let width = [first, last]
        .iter()
        .filter(|end| end.trim_start_matches('-').starts_with('0') && end.len() > 1)
        .map(|end| end.len())
        .max()
        .unwrap_or(0);
    let count = usize::try_from((to - from).abs() / step).ok()?;
    let sign = if to < from { -step } else { step };
    let each = (0..=count.min(MOST_WORDS)).map(|i| from + sign * i64::try_from(i).unwrap_or(0));
    let text = |number: i64| {
        if is_number {
            Some(format!("{number:0width$}"))
        } else {
            let code = u32::try_from(number).ok()?;
            char::from_u32(code).map(String::from)
        }
    };
    each.map(text).collect()
}

/// Returns the text of `$'…'`; `None` for an escape that is not evaluated.
fn unescaped(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        out.push(match chars.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            c @ ('\\' | '\'' | '"' | '?') => c,
            _ => return None,
        });
    }
    Some(out)
}

/// Makes a value of several, with blanks between them.
pub(super) fn with_blanks(all: &[Value]) -> Value {
    let mut out = Value::default();
    for (i, value) in all.iter().enumerate() {
        out.push(if i > 0 { " " } else { "" });
        out.append(value);
    }
    out
}

/// Returns an unknown value with the reason.
pub(super) fn open(reason: impl Into<Rc<str>>) -> Value {
    Value::open(&reason.into())
}
