//! What can be said of a package alone.

use super::{Context, Fact, Setting, inner_key, key};
use crate::plan::Planned;
use crate::release::{Range, Release};
use rocpkg_model::{Finding, NixTargetDefault, Node, Policy, Propagation, RocmMode, Span, TargetList, Value};
use rocpkg_targets::TargetSet;

/// The code for what a package is built for standing outside the model.
pub(super) const NOT_KNOWN: &str = "E0608";

pub(super) fn look(cx: &Context, out: &mut Vec<Fact>) {
    for p in cx.plan.packages.iter().filter(|p| p.targets.is_some()) {
        let mut add = |finding| {
            out.push(Fact { package: p.id.clone(), dependency: None, targets: TargetSet::EMPTY, finding });
        };
        match cx.setting {
            Setting::Flags => flags(cx, p, &mut add),
            Setting::Scope => scope(cx, p, &mut add),
            Setting::Fixed => {}
        }
        unknown(cx, p, &mut add);
        let lost = empty(cx, p);
        variables(p, &mut add);
        out.extend(lost);
    }
    missing_list(cx, out);
    names(cx, out);
    let independent = cx.plan.distro.propagation == Some(Propagation::None);
    let node = cx.plan.distro_node.as_ref();
    let span =
        |name: &str| node.and_then(|n| n.entries().iter().find(|(k, _)| k.name == name)).map(|(k, _)| k.span);
    if independent && let Some(span) = span("propagation") {
        out.push(Fact {
            package: String::new(),
            dependency: None,
            targets: TargetSet::EMPTY,
            finding: Finding::error("E0610", span, "targets are not handed on to dependencies")
                .label("two packages can be built for different targets, and nothing notices")
                .hint("set `propagation` to chunked or conditional"),
        });
    }
    patches(cx, out);
}

/// Where a key of the distribution's file stands.
fn distro_key(cx: &Context, name: &str) -> Option<Span> {
    let node = cx.plan.distro_node.as_ref()?;
    node.entries().iter().find(|(k, _)| k.name == name).map(|(k, _)| k.span)
}

/// A release for which the distribution's file lists no targets: nothing can be chosen, so it is said once.
fn missing_list(cx: &Context, out: &mut Vec<Fact>) {
    let version = &cx.plan.version;
    let (default, offered) = cx.plan.distro_targets(version);
    if cx.setting == Setting::Fixed || !default.is_empty() || !offered.is_empty() {
        return;
    }
    if let Some(span) = distro_key(cx, "targets") {
        let what = format!("{} lists no GPU targets for {version}", cx.plan.distro_name);
        let finding = Finding::error("E0605", span, what)
            .label("no range of `releases` holds")
            .hint("add a list for this release");
        out.push(Fact { package: String::new(), dependency: None, targets: TargetSet::EMPTY, finding });
    }
}

/// Names that no set can hold would fall out of the proof unnoticed.
fn names(cx: &Context, out: &mut Vec<Fact>) {
    let distro = &cx.plan.distro;
    let lists = distro.targets.iter().flat_map(|t| t.default.iter().chain(&t.offered));
    let lists = lists.chain(&distro.further_targets);
    let features = cx.plan.packages.iter().flat_map(|p| p.package.features.values()).flat_map(|f| &f.targets);
    let stand_ins = cx
        .plan
        .packages
        .iter()
        .filter_map(|p| p.package.nix.as_ref()?.gpu_targets.as_ref()?.throwaway.as_ref());
    let all = lists.chain(distro.known.iter().flat_map(|k| &k.targets)).chain(features).chain(stand_ins);
    for t in all.filter(|t| cx.registry.get(&t.value).is_none()) {
        let known: Vec<&str> = cx.registry.all().iter().map(|t| cx.registry.name(t)).collect();
        let finding = Finding::error("E0202", t.span, format!("unknown GPU target `{}`", t.value))
            .label("expected a processor or a generic target of targets.yaml")
            .nearest(&t.value, known);
        out.push(Fact { package: String::new(), dependency: None, targets: TargetSet::EMPTY, finding });
    }
}

