//! Prints conditions as bash text.

use super::print::{Printer, print};
use super::stmt::{Expression, Stmt, Test};
use super::word::{Quoting, Word};

impl Printer<'_> {
    /// Writes a condition and the `;` or line break behind it, up to the keyword `then` or `do`.
    pub(super) fn test(&mut self, test: &Test) {
        if let Test::Statements(stmts) = test {
            let is_note = |s: &Stmt| matches!(s, Stmt::Remark(_) | Stmt::Noted(..) | Stmt::Raw(_));
            if let [one] = stmts.as_slice()
                && !is_note(one)
            {
                self.stmt(one);
                let ends = matches!(one, Stmt::Background(_));
                return self.push(if ends { " " } else { "; " });
            }
            return self.nested(stmts);
        }
        let test = self.condition(test);
        self.push(&format!("{test}; "));
    }

    fn condition(&self, test: &Test) -> String {
        let group = |ts: &[Test], op: &str| {
            let parts: Vec<String> = ts
                .iter()
                .map(|t| match t {
                    Test::All(_) | Test::Any(_) => format!("{{ {}; }}", self.condition(t)),
                    _ => self.condition(t),
                })
                .collect();
            parts.join(op)
        };
        match test {
            Test::Command(ws) => self.words(ws),
            Test::Brackets(ws) => {
                let words: Vec<String> = match ws.as_slice() {
                    [left, operator, right] => {
                        vec![self.operand(left), self.word(operator), self.operand(right)]
                    }
                    [operator, word] => vec![self.word(operator), self.operand(word)],
                    [word] => vec![self.operand(word)],
                    ws => ws.iter().map(|w| self.word(w)).collect(),
                };
                format!("[[ {} ]]", words.join(" "))
            }
            Test::Expression(expression) => format!("[[ {} ]]", self.expression(expression)),
            Test::Statements(stmts) => {
                let printed = print(stmts, self.style);
                format!("{{ {printed}}}")
            }
            Test::Not(t) => match &**t {
                Test::All(_) | Test::Any(_) => format!("! {{ {}; }}", self.condition(t)),
                t => format!("! {}", self.condition(t)),
            },
            Test::All(ts) => group(ts, " && "),
            Test::Any(ts) => group(ts, " || "),
        }
    }

    /// Prints an operand between `[[` and `]]`. A literal from code is quoted if bash would read it
    /// as an operator.
    fn operand(&self, word: &Word) -> String {
        let text = self.word(word);
        if word.is_literal() && text.starts_with(['-', '=']) {
            Word::quoted(word.text().unwrap_or_default()).print(Quoting::Whole)
        } else {
            text
        }
    }

    /// Prints a regular expression. A literal from code is quoted if a sign in it has a meaning.
    fn pattern(&self, word: &Word) -> String {
        let text = word.text().filter(|_| word.is_literal());
        match text.filter(|text| text.contains(['.', '+', '^'])) {
            Some(text) => Word::quoted(text).print(Quoting::Whole),
            None => self.operand(word),
        }
    }

    pub(super) fn expression(&self, expression: &Expression) -> String {
        match expression {
            Expression::Word(word) => self.operand(word),
            Expression::Unary(operator, word) => format!("{operator} {}", self.operand(word)),
            Expression::Binary(left, operator, right) => {
                let right = if operator == "=~" {
                    self.pattern(right)
                } else {
                    self.operand(right)
                };
                format!("{} {operator} {right}", self.operand(left))
            }
            Expression::Not(inner) => format!("! {}", self.expression(inner)),
            Expression::Group(inner) => format!("( {} )", self.expression(inner)),
            Expression::And(left, right) => {
                format!("{} && {}", self.expression(left), self.expression(right))
            }
            Expression::Or(left, right) => {
                format!("{} || {}", self.expression(left), self.expression(right))
            }
        }
    }
}
