//! The names of GPU targets as the registry's file declares them, for checking what profiles write.

use rocpkg_model::{Node, Value};
use std::collections::BTreeMap;

/// All names that may stand where a GPU target is asked for.
#[derive(Clone, Debug, Default)]
pub struct TargetNames {
    names: Vec<String>,
    families: BTreeMap<String, Vec<String>>,
    products: BTreeMap<String, Vec<String>>,
    chips: BTreeMap<String, (String, Vec<String>)>,
}

impl TargetNames {
    /// Reads the keys of `processors`, `removed`, `generics` and `pseudo`, and the lists of `families`, of `targets.yaml`.
    pub fn from_node(node: &Node) -> Self {
        let mut out = Self::default();
        for section in ["processors", "removed", "generics", "pseudo"] {
            for (key, entry) in node.get(section).map(Node::entries).unwrap_or_default() {
                out.names.push(key.name.to_string());
                out.products.insert(key.name.to_string(), texts(entry.get("products")));
                let family = entry.get("family").and_then(Node::text).unwrap_or_default().to_owned();
                let mut chips = texts(entry.get("alternatives"));
                chips.extend(texts(entry.get("codenames")));
                out.chips.insert(key.name.to_string(), (family, chips));
            }
        }
        for (key, list) in node.get("families").map(Node::entries).unwrap_or_default() {
            out.families.insert(key.name.to_string(), texts(list.get("targets").or(Some(list))));
        }
        out
    }

    /// Every processor and generic target.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// Every family.
    pub fn families(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.families.iter().map(|(k, v)| (k.as_str(), v.as_slice()))
    }

    /// The products that carry a processor, as AMD names them.
    pub fn products(&self, target: &str) -> &[String] {
        self.products.get(target).map_or(&[], Vec::as_slice)
    }

    /// The microarchitecture of a processor, empty when it is not known, and the names of its chips in LLVM and in AMD's drivers.
    pub fn chips(&self, target: &str) -> (&str, &[String]) {
        self.chips.get(target).map_or(("", &[]), |(family, names)| (family.as_str(), names.as_slice()))
    }

    /// The targets that a name stands for: itself, or a family's members.
    pub fn expand(&self, name: &str) -> Option<Vec<String>> {
        // Without a registry nothing can be checked, and the names stand for themselves.
        if self.names.is_empty() || self.names.iter().any(|n| n == name) {
            Some(vec![name.to_owned()])
        } else {
            self.families.get(name).cloned()
        }
    }
}

fn texts(node: Option<&Node>) -> Vec<String> {
    match node.map(|n| &n.value) {
        Some(Value::Seq(items)) => items.iter().filter_map(|n| n.text().map(str::to_owned)).collect(),
        _ => Vec::new(),
    }
}
