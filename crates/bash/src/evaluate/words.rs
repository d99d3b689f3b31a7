//! Evaluates words: quotes, braces, and the splitting of values into words.

use super::pattern::{Glob, of_value, set};
use super::value::{Part, Value, Variable};
use super::{Host, Run, Status};
use crate::stmt::{Item, Stmt};
use crate::word::{Piece, Word};

/// A part of a word on the way to fields.
pub(super) enum Atom {
    /// Text in quotes. It makes a field even if it is empty.
    Quoted(Value),
    /// Text without quotes.
    Plain(Value),
    /// The value of an expansion without quotes. Blanks in it end the field.
    Split(Value),
    /// A pattern without quotes, which bash expands to the names of files.
    Glob(String),
    /// The end of a field of `"${NAME[@]}"`.
    Break,
    /// An expansion such as `"${NAME[@]}"` without elements, so that no field is made.
    Nothing,
}

impl<H: Host> Run<H> {
    /// Returns the value of a word at a place where bash does not split it, such as behind `NAME=`.
    pub fn text(&mut self, word: &Word) -> Value {
        self.at = word.place().or(self.at);
        let mut atoms = Vec::new();
        for piece in pieces(word) {
            self.piece(&piece, false, &mut atoms);
        }
        joined(atoms).placed(word.place().or(self.at))
    }

    /// Returns the words that bash makes of a word by expanding and splitting.
    pub fn fields(&mut self, word: &Word) -> Vec<Value> {
        let at = word.place().or(self.at);
        self.at = at;
        let own = pieces(word);
        let Some(all) = unbraced(&own) else {
            return vec![self.open("the braces are not supported")];
        };
        let mut out = Vec::new();
        for pieces in all {
            let mut atoms = Vec::new();
            for piece in &pieces {
                self.piece(piece, false, &mut atoms);
            }
            // Bash does not split such a word at the blanks of its variables.
            let is_dollar =
                |piece: &Piece| matches!(piece, Piece::Bare(text) if text.contains('$'));
            let is_split = |atom: &Atom| matches!(atom, Atom::Split(_));
            if pieces.iter().any(is_dollar) && atoms.iter().any(is_split) {
                out.push(self.open("a `$` without a name is outside of quotes"));
                continue;
            }
            self.split(atoms, &mut out);
        }
        self.at = at;
        // The elements of `"${NAME[@]}"` keep their places.
        let is_list = matches!(own.as_slice(), [piece] if is_list(piece));
        let placed = |value: Value| {
            let at = if is_list { value.at.or(at) } else { at };
            value.placed(at)
        };
        out.into_iter().map(placed).collect()
    }

    pub(super) fn items(&mut self, items: &[Item]) -> Variable {
        if let Some(item) = items.iter().find(|item| item.index.is_some()) {
            self.at = item.word.place().or(self.at);
            return Variable::Open(self.reason("an element is set by its index"));
        }
        let mut all = Vec::new();
        let outer = self.many.take();
        for item in items.iter().filter(|item| !item.word.is_absent()) {
            all.extend(self.fields(&item.word));
            self.count(all.len() / 64);
        }
        match std::mem::replace(&mut self.many, outer) {
            Some(reason) => Variable::Partly(all, reason),
            None => Variable::Array(all),
        }
    }

    /// Returns an unknown value with the reason.
    pub fn open(&self, reason: &str) -> Value {
        Value::open(&self.reason(reason))
    }

