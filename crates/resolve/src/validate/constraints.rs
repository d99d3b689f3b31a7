//! Constraints that say what can't be, or what nobody chooses.

use crate::plan::constraints::{Alternatives, one};
use rocpkg_model::{Cond, Constraint, Finding, Findings};
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
