//! Statements of bash, and how they are laid out.

use super::name::{function, identifier};
use super::raw::raw_lines;
use super::word::{Quoting, Word};

/// The keyword before an assignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// None.
    #[default]
    Plain,
    /// `local`.
    Local,
    /// `export`.
    Export,
}

impl Scope {
    fn keyword(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Local => "local ",
            Self::Export => "export ",
        }
    }
}

/// How the words of a command stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// On one line while it fits, else broken between words.
    #[default]
    Wrap,
    /// So many words on the first line, then one on each.
    PerWord(usize),
}

/// An element of an array, with the comment above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The word.
    pub word: Word,
    /// The comment.
    pub comment: Option<String>,
}

impl From<Word> for Item {
    fn from(word: Word) -> Self {
        Self {
            word,
            comment: None,
        }
    }
}

/// A condition of an `if`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Test {
    /// A command succeeds.
    Command(Vec<Word>),
    /// `[[ … ]]` of these words, printed as they are.
    Brackets(Vec<Word>),
    /// It does not hold.
    Not(Box<Test>),
    /// All hold.
    All(Vec<Test>),
    /// At least one holds.
    Any(Vec<Test>),
}

/// A command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// Variables set for it.
    pub env: Vec<(String, Word)>,
    /// Its words.
    pub words: Vec<Word>,
    /// The file its output goes to.
    pub output: Option<Word>,
    /// Append to that file.
    pub append: bool,
    /// The lines it reads, expanded by nothing.
    pub input: Option<Vec<String>>,
    /// What is done when it fails: `die`, `die "reason"`, `true`.
    pub or: Option<Vec<Word>>,
    /// What it is piped into.
    pub pipe: Option<Box<Command>>,
    /// How its words stand.
    pub layout: Layout,
}

impl Command {
    /// A command of these words.
    pub fn new(words: Vec<Word>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }

    /// Adds `|| die`.
    #[must_use]
    pub fn or_die(mut self) -> Self {
        self.or = Some(vec![Word::lit("die")]);
        self
    }
}

/// A program that runs with these words; without `|| die`, which [`Command::or_die`] adds.
pub fn run(program: &str, words: impl IntoIterator<Item = Word>) -> Stmt {
    Stmt::Command(Command::new(
        std::iter::once(Word::lit(program)).chain(words).collect(),
    ))
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    /// An empty line.
    Blank,
    /// A comment, each line with its `#`.
    Comment(String),
    /// A command.
    Command(Command),
    /// `name=value`.
    Assign {
        /// The keyword.
        scope: Scope,
        /// The variable.
        name: String,
        /// `+=`.
        append: bool,
        /// The value.
        value: Word,
    },
    /// `name=( … )`.
    Array {
        /// The keyword.
        scope: Scope,
        /// The variable.
        name: String,
        /// `+=`.
        append: bool,
        /// The elements.
        items: Vec<Item>,
        /// One element a line.
        tall: bool,
    },
    /// `if …; then … fi`.
    If {
        /// The branches: `if`, then `elif`.
        branches: Vec<(Test, Vec<Stmt>)>,
        /// `else`.
        otherwise: Vec<Stmt>,
    },
    /// `for name in …; do … done`.
    For {
        /// The variable.
        name: String,
        /// What it goes over.
        items: Vec<Word>,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `name() { … }`.
    Function {
        /// The name.
        name: String,
        /// The body.
        body: Vec<Stmt>,
    },
    /// Shell text as it is, indented anew; what the word's references expand to stands in it without quotes of its own.
    Raw(Word),
}

impl Stmt {
    /// `name=value`.
    pub fn assign(scope: Scope, name: impl Into<String>, value: Word) -> Self {
        Self::Assign {
            scope,
            name: name.into(),
            append: false,
            value,
        }
    }

    /// `name=( … )`; with `tall`, one element a line.
    pub fn array(scope: Scope, name: impl Into<String>, items: Vec<Item>, tall: bool) -> Self {
        Self::Array {
            scope,
            name: name.into(),
            append: false,
            items,
            tall,
        }
    }

    /// An `if` of one branch.
    pub fn when(test: Test, body: Vec<Stmt>) -> Self {
        Self::If {
            branches: vec![(test, body)],
            otherwise: Vec::new(),
        }
    }
}

/// How statements are printed.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// One level of indentation.
    pub indent: &'static str,
    /// How wide a tab or an indentation is, for wrapping.
    pub indent_width: usize,
    /// The widest line.
    pub width: usize,
    /// How words are quoted.
    pub quoting: Quoting,
    /// Blanks inside the parentheses of a short array: `( a b )`.
    pub padded_arrays: bool,
}

