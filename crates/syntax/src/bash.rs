//! Reader of ebuilds and PKGBUILDs, with the syntax tree of `tree.rs`.

use crate::lists::{array, source};
use crate::memo::Memo;
use crate::outline::{Body, Form, ItemKind, List, Node, Outline, Reading, Rules};
use crate::spec;
use crate::tree::{Tree, children, is_word, parse};
use crate::unreadable::Unreadable;
use crate::value::NormalText;
use crate::words::{Piece, Quote, Word, Words, sed, split, unbraced, word};
use std::ops::Range;

/// Reads a recipe.
///
/// # Errors
/// A text that is not bash, or that is too deep or too long to be a recipe.
pub(crate) fn read(text: &str, reading: &Reading) -> Result<Outline, Unreadable> {
    let key = (std::ptr::from_ref(reading.rules), reading.given.clone());
    OUTLINES.with(|outlines| outlines.get((text, key), || outline(text, reading)))
}

thread_local! {
    static OUTLINES: Memo<Key, Outline> = const { Memo::new() };
}

/// The rules that a text is read with, and the variables that the name of its file sets.
type Key = (*const Rules, Vec<(&'static str, String)>);

fn outline(text: &str, reading: &Reading) -> Result<Outline, Unreadable> {
    let tree = parse(text)?;
    let root = tree.root_node();
    let words = Words::new(reading.rules, &reading.given, text);
    let mut reader = BashReader {
        text,
        rules: reading.rules,
        words,
        sources: Vec::new(),
    };
    reader.assign(root);
    let nodes = reader.statements(root);
    Ok(Outline::new(text, nodes, reading, reader.words))
}

struct BashReader<'a> {
    text: &'a str,
    rules: &'static Rules,
    words: Words,
    /// The names of the variables that hold sources, such as `source_x86_64`, with the keys of
    /// their elements.
    sources: Vec<(String, Vec<String>)>,
}

impl<'a> BashReader<'a> {
    fn slice(&self, node: Tree) -> &'a str {
        &self.text[node.byte_range()]
    }

    /// Records the variables that are set at the top level of the text: those with a single word as
    /// their value, and each element of a list of sources, such as `source[0]`.
    fn assign(&mut self, root: Tree) {
        let all: Vec<Tree> = children(root)
            .into_iter()
            .filter(|n| n.kind() == "variable_assignment")
            .collect();
        for node in &all {
            let Some((name, value)) = assignment(*node) else {
                continue;
            };
            if !matches!(value.kind(), "array" | "command_substitution")
                && !self.slice(*node).contains("+=")
            {
                let value = word(self.text, value.start_byte(), value.end_byte());
                self.words.set(self.slice(name), value.pieces);
            }
        }
        for node in all {
            let Some((name, value)) = assignment(node) else {
                continue;
            };
            let name = self.slice(name).trim_end_matches('+');
            if value.kind() == "array" && self.rules.list(name) == Some(List::Sources) {
                let inside = value.start_byte() + 1..value.end_byte() - 1;
                let elements = split(self.text, inside.start, inside.end);
                for (i, element) in elements.iter().enumerate() {
                    self.words
                        .set(&format!("{name}[{i}]"), element.pieces.clone());
                }
                let keys = elements
                    .iter()
                    .map(|w| source(&self.words.value(&w.pieces).open))
                    .collect();
                self.sources.push((name.to_owned(), keys));
            }
        }
    }

    /// Returns the statements of a whole text, or of the body of a function or loop.
    fn statements(&self, parent: Tree) -> Vec<Node> {
        let mut nodes: Vec<Node> = children(parent)
            .into_iter()
            .filter(|n| n.is_named() && !matches!(n.kind(), "comment" | "heredoc_body"))
            .map(|n| self.statement(n))
            .collect();
        Body::number(&mut nodes);
        nodes
    }

    fn statement(&self, node: Tree) -> Node {
        let at = node.byte_range();
        match node.kind() {
            "variable_assignment" => self.assigned(node, ""),
            "declaration_command" => {
                let all: Vec<Tree> = children(node)
                    .into_iter()
                    .filter(|n| n.kind() == "variable_assignment")
                    .collect();
                match all.as_slice() {
                    [one] if one.end_byte() == node.end_byte() => {
                        let word = children(node).first().map_or("", |n| self.slice(*n));
                        Node {
                            at,
                            ..self.assigned(*one, word)
                        }
                    }
                    _ => self.leaf(node),
                }
            }
            "function_definition" => {
                let name = node
                    .child_by_field_name("name")
                    .map_or("", |n| self.slice(n));
                match node
                    .child_by_field_name("body")
                    .filter(|b| b.kind() == "compound_statement")
                {
                    Some(body) => {
                        self.with_body(NormalText::plain(format!("{name}()")), at, body, body)
                    }
                    None => self.leaf(node),
                }
            }
            "if_statement" => self.conditional(node),
            "for_statement" | "while_statement" => {
                let Some(body) = node.child_by_field_name("body") else {
                    return self.leaf(node);
                };
                let head: Vec<Tree> = children(node)
                    .into_iter()
                    .take_while(|n| n.id() != body.id())
                    .collect();
                self.with_body(self.all_of(&head), at, body, body)
            }
            "command" => self.command(node),
            "redirected_statement" => match node.child_by_field_name("body") {
                Some(body) if body.kind() == "command" => {
                    self.patch(node, body).unwrap_or_else(|| self.leaf(node))
                }
                _ => self.leaf(node),
            },
            _ => self.leaf(node),
        }
    }

    /// Returns a `patch` command with the name of the patch in its key, and the folder that it is
    /// applied in as its value: `patch -d hip -i "$srcdir/a.patch"` has the key `patch a.patch` and
    /// the value `hip`. Returns none for any other command.
    ///
    /// `command` is the command, and `node` is the command with its redirections. The file can be
    /// an argument of `-i`, or standard input.
    fn patch(&self, node: Tree, command: Tree) -> Option<Node> {
        let name = children(command)
            .into_iter()
            .find(|n| n.kind() == "command_name")?;
        if self.slice(name) != "patch" {
            return None;
        }
        let words = split(self.text, name.end_byte(), node.end_byte());
        let values: Vec<NormalText> = words.iter().map(|w| self.words.value(&w.pieces)).collect();
        let file = values
            .iter()
            .enumerate()
            .find_map(|(at, value)| match value.open.as_str() {
                "-i" | "<" => values.get(at + 1).cloned(),
                word if word.starts_with("--input=") || word.starts_with('<') => {
                    Some(value.map(|t| {
                        t.trim_start_matches("--input=")
                            .trim_start_matches('<')
                            .to_owned()
                    }))
                }
                _ => None,
            })?;
        let named = |path: &str| format!("patch {}", path.rsplit('/').next().unwrap_or_default());
        let mut out = Node::leaf(file.map(named), NormalText::default(), node.byte_range());
        let folder = values.iter().enumerate().find_map(|(at, value)| {
            let word = value.open.as_str();
            if matches!(word, "-d" | "--directory") {
                return Some(at + 1);
            }
            let is_joined = word.starts_with("--directory=") || word.starts_with("-d");
            is_joined.then_some(at)
        });
        if let Some(at) = folder.filter(|at| *at < words.len()) {
            let bare = |text: &str| {
                let ways = ["--directory=", "-d", "$srcdir/", "${srcdir}/"];
                let strip = |text, way| str::strip_prefix(text, way).unwrap_or(text);
                ways.into_iter().fold(text, strip).to_owned()
            };
            out.value = values[at].map(bare);
            let Range { start, end } = words[at].at;
            let option = ["--directory=", "-d"]
                .into_iter()
                .find(|option| self.text[start..end].starts_with(option));
            out.value_at = start + option.map_or(0, str::len)..end;
        }
        Some(out)
    }

    /// Returns an item with the key `key` and the bytes `at`, whose body contains the statements of
    /// `body`. `bounds` is the node whose first and last child are the brackets or keywords around
    /// the body.
    ///
    /// A subshell or group that is the only statement of a body stands for the body:
    /// `build() { ( cd hip; cmake . ); }`.
    fn with_body(&self, key: NormalText, at: Range<usize>, body: Tree, bounds: Tree) -> Node {
        let all = children(body);
        let mut named = all.iter().filter(|n| n.is_named() && n.kind() != "comment");
        let only = named.next().filter(|_| named.next().is_none());
        let is_group = |node: &&Tree| {
            node.kind() == "subshell"
                || node.kind() == "compound_statement" && self.slice(**node).starts_with('{')
        };
        if let Some(inner) = only.filter(is_group) {
            return self.with_body(key, at, *inner, *inner);
        }
        let open = children(bounds)
            .first()
            .map_or(bounds.start_byte(), Tree::end_byte);
        let close = children(bounds)
            .last()
            .map_or(bounds.end_byte(), Tree::start_byte);
        let body = Body {
            inside: open..close.max(open),
            nodes: self.statements(body),
            kind: ItemKind::Steps,
            form: Form::Lines,
            list: None,
        };
        Node {
            body: Some(body),
            ..Node::leaf(key, NormalText::default(), at)
        }
    }

    /// Returns an `if` statement. Its condition is the key, and the part behind `else` is an item
    /// of the body.
    fn conditional(&self, node: Tree) -> Node {
        let all = children(node);
        let Some(then) = all.iter().position(|n| n.kind() == "then") else {
            return self.leaf(node);
        };
        let key = self.all_of(&all[..then]);
        let alias = self.chain(&all[..then], &all[then + 1..]);
        let mut nodes = Vec::new();
        let mut end = node.end_byte();
        for child in &all[then + 1..] {
            match child.kind() {
                "fi" => end = child.start_byte(),
                "elif_clause" | "else_clause" => {
                    let own = children(*child);
                    let start = own
                        .iter()
                        .position(|n| n.kind() == "then")
                        .map_or(1, |at| at + 1);
                    let head = self.all_of(&own[..start]);
                    let statements = own[start..]
                        .iter()
                        .filter(|n| n.is_named() && n.kind() != "comment");
                    let mut inner: Vec<Node> = statements.map(|n| self.statement(*n)).collect();
                    Body::number(&mut inner);
                    let inside = own[start - 1].end_byte()..child.end_byte();
                    let body = Body {
                        inside,
                        nodes: inner,
                        kind: ItemKind::Steps,
                        form: Form::Lines,
                        list: None,
                    };
                    nodes.push(Node {
                        body: Some(body),
                        ..Node::leaf(head, NormalText::default(), child.byte_range())
                    });
                }
                "comment" => {}
                _ if child.is_named() => nodes.push(self.statement(*child)),
                _ => {}
            }
        }
        Body::number(&mut nodes);
        let inside = all[then].end_byte()..end;
        let body = Body {
            inside,
            nodes,
            kind: ItemKind::Steps,
            form: Form::Lines,
            list: None,
        };
        Node {
            body: Some(body),
            alias,
            ..Node::leaf(key, NormalText::default(), node.byte_range())
        }
    }

    /// Returns the other spelling of an `if` statement: `a && b` for `if a; then b; fi`, and
    /// `a || b` for `if ! a; then b; fi`. `head` are the nodes before `then`, and `inside` those
    /// after it. Returns none if the condition or the body is more than one simple statement.
    fn chain(&self, head: &[Tree], inside: &[Tree]) -> Option<NormalText> {
        let conditions: Vec<&Tree> = head.iter().filter(|n| n.is_named()).collect();
        let inside: Vec<&Tree> = inside.iter().filter(|n| n.is_named()).collect();
        let ([condition], [statement]) = (conditions.as_slice(), inside.as_slice()) else {
            return None;
        };
        let is_simple = |node: &Tree| {
            matches!(
                node.kind(),
                "command" | "negated_command" | "test_command" | "variable_assignment"
            )
        };
        if !is_simple(condition) || !is_simple(statement) {
            return None;
        }
        let condition = self.normal(**condition);
        let (condition, sign) = match condition.open.strip_prefix("! ") {
            Some(_) => (condition.map(|text| text.replacen("! ", "", 1)), "||"),
            None => (condition, "&&"),
        };
        let sign = NormalText::plain(sign);
        Some(NormalText::joined([
            &condition,
            &sign,
            &self.normal(**statement),
        ]))
    }

    /// Returns an assignment. `before` is the word before it, such as `local` or `export`, or
    /// empty.
    fn assigned(&self, node: Tree, before: &str) -> Node {
        let at = node.byte_range();
        let Some((name, value)) = assignment(node) else {
            return self.leaf(node);
        };
        let is_more = self.text[name.end_byte()..value.start_byte()].contains('+');
        let name = self.slice(name);
        let key = NormalText::plain(format!("{name}{}", if is_more { "+=" } else { "" }));
        let word_before = NormalText::plain(if before == "local" { "" } else { before });
        let list = self.rules.list(name);
        if value.kind() == "array" {
            let inside = value.start_byte() + 1..value.end_byte() - 1;
            let suffix = name.find('_').map_or("", |at| &name[at..]);
            let sources = self
                .sources
                .iter()
                .find(|(of, _)| of.strip_prefix("source") == Some(suffix));
            let keys = sources.map_or(&[][..], |(_, keys)| keys);
            let body = array(
                self.text,
                inside,
                list.unwrap_or(List::Options),
                &self.words,
                keys,
            );
            return Node {
                body: Some(body),
                ..Node::leaf(key, word_before, at)
            };
        }
        if let Some(list) =
            list.filter(|_| value.kind() == "string" || value.kind() == "raw_string")
        {
            let inside = value.start_byte() + 1..value.end_byte() - 1;
            let body = spec::read(self.text, inside, list, &self.words);
            return Node {
                body: Some(body),
                ..Node::leaf(key, word_before, at)
            };
        }
        let pieces = word(self.text, value.start_byte(), value.end_byte()).pieces;
        // A folder with a slash at the end is the same folder.
        let said = self.words.value(&pieces);
        let said = said.map(|text| text.trim_end_matches('/').to_owned());
        Node {
            value_at: value.byte_range(),
            ..Node::leaf(key, said, at)
        }
    }

    /// Returns a command. Options of CMake and words of `inherit` become items of its body. For any
    /// other command, the words become its key.
    fn command(&self, node: Tree) -> Node {
        let at = node.byte_range();
        let all = children(node);
        let name = all.iter().find(|n| n.kind() == "command_name");
        let Some(name) = name.filter(|n| n.start_byte() == node.start_byte()) else {
            return self.leaf(node);
        };
        let said = self
            .words
            .value(&word(self.text, name.start_byte(), name.end_byte()).pieces);
        let words: Vec<_> = split(self.text, name.end_byte(), node.end_byte());
        let is_option = |w: &Word| matches!(w.pieces.first(), Some(Piece::Text(t)) if t.starts_with("-D") && (t.len() > 2 || words.len() > 1));
        let inherits = said.open == "inherit";
        if let Some(patch) = self.patch(node, node) {
            return patch;
        }
        let configures = matches!(
            said.open.as_str(),
            "cmake" | "meson" | "arch-meson" | "cmake_src_configure"
        ) && words.iter().any(is_option);
        if !inherits && !configures {
            return self.leaf(node);
        }
        let body = array(
            self.text,
            name.end_byte()..node.end_byte(),
            List::Options,
            &self.words,
            &[],
        );
        Node {
            body: Some(body),
            ..Node::leaf(said, NormalText::default(), at)
        }
    }

    fn leaf(&self, node: Tree) -> Node {
        let value = self.normal(node);
        Node::leaf(value.clone(), value, node.byte_range())
    }

    /// Returns several nodes of a statement in one line, with their words in normal form.
    fn all_of(&self, all: &[Tree]) -> NormalText {
        NormalText::joined(&all.iter().map(|n| self.normal(*n)).collect::<Vec<_>>())
    }

    /// Returns a statement in one line, with its words in normal form.
    fn normal(&self, node: Tree) -> NormalText {
        let mut out: Vec<NormalText> = Vec::new();
        self.normalise(node, &mut out);
        NormalText::joined(&out)
    }

    /// Returns the text of a node in one line, without the comments of arrays in it.
    fn without_comments(&self, node: Tree) -> String {
        let (mut text, mut start) = (String::new(), node.start_byte());
        let lists = children(node).into_iter().filter(|n| n.kind() == "array");
        let inside = lists.chain([node]).flat_map(children);
        for comment in inside.filter(|n| n.kind() == "comment") {
            text.push_str(&self.text[start..comment.start_byte()]);
            start = comment.end_byte();
        }
        text.push_str(&self.text[start..node.end_byte()]);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn normalise(&self, node: Tree, out: &mut Vec<NormalText>) {
        let is_word = is_word(node.kind())
            || matches!(
                node.kind(),
                "command_name" | "array" | "variable_assignment"
            );
        if node.kind() == "comment" {
            return;
        }
        if is_word || node.child_count() == 0 {
            let slice = self.slice(node);
            if node.kind() == "array" || node.kind().starts_with("heredoc") || slice.contains("=(")
            {
                out.push(NormalText::plain(self.without_comments(node)));
            } else {
                let read = word(self.text, node.start_byte(), node.end_byte());
                if read.at.end == node.end_byte() {
                    out.extend(
                        unbraced(&read.pieces)
                            .iter()
                            .map(|pieces| self.words.value(pieces)),
                    );
                } else {
                    out.push(NormalText::plain(slice));
                }
            }
            return;
        }
        let first = out.len();
        for child in children(node) {
            self.normalise(child, out);
        }
        if node.kind() == "command" {
            let mut words = out.split_off(first);
            sed(&mut words);
            out.append(&mut words);
        }
    }
}

/// Returns the name and the value of an assignment.
fn assignment(node: Tree<'_>) -> Option<(Tree<'_>, Tree<'_>)> {
    let name = node
        .child_by_field_name("name")
        .filter(|n| n.kind() == "variable_name")?;
    Some((name, node.child_by_field_name("value")?))
}

/// Returns the quotes that most words of a body have; none if the body is empty.
pub fn quotes(text: &str, body: &Body) -> Option<Quote> {
    let mut counts: Vec<(Quote, usize)> = Vec::new();
    for node in &body.nodes {
        for w in split(text, node.at.start, node.at.end) {
            match counts.iter_mut().find(|(quote, _)| *quote == w.quote) {
                Some((_, n)) => *n += 1,
                None => counts.push((w.quote, 1)),
            }
        }
    }
    counts
        .into_iter()
        .max_by_key(|(_, n)| *n)
        .map(|(quote, _)| quote)
}
