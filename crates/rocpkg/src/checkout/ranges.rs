//! Dependencies of an edited recipe whose version ranges exclude the release.

use super::existing_recipe::{Conflict, ExistingRecipe};
use crate::backend::Backend;
use rocpkg_gentoo::excluded_versions;
use rocpkg_syntax::{Body, List, Outline, Value};
use std::collections::BTreeMap;
use std::ops::Range;

/// A dependency whose version range excludes the version of its package.
pub(super) struct Excluded {
    /// The bytes of the dependency in the recipe's text.
    pub(super) at: Range<usize>,
    /// The dependency: `=dev-util/hip-6*`, `rocsolver=7.2.3`.
    pub(super) dependency: String,
    pub(super) package: String,
    /// The version that the range excludes.
    pub(super) version: String,
}

/// Returns a conflict for each dependency in `text`, the new text of an ebuild or a PKGBUILD, whose
/// version range excludes the version that its package has at the same release. `versions` has the
/// versions of the release by package, such as `dev-util/hip`. A dependency that the rendering
/// `after` has too is no conflict.
pub(super) fn ranges(
    existing: &ExistingRecipe,
    text: &str,
    after: &Outline,
    versions: &BTreeMap<String, String>,
) -> Vec<Conflict> {
    let Ok(new) = ExistingRecipe::read(existing.backend, &existing.path, text) else {
        return Vec::new();
    };
    let known = excluded(existing, after, versions);
    let is_known = |own: &Excluded| known.iter().any(|k| k.dependency == own.dependency);
    let found = excluded(existing, &new, versions).into_iter();
    let conflict = |own: Excluded| {
        let reason = format!(
            "`{}` excludes {}, which is the version of {} at this release",
            own.dependency, own.version, own.package
        );
        Conflict {
            existing: Some(new.text[own.at.clone()].to_owned()),
            ..existing.fact(new.keys_at(own.at.start), &new, own.at.start, reason)
        }
    };
    found.filter(|own| !is_known(own)).map(conflict).collect()
}

/// Returns the dependencies of `recipe`, which is `existing` or a rendering of it, that exclude one
/// of `versions`.
pub(super) fn excluded(
    existing: &ExistingRecipe,
    recipe: &Outline,
    versions: &BTreeMap<String, String>,
) -> Vec<Excluded> {
    let mut out = Vec::new();
    match existing.backend {
        Backend::Gentoo => {
            let all = excluded_versions(&recipe.text, &existing.path, versions);
            out.extend(all.into_iter().map(|own| Excluded {
                at: own.at,
                dependency: own.atom,
                package: own.package,
                version: own.version,
            }));
        }
        Backend::Arch => of_pkgbuild(&recipe.root, versions, &mut out),
        Backend::Nix | Backend::Solus => {}
    }
    out
}

/// Adds the excluded dependencies in `body`, a part of a PKGBUILD, to `out`.
fn of_pkgbuild(body: &Body, versions: &BTreeMap<String, String>, out: &mut Vec<Excluded>) {
    for node in &body.nodes {
        let Some(inner) = &node.body else { continue };
        if inner.list != Some(List::Packages) {
            of_pkgbuild(inner, versions, out);
            continue;
        }
        let lists = ["depends", "makedepends", "checkdepends"];
        if !lists.iter().any(|list| node.key.open.starts_with(list)) {
            continue;
        }
        for item in &inner.nodes {
            let package = Value::base(&item.key.real);
            let range = item.value.real.as_str();
            if let Some(version) = versions.get(package)
                && excludes(range, version) == Some(true)
            {
                out.push(Excluded {
                    at: item.at.clone(),
                    dependency: format!("{package}{range}"),
                    package: package.to_owned(),
                    version: version.clone(),
                });
            }
        }
    }
}

/// Returns true if `range`, such as `<7.2.4`, excludes `version`. Versions are compared as by
/// pacman's `vercmp`, without the pkgrel. Returns None if a version consists of more than numbers,
/// and for a lower bound with an epoch.
fn excludes(range: &str, version: &str) -> Option<bool> {
    let start = range.find(|c| !"<>=".contains(c))?;
    let (operator, bound) = range.split_at(start);
    let bound = match bound.split_once(':') {
        Some(_) if operator.starts_with('>') => return None,
        Some((_, bound)) => bound,
        None => bound,
    };
    let (bound, pkgrel) = bound.split_once('-').map_or((bound, ""), |parts| parts);
    let numbers = |text: &str| -> Option<Vec<u64>> {
        text.split('.').map(|part| part.parse().ok()).collect()
    };
    let order = numbers(version)?.cmp(&numbers(bound)?);
    // The package's own pkgrel is not known.
    let is_open = !pkgrel.is_empty() && order.is_eq();
    let fits = match operator {
        "<" => order.is_lt(),
        "<=" => order.is_le(),
        "=" => order.is_eq(),
        ">=" => order.is_ge(),
        ">" => order.is_gt(),
        _ => return None,
    };
    Some(!fits && !is_open)
}

#[cfg(test)]
mod tests {
    use super::excludes;

    #[test]
    fn bounds_are_those_of_pacman() {
        for (range, expected) in [
            ("=7.2.3", Some(true)),
            ("=7.2.4-2", Some(false)),
            ("<7.2.4", Some(true)),
            ("<7.2.4-2", Some(false)),
            ("<2:7.2.4", Some(true)),
            ("<=7.2.4", Some(false)),
            (">=7.2", Some(false)),
            (">=2:8", None),
            (">7.2.4", Some(true)),
            ("=7.2.4.r1", None),
            ("", None),
        ] {
            assert_eq!(excludes(range, "7.2.4"), expected, "{range}");
        }
        // Unlike in upstream's releases, 10.0 is older than 10.0.0.
        assert_eq!(excludes("=10.0.0", "10.0"), Some(true));
    }
}