fn flags(cx: &Context, p: &Planned, add: &mut impl FnMut(Finding)) {
    let (Some(written), ebuild) = (&p.package.targets, p.package.ebuild.as_ref()) else { return };
    if matches!(ebuild.and_then(|e| e.rocm), Some(RocmMode::Skip | RocmMode::None)) {
        return;
    }
    let asked = ebuild.map(|e| e.require_targets.0.as_slice()).unwrap_or_default();
    let never = asked.first().is_some_and(|w| w.value == "never");
    let passes = written.list != Some(TargetList::None)
        && (!written.variable.0.is_empty() || mentions(&p.node, "${targets"));
    if !passes && !never {
        add(Finding::error(
            "E0603",
            key(p, "targets"),
            format!("`{}` asks for GPU targets and never passes them on", p.id),
        )
        .label("nothing of upstream's build sees what was chosen")
        .hint("name the variable that upstream reads, or set `ebuild.rocm: none`"));
    }
    if never && written.policy.is_none() {
        let targets = cx.builds.get(p.id.as_str()).map(|b| b.follows).unwrap_or_default();
        let what = format!("`{}` offers {} GPU targets, and none need be chosen", p.id, targets.len());
        add(Finding::error("E0604", inner_key(p, "ebuild", "require-targets"), what)
            .label("with none chosen, upstream decides what is built")
            .hint("drop `require-targets: never`, or state a policy such as stub"));
    }
}

fn scope(cx: &Context, p: &Planned, add: &mut impl FnMut(Finding)) {
    let Some(written) = &p.package.targets else { return };
    let takes = p.package.nix.as_ref().and_then(|n| n.gpu_targets.as_ref()).and_then(|t| t.default);
    let ignored = matches!(takes, None | Some(NixTargetDefault::Always));
    if ignored && written.list != Some(TargetList::None) {
        let all = cx.builds.get(p.id.as_str()).map(|b| b.universe).unwrap_or_default();
        let what = format!("`{}` is built for the same targets in a scope that is narrowed", p.id);
        add(Finding::error("E0606", inner_key(p, "nix", "gpu-targets"), what)
            .label(format!("of {} targets, those outside the scope are built as well", all.len()))
            .hint("set `nix.gpu-targets.default` to all, own or upstream"));
    }
}

fn unknown(cx: &Context, p: &Planned, add: &mut impl FnMut(Finding)) {
    let Some(b) = cx.builds.get(p.id.as_str()) else { return };
    if cx.setting == Setting::Flags || b.default.is_some() {
        return;
    }
    let upstream = p.package.targets.as_ref().is_some_and(|t| t.list == Some(TargetList::None));
    let who = if upstream || cx.setting == Setting::Scope {
        "upstream's default list"
    } else {
        "what a tool outside the model prints"
    };
    let what = format!("which GPU targets `{}` is built for is not known", p.id);
    add(Finding::error(NOT_KNOWN, key(p, "targets"), what)
        .label(format!("{who}; its edges can't be proved"))
        .hint("state `targets` in the distribution's file, or `list: own`"));
}

/// A choice that leaves nothing to build.
fn empty(cx: &Context, p: &Planned) -> Option<Fact> {
    let (b, written) = (cx.builds.get(p.id.as_str())?, p.package.targets.as_ref()?);
    let nothing_offered = cx.setting != Setting::Fixed && b.universe.is_empty();
    if !b.stated || written.policy.is_some() || nothing_offered {
        return None;
    }
    let span = key(p, "targets");
    let fact = |targets, finding| Some(Fact { package: p.id.clone(), dependency: None, targets, finding });
    if b.follows.union(b.always).is_empty() && b.default.is_none_or(TargetSet::is_empty) {
        let what = format!("`{}` can be built for none of the distribution's targets", p.id);
        let hint = "correct `supports` or `excludes`, or leave the package out";
        return fact(b.universe, Finding::error("E0605", span, what).hint(hint));
    }
    // A flag that is asked for and not offered is refused before anything is built.
    if cx.setting != Setting::Scope || !b.always.is_empty() {
        return None;
    }
    let lost = b.universe.difference(b.follows);
    if lost.is_empty() {
        return None;
    }
    let shown = cx.registry.show(lost);
    let (what, label) = if written.list == Some(TargetList::Intersection) {
        let upstream = match &written.empty {
            Some(e) => format!("of an empty list upstream says: {e}"),
            None => "what upstream does with an empty list is not stated".to_owned(),
        };
        (format!("a scope narrowed to {shown} leaves `{}` with no target", p.id), upstream)
    } else {
        let what = format!("a scope narrowed to {shown} asks `{}` for what it can't be built for", p.id);
        (what, "excluded, and passed on all the same".to_owned())
    };
    let hint = "state a policy: stub, throwaway, drop-edge, mask or fail";
    fact(lost, Finding::error("E0605", span, what).label(label).hint(hint))
}

