//! Edits that are tried: the text that holds the old release, wherever it is in the global scope of
//! a recipe, such as `ROCM_TAG="rocm-7.1.1"`.
//!
//! A variable of the maintainer may be used by several items. So not the items are edited, but the
//! text that their values are made of. An edit stays if each changed item of the model then has the
//! value of the model. Words that the model adds or removes are tried likewise, in each list of
//! words in which they may be: see `lists.rs`.

use crate::changes::Change;
use crate::edits::Edits;
use crate::lists::{WordList, attempts, list_of, of_words, word_lists};
use crate::ran::Ran;
use crate::settle::Checks;
use crate::three_way::ThreeWay;
use crate::work::round;
use rocpkg_syntax::nix::DERIVATION;
use rocpkg_syntax::{Evaluated, Form, ItemKind, Node, NormalText, Values, agreed, is_part_of};
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;
use std::ops::Range;

/// The greatest number of edits that are tried in one recipe.
const MOST_TRIALS: usize = 64;

#[derive(Default)]
pub(crate) struct Followed<'a> {
    pub(crate) edits: Edits,
    /// The changes of words and commands that were made, or that the recipe had before.
    made: Vec<Change<'a>>,
    /// The changes of words of a list whose value is open: no edit can be tried.
    held: Vec<Change<'a>>,
    /// The variables that have the value of the model at the new version without another edit.
    agreed: BTreeSet<String>,
}

impl Followed<'_> {
    /// Returns true if a change can't be tried.
    pub(crate) fn is_held(&self, change: &Change) -> bool {
        self.held.iter().any(|held| held.is(change))
    }

    /// Returns true if a change was made, is about commands that the recipe runs already, or about
    /// a variable that has its new value. Variables in functions have no value here.
    pub(crate) fn is_made(&self, change: &Change) -> bool {
        if self.made.iter().any(|made| made.is(change)) {
            return true;
        }
        if change.path.iter().any(|key| key.open.ends_with("()")) {
            return false;
        }
        let (old, new) = change.what.sides();
        let keys = old.iter().chain(new).map(|node| &node.key);
        let all = change.path.iter().copied().chain(keys);
        let all: Vec<&str> = all.map(|key| key.open.as_str()).collect();
        let mut agreed = self.agreed.iter();
        agreed.any(|name| is_part_of(all.iter().copied(), name))
    }
}

/// Tries edits of the texts that hold the old release. `all` are the changes between the two
/// renderings. Returns no edit if the values of the recipe, or of the renderings, are not known.
pub(crate) fn followed<'a>(
    three: ThreeWay<'a>,
    all: &[Change<'a>],
    checks: Checks,
) -> Followed<'a> {
    let existing = three.existing;
    let model = Model::of(three, checks);
    if model.after.is_empty() {
        return Followed::default();
    }
    let name = existing.reading.rules.version;
    let is_version = |change: &&Change| {
        let (old, _) = change.what.sides();
        let is_outer = change.path.iter().all(|key| key.open == DERIVATION);
        is_outer && old.iter().any(|old| old.key.open == name)
    };
    let version: Vec<Change> = all.iter().filter(is_version).cloned().collect();
    let moved = |text: &str| {
        if version.is_empty() {
            return Some(text.to_owned());
        }
        let outline = existing.reading.read(text).ok()?;
        let new = round(
            ThreeWay {
                existing: &outline,
                ..three
            },
            &outline,
            &version,
            Edits::default(),
        );
        Some(new.text)
    };
    let values = |text: &str| Some((checks.values)(&moved(text)?));
    let Some(now) = values(&existing.text) else {
        return Followed::default();
    };
    let mut trials = Trials {
        text: &existing.text,
        model: &model,
        values: &values,
        now,
        edits: Edits::default(),
        places: Vec::new(),
        left: MOST_TRIALS,
        is_blind: false,
    };
    let written = written(three, all);
    let mut tokens = differences(&model.before, &model.after);
    tokens.extend(written.iter().cloned());
    let mut tokens: Vec<Token> = tokens.into_iter().collect();
    tokens.sort_by_key(|(old, _)| Reverse(old.len()));
    for token in &tokens {
        for at in places(three, &token.0) {
            trials.run(at, &token.1, token);
        }
    }
    // A variable that follows the version, such as `rocm-$(ver_cut 1-3)`, may have an old form.
    let is_own = |node: &&Node| {
        let name = &node.key.open;
        let is_known = model.before.contains_key(name) || model.after.contains_key(name);
        !is_known && node.body.is_none()
    };
    for token in differences(&trials.now, &model.after) {
        let is_it = |value: &Evaluated| value.open.is_none() && value.words == [token.0.as_str()];
        for node in existing.root.nodes.iter().filter(is_own) {
            let forms = written.iter().map(|(_, new)| new);
            for new in forms.chain([&token.1]) {
                if trials.now.get(&node.key.open).is_some_and(is_it) {
                    trials.run(node.value_at.clone(), &format!("\"{new}\""), &token);
                }
            }
        }
    }
    let (mut made, held) = trials.words(three, all);
    if let Some(text) = moved(&trials.edits.clone().applied(&existing.text)) {
        let ran = Ran::of(three, checks, &text);
        made.extend(all.iter().filter(|change| ran.has(change)).cloned());
    }
    // An empty list is removed with its changes.
    let mut all = agreed(&trials.now, &model.after);
    all.retain(|own| !model.after[own].words.is_empty());
    // The version may have been set for the values only.
    let edited = (checks.values)(&trials.edits.clone().applied(&existing.text));
    let set = agreed(&edited, &model.after);
    for name in [name.to_owned(), format!("{DERIVATION}.{name}")] {
        if !set.contains(&name) {
            all.remove(&name);
        }
    }
    Followed {
        edits: trials.edits,
        made,
        held,
        agreed: all,
    }
}

