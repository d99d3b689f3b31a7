//! Lists of a recipe: the keys and values of their elements.

use crate::outline::{Body, Form, ItemKind, List, Node};
use crate::value::NormalText;
use crate::words::{Piece, Word, Words, split};
use std::ops::Range;

/// Returns the elements of an array. `inside` are the bytes between its brackets. `sources`
/// contains the keys of the sources, which become the keys of the checksums at the same index.
pub(crate) fn array(
    text: &str,
    inside: Range<usize>,
    list: List,
    words: &Words,
    sources: &[String],
) -> Body {
    let mut nodes = Vec::new();
    let all = split(text, inside.start, inside.end);
    let mut rest = all.iter().peekable();
    while let Some(first) = rest.next() {
        let value = words.value(&first.pieces);
        let node = match list {
            List::Packages => package(&value, first.at.clone()),
            List::Sources => {
                let value = value.map(fetched);
                Node::leaf(
                    NormalText::plain(source(&value.open)),
                    value,
                    first.at.clone(),
                )
            }
            List::Sums => {
                let key = sources.get(nodes.len()).cloned().unwrap_or_default();
                Node::leaf(NormalText::plain(key), value, first.at.clone())
            }
            List::Flags => flag(&value, first.at.clone()),
            List::Options | List::Spec | List::Addresses => {
                let behind = takes_word(&first.pieces).then(|| rest.next()).flatten();
                option(first, behind, words)
            }
        };
        nodes.push(node);
    }
    Body::number(&mut nodes);
    let kind = if list == List::Sources || list == List::Sums {
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

/// Returns true for an option of CMake whose value is the next word: `-D`, `-G`.
fn takes_word(pieces: &[Piece]) -> bool {
    matches!(pieces, [Piece::Text(t)] if matches!(t.as_str(), "-D" | "-B" | "-S" | "-G" | "-C" | "-A" | "-T"))
}

/// Returns an option with its value: `-DX=Y` is the word `first`, and `-D X=Y` the words `first`
/// and `behind`. Any other word is an item of its own.
fn option(first: &Word, behind: Option<&Word>, words: &Words) -> Node {
    let at = first.at.start..behind.unwrap_or(first).at.end;
    let head = words.value(&first.pieces);
    let Some(behind) = behind else {
        return match head
            .open
            .split_once('=')
            .filter(|(name, _)| name.starts_with('-'))
        {
            Some((name, _)) => named(name, &head, (at, first)),
            None => Node::leaf(head, NormalText::default(), at),
        };
    };
    let value = words.value(&behind.pieces);
    if head.open != "-D" {
        return Node {
            value_at: behind.at.clone(),
            ..Node::leaf(head, value, at)
        };
    }
    match value.open.split_once('=') {
        Some((name, _)) => named(&format!("-D{name}"), &value, (at, behind)),
        None => Node::leaf(
            value.map(|name| format!("-D{name}")),
            NormalText::default(),
            at,
        ),
    }
}

/// Returns `ON` for each of CMake's words for true, and `OFF` for each word for false, in any case.
/// Other texts are returned as they are.
pub(crate) fn truth(text: &str) -> &str {
    let is = |words: [&str; 4]| words.iter().any(|word| text.eq_ignore_ascii_case(word));
    if text == "1" || is(["on", "true", "yes", "y"]) {
        "ON"
    } else if text == "0" || is(["off", "false", "no", "n"]) {
        "OFF"
    } else {
        text
    }
}

/// Returns the normal form of an option's value: `true` → `ON`, and `$(usex !flag)` →
/// `$(usex flag OFF ON)`.
fn option_value(text: &str) -> String {
    let inside = text
        .strip_prefix("$(usex ")
        .and_then(|t| t.strip_suffix(')'));
    let words: Vec<&str> = inside.unwrap_or_default().split_whitespace().collect();
    let (flag, yes, no) = match words.as_slice() {
        [flag] => (*flag, "ON", "OFF"),
        [flag, yes] => (*flag, truth(yes), "OFF"),
        [flag, yes, no] => (*flag, truth(yes), truth(no)),
        _ => return truth(text).to_owned(),
    };
    match flag.strip_prefix('!') {
        Some(flag) => format!("$(usex {flag} {no} {yes})"),
        None => format!("$(usex {flag} {yes} {no})"),
    }
}

/// Returns the option `value`, such as `-DNAME:TYPE=VALUE`, with the key `-DNAME`. `name` is the
/// part before `=`. `at` are the bytes of the whole option, and `word` is the word with the `=`.
/// The value has its own bytes unless it shares its quotes with the name.
fn named(name: &str, value: &NormalText, (at, word): (Range<usize>, &Word)) -> Node {
    let key = name.split_once(':').map_or(name, |(n, _)| n);
    let value = value.map(|text| {
        text.split_once('=')
            .map_or_else(String::new, |(_, v)| option_value(v))
    });
    let value_at = word.value_at.clone().unwrap_or_else(|| at.clone());
    Node {
        value_at,
        ..Node::leaf(NormalText::plain(key), value, at)
    }
}

/// Returns a package with its name as the key: `name>=1` has the value `>=1`, and `name: purpose`
/// the value `: purpose`.
fn package(value: &NormalText, at: Range<usize>) -> Node {
    let cut = |text: &str| text.find(['<', '>', '=', ':']).unwrap_or(text.len());
    let key = value.map(|text| text[..cut(text)].to_owned());
    Node::leaf(key, value.map(|text| text[cut(text)..].to_owned()), at)
}

/// Returns a flag with its name as the key, and the sign before the name as the value: `+`, `-` or
/// `~`.
pub(crate) fn flag(value: &NormalText, at: Range<usize>) -> Node {
    let name = |text: &str| text.trim_start_matches(['+', '-', '~']).to_owned();
    let sign = |text: &str| text[..text.len() - name(text).len()].to_owned();
    Node::leaf(value.map(name), value.map(sign), at)
}

/// Returns the normal form of the address that a source is fetched from:
/// `a.tar.gz::https://…/archive/refs/tags/v1.tar.gz` → `https://…/archive/v1.tar.gz`. The name that
/// the file is saved under is left out.
pub fn fetched(text: &str) -> String {
    let address = text.split_once("::").map_or(text, |(_, address)| address);
    if !address.contains("://") {
        return address.to_owned();
    }
    let address = address
        .replace("/archive/refs/tags/", "/archive/")
        .replace(".git#", "#");
    under_new_owner(&address)
}

/// Former owners of repositories on GitHub with their new names. Addresses with the old name are
/// redirected. All of ROCm's repositories were moved to `ROCm` in the autumn of 2023.
const RENAMED_OWNERS: [(&str, &str); 3] = [
    ("github.com/ROCmSoftwarePlatform/", "github.com/ROCm/"),
    ("github.com/RadeonOpenCompute/", "github.com/ROCm/"),
    ("github.com/ROCm-Developer-Tools/", "github.com/ROCm/"),
];

/// Returns an address with the new name of the repository's owner, if the owner was renamed.
fn under_new_owner(address: &str) -> String {
    let renamed = RENAMED_OWNERS.iter();
    let mut found = renamed.filter(|(old, _)| address.contains(old));
    let (old, new) = found.next().unwrap_or(&("", ""));
    address.replacen(old, new, 1)
}

/// Returns the address of the repository that an address is in:
/// `git+https://github.com/ROCm/hip.git#tag=v1` → `https://github.com/ROCm/hip`. Returns none for a
/// text without `://`.
pub fn repository(address: &str) -> Option<&str> {
    let scheme = address.find("://")?;
    let address = &address[address[..scheme].rfind(['+', ':']).map_or(0, |at| at + 1)..];
    let address = address.split(['#', '?']).next()?;
    let end = address
        .match_indices('/')
        .nth(4)
        .map_or(address.len(), |(at, _)| at);
    Some(address[..end].trim_end_matches(".git"))
}

/// Returns the key of a source, so that two versions of one source have the same key:
/// `https://github.com/ROCm/hip/archive/v1.tar.gz` → `github.com/rocm/hip`. The key of a patch, or
/// of an asset of a release, ends with the name of its file. The key of a file without an address
/// is its name.
pub(crate) fn source(text: &str) -> String {
    let address = text.split_once("::").map_or(text, |(_, address)| address);
    let address = address.split(['#', '?']).next().unwrap_or(address);
    let address = under_new_owner(address);
    let Some((_, path)) = address.split_once("://") else {
        return address;
    };
    let parts: Vec<&str> = path.split('/').collect();
    let whole = ["releases", "commit", "pull", "raw", "blob"]
        .iter()
        .any(|p| parts.contains(p));
    let last = if whole { parts.last().copied() } else { None };
    let repository = parts
        .iter()
        .take(3)
        .copied()
        .chain(last)
        .collect::<Vec<_>>()
        .join("/");
    repository.trim_end_matches(".git").to_ascii_lowercase()
}
