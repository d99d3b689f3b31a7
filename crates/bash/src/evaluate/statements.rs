//! Follows statements.

use super::laws::SETS;
use super::pattern::{Glob, fits};
use super::value::{Value, Variable};
use super::{Flow, Host, Run, Status, Way};
use crate::stmt::{
    Arm, Assigned, Assignment, Command, Declared, Joint, Link, Redirect, RedirectTo, Scope, Stmt,
    Test,
};
use crate::word::{Place, Word};
use std::collections::BTreeMap;

impl<H: Host> Run<H> {
    /// Follows statements, and returns the status of the last one.
    pub fn all(&mut self, stmts: &[Stmt]) -> Status {
        let mut status = Status::Success;
        for stmt in stmts {
            let is_note = matches!(stmt, Stmt::Blank | Stmt::Comment(_) | Stmt::Remark(_));
            if is_note {
                continue;
            }
            if !self.goes_on() {
                break;
            }
            status = self.stmt(stmt);
        }
        status
    }

    fn stmt(&mut self, stmt: &Stmt) -> Status {
        match stmt {
            Stmt::Noted(inner, _) => self.stmt(inner),
            Stmt::Command(command) => self.command(command),
            Stmt::Assign {
                scope,
                name,
                append,
                value,
            } => {
                self.last = Status::Success;
                let value = self.text(value);
                self.scoped(*scope, name, *append, Variable::Text(value))
            }
            Stmt::Array {
                scope,
                name,
                append,
                items,
                ..
            } => {
                self.last = Status::Success;
                let items = self.items(items);
                self.scoped(*scope, name, *append, items)
            }
            Stmt::Assignments(all) => {
                self.last = Status::Success;
                for assignment in all {
                    self.assignment(assignment);
                }
                self.last
            }
            Stmt::Declare(keyword, words) => self.declare(keyword, words),
            Stmt::List(first, rest) => {
                let first = self.stmt(first);
                self.list(first, rest)
            }
            Stmt::Pipeline(first, rest) => {
                let outer = self.output.replace(Value::default());
                let mut status = self.subshell(|run| run.stmt(first));
                for (i, link) in rest.iter().enumerate() {
                    if i + 1 == rest.len() {
                        self.output.clone_from(&outer);
                    }
                    if self.flow == Flow::On {
                        status = self.subshell(|run| run.stmt(&link.stmt));
                    }
                }
                status
            }
            Stmt::Not(inner) => self.stmt(inner).not(),
            Stmt::Background(inner) => {
                self.subshell(|run| run.stmt(inner));
                Status::Success
            }
            Stmt::Redirected(inner, redirects) => {
                // A redirection may fail, and it may take the output.
                let status = self.stmt(inner);
                let value = self.open("output that is redirected is not evaluated");
                self.printed(&value);
                if status == Status::Success && redirects.iter().any(may_fail) {
                    Status::Unknown
                } else {
                    status
                }
            }
            Stmt::Subshell(body) => self.subshell(|run| run.all(body)),
            Stmt::Group(body) => self.all(body),
            Stmt::Function { name, body } => self.define(name, body),
            Stmt::Define(name, body) => self.define(name, std::slice::from_ref(&**body)),
            Stmt::If {
                branches,
                otherwise,
            } => self.branches(branches, otherwise),
            Stmt::Case { word, arms, .. } => {
                let value = self.text(word);
                self.case(&value, arms)
            }
            Stmt::For { name, items, body } => self.each(name, items, body),
            Stmt::Expression(expression) => Status::of(self.decide(expression)),
            Stmt::Arithmetic(arithmetic) => {
                Status::of(self.arithmetic(arithmetic).map(|number| number != 0))
            }
            Stmt::While { until, test, body } => {
                let status = self.test(test);
                let status = if *until { status.not() } else { status };
                if status == Status::Failed {
                    return Status::Success;
                }
                // The first turn certainly runs.
                if status == Status::Success {
                    self.all(body);
                    match self.flow {
                        Flow::Continue => self.flow = Flow::On,
                        Flow::Break => {
                            self.flow = Flow::On;
                            return Status::Success;
                        }
                        _ => {}
                    }
                }
                if self.flow != Flow::On {
                    return self.last;
                }
                self.repeat(None, body)
            }
            Stmt::Loop { body, .. } | Stmt::Select { body, .. } => self.repeat(None, body),
            _ => {
                self.lose("a statement can't be read");
                Status::Unknown
            }
        }
    }

