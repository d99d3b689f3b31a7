//! Shapes that the grammar of tree-sitter-bash accepts, and that bash refuses or reads otherwise.
//! The grammar is made for editors, which show broken texts too.

use crate::tree::{Tree, children};
use crate::words::word;

/// Reserved words that begin no statement (bash manual 3.2.1), so bash refuses them as the name of
/// a command.
const RESERVED: &[&str] = &[
    "]]", "do", "done", "elif", "else", "esac", "fi", "in", "then", "}",
];

const OPENINGS: &[&str] = &["do", "else", "then", "{"];

/// Keywords that need no statement behind them.
const KEYWORDS: &[&str] = &["case", "elif", "for", "if", "in", "until", "while"];

/// Nodes that contain words. Their grammar leaves some words out, such as a dash before a here
/// document.
const WORDS: &[&str] = &[
    "array",
    "command",
    "concatenation",
    "declaration_command",
    "expansion",
    "file_redirect",
    "for_statement",
    "heredoc_redirect",
    "redirected_statement",
];

/// Returns the first byte of a node at which bash reads something else than the grammar. The
/// children of the node are not searched.
pub(crate) fn refused(node: Tree, text: &str) -> Option<usize> {
    if node.child_count() == 0 {
        return None;
    }
    let all = children(node);
    let kind = node.kind();
    let skipped = skipped(kind, &all, text);
    skipped
        .or_else(|| comment(&all, text))
        .or_else(|| match kind {
            "array" => unclosed(&all, text),
            "command_name" => RESERVED
                .contains(&&text[node.byte_range()])
                .then(|| node.start_byte()),
            "command" => called(&all).or_else(|| joined(&all, text)),
            "declaration_command" | "variable_assignments" => joined(&all, text),
            "file_redirect" | "herestring_redirect" => broken(&all, text),
            "function_definition" => named(&all, text),
            "pipeline" => negated(&all),
            "variable_assignment" => assigned(node, text),
            "brace_expression" | "case_item" | "expansion" | "string" => None,
            _ => stray_end(&all).or_else(|| opened(&all, text)),
        })
}

/// Returns the first byte around the children of a node that the grammar skips and bash does not.
/// `kind` is that of the node.
fn skipped(kind: &str, all: &[Tree], text: &str) -> Option<usize> {
    let is_of_words = WORDS.contains(&kind);
    let is_whole = kind == "program";
    let ends = all.iter().map(Tree::end_byte);
    let starts = all.iter().map(Tree::start_byte);
    let gaps = is_whole.then_some(0).into_iter().chain(ends).zip(
        starts
            .skip(usize::from(!is_whole))
            .chain(is_whole.then_some(text.len())),
    );
    gaps.into_iter().find_map(|(start, end)| {
        let between = text.get(start..end)?;
        let slash = || escaped(between).filter(|_| !is_of_words);
        Some(start + between.find(is_of_word).or_else(slash)?)
    })
}

/// Returns true for white space that is a part of a word in bash, such as a carriage return.
fn is_of_word(c: char) -> bool {
    c == '\u{feff}' || c.is_whitespace() && !" \t\n".contains(c)
}

/// Returns the first backslash before a blank in the last line of the text between two statements.
/// In the lines before, it is a word of the first statement.
fn escaped(between: &str) -> Option<usize> {
    let is_continued = |at: usize| between[..at].ends_with('\\');
    let mut ends = between.match_indices('\n').map(|(at, _)| at);
    let line = ends.rfind(|at| !is_continued(*at)).map_or(0, |at| at + 1);
    let mut slashes = between[line..].match_indices('\\');
    let at = slashes
        .find(|(at, _)| !between[line + at..].starts_with("\\\n"))?
        .0;
    Some(line + at)
}

/// Returns the beginning of a comment that is a part of the word before it: `}#`, `a=(b)#`.
fn comment(all: &[Tree], text: &str) -> Option<usize> {
    let is_inside = |at: usize| {
        let before = text[..at].chars().next_back();
        before.is_some_and(|c| !c.is_ascii_whitespace() && !";&|()<>`".contains(c))
    };
    let mut comments = all
        .iter()
        .enumerate()
        .filter(|(_, n)| n.kind() == "comment");
    comments.find_map(|(i, comment)| {
        let at = comment.start_byte();
        let is_joined = i > 0 && all[i - 1].end_byte() == at && has_array(all[i - 1]);
        (is_joined || is_inside(at)).then_some(at)
    })
}

