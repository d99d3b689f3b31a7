//! Walks over everything inside statements, for code that collects names, words or commands.

use super::stmt::{
    Assigned, Assignment, Command, Declared, Expression, HereBody, Item, Redirect, RedirectTo,
    Stmt, Test,
};
use super::word::{Arithmetic, Expansion, Operation, Piece, Quoting, Token, Word};

/// An item that the walk visits.
#[derive(Clone, Copy, Debug)]
pub enum Seen<'a> {
    /// A word at any place.
    Word(&'a Word),
    /// The words of a command or of a command substitution, before they are visited one by one.
    Command(&'a [Word]),
    /// The name of a variable that is set.
    Variable(&'a str),
    /// The name of a function.
    Function(&'a str),
    /// The word of a [`Stmt::Raw`], before the word itself is visited.
    Raw(&'a Word),
    /// An expansion of a parameter in text that was read, before the words in it are visited.
    Expansion(&'a Expansion),
}

/// Calls `see` for every command and every word of the statements, in their order.
pub fn visit(stmts: &[Stmt], see: &mut dyn FnMut(Seen<'_>)) {
    for stmt in stmts {
        match stmt {
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
            Stmt::Select { name, items, body } => {
                see(Seen::Variable(name));
                for w in items.iter().flatten() {
                    visit_word(w, see);
                }
                visit(body, see);
            }
            Stmt::While {
                test: condition,
                body,
                ..
            } => {
                test(condition, see);
                visit(body, see);
            }
            Stmt::Loop { head, body } => {
                for part in head {
                    arithmetic(part, see);
                }
                visit(body, see);
            }
            Stmt::Case { word, arms, .. } => {
                visit_word(word, see);
                for arm in arms {
                    for w in &arm.patterns {
                        visit_word(w, see);
                    }
                    visit(&arm.body, see);
                }
            }
            Stmt::Function { name, body } => {
                see(Seen::Function(name));
                visit(body, see);
            }
            Stmt::Define(name, body) => {
                see(Seen::Function(name));
                one(body, see);
            }
            Stmt::Subshell(body) | Stmt::Group(body) => visit(body, see),
            Stmt::List(first, rest) | Stmt::Pipeline(first, rest) => {
                one(first, see);
                for link in rest {
                    one(&link.stmt, see);
                }
            }
            Stmt::Noted(inner, _) | Stmt::Not(inner) | Stmt::Background(inner) => one(inner, see),
            Stmt::Redirected(inner, redirects) => {
                one(inner, see);
                for r in redirects {
                    redirect(r, see);
                }
            }
            leaf => simple(leaf, see),
        }
    }
}

/// Returns the text of each [`Stmt::Raw`], at any depth: statements that have no typed form.
pub fn raw(stmts: &[Stmt]) -> Vec<String> {
    let mut out = Vec::new();
    visit(stmts, &mut |seen| {
        if let Seen::Raw(word) = seen {
            out.push(word.print_bare(Quoting::Whole));
        }
    });
    out
}

/// Visits a statement that contains no other statement.
fn simple(stmt: &Stmt, see: &mut dyn FnMut(Seen<'_>)) {
    match stmt {
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
            elements(items, see);
        }
        Stmt::Assignments(all) => {
            for a in all {
                assignment(a, see);
            }
        }
        Stmt::Declare(_, words) => {
            for word in words {
                match word {
                    Declared::Word(word) => visit_word(word, see),
                    Declared::Assignment(a) => assignment(a, see),
                }
            }
        }
        Stmt::Arithmetic(tokens) => arithmetic(tokens, see),
        Stmt::Expression(inner) => expression(inner, see),
        _ => {}
    }
}

fn one(stmt: &Stmt, see: &mut dyn FnMut(Seen<'_>)) {
    visit(std::slice::from_ref(stmt), see);
}

fn elements(items: &[Item], see: &mut dyn FnMut(Seen<'_>)) {
    for item in items {
        if let Some(w) = &item.index {
            visit_word(w, see);
        }
        visit_word(&item.word, see);
    }
}

fn assignment(of: &Assignment, see: &mut dyn FnMut(Seen<'_>)) {
    see(Seen::Variable(&of.name));
    if let Some(w) = &of.index {
        visit_word(w, see);
    }
    match &of.value {
        Assigned::Word(word) => visit_word(word, see),
        Assigned::Array { items, .. } => elements(items, see),
    }
}

fn redirect(of: &Redirect, see: &mut dyn FnMut(Seen<'_>)) {
    match &of.to {
        RedirectTo::File(_, word) | RedirectTo::HereString(word) => visit_word(word, see),
        RedirectTo::HereDocument(document) => {
            if let HereBody::Expanded(pieces) = &document.body {
                for p in pieces {
                    piece(p, see);
                }
            }
        }
    }
}

fn arithmetic(of: &Arithmetic, see: &mut dyn FnMut(Seen<'_>)) {
    for token in &of.tokens {
        if let Token::Piece(inner) = token {
            piece(inner, see);
        }
    }
}

fn expression(of: &Expression, see: &mut dyn FnMut(Seen<'_>)) {
    match of {
        Expression::Word(word) | Expression::Unary(_, word) => visit_word(word, see),
        Expression::Binary(left, _, right) => {
            visit_word(left, see);
            visit_word(right, see);
        }
        Expression::Not(inner) | Expression::Group(inner) => expression(inner, see),
        Expression::And(left, right) | Expression::Or(left, right) => {
            expression(left, see);
            expression(right, see);
        }
    }
}

fn piece(of: &Piece, see: &mut dyn FnMut(Seen<'_>)) {
    match of {
        Piece::Double(pieces) | Piece::Locale(pieces) | Piece::Bracket(pieces) => {
            for p in pieces {
                piece(p, see);
            }
        }
        Piece::Substitution(stmts)
        | Piece::Backticks(stmts)
        | Piece::ProcessInput(stmts)
        | Piece::ProcessOutput(stmts) => visit(stmts, see),
        Piece::Arithmetic(tokens) => arithmetic(tokens, see),
        Piece::Extglob(_, inner) | Piece::Braces(inner) => {
            for w in inner {
                visit_word(w, see);
            }
        }
        Piece::Expansion(expansion) => {
            see(Seen::Expansion(expansion));
            if let Some(w) = &expansion.index {
                visit_word(w, see);
            }
            match &expansion.operation {
                Operation::Value(_, word)
                | Operation::Strip(_, word)
                | Operation::Case(_, word) => {
                    visit_word(word, see);
                }
                Operation::Replace(_, pattern, with) => {
                    visit_word(pattern, see);
                    if let Some(w) = with {
                        visit_word(w, see);
                    }
                }
                Operation::Slice(offset, length) => {
                    arithmetic(offset, see);
                    if let Some(l) = length {
                        arithmetic(l, see);
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// Calls `see` for a word, and for the expansions, commands and words inside of it.
pub fn visit_word(of: &Word, see: &mut dyn FnMut(Seen<'_>)) {
    see(Seen::Word(of));
    for inner in of.commands() {
        words(inner, see);
    }
    of.pieces().for_each(|p| piece(p, see));
}

fn words(list: &[Word], see: &mut dyn FnMut(Seen<'_>)) {
    see(Seen::Command(list));
    for w in list {
        visit_word(w, see);
    }
}

fn command(c: &Command, see: &mut dyn FnMut(Seen<'_>)) {
    for a in &c.assignments {
        assignment(a, see);
    }
    for (name, value) in &c.env {
        see(Seen::Variable(name));
        visit_word(value, see);
    }
    words(&c.words, see);
    if let Some(w) = &c.output {
        visit_word(w, see);
    }
    for r in &c.redirects {
        redirect(r, see);
    }
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
        Test::Brackets(list) => {
            for w in list {
                visit_word(w, see);
            }
        }
        Test::Expression(inner) => expression(inner, see),
        Test::Statements(stmts) => visit(stmts, see),
        Test::Not(inner) => test(inner, see),
        Test::All(inner) | Test::Any(inner) => {
            for t in inner {
                test(t, see);
            }
        }
    }
}
