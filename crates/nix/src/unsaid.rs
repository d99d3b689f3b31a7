//! What the model may say of a package and an expression of nixpkgs does not.

use crate::build::{below, is_said, other_compiler};
use rocpkg_model::{EdgeKind, Fetch, Findings, FlagAction, NixBuilder, Text};
use rocpkg_resolve::{LeftOut, Planned, Unsaid, elements};

/// What has no place, whatever it says.
const KINDS: &[Unsaid] = &[
    Unsaid { path: "messages", label: "Nix shows none", noted: true },
    Unsaid { path: "constraints", label: "expected `nix.meta.broken`", noted: false },
    Unsaid { path: "tests", label: "expected steps in `phases.checkPhase`", noted: false },
    Unsaid { path: "cmake.*.when", label: "a derivation configures its project always", noted: true },
];

/// Python's builder calls no CMake.
const OF_CMAKE: &[Unsaid] = &[
    Unsaid { path: "cmake", label: "what Python's builder makes is not configured by CMake", noted: true },
    Unsaid {
        path: "generator",
        label: "what Python's builder makes is not configured by CMake",
        noted: true,
    },
];

/// Looks for what the expression of a package leaves out.
pub(crate) fn check(p: &Planned, out: &mut LeftOut, findings: &mut Findings) {
    p.leave_out_all(KINDS, out, findings);
    if p.package.nix.as_ref().is_some_and(|n| n.builder == NixBuilder::Python) {
        p.leave_out_all(OF_CMAKE, out, findings);
    } else {
        project(p, out, findings);
    }
    if let (Some(label), Some(node)) = (other_compiler(p), p.node.get("compiler")) {
        p.leave_out("compiler", node.span, label, out, findings);
    }
    let edits = p.node.get("flags").into_iter().flat_map(|all| elements(all));
    for (edit, node) in p.package.flags.iter().zip(edits).filter(|(edit, _)| !is_said(edit)) {
        let (label, noted) = match edit.action {
            FlagAction::NoLto => ("nixpkgs builds without it", false),
            _ if edit.phase.is_some() => ("flags hold for the whole build", true),
            FlagAction::Set => ("expected no condition", true),
            _ => ("expected `append` or `prepend`: no flags are there to be changed", true),
        };
        let node = node.get(if edit.phase.is_some() { "phase" } else { "action" }).unwrap_or(node);
        if noted || p.is_own(node.span) {
            p.leave_out("flags", node.span, label, out, findings);
        }
    }
    edges(p, out, findings);
    for (source, node) in p.sources.iter().zip(p.said("sources.*")) {
        if matches!(source.fetch, Fetch::Asset | Fetch::Archive | Fetch::File) {
            for (key, what) in [("submodules", "sources.submodules"), ("post-fetch", "sources.post-fetch")] {
                if let Some(value) = node.get(key).filter(|n| n.text() != Some("false")) {
                    p.leave_out(what, value.span, "expected a checkout: `fetch: tree`", out, findings);
                }
            }
            if let Some(first) =
                node.get("sparse").and_then(|n| elements(n).first().copied()).filter(|n| p.is_own(n.span))
            {
                p.leave_out(
                    "sources.sparse",
                    first.span,
                    "expected a checkout: `fetch: tree`",
                    out,
                    findings,
                );
            }
        }
        let folded = matches!(source.fetch, Fetch::File) && source.folder.is_none();
        if let Some(path) = node.get("path").filter(|_| folded) {
            p.leave_out(
                "sources.path",
                path.span,
                "expected `folder`, what the file unpacks to",
                out,
                findings,
            );
        }
    }
}

/// The folders and goals of the project.
fn project(p: &Planned, out: &mut LeftOut, findings: &mut Findings) {
    for project in p.package.cmake.values() {
        let odd = |text: &Option<Text>| text.as_ref().filter(|t| below(t).is_none()).map(|t| t.span);
        for (what, span) in [("cmake.source", odd(&project.source)), ("cmake.build", odd(&project.build))] {
            if let Some(span) = span {
                p.leave_out(what, span, "expected a folder below `${source}`", out, findings);
            }
        }
        if let [_, further, ..] = project.goals.as_slice() {
            let span = further.0.first().map_or(p.node.span, |goal| goal.span);
            p.leave_out("cmake.goals", span, "a derivation calls the build tool once", out, findings);
        }
    }
}

/// Edges that nothing is made of.
fn edges(p: &Planned, out: &mut LeftOut, findings: &mut Findings) {
    // What the distribution never names is no dependency there.
    let named = |name: &str| p.depends.iter().any(|e| e.name == name);
    for (name, edge, node) in p.edges().filter(|(name, ..)| named(name)) {
        let what = format!("depends.{name}");
        for (kind, node) in edge.kind.0.iter().zip(node.get("kind").into_iter().flat_map(|n| elements(n))) {
            let label = match kind {
                EdgeKind::Run | EdgeKind::Post => {
                    "expected `propagated`, or a hook that puts its path into what runs it"
                }
                EdgeKind::Optional if edge.when.is_none() => "expected a condition: an input is there or not",
                EdgeKind::Conflict => "packages of nixpkgs do not meet",
                _ => continue,
            };
            p.leave_out(&what, node.span, label, out, findings);
        }
        let version = edge.version.as_ref().filter(|v| v.value != "any" && p.is_own(v.span));
        if let Some(version) = version {
            p.leave_out(
                &format!("{what}.version"),
                version.span,
                "nixpkgs has one version of each",
                out,
                findings,
            );
        }
    }
}
