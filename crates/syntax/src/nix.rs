//! Reader of nixpkgs' expressions, with rnix: arguments, bindings, and the attributes of a
//! derivation with their lists, calls and scripts.

use crate::lists::truth;
use crate::outline::{Body, Form, ItemKind, Node, Outline, Reading};
use crate::unreadable::{MOST_LEVELS, Unreadable};
use crate::value::NormalText;
use crate::variables::line_of_script;
use crate::with::With;
use crate::words::{VERSION, Words};
use rnix::{SyntaxKind as S, SyntaxNode};
use rowan::WalkEvent;
use std::ops::Range;

pub use crate::final_attributes::{in_own_attributes, names_attributes};

/// The key of the item that contains a function's arguments.
pub const ARGUMENTS: &str = "arguments";

/// The key of the item that contains the attributes of the derivation.
pub const DERIVATION: &str = "derivation";

/// Returns the words of an expression that can be names, keywords and numbers included. Adjacent
/// separators give empty texts.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '\''))
}

/// Returns true if `name` occurs in an expression other than as an argument of a function: as a
/// reference, or as a name that the expression binds. A text that can't be parsed may refer to any
/// name, so true is returned.
pub fn is_used(text: &str, name: &str) -> bool {
    let Ok(root) = parse(text) else {
        return true;
    };
    let tokens = root
        .descendants_with_tokens()
        .filter_map(rowan::NodeOrToken::into_token);
    let mut named = tokens.filter(|token| token.kind() == S::TOKEN_IDENT && token.text() == name);
    // The name of an argument is the first child of its entry, and its default follows.
    let is_argument = |token: &rnix::SyntaxToken| {
        let name = token.parent();
        let entry = name
            .as_ref()
            .and_then(SyntaxNode::parent)
            .filter(|n| n.kind() == S::NODE_PAT_ENTRY);
        entry.is_some_and(|entry| entry.first_child() == name)
    };
    named.any(|token| !is_argument(&token))
}

/// The number of rnix's nodes for one level of a text: a set, and an attribute with its value.
const NODES_PER_LEVEL: usize = 2;

/// The most tokens of expressions that are still open at one place. `a + a + …` has no brackets,
/// but its tree has a level for each operator.
const MOST_OPEN_TOKENS: usize = 10 * MOST_LEVELS;

/// Parses an expression.
///
/// # Errors
/// The first byte that is not Nix, and a text that is too deep or too long to be a recipe.
pub fn parse(text: &str) -> Result<SyntaxNode, Unreadable> {
    let parsed = tree(text)?;
    let root = parsed.syntax();
    let mut levels = 0;
    for event in root.preorder() {
        match event {
            WalkEvent::Enter(_) => levels += 1,
            WalkEvent::Leave(_) => levels -= 1,
        }
        if let WalkEvent::Enter(node) = event
            && levels > MOST_LEVELS * NODES_PER_LEVEL
        {
            return Err(Unreadable::too_deep(range(&node).start));
        }
    }
    match parsed.errors().first() {
        Some(rnix::ParseError::RecursionLimitExceeded) => Err(Unreadable::too_deep(0)),
        Some(error) => Err(Unreadable::syntax(place(error, text))),
        None => Ok(root),
    }
}

/// Parses an expression that may contain errors of syntax.
///
/// # Errors
/// A text that is too deep or too long for rnix.
pub fn tree(text: &str) -> Result<rnix::Parse<rnix::Root>, Unreadable> {
    Unreadable::if_too_long(text)?;
    match first_too_deep(text) {
        Some(at) => Err(Unreadable::too_deep(at)),
        None => Ok(rnix::Root::parse(text)),
    }
}

