//! Checks an ebuild as a whole. The result has every contradiction in its text, and a list of
//! everything that can't be decided.
//!
//! Each file checks one subject. `recipe.rs` holds the input of all checks: the outline, the
//! script, the eclasses, and the values of variables. Read `flags.rs` next.

mod eclass_record;
mod eclasses;
mod files;
mod flags;
mod folders;
mod functions;
mod given;
mod global;
mod globals;
mod iuse;
mod laws;
mod llvm;
mod metadata;
mod patterns;
mod phases;
mod ranges;
mod recipe;
mod required_use;
mod sources;
mod spec;
mod variables;
mod versions;

pub use eclass_record::eclass_record;
#[cfg(feature = "checkout")]
pub(crate) use llvm::slots_of;
pub use ranges::{ExcludedVersion, excluded_versions};
use recipe::Recipe;
#[cfg(feature = "checkout")]
use rocpkg_shell::Commands;
use rocpkg_syntax::{Checked, Fault, LocalFile, Memo, Surroundings, Unreadable, Values, glob};
use std::collections::BTreeMap;

/// Returns true if an ebuild may have a USE flag: through its IUSE, through an eclass, or through a
/// name that is known only when the ebuild runs. Also returns true if the ebuild can't be parsed.
///
/// ```
/// let text = "EAPI=8\nIUSE=\"+doc\"\n";
/// assert!(rocpkg_gentoo::internal::may_have_flag(text, "doc"));
/// assert!(!rocpkg_gentoo::internal::may_have_flag(text, "test"));
/// ```
pub fn may_have_flag(text: &str, flag: &str) -> bool {
    let surroundings = Surroundings::default();
    let Ok(recipe) = Recipe::read(text, &surroundings) else {
        return true;
    };
    let known = flags::flags(&recipe);
    known.iter().any(|pattern| glob::fits(pattern, flag))
}

/// Returns the archives that an ebuild fetches, each as a pair of its address and the name in
/// DISTDIR. Returns `None` if some are known only when the ebuild runs, or if the ebuild can't be
/// parsed. `path` is the ebuild's path in its repository.
///
/// ```
/// let text = "EAPI=8\nSRC_URI=\"https://example.org/1.tar.gz -> ${P}.tar.gz\"\n";
/// let all = rocpkg_gentoo::internal::distfiles(text, "dev-util/hip/hip-7.2.4.ebuild").unwrap();
/// assert_eq!(all[0].1, "hip-7.2.4.tar.gz");
/// ```
pub fn distfiles(text: &str, path: &str) -> Option<Vec<(String, String)>> {
    let surroundings = Surroundings {
        path: path.to_owned(),
        ..Surroundings::default()
    };
    let recipe = Recipe::read(text, &surroundings).ok()?;
    let (all, is_all) = sources::sources(&recipe);
    let pairs = all.into_iter().map(|source| (source.address, source.name));
    is_all.then(|| pairs.collect())
}

/// Returns the files below `${FILESDIR}` that an ebuild uses; `None` for an ebuild that can't be
/// parsed. `path` is the ebuild's path in its repository.
///
/// ```
/// let text = "EAPI=8\nPATCHES=( \"${FILESDIR}/${P}-cmake.patch\" )\n";
/// let files = rocpkg_gentoo::internal::local_files(text, "dev-util/hip/hip-7.2.4.ebuild").unwrap();
/// assert_eq!(files[0].path, "files/hip-7.2.4-cmake.patch");
/// ```
pub fn local_files(text: &str, path: &str) -> Option<Vec<LocalFile>> {
    let surroundings = Surroundings {
        path: path.to_owned(),
        ..Surroundings::default()
    };
    let all = || -> Result<_, Unreadable> {
        let recipe = Recipe::read(text, &surroundings)?;
        let all = files::filesdir(&recipe).into_iter();
        let all = all.flat_map(|(names, at)| {
            let file = move |name| LocalFile {
                path: format!("files/{name}"),
                at: at.clone(),
            };
            names.into_iter().map(file)
        });
        Ok(all.collect())
    };
    LOCAL_FILES.with(|kept| kept.get((text, path.to_owned()), all).ok())
}

