//! Checks statements before they are printed: each text at a place where bash requires a name must
//! be a name.

use super::name::{function, identifier, is_identifier};
use super::reader::read_shell;
use super::stmt::Stmt;
use super::visit::{Seen, visit};
use super::word::{Quoting, Word};
use std::borrow::Cow;

/// Returns the names of variables and functions in the statements that bash refuses as names, such
/// as `a b`. Each is returned once.
pub fn check(stmts: &[Stmt]) -> Vec<String> {
    let mut out = Vec::new();
    visit(stmts, &mut |seen| {
        let is_wrong = |name: &&str| matches!(identifier(name), Cow::Owned(_));
        let wrong: Vec<&str> = match seen {
            Seen::Variable(name) => [name].into_iter().filter(is_wrong).collect(),
            Seen::Function(name) => [name]
                .into_iter()
                .filter(|n| matches!(function(n), Cow::Owned(_)))
                .collect(),
            Seen::Command(words) => declared(words).filter(is_wrong).collect(),
            Seen::Word(word) => word.expansions().filter(|e| !is_expansion(e)).collect(),
            Seen::Raw(_) | Seen::Expansion(_) => Vec::new(),
        };
        for name in wrong {
            if !out.iter().any(|n| n == name) {
                out.push(name.to_owned());
            }
        }
    });
    out
}

/// Returns a message for each [`Stmt::Raw`] that is not complete by itself: with an open quote or
/// bracket, or a backslash at its end that joins the next line.
pub fn check_raw(stmts: &[Stmt]) -> Vec<String> {
    let mut out = Vec::new();
    visit(stmts, &mut |seen| {
        if let Seen::Raw(word) = seen {
            let fault = read_shell(&word.print_bare(Quoting::Short)).fault;
            out.extend(fault.map(|fault| format!("raw text: {}", fault.message)));
        }
    });
    out
}

/// Returns the variables that a command such as `local NAME=value` declares. Returns no variable
/// for any other command.
fn declared(words: &[Word]) -> impl Iterator<Item = &str> {
    let declares = |w: &Word| {
        matches!(
            w.as_literal(),
            Some("local" | "export" | "declare" | "readonly")
        )
    };
    let names = words
        .iter()
        .skip(1)
        .filter_map(Word::first_literal)
        .filter(|w| !w.starts_with('-'));
    names
        .filter(move |_| words.first().is_some_and(declares))
        .map(|w| w.split_once('=').map_or(w, |(name, _)| name))
}

/// Returns true if a text can be between the braces of an expansion: a name, and an operation on
/// its value.
fn is_expansion(inside: &str) -> bool {
    // `${#name[@]}` is the number of elements.
    let inside = inside.strip_prefix('#').unwrap_or(inside);
    let end = inside
        .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .unwrap_or(inside.len());
    let (name, rest) = inside.split_at(end);
    // An argument of a function is expanded by its number.
    let plain =
        is_identifier(name) || name.parse::<u8>().is_ok() || (name.is_empty() && rest == "@");
    plain
        && (rest.is_empty() || rest.starts_with(['[', '#', '%', '/', '@']))
        && !rest.contains(['`', '(', '\n'])
        // Only the text of a replacement may contain blanks.
        && (rest.starts_with('/') || !rest.contains(' '))
        && !rest.replace("${EPREFIX}", "").contains(['$', '}'])
}
