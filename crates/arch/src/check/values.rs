//! Evaluates variables of a PKGBUILD whose values consist of plain text and other variables.

use crate::evaluate::expanded;
use crate::ir::Field;
use rocpkg_syntax::words::{Piece, Quote, Word, split, unbraced};
use rocpkg_syntax::{Call, Script, Set, SetKind, Unset};
use std::collections::BTreeMap;
use std::ops::Range;

/// An element of an array, or the value of a variable.
#[derive(Clone, Debug)]
pub(super) struct Element {
    /// The text of the element; `None` if only bash can compute it.
    pub(super) text: Option<String>,
    /// The range of bytes of the word in the PKGBUILD.
    pub(super) at: Range<usize>,
}

/// The values of variables at one point of a script.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    /// The elements of each variable; `None` if only bash can compute their number.
    known: BTreeMap<String, Option<Vec<Element>>>,
    /// Set after a command that may set any variable.
    is_open: bool,
}

/// A statement that is applied to the values.
pub(super) enum Event<'a> {
    Set(&'a Set),
    Call(&'a Call),
    Unset(&'a Unset),
}

/// Returns the assignments, commands and names after `unset` in order: those of the function with the index `function`,
/// or those of the global scope for `None`.
pub(super) fn events(script: &Script, function: Option<usize>) -> Vec<Event<'_>> {
    let sets = script.sets.iter().filter(|s| s.scope.function == function);
    let calls = script.calls.iter().filter(|c| c.scope.function == function);
    let unsets = script.unsets.iter();
    let unsets = unsets.filter(|unset| unset.scope.function == function);
    let sets = sets.map(|set| (set.at.start, Event::Set(set)));
    let mut all: Vec<_> = sets
        .chain(calls.map(|call| (call.at.start, Event::Call(call))))
        .chain(unsets.map(|unset| (unset.at.start, Event::Unset(unset))))
        .collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, event)| event).collect()
}

impl Values {
    /// Returns the values at the end of the global scope.
    pub(super) fn at_margin(text: &str, script: &Script) -> Self {
        let mut values = Self::default();
        for event in events(script, None) {
            values.take(text, script, &event);
        }
        values
    }

    /// Returns the values at the start of the function with the index `function`. `self` are the
    /// values at the end of the global scope. Variables that other functions set are unknown, since
    /// these functions may have run before.
    pub(super) fn in_function(&self, script: &Script, function: usize) -> Self {
        let mut values = self.sourced();
        for set in &script.sets {
            let of_other = set.scope.function.is_some_and(|other| other != function);
            if of_other && !matches!(set.kind, SetKind::Declare | SetKind::Environment) {
                values.known.insert(set.name.clone(), None);
            }
        }
        values
    }

    /// Returns the values after makepkg has sourced the PKGBUILD: `pkgbase` is the first name in
    /// `pkgname` unless it is set. `self` are the values at the end of the global scope.
    pub(super) fn sourced(&self) -> Self {
        let mut values = self.clone();
        let is_empty = |value: &[Element]| value.is_empty();
        if self.elements("pkgbase").is_some_and(is_empty) {
            let name = self.known.get("pkgname").cloned().flatten();
            let first = name.and_then(|all| all.into_iter().next());
            let first = first.map(|first| vec![first]);
            values.known.insert("pkgbase".to_owned(), first);
        }
        values
    }

    /// Applies an assignment or a command to the values.
    pub(super) fn take(&mut self, text: &str, script: &Script, event: &Event) {
        match event {
            Event::Set(set) => self.assign(text, set),
            Event::Call(call) if may_set(script, call) => {
                self.known.clear();
                self.is_open = true;
            }
            Event::Call(_) => {}
            Event::Unset(unset) if unset.scope.is_conditional => self.forget(&unset.name),
            Event::Unset(unset) => {
                self.known.insert(unset.name.clone(), Some(Vec::new()));
            }
        }
    }

    /// Sets the variable `name` to the value `text`.
    pub(super) fn set(&mut self, name: &str, text: &str) {
        let (text, at) = (Some(text.to_owned()), 0..0);
        let element = Element { text, at };
        self.known.insert(name.to_owned(), Some(vec![element]));
    }

    /// Makes the value of the variable `name` unknown.
    pub(super) fn forget(&mut self, name: &str) {
        self.known.insert(name.to_owned(), None);
    }

    /// Returns the elements that an assignment states: without those to which `+=` appends. Returns
    /// `None` if only bash can compute their number.
    pub(super) fn assigned(&self, text: &str, set: &Set) -> Option<Vec<Element>> {
        if text[set.value_at.clone()].starts_with('(') {
            self.array(text, &set.value_at)
        } else {
            Some(vec![self.scalar(text, &set.value_at)])
        }
    }

