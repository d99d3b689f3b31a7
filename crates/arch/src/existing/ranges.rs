//! Version ranges in the dependencies of a PKGBUILD.

use rocpkg_shell::Excluded;
use rocpkg_syntax::{Body, List, NormalText};
use std::collections::BTreeMap;

/// Adds to `out` the dependencies in `body`, a part of a PKGBUILD, whose version range excludes the
/// version that `versions` has of their package.
pub(crate) fn excluded(body: &Body, versions: &BTreeMap<String, String>, out: &mut Vec<Excluded>) {
    for node in &body.nodes {
        let Some(inner) = &node.body else { continue };
        if inner.list != Some(List::Packages) {
            excluded(inner, versions, out);
            continue;
        }
        let lists = ["depends", "makedepends", "checkdepends"];
        if !lists.iter().any(|list| node.key.open.starts_with(list)) {
            continue;
        }
        for item in &inner.nodes {
            let package = NormalText::base(&item.key.real);
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
