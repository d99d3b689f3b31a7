//! The fewest sets that cover a universe, by exact branch and bound over bits.

/// One set that may be chosen: its elements, and what each chosen element is worth through it.
pub(crate) struct Candidate {
    pub(crate) elements: u64,
    pub(crate) worth: [u8; 64],
}

/// Indices of a smallest cover of `universe`; among those, of greatest worth (each element counts its best chosen
/// candidate); among those, the first in lexicographic order. Nothing when no cover exists.
///
/// Elements that share no candidate, directly or through others, are solved apart: the registry's families never
/// meet, so that the search stays within one family.
pub(crate) fn min_cover(universe: u64, candidates: &[Candidate]) -> Option<Vec<usize>> {
    let mut left = universe;
    let mut chosen = Vec::new();
    while left != 0 {
        let mut part = left & left.wrapping_neg();
        loop {
            let touching = candidates.iter().filter(|c| c.elements & part != 0);
            let grown = touching.fold(part, |p, c| p | (c.elements & universe));
            if grown == part {
                break;
            }
            part = grown;
        }
        let mut search = Search { universe: part, candidates, best: None };
        search.descend(part, &mut Vec::new());
        chosen.extend(search.best?.chosen);
        left &= !part;
    }
    chosen.sort_unstable();
    Some(chosen)
}

struct Best {
    chosen: Vec<usize>,
    worth: u32,
}

struct Search<'a> {
    universe: u64,
    candidates: &'a [Candidate],
    best: Option<Best>,
}

impl Search<'_> {
    /// Every cover picks a candidate for each element, so branching on one uncovered element loses none.
    fn descend(&mut self, uncovered: u64, chosen: &mut Vec<usize>) {
        if uncovered == 0 {
            let mut sorted = chosen.clone();
            sorted.sort_unstable();
            let worth = self.worth(&sorted);
            let better = self.best.as_ref().is_none_or(|best| {
                (sorted.len(), best.worth, &sorted) < (best.chosen.len(), worth, &best.chosen)
            });
            if better {
                self.best = Some(Best { chosen: sorted, worth });
            }
            return;
        }
        let widest = self.candidates.iter().map(|c| (c.elements & uncovered).count_ones()).max().unwrap_or(0);
        if widest == 0 {
            return;
        }
        let bound = chosen.len() + uncovered.count_ones().div_ceil(widest) as usize;
        if self.best.as_ref().is_some_and(|best| bound > best.chosen.len()) {
            return;
        }
        let serving = |bit: u32| self.candidates.iter().filter(|c| c.elements >> bit & 1 == 1).count();
        let Some(bit) = (0..64).filter(|bit| uncovered >> bit & 1 == 1).min_by_key(|bit| serving(*bit))
        else {
            return;
        };
        for (index, candidate) in self.candidates.iter().enumerate() {
            if candidate.elements >> bit & 1 == 1 {
                chosen.push(index);
                self.descend(uncovered & !candidate.elements, chosen);
                chosen.pop();
            }
        }
    }

    fn worth(&self, chosen: &[usize]) -> u32 {
        worth(self.universe, self.candidates, chosen)
    }
}

fn worth(universe: u64, candidates: &[Candidate], chosen: &[usize]) -> u32 {
    let best = |bit: usize| {
        let through = chosen.iter().map(|i| &candidates[*i]).filter(|c| c.elements >> bit & 1 == 1);
        through.map(|c| u32::from(c.worth[bit])).max().unwrap_or(0)
    };
    (0..64).filter(|bit| universe >> bit & 1 == 1).map(best).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute_force(universe: u64, candidates: &[Candidate]) -> Option<Vec<usize>> {
        (0u32..1 << candidates.len())
            .map(|mask| (0..candidates.len()).filter(|i| mask >> i & 1 == 1).collect::<Vec<_>>())
            .filter(|chosen| {
                chosen.iter().fold(0, |all, i| all | candidates[*i].elements) & universe == universe
            })
            .min_by_key(|chosen| {
                (chosen.len(), std::cmp::Reverse(worth(universe, candidates, chosen)), chosen.clone())
            })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn equals_brute_force(
            universe in 0u64..1 << 12,
            sets in prop::collection::vec((0u64..1 << 12, 0u64..1 << 12, prop::array::uniform12(0u8..4)), 0..=12),
        ) {
            // Meeting two random sets thins them, so that covers need several.
            let candidates: Vec<Candidate> = sets
                .into_iter()
                .map(|(a, b, points)| {
                    let mut worth = [0; 64];
                    worth[..12].copy_from_slice(&points);
                    Candidate { elements: a & b, worth }
                })
                .collect();
            prop_assert_eq!(min_cover(universe, &candidates), brute_force(universe, &candidates));
        }
    }

    #[test]
    fn nothing_to_cover_needs_nothing() {
        assert_eq!(min_cover(0, &[]), Some(vec![]));
        assert_eq!(min_cover(1, &[]), None);
    }
}
