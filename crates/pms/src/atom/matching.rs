//! Decides which packages match an atom.

use crate::atom::{Atom, Operator};
use crate::cpv::{Candidate, Cpv};

/// The flags of a package, for matching USE dependencies.
pub trait UseState {
    /// Returns true if the package has the flag: IUSE contains it, or every package has it.
    fn has(&self, flag: &str) -> bool;
    /// Returns true if the flag is on.
    fn is_on(&self, flag: &str) -> bool;
}

impl Atom {
    /// Returns true if a package's name and version match. A blocker matches like a dependency.
    ///
    /// As in Portage, `~` compares the version as text, so `~a/b-1.00` does not match `1.0`.
    pub fn matches_cpv(&self, cpv: &Cpv) -> bool {
        self.cpn == cpv.cpn
            && self.version.as_ref().is_none_or(|(operator, wanted)| {
                let found = &cpv.version;
                match operator {
                    Operator::Less => found < wanted,
                    Operator::LessEqual => found <= wanted,
                    Operator::Equal => found == wanted,
                    Operator::EqualGlob => wanted.is_prefix_of(found),
                    Operator::Approximate => found.base() == wanted.base(),
                    Operator::GreaterEqual => found >= wanted,
                    Operator::Greater => found > wanted,
                }
            })
    }

    /// Returns true if a package matches, its flags aside.
    pub fn matches(&self, package: &Candidate) -> bool {
        let slot_fits = match (self.slot(), &package.slot) {
            (Some(wanted), Some(found)) => wanted.accepts(found),
            _ => true,
        };
        let repository_fits = match (self.repository(), &package.repository) {
            (Some(wanted), Some(found)) => wanted == found,
            _ => true,
        };
        slot_fits && repository_fits && self.matches_cpv(&package.cpv)
    }

    /// Returns true if the flags of a package match. `here` reports the flags that are on in the
    /// package that has this dependency.
    ///
    /// The other package must have each flag that has no default, even if the dependency sets no
    /// condition for the flag just now. PMS forbids a dependency on a flag that is missing, and
    /// Portage matches no package for it. Blockers are excepted.
    pub fn matches_use(&self, theirs: &impl UseState, here: impl Fn(&str) -> bool) -> bool {
        self.use_deps.iter().all(|entry| {
            let flag = entry.flag.as_str();
            match entry.kind.wanted(entry.kind.is_conditional() && here(flag)) {
                Some(wanted) => {
                    theirs
                        .has(flag)
                        .then(|| theirs.is_on(flag))
                        .or(entry.default)
                        == Some(wanted)
                }
                None => entry.default.is_some() || self.blocker.is_some() || theirs.has(flag),
            }
        })
    }
}
