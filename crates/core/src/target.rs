//! Targets of a registry, and sets of them.

use std::borrow::Borrow;

/// A target of one [`Registry`](crate::Registry): the position of the target in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target(pub(crate) usize);

/// A set of targets of one [`Registry`](crate::Registry), of any size.
///
/// Sets of two registries must not be mixed: a number means nothing without its registry.
///
/// ```
/// use rocpkg_core::{Registry, TargetSet};
///
/// let registry = Registry::builder().processors(["gfx90a", "gfx942"]).build()?;
/// let both = registry.all();
/// let one = registry.set(["gfx942"])?;
/// assert!(one.is_subset(&both) && both.difference(&one).len() == 1);
/// # Ok::<(), rocpkg_core::RegistryError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetSet {
    /// One bit for each target of the registry: set if the target is in the set. The last word is
    /// never zero, so that equal sets compare as equal.
    words: Vec<u64>,
}

/// The number of bits in a word of a set.
const BITS: usize = u64::BITS as usize;

impl TargetSet {
    /// The set with no target.
    pub const EMPTY: Self = Self { words: Vec::new() };

    /// Returns the set with one target.
    pub fn of(target: Target) -> Self {
        let mut set = Self::EMPTY;
        set.insert(target);
        set
    }

    /// Adds a target.
    pub fn insert(&mut self, target: Target) {
        let (word, bit) = (target.0 / BITS, target.0 % BITS);
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        if let Some(word) = self.words.get_mut(word) {
            *word |= 1 << bit;
        }
    }

    /// Returns true if the target is in the set.
    pub fn contains(&self, target: Target) -> bool {
        let word = self.words.get(target.0 / BITS);
        word.is_some_and(|word| word & (1 << (target.0 % BITS)) != 0)
    }

    /// Returns the targets that are in at least one of the two sets.
    #[must_use]
    pub fn union(&self, other: impl Borrow<Self>) -> Self {
        self.each_word(other.borrow(), |a, b| a | b)
    }

    /// Returns the targets that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: impl Borrow<Self>) -> Self {
        self.each_word(other.borrow(), |a, b| a & b)
    }

    /// Returns the targets of this set that are not in `other`.
    #[must_use]
    pub fn difference(&self, other: impl Borrow<Self>) -> Self {
        self.each_word(other.borrow(), |a, b| a & !b)
    }

    /// Returns true if every target of this set is also in `other`.
    pub fn is_subset(&self, other: impl Borrow<Self>) -> bool {
        self.difference(other).is_empty()
    }

    /// Returns true if the set has no target.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the number of targets.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Returns the targets in the registry's order.
    pub fn iter(&self) -> impl Iterator<Item = Target> + Clone + '_ {
        (0..self.words.len() * BITS)
            .map(Target)
            .filter(|target| self.contains(*target))
    }

    fn each_word(&self, other: &Self, of: impl Fn(u64, u64) -> u64) -> Self {
        let len = self.words.len().max(other.words.len());
        let word = |words: &[u64], at: usize| words.get(at).copied().unwrap_or_default();
        let both = |at| of(word(&self.words, at), word(&other.words, at));
        let mut words: Vec<u64> = (0..len).map(both).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        Self { words }
    }
}

impl FromIterator<Target> for TargetSet {
    fn from_iter<I: IntoIterator<Item = Target>>(targets: I) -> Self {
        let mut set = Self::EMPTY;
        targets.into_iter().for_each(|target| set.insert(target));
        set
    }
}
