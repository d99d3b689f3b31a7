//! Formulas as clauses of a SAT problem. Each formula gets a new variable that is true exactly if
//! the formula is true.

use batsat::{BasicSolver, Lit, SolverInterface, lbool};

/// A truth value that is known before solving, or the value of a literal.
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

    /// Adds the clause that `bit` is true if the literal `condition` is true.
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

    /// Adds two formulas, and returns a bit for each. The first is true if any of `bits` is, the
    /// second if more than one is. The number of clauses is linear in the number of bits.
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

    /// Adds and returns as many literals as there are inputs. If `k` of the inputs are true, the
    /// first `k` of the returned literals are true. The converse is not encoded, because the
    /// returned literals are only used to forbid that many inputs are true.
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

    /// Returns true if the clauses have a solution in which all literals in `assumed` are true.
    pub(super) fn solve(&mut self, assumed: &[Lit]) -> bool {
        self.solver.solve_limited(assumed) == lbool::TRUE
    }

    /// Returns the value of a literal in the solution that the last call of `solve` found.
    pub(super) fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }

    /// Returns the core of the last call of `solve` that returned false: assumed literals that
    /// can't all be true.
    pub(super) fn core(&self) -> Vec<Lit> {
        self.solver.unsat_core().to_vec()
    }
}
