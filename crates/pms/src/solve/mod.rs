//! Which flags to set so that a set of packages is consistent, with the fewest changes; or why there are none.

mod cycles;
mod encode;
mod fewest;
mod gates;
mod package_use;

use std::collections::BTreeMap;
use std::fmt;

use batsat::Lit;

pub use self::package_use::UseLine;
use crate::atom::{Atom, UseState};
use crate::cpv::{Candidate, Cpv};
use crate::iuse::Iuse;
use crate::kinds::{DepSpec, FlagState, RequiredUse};
use crate::name::{Cpn, Flag};
use crate::solve::encode::Encoding;
use crate::spec::Node;
use crate::version::Version;

/// A package version that may become part of the solution.
#[derive(Debug, Clone)]
pub struct Member {
    /// What it is, with its SLOT and repository as far as they are known.
    pub package: Candidate,
    /// Its flags with their defaults.
    pub iuse: Iuse,
    /// Flags that are on or off for other reasons than IUSE: by the profile, or as configured before. Names that are not
    /// in IUSE stand for flags that every package has, such as `elibc_glibc`; they can't change.
    pub state: BTreeMap<Flag, bool>,
    /// Flags that can't change: masked (off) or forced (on) by the profile.
    pub fixed: BTreeMap<Flag, bool>,
    /// Its `REQUIRED_USE`.
    pub required_use: RequiredUse,
    /// Its dependencies, all kinds together.
    pub depends: DepSpec,
    /// Those of its dependencies that have to be there before it is built: DEPEND and BDEPEND.
    pub build: DepSpec,
    /// Nothing is known of it but its flags: it fits an atom of any version and slot.
    pub any_version: bool,
}

impl Member {
    /// A package with flags and nothing else.
    pub fn new(package: impl Into<Candidate>, iuse: Iuse) -> Self {
        Self {
            package: package.into(),
            iuse,
            state: BTreeMap::new(),
            fixed: BTreeMap::new(),
            required_use: RequiredUse::default(),
            depends: DepSpec::default(),
            build: DepSpec::default(),
            any_version: false,
        }
    }

    /// A package of which only the flags are known, in whatever version and slot is asked for.
    pub fn outside(package: Cpn, iuse: Iuse) -> Self {
        Self { any_version: true, ..Self::new(Cpv::new(package, Version::from_checked("0")), iuse) }
    }

    /// Whether an atom means it, its flags aside.
    fn fits(&self, atom: &Atom) -> bool {
        if self.any_version { *atom.cpn() == self.package.cpv.cpn } else { atom.matches(&self.package) }
    }

    /// Whether a flag is on before anything is changed.
    fn is_on(&self, flag: &Flag) -> bool {
        let chosen = self.fixed.get(flag).or_else(|| self.state.get(flag)).copied();
        chosen.unwrap_or_else(|| self.iuse.is_on_by_default(flag.as_str()))
    }

    fn knows(&self, flag: &Flag) -> bool {
        self.iuse.contains(flag.as_str()) || self.state.contains_key(flag)
    }
}

/// The package before anything is changed.
impl UseState for Member {
    fn has(&self, flag: &str) -> bool {
        self.iuse.contains(flag) || self.state.contains_key(flag)
    }

    fn is_on(&self, flag: &str) -> bool {
        let chosen = self.fixed.get(flag).or_else(|| self.state.get(flag)).copied();
        chosen.unwrap_or_else(|| self.iuse.is_on_by_default(flag))
    }
}

/// A flag that somebody wants on or off.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wish {
    /// The package, in any version.
    pub package: Cpn,
    /// The flag.
    pub flag: Flag,
    /// Whether it is to be on.
    pub on: bool,
}

/// What is to be solved.
#[derive(Debug, Clone, Default)]
pub struct Problem {
    /// All packages that may take part. A dependency on a package of which no version is here is taken to be met.
    pub members: Vec<Member>,
    /// The packages that have to be there; what they depend on follows.
    pub wanted: Vec<Cpn>,
    /// How their flags, or those of their dependencies, are to be.
    pub wishes: Vec<Wish>,
}

/// A flag that has to be set otherwise than it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The package version.
    pub package: Cpv,
    /// The flag.
    pub flag: Flag,
    /// Its new state.
    pub on: bool,
}

/// The fewest changes that make everything consistent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Solution {
    /// The changes, in the order of the members and of their IUSE.
    pub changes: Vec<Change>,
    /// The package versions that are there then, in the order of the members: what is wanted and what that needs.
    pub needed: Vec<Cpv>,
}

