//! Texts for pages: recipes with their comments and strings told apart, and sentences with their links.

use serde_json::{Value, json};

/// A recipe as parts: comments and strings have a kind. Bash, Nix and YAML begin comments alike; a string ends where its quote stands
/// again, two single quotes being one of Nix's.
pub(super) fn parts(text: &str) -> Vec<Value> {
    let (mut out, mut plain) = (Vec::new(), String::new());
    let mut rest = text;
    let mut before = '\n';
    while let Some(c) = rest.chars().next() {
        let long = match c {
            '#' if before.is_whitespace() => Some(("comment", rest.find('\n').unwrap_or(rest.len()))),
            '"' => Some(("text", closed(rest, "\""))),
            '\'' if rest.starts_with("''") => Some(("text", closed(rest, "''"))),
            '\'' if !before.is_alphanumeric() => Some(("text", closed(rest, "'"))),
            _ => None,
        };
        let taken = if let Some((kind, length)) = long {
            let (part, _) = rest.split_at(length);
            push(&mut out, "", &mut plain);
            push(&mut out, kind, &mut part.to_owned());
            length
        } else {
            plain.push(c);
            c.len_utf8()
        };
        let (done, left) = rest.split_at(taken);
        before = done.chars().last().unwrap_or(c);
        rest = left;
    }
    push(&mut out, "", &mut plain);
    out
}

fn push(out: &mut Vec<Value>, kind: &str, text: &mut String) {
    if !text.is_empty() {
        out.push(json!({"kind": kind, "text": std::mem::take(text)}));
    }
}

/// Where a string ends that begins with this quote; a backslash takes the next character along.
fn closed(text: &str, quote: &str) -> usize {
    let mut at = quote.len();
    while let Some(left) = text.get(at..).filter(|left| !left.is_empty()) {
        if left.starts_with(quote) {
            return at + quote.len();
        }
        let mut letters = left.chars();
        let first = letters.next().map_or(1, char::len_utf8);
        let next = letters.next().map_or(0, char::len_utf8);
        at += if left.starts_with('\\') { first + next } else { first };
    }
    text.len()
}

/// A sentence as parts: an address is a part of its own.
pub(super) fn linked(text: &str) -> Vec<Value> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("https://") {
        let (before, from) = rest.split_at(at);
        let end = from.find(|c: char| c.is_whitespace() || ",;)".contains(c)).unwrap_or(from.len());
        let (url, after) = from.split_at(end);
        out.push(json!({"url": "", "text": before}));
        out.push(json!({"url": url, "text": ""}));
        rest = after;
    }
    out.push(json!({"url": "", "text": rest}));
    out.retain(|part| part["url"] != "" || part["text"] != "");
    out
}
