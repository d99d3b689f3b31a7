//! Compares the holes that `Coverage::not_built_by` computes with those of a SAT solver, on random
//! packages.

use batsat::{BasicSolver, Lit, SolverInterface, Var, lbool};
use proptest::prelude::*;
use rocpkg_core::{Coverage, Registry, Target, TargetSet};

const TARGETS: usize = 12;

fn registry() -> Registry {
    let names = (0..TARGETS).map(|at| format!("gfx{at}"));
    Registry::builder()
        .processors(names)
        .build()
        .expect("names that differ")
}

fn all(registry: &Registry) -> Vec<Target> {
    registry.all().iter().collect()
}

/// Returns true if the SAT solver finds a choice of targets in `universe` by which `ours` is built
/// for `target` and `theirs` is not.
fn solver_finds(
    ours: &Coverage,
    theirs: &Coverage,
    universe: &TargetSet,
    targets: &[Target],
    target: Target,
) -> bool {
    let mut solver = BasicSolver::default();
    let chosen: Vec<Var> = targets.iter().map(|_| solver.new_var_default()).collect();
    for (var, t) in chosen.iter().zip(targets) {
        if !universe.contains(*t) {
            solver.add_clause_reuse(&mut vec![Lit::new(*var, false)]);
        }
    }
    let var = chosen[targets.iter().position(|t| *t == target).expect("a target")];
    let mut build = |b: &Coverage| {
        // built <-> always | (follows & chosen)
        let built = Lit::new(solver.new_var_default(), true);
        let choice = Lit::new(var, true);
        if b.always.contains(target) {
            solver.add_clause_reuse(&mut vec![built]);
        } else if b.follows.contains(target) {
            solver.add_clause_reuse(&mut vec![!built, choice]);
            solver.add_clause_reuse(&mut vec![built, !choice]);
        } else {
            solver.add_clause_reuse(&mut vec![!built]);
        }
        built
    };
    let (ours, theirs) = (build(ours), build(theirs));
    solver.add_clause_reuse(&mut vec![ours]);
    solver.add_clause_reuse(&mut vec![!theirs]);
    solver.solve_limited(&[]) == lbool::TRUE
}

fn sets() -> impl Strategy<Value = [u16; 5]> {
    prop::array::uniform5(0u16..1 << TARGETS)
}

fn pick(targets: &[Target], bits: u16) -> TargetSet {
    targets
        .iter()
        .enumerate()
        .filter(|(i, _)| bits & (1 << i) != 0)
        .map(|(_, t)| *t)
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_solver_finds_the_same_holes(bits in sets()) {
        let registry = registry();
        let targets = all(&registry);
        let [a, b, c, d, u] = bits.map(|bits| pick(&targets, bits));
        let ours = Coverage { follows: a, always: b };
        let theirs = Coverage { follows: c, always: d };
        let holes = ours.not_built_by(&theirs, &u);
        for t in &targets {
            let found = solver_finds(&ours, &theirs, &u, &targets, *t);
            prop_assert_eq!(found, holes.contains(*t), "target {}", registry.name(*t));
        }
    }
}
