//! Sets of targets as 64 bits.

/// A target of one [`Registry`](crate::Registry), interned: a small number that the registry turns into a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Target(pub(crate) u8);

impl Target {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// A set of targets of one [`Registry`](crate::Registry), held in 64 bits.
///
/// Sets of two registries must not be mixed: a bit means nothing without its registry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetSet(pub(crate) u64);

impl TargetSet {
    /// The set with no target.
    pub const EMPTY: Self = Self(0);

    /// The set with one target.
    pub fn of(target: Target) -> Self {
        Self(1 << target.0)
    }

    /// Adds a target.
    pub fn insert(&mut self, target: Target) {
        *self = self.union(Self::of(target));
    }

    /// Whether the target is in the set.
    pub fn contains(self, target: Target) -> bool {
        self.0 & (1 << target.0) != 0
    }

    /// The targets of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The targets of both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The targets of this set that the other lacks.
    #[must_use]
    pub fn difference(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether every target is also in the other set.
    pub fn is_subset(self, other: Self) -> bool {
        self.difference(other).is_empty()
    }

    /// Whether there is no target.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The number of targets.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// The targets in the registry's order.
    pub fn iter(self) -> impl Iterator<Item = Target> + Clone {
        (0..64)
            .map(Target)
            .filter(move |target| self.contains(*target))
    }
}

impl FromIterator<Target> for TargetSet {
    fn from_iter<I: IntoIterator<Item = Target>>(targets: I) -> Self {
        targets
            .into_iter()
            .fold(Self::EMPTY, |set, target| set.union(Self::of(target)))
    }
}
