//! The result of a check of a recipe, and the files and facts beside a recipe that a check uses.
//!
//! Each backend has a `check(text, surroundings) -> Checked` for its language. Edits, reviews and
//! the recipe types of the library call the same function.

use crate::outline::place;
use rocpkg_model::{Finding, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

/// The files and facts beside a recipe that its check uses.
///
/// Unknown facts are left out, and the check reports the questions that depend on them as not
/// checked.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// The path of the recipe in its repository, such as `dev-util/hip/hip-7.2.4.ebuild`.
    pub path: String,
    /// The paths of the files in the recipe's folder and below, relative to that folder, such as
    /// `files/hip-7.2-cmake.patch`; none if the folder is not known.
    pub files: Option<BTreeSet<String>>,
    /// Texts of files that belong to the recipe, by path. A path is relative to the recipe's folder
    /// (`Manifest`, `.SRCINFO`) or to the repository (`eclass/rocm.eclass`, with the eclasses of
    /// master repositories).
    pub texts: BTreeMap<String, Arc<str>>,
    /// The folders at the top of archives, by the address that the archive is fetched from. An
    /// empty list is an archive that unpacks without a folder.
    pub archives: BTreeMap<String, Vec<String>>,
    /// Variables of the build that state the same fact, such as `GPU_TARGETS` and
    /// `AMDGPU_TARGETS`. Upstream's build reads one of them.
    pub rivals: BTreeSet<String>,
}

/// The result of a check.
#[derive(Clone, Debug, Default)]
pub struct Checked {
    /// Contradictions in the recipe, in the order of the text.
    pub faults: Vec<Fault>,
    /// Questions that the check could not decide.
    pub unchecked: Vec<Unchecked>,
    /// Items that the recipe lacks, unless a file that is not known adds them: a flag that is used
    /// and not in `IUSE`, if an inherited eclass was not found.
    pub doubtful: BTreeSet<Missing>,
}

/// A contradiction in a recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The contradiction with its code. Its span is in the recipe's text, and has 0 as the number
    /// of the file.
    pub finding: Finding,
    /// The item whose addition resolves the contradiction, if there is one.
    pub missing: Option<Missing>,
    /// The name of the file that the contradiction is about, such as an archive that a list lacks.
    pub file: Option<String>,
    /// Set if the package manager accepts the recipe nevertheless.
    pub is_harmless: bool,
    /// Set if the package manager reads the recipe nevertheless. The contradiction shows later, for
    /// instance when the sources are fetched or when a phase runs.
    pub is_accepted: bool,
}

/// An item that a recipe lacks: a flag of `IUSE`, an eclass of `inherit`, an argument.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    /// The key of the list in the recipe's outline.
    pub list: &'static str,
    /// The key of the item in the list.
    pub name: String,
}

/// A question that a check could not decide, with the reason.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unchecked {
    /// The subject that is not checked, such as ``USE flags``.
    pub subject: String,
    /// The reason, such as ``foo.eclass was not found``.
    pub reason: String,
    /// The first byte in the recipe that the question is about; 0 if it is about the whole recipe.
    pub at: usize,
}

/// Prints the message and the label, on one line.
impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (message, label) = (&self.finding.message, &self.finding.label);
        match label.as_str() {
            "" => f.write_str(message),
            _ => write!(f, "{message}: {label}"),
        }
    }
}

impl std::error::Error for Fault {}

impl Fault {
    /// Returns a contradiction at some bytes of the recipe.
    pub fn new(code: &'static str, at: Range<usize>, message: impl Into<String>) -> Self {
        Self {
            finding: Finding::error(code, span(&at), message),
            missing: None,
            file: None,
            is_harmless: false,
            is_accepted: false,
        }
    }

