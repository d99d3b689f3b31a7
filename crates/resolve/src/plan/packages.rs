//! The packages of a plan, in build order and by id.

use crate::plan::planned::Planned;
use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A plan's packages in build order. A package is found by its id without a search. A copy shares
/// the packages until one of the two is changed.
#[derive(Clone, Debug, Default)]
pub struct Packages(Arc<Shared>);

#[derive(Clone, Debug, Default)]
struct Shared {
    list: Vec<Planned>,
    places: BTreeMap<String, usize>,
    /// The index of the first package that contains a component, by component.
    holders: BTreeMap<String, usize>,
}

impl Packages {
    /// Returns the package with this id.
    pub fn by_id(&self, id: &str) -> Option<&Planned> {
        self.0.list.get(self.place(id)?)
    }

    /// Returns the first package that a component is part of.
    pub fn holding(&self, component: &str) -> Option<&Planned> {
        self.0.list.get(*self.0.holders.get(component)?)
    }

    /// Returns the package that a name in the profiles refers to: the package with this id, or else
    /// the first package that a component of this name is part of.
    pub fn named(&self, name: &str) -> Option<&Planned> {
        self.by_id(name).or_else(|| self.holding(name))
    }

    /// Returns the index of the package with this id.
    pub(crate) fn place(&self, id: &str) -> Option<usize> {
        self.0.places.get(id).copied()
    }

    /// Puts the packages in another order. `order` contains the current indices of the packages, in
    /// the new order.
    pub(crate) fn reorder(self, order: &[usize]) -> Self {
        let list = Arc::unwrap_or_clone(self.0).list;
        let mut list: Vec<Option<Planned>> = list.into_iter().map(Some).collect();
        Self::from(
            order
                .iter()
                .filter_map(|place| list[*place].take())
                .collect::<Vec<_>>(),
        )
    }

    /// Returns all names that refer to a package: ids, then components.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let Shared {
            places, holders, ..
        } = &*self.0;
        places.keys().chain(holders.keys()).map(String::as_str)
    }
}

impl From<Vec<Planned>> for Packages {
    fn from(list: Vec<Planned>) -> Self {
        let (mut places, mut holders) = (BTreeMap::new(), BTreeMap::new());
        for (i, p) in list.iter().enumerate() {
            places.entry(p.id.clone()).or_insert(i);
            for component in &p.components {
                holders.entry(component.clone()).or_insert(i);
            }
        }
        Self(Arc::new(Shared {
            list,
            places,
            holders,
        }))
    }
}

impl Deref for Packages {
    type Target = [Planned];
    fn deref(&self) -> &[Planned] {
        &self.0.list
    }
}

/// Gives access to change the facts of packages. Ids and components must stay the same.
impl DerefMut for Packages {
    fn deref_mut(&mut self) -> &mut [Planned] {
        &mut Arc::make_mut(&mut self.0).list
    }
}

impl<'a> IntoIterator for &'a Packages {
    type Item = &'a Planned;
    type IntoIter = std::slice::Iter<'a, Planned>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.list.iter()
    }
}
