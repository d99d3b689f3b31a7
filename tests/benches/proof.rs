//! How long the proof of the whole stack takes, and the same questions put to a SAT solver.
//!
//! `cargo bench -p rocpkg-tests`

use batsat::{BasicSolver, Lit, SolverInterface, Var, lbool};
use divan::{Bencher, black_box};
use rocpkg::model::{Findings, TargetRelation};
use rocpkg::resolve::{Choice, DISTROS, Dependency, Model, Plan, prove};
use rocpkg::targets::{CoverOptions, Kind, Registry, TargetSet};
use rocpkg::{Backend, Stack};

fn main() {
    divan::main();
}

fn stack() -> (Model, Vec<Plan>) {
    let (model, _) = Model::load(&[(String::new(), rocpkg::profiles())]);
    let plans = DISTROS
        .iter()
        .filter_map(|d| Plan::new(&model, d, &Choice::Shipped, &mut Findings::default()))
        .collect();
    (model, plans)
}

/// All three distributions.
#[divan::bench]
fn proof_of_the_whole_stack(bencher: Bencher) {
    let (model, plans) = stack();
    let stack = Stack::new(model, &rocpkg::templates()).expect("templates");
    let registry = stack.model().registry.as_ref().expect("a registry");
    let recipes = plans.iter().zip(Backend::ALL).map(|(plan, backend)| {
        (plan, stack.recipes(backend, plan, &mut Findings::default()).expect("templates"))
    });
    let all: Vec<_> = recipes.collect();
    bencher.bench(|| all.iter().map(|(p, r)| prove(black_box(p), registry, r).edges).sum::<usize>());
}

/// Every `covers` edge of the three distributions: is there a choice that builds one end for a target and not the other?
#[divan::bench]
fn edges_by_batsat(bencher: Bencher) {
    let (model, plans) = stack();
    let registry = model.registry.as_ref().expect("a registry");
    let edges: Vec<(TargetSet, TargetSet)> = plans.iter().flat_map(|p| edges(p, registry)).collect();
    bencher.bench(|| edges.iter().filter(|(a, b)| hole(*a, *b, registry)).count());
}

/// The fewest targets for every GPU of the registry.
#[divan::bench]
fn cover_of_every_gpu(bencher: Bencher) {
    let (model, _) = stack();
    let registry = model.registry.as_ref().expect("a registry");
    let options = CoverOptions { patched: true, generic: true };
    bencher.bench(|| registry.cover(registry.of_kind(Kind::Processor), registry.all(), options).is_ok());
}

fn edges(plan: &Plan, registry: &Registry) -> Vec<(TargetSet, TargetSet)> {
    let built = |id: &str| -> Option<TargetSet> {
        let t = plan.get(id)?.targets.as_ref()?;
        Some(t.default.iter().chain(&t.offered).filter_map(|n| registry.get(n)).collect())
    };
    let mut out = Vec::new();
    for p in &plan.packages {
        for e in &p.depends {
            let covers = e.edge.targets.as_ref().is_some_and(|t| t.value == TargetRelation::Covers);
            if let (true, Dependency::Package(id)) = (covers, &e.to)
                && let (Some(ours), Some(theirs)) = (built(&p.id), built(id))
            {
                out.push((ours, theirs));
            }
        }
    }
    out
}

fn hole(ours: TargetSet, theirs: TargetSet, registry: &Registry) -> bool {
    let mut solver = BasicSolver::default();
    let mut some = Vec::new();
    for t in registry.all() {
        let [chosen, one, other]: [Var; 3] = std::array::from_fn(|_| solver.new_var_default());
        for (built, set) in [(one, ours), (other, theirs)] {
            // built <-> chosen, where the package follows the choice for this target
            solver.add_clause_reuse(&mut vec![Lit::new(built, false), Lit::new(chosen, true)]);
            let clause = if set.contains(t) { [built, chosen].to_vec() } else { vec![built] };
            let mut clause: Vec<Lit> =
                clause.iter().map(|v| Lit::new(*v, set.contains(t) && *v == built)).collect();
            solver.add_clause_reuse(&mut clause);
        }
        let lacks = solver.new_var_default();
        solver.add_clause_reuse(&mut vec![Lit::new(lacks, false), Lit::new(one, true)]);
        solver.add_clause_reuse(&mut vec![Lit::new(lacks, false), Lit::new(other, false)]);
        some.push(Lit::new(lacks, true));
    }
    solver.add_clause_reuse(&mut some);
    solver.solve_limited(&[]) == lbool::TRUE
}
