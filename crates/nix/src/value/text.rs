//! Reads Nix text that the model contains. rnix parses the text, the text is divided into bindings,
//! and each of them is printed as it was written.

use crate::check::twice;
use crate::lower::names::GLOBALS;
use crate::value::expr::{APPLY, ATOM, Binding, BindingKind, LOOSE, NixExpr};
use crate::value::open::{self, Found};
use indexmap::IndexSet;
use rnix::ast::{Attr, AttrSet, Attrpath, Entry, Expr, Inherit};
use rnix::{NodeOrToken, ParseError, SyntaxKind, SyntaxNode};
use rocpkg_model::MAX_DEPTH;
use rocpkg_syntax::{Checked, Fault, nix};
use rowan::ast::AstNode;
use std::rc::Rc;

/// An expression that is printed as it was written. Its text is always one whole expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verbatim {
    pub(crate) text: String,
    /// The precedence, which decides if parentheses are needed.
    pub(crate) level: u8,
}

impl Verbatim {
    /// Makes an expression that is put into parentheses when it is part of another expression.
    pub(crate) fn loose(text: String) -> Self {
        Self { text, level: LOOSE }
    }
}

/// The result of reading a text: its value, and the names, files and faults in it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Read<T> {
    pub(crate) value: T,
    pub(crate) found: Found,
}

impl<T> Read<T> {
    /// Returns the value, or the faults if the text contains a construct that is not allowed.
    fn sound(self) -> Result<T, Vec<Fault>> {
        if self.found.faults.is_empty() {
            Ok(self.value)
        } else {
            Err(self.found.faults)
        }
    }
}

/// A binding of a text, with its place.
#[derive(Clone, Debug)]
pub(crate) struct Entered {
    pub(crate) binding: Binding,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The value, or `None` for `inherit`.
    pub(crate) value: Option<Expr>,
}

impl NixExpr {
    /// Reads one expression, which is printed as it was written. Names, constants and selections
    /// such as `a.b` are typed; any other expression is a [`NixExpr::Text`].
    ///
    /// # Errors
    /// When the text is not an expression, defines an attribute twice, or contains a construct that
    /// an expression of a package may not contain: `with`, or a path that names no file beside or
    /// below the expression, such as `../a` and `./.`.
    pub fn read(text: &str) -> Result<Self, Vec<Fault>> {
        let value = expression(text).map_err(|f| vec![f])?.sound()?;
        let mut checked = Checked::default();
        if let Ok(tree) = nix::tree(text) {
            twice::check(&tree.syntax(), &mut checked);
        }
        match checked.faults.as_slice() {
            [] => Ok(value),
            _ => Err(checked.faults),
        }
    }
}

impl Binding {
    /// Reads bindings of a set or a `let`, with their comments.
    ///
    /// # Errors
    /// Like [`NixExpr::read`].
    pub fn read(text: &str) -> Result<Vec<Self>, Vec<Fault>> {
        let entered = bindings(text).map_err(|f| vec![f])?.sound()?;
        Ok(entered.into_iter().map(|e| e.binding).collect())
    }
}

/// The bindings of a text, or the fault that prevents reading it. `Rc` shares the result between
/// the places that use the text.
pub(crate) type Bindings = Rc<Result<Read<Vec<Entered>>, Fault>>;

/// Reads a text that contains one expression.
pub(crate) fn expression(text: &str) -> Result<Read<NixExpr>, Fault> {
    let root = parse(text, 0, text.len())?;
    let Some(expr) = root.children().find_map(Expr::cast) else {
        return Err(syntax(
            0,
            text.len(),
            "the Nix text is empty",
            "expected a Nix expression",
        ));
    };
    let mut found = Found::default();
    open::walk(expr.syntax(), 0, &mut found);
    Ok(Read {
        value: converted(&expr),
        found,
    })
}