    /// Returns the value of a word as a pattern; `None` if it is not known.
    pub(super) fn pattern(&mut self, word: &Word) -> Option<Vec<Glob>> {
        let mut out = Vec::new();
        for piece in pieces(word) {
            match &piece {
                Piece::AnyText => out.push(Glob::AnyText),
                Piece::AnyCharacter => out.push(Glob::AnyChar),
                Piece::Bracket(inside) => {
                    let is_plain = |piece: &Piece| matches!(piece, Piece::Bare(_));
                    let inside = Word::from(inside.clone());
                    inside.pieces().all(is_plain).then_some(())?;
                    out.push(set(&inside.text()?)?);
                }
                Piece::Extglob('@', words) => {
                    let all = words.iter().map(|word| self.pattern(word));
                    out.push(Glob::OneOf(all.collect::<Option<Vec<_>>>()?));
                }
                Piece::Extglob(..) => return None,
                // Between double quotes, a backslash reaches the pattern.
                Piece::Bare(text) if text.contains('\\') => {
                    let mut chars = text.chars();
                    while let Some(c) = chars.next() {
                        let c = if c == '\\' { chars.next()? } else { c };
                        out.push(Glob::Char(c));
                    }
                }
                piece => {
                    let mut atoms = Vec::new();
                    self.piece(piece, false, &mut atoms);
                    for atom in atoms {
                        match atom {
                            Atom::Quoted(value) | Atom::Plain(value) => {
                                out.extend(value.known()?.chars().map(Glob::Char));
                            }
                            Atom::Split(value) => of_value(&value.known()?, &mut out)?,
                            Atom::Nothing => {}
                            Atom::Glob(_) | Atom::Break => return None,
                        }
                    }
                }
            }
        }
        Some(out)
    }

    /// Adds the parts of a piece of a word. `is_quoted` is true between double quotes.
    pub(super) fn piece(&mut self, piece: &Piece, is_quoted: bool, out: &mut Vec<Atom>) {
        self.step();
        match piece {
            // Bash expands a `~` at these places, too.
            Piece::Bare(text) if !is_quoted && (text.contains(":~") || text.contains("=~")) => {
                out.push(Atom::Plain(self.open("`~` is the user's home folder")));
            }
            Piece::Bare(text) if is_quoted => out.push(Atom::Quoted(text.as_str().into())),
            Piece::Bare(text) => out.push(Atom::Plain(text.as_str().into())),
            Piece::Single(text) => out.push(Atom::Quoted(text.as_str().into())),
            Piece::Escaped(c) => out.push(Atom::Quoted(c.to_string().into())),
            Piece::Joined => {}
            Piece::Ansi(text) => out.push(Atom::Quoted(match unescaped(text) {
                Some(text) => text.into(),
                None => self.open("an escape sequence is not supported"),
            })),
            Piece::Double(pieces) | Piece::Locale(pieces) => self.quoted(pieces, out),
            Piece::Expansion(expansion) => self.expansion(expansion, is_quoted, out),
            Piece::Substitution(stmts) | Piece::Backticks(stmts) => {
                let (value, _) = self.substitution(stmts);
                out.push(of(value, is_quoted));
            }
            Piece::Arithmetic(arithmetic) => {
                let value = self.arithmetic(arithmetic);
                let number = value.map(|number| number.to_string().into());
                let value = number.unwrap_or_else(|| self.open("the value is computed"));
                out.push(Atom::Quoted(value));
            }
            Piece::AnyText => out.push(Atom::Glob("*".to_owned())),
            Piece::AnyCharacter => out.push(Atom::Glob("?".to_owned())),
            Piece::Bracket(inside) => match Word::from(inside.clone()).text() {
                Some(inside) => out.push(Atom::Glob(format!("[{inside}]"))),
                None => out.push(Atom::Plain(self.open("the pattern is not supported"))),
            },
            Piece::Tilde(_) => {
                out.push(Atom::Plain(self.open("`~` is the user's home folder")));
            }
            Piece::Braces(_) | Piece::Sequence(_) => {
                let written = piece.to_string();
                out.push(Atom::Plain(written.into()));
            }
            other => {
                let reason = format!("`{other}` is not evaluated");
                out.push(Atom::Plain(self.open(&reason)));
            }
        }
    }

    /// Adds the parts of `"…"`.
    fn quoted(&mut self, pieces: &[Piece], out: &mut Vec<Atom>) {
        let mut inner = Vec::new();
        for piece in pieces {
            self.piece(piece, true, &mut inner);
        }
        let is_nothing = |atom: &Atom| matches!(atom, Atom::Nothing);
        if inner.iter().any(is_nothing) && pieces.len() > 1 {
            inner = vec![Atom::Quoted(
                self.open("an empty array is beside other text"),
            )];
        }
        if inner.is_empty() {
            inner.push(Atom::Quoted(Value::default()));
        }
        out.extend(inner);
    }

