//! Reads lists, pipelines and redirections.
//!
//! The grammar nests some of them in another way than bash. So they are flattened into a sequence
//! first, and then nested by bash's precedence.

use super::{ScriptReader, Typed, Untyped};
use crate::stmt::{Command, Joint, Link, Redirect, Stmt};
use crate::word::Word;
use rocpkg_syntax::tree::{Tree, children, is_word};
use std::collections::VecDeque;

/// A member of the sequence that a list or pipeline is flattened into.
enum SequencePart {
    Stmt(Stmt, usize),
    Joint(Joint, usize),
    Not,
    Redirect(Redirect),
    Word(Word),
    Comment(String),
}

impl<'t> ScriptReader<'t> {
    pub(super) fn flow(&self, node: Tree<'t>) -> Typed<Stmt> {
        let mut parts = Vec::new();
        self.find_documents(node)?;
        self.flatten(node, &mut parts)?;
        let mut joined: VecDeque<SequencePart> = VecDeque::new();
        for part in parts {
            match part {
                SequencePart::Redirect(redirect) => {
                    if let Some(SequencePart::Stmt(stmt, _)) = joined.back_mut() {
                        redirected(stmt, redirect);
                    } else {
                        let mut command = Command::default();
                        command.redirects.push(redirect);
                        joined.push_back(SequencePart::Stmt(
                            Stmt::Command(command),
                            node.start_byte(),
                        ));
                    }
                }
                SequencePart::Word(word) => match joined.back_mut() {
                    Some(SequencePart::Stmt(Stmt::Command(command), _)) => command.words.push(word),
                    _ => return Err(Untyped),
                },
                part => joined.push_back(part),
            }
        }
        let stmt = self.list(&mut joined)?;
        match (joined.pop_front(), joined.is_empty()) {
            (None, _) => Ok(stmt),
            // A comment on the line on which a here-document begins.
            (Some(SequencePart::Comment(text)), true) => Ok(Stmt::Noted(Box::new(stmt), text)),
            _ => Err(Untyped),
        }
    }

    fn list(&self, parts: &mut VecDeque<SequencePart>) -> Typed<Stmt> {
        let first = self.pipeline(parts)?;
        let mut rest = Vec::new();
        while let Some(SequencePart::Joint(joint @ (Joint::And | Joint::Or), end)) = parts.front() {
            let (joint, end) = (*joint, *end);
            parts.pop_front();
            let (comments, breaks) = self.before(parts, end);
            let stmt = self.pipeline(parts)?;
            rest.push(Link {
                joint,
                comments,
                breaks,
                stmt,
            });
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Stmt::List(Box::new(first), rest))
    }

    fn pipeline(&self, parts: &mut VecDeque<SequencePart>) -> Typed<Stmt> {
        if matches!(parts.front(), Some(SequencePart::Not)) {
            parts.pop_front();
            return Ok(Stmt::Not(Box::new(self.pipeline(parts)?)));
        }
        let first = stmt(parts)?;
        let mut rest = Vec::new();
        while let Some(SequencePart::Joint(joint @ (Joint::Pipe | Joint::PipeBoth), end)) =
            parts.front()
        {
            let (joint, end) = (*joint, *end);
            parts.pop_front();
            let (comments, breaks) = self.before(parts, end);
            rest.push(Link {
                joint,
                comments,
                breaks,
                stmt: stmt(parts)?,
            });
        }
        if rest.is_empty() {
            return Ok(first);
        }
        Ok(Stmt::Pipeline(Box::new(first), rest))
    }

    /// Removes the comments before the next statement from `parts`, and returns them. `end` is the
    /// offset behind the sign before them. The `bool` is true if the statement is on another line
    /// than the sign.
    fn before(&self, parts: &mut VecDeque<SequencePart>, end: usize) -> (Vec<String>, bool) {
        let mut comments = Vec::new();
        while let Some(SequencePart::Comment(text)) = parts.front() {
            comments.push(text.clone());
            parts.pop_front();
        }
        let next = match parts.front() {
            Some(SequencePart::Stmt(_, start)) => *start,
            _ => end,
        };
        let between = self.between(end, next).replace("\\\n", "");
        (comments, between.contains('\n'))
    }

