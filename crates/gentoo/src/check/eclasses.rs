//! The eclasses that an ebuild inherits. If the text of an eclass is among the files of
//! `Surroundings`, it is read. Else the eclass is looked up in a table of common eclasses,
//! `eclasses.txt`.

use super::iuse::{Lists, is_open};
use crate::value::tokens::pattern;
use regex::Regex;
use rocpkg_syntax::words::Piece;
use rocpkg_syntax::{Script, SetKind, Surroundings};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// The facts of an eclass that checks of ebuilds use.
#[derive(Clone, Debug, Default)]
pub(super) struct Eclass {
    pub(super) inherits: BTreeSet<String>,
    /// The eclasses that the eclass inherits in some EAPIs only, each with these EAPIs:
    /// `[[ ${EAPI} == 6 ]] && inherit eutils`.
    inherits_in: BTreeMap<String, BTreeSet<u32>>,
    pub(super) phases: BTreeSet<String>,
    /// The flags that the eclass adds to IUSE. `*` stands for any text.
    pub(super) iuse: BTreeSet<String>,
    pub(super) functions: BTreeSet<String>,
    /// The variables that the eclass reads or sets.
    pub(super) variables: BTreeSet<String>,
    /// Set if inheriting the eclass has no effect unless its functions are called: it exports no
    /// phase and sets no variable that Portage reads.
    pub(super) is_passive: bool,
}

