//! Words of bash: literals and expansions, quoted when printed.

use super::stmt::Stmt;
use std::fmt;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Literal(String),
    /// A literal that is quoted even if bash needs no quotes, because another program replaces text
    /// in it before bash reads it.
    Quoted(String),
    /// A placeholder of another language, such as Nix. That language replaces it by a part of one
    /// word before bash reads it.
    Foreign(String),
    /// The text inside `${…}`: a name, possibly with an operation.
    Variable(String),
    /// A variable whose value contains no blanks, such as a path that the distribution sets. With
    /// [`Quoting::Least`], the variable needs no quotes.
    Path(String),
    /// `$(…)`, with the words of the command.
    Command(Vec<Word>),
    /// A pattern that bash expands to file names. It is never quoted.
    Pattern(String),
    /// A variable that is split into words. It is never quoted.
    Split(String),
    /// `$(…)` whose output is split into words. It is never quoted.
    SplitCommand(Vec<Word>),
    /// A piece that is printed as it was written, quotes included.
    Written(Piece),
}

/// A word of bash. Literals are quoted when printed, and a `$` in them is a dollar sign. Expansions
/// are made by functions of their own, such as [`Word::var`].
///
/// | what bash has to read | the word |
/// | --- | --- |
/// | a text, whatever is in it: `it's $5` | `Word::lit("it's $5")` |
/// | the same in quotes even where it needs none | `Word::quoted("1.0")` |
/// | `"${P}.tar.gz"` | `Word::var("P").literal(".tar.gz")` |
/// | `-DX="$(usex x)"` | `Word::lit("-DX=").then(Word::cmd(vec!["usex".into(), "x".into()]))` |
/// | `"${PATCHES[@]}"` | `Word::var("PATCHES[@]")` |
/// | `*.txt`, `python3_{12..14}` | `Word::pattern("*.txt")` |
/// | `${CFLAGS}`, split into words | `Word::split("CFLAGS")` |
/// | any other word | [`Script::read`](super::Script::read) of a text, or [`Piece`]s |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub(super) parts: Vec<Part>,
    /// The place of a word that was read.
    pub(super) at: Place,
}

/// The bytes of a word in the text that it was read from; none for a word that code made. All
/// places are equal, so words are equal if they have the same parts.
#[derive(Clone, Copy, Default)]
pub struct Place(Option<(usize, usize)>);

impl Place {
    /// Makes the place of the bytes `at`.
    pub fn new(at: Range<usize>) -> Self {
        Self(Some((at.start, at.end)))
    }

    /// Returns the bytes; `None` for the place of a word that code made.
    pub fn range(self) -> Option<Range<usize>> {
        self.0.map(|(start, end)| start..end)
    }

    /// Returns this place, or `other` if this one is none.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0.or(other.0))
    }
}

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Place {}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some((start, end)) => write!(f, "{start}..{end}"),
            None => f.write_str("-"),
        }
    }
}

/// A piece of a word with its quotes, as a recipe writes it.
///
/// [`Word::from`] makes a word of pieces. [`read`](super::read) makes the words of a recipe of
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// Text without a special meaning in bash: `usr/share`.
    Bare(String),
    /// A character after a backslash: `\$`.
    Escaped(char),
    /// A backslash at the end of a line, between double quotes or in a here-document. Bash joins
    /// the line with the next one.
    Joined,
    /// `'…'`.
    Single(String),
    /// `$'…'`, with the escapes as written.
    Ansi(String),
    /// `"…"`.
    Double(Vec<Piece>),
    /// `$"…"`, which bash translates.
    Locale(Vec<Piece>),
    /// `$x`, `${x}` or `${x…}`.
    Expansion(Box<Expansion>),
    /// `$(…)`. If the first statement is [`Stmt::Blank`], each statement is printed on a line of
    /// its own.
    Substitution(Vec<Stmt>),
    /// `` `…` ``.
    Backticks(Vec<Stmt>),
    /// `<(…)`.
    ProcessInput(Vec<Stmt>),
    /// `>(…)`.
    ProcessOutput(Vec<Stmt>),
    /// `$((…))`.
    Arithmetic(Arithmetic),
    /// The pattern `*`.
    AnyText,
    /// The pattern `?`.
    AnyCharacter,
    /// The pattern `[…]`, with the text between the brackets.
    Bracket(Vec<Piece>),
    /// A pattern such as `@(a|b)` or `!(x)`, with its sign.
    Extglob(char, Vec<Word>),
    /// `{a,b}`.
    Braces(Vec<Word>),
    /// `{1..9}` or `{a..z..2}`.
    Sequence(Vec<String>),
    /// `~` or `~user`.
    Tilde(String),
}

