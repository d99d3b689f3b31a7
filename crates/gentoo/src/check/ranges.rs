//! Version ranges in the dependencies of an ebuild.

use super::patterns::Patterns;
use super::recipe::Recipe;
use super::spec::tokens;
use rocpkg_pms::{Atom, Cpv, Operator, Version};
use rocpkg_syntax::{Set, Surroundings, Unreadable};
use std::collections::BTreeMap;
use std::ops::Range;

/// An atom whose version range excludes the version of its package.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExcludedVersion {
    /// The bytes of the atom in the ebuild's text. `place` returns their line and column.
    pub at: Range<usize>,
    /// The atom without its slot and USE dependencies: `=dev-util/hip-6*`.
    pub atom: String,
    /// The package: `dev-util/hip`.
    pub package: String,
    /// The version that the range excludes.
    pub version: String,
}

/// Returns the atoms in an ebuild's dependencies whose version range excludes the version that
/// `versions` has of their package. The values of the variables are compared, such as those that a
/// loop or a function of the ebuild makes. Where only bash can compute a value, its words are
/// compared as they are written, with the arguments of functions such as `python_gen_cond_dep`.
/// Blockers and atoms in `|| ( )` are left out. `path` is the ebuild's path in its repository.
///
/// A key of `versions` is a package, such as `dev-lang/python`, or one of its slots, such as
/// `dev-lang/python:3.13`. An atom with a slot is compared with the version of its slot, if that is
/// there. An atom without a slot excludes a package of which it excludes all slots. If a version
/// has no revision, an atom with another revision fits. A version that is none is left out.
///
/// ```
/// use std::collections::BTreeMap;
///
/// let text = "EAPI=8\nDEPEND=\"=dev-util/hip-6*:= >=dev-util/cmake-3\"\n";
/// let versions = BTreeMap::from([("dev-util/hip".to_owned(), "7.2.4".to_owned())]);
/// let all = rocpkg_gentoo::excluded_versions(text, "sci-libs/rocFFT/rocFFT-7.2.4.ebuild", &versions)?;
/// assert_eq!(all[0].atom, "=dev-util/hip-6*");
///
/// let text = "EAPI=8\nDEPEND=\"<llvm-core/llvm-22.1:22 <llvm-core/llvm-22:21\"\n";
/// let slots = [("llvm-core/llvm:22", "22.1.3"), ("llvm-core/llvm:21", "21.1.8")];
/// let slots = slots.map(|(slot, version)| (slot.to_owned(), version.to_owned()));
/// let all = rocpkg_gentoo::excluded_versions(text, "dev-util/hip/hip-7.2.4.ebuild", &BTreeMap::from(slots))?;
/// assert_eq!((all.len(), &*all[0].version), (1, "22.1.3"));
/// # Ok::<(), rocpkg_gentoo::Unreadable>(())
/// ```
///
/// # Errors
/// A text that is no valid bash.
pub fn excluded_versions(
    text: &str,
    path: &str,
    versions: &BTreeMap<String, String>,
) -> Result<Vec<ExcludedVersion>, Unreadable> {
    let surroundings = Surroundings {
        path: path.to_owned(),
        ..Surroundings::default()
    };
    let recipe = Recipe::read(text, &surroundings)?;
    let all = recipe.script.sets.iter();
    let sets: Vec<&Set> = all.filter(|set| !recipe.is_idle(set.at.start)).collect();
    let mut written = WrittenRanges {
        recipe: &recipe,
        patterns: Patterns::of(&recipe),
        sets: &sets,
        versions,
    };
    let mut out = Vec::new();
    let mut last = BTreeMap::new();
    for set in sets.iter().filter(|set| set.name.ends_with("DEPEND")) {
        last.insert(set.name.as_str(), &set.value_at);
    }
    for (name, value_at) in last {
        let written = written.of(name);
        let Some(value) = recipe.value(name).and_then(|value| value.known()) else {
            out.extend(written);
            continue;
        };
        for at in outside_of_any(&value, &(0..value.len())) {
            let word = &value[at];
            let Some(found) = excluded(word, atom_of(word).to_owned(), versions) else {
                continue;
            };
            let at = written.iter().find(|own| own.atom == found.atom);
            let at = at.map_or(value_at, |own| &own.at).clone();
            out.push(ExcludedVersion { at, ..found });
        }
    }
    out.sort_by(|a, b| (a.at.start, &a.atom).cmp(&(b.at.start, &b.atom)));
    out.dedup();
    Ok(out)
}

