//! How deep a text may be nested, told from its words alone.
//!
//! The parsers go down one level for each bracket, operator, argument and `let`, and one of them takes the cube of the length of
//! a path such as `a.b.c`. So a stranger's text is looked at before they are.

use rnix::{SyntaxKind, tokenize};

/// So many levels may be open at a time: more than the trees of texts that are taken have, as what is counted here is more.
const MOST: usize = 1024;

/// What each part of a path counts: 256 parts are as much as is allowed.
const DOT: usize = 4;

/// What is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    /// A bracket, a string or what is put into one.
    Bracket,
    /// The bracket of a list, in which words stand beside each other.
    List,
    /// `let`, before its `in`.
    Let,
    /// `if`: what follows `else` is a level below.
    If,
    /// `with` and `assert`, before their `;`.
    Ahead,
    /// `inherit`, before its `;`: its names stand beside each other.
    Inherit,
    /// An operator, an argument, or a part of a path.
    Level,
}

/// The byte at which a text is nested too deep for the parsers, if there is one.
pub(crate) fn too_deep(text: &str) -> Option<usize> {
    use SyntaxKind as K;
    let mut open: Vec<Open> = Vec::new();
    let mut at = 0;
    let mut after_dot = false;
    for (kind, word) in tokenize(text) {
        match kind {
            K::TOKEN_WHITESPACE | K::TOKEN_COMMENT | K::TOKEN_STRING_CONTENT => {}
            K::TOKEN_R_BRACE
            | K::TOKEN_R_BRACK
            | K::TOKEN_R_PAREN
            | K::TOKEN_INTERPOL_END
            | K::TOKEN_STRING_END => {
                close(&mut open, &[Open::Bracket, Open::List]);
                open.pop();
            }
            K::TOKEN_COMMA => close(&mut open, &[Open::Bracket, Open::List]),
            K::TOKEN_SEMICOLON => {
                close(&mut open, &[Open::Bracket, Open::List, Open::Let, Open::Ahead, Open::Inherit]);
                match open.last_mut() {
                    Some(last @ Open::Ahead) => *last = Open::Level,
                    Some(Open::Inherit) => drop(open.pop()),
                    _ => {}
                }
            }
            K::TOKEN_IN => {
                close(&mut open, &[Open::Bracket, Open::List, Open::Let]);
                if let Some(last @ Open::Let) = open.last_mut() {
                    *last = Open::Level;
                }
            }
            K::TOKEN_THEN | K::TOKEN_ELSE => close(&mut open, &[Open::Bracket, Open::List, Open::If]),
            K::TOKEN_LET => open.push(Open::Let),
            K::TOKEN_IF => open.push(Open::If),
            K::TOKEN_WITH | K::TOKEN_ASSERT => open.push(Open::Ahead),
            K::TOKEN_INHERIT => open.push(Open::Inherit),
            K::TOKEN_DOT => open.extend([Open::Level; DOT]),
            _ => {
                let bracket = matches!(
                    kind,
                    K::TOKEN_L_BRACE | K::TOKEN_L_PAREN | K::TOKEN_INTERPOL_START | K::TOKEN_STRING_START
                );
                let list = kind == K::TOKEN_L_BRACK;
                let operand = bracket
                    || list
                    || matches!(kind, K::TOKEN_IDENT | K::TOKEN_INTEGER | K::TOKEN_FLOAT | K::TOKEN_URI)
                    || matches!(kind, K::TOKEN_PATH_ABS | K::TOKEN_PATH_HOME | K::TOKEN_PATH_REL)
                    || kind == K::TOKEN_PATH_SEARCH;
                // The next word of a list is a value of its own.
                let beside = operand && !after_dot && kind != K::TOKEN_INTERPOL_START;
                let place = open.iter().rposition(|o| *o != Open::Level);
                match place.map(|i| open[i]) {
                    Some(Open::List | Open::Inherit) if beside => open.truncate(place.map_or(0, |i| i + 1)),
                    _ => open.push(Open::Level),
                }
                if list || bracket {
                    open.push(if list { Open::List } else { Open::Bracket });
                }
            }
        }
        if open.len() > MOST {
            return Some(at);
        }
        if !matches!(kind, K::TOKEN_WHITESPACE | K::TOKEN_COMMENT) {
            after_dot = kind == K::TOKEN_DOT;
        }
        at += word.len();
    }
    None
}

/// Closes what is open above the innermost of these kinds.
fn close(open: &mut Vec<Open>, down_to: &[Open]) {
    let place = open.iter().rposition(|o| down_to.contains(o));
    open.truncate(place.map_or(0, |i| i + 1));
}

#[cfg(test)]
mod tests {
    use super::too_deep;

    #[test]
    fn what_people_write_is_not_deep() {
        let many = |unit: &str| unit.repeat(600);
        for text in [
            format!("{{ {} }}", many("a.b = if c then f x.y \"${z}\" else [ p.q r ];\n")),
            format!("[ {} ]", many("lib.a.b ./fix.patch (f x) \"text ${y}\" ")),
            format!("{{ inherit (lib) {}; }}", many("name ")),
            format!("{{ {}... }}: {{ }}", many("argument ? lib.default 1, ")),
            format!("let {} in a", many("a = let b = 1; in assert b == 1; b; ")),
            format!("''{}''", many("line ${lib.escapeShellArg a.b} ''${not} \n")),
            format!("{}z", "if a == b && c then d else ".repeat(128)),
            format!("{}1", "a + ".repeat(128)),
        ] {
            assert_eq!(too_deep(&text), None, "{}", &text[..60]);
        }
    }

    #[test]
    fn what_goes_down_and_down_is() {
        for unit in [
            "(",
            "[",
            "{ a = ",
            "''${",
            "\"${",
            "- ",
            "! ",
            "a: ",
            "{ }: ",
            "if a then b else ",
            "let a = 1; in ",
            "assert a; ",
            "with a; ",
            "a -> ",
            "a ++ ",
            "a // ",
            "a ",
            "a.",
            "\"\" ",
            "a.b or ",
            "a ? b && ",
            "1 + ",
        ] {
            let text = unit.repeat(1100);
            assert!(too_deep(&text).is_some(), "{unit}");
        }
    }
}