    /// Sets the label, which is printed under the marked bytes: the expected form.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.finding = self.finding.label(label);
        self
    }

    /// Sets the hint, which states how to resolve the contradiction.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.finding = self.finding.hint(hint);
        self
    }

    /// Sets the item whose addition resolves the contradiction.
    #[must_use]
    pub fn missing(mut self, list: &'static str, name: impl Into<String>) -> Self {
        let name = name.into();
        self.missing = Some(Missing { list, name });
        self
    }

    /// Sets the name of the file that the contradiction is about.
    #[must_use]
    pub fn file(mut self, name: impl Into<String>) -> Self {
        self.file = Some(name.into());
        self
    }

    /// Marks a contradiction that the package manager accepts.
    #[must_use]
    pub fn harmless(mut self) -> Self {
        self.is_harmless = true;
        self
    }

    /// Marks a contradiction with which the package manager reads the recipe nevertheless.
    #[must_use]
    pub fn accepted(mut self) -> Self {
        self.is_accepted = true;
        self
    }

    /// Returns the first byte of the contradiction in the recipe.
    pub fn at(&self) -> usize {
        self.finding.span.map_or(0, |span| span.start as usize)
    }

    /// Returns the bytes of the contradiction in the recipe.
    pub fn range(&self) -> Range<usize> {
        let at = self.finding.span.unwrap_or_default();
        at.start as usize..at.end as usize
    }

    /// Returns true if two faults in two states of a recipe are the same one, even if they are in
    /// different places.
    pub fn is(&self, other: &Self) -> bool {
        self.finding.code == other.finding.code && self.finding.message == other.finding.message
    }
}

impl Checked {
    /// Adds a question that could not be decided. A question that was added before is not added
    /// again, and keeps the first of its places.
    pub fn not_checked(
        &mut self,
        at: usize,
        subject: impl Into<String>,
        reason: impl Into<String>,
    ) {
        let (subject, reason) = (subject.into(), reason.into());
        let is_same = |u: &&mut Unchecked| u.subject == subject && u.reason == reason;
        match self.unchecked.iter_mut().find(is_same) {
            Some(other) => other.at = other.at.min(at),
            None => self.unchecked.push(Unchecked {
                subject,
                reason,
                at,
            }),
        }
    }

    /// Adds an item that the recipe lacks, unless a file that is not known adds it.
    pub fn doubtful(&mut self, list: &'static str, name: impl Into<String>) {
        let name = name.into();
        self.doubtful.insert(Missing { list, name });
    }

    /// Returns the contradictions that the package manager does not accept, each with its line and
    /// column in the text that was checked.
    pub fn refusals(&self, text: &str) -> impl Iterator<Item = String> {
        self.lines(text, |fault| !fault.is_harmless)
    }

    /// Returns the contradictions with which the package manager does not even read the recipe, in
    /// the form of [`Checked::refusals`].
    pub fn unreadable(&self, text: &str) -> impl Iterator<Item = String> {
        self.lines(text, |fault| !fault.is_harmless && !fault.is_accepted)
    }

    fn lines(&self, text: &str, is_in: impl Fn(&Fault) -> bool) -> impl Iterator<Item = String> {
        let faults = self.faults.iter().filter(move |fault| is_in(fault));
        faults.map(move |fault| {
            let (line, column) = place(text, fault.at());
            let Finding { message, label, .. } = &fault.finding;
            if label.is_empty() {
                format!("{line}:{column}: {message}")
            } else {
                format!("{line}:{column}: {message}: {label}")
            }
        })
    }

    /// Returns the faults that `before`, the check of an earlier state of the recipe, did not have.
    /// If a fault occurred once before and occurs twice now, one occurrence is returned.
    pub fn since<'a>(&'a self, before: &Self) -> Vec<&'a Fault> {
        let mut old: Vec<&Fault> = before.faults.iter().collect();
        let mut new = Vec::new();
        for fault in &self.faults {
            match old.iter().position(|other| other.is(fault)) {
                Some(at) => drop(old.swap_remove(at)),
                None => new.push(fault),
            }
        }
        new
    }
}

/// Returns the span of some bytes in the recipe's text.
fn span(at: &Range<usize>) -> Span {
    let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    Span {
        start: byte(at.start),
        end: byte(at.end),
        ..Span::default()
    }
}