/// A search for atoms as they are written, since only bash can compute the value that contains
/// them.
struct WrittenRanges<'r> {
    recipe: &'r Recipe<'r>,
    patterns: Patterns<'r>,
    sets: &'r [&'r Set],
    versions: &'r BTreeMap<String, String>,
}

impl WrittenRanges<'_> {
    /// Returns the atoms that exclude a version, in the assignments of a variable and of the
    /// variables that it is made of: `COMMON` of `RDEPEND="${COMMON}"`.
    fn of(&mut self, name: &str) -> Vec<ExcludedVersion> {
        let (mut names, mut out, mut next) = (vec![name.to_owned()], Vec::new(), 0);
        while let Some(name) = names.get(next).cloned() {
            for set in self.sets.iter().filter(|set| set.name == name) {
                self.read(&set.value_at, &mut names, &mut out);
            }
            next += 1;
        }
        out
    }

    /// Reads the dependencies at the bytes `at`.
    fn read(&mut self, at: &Range<usize>, names: &mut Vec<String>, out: &mut Vec<ExcludedVersion>) {
        for at in outside_of_any(self.recipe.text, at) {
            let word = self.recipe.slice(&at);
            // The arguments of a function, such as `$(python_gen_cond_dep '…')`.
            if word.starts_with("$(") {
                self.read(&(at.start + 2..at.end - 1), names, out);
                continue;
            }
            let is_set = |name: &&str| self.sets.iter().any(|set| set.name == *name);
            if let Some(name) = helper(word).filter(is_set) {
                if !names.iter().any(|own| own == name) {
                    names.push(name.to_owned());
                }
                continue;
            }
            let own = atom_of(word);
            let value = if own.contains('$') {
                self.patterns.quoted(&(at.start..at.start + own.len()))
            } else {
                own.to_owned()
            };
            // A star that the word does not have stands for an unknown value.
            if value.matches('*').count() == own.matches('*').count() {
                let found = excluded(word, value, self.versions);
                out.extend(found.map(|found| ExcludedVersion { at, ..found }));
            }
        }
    }
}

/// Returns the words of a dependency string that are no operators and in no group of alternatives.
fn outside_of_any(text: &str, at: &Range<usize>) -> Vec<Range<usize>> {
    // One flag for each open group: set for a group of alternatives.
    let (mut groups, mut is_any) = (Vec::new(), false);
    let mut all = tokens(text, at);
    all.retain(|at| {
        match &text[at.clone()] {
            "||" => is_any = true,
            "(" => groups.push(std::mem::take(&mut is_any)),
            ")" => drop(groups.pop()),
            _ => return !groups.contains(&true),
        }
        false
    });
    all
}

