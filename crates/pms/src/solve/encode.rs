//! Encodes a [`Problem`] as clauses for a SAT solver. Each demand on the solution (a [`Reason`])
//! has a literal. The clauses of the demand are in force only if the solver assumes this literal.

use batsat::Lit;

use crate::atom::{Atom, Blocker, UseDep, UseDepKind, UseState};
use crate::name::{Cpn, Flag};
use crate::solve::cycles::Edge;
use crate::solve::gates::{Bit, Circuit};
use crate::solve::problem::{Member, Problem, Reason};
use crate::spec::{Leaf, Node};

/// The clauses that encode a [`Problem`].
pub(super) struct Encoding<'a> {
    pub(super) circuit: Circuit,
    /// The demands, each with the literal that the solver assumes to put the demand in force.
    pub(super) demands: Vec<(Lit, Reason)>,
    /// For each member, the literals of its flags in the order of IUSE.
    flags: Vec<Vec<Lit>>,
    /// For each member, the literal that is true if the member has to be installed.
    needed: Vec<Lit>,
    problem: &'a Problem,
}

/// A flag whose state the solver may change.
pub(super) struct FreeFlag<'a> {
    pub(super) member: usize,
    pub(super) flag: &'a Flag,
    pub(super) before: bool,
    /// The literal that is true if the flag is on.
    pub(super) lit: Lit,
}

impl<'a> Encoding<'a> {
    pub(super) fn of(problem: &'a Problem) -> Self {
        let mut circuit = Circuit::default();
        let members = &problem.members;
        let flags = members
            .iter()
            .map(|member| (0..member.iuse.len()).map(|_| circuit.variable()).collect());
        let flags: Vec<Vec<Lit>> = flags.collect();
        let needed = members.iter().map(|_| circuit.variable()).collect();
        let mut this = Self {
            circuit,
            demands: Vec::new(),
            flags,
            needed,
            problem,
        };
        this.add_wishes();
        for index in 0..problem.members.len() {
            this.add_member(index);
        }
        this
    }