    fn define(&mut self, name: &str, body: &[Stmt]) -> Status {
        self.functions.insert(name.to_owned(), body.into());
        Status::Success
    }

    /// Follows the statements behind `&&` and `||`.
    fn list(&mut self, first: Status, rest: &[Link]) -> Status {
        let mut status = first;
        for link in rest {
            if self.flow != Flow::On {
                return status;
            }
            let runs = match link.joint {
                Joint::And => status,
                _ => status.not(),
            };
            match runs {
                Status::Success => status = self.stmt(&link.stmt),
                Status::Failed => {}
                Status::Unknown => {
                    let skipped = match link.joint {
                        Joint::And => Status::Failed,
                        _ => Status::Success,
                    };
                    let run: Way<H> = Box::new(|run: &mut Run<H>| run.stmt(&link.stmt));
                    let skip: Way<H> = Box::new(move |_: &mut Run<H>| skipped);
                    status = self.either(&mut [run, skip], "it depends on a condition");
                }
            }
        }
        status
    }

    fn branches(&mut self, branches: &[(Test, Vec<Stmt>)], otherwise: &[Stmt]) -> Status {
        let Some(((test, body), rest)) = branches.split_first() else {
            return self.all(otherwise);
        };
        match self.test(test) {
            _ if self.flow != Flow::On => Status::Unknown,
            Status::Success => self.all(body),
            Status::Failed => self.branches(rest, otherwise),
            Status::Unknown => {
                let run: Way<H> = Box::new(|run: &mut Run<H>| run.all(body));
                let skip: Way<H> = Box::new(|run: &mut Run<H>| run.branches(rest, otherwise));
                self.either(&mut [run, skip], "it depends on a condition")
            }
        }
    }

    fn case(&mut self, value: &Value, arms: &[Arm]) -> Status {
        let Some((arm, rest)) = arms.split_first() else {
            return Status::Success;
        };
        let text = value.known().map(|text| text.chars().collect::<Vec<_>>());
        let mut is_taken = Some(false);
        for pattern in &arm.patterns {
            let fits = self
                .pattern(pattern)
                .map(|pattern| match (&text, pattern.as_slice()) {
                    (_, [Glob::AnyText]) => Some(true),
                    (Some(text), pattern) => Some(fits(pattern, text)),
                    (None, _) => None,
                });
            match fits.flatten() {
                Some(true) => {
                    is_taken = Some(true);
                    break;
                }
                Some(false) => {}
                None => is_taken = None,
            }
        }
        let ends = arm.end == ";;";
        match is_taken {
            Some(true) if ends => self.all(&arm.body),
            Some(false) => self.case(value, rest),
            _ => {
                let run: Way<H> = Box::new(|run: &mut Run<H>| run.all(&arm.body));
                let skip: Way<H> = Box::new(|run: &mut Run<H>| run.case(value, rest));
                self.either(&mut [run, skip], "it depends on a condition")
            }
        }
    }

    /// Follows a `for` loop.
    fn each(&mut self, name: &str, items: &[Word], body: &[Stmt]) -> Status {
        let all: Vec<Value> = items.iter().flat_map(|word| self.fields(word)).collect();
        if all.iter().any(|value| value.reason().is_some()) {
            return self.repeat(Some(name), body);
        }
        let mut status = Status::Success;
        for value in all {
            if !self.goes_on() {
                break;
            }
            self.set(name, Variable::Text(value));
            status = self.all(body);
            match self.flow {
                Flow::Continue => self.flow = Flow::On,
                Flow::Break => {
                    self.flow = Flow::On;
                    break;
                }
                _ => {}
            }
        }
        status
    }

