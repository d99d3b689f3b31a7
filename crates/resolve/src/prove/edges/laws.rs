//! The closed form agrees with a SAT solver on random packages.

use crate::prove::built::Built;
use batsat::{BasicSolver, Lit, SolverInterface, Var, lbool};
use proptest::prelude::*;
use rocpkg_model::{Findings, parse};
use rocpkg_targets::{Registry, Target, TargetSet};

const TARGETS: usize = 12;

fn registry() -> Registry {
    let rows =
        (0..TARGETS).map(|i| format!("  gfx{i}: {{family: any, kind: dGPU, llvm: \"19\"}}\n"));
    let text = format!("processors:\n{}", rows.collect::<String>());
    let mut findings = Findings::default();
    let node = parse(0, &text, &mut findings).unwrap();
    Registry::read(&node, &mut findings).unwrap()
}

fn all(registry: &Registry) -> Vec<Target> {
    registry.all().iter().collect()
}

/// Asks the solver whether some choice out of `universe` builds `ours` for `target` and `theirs` not.
fn solver_finds(
    ours: &Built,
    theirs: &Built,
    universe: TargetSet,
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
    let var = chosen[targets.iter().position(|t| *t == target).unwrap()];
    let mut build = |b: &Built| {
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
        let ours = Built { follows: a, always: b, ..Built::default() };
        let theirs = Built { follows: c, always: d, ..Built::default() };
        let holes = ours.not_built_by(&theirs, u);
        for t in &targets {
            let found = solver_finds(&ours, &theirs, u, &targets, *t);
            prop_assert_eq!(found, holes.contains(*t), "target {}", registry.name(*t));
        }
    }

    #[test]
    fn an_edge_without_holes_holds_for_every_choice(bits in sets(), choice in 0u16..1 << TARGETS) {
        let registry = registry();
        let targets = all(&registry);
        let [a, b, c, d, u] = bits.map(|bits| pick(&targets, bits));
        let ours = Built { follows: a, always: b, ..Built::default() };
        let theirs = Built { follows: c, always: d, ..Built::default() };
        let choice = pick(&targets, choice).intersection(u);
        let lacking = ours.of(choice).difference(theirs.of(choice));
        prop_assert!(lacking.is_subset(ours.not_built_by(&theirs, u)));
    }
}
