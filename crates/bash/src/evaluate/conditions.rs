//! Decides conditions: `[[ … ]]`, `test`, and the conditions of `if` and `while`.

use super::pattern::fits;
use super::value::Value;
use super::{Host, Run, Status, Variable};
use crate::name::is_identifier;
use crate::stmt::{Expression, Test};
use crate::word::Word;

impl<H: Host> Run<H> {
    pub(super) fn test(&mut self, test: &Test) -> Status {
        match test {
            Test::Command(words) => self.words(words),
            Test::Brackets(words) => self.bracket(words),
            Test::Expression(expression) => Status::of(self.decide(expression)),
            Test::Statements(stmts) => self.all(stmts),
            Test::Not(inner) => self.test(inner).not(),
            Test::All(all) => {
                let mut out = Status::Success;
                for one in all {
                    match self.test(one) {
                        Status::Success => {}
                        Status::Failed => return Status::Failed,
                        Status::Unknown => out = Status::Unknown,
                    }
                }
                out
            }
            Test::Any(all) => {
                let mut out = Status::Failed;
                for one in all {
                    match self.test(one) {
                        Status::Failed => {}
                        Status::Success => return Status::Success,
                        Status::Unknown => out = Status::Unknown,
                    }
                }
                out
            }
        }
    }

    /// Decides the words between `[[` and `]]` that code made.
    fn bracket(&mut self, words: &[Word]) -> Status {
        let text = |word: &Word| word.text().unwrap_or_default();
        let expression = match words {
            [one] => Expression::Word(one.clone()),
            [operator, one] => Expression::Unary(text(operator), one.clone()),
            [left, operator, right] => {
                Expression::Binary(left.clone(), text(operator), right.clone())
            }
            _ => return Status::Unknown,
        };
        Status::of(self.decide(&expression))
    }

    /// Returns the result of an expression between `[[` and `]]`; `None` if it is not known.
    pub(super) fn decide(&mut self, of: &Expression) -> Option<bool> {
        match of {
            Expression::Word(word) => self.text(word).is_filled(),
            Expression::Not(inner) => self.decide(inner).map(|is| !is),
            Expression::Group(inner) => self.decide(inner),
            Expression::And(left, right) => match self.decide(left) {
                Some(false) => Some(false),
                Some(true) => self.decide(right),
                None => (self.decide(right) == Some(false)).then_some(false),
            },
            Expression::Or(left, right) => match self.decide(left) {
                Some(true) => Some(true),
                Some(false) => self.decide(right),
                None => (self.decide(right) == Some(true)).then_some(true),
            },
            Expression::Unary(operator, word) => {
                let value = self.text(word);
                self.unary(operator, &value)
            }
            Expression::Binary(left, operator, right) => match operator.as_str() {
                "=" | "==" | "!=" => {
                    let value = self.text(left);
                    let pattern = self.pattern(right)?;
                    let chars: Vec<char> = value.known()?.chars().collect();
                    Some(fits(&pattern, &chars) == (operator != "!="))
                }
                _ => {
                    let (left, right) = (self.text(left), self.text(right));
                    binary(&left, operator, &right)
                }
            },
        }
    }

    fn unary(&mut self, operator: &str, value: &Value) -> Option<bool> {
        match operator {
            "-n" => value.is_filled(),
            "-z" => value.is_filled().map(|is| !is),
            "-v" => {
                let name = value.known()?;
                if !is_identifier(&name) {
                    return None;
                }
                match self.get(&name) {
                    Some(Variable::Open(_)) => None,
                    found => Some(found.is_some()),
                }
            }
            _ => None,
        }
    }

    /// Decides `test` and `[ … ]`. `all` are the words without the brackets.
    pub(super) fn single_bracket(&mut self, all: &[Value]) -> Option<bool> {
        let text = |value: &Value| value.known();
        match all {
            [] => Some(false),
            [one] => one.is_filled(),
            [not, rest @ ..] if text(not).as_deref() == Some("!") => {
                self.single_bracket(rest).map(|is| !is)
            }
            [operator, value] => self.unary(&text(operator)?, value),
            [left, operator, right] => match text(operator)?.as_str() {
                "=" | "==" => Some(text(left)? == text(right)?),
                "!=" => Some(text(left)? != text(right)?),
                operator => binary(left, operator, right),
            },
            _ => None,
        }
    }
}

fn binary(left: &Value, operator: &str, right: &Value) -> Option<bool> {
    let number = |value: &Value| value.known()?.trim().parse::<i64>().ok();
    let (left, right) = (number(left)?, number(right)?);
    match operator {
        "-eq" => Some(left == right),
        "-ne" => Some(left != right),
        "-lt" => Some(left < right),
        "-le" => Some(left <= right),
        "-gt" => Some(left > right),
        "-ge" => Some(left >= right),
        _ => None,
    }
}