    /// Returns the output of a command substitution without the line breaks at its end, and its
    /// status.
    pub(super) fn substitution(&mut self, stmts: &[Stmt]) -> (Value, Status) {
        let outer = self.output.replace(Value::default());
        let status = self.subshell(|run| run.all(stmts));
        let mut value = std::mem::replace(&mut self.output, outer).unwrap_or_default();
        if let Some(Part::Text(last)) = value.parts.last_mut() {
            last.truncate(last.trim_end_matches('\n').len());
        }
        self.last = status;
        (value, status)
    }

    /// Splits the parts of a word into fields.
    fn split(&mut self, atoms: Vec<Atom>, out: &mut Vec<Value>) {
        let mut field: Option<Value> = None;
        // Set if the field has a pattern: one of the script, or one of a value.
        let (mut is_written, mut is_value) = (false, false);
        for atom in atoms {
            match atom {
                Atom::Quoted(value) => field.get_or_insert_default().append(&value),
                Atom::Plain(value) => {
                    if !value.parts.is_empty() {
                        field.get_or_insert_default().append(&value);
                    }
                }
                Atom::Glob(text) => {
                    is_written = true;
                    field.get_or_insert_default().push(&text);
                }
                Atom::Break => {
                    self.field(&mut field, &mut is_written, &mut is_value, out);
                }
                Atom::Nothing => {}
                Atom::Split(value) => {
                    let at = value.at;
                    for part in value.parts {
                        let text = match part {
                            Part::Text(text) => text,
                            open @ Part::Open { .. } => {
                                if let Part::Open {
                                    reason,
                                    variable: None,
                                    ..
                                } = &open
                                {
                                    self.many.get_or_insert_with(|| reason.clone());
                                }
                                field.get_or_insert_default().parts.push(open);
                                continue;
                            }
                        };
                        for (i, word) in text.split([' ', '\t', '\n']).enumerate() {
                            if i > 0 {
                                self.field(&mut field, &mut is_written, &mut is_value, out);
                            }
                            if !word.is_empty() {
                                let is_class = word.contains('[') && word.contains(']');
                                is_value |= word.contains(['*', '?']) || is_class;
                                let field = field.get_or_insert_default();
                                field.push(word);
                                field.at = field.at.or(at);
                            }
                        }
                    }
                }
            }
        }
        self.field(&mut field, &mut is_written, &mut is_value, out);
    }

    fn field(
        &mut self,
        field: &mut Option<Value>,
        is_written: &mut bool,
        is_value: &mut bool,
        out: &mut Vec<Value>,
    ) {
        let is_pattern = *is_written || *is_value;
        let own = field.take();
        out.extend(match own {
            Some(value) if is_pattern => Some(H::file_names(self, value, *is_written)),
            own => own,
        });
        (*is_written, *is_value) = (false, false);
    }
}

/// Makes the part of a word for the value of an expansion.
pub(super) fn of(value: Value, is_quoted: bool) -> Atom {
    if is_quoted {
        Atom::Quoted(value)
    } else {
        Atom::Split(value)
    }
}

/// Returns true for `"${NAME[@]}"` and `${NAME[@]}`.
fn is_list(piece: &Piece) -> bool {
    match piece {
        Piece::Double(pieces) => matches!(pieces.as_slice(), [piece] if is_list(piece)),
        Piece::Expansion(expansion) => {
            let index = expansion.index.as_ref().and_then(Word::text);
            matches!(index.as_deref(), Some("@" | "*"))
        }
        _ => false,
    }
}

/// Returns the pieces of a word that was read.
pub(super) fn pieces(word: &Word) -> Vec<Piece> {
    match word.as_literal() {
        Some(text) if !word.is_written() => vec![Piece::Bare(text.to_owned())],
        _ => word.pieces().cloned().collect(),
    }
}

