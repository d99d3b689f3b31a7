//! Which packages an atom asks for.

use crate::atom::{Atom, Operator};
use crate::cpv::{Candidate, Cpv};

/// The flags of a package that an atom may ask about.
pub trait UseState {
    /// Whether the package has the flag at all: it stands in its IUSE, or is there for every
    /// package.
    fn has(&self, flag: &str) -> bool;
    /// Whether the flag is on.
    fn is_on(&self, flag: &str) -> bool;
}

impl Atom {
    /// Whether a package's name and version fit. Blocked or not makes no difference.
    ///
    /// As Portage has it, `~` compares the version as text, so `~a/b-1.00` does not take `1.0`.
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

    /// Whether a package fits in all but its flags.
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

    /// Whether the flags of a package fit, given those that are on in the package that has this
    /// dependency.
    ///
    /// A flag without a default must be known to the other package even when nothing is asked of it
    /// just now: PMS forbids such a dependency, and Portage takes no package for it. Only a blocker
    /// asks for no more than it says.
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
