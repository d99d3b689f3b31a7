//! The tokens of CMake's language, by `cmake-language(7)` and the rules of CMake's own lexer for
//! what older files hold.
//!
//! Tokens are slices that follow each other without a gap, so the tokens of a file give back its
//! bytes, whatever the file holds.

use regex::bytes::Regex;
use std::sync::LazyLock;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Blanks, line ends, comments, and a byte order mark at the beginning.
    Blank,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// A name, which may be a command's or an argument.
    Identifier,
    /// `[[…]]`, with any number of `=` between the brackets.
    Bracket,
    /// `"…"`.
    Quoted,
    /// An argument without quotes, in the legacy forms `a"b c"` and `$(NAME)` too.
    Unquoted,
    /// What CMake refuses: text in quotes or brackets that nothing ends, a byte that begins no
    /// token.
    Wrong,
}

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: Kind,
    /// Its bytes.
    pub text: &'a [u8],
    /// The line that it begins in, from 1.
    pub line: usize,
}

/// The tokens of a file.
pub fn tokens(text: &[u8]) -> impl Iterator<Item = Token<'_>> {
    let (mut at, mut line) = (0, 1);
    std::iter::from_fn(move || {
        let rest = &text[at..];
        let (kind, length) = if at == 0 && rest.starts_with(b"\xef\xbb\xbf") {
            (Kind::Blank, 3)
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

/// The first token, and how many bytes it has; none at the end.
fn next(rest: &[u8]) -> Option<(Kind, usize)> {
    let run = |is: fn(&u8) -> bool| rest.iter().take_while(|b| is(b)).count();
    Some(match rest.first()? {
        b' ' | b'\t' | b'\r' | b'\n' => (
            Kind::Blank,
            run(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')),
        ),
        b'(' => (Kind::Open, 1),
        b')' => (Kind::Close, 1),
        b'#' => match bracket(&rest[1..]) {
            Some(Ok(length)) => (Kind::Blank, length + 1),
            Some(Err(())) => (Kind::Wrong, rest.len()),
            None => (Kind::Blank, run(|b| *b != b'\n')),
        },
        b'"' => match quoted(rest) {
            Some(length) => (Kind::Quoted, length),
            None => (Kind::Wrong, rest.len()),
        },
        _ => match bracket(rest) {
            Some(Ok(length)) => (Kind::Bracket, length),
            Some(Err(())) => (Kind::Wrong, rest.len()),
            None => {
                let name = match rest[0] {
                    b'A'..=b'Z' | b'a'..=b'z' | b'_' => {
                        run(|b| b.is_ascii_alphanumeric() || *b == b'_')
                    }
                    _ => 0,
                };
                match UNQUOTED.find(rest).map_or(0, |found| found.len()) {
                    0 => (Kind::Wrong, 1),
                    length if length == name => (Kind::Identifier, length),
                    length => (Kind::Unquoted, length),
                }
            }
        },
    })
}

/// The length of what begins with `[[` or `[=[`; none where nothing like it begins here, an error
/// where nothing ends it.
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

/// How many bytes of the contents of brackets stand before and behind them.
pub(super) fn bracket_ends(text: &[u8]) -> usize {
    text.iter().skip(1).take_while(|b| **b == b'=').count() + 2
}

/// The length of text in quotes.
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

/// An argument without quotes, as CMake's own lexer (cmListFileLexer.in.l) has it, in the legacy
/// forms too.
static UNQUOTED: LazyLock<Regex> = LazyLock::new(|| {
    let (variable, sign) = (
        r"\$\([A-Za-z0-9_]*\)",
        r#"[^ \x00\t\r\n()#"\[=\\]|\\[^\x00\n]"#,
    );
    let legacy = format!(r#"(?:{variable}|{sign}|"(?:{variable}|{sign}|[ \t\[=])*")"#);
    let all = format!(r"(?s-u)\A(?:(?:{variable}|{sign}|=|\[=*{legacy})(?:{legacy}|[\[=])*|\[)");
    Regex::new(&all).unwrap_or_else(|e| unreachable!("{e}"))
});