/// Joins the parts of a word that is not split.
pub(super) fn joined(atoms: Vec<Atom>) -> Value {
    let mut out = Value::default();
    for atom in atoms {
        match atom {
            Atom::Quoted(value) | Atom::Plain(value) | Atom::Split(value) => out.append(&value),
            Atom::Glob(text) => out.push(&text),
            Atom::Break => out.push(" "),
            Atom::Nothing => {}
        }
    }
    out
}

/// The greatest number of words that the braces of one word make.
const MOST_WORDS: usize = 4096;

/// Returns the words that bash makes of `a{b,c}` and `{1..3}`; `None` if there are too many. Bash
/// expands braces first, so `$a{b,c}` has the variables `ab` and `ac`: `None`, too.
fn unbraced(all: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    let mut out: Vec<Vec<Piece>> = vec![Vec::new()];
    let is_brace = |piece: &Piece| matches!(piece, Piece::Braces(_) | Piece::Sequence(_));
    let goes_on = |all: &Vec<Piece>| match all.last() {
        Some(Piece::Expansion(expansion)) => !expansion.braces,
        Some(Piece::Bare(text)) => text.ends_with('$'),
        _ => false,
    };
    let mut was_brace = false;
    for piece in all {
        if (was_brace || is_brace(piece)) && out.iter().any(goes_on) {
            return None;
        }
        was_brace = is_brace(piece);
        let own: Vec<Vec<Piece>> = match piece {
            Piece::Braces(words) => {
                let mut own = Vec::new();
                for word in words {
                    own.extend(unbraced(&pieces(word))?);
                }
                own
            }
            Piece::Sequence(ends) => {
                let texts = sequence(ends)?.into_iter();
                texts.map(|text| vec![Piece::Single(text)]).collect()
            }
            piece => vec![vec![piece.clone()]],
        };
        (out.len().saturating_mul(own.len()) <= MOST_WORDS).then_some(())?;
        let both = out.iter().flat_map(|one| {
            let own = own.iter();
            own.map(|two| [one.as_slice(), two].concat())
        });
        out = both.collect();
    }
    Some(out)
}

/// Returns the texts of `{1..9..2}` or `{a..e}`.
fn sequence(ends: &[String]) -> Option<Vec<String>> {
    let step = match ends.get(2) {
        Some(step) => step.parse::<i64>().ok()?.abs().max(1),
        None => 1,
    };
    let (first, last) = (ends.first()?, ends.get(1)?);
    let is_short = |end: &&String| end.len() <= 9;
    [first, last].iter().all(is_short).then_some(())?;
    let numbers = first.parse::<i64>().ok().zip(last.parse::<i64>().ok());
    let letter = |text: &str| {
        let mut chars = text.chars();
        let one = chars.next().filter(char::is_ascii_alphabetic)?;
        chars.next().is_none().then_some(i64::from(u32::from(one)))
    };
    let is_number = numbers.is_some();
    let (from, to) = numbers.or_else(|| letter(first).zip(letter(last)))?;
    let padded = |end: &&&String| {
        let digits = end.trim_start_matches('-');
        digits.starts_with('0') && digits.len() > 1
    };
    let ends = [first, last];
    let width = match ends.iter().find(padded) {
        Some(_) => ends.iter().map(|end| end.len()).max().unwrap_or(0),
        None => 0,
    };
    let count = usize::try_from((to - from).abs() / step).ok()?;
    (count < MOST_WORDS).then_some(())?;
    let sign = if to < from { -step } else { step };
    let each = (0..=count).map(|i| from + sign * i64::try_from(i).unwrap_or(0));
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
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1b}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            c @ ('\\' | '\'' | '"' | '?') => c,
            'x' => {
                let digits: String = chars.by_ref().take(2).collect();
                let code = u8::from_str_radix(&digits, 16).ok()?;
                (digits.len() == 2 && (1..0x80).contains(&code)).then_some(code as char)?
            }
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
