//! What must hold between features: where it does not, `meta.broken` says so before anything is built.

use crate::expr::{NixExpr, Operator};
use rocpkg_model::{Cond, Constraint};
use rocpkg_resolve::{Alternatives, Group, Planned};

/// So many features are asked for pair by pair; of more, those that are on are counted.
const MOST_PAIRED: usize = 3;

/// What breaks a package.
#[derive(Debug)]
enum Broken {
    /// That a condition holds.
    By(Cond),
    /// How many of these hold, compared with one.
    Count(Operator, Vec<Cond>),
}

impl Broken {
    fn printed(&self, print: &dyn Fn(&Cond) -> NixExpr) -> NixExpr {
        match self {
            Self::By(cond) => print(cond),
            Self::Count(operator, of) => {
                let count = [NixExpr::path("lib.id"), NixExpr::list(of.iter().map(print))];
                NixExpr::binary(*operator, NixExpr::call(NixExpr::path("lib.count"), count), NixExpr::Int(1))
            }
        }
    }
}

/// When a constraint does not hold.
#[derive(Debug)]
pub(crate) struct Breach {
    /// It asks for something only where this holds.
    when: Option<Cond>,
    /// Each of them alone is enough; where there is none, `when` is.
    by: Vec<Broken>,
}

impl Breach {
    /// Every condition in it.
    fn conds(&self) -> impl Iterator<Item = &Cond> {
        let by = self.by.iter().flat_map(|broken| match broken {
            Broken::By(cond) => std::slice::from_ref(cond),
            Broken::Count(_, of) => of.as_slice(),
        });
        self.when.iter().chain(by)
    }

    fn printed(&self, print: &dyn Fn(&Cond) -> NixExpr) -> Vec<NixExpr> {
        let by: Vec<NixExpr> = self.by.iter().map(|broken| broken.printed(print)).collect();
        let Some(when) = self.when.as_ref().map(print) else { return by };
        vec![match NixExpr::join(Operator::Or, by) {
            Some(by) => NixExpr::binary(Operator::And, when, by),
            None => when,
        }]
    }
}

fn not(cond: Cond) -> Cond {
    if let Cond::Not(inner) = cond { *inner } else { Cond::Not(Box::new(cond)) }
}

/// When a constraint does not hold; `None` where it always does. That it never does is looked at before anything is lowered.
fn breach(p: &Planned, constraint: &Constraint) -> Option<Breach> {
    let known = |cond: &Cond| p.fixed_answer(cond);
    let when = match constraint.when.as_ref().map(|w| w.cond.reduce(&known)) {
        Some(Ok(false)) => return None,
        Some(Err(when)) => Some(when),
        Some(Ok(true)) | None => None,
    };
    let (mut by, mut always) = (Vec::new(), false);
    match constraint.need.as_ref().map(|n| n.cond.reduce(&known)) {
        Some(Err(need)) => by.push(Broken::By(not(need))),
        Some(Ok(false)) => always = true,
        Some(Ok(true)) | None => {}
    }
    for (kind, list) in Alternatives::of(constraint) {
        match kind.left(list, &known) {
            Group::Holds => {}
            Group::Fails => always = true,
            Group::NoneOf(open) => by.extend(open.into_iter().map(Broken::By)),
            Group::Among(open) if kind == Alternatives::AnyOf => by.push(none_of(open)),
            Group::Among(open) if open.len() > MOST_PAIRED => {
                let one = kind == Alternatives::ExactlyOne;
                by.push(Broken::Count(if one { Operator::Differs } else { Operator::Greater }, open));
            }
            Group::Among(open) => {
                for (i, a) in open.iter().enumerate() {
                    let rest = open[i + 1..].iter();
                    by.extend(rest.map(|b| Broken::By(Cond::All(vec![a.clone(), b.clone()]))));
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
        return None;
    }
    let same = |when: &Cond| matches!(by.as_slice(), [Broken::By(cond)] if cond == when);
    let when = when.filter(|w| !same(w));
    (when.is_some() || !by.is_empty()).then_some(Breach { when, by })
}

fn none_of(open: Vec<Cond>) -> Broken {
    Broken::By(Cond::All(open.into_iter().map(not).collect()))
}

/// What `meta.broken` says of a constraint, if it has to say anything; `Err` when it can't. A scope asks for several GPU targets at once, so
/// the proof looks at those, and the file that puts parts together has no switches.
fn sayable(p: &Planned, constraint: &Constraint) -> Result<Option<Breach>, ()> {
    let Some(breach) = breach(p, constraint) else { return Ok(None) };
    let parts = p.package.nix.as_ref().is_some_and(|n| n.parts);
    if parts || breach.conds().any(|c| !c.targets().is_empty()) { Err(()) } else { Ok(Some(breach)) }
}

/// When the constraints of a package are broken, and those that `meta.broken` can't say by their places in the list.
pub(crate) fn breaches(p: &Planned) -> (Vec<Breach>, Vec<usize>) {
    let (mut breaches, mut unsaid) = (Vec::new(), Vec::new());
    for (i, constraint) in p.package.constraints.iter().enumerate() {
        match sayable(p, constraint) {
            Ok(breach) => breaches.extend(breach),
            Err(()) => unsaid.push(i),
        }
    }
    (breaches, unsaid)
}

/// When features are chosen that do not go together; `print` prints a condition.
pub(crate) fn unfit(breaches: &[Breach], print: &dyn Fn(&Cond) -> NixExpr) -> Option<NixExpr> {
    NixExpr::join(Operator::Or, breaches.iter().flat_map(|breach| breach.printed(print)))
}