    /// Follows a loop whose number of turns is not known. `name` is its variable.
    fn repeat(&mut self, name: Option<&str>, body: &[Stmt]) -> Status {
        let reason = "it is set in a loop";
        if let Some(name) = name {
            let value = self.open(reason);
            self.set(name, Variable::Text(value));
        }
        // In a second turn, variables have the values of the first.
        for _ in 0..2 {
            let run: Way<H> = Box::new(|run: &mut Run<H>| run.all(body));
            let skip: Way<H> = Box::new(|_: &mut Run<H>| Status::Unknown);
            self.either(&mut [run, skip], reason);
            // The end of the loop is the end of `break` and `continue`.
            self.is_certain |= self.shells == 0 && self.locals.is_empty() && self.lost.is_none();
        }
        Status::Unknown
    }

    /// Sets a variable, which is local to the function if the keyword is `local`.
    fn scoped(&mut self, scope: Scope, name: &str, append: bool, value: Variable) -> Status {
        let keyword = scope.keyword().trim_end();
        let is_inside = !self.locals.is_empty();
        let status = match scope {
            Scope::Plain => self.last,
            Scope::Local if !is_inside => Status::Failed,
            Scope::Local | Scope::Export => Status::Success,
        };
        if scope == Scope::Local {
            self.localize(name);
        }
        self.assign(name, append, value);
        let reason = H::declare(keyword, "").filter(|_| scope != Scope::Plain && !is_inside);
        if let Some(reason) = reason {
            let reason = self.reason(&reason);
            self.set(name, Variable::Open(reason));
        }
        status
    }

    fn localize(&mut self, name: &str) {
        let before = self.variables.get(name).cloned();
        if let Some(locals) = self.locals.last_mut() {
            locals.entry(name.to_owned()).or_insert(before);
        }
    }

    fn assign(&mut self, name: &str, append: bool, value: Variable) {
        if self.is_recording() {
            self.record(&format!("{name}{SETS}"), &[]);
        }
        let value = if append {
            match self.get(name) {
                Some(before) => before.added(value),
                None => value,
            }
        } else {
            // A text that is assigned to an array becomes its first element.
            match (self.variables.get(name), value) {
                (Some(Variable::Array(all)), Variable::Text(first)) => {
                    let rest = all.get(1..).unwrap_or_default();
                    Variable::Array([&[first], rest].concat())
                }
                (_, value) => value,
            }
        };
        self.set(name, value);
    }

    pub(super) fn value_of(&mut self, assignment: &Assignment) -> Variable {
        match &assignment.value {
            Assigned::Word(word) => Variable::Text(self.text(word)),
            Assigned::Array { items, .. } => self.items(items),
        }
    }

    fn assignment(&mut self, of: &Assignment) {
        let value = self.value_of(of);
        if of.index.is_some() {
            let reason = self.reason("a single element of an array is set");
            self.set(&of.name, Variable::Open(reason));
        } else {
            self.assign(&of.name, of.append, value);
        }
    }

    fn declare(&mut self, keyword: &str, words: &[Declared]) -> Status {
        let is_inside = !self.locals.is_empty();
        if keyword == "local" && !is_inside {
            return Status::Failed;
        }
        let mut flags = String::new();
        for word in words {
            if let Declared::Word(word) = word {
                let text = word.text().unwrap_or_default();
                flags.extend(text.strip_prefix('-'));
            }
        }
        let is_local = matches!(keyword, "local" | "declare" | "typeset");
        let is_local = is_local && !flags.contains('g') && is_inside;
        let reason = if is_inside {
            None
        } else {
            H::declare(keyword, &flags)
        };
        for word in words {
            match word {
                Declared::Assignment(one) => {
                    if is_local {
                        self.localize(&one.name);
                    }
                    self.assignment(one);
                    if let Some(reason) = &reason {
                        let reason = self.reason(reason);
                        self.set(&one.name, Variable::Open(reason));
                    }
                }
                Declared::Word(word) => {
                    self.text(word);
                    let name = word.text().filter(|name| !name.starts_with('-'));
                    let Some(name) = name else { continue };
                    if is_local {
                        self.localize(&name);
                        self.variables.remove(&name);
                    }
                    if let Some(reason) = &reason {
                        let reason = self.reason(reason);
                        self.set(&name, Variable::Open(reason));
                    }
                }
            }
        }
        Status::Success
    }