/// An expansion of a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// The name, or a special parameter such as `@`, `#` or `1`.
    pub name: String,
    /// The subscript: `@` of `${x[@]}`.
    pub index: Option<Word>,
    /// The sign before the name in braces: `#` of `${#x}`, `!` of `${!x}`.
    pub prefix: Prefix,
    /// The operation on the value.
    pub operation: Operation,
    /// Set for `${x}`, and not for `$x`.
    pub braces: bool,
}

/// The sign before the name in `${…}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefix {
    /// No sign.
    #[default]
    None,
    /// `${#x}`: the length of the value.
    Length,
    /// `${!x}`: the value of the variable that `x` names.
    Indirect,
}

/// An operation of an expansion on the value of a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// No operation.
    #[default]
    None,
    /// `${x:-word}`, `${x=word}`, `${x:+word}`, `${x?word}`, with the sign.
    Value(&'static str, Word),
    /// `${x#pattern}`, `${x##pattern}`, `${x%pattern}`, `${x%%pattern}`.
    Strip(&'static str, Word),
    /// `${x/pattern/word}`, `${x//pattern/word}`. Without the second `/`, the match is removed.
    Replace(&'static str, Word, Option<Word>),
    /// `${x^pattern}`, `${x^^}`, `${x,}`, `${x,,}`.
    Case(&'static str, Word),
    /// `${x:offset:length}`.
    Slice(Arithmetic, Option<Arithmetic>),
    /// `${x@Q}`.
    Transform(char),
    /// `${!x@}` or `${!x*}`: the names of all variables that begin with `x`.
    Names(char),
}

/// An arithmetic expression, as a list of tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// The tokens, blanks included.
    pub tokens: Vec<Token>,
}

/// A token of an arithmetic expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Token {
    /// Blanks and line breaks.
    Blank(String),
    /// A number: `12`, `0x1f`, `16#ff`.
    Number(String),
    /// The name of a variable.
    Name(String),
    /// An operator or a bracket.
    Operator(&'static str),
    /// An expansion, a substitution or a quoted text.
    Piece(Piece),
}

/// The style in which words are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// Quotes around the whole word: `"-DNAME=${x}"`.
    Whole,
    /// Quotes around the part after the first `=` of an option or assignment: `-DNAME="${x}"`.
    AfterEquals,
    /// Quotes around the whole word, and braces around a name only if they are needed:
    /// `"$x/${y}z"`.
    Short,
    /// No more quotes than bash needs, and single quotes around text in which bash expands nothing:
    /// `"$x"/y 'z$'`.
    Least,
}

impl Quoting {
    /// Returns the style for the value of an assignment: [`Quoting::AfterEquals`] becomes
    /// [`Quoting::Whole`], and other styles stay.
    #[must_use]
    pub fn of_value(self) -> Self {
        if self == Self::AfterEquals {
            Self::Whole
        } else {
            self
        }
    }
}

impl Word {
    /// Makes a word of literal text, in which `$` is a dollar sign. For variables see
    /// [`Word::var`], for commands [`Word::cmd`].
    pub fn lit(text: impl Into<String>) -> Self {
        Self::default().literal(text)
    }

    /// Makes a word of literal text that is always printed in quotes.
    pub fn quoted(text: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Quoted(text.into())],
            at: Place::default(),
        }
    }

    /// Makes a word of literal text that is printed between single quotes, even if bash needs none.
    /// A text that single quotes can't hold is quoted like any other literal.
    pub fn single_quoted(text: &str) -> Self {
        let plain = !text.contains(|c: char| c == '\'' || c.is_control());
        if plain {
            Self::pattern(format!("'{text}'"))
        } else {
            Self::lit(text)
        }
    }

    /// Makes a word that is a placeholder, such as `${…}` of Nix, that another language replaces by
    /// a part of a word before bash reads it. It needs no quotes, and can be inside any quotes.
    pub fn foreign(text: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Foreign(text.into())],
            at: Place::default(),
        }
    }

    /// Makes a word that is one variable, whose value contains no blanks. With [`Quoting::Least`],
    /// the variable needs no quotes.
    pub fn path(name: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Path(name.into())],
            at: Place::default(),
        }
    }

    /// Makes a word that is one variable, `${name}`. The name can also be the number of an
    /// argument, or `@` for all arguments.
    pub fn var(name: impl Into<String>) -> Self {
        Self::default().variable(name)
    }

    /// Makes a word that is one command substitution, `$(words)`.
    pub fn cmd(words: Vec<Word>) -> Self {
        Self {
            parts: vec![Part::Command(words)],
            at: Place::default(),
        }
    }

    /// Makes a word that is printed as it is, without quotes: a pattern that bash expands, such as
    /// `*.txt`.
    pub fn pattern(text: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Pattern(text.into())],
            at: Place::default(),
        }
    }

    /// Makes a variable that is printed without quotes, so that bash splits its value into words.
    pub fn split(name: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Split(name.into())],
            at: Place::default(),
        }
    }

    /// Makes a command substitution that is printed without quotes, so that bash splits its output
    /// into words. An example is a compiler that is called through another program.
    pub fn split_command(words: Vec<Word>) -> Self {
        Self {
            parts: vec![Part::SplitCommand(words)],
            at: Place::default(),
        }
    }

    /// Adds literal text to the end of the word.
    #[must_use]
    pub fn literal(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        if let Some(Part::Literal(last)) = self.parts.last_mut() {
            last.push_str(&text);
        } else {
            // Most words have one part, and a vector that grows begins with room for four.
            self.parts.reserve_exact(1);
            self.parts.push(Part::Literal(text));
        }
        self
    }

    /// Adds a variable to the end of the word. `name` is the text inside `${…}`.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>) -> Self {
        self.parts.push(Part::Variable(name.into()));
        self
    }

    /// Adds all parts of another word to the end of the word.
    #[must_use]
    pub fn then(mut self, other: Word) -> Self {
        for part in other.parts {
            match part {
                Part::Literal(t) => self = self.literal(t),
                p => self.parts.push(p),
            }
        }
        self
    }

    /// Returns the place of the word in the text that it was read from.
    pub fn place(&self) -> Place {
        self.at
    }

    #[must_use]
    pub(super) fn placed(mut self, at: Range<usize>) -> Self {
        self.at = Place::new(at);
        self
    }

    /// Returns the text of a word that is one literal, with or without quotes. Returns none for any
    /// other word.
    pub fn as_literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [part] => part.as_literal(),
            _ => None,
        }
    }

    /// Returns the literal that the word begins with; none if it begins with something else.
    pub fn first_literal(&self) -> Option<&str> {
        self.parts.first().and_then(Part::as_literal)
    }

    /// Returns the pieces of a word that was read. Parts that code made, by [`Word::lit`] and the
    /// like, are left out.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.parts.iter().filter_map(|part| match part {
            Part::Written(piece) => Some(piece),
            _ => None,
        })
    }

    /// Returns true if the whole word was read from a text, so that [`Word::pieces`] returns all of
    /// it. Returns true for a word without parts.
    pub fn is_written(&self) -> bool {
        self.parts
            .iter()
            .all(|part| matches!(part, Part::Written(_)))
    }

    /// Returns the text of the word after bash removed the quotes, or `None` if a part of the word
    /// is expanded.
    pub fn text(&self) -> Option<String> {
        self.parts.iter().map(Part::text).collect()
    }

    /// Returns true if the word has no parts, so that bash reads no word at all.
    pub fn is_absent(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the names of the variables that the word expands, without operations: `${x%.*}` →
    /// `x`.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let made = self.expansions().map(|inside| {
            let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            &inside[..end.unwrap_or(inside.len())]
        });
        let mut read = Vec::new();
        for piece in self.pieces() {
            piece.each_expansion(&mut |expansion| read.push(expansion.name.as_str()));
        }
        made.chain(read)
    }

    /// Returns the text between the braces of each expansion that code made.
    pub fn expansions(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|p| match p {
            Part::Variable(name) | Part::Path(name) | Part::Split(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Returns the words of each command substitution that code made.
    pub fn commands(&self) -> impl Iterator<Item = &[Word]> {
        self.parts.iter().flat_map(|p| match p {
            Part::Command(words) | Part::SplitCommand(words) => vec![words.as_slice()],
            _ => Vec::new(),
        })
    }

    /// Changes `-DNAME=value` to `-D NAME=value`, which CMake reads alike. Only a word whose
    /// beginning was made by [`Word::pattern`] is changed.
    pub fn part_definition(&mut self) {
        if let Some(Part::Pattern(head)) = self.parts.first_mut()
            && let Some(name) = head
                .strip_prefix("-D")
                .filter(|name| !name.starts_with(' '))
        {
            *head = format!("-D {name}");
        }
    }

    /// Returns the words of the command, if the word is a single command substitution that code
    /// made.
    pub fn as_command(&self) -> Option<&[Word]> {
        if let [Part::Command(words)] = self.parts.as_slice() {
            Some(words)
        } else {
            None
        }
    }

    /// Returns the part of the word behind the first `${variable}`. Returns `None` if the word has
    /// no such expansion.
    pub fn behind(&self, variable: &str) -> Option<Word> {
        let at = self
            .parts
            .iter()
            .position(|p| matches!(p, Part::Variable(n) if n == variable))?;
        Some(Self {
            parts: self.parts[at + 1..].to_vec(),
            at: Place::default(),
        })
    }

    /// Returns the text of a word that code made, with the result of `value` in place of each
    /// variable. Returns `None` if `value` returns none, or if the word has a part that is neither
    /// a literal nor a variable, such as a command.
    pub fn text_with(&self, value: impl Fn(&str) -> Option<String>) -> Option<String> {
        self.parts
            .iter()
            .map(|p| match p {
                Part::Literal(text) | Part::Quoted(text) => Some(text.clone()),
                Part::Variable(name) => value(name),
                _ => None,
            })
            .collect()
    }

    /// Returns true if code made the whole word of literals.
    pub(super) fn is_literal(&self) -> bool {
        let is_literal = |part: &Part| matches!(part, Part::Literal(_) | Part::Quoted(_));
        self.parts.iter().all(is_literal)
    }

    /// Returns the literal parts of the word.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(Part::as_literal)
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
        Self::lit(text)
    }
}

impl From<&String> for Word {
    fn from(text: &String) -> Self {
        Self::lit(text)
    }
}

impl From<String> for Word {
    fn from(text: String) -> Self {
        Self::lit(text)
    }
}

impl From<Piece> for Word {
    fn from(piece: Piece) -> Self {
        Self {
            parts: vec![Part::Written(piece)],
            at: Place::default(),
        }
    }
}

/// Makes one word of the pieces.
impl From<Vec<Piece>> for Word {
    fn from(pieces: Vec<Piece>) -> Self {
        Self {
            parts: pieces.into_iter().map(Part::Written).collect(),
            at: Place::default(),
        }
    }
}

impl Part {
    fn as_literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) | Self::Quoted(text) => Some(text),
            Self::Written(piece) => piece.as_literal(),
            _ => None,
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Self::Written(piece) => piece.text(),
            part => part.as_literal().map(str::to_owned),
        }
    }
}

