//! Dependency edges as lists of a recipe.

use crate::vocabulary::Context;
use rocpkg_model::{Content, Edge, EdgeKind, Node};
use rocpkg_resolve::{Dependency, ResolvedEdge};

/// What is needed to build, to test and to run, and what can't stand beside the package.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) build: Vec<String>,
    pub(crate) check: Vec<String>,
    pub(crate) run: Vec<String>,
    /// Needed by whoever builds against it.
    pub(crate) propagated: Vec<String>,
    pub(crate) conflicts: Vec<String>,
}

/// Where an edge of some kind belongs.
pub(crate) enum Place {
    /// Among what is needed to build; linked against or not.
    Build(bool),
    /// Among what is needed to test.
    Check,
    /// Among what is needed when run.
    Run,
    /// Among what can't be installed beside it.
    Conflicts,
    /// Nowhere, and what there is instead.
    None(&'static str),
}

/// Where an edge belongs. What upstream says is run is found by ypkg in the files, or is left out
/// by Solus: `rundeps` hold what Solus' own overlay says.
pub(crate) fn place(kind: EdgeKind, edge: &Edge, own: bool) -> Place {
    match kind {
        EdgeKind::Link | EdgeKind::Build | EdgeKind::Propagated => Place::Build(true),
        EdgeKind::Tool => Place::Build(false),
        EdgeKind::Test => Place::Check,
        EdgeKind::Run | EdgeKind::Post if own => Place::Run,
        EdgeKind::Run | EdgeKind::Post => Place::None("expected `ypkg.rundeps`"),
        EdgeKind::Optional => Place::None("eopkg knows no optional dependencies"),
        EdgeKind::Conflict if edge.version.as_ref().is_none_or(|v| v.value == "any") => {
            Place::Conflicts
        }
        EdgeKind::Conflict => {
            Place::None("ypkg takes names alone, so every version would be meant")
        }
    }
}

/// The pattern of every file.
const ALL: &str = "/*";

/// Sorts the edges of a package into its lists, in the order that Solus' checks ask for.
pub(crate) fn lists(cx: &Context, checks: bool) -> Lists {
    let mut out = Lists::default();
    for e in
        cx.p.depends
            .iter()
            .filter(|e| cx.p.settles(e.edge.when.as_ref()))
    {
        let written =
            cx.p.edges()
                .find(|(name, edge, _)| *name == e.name && **edge == e.edge);
        let kinds = written
            .and_then(|(.., node)| node.get("kind"))
            .map(Node::one_or_many)
            .unwrap_or_default();
        for (i, kind) in e.edge.kind.0.iter().enumerate() {
            let own = kinds.get(i).is_some_and(|node| cx.p.is_own(node.span));
            let (list, linked) = match place(*kind, &e.edge, own) {
                Place::Build(linked) => (&mut out.build, linked),
                Place::Check if checks => (&mut out.check, true),
                // Files, not what others build against.
                installed @ (Place::Run | Place::Conflicts) => {
                    let run = matches!(installed, Place::Run);
                    let list = if run {
                        &mut out.run
                    } else {
                        &mut out.conflicts
                    };
                    let id = if let Dependency::Package(id) = &e.to {
                        cx.plan.get(id)
                    } else {
                        None
                    };
                    let name = id
                        .filter(|_| e.edge.spelt.is_none())
                        .map(|p| p.name.clone());
                    let name = name.unwrap_or_else(|| spell(cx, e, false));
                    if !list.contains(&name) {
                        list.push(name);
                    }
                    continue;
                }
                Place::Check | Place::None(_) => continue,
            };
            let name = spell(cx, e, linked);
            if *kind == EdgeKind::Propagated && own && !out.propagated.contains(&name) {
                out.propagated.push(name.clone());
            }
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
    let Some(p) = cx.plan.get(id) else {
        return id.clone();
    };
    if let Some(own) = p.package.ypkg.as_ref().and_then(|y| y.needed_as.as_ref()) {
        return own.value.clone();
    }
    // What is made of headers alone is no -devel package, as nothing else is in it, nor is what
    // keeps all its files together.
    let together = p
        .package
        .ypkg
        .as_ref()
        .and_then(|y| y.patterns.get("main"))
        .is_some_and(|main| main.0.iter().any(|p| p.value == ALL));
    let parted = p.package.content == Content::Library && !together;
    if linked && parted {
        format!("{}-devel", p.name)
    } else {
        p.name.clone()
    }
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
