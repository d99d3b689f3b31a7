//! The assignments, references, calls and functions of a bash recipe, each with its bytes.
//!
//! An [`Outline`](crate::Outline) contains the items that edits change. A [`Script`] contains the
//! pairs that checks compare: the use of a variable and its assignment, or a command and the
//! function that defines it.

use crate::tree::{Tree, children, parse};
use crate::unreadable::Unreadable;
use crate::words::{Word, split};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The assignments, references, commands and functions of a bash text, in the order of the text.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// Places where a variable gets a value.
    pub sets: Vec<Set>,
    /// Places where the value of a variable is used.
    pub uses: Vec<Use>,
    /// Commands.
    pub calls: Vec<Call>,
    /// Functions.
    pub functions: Vec<Function>,
}

/// The place of a statement among functions and conditions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    /// The function around the statement, as an index into [`Script::functions`]; none at the top
    /// level.
    pub function: Option<usize>,
    /// Set inside `if`, `case`, a loop or a subshell, and behind `&&` and `||`. The statement may
    /// not run.
    pub is_conditional: bool,
}

/// An assignment of a variable.
#[derive(Clone, Debug)]
pub struct Set {
    /// The name, without an index.
    pub name: String,
    /// The bytes of the assignment.
    pub at: Range<usize>,
    /// The bytes of the value; empty for a loop's variable and for `read`.
    pub value_at: Range<usize>,
    /// The way in which the variable is set.
    pub kind: SetKind,
    /// The place of the assignment.
    pub scope: Scope,
}

/// The way in which a variable is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetKind {
    /// `NAME=…`, `NAME=( … )`.
    Assign,
    /// `NAME+=…`, `NAME[1]=…`.
    Append,
    /// By `local`, `declare`, `typeset`, `readonly`, with or without a value.
    Declare,
    /// For one command: `NAME=… command`.
    Environment,
    /// By a loop, `read`, `mapfile`, `printf -v` or another command that takes its name.
    Other,
}

/// A use of a variable's value.
#[derive(Clone, Debug)]
pub struct Use {
    /// The name, without an index.
    pub name: String,
    /// The bytes of the reference, from `$` on.
    pub at: Range<usize>,
    /// Set for `${NAME:-…}`, `${NAME+…}` and similar forms, which allow an unset variable.
    pub may_be_unset: bool,
    /// The place of the use.
    pub scope: Scope,
}

/// A command with its words.
#[derive(Clone, Debug)]
pub struct Call {
    /// The command's name; empty if the name is only known when the script runs.
    pub name: String,
    /// The bytes of the whole command.
    pub at: Range<usize>,
    /// The words behind the name.
    pub words: Vec<Word>,
    /// The place of the command.
    pub scope: Scope,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// The name.
    pub name: String,
    /// The bytes of the whole function.
    pub at: Range<usize>,
    /// The bytes of the name.
    pub name_at: Range<usize>,
    /// The place of the function.
    pub scope: Scope,
}

