//! Finds syntax that rnix accepts and Nix refuses (`parser.y` and `lexer.l` of Nix).

use crate::value::open::attribute;
use rnix::ast::{Attr, HasEntry, Lambda, LetIn, Param};
use rnix::{SyntaxKind as S, SyntaxNode, SyntaxToken};
use rocpkg_syntax::{Checked, Fault, nix};
use rowan::NodeOrToken;
use rowan::ast::AstNode;
use std::collections::BTreeSet;
use std::ops::Range;

pub(super) fn check(root: &SyntaxNode, out: &mut Checked) {
    for element in root.descendants_with_tokens() {
        match element {
            NodeOrToken::Token(token) => literal(&token, out),
            NodeOrToken::Node(node) => {
                misplaced(&node, out);
                closed(&node, out);
                names(&node, out);
                if let Some(lambda) = Lambda::cast(node.clone()) {
                    formals(&lambda, out);
                }
                if let Some(bound) = LetIn::cast(node) {
                    computed(&bound, out);
                }
            }
        }
    }
}

/// Reports a NUL character: some versions of Nix end the text there, and others refuse it.
pub(super) fn characters(text: &str, out: &mut Checked) {
    if let Some(at) = text.find('\0') {
        refuse(
            at..at + 1,
            "the expression contains a NUL character",
            "expected a text",
            out,
        );
    }
}

fn refuse(at: Range<usize>, message: impl Into<String>, label: &str, out: &mut Checked) {
    let fault = Fault::new("E0841", at, message);
    out.faults.push(fault.label(label));
}

fn range(token: &SyntaxToken) -> Range<usize> {
    let range = token.text_range();
    range.start().into()..range.end().into()
}

/// Reports numbers that are too large, and operators that Nix has only as an experiment.
fn literal(token: &SyntaxToken, out: &mut Checked) {
    let text = token.text();
    match token.kind() {
        S::TOKEN_INTEGER if text.parse::<i64>().is_err() => {
            let message = format!("the number `{text}` is too large");
            let label = format!("expected at most {}", i64::MAX);
            refuse(range(token), message, &label, out);
        }
        S::TOKEN_FLOAT if text.parse::<f64>().is_ok_and(f64::is_infinite) => {
            let message = format!("the number `{text}` is too large");
            refuse(range(token), message, "expected a smaller number", out);
        }
        S::TOKEN_PIPE_LEFT | S::TOKEN_PIPE_RIGHT => {
            let message = format!("Nix does not read `{text}` without a setting");
            refuse(range(token), message, "expected a call", out);
        }
        S::TOKEN_PATH_SEARCH if text.ends_with("/>") || text.contains("//") => {
            let message = format!("`{text}` is no path");
            refuse(
                range(token),
                message,
                "expected names between the slashes",
                out,
            );
        }
        _ => {}
    }
}

/// Reports parentheses and brackets that end with another sign.
fn closed(node: &SyntaxNode, out: &mut Checked) {
    let end = match node.kind() {
        S::NODE_PAREN => S::TOKEN_R_PAREN,
        S::NODE_LIST => S::TOKEN_R_BRACK,
        S::NODE_ATTR_SET => S::TOKEN_R_BRACE,
        _ => return,
    };
    let last = node.last_child_or_token();
    if last.is_none_or(|last| last.kind() != end) {
        let at = nix::range(node);
        let message = "the bracket is not closed";
        refuse(
            at.start..at.start + 1,
            message,
            "expected its other half",
            out,
        );
    }
}

/// Reports a function, `if`, `let`, `with` or `assert` that needs parentheses: as an element of a
/// list, an argument or an operand.
fn misplaced(node: &SyntaxNode, out: &mut Checked) {
    let is_open = matches!(
        node.kind(),
        S::NODE_LAMBDA | S::NODE_IF_ELSE | S::NODE_LET_IN | S::NODE_WITH | S::NODE_ASSERT
    );
    let is_inside = node.parent().is_some_and(|parent| {
        use S::{NODE_APPLY, NODE_BIN_OP, NODE_HAS_ATTR, NODE_LIST, NODE_SELECT, NODE_UNARY_OP};
        let kinds = [
            NODE_APPLY,
            NODE_BIN_OP,
            NODE_HAS_ATTR,
            NODE_LIST,
            NODE_SELECT,
            NODE_UNARY_OP,
        ];
        kinds.contains(&parent.kind())
    });
    if is_open && is_inside {
        let message = "Nix does not read this expression without parentheses";
        refuse(nix::range(node), message, "expected `( … )`", out);
    }
}

/// Reports names of attributes in `''…''`, and computed names of `inherit`.
fn names(node: &SyntaxNode, out: &mut Checked) {
    let is_inherit = node.kind() == S::NODE_INHERIT;
    if !is_inherit && node.kind() != S::NODE_ATTRPATH {
        return;
    }
    for attr in node.children().filter_map(Attr::cast) {
        let at = nix::range(attr.syntax());
        if attr.syntax().text().to_string().starts_with("''") {
            let message = "the name of an attribute can't be in `''`";
            refuse(
                at,
                message,
                "expected a name, or a string in double quotes",
                out,
            );
        } else if is_inherit && attribute(&attr).is_none() {
            refuse(
                at,
                "`inherit` takes no computed names",
                "expected a name",
                out,
            );
        }
    }
}

/// Reports computed names in a `let`.
fn computed(bound: &LetIn, out: &mut Checked) {
    for entry in bound.attrpath_values() {
        let first = entry.attrpath().and_then(|path| path.attrs().next());
        if let Some(first) = first.filter(|first| attribute(first).is_none()) {
            let at = nix::range(first.syntax());
            refuse(at, "`let` binds no computed names", "expected a name", out);
        }
    }
}

/// Reports arguments of a function that have the same name.
fn formals(lambda: &Lambda, out: &mut Checked) {
    let Some(Param::Pattern(pattern)) = lambda.param() else {
        return;
    };
    let whole = pattern.pat_bind().and_then(|bind| bind.ident());
    let entries = pattern.pat_entries().filter_map(|entry| entry.ident());
    let mut seen = BTreeSet::new();
    for ident in entries.chain(whole) {
        let name = ident.to_string();
        if !seen.insert(name.clone()) {
            let message = format!("the function has two arguments `{name}`");
            let fault = Fault::new("E0844", nix::range(ident.syntax()), message);
            out.faults
                .push(fault.label("expected one argument of this name"));
        }
    }
}
