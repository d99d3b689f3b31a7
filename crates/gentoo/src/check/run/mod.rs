//! Follows the global scope of an ebuild as bash runs it, for the values of its variables, and for
//! commands that Portage refuses there.
//!
//! Values from the machine or from an eclass are open. After a condition that is not known, both
//! branches are followed, and what differs is open. `statements.rs` follows statements, `words.rs`
//! evaluates words, and `commands.rs` has the commands.

mod commands;
mod conditions;
mod expansions;
mod pattern;
mod statements;
mod value;
mod words;

use super::recipe::Recipe;
use rocpkg_render::bash::{Script, Stmt};
use rocpkg_syntax::Values;
use std::collections::BTreeMap;
use std::rc::Rc;
pub(super) use value::{Part, Reason, Value, Variable};

/// The greatest number of statements and words that are followed.
const MOST_WORK: usize = 1 << 15;

/// The greatest length of a value in bytes.
const MOST_BYTES: usize = 1 << 16;

/// The number of bytes of a value that are copied in one step.
const BYTES_OF_STEP: usize = 64;

/// The variables that the path of an ebuild sets (PMS 11.1).
const OF_PATH: &[&str] = &["CATEGORY", "P", "PF", "PN", "PR", "PV", "PVR"];

/// The deepest nesting of calls of functions.
const MOST_CALLS: usize = 16;

/// The global scope of an ebuild after it ran.
#[derive(Debug, Default)]
pub(super) struct Globals {
    variables: BTreeMap<String, Variable>,
    /// The commands that Portage refuses, each with the reason.
    pub(super) refused: Vec<RefusedCommand>,
    /// The external programs that certainly run, and for which Portage only warns and fails.
    pub(super) intercepted: Vec<String>,
    /// Set if the last command certainly failed.
    pub(super) is_failed: bool,
    /// The reason why nothing is known, such as an `eval`.
    lost: Option<Reason>,
}

/// A command of the global scope that Portage refuses.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RefusedCommand {
    pub(super) name: String,
    pub(super) reason: String,
}

impl Globals {
    /// Follows the global scope.
    pub(super) fn of(recipe: &Recipe) -> Self {
        let Ok(script) = Script::read(recipe.text) else {
            return Self {
                lost: Some("the ebuild can't be read".into()),
                ..Self::default()
            };
        };
        let mut run = Run::new(recipe);
        let status = run.all(&script.items);
        if run.flow == Flow::Dead {
            run.lose("the ebuild ends before it is set");
        }
        let is_whole = run.lost.is_none() && run.is_certain;
        Self {
            is_failed: status == Status::Failed && is_whole,
            variables: run.variables,
            refused: run.refused,
            intercepted: run.intercepted,
            lost: run.lost,
        }
    }

    /// Returns the value of a variable; `None` for a variable that is not set.
    pub(super) fn value(&self, name: &str) -> Option<Value> {
        match (self.variables.get(name), &self.lost) {
            (_, Some(reason)) => Some(Value::open(reason)),
            (variable, None) => variable.map(Variable::text),
        }
    }

    /// Returns the values of all variables; none if the ebuild can't be followed.
    pub(super) fn values(&self) -> Values {
        let all = self.variables.iter().filter(|_| self.lost.is_none());
        all.map(|(name, variable)| (name.clone(), variable.evaluated()))
            .collect()
    }
}

/// The exit status of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Success,
    Failed,
    Unknown,
}

impl Status {
    fn of(is_success: Option<bool>) -> Self {
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

/// The place at which the run goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    /// At the next statement.
    On,
    /// Behind the loop.
    Break,
    /// At the next turn of the loop.
    Continue,
    /// Behind the function, or behind the ebuild.
    Return,
    /// Nowhere: the shell or the subshell ended.
    Dead,
}

struct Run<'a> {
    recipe: &'a Recipe<'a>,
    variables: BTreeMap<String, Variable>,
    functions: BTreeMap<String, Rc<[Stmt]>>,
    /// The values of variables of [`OF_PATH`] that were looked up.
    given: BTreeMap<String, Option<String>>,
    /// The arguments of the function that runs.
    arguments: Vec<Value>,
    /// The values that variables had before each running function made them local.
    locals: Vec<BTreeMap<String, Option<Variable>>>,
    /// The output of the command substitution that runs.
    output: Option<Value>,
    /// The number of subshells around the statement.
    shells: usize,
    flow: Flow,
    /// The status of the last command substitution.
    last: Status,
    /// Set if the statement certainly runs.
    is_certain: bool,
    /// The reason why nothing is known from here on.
    lost: Option<Reason>,
    work: usize,
    refused: Vec<RefusedCommand>,
    intercepted: Vec<String>,
    /// The eclasses that were inherited so far: those that are known, and the first that is not.
    inherited: Vec<String>,
    unknown: Option<Reason>,
}

impl<'a> Run<'a> {
    fn new(recipe: &'a Recipe<'a>) -> Self {
        Self {
            recipe,
            variables: BTreeMap::new(),
            functions: BTreeMap::new(),
            given: BTreeMap::new(),
            arguments: Vec::new(),
            locals: Vec::new(),
            output: None,
            shells: 0,
            flow: Flow::On,
            last: Status::Success,
            is_certain: true,
            lost: None,
            work: MOST_WORK,
            refused: Vec::new(),
            intercepted: Vec::new(),
            inherited: Vec::new(),
            unknown: None,
        }
    }

