//! The commands of a function, with the folders in which they run.

use super::value::{Value, Variable};
use super::{Flow, Host, Run, Status};
use crate::word::Place;

/// A command of a function.
#[derive(Clone, Debug)]
pub struct Step {
    /// The name of the command; empty if it is known only when the recipe runs.
    pub name: String,
    /// The arguments. Redirections are at the end: `<` or `>`, then the file.
    pub words: Vec<Value>,
    /// The path of the folder in which the command runs; `None` if it is not certain.
    pub folder: Option<String>,
    /// Set if the command may not run.
    pub is_conditional: bool,
    /// The place of the command, or of the value that a variable is set to.
    pub at: Place,
}

impl Step {
    /// Returns the argument of `cd` or `pushd` that is the folder. Returns `None` for a call
    /// without a folder, or for `cd -`.
    pub fn target(&self) -> Option<&Value> {
        target(&self.words)
    }
}

/// Returns `path` from the root and without `.` and `..`. A path that does not begin with `/` is
/// one below `folder`. Returns `None` for such a path without a folder.
pub fn path(folder: Option<&str>, path: &str) -> Option<String> {
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{}/{path}", folder?)
    };
    let mut parts = Vec::new();
    for part in whole.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    Some(format!("/{}", parts.join("/")))
}

fn target(words: &[Value]) -> Option<&Value> {
    let text = |word: &Value| word.known().unwrap_or_default();
    let is_sign = |word: &&Value| matches!(text(word).as_str(), "<" | ">");
    let words = words.iter().take_while(|word| !is_sign(word));
    let mut words = words.filter(|word| {
        let text = text(word);
        text == "-" || !text.starts_with('-')
    });
    words
        .next()
        .filter(|word| !matches!(text(word).as_str(), "-" | "") || word.reason().is_some())
}

impl<H: Host> Run<H> {
    /// Follows the function `name`, which begins in `folder`, and returns its commands and those of
    /// functions that it calls, in order. Variables stay as they were.
    pub fn steps_of(&mut self, name: &str, folder: Option<String>) -> Vec<Step> {
        let Some(body) = self.functions.get(name).cloned() else {
            return Vec::new();
        };
        let variables = self.variables.clone();
        let lost = self.lost.clone();
        self.steps = Some(Vec::new());
        self.folders = vec![folder];
        self.is_certain = true;
        self.flow = Flow::On;
        self.work = super::MOST_WORK;
        self.function(&body, &[]);
        (self.variables, self.lost) = (variables, lost);
        self.flow = Flow::On;
        self.steps.take().unwrap_or_default()
    }

    /// Makes a variable known only when the recipe runs.
    pub fn forget(&mut self, name: &str, reason: &str) {
        let reason = self.reason(reason);
        self.variables
            .insert(name.to_owned(), Variable::Open(reason));
    }

    pub(super) fn record(&mut self, name: &str, arguments: &[Value]) {
        let step = Step {
            name: name.to_owned(),
            words: arguments.to_vec(),
            folder: self.folders.last().cloned().flatten(),
            is_conditional: !self.is_certain,
            at: self.at,
        };
        if let Some(steps) = &mut self.steps {
            steps.push(step);
        }
    }

    /// Adds a command to the steps, and returns its status.
    pub(super) fn recorded(&mut self, name: &str, arguments: &[Value]) -> Status {
        self.record(name, arguments);
        match H::command(self, name, arguments) {
            // A command that the host does not have in functions ends nothing.
            Status::Failed if self.flow == Flow::On => Status::Unknown,
            status => status,
        }
    }

    /// Enters or leaves a folder.
    pub(super) fn enter(&mut self, name: &str, arguments: &[Value]) -> Status {
        if !self.is_recording() {
            let reason = self.reason(&format!("only bash can run `{name}`"));
            self.printed(&Value::open(&reason));
            self.passed.push(reason);
            return Status::Unknown;
        }
        self.record(name, arguments);
        if name == "popd" {
            self.folders.pop();
            if self.folders.is_empty() {
                self.folders.push(None);
            }
            return Status::Unknown;
        }
        let here = self.folders.last().cloned().flatten();
        let next = target(arguments).and_then(Value::known);
        let next = next.and_then(|next| path(here.as_deref(), &next));
        if name == "cd" {
            self.folders.pop();
        }
        self.folders.push(next);
        Status::Unknown
    }
}
