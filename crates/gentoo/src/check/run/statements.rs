//! Follows statements.

use super::value::{Value, Variable};
use super::words::open;
use super::{Flow, Run, Status, Way};
use rocpkg_render::bash::{
    Arm, Assigned, Assignment, Command, Declared, Item, Joint, Link, Scope, Stmt, Test, Word,
};
use std::collections::BTreeSet;

impl<'a> Run<'a> {
    pub(super) fn all(&mut self, stmts: &[Stmt]) -> Status {
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
                let status = self.declared(*scope, name);
                self.assign(name, *append, Variable::Text(value));
                status
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
                let status = self.declared(*scope, name);
                self.assign(name, *append, items);
                status
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
            Stmt::Redirected(inner, _) => {
                // A redirection may fail, and it may take the output.
                let status = self.stmt(inner);
                self.printed(&open("output that is redirected is not evaluated"));
                if status == Status::Success {
                    Status::Unknown
                } else {
                    status
                }
            }
            Stmt::Subshell(body) => self.subshell(|run| run.all(body)),
            Stmt::Group(body) => self.all(body),
            Stmt::Function { name, body } => {
                self.functions.insert(name.clone(), body.as_slice().into());
                Status::Success
            }
            Stmt::Define(name, body) => {
                let body = std::slice::from_ref(&**body);
                self.functions.insert(name.clone(), body.into());
                Status::Success
            }
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
                self.repeat(None, body)
            }
            Stmt::Loop { body, .. } | Stmt::Select { body, .. } => self.repeat(None, body),
            _ => {
                self.lose("a statement can't be read");
                Status::Unknown
            }
        }
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
                    let run: Way = Box::new(|run: &mut Run<'a>| run.stmt(&link.stmt));
                    let skip: Way = Box::new(move |_: &mut Run<'a>| skipped);
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
                let run: Way = Box::new(|run: &mut Run<'a>| run.all(body));
                let skip: Way = Box::new(|run: &mut Run<'a>| run.branches(rest, otherwise));
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
                    (_, [super::pattern::Glob::AnyText]) => Some(true),
                    (Some(text), pattern) => Some(super::pattern::fits(pattern, text)),
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
                let run: Way = Box::new(|run: &mut Run<'a>| run.all(&arm.body));
                let skip: Way = Box::new(|run: &mut Run<'a>| run.case(value, rest));
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
            self.set(name, Variable::Text(open(reason)));
        }
        // In a second turn, variables have the values of the first.
        for _ in 0..2 {
            let run: Way = Box::new(|run: &mut Run<'a>| run.all(body));
            let skip: Way = Box::new(|_: &mut Run<'a>| Status::Unknown);
            self.either(&mut [run, skip], reason);
            // The end of the loop is the end of `break` and `continue`.
            self.is_certain |= self.shells == 0 && self.locals.is_empty() && self.lost.is_none();
        }
        Status::Unknown
    }

    /// Makes a variable local to the function, if the keyword is `local`.
    fn declared(&mut self, scope: Scope, name: &str) -> Status {
        match scope {
            Scope::Plain => self.last,
            Scope::Export => Status::Success,
            Scope::Local if self.locals.is_empty() => Status::Failed,
            Scope::Local => {
                self.localize(name);
                Status::Success
            }
        }
    }

    fn localize(&mut self, name: &str) {
        let before = self.variables.get(name).cloned();
        if let Some(locals) = self.locals.last_mut() {
            locals.entry(name.to_owned()).or_insert(before);
        }
    }

    fn assign(&mut self, name: &str, append: bool, value: Variable) {
        let before = if append { self.get(name) } else { None };
        let value = match (before, value) {
            (None, value) => value,
            (Some(Variable::Text(mut before)), Variable::Text(more)) => {
                before.append(&more);
                Variable::Text(before)
            }
            (Some(Variable::Array(mut before)), Variable::Array(more)) => {
                before.extend(more);
                Variable::Array(before)
            }
            (Some(Variable::Text(before)), Variable::Array(more)) => {
                Variable::Array([vec![before], more].concat())
            }
            (Some(Variable::Array(mut before)), Variable::Text(more)) => {
                match before.first_mut() {
                    Some(first) => first.append(&more),
                    None => before.push(more),
                }
                Variable::Array(before)
            }
            (Some(Variable::Open(reason)), Variable::Text(more)) => {
                let mut before = Value::open(&reason);
                before.append(&more);
                Variable::Text(before)
            }
            (Some(before), _) => before,
        };
        self.set(name, value);
    }

    fn assignment(&mut self, of: &Assignment) {
        let value = match &of.value {
            Assigned::Word(word) => Variable::Text(self.text(word)),
            Assigned::Array { items, .. } => self.items(items),
        };
        if of.index.is_some() {
            let reason = format!("an element of `{}` is set by its index", of.name);
            self.set(&of.name, Variable::Open(reason.into()));
        } else {
            self.assign(&of.name, of.append, value);
        }
    }

    fn items(&mut self, items: &[Item]) -> Variable {
        if items.iter().any(|item| item.index.is_some()) {
            return Variable::Open("an element is set by its index".into());
        }
        let all = items.iter().map(|item| &item.word);
        Variable::Array(all.flat_map(|word| self.fields(word)).collect())
    }

    fn declare(&mut self, keyword: &str, words: &[Declared]) -> Status {
        let is_local = matches!(keyword, "local" | "declare" | "typeset");
        let is_global = |word: &Declared| match word {
            Declared::Word(word) => {
                let text = word.text().unwrap_or_default();
                text.starts_with('-') && text.contains('g')
            }
            Declared::Assignment(_) => false,
        };
        let is_local = is_local && !words.iter().any(is_global) && !self.locals.is_empty();
        if keyword == "local" && self.locals.is_empty() {
            return Status::Failed;
        }
        for word in words {
            match word {
                Declared::Assignment(one) => {
                    if is_local {
                        self.localize(&one.name);
                    }
                    self.assignment(one);
                }
                Declared::Word(word) => {
                    let name = word.text().filter(|name| !name.starts_with('-'));
                    if let Some(name) = name.filter(|_| is_local) {
                        self.localize(&name);
                        self.variables.remove(&name);
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
        let all = [name, arguments].concat();
        let is_plain = command.redirects.is_empty() && command.output.is_none();
        let outer = if is_plain {
            None
        } else {
            Some(self.output.replace(Value::default()))
        };
        let status = self.call(&all);
        if let Some(outer) = outer {
            self.output = outer;
            self.printed(&open("output that is redirected is not evaluated"));
        }
        if is_plain || status == Status::Failed {
            status
        } else {
            Status::Unknown
        }
    }

    /// Runs a command of plain words.
    pub(super) fn words(&mut self, words: &[Word]) -> Status {
        let all: Vec<Value> = words.iter().flat_map(|word| self.fields(word)).collect();
        self.call(&all)
    }

    /// Runs a command by its words.
    pub(super) fn call(&mut self, all: &[Value]) -> Status {
        if self.flow != Flow::On {
            return Status::Unknown;
        }
        let Some((name, arguments)) = all.split_first() else {
            return self.last;
        };
        let Some(name) = name.known() else {
            self.lose("the name of a command is known only when the ebuild runs");
            return Status::Unknown;
        };
        let Some(body) = self.functions.get(&name).cloned() else {
            return self.builtin(&name, arguments);
        };
        if self.locals.len() >= super::MOST_CALLS {
            self.lose("functions call each other");
            return Status::Unknown;
        }
        let outer = std::mem::replace(&mut self.arguments, arguments.to_vec());
        self.locals.push(std::collections::BTreeMap::new());
        let status = self.all(&body);
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
    pub(super) fn printed(&mut self, text: &Value) {
        if let Some(output) = &mut self.output {
            output.append(text);
        }
    }

    /// Opens all variables that Portage reads, as a function of an eclass may add to them. Other
    /// variables of the eclass `variables` are open, too.
    pub(super) fn opened(&mut self, reason: &str, variables: Option<&BTreeSet<String>>) {
        let value = open(reason);
        for name in super::commands::METADATA {
            if let Some(Variable::Text(own)) = self.variables.get_mut(*name) {
                own.push(" ");
                own.append(&value);
            } else {
                self.set(name, Variable::Text(value.clone()));
            }
        }
        for name in variables.into_iter().flatten() {
            let is_own = super::commands::METADATA.contains(&name.as_str());
            if !is_own && !super::OF_PATH.contains(&name.as_str()) {
                self.set(name, Variable::Text(value.clone()));
            }
        }
    }
}
