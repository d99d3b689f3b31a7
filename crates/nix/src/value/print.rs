//! Prints typed expressions as text. This module adds quotes and parentheses. The formatter,
//! nixfmt, adds line breaks and indentation later.

use crate::value::expr::{
    APPLY, ATOM, Argument, Binding, BindingKind, Item, LOOSE, NixExpr, Operator, Part, Pattern,
    is_identifier, named,
};
use rocpkg_render::nix;
use std::collections::BTreeSet;

/// The precedence of `!`.
const PREFIX: u8 = 6;

/// The precedence of the sign of a negative number.
const NEGATIVE: u8 = 9;

impl std::fmt::Display for NixExpr {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut out = String::new();
        write(self, LOOSE, &mut out);
        f.write_str(&out)
    }
}

impl NixExpr {
    fn level(&self) -> u8 {
        match self {
            Self::Lambda(..) | Self::Let(..) => LOOSE,
            Self::Binary(op, ..) => op.symbol_and_level().1,
            Self::Not(_) => PREFIX,
            Self::Apply(..) => APPLY,
            Self::Int(i64::MIN) => ATOM,
            Self::Int(n) if *n < 0 => NEGATIVE,
            Self::Text(t) => t.level,
            _ => ATOM,
        }
    }
}

/// Writes `expr`, in parentheses if its precedence is lower than `level`.
fn write(expr: &NixExpr, level: u8, out: &mut String) {
    write_wrapped(expr, expr.level() < level, out);
}

fn write_wrapped(expr: &NixExpr, in_parentheses: bool, out: &mut String) {
    out.push_str(if in_parentheses { "(" } else { "" });
    write_bare(expr, out);
    out.push_str(if in_parentheses { ")" } else { "" });
}

/// Writes `expr`. No parentheses are put around the whole expression.
fn write_bare(expr: &NixExpr, out: &mut String) {
    match expr {
        NixExpr::Null => out.push_str("null"),
        NixExpr::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        // Nix reads the digits without their sign, and 9223372036854775808 is too large for it.
        NixExpr::Int(i64::MIN) => out.push_str(&format!("(-{} - 1)", i64::MAX)),
        NixExpr::Int(n) => out.push_str(&n.to_string()),
        NixExpr::Path(p) => path(p, out),
        NixExpr::Text(t) => out.push_str(&t.text),
        NixExpr::Str(parts) => string(parts, out),
        NixExpr::Lines(parts) => lines(parts, out),
        NixExpr::Name(n) if is_identifier(n) => out.push_str(n),
        // Lowering refuses a name that is not valid. If one is printed anyway, it must not become
        // another expression.
        NixExpr::Name(n) => {
            out.push_str("(throw ");
            string(&[Part::Text(format!("{n:?} is no name"))], out);
            out.push(')');
        }
        NixExpr::Select(base, names, default) => {
            write(base, ATOM, out);
            for n in names {
                out.push('.');
                out.push_str(&nix::attribute(n));
            }
            if let Some(d) = default.as_ref().filter(|_| !names.is_empty()) {
                out.push_str(" or ");
                write(d, ATOM, out);
            }
        }
        NixExpr::List(items) => list(items, false, out),
        NixExpr::Set(bindings) => set(bindings, out),
        NixExpr::Apply(f, a) => {
            write(f, APPLY, out);
            out.push(' ');
            match &**a {
                // Each element is on a line of its own, as in nixpkgs' files for ROCm. A new
                // element then changes only one line.
                NixExpr::List(items) if joins(f) => list(items, true, out),
                a => write_argument(a, out),
            }
        }
        NixExpr::Lambda(pattern, body) => {
            match pattern {
                Pattern::Name(n) => out.push_str(if is_identifier(n) { n } else { "_" }),
                Pattern::Set(arguments) => pattern_set(arguments, out),
            }
            out.push_str(": ");
            write(body, LOOSE, out);
        }
        NixExpr::Let(bindings, body) => {
            out.push_str("let\n");
            for b in bindings {
                out.push_str(if b.apart { "\n" } else { "" });
                binding(b, out);
            }
            out.push_str("in\n");
            write(body, LOOSE, out);
        }
        NixExpr::Not(e) => {
            out.push('!');
            write(e, PREFIX, out);
        }
        NixExpr::Binary(op, l, r) => {
            let (symbol, level) = op.symbol_and_level();
            // Chains have no parentheses: `++`, `//` and the Boolean operators are associative, and
            // `+` groups to the left.
            let same = |e: &NixExpr| matches!(e, NixExpr::Binary(o, ..) if o == op);
            let comparison = matches!(op, Operator::Equal | Operator::Differs | Operator::Greater);
            write(l, if comparison { level + 1 } else { level }, out);
            out.push_str(if *op == Operator::Concat || *op == Operator::Update {
                "\n"
            } else {
                " "
            });
            out.push_str(symbol);
            out.push(' ');
            write(
                r,
                if same(r) && *op != Operator::Plus && !comparison {
                    level
                } else {
                    level + 1
                },
                out,
            );
        }
    }
}

