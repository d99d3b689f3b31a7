//! The table of all names: the places that declare a name, and the places that mention it.
//!
//! The table is built from all files, before any file is merged. So a mistake is reported once, at
//! the place where it was written, whichever distribution it concerns. A wrong name is then read as
//! the name that was meant, so that it causes no further findings.

mod labels;
mod places;
mod symbol;

use crate::read::files::{Depths, Folders};
use crate::read::spellings::Spellings;
use rocpkg_model::{Finding, Span, is_a_letter_off, nearest, slip};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
pub(crate) use symbol::{Kind, Wrong};
use symbol::{Role, Scopes, Symbol};

/// The number of places from which on a name counts as frequent.
const OFTEN: usize = 3;

/// Returns the first kind of name after `done` that has mistakes, and these mistakes. With `None`
/// for `done`, all kinds are checked. Returns `None` if no kind has mistakes.
pub(crate) fn first_wrong(
    folders: &Folders,
    spellings: &Spellings,
    done: Option<Kind>,
) -> Option<(Kind, Vec<Wrong>)> {
    let table = Table::new(places::all(&folders.files), &folders.depths, spellings);
    let kinds = table
        .names
        .keys()
        .map(|(kind, _)| *kind)
        .collect::<BTreeSet<_>>();
    let next = kinds
        .into_iter()
        .filter(|kind| done.is_none_or(|done| *kind > done));
    // Later kinds are only checked once the caller has corrected this one. A misspelt package would
    // otherwise also be reported as a wrong dependency.
    next.map(|kind| (kind, table.wrong(kind)))
        .find(|(_, wrong)| !wrong.is_empty())
}

/// A name, with its symbols: one for each place at which it is written.
type Named<'t, 'm> = (&'t str, &'t [Symbol<'m>]);

/// Names by the texts that are left of them without one letter. Two names that differ by a letter,
/// or by the order of two letters, have such a text in common, or one of them is such a text of the
/// other.
struct Likely<'m>(BTreeMap<String, Vec<&'m str>>);

impl<'m> Likely<'m> {
    fn new(names: impl Iterator<Item = &'m str>) -> Self {
        let mut all = BTreeMap::<_, Vec<_>>::new();
        for name in names {
            for text in Self::texts(name) {
                all.entry(text).or_default().push(name);
            }
        }
        Self(all)
    }

    /// Returns the names that may differ from `name` by a letter.
    fn near(&self, name: &str) -> BTreeSet<&'m str> {
        let texts = Self::texts(name);
        let all = texts.filter_map(|text| self.0.get(&text));
        all.flatten().copied().collect()
    }

    fn texts(name: &str) -> impl Iterator<Item = String> {
        let letters = name.char_indices();
        let less = letters.map(|(at, c)| [&name[..at], &name[at + c.len_utf8()..]].concat());
        less.chain([name.to_owned()])
    }
}

struct NamePlaces<'t, 'm> {
    all: Scopes<'t, 'm>,
    declared: Scopes<'t, 'm>,
}

struct Table<'m> {
    names: BTreeMap<(Kind, &'m str), Vec<Symbol<'m>>>,
    /// The places of each name, whatever its kind.
    places: BTreeMap<&'m str, BTreeSet<Span>>,
    depths: &'m Depths,
    spellings: &'m Spellings,
}

impl<'m> Table<'m> {
    fn new(all: Vec<Symbol<'m>>, depths: &'m Depths, spellings: &'m Spellings) -> Self {
        let mut out = Self {
            names: BTreeMap::new(),
            places: BTreeMap::new(),
            depths,
            spellings,
        };
        for symbol in all {
            out.places
                .entry(symbol.name)
                .or_default()
                .insert(symbol.span);
            out.names
                .entry((symbol.kind, symbol.name))
                .or_default()
                .push(symbol);
        }
        out
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = (&'m str, &[Symbol<'m>])> + Clone {
        self.names
            .range((kind, "")..)
            .take_while(move |((k, _), _)| *k == kind)
            .map(|((_, name), all)| (*name, all.as_slice()))
    }

    fn often(&self, name: &str) -> usize {
        self.places.get(name).map_or(0, BTreeSet::len)
    }