/// The edits that were tried so far.
struct Trials<'a> {
    text: &'a str,
    model: &'a Model,
    /// Returns the values of a text at the new version.
    values: &'a dyn Fn(&str) -> Option<Values>,
    /// The values after the edits that passed.
    now: Values,
    edits: Edits,
    places: Vec<Range<usize>>,
    /// The number of trials that are left.
    left: usize,
    /// Set if all trials of the last change left the value of its list as it was.
    is_blind: bool,
}

impl Trials<'_> {
    /// Tries to replace the bytes `at` by `new`.
    fn run(&mut self, at: Range<usize>, new: &str, token: &Token) {
        let overlaps = |other: &Range<usize>| other.start < at.end && at.start < other.end;
        if self.places.iter().any(overlaps) {
            return;
        }
        let mut tried = self.edits.clone();
        tried.replace(at.clone(), new.to_owned());
        let then = self.values_with(&tried);
        if let Some(then) = then.filter(|then| self.model.is_better(&self.now, then, Some(token))) {
            (self.now, self.edits) = (then, tried);
            self.places.push(at);
        }
    }

    /// Returns the values with the edits `tried`; none if there were too many trials.
    fn values_with(&mut self, tried: &Edits) -> Option<Values> {
        self.left = self.left.checked_sub(1)?;
        (self.values)(&tried.clone().applied(self.text))
    }

    /// Tries the changes of words of lists. Returns those that were made or that the recipe had
    /// before, and those that can't be tried.
    fn words<'c>(
        &mut self,
        three: ThreeWay<'c>,
        all: &[Change<'c>],
    ) -> (Vec<Change<'c>>, Vec<Change<'c>>) {
        let lists = word_lists(three);
        let (mut made, mut held) = (Vec::new(), Vec::new());
        for change in all.iter().flat_map(|change| of_words(three, change)) {
            let is_made = self.makes(three, &change, &lists);
            let is_open = || {
                self.now
                    .get(list_of(&change))
                    .is_some_and(|now| now.open.is_some())
            };
            if is_made {
                made.push(change);
            } else if self.is_blind && is_open() {
                held.push(change);
            }
        }
        (made, held)
    }

    /// Makes a change of words in one of `lists`. Returns false if no edit is right.
    fn makes(&mut self, three: ThreeWay, change: &Change, lists: &[WordList]) -> bool {
        if self.has(change) {
            return true;
        }
        let all = attempts(three, change, lists, &self.edits);
        self.is_blind = !all.is_empty();
        let list = list_of(change);
        for tried in all {
            let Some(then) = self.values_with(&tried) else {
                continue;
            };
            self.is_blind &= then.get(list) == self.now.get(list);
            if self.model.is_better(&self.now, &then, None) {
                (self.now, self.edits) = (then, tried);
                return true;
            }
        }
        false
    }

    /// Returns true if the recipe has the words that a change adds.
    fn has(&self, change: &Change) -> bool {
        let name = list_of(change);
        let of = |values: &Values| values.get(name).cloned().unwrap_or_default();
        let (now, model, old) = (of(&self.now), of(&self.model.after), of(&self.model.moved));
        let (_, new) = change.what.sides();
        let lacks = |own: &Evaluated| {
            let mut new = new.iter().filter(|node| node.body.is_none());
            new.any(|node| lacks(own, &model, &node.key.real))
        };
        lacks(&old) && !lacks(&now)
    }
}

