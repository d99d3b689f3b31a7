//! What a recipe's statements give to the variables by which upstream's build takes GPU targets.

use rocpkg_render::bash::{Seen, Stmt, Word, visit};

/// A variable of upstream's build, and what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// `GPU_TARGETS` and its like.
    pub variable: String,
    /// The variable of the environment that takes the value's place where it is set.
    pub unless: Option<String>,
    /// The value, once variables of the recipe are replaced by what they are set to.
    pub value: PassedValue,
}

/// What a variable is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PassedValue {
    /// A list written out, with whatever stands between its elements.
    Literal(String),
    /// What a command prints: its words.
    Command(Vec<String>),
    /// Anything else, as printed.
    Other(String),
}

/// What the statements pass in `-DNAME=value`, for each name that `known` accepts and each value that is what `command` prints.
pub fn passed(stmts: &[&[Stmt]], known: &dyn Fn(&str) -> bool, command: &str) -> Vec<Passed> {
    let mut assigned: Vec<(&str, &Word)> = Vec::new();
    for list in stmts {
        assignments(list, &mut assigned);
    }
    let mut out: Vec<Passed> = Vec::new();
    for list in stmts {
        visit(list, &mut |seen| {
            let Seen::Word(word) = seen else { return };
            let Some((name, value)) = word.definition() else { return };
            let (unless, value) = match value.as_default() {
                Some((variable, otherwise)) => (Some(variable.to_owned()), otherwise.clone()),
                None => (None, value),
            };
            let value = read(&value, &assigned, 0);
            let asks =
                matches!(&value, PassedValue::Command(words) if words.first().is_some_and(|w| w == command));
            let one = Passed { variable: name.to_owned(), unless, value };
            if (asks || known(name)) && !out.contains(&one) {
                out.push(one);
            }
        });
    }
    out
}

/// Variables that stand for each other deeper than this are no longer followed.
const DEEPEST: usize = 8;

fn read(value: &Word, assigned: &[(&str, &Word)], depth: usize) -> PassedValue {
    let printed = || PassedValue::Other(value.print(rocpkg_render::bash::Quoting::Whole));
    if let Some(text) = value.as_literal() {
        return PassedValue::Literal(text.to_owned());
    }
    if let Some(words) = value.as_command() {
        let words: Option<Vec<String>> = words.iter().map(|w| w.as_literal().map(str::to_owned)).collect();
        return words.map_or_else(printed, PassedValue::Command);
    }
    // `${targets%;}` is the list without its last separator.
    let name = value.as_variable().map(|n| n.strip_suffix("%;").unwrap_or(n));
    let mut values = assigned.iter().filter(|(n, _)| Some(*n) == name);
    match (values.next(), values.next()) {
        (Some((_, word)), None) if depth < DEEPEST => read(word, assigned, depth + 1),
        _ => printed(),
    }
}

fn assignments<'a>(stmts: &'a [Stmt], out: &mut Vec<(&'a str, &'a Word)>) {
    for stmt in stmts {
        match stmt {
            Stmt::Assign { name, value, append: false, .. } => out.push((name, value)),
            Stmt::If { branches, otherwise } => {
                for (_, body) in branches {
                    assignments(body, out);
                }
                assignments(otherwise, out);
            }
            Stmt::For { body, .. } | Stmt::Function { body, .. } | Stmt::From(_, body) => {
                assignments(body, out);
            }
            _ => {}
        }
    }
}

/// The names of a list written out: between semicolons, commas or spaces.
pub fn listed(list: &str) -> Vec<String> {
    let parts = list.split([';', ',', ' ']).map(str::trim).filter(|n| !n.is_empty());
    parts.map(str::to_owned).collect()
}
