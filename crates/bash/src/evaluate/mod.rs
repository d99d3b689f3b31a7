//! Evaluates a bash text without running it: the values of its variables, and the commands of its
//! functions with the folders in which they run.
//!
//! A value that depends on the machine, or on something that is not followed, is open. After a
//! condition that is not known, both branches are followed, and variables in which they differ are
//! open. `statements.rs` follows statements, `words.rs` and `expansions.rs` evaluate words,
//! `builtins.rs` has the commands of bash, `steps.rs` the folders, and `laws.rs` the contradictions
//! between commands. A package manager's own
//! variables and commands are those of a [`Host`].

mod builtins;
mod conditions;
mod expansions;
mod laws;
mod pattern;
mod state;
mod statements;
mod steps;
mod value;
mod words;

use super::stmt::Stmt;
use super::word::Place;
pub use laws::{Facts, faults};
use std::collections::BTreeMap;
use std::rc::Rc;
pub use steps::{Step, path};
pub use value::{Part, Reason, Value, Variable};

/// The greatest number of statements and words that are followed.
const MOST_WORK: usize = 1 << 16;

/// The greatest length of a value in bytes.
const MOST_BYTES: usize = 1 << 16;

/// The number of bytes of a value that are copied in one step.
const BYTES_OF_STEP: usize = 64;

/// The deepest nesting of calls of functions.
const MOST_CALLS: usize = 16;

/// The program that runs a script, such as a package manager: its variables and commands.
pub trait Host: Sized {
    /// Returns the value of a variable that the script has not set; `None` if nobody sets it.
    fn outer(run: &mut Run<Self>, name: &str) -> Option<Variable>;

    /// Runs a command that is neither a function of the script nor a builtin of bash that is the
    /// same everywhere.
    fn command(run: &mut Run<Self>, name: &str, arguments: &[Value]) -> Status;

    /// Returns the reason why the value of a variable that nobody sets is open. By default it is
    /// empty, as in bash.
    fn unset(_run: &mut Run<Self>, _name: &str) -> Option<String> {
        None
    }

    /// Returns the value of a word that is a pattern of file names. `is_written` is true if the
    /// script contains the pattern, and false if the value of a variable does.
    fn file_names(run: &mut Run<Self>, pattern: Value, is_written: bool) -> Value;

    /// Returns the reason why variables are open that `keyword`, such as `declare`, sets outside of
    /// functions. `flags` are its options without their signs.
    fn declare(_keyword: &str, _flags: &str) -> Option<String> {
        None
    }

    /// Returns the reason why nothing is known after a variable of this name is set.
    fn reserved(_name: &str) -> Option<String> {
        None
    }
}

/// The exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// 0.
    Success,
    /// Any other number.
    Failed,
    /// Known only when the command runs.
    Unknown,
}

impl Status {
    /// Returns the status of a command that succeeds or not; `None` is unknown.
    pub fn of(is_success: Option<bool>) -> Self {
        match is_success {
            Some(true) => Self::Success,
            Some(false) => Self::Failed,
            None => Self::Unknown,
        }
    }

    fn not(self) -> Self {
        match self {
            Self::Success => Self::Failed,
            Self::Failed => Self::Success,
            Self::Unknown => Self::Unknown,
        }
    }
}

/// The place at which a run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// At the next statement.
    On,
    /// Behind the loop.
    Break,
    /// At the next turn of the loop.
    Continue,
    /// Behind the function, or behind the script.
    Return,
    /// Nowhere: the shell or the subshell ended.
    Dead,
}

/// A command that ends the script, or that its host refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedCommand {
    /// The name of the command.
    pub name: String,
    /// The reason, as a sentence without its period.
    pub reason: String,
    /// The place of the command.
    pub at: Place,
}

/// An `exit`, or a `return` outside of functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// `exit` or `return`.
    pub name: String,
    /// The place of the command.
    pub at: Place,
    /// The status with which the script ends.
    pub status: Status,
    /// Set if the command certainly runs.
    pub is_certain: bool,
}

/// The evaluation of a script.
#[derive(Clone)]
pub struct Run<H> {
    /// The program that runs the script.
    pub host: H,
    /// The variables that are set.
    pub variables: BTreeMap<String, Variable>,
    /// The commands that are refused, and that certainly run.
    pub refused: Vec<RefusedCommand>,
    /// The statements that were passed over, each with the reason. Values don't depend on them, as
    /// far as is known.
    pub passed: Vec<Reason>,
    /// The commands that end the script, in order.
    pub ends: Vec<End>,
    /// The reason why nothing is known, such as an `eval`.
    pub lost: Option<Reason>,
    /// Set if the statement certainly runs.
    pub is_certain: bool,
    /// The place at which the run goes on.
    pub flow: Flow,
    /// The functions that are defined.
    pub functions: BTreeMap<String, Rc<[Stmt]>>,
    /// The arguments of the function that runs.
    arguments: Vec<Value>,
    /// The values that variables had before each running function made them local.
    locals: Vec<BTreeMap<String, Option<Variable>>>,
    /// The output of the command substitution that runs.
    output: Option<Value>,
    /// The number of subshells around the statement.
    shells: usize,
    /// The status of the last command substitution.
    last: Status,
    /// The reason why the number of words of the array that is read is not known.
    many: Option<Reason>,
    /// The number of steps that are left.
    work: usize,
    at: Place,
    /// The commands so far, if they are recorded.
    steps: Option<Vec<Step>>,
    /// The current folder. Below it are those to which `popd` returns. An element is none if the
    /// folder is not known.
    folders: Vec<Option<String>>,
}

/// One of several ways, of which one is taken.
type Way<'w, H> = Box<dyn FnMut(&mut Run<H>) -> Status + 'w>;