    fn flatten(&self, node: Tree<'t>, out: &mut Vec<SequencePart>) -> Typed<()> {
        match node.kind() {
            "list" | "pipeline" | "negated_command" | "redirected_statement" => {
                let mut end = node.start_byte();
                for child in children(node) {
                    self.left_out(end, child.start_byte(), out)?;
                    self.flatten_child(child, out)?;
                    end = self.end_of(child);
                }
                Ok(())
            }
            "command" => {
                out.push(SequencePart::Stmt(
                    self.simple(node.start_byte(), self.end_of(node))?,
                    node.start_byte(),
                ));
                Ok(())
            }
            _ => {
                out.push(SequencePart::Stmt(self.typed(node)?, node.start_byte()));
                Ok(())
            }
        }
    }

    /// Adds words between `at` and `end` that the grammar has no nodes for, such as a lone `-`
    /// before a here-document.
    fn left_out(&self, mut at: usize, end: usize, out: &mut Vec<SequencePart>) -> Typed<()> {
        loop {
            let text = self.between(at, end);
            at += text.len() - text.trim_start_matches([' ', '\t', '\n']).len();
            at = self.after_blanks(at);
            if at >= end {
                return Ok(());
            }
            out.push(SequencePart::Word(self.word(&mut at)?));
        }
    }

    fn flatten_child(&self, child: Tree<'t>, out: &mut Vec<SequencePart>) -> Typed<()> {
        let end = self.end_of(child);
        match child.kind() {
            "&&" => out.push(SequencePart::Joint(Joint::And, end)),
            "||" => out.push(SequencePart::Joint(Joint::Or, end)),
            "|" => out.push(SequencePart::Joint(Joint::Pipe, end)),
            "|&" => out.push(SequencePart::Joint(Joint::PipeBoth, end)),
            "!" => out.push(SequencePart::Not),
            "comment" => {
                self.take_comment(child.start_byte());
                out.push(SequencePart::Comment(
                    self.slice(child).trim_end().to_owned(),
                ));
            }
            "file_redirect" | "herestring_redirect" => {
                let mut at = child.start_byte();
                self.redirect_at(&mut at, out)?;
                loop {
                    if at > end {
                        return Err(Untyped);
                    }
                    at = self.after_blanks(at);
                    if at >= end {
                        break;
                    }
                    if self.is_redirect(at) {
                        self.redirect_at(&mut at, out)?;
                    } else {
                        out.push(SequencePart::Word(self.word(&mut at)?));
                    }
                }
            }
            "heredoc_redirect" => self.document(child, out)?,
            _ if !child.is_named() => return Err(Untyped),
            _ => self.flatten(child, out)?,
        }
        Ok(())
    }

    fn redirect_at(&self, at: &mut usize, out: &mut Vec<SequencePart>) -> Typed<()> {
        match self.redirect(at)? {
            Some(redirect) => out.push(SequencePart::Redirect(redirect)),
            None => return Err(Untyped),
        }
        Ok(())
    }

    /// Adds a here-document, and the parts of the statement that follow its `<<` on the same line.
    fn document(&self, node: Tree<'t>, out: &mut Vec<SequencePart>) -> Typed<()> {
        let all = children(node);
        let redirect = self.here_document(node)?;
        out.push(SequencePart::Redirect(redirect));
        let descriptor = node.child_by_field_name("descriptor").map(|n| n.id());
        for child in &all {
            let kind = child.kind();
            let is_own = matches!(
                kind,
                "<<" | "<<-" | "heredoc_start" | "heredoc_body" | "heredoc_end" | "\n"
            );
            if is_own || Some(child.id()) == descriptor {
                continue;
            }
            if is_word(kind) {
                let mut at = child.start_byte();
                out.push(SequencePart::Word(self.word(&mut at)?));
                if at != child.end_byte() {
                    return Err(Untyped);
                }
                continue;
            }
            if kind == "pipeline" {
                for child in children(*child) {
                    self.flatten_child(child, out)?;
                }
                continue;
            }
            self.flatten_child(*child, out)?;
        }
        Ok(())
    }
}

fn stmt(parts: &mut VecDeque<SequencePart>) -> Typed<Stmt> {
    match parts.pop_front() {
        Some(SequencePart::Stmt(stmt, _)) => Ok(stmt),
        _ => Err(Untyped),
    }
}

fn redirected(stmt: &mut Stmt, redirect: Redirect) {
    match stmt {
        Stmt::Command(command) => command.redirects.push(redirect),
        Stmt::Redirected(_, redirects) => redirects.push(redirect),
        _ => {
            let whole = std::mem::replace(stmt, Stmt::Blank);
            *stmt = Stmt::Redirected(Box::new(whole), vec![redirect]);
        }
    }
}