/// Writes an argument of a call or an element of a list. It gets parentheses if its precedence is
/// lower than that of a selection `a.b`, and for `a.b or c`.
fn write_argument(a: &NixExpr, out: &mut String) {
    write_wrapped(
        a,
        a.level() < ATOM || matches!(a, NixExpr::Select(_, _, Some(_))),
        out,
    );
}

/// Returns true if a function is `lib.optionals CONDITION`, whose last argument is a list.
fn joins(function: &NixExpr) -> bool {
    matches!(function, NixExpr::Apply(f, _) if **f == named("lib.optionals"))
}

fn list(items: &[Item], is_wide: bool, out: &mut String) {
    match items {
        [] => out.push_str("[ ]"),
        [only] if !is_wide && only.comment.is_none() && !matches!(only.value, NixExpr::Set(..)) => {
            out.push_str("[ ");
            write_argument(&only.value, out);
            out.push_str(" ]");
        }
        _ => {
            out.push_str("[\n");
            for i in items {
                comment(i.comment.as_deref(), out);
                write_argument(&i.value, out);
                out.push('\n');
            }
            out.push(']');
        }
    }
}

fn set(bindings: &[Binding], out: &mut String) {
    match bindings {
        [] => out.push_str("{ }"),
        [only] if only.comment.is_none() && is_short(only) => {
            out.push_str("{ ");
            binding(&bindings[0], out);
            out.pop();
            out.push_str(" }");
        }
        _ => {
            out.push_str("{\n");
            for (i, b) in bindings.iter().enumerate() {
                out.push_str(if i > 0 && b.apart { "\n" } else { "" });
                binding(b, out);
            }
            out.push('}');
        }
    }
}

/// Returns true if a set with only this binding is written on one line: `{ a = b; }`.
fn is_short(b: &Binding) -> bool {
    match &b.kind {
        BindingKind::Inherit(..) => true,
        BindingKind::Nothing => false,
        BindingKind::Value(_, v) => {
            matches!(
                v,
                NixExpr::Bool(_)
                    | NixExpr::Name(_)
                    | NixExpr::Null
                    | NixExpr::Select(_, _, None)
                    | NixExpr::Not(_)
            )
        }
    }
}

fn binding(b: &Binding, out: &mut String) {
    comment(b.comment.as_deref(), out);
    match &b.kind {
        BindingKind::Value(path, value) => {
            for (i, n) in path.iter().enumerate() {
                if i > 0 {
                    out.push('.');
                }
                out.push_str(&nix::attribute(n));
            }
            out.push_str(" = ");
            write(value, LOOSE, out);
        }
        BindingKind::Inherit(from, names) => {
            out.push_str("inherit");
            if let Some(f) = from {
                out.push_str(" (");
                write(f, LOOSE, out);
                out.push(')');
            }
            for n in names {
                out.push(' ');
                out.push_str(&nix::attribute(n));
            }
        }
        BindingKind::Nothing => return,
    }
    out.push_str(";\n");
}

fn pattern_set(arguments: &[Argument], out: &mut String) {
    out.push_str("{\n");
    for a in arguments {
        comment(a.comment.as_deref(), out);
        out.push_str(if is_identifier(&a.name) { &a.name } else { "_" });
        if let Some(d) = &a.default {
            out.push_str(" ? ");
            write(d, LOOSE, out);
        }
        out.push_str(",\n");
    }
    out.push('}');
}

