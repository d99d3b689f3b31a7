//! Decides which packages match an atom.

use crate::atom::{Atom, Operator};
use crate::cpv::{Candidate, Cpv};

/// The flags of a package with their states, to which the USE dependencies of an atom are compared.
pub trait UseState {
    /// Returns true if the package has the flag: IUSE contains it, or every package has it.
    fn has(&self, flag: &str) -> bool;
    /// Returns true if the flag is on.
    fn is_on(&self, flag: &str) -> bool;
}

impl Atom {
    /// Returns true if the package name and the version of `cpv` match the atom. A blocker matches
    /// the packages that it blocks.
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

    /// Returns true if the name, the version, the slot and the repository of `package` match the
    /// atom. USE dependencies are not compared.
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

    /// Returns true if `theirs`, the flags of the package that the atom names, match the USE
    /// dependencies of the atom. `here` returns true for each flag that is on in the package that
    /// has this dependency.
    ///
    /// `theirs` must contain each flag of an entry without a default (`(+)` or `(-)`). This is so
    /// even if the entry allows any state of the flag, as `flag?` does if the flag is off here. PMS
    /// forbids a dependency on a flag that is missing, and Portage matches no package for it. In
    /// blockers, an entry that allows any state also matches a package without the flag.
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
