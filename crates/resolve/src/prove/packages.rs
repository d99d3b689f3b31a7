//! Checks that concern a single package or the whole distribution, and no edges.

use super::context::{Fact, NOT_KNOWN, ProofContext, inner_key, key};
use crate::plan::bundles::{CompatibleCode, Packed};
use crate::plan::planned::Planned;
use crate::prove::builds::{Builds, Chooser};
use crate::read::release::{Release, holds};
use rocpkg_core::Listed;
use rocpkg_model::{Finding, Span};
use rocpkg_targets::{Target, TargetSet};
use std::collections::BTreeSet;

pub(super) fn look(cx: &ProofContext, out: &mut Vec<Fact>) {
    for p in cx.plan.packages.iter().filter(|p| p.targets.is_some()) {
        let mut add = |finding| {
            out.push(Fact {
                package: p.id.clone(),
                targets: TargetSet::EMPTY,
                finding,
            });
        };
        let recipe = cx.recipes.builds.get(&p.id);
        match (cx.recipes.chooser, recipe) {
            (Chooser::Flags { .. }, Some(recipe)) => flags(p, recipe, &mut add),
            (Chooser::Scope, Some(_)) => scope(cx, p, &mut add),
            _ => {}
        }
        unknown(cx, p, &mut add);
        if let Some(recipe) = recipe {
            variables(p, recipe, &mut add);
        }
        out.extend(empty(cx, p));
    }
    missing_list(cx, out);
    independent(cx, out);
    broken_defaults(cx, out);
    patches(cx, out);
}

/// Reports ebuilds that Portage refuses until the user sets USE flags. pkgcheck reports the same
/// for each profile (`RequiredUseDefaults`).
fn broken_defaults(cx: &ProofContext, out: &mut Vec<Fact>) {
    for (id, parts) in &cx.recipes.broken_defaults {
        let Some(p) = cx.plan.get(id) else {
            continue;
        };
        let what = format!(
            "the default USE flags of `{id}` break its REQUIRED_USE: `{}`",
            parts.join(" ")
        );
        let finding = Finding::warning("W0616", Some(key(p, "constraints")), what)
            .label("Portage refuses the package until the user sets other flags")
            .hint(
                "change the defaults, or state under `known` the choice that the user has to make",
            );
        out.push(Fact {
            package: id.clone(),
            targets: TargetSet::EMPTY,
            finding,
        });
    }
}

/// Reports a distribution in which the user chooses the targets of each package separately.
fn independent(cx: &ProofContext, out: &mut Vec<Fact>) {
    if cx.recipes.chooser != (Chooser::Flags { handed_on: false }) {
        return;
    }
    if let Some(span) = distro_key(cx, "propagation") {
        let finding = Finding::error(
            "E0610",
            span,
            "GPU targets are not passed on to dependencies",
        )
        .label("two packages can be built for different targets without an error")
        .hint("set `propagation` to chunked or eclass");
        out.push(Fact::of_all(finding));
    }
}

/// Returns the place of a key in the distribution's file.
fn distro_key(cx: &ProofContext, name: &str) -> Option<Span> {
    Some(cx.plan.distro_node.as_ref()?.key(name)?.span)
}

/// Reports a release for which the distribution's file lists no targets. Nothing can be chosen
/// then, so one finding covers all packages.
fn missing_list(cx: &ProofContext, out: &mut Vec<Fact>) {
    let version = &cx.plan.version;
    let (default, offered) = cx.plan.distro_targets(version);
    if cx.is_fixed() || !default.is_empty() || !offered.is_empty() {
        return;
    }
    if let Some(span) = distro_key(cx, "targets") {
        let what = format!("{} lists no GPU targets for {version}", cx.plan.distro_name);
        let finding = Finding::error("E0605", span, what)
            .label("no range of `releases` contains this release")
            .hint("add a list for this release");
        out.push(Fact::of_all(finding));
    }
}

