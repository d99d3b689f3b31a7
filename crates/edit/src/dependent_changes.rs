//! Changes that depend on other changes: a folder depends on the archive that contains it, and a
//! reference depends on the variable being set.

use crate::changes::Change;
use crate::merge_result::MergeResult;
use crate::three_way::ThreeWay;
use crate::variables::references;
use rocpkg_syntax::{Language, List, Node, Outline};
use std::collections::BTreeSet;

/// The beginning of the address of a git checkout in the sources of a recipe.
const GIT: &str = "git+";

/// The reason of a change that depends on one that could not be applied.
pub(crate) const DEPENDENT: &str = "a change that it depends on was not applied";

/// The facts that decide if a change depends on a change that could not be applied; see
/// [`DependentChanges::reason`].
pub(crate) struct DependentChanges<'a> {
    /// The keys of sources whose change could not be applied: the edited text fetches them in
    /// another way than the new rendering.
    other_sources: BTreeSet<String>,
    /// The address of a source in `other_sources` that the existing recipe keeps; none if it has no
    /// such source.
    own_address: Option<String>,
    /// Names that the edited text refers to and that nothing in it sets.
    unset: BTreeSet<String>,
    done: &'a str,
    before: &'a Outline,
    after: &'a Outline,
}

/// Finds the facts that decide if a change depends on a change that could not be applied. `done` is
/// the result of applying changes, and its conflicts could not be applied. `held` contains changes
/// that were not tried.
pub(crate) fn dependent_changes<'a>(
    three: ThreeWay<'a>,
    done: &'a MergeResult,
    held: &[Change],
) -> DependentChanges<'a> {
    let ThreeWay {
        existing,
        before,
        after,
    } = three;
    let lists = [List::Sources, List::Addresses].map(Some);
    let is_fetched = |key: &String| {
        let list = |outline: &Outline| outline.root.get(key).and_then(|n| n.body.as_ref()?.list);
        lists.contains(&list(before)) || lists.contains(&list(after)) || key == "src"
    };
    let conflicts = done
        .conflicts
        .iter()
        .filter(|conflict| conflict.path.iter().any(is_fetched));
    let mut other_sources: BTreeSet<String> = conflicts
        .filter_map(|conflict| conflict.path.last().cloned())
        .collect();
    for change in held {
        let (old, new) = change.what.sides();
        if change.path.iter().any(|key| is_fetched(&key.open)) {
            other_sources.extend(old.iter().chain(new).map(|node| node.key.open.clone()));
        }
    }
    let own_address = own_address(existing, before, &other_sources);
    let mut unset = BTreeSet::new();
    if existing.reading.language == Language::Bash {
        let used = |text: &str, name: &str| references(text).any(|used| used == name);
        let now = names_set(&done.text);
        let new = names_set(&after.text)
            .into_iter()
            .filter(|name| !used(&existing.text, name));
        let all = new.chain(names_set(&existing.text));
        unset = all
            .filter(|name| used(&done.text, name) && !now.contains(name))
            .collect();
    }
    DependentChanges {
        other_sources,
        own_address,
        unset,
        done: &done.text,
        before,
        after,
    }
}

/// Returns the key of an address from which `existing` fetches a source whose change could not be
/// applied. `conflicts` contains the keys of these sources. An address that `before` does not have
/// comes first, then the address of such a source itself. Returns none if `existing` has none of
/// these sources.
fn own_address(
    existing: &Outline,
    before: &Outline,
    conflicts: &BTreeSet<String>,
) -> Option<String> {
    let of = |outline: &Outline| -> BTreeSet<String> {
        let nodes = outline.root.nodes.iter();
        let lists = nodes.filter_map(|node| node.body.as_ref());
        let lists = lists.filter(|body| matches!(body.list, Some(List::Sources)));
        let items = lists.flat_map(|body| &body.nodes);
        items.map(|item| item.key.open.clone()).collect()
    };
    let (own, known) = (of(existing), of(before));
    let is_address = |key: &&String| key.contains('/');
    let gone = conflicts.iter().filter(is_address);
    let mut gone = gone.filter(|key| known.contains(*key)).peekable();
    gone.peek()?;
    let mut others = own.iter().filter(is_address);
    let other = others.find(|key| !known.contains(*key));
    other
        .or_else(|| gone.find(|key| own.contains(*key)))
        .cloned()
}

