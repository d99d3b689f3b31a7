//! Statements of bash.

use super::word::{Arithmetic, Piece, Word};

/// The keyword before an assignment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// No keyword.
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

/// The layout of the words of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// On one line if they fit, and otherwise broken between words.
    #[default]
    Wrap,
    /// This number of words on the first line, then one word on each line.
    PerWord(usize),
}

/// An element of an array, with the comment above it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The word.
    pub word: Word,
    /// The comment above the element.
    pub comment: Option<String>,
    /// The subscript of the element: `key` in `[key]=word`.
    pub index: Option<Word>,
    /// The comment after the element on its line, with its `#`.
    pub behind: Option<String>,
}

impl Item {
    /// Makes an element below a comment.
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
    /// A command, which must succeed.
    Command(Vec<Word>),
    /// `[[ … ]]`, with the words between the brackets.
    Brackets(Vec<Word>),
    /// A test, which must fail.
    Not(Box<Test>),
    /// Tests, all of which must succeed.
    All(Vec<Test>),
    /// Tests, at least one of which must succeed.
    Any(Vec<Test>),
    /// `[[ … ]]`, with the expression between the brackets.
    Expression(Expression),
    /// Statements, the last of which must succeed.
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
    /// The sign and the target.
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
    /// The line that ends the text, such as `EOF`.
    pub end: String,
    /// Set for `<<-`: tabs at the beginning of each line are not part of the text.
    pub tabs: bool,
    /// The text.
    pub body: HereBody,
}

/// The text of a here-document, which ends with a line break.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HereBody {
    /// Text in which bash expands nothing.
    Literal(String),
    /// Text that bash expands.
    Expanded(Vec<Piece>),
}

/// An assignment to a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The name.
    pub name: String,
    /// The subscript.
    pub index: Option<Word>,
    /// Set for `+=`.
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
        /// Set if each element is on a line of its own.
        tall: bool,
    },
}

/// A word after `declare`, `local` and the like.
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

/// A statement of a list or a pipeline, other than the first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The sign before the statement.
    pub joint: Joint,
    /// Comments between the sign and the statement, each with its `#`.
    pub comments: Vec<String>,
    /// Set if the statement is on a line of its own.
    pub breaks: bool,
    /// The statement.
    pub stmt: Stmt,
}

/// A branch of a `case`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arm {
    /// Comments above the branch, each with its `#`.
    pub comments: Vec<String>,
    /// The patterns, of which one must match.
    pub patterns: Vec<Word>,
    /// The body.
    pub body: Vec<Stmt>,
    /// `;;`, `;&` or `;;&`.
    pub end: &'static str,
}

/// A command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The variables that are set for the command.
    pub env: Vec<(String, Word)>,
    /// The command's words.
    pub words: Vec<Word>,
    /// The file that the output is written to.
    pub output: Option<Word>,
    /// Set if the output is appended to that file.
    pub append: bool,
    /// The lines that the command reads. Nothing in them is expanded.
    pub input: Option<Vec<String>>,
    /// The command that is run if this one fails: `die`, `die "reason"`, `true`.
    pub or: Option<Vec<Word>>,
    /// The command that the output is piped into.
    pub pipe: Option<Box<Command>>,
    /// The layout of the words.
    pub layout: Layout,
    /// Variables that are set for the command by `+=` or with a subscript, which `env` can't
    /// contain. They are printed first.
    pub assignments: Vec<Assignment>,
    /// The redirections after the words.
    pub redirects: Vec<Redirect>,
}

impl Command {
    /// Makes a command of the words `words`.
    pub fn new(words: Vec<Word>) -> Self {
        Self {
            words,
            ..Self::default()
        }
    }

    /// Returns true if the command consists of words only, without variables, redirections and the
    /// like.
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

/// Makes a statement that runs `program` with the arguments `words`. Nothing is run if the program
/// fails; for `|| die`, see [`Command::or_die`].
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
    /// A comment. Each line is printed after a `#`.
    Comment(String),
    /// A command.
    Command(Command),
    /// `name=value`.
    Assign {
        /// The keyword.
        scope: Scope,
        /// The variable.
        name: String,
        /// Set for `+=`.
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
        /// Set for `+=`.
        append: bool,
        /// The elements.
        items: Vec<Item>,
        /// Set if each element is on a line of its own.
        tall: bool,
    },
    /// `if …; then … fi`.
    If {
        /// The branches: `if`, then `elif`.
        branches: Vec<(Test, Vec<Stmt>)>,
        /// The statements after `else`.
        otherwise: Vec<Stmt>,
    },
    /// `for name in …; do … done`.
    For {
        /// The variable.
        name: String,
        /// The words that the loop runs over.
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
    /// Shell text that has no typed form. The literals of the word are printed as they are, and its
    /// expansions without quotes. Its lines get a new indentation.
    Raw(Word),
    /// A comment of one line, as written with its `#`.
    Remark(String),
    /// A statement, and the comment after it on its line. The comment has its `#`.
    Noted(Box<Stmt>, String),
    /// Several assignments on one line, or one with a subscript.
    Assignments(Vec<Assignment>),
    /// `declare`, `typeset`, `local`, `export` or `readonly`, and the words after it.
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
    /// A compound statement with redirections after it.
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
        /// Set for `until`.
        until: bool,
        /// The condition.
        test: Test,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `for ((…; …; …)); do … done`.
    Loop {
        /// The first expression, the condition, and the expression that is evaluated after each
        /// turn.
        head: [Arithmetic; 3],
        /// The body.
        body: Vec<Stmt>,
    },
    /// `select name in …; do … done`.
    Select {
        /// The variable.
        name: String,
        /// The choices. Without them, bash uses the arguments of the function.
        items: Option<Vec<Word>>,
        /// The body.
        body: Vec<Stmt>,
    },
    /// `(( … ))`.
    Arithmetic(Arithmetic),
    /// `[[ … ]]`.
    Expression(Expression),
    /// A function whose body is not `{ … }`, or has redirections.
    Define(String, Box<Stmt>),
}

impl Stmt {
    /// Makes `name=value`.
    pub fn assign(scope: Scope, name: impl Into<String>, value: Word) -> Self {
        Self::Assign {
            scope,
            name: name.into(),
            append: false,
            value,
        }
    }

    /// Makes `name=( … )`. With `tall`, each element is on a line of its own.
    pub fn array(scope: Scope, name: impl Into<String>, items: Vec<Item>, tall: bool) -> Self {
        Self::Array {
            scope,
            name: name.into(),
            append: false,
            items,
            tall,
        }
    }

    /// Makes an `if` of one branch.
    pub fn when(test: Test, body: Vec<Stmt>) -> Self {
        Self::If {
            branches: vec![(test, body)],
            otherwise: Vec::new(),
        }
    }
}
