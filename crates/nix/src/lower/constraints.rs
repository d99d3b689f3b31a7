//! Lowers constraints between features to `meta.broken`. If a constraint does not hold, Nix reports
//! this before anything is built.

use crate::lower::Lower;
use crate::lower::targets::ASKED;
use crate::value::expr::{NixExpr, Operator, named};
use crate::value::text::open_names;
use rocpkg_model::{Cond, Constraint};
use rocpkg_resolve::{Alternatives, Group, Planned};

/// The largest number of features that are tested pair by pair (`a && b || a && c`). If a
/// constraint has more features, those that are on are counted.
const MOST_PAIRED: usize = 3;

fn not(cond: Cond) -> Cond {
    if let Cond::Not(inner) = cond {
        *inner
    } else {
        Cond::Not(Box::new(cond))
    }
}

/// Returns the conditions under which a constraint does not hold. If one of them is true, the
/// constraint is broken. The list is empty if the constraint always holds. A constraint that never
/// holds was reported before. `print` returns the expression of a condition.
fn breach(p: &Planned, constraint: &Constraint, print: &dyn Fn(&Cond) -> NixExpr) -> Vec<NixExpr> {
    let known = |cond: &Cond| p.fixed_answer(cond);
    let when = match constraint.when.as_ref().map(|w| w.cond.reduce(&known)) {
        Some(Ok(false)) => return Vec::new(),
        Some(Err(when)) => Some(print(&when)),
        Some(Ok(true)) | None => None,
    };
    let none_of = |open: Vec<Cond>| print(&Cond::All(open.into_iter().map(not).collect()));
    let (mut by, mut always) = (Vec::new(), false);
    match constraint.need.as_ref().map(|n| n.cond.reduce(&known)) {
        Some(Err(need)) => by.push(print(&not(need))),
        Some(Ok(false)) => always = true,
        Some(Ok(true)) | None => {}
    }
    for (kind, list) in Alternatives::of(constraint) {
        match kind.left(list, &known) {
            Group::Holds => {}
            Group::Fails => always = true,
            Group::NoneOf(open) => by.extend(open.iter().map(print)),
            Group::Among(open) if kind == Alternatives::AnyOf => by.push(none_of(open)),
            Group::Among(open) if open.len() > MOST_PAIRED => {
                let one = kind == Alternatives::ExactlyOne;
                let operator = if one {
                    Operator::Differs
                } else {
                    Operator::Greater
                };
                let count = [named("lib.id"), NixExpr::list(open.iter().map(print))];
                by.push(NixExpr::binary(
                    operator,
                    NixExpr::call("lib.count", count),
                    NixExpr::Int(1),
                ));
            }
            Group::Among(open) => {
                for (i, a) in open.iter().enumerate() {
                    let rest = open[i + 1..].iter();
                    by.extend(rest.map(|b| print(&Cond::All(vec![a.clone(), b.clone()]))));
                }
                if kind == Alternatives::ExactlyOne {
                    by.push(none_of(open));
                }
            }
        }
    }
    if always {
        by.clear();
    } else if by.is_empty() {
        return by;
    }
    let Some(when) = when.filter(|when| by != std::slice::from_ref(when)) else {
        return by;
    };
    let both = std::iter::once(when).chain(NixExpr::join(Operator::Or, by));
    NixExpr::join(Operator::And, both).into_iter().collect()
}

impl Lower<'_> {
    /// Returns the condition under which the chosen features break a constraint, or `None` if no
    /// constraint can be broken. The second value has the indices of the constraints that
    /// `meta.broken` can't express. There are two kinds of them. A constraint that names GPU
    /// targets is left to the proof, because a scope is built for several targets at once. And no
    /// constraint of a package in parts can be expressed, because the file that joins the parts has
    /// no arguments for features.
    pub(crate) fn unfit(&self) -> (Option<NixExpr>, Vec<usize>) {
        let (mut said, mut unsaid) = (Vec::new(), Vec::new());
        for (i, constraint) in self.package.constraints.iter().enumerate() {
            let breach = breach(self.planned, constraint, &|cond| self.cond(cond));
            let names_targets = breach.iter().flat_map(open_names).any(|name| name == ASKED);
            if !breach.is_empty() && (self.nix.parts || names_targets) {
                unsaid.push(i);
            } else {
                said.extend(breach);
            }
        }
        (NixExpr::join(Operator::Or, said), unsaid)
    }
}
