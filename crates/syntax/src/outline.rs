//! What a recipe says, item by item, with the place of each in the text.

use crate::value::Value;
use crate::words::{Words, split};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// What a distribution means by the variables of its recipes.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The variable that holds the version.
    pub version: &'static str,
    /// What the elements of a list are, by its name; `*` in it stands for any text.
    pub lists: &'static [(&'static str, List)],
    /// The variables that follow what is fetched; `*` as there.
    pub of_sources: &'static [&'static str],
    /// The variable that holds the folder in which sources lie; empty where there is none.
    pub source_folder: &'static str,
    /// The commands that ask for a flag.
    pub asks: &'static [&'static str],
}

/// What the elements of a list are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Options and other words.
    Options,
    /// Names of packages, with bounds or a text behind a colon.
    Packages,
    /// Addresses and files that are fetched, each perhaps under a name of its own.
    Sources,
    /// Checksums of what stands at the same place in the list of sources.
    Sums,
    /// Names, each perhaps behind `+`, `-` or `~`.
    Flags,
    /// Gentoo's dependency language (PMS 8.2): packages, licences or flags under USE conditions.
    Spec,
    /// The same with addresses.
    Addresses,
}

impl Rules {
    /// What the elements of a list are.
    pub fn list(&self, name: &str) -> Option<List> {
        self.lists
            .iter()
            .find(|(known, _)| fits(known, name))
            .map(|(_, list)| *list)
    }

    /// Whether a variable follows what is fetched.
    pub fn is_of_sources(&self, name: &str) -> bool {
        let name = Value::base(name);
        let is_it = |known: &&str| match known.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => fits(known, name),
        };
        self.of_sources.iter().any(is_it)
    }
}

fn fits(known: &str, name: &str) -> bool {
    match known.split_once('*') {
        Some((head, tail)) => name.starts_with(head) && name.contains(tail),
        None => name == known,
    }
}

/// How a recipe is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// Its language.
    pub language: Language,
    /// What its variables mean.
    pub rules: &'static Rules,
    /// Variables that are set outside of it, such as `PV`.
    pub given: Vec<(&'static str, String)>,
}

/// The language of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Ebuilds and PKGBUILDs.
    Bash,
    /// Expressions of nixpkgs.
    Nix,
    /// `package.yml`.
    Yaml,
}

/// A recipe's text with its items.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The text.
    pub text: String,
    /// The items at its margin.
    pub root: Body,
    /// How it was read.
    pub reading: Reading,
    /// What the variables at its margin stand for.
    pub words: Words,
}

/// One item: a variable, a dependency, an option, a command, a function.
#[derive(Clone, Debug)]
pub struct Node {
    /// What makes it this item among those beside it.
    pub key: Value,
    /// What it says; of one with a body, what does not stand in that.
    pub value: Value,
    /// Its bytes in the text, without the comments above it.
    pub at: Range<usize>,
    /// The bytes of its value alone; all of it where key and value are one.
    pub value_at: Range<usize>,
    /// The items inside.
    pub body: Option<Body>,
    /// The key of the same item in another spelling: `a && b` for `if a; then b; fi`.
    pub alias: Option<Value>,
}

impl Node {
    /// An item without others inside.
    pub fn leaf(key: Value, value: Value, at: Range<usize>) -> Self {
        Self {
            key,
            value,
            value_at: at.clone(),
            at,
            body: None,
            alias: None,
        }
    }

    /// Returns true if two items of one key have one value. A patch that names no folder agrees
    /// with any: the recipe enters the folder by other means, such as `cd`.
    pub fn has_value_of(&self, other: &Self) -> bool {
        let is_open = |node: &Self| node.value.open.is_empty();
        self.value.is(&other.value) || self.is_patch() && (is_open(self) || is_open(other))
    }

    /// Returns true for a step that applies a patch. Its value is the folder that the patch is
    /// applied in.
    fn is_patch(&self) -> bool {
        self.key.open.starts_with("patch ")
    }

    /// Returns true if one of two items has the other's key in another spelling.
    pub fn is_alias_of(&self, other: &Self) -> bool {
        let is =
            |one: &Self, other: &Self| one.alias.as_ref().is_some_and(|alias| alias.is(&other.key));
        is(self, other) || is(other, self)
    }

    /// The items inside.
    pub fn nodes(&self) -> &[Self] {
        self.body.as_ref().map_or(&[], |body| &body.nodes)
    }

    /// Whether two items say the same, in whatever order.
    pub fn is(&self, other: &Self) -> bool {
        let (own, others) = (self.said(), other.said());
        // A patch is the same one wherever it is applied.
        self.key.is(&other.key)
            && (self.is_patch() || self.value.is(&other.value))
            && own.len() == others.len()
            && own.iter().all(|n| others.iter().any(|m| n.is(m)))
    }

