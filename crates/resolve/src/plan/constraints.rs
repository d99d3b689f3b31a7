//! Constraints between features, such as `exactly-one: [a, b, c]`: lists of alternatives, and the
//! state of a list when some of its conditions are decided.

use rocpkg_model::{Cond, Constraint, Node, Span, Spanned};

/// Parses an element of a constraint's list as a condition. A text that can't be parsed is read as
/// the name of a feature. No package has a feature of that name, so validation reports the text.
pub(crate) fn one(text: &str) -> Cond {
    Cond::parse(text).unwrap_or_else(|_| Cond::Feature(text.to_owned()))
}

/// The state of a constraint's list when some of its conditions are known to be true or false.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// The constraint holds, whatever the undecided conditions are.
    Holds,
    /// The constraint can't hold any more.
    Fails,
    /// The constraint holds if none of these undecided conditions holds. `exactly-one: [a, b, c]`
    /// with a true `a` -> `b`, `c`.
    NoneOf(Vec<Cond>),
    /// The constraint applies to these undecided conditions alone. `exactly-one: [a, b, c]` with a
    /// false `a` -> `b`, `c`.
    Among(Vec<Cond>),
}

/// The kind of a constraint's list: the number of its conditions that must hold.
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
    /// Returns the three lists of a constraint, each with its kind. A list that is not stated is
    /// empty.
    pub fn of(constraint: &Constraint) -> [(Self, &[Spanned<String>]); 3] {
        [
            (Self::ExactlyOne, &constraint.exactly_one),
            (Self::AtMostOne, &constraint.at_most_one),
            (Self::AnyOf, &constraint.any_of),
        ]
    }

    /// Returns the state of `list`, a list of this kind. `known` returns true or false for a
    /// condition that is decided, and `None` for any other. An empty list holds.
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

/// Returns the place at which `constraint` can't hold: its `need`, or the first element of a list.
/// `node` is the tree of the package. `known` returns true or false for a condition that is
/// decided, and `None` for any other. Returns `None` if the constraint may hold, or if its `when`
/// is false.
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