fn variables(p: &Planned, add: &mut impl FnMut(Finding)) {
    let Some(written) = &p.package.targets else { return };
    if written.list == Some(TargetList::None) || p.known_variables.is_empty() {
        return;
    }
    let release: &Release = &p.version;
    let reads = |name: &String| {
        p.known_variables.iter().any(|(known, range)| {
            known == name
                && range.as_ref().is_none_or(|r| r.parse::<Range>().is_ok_and(|r| r.contains(release)))
        })
    };
    for v in written.variable.0.iter().filter(|v| !reads(&v.value)) {
        add(Finding::error("E0609", v.span, format!("`{}` {release} does not read `{}`", p.id, v.value))
            .label("the targets would be passed to nobody")
            .nearest(&v.value, p.known_variables.keys().map(String::as_str)));
    }
}

/// Compressed code bundles are unpacked by two places that older sets of patches do not reach.
fn patches(cx: &Context, out: &mut Vec<Fact>) {
    let version = &cx.plan.version;
    let release = crate::registry::triple(version);
    let fits = |r: &Option<rocpkg_model::Spanned<String>>| {
        r.as_ref().is_none_or(|r| r.value.parse::<Range>().is_ok_and(|r| r.contains(version)))
    };
    let Some(carried) = cx.plan.distro.isa_patches.iter().find(|i| fits(&i.releases)) else { return };
    let known: Vec<&str> = cx.registry.input().patch_sites.iter().map(|s| s.site.as_str()).collect();
    for site in carried.sites.iter().filter(|s| !known.contains(&s.value.as_str())) {
        let finding =
            Finding::error("E0211", site.span, format!("`{}` is no patch site of targets.yaml", site.value))
                .nearest(&site.value, known.iter().copied());
        out.push(Fact { package: String::new(), dependency: None, targets: TargetSet::EMPTY, finding });
    }
    let missing: Vec<&str> = cx
        .registry
        .patch_sites(release)
        .filter(|s| s.since.is_some() && !carried.sites.iter().any(|c| c.value == s.site))
        .map(|s| s.site.as_str())
        .collect();
    if !carried.sites.is_empty() && !missing.is_empty() {
        let what =
            format!("compatibility of code for other GPUs is lost for compressed bundles in {version}");
        out.push(Fact {
            package: String::new(),
            dependency: None,
            targets: TargetSet::EMPTY,
            finding: Finding::warning("W0611", Some(carried.sites[0].span), what)
                .label(format!("not patched: {}", missing.join("; ")))
                .hint("carry these patches as well, or build without --offload-compress"),
        });
    }
}

fn mentions(node: &Node, text: &str) -> bool {
    match &node.value {
        Value::Scalar { text: t, .. } => t.contains(text),
        Value::Seq(items) => items.iter().any(|n| mentions(n, text)),
        Value::Map(entries) => entries.iter().any(|(_, n)| mentions(n, text)),
        Value::Null => false,
    }
}

/// Whether a policy makes up for a target that a package can't be built for.
pub(super) fn mends(policy: Policy, droppable: bool) -> bool {
    match policy {
        // It is there and does nothing for the target, as its policy says; a masked target can't be chosen.
        Policy::Stub | Policy::Throwaway | Policy::Mask => true,
        Policy::DropEdge => droppable,
        Policy::Fail => false,
    }
}