fn flags(p: &Planned, recipe: &Builds, add: &mut impl FnMut(Finding)) {
    if recipe.flags.is_empty() {
        return;
    }
    let passes = recipe.asked != crate::prove::builds::ChoiceEffect::Ignored;
    if !passes && recipe.required {
        add(Finding::error(
            "E0603",
            key(p, "targets"),
            format!("`{}` requires GPU targets, but does not pass them on", p.id),
        )
        .label("the chosen targets never reach upstream's build")
        .hint("name the variable that upstream reads, or set `ebuild.target-flags: none`"));
    }
    let policy = p.package.targets.as_ref().and_then(|t| t.policy);
    if !recipe.required && policy.is_none() {
        let what = format!(
            "`{}` offers {} GPU targets, but does not require one",
            p.id,
            recipe.flags.len()
        );
        add(
            Finding::error("E0604", inner_key(p, "ebuild", "require-targets"), what)
                .label("if none is chosen, upstream decides what is built")
                .hint("drop `require-targets: never`, or state a policy such as stub"),
        );
    }
}

fn scope(cx: &ProofContext, p: &Planned, add: &mut impl FnMut(Finding)) {
    let Some(b) = cx.built.get(p.id.as_str()).filter(|b| !b.passes) else {
        return;
    };
    let what = format!(
        "`{}` is built for the same targets even if the scope is narrowed",
        p.id
    );
    add(
        Finding::error("E0606", inner_key(p, "nix", "gpu-targets"), what)
            .label(format!(
                "all {} targets are built, even those outside the scope",
                b.universe.len()
            ))
            .hint("set `nix.gpu-targets.default` to all, own or upstream"),
    );
}

fn unknown(cx: &ProofContext, p: &Planned, add: &mut impl FnMut(Finding)) {
    let Some(b) = cx.built.get(p.id.as_str()).filter(|_| !cx.by_flags()) else {
        return;
    };
    let (missing, hint) = match &b.default {
        Listed::Set(_) => return,
        Listed::Printed { tool, .. } => (
            format!("what `{tool}` prints; its edges are proved for any list that it may print"),
            "state the list in `target-tool`, or `targets`, of the distribution's file, or `list: own`",
        ),
        Listed::Unknown(missing) => (
            format!("{missing} is not known, so its edges can't be proved"),
            "mark the rule of `supports` that is upstream's default, or pass a list",
        ),
    };
    let what = format!("which GPU targets `{}` is built for is not known", p.id);
    add(Finding::error(NOT_KNOWN, key(p, "targets"), what)
        .label(missing)
        .hint(hint));
}

/// Returns the finding about a choice of targets for which the package `p` is built for none.
/// Returns `None` if no such choice exists, or if the package states a policy for it.
fn empty(cx: &ProofContext, p: &Planned) -> Option<Fact> {
    let (b, written) = (cx.built.get(p.id.as_str())?, p.package.targets.as_ref()?);
    let nothing_offered = !cx.is_fixed() && b.universe.is_empty();
    if !b.stated || written.policy.is_some() || !b.instead.is_empty() || nothing_offered {
        return None;
    }
    let span = key(p, "targets");
    let fact = |targets, finding| {
        Some(Fact {
            package: p.id.clone(),
            targets,
            finding,
        })
    };
    if b.coverage.any().is_empty() && b.default.set().is_none_or(TargetSet::is_empty) {
        let what = format!(
            "`{}` can be built for none of the distribution's targets",
            p.id
        );
        let hint = "correct `supports` or `excludes`, or leave the package out";
        return fact(
            b.universe.clone(),
            Finding::error("E0605", span, what).hint(hint),
        );
    }
    // A chosen flag that the package does not offer is refused before anything is built.
    if cx.recipes.chooser != Chooser::Scope || !b.passes {
        return None;
    }
    let lost = b
        .universe
        .difference(&b.coverage.follows)
        .difference(&b.refuses);
    if lost.is_empty() {
        return None;
    }
    let vain = lost.intersection(&b.in_vain);
    let (what, label) = if vain.is_empty() {
        let upstream = match &written.empty {
            Some(e) => format!("upstream's build with an empty list: {e}"),
            None => "what upstream does with an empty list is not stated".to_owned(),
        };
        let shown = cx.registry.show(&lost);
        (
            format!(
                "a scope narrowed to {shown} leaves `{}` with no target",
                p.id
            ),
            upstream,
        )
    } else {
        let shown = cx.registry.show(&vain);
        let what = format!(
            "a scope narrowed to {shown} passes targets to `{}` that it can't be built for",
            p.id
        );
        (what, "the targets are excluded, but passed on".to_owned())
    };
    let hint = "state a policy: stub, throwaway, drop-edge, mask or fail";
    fact(
        lost,
        Finding::error("E0605", span, what).label(label).hint(hint),
    )
}