    fn command(&mut self, command: &Command) -> Status {
        self.last = Status::Success;
        let mut words = command.words.iter();
        let Some(first) = words.next() else {
            for assignment in &command.assignments {
                self.assignment(assignment);
            }
            for (name, value) in &command.env {
                let value = self.text(value);
                self.assign(name, false, Variable::Text(value));
            }
            return if command.redirects.is_empty() {
                self.last
            } else {
                Status::Unknown
            };
        };
        let name = self.fields(first);
        let arguments: Vec<Value> = words.flat_map(|word| self.fields(word)).collect();
        for (_, value) in &command.env {
            self.text(value);
        }
        if self.flow != Flow::On {
            return Status::Unknown;
        }
        let mut all = [name, arguments].concat();
        if self.is_recording() {
            let files: Vec<Value> = command
                .redirects
                .iter()
                .flat_map(|r| self.file(r))
                .collect();
            all.extend(files);
        }
        let is_plain = command.redirects.is_empty() && command.output.is_none();
        let outer = if is_plain {
            None
        } else {
            Some(self.output.replace(Value::default()))
        };
        self.at = whole(&command.words).or(self.at);
        let status = self.call(&all);
        if let Some(outer) = outer {
            self.output = outer;
            let value = self.open("output that is redirected is not evaluated");
            self.printed(&value);
        }
        let is_plain = command.output.is_none() && !command.redirects.iter().any(may_fail);
        if is_plain || status == Status::Failed {
            status
        } else {
            Status::Unknown
        }
    }

    /// Returns the sign of a redirection to a file, and the file.
    fn file(&mut self, redirect: &Redirect) -> Vec<Value> {
        match &redirect.to {
            RedirectTo::File(sign, word) if !sign.ends_with('&') => {
                let sign = if sign.starts_with('<') { "<" } else { ">" };
                [vec![sign.into()], self.fields(word)].concat()
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn words(&mut self, words: &[Word]) -> Status {
        let all: Vec<Value> = words.iter().flat_map(|word| self.fields(word)).collect();
        self.call(&all)
    }

    /// Runs a command by its words.
    pub fn call(&mut self, all: &[Value]) -> Status {
        if self.flow != Flow::On {
            return Status::Unknown;
        }
        let Some((first, arguments)) = all.split_first() else {
            return self.last;
        };
        let Some(name) = first.known() else {
            if self.is_recording() {
                self.record("", arguments);
            } else {
                self.lose("the name of a command is known only when the recipe runs");
            }
            return Status::Unknown;
        };
        let Some(body) = self.functions.get(&name).cloned() else {
            return self.builtin(&name, arguments);
        };
        if self.locals.len() >= super::MOST_CALLS {
            self.lose("functions call each other");
            return Status::Unknown;
        }
        self.function(&body, arguments)
    }

    pub(super) fn function(&mut self, body: &[Stmt], arguments: &[Value]) -> Status {
        let outer = std::mem::replace(&mut self.arguments, arguments.to_vec());
        self.locals.push(BTreeMap::new());
        let status = self.all(body);
        for (name, before) in self.locals.pop().unwrap_or_default() {
            match before {
                Some(before) => self.variables.insert(name, before),
                None => self.variables.remove(&name),
            };
        }
        self.arguments = outer;
        if self.flow == Flow::Return {
            self.flow = Flow::On;
            return self.last;
        }
        status
    }

    /// Adds text to the output of the command substitution that runs.
    pub fn printed(&mut self, text: &Value) {
        if let Some(output) = &mut self.output {
            output.append(text);
        }
    }
}

/// Returns true if the file of a redirection may be missing.
fn may_fail(redirect: &Redirect) -> bool {
    match &redirect.to {
        RedirectTo::File(sign, word) => {
            !sign.ends_with('&') && word.text().as_deref() != Some("/dev/null")
        }
        RedirectTo::HereString(_) | RedirectTo::HereDocument(_) => false,
    }
}

/// Returns the place of a command from its first word to its last one.
fn whole(words: &[Word]) -> Place {
    let ends = words.first().zip(words.last());
    let ends = ends.and_then(|(first, last)| first.place().range().zip(last.place().range()));
    ends.map_or_else(Place::default, |(first, last)| {
        Place::new(first.start..last.end)
    })
}
