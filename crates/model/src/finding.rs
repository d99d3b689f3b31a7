//! Findings: faults of the input, all reported at once.

use crate::source::{Sources, Span, legible};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use indexmap::IndexMap;
use indexmap::map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A fault of the input. No output is written for what the fault concerns.
    Error,
    /// Something is missing or doubtful. Output is still written.
    Warning,
    /// A fact that is worth knowing. Nothing is wrong.
    Note,
}

impl Severity {
    /// Returns the name of the severity, such as `error`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A fault in the input, with its place and a hint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// A stable code such as `E0102`. Each code has a paragraph in the reference, and a test
    /// fixture.
    pub code: &'static str,
    /// The severity: error, warning or note.
    pub severity: Severity,
    /// A sentence that describes the fault, without a full stop.
    pub message: String,
    /// The place of the fault, if it has one.
    pub span: Option<Span>,
    /// The text beside the caret under the excerpt, usually the expected value. It is empty if
    /// there is none.
    pub label: String,
    /// A hint at a way to fix the fault.
    pub hint: Option<String>,
    /// Other places that are related to the fault, each with the text beside its caret.
    pub others: Vec<(Span, String)>,
}

impl Finding {
    /// Creates an error. Most errors have a place.
    #[doc(hidden)]
    pub fn error(
        code: &'static str,
        span: impl Into<Option<Span>>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            span: span.into(),
            label: String::new(),
            hint: None,
            others: Vec::new(),
        }
    }

    /// Creates a warning, with a place or without one.
    #[doc(hidden)]
    pub fn warning(code: &'static str, span: Option<Span>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, span, message)
        }
    }

    /// Creates a note at a place.
    #[doc(hidden)]
    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(code, span, message)
        }
    }

    /// Sets the text beside the caret under the excerpt.
    #[must_use]
    #[doc(hidden)]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the hint at a way to fix the fault.
    #[must_use]
    #[doc(hidden)]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the place `other`, which contradicts the place of the finding. Adds nothing if `other`
    /// is `None` or the same place.
    #[must_use]
    #[doc(hidden)]
    pub fn other(self, other: Option<Span>) -> Self {
        match other.filter(|other| Some(*other) != self.span) {
            Some(other) => self.beside(other, "the other place"),
            None => self,
        }
    }

    /// Adds another place, with the text beside its caret.
    #[must_use]
    #[doc(hidden)]
    pub fn beside(mut self, place: Span, label: impl Into<String>) -> Self {
        self.others.push((place, label.into()));
        self
    }

    /// Sets the hint to the name in `known` that is nearest to `wrong`: "did you mean `rocblas`?".
    /// Sets no hint if no name is near.
    #[must_use]
    #[doc(hidden)]
    pub fn nearest<'a>(self, wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        match several(wrong, &known).or_else(|| Some(meant(nearest(wrong, known.iter().copied())?)))
        {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }
}

/// Returns the hint with a name that the user may have meant.
fn meant(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// Returns the message about a name that nothing has, and the name in `known` that is nearest to
/// `wrong`, or `None` if no name is near. `kind` is the kind of the name, such as "package".
///
/// ```
/// let (message, nearest) = rocpkg_model::unknown_name("package", "rocblsa", ["rocblas", "hip"]);
/// assert_eq!(message, "no package is called `rocblsa`; did you mean `rocblas`?");
/// assert_eq!(nearest, Some("rocblas"));
/// ```
pub fn unknown_name<'a>(
    kind: &str,
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> (String, Option<&'a str>) {
    let near = nearest(wrong, known);
    let hint = did_you_mean(near);
    (format!("no {kind} is called `{wrong}`{hint}"), near)
}

/// Returns the end of a message about a wrong name: "; did you mean `rocblas`?". Empty if no valid
/// name is near.
pub fn did_you_mean(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |name| format!("; {}", meant(name)))
}

