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
/// The last of them are nixpkgs' own.
const EVALUATES: &[&str] = &[
    "alias",
    "bind",
    "compgen",
    "complete",
    "enable",
    "eval",
    "let",
    "trap",
    "_assignFirst",
    "_callImplicitHook",
    "_eval",
    "_overrideFirst",
    "activatePackage",
    "addEnvHooks",
    "findInputs",
    "runOneHook",
    "showPhaseFooter",
];

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

/// Functions of nixpkgs that evaluate the name of a variable, a phase or a hook, and which of their words is that name.
const NAMES: &[(&str, usize)] = &[
    ("addToSearchPath", 1),
    ("addToSearchPathWithCustomDelimiter", 2),
    ("appendToVar", 1),
    ("concatStringsSep", 2),
    ("consumeEntire", 1),
    ("prependToVar", 1),
    ("runHook", 1),
    ("substituteAllStream", 1),
    ("substituteStream", 1),
];

/// Those that evaluate each of their words, and whether a name may have a default behind a `=`.
const ALL_NAMES: &[(&str, bool)] = &[("concatTo", true), ("runPhase", false)];

/// Programs that run the words behind them.
pub(crate) const RUNNERS: &[&str] = &[
    "builtin",
    "command",
    "distutils-r1_run_phase",
    "edo",
    "edob",
    "env",
    "exec",
    "lua_foreach_impl",
    "multibuild_for_best_variant",
    "multibuild_foreach_variant",
    "multibuild_parallel_foreach_variant",
    "multilib_for_best_abi",
    "multilib_foreach_abi",
    "multilib_parallel_foreach_abi",
    "nice",
    "nonfatal",
    "python_foreach_impl",
    "run_in_build_dir",
    "virtwl",
    "virtx",
];

/// Reports words that a shell would not read as the words of one command, and hands them on.
pub(crate) fn checked(words: Vec<Text>, span: Span, findings: &mut Findings) -> Vec<Text> {
    let Some((message, label)) = fault(&words) else { return words };
    findings.push(
        Finding::error("E0561", span, message)
            .label(label)
            .hint("what needs more of the shell than words is a `raw` step"),
    );
    words
}

/// The word that names the program, behind those that only run it and their options.
fn program(words: &[Text]) -> Option<&Text> {
    let mut behind = false;
    words.iter().find(|w| {
        let literal = w.as_literal();
        let runs = literal.is_some_and(|w| RUNNERS.contains(&last_part(&w)) || behind && w.starts_with('-'));
        behind |= runs;
        !runs
    })
}

/// What stands behind the last slash.
pub(crate) fn last_part(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The name of the file that a word ends in, when no reference says it.
pub(crate) fn file_name(word: &Text) -> Option<&str> {
    match word.pieces.as_slice() {
        [Piece::Literal(text)] => Some(last_part(text)),
        [.., Piece::Literal(text)] if text.contains('/') => Some(last_part(text)),
        _ => None,
    }
}

/// True for a word that a function of nixpkgs takes for the name of a variable.
fn plain_name(word: &Text, default: bool) -> bool {
    match (word.pieces.first(), word.as_literal()) {
        (Some(Piece::Literal(text)), _) if default && text.contains('=') => {
            text.split_once('=').is_some_and(|(name, _)| is_name(name))
        }
        (_, literal) => literal.is_some_and(|w| is_name(&w)),
    }
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
    let mut behind = words.iter().skip_while(|w| w.as_literal().is_none_or(|w| w != program)).skip(1);
    let at = NAMES.iter().find(|(name, _)| *name == program);
    let all = ALL_NAMES.iter().find(|(name, _)| *name == program);
    if at.is_some_and(|(_, at)| behind.nth(at - 1).is_some_and(|w| !plain_name(w, false)))
        || all.is_some_and(|(_, default)| !behind.all(|w| plain_name(w, *default)))
    {
        let place = match at {
            Some((_, 2)) => "expected a plain name as the second of its words",
            Some(_) => "expected a plain name first",
            None => "expected plain names",
        };
        return Some((format!("`{program}` evaluates the name that it is given"), place));
    }
    // It runs what stands behind this option.
    let callback = |w: &Text| w.as_literal().is_some_and(|w| w.starts_with('-') && w.contains('C'));
    if ["mapfile", "readarray"].contains(&program.as_str()) && words.iter().any(callback) {
        return Some((format!("`{program} -C` runs a word as code"), "expected it without a callback"));
    }
    // These two evaluate a name behind an option only.
    let asked = |option: &str| words.iter().any(|w| w.as_literal().is_none_or(|w| w.starts_with(option)));
    let takes = match program.as_str() {
        "printf" | "test" | "[" => asked("-v"),
        name => TAKES_NAMES.contains(&name),
    };
    let subscript = |w: &Text| w.as_literal().unwrap_or_else(|| w.to_string()).contains('[');
    let integer =
        |w: &Text| w.as_literal().is_some_and(|w| w.starts_with('-') && w.contains(['A', 'a', 'i', 'n']));
    let declares = ["declare", "local", "typeset", "export", "readonly"].contains(&program.as_str());
    if takes && words.iter().skip(1).any(|w| subscript(w) || (declares && integer(w))) {
        return Some((
            format!("`{program}` evaluates what stands between brackets"),
            "expected names of variables without a subscript, and no `-A`, `-a`, `-i` or `-n`",
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
    is_name(name).then_some(name)
}

/// True for what may be the name of a variable.
pub(crate) fn is_name(name: &str) -> bool {
    let begins = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    begins && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(words: &[&str]) -> Vec<Text> {
        words.iter().map(|w| Text::parse(w, Span::default()).unwrap()).collect()
    }

    fn refused(words: &[&str]) -> bool {
        fault(&texts(words)).is_some()
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
            &["local", "-a", "a=($$(x))"],
            &["export", "-a", "a=($$(x))"],
            &["unset", "${x}[1]"],
            &["printf", "-v", "a[$(x)]", "b"],
            &["compgen", "-W", "$$(touch x)"],
            &["command", "-p", "eval", "x"],
            &["multibuild_foreach_variant", "eval", "x"],
            &["multilib_foreach_abi", "eval", "x"],
            &["runOneHook", "x"],
            &["_eval", "x"],
            &["_callImplicitHook", "0", "x"],
            &["runHook", "x; touch y"],
            &["appendToVar", "a[$$(x)]", "b"],
            &["mapfile", "-C", "touch x", "a"],
            &["addToSearchPathWithCustomDelimiter", ":", "a[$$(x)]", "b"],
            &["concatStringsSep", ";", "a[$$(x)]"],
            &["concatTo", "flags", "a[$$(x)0]"],
            &["concatTo", "flags", "a[$$(x)0]=b"],
            &["runPhase", "a[$$(x)0]"],
            &["runPhase", "buildPhase", "; touch x"],
            &["substituteStream", "a[$$(x)]", "b"],
            &["consumeEntire", "a[$$(x)]"],
            &["addEnvHooks", "a[$$(x)]", "b"],
            &["showPhaseFooter", "a", "b[$$(x)]", "1"],
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
            &["runHook", "preInstall"],
            &["appendToVar", "flags", "a[0]"],
            &["addToSearchPathWithCustomDelimiter", ";", "A", "${out}/b"],
            &["concatStringsSep", ";", "flags"],
            &["concatTo", "flags", "more", "patchFlags=-p1", "a=${x}"],
            &["runPhase", "buildPhase"],
        ] {
            assert!(!refused(words), "{words:?}");
        }
    }
}
