//! Version ranges in the dependencies of an ebuild.

use super::patterns::Patterns;
use super::recipe::Recipe;
use super::spec::tokens;
use rocpkg_pms::{Atom, Cpv, Operator, Version};
use rocpkg_syntax::Surroundings;
use std::collections::BTreeMap;
use std::ops::Range;

/// An atom whose version range excludes the version of its package.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExcludedVersion {
    /// The bytes of the atom in the ebuild's text.
    pub at: Range<usize>,
    /// The atom without its slot and USE dependencies: `=dev-util/hip-6*`.
    pub atom: String,
    /// The package: `dev-util/hip`.
    pub package: String,
    /// The version that the range excludes.
    pub version: String,
}

/// Returns the atoms in an ebuild's dependencies whose version range excludes the version that
/// `versions` has of their package. A key of `versions` is a package, such as `dev-lang/python`, or
/// one of its slots, such as `dev-lang/python:3.13`: an atom with a slot is compared with the
/// version of its slot, if that is there. Blockers and atoms in `|| ( )` are left out, and atoms whose
/// version is known only when the ebuild runs. Returns no atoms if the ebuild can't be parsed.
/// `path` is the ebuild's path in its repository.
///
/// ```
/// use std::collections::BTreeMap;
///
/// let text = "EAPI=8\nDEPEND=\"=dev-util/hip-6*:= >=dev-util/cmake-3\"\n";
/// let versions = BTreeMap::from([("dev-util/hip".to_owned(), "7.2.4".to_owned())]);
/// let all = rocpkg_gentoo::excluded_versions(text, "sci-libs/rocFFT/rocFFT-7.2.4.ebuild", &versions);
/// assert_eq!(all[0].atom, "=dev-util/hip-6*");
///
/// let text = "EAPI=8\nDEPEND=\"<llvm-core/llvm-22.1:22 <llvm-core/llvm-22:21\"\n";
/// let slots = [("llvm-core/llvm:22", "22.1.3"), ("llvm-core/llvm:21", "21.1.8")];
/// let slots = slots.map(|(slot, version)| (slot.to_owned(), version.to_owned()));
/// let all = rocpkg_gentoo::excluded_versions(text, "dev-util/hip/hip-7.2.4.ebuild", &BTreeMap::from(slots));
/// assert_eq!((all.len(), &*all[0].version), (1, "22.1.3"));
/// ```
pub fn excluded_versions(
    text: &str,
    path: &str,
    versions: &BTreeMap<String, String>,
) -> Vec<ExcludedVersion> {
    let surroundings = Surroundings {
        path: path.to_owned(),
        ..Surroundings::default()
    };
    let Ok(recipe) = Recipe::read(text, &surroundings) else {
        return Vec::new();
    };
    let mut out = Vec::new();
    let mut patterns = Patterns::of(&recipe);
    let sets = recipe.script.sets.iter();
    for set in sets.filter(|set| set.name.ends_with("DEPEND") && !recipe.is_idle(set.at.start)) {
        // One flag for each open group: set for a group of alternatives.
        let (mut groups, mut is_any) = (Vec::new(), false);
        for at in tokens(text, &set.value_at) {
            match recipe.slice(&at) {
                "||" => is_any = true,
                "(" => groups.push(std::mem::take(&mut is_any)),
                ")" => drop(groups.pop()),
                _ if groups.contains(&true) => {}
                _ => out.extend(excluded(&recipe, &mut patterns, at, versions)),
            }
        }
    }
    out
}

fn excluded(
    recipe: &Recipe,
    patterns: &mut Patterns,
    at: Range<usize>,
    versions: &BTreeMap<String, String>,
) -> Option<ExcludedVersion> {
    let whole = recipe.slice(&at);
    let word = whole.split(['[', ':']).next()?;
    let slot = whole
        .split('[')
        .next()?
        .split_once(':')
        .map(|(_, slot)| slot);
    let slot = slot.and_then(|slot| slot.split(['/', '=', '*']).next());
    let end = at.start + word.len();
    let value = if word.contains('$') {
        patterns.quoted(&(at.start..end))
    } else {
        word.to_owned()
    };
    // A star that the word does not have stands for an unknown value.
    if value.matches('*').count() != word.matches('*').count() {
        return None;
    }
    let atom: Atom = value.parse().ok()?;
    let (operator, wanted) = (atom.operator()?, atom.version()?);
    let package = atom.cpn().to_string();
    let of_slot = slot.and_then(|slot| versions.get(&format!("{package}:{slot}")));
    let version = of_slot.or_else(|| versions.get(&package))?;
    let found = Version::new(version).ok()?;
    // The revision of the package is not known.
    let is_strict = matches!(operator, Operator::Less | Operator::Greater);
    let is_same = !is_strict && wanted.base() == found.base();
    let fits = is_same || atom.matches_cpv(&Cpv::new(atom.cpn().clone(), found));
    (atom.blocker().is_none() && !fits).then(|| ExcludedVersion {
        at,
        atom: value,
        package,
        version: version.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_that_exclude_a_version() {
        let versions = BTreeMap::from([
            ("dev-util/hip".to_owned(), "7.2.4".to_owned()),
            ("sci-libs/rocRAND".to_owned(), "7.2.4".to_owned()),
        ]);
        let excluded = |dependencies: &str| {
            let text = format!("EAPI=8\nRDEPEND=\"{dependencies}\"\n");
            let path = "sci-libs/rocFFT/rocFFT-7.2.4.ebuild";
            let all = excluded_versions(&text, path, &versions);
            for found in &all {
                assert!(
                    text[found.at.clone()].starts_with(&*found.atom)
                        || found.atom.contains("7.2.4")
                );
            }
            all.into_iter().map(|found| found.atom).collect::<Vec<_>>()
        };
        for wrong in [
            "=dev-util/hip-6*",
            "~sci-libs/rocRAND-7.2.3",
            "<dev-util/hip-7.2.4",
            ">dev-util/hip-7.2.4",
            "=dev-util/hip-7.2.3-r1",
            ">=dev-util/hip-7.2.5",
        ] {
            assert_eq!(excluded(wrong), [wrong]);
            assert_eq!(excluded(&format!("test? ( {wrong}:0/6=[a(-)?] )")), [wrong]);
            assert_eq!(excluded(&format!("!{wrong} || ( a/b {wrong} )")), [""; 0]);
            assert_eq!(excluded(&format!("|| ( a/b ) {wrong}")), [wrong]);
        }
        for fine in [
            "=dev-util/hip-7*",
            "~dev-util/hip-${PV}",
            "~dev-util/hip-${OTHER}",
            "=dev-util/hip-${OTHER}*",
            "=dev-util/hip-7.2.4-r1",
            "<=dev-util/hip-7.2.4",
            ">=dev-util/hip-6",
            "dev-util/hip:0/6",
            "=dev-util/cmake-3*",
        ] {
            assert_eq!(excluded(fine), [""; 0], "{fine}");
        }
        assert_eq!(excluded("<dev-util/hip-${PV}"), ["<dev-util/hip-7.2.4"]);
    }
}
