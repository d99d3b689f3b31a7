//! The input of the checks of one ebuild: its outline and script, its eclasses, and its words.

use super::eclasses::Eclasses;
use super::globals::Globals;
use crate::existing::reading::{reading, whole_version};
use rocpkg_bash::evaluate::Value;
use rocpkg_syntax::words::{Piece, VERSION};
use rocpkg_syntax::{Call, Memo, Outline, Script, Set, SetKind, Surroundings, Unreadable};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

/// An ebuild, its parsed forms, and the files beside it.
pub(super) struct Recipe<'a> {
    pub(super) text: &'a str,
    pub(super) outline: Outline,
    pub(super) script: Script,
    pub(super) surroundings: &'a Surroundings,
    pub(super) eclasses: Eclasses,
    /// The words of the text that could be names of functions or variables, without those behind
    /// `inherit`.
    pub(super) names: BTreeSet<&'a str>,
    globals: OnceCell<Rc<Globals>>,
}

/// The parts of the surroundings on which the values of an ebuild depend: its path, and the texts
/// of eclasses.
type Key = (String, BTreeMap<String, Arc<str>>);

thread_local! {
    static GLOBALS: Memo<Key, Rc<Globals>> = const { Memo::new() };
}

/// Returns the global scope of the ebuild `text` after it ran.
///
/// # Errors
/// As [`Recipe::read`].
pub(super) fn globals(text: &str, beside: &Surroundings) -> Result<Rc<Globals>, Unreadable> {
    let key = (beside.path.clone(), beside.texts.clone());
    GLOBALS.with(|all| {
        all.get((text, key), || {
            let recipe = Recipe::read(text, beside)?;
            Ok(Rc::new(Globals::of(&recipe)))
        })
    })
}

impl<'a> Recipe<'a> {
    /// Reads an ebuild.
    ///
    /// # Errors
    /// A text that is no valid bash, or that is nested too deeply or too long for an ebuild.
    pub(super) fn read(text: &'a str, surroundings: &'a Surroundings) -> Result<Self, Unreadable> {
        let outline = reading(&surroundings.path).read(text)?;
        let script = Script::read(text)?;
        let eclasses = Eclasses::of(&script, text, surroundings);
        let names = names(text, &script);
        Ok(Self {
            text,
            outline,
            script,
            surroundings,
            eclasses,
            names,
            globals: OnceCell::new(),
        })
    }

    /// Returns the global scope after it ran.
    pub(super) fn globals(&self) -> &Globals {
        self.globals.get_or_init(|| {
            // The text was read before.
            globals(self.text, self.surroundings).unwrap_or_default()
        })
    }

    /// Returns the value of a variable after the global scope ran, as Portage reads it: of an
    /// array, the first element. What eclasses add by themselves is left out. Returns `None` for a
    /// variable that the ebuild does not set.
    pub(super) fn value(&self, name: &str) -> Option<Value> {
        self.globals().value(name)
    }

