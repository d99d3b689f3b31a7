//! What the model may say of a package and a package.yml does not.

use crate::depends::{Place, place};
use rocpkg_model::{EdgeKind, Fetch, Findings, FlagAction, Generator};
use rocpkg_resolve::{LeftOut, Planned, Unsaid, elements};

/// What has no place, whatever it says.
const KINDS: &[Unsaid] = &[
    Unsaid { path: "messages", label: "eopkg shows none", noted: true },
    Unsaid { path: "constraints", label: "a recipe has no switches", noted: false },
    Unsaid { path: "patches.url", label: "a patch lies in `files`, and ypkg fetches none", noted: true },
    Unsaid { path: "patches.relative", label: "expected `inside`", noted: true },
    Unsaid { path: "patches.includes", label: "the whole file is applied", noted: true },
    Unsaid { path: "patches.excludes", label: "the whole file is applied", noted: true },
    Unsaid { path: "sources.*.sparse", label: "ypkg checks a repository out as a whole", noted: false },
    Unsaid { path: "sources.*.post-fetch", label: "expected steps in `phases.setup`", noted: true },
];

/// Keys of `tests` that no script is made of.
const TESTS: &str = "runner goal arguments folder environment skip jobs never";

/// Looks for what the recipe of a package leaves out.
pub(crate) fn check(p: &Planned, out: &mut LeftOut, findings: &mut Findings) {
    p.leave_out_all(KINDS, out, findings);
    for key in TESTS.split_whitespace() {
        let own = p.node.get("tests").and_then(|tests| tests.get(key)).filter(|n| p.is_own(n.span));
        if let Some(node) = own {
            p.leave_out(
                &format!("tests.{key}"),
                node.span,
                "expected steps in `phases.check`",
                out,
                findings,
            );
        }
    }
    if let (Some(Generator::Make), Some(node)) = (p.package.generator, p.node.get("generator")) {
        p.leave_out("generator: make", node.span, "ypkg's macros for CMake call Ninja", out, findings);
    }
    for source in p.sources.iter().filter(|s| s.submodules && !matches!(s.fetch, Fetch::Git | Fetch::Tree)) {
        let node = p.node.get("sources").and_then(|all| all.get(&source.name)?.get("submodules"));
        let span = node.map_or(source.span, |n| n.span);
        p.leave_out("sources.submodules", span, "an archive has none: expected `fetch: git`", out, findings);
    }
    let edits = p.node.get("flags").into_iter().flat_map(elements);
    let optimised =
        p.package.ypkg.as_ref().is_some_and(|own| own.optimize.iter().any(|o| o.value.ends_with("lto")));
    for (_, node) in p.package.flags.iter().zip(edits).filter(|(e, _)| e.action == FlagAction::NoLto) {
        let span = node.get("action").map_or(node.span, |n| n.span);
        if optimised || p.is_own(span) {
            let label = "ypkg builds without it, unless `ypkg.optimize` asks for it";
            p.leave_out("flags: no-lto", span, label, out, findings);
        }
    }
    // What the distribution never names is no dependency there.
    let named = |name: &str| p.depends.iter().any(|e| e.name == name);
    for (name, edge, node) in p.edges().filter(|(name, ..)| named(name)) {
        if !p.settles(edge.when.as_ref()) {
            continue;
        }
        let what = format!("depends.{name}");
        for (kind, node) in edge.kind.0.iter().zip(node.get("kind").into_iter().flat_map(elements)) {
            if let Place::None(label) = place(*kind, edge, p.is_own(node.span)) {
                p.leave_out(&what, node.span, label, out, findings);
            }
        }
        // Of a conflict that was said.
        let met = edge.kind.0.contains(&EdgeKind::Conflict);
        let version = edge.version.as_ref().filter(|v| !met && v.value != "any" && p.is_own(v.span));
        if let Some(version) = version {
            p.leave_out(&format!("{what}.version"), version.span, "ypkg takes names alone", out, findings);
        }
    }
}
