//! Contradictions in a PKGBUILD: lists that don't match each other, missing files and folders,
//! variables that are not set, and a `.SRCINFO` with other values.
//!
//! Only certain contradictions are faults. A value that only bash can compute is reported as not
//! checked. A contradiction that makepkg accepts is harmless. `value.rs` is the file to read next.

mod fields;
mod files;
mod flow;
mod folders;
mod info;
mod laws;
mod names;
mod recipe;
mod sources;
mod steps;
mod sums;
mod value;
mod values;
mod variables;

use crate::value::evaluate::sourced;
use crate::value::unread::unread;
use recipe::Recipe;
use rocpkg_bash::evaluate;
#[cfg(feature = "checkout")]
use rocpkg_shell::Commands;
use rocpkg_syntax::{Checked, Fault, Listing, LocalFile, Memo, Script, Surroundings, Unreadable};
use sources::Source;
use steps::PathStep;
use values::{Element, Values};

/// Returns the contradictions in the PKGBUILD `text`, and the questions that could not be decided.
/// `surroundings` are the files beside the PKGBUILD.
///
/// ```
/// use rocpkg_arch::Surroundings;
///
/// let text = "pkgname=a\npkgver=1\npkgrel=1\narch=(any)\nsource=(a b)\nsha256sums=(SKIP)\n";
/// let checked = rocpkg_arch::check(text, &Surroundings::default());
/// assert_eq!(checked.faults[0].finding.code, "E0822");
/// ```
pub fn check(text: &str, surroundings: &Surroundings) -> Checked {
    let mut out = Checked::default();
    let (mut script, mut listing) = match read(text) {
        Ok(read) => read,
        Err(unreadable) => {
            out.faults.push(unread(text, &unreadable));
            return out;
        }
    };
    if script.functions.len() > MOST_FUNCTIONS {
        let reason = format!("it has more than {MOST_FUNCTIONS} functions");
        out.not_checked(0, "PKGBUILD", reason);
        return out;
    }
    let margin = Values::at_margin(text);
    flow::check(text, &margin, &mut script, &mut listing, &mut out);
    let mut recipe = Recipe::new(text, &script, &listing, &margin, surroundings);
    recipe.sources = listed_sources(&recipe);
    let steps = steps_of(&recipe);
    laws::check(&recipe, &steps, &mut out);
    recipe.steps = steps.into_iter().flatten().map(PathStep::from).collect();
    names::check(&recipe, &mut out);
    fields::check(&recipe, &mut out);
    variables::check(&recipe, &mut out);
    sums::check(&recipe, &mut out);
    files::check(&recipe, &mut out);
    folders::check(&recipe, &mut out);
    info::check(&recipe, &mut out);
    out.faults.sort_by_key(Fault::at);
    out
}

/// Returns the elements of `source` that are files beside the PKGBUILD. Returns `None` if the text
/// is no valid bash, or if only bash can compute one of the elements.
///
/// ```
/// let text = "pkgname=a\nsource=(https://a/b.tar.gz \"$pkgname.patch\")\n";
/// assert_eq!(rocpkg_arch::internal::local_files(text).unwrap()[0].path, "a.patch");
/// ```
pub fn local_files(text: &str) -> Option<Vec<LocalFile>> {
    let all = || Ok::<_, Unreadable>(listed_files(text));
    LOCAL_FILES.with(|kept| kept.get((text, ()), all).ok().flatten())
}

thread_local! {
    static LOCAL_FILES: Memo<(), Option<Vec<LocalFile>>> = const { Memo::new() };
}

fn listed_files(text: &str) -> Option<Vec<LocalFile>> {
    let (script, listing) = read(text).ok()?;
    let margin = Values::at_margin(text);
    let beside = Surroundings::default();
    let sources = listed_sources(&Recipe::new(text, &script, &listing, &margin, &beside))?;
    let mut all = Vec::new();
    for source in sources {
        let is_local = source.is_local();
        let (path, at) = (source.address?, source.at);
        if is_local {
            all.push(LocalFile { path, at });
        }
    }
    Some(all)
}

/// Returns the commands of the functions of a PKGBUILD; `None` for a text that can't be read.
#[cfg(feature = "checkout")]
pub(crate) fn commands(text: &str) -> Option<Commands> {
    let (script, listing) = read(text).ok()?;
    let margin = Values::at_margin(text);
    let beside = Surroundings::default();
    let recipe = Recipe::new(text, &script, &listing, &margin, &beside);
    let names = script
        .functions
        .iter()
        .map(|function| function.name.clone());
    Some(Commands {
        functions: names.zip(steps_of(&recipe)).collect(),
        unpacked: steps::SRCDIR,
        start: None,
    })
}

/// Returns the values of the variables of a PKGBUILD at the end of its global scope. Returns no
/// value for a text that can't be read.
///
/// ```
/// let all = rocpkg_arch::internal::values("pkgver=7.2.4\n_tag=rocm-$pkgver\n");
/// assert_eq!(all["_tag"].words, ["rocm-7.2.4"]);
/// ```
pub fn values(text: &str) -> rocpkg_syntax::Values {
    let sourced = sourced(text);
    let run = &sourced.0;
    if run.lost.is_some() {
        return rocpkg_syntax::Values::new();
    }
    let all = run.variables.iter();
    let own = all.filter(|(name, _)| *name != "CARCH");
    own.map(|(name, variable)| (name.clone(), variable.evaluated()))
        .collect()
}

fn read(text: &str) -> Result<(Script, Listing), Unreadable> {
    Ok((Script::read(text)?, Listing::read(text)?))
}

/// The greatest number of functions of a PKGBUILD that is checked, as each function has values of
/// its own.
const MOST_FUNCTIONS: usize = 500;

fn listed_sources(recipe: &Recipe) -> Option<Vec<Source>> {
    let elements = |list: &str| recipe.value(list).elements().map(<[Element]>::to_vec);
    sources::all(recipe.script, recipe.margin, &elements)
}

fn steps_of(recipe: &Recipe) -> Vec<Vec<evaluate::Step>> {
    let (base, name) = (recipe.value("pkgbase"), recipe.value("pkgname"));
    let is_known = base.elements().is_some();
    let base = base.text().or_else(|| name.text()).filter(|_| is_known);
    steps::all(recipe.script, recipe.margin, base)
}
