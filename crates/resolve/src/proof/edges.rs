//! What holds over an edge between two packages with device code.

use super::builds::Builds;
use super::packages::mends;
use super::{Context, Fact, Setting};
use crate::plan::{Dependency, Planned, ResolvedEdge, key_span};
use rocpkg_model::{Cond, EdgeKind, Finding, Policy, TargetRelation};
use rocpkg_targets::{Target, TargetSet};

/// Looks at every edge; the number of them.
pub(super) fn look(cx: &Context, out: &mut Vec<Fact>) -> usize {
    let mut count = 0;
    for p in cx.plan.packages.iter().filter(|p| p.targets.is_some()) {
        for e in &p.depends {
            let Dependency::Package(id) = &e.to else { continue };
            let conflict = e.edge.kind.0.contains(&EdgeKind::Conflict);
            let Some(d) = cx.plan.get(id).filter(|d| d.targets.is_some() && !conflict && d.id != p.id) else {
                continue;
            };
            count += 1;
            out.extend(one(cx, p, e, d));
        }
    }
    count
}

fn one(cx: &Context, p: &Planned, e: &ResolvedEdge, d: &Planned) -> Vec<Fact> {
    let span = key_span(&p.node, "depends", &e.name);
    let fact =
        |targets, finding| Fact { package: p.id.clone(), dependency: Some(d.id.clone()), targets, finding };
    let Some(relation) = &e.edge.targets else {
        let what = format!("`{}` needs `{}`, and how their GPU targets relate is not stated", p.id, d.id);
        return vec![fact(
            TargetSet::EMPTY,
            Finding::error("E0601", span, what)
                .label("both hold device code")
                .hint("state `targets: same`, `covers`, `any` or `none` on this edge"),
        )];
    };
    let (ours, theirs) = (&cx.builds[p.id.as_str()], &cx.builds[d.id.as_str()]);
    let mut out = Vec::new();
    let mut report = |from: &Planned, to: &Planned, by_default: TargetSet, by_choice: TargetSet| {
        let policy = to.package.targets.as_ref().and_then(|t| t.policy);
        let able = cx.builds[to.id.as_str()].able;
        let mut left = by_default.union(by_choice);
        left = left.iter().filter(|t| applies(cx, p, e, *t)).collect();
        if let Some(policy) = policy
            && mends(policy, droppable(e))
        {
            // The policy speaks of targets that can't be built; of those that merely are not, it does not.
            left = left.intersection(able);
        }
        let excludes = cx.builds[to.id.as_str()].excludes;
        let broken =
            if policy == Some(Policy::Fail) { left.intersection(excludes) } else { TargetSet::EMPTY };
        for (code, set) in [("E0607", broken), ("E0602", left.difference(broken))] {
            if !set.is_empty() {
                let chain = format!("{} > {}", cx.chain(&p.id), d.id);
                out.push(fact(set, hole(cx, code, from, to, set, &chain, span, e)));
            }
        }
    };
    match relation.value {
        TargetRelation::None => {}
        TargetRelation::Any => {
            let nothing = theirs.stated && theirs.follows.union(theirs.always).is_empty();
            if nothing && theirs.default.is_none_or(TargetSet::is_empty) {
                report(p, d, ours.default.unwrap_or_default(), ours.follows.union(ours.always));
            }
        }
        TargetRelation::Covers => {
            let (by_default, by_choice) = missing(cx, ours, theirs);
            report(p, d, by_default, by_choice);
        }
        TargetRelation::Same => {
            let (by_default, by_choice) = missing(cx, ours, theirs);
            report(p, d, by_default, by_choice);
            let (by_default, by_choice) = missing(cx, theirs, ours);
            report(d, p, by_default, by_choice);
        }
    }
    out
}

/// What is built here and not there: when nobody chooses, and for some choice.
fn missing(cx: &Context, ours: &Builds, theirs: &Builds) -> (TargetSet, TargetSet) {
    let by_default = match (ours.default, theirs.default) {
        (Some(a), Some(b)) if cx.setting != Setting::Flags => {
            // A generic target there serves the processors that it covers.
            let served = b.union(cx.registry.reach(b, false, true));
            let lacks = |t: &Target| {
                !served.contains(*t)
                    && (cx.registry.serves(*t, false).is_empty()
                        || !cx.registry.serves(*t, false).is_subset(served))
            };
            a.iter().filter(lacks).collect()
        }
        _ => TargetSet::EMPTY,
    };
    let choosable = cx.setting != Setting::Fixed && ours.stated && theirs.stated;
    let by_choice = if choosable { ours.not_built_by(theirs, ours.universe) } else { TargetSet::EMPTY };
    (by_default, by_choice)
}

/// Whether the edge can be there when the package is built for a target.
fn applies(cx: &Context, p: &Planned, e: &ResolvedEdge, target: Target) -> bool {
    let Some(when) = &e.edge.when else { return true };
    let name = cx.registry.name(target);
    let known = |c: &Cond| match c {
        Cond::Target(t) if t == name => Some(true),
        // A feature that only some targets can be built with is off for the others.
        Cond::Feature(f) => {
            let only = p.package.features.get(f).map_or(&[][..], |f| f.targets.as_slice());
            (!only.is_empty() && !only.iter().any(|t| t.value == name)).then_some(false)
        }
        _ => None,
    };
    when.cond.reduce(&known) != Ok(false)
}

/// Whether the package can do without the dependency.
fn droppable(e: &ResolvedEdge) -> bool {
    e.edge.when.is_some() || e.edge.kind.0.iter().all(|k| matches!(k, EdgeKind::Optional | EdgeKind::Test))
}

#[allow(clippy::too_many_arguments)] // one finding, and every argument is a part of its text
fn hole(
    cx: &Context,
    code: &'static str,
    from: &Planned,
    to: &Planned,
    set: TargetSet,
    chain: &str,
    span: rocpkg_model::Span,
    e: &ResolvedEdge,
) -> Finding {
    let targets = cx.registry.show(set);
    let what = if code == "E0607" {
        format!("`{}` is built for {targets}, where the build of `{}` stops", from.id, to.id)
    } else {
        format!("`{}` is built for {targets}, and `{}` is not", from.id, to.id)
    };
    let drop = if droppable(e) { "`policy: drop-edge` there" } else { "drop the edge" };
    let condition = if set.len() > 4 {
        "a condition on its targets".to_owned()
    } else {
        let tests: Vec<String> = set.iter().map(|t| format!("!target:{}", cx.registry.name(t))).collect();
        format!("the condition `{}`", tests.join(" & "))
    };
    Finding::error(code, span, what).label(format!("needed as {chain}")).hint(format!(
        "exclude them from `{}`; or `policy: stub` in `{}`; or {drop}; or {condition}",
        from.id, to.id
    ))
}

#[cfg(test)]
mod laws;
