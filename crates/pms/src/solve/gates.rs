//! Formulas as clauses of a SAT problem. Each gate is a new variable that is true exactly if its
//! formula is true.

use batsat::{BasicSolver, Lit, SolverInterface, lbool};

/// A truth value that is known, or that is the value of a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Bit {
    Known(bool),
    Lit(Lit),
}

impl Bit {
    pub(super) fn not(self) -> Self {
        match self {
            Self::Known(value) => Self::Known(!value),
            Self::Lit(lit) => Self::Lit(!lit),
        }
    }
}

/// A SAT solver to which formulas can be added.
#[derive(Default)]
pub(super) struct Circuit {
    solver: BasicSolver,
}

impl Circuit {
    /// Adds a variable. The solver tries the value false first.
    pub(super) fn variable(&mut self) -> Lit {
        Lit::new(self.solver.new_var(lbool::FALSE, true), true)
    }

    pub(super) fn clause(&mut self, lits: impl IntoIterator<Item = Lit>) {
        self.solver
            .add_clause_reuse(&mut lits.into_iter().collect());
    }

    /// Requires `bit` whenever `condition` is assumed.
    pub(super) fn require(&mut self, condition: Lit, bit: Bit) {
        match bit {
            Bit::Known(true) => {}
            Bit::Known(false) => self.clause([!condition]),
            Bit::Lit(lit) => self.clause([!condition, lit]),
        }
    }

    pub(super) fn or(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        let mut inputs = Vec::new();
        for bit in bits {
            match bit {
                Bit::Known(true) => return bit,
                Bit::Known(false) => {}
                Bit::Lit(lit) => inputs.push(lit),
            }
        }
        match inputs.as_slice() {
            [] => Bit::Known(false),
            [only] => Bit::Lit(*only),
            _ => {
                let out = self.variable();
                for &input in &inputs {
                    self.clause([!input, out]);
                }
                inputs.push(!out);
                self.clause(inputs);
                Bit::Lit(out)
            }
        }
    }

    pub(super) fn and(&mut self, bits: impl IntoIterator<Item = Bit>) -> Bit {
        let negated: Vec<Bit> = bits.into_iter().map(Bit::not).collect();
        self.or(negated).not()
    }

    /// Adds two formulas: one that any of the bits is true, and one that more than one is. Their
    /// size is linear in the number of bits.
    pub(super) fn any_and_more(&mut self, bits: &[Bit]) -> (Bit, Bit) {
        let mut any = Bit::Known(false);
        let mut more = Bit::Known(false);
        for &bit in bits {
            let second = self.and([any, bit]);
            more = self.or([more, second]);
            any = self.or([any, bit]);
        }
        (any, more)
    }

    /// Adds a literal for each input. If `k` of the inputs are true, the first `k` of these
    /// literals are true. The converse is not encoded, because the literals are only used to
    /// forbid.
    pub(super) fn counter(&mut self, inputs: &[Lit]) -> Vec<Lit> {
        let (left, right) = match inputs {
            [] | [_] => return inputs.to_vec(),
            _ => inputs.split_at(inputs.len() / 2),
        };
        let (left, right) = (self.counter(left), self.counter(right));
        let out: Vec<Lit> = inputs.iter().map(|_| self.variable()).collect();
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                let Some(&sum) = (i + j).checked_sub(1).and_then(|index| out.get(index)) else {
                    continue;
                };
                let left = i
                    .checked_sub(1)
                    .and_then(|index| left.get(index))
                    .map(|&lit| !lit);
                let right = j
                    .checked_sub(1)
                    .and_then(|index| right.get(index))
                    .map(|&lit| !lit);
                self.clause(left.into_iter().chain(right).chain([sum]));
            }
        }
        out
    }

    /// Returns true if the clauses have a model in which all assumed literals are true.
    pub(super) fn solve(&mut self, assumed: &[Lit]) -> bool {
        self.solver.solve_limited(assumed) == lbool::TRUE
    }

    /// Returns the value of a literal in the last model.
    pub(super) fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }

    /// Returns the assumptions that made the last call of `solve` return false.
    pub(super) fn core(&self) -> Vec<Lit> {
        self.solver.unsat_core().to_vec()
    }
}
