//! The places of the words of lists in the global scope of a recipe: in a variable of the
//! maintainer (`_deps=( … )`), in a list that is appended (`PATCHES+=( … )`), among the words of a
//! loop. `trial.rs` tries the edits of these places.

use crate::changes::{Change, What};
use crate::edits::{Edits, line_end, line_start};
use crate::find::{bodies_at, find_in};
use crate::place::{NewItem, Place};
use crate::three_way::ThreeWay;
use crate::variables::references;
use rocpkg_syntax::words::split;
use rocpkg_syntax::{Body, Form, ItemKind, Language, List, Node, NormalText, Outline};
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::ops::Range;

/// A list of words in the global scope of a recipe.
pub(crate) struct WordList {
    /// The keys of the groups around the words, such as `test?`, the outermost first.
    groups: Vec<String>,
    body: Body,
    /// The statement that is removed with its last word: `PATCHES+=( … )`, or a loop.
    statement: Option<Node>,
    /// Set for words of a loop or of a text. They may be parts of the items, and have no quotes of
    /// their own.
    is_loose: bool,
}

/// The place of a new item in a list of the existing recipe.
struct Beside<'a> {
    own: &'a Node,
    /// The rendering that has the word as the item `neighbour`.
    of: &'a Outline,
    neighbour: &'a Node,
    /// Set if the new item goes behind the word.
    is_above: bool,
}

/// Returns the lists of words in the global scope of the existing recipe. Variables that functions
/// use, and that the new rendering does not have, are left out: values in functions are not known.
pub(crate) fn word_lists(three: ThreeWay) -> Vec<WordList> {
    let recipe = three.existing;
    let nodes = recipe.root.nodes.iter();
    let (functions, globals): (Vec<&Node>, Vec<&Node>) =
        nodes.partition(|node| node.key.open.ends_with("()"));
    let is_used = |name: &str| {
        let mut texts = functions.iter().map(|f| &recipe.text[f.at.clone()]);
        texts.any(|text| references(text).any(|used| used == name))
    };
    let is_tried = |node: &&Node| {
        let name = NormalText::base(&node.key.open).trim_end_matches("+=");
        three.after.root.get(name).is_some() || !is_used(name) || is_renamed(three, node)
    };
    let globals = globals.into_iter().filter(is_tried).cloned();
    let body = Body {
        nodes: globals.collect(),
        ..recipe.root.clone()
    };
    let mut all = Vec::new();
    collect(recipe, &body, &[], &mut all);
    all
}

/// Returns true if `own`, a list of the existing recipe, is one of the old rendering under another
/// name.
fn is_renamed(three: ThreeWay, own: &Node) -> bool {
    let words = |node: &Node| -> BTreeSet<String> {
        let nodes = node.nodes().iter();
        nodes.map(|word| word.key.open.clone()).collect()
    };
    let lacks = |node: &&Node| three.existing.root.find(&node.key).is_none();
    let mut all = three.before.root.nodes.iter().filter(lacks);
    !own.nodes().is_empty() && all.any(|node| words(node) == words(own))
}

fn collect(recipe: &Outline, body: &Body, groups: &[String], all: &mut Vec<WordList>) {
    for node in &body.nodes {
        let name = NormalText::base(&node.key.open);
        let Some(inner) = &node.body else {
            all.extend(words_of_text(recipe, node));
            continue;
        };
        if inner.form != Form::Words {
            all.extend(words_of_loop(recipe, node, inner));
            collect(recipe, inner, &[], all);
            continue;
        }
        let mut groups = groups.to_vec();
        if body.form == Form::Words {
            groups.push(name.to_owned());
        }
        collect(recipe, inner, &groups, all);
        all.push(WordList {
            groups,
            body: inner.clone(),
            statement: name.ends_with("+=").then(|| node.clone()),
            is_loose: false,
        });
    }
}

/// Returns the words of a variable that holds a text in quotes: `_deps="a b"`.
fn words_of_text(recipe: &Outline, node: &Node) -> Option<WordList> {
    let text = &recipe.text[node.value_at.clone()];
    let between = |quote| Some(text.strip_prefix(quote)?.strip_suffix(quote)?.len());
    let len = between('"').or_else(|| between('\''))?;
    let start = node.value_at.start + 1;
    (node.value_at != node.at).then(|| WordList {
        groups: Vec::new(),
        body: words_between(recipe, start..start + len),
        statement: None,
        is_loose: true,
    })
}

