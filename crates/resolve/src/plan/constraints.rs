//! Constraints between features: groups of alternatives, and the state of a group once some of the
//! alternatives have an answer.

use rocpkg_model::{Cond, Constraint, Node, Span, Spanned};

/// Parses a condition in a list of a constraint. A text that can't be parsed is read as a feature,
/// which no package has.
pub(crate) fn one(text: &str) -> Cond {
    Cond::parse(text).unwrap_or_else(|_| Cond::Feature(text.to_owned()))
}

/// The state of a group of alternatives once some of them have an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// The group holds.
    Holds,
    /// The group can't hold.
    Fails,
    /// The group holds if none of these conditions holds.
    NoneOf(Vec<Cond>),
    /// The rule of the group applies to these remaining conditions.
    Among(Vec<Cond>),
}

/// The number of alternatives that may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alternatives {
    /// Exactly one.
    ExactlyOne,
    /// One or none.
    AtMostOne,
    /// One or more.
    AnyOf,
}

impl Alternatives {
    /// Returns the groups of a constraint.
    pub fn of(constraint: &Constraint) -> [(Self, &[Spanned<String>]); 3] {
        [
            (Self::ExactlyOne, &constraint.exactly_one),
            (Self::AtMostOne, &constraint.at_most_one),
            (Self::AnyOf, &constraint.any_of),
        ]
    }

    /// Returns the state of a group after `known` answers some of its conditions. An empty list
    /// holds.
    pub fn left(self, list: &[Spanned<String>], known: &impl Fn(&Cond) -> Option<bool>) -> Group {
        if list.is_empty() {
            return Group::Holds;
        }
        let mut on = 0;
        let mut open = Vec::new();
        for item in list {
            match one(&item.value).reduce(known) {
                Ok(true) => on += 1,
                Ok(false) => {}
                Err(left) => open.push(left),
            }
        }
        match (self, on, open.len()) {
            (Self::AnyOf, 1.., _) | (Self::AtMostOne, 0, 0 | 1) | (_, 1, 0) => Group::Holds,
            (Self::ExactlyOne | Self::AtMostOne, 2.., _) | (_, 0, 0) => Group::Fails,
            (_, 1.., _) => Group::NoneOf(open),
            _ => Group::Among(open),
        }
    }
}

/// Returns the place of a constraint that can't hold with the answers of `known`. Returns `None` if
/// it may hold.
pub(crate) fn broken(
    constraint: &Constraint,
    node: &Node,
    known: &impl Fn(&Cond) -> Option<bool>,
) -> Option<Span> {
    if constraint
        .when
        .as_ref()
        .is_some_and(|w| w.cond.reduce(known) == Ok(false))
    {
        return None;
    }
    let place = |list: &[Spanned<String>]| list.first().map_or(node.span, |s| s.span);
    let need = constraint
        .need
        .as_ref()
        .filter(|n| n.cond.reduce(known) == Ok(false))
        .map(|n| n.span);
    let groups = Alternatives::of(constraint);
    let group = groups
        .iter()
        .find(|(kind, list)| kind.left(list, known) == Group::Fails);
    need.or_else(|| group.map(|(_, list)| place(list)))
}
