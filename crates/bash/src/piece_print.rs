//! Prints pieces of words as bash text.

use super::print::{Style, print};
use super::stmt::Stmt;
use super::word::{Arithmetic, Expansion, Operation, Piece, Prefix, Quoting, Token, Word};
use std::fmt;

/// The style of statements inside `$(…)` and the like. Lines are never wrapped.
const INSIDE: Style = Style {
    indent: "\t",
    indent_width: 4,
    width: usize::MAX,
    quoting: Quoting::AfterEquals,
    padded_arrays: true,
};

impl fmt::Display for Piece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bare(text) => f.write_str(text),
            Self::Escaped(c) => write!(f, "\\{c}"),
            Self::Joined => f.write_str("\\\n"),
            Self::Single(text) => write!(f, "'{}'", text.replace('\'', "'\\''")),
            Self::Ansi(text) => write!(f, "$'{}'", closed(text)),
            Self::Double(pieces) => write!(f, "\"{}\"", between_quotes(pieces, '"')),
            Self::Locale(pieces) => write!(f, "$\"{}\"", between_quotes(pieces, '"')),
            Self::Expansion(expansion) => write!(f, "{expansion}"),
            Self::Substitution(stmts) => write!(f, "$({})", inside(stmts)),
            Self::Backticks(stmts) => {
                let text = escaped(&inside(stmts));
                write!(f, "`{text}`")
            }
            Self::ProcessInput(stmts) => write!(f, "<({})", inside(stmts)),
            Self::ProcessOutput(stmts) => write!(f, ">({})", inside(stmts)),
            Self::Arithmetic(arithmetic) => write!(f, "$(({arithmetic}))"),
            Self::AnyText => f.write_str("*"),
            Self::AnyCharacter => f.write_str("?"),
            Self::Bracket(pieces) => {
                let pieces: String = pieces.iter().map(ToString::to_string).collect();
                write!(f, "[{pieces}]")
            }
            Self::Extglob(sign, patterns) => write!(f, "{sign}({})", joined(patterns, "|")),
            Self::Braces(words) => write!(f, "{{{}}}", joined(words, ",")),
            Self::Sequence(ends) => write!(f, "{{{}}}", ends.join("..")),
            Self::Tilde(user) => write!(f, "~{user}"),
        }
    }
}

impl fmt::Display for Expansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.braces {
            return write!(f, "${}", self.name);
        }
        let prefix = match self.prefix {
            Prefix::None => "",
            Prefix::Length => "#",
            Prefix::Indirect => "!",
        };
        write!(f, "${{{prefix}{}", self.name)?;
        if let Some(index) = &self.index {
            write!(f, "[{}]", bare(index))?;
        }
        match &self.operation {
            Operation::None => Ok(()),
            Operation::Value(sign, word)
            | Operation::Strip(sign, word)
            | Operation::Case(sign, word) => write!(f, "{sign}{}", bare(word)),
            Operation::Replace(sign, pattern, with) => {
                write!(f, "{sign}{}", bare(pattern))?;
                with.iter()
                    .try_for_each(|with| write!(f, "/{}", bare(with)))
            }
            Operation::Slice(offset, length) => {
                write!(f, ":{offset}")?;
                length.iter().try_for_each(|length| write!(f, ":{length}"))
            }
            Operation::Transform(letter) => write!(f, "@{letter}"),
            Operation::Names(sign) => write!(f, "{sign}"),
        }?;
        f.write_str("}")
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.tokens.iter().try_for_each(|token| match token {
            Token::Blank(text) | Token::Number(text) | Token::Name(text) => f.write_str(text),
            Token::Operator(sign) => f.write_str(sign),
            Token::Piece(piece) => write!(f, "{piece}"),
        })
    }
}

/// Prints pieces for the place between double quotes or, with `end` a line break, for a
/// here-document. In a piece without a special meaning, characters that would have one get a
/// backslash.
pub(super) fn between_quotes(pieces: &[Piece], end: char) -> String {
    // The characters from the last to the first, as the next one decides if one is special.
    let mut back: Vec<char> = Vec::new();
    for piece in pieces.iter().rev() {
        let Piece::Bare(text) = piece else {
            back.extend(piece.to_string().chars().rev());
            continue;
        };
        for c in text.chars().rev() {
            let next = back.last().copied().unwrap_or(end);
            let is_special = match c {
                '`' => true,
                '"' => end == '"',
                // Bash loses a DEL behind a backslash in a here-document.
                '\\' => next == end || "$`\\\n\u{7f}".contains(next),
                '$' => next.is_ascii_alphanumeric() || "({_@*#?!$-".contains(next),
                _ => false,
            };
            back.push(c);
            back.extend(is_special.then_some('\\'));
        }
    }
    back.into_iter().rev().collect()
}

/// Returns the text of `$'…'`, with a backslash before each quote that has none.
fn closed(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => out.extend(['\\', chars.next().unwrap_or('\\')]),
            '\'' => out.push_str("\\'"),
            c => out.push(c),
        }
    }
    out
}

/// Escapes text for the place between backticks: backticks, and backslashes before `$`, a backtick
/// or a backslash.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let hides = c == '\\' && chars.peek().is_some_and(|next| "$`\\".contains(*next));
        if c == '`' || hides {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Prints a word, or nothing if it has no parts.
fn bare(word: &Word) -> String {
    if word.is_absent() {
        return String::new();
    }
    word.print(Quoting::Whole)
}

fn joined(words: &[Word], between: &str) -> String {
    let words: Vec<String> = words.iter().map(bare).collect();
    words.join(between)
}

/// Prints the statements of a `$(…)` or the like: on one line if each of them has one line.
fn inside(stmts: &[Stmt]) -> String {
    let text = print(stmts, &INSIDE);
    let line = text.trim_end_matches('\n');
    let is_note = |stmt: &Stmt| {
        matches!(
            stmt,
            Stmt::Comment(_) | Stmt::Remark(_) | Stmt::Noted(..) | Stmt::Raw(_) | Stmt::Blank
        )
    };
    // Two adjacent opening parentheses would begin an arithmetic expression.
    let apart = if line.starts_with('(') { " " } else { "" };
    match stmts {
        [one] if !is_note(one) && !holds_document(&text) => format!("{apart}{line}"),
        _ if !stmts.iter().any(is_note) && !holds_document(&text) && is_joined(stmts) => {
            let each = stmts
                .iter()
                .map(|stmt| print(std::slice::from_ref(stmt), &INSIDE));
            let each: Vec<String> = each.map(|text| text.trim_end().to_owned()).collect();
            format!("{apart}{}", each.join("; "))
        }
        _ => format!("\n{}", text.trim_start_matches('\n')),
    }
}

/// Returns true if `;` can separate the statements: none of them ends with `&`.
fn is_joined(stmts: &[Stmt]) -> bool {
    !stmts.iter().any(|stmt| matches!(stmt, Stmt::Background(_)))
}

/// Returns true if the text may end with a here-document, so that no bracket may follow on its last
/// line.
fn holds_document(text: &str) -> bool {
    text.contains("<<") && text.trim_end().contains('\n')
}