/// One of the demands that can't be met together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A package has to be there.
    Wanted(Cpn),
    /// A flag has to be in a state.
    Wish(Wish),
    /// The profile fixes a flag.
    Fixed {
        /// The package version.
        package: Cpv,
        /// The flag.
        flag: Flag,
        /// The state that it has.
        on: bool,
    },
    /// A part of a package's `REQUIRED_USE`.
    RequiredUse {
        /// The package version.
        package: Cpv,
        /// The part.
        part: Node<FlagState>,
    },
    /// A part of a package's dependencies.
    Dependency {
        /// The package version.
        package: Cpv,
        /// The part.
        part: Node<Atom>,
        /// What is to be known of the packages that it names.
        notes: Vec<String>,
    },
    /// Packages of which each has to be there before the next one is built, and the last one before the first.
    Cycle(Vec<Cpv>),
    /// A wish or a `REQUIRED_USE` names a flag that the package does not have.
    UnknownFlag {
        /// The package.
        package: Cpn,
        /// The flag.
        flag: Flag,
    },
    /// A wish names a package that is not part of the problem.
    UnknownPackage(Cpn),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = |on: bool| if on { "" } else { "-" };
        match self {
            Self::Wanted(package) => write!(f, "{package} is wanted"),
            Self::Wish(wish) => write!(f, "{}[{}{}] is asked for", wish.package, sign(wish.on), wish.flag),
            Self::Fixed { package, flag, on: true } => write!(f, "the profile forces `{flag}` for {package}"),
            Self::Fixed { package, flag, on: false } => write!(f, "the profile masks `{flag}` for {package}"),
            Self::RequiredUse { package, part } => write!(f, "{package} has `{part}` in REQUIRED_USE"),
            Self::Dependency { package, part, notes } => {
                write!(f, "{package} depends on `{part}`")?;
                notes.iter().try_for_each(|note| write!(f, "; {note}"))
            }
            Self::Cycle(packages) => {
                let names: Vec<String> = packages.iter().map(ToString::to_string).collect();
                write!(f, "{} need each other to be built", names.join(" and "))
            }
            Self::UnknownFlag { package, flag } => write!(f, "{package} has no USE flag `{flag}`"),
            Self::UnknownPackage(package) => write!(f, "{package} is not known"),
        }
    }
}

/// Demands that can't be met together, none of which could be left out: without any one of them the others can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Contradiction {
    /// The demands.
    pub reasons: Vec<Reason>,
}

impl fmt::Display for Contradiction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no choice of USE flags meets all of this:")?;
        self.reasons.iter().try_for_each(|reason| write!(f, "\n- {reason}"))
    }
}

impl Problem {
    /// Finds the fewest flags to change so that every package that is needed has its `REQUIRED_USE` and its dependencies
    /// met, nothing has to be there before it is built, and all wishes are granted.
    ///
    /// Wishes that differ from the state before count as changes. Among equally small sets flags are rather turned on than
    /// off, and rather changed early than late in the order of members and IUSE.
    ///
    /// # Errors
    /// When there is no such choice, with a smallest set of demands that exclude each other.
    pub fn solve(&self) -> Result<Solution, Contradiction> {
        let unknown = self.unknown_names();
        if !unknown.is_empty() {
            return Err(Contradiction { reasons: unknown });
        }
        let edges = cycles::edges(&self.members);
        // What is found to need itself is ruled out, and all is solved anew.
        let mut ruled_out: Vec<Vec<usize>> = Vec::new();
        loop {
            let mut encoding = Encoding::of(self);
            for cycle in &ruled_out {
                encoding.add_cycle(cycle, &edges);
            }
            let (solution, is_on, needed) = encoding.smallest()?;
            match cycles::shortest(&edges, &needed, &is_on) {
                Some(cycle) => ruled_out.push(cycle),
                None => return Ok(solution),
            }
        }
    }

