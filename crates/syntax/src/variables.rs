//! The variables of a recipe and their values.

use crate::outline::Rules;
use crate::value::NormalText;
use crate::words::{Piece, VERSION, quoted, sed, split};
use std::collections::BTreeMap;
use std::ops::Range;

/// The most levels of variables whose values refer to variables. A deeper nesting is taken for a
/// cycle.
const MOST_DEPTH: usize = 8;

/// The most pieces and bytes that variables add to one value. Variables beyond this limit stay as
/// they are written, so that a value does not grow exponentially with `a="$b$b"`, `b="$c$c"` and so
/// on.
const MOST_WORK: usize = 1 << 14;

/// The values of a recipe's variables.
#[derive(Clone, Debug, Default)]
pub struct Words {
    /// The pieces of each variable's value. A variable that is set to different values has the
    /// piece `${NAME}`.
    known: BTreeMap<String, Vec<Piece>>,
    version: String,
    /// Set if the name of the file sets the version, as in Gentoo.
    is_version_given: bool,
    /// Those of [`Rules::same`] that the text contains.
    same: Vec<(&'static str, &'static str)>,
    /// The variables that have another value in other recipes, each with its stand-in; see
    /// [`Words::set_apart`]. Only the variable of the version can have a stand-in.
    apart: BTreeMap<String, Option<String>>,
}

impl Words {
    /// Returns the variables of `text` before any is read. `given` contains the variables that the
    /// name of the file sets, with values that are read like texts in double quotes.
    pub(crate) fn new(rules: &Rules, given: &[(&str, String)], text: &str) -> Self {
        let pieces = |text: &str| {
            let mut pieces = Vec::new();
            quoted(text, 0, text.len(), &mut pieces);
            pieces
        };
        let known = given
            .iter()
            .map(|(name, value)| ((*name).to_owned(), pieces(value)))
            .collect();
        Self {
            known,
            version: rules.version.to_owned(),
            is_version_given: given.iter().any(|(name, _)| *name == rules.version),
            same: rules
                .same
                .iter()
                .filter(|(own, _)| text.contains(own))
                .copied()
                .collect(),
            apart: BTreeMap::new(),
        }
    }

    /// Finds the variables whose value differs from their value in each of the other recipes. Text
    /// from those recipes must not refer to them: `$pkgname` of a fork is not upstream's name.
    ///
    /// If the recipe has a version of its own, another variable may hold the release:
    /// `_rocm=7.1.1` beside `pkgver=0.3`. That variable becomes the stand-in of `pkgver`.
    pub fn set_apart(&mut self, others: &[&Self]) {
        let value = |words: &Self, name: &str| words.value(&[Piece::Variable(name.to_owned())]);
        let differs = |name: &str| {
            if name == self.version && self.is_version_given {
                return false;
            }
            let own = value(self, name);
            let is_same = |other: &NormalText| {
                if name == self.version {
                    own.real == other.real
                } else {
                    own.is(other)
                }
            };
            let known = others.iter().filter(|other| other.known.contains_key(name));
            let mut known = known.map(|other| value(other, name)).peekable();
            known.peek().is_some() && known.all(|other| !is_same(&other))
        };
        let versions: Vec<String> = others
            .iter()
            .map(|other| value(other, &self.version).real)
            .collect();
        let holds_version = |name: &&String| {
            let is_own = others.iter().all(|other| !other.known.contains_key(*name));
            is_own
                && matches!(&self.known[*name][..], [Piece::Text(text)] if versions.contains(text))
        };
        let stand_in = self.known.keys().find(holds_version);
        let names = self.known.keys().filter(|name| differs(name));
        let apart = names.map(|name| {
            let stand_in = stand_in.filter(|_| *name == self.version);
            (name.clone(), stand_in.cloned())
        });
        self.apart = apart.collect();
    }

    /// Returns the variable that holds the release if the recipe has a version of its own: `_rocm`
    /// for `_rocm=7.1.1` beside `pkgver=0.3`. Returns none otherwise.
    pub fn stand_in(&self) -> Option<&str> {
        self.apart.get(&self.version)?.as_deref()
    }

    /// Returns true if [`Words::set_apart`] found no variable with another value.
    pub fn have_one_meaning(&self) -> bool {
        self.apart.is_empty()
    }

    /// Returns true if this recipe has the variable, and the variable has the same value in the
    /// other recipes. Text from them may then refer to it.
    pub fn means(&self, name: &str) -> bool {
        self.has(name) && !self.apart.contains_key(name)
    }

    /// Returns the variables whose value is known, with the pieces of their values.
    pub fn own(&self) -> impl Iterator<Item = (&str, &[Piece])> {
        let all = self
            .known
            .iter()
            .map(|(name, pieces)| (name.as_str(), pieces.as_slice()));
        all.filter(|(name, pieces)| *pieces != [Piece::Other(format!("${{{name}}}"))])
    }

    /// Returns true if the recipe or the name of its file sets the variable. Returns true for the
    /// variable of the version in any case.
    pub fn has(&self, name: &str) -> bool {
        name == self.version || self.known.contains_key(name)
    }