impl DependentChanges<'_> {
    /// Returns the reason why a change can't be applied, if it depends on a change that could not
    /// be applied. Returns none if it depends on no such change.
    pub(crate) fn reason(&self, change: &Change) -> Option<String> {
        if let Some(address) = self
            .own_address
            .as_ref()
            .filter(|_| self.is_version(change))
        {
            return Some(format!(
                "the version can't change without its source, and the recipe keeps `{address}`"
            ));
        }
        let is_held = self.needs_checkout(change) || self.holds(change);
        is_held.then(|| DEPENDENT.to_owned())
    }

    /// Returns true if a change adds a command of git or a path in a git checkout, which the new
    /// rendering fetches (`rocal::git+https://…`), and the edited text fetches no checkout.
    fn needs_checkout(&self, change: &Change) -> bool {
        let after = &self.after.text;
        if self.done.contains(GIT) {
            return false;
        }
        let is_end = |c: char| c.is_whitespace() || "\"'(=".contains(c);
        let names = after.match_indices("::git+");
        let names = names.filter_map(|(at, _)| after[..at].rsplit(is_end).next());
        let folders: Vec<&str> = names.collect();
        let is_inside = |word: &str| {
            let first = word.split('/').next().unwrap_or_default();
            folders.contains(&first)
        };
        let (_, new) = change.what.sides();
        new.iter().any(|node| {
            let text = &after[node.at.clone()];
            let is_of_git = |line: &str| line.trim_start().starts_with("git ");
            let is_source = text.contains(GIT);
            !is_source && text.split(is_end).any(is_inside)
                || after.contains(GIT) && text.lines().any(is_of_git)
        })
    }

    /// Returns true if a change depends on a change that could not be applied.
    fn holds(&self, change: &Change) -> bool {
        let rules = self.after.reading.rules;
        let (old, new) = change.what.sides();
        let refers = |node: &Node| {
            references(&self.after.text[node.at.clone()]).any(|name| self.unset.contains(name))
        };
        if new.is_empty() {
            let is_unset =
                |node: &Node| change.path.is_empty() && self.unset.contains(&node.key.open);
            return old
                .iter()
                .any(|node| is_unset(node) || self.is_asked_for(change, node));
        }
        let is_of_sources = |node: &Node| {
            rules.is_of_sources(&node.key.open)
                || self.is_sum(change, node)
                || self.is_in_folder(node, old)
        };
        !self.other_sources.is_empty() && new.iter().any(is_of_sources) || new.iter().any(refers)
    }

    /// Returns true if a change sets or removes the version of the recipe.
    fn is_version(&self, change: &Change) -> bool {
        let (old, _) = change.what.sides();
        let name = self.after.reading.rules.version;
        change.path.len() <= 1 && old.iter().any(|node| node.key.open == name)
    }

    /// Returns true if an item is the checksum of a source in `other_sources`.
    fn is_sum(&self, change: &Change, node: &Node) -> bool {
        let list = change
            .path
            .last()
            .and_then(|list| self.after.reading.rules.list(&list.open));
        list == Some(List::Sums) && self.other_sources.contains(&node.key.open)
    }

    /// Returns true if `node`, a new item, names a folder below `$srcdir` that the items `old`
    /// before the change don't name.
    fn is_in_folder(&self, node: &Node, old: &[Node]) -> bool {
        let folder = self.after.reading.rules.source_folder;
        let folders = |text: &str| -> BTreeSet<String> {
            let paths = text
                .split('$')
                .skip(1)
                .map(|rest| rest.replace(['{', '}', '"'], ""));
            let inside = paths
                .filter_map(|path| Some(path.strip_prefix(folder)?.strip_prefix('/')?.to_owned()));
            let end = |c: char| c == '/' || c.is_whitespace();
            inside
                .filter_map(|path| Some(path.split(end).next()?.to_owned()))
                .collect()
        };
        let of = |outline: &Outline, node: &Node| folders(&outline.text[node.at.clone()]);
        let known: BTreeSet<String> = old.iter().flat_map(|node| of(self.before, node)).collect();
        !folder.is_empty() && !of(self.after, node).is_subset(&known)
    }

    /// Returns true if the edited text still tests a flag that the change removes, such as by
    /// `use hip`, and the new rendering does not test it.
    fn is_asked_for(&self, change: &Change, flag: &Node) -> bool {
        let rules = self.after.reading.rules;
        let [list] = change.path.as_slice() else {
            return false;
        };
        let asks = |text: &str| {
            let mut words =
                text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | ';' | '!'));
            let mut asked = false;
            words.any(|word| {
                let is_it = asked && word == flag.key.open;
                asked = rules.asks.contains(&word) || asked && word.is_empty();
                is_it
            })
        };
        rules.list(&list.open) == Some(List::Flags) && asks(self.done) && !asks(&self.after.text)
    }
}

/// Returns the names of the variables that a bash text sets, in functions too.
fn names_set(text: &str) -> BTreeSet<String> {
    let word = |word: &str| {
        let end = word
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(word.len());
        let (name, rest) = word.split_at(end);
        let is_set = ["=", "+=", "["].iter().any(|sign| rest.starts_with(sign));
        (is_set && !name.is_empty()).then(|| name.to_owned())
    };
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, ';' | '(' | '{' | '&'));
    let mut all: BTreeSet<String> = words.clone().filter_map(word).collect();
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let declares = |word: &str| {
        matches!(
            word,
            "for" | "local" | "read" | "declare" | "export" | "mapfile" | "readarray"
        )
    };
    for pair in words.windows(2).filter(|pair| declares(pair[0])) {
        all.insert(pair[1].to_owned());
    }
    all
}