/// Reads a text that contains bindings of a set or a `let`, such as `a = 1; b = 2;`.
pub(crate) fn bindings(text: &str) -> Result<Read<Vec<Entered>>, Fault> {
    let wrapped = format!("{{{text}\n}}");
    let root = parse(&wrapped, 1, text.len())?;
    let set = match root.children().find_map(Expr::cast) {
        Some(Expr::AttrSet(set))
            if usize::from(set.syntax().text_range().len()) == wrapped.len() =>
        {
            set
        }
        _ => return Err(stray(&root)),
    };
    let mut found = Found::default();
    open::walk(set.syntax(), 1, &mut found);
    let value = entries(&wrapped, &set, &mut found);
    Ok(Read { value, found })
}

/// Returns the fault of bindings that contain a `}` too many, which closes the set around them.
fn stray(root: &SyntaxNode) -> Fault {
    let first = root.descendants().find_map(AttrSet::cast);
    let end = first
        .map_or(1, |s| usize::from(s.syntax().text_range().end()))
        .saturating_sub(2);
    syntax(end, end + 1, "unexpected `}`", "expected `name = value;`")
}

fn syntax(start: usize, end: usize, message: &str, label: &str) -> Fault {
    Fault::new("E0510", start..end, message).label(label)
}

/// Parses a text. The model's own text is the `len` bytes from the offset `shift`. The rest, such
/// as braces, was added. The places in faults are relative to the model's text.
///
/// rnix makes the tree, but accepts some faults within brackets. So the parser of the formatter
/// must accept the text too. Its messages are also better.
pub(crate) fn parse(file: &str, shift: usize, len: usize) -> Result<SyntaxNode, Fault> {
    // Missing text at the end is reported after the last word.
    let last = file
        .get(shift..shift + len)
        .map_or(0, |t| t.trim_end().len());
    let fault = |range: std::ops::Range<usize>, label: &str| {
        let start = range.start.saturating_sub(shift);
        let end = range
            .end
            .saturating_sub(shift)
            .clamp(start, start.max(last));
        // The brace after bindings is not part of the model's text.
        let (what, found) = label.split_once(", found ").unwrap_or((label, ""));
        if start >= last || (shift > 0 && end >= last && found == "'}'") {
            return syntax(last, last, "the Nix text ends too early", what);
        }
        let word = file.get(start + shift..end + shift).unwrap_or_default();
        let word = word.lines().next().unwrap_or_default().trim();
        syntax(start, end, &format!("unexpected `{word}`"), label)
    };
    // The parsers recurse at each bracket.
    let mut depth = 0_usize;
    let too_deep = file.char_indices().find(|(_, c)| {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > MAX_DEPTH
    });
    if let Some((at, _)) = too_deep {
        let start = at.saturating_sub(shift);
        let label = format!("expected at most {MAX_DEPTH} levels");
        return Err(syntax(
            start,
            start + 1,
            "the Nix text is nested too deep",
            &label,
        ));
    }
    let parsed = nix::tree(file).map_err(|e| {
        let start = e.at.saturating_sub(shift);
        syntax(
            start,
            start + 1,
            "the Nix text can't be read",
            &e.reason.to_string(),
        )
    })?;
    let root = parsed.syntax();
    if let Err(e) = nixfmt_rs::parse(file) {
        // A bracket that is not closed is reported at its beginning.
        if let Some((range, _)) = e
            .related()
            .into_iter()
            .next()
            .filter(|(r, _)| r.start >= shift)
        {
            let mut fault = fault(range, &e.help().unwrap_or_default());
            fault.finding.message = e.message();
            return Err(fault);
        }
        let message = e.message();
        if shift > 0 && message.starts_with("expected end of file") {
            return Err(stray(&root));
        }
        return Err(fault(e.byte_range(), &message));
    }
    match parsed.errors().first() {
        None => Ok(root),
        Some(e) => {
            let range = match e {
                ParseError::Unexpected(r)
                | ParseError::UnexpectedExtra(r)
                | ParseError::UnexpectedWanted(_, r, _)
                | ParseError::UnexpectedDoubleBind(r)
                | ParseError::DuplicatedArgs(r, _) => r.start().into()..r.end().into(),
                _ => last + shift..last + shift,
            };
            Err(fault(range, "expected a Nix expression"))
        }
    }
}

