//! The packages of a distribution that are built on the stack, and for which no recipe is rendered
//! (`consumers.yaml`). They are planned beside the rendered packages, so that answers contain them.

use crate::layer::merged::History;
use crate::layer::model::Model;
use crate::layer::tree::map;
use crate::plan::Plan;
use crate::plan::planned::Planned;
use crate::read::files::Layers;
use crate::read::release::read_release;
use crate::read::spellings::bare;
use crate::read::texts::words;
use indexmap::IndexMap;
use rocpkg_model::{
    Consumer, Decode, Edge, EdgeKind, Findings, KnownPackage, Package, Pkgbuild, PkgbuildPart,
    Spanned,
};
use std::collections::BTreeMap;

impl Plan {
    /// Returns the packages of the plan in build order, then the consumers: the packages that are
    /// built on them, and for which no recipe is rendered.
    pub fn with_consumers(&self) -> impl Iterator<Item = &Planned> + Clone {
        self.packages.iter().chain(&self.consumers)
    }

    /// Returns the package or the consumer with this id.
    pub fn known(&self, id: &str) -> Option<&Planned> {
        self.get(id)
            .or_else(|| self.consumers.iter().find(|p| p.id == id))
    }

    /// Adds the consumers of the distribution to the plan. Their dependency edges and GPU targets
    /// are still empty. A row is left out if the distribution's file lists a package of that name.
    pub(crate) fn add_consumers(&mut self, model: &Model, findings: &mut Findings) {
        for (id, row) in &model.consumers {
            let is_planned = self.get(id).is_some() || self.unread.contains(id);
            if let Some(known) = row.get(&self.distro_name).filter(|_| !is_planned) {
                let planned = self.consumer(model, (id, row), known, findings);
                self.consumers.push(planned);
            }
        }
    }

    fn consumer(
        &self,
        model: &Model,
        (id, row): (&str, &Consumer),
        known: &KnownPackage,
        findings: &mut Findings,
    ) -> Planned {
        let node = model.consumers_node.as_ref();
        let node = node.and_then(|node| node.get(id)?.get(&self.distro_name));
        let component = model.components.get(id);
        let stated = known.targets.as_ref().and_then(|t| t.release.as_ref());
        let mut package = Package::default();
        package.name = Some(known.name.clone());
        package.title.clone_from(&row.title);
        package.homepage.clone_from(&row.homepage);
        package.licence = [&known.licence, &row.licence]
            .into_iter()
            .find(|licence| !licence.is_empty())
            .cloned()
            .unwrap_or_else(|| licences(component));
        package.targets.clone_from(&known.targets);
        package.cycles.clone_from(&known.cycles);
        let inherited = component.and_then(|layers| layers.last("cycles"));
        if let Some(inherited) = inherited.filter(|_| known.cycles.is_empty()) {
            package.cycles = IndexMap::decode(inherited, findings).unwrap_or_default();
        }
        for (kind, names) in [
            (EdgeKind::Link, &known.link),
            (EdgeKind::Build, &known.build),
            (EdgeKind::Tool, &known.tool),
            (EdgeKind::Run, &known.run),
            (EdgeKind::Optional, &known.optional),
            (EdgeKind::Test, &known.test),
        ] {
            for name in names {
                let edges = package.depends.entry(name.value.clone()).or_default();
                if edges.0.is_empty() {
                    edges.0.push(Edge::default());
                }
                edges.0.iter_mut().for_each(|e| e.kind.0.push(kind));
            }
        }
        if !known.packages.is_empty() {
            let mut own = Pkgbuild::default();
            let parts = known.packages.iter();
            own.packages = parts
                .map(|name| (name.value.clone(), PkgbuildPart::default()))
                .collect();
            package.pkgbuild = Some(own);
        }
        Planned {
            id: id.to_owned(),
            name: bare(&known.name.value).to_owned(),
            components: vec![id.to_owned()],
            version: self.version.called(&known.version.value),
            listed: stated
                .and_then(|text| read_release(text, findings))
                .unwrap_or_else(|| self.version.clone()),
            is_shipped: true,
            checked_at: BTreeMap::new(),
            package,
            node: node
                .cloned()
                .unwrap_or_else(|| map(Vec::new(), known.name.span)),
            own_files: Vec::new(),
            history: History::default(),
            sources: Vec::new(),
            pieces: IndexMap::new(),
            carried: IndexMap::new(),
            depends: Vec::new(),
            targets: None,
            taken_back: Vec::new(),
            known_variables: IndexMap::new(),
            nearby_defaults: Vec::new(),
            llvm: Vec::new(),
        }
    }
}

/// Returns the licences of a component, as its last layer states them.
fn licences(component: Option<&Layers>) -> Vec<Spanned<String>> {
    let stated = component.and_then(|layers| layers.last("licence"));
    let spelt = |(word, span): (&str, _)| Spanned {
        value: word.to_owned(),
        span,
    };
    stated.into_iter().flat_map(words).map(spelt).collect()
}