/// Returns the first byte that is too deep for rnix; none if rnix can parse the whole text. Trees
/// are dropped by functions that call themselves for each level, so a text that is too deep must
/// not become a tree.
fn first_too_deep(text: &str) -> Option<usize> {
    let mut at = 0;
    // Each bracket, with the tokens of its unfinished expression, and the tokens of all brackets.
    let mut open = vec![(S::NODE_ROOT, 0_usize)];
    let mut all = 0;
    for (kind, token) in rnix::tokenize(text) {
        match kind {
            S::TOKEN_L_BRACE
            | S::TOKEN_L_BRACK
            | S::TOKEN_L_PAREN
            | S::TOKEN_INTERPOL_START
            | S::TOKEN_STRING_START => open.push((kind, 0)),
            S::TOKEN_R_BRACE
            | S::TOKEN_R_BRACK
            | S::TOKEN_R_PAREN
            | S::TOKEN_INTERPOL_END
            | S::TOKEN_STRING_END
                if open.len() > 1 =>
            {
                all -= open.pop().map_or(0, |(_, own)| own);
            }
            _ => {}
        }
        let (bracket, own) = open.last_mut()?;
        let is_blank = matches!(kind, S::TOKEN_WHITESPACE | S::TOKEN_COMMENT);
        match kind {
            S::TOKEN_SEMICOLON | S::TOKEN_COMMA => {
                all -= *own;
                *own = 0;
            }
            // The elements of a list and the parts of a string are beside each other.
            _ if is_blank || matches!(bracket, S::TOKEN_L_BRACK | S::TOKEN_STRING_START) => {}
            _ => {
                *own += 1;
                all += 1;
            }
        }
        if open.len() > MOST_LEVELS || all > MOST_OPEN_TOKENS {
            return Some(at);
        }
        at += token.len();
    }
    None
}

/// Reads an expression.
///
/// # Errors
/// The first byte that is not Nix, and a text that is too deep or too long to be a recipe.
pub(crate) fn read(text: &str, reading: &Reading) -> Result<Outline, Unreadable> {
    let root = parse(text)?;
    let mut reader = NixReader {
        text,
        version: None,
        name: None,
        final_name: root.descendants().find_map(|node| final_name(&node)),
        with: With::read(&root),
    };
    reader.version = root.descendants().find_map(|node| plain(&node, "version"));
    reader.name = root.descendants().find_map(|node| plain(&node, "pname"));
    let mut nodes = Vec::new();
    reader.expression(&root, &mut nodes);
    Ok(Outline::new(text, nodes, reading, Words::default()))
}

/// Returns the byte at which rnix stopped.
fn place(error: &rnix::ParseError, text: &str) -> usize {
    use rnix::ParseError as E;
    match error {
        E::Unexpected(at)
        | E::UnexpectedExtra(at)
        | E::UnexpectedWanted(_, at, _)
        | E::UnexpectedDoubleBind(at)
        | E::DuplicatedArgs(at, _) => at.start().into(),
        E::UnexpectedEOF | E::UnexpectedEOFWanted(_) => text.trim_end().len(),
        _ => 0,
    }
}

/// Returns the text of the binding `name = "…";` without the quotes. Returns none for any other
/// node, and for a string with references.
fn plain(node: &SyntaxNode, name: &str) -> Option<String> {
    if node.kind() != S::NODE_ATTRPATH_VALUE || node.first_child()?.text() != name {
        return None;
    }
    let value = node.last_child().filter(|v| v.kind() == S::NODE_STRING)?;
    let text = value.text().to_string();
    Some(text.trim_matches('"').to_owned()).filter(|v| !v.contains(['$', '\'']))
}

struct NixReader<'a> {
    text: &'a str,
    version: Option<String>,
    /// The value of `pname`; none if the text does not set it to a plain string.
    name: Option<String>,
    /// The name of the derivation's final attributes, such as `finalAttrs` or `self`.
    final_name: Option<String>,
    /// The names under `with`; none if the text has no `with`.
    with: Option<With>,
}

/// The usual name of a derivation's final attributes.
pub const FINAL: &str = "finalAttrs";

/// Returns the name of the final attributes that a function of one name and a set binds:
/// `finalAttrs` for `finalAttrs: { … }`. Returns none for any other node.
fn final_name(node: &SyntaxNode) -> Option<String> {
    let (name, body) = (node.first_child()?, node.last_child()?);
    let is_it = node.kind() == S::NODE_LAMBDA && name.kind() == S::NODE_IDENT_PARAM;
    let is_derivation = body.kind() == S::NODE_ATTR_SET && node.parent()?.kind() == S::NODE_PAREN;
    (is_it && is_derivation).then(|| name.text().to_string())
}

