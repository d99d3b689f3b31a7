//! Words of bash: literals and expansions, quoted when printed.

use super::name::is_identifier;

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Literal(String),
    /// A literal that stands in quotes even where bash needs none: something else is put in its place before bash reads it.
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
}

/// A word of bash. Literals are quoted when printed; expansions can only be built by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    parts: Vec<Part>,
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
    /// No more than bash needs, with single quotes where nothing between them is bash's: `"$x"/y 'z$'`.
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

    /// A literal between single quotes, even where bash needs none; one that those can't hold is quoted as any other.
    pub fn single_quoted(text: &str) -> Self {
        let plain = !text.contains(|c: char| c == '\'' || c.is_control());
        if plain {
            Self::pattern(format!("'{text}'"))
        } else {
            Self::lit(text)
        }
    }

    /// What another language puts one part of a word in place of: it needs no quotes, and may stand between any.
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

    /// A command substitution whose answer is split into words, such as a compiler that is called through another program.
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
            [Part::Literal(t) | Part::Quoted(t)] => Some(t),
            _ => None,
        }
    }

    /// The literal that it begins with.
    pub fn first_literal(&self) -> Option<&str> {
        match self.parts.first() {
            Some(Part::Literal(t) | Part::Quoted(t)) => Some(t),
            _ => None,
        }
    }

    /// The word as bash text.
    pub fn print(&self, quoting: Quoting) -> String {
        if quoting == Quoting::AfterEquals
            && let Some((head, tail)) = self.split_at_equals()
        {
            return format!("{head}{}", tail.print(Quoting::Whole));
        }
        let mut out = String::new();
        // Parts that must stay unquoted cut the word into runs; each run is quoted by itself.
        for run in self.parts.chunk_by(|a, b| is_quotable(a) && is_quotable(b)) {
            match run {
                [part] if !is_quotable(part) => out.push_str(&print_expansion(part, quoting, None)),
                parts => out.push_str(&print_run(parts, quoting)),
            }
        }
        if out.is_empty() { "\"\"".into() } else { out }
    }

    /// The word's text without quotes around it: literals are shell text already, as in a raw hook.
    pub fn print_bare(&self, quoting: Quoting) -> String {
        joined(&self.parts, quoting, str::to_owned)
    }

    /// The names of the variables that it expands, without what is done to them: `x` of `${x%.*}`.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        self.expansions().map(|inside| {
            let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            &inside[..end.unwrap_or(inside.len())]
        })
    }

    /// What stands between the braces of each of its expansions.
    pub fn expansions(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|p| match p {
            Part::Variable(name) | Part::Path(name) | Part::Split(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// The words of the commands that it substitutes.
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
        self.parts.iter().filter_map(|p| match p {
            Part::Literal(text) | Part::Quoted(text) => Some(text.as_str()),
            _ => None,
        })
    }

    /// `-DNAME=` and the rest, when the word is such an option or an assignment with a part worth quoting.
    fn split_at_equals(&self) -> Option<(String, Word)> {
        let Some(Part::Literal(first)) = self.parts.first() else {
            return None;
        };
        let at = first.find('=')?;
        let (head, rest) = first.split_at(at + 1);
        let fine = head
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_=:+.".contains(&b));
        if !fine || (rest.is_empty() && self.parts.len() == 1) {
            return None;
        }
        let tail = Word {
            parts: self.parts[1..].to_vec(),
        };
        Some((
            head.to_owned(),
            if rest.is_empty() {
                tail
            } else {
                Word::lit(rest).then(tail)
            },
        ))
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

fn is_quotable(part: &Part) -> bool {
    !matches!(
        part,
        Part::Pattern(_) | Part::Split(_) | Part::SplitCommand(_)
    )
}

/// True when bash reads the text as itself wherever a word may stand.
pub fn is_bare(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('#')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_./:=+,@%^".contains(&b))
}

fn print_run(parts: &[Part], quoting: Quoting) -> String {
    if quoting == Quoting::Least {
        return print_least(parts);
    }
    if let [Part::Literal(text)] = parts {
        return print_literal(text);
    }
    format!("\"{}\"", joined(parts, quoting, escape_double))
}

/// Parts behind each other, each literal as a function prints it.
fn joined(parts: &[Part], quoting: Quoting, literal: impl Fn(&str) -> String) -> String {
    let print = |(i, part): (usize, &Part)| match part {
        Part::Literal(text) | Part::Quoted(text) => literal(text),
        expansion => print_expansion(expansion, quoting, parts.get(i + 1)),
    };
    parts.iter().enumerate().map(print).collect()
}

/// The parts with no more quotes than bash needs.
fn print_least(parts: &[Part]) -> String {
    let text = |i: usize, next| print_expansion(&parts[i], Quoting::Least, next);
    let is_bare = |part: &Part| match part {
        Part::Literal(text) => is_bare(text),
        part => !matches!(part, Part::Quoted(_)),
    };
    if parts.iter().all(is_bare) {
        let is_any_text = |part: &Part| matches!(part, Part::Variable(_) | Part::Command(_));
        let (first, last) = (
            parts.iter().position(is_any_text),
            parts.iter().rposition(is_any_text),
        );
        let quoted = |i| {
            let mark = |end: Option<usize>| if end == Some(i) { "\"" } else { "" };
            // Behind the last one, a quote ends the name.
            let next = parts.get(i + 1).filter(|_| last != Some(i));
            [mark(first), &text(i, next), mark(last)].concat()
        };
        return (0..parts.len()).map(quoted).collect();
    }
    let is_bashs = |part: &Part| match part {
        Part::Literal(text) | Part::Quoted(text) => text.contains('\''),
        part => !matches!(part, Part::Foreign(_)),
    };
    let all: String = (0..parts.len()).map(|i| text(i, None)).collect();
    if !parts.iter().any(is_bashs) && !all.is_empty() && !all.starts_with("${") {
        return format!("'{all}'");
    }
    let inside = parts.iter().enumerate().map(|(i, part)| match part {
        Part::Literal(text) | Part::Quoted(text) => escape_double(text),
        _ => text(i, parts.get(i + 1)),
    });
    format!("\"{}\"", inside.collect::<String>())
}

/// `${name}` or `$(words)`, as it stands between quotes and outside of them.
fn print_expansion(part: &Part, quoting: Quoting, next: Option<&Part>) -> String {
    match part {
        Part::Variable(name) | Part::Path(name)
            if matches!(quoting, Quoting::Short | Quoting::Least)
                && needs_no_braces(name, next) =>
        {
            format!("${name}")
        }
        Part::Variable(name) | Part::Path(name) | Part::Split(name) => format!("${{{name}}}"),
        Part::Command(words) | Part::SplitCommand(words) => {
            let words: Vec<String> = words.iter().map(|w| w.print(quoting.of_value())).collect();
            format!("$({})", words.join(" "))
        }
        Part::Literal(text) | Part::Quoted(text) | Part::Foreign(text) | Part::Pattern(text) => {
            text.clone()
        }
    }
}

/// True for a plain name that bash does not read on into what follows.
fn needs_no_braces(name: &str, next: Option<&Part>) -> bool {
    let reads_on = matches!(next, Some(Part::Literal(t) | Part::Quoted(t)) if t.starts_with(|c: char| c.is_ascii_alphanumeric() || "_[".contains(c)));
    is_identifier(name) && !reads_on
}

fn print_literal(text: &str) -> String {
    if is_bare(text) {
        return text.to_owned();
    }
    if text
        .chars()
        .any(|c| c.is_control() && c != '\n' && c != '\t')
    {
        return format!("$'{}'", escape_ansi(text));
    }
    if text.contains(['$', '`', '"', '\\']) && !text.contains('\'') {
        return format!("'{text}'");
    }
    format!("\"{}\"", escape_double(text))
}

/// The text escaped for a place between double quotes.
pub fn escape_double(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '$' | '`' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn escape_ansi(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for b in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("\\x{b:02x}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}
