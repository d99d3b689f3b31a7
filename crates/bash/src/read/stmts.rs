//! Reads the statements of a syntax tree.

use super::{ScriptReader, Typed, Untyped};
use crate::name::function;
use crate::raw::without_blanks;
use crate::stmt::{Arm, Assigned, Declared, Scope, Stmt, Test};
use crate::word::{Expansion, Piece, Word};
use rocpkg_syntax::tree::{Tree, children};
use std::borrow::Cow;

impl<'t> ScriptReader<'t> {
    pub(super) fn program(&self) -> Vec<Stmt> {
        self.block(&children(self.root), 0)
    }

    /// Returns the statements among adjacent nodes, with comments and blank lines. `from` is the
    /// offset behind the text before them.
    pub(super) fn block(&self, nodes: &[Tree<'t>], from: usize) -> Vec<Stmt> {
        let mut out: Vec<Stmt> = Vec::new();
        let mut end = from;
        for node in nodes {
            let kind = node.kind();
            if !node.is_named() {
                if kind == "&"
                    && let Some(last) = out.pop()
                {
                    out.push(Stmt::Background(Box::new(last)));
                    end = node.end_byte();
                }
                continue;
            }
            if matches!(kind, "heredoc_body" | "heredoc_end") {
                continue;
            }
            let gap = self.between(end, node.start_byte());
            let lines = gap.matches('\n').count()
                - gap.matches("\\\n").count().min(gap.matches('\n').count());
            let ended = end == 0 || self.text[..end].ends_with('\n');
            let blank = if ended {
                lines
            } else {
                lines.saturating_sub(1)
            };
            // Blank lines before the first line of a block are dropped.
            out.extend(std::iter::repeat_n(
                Stmt::Blank,
                if end == from && from > 0 { 0 } else { blank },
            ));
            if kind == "comment" {
                self.take_comment(node.start_byte());
                let text = self.slice(*node).trim_end().to_owned();
                let is_statement = !matches!(
                    out.last(),
                    None | Some(Stmt::Remark(_) | Stmt::Blank | Stmt::Noted(..) | Stmt::Raw(_))
                );
                if lines == 0 && !ended && end > from && is_statement && !gap.contains('\n') {
                    let last = out.pop().map(|last| Stmt::Noted(Box::new(last), text));
                    out.extend(last);
                } else {
                    out.push(Stmt::Remark(text));
                }
                end = node.start_byte() + self.slice(*node).trim_end().len();
                continue;
            }
            out.push(self.statement(*node));
            end = self.end_of(*node);
        }
        out
    }

    /// Returns a statement, or its text as [`Stmt::Raw`] if it has no typed form.
    fn statement(&self, node: Tree<'t>) -> Stmt {
        if let Ok(stmt) = self.typed(node)
            && self.has_all_comments(node)
        {
            return stmt;
        }
        let mut cursor = vec![node];
        while let Some(next) = cursor.pop() {
            if next.kind() == "comment" {
                self.take_comment(next.start_byte());
            }
            cursor.extend(children(next));
        }
        let start = self.text[..node.start_byte()]
            .rfind('\n')
            .map_or(0, |at| at + 1);
        let indent = self.between(start, node.start_byte());
        let indent = if indent.trim().is_empty() { indent } else { "" };
        let text = self.between(node.start_byte(), self.end_of(node));
        Stmt::Raw(Word::lit(format!("{indent}{}", without_blanks(text))))
    }

    fn has_all_comments(&self, node: Tree<'t>) -> bool {
        let taken = self.comments.borrow();
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            if next.kind() == "comment" && !taken.contains(&next.start_byte()) {
                return false;
            }
            stack.extend(children(next));
        }
        true
    }

    pub(super) fn typed(&self, node: Tree<'t>) -> Typed<Stmt> {
        let (start, end) = (node.start_byte(), self.end_of(node));
        match node.kind() {
            "command" | "redirected_statement" | "list" | "pipeline" | "negated_command" => {
                self.flow(node)
            }
            "test_command" if self.slice(node).starts_with("[[") => {
                Ok(Stmt::Expression(self.expression(start + 2, end)?))
            }
            "variable_assignment"
            | "variable_assignments"
            | "unset_command"
            | "file_redirect"
            | "herestring_redirect"
            | "test_command" => self.simple(start, end),
            "declaration_command" => self.declaration(start, end),
            "if_statement" => self.conditional(node),
            "for_statement" => self.turns(node),
            "c_style_for_statement" => self.counted(node),
            "while_statement" => {
                let all = children(node);
                let body = body_of(node)?;
                let condition: Vec<Tree> = all[1..]
                    .iter()
                    .copied()
                    .take_while(|n| n.id() != body.id())
                    .collect();
                Ok(Stmt::While {
                    until: self.slice(all[0]) == "until",
                    test: self.condition(&condition, all[0].end_byte()),
                    body: self.inside(body),
                })
            }
            "case_statement" => self.case(node),
            "compound_statement" if self.slice(node).starts_with('{') => {
                Ok(Stmt::Group(self.inside(node)))
            }
            "compound_statement" => Ok(Stmt::Arithmetic(self.arithmetic(start + 2, end - 2)?)),
            "subshell" => Ok(Stmt::Subshell(self.inside(node))),
            "function_definition" => self.definition(node),
            _ => Err(Untyped),
        }
    }

