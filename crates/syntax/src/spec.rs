//! Reader of Gentoo's dependency language (PMS 8.2), with the place of each element. The crate
//! `rocpkg-pms` evaluates the language. This module finds the elements and the conditions around
//! them.

use crate::lists::{fetched, flag, source};
use crate::outline::{Body, Form, ItemKind, List, Node};
use crate::value::NormalText;
use crate::words::{Piece, Words, closing, quoted};
use std::ops::Range;

/// The most groups inside each other. The time to read a word grows with the number of groups
/// around it.
const MOST_GROUPS: usize = 32;

/// Returns the elements of a string in quotes. `inside` are the bytes between the quotes.
pub(crate) fn read(text: &str, inside: Range<usize>, list: List, words: &Words) -> Body {
    let tokens = tokens(text, inside.clone());
    let mut rest = tokens.as_slice();
    let reader = SpecReader { text, words, list };
    let nodes = reader.group(&mut rest, 0);
    let is_fetched = list == List::Addresses;
    let kind = if is_fetched {
        ItemKind::Steps
    } else {
        ItemKind::Items
    };
    Body {
        inside,
        nodes,
        kind,
        form: Form::Words,
        list: Some(list),
    }
}

/// Returns the bytes of each word of a string. A command such as `$(a b)` is one word, even if it
/// contains blanks.
fn tokens(text: &str, inside: Range<usize>) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut all = Vec::new();
    let mut at = inside.start;
    while at < inside.end {
        if bytes[at].is_ascii_whitespace()
            || (bytes[at] == b'\\' && bytes.get(at + 1) == Some(&b'\n'))
        {
            at += 1;
            continue;
        }
        let start = at;
        while at < inside.end && !bytes[at].is_ascii_whitespace() {
            at = match (bytes[at], bytes.get(at + 1)) {
                (b'$', Some(b'(' | b'{')) => closing(text, at + 1).min(inside.end),
                _ => at + 1,
            };
        }
        all.push(start..at);
    }
    all
}

struct SpecReader<'a> {
    text: &'a str,
    words: &'a Words,
    list: List,
}

impl SpecReader<'_> {
    /// Returns the elements up to the closing bracket, and removes their words and the bracket from
    /// `rest`. `level` is the number of groups around them.
    fn group(&self, rest: &mut &[Range<usize>], level: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        while let Some((first, behind)) = rest.split_first() {
            *rest = behind;
            let word = &self.text[first.clone()];
            if word == ")" {
                break;
            }
            let opens = rest
                .first()
                .is_some_and(|next| &self.text[next.clone()] == "(");
            let is_group =
                word == "(" || opens && (word.ends_with('?') || matches!(word, "||" | "^^" | "??"));
            // A bracket inside of too many groups is read as a word.
            if is_group && level < MOST_GROUPS {
                nodes.push(self.inside(first.clone(), rest, level + 1));
                continue;
            }
            nodes.push(self.element(first.clone(), rest));
        }
        Body::number(&mut nodes);
        nodes
    }

    /// Returns a group: elements in brackets, with the condition or operator `first` before them.
    /// `rest` begins behind `first`, and the group's words are removed from it.
    fn inside(&self, first: Range<usize>, rest: &mut &[Range<usize>], level: usize) -> Node {
        let head = &self.text[first.clone()];
        let mut open = first.clone();
        if head != "(" {
            open = rest[0].clone();
            *rest = &rest[1..];
        }
        let count = rest.len();
        let before = *rest;
        let nodes = self.group(rest, level);
        let close = before[..count - rest.len()]
            .last()
            .cloned()
            .unwrap_or(open.clone());
        let at = first.start..close.end;
        let inside = open.end..close.start.max(open.end);
        if head.ends_with('?') {
            let kind = if self.list == List::Addresses {
                ItemKind::Steps
            } else {
                ItemKind::Items
            };
            let body = Body {
                inside,
                nodes,
                kind,
                form: Form::Words,
                list: Some(self.list),
            };
            return Node {
                body: Some(body),
                ..Node::leaf(NormalText::plain(head), NormalText::default(), at)
            };
        }
        // A group such as `|| ( a b )` is one item.
        let names: Vec<&str> = nodes.iter().map(|node| node.key.open.as_str()).collect();
        let key = format!("{head} {}", names.join(" "));
        Node::leaf(NormalText::plain(key), self.value(at.clone()), at)
    }

    fn value(&self, at: Range<usize>) -> NormalText {
        let mut pieces: Vec<Piece> = Vec::new();
        quoted(self.text, at.start, at.end, &mut pieces);
        self.words
            .value(&pieces)
            .map(|text| command(&text.split_whitespace().collect::<Vec<_>>().join(" ")))
    }

    fn element(&self, first: Range<usize>, rest: &mut &[Range<usize>]) -> Node {
        let mut at = first;
        // An address with the name that the file is saved under.
        if let [arrow, name, ..] = rest
            && &self.text[arrow.clone()] == "->"
        {
            at.end = name.end;
            *rest = &rest[2..];
        }
        let value = self.value(at.clone());
        // A variable with all its contents is one element, identified by the variable's name.
        if value.written.starts_with("${") && closing(&value.written, 1) == value.written.len() {
            let name = NormalText::plain(value.written);
            return Node::leaf(name.clone(), name, at);
        }
        if self.list == List::Flags {
            return flag(&value, at);
        }
        if self.list == List::Addresses && value.open.contains("://") {
            let value = value.map(|text| fetched(text.split(" -> ").next().unwrap_or(text)));
            return Node::leaf(NormalText::plain(source(&value.open)), value, at);
        }
        let key = match value.open.as_str() {
            command if command.starts_with("$(") => {
                let mut words = command
                    .trim_start_matches("$(")
                    .split([' ', '\''])
                    .filter(|w| !w.is_empty());
                format!(
                    "$({} {})",
                    words.next().unwrap_or_default(),
                    name(words.next().unwrap_or_default())
                )
            }
            atom => name(atom).to_owned(),
        };
        Node::leaf(NormalText::plain(key), value, at)
    }
}

/// Returns the normal form of a command that makes dependencies, with one kind of quotes: `'${A}'`
/// and `"\${A}"` mean the same.
fn command(text: &str) -> String {
    let of = |text: &str| {
        text.replace("\\$", "$")
            .replace('"', "'")
            .replace("' ", "'")
            .replace(" '", "'")
    };
    if text.starts_with("$(") {
        of(text)
    } else {
        text.to_owned()
    }
}

/// Returns `category/package` for an atom with operators, version, slot and flags (PMS 8.3):
/// `>=dev-util/hip-7.1:0[video]` → `dev-util/hip`. Other words are returned as they are.
fn name(atom: &str) -> &str {
    let Some((_, _)) = atom.split_once('/').filter(|_| !atom.starts_with("${")) else {
        return atom;
    };
    let bare = atom.trim_start_matches(['!', '<', '>', '=', '~']);
    let bare = bare.split([':', '[']).next().unwrap_or(bare);
    if bare.len() == atom.trim_start_matches('!').len() || !atom.contains(['<', '>', '=', '~']) {
        return bare;
    }
    // The version begins behind the first hyphen that is followed by a digit or a variable.
    let is_version =
        |v: &str| v.starts_with(|c: char| c.is_ascii_digit() || c == '$' || c == '\u{1}');
    bare.match_indices('-')
        .find(|(at, _)| is_version(&bare[at + 1..]))
        .map_or(bare, |(at, _)| &bare[..at])
}
