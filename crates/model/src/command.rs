//! Checks the words of a step's command (`run`, `run-with`). A shell must read the first word as a
//! program.

use crate::finding::{Finding, Findings};
use crate::source::Span;
use crate::text::{Piece, Text, is_identifier};

/// Reserved words. At the start of a command, a shell reads them as its grammar and not as the name
/// of a program (POSIX 2.4, and bash's own).
const KEYWORDS: &[&str] = &[
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while",
];

/// Programs, and functions of recipes, that take names of files and expand no patterns themselves.
const FOR_FILES: &[&str] = &[
    "cat",
    "chgrp",
    "chmod",
    "chown",
    "cp",
    "dobin",
    "dodoc",
    "doexe",
    "doheader",
    "doins",
    "dolib.a",
    "dolib.so",
    "dosbin",
    "hprefixify",
    "install",
    "ln",
    "mv",
    "patchShebangs",
    "patchelf",
    "rm",
    "strip",
    "touch",
];

/// Reports a command that a shell would not read as a program with its arguments: no words, a
/// keyword, or an assignment. Warns of quoted patterns otherwise.
pub(crate) fn check(words: &[Text], span: Span, findings: &mut Findings) {
    let Some((message, label)) = fault(words) else {
        return quoted_patterns(words, findings);
    };
    findings.push(
        Finding::error("E0561", span, message)
            .label(label)
            .hint("write shell syntax in a `raw` step"),
    );
}

/// Warns of words that look like patterns, such as `*.so`. The words of a command are quoted, so
/// the program reads each of them as the name of one file.
fn quoted_patterns(words: &[Text], findings: &mut Findings) {
    let Some((program, rest)) = words.split_first() else {
        return;
    };
    if !program
        .as_literal()
        .is_some_and(|name| FOR_FILES.contains(&name.as_str()))
    {
        return;
    }
    for word in rest
        .iter()
        .filter(|word| word.literals().any(|text| text.contains(['*', '?'])))
    {
        let message = format!("`{word}` is quoted, so it is the name of one file");
        findings.push(
            Finding::warning("W0226", Some(word.span), message)
                .label("expected `${glob:…}` around a pattern that the shell should expand"),
        );
    }
}

fn fault(words: &[Text]) -> Option<(String, &'static str)> {
    let Some(first) = words.first() else {
        return Some((
            "the command is empty".to_owned(),
            "expected a program and its arguments",
        ));
    };
    let literal = first.as_literal().unwrap_or_default();
    if first.as_literal().is_some_and(|w| w.trim().is_empty()) {
        return Some((
            "the name of the program is empty".to_owned(),
            "expected a program first",
        ));
    }
    if KEYWORDS.contains(&literal.as_str()) {
        return Some((
            format!("`{literal}` is shell syntax, not a program"),
            "expected a program first",
        ));
    }
    let name = assigned(first)?;
    let message = format!("`{name}=` before a command sets a variable");
    Some((
        message,
        "expected a program first; `environment` of `run-with` sets variables",
    ))
}

/// Returns the name of the variable that a shell would set if the word came before a command: `A=b`
/// -> `A`. Returns `None` if the word is no assignment.
fn assigned(word: &Text) -> Option<&str> {
    let Some(Piece::Literal(text)) = word.pieces.first() else {
        return None;
    };
    let (head, _) = text.split_once('=')?;
    let head = head.strip_suffix('+').unwrap_or(head);
    let name = head.split('[').next().unwrap_or_default();
    is_identifier(name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &[&str]) -> bool {
        let texts: Vec<Text> = words
            .iter()
            .map(|w| Text::parse(w, Span::default()).unwrap())
            .collect();
        fault(&texts).is_some()
    }

    #[test]
    fn words_that_a_shell_reads_are_refused() {
        for words in [
            &[][..],
            &[""],
            &["if", "x"],
            &["}", "x"],
            &["A=b", "make"],
            &["A[0]+=${x}", "make"],
        ] {
            assert!(refused(words), "{words:?}");
        }
        for words in [
            &["dobin", "if"][..],
            &["make", "A=b"],
            &["-x=", "b"],
            &["${tool}", "for"],
        ] {
            assert!(!refused(words), "{words:?}");
        }
    }
}
