//! What is wrong with the input: one document per fault, all of them at once.

use crate::source::{Sources, Span, legible};
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use indexmap::IndexMap;
use indexmap::map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Nothing is written.
    Error,
    /// Something is missing or doubtful; output is still written.
    Warning,
    /// Worth knowing; nothing is wrong.
    Note,
}

impl Severity {
    /// What it is called.
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// One fault in the input, with its place and a way out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Finding {
    /// Stable code, such as `E0102`; each has a paragraph in the reference and a fixture.
    pub code: &'static str,
    /// Error, warning or note.
    pub severity: Severity,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// Where, when the fault has a place.
    pub span: Option<Span>,
    /// What stands under the caret, usually what was expected.
    pub label: String,
    /// One hint at the way out.
    pub hint: Option<String>,
    /// Other places that have to do with it, each with what stands under it.
    pub others: Vec<(Span, String)>,
}

impl Finding {
    /// A new error, mostly at a place.
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

    /// A new warning, with a place or without one.
    pub fn warning(code: &'static str, span: Option<Span>, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, span, message)
        }
    }

    /// A new note at a place.
    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Note,
            ..Self::error(code, span, message)
        }
    }

    /// Sets what stands under the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Sets the hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Adds the other of two places that don't fit each other; where it is the same one, there is
    /// none.
    #[must_use]
    pub fn other(self, other: Option<Span>) -> Self {
        match other.filter(|other| Some(*other) != self.span) {
            Some(other) => self.beside(other, "the other one"),
            None => self,
        }
    }

    /// Adds another place, with what stands under it.
    #[must_use]
    pub fn beside(mut self, place: Span, label: impl Into<String>) -> Self {
        self.others.push((place, label.into()));
        self
    }

    /// Sets the hint to the nearest of `known`, when one is near enough to be meant.
    #[must_use]
    pub fn nearest<'a>(self, wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        match several(wrong, &known).or_else(|| Some(meant(nearest(wrong, known.iter().copied())?)))
        {
            Some(hint) => self.hint(hint),
            None => self,
        }
    }
}

/// The hint at a name that may be meant.
fn meant(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// Returns the message about a name that nothing of a kind has, and the nearest valid name: "no
/// package is called `rocblsa`; did you mean `rocblas`?".
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

/// The hint at several names that stand where one is due.
fn several(wrong: &str, known: &[&str]) -> Option<String> {
    let words: Vec<&str> = wrong
        .split([' ', ','])
        .filter(|word| !word.is_empty())
        .collect();
    let all = words.len() > 1 && words.iter().all(|word| known.contains(word));
    all.then(|| format!("a comma belongs between two: `{}`", words.join(", ")))
}

/// The name among `known` that is nearest to `wrong`, when it differs in about a third of the
/// letters at most.
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

/// The word among `known` that another one is but for a letter, as a slip of the hand makes it;
/// none where it is one of them, or where only a number differs, as of a later version. It serves
/// lists that are not whole: what is like none of them may be right.
pub fn slip<'a>(word: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<&'a str> {
    // A short word is but a letter from many.
    if word.len() < 3 || word.len() > 100 || known.clone().into_iter().any(|k| k == word) {
        return None;
    }
    let bare = |w: &str| w.replace(|c: char| c.is_ascii_digit(), "");
    let own = bare(word);
    let near = |k: &&str| k.len() > 3 && is_a_letter_off(k, word) && bare(k) != own;
    known.into_iter().find(near)
}

/// Whether two words are the same but for one letter that is another, is missing, or changed places
/// with the next.
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

/// The finding about a word that is one of `known` but for a letter ([`slip`]); none where it may
/// be right. `what` says what the word stands for, such as a category.
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
            .label(format!("expected another {what}"))
            .nearest(word, [meant]),
    )
}

/// What a finding is about. A fault stops what it is about, and what needs that.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Owner {
    /// A component by name, in whichever distributions it is packaged.
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
    /// The package of a distribution with this id.
    pub fn package(distribution: &str, id: &str) -> Self {
        Self::Package {
            distribution: distribution.to_owned(),
            id: id.to_owned(),
        }
    }
}

/// How many findings are shown at most, but where all are asked for.
pub const MAX_SHOWN: usize = 100;

/// All findings of a run, sorted by place when shown. The same one is held once, with all its
/// owners.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// A finding without an owner is about everything.
    list: IndexMap<Finding, BTreeSet<Owner>>,
}

/// Each of them, in the order of their places.
impl<'f> IntoIterator for &'f Findings {
    type Item = &'f Finding;
    type IntoIter = std::vec::IntoIter<&'f Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl Findings {
    /// Adds a finding without an owner.
    pub fn push(&mut self, finding: Finding) {
        self.list.insert(finding, BTreeSet::new());
    }

