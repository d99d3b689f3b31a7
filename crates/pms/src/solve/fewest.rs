//! A search for a solution of a SAT problem in which as few soft literals as possible are false.
//! The search is guided by cores: sets of assumed literals that can't all be true.

use std::collections::BTreeMap;

use batsat::Lit;

use crate::solve::gates::Circuit;

/// A counter of the false literals of one core. `allowed` of these literals may be false without
/// further cost. If more than `n` are false, `outputs[n]` is true.
struct Counter {
    outputs: Vec<Lit>,
    allowed: usize,
}

/// Finds a solution in which all literals in `hard` are true, and as many as possible of those in
/// `soft`. Returns literals to assume: every solution in which they are true is such a best
/// solution. Returns `None` if the literals in `hard` can't all be true.
///
/// Each core of soft literals costs one, since one of its literals has to be false. The core is
/// then replaced by a counter, which allows one literal of the core to be false, and a second one
/// at the cost of one more (the OLL algorithm).
pub(super) fn fewest(circuit: &mut Circuit, hard: &[Lit], soft: &[Lit]) -> Option<Vec<Lit>> {
    let mut counters: Vec<Counter> = Vec::new();
    // The assumed literals, each with its position in the order of assumption. The literal of a
    // counter also has the counter's index.
    let mut active: BTreeMap<Lit, (usize, Option<usize>)> = BTreeMap::new();
    let mut order = 0;
    for &lit in soft {
        active.insert(lit, (order, None));
        order += 1;
    }
    loop {
        let mut assumed: Vec<(usize, Lit)> = active
            .iter()
            .map(|(&lit, &(order, _))| (order, lit))
            .collect();
        assumed.sort_unstable();
        let assumed: Vec<Lit> = hard
            .iter()
            .copied()
            .chain(assumed.into_iter().map(|(_, lit)| lit))
            .collect();
        if circuit.solve(&assumed) {
            return Some(assumed);
        }
        let mut core: Vec<Lit> = circuit
            .core()
            .into_iter()
            .map(|lit| core_literal(&active, lit))
            .collect();
        core.retain(|lit| active.contains_key(lit));
        core.sort_unstable();
        core.dedup();
        if core.is_empty() {
            return None;
        }
        for lit in &core {
            let Some((_, Some(index))) = active.remove(lit) else {
                continue;
            };
            // One more literal of that counter may be false now.
            if let Some(counter) = counters.get_mut(index) {
                counter.allowed += 1;
                if let Some(&next) = counter.outputs.get(counter.allowed) {
                    active.insert(!next, (order, Some(index)));
                    order += 1;
                }
            }
        }
        if core.len() > 1 {
            let failing: Vec<Lit> = core.iter().map(|&lit| !lit).collect();
            let outputs = circuit.counter(&failing);
            if let Some(&second) = outputs.get(1) {
                active.insert(!second, (order, Some(counters.len())));
                order += 1;
            }
            counters.push(Counter {
                outputs,
                allowed: 1,
            });
        }
    }
}

/// Returns the assumed literal that `lit`, a literal of a core, stands for. The solver's core may
/// contain the assumed literal or its negation.
fn core_literal(active: &BTreeMap<Lit, (usize, Option<usize>)>, lit: Lit) -> Lit {
    if active.contains_key(&lit) { lit } else { !lit }
}
