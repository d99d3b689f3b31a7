//! Reads simple commands: assignments, words and redirections.

use super::words::{Mode, plain};
use super::{ScriptReader, Typed, Untyped};
use crate::stmt::{Assigned, Assignment, Command, Item, Redirect, RedirectTo, Scope, Stmt};
use crate::word::Word;
use rocpkg_syntax::tree::Tree;

/// The signs of redirections, the longest first.
const SIGNS: &[&str] = &[
    "&>>", "&>", "<<<", "<<", ">>", ">|", "<>", "<&", ">&", "<", ">",
];

impl ScriptReader<'_> {
    /// Returns the offset after blanks, and after line breaks that a backslash hides.
    pub(super) fn after_blanks(&self, mut at: usize) -> usize {
        loop {
            let rest = self.rest(at);
            let bare = rest.trim_start_matches([' ', '\t']);
            let bare = bare.strip_prefix("\\\n").unwrap_or(bare);
            if bare.len() == rest.len() {
                return at;
            }
            at += rest.len() - bare.len();
        }
    }

    /// Returns the offset after a statement. The grammar takes a blank behind a backslash for white
    /// space, so the tree ends a statement before such words at its end. For bash they are words.
    pub(super) fn end_of(&self, node: Tree) -> usize {
        let mut end = node.end_byte();
        loop {
            let at = self.after_blanks(end);
            let blanks = [' ', '\t', '\u{b}', '\u{c}'];
            let behind = self.rest(at).strip_prefix('\\');
            if !behind.is_some_and(|rest| rest.starts_with(blanks)) {
                return end;
            }
            end = at + 2;
        }
    }

    /// Reads a simple command from `start` to `end`.
    pub(super) fn simple(&self, start: usize, end: usize) -> Typed<Stmt> {
        let mut at = start;
        let mut assignments = Vec::new();
        let mut command = Command::default();
        loop {
            if at > end {
                return Err(Untyped);
            }
            at = self.after_blanks(at);
            if at >= end {
                break;
            }
            if let Some(redirect) = self.redirect(&mut at)? {
                command.redirects.push(redirect);
                continue;
            }
            if command.words.is_empty()
                && let Some(assignment) = self.assignment(&mut at)?
            {
                assignments.push(assignment);
                continue;
            }
            command.words.push(self.word(&mut at)?);
        }
        let is_command = !command.words.is_empty() || !command.redirects.is_empty();
        if !is_command {
            return Ok(match assignments.len() {
                0 => return Err(Untyped),
                1 if assignments[0].index.is_none() => {
                    let Assignment {
                        name,
                        append,
                        value,
                        ..
                    } = assignments.remove(0);
                    match value {
                        Assigned::Word(value) => Stmt::Assign {
                            scope: Scope::Plain,
                            name,
                            append,
                            value,
                        },
                        Assigned::Array { items, tall } => Stmt::Array {
                            scope: Scope::Plain,
                            name,
                            append,
                            items,
                            tall,
                        },
                    }
                }
                _ => Stmt::Assignments(assignments),
            });
        }
        let plain = |a: &Assignment| {
            !a.append
                && a.index.is_none()
                && matches!(&a.value, Assigned::Word(w) if !w.is_absent())
        };
        if assignments.iter().all(plain) {
            command.env = assignments
                .into_iter()
                .filter_map(|a| match a.value {
                    Assigned::Word(word) => Some((a.name, word)),
                    Assigned::Array { .. } => None,
                })
                .collect();
        } else {
            command.assignments = assignments;
        }
        Ok(Stmt::Command(command))
    }

    /// Reads the assignment at `at`. Returns `None` if the word there is no assignment.
    pub(super) fn assignment(&self, at: &mut usize) -> Typed<Option<Assignment>> {
        let rest = self.rest(*at);
        let length = rest
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(rest.len());
        if length == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return Ok(None);
        }
        let mut next = *at + length;
        let mut index = None;
        if self.rest(next).starts_with('[') {
            next += 1;
            let Ok(pieces) = self.pieces(&mut next, Mode::Index) else {
                return Ok(None);
            };
            if !self.rest(next).starts_with(']') {
                return Ok(None);
            }
            next += 1;
            index = Some(Word::from(pieces));
        }
        let append = self.rest(next).starts_with("+=");
        next += usize::from(append);
        if !self.rest(next).starts_with('=') {
            return Ok(None);
        }
        next += 1;
        let name = rest[..length].to_owned();
        let value = if self.rest(next).starts_with('(') {
            self.array(&mut next)?
        } else {
            let start = next;
            let word = plain(self.pieces(&mut next, Mode::Value)?);
            Assigned::Word(self.placed(word, start, next))
        };
        *at = next;
        Ok(Some(Assignment {
            name,
            index,
            append,
            value,
        }))
    }

    /// Reads the `( … )` of an array.
    fn array(&self, at: &mut usize) -> Typed<Assigned> {
        let open = *at;
        *at += 1;
        let (mut items, mut above): (Vec<Item>, Vec<&str>) = (Vec::new(), Vec::new());
        let mut is_line_open = false;
        loop {
            let blanks = *at;
            *at = self.after_blanks(*at);
            is_line_open &= !self.between(blanks, *at).contains('\n');
            let rest = self.rest(*at);
            match rest.bytes().next() {
                None => return Err(Untyped),
                Some(b')') => break,
                Some(b'\n') => {
                    *at += 1;
                    is_line_open = false;
                }
                Some(b'#') => {
                    let line = rest.lines().next().unwrap_or_default();
                    self.take_comment(*at);
                    *at += line.len();
                    match items.last_mut() {
                        Some(last) if is_line_open => {
                            last.behind = Some(line.trim_end().to_owned());
                        }
                        _ => above.push(line.trim_end()),
                    }
                }
                Some(b'[') if let Some((index, word)) = self.keyed(at)? => {
                    is_line_open = true;
                    items.push(Item {
                        index: Some(index),
                        comment: joined(&mut above),
                        ..Item::from(word)
                    });
                }
                Some(_) => {
                    is_line_open = true;
                    items.push(Item::explained(self.word(at)?, joined(&mut above)));
                }
            }
        }
        if let Some(comment) = joined(&mut above) {
            items.push(Item::explained(Word::default(), Some(comment)));
        }
        *at += 1;
        let tall = self.between(open, *at).contains('\n');
        Ok(Assigned::Array { items, tall })
    }

    /// Reads an element `[index]=word` of an array. Returns `None` for any other element.
    fn keyed(&self, at: &mut usize) -> Typed<Option<(Word, Word)>> {
        let mut next = *at + 1;
        let Ok(index) = self.pieces(&mut next, Mode::Index) else {
            return Ok(None);
        };
        if !self.rest(next).starts_with("]=") {
            return Ok(None);
        }
        next += 2;
        let start = next;
        let value = plain(self.pieces(&mut next, Mode::Value)?);
        *at = next;
        Ok(Some((Word::from(index), self.placed(value, start, next))))
    }

    /// Returns true if a redirection begins at `at`.
    pub(super) fn is_redirect(&self, at: usize) -> bool {
        let rest = self.rest(self.after_descriptor(at));
        rest.starts_with("&>")
            || (rest.starts_with(['<', '>']) && !rest.starts_with("<(") && !rest.starts_with(">("))
    }

    /// Returns the offset after a descriptor such as `2` or `{name}`, or `at` if none is there.
    fn after_descriptor(&self, at: usize) -> usize {
        let rest = self.rest(at);
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        if digits > 0 {
            return at + digits;
        }
        let named = rest.strip_prefix('{').and_then(|rest| {
            let length = rest.find('}')?;
            let name = &rest[..length];
            let signs = rest[length + 1..].starts_with(['<', '>']);
            (signs && rocpkg_model::is_identifier(name)).then_some(length + 2)
        });
        at + named.unwrap_or(0)
    }

    /// Reads the redirection at `at`. Returns `None` if no redirection begins there. A
    /// here-document is an error: `documents.rs` reads it.
    pub(super) fn redirect(&self, at: &mut usize) -> Typed<Option<Redirect>> {
        if !self.is_redirect(*at) {
            return Ok(None);
        }
        let sign_at = self.after_descriptor(*at);
        let descriptor = self.between(*at, sign_at).to_owned();
        let rest = self.rest(sign_at);
        let Some(sign) = SIGNS.iter().copied().find(|sign| rest.starts_with(sign)) else {
            return Err(Untyped);
        };
        if sign == "<<" {
            return Err(Untyped);
        }
        *at = self.after_blanks(sign_at + sign.len());
        let word = self.word(at)?;
        let to = match sign {
            "<<<" => RedirectTo::HereString(word),
            sign => RedirectTo::File(sign, word),
        };
        Ok(Some(Redirect { descriptor, to }))
    }
}

fn joined(above: &mut Vec<&str>) -> Option<String> {
    let text = above.join("\n");
    above.clear();
    (!text.is_empty()).then_some(text)
}