    /// The items inside; names that are inherited from one place say the same in one statement and
    /// in several.
    fn said(&self) -> Vec<Cow<'_, Self>> {
        let mut all = Vec::new();
        for node in self.nodes() {
            let from = Value::base(&node.key.open);
            if from.starts_with("inherit") && node.body.is_some() {
                let name = |n: &Self| {
                    Self::leaf(
                        n.key.map(|key| format!("{from} {key}")),
                        Value::default(),
                        n.at.clone(),
                    )
                };
                all.extend(node.nodes().iter().map(|n| Cow::Owned(name(n))));
            } else {
                all.push(Cow::Borrowed(node));
            }
        }
        all
    }
}

/// Items beside each other.
#[derive(Clone, Debug)]
pub struct Body {
    /// The bytes between the brackets, the quotes, or the ends of the text.
    pub inside: Range<usize>,
    /// The items, in order.
    pub nodes: Vec<Node>,
    /// What their order means.
    pub kind: Kind,
    /// How they stand.
    pub form: Form,
    /// What they are, where that is known.
    pub list: Option<List>,
}

/// What an order means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: each item stands for itself.
    Items,
    /// Much: what changes in one place changes together.
    Steps,
}

/// How items stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each on lines of its own.
    Lines,
    /// Words, on one line or on several.
    Words,
    /// Words between commas.
    Commas,
}

impl Body {
    /// The item of a key as it is shown.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.key.open == key)
    }

    /// The item that another one is here: it means the same, else it is written alike.
    pub fn find(&self, key: &Value) -> Option<&Node> {
        let by =
            |fits: fn(&Value, &Value) -> bool| self.nodes.iter().find(|node| fits(&node.key, key));
        by(Value::is).or_else(|| by(Value::is_like))
    }

    /// Whether an item stands between the brackets: what is inherited is bound elsewhere, and what
    /// is added stands behind them.
    pub fn holds(&self, node: &Node) -> bool {
        self.inside.start <= node.at.start && node.at.end <= self.inside.end
    }

    /// Tells items of one key apart by their number.
    pub fn number(nodes: &mut [Node]) {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        // The next number of each key. All smaller ones are taken.
        let mut next: BTreeMap<String, usize> = BTreeMap::new();
        for node in nodes {
            if taken.contains(&node.key.open) {
                let base = node.key.clone();
                let n = next.entry(base.open.clone()).or_insert(2);
                while taken.contains(&node.key.open) {
                    node.key = base.map(|key| format!("{key} #{n}"));
                    *n += 1;
                }
            }
            taken.insert(node.key.open.clone());
        }
    }
}

impl Outline {
    /// An outline of a whole text, whose items stand in no bracket.
    pub(crate) fn new(text: &str, nodes: Vec<Node>, reading: &Reading, words: Words) -> Self {
        Self {
            text: text.to_owned(),
            root: Body {
                inside: 0..text.len(),
                nodes,
                kind: Kind::Items,
                form: Form::Lines,
                list: None,
            },
            reading: reading.clone(),
            words,
        }
    }

    /// The item at a path of keys.
    pub fn get(&self, path: &[&str]) -> Option<&Node> {
        let (last, above) = path.split_last()?;
        let mut body = &self.root;
        for key in above {
            body = body.get(key)?.body.as_ref()?;
        }
        body.get(last)
    }

    /// Returns the keys of the items around a byte, from the margin inwards; none between items.
    pub fn keys_at(&self, at: usize) -> Vec<String> {
        let (mut keys, mut body) = (Vec::new(), Some(&self.root));
        while let Some(inside) = body {
            let around = |node: &&Node| node.at.contains(&at);
            let Some(node) = inside.nodes.iter().find(around) else {
                break;
            };
            keys.push(node.key.open.clone());
            body = node.body.as_ref();
        }
        keys
    }

    /// The words of bash at some bytes, with the values of variables.
    pub fn expanded(&self, at: &Range<usize>) -> Vec<String> {
        let words = split(&self.text, at.start, at.end);
        words
            .iter()
            .map(|word| self.words.value(&word.pieces).real)
            .collect()
    }

    /// What the words at some bytes say, the version left open.
    pub fn said(&self, at: &Range<usize>) -> String {
        let words = split(&self.text, at.start, at.end);
        words
            .iter()
            .map(|word| self.words.value(&word.pieces).open)
            .collect()
    }

    /// The line and column of a byte, counted from 1.
    pub fn place(&self, at: usize) -> (usize, usize) {
        place(&self.text, at)
    }
}

/// Returns the line and column of a byte of a text, counted from 1.
pub fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.rsplit('\n').next().unwrap_or_default();
    (before.matches('\n').count() + 1, line.chars().count() + 1)
}
