//! A walk over everything that statements say, so that what they need can be read off them.

use super::stmt::{Command, Stmt, Test};
use super::word::Word;

/// What the walk comes by.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// A word, wherever it stands.
    Word(&'a Word),
    /// The words of a command or of a command substitution, before they are seen one by one.
    Command(&'a [Word]),
    /// The name of a variable that is set.
    Variable(&'a str),
    /// The name of a function.
    Function(&'a str),
    /// Shell text that is printed as it is, before its word is seen.
    Raw(&'a Word),
}

/// Shows every command and every word of the statements, in the order in which they stand.
pub fn visit(stmts: &[Stmt], see: &mut dyn FnMut(Seen<'_>)) {
    for stmt in stmts {
        match stmt {
            Stmt::Blank | Stmt::Comment(_) => {}
            Stmt::Command(c) => command(c, see),
            Stmt::Assign { name, value, .. } => {
                see(Seen::Variable(name));
                visit_word(value, see);
            }
            Stmt::Raw(value) => {
                see(Seen::Raw(value));
                visit_word(value, see);
            }
            Stmt::Array { name, items, .. } => {
                see(Seen::Variable(name));
                for item in items {
                    visit_word(&item.word, see);
                }
            }
            Stmt::If {
                branches,
                otherwise,
            } => {
                for (condition, body) in branches {
                    test(condition, see);
                    visit(body, see);
                }
                visit(otherwise, see);
            }
            Stmt::For { name, items, body } => {
                see(Seen::Variable(name));
                for w in items {
                    visit_word(w, see);
                }
                visit(body, see);
            }
            Stmt::Function { name, body } => {
                see(Seen::Function(name));
                visit(body, see);
            }
        }
    }
}

/// Shows a word and what it substitutes.
pub fn visit_word(of: &Word, see: &mut dyn FnMut(Seen<'_>)) {
    see(Seen::Word(of));
    for inner in of.commands() {
        words(inner, see);
    }
}

fn words(list: &[Word], see: &mut dyn FnMut(Seen<'_>)) {
    see(Seen::Command(list));
    for w in list {
        visit_word(w, see);
    }
}

fn command(c: &Command, see: &mut dyn FnMut(Seen<'_>)) {
    for (name, value) in &c.env {
        see(Seen::Variable(name));
        visit_word(value, see);
    }
    words(&c.words, see);
    c.output.iter().for_each(|w| visit_word(w, see));
    if let Some(piped) = &c.pipe {
        command(piped, see);
    }
    if let Some(or) = &c.or {
        words(or, see);
    }
}

fn test(condition: &Test, see: &mut dyn FnMut(Seen<'_>)) {
    match condition {
        Test::Command(list) => words(list, see),
        Test::Brackets(list) => list.iter().for_each(|w| visit_word(w, see)),
        Test::Not(inner) => test(inner, see),
        Test::All(inner) | Test::Any(inner) => inner.iter().for_each(|t| test(t, see)),
    }
}
