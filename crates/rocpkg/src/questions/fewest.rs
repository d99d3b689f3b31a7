//! The fewest targets when packages differ in what they can be built for.
//!
//! Of each package some chosen target must load on each GPU. GPUs that share no candidate are independent, and each
//! group of the registry has fewer than a dozen candidates, so all its subsets are tried, the small ones first.

use rocpkg_targets::{Registry, Target, TargetSet, Via};
use std::collections::BTreeSet;

/// One target of a smallest set, and why it is there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pick {
    /// The target.
    pub target: Target,
    /// The GPUs that load its code best of all that is built, in some package.
    pub serves: TargetSet,
    /// The GPUs that some package can serve by nothing else.
    pub only_for: TargetSet,
    /// The packages that build it, where not all do.
    pub built_by: Vec<String>,
}

/// Groups of candidates beyond which trying all subsets would take long.
const MOST: usize = 20;

/// What a package can be built for, and whether code for a compatible GPU serves it.
pub(super) type Able = (TargetSet, bool);

/// A smallest set of targets such that every package of `able` has code for every GPU. Of equally small ones the one
/// whose code fits best, then the first in the registry's order. Nothing when a GPU can't be served, or a group of the
/// registry is too large to try.
pub(super) fn fewest(registry: &Registry, gpus: TargetSet, able: &[Able]) -> Option<Vec<Pick>> {
    let classes: Vec<Able> = able.iter().copied().collect::<BTreeSet<_>>().into_iter().collect();
    let loads = |code: Target, gpu: Target, class: Able| registry.loads_on(code, gpu, class.1);
    let serving = |gpu: Target, class: Able| -> TargetSet {
        class.0.iter().filter(|t| loads(*t, gpu, class).is_some()).collect()
    };
    let mut chosen = TargetSet::EMPTY;
    for group in groups(gpus, |gpu| classes.iter().fold(TargetSet::EMPTY, |s, c| s.union(serving(gpu, *c)))) {
        let needs: BTreeSet<TargetSet> = group
            .gpus
            .iter()
            .flat_map(|g| classes.iter().map(move |c| (g, *c)))
            .map(|(g, c)| serving(g, c))
            .collect();
        let candidates: Vec<Target> = group.candidates.iter().collect();
        if candidates.len() > MOST {
            return None;
        }
        let fit = |set: TargetSet| -> usize {
            let best = |gpu: Target, class: Able| -> Option<Via> {
                set.intersection(class.0).iter().filter_map(|t| loads(t, gpu, class)).max()
            };
            let all = group.gpus.iter().flat_map(|g| classes.iter().map(move |c| (g, *c)));
            all.filter_map(|(g, c)| best(g, c)).map(|via| via as usize).sum()
        };
        let mut found: Option<(usize, std::cmp::Reverse<usize>, TargetSet)> = None;
        for bits in 0u32..1 << candidates.len() {
            let size = bits.count_ones() as usize;
            if found.as_ref().is_some_and(|(least, ..)| size > *least) {
                continue;
            }
            let set: TargetSet = candidates
                .iter()
                .enumerate()
                .filter(|(i, _)| bits & (1 << i) != 0)
                .map(|(_, t)| *t)
                .collect();
            if needs.iter().all(|n| !n.is_disjoint(set)) {
                let rank = (size, std::cmp::Reverse(fit(set)));
                if found.as_ref().is_none_or(|(s, f, _)| rank < (*s, *f)) {
                    found = Some((rank.0, rank.1, set));
                }
            }
        }
        chosen = chosen.union(found?.2);
    }
    let pick = |target: Target| {
        let takes = |gpu: &Target| {
            classes.iter().filter(|c| c.0.contains(target)).any(|c| {
                let best = chosen.intersection(c.0).iter().filter_map(|t| loads(t, *gpu, *c)).max();
                best.is_some() && loads(target, *gpu, *c) == best
            })
        };
        let alone = |gpu: &Target| classes.iter().any(|c| serving(*gpu, *c) == TargetSet::of(target));
        Pick {
            target,
            serves: gpus.iter().filter(takes).collect(),
            only_for: gpus.iter().filter(alone).collect(),
            built_by: Vec::new(),
        }
    };
    Some(chosen.iter().map(pick).collect())
}

/// GPUs and the candidates that serve them, apart from all others.
#[derive(Clone, Copy)]
struct Group {
    gpus: TargetSet,
    candidates: TargetSet,
}

