//! Splits a file of CMake's language into tokens, by `cmake-language(7)` and by the rules of
//! CMake's own lexer for the syntax of older files.
//!
//! Tokens are slices that follow each other without a gap. Joined, the tokens of any file give back
//! its bytes.

use regex::bytes::Regex;
use std::sync::LazyLock;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Blanks, line ends, comments, and a byte order mark at the beginning.
    Blank,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// A name of a command, or an argument that consists of the letters of a name.
    Identifier,
    /// `[[…]]`, with any number of `=` between the brackets.
    Bracket,
    /// `"…"`.
    Quoted,
    /// An argument without quotes. This includes the legacy forms `a"b c"` and `$(NAME)`.
    Unquoted,
    /// Text that CMake refuses: quotes or brackets that are never closed, or a byte that begins no
    /// token.
    Wrong,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The kind of the token.
    pub kind: TokenKind,
    /// The bytes of the token.
    pub text: &'a [u8],
    /// The line in which the token begins, from 1.
    pub line: usize,
}

/// Splits a file into its tokens.
pub fn tokens(text: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let (mut at, mut line) = (0, 1);
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let (kind, length) = if at == 0 && rest.starts_with(b"\xef\xbb\xbf") {
            (TokenKind::Blank, 3)
        } else {
            next(rest)?
        };
        let token = Token {
            kind,
            text: &rest[..length],
            line,
        };
        at += length;
        line += token.text.split(|b| *b == b'\n').count() - 1;
        Some(token)
    })
}

/// Returns the kind and the length in bytes of the token at the beginning of `rest`, or `None` if
/// `rest` is empty.
fn next(rest: &[u8]) -> Option<(TokenKind, usize)> {
    let run = |is: fn(&u8) -> bool| rest.iter().take_while(|b| is(b)).count();
    Some(match rest.first()? {
        b' ' | b'\t' | b'\r' | b'\n' => (
            TokenKind::Blank,
            run(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')),
        ),
        b'(' => (TokenKind::Open, 1),
        b')' => (TokenKind::Close, 1),
        b'#' => match bracket(&rest[1..]) {
            Some(Ok(length)) => (TokenKind::Blank, length + 1),
            Some(Err(())) => (TokenKind::Wrong, rest.len()),
            None => (TokenKind::Blank, run(|b| *b != b'\n')),
        },
        b'"' => match quoted(rest) {
            Some(length) => (TokenKind::Quoted, length),
            None => (TokenKind::Wrong, rest.len()),
        },
        _ => match bracket(rest) {
            Some(Ok(length)) => (TokenKind::Bracket, length),
            Some(Err(())) => (TokenKind::Wrong, rest.len()),
            None => {
                let name = match rest[0] {
                    b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                        run(|b| b.is_ascii_alphanumeric() || *b == b'_')
                    }
                    _ => 0,
                };
                match UNQUOTED.find(rest).map_or(0, |found| found.len()) {
                    0 => (TokenKind::Wrong, 1),
                    length if length == name => (TokenKind::Identifier, length),
                    length => (TokenKind::Unquoted, length),
                }
            }
        },
    })
}

/// Returns the length of the bracket argument at the beginning of `rest`: that of `[[a]]` is 5.
/// Returns `None` if `rest` does not begin with a bracket argument, and an error if the argument is
/// never closed.
fn bracket(rest: &[u8]) -> Option<Result<usize, ()>> {
    let equals = rest
        .strip_prefix(b"[")?
        .iter()
        .take_while(|b| **b == b'=')
        .count();
    if rest.get(equals + 1) != Some(&b'[') {
        return None;
    }
    let opened = equals + 2;
    let end = [b"]", vec![b'='; equals].as_slice(), b"]"].concat();
    let found = rest[opened..].windows(end.len()).position(|w| w == end);
    Some(found.map(|at| opened + at + end.len()).ok_or(()))
}

/// Returns the number of bytes in the opening bracket of a bracket argument, which is also that of
/// its closing bracket: `[=[…]=]` gives 3.
pub(super) fn bracket_ends(text: &[u8]) -> usize {
    text.iter().skip(1).take_while(|b| **b == b'=').count() + 2
}

/// Returns the length of the quoted argument at the beginning of `rest`, or `None` if its quotes
/// are never closed.
fn quoted(rest: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match rest.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The pattern of an argument without quotes, by CMake's own lexer (cmListFileLexer.in.l). It
/// includes the legacy forms.
static UNQUOTED: LazyLock<Regex> = LazyLock::new(|| {
    let (variable, sign) = (
        r"\$\([A-Za-z0-9_]*\)",
        r#"[^ \x00\t\r\n()#"\[=\\]|\\[^\x00\n]"#,
    );
    let legacy = format!(r#"(?:{variable}|{sign}|"(?:{variable}|{sign}|[ \t\[=])*")"#);
    let all = format!(r"(?s-u)\A(?:(?:{variable}|{sign}|=|\[=*{legacy})(?:{legacy}|[\[=])*|\[)");
    Regex::new(&all).unwrap_or_else(|e| unreachable!("{e}"))
});
