//! Version ranges in the dependencies of an ebuild.

use super::patterns::Patterns;
use super::recipe::Recipe;
use super::spec::tokens;
use rocpkg_pms::{Atom, Cpv, Operator, Version};
use rocpkg_syntax::{Surroundings, Unreadable};
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
/// `versions` has of their package. Variables that dependencies consist of are read, and arguments
/// of functions, as in `$(python_gen_cond_dep '…')`. A key of `versions` is a package, such as
/// `dev-lang/python`, or one of its slots, such as `dev-lang/python:3.13`: an atom with a slot is
/// compared with the version of its slot, if that is there. Blockers and atoms in `|| ( )` are left
/// out, and atoms whose version is known only when the ebuild runs. `path` is the ebuild's path in
/// its repository.
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
    let mut found = RangeSearch {
        recipe: &recipe,
        patterns: Patterns::of(&recipe),
        versions,
        helpers: Vec::new(),
        out: Vec::new(),
    };
    let sets = || {
        recipe
            .script
            .sets
            .iter()
            .filter(|set| !recipe.is_idle(set.at.start))
    };
    for set in sets().filter(|set| set.name.ends_with("DEPEND")) {
        found.read(&set.value_at);
    }
    let mut at = 0;
    while let Some(name) = found.helpers.get(at).cloned() {
        for set in sets().filter(|set| set.name == name) {
            found.read(&set.value_at);
        }
        at += 1;
    }
    let mut out = found.out;
    out.sort_by_key(|found| found.at.start);
    out.dedup();
    Ok(out)
}

/// The atoms of an ebuild whose version range excludes a version.
struct RangeSearch<'r> {
    recipe: &'r Recipe<'r>,
    patterns: Patterns<'r>,
    versions: &'r BTreeMap<String, String>,
    /// The variables that dependencies are made of: `COMMON` of `RDEPEND="${COMMON}"`.
    helpers: Vec<String>,
    out: Vec<ExcludedVersion>,
}

impl RangeSearch<'_> {
    /// Reads the dependencies at the bytes `at`.
    fn read(&mut self, at: &Range<usize>) {
        // One flag for each open group: set for a group of alternatives.
        let (mut groups, mut is_any) = (Vec::new(), false);
        for at in tokens(self.recipe.text, at) {
            let word = self.recipe.slice(&at);
            match word {
                "||" => is_any = true,
                "(" => groups.push(std::mem::take(&mut is_any)),
                ")" => drop(groups.pop()),
                _ if groups.contains(&true) => {}
                // The arguments of a function, such as `$(python_gen_cond_dep '…')`.
                _ if word.starts_with("$(") => self.read(&(at.start + 2..at.end - 1)),
                _ => match helper(word).filter(|name| self.is_set(name)) {
                    Some(name) if self.helpers.iter().all(|own| own != name) => {
                        self.helpers.push(name.to_owned());
                    }
                    Some(_) => {}
                    None => {
                        let all = excluded(self.recipe, &mut self.patterns, at, self.versions);
                        self.out.extend(all);
                    }
                },
            }
        }
    }

    fn is_set(&self, name: &str) -> bool {
        self.recipe.script.sets.iter().any(|set| set.name == name)
    }
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
            let all = excluded_versions(&text, path, &versions).unwrap();
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