/// Returns the words of a loop: `a` and `b` of `for x in a b; do …; done`.
fn words_of_loop(recipe: &Outline, node: &Node, body: &Body) -> Option<WordList> {
    let head = recipe.text[node.at.start..body.inside.start].strip_suffix("do")?;
    let (name, words) = head.split_once(" in ")?;
    let start = node.at.start + name.len() + " in ".len();
    let end = start + words.trim_end_matches([';', ' ', '\n', '\t']).len();
    name.starts_with("for ").then(|| WordList {
        groups: Vec::new(),
        body: words_between(recipe, start..end),
        statement: Some(node.clone()),
        is_loose: true,
    })
}

fn words_between(recipe: &Outline, inside: Range<usize>) -> Body {
    let words = split(&recipe.text, inside.start, inside.end).into_iter();
    let leaf = |value: NormalText, at| Node::leaf(value.clone(), value, at);
    Body {
        nodes: words
            .map(|w| leaf(recipe.words.value(&w.pieces), w.at))
            .collect(),
        inside,
        kind: ItemKind::Items,
        form: Form::Words,
        list: Some(List::Options),
    }
}

/// Returns the changes of words and groups of lists in the global scope that a change consists of.
/// A list that goes is the removal of its items. The order of sources and checksums matters, so
/// they are left out.
pub(crate) fn of_words<'a>(three: ThreeWay, change: &Change<'a>) -> Vec<Change<'a>> {
    let (old, new) = change.what.sides();
    let all = match (&change.what, change.path.is_empty()) {
        (What::Remove(list), true) => {
            let items = list.nodes().iter().map(|item| Change {
                path: vec![&list.key],
                what: What::Remove(item),
            });
            items.collect()
        }
        (_, false) if old.len() < 2 && new.len() < 2 => vec![change.clone()],
        _ => Vec::new(),
    };
    let is_ordered = |list| matches!(list, List::Sources | List::Sums | List::Addresses);
    let is_of_words = |change: &Change| {
        let name = list_of(change);
        let list = three.after.reading.rules.list(name);
        !name.ends_with("()") && !list.is_some_and(is_ordered)
    };
    let is_bash = three.existing.reading.language == Language::Bash;
    let all = all.into_iter();
    all.filter(|change| is_bash && is_of_words(change))
        .collect()
}

/// Returns the name of the list that a change of words is about.
pub(crate) fn list_of<'a>(change: &Change<'a>) -> &'a str {
    NormalText::base(&change.path[0].open).trim_end_matches("+=")
}

/// Returns the edits that may make a change in one of `lists`, the likely ones first. Each contains
/// the edits `made`. Returns none for an item that the recipe has where the renderings have it.
pub(crate) fn attempts(
    three: ThreeWay,
    change: &Change,
    lists: &[WordList],
    made: &Edits,
) -> Vec<Edits> {
    let ThreeWay {
        existing,
        before,
        after,
    } = three;
    let groups: Vec<&str> = change.path[1..]
        .iter()
        .map(|key| NormalText::base(&key.open))
        .collect();
    let lists: Vec<&WordList> = lists.iter().filter(|list| list.groups == groups).collect();
    let places = |of: &Node| {
        let all = lists
            .iter()
            .flat_map(|list| list.body.nodes.iter().map(|own| (*list, own)));
        let mut all: Vec<(&WordList, &Node)> = all.filter(|(_, own)| is_named(own, of)).collect();
        all.sort_by_key(|(_, own)| Reverse(own.key.is_like(&of.key)));
        all
    };
    let mut out = Vec::new();
    if let What::Insert { beside, at } = change.what {
        let item = NewItem {
            rendering: after,
            body: beside,
            at,
        };
        let above = beside.nodes[..at].iter().rev();
        let above = above.map(|node| (after, node, true));
        let below = beside.nodes[at + 1..].iter();
        let below = below.map(|node| (after, node, false));
        // The place of an item that is removed is the last resort.
        let was = bodies_at(before, &change.path).into_iter();
        let was = was.flat_map(|body| &body.nodes);
        let gone = was.filter(|node| beside.find(&node.key).is_none());
        let gone = gone.map(|node| (before, node, true));
        let is_direct = |node: &Node| {
            let mut bodies = bodies_at(existing, &change.path).into_iter();
            bodies.any(|body| body.find(&node.key).is_some())
        };
        let all = above.chain(below).chain(gone);
        for (of, neighbour, is_above) in all.take_while(|(_, node, _)| !is_direct(node)) {
            for (list, own) in places(neighbour) {
                let beside = Beside {
                    own,
                    of,
                    neighbour,
                    is_above,
                };
                out.extend(list.insert(existing, &beside, item, made.clone()));
            }
        }
        return out;
    }
    let (old, new) = change.what.sides();
    let (Some(old), new) = (old.first(), new.first()) else {
        return out;
    };
    if find_in(existing, &change.path, &old.key, &[]).is_none() {
        let all = places(old).into_iter();
        for (list, own) in all.filter(|(_, own)| !made.removes(&own.at)) {
            let text = new.map(|new| list.text(existing, own, (before, old), (after, new)));
            match text {
                None => out.push(list.without(existing, own, made.clone())),
                Some(text) => out.extend(text.map(|text| {
                    let mut edits = made.clone();
                    edits.replace(own.at.clone(), text);
                    edits
                })),
            }
        }
    }
    out
}