impl Script {
    /// Reads a bash text.
    ///
    /// # Errors
    /// A text that is not bash, or that is too deep or too long to be a recipe.
    ///
    /// ```
    /// let script = rocpkg_syntax::Script::read("A=1\nf() { use \"$A\"; }\n")?;
    /// assert_eq!(script.sets[0].name, "A");
    /// assert_eq!(script.calls[0].name, "use");
    /// assert_eq!(script.functions[0].name, "f");
    /// # Ok::<(), rocpkg_syntax::Unreadable>(())
    /// ```
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let tree = parse(text)?;
        let mut walk = ScriptWalk {
            text,
            out: Self::default(),
        };
        walk.all(tree.root_node(), Scope::default());
        Ok(walk.out)
    }

    /// Returns true if a function of this name is defined.
    pub fn defines(&self, name: &str) -> bool {
        self.functions.iter().any(|function| function.name == name)
    }

    /// Returns functions that a later function of the same name replaces before any command at the
    /// top level runs. Each is returned with the later one.
    pub fn replaced_functions(&self) -> Vec<(&Function, &Function)> {
        let mut last: BTreeMap<&str, &Function> = BTreeMap::new();
        let all = self.functions.iter();
        let mut out = Vec::new();
        for function in all.filter(|f| f.scope == Scope::default()) {
            let Some(first) = last.insert(&function.name, function) else {
                continue;
            };
            let between = first.at.end..function.at.start;
            let is_called = self
                .calls
                .iter()
                .any(|call| between.contains(&call.at.start) && call.scope.function.is_none());
            if !is_called {
                out.push((first, function));
            }
        }
        out
    }

    /// Returns uses of a function's own variable above the statement that declares the variable,
    /// each with that statement. Of several uses of one variable in a function, only the first is
    /// returned. A variable that is also set outside of the function is left out.
    ///
    /// ```
    /// let text = "f() {\n\techo \"${x}\"\n\tlocal x=1\n}\n";
    /// let script = rocpkg_syntax::Script::read(text)?;
    /// let (used, set) = script.uses_before_local()[0];
    /// assert!(used.name == "x" && used.at.start < set.at.start);
    /// # Ok::<(), rocpkg_syntax::Unreadable>(())
    /// ```
    pub fn uses_before_local(&self) -> Vec<(&Use, &Set)> {
        let mut sets: BTreeMap<&str, Vec<&Set>> = BTreeMap::new();
        for set in &self.sets {
            sets.entry(&set.name).or_default().push(set);
        }
        let mut done = BTreeSet::new();
        let mut out = Vec::new();
        for used in &self.uses {
            let Some(all) = sets.get(used.name.as_str()) else {
                continue;
            };
            let function = used.scope.function;
            let is_own = all.iter().all(|set| set.scope.function == function);
            let first = all.iter().min_by_key(|set| set.at.start);
            let Some(first) = first.filter(|_| is_own && function.is_some()) else {
                continue;
            };
            let is_late = first.at.start >= used.at.end
                && first.kind == SetKind::Declare
                && !first.scope.is_conditional
                && !used.may_be_unset;
            if is_late && done.insert((&used.name, function)) {
                out.push((used, *first));
            }
        }
        out
    }

    /// Returns the assignments of a variable at the top level, in the order of the text.
    pub fn sets_at_margin<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Set> {
        let all = self.sets.iter();
        all.filter(move |set| set.name == name && set.scope.function.is_none())
    }
}

struct ScriptWalk<'a> {
    text: &'a str,
    out: Script,
}