struct Model {
    before: Values,
    /// The values of the old rendering at the new version.
    moved: Values,
    after: Values,
}

impl Model {
    fn of(three: ThreeWay, checks: Checks) -> Self {
        let mut model = Self {
            before: (checks.old_values)(&three.before.text),
            moved: (checks.values)(&three.before.text),
            after: (checks.values)(&three.after.text),
        };
        // A list that the model removes is empty.
        if !model.after.is_empty() {
            for name in model.before.keys() {
                model.after.entry(name.clone()).or_default();
            }
        }
        model
    }

    /// Returns true if `then` has more words of the new rendering than `now`, and loses none of
    /// them. Of a variable of the model, each other new word of `then` must be a word of `now` with
    /// the token replaced: a word of the maintainer, or one that the model removes. Without a
    /// token, `then` may also have fewer of the words that the model removes, and has no others.
    fn is_better(&self, now: &Values, then: &Values, token: Option<&Token>) -> bool {
        let none = Evaluated::default();
        let count = |of: &Evaluated, word: &String| of.words.iter().filter(|w| *w == word).count();
        let was_known = |word: &String| {
            let mut all = self.before.values().chain(self.moved.values());
            all.any(|value| value.words.contains(word))
        };
        let mut is_better = false;
        for name in now.keys().chain(then.keys()).collect::<BTreeSet<_>>() {
            let was = now.get(name).unwrap_or(&none);
            let is = then.get(name).unwrap_or(&none);
            let Some(model) = self.after.get(name).filter(|_| was != is) else {
                continue;
            };
            let follows = |word: &String| {
                let (Some((old, new)), mut all) = (token, was.words.iter()) else {
                    return false;
                };
                all.any(|was| was.contains(old.as_str()) && was.replace(old, new) == *word)
            };
            for word in was.words.iter().chain(&is.words).collect::<BTreeSet<_>>() {
                let (before, now, end) = (count(was, word), count(is, word), count(model, word));
                let is_kept = match now.cmp(&before) {
                    Ordering::Equal => true,
                    Ordering::Less => now >= end && (token.is_some() || was_known(word)),
                    Ordering::Greater => now <= end || follows(word),
                };
                if !is_kept {
                    return false;
                }
                is_better |= now > before && now <= end || now < before && token.is_none();
            }
        }
        is_better
    }
}

/// Returns the parts in which the values of the variables differ.
fn differences(one: &Values, other: &Values) -> BTreeSet<Token> {
    let mut out = BTreeSet::new();
    for (name, old) in one {
        let Some(new) = other.get(name).filter(|new| *new != old) else {
            continue;
        };
        let is_one = old.words.len() == 1 && new.words.len() == 1;
        for (old, new) in without(old, new).into_iter().zip(without(new, old)) {
            if is_one || are_heirs(old, new) {
                out.extend(differing(old, new));
            }
        }
    }
    out
}

/// Returns true if `other` has words that contain `name` and that `one` lacks. A word that `other`
/// has more often counts too.
pub fn lacks(one: &Evaluated, other: &Evaluated, name: &str) -> bool {
    let words = without(other, one);
    words.into_iter().any(|word| word.contains(name))
}

/// Returns the words of `one` that `other` does not have. A word that `one` has more often is
/// returned once for each time.
fn without<'a>(one: &'a Evaluated, other: &Evaluated) -> Vec<&'a String> {
    let mut rest: Vec<&String> = other.words.iter().collect();
    let mut is_left = |word: &&String| match rest.iter().position(|own| own == word) {
        Some(at) => {
            rest.swap_remove(at);
            false
        }
        None => true,
    };
    one.words.iter().filter(|word| is_left(word)).collect()
}

/// Returns true if two texts may name the same thing at two releases: both are addresses, or they
/// differ in digits and dots only.
fn are_heirs(old: &str, new: &str) -> bool {
    let stem = |text: &str| text.replace(|c: char| c.is_ascii_digit() || c == '.', "");
    [old, new].iter().all(|text| text.contains("://")) || stem(old) == stem(new)
}

/// Returns the parts in which changed items of variables differ, as the renderings write them:
/// `rocm-${PV}` and `therock-$(ver_cut 1-2)`.
fn written(three: ThreeWay, all: &[Change]) -> BTreeSet<Token> {
    let mut out = BTreeSet::new();
    for change in all {
        let (old, new) = change.what.sides();
        let is_function = |key: &NormalText| key.open.ends_with("()");
        if change.path.iter().any(|key| is_function(key)) || old.len() != new.len() {
            continue;
        }
        for (old, new) in old.iter().zip(new) {
            if !is_function(&old.key) && old.body.is_none() {
                // An address, and the name that its file is saved under.
                let parts = |text: &'_ str| -> Vec<String> {
                    text.split("->")
                        .map(|part| part.trim().to_owned())
                        .collect()
                };
                let old = parts(&three.before.text[old.at.clone()]);
                let new = parts(&three.after.text[new.at.clone()]);
                for (old, new) in old.iter().zip(&new) {
                    if are_heirs(old, new) {
                        out.extend(differing(old, new));
                    }
                }
            }
        }
    }
    out
}