    /// Returns the ebuild's text at the bytes `at`.
    pub(super) fn slice(&self, at: &Range<usize>) -> &'a str {
        self.text.get(at.clone()).unwrap_or_default()
    }

    /// Returns the number of the line that contains byte `at`.
    pub(super) fn line(&self, at: usize) -> usize {
        self.outline.place(at).0
    }

    /// Returns the EAPI; `None` if the ebuild does not state it as a number.
    pub(super) fn eapi(&self) -> Option<u32> {
        let set = self.script.sets_at_margin("EAPI").next()?;
        self.slice(&set.value_at)
            .trim_matches(['"', '\''])
            .parse()
            .ok()
    }

    /// Returns the value of a variable that the path of the ebuild sets (PMS 11.1): `PF` →
    /// `hip-7.2.4-r1`. Returns `None` for other variables, and if the path is not known.
    pub(super) fn given(&self, name: &str) -> Option<String> {
        let path = &self.surroundings.path;
        let own = self.outline.reading.given.iter();
        let value = |name: &str| {
            let words = &self.outline.words;
            words.value(&[Piece::Variable(name.to_owned())]).real
        };
        let own = own.map(|(name, _)| (*name, value(name)));
        let own = own.filter(|(_, value)| !value.is_empty() && value != "-");
        if let Some((_, value)) = own.clone().find(|(given, _)| *given == name) {
            return Some(value);
        }
        let whole = whole_version(path)?.to_string();
        let (_, package) = own.clone().find(|(given, _)| *given == "PN")?;
        match name {
            "PVR" => Some(whole),
            "PF" => Some(format!("{package}-{whole}")),
            "PR" => Some(match whole.rsplit_once("-r") {
                Some((_, revision)) => format!("r{revision}"),
                None => "r0".to_owned(),
            }),
            "CATEGORY" => {
                let mut parts = path.rsplit('/').skip(2);
                parts.next().map(str::to_owned)
            }
            _ => None,
        }
    }

    pub(super) fn is_live(&self) -> bool {
        self.given("PV")
            .is_some_and(|version| version.contains("9999"))
    }

    /// Returns true if byte `at` is in a branch that never runs in this ebuild: the ebuild is of a
    /// release, and the branch is for live versions, such as `if [[ ${PV} == *9999 ]]`.
    pub(super) fn is_idle(&self, at: usize) -> bool {
        let mut nodes = self.outline.root.nodes.as_slice();
        while let Some(node) = nodes.iter().find(|node| node.at.contains(&at)) {
            nodes = node.nodes();
            let inner = nodes.iter().find(|node| node.at.contains(&at));
            let is_else = inner.is_some_and(|node| node.key.open.starts_with("el"));
            let key = node.key.open.as_str();
            let is_for_live = key.starts_with("if [[")
                && key.contains(VERSION)
                && key.contains("== ")
                && key.contains("9999")
                && !key.contains("||");
            if is_for_live && !is_else {
                return !self.is_live();
            }
        }
        false
    }

    /// Returns true for an assignment that certainly runs: one without a condition or, in an ebuild
    /// of a release, one in the branch for releases.
    pub(super) fn is_reached(&self, set: &Set) -> bool {
        let at = set.at.start;
        let is_for_release = || self.is_of_releases(at) && !self.is_live() && !self.is_idle(at);
        is_plain(set) || set.scope.function.is_none() && is_for_release()
    }

    /// Returns true if byte `at` is inside a condition that distinguishes live versions from
    /// releases, and inside no other condition.
    pub(super) fn is_of_releases(&self, at: usize) -> bool {
        let mut nodes = self.outline.root.nodes.as_slice();
        let mut conditions = Vec::new();
        while let Some(node) = nodes.iter().find(|node| node.at.contains(&at)) {
            let key = node.key.open.as_str();
            if key.starts_with("if ") || key.starts_with("case ") {
                conditions.push(key);
            }
            nodes = node.nodes();
        }
        let is_for_live = |key: &&str| key.contains(VERSION) && key.contains("9999");
        !conditions.is_empty() && conditions.iter().all(is_for_live)
    }

    /// Returns the only assignment of a variable; `None` if the ebuild assigns it several times, in
    /// a function or under a condition.
    pub(super) fn only_set(&self, name: &str) -> Option<&Set> {
        let mut all = self.script.sets.iter().filter(|set| set.name == name);
        let set = all.next().filter(|_| all.next().is_none())?;
        (set.kind == SetKind::Assign && is_plain(set)).then_some(set)
    }

    /// Returns the calls of commands in the global scope that begin within the bytes `at`.
    pub(super) fn calls_at_margin(&self, at: Range<usize>) -> impl Iterator<Item = &Call> {
        let all = self.script.calls.iter();
        all.filter(move |call| call.scope.function.is_none() && at.contains(&call.at.start))
    }
}

/// Returns true for an assignment in the global scope without a condition.
pub(super) fn is_plain(set: &Set) -> bool {
    set.scope.function.is_none() && !set.scope.is_conditional
}

/// Returns the words of a text, without comments and without the names behind `inherit`. These
/// names are left out as they may be equal to a function's: `edo.eclass` defines `edo`.
fn names<'a>(text: &'a str, script: &Script) -> BTreeSet<&'a str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
    let inherits = script.calls.iter().filter(|call| call.name == "inherit");
    let ends = inherits.map(|call| call.at.clone());
    let mut out = BTreeSet::new();
    let mut start = 0;
    for at in ends.chain(std::iter::once(text.len()..text.len())) {
        let part = text.get(start..at.start).unwrap_or_default();
        let code = part
            .lines()
            .filter(|line| !line.trim_start().starts_with('#'));
        let words = code.flat_map(|line| line.split(|c| !is_name(c)));
        out.extend(words.filter(|word| !word.is_empty()));
        start = at.end;
    }
    out
}