impl Eclass {
    /// Returns the eclass as ebuilds of an EAPI get it; of any EAPI if `eapi` is `None`.
    fn in_eapi(self: Arc<Self>, eapi: Option<u32>) -> Arc<Self> {
        if self.inherits_in.is_empty() {
            return self;
        }
        let all = self.inherits_in.iter();
        let own = all.filter(|(_, eapis)| eapi.is_none_or(|eapi| eapis.contains(&eapi)));
        let own = own.map(|(name, _)| name.clone());
        Arc::new(Self {
            inherits: self.inherits.iter().cloned().chain(own).collect(),
            inherits_in: BTreeMap::new(),
            ..(*self).clone()
        })
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Eclasses {
    /// The known eclasses by name, including those that they inherit.
    known: BTreeMap<String, Arc<Eclass>>,
    /// The names of inherited eclasses that were neither read nor found in the table, and words of
    /// `inherit` whose value is not known.
    pub(super) unknown: BTreeSet<String>,
    /// The literal names in calls of `inherit`, each with its bytes in the ebuild.
    pub(super) inherited: Vec<(String, Range<usize>)>,
    /// The eclasses that were read although the ebuild does not inherit them.
    beside: BTreeMap<String, Arc<Eclass>>,
}

impl Eclasses {
    /// Looks up all eclasses that an ebuild inherits.
    pub(super) fn of(script: &Script, text: &str, surroundings: &Surroundings) -> Self {
        let mut out = Self::default();
        let lists = Lists {
            script,
            text,
            given: &|_| None,
        };
        let mut open = Vec::new();
        for call in script.calls.iter().filter(|call| call.name == "inherit") {
            for word in &call.words {
                match word.pieces.as_slice() {
                    [Piece::Text(name)] => {
                        out.inherited.push((name.clone(), word.at.clone()));
                        open.push(name.clone());
                    }
                    [Piece::Variable(name)] => open.extend(lists.words(name)),
                    _ => open.push("*".to_owned()),
                }
            }
        }
        let eapi = lists.words("EAPI");
        let eapi = eapi.first().and_then(|eapi| eapi.parse().ok());
        let mut beside = texts(surroundings);
        while let Some(name) = open.pop() {
            if out.known.contains_key(&name) || out.unknown.contains(&name) {
                continue;
            }
            let found = beside.remove(&name).or_else(|| TABLE.get(&name).cloned());
            match found {
                Some(eclass) => {
                    let eclass = eclass.in_eapi(eapi);
                    open.extend(eclass.inherits.iter().cloned());
                    out.known.insert(name, eclass);
                }
                None => drop(out.unknown.insert(name)),
            }
        }
        out.beside = beside;
        out
    }

    /// Returns the known eclasses that the ebuild inherits, directly or not.
    pub(super) fn all(&self) -> impl Iterator<Item = &Eclass> {
        self.known.values().map(AsRef::as_ref)
    }

    /// Returns an eclass that the ebuild inherits, directly or not.
    pub(super) fn get(&self, name: &str) -> Option<&Eclass> {
        self.known.get(name).map(AsRef::as_ref)
    }

    /// Returns the eclass `name` and all eclasses that it inherits, directly or not; `None` if one
    /// of them is not known.
    pub(super) fn with_inherited(&self, name: &str) -> Option<Vec<&Eclass>> {
        let mut names = vec![name];
        let mut done = BTreeSet::new();
        let mut out = Vec::new();
        while let Some(name) = names.pop() {
            if done.insert(name) {
                let eclass = self.known.get(name)?;
                names.extend(eclass.inherits.iter().map(String::as_str));
                out.push(eclass.as_ref());
            }
        }
        Some(out)
    }

    /// Returns the names of the eclasses that define a function, whether the ebuild inherits them
    /// or not.
    pub(super) fn defining(&self, function: &str) -> BTreeSet<&str> {
        let read = self.beside.iter().chain(&self.known);
        let read = read.filter(|(_, eclass)| eclass.functions.contains(function));
        let names = read.map(|(name, _)| name.as_str());
        let common = DEFINING.get(function).into_iter().flatten();
        names.chain(common.copied()).collect()
    }

    /// Returns the function that the eclasses provide for each phase, by the phase's name:
    /// `src_configure` → `cmake_src_configure`. If several eclasses export a phase, the last one in
    /// `inherit` counts. The ebuild's own functions are not considered.
    ///
    /// A phase is left out if the last eclass exports it only through an eclass that it inherits.
    pub(super) fn default_phases(&self) -> BTreeMap<&str, String> {
        let mut out: BTreeMap<&str, Option<String>> = BTreeMap::new();
        for (name, _) in &self.inherited {
            let all = self.with_inherited(name).unwrap_or_default();
            let phases = all.iter().flat_map(|eclass| &eclass.phases);
            out.extend(phases.map(|phase| (phase.as_str(), None)));
            let own = self.get(name).into_iter().flat_map(|eclass| &eclass.phases);
            out.extend(own.map(|phase| (phase.as_str(), Some(format!("{name}_{phase}")))));
        }
        let known = out.into_iter();
        known
            .filter_map(|(phase, function)| Some((phase, function?)))
            .collect()
    }

    /// Returns the reason why it can't be decided if an eclass defines a name: one of the inherited
    /// eclasses is not known. Returns `None` if all are known.
    pub(super) fn reason(&self) -> Option<String> {
        let first = self.unknown.first()?;
        Some(if first.contains('*') {
            "the name of an eclass is known only when the ebuild runs".to_owned()
        } else {
            format!("{first}.eclass was not found")
        })
    }
}

/// Reads the eclasses among the files of `surroundings`, and returns them by name.
fn texts(surroundings: &Surroundings) -> BTreeMap<String, Arc<Eclass>> {
    let all = surroundings.texts.iter();
    all.filter_map(|(path, text)| {
        let name = path.rsplit('/').next()?.strip_suffix(".eclass")?;
        Some((name.to_owned(), cached(name, text)?))
    })
    .collect()
}

/// The texts of eclasses that were read, by the eclass's name. Each has the eclass's facts, or
/// `None` if the text is no valid bash.
type Cache = BTreeMap<String, Vec<(Arc<str>, Option<Arc<Eclass>>)>>;

/// The greatest number of texts of one eclass that are kept in the cache.
const MOST_TEXTS: usize = 4;

/// Reads the eclass `name` with the text `text`, or returns the facts of an earlier read. All
/// recipes of a repository have the same eclasses.
fn cached(name: &str, text: &Arc<str>) -> Option<Arc<Eclass>> {
    static CACHE: Mutex<Cache> = Mutex::new(BTreeMap::new());
    let mut cache = CACHE.lock().unwrap_or_else(PoisonError::into_inner);
    let texts = cache.entry(name.to_owned()).or_default();
    // In most cases the pointers are equal, so the texts need not be compared.
    let is_it = |known: &Arc<str>| Arc::ptr_eq(known, text) || known == text;
    if let Some((_, eclass)) = texts.iter().find(|(known, _)| is_it(known)) {
        return eclass.clone();
    }
    let eclass = read(name, text).map(Arc::new);
    texts.truncate(MOST_TEXTS - 1);
    texts.insert(0, (Arc::clone(text), eclass.clone()));
    eclass
}

/// Reads an eclass; `None` if it is no valid bash.
fn read(name: &str, text: &str) -> Option<Eclass> {
    let script = Script::read(text).ok()?;
    let mut out = Eclass {
        is_passive: true,
        ..Eclass::default()
    };
    let lists = Lists {
        script: &script,
        text,
        given: &|_| None,
    };
    for call in &script.calls {
        let into = match call.name.as_str() {
            "inherit" => &mut out.inherits,
            "EXPORT_FUNCTIONS" => &mut out.phases,
            _ => continue,
        };
        let eapis = if call.name == "inherit" {
            eapis(text, call.at.start)
        } else {
            BTreeSet::new()
        };
        for word in &call.words {
            match word.pieces.as_slice() {
                [Piece::Text(word)] if !eapis.is_empty() => {
                    let own = out.inherits_in.entry(word.clone()).or_default();
                    own.extend(&eapis);
                }
                [Piece::Text(word)] => drop(into.insert(word.clone())),
                [Piece::Variable(name)] => into.extend(lists.words(name)),
                _ => drop(into.insert("*".to_owned())),
            }
        }
    }
    // Eclasses whose names are computed are left out.
    out.inherits.retain(|name| !name.contains('*'));
    if script.sets.iter().any(|set| set.name == "IUSE") {
        out.iuse = lists.flags();
        if let Some(known) = TABLE.get(name).filter(|_| is_open(&out.iuse)) {
            out.iuse.retain(|flag| !flag.starts_with('*'));
            out.iuse.extend(known.iuse.iter().cloned());
        }
    }
    out.functions = script
        .functions
        .iter()
        .map(|function| function.name.clone())
        .collect();
    let sets = script.sets.iter();
    let is_global = |kind: SetKind| kind != SetKind::Declare && kind != SetKind::Environment;
    out.variables = sets
        .clone()
        .filter(|set| is_global(set.kind) || set.scope.function.is_none())
        .map(|set| set.name.clone())
        .chain(script.uses.iter().map(|used| used.name.clone()))
        .collect();
    out.is_passive = out.phases.is_empty() && sets.clone().all(|set| !is_metadata(&set.name));
    Some(out)
}

/// A condition for EAPIs in front of a command: `[[ ${EAPI} == 6 ]] &&`, or a branch of `case` such
/// as `5|6)`, which may be on a line of its own.
static EAPIS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\[\[ \$\{EAPI(?::-0)?\} (?:==|-eq) \[?([0-9]+)\]? \]\] &&[ \t]*|\n[ \t]*([0-9](?:\|[0-9])*)\)\s*)$",
    )
});