thread_local! {
    static LOCAL_FILES: Memo<String, Vec<LocalFile>> = const { Memo::new() };
}

/// Returns the commands of the phases of the ebuild at `path`; `None` for an ebuild that can't be
/// read.
#[cfg(feature = "checkout")]
pub(crate) fn commands(text: &str, path: &str) -> Option<Commands> {
    let surroundings = Surroundings {
        path: path.to_owned(),
        ..Surroundings::default()
    };
    let recipe = Recipe::read(text, &surroundings).ok()?;
    Some(Commands {
        functions: laws::steps(&recipe),
        unpacked: laws::WORKDIR,
        start: laws::source_folder(&recipe),
    })
}

/// Returns the values of the variables of an ebuild after its global scope ran. The version is that
/// in the path of `surroundings`. Returns no value for an ebuild that can't be followed.
///
/// ```
/// use rocpkg_gentoo::Surroundings;
///
/// let at = |path: &str| Surroundings { path: path.to_owned(), ..Surroundings::default() };
/// let text = "EAPI=8\nSLOT=\"0/$(ver_cut 1-2)\"\n";
/// let all = rocpkg_gentoo::internal::values(text, &at("dev-util/hip/hip-7.2.4.ebuild"));
/// assert_eq!(all["SLOT"].words, ["0/7.2"]);
/// ```
pub fn values(text: &str, surroundings: &Surroundings) -> Values {
    let globals = recipe::globals(text, surroundings);
    globals.map_or_else(|_| Values::new(), |globals| globals.values())
}

/// Checks an ebuild against itself and against the files beside it.
///
/// ```
/// use rocpkg_gentoo::check;
/// use rocpkg_gentoo::Surroundings;
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
    metadata::check(&recipe, &mut out);
    global::check(&recipe, &mut out);
    laws::check(&recipe, &mut out);
    out.faults.sort_by_key(Fault::at);
    out
}

/// Returns the function that inherited eclasses provide for each phase, by the phase's name. The
/// function runs if the ebuild does not define the phase itself. Phases that no eclass exports are
/// left out. The result is empty if an inherited eclass is not known, or if the ebuild can't be
/// parsed.
///
/// ```
/// use rocpkg_gentoo::internal::default_phases;
/// use rocpkg_gentoo::Surroundings;
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

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn commands_are_compared_by_the_values_of_their_words() {
        let path = "dev-util/hipcc/hipcc-10.0.0.ebuild";
        let own = r#"EAPI=8
MY_P=llvm-project-therock-$(ver_cut 1-2)
components=( "amd/hipcc" )
src_unpack() {
	if [[ ${PV} == *9999 ]] ; then
		git-r3_fetch
	else
		local archive="${MY_P}.tar.gz"
		ebegin "Unpacking from ${archive}"
		tar -x -z -o \
			-f "${DISTDIR}/${archive}" \
			"${components[@]/#/${MY_P}/}" || die
		eend ${?}
	fi
}
"#;
        let other = r#"EAPI=8
src_unpack() {
	tar -x -z -o -f "${DISTDIR}/llvm-project-therock-$(ver_cut 1-2).tar.gz" \
		"llvm-project-therock-$(ver_cut 1-2)/amd/hipcc" || die
}
"#;
        let of = |text: &str| commands(text, path).unwrap().listed();
        let (own, other) = (of(own), of(other));
        let tar = |command: &&rocpkg_syntax::RunCommand| command.words[0] == "tar";
        let (own, other) = (
            own.iter().find(tar).unwrap(),
            other.iter().find(tar).unwrap(),
        );
        assert!(own.is(other), "{own:?} {other:?}");
    }
}