fn groups(gpus: TargetSet, candidates: impl Fn(Target) -> TargetSet) -> Vec<Group> {
    let mut out: Vec<Group> = Vec::new();
    for gpu in gpus {
        let mut group = Group { gpus: TargetSet::of(gpu), candidates: candidates(gpu) };
        out.retain(|other| {
            let apart = other.candidates.is_disjoint(group.candidates);
            if !apart {
                group.gpus = group.gpus.union(other.gpus);
                group.candidates = group.candidates.union(other.candidates);
            }
            apart
        });
        out.push(group);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Stack;
    use rocpkg_targets::Kind;

    fn registry() -> Registry {
        Stack::shipped().unwrap().registry().unwrap().clone()
    }

    fn set(registry: &Registry, names: &str) -> TargetSet {
        names.split_whitespace().map(|n| registry.get(n).unwrap()).collect()
    }

    /// What a package is built for that can be built for all of these.
    fn chosen(r: &Registry, gpus: TargetSet, able: TargetSet, patched: bool) -> Option<TargetSet> {
        Some(fewest(r, gpus, &[(able, patched)])?.iter().map(|p| p.target).collect())
    }

    #[test]
    fn one_package_is_built_for_the_fewest_that_fit_best() {
        let r = registry();
        let gpus = set(&r, "gfx90a gfx900 gfx906 gfx1031 gfx1035 gfx1100 gfx1103");
        let plain = r.all().difference(r.of_kind(Kind::Generic));
        let shown = |able, patched| r.show(chosen(&r, gpus, able, patched).unwrap()).to_string();
        assert_eq!(chosen(&r, gpus, plain, false), Some(gpus));
        assert_eq!(shown(plain, true), "gfx900 gfx90a gfx1031 gfx1100 gfx1103");
        assert_eq!(shown(r.all(), false), "gfx90a gfx9-generic gfx10-3-generic gfx11-generic");
        assert_eq!(shown(r.all(), true), "gfx900 gfx90a gfx1031 gfx11-generic");
        assert_eq!(chosen(&r, gpus, set(&r, "gfx900 gfx1030"), false), None);
        assert_eq!(chosen(&r, TargetSet::EMPTY, r.all(), false), Some(TargetSet::EMPTY));
    }

    #[test]
    fn every_gpu_is_served_at_once() {
        let r = registry();
        let gpus = r.of_kind(Kind::Processor);
        let all = chosen(&r, gpus, r.all(), true).unwrap();
        assert_eq!(r.reach(all, true, true), gpus);
        // 14 old ones, gfx908, gfx90a, gfx1250, gfx1251 alone, and the six generics.
        assert_eq!(all.len(), 24);
    }

    #[test]
    fn no_smaller_set_serves() {
        let r = registry();
        let (all, processors): (Vec<Target>, Vec<Target>) =
            (r.all().iter().collect(), r.of_kind(Kind::Processor).iter().collect());
        for (at, step) in (0..processors.len()).flat_map(|at| (1..6).map(move |step| (at, step))) {
            let gpus: TargetSet = processors.iter().cycle().skip(at).step_by(step).take(6).copied().collect();
            let others = all.iter().cycle().skip(at * step).step_by(7).take(5).copied().collect();
            // Half the time the GPUs themselves are candidates, so that a set exists.
            let own = if at % 2 == 0 { gpus } else { gpus.iter().step_by(2).collect() };
            let able: Vec<Target> = own.union(others).iter().collect();
            for patched in [false, true] {
                let sets = (0u32..1 << able.len()).map(|bits| -> TargetSet {
                    able.iter().enumerate().filter(|(i, _)| bits & (1 << i) != 0).map(|(_, t)| *t).collect()
                });
                let serves = sets.filter(|set| gpus.is_subset(r.reach(*set, patched, true)));
                let found = chosen(&r, gpus, own.union(others), patched).map(TargetSet::len);
                assert_eq!(found, serves.map(TargetSet::len).min(), "{}", r.show(gpus));
            }
        }
    }

    #[test]
    fn packages_may_serve_a_gpu_by_different_targets() {
        let r = registry();
        let able = [(set(&r, "gfx1030 gfx1100"), false), (set(&r, "gfx10-3-generic gfx1100"), false)];
        let picks = fewest(&r, set(&r, "gfx1030 gfx1100"), &able).unwrap();
        let names: Vec<&str> = picks.iter().map(|p| r.name(p.target)).collect();
        assert_eq!(names, ["gfx1030", "gfx1100", "gfx10-3-generic"]);
        assert!(fewest(&r, set(&r, "gfx1031"), &able).is_none());
    }
}