/// Prints statements; the result ends with a newline unless there is none.
pub fn print(stmts: &[Stmt], style: &Style) -> String {
    let mut p = Printer {
        out: String::new(),
        depth: 0,
        style,
    };
    p.block(stmts);
    p.out
}

struct Printer<'a> {
    out: String,
    depth: usize,
    style: &'a Style,
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        if !text.is_empty() {
            self.out.push_str(&self.style.indent.repeat(self.depth));
            self.out.push_str(text);
        }
        self.out.push('\n');
    }

    fn word(&self, w: &Word) -> String {
        w.print(self.style.quoting)
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for s in stmts {
            self.stmt(s);
        }
    }

    fn nested(&mut self, stmts: &[Stmt]) {
        self.depth += 1;
        self.block(stmts);
        // Bash takes no block without a command.
        if does_nothing(stmts) {
            self.line(":");
        }
        self.depth -= 1;
    }

    fn comment(&mut self, text: &str) {
        for l in text.lines() {
            self.line(format!("# {}", l.trim()).trim_end());
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Blank => self.out.push('\n'),
            Stmt::Comment(text) => self.comment(text),
            Stmt::Command(c) => self.command(c),
            Stmt::Assign {
                scope,
                name,
                append,
                value,
            } => {
                let value = if value.as_literal() == Some("") {
                    String::new()
                } else {
                    value.print(self.style.quoting.of_value())
                };
                self.line(&format!("{}{value}", assigned(*scope, name, *append)));
            }
            Stmt::Array {
                scope,
                name,
                append,
                items,
                tall,
            } => {
                self.array(*scope, name, *append, items, *tall);
            }
            Stmt::If {
                branches,
                otherwise,
            } => {
                for (i, (test, body)) in branches.iter().enumerate() {
                    let word = if i == 0 { "if" } else { "elif" };
                    let test = self.test(test);
                    self.line(&format!("{word} {test}; then"));
                    self.nested(body);
                }
                if !otherwise.is_empty() {
                    self.line("else");
                    self.nested(otherwise);
                }
                self.line("fi");
            }
            Stmt::For { name, items, body } => {
                let items: Vec<String> = items.iter().map(|w| self.word(w)).collect();
                self.line(&format!(
                    "for {} in {}; do",
                    identifier(name),
                    items.join(" ")
                ));
                self.nested(body);
                self.line("done");
            }
            Stmt::Function { name, body } => {
                self.line(&format!("{}() {{", function(name)));
                self.nested(body);
                self.line("}");
            }
            Stmt::Raw(text) => {
                for (held, l) in raw_lines(&text.print_bare(self.style.quoting)) {
                    // Where a line begins inside of quotes or a here-document, an indentation would be part of the text.
                    let depth = if held {
                        std::mem::take(&mut self.depth)
                    } else {
                        self.depth
                    };
                    self.line(&l);
                    self.depth = depth;
                }
            }
        }
    }

    fn array(&mut self, scope: Scope, name: &str, append: bool, items: &[Item], tall: bool) {
        let head = assigned(scope, name, append) + "(";
        if items.is_empty() {
            return self.line(&format!("{head})"));
        }
        if !tall && items.iter().all(|i| i.comment.is_none()) {
            let words: Vec<String> = items.iter().map(|i| self.word(&i.word)).collect();
            let pad = if self.style.padded_arrays { " " } else { "" };
            let text = format!("{head}{pad}{}{pad})", words.join(" "));
            // One word is not made shorter by a line of its own.
            if items.len() == 1
                || self.depth * self.style.indent_width + text.len() <= self.style.width
            {
                return self.line(&text);
            }
        }
        self.line(&head);
        self.depth += 1;
        for item in items {
            if let Some(c) = &item.comment {
                self.comment(c);
            }
            let w = self.word(&item.word);
            self.line(&w);
        }
        self.depth -= 1;
        self.line(")");
    }

    fn command(&mut self, c: &Command) {
        let words = self.command_words(c);
        let first = c.env.len()
            + if let Layout::PerWord(head) = c.layout {
                head
            } else {
                1
            };
        let mut tail = self.redirects(c);
        let mut next = c.pipe.as_deref();
        while let Some(piped) = next {
            tail.push("|".into());
            tail.extend(self.command_words(piped));
            tail.extend(self.redirects(piped));
            next = piped.pipe.as_deref();
        }
        if let Some(or) = &c.or {
            let or: Vec<String> = or.iter().map(|w| self.word(w)).collect();
            tail.push(format!("|| {}", or.join(" ")));
        }
        let all: Vec<String> = words.iter().chain(&tail).cloned().collect();
        let one = all.join(" ");
        let fits = self.depth * self.style.indent_width + one.chars().count() <= self.style.width;
        if (fits && c.layout == Layout::Wrap) || words.len() <= first {
            self.line(&one);
        } else {
            self.broken(&words, first, &tail, c.layout);
        }
        if let Some(lines) = &c.input {
            self.here_document(lines);
        }
    }

    /// The lines of a here-document. Only tabs may stand before them: `<<-` strips nothing else.
    fn here_document(&mut self, lines: &[String]) {
        let depth = std::mem::take(&mut self.depth);
        let indent = if self.style.indent == "\t" {
            "\t".repeat(depth + 1)
        } else {
            String::new()
        };
        for l in parted(lines) {
            self.line(&format!("{indent}{l}"));
        }
        self.line(&format!("{indent}{}", delimiter(lines)));
        self.depth = depth;
    }

    fn command_words(&self, c: &Command) -> Vec<String> {
        let value = |v: &Word| v.print(self.style.quoting.of_value());
        let env = c
            .env
            .iter()
            .map(|(n, v)| format!("{}={}", identifier(n), value(v)));
        env.chain(c.words.iter().map(|w| self.word(w))).collect()
    }

    fn redirects(&self, c: &Command) -> Vec<String> {
        let mut out = Vec::new();
        if let Some(file) = &c.output {
            out.push(format!(
                "{} {}",
                if c.append { ">>" } else { ">" },
                self.word(file)
            ));
        }
        if let Some(lines) = &c.input {
            let strip = if self.style.indent == "\t" { "-" } else { "" };
            out.push(format!("<<{strip}'{}'", delimiter(lines)));
        }
        out
    }

    /// A command over several lines, each but the last ending in a backslash.
    fn broken(&mut self, words: &[String], first: usize, tail: &[String], layout: Layout) {
        let room = self
            .style
            .width
            .saturating_sub((self.depth + 1) * self.style.indent_width + 2);
        let mut lines = vec![words[..first].join(" ")];
        for w in &words[first..] {
            let fits = lines
                .last()
                .is_some_and(|l| l.chars().count() + 1 + w.chars().count() <= room);
            match lines.last_mut() {
                Some(last) if layout == Layout::Wrap && fits => {
                    last.push(' ');
                    last.push_str(w);
                }
                _ => lines.push(w.clone()),
            }
        }
        if let Some(last) = lines.last_mut()
            && !tail.is_empty()
        {
            last.push(' ');
            last.push_str(&tail.join(" "));
        }
        let end = lines.len() - 1;
        // Where blanks indent, two set a line off from the command that it goes on.
        let step = if self.style.indent == "\t" {
            "\t"
        } else {
            "  "
        };
        for (i, l) in lines.iter().enumerate() {
            let slash = if i < end { " \\" } else { "" };
            self.line(&format!("{}{l}{slash}", if i > 0 { step } else { "" }));
        }
    }

    fn test(&self, test: &Test) -> String {
        let words = |ws: &[Word]| {
            ws.iter()
                .map(|w| self.word(w))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let group = |ts: &[Test], op: &str| {
            let parts: Vec<String> = ts
                .iter()
                .map(|t| match t {
                    Test::All(_) | Test::Any(_) => format!("{{ {}; }}", self.test(t)),
                    _ => self.test(t),
                })
                .collect();
            parts.join(op)
        };
        match test {
            Test::Command(ws) => words(ws),
            Test::Brackets(ws) => format!("[[ {} ]]", words(ws)),
            Test::Not(t) => match &**t {
                Test::All(_) | Test::Any(_) => format!("! {{ {}; }}", self.test(t)),
                t => format!("! {}", self.test(t)),
            },
            Test::All(ts) => group(ts, " && "),
            Test::Any(ts) => group(ts, " || "),
        }
    }
}

/// What stands before the value of a variable.
fn assigned(scope: Scope, name: &str, append: bool) -> String {
    format!(
        "{}{}{}",
        scope.keyword(),
        identifier(name),
        if append { "+=" } else { "=" }
    )
}

/// True when no command stands among the statements.
fn does_nothing(stmts: &[Stmt]) -> bool {
    stmts.iter().all(|s| match s {
        Stmt::Blank | Stmt::Comment(_) => true,
        Stmt::Raw(text) => text.literals().all(|t| {
            t.lines()
                .all(|l| l.trim().is_empty() || l.trim().starts_with('#'))
        }),
        _ => false,
    })
}

/// The lines of a here-document: what is meant as one line may hold several.
fn parted(lines: &[String]) -> impl Iterator<Item = &str> {
    lines.iter().flat_map(|l| l.split('\n'))
}

/// A word that none of the lines is, to end a here-document.
fn delimiter(lines: &[String]) -> String {
    let mut word = String::from("EOF");
    while parted(lines).any(|l| l.trim() == word) {
        word.push('_');
    }
    word
}