    /// Returns true if a command ran that may set any variable.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Returns the names of the variables that are set.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.known.keys().map(String::as_str)
    }

    /// Returns the elements of a variable. A variable that is not set has no element. Returns
    /// `None` if only bash can compute the number of elements.
    pub(super) fn elements(&self, name: &str) -> Option<&[Element]> {
        match self.known.get(name) {
            Some(elements) => elements.as_deref(),
            None => (!self.is_open).then_some(&[]),
        }
    }

    /// Returns the texts of all elements of a variable; `None` if only bash can compute one of
    /// them.
    pub(super) fn texts(&self, name: &str) -> Option<Vec<&str>> {
        let elements = self.elements(name)?.iter();
        elements.map(|element| element.text.as_deref()).collect()
    }

    /// Returns the value of `$NAME`, the first element; `None` if the variable is not set, or if
    /// only bash can compute the value.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.elements(name)?.first()?.text.as_deref()
    }

    fn assign(&mut self, text: &str, set: &Set) {
        let value = &text[set.value_at.clone()];
        let is_array = value.starts_with('(');
        let is_indexed = text[set.at.clone()].starts_with(&format!("{}[", set.name));
        let is_known = !set.scope.is_conditional && !is_indexed;
        let new = match set.kind {
            SetKind::Environment => return,
            SetKind::Declare if is_local_field(text, set) => return,
            SetKind::Append if is_known => return self.append(text, set, is_array),
            SetKind::Declare if value.is_empty() => None,
            SetKind::Assign | SetKind::Declare if is_known && is_array => {
                self.array(text, &set.value_at)
            }
            SetKind::Assign | SetKind::Declare if is_known => {
                Some(vec![self.scalar(text, &set.value_at)])
            }
            _ => None,
        };
        self.known.insert(set.name.clone(), new);
    }

    fn append(&mut self, text: &str, set: &Set, is_array: bool) {
        let added = if is_array {
            self.array(text, &set.value_at)
        } else {
            Some(vec![self.scalar(text, &set.value_at)])
        };
        let old = match self.known.remove(&set.name) {
            Some(old) => old,
            None => (!self.is_open).then(Vec::new),
        };
        let both = old.zip(added).map(|(mut all, added)| {
            match all.first_mut() {
                Some(first) if !is_array => {
                    let text = added.first().and_then(|added| added.text.as_deref());
                    let both = first.text.take().zip(text);
                    first.text = both.map(|(old, added)| old + added).filter(|t| is_short(t));
                }
                _ => all.extend(added),
            }
            all
        });
        let both = both.filter(|all| all.len() <= MOST_ELEMENTS);
        self.known.insert(set.name.clone(), both);
    }

    /// Parses the elements of an array `( … )`.
    fn array(&self, text: &str, at: &Range<usize>) -> Option<Vec<Element>> {
        let words = split(text, at.start + 1, at.end.saturating_sub(1));
        let mut all = Vec::new();
        for word in &words {
            all.extend(self.word(word)?);
            if all.len() > MOST_ELEMENTS {
                return None;
            }
        }
        Some(all)
    }

    /// Parses the value of an assignment, which bash does not split.
    fn scalar(&self, text: &str, at: &Range<usize>) -> Element {
        let words = split(text, at.start, at.end);
        let value = match words.as_slice() {
            [] if at.is_empty() => Some(String::new()),
            [word] if word.at == *at => self.joined(&word.pieces),
            _ => None,
        };
        let at = at.clone();
        Element { text: value, at }
    }

    /// Returns the elements to which bash expands a word. Braces and arrays expand to several
    /// elements. Returns `None` if only bash can compute their number.
    pub(super) fn word(&self, word: &Word) -> Option<Vec<Element>> {
        if let [Piece::Other(written)] = word.pieces.as_slice()
            && let Some(name) = whole_array(written)
        {
            return self.elements(name).map(<[Element]>::to_vec);
        }
        let is_brace = |piece: &Piece| matches!(piece, Piece::Other(text) if text.contains(['{', '}']) && !text.starts_with('$'));
        let mut all = Vec::new();
        for pieces in unbraced(&word.pieces) {
            let is_array = |piece: &Piece| matches!(piece, Piece::Other(text) if text.starts_with("${") && text.contains("[@]"));
            if pieces
                .iter()
                .any(|piece| is_brace(piece) || is_array(piece))
            {
                return None;
            }
            all.extend(self.one(word, &pieces)?);
        }
        Some(all)
    }

    /// Returns the elements to which bash expands `pieces`, an alternative of `word` without braces
    /// and arrays. Returns `None` if only bash can compute their number.
    fn one(&self, word: &Word, pieces: &[Piece]) -> Option<Vec<Element>> {
        let at = word.at.clone();
        let text = self.joined(pieces);
        let is_address = pieces
            .iter()
            .any(|piece| matches!(piece, Piece::Text(text) if text.contains("://")));
        let is_pattern = |piece: &Piece| matches!(piece, Piece::Other(text) if text.contains(['*', '?', '[']) && !text.starts_with(['$', '`']));
        if !is_address && pieces.iter().any(is_pattern) {
            return None;
        }
        let is_plain = |piece: &Piece| matches!(piece, Piece::Text(_));
        if word.quote == Quote::Double || pieces.iter().all(is_plain) {
            return Some(vec![Element { text, at }]);
        }
        // Bash splits text outside of quotes.
        let Some(text) = text else {
            let is_output = |piece: &Piece| matches!(piece, Piece::Other(text) if text.starts_with(['`', '<', '>']) || text.starts_with("$("));
            let many = pieces.len() == 1 || pieces.iter().any(is_output);
            return (!many).then(|| vec![Element { text: None, at }]);
        };
        if word.quote == Quote::Mixed {
            return (!text.is_empty()).then(|| {
                let text = Some(text);
                vec![Element { text, at }]
            });
        }
        let words = text.split_whitespace().map(|text| Element {
            text: Some(text.to_owned()),
            at: at.clone(),
        });
        Some(words.collect())
    }

    /// Returns the text of `pieces` with the values of variables; `None` if only bash can compute a
    /// part.
    fn joined(&self, pieces: &[Piece]) -> Option<String> {
        let mut out = String::new();
        for (i, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Variable(name) if self.is_unset(name) => {}
                Piece::Variable(name) => out.push_str(self.text(name)?),
                Piece::Other(text) => match text.strip_prefix("${") {
                    Some(inside) => out.push_str(&self.expanded(inside.strip_suffix('}')?)?),
                    None if text.contains(['$', '`']) => return None,
                    None if i == 0 && text.starts_with('~') => return None,
                    None => out.push_str(text),
                },
            }
            if !is_short(&out) {
                return None;
            }
        }
        Some(out)
    }

    /// Returns true for a field that no statement has set yet. Other variables may come from outside.
    fn is_unset(&self, name: &str) -> bool {
        !self.is_open && !self.known.contains_key(name) && is_cleared(name)
    }

    /// Returns the value of `${…}` by its inside: `NAME[2]`, `NAME%.*`. Returns `None` if only bash
    /// can compute the value.
    fn expanded(&self, inside: &str) -> Option<String> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = inside.find(|c| !is_part(c)).unwrap_or(inside.len());
        let (name, rest) = inside.split_at(end);
        let (index, operator) = match rest.strip_prefix('[') {
            Some(rest) => rest.split_once(']')?,
            None => ("0", rest),
        };
        let element = self.elements(name)?.get(index.parse::<usize>().ok()?)?;
        expanded(name, operator, element.text.as_deref()?)
    }
}