impl ScriptWalk<'_> {
    fn slice(&self, node: Tree) -> &str {
        &self.text[node.byte_range()]
    }

    fn all(&mut self, node: Tree, scope: Scope) {
        for child in children(node) {
            self.node(child, scope);
        }
    }

    fn node(&mut self, node: Tree, scope: Scope) {
        let conditional = Scope {
            is_conditional: true,
            ..scope
        };
        match node.kind() {
            "comment" | "raw_string" => {}
            "function_definition" => self.function(node, scope),
            "variable_assignment" => self.assignment(node, SetKind::Assign, scope),
            "declaration_command" | "unset_command" => self.declaration(node, scope),
            "command" => self.command(node, scope),
            "simple_expansion" | "expansion" => self.expansion(node, scope),
            "for_statement" => {
                if let Some(name) = node.child_by_field_name("variable") {
                    self.set(self.slice(name).to_owned(), node, SetKind::Other, scope);
                }
                self.all(node, conditional);
            }
            // The first command of a list runs, and the others may run.
            "list" => {
                let mut parts = children(node).into_iter();
                if let Some(first) = parts.next() {
                    self.node(first, scope);
                }
                parts.for_each(|part| self.node(part, conditional));
            }
            "if_statement"
            | "case_statement"
            | "while_statement"
            | "c_style_for_statement"
            | "subshell"
            | "command_substitution"
            | "process_substitution" => {
                self.all(node, conditional);
            }
            _ => self.all(node, scope),
        }
    }

    fn function(&mut self, node: Tree, scope: Scope) {
        let Some(name) = node.child_by_field_name("name") else {
            return;
        };
        self.out.functions.push(Function {
            name: self.slice(name).to_owned(),
            at: node.byte_range(),
            name_at: name.byte_range(),
            scope,
        });
        let inside = Scope {
            function: scope.function.or(Some(self.out.functions.len() - 1)),
            is_conditional: false,
        };
        if let Some(body) = node.child_by_field_name("body") {
            self.all(body, inside);
        }
    }

    fn assignment(&mut self, node: Tree, kind: SetKind, scope: Scope) {
        let (Some(name), value) = (
            node.child_by_field_name("name"),
            node.child_by_field_name("value"),
        ) else {
            return self.all(node, scope);
        };
        let written = self.slice(name);
        let bare = written.split('[').next().unwrap_or(written).to_owned();
        let end = value.map_or(node.end_byte(), |value| value.start_byte());
        let adds = written.contains('[') || self.text[name.end_byte()..end].contains("+=");
        let kind = match kind {
            SetKind::Assign if adds => SetKind::Append,
            kind => kind,
        };
        // The value is read before the variable is set.
        if name.kind() == "subscript" {
            self.all(name, scope);
        }
        if let Some(value) = value {
            self.node(value, scope);
        }
        self.out.sets.push(Set {
            name: bare,
            at: node.byte_range(),
            value_at: value.map_or(end..end, |value| value.byte_range()),
            kind,
            scope,
        });
    }

    fn set(&mut self, name: String, node: Tree, kind: SetKind, scope: Scope) {
        let at = node.byte_range();
        self.out.sets.push(Set {
            name,
            value_at: at.end..at.end,
            at,
            kind,
            scope,
        });
    }

    fn declaration(&mut self, node: Tree, scope: Scope) {
        let is_export = self.slice(node).starts_with("export");
        for child in children(node) {
            match child.kind() {
                "variable_assignment" => {
                    let kind = if is_export {
                        SetKind::Assign
                    } else {
                        SetKind::Declare
                    };
                    self.assignment(child, kind, scope);
                }
                "variable_name" if node.kind() == "declaration_command" && !is_export => {
                    self.set(self.slice(child).to_owned(), child, SetKind::Declare, scope);
                }
                _ => self.node(child, scope),
            }
        }
    }

    fn command(&mut self, node: Tree, scope: Scope) {
        let all = children(node);
        let name = all.iter().find(|child| child.kind() == "command_name");
        for child in &all {
            match child.kind() {
                "variable_assignment" if name.is_some() => {
                    self.assignment(*child, SetKind::Environment, scope);
                }
                _ => self.node(*child, scope),
            }
        }
        let Some(name) = name else { return };
        let words = split(self.text, name.end_byte(), node.end_byte());
        let called = self.slice(*name);
        let is_plain = !called.contains(['$', '`', '"', '\'', '\\', '*']);
        let called = if is_plain { called } else { "" }.to_owned();
        let takes_names = match called.as_str() {
            "read" | "mapfile" | "readarray" | "getopts" => words.as_slice(),
            "printf" => match words.as_slice() {
                [first, name, ..] if first.text() == Some("-v") => std::slice::from_ref(name),
                _ => &[],
            },
            _ => &[],
        };
        for word in takes_names {
            if let Some(text) = word.text().filter(|text| !text.starts_with('-')) {
                self.set(text.to_owned(), node, SetKind::Other, scope);
            }
        }
        self.out.calls.push(Call {
            name: called,
            at: node.byte_range(),
            words,
            scope,
        });
    }

    fn expansion(&mut self, node: Tree, scope: Scope) {
        let names = ["variable_name", "subscript"];
        let all = children(node);
        let found = all.iter().find(|child| names.contains(&child.kind()));
        let Some(found) = found else {
            return self.all(node, scope);
        };
        let written = self.slice(*found);
        let name = written.split('[').next().unwrap_or(written).to_owned();
        let behind = &self.text[found.end_byte()..node.end_byte()];
        let operators = ["-", ":-", "+", ":+", "=", ":=", "?", ":?"];
        let may_be_unset = node.kind() == "expansion"
            && operators
                .iter()
                .any(|operator| behind.starts_with(operator));
        if behind.starts_with('=') || behind.starts_with(":=") {
            self.set(name.clone(), node, SetKind::Other, scope);
        }
        self.out.uses.push(Use {
            name,
            at: node.byte_range(),
            may_be_unset,
            scope,
        });
        for child in all {
            if child.kind() == "subscript" || !names.contains(&child.kind()) {
                self.all(child, scope);
            }
        }
    }
}