/// Writes comment lines. Each line of the text begins with `#`.
fn comment(text: Option<&str>, out: &mut String) {
    for line in text
        .unwrap_or_default()
        .trim()
        .split_terminator(['\n', '\r'])
    {
        out.push_str(format!("# {}", line.trim()).trim_end());
        out.push('\n');
    }
}

/// Writes a path such as `./a.patch`. A path with special characters is written as
/// `(./. + "/a b.patch")`.
fn path(p: &str, out: &mut String) {
    if crate::value::open::is_below(p) {
        out.push_str("./");
        out.push_str(p);
    } else {
        out.push_str("(./. + ");
        string(&[Part::Text(format!("/{p}"))], out);
        out.push(')');
    }
}

fn string(parts: &[Part], out: &mut String) {
    let pieces: Vec<nix::NixPiece> = parts
        .iter()
        .map(|p| match p {
            Part::Text(t) => nix::NixPiece::Literal(t.clone()),
            Part::Value(e) => nix::NixPiece::Antiquote(e.to_string()),
        })
        .collect();
    out.push_str(&nix::string(&pieces));
}

/// A part of a string of several lines.
enum Sign<'a> {
    Char(char),
    Value(&'a NixExpr),
}

/// Writes a string of several lines, `''…''`. In it, `''` and `${` are escaped by a prefix that
/// begins with single quotes. So a single quote directly before one of them would be read as a part
/// of the prefix. Such a character is written as an interpolated string: `${"'"}`.
fn lines(parts: &[Part], out: &mut String) {
    let mut signs = Vec::new();
    for part in parts {
        match part {
            Part::Value(value) => signs.push(Sign::Value(value)),
            Part::Text(text) => signs.extend(text.chars().map(Sign::Char)),
        }
    }
    let kept = kept_blanks(&signs);
    out.push_str("''\n");
    let mut before = ' ';
    let mut at = 0;
    while let Some(sign) = signs.get(at) {
        // `{` stands for all that is printed as an interpolation, which begins with `${`.
        let next = match signs.get(at + 1) {
            Some(Sign::Char(next)) => Some(*next),
            Some(Sign::Value(_)) => Some('{'),
            None => None,
        };
        let next_is_last = at + 2 == signs.len();
        let next = match next {
            Some('\'') if next_is_last && matches!(sign, Sign::Char('$')) => Some('{'),
            Some(' ') if kept.contains(&(at + 1)) => Some('{'),
            next => next,
        };
        match (sign, next) {
            (Sign::Value(value), _) => out.push_str(&format!("${{{value}}}")),
            (Sign::Char('\''), Some('\'')) => {
                out.push_str("'''");
                at += 1;
            }
            (Sign::Char('\''), None) => out.push_str("${\"'\"}"),
            (Sign::Char('$'), Some('{')) if before == '\'' => out.push_str("${\"$\"}"),
            (Sign::Char('$'), Some('{')) => out.push_str("''$"),
            (Sign::Char('\r'), _) if before == '\'' => out.push_str("${\"\\r\"}"),
            (Sign::Char('\r'), _) => out.push_str("''\\r"),
            (Sign::Char(' '), _) if kept.contains(&at) => out.push_str("${\" \"}"),
            (Sign::Char(c), _) => out.push(*c),
        }
        before = match sign {
            Sign::Char(c) => *c,
            Sign::Value(_) => ' ',
        };
        at += 1;
    }
    out.push_str("''");
}

/// Returns the indexes of blanks that Nix or the formatter would remove, as they take them for
/// indentation: the last blank of a line of blanks, and the first blank of the first line if all
/// lines begin with blanks (`stripIndentation` in Nix).
fn kept_blanks(signs: &[Sign]) -> BTreeSet<usize> {
    let is = |at: usize, c: char| matches!(signs.get(at), Some(Sign::Char(own)) if *own == c);
    let (mut kept, mut first, mut start) = (BTreeSet::new(), None, 0);
    let mut is_indented = true;
    for end in (0..=signs.len()).filter(|end| *end == signs.len() || is(*end, '\n')) {
        let is_blank = (start..end).all(|at| is(at, ' '));
        if is_blank && start < end {
            kept.insert(end - 1);
        }
        if start < end {
            is_indented &= is(start, ' ') && !(is_blank && start + 1 == end);
            first.get_or_insert(start);
        }
        start = end + 1;
    }
    kept.extend(first.filter(|_| is_indented));
    kept
}