    /// Returns the statements between the first and the last child of a node.
    pub(super) fn inside(&self, node: Tree<'t>) -> Vec<Stmt> {
        let all = children(node);
        let [first, middle @ .., _] = all.as_slice() else {
            return Vec::new();
        };
        self.block(middle, first.end_byte())
    }

    fn condition(&self, nodes: &[Tree<'t>], from: usize) -> Test {
        let mut stmts = self.block(nodes, from);
        match stmts.as_slice() {
            [Stmt::Command(c)] if c.is_words() => return Test::Command(c.words.clone()),
            [Stmt::Not(inner)] => {
                if let Stmt::Command(c) = &**inner
                    && c.is_words()
                {
                    return Test::Not(Box::new(Test::Command(c.words.clone())));
                }
            }
            [Stmt::Expression(_)] => {
                if let Some(Stmt::Expression(expression)) = stmts.pop() {
                    return Test::Expression(expression);
                }
            }
            _ => {}
        }
        Test::Statements(stmts)
    }

    fn conditional(&self, node: Tree<'t>) -> Typed<Stmt> {
        let mut branches = Vec::new();
        let mut otherwise = Vec::new();
        let all = children(node);
        let is = |n: &Tree, word: &str| !n.is_named() && n.kind() == word;
        let Some(then) = all.iter().position(|n| is(n, "then")) else {
            return Err(Untyped);
        };
        let clause = |n: &Tree| matches!(n.kind(), "elif_clause" | "else_clause");
        let end = all.iter().position(|n| clause(n) || is(n, "fi"));
        let end = end.unwrap_or(all.len());
        let test = self.condition(&all[1..then], all[0].end_byte());
        branches.push((test, self.block(&all[then + 1..end], all[then].end_byte())));
        for node in &all[end..] {
            match node.kind() {
                "elif_clause" => {
                    let all = children(*node);
                    let Some(then) = all.iter().position(|n| is(n, "then")) else {
                        return Err(Untyped);
                    };
                    let test = self.condition(&all[1..then], all[0].end_byte());
                    branches.push((test, self.block(&all[then + 1..], all[then].end_byte())));
                }
                "else_clause" => {
                    let all = children(*node);
                    otherwise = self.block(&all[1..], all[0].end_byte());
                }
                // A comment above `elif` or `fi` belongs to the branch before it.
                "comment" => {
                    self.take_comment(node.start_byte());
                    let remark = Stmt::Remark(self.slice(*node).trim_end().to_owned());
                    if otherwise.is_empty() {
                        branches
                            .last_mut()
                            .into_iter()
                            .for_each(|(_, body)| body.push(remark.clone()));
                    } else {
                        otherwise.push(remark);
                    }
                }
                _ => {}
            }
        }
        Ok(Stmt::If {
            branches,
            otherwise,
        })
    }

    fn turns(&self, node: Tree<'t>) -> Typed<Stmt> {
        let all = children(node);
        let body = body_of(node)?;
        let Some(variable) = node.child_by_field_name("variable") else {
            return Err(Untyped);
        };
        let name = self.slice(variable).to_owned();
        let list = all.iter().find(|n| !n.is_named() && n.kind() == "in");
        let items = match list {
            Some(list) => {
                let (mut at, mut items) = (list.end_byte(), Vec::new());
                loop {
                    at = self.after_blanks(at);
                    if at >= body.start_byte() || self.rest(at).starts_with([';', '\n', '#']) {
                        break;
                    }
                    items.push(self.word(&mut at)?);
                }
                Some(items)
            }
            None => None,
        };
        let body = self.inside(body);
        if self.slice(all[0]) == "select" {
            return Ok(Stmt::Select { name, items, body });
        }
        let arguments = || {
            vec![Word::from(Piece::Double(vec![Piece::Expansion(Box::new(
                Expansion {
                    name: "@".to_owned(),
                    ..Expansion::default()
                },
            ))]))]
        };
        Ok(Stmt::For {
            name,
            items: items.unwrap_or_else(arguments),
            body,
        })
    }

    fn counted(&self, node: Tree<'t>) -> Typed<Stmt> {
        let all = children(node);
        let sign = |sign: &str| all.iter().find(|n| n.kind() == sign);
        let (Some(open), Some(close)) = (sign("(("), sign("))")) else {
            return Err(Untyped);
        };
        let inside = self.between(open.end_byte(), close.start_byte());
        let mut at = open.end_byte();
        let mut head = Vec::new();
        for part in inside.split(';') {
            head.push(self.arithmetic(at, at + part.len())?);
            at += part.len() + 1;
        }
        let Ok(head) = head.try_into() else {
            return Err(Untyped);
        };
        Ok(Stmt::Loop {
            head,
            body: self.inside(body_of(node)?),
        })
    }

    fn case(&self, node: Tree<'t>) -> Typed<Stmt> {
        let mut at = self.after_blanks(node.start_byte() + "case".len());
        let word = self.word(&mut at)?;
        let mut arms = Vec::new();
        let mut comments = Vec::new();
        for child in children(node) {
            match child.kind() {
                "comment" => {
                    self.take_comment(child.start_byte());
                    comments.push(self.slice(child).trim_end().to_owned());
                }
                "case_item" => {
                    let mut arm = self.arm(child)?;
                    arm.comments = std::mem::take(&mut comments);
                    arms.push(arm);
                }
                _ => {}
            }
        }
        Ok(Stmt::Case {
            word,
            arms,
            comments,
        })
    }

    fn arm(&self, node: Tree<'t>) -> Typed<Arm> {
        let mut at = node.start_byte();
        if self.rest(at).starts_with('(') {
            at += 1;
        }
        let mut patterns = Vec::new();
        loop {
            at = self.after_blanks(at);
            patterns.push(self.word(&mut at)?);
            at = self.after_blanks(at);
            match self.rest(at).bytes().next() {
                Some(b'|') => at += 1,
                Some(b')') => break,
                _ => return Err(Untyped),
            }
        }
        let all = children(node);
        let Some(close) = all
            .iter()
            .position(|n| n.kind() == ")" && n.start_byte() == at)
        else {
            return Err(Untyped);
        };
        let is_end = |n: &Tree| matches!(n.kind(), ";;" | ";&" | ";;&");
        let end = all.iter().rposition(is_end).filter(|i| *i > close);
        let sign = end.map_or(";;", |i| match all[i].kind() {
            ";&" => ";&",
            ";;&" => ";;&",
            _ => ";;",
        });
        Ok(Arm {
            comments: Vec::new(),
            patterns,
            body: self.block(&all[close + 1..end.unwrap_or(all.len())], at + 1),
            end: sign,
        })
    }

    fn definition(&self, node: Tree<'t>) -> Typed<Stmt> {
        let body = body_of(node)?;
        let name = node
            .child_by_field_name("name")
            .map_or("", |n| self.slice(n));
        if matches!(function(name), Cow::Owned(_)) {
            return Err(Untyped);
        }
        if node.child_by_field_name("redirect").is_some() {
            return Err(Untyped);
        }
        let name = name.to_owned();
        if body.kind() == "compound_statement" && self.slice(body).starts_with('{') {
            return Ok(Stmt::Function {
                name,
                body: self.inside(body),
            });
        }
        Ok(Stmt::Define(name, Box::new(self.typed(body)?)))
    }

    fn declaration(&self, start: usize, end: usize) -> Typed<Stmt> {
        let keywords = ["declare", "typeset", "local", "export", "readonly"];
        let keyword = keywords.into_iter().find(|word| {
            let rest = self.between(start, end);
            rest.strip_prefix(word)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\\', '\n']))
        });
        let Some(keyword) = keyword else {
            return Err(Untyped);
        };
        let mut at = start + keyword.len();
        let mut words = Vec::new();
        loop {
            if at > end {
                return Err(Untyped);
            }
            at = self.after_blanks(at);
            if at >= end {
                break;
            }
            words.push(match self.assignment(&mut at)? {
                Some(assignment) => Declared::Assignment(assignment),
                None => Declared::Word(self.word(&mut at)?),
            });
        }
        let scope = match keyword {
            "local" => Scope::Local,
            "export" => Scope::Export,
            _ => return Ok(Stmt::Declare(keyword, words)),
        };
        match words.as_slice() {
            [Declared::Assignment(one)] if one.index.is_none() => {
                let (name, append) = (one.name.clone(), one.append);
                Ok(match one.value.clone() {
                    Assigned::Word(value) => Stmt::Assign {
                        scope,
                        name,
                        append,
                        value,
                    },
                    Assigned::Array { items, tall } => Stmt::Array {
                        scope,
                        name,
                        append,
                        items,
                        tall,
                    },
                })
            }
            _ => Ok(Stmt::Declare(keyword, words)),
        }
    }
}

fn body_of(node: Tree<'_>) -> Typed<Tree<'_>> {
    let body = node.child_by_field_name("body");
    body.map_or_else(|| Err(Untyped), Ok)
}