/// Returns true if an assignment or a statement ends with an array.
fn has_array(node: Tree) -> bool {
    match node.kind() {
        "array" => true,
        "variable_assignment" | "variable_assignments" | "declaration_command" => {
            children(node).last().is_some_and(|last| has_array(*last))
        }
        _ => false,
    }
}

/// Returns the first byte of an element of an array whose `[` is not closed.
fn unclosed(all: &[Tree], text: &str) -> Option<usize> {
    let end = all.last()?.start_byte();
    let starts = all.iter().map(Tree::start_byte);
    let mut open = starts.filter(|at| text[*at..].starts_with('['));
    open.find(|at| {
        let mut quote = None;
        let mut depth = 0usize;
        for c in text[word(text, *at, end).at].chars() {
            match (c, quote) {
                ('\'' | '"', None) => quote = Some(c),
                (c, Some(open)) if c == open => quote = None,
                ('[', None) => depth += 1,
                (']', None) => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        depth > 0
    })
}

/// Returns the bracket in `name (…)`. It is no call, and no definition of a function.
fn called(all: &[Tree]) -> Option<usize> {
    let subshell = all.iter().find(|n| n.kind() == "subshell");
    subshell.map(Tree::start_byte)
}

/// Returns the first byte after an array that no blank follows: `x=(a)b`.
fn joined(all: &[Tree], text: &str) -> Option<usize> {
    let is_joined = |pair: &&[Tree]| {
        let between = text.get(pair[0].end_byte()..pair[1].start_byte());
        has_array(pair[0]) && between.is_some_and(|text| text.replace("\\\n", "").is_empty())
    };
    let pair = all.windows(2).find(is_joined)?;
    Some(pair[1].start_byte())
}

/// Returns the end of a line between the parts of a redirection.
fn broken(all: &[Tree], text: &str) -> Option<usize> {
    let is_broken = |pair: &&[Tree]| {
        let between = text.get(pair[0].end_byte()..pair[1].start_byte());
        between.is_some_and(|text| text.replace("\\\n", "").contains('\n'))
    };
    let pair = all.windows(2).find(is_broken)?;
    Some(pair[0].end_byte())
}

/// Returns the wrong byte in the name of a function and the brackets behind it. makepkg enables
/// extended patterns, so `name!()` is a pattern.
fn named(all: &[Tree], text: &str) -> Option<usize> {
    let open = all.iter().position(|n| n.kind() == "(")?;
    let at = all[open].start_byte();
    if text[..at].ends_with(['?', '*', '+', '@', '!']) {
        return Some(at);
    }
    broken(all.get(..open + 2)?, text)
}

/// Returns the `!` before a command that is not the first of a pipeline.
fn negated(all: &[Tree]) -> Option<usize> {
    let stray = all.iter().skip(1).find(|n| n.kind() == "negated_command");
    stray.map(Tree::start_byte)
}

/// Returns the beginning of an assignment to a name that is no variable, such as `@a=(b)`.
fn assigned(node: Tree, text: &str) -> Option<usize> {
    let name = node.child_by_field_name("name")?;
    let is_no_name = |c: char| !c.is_ascii_alphabetic() && c != '_';
    let is_wrong =
        name.kind() == "variable_name" && text[name.start_byte()..].starts_with(is_no_name);
    is_wrong.then(|| node.start_byte())
}

/// Returns the `;;` that ends no arm of a `case`.
fn stray_end(all: &[Tree]) -> Option<usize> {
    let end = all.iter().find(|n| n.kind() == ";;");
    end.map(Tree::start_byte)
}

/// Returns the first byte after a keyword that is a part of a word, such as `then]`, or that no
/// statement follows.
fn opened(all: &[Tree], text: &str) -> Option<usize> {
    let mut keywords = all.iter().enumerate().filter(|(_, n)| !n.is_named());
    keywords.find_map(|(i, keyword)| {
        let is_opening = OPENINGS.contains(&keyword.kind());
        if !is_opening && !KEYWORDS.contains(&keyword.kind()) {
            return None;
        }
        let at = keyword.end_byte();
        let rest = text.get(at..)?;
        let is_end = rest.starts_with("\\\n")
            || rest.starts_with(|c: char| c.is_ascii_whitespace() || ";&|()<>".contains(c));
        let next = all[i + 1..].iter().find(|n| n.kind() != "comment");
        let is_clause = |n: &Tree| matches!(n.kind(), "elif_clause" | "else_clause");
        let has_none = is_opening && next.is_none_or(|n| !n.is_named() || is_clause(n));
        // An `else` without statements is the last node.
        (has_none || !is_end).then_some(at)
    })
}
