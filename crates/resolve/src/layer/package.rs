//! Merges the layers of one package.

use crate::layer::components::{drop_carried, with_others};
use crate::layer::features::{Decided, fix};
use crate::layer::habits::{complete, generate};
use crate::layer::identity::Kind;
use crate::layer::merged::{History, Layer, Merged};
use crate::layer::model::Model;
use crate::layer::options::{Owners, names_main, share, with_main};
use crate::layer::rules::Rules;
use crate::layer::upstream::component;
use crate::read::files::Layers;
use crate::read::release::Release;
use indexmap::IndexMap;
use rocpkg_model::{Distro, Findings, Node};
use std::collections::BTreeMap;

/// A package of a distribution, at a version.
#[derive(Debug)]
pub(crate) struct Pin<'m> {
    pub(crate) id: &'m str,
    pub(crate) version: Release,
    pub(crate) shipped: Release,
}

#[derive(Debug)]
pub(crate) struct Parts<'m> {
    pub(crate) of: Vec<String>,
    pub(crate) base: Option<&'m Layers>,
    pub(crate) overlays: Vec<&'m Node>,
}

/// A package merged from its layers: one tree in which no condition over the release is left.
#[derive(Debug)]
pub(crate) struct MergedPackage<'m> {
    pub(crate) parts: Parts<'m>,
    pub(crate) node: Node,
    pub(crate) history: History,
    /// The components of the package, each merged by itself. Empty if the package has only one.
    pub(crate) pieces: Vec<(String, Node)>,
    /// The variables for GPU targets that the first component names, whichever of them the
    /// distribution passes.
    pub(crate) variables: Option<Node>,
    /// The names of the components' dependencies that a layer removed, each with the edge as a
    /// component states it.
    pub(crate) removed: Vec<(String, Node)>,
    /// The components whose source is part of the main source's repository, each with its folder
    /// there.
    pub(crate) carried: IndexMap<String, String>,
}

/// Merges the packages of one distribution. Components and rules that several packages share are
/// merged once and cached.
#[derive(Debug)]
pub(crate) struct Layering<'m> {
    pub(crate) model: &'m Model,
    pub(crate) name: &'m str,
    pub(crate) distro: &'m Distro,
    /// Set if the distribution has AMD's fork of LLVM.
    pub(crate) has_fork: bool,
    components: BTreeMap<(String, [u64; 3]), Merged<'m>>,
    rules: BTreeMap<[u64; 3], Rules<'m>>,
}

impl<'m> Layering<'m> {
    /// Starts with an empty cache.
    pub(crate) fn new(model: &'m Model, name: &'m str, distro: &'m Distro) -> Self {
        Self {
            model,
            name,
            distro,
            has_fork: false,
            components: BTreeMap::new(),
            rules: BTreeMap::new(),
        }
    }

