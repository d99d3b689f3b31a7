//! The state of an evaluation: its variables, its branches and its end.

use super::value::{Reason, Value, Variable};
use super::{BYTES_OF_STEP, Flow, Host, MOST_BYTES, MOST_WORK, RefusedCommand, Run, Status, Way};
use crate::read::{read_assignment, statements};
use crate::word::Place;
use std::collections::BTreeMap;

impl<H: Host> Run<H> {
    /// Makes an evaluation in which no statement ran yet.
    pub fn new(host: H) -> Self {
        Self {
            host,
            variables: BTreeMap::new(),
            refused: Vec::new(),
            passed: Vec::new(),
            ends: Vec::new(),
            lost: None,
            is_certain: true,
            flow: Flow::On,
            functions: BTreeMap::new(),
            arguments: Vec::new(),
            locals: Vec::new(),
            output: None,
            shells: 0,
            last: Status::Success,
            many: None,
            work: MOST_WORK,
            at: Place::default(),
            steps: None,
            folders: Vec::new(),
        }
    }

    /// Follows a script, and returns its status. A script that can't be read ends all knowledge.
    pub fn script(&mut self, text: &str) -> Status {
        if let Ok(stmts) = statements(text) {
            return self.all(&stmts);
        }
        self.lose("the text can't be read");
        Status::Unknown
    }

    /// Returns the name of the variable that an assignment sets, true for `+=`, and the value
    /// behind the sign. A subscript is left out. `text` is the assignment, which begins at the byte
    /// `base` of the script. Returns `None` for another text.
    pub fn assigned(&mut self, text: &str, base: usize) -> Option<(String, bool, Variable)> {
        let assignment = read_assignment(text, base)?;
        let value = self.value_of(&assignment);
        Some((assignment.name, assignment.append, value))
    }

    /// Counts one step; false if there were too many.
    pub(super) fn step(&mut self) -> bool {
        self.count(1)
    }

    /// Counts some steps; false if there were too many.
    pub(super) fn count(&mut self, count: usize) -> bool {
        self.work = self.work.saturating_sub(count);
        if self.work == 0 {
            self.lose("it takes too many steps to follow the script");
        }
        self.work > 0
    }

    /// Returns the reason `text` with the place of the last word.
    pub fn reason(&self, text: &str) -> Reason {
        Reason::from(text).placed(self.at)
    }

    /// Ends all knowledge.
    pub fn lose(&mut self, reason: &str) {
        let reason = self.reason(reason);
        self.lost.get_or_insert(reason);
        self.is_certain = false;
    }

    /// Reports a command that is refused, if it certainly runs, and ends the run.
    pub fn refuse(&mut self, name: &str, reason: impl Into<String>) {
        if self.is_certain && self.lost.is_none() {
            let refused = self.refusal(name, reason);
            self.refused.push(refused);
        }
        self.flow = Flow::Dead;
    }

    /// Returns the command that runs, with the reason why it is refused.
    pub fn refusal(&self, name: &str, reason: impl Into<String>) -> RefusedCommand {
        RefusedCommand {
            name: name.to_owned(),
            reason: reason.into(),
            at: self.at,
        }
    }

    /// Sets the status of the last command substitution, which is that of an assignment.
    pub fn fail(&mut self) {
        self.last = Status::Failed;
    }

    /// Returns true if commands are recorded.
    pub fn is_recording(&self) -> bool {
        self.steps.is_some()
    }

    /// Returns true in a command substitution.
    pub fn is_captured(&self) -> bool {
        self.output.is_some()
    }

    /// Sets a variable. A value that is too long is open.
    pub fn set(&mut self, name: &str, value: Variable) {
        if let Some(reason) = H::reserved(name) {
            return self.lose(&reason);
        }
        // A long value is copied each time that it is used.
        let len = value.len();
        let is_short = len < MOST_BYTES && self.count(1 + len / BYTES_OF_STEP);
        let value = if is_short {
            value
        } else {
            Variable::Open(self.reason("the value is too long"))
        };
        self.variables.insert(name.to_owned(), value);
    }

    /// Returns the value of a variable; `None` if it is not set.
    pub fn get(&mut self, name: &str) -> Option<Variable> {
        if let Some(reason) = &self.lost {
            return Some(Variable::Open(reason.clone()));
        }
        if let Some(variable) = self.variables.get(name) {
            let variable = variable.clone();
            self.count(1 + variable.len() / BYTES_OF_STEP);
            return Some(variable);
        }
        H::outer(self, name)
    }

    /// Follows each of several ways, of which one is taken, and joins their results.
    pub(super) fn either(&mut self, ways: &mut [Way<'_, H>], reason: &str) -> Status {
        let reason = self.reason(reason);
        let certain = std::mem::replace(&mut self.is_certain, false);
        self.count(self.variables.len());
        let before = (self.variables.clone(), self.folders.clone());
        let output = self.output.clone();
        let mut ends = Vec::new();
        let mut statuses = Vec::new();
        let mut goes_on = true;
        for way in ways {
            (self.variables, self.folders) = before.clone();
            self.output.clone_from(&output);
            let status = way(self);
            let end = std::mem::take(&mut self.variables);
            // A way on which the script ends has no result.
            if self.flow != Flow::Dead {
                ends.push((end, self.output.take(), self.folders.clone()));
                statuses.push(status);
            }
            goes_on &= matches!(self.flow, Flow::On | Flow::Dead);
            self.flow = Flow::On;
        }
        self.is_certain = certain && goes_on;
        let mut ends = ends.into_iter();
        let Some((first, output, folders)) = ends.next() else {
            (self.variables, self.folders) = before;
            return Status::Unknown;
        };
        (self.variables, self.output, self.folders) = (first, output, folders);
        for (end, output, folders) in ends {
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
            if folders != self.folders {
                self.folders = vec![None];
            }
        }
        match statuses.as_slice() {
            [first, rest @ ..] if rest.iter().all(|other| other == first) => *first,
            _ => Status::Unknown,
        }
    }

    /// Follows statements in a subshell, which changes no variable of the shell around it.
    pub(super) fn subshell(&mut self, run: impl FnOnce(&mut Self) -> Status) -> Status {
        self.count(self.variables.len());
        let (variables, folders) = (self.variables.clone(), self.folders.clone());
        self.shells += 1;
        let status = run(self);
        self.shells -= 1;
        (self.variables, self.folders) = (variables, folders);
        // A refused command ends the whole shell, and `exit` only the subshell.
        if self.flow != Flow::Dead {
            self.flow = Flow::On;
        }
        status
    }

    /// Returns true if the next statement runs.
    pub(super) fn goes_on(&mut self) -> bool {
        let is_known = self.lost.is_none() || self.is_recording();
        self.flow == Flow::On && is_known && self.step()
    }
}
