//! Reads CMake's language: the tokens of a file, the commands in it, and the facts for packagers in
//! the commands.

mod facts;
mod lexer;

pub use facts::{CMakePlace, Declared, Facts, Gpu, TargetList, is_cmake};
pub use lexer::{Token, TokenKind, tokens};

use lexer::bracket_ends;

/// One call of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// The name of the command, in lower case.
    pub name: String,
    /// The arguments of the command, including the parentheses among them.
    pub arguments: Vec<Argument>,
    /// The line in which the command begins, from 1.
    pub line: usize,
    /// The conditions of the `if` blocks around the command, joined by `and`; empty if there are
    /// none. The branches of `else` give `not (…)`.
    pub when: String,
}

/// An argument of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The kind of the argument's token.
    pub kind: TokenKind,
    /// The value of the argument: without quotes, and with its escapes resolved. References such as
    /// `${NAME}` are kept as they are written.
    pub text: String,
}

impl Command {
    /// Returns the texts of the arguments, without the parentheses.
    pub fn words(&self) -> Vec<&str> {
        let words = self
            .arguments
            .iter()
            .filter(|a| !matches!(a.kind, TokenKind::Open | TokenKind::Close));
        words.map(|a| a.text.as_str()).collect()
    }

    /// Returns the words between `keyword` and the next word in capitals: `DEPS a b FOLDER c` gives
    /// `a` and `b` for the keyword `DEPS`. The result is empty if the command does not have the
    /// keyword.
    pub fn behind(&self, keyword: &str) -> Vec<&str> {
        let capitals =
            |w: &&&str| !w.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') || w.is_empty();
        let words = self.words();
        let found = words.iter().position(|w| *w == keyword);
        found
            .map(|at| {
                words[at + 1..]
                    .iter()
                    .take_while(capitals)
                    .copied()
                    .collect()
            })
            .unwrap_or_default()
    }
}

/// Returns the commands of a file. Tokens that are not part of a command are skipped, although
/// CMake refuses a file with such tokens.
pub fn commands(text: &[u8]) -> Vec<Command> {
    let mut tokens = tokens(text).filter(|t| t.kind != TokenKind::Blank);
    let (mut all, mut conditions) = (Vec::new(), Vec::new());
    let mut before: Option<Token> = None;
    while let Some(token) = tokens.next() {
        let name = before
            .replace(token)
            .filter(|t| token.kind == TokenKind::Open && t.kind == TokenKind::Identifier);
        let Some(name) = name else { continue };
        let mut depth = 1;
        let inner = tokens.by_ref().take_while(|t| {
            depth += i32::from(t.kind == TokenKind::Open) - i32::from(t.kind == TokenKind::Close);
            depth > 0
        });
        let arguments = inner
            .map(|t| Argument {
                kind: t.kind,
                text: value(t),
            })
            .collect();
        let name_text = String::from_utf8_lossy(name.text).to_ascii_lowercase();
        let mut command = Command {
            name: name_text,
            arguments,
            line: name.line,
            when: String::new(),
        };
        branch(&command, &mut conditions);
        command.when = conditions
            .iter()
            .filter_map(Branch::text)
            .collect::<Vec<_>>()
            .join(" and ");
        all.push(command);
        before = None;
    }
    all
}

/// The current branch of an `if` block: the conditions of the branches before it, and its own
/// condition, which is `None` after `else`.
struct Branch {
    others: Vec<String>,
    own: Option<String>,
}

impl Branch {
    fn text(&self) -> Option<String> {
        let others = self.others.iter().map(|o| format!("not ({o})"));
        let all: Vec<_> = self.own.iter().cloned().chain(others).collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }
}

/// Updates `conditions`, the `if` blocks around the next command, by a command `if`, `elseif`,
/// `else` or `endif`. Other commands change nothing.
fn branch(command: &Command, conditions: &mut Vec<Branch>) {
    let said = || {
        command
            .arguments
            .iter()
            .map(|a| a.text.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    };
    match command.name.as_str() {
        "if" => conditions.push(Branch {
            others: Vec::new(),
            own: Some(said()),
        }),
        "elseif" | "else" => {
            if let Some(last) = conditions.last_mut() {
                last.others.extend(last.own.take());
                last.own = Some(said()).filter(|_| command.name == "elseif");
            }
        }
        "endif" => drop(conditions.pop()),
        _ => {}
    }
}

/// Returns the value of an argument: without quotes or brackets, and with its escapes resolved.
fn value(token: Token) -> String {
    let text = token.text;
    match token.kind {
        TokenKind::Bracket => {
            let ends = bracket_ends(text);
            let inner = &text[ends..text.len() - ends];
            // A newline directly after the opening bracket is not part of the value.
            let inner = inner
                .strip_prefix(b"\r")
                .filter(|i| i.starts_with(b"\n"))
                .unwrap_or(inner);
            String::from_utf8_lossy(inner.strip_prefix(b"\n").unwrap_or(inner)).into_owned()
        }
        TokenKind::Quoted => unescaped(&String::from_utf8_lossy(&text[1..text.len() - 1])),
        _ => unescaped(&String::from_utf8_lossy(text)),
    }
}

/// Resolves the escapes in a text: `\"` becomes `"`. Only `\;` is kept, because it does not
/// separate elements of a list as `;` does.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('\n')) => {}
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('r')) => out.push('\r'),
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some(';')) => out.push_str("\\;"),
            ('\\', Some(other)) => out.push(other),
            (c, _) => out.push(c),
        }
    }
    out
}
