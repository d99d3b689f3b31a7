//! The items of a recipe, with the place of each in the text.

use crate::value::NormalText;
use crate::words::{Words, split};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The meaning of a distribution's recipe variables.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The variable that holds the version.
    pub version: &'static str,
    /// The kinds of lists, by the names of their variables. `*` in a name stands for any text.
    pub lists: &'static [(&'static str, List)],
    /// The variables that depend on the sources, such as that of the folder in an archive. `*`
    /// stands for any text.
    pub of_sources: &'static [&'static str],
    /// The variable that holds the folder in which sources are unpacked; empty if the distribution
    /// has none.
    pub source_folder: &'static str,
    /// The commands that test a USE flag, such as `use` and `usex`.
    pub asks: &'static [&'static str],
    /// Variables that have the value of another variable in recipes of releases: `SLOT_NOLIVE`, and
    /// `SLOT`, whose value is another one in live ebuilds only.
    pub same: &'static [(&'static str, &'static str)],
    /// The version of recipes that build the newest commit, `9999`. None if it is not known.
    pub live: Option<&'static str>,
    /// The commands that apply a patch, beside `patch` and git: `eapply`.
    pub apply: &'static [&'static str],
    /// The functions that may go when nothing is left in them. The package manager calls them, and
    /// nothing else does.
    pub phases: &'static [&'static str],
    /// The functions that fetch a patch, which are arguments of the recipe.
    pub fetchers: &'static [&'static str],
}

/// The kind of a list's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// Options and other words.
    Options,
    /// Names of packages, with bounds or a text behind a colon.
    Packages,
    /// Addresses and files that are fetched, each with or without a name to save it under.
    Sources,
    /// Checksums, each of the source at the same index in the list of sources.
    Sums,
    /// Names of flags or architectures, with or without `+`, `-` or `~` in front: `IUSE`,
    /// `KEYWORDS`.
    Flags,
    /// Gentoo's dependency language (PMS 8.2): packages, licences or flags under USE conditions.
    Spec,
    /// Addresses in Gentoo's dependency language: `SRC_URI`.
    Addresses,
}

impl Rules {
    /// No variable has a meaning.
    pub const NONE: Self = Self {
        version: "",
        lists: &[],
        of_sources: &[],
        source_folder: "",
        asks: &[],
        same: &[],
        live: None,
        apply: &[],
        phases: &[],
        fetchers: &[],
    };

    /// Returns the kind of the list that a variable holds; none for a variable that holds no list.
    pub fn list(&self, name: &str) -> Option<List> {
        self.lists
            .iter()
            .find(|(known, _)| fits(known, name))
            .map(|(_, list)| *list)
    }

    /// Returns true if a variable is in [`Rules::of_sources`]: it depends on the sources.
    pub fn is_of_sources(&self, name: &str) -> bool {
        let name = NormalText::base(name);
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

/// The way in which a recipe is read.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The recipe's language.
    pub language: Language,
    /// The meaning of the recipe's variables.
    pub rules: &'static Rules,
    /// Variables that are set outside of the recipe, such as `PV`.
    pub given: Vec<(&'static str, String)>,
}

/// The language of a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Ebuilds and PKGBUILDs.
    Bash,
    /// Expressions of nixpkgs.
    #[cfg(feature = "nix")]
    Nix,
    /// `package.yml`.
    Yaml,
}

/// A recipe's text with its items.
#[derive(Clone, Debug)]
pub struct Outline {
    /// The text.
    pub text: String,
    /// The items at the top level of the text: outside of functions, lists and conditions.
    pub root: Body,
    /// The way in which the text was read.
    pub reading: Reading,
    /// The values of the variables at the top level of the text.
    pub words: Words,
}

/// One item: a variable, a dependency, an option, a command, a function.
#[derive(Clone, Debug)]
pub struct Node {
    /// The key that identifies the item among its neighbours: `pkgver` for `pkgver=1`, `-DX` for
    /// `-DX=ON`, `cmake #2` for the second item `cmake`.
    pub key: NormalText,
    /// The value of the item: `ON` for `-DX=ON`. For an item with a body, the value is the part
    /// that is not in the body: `fetchurl` for `src = fetchurl { … }`.
    pub value: NormalText,
    /// The bytes of the item in the text, without the comments above it.
    pub at: Range<usize>,
    /// The bytes of the value alone; the bytes of the whole item if key and value are the same.
    pub value_at: Range<usize>,
    /// The items inside of this item.
    pub body: Option<Body>,
    /// The key of the same item in another spelling: `a && b` for `if a; then b; fi`.
    pub alias: Option<NormalText>,
}

impl Node {
    /// Returns an item without a body.
    pub fn leaf(key: NormalText, value: NormalText, at: Range<usize>) -> Self {
        Self {
            key,
            value,
            value_at: at.clone(),
            at,
            body: None,
            alias: None,
        }
    }

    /// Returns true if two items, whose keys are not compared, have the same value. A patch that
    /// names no folder is equal to a patch with any folder: the recipe enters the folder by other
    /// means, such as `cd`.
    pub fn has_value_of(&self, other: &Self) -> bool {
        let is_open = |node: &Self| node.value.open.is_empty();
        self.value.is(&other.value) || self.is_patch() && (is_open(self) || is_open(other))
    }

    /// Returns true if the item is a step that applies a patch. Its value is the folder that the
    /// patch is applied in.
    fn is_patch(&self) -> bool {
        self.key.open.starts_with("patch ")
    }

