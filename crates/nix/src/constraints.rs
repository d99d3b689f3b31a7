//! What must hold between features: where it does not, `meta.broken` says so before anything is built.

use crate::expr::{NixExpr, Operator};
use crate::lower::Lower;
use rocpkg_model::{Cond, Constraint};
use rocpkg_resolve::{Alternatives, Group, Planned};

/// What a distribution fixes, as an answer to the conditions of a constraint.
fn fixed(p: &Planned) -> impl Fn(&Cond) -> Option<bool> {
    |cond| match cond {
        Cond::Feature(name) => p.package.features.get(name)?.fixed.as_ref().map(|on| on.value),
        _ => None,
    }
}

/// The conditions under which a constraint does not hold; each of them alone is enough.
fn broken_by(p: &Planned, constraint: &Constraint) -> Vec<Cond> {
    let known = fixed(p);
    let not = |cond: Cond| if let Cond::Not(inner) = cond { *inner } else { Cond::Not(Box::new(cond)) };
    let when = match constraint.when.as_ref().map(|w| w.cond.reduce(&known)) {
        Some(Ok(false)) => return Vec::new(),
        Some(Err(when)) => Some(when),
        Some(Ok(true)) | None => None,
    };
    let mut out = Vec::new();
    match constraint.need.as_ref().map(|n| n.cond.reduce(&known)) {
        Some(Err(need)) => out.push(not(need)),
        // It is always so where `when` holds.
        Some(Ok(false)) => out.extend(when.clone()),
        Some(Ok(true)) | None => {}
    }
    for (kind, list) in Alternatives::of(constraint) {
        match kind.left(list, &known) {
            Group::NoneOf(open) => out.extend(open),
            Group::Among(open) => {
                if kind != Alternatives::AnyOf {
                    let rest = |i: usize| open.iter().skip(i + 1);
                    let pairs = open.iter().enumerate().flat_map(|(i, a)| rest(i).map(move |b| (a, b)));
                    out.extend(pairs.map(|(a, b)| Cond::All(vec![a.clone(), b.clone()])));
                }
                if kind != Alternatives::AtMostOne {
                    out.push(Cond::All(open.into_iter().map(not).collect()));
                }
            }
            Group::Holds | Group::Fails => {}
        }
    }
    let under = |cond: Cond| match &when {
        Some(when) if *when != cond => Cond::All(vec![when.clone(), cond]),
        _ => cond,
    };
    out.into_iter().map(under).collect()
}

/// Whether a condition asks for a GPU target. A scope asks for several at once, so the proof looks at those.
fn names_targets(cond: &Cond) -> bool {
    match cond {
        Cond::Target(_) => true,
        Cond::Not(inner) => names_targets(inner),
        Cond::All(all) | Cond::Any(all) => all.iter().any(names_targets),
        Cond::Feature(_) | Cond::Release(_) => false,
    }
}

/// The constraints, by their places in the list, that `meta.broken` can't say. The file that puts parts together has no switches.
pub(crate) fn unsaid(p: &Planned) -> impl Iterator<Item = usize> {
    let parts = p.package.nix.as_ref().is_some_and(|n| n.parts);
    let all = p.package.constraints.iter().enumerate();
    let lost = move |c: &Constraint| {
        let broken = broken_by(p, c);
        parts && !broken.is_empty() || broken.iter().any(names_targets)
    };
    all.filter(move |(_, c)| lost(c)).map(|(i, _)| i)
}

impl Lower<'_> {
    /// When features are chosen that do not go together.
    pub(crate) fn unfit_features(&self) -> Option<NixExpr> {
        let left: Vec<usize> = unsaid(self.planned).collect();
        let said = self.package.constraints.iter().enumerate().filter(|(i, _)| !left.contains(i));
        let conds = said.flat_map(|(_, c)| broken_by(self.planned, c));
        NixExpr::join(Operator::Or, conds.map(|c| self.cond(&c)))
    }
}
