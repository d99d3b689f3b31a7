//! Checks edges between two packages with device code.

use super::built::Built;
use super::context::{Fact, ProofContext, Unproved, mends};
use crate::plan::planned::{Dependency, Planned, ResolvedEdge, key_span};
use rocpkg_core::{Lacking, Listed};
use rocpkg_model::{Cond, EdgeKind, Finding, Policy, Span, TargetRelation, Without};
use rocpkg_targets::{Target, TargetSet};

/// Checks every edge between two packages with device code, and adds the findings to `out`. Returns
/// the number of these edges, and the edges whose proof needs facts that are not known.
pub(super) fn look(cx: &ProofContext, out: &mut Vec<Fact>) -> (usize, Vec<Unproved>) {
    let mut count = 0;
    let mut unproved = Vec::new();
    for p in cx.plan.packages.iter().filter(|p| p.targets.is_some()) {
        for e in &p.depends {
            let Dependency::Package(id) = &e.to else {
                continue;
            };
            let conflict = e.edge.kind.0.contains(&EdgeKind::Conflict);
            let Some(d) = cx
                .plan
                .get(id)
                .filter(|d| d.targets.is_some() && !conflict && d.id != p.id)
            else {
                continue;
            };
            count += 1;
            let mut missing = Vec::new();
            out.extend(one(cx, p, e, d, &mut missing));
            if !missing.is_empty() {
                missing.dedup();
                unproved.push(Unproved {
                    package: p.id.clone(),
                    dependency: d.id.clone(),
                    missing,
                });
            }
        }
    }
    (count, unproved)
}

/// Returns the findings about `e`, the edge from the package `p` to its dependency `d`. Facts that
/// the check needs, but that are not known, are added to `missing`.
fn one(
    cx: &ProofContext,
    p: &Planned,
    e: &ResolvedEdge,
    d: &Planned,
    missing: &mut Vec<String>,
) -> Vec<Fact> {
    let span = key_span(&p.node, "depends", &e.name);
    let fact = |targets, finding| Fact {
        package: p.id.clone(),
        targets,
        finding,
    };
    let Some(relation) = &e.edge.targets else {
        let what = format!(
            "`{}` needs `{}`, but the edge does not state how their GPU targets relate",
            p.id, d.id
        );
        return vec![fact(
            TargetSet::EMPTY,
            Finding::error("E0601", span, what)
                .label("both contain device code")
                .hint("state `targets: same`, `covers`, `any` or `none` on this edge"),
        )];
    };
    let (ours, theirs) = (&cx.built[p.id.as_str()], &cx.built[d.id.as_str()]);
    let mut out = Vec::new();
    let mut report = |from: &Planned, to: &Planned, lacks: Lacking| {
        let ends = Ends { from, to, span };
        let policy = to.package.targets.as_ref().and_then(|t| t.policy);
        let there = &cx.built[to.id.as_str()];
        let mut left: TargetSet = lacks
            .sure
            .iter()
            .filter(|t| applies(cx, p, e, *t))
            .collect();
        if let Some(policy) = policy
            && mends(policy)
        {
            // The policy applies to targets that can't be built. It does not apply to targets that
            // can be built and are not.
            left = left.intersection(&there.able);
        }
        let optional = e.edge.without == Some(Without::Slower);
        let dropped = cx
            .recipes
            .builds
            .get(&p.id)
            .is_some_and(|b| b.drops.contains(&d.id));
        let mut stopping = there.refuses.clone();
        if policy == Some(Policy::Fail) {
            stopping = stopping.union(&there.excludes);
        }
        let broken = left.intersection(stopping);
        // A dependency that refuses to be built stops every package that requires it anyway.
        let (stops, slower) = match (optional, dropped) {
            (true, true) => (TargetSet::EMPTY, left.clone()),
            (true, false) => (broken.clone(), left.difference(broken)),
            (false, _) => (broken, TargetSet::EMPTY),
        };
        let others = left.difference(&stops).difference(&slower);
        if !slower.is_empty() {
            let finding = without(cx, &ends, &slower);
            out.push(fact(slower, finding));
        }
        for (code, set) in [("E0607", stops), ("E0602", others)] {
            if !set.is_empty() {
                let chain = format!("{} > {}", cx.chain(&p.id), d.id);
                let finding = hole(cx, code, &ends, &set, &chain);
                out.push(fact(set, finding));
            }
        }
        missing.extend(lacks.missing);
    };
    match relation.value {
        TargetRelation::None => {}
        TargetRelation::Any => {
            let nothing = theirs.stated && theirs.coverage.any().is_empty();
            if nothing && theirs.default.set().is_none_or(TargetSet::is_empty) {
                let listed = ours.default.set().cloned().unwrap_or_default();
                report(p, d, Lacking::sure(listed.union(ours.coverage.any())));
            }
        }
        TargetRelation::Covers => report(p, d, lacks(cx, ours, theirs)),
        TargetRelation::Same => {
            report(p, d, lacks(cx, ours, theirs));
            report(d, p, lacks(cx, theirs, ours));
        }
    }
    out
}