    /// Merges all layers of a package. Returns `None` if a file of the package can't be read or
    /// does not exist.
    pub(crate) fn package(
        &mut self,
        pin: &'m Pin<'m>,
        findings: &mut Findings,
    ) -> Option<MergedPackage<'m>> {
        let parts = self.parts(pin)?;
        self.make_shared(&parts.of, &pin.version, findings);
        let at = pin.version.parts();
        let made = |name| (name, self.components.get(&(String::clone(name), at)));
        let components: Vec<(&String, Option<&Merged>)> = parts.of.iter().map(made).collect();
        let first = components.first().and_then(|(_, laid)| *laid);
        let mut laid = match first {
            Some(laid) => laid.clone(),
            None => Merged::new(Kind::Package, Some(&pin.version), &self.model.depths),
        };
        let mut owners = Owners::new();
        laid.change(|first| with_others(first, &components, &mut owners));
        let answer = |layer: &&Node| Layer::at(layer, Kind::Package, Some(&pin.version), findings);
        let overlays: Vec<Layer> = parts.overlays.iter().map(answer).collect();
        let said = || {
            parts
                .base
                .into_iter()
                .flat_map(Layers::iter)
                .chain(parts.overlays.iter().copied())
        };
        let unsaid = !said().any(names_main);
        let mut decided = Decided::default();
        let rules = self.rules.get(&at);
        if let Some(rules) = rules {
            // Habits are merged below the overlay. But the conditions of rules are about the
            // package with its overlay.
            let mut whole = laid.with(&overlays);
            decided = Decided::of(&whole, rules, &parts.of, &overlays);
            fix(&mut whole, rules.habits, &decided);
            if unsaid {
                with_main(&mut whole, said());
            }
            let given = generate(whole, rules, &parts.of, &owners, &pin.version, findings);
            laid.merge(&given, findings);
        }
        for layer in overlays {
            laid.lay_answered(layer);
        }
        laid.tree()?;
        let (mut node, history) = laid.finish(findings);
        if unsaid {
            with_main(&mut node, said());
        }
        if let Some(rules) = rules {
            fix(&mut node, rules.habits, &decided);
            complete(&mut node, rules, &parts.of);
        }
        share(&mut node, |project, argument| {
            let path = format!("cmake.{project}.arguments.{argument}");
            history.removed.iter().any(|removed| removed.path == path)
        });
        let carried = drop_carried(&mut node, &parts.of, self.distro.fetch);
        let variables =
            first.and_then(|laid| laid.tree()?.get("targets")?.get("variable").cloned());
        let trees: Vec<&Node> = components
            .iter()
            .filter_map(|(_, laid)| laid.as_ref()?.tree())
            .collect();
        let removed = removed_edges(&history, &trees);
        let several = components.iter().filter(|_| components.len() > 1);
        let piece = |(name, laid): &(&String, Option<&Merged>)| {
            Some(((*name).clone(), laid.as_ref()?.tree()?.clone()))
        };
        let pieces = several.filter_map(piece).collect();
        Some(MergedPackage {
            parts,
            node,
            history,
            pieces,
            variables,
            removed,
            carried,
        })
    }

    /// Finds the files about a package. Returns `None` if one of them can't be read or does not
    /// exist.
    fn parts(&self, pin: &Pin) -> Option<Parts<'m>> {
        let (model, id) = (self.model, pin.id);
        let over = model.overlays.get(self.name).and_then(|o| o.get(id));
        let of = model.components_of(self.name, id);
        let own = std::iter::once(format!("distros/{}/{id}.yaml", self.name));
        let mut files = own.chain(of.iter().map(|c| format!("components/{c}.yaml")));
        if files.any(|f| model.broken.contains(&f)) {
            return None; // the file exists, and its errors were reported
        }
        // A package that only the distribution has, such as a metapackage, has no component.
        let own = over.is_some_and(|o| o.last("of").is_none());
        if !own && of.iter().any(|c| !model.components.contains_key(c)) {
            return None;
        }
        let base = of.first().and_then(|c| model.components.get(c));
        let overlays = over.into_iter().flat_map(Layers::iter).collect();
        Some(Parts { of, base, overlays })
    }

    /// Fills the cache: merges the components `of` at a release, and selects the rules for that
    /// release, unless the cache has them.
    fn make_shared(&mut self, of: &[String], release: &'m Release, findings: &mut Findings) {
        for name in of {
            let key = (name.clone(), release.parts());
            if !self.components.contains_key(&key)
                && let Some(laid) = component(self.model, name, release, findings)
            {
                self.components.insert(key, laid);
            }
        }
        if let Some(habits) = &self.distro.habits {
            let rules = || Rules::at(habits, release, findings);
            self.rules.entry(release.parts()).or_insert_with(rules);
        }
    }
}

/// Returns the dependencies in `history` that a layer removed, each with its edge as a component
/// states it. `components` are the trees of the components.
fn removed_edges(history: &History, components: &[&Node]) -> Vec<(String, Node)> {
    let removed = history
        .removed
        .iter()
        .filter_map(|r| r.path.strip_prefix("depends."));
    let edges = removed.filter(|name| !name.contains('.')).flat_map(|name| {
        let edges = components
            .iter()
            .filter_map(move |tree| tree.get("depends")?.get(name));
        edges.map(move |edge| (name.to_owned(), edge.clone()))
    });
    edges.collect()
}
