//! Words of bash: literals and expansions, quoted when printed.

use super::stmt::Stmt;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Literal(String),
    /// A literal that stands in quotes even where bash needs none: something else is put in its
    /// place before bash reads it.
    Quoted(String),
    /// What another language puts one part of a word in place of, before bash reads it.
    Foreign(String),
    /// What stands inside `${…}`: a name, possibly with an expansion.
    Variable(String),
    /// A variable whose value bash splits nowhere, such as a path of the distribution's.
    Path(String),
    /// `$(…)` of these words.
    Command(Vec<Word>),
    /// A pattern that bash expands to file names; never quoted.
    Pattern(String),
    /// A variable that is split into words; never quoted.
    Split(String),
    /// `$(…)` whose answer is split into words; never quoted.
    SplitCommand(Vec<Word>),
    /// A piece that is printed as it was written, quotes included.
    Written(Piece),
}

/// A word of bash. Literals are quoted when printed; expansions can only be built by name.
///
/// | what bash has to read | the word |
/// | --- | --- |
/// | a text, whatever is in it: `it's $5` | `Word::lit("it's $5")` |
/// | the same in quotes even where it needs none | `Word::quoted("1.0")` |
/// | `"${P}.tar.gz"` | `Word::var("P").literal(".tar.gz")` |
/// | `-DX="$(usex x)"` | `Word::lit("-DX=").then(Word::cmd(["usex", "x"].map(Word::lit).to_vec()))` |
/// | `"${PATCHES[@]}"` | `Word::var("PATCHES[@]")` |
/// | `*.txt`, `python3_{12..14}` | `Word::pattern("*.txt")` |
/// | `${CFLAGS}`, split into words | `Word::split("CFLAGS")` |
/// | any other word | [`Script::read`](super::Script::read) of a text, or [`Piece`]s |
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    pub(super) parts: Vec<Part>,
}

/// A piece of a word with its quotes, as a recipe writes it.
///
/// [`Word::from`] makes a word of pieces. [`read`](super::read) makes the words of a recipe of
/// them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// Text that bash takes as it is: `usr/share`.
    Bare(String),
    /// A character behind a backslash: `\$`.
    Escaped(char),
    /// A backslash at the end of a line between double quotes: bash joins the lines.
    Joined,
    /// `'…'`.
    Single(String),
    /// `$'…'`, with the escapes inside as they are written.
    Ansi(String),
    /// `"…"`.
    Double(Vec<Piece>),
    /// `$"…"`, which bash translates.
    Locale(Vec<Piece>),
    /// `$x`, `${x}` or `${x…}`.
    Expansion(Box<Expansion>),
    /// `$(…)`. Behind a first [`Stmt::Blank`], each statement is printed on a line of its own.
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
    /// The pattern `[…]`, with what is between the brackets.
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
    /// The sign before the name.
    pub prefix: Prefix,
    /// The operation on the value.
    pub operation: Operation,
    /// Braces around it: `${x}`, not `$x`.
    pub braces: bool,
}

/// The sign before the name in `${…}`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Prefix {
    /// None.
    #[default]
    None,
    /// `${#x}`: how long the value is.
    Length,
    /// `${!x}`: the variable that the value names.
    Indirect,
}