/// Returns the EAPIs in which the command at byte `at` runs; empty if it does in each.
fn eapis(text: &str, at: usize) -> BTreeSet<u32> {
    // The condition is on the line of the command, or on the one above.
    let lines = text[..at].rmatch_indices('\n').nth(2);
    let head = &text[lines.map_or(0, |(start, _)| start)..at];
    let Some(found) = EAPIS.captures(head) else {
        return BTreeSet::new();
    };
    let listed = found.get(1).or(found.get(2));
    let digits = listed.map_or("", |listed| listed.as_str()).chars();
    digits.filter_map(|digit| digit.to_digit(10)).collect()
}

/// Returns true if Portage reads the variable `name` (PMS 7), so that an eclass that sets it has an
/// effect without a call of its functions.
pub(super) fn is_metadata(name: &str) -> bool {
    name.ends_with("DEPEND")
        || matches!(
            name,
            "IUSE"
                | "REQUIRED_USE"
                | "SRC_URI"
                | "RESTRICT"
                | "PROPERTIES"
                | "S"
                | "LICENSE"
                | "SLOT"
                | "HOMEPAGE"
                | "DESCRIPTION"
                | "KEYWORDS"
                | "QA_PREBUILT"
        )
}

/// Common eclasses of `::gentoo`.
static TABLE: LazyLock<BTreeMap<String, Arc<Eclass>>> =
    LazyLock::new(|| table(include_str!("eclasses.txt")));

