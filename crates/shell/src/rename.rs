//! Renames dependencies of an existing recipe, wherever they are written.

use crate::setter::replaced;
use crate::sites::{Undecided, descendants, printed, without_blanks};
use rocpkg_render::bash::{Script, Style};
use rocpkg_syntax::tree::{Tree, children, parse};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A change of the name of a dependency. It covers the values of the variables, the variables,
/// loops and functions that they expand, and the arguments of the commands.
pub struct Renaming<'a> {
    /// The old name.
    pub from: &'a str,
    /// The new name.
    pub to: &'a str,
    /// The variables that contain dependencies.
    pub variables: &'a [String],
    /// The commands whose arguments are dependencies, such as `has_version`.
    pub commands: &'a [&'a str],
    /// Returns the offset of the name in a word that is a dependency on `from`. Expansions in the
    /// word are replaced by digits.
    pub offset: &'a dyn Fn(&str) -> Option<usize>,
    /// The text of the recipe's own name, which follows a rename by itself.
    pub own: &'a str,
    /// Set if only the first word between quotes is a dependency: `'name: reason'`.
    pub is_first_only: bool,
}

struct Printed<'t> {
    item: usize,
    text: &'t str,
    root: Tree<'t>,
}

impl Renaming<'_> {
    /// Renames the dependency, and returns the number of changed words.
    ///
    /// # Errors
    /// A word that is made from a variable and may become the old name.
    pub fn apply(&self, script: &mut Script, style: &Style) -> Result<usize, Undecided> {
        let texts: Vec<String> = script
            .items
            .iter()
            .map(|item| printed(item, style))
            .collect();
        let trees: Vec<_> = texts.iter().map(|text| parse(text).ok()).collect();
        let error = |reason: &str, places| Undecided {
            name: self.from.to_owned(),
            reason: reason.to_owned(),
            places,
        };
        let unread = texts.iter().zip(&trees);
        let mut unread = unread.filter(|(text, tree)| tree.is_none() && text.contains(self.from));
        if let Some((text, _)) = unread.next() {
            let line = text.lines().next().unwrap_or_default();
            return Err(error(
                "is in a text that can't be read",
                vec![line.to_owned()],
            ));
        }
        let each = texts.iter().zip(&trees).enumerate();
        let texts: Vec<Printed> = each
            .filter_map(|(item, (text, tree))| {
                let root = tree.as_ref()?.root_node();
                Some(Printed { item, text, root })
            })
            .collect();
        let reached = self.reached(&texts);
        let (mut edits, mut open) = (Vec::new(), Vec::new());
        for text in &texts {
            let mut found = Vec::new();
            for node in self.nodes(text, &reached) {
                self.scan(node, text.text, &mut found, &mut open);
            }
            found.sort_by_key(|range: &Range<usize>| range.start);
            found.dedup();
            edits.extend(
                found
                    .into_iter()
                    .map(|range| (text.item, range, self.to.to_owned())),
            );
        }
        let sets = literals(&texts);
        open.retain(|word| self.may_be(word, &sets));
        if !open.is_empty() {
            let words = open.into_iter().map(|word| word.written).collect();
            return Err(error("may be the value of a word that bash expands", words));
        }
        let count = edits.len();
        drop(texts);
        replaced(script, style, &edits)
            .ok_or_else(|| error("can't be renamed in this recipe", Vec::new()))?;
        Ok(count)
    }

    /// Returns the names of the variables and functions that the values are made of.
    fn reached(&self, texts: &[Printed]) -> BTreeSet<String> {
        let mut names: BTreeSet<String> = self.variables.iter().cloned().collect();
        loop {
            let before = names.len();
            for text in texts {
                for node in self.nodes(text, &names) {
                    let inner = descendants(node).into_iter();
                    let inner =
                        inner.filter(|n| matches!(n.kind(), "variable_name" | "command_name"));
                    names.extend(inner.map(|n| text.text[n.byte_range()].to_owned()));
                }
            }
            if names.len() == before {
                return names;
            }
        }
    }

    /// Returns the nodes that set the variables `names`, define functions of these names, or are
    /// arguments of the commands.
    fn nodes<'t>(&self, text: &Printed<'t>, names: &BTreeSet<String>) -> Vec<Tree<'t>> {
        let mut all = Vec::new();
        for node in descendants(text.root) {
            let name = |field: &str| {
                let name = node.child_by_field_name(field)?;
                let name = name.child_by_field_name("name").unwrap_or(name);
                Some(&text.text[name.byte_range()])
            };
            let is_named = |field: &str| name(field).is_some_and(|name| names.contains(name));
            match node.kind() {
                "variable_assignment" if is_named("name") => {
                    all.extend(node.child_by_field_name("value"));
                }
                "for_statement" if is_named("variable") => {
                    let parts = children(node);
                    all.extend(
                        parts
                            .into_iter()
                            .filter(|n| n.is_named() && n.kind() != "do_group"),
                    );
                }
                "function_definition" if is_named("name") => {
                    all.extend(node.child_by_field_name("body"));
                }
                "command" if name("name").is_some_and(|name| self.commands.contains(&name)) => {
                    all.extend(children(node).into_iter().skip(1));
                }
                _ => {}
            }
        }
        all
    }

    /// Adds the ranges of the old name in the words of a node to `found`. Words with expansions
    /// that may become the old name are added to `open`.
    fn scan(&self, node: Tree, text: &str, found: &mut Vec<Range<usize>>, open: &mut Vec<Open>) {
        let is_text = matches!(
            node.kind(),
            "string" | "raw_string" | "word" | "concatenation"
        );
        if !is_text {
            for child in children(node) {
                self.scan(child, text, found, open);
            }
            return;
        }
        let start = node.start_byte();
        let mut masked = text[node.byte_range()].as_bytes().to_vec();
        for solid in solids(node) {
            let range = without_blanks(solid, text);
            masked[range.start - start..range.end - start].fill(MASK);
            for child in children(solid) {
                self.scan(child, text, found, open);
            }
        }
        // Expansions in the argument of a function of an eclass: `'a/b[${X}]'`, `"a/b[\${X}]"`.
        while let Some(at) = masked.windows(2).position(|pair| pair == b"${") {
            let length = masked[at..].iter().position(|b| *b == b'}');
            let from = at - usize::from(at > 0 && masked[at - 1] == b'\\');
            masked[from..=at + length.unwrap_or(1)].fill(MASK);
        }
        let masked = String::from_utf8_lossy(&masked).into_owned();
        let ends = [' ', '\t', '\n', '"', '\'', '`'];
        let mut at = start;
        for part in masked.split_inclusive(ends) {
            let word = part.trim_end_matches(ends);
            let place = at;
            at += part.len();
            if word.is_empty() {
                continue;
            }
            let digits = word.replace(char::from(MASK), "1");
            match (self.offset)(&digits) {
                Some(offset) if word[offset..].starts_with(self.from) => {
                    let name = place + offset;
                    found.push(name..name + self.from.len());
                }
                _ if word.contains(char::from(MASK)) => {
                    let mut marks: Vec<char> = word.chars().collect();
                    marks.dedup_by(|a, b| a == b && *a == char::from(MASK));
                    let pattern: String = marks.into_iter().collect();
                    open.push(Open {
                        written: text[place..place + word.len()].to_owned(),
                        pattern: pattern.replace(char::from(MASK), "*"),
                    });
                }
                _ => {}
            }
            if self.is_first_only {
                break;
            }
        }
    }

    /// Returns true if a word may be a dependency on the old name after bash expands it. `sets` has
    /// the words that variables are set to; none for a variable that is set to other words too.
    fn may_be(&self, word: &Open, sets: &BTreeMap<String, Option<Vec<String>>>) -> bool {
        if word.written.contains(&format!("-{}}}", self.from)) {
            return true;
        }
        if word.written.contains(self.own) {
            return false;
        }
        let bare = word.pattern.trim_start_matches(['!', '<', '>', '=', '~']);
        let mut name = bare
            .split([':', '[', '<', '>', '='])
            .next()
            .unwrap_or_default();
        if bare.len() < word.pattern.trim_start_matches('!').len() {
            name = name.rsplit_once('-').map_or(name, |(name, _)| name);
        }
        // The value of a variable that is the whole name is scanned itself.
        let is_whole = name == "*" || self.from.contains('/') && !name.contains('/');
        let Some((head, tail)) = name.split_once('*').filter(|_| !is_whole) else {
            return false;
        };
        let variable = word
            .written
            .split_once("${")
            .and_then(|(_, rest)| rest.split_once('}'));
        if let Some(Some(values)) = variable.and_then(|(name, _)| sets.get(name))
            && !tail.contains('*')
        {
            return values
                .iter()
                .any(|value| format!("{head}{value}{tail}") == self.from);
        }
        let end = tail.rsplit('*').next().unwrap_or(tail);
        let inside = self.from.strip_prefix(head);
        inside.is_some_and(|rest| rest.ends_with(end))
    }
}