/// Returns the bindings of a set, each with the comments above it and behind it on its line. `text`
/// is the whole parsed text.
fn entries(text: &str, set: &AttrSet, found: &mut Found) -> Vec<Entered> {
    let mut out: Vec<Entered> = Vec::new();
    let mut above: Option<String> = None;
    let mut new_line = true;
    let mut apart = false;
    for child in set.syntax().children_with_tokens() {
        match child {
            NodeOrToken::Token(t) if t.kind() == SyntaxKind::TOKEN_COMMENT => {
                match out.last_mut() {
                    // The comment follows the binding on its line.
                    Some(last) if !new_line => add(&mut last.binding.comment, t.text()),
                    _ => add(&mut above, t.text()),
                }
            }
            NodeOrToken::Token(t) if t.kind() == SyntaxKind::TOKEN_WHITESPACE => {
                let lines = t.text().matches('\n').count();
                new_line |= lines > 0;
                apart |= lines > 1 && above.is_none() && !out.is_empty();
            }
            NodeOrToken::Token(_) => {}
            NodeOrToken::Node(node) => {
                let range = node.text_range();
                let (start, end) = (usize::from(range.start()) - 1, usize::from(range.end()) - 1);
                let entered = match Entry::cast(node) {
                    Some(Entry::AttrpathValue(e)) => {
                        e.attrpath().zip(e.value()).map(|(path, value)| {
                            let kind =
                                BindingKind::Value(names(&path, found), slice(text, &e, &value));
                            (kind, Some(value))
                        })
                    }
                    Some(Entry::Inherit(i)) => {
                        hoist(&i, &mut above);
                        Some((inherited(&i), None))
                    }
                    None => None,
                };
                if let Some((kind, value)) = entered {
                    let binding = Binding {
                        kind,
                        comment: above.take(),
                        apart,
                    };
                    out.push(Entered {
                        binding,
                        start,
                        end,
                        value,
                    });
                }
                new_line = false;
                apart = false;
            }
        }
    }
    if above.is_some() {
        let binding = Binding {
            kind: BindingKind::Nothing,
            comment: above,
            apart,
        };
        out.push(Entered {
            binding,
            start: 0,
            end: 0,
            value: None,
        });
    }
    out
}

/// Adds the text of a comment token, without `#` or `/* */`, to `comment` as a new line.
fn add(comment: &mut Option<String>, token: &str) {
    let inner = token.strip_prefix("/*").and_then(|t| t.strip_suffix("*/"));
    let words = inner
        .unwrap_or_else(|| token.trim_start_matches('#'))
        .trim();
    match comment {
        Some(text) => *text += &format!("\n{words}"),
        None => *comment = Some(words.to_owned()),
    }
}

/// Adds the comments inside an `inherit` to those above it, because a binding has no comments
/// inside.
fn hoist(inherit: &Inherit, above: &mut Option<String>) {
    let tokens = inherit
        .syntax()
        .children_with_tokens()
        .filter_map(NodeOrToken::into_token);
    tokens
        .filter(|t| t.kind() == SyntaxKind::TOKEN_COMMENT)
        .for_each(|t| add(above, t.text()));
}

fn names(path: &Attrpath, found: &mut Found) -> Vec<String> {
    let mut out = Vec::new();
    for a in path.attrs() {
        match open::attribute(&a) {
            Some(name) => out.push(name),
            None => found.refuse(
                a.syntax(),
                "the name of an attribute is computed",
                "expected a name",
            ),
        }
    }
    out
}

fn inherited(inherit: &Inherit) -> BindingKind {
    let from = inherit.from().and_then(|f| f.expr()).map(|e| converted(&e));
    let names = inherit
        .attrs()
        .filter_map(|a: Attr| open::attribute(&a))
        .collect();
    BindingKind::Inherit(from, names)
}

