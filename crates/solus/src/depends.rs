//! Dependency edges as lists of a recipe.

use crate::vocabulary::Context;
use rocpkg_model::{Content, EdgeKind};
use rocpkg_resolve::{Dependency, ResolvedEdge};

/// What is needed to build, and to test. What is only run is found by ypkg in the files, or stands in `ypkg.rundeps`.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) build: Vec<String>,
    pub(crate) check: Vec<String>,
}

/// The pattern of every file.
const ALL: &str = "/*";

/// Sorts the edges of a package into its lists, in the order that Solus' checks ask for.
pub(crate) fn lists(cx: &Context, checks: bool) -> Lists {
    let mut out = Lists::default();
    for e in cx.p.depends.iter().filter(|e| cx.p.settles(e.edge.when.as_ref())) {
        for kind in &e.edge.kind.0 {
            let (list, linked) = match kind {
                EdgeKind::Link | EdgeKind::Build | EdgeKind::Propagated | EdgeKind::Binding => {
                    (&mut out.build, true)
                }
                EdgeKind::Tool => (&mut out.build, false),
                EdgeKind::Test if checks => (&mut out.check, true),
                _ => continue,
            };
            let name = spell(cx, e, linked);
            if !list.contains(&name) {
                list.push(name);
            }
        }
    }
    let built = out.build.clone();
    out.check.retain(|d| !built.contains(d));
    out.build.sort_by_cached_key(|d| rank(d));
    out.check.sort_by_cached_key(|d| rank(d));
    out
}

fn spell(cx: &Context, e: &ResolvedEdge, linked: bool) -> String {
    if let Some(own) = &e.edge.spelt {
        return own.value.clone();
    }
    let id = match &e.to {
        Dependency::External(name) => return name.clone(),
        Dependency::Package(id) => id,
    };
    let Some(p) = cx.plan.get(id) else { return id.clone() };
    if let Some(own) = p.package.ypkg.as_ref().and_then(|y| y.needed_as.as_ref()) {
        return own.value.clone();
    }
    // What is made of headers alone is no -devel package, as nothing else is in it, nor is what keeps all its files together.
    let together = p
        .package
        .ypkg
        .as_ref()
        .and_then(|y| y.patterns.get("main"))
        .is_some_and(|main| main.0.iter().any(|p| p.value == ALL));
    let parted = p.package.content == Content::Library && !together;
    if linked && parted { format!("{}-devel", p.name) } else { p.name.clone() }
}

/// Solus' order: what pkg-config knows stands first, each kind by what stands inside.
pub(crate) fn rank(name: &str) -> (u8, String) {
    for (rank, kind) in [(0, "pkgconfig32("), (1, "pkgconfig(")] {
        if let Some(inside) = name.strip_prefix(kind) {
            return (rank, inside.trim_end_matches(')').to_owned());
        }
    }
    (2, name.to_owned())
}