/// Returns true if the word `own` of the existing recipe may name the item `of` of a rendering, or
/// a part of its name: `hip` is a part of `dev-util/hip`.
fn is_named(own: &Node, of: &Node) -> bool {
    let is_part = |part: &str, whole: &str| {
        let is_of_word = |c: char| c.is_ascii_alphanumeric();
        whole.match_indices(part).any(|(at, _)| {
            let (head, tail) = (&whole[..at], &whole[at + part.len()..]);
            !part.is_empty() && !head.ends_with(is_of_word) && !tail.starts_with(is_of_word)
        })
    };
    let (one, other) = (&own.key.open, &of.key.open);
    own.key.is_like(&of.key)
        || own.body.is_none() && of.body.is_none() && (is_part(one, other) || is_part(other, one))
}

impl WordList {
    /// Adds the removal of a word to `edits`. With its last word, the statement of an appended list
    /// or of a loop is removed.
    fn without(&self, existing: &Outline, own: &Node, mut edits: Edits) -> Edits {
        let place = |body| Place { existing, body };
        place(&self.body).remove(own, &mut edits);
        let mut all = self.body.nodes.iter();
        if let Some(statement) = &self.statement
            && all.all(|node| edits.removes(&node.at))
            && !edits.adds(&self.body.inside)
        {
            place(&existing.root).remove(statement, &mut edits);
        }
        edits
    }

    /// Adds the insertion of an item beside a word to `edits`. Returns none if the item can't be
    /// written in the form of this list.
    fn insert(
        &self,
        existing: &Outline,
        beside: &Beside,
        item: NewItem,
        mut edits: Edits,
    ) -> Option<Edits> {
        let (text, from) = (&existing.text, item.rendering);
        let Beside {
            own,
            of,
            neighbour,
            is_above,
        } = *beside;
        let new = &item.body.nodes[item.at];
        let place = Place {
            existing,
            body: &self.body,
        };
        let line = line_start(text, own.at.start)..line_end(text, own.at.end);
        let head = &text[line.start..own.at.start];
        let is_statement = |node: &Node| text[line.clone()].trim() == &text[node.at.clone()];
        if self.is_loose {
            let word = self.text(existing, own, (of, neighbour), (from, new))?;
            let between = if head.trim().is_empty() {
                format!("\n{head}")
            } else {
                " ".to_owned()
            };
            if is_above {
                edits.replace(own.at.end..own.at.end, format!("{between}{word}"));
            } else {
                edits.replace(own.at.start..own.at.start, format!("{word}{between}"));
            }
        } else if self.statement.as_ref().is_some_and(is_statement) && self.body.nodes.len() == 1 {
            // Each word has a statement of its own.
            let tail = &text[own.at.end..line.end];
            let statement = format!("{head}{}{tail}", place.words(from, &new.at));
            let at = if is_above { line.end } else { line.start };
            edits.replace(at..at, statement);
        } else if is_above {
            place.insert(Some(own), None, item, &mut edits);
        } else {
            place.insert(None, Some(own), item, &mut edits);
        }
        Some(edits)
    }

    /// Returns the text of the item `new` of a rendering in the form of the word `own`, which names
    /// the item `old`. A loose word may be a part of the text: `hip` for `dev-util/hip:${SLOT}`
    /// makes `amdsmi` of `dev-util/amdsmi:${SLOT}`.
    fn text(
        &self,
        existing: &Outline,
        own: &Node,
        (of_old, old): (&Outline, &Node),
        (of_new, new): (&Outline, &Node),
    ) -> Option<String> {
        if !self.is_loose {
            let place = Place {
                existing,
                body: &self.body,
            };
            return Some(place.element(own, of_new, new));
        }
        let word = &existing.text[own.at.clone()];
        let part = word.trim_matches(['"', '\'']);
        let (head, tail) = of_old.text[old.at.clone()].split_once(part)?;
        let new = of_new.text[new.at.clone()].strip_prefix(head)?;
        let new = new.strip_suffix(tail)?;
        Some(word.replacen(part, new, 1))
    }
}