/// The two ends of an edge, for messages. `from` is the end that is built for targets for which
/// `to` is not built.
struct Ends<'a> {
    from: &'a Planned,
    to: &'a Planned,
    span: Span,
}

fn lacks(cx: &ProofContext, ours: &Built, theirs: &Built) -> Lacking {
    let mut out = Lacking::default();
    if !cx.by_flags() {
        out = ours.default.not_in(&theirs.default, cx.registry);
    }
    if !cx.is_fixed() && ours.stated && theirs.stated {
        let chosen = ours.coverage.not_built_by(&theirs.coverage, &ours.universe);
        out.sure = out.sure.union(chosen);
    } else if cx.by_flags() {
        // If nobody can choose, upstream's default targets are built.
        for end in [ours, theirs].into_iter().filter(|b| !b.stated) {
            if let Listed::Unknown(fact) = &end.default {
                out.missing.push(fact.clone());
            }
        }
    }
    out
}

/// Returns true if the condition of the edge `e` can hold when the package `p` is built for
/// `target`.
fn applies(cx: &ProofContext, p: &Planned, e: &ResolvedEdge, target: Target) -> bool {
    let Some(when) = &e.edge.when else {
        return true;
    };
    let name = cx.registry.name(target);
    let known = |c: &Cond| match c {
        Cond::Target(t) if t == name => Some(true),
        // A feature that only some targets can be built with is off for the others.
        Cond::Feature(f) => {
            let only = p
                .package
                .features
                .get(f)
                .map_or(&[][..], |f| f.targets.as_slice());
            (!only.is_empty() && !only.iter().any(|t| t.value == name)).then_some(false)
        }
        _ => None,
    };
    when.cond.reduce(&known) != Ok(false)
}

/// Returns the note about an optional dependency that is not built for the targets `set`. The
/// package only looks for the dependency at run time, and works without it.
fn without(cx: &ProofContext, ends: &Ends, set: &TargetSet) -> Finding {
    let Ends { from, to, span, .. } = *ends;
    let targets = cx.registry.show(set);
    let what = format!("`{}` works without `{}` on {targets}", from.id, to.id);
    Finding::note("N0613", span, what).label("slower, but complete: the part is chosen at run time")
}

/// Returns the finding about the targets `set`, for which one end of an edge is built and the other
/// is not. `code` is E0607 if the build of the other end stops for them, and E0602 otherwise.
/// `chain` is the path of dependencies to the edge, such as `miopen > rocblas`.
fn hole(
    cx: &ProofContext,
    code: &'static str,
    ends: &Ends,
    set: &TargetSet,
    chain: &str,
) -> Finding {
    let Ends { from, to, span, .. } = *ends;
    let targets = cx.registry.show(set);
    let what = if code == "E0607" {
        format!(
            "`{}` is built for {targets}, but the build of `{}` stops for them",
            from.id, to.id
        )
    } else {
        format!(
            "`{}` is built for {targets}, but `{}` is not",
            from.id, to.id
        )
    };
    let condition = if set.len() > 4 {
        "a condition on its targets".to_owned()
    } else {
        let tests: Vec<String> = set
            .iter()
            .map(|t| format!("!target:{}", cx.registry.name(t)))
            .collect();
        format!("the condition `{}`", tests.join(" & "))
    };
    Finding::error(code, span, what)
        .label(format!("needed through {chain}"))
        .hint(format!(
            "exclude them from `{}`, set `policy: stub` in `{}`, drop the edge, or add {condition}",
            from.id, to.id
        ))
}
