//! Changes a model before it is planned: removes the facts of overlays, so that packages are
//! planned from components, external dependencies and habits alone, or replaces maintainers.

use crate::layer::model::Model;
use crate::layer::tree::{entry, map, without};
use rocpkg_model::{Key, Maintainer, Node, Spanned, TestDataHabit, Value};

/// The keys of an overlay that state the components and the names of its package.
const IDENTITY: &[&str] = &["of", "name", "title"];
/// The keys by which an overlay states, with `~`, that nothing is built.
const NOT_BUILT: &[&str] = &["cmake", "options"];
/// Keys like those in [`IDENTITY`], one level deeper.
const BELOW: &[(&str, &str)] = &[
    ("ebuild", "category"),
    ("nix", "attribute"),
    ("ypkg", "needed-as"),
];
/// The keys of a feature that contain the distribution's name and default for it.
const FEATURE: &[&str] = &["name", "default"];

impl Model {
    /// Replaces the maintainers of the distribution `distro` that the first folder lists by
    /// `people`. Maintainers that a user's folder names do not change.
    pub fn maintained_by(&mut self, distro: &str, people: &[Maintainer]) {
        let Some(of) = self.distros.get_mut(distro) else {
            return;
        };
        of.maintainers.retain(|m| self.depths.of(m.email.span) > 0);
        let is_added = |id: &str| self.added.get(distro).is_some_and(|ids| ids.contains(id));
        let is_named = |m: &Maintainer, id: &str| {
            if m.packages.is_empty() {
                is_added(id)
            } else {
                m.packages.iter().any(|own| own.value == id)
            }
        };
        let left = of
            .packages
            .keys()
            .filter(|id| !of.maintainers.iter().any(|m| is_named(m, id)));
        let packages: Vec<Spanned<String>> = left.map(|id| id.as_str().into()).collect();
        for mut person in people.iter().filter(|_| !packages.is_empty()).cloned() {
            person.packages.clone_from(&packages);
            of.maintainers.push(person);
        }
        let depths = &self.depths;
        for overlay in self
            .overlays
            .get_mut(distro)
            .into_iter()
            .flat_map(|o| o.values_mut())
        {
            overlay.change(|layer| match depths.of(layer.span) {
                0 => without(layer.clone(), "ebuild", "maintainers"),
                _ => layer.clone(),
            });
        }
    }

    /// Reduces every overlay to the components and the names of its package.
    pub fn strip_overlays(&mut self) {
        self.bare = true;
        for overlay in self.overlays.values_mut().flat_map(|o| o.values_mut()) {
            overlay.change(identity);
        }
        // The files of test data that a recipe brings itself are named in its overlay.
        for habits in self.distros.values_mut().filter_map(|d| d.habits.as_mut()) {
            habits.test_data = habits
                .test_data
                .filter(|habit| *habit != TestDataHabit::Brought);
        }
    }
}

fn identity(overlay: &Node) -> Node {
    let mut kept: Vec<(Key, Node)> = Vec::new();
    for (key, node) in overlay.entries() {
        let unbuilt = NOT_BUILT.contains(&key.name.as_str()) && node.value == Value::Null;
        if unbuilt || IDENTITY.contains(&key.name.as_str()) {
            kept.push((key.clone(), node.clone()));
        }
        if let Some((_, below)) = BELOW.iter().find(|(k, _)| *k == key.name) {
            let facts: Vec<_> = node
                .entries()
                .iter()
                .filter(|(k, _)| k.name == *below)
                .cloned()
                .collect();
            if !facts.is_empty() {
                kept.push((key.clone(), map(facts, node.span)));
            }
        }
        // The names of the packages that a PKGBUILD is split into, and the components of each.
        if let Some(parts) = node.get("packages").filter(|_| key.name == "pkgbuild") {
            let parts = parts.entries().iter().map(|(name, part)| {
                let of = part.entries().iter().filter(|(k, _)| k.name == "of");
                (name.clone(), map(of.cloned().collect(), part.span))
            });
            let packages = entry("packages", node.span, map(parts.collect(), node.span));
            kept.push((key.clone(), map(vec![packages], node.span)));
        }
        if key.name == "features" {
            let features = node.entries().iter().map(|(name, feature)| {
                let facts = feature
                    .entries()
                    .iter()
                    .filter(|(k, _)| FEATURE.contains(&k.name.as_str()));
                (name.clone(), map(facts.cloned().collect(), feature.span))
            });
            // A feature without a name or a default of the distribution is not needed.
            let features =
                features.filter(|(_, f)| matches!(&f.value, Value::Map(m) if !m.is_empty()));
            kept.push((key.clone(), map(features.collect(), node.span)));
        }
    }
    map(kept, overlay.span)
}