/// An operation of an expansion on the value of a parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Nothing.
    #[default]
    None,
    /// `${x:-word}`, `${x=word}`, `${x:+word}`, `${x?word}`, with the sign.
    Value(&'static str, Word),
    /// `${x#pattern}`, `${x##pattern}`, `${x%pattern}`, `${x%%pattern}`.
    Strip(&'static str, Word),
    /// `${x/pattern/word}`, `${x//pattern/word}`; without the second `/` the match is removed.
    Replace(&'static str, Word, Option<Word>),
    /// `${x^pattern}`, `${x^^}`, `${x,}`, `${x,,}`.
    Case(&'static str, Word),
    /// `${x:offset:length}`.
    Slice(Arithmetic, Option<Arithmetic>),
    /// `${x@Q}`.
    Transform(char),
    /// `${!x@}` or `${!x*}`: the names that begin with `x`.
    Names(char),
}

/// An arithmetic expression, by its tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arithmetic {
    /// The tokens, blanks included.
    pub tokens: Vec<Token>,
}

/// A token of an arithmetic expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Token {
    /// Blanks and ends of lines.
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

/// How words are quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// The whole word: `"-DNAME=${x}"`.
    Whole,
    /// The part after the first `=` of an option or assignment: `-DNAME="${x}"`.
    AfterEquals,
    /// The whole word, with braces around a name only where they are needed: `"$x/${y}z"`.
    Short,
    /// No more than bash needs, with single quotes where nothing between them is bash's: `"$x"/y
    /// 'z$'`.
    Least,
}

impl Quoting {
    /// The way that a value is quoted, where there is no `=` to look for.
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
    /// A literal: its `$` is a dollar. Variables are [`Word::var`], commands [`Word::cmd`].
    pub fn lit(text: impl Into<String>) -> Self {
        Self::default().literal(text)
    }

    /// A literal in quotes, whatever it holds.
    pub fn quoted(text: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Quoted(text.into())],
        }
    }

    /// A literal between single quotes, even where bash needs none; one that those can't hold is
    /// quoted as any other.
    pub fn single_quoted(text: &str) -> Self {
        let plain = !text.contains(|c: char| c == '\'' || c.is_control());
        if plain {
            Self::pattern(format!("'{text}'"))
        } else {
            Self::lit(text)
        }
    }

    /// What another language puts one part of a word in place of: it needs no quotes, and may stand
    /// between any.
    pub fn foreign(text: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Foreign(text.into())],
        }
    }

    /// A variable whose value bash splits nowhere.
    pub fn path(name: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Path(name.into())],
        }
    }

    /// A variable, `${name}`; an argument by its number, or all of them as `@`.
    pub fn var(name: impl Into<String>) -> Self {
        Self::default().variable(name)
    }

    /// A command substitution, `$(words)`.
    pub fn cmd(words: Vec<Word>) -> Self {
        Self {
            parts: vec![Part::Command(words)],
        }
    }

    /// A pattern that bash expands, such as `*.txt`.
    pub fn pattern(text: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Pattern(text.into())],
        }
    }

    /// A variable whose value is split into words.
    pub fn split(name: impl Into<String>) -> Self {
        Self {
            parts: vec![Part::Split(name.into())],
        }
    }

    /// A command substitution whose answer is split into words, such as a compiler that is called
    /// through another program.
    pub fn split_command(words: Vec<Word>) -> Self {
        Self {
            parts: vec![Part::SplitCommand(words)],
        }
    }

    /// Adds a literal.
    #[must_use]
    pub fn literal(mut self, text: impl Into<String>) -> Self {
        let text = text.into();
        match self.parts.last_mut() {
            Some(Part::Literal(last)) => last.push_str(&text),
            _ => self.parts.push(Part::Literal(text)),
        }
        self
    }

    /// Adds a variable; `name` is what stands inside `${…}`.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>) -> Self {
        self.parts.push(Part::Variable(name.into()));
        self
    }

    /// Adds all parts of another word.
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

    /// The text when the word is a literal.
    pub fn as_literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [part] => part.as_literal(),
            _ => None,
        }
    }

    /// The literal that it begins with.
    pub fn first_literal(&self) -> Option<&str> {
        self.parts.first().and_then(Part::as_literal)
    }

    /// The pieces of a word that was read. A part that code made by [`Word::lit`] and the like is
    /// left out.
    pub fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.parts.iter().filter_map(|part| match part {
            Part::Written(piece) => Some(piece),
            _ => None,
        })
    }

    /// Returns true for a word that was read: [`Word::pieces`] are all of it.
    pub fn is_written(&self) -> bool {
        self.parts
            .iter()
            .all(|part| matches!(part, Part::Written(_)))
    }

    /// The text that bash makes of the word, if nothing in it is expanded.
    pub fn text(&self) -> Option<String> {
        self.parts.iter().map(Part::text).collect()
    }

    /// Returns true for a word without any part, which bash reads as nothing at all.
    pub fn is_absent(&self) -> bool {
        self.parts.is_empty()
    }

    /// The names of the variables that it expands, without what is done to them: `x` of `${x%.*}`.
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

    /// Returns the text between the braces of each of its expansions that code made.
    pub fn expansions(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|p| match p {
            Part::Variable(name) | Part::Path(name) | Part::Split(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The words of the commands that code made it substitute.
    pub fn commands(&self) -> impl Iterator<Item = &[Word]> {
        self.parts.iter().flat_map(|p| match p {
            Part::Command(words) | Part::SplitCommand(words) => vec![words.as_slice()],
            _ => Vec::new(),
        })
    }

    /// Writes `-DNAME=value` as `-D NAME=value`: two words on one line, which CMake reads alike.
    pub fn part_definition(&mut self) {
        if let Some(Part::Pattern(head)) = self.parts.first_mut()
            && let Some(name) = head
                .strip_prefix("-D")
                .filter(|name| !name.starts_with(' '))
        {
            *head = format!("-D {name}");
        }
    }

    /// The words of the command, when the word is one command substitution and nothing else.
    pub fn as_command(&self) -> Option<&[Word]> {
        if let [Part::Command(words)] = self.parts.as_slice() {
            Some(words)
        } else {
            None
        }
    }

    /// What stands behind the first expansion of a variable.
    pub fn behind(&self, variable: &str) -> Option<Word> {
        let at = self
            .parts
            .iter()
            .position(|p| matches!(p, Part::Variable(n) if n == variable))?;
        Some(Self {
            parts: self.parts[at + 1..].to_vec(),
        })
    }

    /// The text of the word when the value of each of its variables is known.
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

    /// The literal pieces of the word.
    pub fn literals(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(Part::as_literal)
    }
}

impl From<&str> for Word {
    fn from(text: &str) -> Self {
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
        }
    }
}

/// The word that these pieces make, one behind the other.
impl From<Vec<Piece>> for Word {
    fn from(pieces: Vec<Piece>) -> Self {
        Self {
            parts: pieces.into_iter().map(Part::Written).collect(),
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
    /// The text of a piece that is one literal.
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

    /// The text that bash makes of the piece, if nothing in it is expanded.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Bare(text) | Self::Single(text) => Some(text.clone()),
            Self::Escaped(c) => Some(c.to_string()),
            Self::Joined => Some(String::new()),
            Self::Double(pieces) => pieces.iter().map(Self::text).collect(),
            _ => None,
        }
    }

    /// Shows each expansion of the piece, those inside of quotes included.
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