/// Returns the bytes of a node.
pub fn range(node: &SyntaxNode) -> Range<usize> {
    let at = node.text_range();
    at.start().into()..at.end().into()
}

/// Returns the bytes between the first `{` or `[` and the last token.
fn inside(node: &SyntaxNode) -> Range<usize> {
    let open = node
        .children_with_tokens()
        .find(|t| matches!(t.kind(), S::TOKEN_L_BRACE | S::TOKEN_L_BRACK));
    let start = open.map_or(range(node).start, |t| t.text_range().end().into());
    let close = node
        .last_token()
        .map_or(range(node).end, |t| t.text_range().start().into());
    start..close.max(start)
}

impl NixReader<'_> {
    /// Adds the parts of an expression to `out`: the arguments of functions, the bindings of `let`,
    /// and the attributes of the derivation.
    fn expression(&self, node: &SyntaxNode, out: &mut Vec<Node>) {
        match node.kind() {
            S::NODE_LAMBDA => {
                let all: Vec<SyntaxNode> = node.children().collect();
                if let Some(pattern) = all.first().filter(|n| n.kind() == S::NODE_PATTERN) {
                    out.push(self.arguments(pattern));
                }
                all.last()
                    .into_iter()
                    .for_each(|body| self.expression(body, out));
            }
            S::NODE_LET_IN => {
                let all: Vec<SyntaxNode> = node.children().collect();
                let (Some(first), Some(last)) = (all.first(), all.last()) else {
                    return;
                };
                let at = range(node).start..range(last).start;
                let bound = range(first).start..range(last).start;
                let body = Body {
                    inside: at.start + "let".len()..bound.end,
                    nodes: self.bindings(node),
                    kind: ItemKind::Items,
                    form: Form::Lines,
                    list: None,
                };
                out.push(Node {
                    body: Some(body),
                    ..Node::leaf(NormalText::plain("let"), NormalText::default(), at)
                });
                self.expression(last, out);
            }
            S::NODE_ATTR_SET => {
                let mut body = self.attributes(node);
                let bound = out.iter().find(|n| n.key.open == "let").cloned();
                if let Some(bound) = bound {
                    inherited(&mut body, &bound);
                }
                let at = range(node);
                out.push(Node {
                    body: Some(body),
                    ..Node::leaf(NormalText::plain(DERIVATION), NormalText::default(), at)
                });
            }
            S::NODE_APPLY | S::NODE_ROOT | S::NODE_PAREN | S::NODE_WITH | S::NODE_ASSERT => {
                node.children()
                    .last()
                    .into_iter()
                    .for_each(|inner| self.expression(&inner, out));
            }
            _ => {}
        }
    }

    fn arguments(&self, pattern: &SyntaxNode) -> Node {
        let entries = pattern.children().filter(|n| n.kind() == S::NODE_PAT_ENTRY);
        let nodes = entries.map(|entry| {
            let all: Vec<SyntaxNode> = entry.children().collect();
            let key = all.first().map(|n| self.value(n)).unwrap_or_default();
            match all.get(1) {
                Some(default) => self.bound(key, range(&entry), default),
                None => Node::leaf(key, NormalText::default(), range(&entry)),
            }
        });
        let body = Body {
            nodes: nodes.collect(),
            inside: inside(pattern),
            kind: ItemKind::Items,
            form: Form::Commas,
            list: None,
        };
        Node {
            body: Some(body),
            ..Node::leaf(
                NormalText::plain(ARGUMENTS),
                NormalText::default(),
                range(pattern),
            )
        }
    }

    fn attributes(&self, set: &SyntaxNode) -> Body {
        let nodes = self.bindings(set);
        Body {
            inside: inside(set),
            nodes,
            kind: ItemKind::Items,
            form: Form::Lines,
            list: None,
        }
    }

    /// Returns the bindings of a set or of `let`.
    fn bindings(&self, node: &SyntaxNode) -> Vec<Node> {
        let mut nodes = Vec::new();
        for child in node.children() {
            match child.kind() {
                S::NODE_ATTRPATH_VALUE => {
                    let (Some(path), Some(value)) = (child.first_child(), child.last_child())
                    else {
                        continue;
                    };
                    let names: Vec<String> =
                        path.children().map(|n| n.text().to_string()).collect();
                    let (last, above) = names
                        .split_last()
                        .map_or((String::new(), &[][..]), |(l, a)| (l.clone(), a));
                    let mut bound =
                        self.bound(NormalText::plain(spelling(&last)), range(&child), &value);
                    // `env.X = 1;` becomes an item inside of `env`.
                    for name in above.iter().rev() {
                        let at = range(&child);
                        let body = Body {
                            inside: at.clone(),
                            nodes: vec![bound],
                            kind: ItemKind::Items,
                            form: Form::Lines,
                            list: None,
                        };
                        bound = Node {
                            body: Some(body),
                            ..Node::leaf(NormalText::plain(name), NormalText::default(), at)
                        };
                    }
                    nodes.push(bound);
                }
                S::NODE_INHERIT => {
                    let from = child.children().find(|n| n.kind() == S::NODE_INHERIT_FROM);
                    let from = from.map(|n| self.value(&n).open).unwrap_or_default();
                    let names = child
                        .children()
                        .filter(|n| n.kind() != S::NODE_INHERIT_FROM);
                    let names: Vec<Node> = names
                        .map(|n| Node::leaf(self.value(&n), NormalText::default(), range(&n)))
                        .collect();
                    let at = range(&child);
                    let start = names.first().map_or(at.end, |n| n.at.start);
                    let body = Body {
                        inside: start..at.end.saturating_sub(1).max(start),
                        nodes: names,
                        kind: ItemKind::Items,
                        form: Form::Words,
                        list: None,
                    };
                    let key = NormalText::plain(format!("inherit {from}").trim_end());
                    let key = key.map(|key| key.replace("finalAttrs.", ""));
                    nodes.push(Node {
                        body: Some(body),
                        ..Node::leaf(key, NormalText::default(), at)
                    });
                }
                _ => {}
            }
        }
        Body::number(&mut nodes);
        nodes
    }

    /// Returns the item `key` with the bytes `at` and the value `value`.
    fn bound(&self, key: NormalText, at: Range<usize>, value: &SyntaxNode) -> Node {
        let value_at = range(value);
        match self.with_items(value) {
            Some((head, body)) => Node {
                value_at,
                body: Some(body),
                ..Node::leaf(key, head, at)
            },
            None => Node {
                value_at,
                ..Node::leaf(key, self.value(value), at)
            },
        }
    }

    /// Returns the items inside of a value, and before them the part of the value that is in no
    /// item: `fetchurl` for `fetchurl { … }`. The value is a set, a list, a script, or a call whose
    /// last argument is one of these. Returns none for any other value.
    fn with_items(&self, value: &SyntaxNode) -> Option<(NormalText, Body)> {
        match value.kind() {
            S::NODE_ATTR_SET => Some((NormalText::default(), self.attributes(value))),
            S::NODE_LIST => Some((NormalText::default(), self.elements(value))),
            S::NODE_STRING if value.text().to_string().starts_with("''") => {
                Some((NormalText::default(), self.script(value)))
            }
            S::NODE_PAREN | S::NODE_WITH => self.with_items(&value.last_child()?),
            S::NODE_APPLY => {
                let (_, body) = self.with_items(&value.last_child()?)?;
                let head = self.value(&value.first_child()?);
                Some((head, body))
            }
            // A list as the default: `x or [ ]`.
            S::NODE_SELECT
                if value
                    .children_with_tokens()
                    .any(|t| t.kind() == S::TOKEN_OR) =>
            {
                let (_, body) = self.with_items(&value.last_child()?)?;
                Some((self.value(&value.first_child()?), body))
            }
            S::NODE_BIN_OP => {
                let (first, second) = (value.first_child()?, value.last_child()?);
                // A set that others are merged into with `//`.
                if value
                    .children_with_tokens()
                    .any(|t| t.kind() == S::TOKEN_UPDATE)
                {
                    let (_, body) = self.with_items(&first)?;
                    return Some((self.value(&second), body));
                }
                let operator = value.children_with_tokens().find_map(|t| match t.kind() {
                    S::TOKEN_CONCAT | S::TOKEN_ADD => Some(t.text_range().start().into()),
                    _ => None,
                })?;
                let (head, mut body) = self.with_items(&first)?;
                self.further(&second, operator, &mut body.nodes)?;
                Body::number(&mut body.nodes);
                Some((head, body))
            }
            _ => None,
        }
    }

    /// Adds the operands behind `++` or `+` to `out`. `operator` is the byte of the operator before
    /// `node`, which becomes part of the item. Returns none if the tree lacks an operand.
    fn further(&self, node: &SyntaxNode, operator: usize, out: &mut Vec<Node>) -> Option<()> {
        if node.kind() == S::NODE_BIN_OP {
            let first = node.first_child()?;
            self.further(&first, operator, out)?;
            let next = node
                .children_with_tokens()
                .find(|t| matches!(t.kind(), S::TOKEN_CONCAT | S::TOKEN_ADD))?;
            return self.further(&node.last_child()?, next.text_range().start().into(), out);
        }
        let at = operator..range(node).end;
        match self.with_items(node) {
            Some((head, body)) => {
                out.push(Node {
                    body: Some(body),
                    ..Node::leaf(head, NormalText::default(), at)
                });
            }
            None => out.push(Node::leaf(self.value(node), NormalText::default(), at)),
        }
        Some(())
    }

    fn elements(&self, list: &SyntaxNode) -> Body {
        let mut nodes: Vec<Node> = list.children().map(|n| self.element(&n)).collect();
        Body::number(&mut nodes);
        Body {
            inside: inside(list),
            nodes,
            kind: ItemKind::Items,
            form: Form::Words,
            list: None,
        }
    }

    fn element(&self, node: &SyntaxNode) -> Node {
        let at = range(node);
        let inner = match node.kind() {
            S::NODE_PAREN => node.first_child().unwrap_or_else(|| node.clone()),
            _ => node.clone(),
        };
        let value = self.value(&inner);
        let option = value.map(|text| option(text).unwrap_or_default());
        if let Some((name, _)) = option.open.split_once('=') {
            let key = NormalText::plain(name);
            return Node::leaf(
                key,
                option.map(|o| {
                    o.split_once('=')
                        .map_or_else(String::new, |(_, v)| truth(v).to_owned())
                }),
                at,
            );
        }
        if let Some((head, body)) = self
            .with_items(&inner)
            .filter(|_| inner.kind() == S::NODE_APPLY)
        {
            let told = |name: &str| {
                body.get(name)
                    .map(|n| n.value.map(|v| v.trim_matches('"').to_owned()))
            };
            let address = told("url").unwrap_or_default();
            // The keys of two calls are equal if their names are equal, or their addresses.
            let name = told("name").unwrap_or_else(|| {
                address.map(|url| url.rsplit('/').next().unwrap_or_default().to_owned())
            });
            let key = NormalText {
                written: format!("{} {}", head.written, name.written),
                open: format!("{} {}", head.open, name.open),
                real: format!(
                    "{} {}",
                    head.real,
                    if address.real.is_empty() {
                        &name.real
                    } else {
                        &address.real
                    }
                ),
            };
            return Node {
                body: Some(body),
                ..Node::leaf(key, NormalText::default(), at)
            };
        }
        Node::leaf(value, NormalText::default(), at)
    }

    /// Returns the lines of a script between two pairs of single quotes. A line that ends with a
    /// backslash and the next line are one item.
    fn script(&self, string: &SyntaxNode) -> Body {
        let at = range(string);
        let inside = at.start + 2..(at.end - 2).max(at.start + 2);
        let mut nodes: Vec<Node> = Vec::new();
        let mut start = inside.start;
        let mut open: Option<Node> = None;
        for line in self.text[inside.clone()].split_inclusive('\n') {
            let trimmed = line.trim();
            let from = start + line.len() - line.trim_start().len();
            let end = from + trimmed.len();
            start += line.len();
            if open.is_none() && (trimmed.is_empty() || trimmed.starts_with('#')) {
                continue;
            }
            let node = match open.take() {
                Some(node) => node.at.start..end,
                None => from..end,
            };
            let value = self.of_script(node.clone());
            let node = Node::leaf(value.clone(), value, node);
            if trimmed.ends_with('\\') {
                open = Some(node);
            } else {
                nodes.push(node);
            }
        }
        nodes.extend(open);
        Body::number(&mut nodes);
        Body {
            inside,
            nodes,
            kind: ItemKind::Steps,
            form: Form::Lines,
            list: None,
        }
    }

    /// Returns an expression in one line, without comments.
    fn value(&self, node: &SyntaxNode) -> NormalText {
        let (mut out, mut full) = (String::new(), String::new());
        let tokens = node
            .descendants_with_tokens()
            .filter_map(rowan::NodeOrToken::into_token);
        for token in tokens.filter(|t| t.kind() != S::TOKEN_COMMENT) {
            let text = match token.kind() {
                S::TOKEN_WHITESPACE => " ",
                _ => token.text(),
            };
            out.push_str(text);
            let is_final = Some(text) == self.final_name.as_deref();
            let text = if is_final { FINAL } else { text };
            if let Some(with) = &self.with {
                if With::is_head(&token, node) {
                    continue;
                }
                if let Some(set) = with.set_of(&token) {
                    full.push_str(&self.value(&set).open);
                    full.push('.');
                }
            }
            full.push_str(text);
        }
        self.of_texts(&out, &full)
    }

    /// Returns the normal form of a line of a script, in which the quotes around its words are left
    /// out.
    fn of_script(&self, at: Range<usize>) -> NormalText {
        let line = line_of_script(self.text, at);
        let name = self.final_name.as_deref().unwrap_or(FINAL);
        let open = line.open.replace(&format!("${{{name}."), "${finalAttrs.");
        self.of_texts(&line.written, &open)
    }

    /// Returns the normal form of an expression or of a line of a script. `text` is the text as
    /// written. In `full`, names under `with` have the set before them: `lib.licenses.mit`.
    fn of_texts(&self, text: &str, full: &str) -> NormalText {
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (written, full) = (one_line(text), one_line(full));
        // A reference to the derivation's own attributes is the same with `finalAttrs` and with
        // `rec`.
        let put = |version: &str| {
            let text = full
                .replace("${finalAttrs.version}", version)
                .replace("${version}", version);
            text.replace("finalAttrs.version", version)
                .replace("finalAttrs.", "")
        };
        let open = put(&VERSION.to_string());
        let real = match (&self.version, &self.name) {
            (_, Some(name)) if open == "pname" => format!("\"{name}\""),
            (Some(version), _) => put(version),
            (None, _) => open.clone(),
        };
        NormalText {
            written,
            open,
            real,
        }
    }
}

