//! What must hold between features: groups of alternatives, and what becomes of them once some have an answer.

use rocpkg_model::{Cond, Constraint, Finding, Findings, Node, Span, Spanned};
use std::collections::BTreeSet;

/// Reports what nobody chooses, and what stands in one list twice: a release is there or not, and a group counts what it names.
pub(crate) fn check(constraint: &Constraint, findings: &mut Findings) {
    let lists = Alternatives::of(constraint).map(|(_, list)| list);
    let listed = lists.into_iter().flatten().map(|item| (one(&item.value), item.span));
    let needed = constraint.need.iter().map(|need| (need.cond.clone(), need.span));
    for (cond, span) in needed.chain(listed).filter(|(cond, _)| !cond.releases().is_empty()) {
        let message = format!("nobody chooses the release in `{cond}`");
        let finding = Finding::error("E0222", span, message).label("expected features and targets");
        findings.push(finding.hint("a release is a condition of the constraint: `when`"));
    }
    if let Some(need) = constraint.need.as_ref().filter(|need| !can_hold(&need.cond)) {
        let finding = Finding::error("E0222", need.span, format!("`{}` never holds", need.cond));
        findings.push(finding.label("expected what some choice of features satisfies"));
    }
    for list in lists {
        let mut seen = BTreeSet::new();
        for item in list.iter().filter(|item| !seen.insert(one(&item.value).to_string())) {
            let finding = Finding::error("E0222", item.span, format!("`{}` stands here twice", item.value));
            findings.push(finding.label("expected each of them once"));
        }
    }
}

/// Of so many leaves all choices are tried.
const MOST_TRIED: usize = 10;

/// False for a condition that no choice of features and targets satisfies; true where it asks for too many to try.
fn can_hold(cond: &Cond) -> bool {
    let (features, targets) = (cond.features(), cond.targets());
    let names: BTreeSet<&str> = features.into_iter().chain(targets).collect();
    let names: Vec<&str> = names.into_iter().collect();
    if names.len() > MOST_TRIED {
        return true;
    }
    let chosen =
        |choice: usize, name: &str| names.iter().position(|n| *n == name).map(|at| choice >> at & 1 == 1);
    (0..1 << names.len()).any(|choice| {
        let known = |leaf: &Cond| match leaf {
            Cond::Feature(name) | Cond::Target(name) => chosen(choice, name),
            _ => None,
        };
        cond.reduce(&known) != Ok(false)
    })
}

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

    /// What is left of a group where `known` answers some of what it names; a list that is empty asks for nothing.
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
    if constraint.when.as_ref().is_some_and(|w| w.cond.reduce(known) == Ok(false)) {
        return None;
    }
    let place = |list: &[Spanned<String>]| list.first().map_or(node.span, |s| s.span);
    let need = constraint.need.as_ref().filter(|n| n.cond.reduce(known) == Ok(false)).map(|n| n.span);
    let groups = Alternatives::of(constraint);
    let group = groups.iter().find(|(kind, list)| kind.left(list, known) == Group::Fails);
    need.or_else(|| group.map(|(_, list)| place(list)))
}
