//! Lists the facts of the model that a `package.yml` can't express, and reports those that a
//! package has.

use crate::lower::depends::{EdgeList, place};
use crate::value::ir::{Recipe, Step};
use rocpkg_model::{Fetch, FlagAction, Generator, Node};
use rocpkg_resolve::{Capabilities, Unsupported, UnsupportedFacts};

/// The facts that a `package.yml` can't express, as Solus' column of the table of unsupported
/// facts. Some other facts are not listed in a review, because the built package is the same
/// without them: the link to the documentation, and the stated needs of the build, such as memory.
pub static CAPABILITIES: Capabilities = Capabilities {
    codes: "07",
    settings: &[
        "cflags",
        "companions",
        "cppflags",
        "cxxflags",
        "eopkg",
        "fcflags",
        "fflags",
        "hipflags",
        "ldflags",
    ],
    habits: &["own-versions"],
    gaps: &[
        Unsupported::noted("cmake.*.build", "ypkg's macros choose the folder"),
        Unsupported::new(
            "documentation",
            "a package.yml has no link to the documentation",
        ),
        Unsupported::new(
            "licence-file",
            "expected a `licence` step in `phases.install`",
        ),
        Unsupported::new("parts", "ypkg builds a package as a whole"),
        Unsupported::new(
            "sources.*.unchecked",
            "ypkg fetches nothing without a checksum",
        ),
        Unsupported::noted(
            "patches.url",
            "ypkg fetches no patches: expected a file in `files`",
        ),
        Unsupported::noted("patches.relative", "expected `inside`"),
        Unsupported::noted("patches.excludes", "ypkg applies whole patches"),
        Unsupported::new("sources.*.sparse", "ypkg checks out whole repositories"),
        Unsupported::noted("sources.*.post-fetch", "expected steps in `phases.setup`"),
        Unsupported::new("sources.*.asset", "expected `fetch: asset`")
            .of_sources(|_, _, s| s.fetch != Fetch::Asset),
        Unsupported::noted(
            "sources.*.submodules",
            "an archive has no submodules: expected `fetch: git`",
        )
        .of_sources(|_, _, s| !matches!(s.fetch, Fetch::Git | Fetch::Tree | Fetch::Inherited)),
        Unsupported::noted("generator", "ypkg's macros for CMake call Ninja")
            .of(|_, p| p.package.generator == Some(Generator::Make)),
    ],
    edge: |p, edge, kind, own| match place(kind, edge, own) {
        EdgeList::None(label) if p.settles(edge.when.as_ref()) => Some(label),
        _ => None,
    },
    chooses: Some(false),
    versions: Some("ypkg only accepts names, without versions"),
};

/// Reports the facts of the model that the recipe of one package leaves out.
pub(crate) fn check(mut gaps: UnsupportedFacts, recipe: &Recipe) {
    gaps.find(&CAPABILITIES);
    let p = gaps.p;
    // `%ninja_check` runs all of CMake's tests without further settings.
    let runs = recipe.steps.iter().any(|(step, _)| *step == Step::Check);
    let missed = p.misses_tests(Step::Check.name(), runs);
    gaps.tests(
        runs.then_some(&[]),
        missed,
        "expected steps in `phases.check`",
    );
    let edits = p.node.get("flags").into_iter().flat_map(Node::one_or_many);
    let optimised = p
        .package
        .ypkg
        .as_ref()
        .is_some_and(|own| own.optimize.iter().any(|o| o.value.ends_with("lto")));
    for (_, node) in p
        .package
        .flags
        .iter()
        .zip(edits)
        .filter(|(e, _)| e.action == FlagAction::NoLto)
    {
        let span = node.get("action").map_or(node.span, |n| n.span);
        if optimised || p.is_own(span) {
            let label = "ypkg builds without LTO, unless `ypkg.optimize` turns it on";
            gaps.leave_out("flags: no-lto", span, label);
        }
    }
}
