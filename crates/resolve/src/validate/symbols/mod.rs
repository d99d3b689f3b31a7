//! The one table of names: who declares them, and who mentions them.
//!
//! It is made of all files at once, before any is laid over another, so a mistake is told once and
//! where it was written, whoever meets it. What was wrong is then read as what was meant, so that
//! nothing else is missed because of it.

mod places;
mod symbol;
mod words;

use crate::read::files::{Depths, Folders};
use crate::read::spellings::Spellings;
use rocpkg_model::{Finding, Span, is_a_letter_off, nearest, slip};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
pub(crate) use symbol::{Kind, Wrong};
use symbol::{Role, Symbol};

/// In how many places a name stands that is written all over.
const OFTEN: usize = 3;

/// The first kind of names, of those after `done`, of which some are declared by nobody, with what
/// is said of each.
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
    // What is wrong with packages is no mistake of those who depend on them.
    next.map(|kind| (kind, table.wrong(kind)))
        .find(|(_, wrong)| !wrong.is_empty())
}

/// A name, and where it stands.
type Named<'t, 'm> = (&'t str, &'t [Symbol<'m>]);

/// All names by what they are of.
struct Table<'m> {
    names: BTreeMap<(Kind, &'m str), Vec<Symbol<'m>>>,
    /// In how many places each stands, whatever it is of.
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

    /// What is wrong with the names of a kind.
    fn wrong(&self, kind: Kind) -> Vec<Wrong> {
        // A model without such a table says nothing of what it may hold.
        let fixed = words::fixed(kind);
        if fixed.is_empty()
            && !self
                .of(kind)
                .any(|(_, all)| all.iter().any(Symbol::declares))
        {
            return Vec::new();
        }
        let mut out: Vec<Wrong> = Vec::new();
        for (name, all) in self.of(kind).filter(|(name, _)| !fixed.contains(name)) {
            // Few names are so near, and asking who declares them takes longest.
            let near = LazyCell::new(|| {
                self.of(kind)
                    .filter(|(other, _)| is_a_letter_off(other, name))
                    .collect()
            });
            let mistaken: Vec<(&Symbol, Option<&str>)> = all
                .iter()
                .filter_map(|symbol| self.doubted(symbol, all, &near, &fixed))
                .collect();
            let Some((first, meant)) = mistaken.first() else {
                continue;
            };
            out.push(self.told(&mistaken, first, *meant, &fixed));
        }
        // A declaration that several names blame is one mistake.
        let mut seen = BTreeSet::new();
        out.retain(|wrong| seen.insert(wrong.finding.span));
        out
    }

    /// The names of a kind that are known where a symbol stands.
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

    /// A symbol that is a mistake, and the name that is another one but for a letter.
    fn doubted<'t>(
        &'t self,
        symbol: &'t Symbol,
        all: &[Symbol],
        near: &dyn Deref<Target = Vec<Named<'t, 'm>>>,
        fixed: &'t [&'static str],
    ) -> Option<(&'t Symbol<'t>, Option<&'t str>)> {
        let mut others = all
            .iter()
            .filter(|s| s.span != symbol.span && s.home.meets(&symbol.home));
        let is_right = match (symbol.role, symbol.kind) {
            (Role::Mentions, _) => {
                let is_known = all
                    .iter()
                    .any(|s| s.declares() && symbol.home.sees(&s.home));
                return (!is_known).then(|| (symbol, self.misspelt(symbol)));
            }
            (Role::Declares, Kind::Feature) | (Role::Adds, Kind::Dependency) => {
                others.next().is_some()
            }
            // Other things often differ by a letter.
            (Role::Declares, _) => true,
            (Role::Adds | Role::Removes, _) => others.any(|s| s.backs(symbol)),
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

    /// The name that is written all over, and of which one that stands in a single place is but a
    /// letter off.
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

    /// The declaration that nobody mentions, and that is a letter away from a name that is
    /// mentioned.
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
        // Names with other numbers are often declared for others to mention.
        slip(symbol.name, idle).or_else(|| near.next().filter(|_| near.next().is_none()))
    }

    /// Whether a name is written less often than a second one, from which it differs by a letter,
    /// or looks less like the others.
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

    /// The finding about the places of a name that are `mistaken`: at the first of them, or at the
    /// declaration that is `meant`, whichever name is written less often.
    fn told(
        &self,
        mistaken: &[(&Symbol, Option<&str>)],
        first: &Symbol,
        meant: Option<&str>,
        fixed: &[&'static str],
    ) -> Wrong {
        let name = first.name;
        let code = |s: &Symbol| s.code.unwrap_or_else(|| words::code(s.kind));
        // Where a letter is wrong, what others call it is no news.
        let spelt = match first.kind {
            _ if meant.is_some() => None,
            Kind::Package | Kind::Component | Kind::Live | Kind::Dependency => {
                self.spellings.meant(name)
            }
            _ => None,
        };
        let blamed = meant.filter(|other| self.is_odder(other, name));
        let declared = blamed.and_then(|other| self.names.get(&(first.kind, other)));
        // What lies below was right before the layer above it came.
        let may_be_wrong = |s: &&Symbol| {
            s.declares()
                && first.home.meets(&s.home)
                && self.depths.of(s.span) >= self.depths.of(first.span)
        };
        if let Some(place) = declared.and_then(|all| all.iter().find(may_be_wrong)) {
            let message = format!(
                "nothing mentions {} `{}`",
                words::word(place.kind),
                place.name
            );
            let many = match self.often(name) {
                1 => "in one place".to_owned(),
                n => format!("in {n} places"),
            };
            let finding = Finding::error(code(first), place.span, message)
                .label(format!("`{name}` is written {many}, and not declared"))
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
            format!("unknown {} `{name}`", words::word(first.kind)),
        )
        .label(if code(first) == "E0218" {
            "nothing is taken out by this".to_owned()
        } else {
            words::expected(first.kind)
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

/// Whether some of the places of a name declare it for a symbol.
fn is_known(all: &[Symbol], symbol: &Symbol) -> bool {
    all.iter()
        .any(|s| s.backs(symbol) && symbol.home.sees(&s.home))
}