    /// Returns the variable of [`Rules::same`] that this recipe has for another variable.
    pub fn stands_for(&self, name: &str) -> Option<&'static str> {
        let all = self.same.iter();
        all.filter(|(_, of)| *of == name)
            .map(|(own, _)| *own)
            .next()
    }

    /// Returns a text of another recipe with the references of [`Words::stands_for`].
    pub fn renamed(&self, text: &str) -> String {
        let all = self.same.iter();
        all.fold(text.to_owned(), |text, (own, of)| {
            text.replace(&format!("${{{of}}}"), &format!("${{{own}}}"))
        })
    }

    /// Returns the name of the variable that holds the version.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Records the value of a variable. A variable that is set to two different values has no known
    /// value.
    pub(crate) fn set(&mut self, name: &str, pieces: Vec<Piece>) {
        let refers = pieces
            .iter()
            .any(|p| matches!(p, Piece::Variable(v) if v == name));
        if self.known.get(name) == Some(&pieces) {
            return;
        }
        if self.known.insert(name.to_owned(), pieces).is_some() || refers {
            self.known
                .insert(name.to_owned(), vec![Piece::Other(format!("${{{name}}}"))]);
        }
    }

    /// Returns the pieces of a variable's value; none if the variable is not set. For a variable
    /// that is set to different values, returns the piece `${NAME}`.
    pub fn get(&self, name: &str) -> Option<&[Piece]> {
        self.known.get(name).map(Vec::as_slice)
    }

    /// Returns the normal form of pieces.
    pub fn value(&self, pieces: &[Piece]) -> NormalText {
        let mut value = NormalText::default();
        let mut left = MOST_WORK;
        self.write(pieces, &mut value, 0, &mut left);
        value.written = pieces
            .iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Other(text) => collapsed(text, true),
                Piece::Variable(name) => format!("${{{name}}}"),
            })
            .collect();
        value
    }

    fn write(&self, pieces: &[Piece], value: &mut NormalText, depth: usize, left: &mut usize) {
        for piece in pieces {
            *left = left.saturating_sub(1);
            match piece {
                Piece::Other(text) if let Some(base) = self.base_name(text, depth, left) => {
                    value.open.push_str(&base.open);
                    value.real.push_str(&base.real);
                }
                Piece::Text(text) | Piece::Other(text) => {
                    let text = collapsed(text, matches!(piece, Piece::Other(_)));
                    *left = left.saturating_sub(text.len());
                    value.open.push_str(&text);
                    value.real.push_str(&text);
                }
                Piece::Variable(name) if *name == self.version => {
                    value.open.push(VERSION);
                    match self.known.get(name) {
                        Some(pieces) => value.real.push_str(&self.real(pieces, depth + 1, left)),
                        None => value.real.push(VERSION),
                    }
                }
                Piece::Variable(name) => {
                    let same = self.same.iter().find(|(own, _)| own == name);
                    let name = same.map_or(name.as_str(), |(_, of)| of);
                    if let Some(pieces) = self
                        .known
                        .get(name)
                        .filter(|_| depth < MOST_DEPTH && *left > 0)
                    {
                        self.write(pieces, value, depth + 1, left);
                    } else {
                        let text = format!("${{{name}}}");
                        value.open.push_str(&text);
                        value.real.push_str(&text);
                    }
                }
            }
        }
    }

    /// Returns the output of `$(basename PATH [SUFFIX])`, or the value of an element such as
    /// `${source[0]}`. Returns none for any other text.
    fn base_name(&self, text: &str, depth: usize, left: &mut usize) -> Option<NormalText> {
        if depth >= MOST_DEPTH || *left == 0 {
            return None;
        }
        if let Some(element) = text.strip_prefix("${").and_then(|t| t.strip_suffix('}')) {
            return self
                .known
                .get(element)
                .filter(|_| element.ends_with(']'))
                .map(|pieces| self.part(pieces, depth, left));
        }
        let inside = text.strip_prefix("$(basename ")?.strip_suffix(')')?;
        let all = split(inside, 0, inside.len());
        let said = all.iter().map(|word| self.part(&word.pieces, depth, left));
        let said: Vec<NormalText> = said.collect();
        let base = |path: &str, suffix: Option<&str>| {
            let name = path
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or_default();
            suffix
                .and_then(|s| name.strip_suffix(s))
                .unwrap_or(name)
                .to_owned()
        };
        match said.as_slice() {
            [path] => Some(path.map(|path| base(path, None))),
            [path, suffix] => Some(path.map(|path| base(path, Some(&suffix.open)))),
            _ => None,
        }
    }

    /// Returns the value of pieces that are part of another value. [`NormalText::written`] is left
    /// empty.
    fn part(&self, pieces: &[Piece], depth: usize, left: &mut usize) -> NormalText {
        let mut value = NormalText::default();
        self.write(pieces, &mut value, depth + 1, left);
        value
    }

    fn real(&self, pieces: &[Piece], depth: usize, left: &mut usize) -> String {
        let mut value = NormalText::default();
        if depth < MOST_DEPTH {
            self.write(pieces, &mut value, depth, left);
        }
        value.real
    }
}

/// Returns `text` in one line if `is_code` is set, and as it is otherwise.
fn collapsed(text: &str, is_code: bool) -> String {
    if !is_code || !text.contains(['\n', '\t']) {
        return text.to_owned();
    }
    text.replace("\\\n", " ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

/// Returns the normal form of a line of a script at the bytes `at`. The quotes around its words are
/// left out. [`NormalText::open`] is also independent of the signs in the line's `sed` commands.
pub(crate) fn line_of_script(text: &str, at: Range<usize>) -> NormalText {
    let words = Words::default();
    // A quote that is not closed in the script ends with the script.
    let all = split(&text[..at.end], at.start, at.end);
    let all = all.iter().map(|w| words.value(&w.pieces).written);
    let mut all: Vec<NormalText> = all.map(NormalText::plain).collect();
    sed(&mut all);
    NormalText::joined(&all)
}