    /// Adds a finding with the nearest of `known` as its hint. Where more are held than are ever
    /// shown, none is looked for: each search goes through all that is known.
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

    /// Adds a finding, if there is one.
    pub fn push_some(&mut self, finding: Option<Finding>) {
        if let Some(f) = finding {
            self.push(f);
        }
    }

    /// True when at least one is an error.
    pub fn has_errors(&self) -> bool {
        self.list.keys().any(|f| f.severity == Severity::Error)
    }

    /// True when one of them is so.
    pub fn any(&self, is_so: impl FnMut(&Finding) -> bool) -> bool {
        self.list.keys().any(is_so)
    }

    /// How many there are, for whoever asks later what came since ([`Findings::has_errors_since`]).
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// True when one of those behind the first so many is an error.
    pub fn has_errors_since(&self, count: usize) -> bool {
        self.list
            .keys()
            .skip(count)
            .any(|f| f.severity == Severity::Error)
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All findings in order of place, then code.
    pub fn iter(&self) -> std::vec::IntoIter<&Finding> {
        self.sorted().into_iter()
    }

    /// All findings in the order of their places.
    pub fn sorted(&self) -> Vec<&Finding> {
        let mut all: Vec<_> = self.list.keys().collect();
        all.sort_by(|a, b| (a.span, a.code, &a.message).cmp(&(b.span, b.code, &b.message)));
        all
    }

    /// Moves all findings of `other` here. One that both hold has the owners of both.
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

    /// The same, where those without an owner are about this one.
    pub fn append_of(&mut self, owner: &Owner, mut other: Findings) {
        for owners in other.list.values_mut().filter(|owners| owners.is_empty()) {
            owners.insert(owner.clone());
        }
        self.append(other);
    }

    /// Adds a finding about something.
    pub fn push_of(&mut self, owner: &Owner, finding: Finding) {
        let mut own = Self::default();
        own.push(finding);
        self.append_of(owner, own);
    }

    /// Says of each finding without an owner what it is about, by its place.
    #[must_use]
    pub fn owned_by(mut self, owner: impl Fn(Span) -> Option<Owner>) -> Self {
        for (finding, owners) in self.list.iter_mut().filter(|(_, owners)| owners.is_empty()) {
            owners.extend(finding.span.and_then(&owner));
        }
        self
    }

    /// Each finding with its owners; with none, it is about everything.
    pub fn owned(&self) -> impl Iterator<Item = (&Finding, &BTreeSet<Owner>)> {
        self.list.iter()
    }

    /// The same, of which no error is more than a warning.
    #[must_use]
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

    /// Takes the errors out.
    #[must_use]
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

    /// Keeps the findings for which `keep` holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&Finding) -> bool) {
        self.list.retain(|finding, _| keep(finding));
    }

    /// Keeps the findings of which `keep` holds for an owner, and those that are about everything.
    pub fn retain_of(&mut self, mut keep: impl FnMut(&Owner) -> bool) {
        self.list
            .retain(|_, owners| owners.is_empty() || owners.iter().any(&mut keep));
    }

    /// Drops the findings that have an owner of which `gone` holds.
    pub fn drop_of(&mut self, gone: impl Fn(&Owner) -> bool) {
        self.list.retain(|_, owners| !owners.iter().any(&gone));
    }

    /// The same as [`Findings::render`], but that only errors have a picture, more than three
    /// warnings or notes of one code are one, those of the user's folders apart from those of what
    /// ships, and no more than [`MAX_SHOWN`] are shown.
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
        // Each with how many more like it are not told.
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

    /// All findings as text: the line with a caret, the hint, a blank line between two.
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

/// A finding without a picture; of one with more like it, how many there are.
fn brief(f: &Finding, more: usize, sources: &Sources) -> String {
    let mut out = format!(
        "{}[{}]: {}\n",
        f.severity.word(),
        f.code,
        legible(&f.message)
    );
    if more > 0 {
        return out + &format!("  = note: {more} more like it; -v lists them with their places\n");
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

/// A finding with its picture, and a blank line behind it.
fn render_one(f: &Finding, sources: &Sources, renderer: &Renderer) -> String {
    let label = legible(&f.label);
    let title = level(f.severity)
        .primary_title(legible(&f.message))
        .id(f.code);
    let mut group = title.elements([] as [annotate_snippets::Message; 0]);
    let picture = |span: Span, kind: AnnotationKind, label: &str| {
        let (source, (from, to)) = (sources.get(span.file)?, sources.line(span)?);
        // Its line is all that is shown, and the whole file would be looked through for each
        // finding.
        let (line, position) = (&source.text[from..to], sources.position(span));
        // Cut to the line and to the borders of characters. What is replaced may be longer than
        // what stands there.
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