/// Returns the value of a binding, with the comments between `=` and `;`.
fn slice(text: &str, entry: &rnix::ast::AttrpathValue, value: &Expr) -> NixExpr {
    let from = entry
        .assign_token()
        .map_or(0, |t| usize::from(t.text_range().end()));
    let tokens = entry.syntax().children_with_tokens();
    let end = tokens
        .filter(|c| c.kind() == SyntaxKind::TOKEN_SEMICOLON)
        .last();
    let to = end.map_or(text.len(), |t| usize::from(t.text_range().start()));
    let written = text.get(from..to).unwrap_or_default();
    if value.syntax().text() == written.trim() {
        converted(value)
    } else {
        verbatim(written, LOOSE)
    }
}

/// Converts a parsed expression to a typed one. Constants, names and selections such as `a.b`
/// become typed. All other expressions are kept as text.
fn converted(expr: &Expr) -> NixExpr {
    let written = expr.syntax().text().to_string();
    match expr {
        Expr::Ident(_) => match written.as_str() {
            "true" => return NixExpr::Bool(true),
            "false" => return NixExpr::Bool(false),
            "null" => return NixExpr::Null,
            name => return NixExpr::Name(name.to_owned()),
        },
        Expr::Select(s) if s.default_expr().is_none() => {
            let base = s.expr().map(|b| converted(&b));
            let path = s.attrpath().map(|p| {
                p.attrs()
                    .map(|a| open::attribute(&a))
                    .collect::<Option<Vec<_>>>()
            });
            if let (Some(base @ NixExpr::Name(_)), Some(Some(path))) = (base, path)
                && !has_comment(expr.syntax())
            {
                return NixExpr::Select(Box::new(base), path, None);
            }
        }
        _ => {}
    }
    let level = match expr {
        Expr::Select(s) if s.default_expr().is_some() => APPLY,
        Expr::Apply(_) => APPLY,
        Expr::Str(_)
        | Expr::List(_)
        | Expr::AttrSet(_)
        | Expr::Paren(_)
        | Expr::Literal(_)
        | Expr::PathRel(_)
        | Expr::Select(_) => ATOM,
        _ => LOOSE,
    };
    verbatim(&written, level)
}

fn has_comment(node: &SyntaxNode) -> bool {
    node.descendants_with_tokens()
        .any(|c| c.kind() == SyntaxKind::TOKEN_COMMENT)
}

fn verbatim(written: &str, level: u8) -> NixExpr {
    let mut text = written.trim().to_owned();
    // A comment at the end must not include the text that is printed after it.
    text.push_str(if text.lines().last().is_some_and(|l| l.contains('#')) {
        "\n"
    } else {
        ""
    });
    NixExpr::Text(Verbatim { text, level })
}

/// Returns the names that an expression uses and does not bind, in the order of their first use.
/// Nix's own functions are left out.
pub(crate) fn open_names(expr: &NixExpr) -> IndexSet<String> {
    let mut found = Found::default();
    if let Ok(parsed) = nix::tree(&expr.to_string()) {
        open::walk(&parsed.syntax(), 0, &mut found);
    }
    let mut names = found.names();
    names.retain(|name| !GLOBALS.split_whitespace().any(|global| global == name));
    names
}

/// Returns true if the form of an expression shows that its value is a string: a literal, or a call
/// such as `lib.optionalString …`.
pub(crate) fn is_text(expr: &Expr) -> bool {
    match expr {
        Expr::Str(_) => true,
        Expr::Paren(p) => p.expr().is_some_and(|e| is_text(&e)),
        Expr::IfElse(i) => [i.body(), i.else_body()].iter().flatten().all(is_text),
        Expr::Apply(_) => {
            let written = expr.syntax().text().to_string();
            [
                "lib.optionalString ",
                "lib.concatStringsSep ",
                "lib.concatMapStringsSep ",
            ]
            .iter()
            .any(|f| written.starts_with(f))
        }
        _ => false,
    }
}
