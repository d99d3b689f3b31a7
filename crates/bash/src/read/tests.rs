//! Reads expressions between `[[` and `]]`.

use super::words::Mode;
use super::{ScriptReader, Typed, Untyped};
use crate::stmt::Expression;
use crate::word::Word;

const BINARY: &[&str] = &[
    "==", "=~", "=", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef",
];

impl ScriptReader<'_> {
    /// Reads the expression from `at`, the offset after `[[`, to `end`, the offset after `]]`.
    pub(super) fn expression(&self, at: usize, end: usize) -> Typed<Expression> {
        let mut at = at;
        let expression = self.any(&mut at)?;
        at = self.after_space(at);
        if at + 2 != end || !self.rest(at).starts_with("]]") {
            return Err(Untyped);
        }
        Ok(expression)
    }

    /// Returns the offset after blanks and line breaks.
    fn after_space(&self, at: usize) -> usize {
        let next = self.after_blanks(at);
        if self.rest(next).starts_with('\n') {
            self.after_space(next + 1)
        } else {
            next
        }
    }

    fn any(&self, at: &mut usize) -> Typed<Expression> {
        let first = self.all(at)?;
        *at = self.after_space(*at);
        if !self.rest(*at).starts_with("||") {
            return Ok(first);
        }
        *at += 2;
        Ok(Expression::Or(Box::new(first), Box::new(self.any(at)?)))
    }

    fn all(&self, at: &mut usize) -> Typed<Expression> {
        let first = self.operand(at)?;
        *at = self.after_space(*at);
        if !self.rest(*at).starts_with("&&") {
            return Ok(first);
        }
        *at += 2;
        Ok(Expression::And(Box::new(first), Box::new(self.all(at)?)))
    }

    fn operand(&self, at: &mut usize) -> Typed<Expression> {
        *at = self.after_space(*at);
        let rest = self.rest(*at);
        let is_alone = |rest: &str| rest.starts_with([' ', '\t', '\n']);
        if rest.starts_with('!') && is_alone(&rest[1..]) {
            *at += 1;
            return Ok(Expression::Not(Box::new(self.operand(at)?)));
        }
        if rest.starts_with('(') {
            *at += 1;
            let inner = self.any(at)?;
            *at = self.after_space(*at);
            if !self.rest(*at).starts_with(')') {
                return Err(Untyped);
            }
            *at += 1;
            return Ok(Expression::Group(Box::new(inner)));
        }
        let left = self.word(at)?;
        let mut next = self.after_space(*at);
        let ends = |at: usize| {
            let rest = self.rest(at);
            rest.starts_with("]]")
                || rest.starts_with("&&")
                || rest.starts_with("||")
                || rest.starts_with(')')
        };
        if ends(next) {
            return Ok(Expression::Word(left));
        }
        let rest = self.rest(next);
        let operator = BINARY.iter().find(|operator| {
            rest.strip_prefix(**operator)
                .is_some_and(|rest| is_alone(rest) || rest.starts_with('\\'))
        });
        let unary = left.as_literal().filter(|text| {
            text.len() == 2 && text.starts_with('-') && text.as_bytes()[1].is_ascii_alphabetic()
        });
        if let Some(operator) = operator {
            next = self.after_space(next + operator.len());
            let right = if *operator == "=~" {
                Word::from(self.pieces(&mut next, Mode::Regex)?)
            } else {
                self.word_in(&mut next, Mode::Command)?
            };
            *at = next;
            Ok(Expression::Binary(left, (*operator).to_owned(), right))
        } else {
            let Some(unary) = unary else {
                return Err(Untyped);
            };
            let operator = unary.to_owned();
            let operand = self.word(&mut next)?;
            *at = next;
            Ok(Expression::Unary(operator, operand))
        }
    }
}