    /// Wishes that can't even be understood, and flags that a `REQUIRED_USE` may not name.
    fn unknown_names(&self) -> Vec<Reason> {
        let mut found = Vec::new();
        let of = |cpn: &Cpn| -> Vec<&Member> {
            self.members.iter().filter(|member| member.package.cpv.cpn == *cpn).collect()
        };
        for cpn in &self.wanted {
            if of(cpn).is_empty() {
                found.push(Reason::UnknownPackage(cpn.clone()));
            }
        }
        for wish in &self.wishes {
            let members = of(&wish.package);
            if members.is_empty() {
                found.push(Reason::UnknownPackage(wish.package.clone()));
            } else if members.iter().all(|member| !member.knows(&wish.flag)) {
                found.push(Reason::UnknownFlag { package: wish.package.clone(), flag: wish.flag.clone() });
            }
        }
        for member in &self.members {
            for flag in member.required_use.flags().into_iter().filter(|flag| !member.knows(flag)) {
                let reason =
                    Reason::UnknownFlag { package: member.package.cpv.cpn.clone(), flag: flag.clone() };
                if !found.contains(&reason) {
                    found.push(reason);
                }
            }
        }
        found
    }
}

/// A solution, the state of every flag of every member in it, and which members are needed.
type Found<'a> = (Solution, BTreeMap<(usize, &'a Flag), bool>, Vec<bool>);

impl<'a> Encoding<'a> {
    /// The fewest changes that meet all demands.
    fn smallest(mut self) -> Result<Found<'a>, Contradiction> {
        let choices = self.choices();
        let keep: Vec<_> =
            choices.iter().map(|choice| if choice.before { choice.lit } else { !choice.lit }).collect();
        let hard: Vec<_> = self.demands.iter().map(|(lit, _)| *lit).collect();
        let circuit = &mut self.circuit;
        let Some(mut assumed) = fewest::fewest(circuit, &hard, &keep) else {
            return Err(self.contradiction());
        };

        // All models are optimal now. Those flags are settled first that had better stay: the ones that are on, and the
        // late ones.
        let mut kept: Vec<bool> = keep.iter().map(|&lit| circuit.value(lit)).collect();
        for on in [true, false] {
            for index in (0..choices.len()).rev() {
                let (Some(choice), Some(&lit)) = (choices.get(index), keep.get(index)) else { continue };
                if choice.before != on {
                    continue;
                }
                assumed.push(lit);
                if kept.get(index) == Some(&true) {
                    continue;
                }
                if circuit.solve(&assumed) {
                    kept = keep.iter().map(|&lit| circuit.value(lit)).collect();
                } else {
                    assumed.pop();
                }
            }
        }
        let needed = self.needed_at_least(&mut assumed);
        let mut solution = Solution::default();
        let mut is_on = BTreeMap::new();
        for (index, (_, member)) in self.members().into_iter().enumerate() {
            is_on.extend(member.iuse.defaults().map(|(flag, _)| ((index, flag), member.is_on(flag))));
            if needed.get(index) == Some(&true) {
                solution.needed.push(member.package.cpv.clone());
            }
        }
        for (choice, _) in choices.iter().zip(kept).filter(|(_, kept)| !kept) {
            let Some((_, member)) = self.members().get(choice.member).copied() else { continue };
            let package = member.package.cpv.clone();
            solution.changes.push(Change { package, flag: choice.flag.clone(), on: !choice.before });
            is_on.insert((choice.member, choice.flag), !choice.before);
        }
        Ok((solution, is_on, needed))
    }

    /// The members that can't be spared under these assumptions, the late ones being spared first.
    fn needed_at_least(&mut self, assumed: &mut Vec<Lit>) -> Vec<bool> {
        let mut needed = Vec::new();
        for (lit, _) in self.members().into_iter().rev() {
            assumed.push(!lit);
            let is_spared = self.circuit.solve(assumed);
            if !is_spared {
                assumed.pop();
            }
            needed.push(!is_spared);
        }
        needed.reverse();
        needed
    }

    /// The demands that exclude each other, reduced until none can be left out.
    fn contradiction(mut self) -> Contradiction {
        let mut core: Vec<_> = self.demands.iter().map(|(lit, _)| *lit).collect();
        let mut index = core.len();
        while index > 0 {
            index -= 1;
            let mut fewer = core.clone();
            fewer.remove(index);
            if !self.circuit.solve(&fewer) {
                // What the refusal did not need can go at once.
                let used = self.circuit.core();
                let before =
                    fewer.iter().take(index).filter(|lit| used.contains(lit) || used.contains(&!**lit));
                let still = before.count();
                fewer.retain(|lit| used.contains(lit) || used.contains(&!*lit));
                core = fewer;
                index = still;
            }
        }
        let reasons = self.demands.into_iter().filter(|(lit, _)| core.contains(lit));
        Contradiction { reasons: reasons.map(|(_, reason)| reason).collect() }
    }
}