/// Returns the hint for a text in which several names of `known` are separated by blanks: `a b` ->
/// "separate the names by commas: `a, b`". Returns `None` for any other text.
fn several(wrong: &str, known: &[&str]) -> Option<String> {
    let words: Vec<&str> = wrong
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let all = words.len() > 1 && words.iter().all(|word| known.contains(word));
    all.then(|| format!("separate the names by commas: `{}`", words.join(", ")))
}

/// Returns the name in `known` that is nearest to `wrong`. Returns `None` if all names differ from
/// `wrong` in more than about a third of the letters.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A very long wrong name can't be a typo, and the distance costs the product of the lengths.
    if wrong.len() > 100 {
        return None;
    }
    let low = wrong.to_lowercase();
    let length = low.chars().count();
    known
        .into_iter()
        .filter_map(|k| {
            let theirs = k.chars().count();
            let most = theirs.max(3) / 3 + 1;
            // Two words are at least as far apart as their lengths, which spares most of the
            // comparisons.
            let distance = (length.abs_diff(theirs) <= most)
                .then(|| strsim::damerau_levenshtein(&low, &k.to_lowercase()))?;
            (distance <= most).then_some((distance, k))
        })
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k)
}

/// Returns the word in `known` that differs from `word` by one mistyped letter. Returns `None` if
/// there is no such word, if `word` is in `known`, or if only a number differs, as in a later
/// version. This function is for incomplete lists: a word that resembles none of `known` may be
/// right.
pub fn slip<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    // A short word is one letter away from many words.
    if word.len() < 3 || word.len() > 100 || known.clone().into_iter().any(|k| k == word) {
        return None;
    }
    let bare = |w: &str| w.replace(|c: char| c.is_ascii_digit(), "");
    let own = bare(word);
    let near = |k: &&str| k.len() > 3 && is_a_letter_off(k, word) && bare(k) != own;
    known.into_iter().find(near)
}

/// Returns true if `word` and `other` differ in one letter, if one of them lacks one letter of the
/// other, or if two neighbouring letters are swapped.
pub fn is_a_letter_off(word: &str, other: &str) -> bool {
    let (mut a, mut b) = (word.as_bytes(), other.as_bytes());
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let begin = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    (a, b) = (&a[begin..], &b[begin..]);
    let end = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    match (&a[..a.len() - end], &b[..b.len() - end]) {
        ([_], [_] | []) | ([], [_]) => true,
        ([a, b], [c, d]) if (a, b) == (d, c) => true,
        // Letters of several bytes are compared as letters.
        (a, b) => !(a.is_ascii() && b.is_ascii()) && strsim::damerau_levenshtein(word, other) == 1,
    }
}

/// Returns the finding about a word with one mistyped letter (see [`slip`]), or `None` if the word
/// may be right. `what` is the kind of the word, such as "category", and `known` are the known
/// words of this kind.
pub fn misspelt<'a>(
    code: &'static str,
    what: &str,
    word: &str,
    span: Span,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<Finding> {
    let meant = slip(word, known)?;
    let finding = Finding::error(code, span, format!("unknown {what} `{word}`"));
    Some(
        finding
            .label(format!("expected a known {what}"))
            .nearest(word, [meant]),
    )
}

/// The subject of a finding: the component, package or distribution that the finding is about. An
/// error prevents the rendering of its subject, and of everything that depends on the subject.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// A component by name, in all distributions that package it.
    Component(String),
    /// A distribution as a whole, by the name of its profile.
    Distribution(String),
    /// A package of a distribution, by its id.
    Package {
        /// The name of the distribution's profile.
        distribution: String,
        /// The package's id.
        id: String,
    },
}

impl Owner {
    /// Creates the owner for the package of a distribution with this id.
    pub fn package(distribution: &str, id: &str) -> Self {
        Self::Package {
            distribution: distribution.to_owned(),
            id: id.to_owned(),
        }
    }
}

/// The largest number of findings that [`Findings::summary`] shows.
pub const MAX_SHOWN: usize = 100;