/// A text of the old release, and the text in its place at the new one.
type Token = (String, String);

/// Returns the bytes of the longest start that two texts share, and of the longest end that the
/// rests of both share: `a/7.1.1.gz` and `a/7.2.4.gz` → 4 and 3.
pub(crate) fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let same = |one: &mut dyn Iterator<Item = char>, two: &mut dyn Iterator<Item = char>| {
        let pairs = one.zip(two).take_while(|(a, b)| a == b);
        pairs.map(|(c, _)| c.len_utf8()).sum::<usize>()
    };
    let head = same(&mut old.chars(), &mut new.chars());
    let tail = same(
        &mut old[head..].chars().rev(),
        &mut new[head..].chars().rev(),
    );
    (head, tail)
}

/// Returns the parts in which two words differ, the longest first:
/// `a/rocm-7.1.1.tar.gz` and `a/rocm-7.2.4.tar.gz` → `rocm-7.1.1` and `rocm-7.2.4`, `7.1.1` and
/// `7.2.4`.
fn differing(old: &str, new: &str) -> Vec<Token> {
    let is_of_number = |c: char| c.is_ascii_digit() || c == '.';
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let (head, tail) = common_ends(old, new);
    // The end of a number is a part of it: `7.1.1` and `7.2.1` differ in `1` and `2`.
    let rest = &old[old.len() - tail..];
    let number = rest.find(|c| !is_of_number(c)).unwrap_or(rest.len());
    let tail = tail - rest[..number].trim_end_matches('.').len();
    let start = old[..head].trim_end_matches(is_of_name).len();
    let (old, new) = (&old[start..old.len() - tail], &new[start..new.len() - tail]);
    let mut out = Vec::new();
    let (mut old, mut new) = (Some(old), Some(new));
    while let (Some(one), Some(two)) = (old, new) {
        if one.len() > 2 && !two.is_empty() && one != two {
            out.push((one.to_owned(), two.to_owned()));
        }
        let rest = |text: &'_ str| text.find(['-', '_']).map(|at| at + 1);
        old = rest(one).map(|at| &one[at..]);
        new = rest(two).map(|at| &two[at..]);
    }
    out
}

/// Returns the places of a text in the global scope of the existing recipe, outside of comments.
/// Items that are as the old rendering has them are left out: their changes are known.
fn places(three: ThreeWay, token: &str) -> Vec<Range<usize>> {
    let (recipe, before) = (three.existing, three.before);
    let text = &recipe.text;
    let mut left_out = Vec::new();
    let mut bodies = vec![(&recipe.root, &before.root)];
    while let Some((own, old)) = bodies.pop() {
        for node in &own.nodes {
            let old = old.find(&node.key);
            let is_same = |old: &Node| before.text[old.at.clone()] == text[node.at.clone()];
            if node.key.open.ends_with("()") || old.is_some_and(is_same) {
                left_out.push(node.at.clone());
            } else if let (Some(own), Some(Some(old))) = (&node.body, old.map(|old| &old.body))
                && (own.form, own.kind) == (Form::Lines, ItemKind::Items)
            {
                bodies.push((own, old));
            }
        }
    }
    let is_whole = |at: usize| {
        let (head, tail) = (&text[..at], &text[at + token.len()..]);
        let is_number = token.starts_with(|c: char| c.is_ascii_digit());
        let is_open = |c: char| {
            if is_number {
                c.is_ascii_digit() || c == '.'
            } else {
                c.is_ascii_alphanumeric()
            }
        };
        let mut behind = tail.chars();
        let goes_on = match behind.next() {
            Some('.') => behind.next().is_some_and(|c| c.is_ascii_digit()),
            next => next.is_some_and(|c| c.is_ascii_alphanumeric()),
        };
        !head.ends_with(is_open) && !goes_on
    };
    let is_comment = |at: usize| {
        let line = text[..at].rsplit('\n').next().unwrap_or_default();
        line.trim_start().starts_with('#')
    };
    let all = text.match_indices(token).map(|(at, _)| at);
    all.filter(|at| !left_out.iter().any(|item| item.contains(at)))
        .filter(|at| is_whole(*at) && !is_comment(*at))
        .map(|at| at..at + token.len())
        .collect()
}
