//! The packages of a plan, in build order and by id.

use crate::plan::Planned;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// A plan's packages in build order. Each is found by its id without a look at the others.
#[derive(Clone, Debug, Default)]
pub struct Packages {
    list: Vec<Planned>,
    places: BTreeMap<String, usize>,
    /// The first package that holds a component.
    holders: BTreeMap<String, usize>,
}

impl Packages {
    /// The package with this id.
    pub fn by_id(&self, id: &str) -> Option<&Planned> {
        self.list.get(*self.places.get(id)?)
    }

    /// The first package that a component is part of.
    pub fn holding(&self, component: &str) -> Option<&Planned> {
        self.list.get(*self.holders.get(component)?)
    }

    /// Puts the packages in another order; those that it does not name are dropped.
    pub(crate) fn reorder(&mut self, order: impl IntoIterator<Item = usize>) {
        let mut old: Vec<Option<Planned>> = self.list.drain(..).map(Some).collect();
        *self = order.into_iter().filter_map(|i| old[i].take()).collect();
    }
}

impl FromIterator<Planned> for Packages {
    fn from_iter<T: IntoIterator<Item = Planned>>(all: T) -> Self {
        let list: Vec<Planned> = all.into_iter().collect();
        let (mut places, mut holders) = (BTreeMap::new(), BTreeMap::new());
        for (i, p) in list.iter().enumerate() {
            places.entry(p.id.clone()).or_insert(i);
            for component in &p.components {
                holders.entry(component.clone()).or_insert(i);
            }
        }
        Self { list, places, holders }
    }
}

impl Deref for Packages {
    type Target = [Planned];
    fn deref(&self) -> &[Planned] {
        &self.list
    }
}

/// For changes of what a package says; its id and its components stay.
impl DerefMut for Packages {
    fn deref_mut(&mut self) -> &mut [Planned] {
        &mut self.list
    }
}

impl<'a> IntoIterator for &'a Packages {
    type Item = &'a Planned;
    type IntoIter = std::slice::Iter<'a, Planned>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

impl<'a> IntoIterator for &'a mut Packages {
    type Item = &'a mut Planned;
    type IntoIter = std::slice::IterMut<'a, Planned>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter_mut()
    }
}
