//! Packages made of several components. The other components add their options, features and
//! dependencies to the first. Their sources are dropped if the main source contains them.

use crate::layer::merged::Merged;
use crate::layer::options::Owners;
use crate::layer::tree::{put, without};
use indexmap::IndexMap;
use rocpkg_model::{Fetch, Node};

/// Returns `first`, the tree of the first component, with the options, features and dependencies of
/// the other components of the package. Their main sources are added under the names of their
/// components. Values of the first component do not change. `all` are all components with their
/// trees. The component of each option is added to `owners`.
pub(crate) fn with_others(
    first: Node,
    all: &[(&String, Option<&Merged>)],
    owners: &mut Owners,
) -> Node {
    let mut whole = first;
    let mut own = |name: &String, node: &Node| {
        for key in node.keys_of("options") {
            owners.entry(key.to_owned()).or_insert_with(|| name.clone());
        }
    };
    // Components of one package do not need each other.
    for (name, _) in all {
        whole = without(whole, "depends", name);
    }
    let Some(((name, _), others)) = all.split_first() else {
        return whole;
    };
    own(name, &whole);
    for (name, more) in others {
        let Some(more) = more.and_then(|laid| laid.tree()) else {
            continue;
        };
        own(name, more);
        for section in ["options", "features", "depends"] {
            for (key, node) in more.entries_of(section) {
                let said = whole
                    .get(section)
                    .is_some_and(|s| s.get(&key.name).is_some());
                if !said && !all.iter().any(|(c, _)| key.name == **c) {
                    put(&mut whole, &[section, &key.name], node.clone());
                }
            }
        }
        if let Some(main) = more.get("sources").and_then(|s| s.get("main")) {
            put(&mut whole, &["sources", name], main.clone());
        }
    }
    whole
}

/// Removes the sources of other components that are part of the first source, since both are
/// fetched as the same whole repository. Returns those components, with their folders in the
/// repository. `of` are the components of the package. `habit` is the way in which the distribution
/// fetches sources.
pub(crate) fn drop_carried(
    node: &mut Node,
    of: &[String],
    habit: Fetch,
) -> IndexMap<String, String> {
    let mut carried = IndexMap::new();
    let whole = |s: &Node| match s.get("fetch").and_then(Node::text) {
        Some(word) => matches!(word, "archive" | "git" | "tree"),
        None => matches!(habit, Fetch::Archive | Fetch::Git | Fetch::Tree),
    };
    let Some(sources) = node.get_mut("sources").and_then(Node::entries_mut) else {
        return carried;
    };
    let Some((_, main)) = sources.first().cloned() else {
        return carried;
    };
    let text = |s: &Node, key: &str| s.get(key).and_then(Node::text).map(str::to_owned);
    sources.retain(|(name, s)| {
        let beside = of.iter().skip(1).any(|c| *c == name.name)
            && whole(&main)
            && whole(s)
            && text(s, "repository") == text(&main, "repository");
        if beside {
            carried.insert(name.name.to_string(), text(s, "path").unwrap_or_default());
        }
        !beside
    });
    carried
}