/// The greatest number of elements of an array that is evaluated.
const MOST_ELEMENTS: usize = 10_000;

/// Returns true for a text of at most 65,536 bytes. The limit is needed because `a=$a$a` doubles a
/// text with each line.
fn is_short(text: &str) -> bool {
    text.len() <= 1 << 16
}

/// Returns the name of the array in `${NAME[@]}`; `None` for any other text.
fn whole_array(written: &str) -> Option<&str> {
    let name = written.strip_prefix("${")?.strip_suffix("[@]}")?;
    let is_name = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    is_name.then_some(name)
}

/// Returns true if `declare` and the like set a field in the global scope. makepkg sources a
/// PKGBUILD inside of a function, so the variable is gone when makepkg reads its fields.
fn is_local_field(text: &str, set: &Set) -> bool {
    let line = text[..set.at.start].rsplit(['\n', ';']).next();
    let is_local = |line: &str| {
        let mut words = line.split_whitespace();
        let is_command = words.next().is_some_and(|first| first != "readonly");
        is_command && !words.any(|word| word.starts_with("-g"))
    };
    set.scope.function.is_none() && is_cleared(&set.name) && line.is_some_and(is_local)
}

/// Returns true for a field that makepkg unsets before it sources a PKGBUILD.
fn is_cleared(name: &str) -> bool {
    matches!(name, "pkgname" | "pkgbase") || Field::from_name(name).is_some()
}

/// Returns true for a command that may set any variable: `eval`, another script, or a function of
/// the PKGBUILD. A command inside of a value runs in a subshell and can't set variables.
fn may_set(script: &Script, call: &Call) -> bool {
    let runs = matches!(call.name.as_str(), "eval" | "source" | ".") || script.defines(&call.name);
    let inside = |set: &Set| set.value_at.start <= call.at.start && call.at.end <= set.value_at.end;
    runs && !script.sets.iter().any(inside)
}
