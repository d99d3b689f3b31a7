//! The cycles of dependencies that upstream has, and the ways in which a distribution breaks them.

use crate::plan::Plan;
use crate::plan::planned::Planned;
use rocpkg_model::{Cycle, External};

/// A cycle of dependencies between a package and a component.
#[derive(Clone, Copy, Debug)]
pub struct KnownCycle<'p> {
    /// The package or consumer whose facts state the cycle.
    pub package: &'p Planned,
    /// The component that the package and that needs the package.
    pub component: &'p str,
    /// The package or consumer that contains the component, if the distribution has one.
    pub other: Option<&'p Planned>,
    /// The reason, its source, and the way in which the distribution breaks the cycle.
    pub cycle: &'p Cycle,
}

impl Plan {
    /// Returns the cycles of which both ends exist in the distribution, or which it is stated to
    /// break.
    pub fn cycles(&self) -> impl Iterator<Item = KnownCycle<'_>> {
        self.with_consumers().flat_map(|package| {
            package.package.cycles.iter().filter_map(|(name, cycle)| {
                let other = self.packages.named(name).or_else(|| self.known(name));
                let outside = matches!(self.externals.get(name), Some(External::Named(_)));
                let is_there = other.is_some() || outside || cycle.broken_by.is_some();
                is_there.then_some(KnownCycle {
                    package,
                    component: name,
                    other,
                    cycle,
                })
            })
        })
    }
}

impl KnownCycle<'_> {
    /// Returns true if the package with this id is one of the two ends.
    pub fn touches(&self, id: &str) -> bool {
        self.package.id == id || self.other.is_some_and(|other| other.id == id)
    }

    /// Returns the cycle as a line of text. `distro` is the name of the distribution.
    pub fn text(&self, distro: &str) -> String {
        let other = self.other.map_or(self.component, |other| &other.name);
        let way = match &self.cycle.broken_by {
            Some(way) => format!("{distro} breaks it: {way}"),
            None => format!("no profile states how {distro} breaks it"),
        };
        format!(
            "{} and {other} need each other: {} ({}); {way}",
            self.package.name, self.cycle.reason, self.cycle.source
        )
    }
}
