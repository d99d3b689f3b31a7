//! Finds the fewest flags to change so that a set of packages is consistent, or the demands that
//! exclude each other.

mod cycles;
mod encode;
mod fewest;
mod gates;
mod package_use;
mod problem;

use std::collections::BTreeMap;

use batsat::Lit;

pub use self::package_use::UseLine;
pub use self::problem::{Change, Contradiction, Member, Problem, Reason, Solution, Wish};
use crate::atom::UseState;
use crate::name::{Cpn, Flag};
use crate::solve::encode::Encoding;

impl Problem {
    /// Finds the fewest flags to change so that three conditions are met. Every package that has to
    /// be installed has its `REQUIRED_USE` and its dependencies met. No cycle of build dependencies
    /// remains. All wishes are granted.
    ///
    /// A wish counts as a change if the flag has another state before. Among equally small sets of
    /// changes, a set that turns flags on is preferred to one that turns flags off. After that, a
    /// change that comes early in the order of members and IUSE is preferred to a late change.
    ///
    /// # Errors
    /// When no set of changes meets the conditions. The error contains demands that can't be met
    /// together, so that without any one of them the others could be met. If the problem names
    /// unknown packages or flags, the error contains these names instead.
    pub fn solve(&self) -> Result<Solution, Contradiction> {
        let unknown = self.unknown_names();
        if !unknown.is_empty() {
            return Err(Contradiction { reasons: unknown });
        }
        let edges = cycles::edges(&self.members);
        // Each cycle that is found is ruled out, and the whole problem is solved anew.
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

    /// Returns the packages and flags that the problem names and that no member has: the wanted
    /// packages, the packages and flags of wishes, and the flags of each `REQUIRED_USE`.
    fn unknown_names(&self) -> Vec<Reason> {
        let mut found = Vec::new();
        let of = |cpn: &Cpn| -> Vec<&Member> {
            self.members
                .iter()
                .filter(|member| member.package.cpv.cpn == *cpn)
                .collect()
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
            } else if members.iter().all(|member| !member.has(wish.flag.as_str())) {
                found.push(Reason::UnknownFlag {
                    package: wish.package.clone(),
                    flag: wish.flag.clone(),
                });
            }
        }
        for member in &self.members {
            for flag in member
                .required_use
                .flags()
                .into_iter()
                .filter(|flag| !member.has(flag.as_str()))
            {
                let reason = Reason::UnknownFlag {
                    package: member.package.cpv.cpn.clone(),
                    flag: flag.clone(),
                };
                if !found.contains(&reason) {
                    found.push(reason);
                }
            }
        }
        found
    }
}

/// A solution, the state of each flag of each member in the solution, and for each member true if
/// it has to be installed. Members are given by their positions.
type FoundSolution<'a> = (Solution, BTreeMap<(usize, &'a Flag), bool>, Vec<bool>);

impl<'a> Encoding<'a> {
    /// Finds the fewest changes that meet all demands.
    fn smallest(mut self) -> Result<FoundSolution<'a>, Contradiction> {
        let choices = self.choices();
        let keep: Vec<_> = choices
            .iter()
            .map(|choice| {
                if choice.before {
                    choice.lit
                } else {
                    !choice.lit
                }
            })
            .collect();
        let hard: Vec<_> = self.demands.iter().map(|(lit, _)| *lit).collect();
        let circuit = &mut self.circuit;
        let Some(mut assumed) = fewest::fewest(circuit, &hard, &keep) else {
            return Err(self.contradiction());
        };

        // All models are optimal now. The flags that should rather stay are settled first: the ones
        // that are on, and the late ones.
        let mut kept: Vec<bool> = keep.iter().map(|&lit| circuit.value(lit)).collect();
        for on in [true, false] {
            for index in (0..choices.len()).rev() {
                let (Some(choice), Some(&lit)) = (choices.get(index), keep.get(index)) else {
                    continue;
                };
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
            is_on.extend(
                member
                    .iuse
                    .defaults()
                    .map(|(flag, _)| ((index, flag), member.is_on(flag.as_str()))),
            );
            if needed.get(index) == Some(&true) {
                solution.needed.push(member.package.cpv.clone());
            }
        }
        for (choice, _) in choices.iter().zip(kept).filter(|(_, kept)| !kept) {
            let Some((_, member)) = self.members().get(choice.member).copied() else {
                continue;
            };
            let package = member.package.cpv.clone();
            solution.changes.push(Change {
                package,
                flag: choice.flag.clone(),
                on: !choice.before,
            });
            is_on.insert((choice.member, choice.flag), !choice.before);
        }
        Ok((solution, is_on, needed))
    }

    /// Returns, for each member, true if it has to be installed in the solutions in which all
    /// literals in `assumed` are true. Members are left out if possible, the last one first. Adds
    /// the literal of each member that is left out to `assumed`.
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

    /// Returns demands that can't be met together, so that without any one of them the others could
    /// be met.
    fn contradiction(mut self) -> Contradiction {
        let mut core: Vec<_> = self.demands.iter().map(|(lit, _)| *lit).collect();
        let mut index = core.len();
        while index > 0 {
            index -= 1;
            let mut fewer = core.clone();
            fewer.remove(index);
            if !self.circuit.solve(&fewer) {
                // Demands that the solver did not use for its refusal can be dropped at once.
                let used = self.circuit.core();
                let before = fewer
                    .iter()
                    .take(index)
                    .filter(|lit| used.contains(lit) || used.contains(&!**lit));
                let still = before.count();
                fewer.retain(|lit| used.contains(lit) || used.contains(&!*lit));
                core = fewer;
                index = still;
            }
        }
        let reasons = self
            .demands
            .into_iter()
            .filter(|(lit, _)| core.contains(lit));
        Contradiction {
            reasons: reasons.map(|(_, reason)| reason).collect(),
        }
    }
}
