//! What PKGBUILDs pass to upstream's build as GPU targets, read off the [`Pkgbuild`]s that are printed.

use crate::ir::Pkgbuild;
use rocpkg_render::bash::Stmt;
use rocpkg_resolve::{Asked, Builds, Chooser, Plan, Recipes};

/// What the PKGBUILDs pass on, each with the id of its package. Packages without device code are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, &'a Pkgbuild)>) -> Recipes {
    let mut out = Recipes { chooser: Chooser::Packager, ..Recipes::default() };
    let by_environment = |builds: &Builds| builds.asked != Asked::Ignored;
    for (id, pkgbuild) in all {
        if let Some(p) = plan.get(id).filter(|p| p.targets.is_some()) {
            let functions = pkgbuild.functions.iter().map(|f| f.body.as_slice());
            let parts = pkgbuild.parts.iter().map(|p| p.body.as_slice());
            let bodies: Vec<&[Stmt]> = functions.chain(parts).collect();
            out.builds.insert(id.to_owned(), rocpkg_shell::builds(plan, p, &bodies));
        }
    }
    if out.builds.values().any(by_environment) {
        out.chooser = Chooser::Builder;
    }
    out
}