    /// Returns the mistakes in the names of a kind.
    fn wrong(&self, kind: Kind) -> Vec<Wrong> {
        // A model in which nothing declares this kind of name can't be checked.
        let fixed = labels::fixed(kind);
        if fixed.is_empty()
            && !self
                .of(kind)
                .any(|(_, all)| all.iter().any(Symbol::declares))
        {
            return Vec::new();
        }
        let mut out: Vec<Wrong> = Vec::new();
        let likely = LazyCell::new(|| Likely::new(self.of(kind).map(|(name, _)| name)));
        for (name, all) in self.of(kind).filter(|(name, _)| !fixed.contains(name)) {
            // Few names differ by a letter only, and the search for declarations takes longest.
            let near = LazyCell::new(|| {
                let all = likely.near(name).into_iter();
                let all = all.filter(|other| is_a_letter_off(other, name));
                let symbols = |other| self.names.get(&(kind, other)).map(Vec::as_slice);
                all.filter_map(|other| Some((other, symbols(other)?)))
                    .collect()
            });
            let places = NamePlaces {
                all: Scopes::new(all.iter()),
                declared: Scopes::new(all.iter().filter(|symbol| symbol.declares())),
            };
            let mistaken: Vec<(&Symbol, Option<&str>)> = all
                .iter()
                .filter_map(|symbol| self.doubted(symbol, &places, &near, &fixed))
                .collect();
            let Some((first, meant)) = mistaken.first() else {
                continue;
            };
            out.push(self.told(&mistaken, first, *meant, &fixed));
        }
        // A declaration that is the cause of several wrong names is one mistake.
        let mut seen = BTreeSet::new();
        out.retain(|wrong| seen.insert(wrong.finding.span));
        out
    }

