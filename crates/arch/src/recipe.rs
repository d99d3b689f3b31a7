//! What PKGBUILDs pass to upstream's build as GPU targets, read off the [`Pkgbuild`]s that are printed.

use crate::ir::Pkgbuild;
use rocpkg_resolve::{Plan, Recipes};

/// What the PKGBUILDs pass on, each with the id of its package. Packages without device code are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, &'a Pkgbuild)>) -> Recipes {
    let bodies = |pkgbuild: &'a Pkgbuild| {
        let functions = pkgbuild.functions.iter().map(|f| f.body.as_slice());
        functions.chain(pkgbuild.parts.iter().map(|p| p.body.as_slice())).collect()
    };
    rocpkg_shell::recipes(plan, all.into_iter().map(|(id, pkgbuild)| (id, bodies(pkgbuild))))
}