/// Returns the variable that a word consists of: `${COMMON}`, `${DEPS[*]}`.
fn helper(word: &str) -> Option<&str> {
    let name = match word.strip_prefix("${") {
        Some(rest) => rest.strip_suffix('}')?.split('[').next()?,
        None => word.strip_prefix('$')?,
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// Returns an atom without its slot and USE dependencies.
fn atom_of(word: &str) -> &str {
    word.split(['[', ':']).next().unwrap_or(word)
}

/// Returns the version that the atom `word` excludes, without its place. `value` is the atom
/// without slot and USE dependencies, and with the values of variables.
fn excluded(
    word: &str,
    value: String,
    versions: &BTreeMap<String, String>,
) -> Option<ExcludedVersion> {
    let slot = word.split('[').next()?.split_once(':');
    let slot = slot.and_then(|(_, slot)| slot.split(['/', '=', '*']).next());
    let slot = slot.filter(|slot| !slot.is_empty());
    let atom: Atom = value.parse().ok()?;
    let (operator, wanted) = (atom.operator()?, atom.version()?);
    let package = atom.cpn().to_string();
    let of_slot = slot.and_then(|slot| versions.get(&format!("{package}:{slot}")));
    let mut stated: Vec<&String> = of_slot
        .or_else(|| versions.get(&package))
        .into_iter()
        .collect();
    if stated.is_empty() && slot.is_none() {
        let slots = versions.iter().filter(|(key, _)| {
            key.strip_prefix(&package)
                .is_some_and(|rest| rest.starts_with(':'))
        });
        stated.extend(slots.map(|(_, version)| version));
    }
    let fits = |version: &Version| {
        let is_strict = matches!(operator, Operator::Less | Operator::Greater);
        let is_same = version.revision().is_none() && wanted.base() == version.base();
        is_same && !is_strict || atom.matches_cpv(&Cpv::new(atom.cpn().clone(), version.clone()))
    };
    let known = stated
        .into_iter()
        .filter_map(|text| Version::new(text).ok());
    let known: Vec<Version> = known.collect();
    let is_excluded = atom.blocker().is_none() && !known.iter().any(fits);
    let version = known.into_iter().max().filter(|_| is_excluded)?;
    Some(ExcludedVersion {
        at: 0..0,
        atom: value,
        package,
        version: version.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the atoms of a text that exclude one of the versions.
    fn atoms(dependencies: &str, versions: &[(&str, &str)]) -> Vec<String> {
        let versions = versions.iter();
        let versions = versions.map(|(name, version)| ((*name).to_owned(), (*version).to_owned()));
        let text = format!("EAPI=8\nRDEPEND=\"{dependencies}\"\n");
        let all = excluded_versions(&text, "a/b/b-2.ebuild", &versions.collect()).unwrap();
        all.into_iter().map(|found| found.atom).collect()
    }

    #[test]
    fn a_stated_revision_and_all_slots_are_compared() {
        for wrong in ["=x/y-1.0-r1", "<=x/y-1.0-r1", ">=x/y-1.0-r3", "=x/y-1.0"] {
            assert_eq!(atoms(wrong, &[("x/y", "1.0-r2")]), [wrong]);
        }
        for fine in ["=x/y-1.0-r2", ">=x/y-1.0", "~x/y-1.0", "=x/y-1*"] {
            assert_eq!(atoms(fine, &[("x/y", "1.0-r2")]), [""; 0], "{fine}");
        }
        let slots = [("x/y:0", "3"), ("x/y:1", "4")];
        assert_eq!(
            atoms("<x/y-2:= <x/y-4 <x/y-4:1 x/y:2", &slots),
            ["<x/y-2", "<x/y-4"]
        );
    }

    #[test]
    fn ranges_that_exclude_a_version() {
        let versions = BTreeMap::from([
            ("dev-util/hip".to_owned(), "7.2.4".to_owned()),
            ("sci-libs/rocRAND".to_owned(), "7.2.4".to_owned()),
        ]);
        let excluded = |dependencies: &str| {
            let text = format!("EAPI=8\nRDEPEND=\"{dependencies}\"\n");
            let path = "sci-libs/rocFFT/rocFFT-7.2.4.ebuild";
            let all = excluded_versions(&text, path, &versions).unwrap();
            for found in &all {
                let at = &text[found.at.clone()];
                assert!(at.starts_with(&*found.atom) || at.contains('$'), "{at}");
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
        // The values that bash makes, whatever is written.
        let wrong = ["<dev-util/hip-7", "<sci-libs/rocRAND-7"];
        for made in [
            "\"\nfor i in dev-util/hip sci-libs/rocRAND; do RDEPEND+=\" <${i}-7\"; done; A=\"",
            "\"\nV=7; RDEPEND=\"<dev-util/hip-${V} <sci-libs/rocRAND-$(ver_cut 1)\"; V=8; A=\"",
            "\"\nf() { echo \"${1}-7 <sci-libs/rocRAND-7\"; }\nRDEPEND=\"$(f '<dev-util/hip')\"; A=\"",
            "<dev-util/hip-6\"\nRDEPEND=\"<dev-util/hip-7 <sci-libs/rocRAND-7",
        ] {
            assert_eq!(excluded(made), wrong, "{made}");
        }
        assert_eq!(
            excluded("\"\n[[ ${PV} == 9999 ]] && RDEPEND+=\" <dev-util/hip-7"),
            [""; 0]
        );
        // What a function is given, and what a variable holds.
        let wrong = "<dev-util/hip-7";
        assert_eq!(
            excluded(&format!("$(python_gen_cond_dep '\n\t{wrong}[x]\n')")),
            [wrong]
        );
        assert_eq!(excluded(&format!("|| ( $(f '{wrong}') )")), [""; 0]);
        assert_eq!(
            excluded(&format!(
                "${{A}} a/b\"\nA=\"${{B[@]}}\"\nB=( '{wrong}' )\nC=\"{wrong}"
            )),
            [wrong]
        );
    }
}
