//! Lowers the dependency edges of a package to the lists of a recipe, such as `builddeps`.

use crate::lower::vocabulary::Context;
use rocpkg_model::{Content, Edge, EdgeKind, Node};
use rocpkg_resolve::{Dependency, ResolvedEdge};

/// The lists of names that a recipe contains: dependencies to build, to test and to run, and
/// conflicts.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    pub(crate) build: Vec<String>,
    pub(crate) check: Vec<String>,
    pub(crate) run: Vec<String>,
    /// Run-time dependencies of this package's development package. Everything that is built
    /// against this package needs them too.
    pub(crate) propagated: Vec<String>,
    pub(crate) conflicts: Vec<String>,
}

/// The list of a recipe that a dependency edge belongs to.
pub(crate) enum EdgeList {
    /// The build dependencies. The value is true if the package links to the dependency, so that
    /// the dependency's `-devel` package is needed.
    Build(bool),
    Check,
    Run,
    /// The packages that can't be installed together with this one.
    Conflicts,
    /// No list, because a `package.yml` can't express the edge. The text is the label of the
    /// finding about this: the alternative, or the reason.
    None(&'static str),
}

/// Returns the list that an edge belongs to. `own` is true if Solus' own overlay states the edge,
/// and false if a shared component file states it. Run-time dependencies of shared files are not
/// listed: ypkg finds them in the installed files, or Solus leaves them out. So `rundeps` contains
/// only those of the overlay.
pub(crate) fn place(kind: EdgeKind, edge: &Edge, own: bool) -> EdgeList {
    match kind {
        EdgeKind::Link | EdgeKind::Build | EdgeKind::Propagated => EdgeList::Build(true),
        EdgeKind::Tool => EdgeList::Build(false),
        EdgeKind::Test => EdgeList::Check,
        EdgeKind::Run | EdgeKind::Post if own => EdgeList::Run,
        EdgeKind::Run | EdgeKind::Post => EdgeList::None("expected `ypkg.rundeps`"),
        EdgeKind::Optional => EdgeList::None("eopkg has no optional dependencies"),
        EdgeKind::Conflict if edge.version.as_ref().is_none_or(|v| v.value == "any") => {
            EdgeList::Conflicts
        }
        EdgeKind::Conflict => {
            EdgeList::None("ypkg only accepts names, so the conflict would be with every version")
        }
    }
}

/// The value in `patterns` that matches every file. `main: /*` keeps all files in the main package.
const ALL: &str = "/*";

/// Sorts the dependency edges of a package into the recipe's lists, in the order that Solus' checks
/// require. `checks` is true if the recipe runs tests. Without tests, test dependencies are left
/// out.
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
                EdgeList::Build(linked) => (&mut out.build, linked),
                EdgeList::Check if checks => (&mut out.check, true),
                // Run-time dependencies and conflicts name the main package, not its -devel
                // package.
                installed @ (EdgeList::Run | EdgeList::Conflicts) => {
                    let run = matches!(installed, EdgeList::Run);
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
                        .filter(|_| e.edge.exact_name.is_none())
                        .map(|p| p.name.clone());
                    let name = name.unwrap_or_else(|| spell(cx, e, false));
                    if !list.contains(&name) {
                        list.push(name);
                    }
                    continue;
                }
                EdgeList::Check | EdgeList::None(_) => continue,
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
    if let Some(own) = &e.edge.exact_name {
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
    // Two kinds of packages have no -devel package: those that consist of headers only, and those
    // that keep all their files together.
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

/// Returns the sort key of a build dependency in Solus' order: first `pkgconfig32(…)`, then
/// `pkgconfig(…)`, then all other names. The first two kinds are sorted by the name inside the
/// parentheses: `pkgconfig(zlib)` -> `(1, "zlib")`.
pub(crate) fn rank(name: &str) -> (u8, String) {
    for (rank, kind) in [(0, "pkgconfig32("), (1, "pkgconfig(")] {
        if let Some(inside) = name.strip_prefix(kind) {
            return (rank, inside.trim_end_matches(')').to_owned());
        }
    }
    (2, name.to_owned())
}
