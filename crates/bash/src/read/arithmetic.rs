//! Reads arithmetic expressions.

use super::words::Mode;
use super::{ScriptReader, Typed, Untyped};
use crate::word::{Arithmetic, Piece, Token};

/// The operators and brackets, the longest first.
const OPERATORS: &[&str] = &[
    "<<=", ">>=", "**", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=", "-=",
    "*=", "/=", "%=", "&=", "^=", "|=", "+", "-", "*", "/", "%", "<", ">", "!", "~", "&", "|", "^",
    "?", ":", "=", ",", "(", ")", "[", "]",
];

impl ScriptReader<'_> {
    /// Reads the expression from `at` to `end`.
    pub(super) fn arithmetic(&self, at: usize, end: usize) -> Typed<Arithmetic> {
        let (tokens, stopped) = self.tokens(at, &|rest| self.text.len() - rest.len() >= end)?;
        if stopped != end {
            return Err(Untyped);
        }
        Ok(tokens)
    }

    /// Reads the expression from `at` to the first of `signs` outside brackets, and returns it with
    /// the offset of that sign.
    pub(super) fn arithmetic_until(&self, at: usize, signs: &[char]) -> Typed<(Arithmetic, usize)> {
        self.tokens(at, &|rest| rest.starts_with(signs))
    }

    /// Reads the expression of `$((…))`. `at` is the offset after the opening parentheses. Returns
    /// the expression with the offset after the closing ones. Returns `None` if the text is no
    /// arithmetic expression.
    pub(super) fn dollar_arithmetic(&self, at: usize) -> Option<(Arithmetic, usize)> {
        let (tokens, end) = self.tokens(at, &|rest| rest.starts_with("))")).ok()?;
        self.rest(end)
            .starts_with("))")
            .then_some((tokens, end + 2))
    }

    fn tokens(&self, start: usize, ends: &dyn Fn(&str) -> bool) -> Typed<(Arithmetic, usize)> {
        let mut at = start;
        let mut depth = 0usize;
        let mut tokens = Vec::new();
        loop {
            let rest = self.rest(at);
            if rest.is_empty() || (depth == 0 && ends(rest)) {
                break;
            }
            let run = |is: fn(char) -> bool| rest.find(|c: char| !is(c)).unwrap_or(rest.len());
            let blanks = run(|c| c.is_ascii_whitespace());
            if blanks > 0 {
                tokens.push(Token::Blank(rest[..blanks].to_owned()));
                at += blanks;
                continue;
            }
            let word = run(|c| c.is_ascii_alphanumeric() || c == '_' || c == '#' || c == '@');
            if word > 0 && !rest.starts_with(['#', '@']) {
                let text = rest[..word].to_owned();
                let is_number = text.starts_with(|c: char| c.is_ascii_digit());
                if !is_number && text.contains(['#', '@']) {
                    return Err(Untyped);
                }
                tokens.push(if is_number {
                    Token::Number(text)
                } else {
                    Token::Name(text)
                });
                at += word;
                continue;
            }
            if rest.starts_with(['$', '`', '"', '\'']) {
                let begin = at;
                let mut pieces = self.one_piece(&mut at)?;
                match pieces.pop() {
                    Some(piece) if pieces.is_empty() && at > begin => {
                        tokens.push(Token::Piece(piece));
                    }
                    _ => return Err(Untyped),
                }
                continue;
            }
            let Some(operator) = OPERATORS.iter().copied().find(|o| rest.starts_with(o)) else {
                return Err(Untyped);
            };
            match operator {
                "(" | "[" => depth += 1,
                ")" | "]" => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return Err(Untyped),
                },
                _ => {}
            }
            tokens.push(Token::Operator(operator));
            at += operator.len();
        }
        Ok((Arithmetic { tokens }, at))
    }

    fn one_piece(&self, at: &mut usize) -> Typed<Vec<Piece>> {
        match self.special_piece(at)? {
            Some(piece) => Ok(vec![piece]),
            None => Err(Untyped),
        }
    }

    fn special_piece(&self, at: &mut usize) -> Typed<Option<Piece>> {
        self.special(at, Mode::Value, false)
    }
}
