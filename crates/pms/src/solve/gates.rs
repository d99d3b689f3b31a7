//! Formulas as clauses: each gate is a new variable that is true exactly when its formula is.

use batsat::{BasicSolver, Lit, SolverInterface, lbool};

/// A truth value that is known or depends on a literal.
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

/// A solver with gates.
#[derive(Default)]
pub(super) struct Circuit {
    solver: BasicSolver,
}

impl Circuit {
    /// A new variable, which the solver tries to make false first.
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

    /// Whether any of them is true, and whether more than one is; linear in their number.
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

    /// Literals of which the first `k` are true if `k` of the inputs are. Only that direction is
    /// needed: they are used to forbid.
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

    /// Whether there is a model in which all of these hold.
    pub(super) fn solve(&mut self, assumed: &[Lit]) -> bool {
        self.solver.solve_limited(assumed) == lbool::TRUE
    }

    /// The value in the last model.
    pub(super) fn value(&self, lit: Lit) -> bool {
        self.solver.value_lit(lit) == lbool::TRUE
    }

    /// The assumptions that the last refusal came from.
    pub(super) fn core(&self) -> Vec<Lit> {
        self.solver.unsat_core().to_vec()
    }
}