struct Open {
    written: String,
    /// The word with `*` in the place of each expansion.
    pattern: String,
}

/// A byte in the place of each byte of an expansion.
const MASK: u8 = 1;

/// Returns the outermost expansions in a node.
fn solids(node: Tree<'_>) -> Vec<Tree<'_>> {
    let mut all = Vec::new();
    let mut open = children(node);
    while let Some(next) = open.pop() {
        match next.kind() {
            "expansion"
            | "simple_expansion"
            | "command_substitution"
            | "arithmetic_expansion"
            | "process_substitution" => all.push(next),
            _ => open.extend(children(next)),
        }
    }
    all
}

/// Returns the words that each variable is set to, in assignments and loops; none if one of them
/// contains an expansion.
fn literals(texts: &[Printed]) -> BTreeMap<String, Option<Vec<String>>> {
    let mut sets: BTreeMap<String, Option<Vec<String>>> = BTreeMap::new();
    for text in texts {
        for node in descendants(text.root) {
            let (field, skipped) = match node.kind() {
                "variable_assignment" => ("name", 2),
                "for_statement" => ("variable", 3),
                _ => continue,
            };
            let Some(name) = node.child_by_field_name(field) else {
                continue;
            };
            let parts = children(node).into_iter().skip(skipped);
            let parts = parts.take_while(|n| n.kind() != ";" && n.kind() != "do_group");
            let values: String = parts
                .map(|n| text.text[n.byte_range()].to_owned() + " ")
                .collect();
            let set = sets.entry(text.text[name.byte_range()].to_owned());
            let set = set.or_insert_with(|| Some(Vec::new()));
            if values.contains(['$', '`', '{', '*', '?', '[']) {
                *set = None;
            }
            let words = values.split(|c: char| c.is_whitespace() || "\"'()".contains(c));
            let words = words.filter(|word| !word.is_empty()).map(str::to_owned);
            if let Some(set) = set {
                set.extend(words);
            }
        }
    }
    sets
}