/// The eclasses of the table that define a function, by the function's name.
static DEFINING: LazyLock<BTreeMap<&str, BTreeSet<&str>>> = LazyLock::new(|| {
    let mut out: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (name, eclass) in TABLE.iter() {
        for function in &eclass.functions {
            out.entry(function).or_default().insert(name);
        }
    }
    out
});

/// Eclasses of the table that only define functions, and add no phase, flag or dependency.
const PASSIVE: &[&str] = &[
    "desktop",
    "eapi9-pipestatus",
    "eapi9-ver",
    "edo",
    "edos2unix",
    "estack",
    "flag-o-matic",
    "gnome2-utils",
    "multilib",
    "multiprocessing",
    "optfeature",
    "pax-utils",
    "prefix",
    "qmake-utils",
    "toolchain-funcs",
    "wrapper",
    "xdg-utils",
];

/// Parses the table of common eclasses: lines of `[name]`, and lines of `key: words`. A word with
/// `?` applies to some ebuilds only; it is kept without the `?`.
fn table(text: &str) -> BTreeMap<String, Arc<Eclass>> {
    let mut out: BTreeMap<String, Eclass> = BTreeMap::new();
    let mut name = String::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(own) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            own.clone_into(&mut name);
            let is_passive = PASSIVE.contains(&own);
            out.insert(
                name.clone(),
                Eclass {
                    is_passive,
                    ..Eclass::default()
                },
            );
        }
        let (Some((key, words)), Some(eclass)) = (line.split_once(": "), out.get_mut(&name)) else {
            continue;
        };
        let words = words
            .split(' ')
            .map(|word| word.trim_end_matches('?').to_owned());
        match key {
            "inherits" => eclass.inherits.extend(words),
            "phases" => eclass.phases.extend(words),
            "iuse" => eclass.iuse.extend(words),
            "functions" => eclass.functions.extend(words),
            "variables" => eclass.variables.extend(words),
            _ => {}
        }
    }
    out.into_iter()
        .map(|(name, eclass)| (name, Arc::new(eclass)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{eapis, read};
    use std::sync::Arc;

    #[test]
    fn eclasses_for_other_eapis_are_not_inherited() {
        let text = "inherit a\n[[ ${EAPI} == 6 ]] && inherit b\n[[ ${EAPI:-0} == [67] ]] && inherit c\n\
            case ${EAPI} in\n\t6|7) inherit d ;;\n\t8)\n\t\tinherit e\n\t\t;;\n\t*) die ;;\nesac\n";
        let eclass = Arc::new(read("own", text).unwrap());
        let inherits = |eapi| {
            let all = Arc::clone(&eclass).in_eapi(eapi);
            Vec::from_iter(all.inherits.clone()).join(" ")
        };
        assert_eq!(inherits(Some(6)), "a b c d");
        assert_eq!(inherits(Some(7)), "a c d");
        assert_eq!(inherits(Some(8)), "a e");
        assert_eq!(inherits(None), "a b c d e");
        assert!(eapis("[[ ${EAPI} != 6 ]] && inherit b", 22).is_empty());
    }
}