    /// Returns the names of the symbol's kind that are declared for its place, and those of
    /// `fixed`, which are valid without a declaration.
    fn known<'t>(
        &'t self,
        symbol: &'t Symbol,
        fixed: &'t [&'static str],
    ) -> impl Iterator<Item = &'t str> + Clone {
        let others = self
            .of(symbol.kind)
            .filter(|(name, _)| *name != symbol.name);
        others
            .filter(move |(_, all)| is_known(all, symbol))
            .map(|(name, _)| name)
            .chain(fixed.iter().copied())
    }

    /// Returns the symbol if it is a mistake, and the name that was probably meant: a valid name
    /// that differs by a letter. Returns `None` if the symbol is right. `places` are the symbols of
    /// the same name. `near` are the names of this kind that differ by a letter. `fixed` are names
    /// that are valid without a declaration.
    fn doubted<'t>(
        &'t self,
        symbol: &'t Symbol<'m>,
        places: &NamePlaces<'_, 'm>,
        near: &dyn Deref<Target = Vec<Named<'t, 'm>>>,
        fixed: &'t [&'static str],
    ) -> Option<(&'t Symbol<'t>, Option<&'t str>)> {
        let is_other = |s: &&Symbol| s.span != symbol.span && s.home.meets(&symbol.home);
        let declared = || places.declared.near(&symbol.home);
        let is_right = match (symbol.role, symbol.kind) {
            (Role::Mentions, _) => {
                let is_known = declared().any(|s| symbol.home.sees(&s.home));
                return (!is_known).then(|| (symbol, self.misspelt(symbol)));
            }
            (Role::Declares, Kind::Feature) | (Role::Adds, Kind::Dependency) => {
                places.all.near(&symbol.home).any(|s| is_other(&s))
            }
            // Names of other kinds often differ by a letter.
            (Role::Declares, _) => true,
            (Role::Adds | Role::Removes, _) => declared().any(|s| is_other(&s) && s.backs(symbol)),
        };
        if is_right {
            return None;
        }
        let known = near
            .iter()
            .filter(|(_, all)| is_known(all, symbol))
            .map(|(name, _)| *name);
        let slipped = slip(symbol.name, known.chain(fixed.iter().copied()));
        slipped
            .or_else(|| self.rare(symbol, near))
            .map(|name| (symbol, Some(name)))
    }

    /// Returns the frequent name among `near` that was probably meant, if the name of the symbol is
    /// written in a single place. Returns `None` otherwise.
    fn rare<'t>(&self, symbol: &Symbol, near: &[Named<'t, '_>]) -> Option<&'t str> {
        if symbol.role == Role::Removes || self.often(symbol.name) != 1 {
            return None;
        }
        slip(
            symbol.name,
            near.iter()
                .map(|(name, _)| *name)
                .filter(|name| self.often(name) >= OFTEN),
        )
    }

    /// Returns the declared name that nothing mentions, and that differs by a letter from the
    /// symbol.
    fn misspelt(&self, symbol: &Symbol) -> Option<&str> {
        let is_idle = |all: &[Symbol]| {
            let declared = all
                .iter()
                .any(|s| s.declares() && symbol.home.sees(&s.home));
            declared && !all.iter().any(|s| s.role == Role::Mentions)
        };
        let idle = self
            .of(symbol.kind)
            .filter(|(_, all)| is_idle(all))
            .map(|(name, _)| name);
        let mut near = idle
            .clone()
            .filter(|name| is_a_letter_off(name, symbol.name));
        // `slip` skips names that only differ by a number, since these are often declared for
        // others to mention. Such a name counts if it is the only one.
        slip(symbol.name, idle).or_else(|| near.next().filter(|_| near.next().is_none()))
    }

    /// Returns true if `name` is more likely to be misspelt than `other`, from which it differs by
    /// a letter. This is the case if `name` is written in fewer places. If both are written equally
    /// often, it is the case if fewer names contain the letters by which `name` differs from
    /// `other`.
    fn is_odder(&self, name: &str, other: &str) -> bool {
        let begin = name
            .bytes()
            .zip(other.bytes())
            .take_while(|(a, b)| a == b)
            .count();
        let common = |name: &str| {
            let padded = format!(" {name} ");
            let letters = padded.get(begin..begin + 3).unwrap_or(name);
            self.places
                .keys()
                .filter(|n| format!(" {n} ").contains(letters))
                .count()
        };
        (self.often(name), common(name)) < (self.often(other), common(other))
    }

    /// Returns the mistake about a name. `mistaken` are its wrong places, and `first` is the first
    /// of them. `meant` is the name that was probably meant. The mistake is reported at `first`, or
    /// at the declaration of `meant`, whichever name is more likely to be misspelt. `fixed` are
    /// names that are valid without a declaration.
    fn told(
        &self,
        mistaken: &[(&Symbol, Option<&str>)],
        first: &Symbol,
        meant: Option<&str>,
        fixed: &[&'static str],
    ) -> Wrong {
        let name = first.name;
        let code = |s: &Symbol| s.code.unwrap_or_else(|| labels::code(s.kind));
        // If only a letter is wrong, names that others use do not help.
        let spelt = match first.kind {
            _ if meant.is_some() => None,
            Kind::Package | Kind::Component | Kind::Live | Kind::Dependency => {
                self.spellings.meant(name)
            }
            _ => None,
        };
        let blamed = meant.filter(|other| self.is_odder(other, name));
        let declared = blamed.and_then(|other| self.names.get(&(first.kind, other)));
        // A declaration in a lower layer was right before the layer above it was added.
        let may_be_wrong = |s: &&Symbol| {
            s.declares()
                && first.home.meets(&s.home)
                && self.depths.of(s.span) >= self.depths.of(first.span)
        };
        if let Some(place) = declared.and_then(|all| all.iter().find(may_be_wrong)) {
            let message = format!(
                "{} `{}` is never used",
                labels::word(place.kind),
                place.name
            );
            let many = match self.often(name) {
                1 => "in one place".to_owned(),
                n => format!("in {n} places"),
            };
            let finding = Finding::error(code(first), place.span, message)
                .label(format!("`{name}` is used {many}, but not declared"))
                .hint(format!("did you mean `{name}`?"))
                .other(Some(first.span));
            return Wrong {
                finding,
                spans: vec![place.span],
                name: place.name.to_owned(),
                meant: Some(name.to_owned()),
            };
        }
        let near = spelt
            .as_ref()
            .map(|(id, _)| *id)
            .or(meant)
            .or_else(|| nearest(name, self.known(first, fixed)));
        let finding = Finding::error(
            code(first),
            first.span,
            format!("unknown {} `{name}`", labels::word(first.kind)),
        )
        .label(if code(first) == "E0218" {
            "this removes nothing".to_owned()
        } else {
            labels::expected(first.kind)
        })
        .other(mistaken.get(1).map(|(s, _)| s.span));
        let family = || {
            self.spellings
                .family(name)
                .filter(|_| first.kind == Kind::Targets)
        };
        let finding = match (&spelt, meant) {
            (Some((_, hint)), _) => finding.hint(hint),
            (None, Some(meant)) => finding.hint(format!("did you mean `{meant}`?")),
            (None, None) => match family() {
                Some(hint) => finding.hint(hint),
                None => finding.nearest(name, self.known(first, fixed)),
            },
        };
        let spans = mistaken.iter().map(|(s, _)| s.span).collect();
        Wrong {
            finding,
            spans,
            name: name.to_owned(),
            meant: near.map(str::to_owned),
        }
    }
}

/// Returns true if one of `all`, the symbols of one name, declares that name for the place of
/// `symbol`.
fn is_known(all: &[Symbol], symbol: &Symbol) -> bool {
    all.iter()
        .any(|s| s.backs(symbol) && symbol.home.sees(&s.home))
}
