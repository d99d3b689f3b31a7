//! What must hold between features: groups of alternatives, and what becomes of them once some have
//! an answer.

use rocpkg_model::{Cond, Constraint, Node, Span, Spanned};

/// The condition that a list of a constraint names; what can't be read is the name of no feature.
pub(crate) fn one(text: &str) -> Cond {
    Cond::parse(text).unwrap_or_else(|_| Cond::Feature(text.to_owned()))
}

/// What becomes of a group of alternatives once some of them have an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// It holds.
    Holds,
    /// It can't hold.
    Fails,
    /// It holds where none of these does.
    NoneOf(Vec<Cond>),
    /// It is asked of these, as it was of all.
    Among(Vec<Cond>),
}

/// The alternatives of a constraint: how many of them may hold.
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
    /// The groups of a constraint.
    pub fn of(constraint: &Constraint) -> [(Self, &[Spanned<String>]); 3] {
        [
            (Self::ExactlyOne, &constraint.exactly_one),
            (Self::AtMostOne, &constraint.at_most_one),
            (Self::AnyOf, &constraint.any_of),
        ]
    }

    /// What is left of a group where `known` answers some of what it names; a list that is empty
    /// asks for nothing.
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

/// Where a constraint can't hold with these answers; none where it may.
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