/// All findings of a run, sorted by place when shown. Equal findings are stored once, with all
/// their owners.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The findings with their owners. A finding without an owner is about everything.
    list: IndexMap<Finding, BTreeSet<Owner>>,
}

/// Iterates over the findings in the order of their places.
impl<'f> IntoIterator for &'f Findings {
    type Item = &'f Finding;
    type IntoIter = std::vec::IntoIter<&'f Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Findings {
    /// Adds a finding without an owner.
    #[doc(hidden)]
    pub fn push(&mut self, finding: Finding) {
        self.list.insert(finding, BTreeSet::new());
    }

    /// Adds a finding, with the name in `known` that is nearest to `wrong` as its hint. Adds no
    /// hint if there are more findings than `MAX_SHOWN`, since each search reads all of `known`.
    #[doc(hidden)]
    pub fn push_nearest<'a>(
        &mut self,
        finding: Finding,
        wrong: &str,
        known: impl IntoIterator<Item = &'a str>,
    ) {
        let crowded = self.list.len() > MAX_SHOWN;
        self.push(if crowded {
            finding
        } else {
            finding.nearest(wrong, known)
        });
    }

    /// Adds the finding if it is `Some`.
    #[doc(hidden)]
    pub fn push_some(&mut self, finding: Option<Finding>) {
        if let Some(f) = finding {
            self.push(f);
        }
    }

    /// Returns true if at least one finding is an error.
    pub fn has_errors(&self) -> bool {
        self.list.keys().any(|f| f.severity == Severity::Error)
    }

    /// Returns true if `is_so` is true for at least one finding.
    pub fn any(&self, is_so: impl FnMut(&Finding) -> bool) -> bool {
        self.list.keys().any(is_so)
    }

    /// Returns the number of findings. [`Findings::has_errors_since`] takes this number to examine
    /// only findings that were added later.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// Returns true if one of the findings after the first `count` is an error.
    #[doc(hidden)]
    pub fn has_errors_since(&self, count: usize) -> bool {
        self.list
            .keys()
            .skip(count)
            .any(|f| f.severity == Severity::Error)
    }

    /// Returns true if there are no findings.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns all findings in the order of their places, then of their codes.
    pub fn iter(&self) -> std::vec::IntoIter<&Finding> {
        self.sorted().into_iter()
    }

    /// Returns all findings in the order of their places, then of their codes.
    pub fn sorted(&self) -> Vec<&Finding> {
        let mut all: Vec<_> = self.list.keys().collect();
        all.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        all
    }

    /// Moves all findings of `other` into `self`. A finding in both gets the owners of both. If it
    /// has no owner in one of them, it has none afterwards, since it is about everything.
    #[doc(hidden)]
    pub fn append(&mut self, other: Findings) {
        for (finding, owners) in other.list {
            match self.list.entry(finding) {
                Entry::Vacant(new) => _ = new.insert(owners),
                Entry::Occupied(mut held) if held.get().is_empty() || owners.is_empty() => {
                    held.get_mut().clear();
                }
                Entry::Occupied(mut held) => held.get_mut().extend(owners),
            }
        }
    }

    /// Moves all findings of `other` into `self`. Findings of `other` without an owner get `owner`.
    #[doc(hidden)]
    pub fn append_of(&mut self, owner: &Owner, mut other: Findings) {
        for owners in other.list.values_mut().filter(|owners| owners.is_empty()) {
            owners.insert(owner.clone());
        }
        self.append(other);
    }

    /// Adds a finding with an owner.
    #[doc(hidden)]
    pub fn push_of(&mut self, owner: &Owner, finding: Finding) {
        let mut own = Self::default();
        own.push(finding);
        self.append_of(owner, own);
    }

    /// Sets the owner of each finding that has a place and no owner. `owner` returns the owner for
    /// a place.
    #[must_use]
    #[doc(hidden)]
    pub fn owned_by(mut self, owner: impl Fn(Span) -> Option<Owner>) -> Self {
        for (finding, owners) in self.list.iter_mut().filter(|(_, owners)| owners.is_empty()) {
            owners.extend(finding.span.and_then(&owner));
        }
        self
    }

    /// Returns each finding with its owners. A finding without owners is about everything.
    #[doc(hidden)]
    pub fn owned(&self) -> impl Iterator<Item = (&Finding, &BTreeSet<Owner>)> {
        self.list.iter()
    }

    /// Returns the findings with each error turned into a warning.
    #[must_use]
    #[doc(hidden)]
    pub fn weakened(self) -> Self {
        let weak = |f: Finding| Finding {
            severity: f.severity.max(Severity::Warning),
            ..f
        };
        Self {
            list: self
                .list
                .into_iter()
                .map(|(finding, owners)| (weak(finding), owners))
                .collect(),
        }
    }

    /// Removes the findings that are errors from `self`, and returns them.
    #[must_use]
    #[doc(hidden)]
    pub fn split_off_errors(&mut self) -> Self {
        let is_error = |f: &Finding| f.severity == Severity::Error;
        let errors = self
            .list
            .iter()
            .filter(|(f, _)| is_error(f))
            .map(|(f, o)| (f.clone(), o.clone()));
        let errors = Self {
            list: errors.collect(),
        };
        self.retain(|f| !is_error(f));
        errors
    }

    /// Keeps the findings for which `keep` is true.
    #[doc(hidden)]
    pub fn retain(&mut self, mut keep: impl FnMut(&Finding) -> bool) {
        self.list.retain(|finding, _| keep(finding));
    }

    /// Keeps the findings with an owner for which `keep` is true, and those without an owner.
    #[doc(hidden)]
    pub fn retain_of(&mut self, mut keep: impl FnMut(&Owner) -> bool) {
        self.list
            .retain(|_, owners| owners.is_empty() || owners.iter().any(&mut keep));
    }

    /// Drops the findings that have an owner for which `gone` is true.
    #[doc(hidden)]
    pub fn drop_of(&mut self, gone: impl Fn(&Owner) -> bool) {
        self.list.retain(|_, owners| !owners.iter().any(&gone));
    }

    /// Returns the findings as text, shorter than [`Findings::render`]. Only errors have an excerpt
    /// of their source. Of more than three warnings or notes with the same code, only the first is
    /// shown, with the number of the others. Findings in the user's folders of profiles are counted
    /// apart from those in the shipped folder. At most [`MAX_SHOWN`] findings are shown. `color`
    /// adds colours for a terminal.
    #[doc(hidden)]
    pub fn summary(&self, sources: &Sources, color: bool) -> String {
        let sorted = self.sorted();
        let is_laid = |f: &Finding| {
            f.span
                .and_then(|span| sources.get(span.file))
                .is_some_and(|s| s.laid)
        };
        let mut alike: BTreeMap<(&str, Severity, bool), usize> = BTreeMap::new();
        for f in &sorted {
            *alike.entry((f.code, f.severity, is_laid(f))).or_default() += 1;
        }
        let mut told = BTreeSet::new();
        // Each finding with the number of similar findings that are not shown.
        let rows = sorted.into_iter().filter_map(|f| {
            let kind = (f.code, f.severity, is_laid(f));
            let more = alike.get(&kind).map_or(0, |alike| alike - 1);
            if f.severity == Severity::Error || more < 3 {
                return Some((f, 0));
            }
            told.insert(kind).then_some((f, more))
        });
        let rows: Vec<(&Finding, usize)> = rows.collect();
        let (shown, left) = rows.split_at(rows.len().min(MAX_SHOWN));
        let renderer = renderer(color);
        let mut out = String::new();
        for (f, more) in shown {
            out.push_str(&match f.severity {
                Severity::Error => render_one(f, sources, &renderer),
                Severity::Warning | Severity::Note => brief(f, *more, sources),
            });
        }
        let mut counts: BTreeMap<Severity, usize> = BTreeMap::new();
        for (f, more) in left {
            *counts.entry(f.severity).or_default() += more + 1;
        }
        if !left.is_empty() {
            let words = counts
                .iter()
                .map(|(severity, n)| format!("{n} {}s", severity.word()));
            out.push_str(&format!(
                "and {} more; -v lists them\n",
                words.collect::<Vec<_>>().join(", ")
            ));
        }
        out
    }

    /// Returns all findings as text. Each finding has an excerpt of its source with a caret, its
    /// hint, and a blank line after it. `color` adds colours for a terminal.
    pub fn render(&self, sources: &Sources, color: bool) -> String {
        let renderer = renderer(color);
        self.sorted()
            .into_iter()
            .map(|f| render_one(f, sources, &renderer))
            .collect()
    }
}

