//! The check of an ebuild as a whole: every contradiction in its text, and what can't be decided.
//!
//! Each file is one subject. `recipe.rs` holds what all of them read: the outline, the
//! script, the eclasses, and the values of variables. Read `flags.rs` next.

mod eclasses;
mod files;
mod flags;
mod folders;
mod functions;
mod glob;
mod iuse;
mod llvm;
mod phases;
mod recipe;
mod required_use;
mod sources;
mod spec;
mod values;
mod variables;

use recipe::Recipe;
use rocpkg_syntax::{Checked, Fault, Surroundings};
use std::collections::BTreeMap;

/// Checks an ebuild against itself and against what lies beside it.
///
/// ```
/// use rocpkg_gentoo::check;
/// use rocpkg_syntax::Surroundings;
///
/// let text = "EAPI=8\nIUSE=\"doc\"\nRDEPEND=\"test? ( dev-libs/a )\"\n";
/// let checked = check(text, &Surroundings::default());
/// assert_eq!(checked.faults[0].finding.code, "E0802");
/// ```
pub fn check(text: &str, surroundings: &Surroundings) -> Checked {
    let mut out = Checked::default();
    let recipe = match Recipe::read(text, surroundings) {
        Ok(recipe) => recipe,
        Err(error) => {
            let start = text.floor_char_boundary(error.at);
            let end = text.ceil_char_boundary(start + 1);
            let fault = Fault::new("E0801", start..end, "the ebuild can't be read");
            out.faults.push(fault.label(error.reason.to_string()));
            return out;
        }
    };
    flags::check(&recipe, &mut out);
    functions::check(&recipe, &mut out);
    variables::check(&recipe, &mut out);
    files::check(&recipe, &mut out);
    folders::check(&recipe, &mut out);
    sources::check(&recipe, &mut out);
    phases::check(&recipe, &mut out);
    llvm::check(&recipe, &mut out);
    required_use::check(&recipe, &mut out);
    out.faults.sort_by_key(Fault::at);
    out
}

/// Returns the function that runs in each phase that an ebuild does not define, by the phase. Only
/// phases that an eclass exports are returned, and none where an eclass is not at hand.
///
/// ```
/// use rocpkg_gentoo::default_phases;
/// use rocpkg_syntax::Surroundings;
///
/// let phases = default_phases("EAPI=8\ninherit cmake\n", &Surroundings::default());
/// assert_eq!(phases["src_configure"], "cmake_src_configure");
/// ```
pub fn default_phases(text: &str, surroundings: &Surroundings) -> BTreeMap<String, String> {
    let Ok(recipe) = Recipe::read(text, surroundings) else {
        return BTreeMap::new();
    };
    if recipe.eclasses.reason().is_some() {
        return BTreeMap::new();
    }
    let all = recipe.eclasses.default_phases().into_iter();
    all.map(|(phase, function)| (phase.to_owned(), function))
        .collect()
}