/// Adds the bindings of `let` that a derivation inherits to the attributes `body`, so that each of
/// these attributes is found with its value. `bound` is the item of `let`.
fn inherited(body: &mut Body, bound: &Node) {
    let statements = body
        .nodes
        .iter()
        .filter(|n| NormalText::base(&n.key.open) == "inherit");
    let names: Vec<&Node> = statements.flat_map(Node::nodes).collect();
    let found = |name: &&Node| bound.body.as_ref().and_then(|b| b.get(&name.key.open));
    let more: Vec<Node> = names.iter().filter_map(found).cloned().collect();
    body.nodes.extend(more);
}

/// Returns one name for an attribute that has two: `tag` → `rev`, and `sha256` → `hash`. Any other
/// name is returned as it is.
pub fn spelling(name: &str) -> &str {
    match name {
        "tag" => "rev",
        "sha256" => "hash",
        other => other,
    }
}

/// Returns an option of CMake as `-DX=Y`, for each of the spellings in nixpkgs: `"-DX=Y"`,
/// `lib.cmakeBool "X" true` and `lib.cmakeFeature "X" "Y"`. Returns none for any other text.
pub fn option(text: &str) -> Option<String> {
    if let Some(plain) = text.strip_prefix("\"-D").and_then(|t| t.strip_suffix('"')) {
        let (name, value) = plain.split_once('=')?;
        return Some(format!("-D{}={value}", name.split(':').next()?));
    }
    let call = text.strip_prefix("lib.").unwrap_or(text);
    let rest = call
        .strip_prefix("cmakeBool ")
        .or_else(|| call.strip_prefix("cmakeFeature "))?;
    let (name, value) = rest.strip_prefix('"')?.split_once("\" ")?;
    let value = match value {
        "true" => "ON",
        "false" => "OFF",
        other => other.trim_matches('"'),
    };
    Some(format!("-D{name}={value}"))
}