fn renderer(color: bool) -> Renderer {
    if color {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
}

/// Returns the text of a finding without an excerpt of its source. If `more` is greater than 0, the
/// text has this number of similar findings that are not shown, instead of the places.
fn brief(f: &Finding, more: usize, sources: &Sources) -> String {
    let mut out = format!(
        "{}[{}]: {}\n",
        f.severity.word(),
        f.code,
        legible(&f.message)
    );
    if more > 0 {
        return out
            + &format!("  = note: {more} similar findings; -v lists them with their places\n");
    }
    if let Some(span) = f.span {
        out.push_str(&format!(" --> {}\n", sources.place(span)));
    }
    for (span, label) in &f.others {
        out.push_str(&format!(
            "  = note: {}: {}\n",
            sources.place(*span),
            legible(label)
        ));
    }
    let label = Some(&f.label).filter(|label| !label.is_empty());
    for (what, text) in [("note", label), ("help", f.hint.as_ref())] {
        out.push_str(
            &text
                .map(|t| format!("  = {what}: {}\n", legible(t)))
                .unwrap_or_default(),
        );
    }
    out
}

fn level(severity: Severity) -> Level<'static> {
    match severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    }
}

/// Returns the text of a finding with an excerpt of its source, and a blank line after it.
fn render_one(f: &Finding, sources: &Sources, renderer: &Renderer) -> String {
    let label = legible(&f.label);
    let title = level(f.severity)
        .primary_title(legible(&f.message))
        .id(f.code);
    let mut group = title.elements([] as [annotate_snippets::Message; 0]);
    let picture = |span: Span, kind: AnnotationKind, label: &str| {
        let (source, (from, to)) = (sources.get(span.file)?, sources.line(span)?);
        // Only the line of the finding is shown. With the text of the whole file, each finding
        // would cost a search through it.
        let (line, position) = (&source.text[from..to], sources.position(span));
        // The range is cut to the line and to the boundaries of characters. A symbol that replaces
        // an invisible character may be longer than that character.
        let at = |byte: u32| line.floor_char_boundary((byte as usize).saturating_sub(from));
        let long = |at: usize| legible(&line[..at]).len();
        let start = long(at(span.start));
        let (end, line) = (long(at(span.end)).max(start), legible(line));
        let mut mark = kind.span(start..end);
        if !label.is_empty() {
            mark = mark.label(label.to_owned());
        }
        let snippet = Snippet::source(line)
            .line_start(position.line)
            .path(legible(&source.path));
        Some(snippet.annotation(mark))
    };
    if let Some(picture) = f
        .span
        .and_then(|span| picture(span, AnnotationKind::Primary, &label))
    {
        group = group.element(picture);
    } else if !label.is_empty() {
        group = group.element(Level::NOTE.message(label));
    }
    for (span, label) in &f.others {
        if let Some(picture) = picture(*span, AnnotationKind::Context, &legible(label)) {
            group = group.element(picture);
        }
    }
    if let Some(hint) = &f.hint {
        group = group.element(Level::HELP.message(legible(hint)));
    }
    renderer.render(&[group]) + "\n\n"
}
