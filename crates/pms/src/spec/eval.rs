//! Evaluates trees: decides if a tree holds, and which of its parts do not.

use crate::spec::{Leaf, Node, Spec};

/// The value of a part of a tree: `Some(true)` if the part holds, `Some(false)` if it does not, and
/// `None` if it is absent.
///
/// Two kinds of parts can be absent: a conditional whose flag is in the other state, and a bracket
/// in which everything is absent. An absent part is no alternative of an any-of group and is not
/// counted. Portage does the same in `check_required_use` and `use_reduce`.
type Outcome = Option<bool>;

impl<T: Leaf> Node<T> {
    /// Returns `None` if the part is absent, `Some(true)` if it holds and `Some(false)` if it does
    /// not. `is_on` returns true for each flag that is on, and `leaf` for each leaf that holds.
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
                // In REQUIRED_USE a condition that is met counts even if its group is empty.
                (present > 0 || T::EMPTY_GROUPS).then_some(holding == present)
            }
        }
    }
}

impl<T: Leaf> Spec<T> {
    /// Returns true if all parts hold or are absent. `is_on` returns true for each flag that is on,
    /// and `leaf` for each leaf that holds.
    pub fn holds(&self, is_on: impl Fn(&str) -> bool, mut leaf: impl FnMut(&T) -> bool) -> bool {
        self.nodes
            .iter()
            .all(|node| node.outcome(&is_on, &mut leaf) != Some(false))
    }
}
