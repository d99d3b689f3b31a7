//! Dependencies of upstream's build that an overlay takes back, and that nothing else of the package brings.

use crate::plan::planned::{Dependency, Plan, Planned};
use crate::read::load::Model;
use rocpkg_model::{Decode, EdgeKind, Findings, Package};
use std::collections::{BTreeMap, BTreeSet};

/// What a build can't do without.
const BUILT_WITH: [EdgeKind; 3] = [EdgeKind::Link, EdgeKind::Build, EdgeKind::Tool];
/// What comes with a package when it is installed.
const COMES_ALONG: [EdgeKind; 3] = [EdgeKind::Link, EdgeKind::Run, EdgeKind::Propagated];

/// By dependency, the ids of the packages that are built without it although their component asks for it unconditionally.
///
/// It holds where a package's dependencies are installed with all that they need, so not for Nix.
pub fn taken_back(model: &Model, plan: &Plan) -> BTreeMap<String, Vec<String>> {
    let mut out: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for p in &plan.packages {
        let installed = installed(plan, p);
        let removed = p.history.removed.iter().filter_map(|r| r.path.strip_prefix("depends."));
        for name in removed.filter(|name| !name.contains('.')) {
            let kept = p.package.depends.contains_key(name) || installed.contains(name);
            if !kept && asked_for(model, p, name) {
                out.entry(name.to_owned()).or_default().push(p.id.clone());
            }
        }
    }
    out
}

/// Whether a component of the package can't be built without a dependency.
fn asked_for(model: &Model, p: &Planned, name: &str) -> bool {
    let unread = || Findings::default();
    p.components.iter().any(|component| {
        let tree = crate::layer::upstream::component(model, component, &p.version, &mut unread());
        let facts = tree.and_then(|tree| Package::decode(&tree, &mut unread()));
        let edges = facts.and_then(|mut facts| facts.depends.swap_remove(name)).unwrap_or_default();
        edges.0.iter().any(|e| e.when.is_none() && e.kind.0.iter().any(|k| BUILT_WITH.contains(k)))
    })
}

/// The neutral names of all that is installed when a package is built.
fn installed<'a>(plan: &'a Plan, p: &'a Planned) -> BTreeSet<&'a str> {
    let mut out = BTreeSet::new();
    let mut open: Vec<(&Planned, &[EdgeKind])> = vec![(p, &BUILT_WITH), (p, &COMES_ALONG)];
    while let Some((from, kinds)) = open.pop() {
        let edges = from.depends.iter().filter(|e| e.edge.when.is_none());
        for e in edges.filter(|e| e.edge.kind.0.iter().any(|k| kinds.contains(k))) {
            let Dependency::Package(id) = &e.to else {
                out.insert(e.name.as_str());
                continue;
            };
            let Some(next) = plan.get(id).filter(|next| out.insert(next.id.as_str())) else { continue };
            out.extend(next.components.iter().map(String::as_str));
            open.push((next, &COMES_ALONG));
        }
    }
    out
}
