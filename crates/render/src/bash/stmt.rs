//! Statements of bash.

use super::word::{Arithmetic, Piece, Word};

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
    pub(super) fn keyword(self) -> &'static str {
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
    /// The comment above it.
    pub comment: Option<String>,
    /// The subscript that it is assigned to: `key` of `[key]=word`.
    pub index: Option<Word>,
    /// The comment behind it, with its `#`.
    pub behind: Option<String>,
}

impl Item {
    /// An element below a comment.
    pub fn explained(word: Word, comment: Option<String>) -> Self {
        Self {
            comment,
            ..Self::from(word)
        }
    }
}

impl From<Word> for Item {
    fn from(word: Word) -> Self {
        Self {
            word,
            comment: None,
            index: None,
            behind: None,
        }
    }
}

/// A condition of an `if` or a loop.
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
    /// `[[ … ]]` of an expression.
    Expression(Expression),
    /// The last of these statements succeeds.
    Statements(Vec<Stmt>),
}

/// An expression between `[[` and `]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A word that is not empty.
    Word(Word),
    /// An operator and its operand: `-n word`.
    Unary(String, Word),
    /// An operator between two operands: `left == right`.
    Binary(Word, String, Word),
    /// `! …`.
    Not(Box<Expression>),
    /// `( … )`.
    Group(Box<Expression>),
    /// `… && …`.
    And(Box<Expression>, Box<Expression>),
    /// `… || …`.
    Or(Box<Expression>, Box<Expression>),
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// The descriptor before the sign: `2`, or `{name}`.
    pub descriptor: String,
    /// The rest.
    pub to: RedirectTo,
}

/// The sign and the target of a redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectTo {
    /// `<`, `>`, `>>`, `>|`, `<>`, `&>`, `&>>`, `<&` or `>&`, and a file or a descriptor.
    File(&'static str, Word),
    /// `<<<` and the text.
    HereString(Word),
    /// `<<` and the lines below.
    HereDocument(HereDocument),
}

/// A here-document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HereDocument {
    /// The line that ends it.
    pub end: String,
    /// `<<-`: tabs before each line are no part of the text.
    pub tabs: bool,
    /// The text.
    pub body: HereBody,
}

/// The text of a here-document; it ends with the end of its last line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HereBody {
    /// Bash expands nothing in it.
    Literal(String),
    /// Bash expands it.
    Expanded(Vec<Piece>),
}

/// A variable that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The name.
    pub name: String,
    /// The subscript.
    pub index: Option<Word>,
    /// `+=`.
    pub append: bool,
    /// The value.
    pub value: Assigned,
}

/// The value of an assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Assigned {
    /// One word.
    Word(Word),
    /// `( … )`.
    Array {
        /// The elements.
        items: Vec<Item>,
        /// One element a line.
        tall: bool,
    },
}

/// A word behind `declare`, `local` and the like.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declared {
    /// A flag, a name or any other word.
    Word(Word),
    /// An assignment.
    Assignment(Assignment),
}

/// A sign between two statements of a list or a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// `&&`.
    And,
    /// `||`.
    Or,
    /// `|`.
    Pipe,
    /// `|&`.
    PipeBoth,
}

/// A further statement of a list or a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The sign before it.
    pub joint: Joint,
    /// Comments between the sign and the statement, each with its `#`.
    pub comments: Vec<String>,
    /// The statement is on a line of its own.
    pub breaks: bool,
    /// The statement.
    pub stmt: Stmt,
}

/// A branch of a `case`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Comments above it, each with its `#`.
    pub comments: Vec<String>,
    /// The patterns.
    pub patterns: Vec<Word>,
    /// The body.
    pub body: Vec<Stmt>,
    /// `;;`, `;&` or `;;&`.
    pub end: &'static str,
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
    /// Variables set for it that `env` can't say: with `+=` or a subscript. They come first.
    pub assignments: Vec<Assignment>,
    /// Its redirections, behind its words.
    pub redirects: Vec<Redirect>,
}

impl Command {
    /// A command of these words.
    pub fn new(words: Vec<Word>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }

    /// Returns true if it is words alone, without variables, redirections and what follows.
    pub fn is_words(&self) -> bool {
        *self == Self::new(self.words.clone())
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
#[non_exhaustive]
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
    /// Shell text as it is, indented anew; what the word's references expand to stands in it
    /// without quotes of its own.
    Raw(Word),
    /// A comment of one line as it is written, with its `#`.
    Remark(String),
    /// A statement with a comment behind it, which has its `#`.
    Noted(Box<Stmt>, String),
    /// Several assignments on one line, or one with a subscript.
    Assignments(Vec<Assignment>),
    /// `declare`, `typeset`, `local`, `export` or `readonly`, and what is behind it.
    Declare(&'static str, Vec<Declared>),
    /// `… && …`, `… || …`.
    List(Box<Stmt>, Vec<Link>),
    /// `… | …`.
    Pipeline(Box<Stmt>, Vec<Link>),
    /// `! …`.
    Not(Box<Stmt>),
    /// `… &`.
    Background(Box<Stmt>),
    /// `( … )`.
    Subshell(Vec<Stmt>),
    /// `{ …; }`.
    Group(Vec<Stmt>),
    /// A statement of several lines with redirections behind it.
    Redirected(Box<Stmt>, Vec<Redirect>),
    /// `case word in … esac`.
    Case {
        /// The word.
        word: Word,
        /// The branches.
        arms: Vec<Arm>,
        /// Comments below the last branch, each with its `#`.
        comments: Vec<String>,
    },
    /// `while …; do … done` or `until …; do … done`.
    While {
        /// `until`.
        until: bool,
        /// The condition.
        test: Test,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `for ((…; …; …)); do … done`.
    Loop {
        /// The first expression, the condition, and what is done after each turn.
        head: [Arithmetic; 3],
        /// The body.
        body: Vec<Stmt>,
    },
    /// `select name in …; do … done`.
    Select {
        /// The variable.
        name: String,
        /// The choices; the arguments of the function without any.
        items: Option<Vec<Word>>,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `(( … ))`.
    Arithmetic(Arithmetic),
    /// `[[ … ]]`.
    Expression(Expression),
    /// A function whose body is no `{ … }`, or has redirections.
    Define(String, Box<Stmt>),
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