    /// Returns true if one of two items has the other's key as its [`Node::alias`].
    pub fn is_alias_of(&self, other: &Self) -> bool {
        let is =
            |one: &Self, other: &Self| one.alias.as_ref().is_some_and(|alias| alias.is(&other.key));
        is(self, other) || is(other, self)
    }

    /// Returns the items inside of this item.
    pub fn nodes(&self) -> &[Self] {
        self.body.as_ref().map_or(&[], |body| &body.nodes)
    }

    /// Returns true if two items have the same key, value and inner items. The order of inner items
    /// makes no difference.
    pub fn is(&self, other: &Self) -> bool {
        let (own, others) = (self.said(), other.said());
        // A patch is the same in whatever folder it is applied.
        self.key.is(&other.key)
            && (self.is_patch() || self.value.is(&other.value))
            && own.len() == others.len()
            && own.iter().all(|n| others.iter().any(|m| n.is(m)))
    }

    /// Returns the items inside. Each name of an `inherit` statement becomes an item of its own, so
    /// that `inherit a b;` equals `inherit a; inherit b;`.
    fn said(&self) -> Vec<Cow<'_, Self>> {
        let mut all = Vec::new();
        for node in self.nodes() {
            let from = NormalText::base(&node.key.open);
            if from.starts_with("inherit") && node.body.is_some() {
                let name = |n: &Self| {
                    Self::leaf(
                        n.key.map(|key| format!("{from} {key}")),
                        NormalText::default(),
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

/// The items inside of another item, or of the whole text: the words of an array, the statements of
/// a function, the attributes of a set.
#[derive(Clone, Debug)]
pub struct Body {
    /// The bytes between the brackets, the quotes, or the ends of the text.
    pub inside: Range<usize>,
    /// The items, in order.
    pub nodes: Vec<Node>,
    /// The meaning of the order of the items.
    pub kind: ItemKind,
    /// The layout of the items.
    pub form: Form,
    /// The kind of the list, if it is known.
    pub list: Option<List>,
}

/// The meaning of the order of items in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// The order has no meaning: each item stands for itself.
    Items,
    /// The order matters: neighbouring items that change together are one change.
    Steps,
}

/// The layout of the items in a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Each item has lines of its own.
    Lines,
    /// Words, on one line or on several.
    Words,
    /// Words between commas.
    Commas,
}

impl Body {
    /// Returns the first item whose key is `key` in the form [`NormalText::open`].
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.nodes.iter().find(|node| node.key.open == key)
    }

    /// Returns the item that corresponds to `key`: an item with a key of the same meaning, or else
    /// an item whose key is written the same way. Returns none if the body has neither.
    pub fn find(&self, key: &NormalText) -> Option<&Node> {
        let by = |fits: fn(&NormalText, &NormalText) -> bool| {
            self.nodes.iter().find(|node| fits(&node.key, key))
        };
        by(NormalText::is).or_else(|| by(NormalText::is_like))
    }

    /// Returns true if an item is between the brackets. Inherited items are bound elsewhere, and
    /// operands of `++` or `+` are behind the brackets.
    pub fn holds(&self, node: &Node) -> bool {
        self.inside.start <= node.at.start && node.at.end <= self.inside.end
    }

    /// Gives items of the same key different keys, by numbers: `make`, `make` → `make`, `make #2`.
    pub fn number(nodes: &mut [Node]) {
        let mut taken: BTreeSet<String> = BTreeSet::new();
        // The next number of each key. All smaller numbers are taken.
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
    /// Returns an outline of a text with the items `nodes` at its top level.
    pub(crate) fn new(text: &str, nodes: Vec<Node>, reading: &Reading, words: Words) -> Self {
        Self {
            text: text.to_owned(),
            root: Body {
                inside: 0..text.len(),
                nodes,
                kind: ItemKind::Items,
                form: Form::Lines,
                list: None,
            },
            reading: reading.clone(),
            words,
        }
    }

    /// Returns the item at a path of keys, the outermost first, each in the form
    /// [`NormalText::open`].
    pub fn get(&self, path: &[&str]) -> Option<&Node> {
        let (last, above) = path.split_last()?;
        let mut body = &self.root;
        for key in above {
            body = body.get(key)?.body.as_ref()?;
        }
        body.get(last)
    }

    /// Returns the item of the variable that holds the version. In Nix, it is in the derivation or
    /// in `let`. If it is neither, the item is the name in `inherit (…) version;`.
    pub fn version_item(&self) -> Option<&Node> {
        let name = self.reading.rules.version;
        let paths: [&[&str]; 3] = [&[name], &["derivation", name], &["let", name]];
        let inherited = || {
            let all = self.get(&["derivation"])?.nodes().iter();
            let all = all.filter(|node| node.key.open.starts_with("inherit"));
            all.flat_map(Node::nodes).find(|node| node.key.open == name)
        };
        let mut found = paths.into_iter().filter_map(|path| self.get(path));
        found.next().or_else(inherited)
    }

    /// Returns the keys of the items around a byte, the outermost first. The list is empty for a
    /// byte between items.
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

    /// Returns the bash words at the bytes `at`, with the values of variables.
    pub fn expanded(&self, at: &Range<usize>) -> Vec<String> {
        let words = split(&self.text, at.start, at.end);
        words
            .iter()
            .map(|word| self.words.value(&word.pieces).real)
            .collect()
    }

    /// Returns the bash words at some bytes as one text without blanks, with the values of
    /// variables. The version is a sign, as in [`NormalText::open`].
    pub fn said(&self, at: &Range<usize>) -> String {
        let words = split(&self.text, at.start, at.end);
        words
            .iter()
            .map(|word| self.words.value(&word.pieces).open)
            .collect()
    }

    /// Returns the line and column of a byte, counted from 1.
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
