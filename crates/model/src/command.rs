//! The words of a command: they are data, so a shell must not read one of them as anything but a word.

use crate::finding::{Finding, Findings};
use crate::source::Span;
use crate::text::{Piece, Text};

/// Words that a shell reads as its grammar where a command begins (POSIX 2.4, and bash's own).
const KEYWORDS: &[&str] = &[
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while",
];

/// Commands of bash that run their words as code, or evaluate them as arithmetic, in which a subscript runs commands.
const EVALUATES: &[&str] = &["alias", "bind", "complete", "enable", "eval", "let", "trap"];

/// Commands of bash that take names of variables: the subscript of an element is evaluated, quoted or not.
const TAKES_NAMES: &[&str] = &[
    "declare",
    "export",
    "getopts",
    "local",
    "mapfile",
    "read",
    "readarray",
    "readonly",
    "typeset",
    "unset",
    "wait",
];

/// Programs whose arguments may be a program: what they do is no longer a matter of words.
const SHELLS: &[&str] = &["bash", "dash", "ksh", "sh", "source", "zsh"];

/// Programs that run the words behind them.
const RUNNERS: &[&str] =
    &["builtin", "command", "edo", "edob", "env", "exec", "nice", "nonfatal", "python_foreach_impl"];

/// Reports words that a shell would not read as the words of one command, and hands them on.
pub(crate) fn checked(words: Vec<Text>, span: Span, findings: &mut Findings) -> Vec<Text> {
    let Some((message, label)) = fault(&words) else {
        let shell = words.iter().filter_map(Text::as_literal).any(|w| SHELLS.contains(&w.as_str()));
        let dot = program(&words).and_then(Text::as_literal).is_some_and(|w| w == ".");
        if shell || dot {
            findings.note_native(span, "a command that runs a script");
        }
        return words;
    };
    findings.push(
        Finding::error("E0561", span, message)
            .label(label)
            .hint("what needs more of the shell than words is a `raw` step"),
    );
    words
}

/// The word that names the program, behind those that only run it.
fn program(words: &[Text]) -> Option<&Text> {
    let runs = |w: &&Text| w.as_literal().is_some_and(|w| RUNNERS.contains(&w.as_str()));
    words.iter().find(|w| !runs(w))
}

fn fault(words: &[Text]) -> Option<(String, &'static str)> {
    let Some(first) = words.first() else {
        return Some(("a command without a word".to_owned(), "expected a program and its arguments"));
    };
    let literal = first.as_literal().unwrap_or_default();
    if first.as_literal().is_some_and(|w| w.trim().is_empty()) {
        return Some(("a command without a name".to_owned(), "expected a program first"));
    }
    if KEYWORDS.contains(&literal.as_str()) {
        return Some((
            format!("`{literal}` begins no command: it is the shell's grammar"),
            "expected a program first",
        ));
    }
    if let Some(name) = assigned(first) {
        let message = format!("`{name}=` before a command sets a variable");
        return Some((message, "expected a program first; `run-with` has an `environment`"));
    }
    let program = program(words).and_then(Text::as_literal).unwrap_or_default();
    if EVALUATES.contains(&program.as_str()) {
        return Some((
            format!("`{program}` reads its words as code"),
            "expected a command that takes words as they are",
        ));
    }
    // These two evaluate a name behind an option only.
    let asked = |option: &str| words.iter().any(|w| w.as_literal().is_none_or(|w| w.starts_with(option)));
    let takes = match program.as_str() {
        "printf" | "test" | "[" => asked("-v"),
        name => TAKES_NAMES.contains(&name),
    };
    let subscript = |w: &Text| w.as_literal().unwrap_or_else(|| w.to_string()).contains('[');
    let integer = |w: &Text| w.as_literal().is_some_and(|w| w.starts_with('-') && w.contains(['i', 'n']));
    let declares = ["declare", "local", "typeset", "export", "readonly"].contains(&program.as_str());
    if takes && words.iter().skip(1).any(|w| subscript(w) || (declares && integer(w))) {
        return Some((
            format!("`{program}` evaluates what stands between brackets"),
            "expected names of variables without a subscript, and no `-i` or `-n`",
        ));
    }
    None
}

/// The variable that a word in front of a command would set.
fn assigned(word: &Text) -> Option<&str> {
    let Some(Piece::Literal(text)) = word.pieces.first() else { return None };
    let (head, _) = text.split_once('=')?;
    let head = head.strip_suffix('+').unwrap_or(head);
    let name = head.split('[').next().unwrap_or_default();
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    (begins && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(words: &[&str]) -> bool {
        let words: Vec<Text> = words.iter().map(|w| Text::parse(w, Span::default()).unwrap()).collect();
        fault(&words).is_some()
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
            &["eval", "x"],
            &["edo", "eval", "x"],
            &["local", "a[$(x)]=1"],
            &["local", "-i", "a=b"],
            &["unset", "${x}[1]"],
            &["printf", "-v", "a[$(x)]", "b"],
        ] {
            assert!(refused(words), "{words:?}");
        }
    }

    #[test]
    fn commands_pass() {
        for words in [
            &["dobin", "if"][..],
            &["make", "A=b"],
            &["-x=", "b"],
            &["local", "-x", "A=b"],
            &["printf", "%s\\n", "a"],
            &["${tool}", "for"],
            &[".", "${out}/x"],
            &["grep", "[a]", "b"],
        ] {
            assert!(!refused(words), "{words:?}");
        }
    }
}