/// Reports the variables in which the recipe passes GPU targets, and that upstream's build does not
/// read at this release.
fn variables(p: &Planned, recipe: &Builds, add: &mut impl FnMut(Finding)) {
    if p.known_variables.is_empty() {
        return;
    }
    let release: &Release = &p.version;
    let reads = |name: &String| {
        p.known_variables.iter().any(|(known, range)| {
            known == name
                && range
                    .as_ref()
                    .is_none_or(|r| holds(r, release) == Some(true))
        })
    };
    let named = |v: &String| {
        let written = p.package.targets.iter().flat_map(|t| &t.variable.0);
        written
            .into_iter()
            .find(|w| w.value == *v)
            .map_or_else(|| key(p, "targets"), |w| w.span)
    };
    let read: Vec<&String> = p.known_variables.keys().filter(|v| reads(v)).collect();
    for v in recipe.variables.iter().filter(|v| !reads(v)) {
        let finding = Finding::error(
            "E0609",
            named(v),
            format!("`{}` {release} does not read `{v}`", p.id),
        )
        .label("the targets would have no effect");
        add(match read[..] {
            [] => finding,
            [one] => finding.hint(format!("this release reads `{one}`")),
            _ => finding.nearest(v, read.iter().map(|v| v.as_str())),
        });
    }
}

/// Returns the ids of the packages whose code for compatible GPUs the runtime does not find in
/// compressed bundles, each with the reason.
pub(super) fn packed(cx: &ProofContext) -> Vec<(String, Packed)> {
    let shares = |code: Target| cx.registry.serves(code, true) != cx.registry.serves(code, false);
    let is_built = |p: &&Planned| {
        cx.built.get(p.id.as_str()).is_some_and(|b| !b.host_only)
            && p.able(cx.registry).iter().any(shares)
    };
    let all = cx.plan.packages.iter().filter(is_built);
    all.filter_map(|p| match cx.plan.compatible_code(cx.registry, p) {
        CompatibleCode::Packed(reason) => Some((p.id.clone(), reason)),
        _ => None,
    })
    .collect()
}

/// Returns the way around missing patches that is not advised, as a clause. Empty if none is known.
fn avoided(cx: &ProofContext) -> String {
    let settings = cx.registry.bundle_settings();
    let workaround = settings.and_then(|s| s.workaround.as_ref());
    workaround.map_or_else(String::new, |w| {
        let (setting, outcome, source) = (&w.setting.value, &w.outcome.value, &w.source.value);
        format!("; `{setting}` is not advised, because {outcome} ({source})")
    })
}

/// Reports unknown patch sites, and missing patches for compressed code bundles. A patch site is a
/// place in upstream's sources that distributions patch, so that code for one GPU loads on a
/// compatible one. Compressed bundles are unpacked at two sites that older sets of patches do not
/// change.
fn patches(cx: &ProofContext, out: &mut Vec<Fact>) {
    let mut add = |finding| out.push(Fact::of_all(finding));
    let known: Vec<&str> = cx
        .registry
        .patch_sites()
        .map(|s| s.site.value.as_str())
        .collect();
    let elsewhere = cx.plan.distro.carries.iter().flat_map(|row| &row.sites);
    for site in cx
        .plan
        .patched_sites()
        .chain(elsewhere)
        .filter(|s| !known.contains(&s.value.as_str()))
    {
        let what = format!("`{}` is not a patch site of targets.yaml", site.value);
        add(Finding::error("E0211", site.span, what).nearest(&site.value, known.iter().copied()));
    }
    let packed = packed(cx);
    if let (Some(first), Some((_, reason))) = (cx.plan.patched_sites().next(), packed.first()) {
        let version = &cx.plan.version;
        let what =
            format!("compressed bundles with code for other GPUs can't be loaded in {version}");
        let ids: Vec<&str> = packed.iter().map(|(id, _)| id.as_str()).collect();
        let ways: BTreeSet<&str> = packed.iter().map(|(_, why)| why.without.as_str()).collect();
        let ways = Vec::from_iter(ways).join(", ");
        add(Finding::warning("W0611", Some(first.span), what)
            .label(format!(
                "of {}; not patched: {}",
                ids.join(", "),
                reason.missing.join("; ")
            ))
            .hint(format!("add these patches, or build {ways}{}", avoided(cx))));
    }
}
