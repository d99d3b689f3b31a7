//! Whether a tree holds, and which part of it does not.

use crate::spec::{Leaf, Node, Spec};

/// What a part of a tree comes to.
///
/// A part may be absent: a conditional whose flag is in the other state, and a bracket in which
/// everything is absent. An absent part is no alternative of an any-of group and is not counted.
/// Portage works so in `check_required_use` and `use_reduce`.
type Outcome = Option<bool>;

impl<T: Leaf> Node<T> {
    /// `None` if the part is absent, and else whether it holds.
    pub fn outcome(
        &self,
        is_on: &impl Fn(&str) -> bool,
        leaf: &mut impl FnMut(&T) -> bool,
    ) -> Outcome {
        let mut count = |nodes: &[Self]| {
            let mut present = (0_usize, 0_usize);
            for node in nodes {
                if let Some(holds) = node.outcome(is_on, leaf) {
                    present = (present.0 + 1, present.1 + usize::from(holds));
                }
            }
            present
        };
        match self {
            Self::Leaf(value) => Some(leaf(value)),
            Self::All(nodes) => {
                let (present, holding) = count(nodes);
                (present > 0).then_some(holding == present)
            }
            Self::Any(nodes) => Some(count(nodes).1 > 0),
            Self::ExactlyOne(nodes) => Some(count(nodes).1 == 1),
            Self::AtMostOne(nodes) => Some(count(nodes).1 <= 1),
            Self::If { flag, on, nodes } => {
                if is_on(flag.as_str()) != *on {
                    return None;
                }
                let (present, holding) = count(nodes);
                // In REQUIRED_USE a condition that is met counts even if nothing follows from it.
                (present > 0 || T::EMPTY_GROUPS).then_some(holding == present)
            }
        }
    }
}

impl<T: Leaf> Spec<T> {
    /// Whether all parts hold, given the flags that are on and which leaves hold.
    pub fn holds(&self, is_on: impl Fn(&str) -> bool, mut leaf: impl FnMut(&T) -> bool) -> bool {
        self.nodes
            .iter()
            .all(|node| node.outcome(&is_on, &mut leaf) != Some(false))
    }
}