    /// Counts one step; false if there were too many.
    fn step(&mut self) -> bool {
        self.steps(1)
    }

    /// Counts some steps; false if there were too many.
    fn steps(&mut self, count: usize) -> bool {
        self.work = self.work.saturating_sub(count);
        if self.work == 0 {
            self.lose("it takes too many steps to follow the ebuild");
        }
        self.work > 0
    }

    /// Ends all knowledge.
    fn lose(&mut self, reason: &str) {
        self.lost.get_or_insert_with(|| reason.into());
        self.is_certain = false;
    }

    /// Reports a command that Portage refuses, if it certainly runs, and ends the run.
    fn refuse(&mut self, name: &str, reason: impl Into<String>) {
        if self.is_certain && self.lost.is_none() {
            let reason = reason.into();
            let name = name.to_owned();
            self.refused.push(RefusedCommand { name, reason });
        }
        self.flow = Flow::Dead;
    }

    fn set(&mut self, name: &str, value: Variable) {
        // A long value is copied each time that it is used.
        let len = value.len();
        let is_short = len < MOST_BYTES && self.steps(1 + len / BYTES_OF_STEP);
        let value = if is_short {
            value
        } else {
            Variable::Open(format!("`{name}` is too long").into())
        };
        self.variables.insert(name.to_owned(), value);
    }

    /// Returns the value of a variable, or the reason why it is open; `None` if it is not set.
    fn get(&mut self, name: &str) -> Option<Variable> {
        if let Some(reason) = &self.lost {
            return Some(Variable::Open(Rc::clone(reason)));
        }
        if let Some(variable) = self.variables.get(name) {
            let variable = variable.clone();
            self.steps(1 + variable.len() / BYTES_OF_STEP);
            return Some(variable);
        }
        if let Some(given) = self.given(name) {
            return Some(Variable::Text(given.into()));
        }
        if super::given::VARIABLES.contains(&name) {
            return Some(Variable::Text(Value::set_by_portage(name)));
        }
        let eclasses = &self.recipe.eclasses;
        let sets = |own: &&String| {
            let all = eclasses.with_inherited(own).unwrap_or_default();
            all.iter().any(|eclass| eclass.variables.contains(name))
        };
        match self.inherited.iter().find(sets) {
            Some(eclass) => {
                let reason = format!("`{name}` is a variable of {eclass}.eclass");
                Some(Variable::Open(reason.into()))
            }
            None => self.unknown.clone().map(Variable::Open),
        }
    }

    /// Returns the value of a variable that the path of the ebuild sets.
    fn given(&mut self, name: &str) -> Option<String> {
        if !OF_PATH.contains(&name) {
            return None;
        }
        if let Some(value) = self.given.get(name) {
            return value.clone();
        }
        let value = self.recipe.given(name);
        self.given.insert(name.to_owned(), value.clone());
        value
    }

    /// Follows each of several ways, of which one is taken, and joins their results.
    fn either(&mut self, ways: &mut [Way<'_, 'a>], reason: &str) -> Status {
        let reason: Reason = reason.into();
        let certain = std::mem::replace(&mut self.is_certain, false);
        self.steps(self.variables.len());
        let (before, output) = (self.variables.clone(), self.output.clone());
        let mut ends = Vec::new();
        let mut statuses = Vec::new();
        let mut goes_on = true;
        for way in ways {
            self.variables.clone_from(&before);
            self.output.clone_from(&output);
            let status = way(self);
            let end = std::mem::take(&mut self.variables);
            // A way on which the ebuild dies has no result.
            if self.flow != Flow::Dead {
                ends.push((end, self.output.take()));
                statuses.push(status);
            }
            goes_on &= matches!(self.flow, Flow::On | Flow::Dead);
            self.flow = Flow::On;
        }
        self.is_certain = certain && goes_on;
        let mut ends = ends.into_iter();
        let Some((first, output)) = ends.next() else {
            self.variables = before;
            return Status::Unknown;
        };
        (self.variables, self.output) = (first, output);
        for (end, output) in ends {
            let names: Vec<String> = self.variables.keys().chain(end.keys()).cloned().collect();
            for name in names {
                let own = self.variables.get(&name);
                if own != end.get(&name) {
                    let joined = Variable::either(own, end.get(&name), &reason);
                    self.variables.insert(name, joined);
                }
            }
            if output != self.output {
                self.output = self.output.take().map(|_| Value::open(&reason));
            }
        }
        match statuses.as_slice() {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => *first,
            _ => Status::Unknown,
        }
    }

    /// Follows statements in a subshell, which changes no variable of the shell around it.
    fn subshell(&mut self, run: impl FnOnce(&mut Self) -> Status) -> Status {
        self.steps(self.variables.len());
        let variables = self.variables.clone();
        self.shells += 1;
        let status = run(self);
        self.shells -= 1;
        self.variables = variables;
        // `die` ends the whole shell, and `exit` only the subshell.
        if self.flow != Flow::Dead {
            self.flow = Flow::On;
        }
        status
    }
}

/// One of several ways, of which one is taken.
type Way<'w, 'a> = Box<dyn FnMut(&mut Run<'a>) -> Status + 'w>;