    /// Returns all flags that may change, in the order of the members and of their IUSE.
    pub(super) fn choices(&self) -> Vec<FreeFlag<'a>> {
        let mut found = Vec::new();
        for (index, member) in self.problem.members.iter().enumerate() {
            let lits = self.flags.get(index).into_iter().flatten();
            for ((flag, _), &lit) in member.iuse.defaults().zip(lits) {
                if !member.fixed.contains_key(flag) {
                    found.push(FreeFlag {
                        member: index,
                        flag,
                        before: member.is_on(flag.as_str()),
                        lit,
                    });
                }
            }
        }
        found
    }

    /// Returns all members in order, each with the literal that is true if the member has to be
    /// installed.
    pub(super) fn members(&self) -> Vec<(Lit, &'a Member)> {
        self.needed
            .iter()
            .copied()
            .zip(&self.problem.members)
            .collect()
    }

    /// Adds the demand that at least one step of a cycle does not apply. `cycle` contains the
    /// positions of its members.
    pub(super) fn add_cycle(&mut self, cycle: &[usize], edges: &[Edge<'_>]) {
        let mut steps = Vec::new();
        for (at, &from) in cycle.iter().enumerate() {
            let to = cycle.get(at + 1).or(cycle.first()).copied().unwrap_or(from);
            let mut ways = Vec::new();
            for edge in edges
                .iter()
                .filter(|edge| edge.from == from && edge.to == to)
            {
                let state = |(flag, on): &(&Flag, bool)| {
                    let bit = self.flag(from, flag).unwrap_or(Bit::Known(false));
                    if *on { bit } else { bit.not() }
                };
                let conditions: Vec<Bit> = edge.under.iter().map(state).collect();
                ways.push(self.circuit.and(conditions));
            }
            let way = self.circuit.or(ways);
            steps.push(self.circuit.and([self.needed(from), way]));
        }
        let taken = self.circuit.and(steps);
        let packages = cycle
            .iter()
            .filter_map(|&index| self.problem.members.get(index));
        let demand = self.demand(Reason::Cycle(
            packages.map(|member| member.package.cpv.clone()).collect(),
        ));
        self.circuit.require(demand, taken.not());
    }

    fn demand(&mut self, reason: Reason) -> Lit {
        let lit = self.circuit.variable();
        self.demands.push((lit, reason));
        lit
    }

    fn needed(&self, member: usize) -> Bit {
        self.needed
            .get(member)
            .map_or(Bit::Known(false), |&lit| Bit::Lit(lit))
    }

    /// Returns the positions of the members that are versions of a package.
    fn members_of(&self, cpn: &Cpn) -> Vec<usize> {
        let members = self.problem.members.iter().enumerate();
        members
            .filter(|(_, member)| member.package.cpv.cpn == *cpn)
            .map(|(index, _)| index)
            .collect()
    }

    fn add_wishes(&mut self) {
        for cpn in &self.problem.wanted {
            let there: Vec<Bit> = self
                .members_of(cpn)
                .into_iter()
                .map(|index| self.needed(index))
                .collect();
            let bit = self.circuit.or(there);
            let demand = self.demand(Reason::Wanted(cpn.clone()));
            self.circuit.require(demand, bit);
        }
        for wish in &self.problem.wishes {
            let demand = self.demand(Reason::Wish(wish.clone()));
            for index in self.members_of(&wish.package) {
                let bit = match self.flag(index, &wish.flag) {
                    Some(bit) if wish.on => bit,
                    Some(bit) => bit.not(),
                    None => Bit::Known(!wish.on),
                };
                // A version that is not needed need not grant the wish.
                let spared = self.needed(index).not();
                let bit = self.circuit.or([spared, bit]);
                self.circuit.require(demand, bit);
            }
        }
    }

    fn add_member(&mut self, index: usize) {
        let problem = self.problem;
        let Some(member) = problem.members.get(index) else {
            return;
        };
        let name = || member.package.cpv.clone();
        for (flag, &on) in &member.fixed {
            let Some(bit) = self.flag(index, flag) else {
                continue;
            };
            let demand = self.demand(Reason::Fixed {
                package: name(),
                flag: flag.clone(),
                on,
            });
            self.circuit
                .require(demand, if on { bit } else { bit.not() });
        }
        for node in &member.required_use.nodes {
            let (present, holds) = self.node(index, node, &mut |this, leaf| {
                let bit = this.flag(index, &leaf.flag).unwrap_or(Bit::Known(false));
                if leaf.on { bit } else { bit.not() }
            });
            let part = node.clone();
            self.add_part(
                index,
                present,
                holds,
                Reason::RequiredUse {
                    package: name(),
                    part,
                },
            );
        }
        for node in &member.depends.nodes {
            let (present, holds) = self.node(index, node, &mut |this, atom| this.atom(index, atom));
            let reason = Reason::Dependency {
                package: name(),
                part: node.clone(),
                notes: self.notes(node),
            };
            self.add_part(index, present, holds, reason);
        }
    }

    /// Adds the demand `reason`: if the member is needed and the part is present, the part holds.
    /// The part is one node of the member's `REQUIRED_USE` or dependencies.
    fn add_part(&mut self, member: usize, present: Bit, holds: Bit, reason: Reason) {
        let spared = self.needed(member).not();
        let bit = self.circuit.or([spared, present.not(), holds]);
        if bit != Bit::Known(true) {
            let demand = self.demand(reason);
            self.circuit.require(demand, bit);
        }
    }

    /// Returns the state of a flag of a member, or `None` if the member has no such flag.
    fn flag(&self, member: usize, flag: &Flag) -> Option<Bit> {
        let of = self.problem.members.get(member)?;
        match of.iuse.index_of(flag.as_str()) {
            Some(index) => self.flags.get(member)?.get(index).map(|&lit| Bit::Lit(lit)),
            None => of.state.get(flag).map(|&on| Bit::Known(on)),
        }
    }

    /// Encodes [`Node::outcome`]. Returns two bits: the first is true if the part is present, the
    /// second if the part holds.
    fn node<T: Leaf>(
        &mut self,
        member: usize,
        node: &Node<T>,
        leaf: &mut impl FnMut(&mut Self, &T) -> Bit,
    ) -> (Bit, Bit) {
        if let Node::Leaf(value) = node {
            return (Bit::Known(true), leaf(self, value));
        }
        let (mut present, mut met, mut unmet) = (Vec::new(), Vec::new(), Vec::new());
        for child in node.children() {
            let (is_there, holds) = self.node(member, child, leaf);
            present.push(is_there);
            met.push(self.circuit.and([is_there, holds]));
            unmet.push(self.circuit.and([is_there, holds.not()]));
        }
        match node {
            Node::Leaf(_) | Node::All(_) => {
                (self.circuit.or(present), self.circuit.or(unmet).not())
            }
            Node::Any(_) => (Bit::Known(true), self.circuit.or(met)),
            Node::ExactlyOne(_) => {
                let (any, more) = self.circuit.any_and_more(&met);
                (Bit::Known(true), self.circuit.and([any, more.not()]))
            }
            Node::AtMostOne(_) => (Bit::Known(true), self.circuit.any_and_more(&met).1.not()),
            Node::If { flag, on, .. } => {
                let bit = self.flag(member, flag).unwrap_or(Bit::Known(false));
                let condition = if *on { bit } else { bit.not() };
                let some = if T::EMPTY_GROUPS {
                    Bit::Known(true)
                } else {
                    self.circuit.or(present)
                };
                (
                    self.circuit.and([condition, some]),
                    self.circuit.or(unmet).not(),
                )
            }
        }
    }

    /// Encodes that the dependency `atom` of a member is met. Returns a bit that is true if it is.
    /// A dependency on a package that is not part of the problem counts as met.
    fn atom(&mut self, member: usize, atom: &Atom) -> Bit {
        let known = self.members_of(atom.cpn());
        if known.is_empty() {
            return Bit::Known(true);
        }
        let mut fitting = Vec::new();
        for index in known {
            if self
                .problem
                .members
                .get(index)
                .is_some_and(|other| other.fits(atom))
            {
                let mut bits = vec![self.needed(index)];
                for entry in atom.use_deps() {
                    bits.push(self.use_dep(member, index, entry, atom.blocker().is_some()));
                }
                fitting.push(self.circuit.and(bits));
            }
        }
        let met = self.circuit.or(fitting);
        match atom.blocker() {
            None => met,
            Some(Blocker::Weak | Blocker::Strong) => met.not(),
        }
    }

    /// Encodes [`Atom::matches_use`] for one USE dependency. `here` is the position of the member
    /// that has the dependency, `there` that of the member that the atom names. `blocks` is set if
    /// the atom is a blocker.
    fn use_dep(&mut self, here: usize, there: usize, entry: &UseDep, blocks: bool) -> Bit {
        let default = entry.default.map(Bit::Known);
        let ours = self.flag(here, &entry.flag).unwrap_or(Bit::Known(false));
        let Some(theirs) = self.flag(there, &entry.flag).or(default) else {
            return match entry.kind {
                UseDepKind::IfEnabled if blocks => ours.not(),
                UseDepKind::IfDisabled if blocks => ours,
                _ => Bit::Known(false),
            };
        };
        match entry.kind {
            UseDepKind::Enabled => theirs,
            UseDepKind::Disabled => theirs.not(),
            UseDepKind::IfEnabled => self.circuit.or([ours.not(), theirs]),
            UseDepKind::IfDisabled => self.circuit.or([ours, theirs.not()]),
            UseDepKind::Equal => self.same(ours, theirs),
            UseDepKind::Opposite => self.same(ours, theirs).not(),
        }
    }

    fn same(&mut self, a: Bit, b: Bit) -> Bit {
        let both = self.circuit.and([a, b]);
        let neither = self.circuit.and([a.not(), b.not()]);
        self.circuit.or([both, neither])
    }

    /// Returns the reasons why the dependencies in `node` may not be met, for the message: no
    /// version of a named package matches, or a named flag is missing.
    fn notes(&self, node: &Node<Atom>) -> Vec<String> {
        let mut notes = Vec::new();
        for atom in node.leaves() {
            let known = self.members_of(atom.cpn());
            let members = |index: &usize| self.problem.members.get(*index);
            let fitting: Vec<&Member> = known
                .iter()
                .filter_map(members)
                .filter(|member| member.fits(atom))
                .collect();
            if !known.is_empty() && fitting.is_empty() && atom.blocker().is_none() {
                notes.push(format!(
                    "no known version matches {}",
                    atom.without_use_deps()
                ));
            }
            for member in fitting {
                for entry in atom.use_deps() {
                    if entry.default.is_none() && !member.has(entry.flag.as_str()) {
                        notes.push(format!(
                            "{} has no USE flag `{}`",
                            member.package.cpv, entry.flag
                        ));
                    }
                }
            }
        }
        notes.dedup();
        notes
    }
}
