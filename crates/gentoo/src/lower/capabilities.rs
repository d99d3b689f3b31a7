//! The keys of the model that a package may have and an ebuild does not support.

use crate::lower::context::target_flags_of;
use crate::lower::optional::asks_to_tell;
use rocpkg_model::{Compiler, EdgeKind, Fetch, TargetFlags};
use rocpkg_resolve::{Capabilities, Plan, Planned, ResolvedSource, Unsupported};

/// The settings and habits that the Gentoo backend reads, and the keys of packages that it does not
/// support (`gaps`). Of the keys of a source, those that make no sense for an archive are listed,
/// as an ebuild fetches archives only. Other kinds of sources are refused elsewhere.
pub static CAPABILITIES: Capabilities = Capabilities {
    codes: "03",
    settings: &[
        "category",
        "companions",
        "global-flags",
        "gpu-flag",
        "homepage",
        "keywords",
        "python",
        "repository",
        "use-expand",
    ],
    habits: &["live"],
    gaps: &[
        Unsupported::noted(
            "patches.relative",
            "expected paths below the source's folder",
        ),
        Unsupported::new("licence-file", "Gentoo keeps the texts of licences itself"),
        Unsupported::new("parts", "an ebuild builds a package as a whole"),
        Unsupported::new(
            "sources.*.unchecked",
            "a Manifest has checksums of every archive",
        ),
        // The branch of a live ebuild is checked out with submodules.
        Unsupported::noted("sources.*.submodules", "an archive has no submodules").of_sources(
            |plan, p, s| is_archive(plan, p, s) && !crate::lower::live::has_live(plan, &p.id),
        ),
        Unsupported::noted("sources.*.post-fetch", "expected steps in `phases.unpack`")
            .of_sources(is_archive),
        Unsupported::new("sources.*.sparse", "an archive contains all folders")
            .of_sources(is_archive),
        Unsupported::new(
            "compiler",
            "the eclass of GPU targets sets the compiler, but only for packages with GPU targets",
        )
        .of(has_no_such_compiler),
    ],
    edge: |_, edge, kind, _| {
        let untold = kind == EdgeKind::Optional && !asks_to_tell(edge);
        untold.then_some("expected `reason`, which optfeature prints")
    },
    chooses: None,
    versions: None,
};

fn is_archive(_: &Plan, _: &Planned, source: &ResolvedSource) -> bool {
    !matches!(source.fetch, Fetch::Git | Fetch::Tree | Fetch::Inherited)
}

fn has_no_such_compiler(_: &Plan, p: &Planned) -> bool {
    target_flags_of(p) == TargetFlags::None
        && match p.package.compiler {
            Some(Compiler::Hipcc) => true,
            Some(Compiler::Amdclang) => crate::lower::llvm::slots(p).is_empty(),
            _ => false,
        }
}
