//! The last look at statements before they are printed: whatever stands where bash reads a name is one.

use super::name::{function, identifier, is_identifier};
use super::stmt::{Command, Stmt};
use super::visit::{Seen, visit};
use super::word::Word;
use std::borrow::Cow;

/// The names among the statements that bash would not take for names, each once.
pub fn check(stmts: &[Stmt]) -> Vec<String> {
    let mut out = Vec::new();
    names(stmts, &mut |name, is_function| {
        let tamed = if is_function { function(name) } else { identifier(name) };
        if matches!(tamed, Cow::Owned(_)) && !out.iter().any(|n| n == name) {
            out.push(name.to_owned());
        }
    });
    visit(stmts, &mut |seen| {
        let Seen::Word(word) = seen else { return };
        for inside in word.expansions().filter(|e| !is_expansion(e)) {
            if !out.iter().any(|n| n == inside) {
                out.push(inside.to_owned());
            }
        }
    });
    out
}

/// What may stand between the braces of an expansion: a name, and what is done to its value.
fn is_expansion(inside: &str) -> bool {
    // `${#name[@]}` counts.
    let inside = inside.strip_prefix('#').unwrap_or(inside);
    let end = inside.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(inside.len());
    let (name, rest) = inside.split_at(end);
    let plain = is_identifier(name) || (name.is_empty() && rest == "@");
    plain
        && (rest.is_empty() || rest.starts_with(['[', '#', '%', '/', '@']))
        && !rest.contains(['`', '(', '\n'])
        // A text that is replaced may hold blanks.
        && (rest.starts_with('/') || !rest.contains(' '))
        && !rest.replace("${EPREFIX}", "").contains(['$', '}'])
}

fn names<'a>(stmts: &'a [Stmt], see: &mut dyn FnMut(&'a str, bool)) {
    for stmt in stmts {
        match stmt {
            Stmt::Blank | Stmt::Comment(_) | Stmt::Raw(_) => {}
            Stmt::Command(c) => command(c, see),
            Stmt::Assign { name, .. } | Stmt::Array { name, .. } => see(name, false),
            Stmt::If { branches, otherwise } => {
                for (_, body) in branches {
                    names(body, see);
                }
                names(otherwise, see);
            }
            Stmt::For { name, body, .. } => {
                see(name, false);
                names(body, see);
            }
            Stmt::Function { name, body } => {
                see(name, true);
                names(body, see);
            }
        }
    }
}

fn command<'a>(c: &'a Command, see: &mut dyn FnMut(&'a str, bool)) {
    c.env.iter().for_each(|(name, _)| see(name, false));
    // `local NAME=value` is a command, and an assignment all the same.
    let declares = |w: &Word| matches!(w.as_literal(), Some("local" | "export" | "declare" | "readonly"));
    if c.words.first().is_some_and(declares) {
        let named = c.words.iter().skip(1).filter_map(Word::first_literal).filter(|w| !w.starts_with('-'));
        named.for_each(|w| see(w.split_once('=').map_or(w, |(name, _)| name), false));
    }
    if let Some(piped) = &c.pipe {
        command(piped, see);
    }
}