impl Piece {
    /// Returns the text of a piece that is one literal, with or without quotes. Returns none for
    /// any other piece.
    pub fn as_literal(&self) -> Option<&str> {
        match self {
            Self::Bare(text) | Self::Single(text) => Some(text),
            Self::Double(pieces) => match pieces.as_slice() {
                [] => Some(""),
                [Self::Bare(text)] => Some(text),
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the text of the piece after bash removed the quotes, or `None` if a part of the
    /// piece is expanded.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Bare(text) | Self::Single(text) => Some(text.clone()),
            Self::Escaped(c) => Some(c.to_string()),
            Self::Joined => Some(String::new()),
            Self::Double(pieces) => pieces.iter().map(Self::text).collect(),
            _ => None,
        }
    }

    /// Calls `see` for each expansion of the piece, those inside quotes included.
    pub fn each_expansion<'a>(&'a self, see: &mut dyn FnMut(&'a Expansion)) {
        match self {
            Self::Expansion(expansion) => see(expansion),
            Self::Double(pieces) | Self::Locale(pieces) | Self::Bracket(pieces) => {
                for piece in pieces {
                    piece.each_expansion(see);
                }
            }
            Self::Arithmetic(arithmetic) => {
                for token in &arithmetic.tokens {
                    if let Token::Piece(piece) = token {
                        piece.each_expansion(see);
                    }
                }
            }
            Self::Extglob(_, words) | Self::Braces(words) => {
                let pieces = words.iter().flat_map(Word::pieces);
                pieces.for_each(|piece| piece.each_expansion(see));
            }
            _ => {}
        }
    }
}
