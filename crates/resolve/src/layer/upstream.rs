//! Turns upstream's conventions into keys of one component.
//!
//! `upstream.yaml` states the conventions once. The result is a tree of component keys. It is
//! merged below the component, so a component can change each of the keys, and remove it by `~`.

use crate::layer::conditions::conditions;
use crate::layer::identity::Kind;
use crate::layer::merged::{Layer, Merged};
use crate::layer::model::Model;
use crate::layer::tree::{entry, flag, list, map, put, scalar};
use crate::read::files::{Depths, Layers};
use crate::read::release::{Release, holds};
use rocpkg_model::{Cond, Findings, Node, Package, Piece, Span, Spanned, Text, Upstream, Value};
use std::collections::BTreeSet;

impl Model {
    /// Returns a component at a release, merged with upstream's conventions, before any
    /// distribution changes it. Returns `None` if no component has that name.
    ///
    /// # Errors
    /// Faults in the component's files go to `findings`.
    pub fn component(
        &self,
        name: &str,
        release: &Release,
        findings: &mut Findings,
    ) -> Option<Node> {
        component(self, name, release, findings).map(|laid| laid.finish(findings).0)
    }
}

/// Merges a component with upstream's conventions, as [`Model::component`] does. The result also
/// contains the history of its layers.
pub(crate) fn component<'m>(
    model: &'m Model,
    name: &str,
    release: &'m Release,
    findings: &mut Findings,
) -> Option<Merged<'m>> {
    model.components.get(name)?;
    let whole = model
        .with_bases(name)
        .into_iter()
        .rev()
        .filter_map(|name| model.components.get(name));
    let answer = |layer| Layer::at(layer, Kind::Package, Some(release), findings);
    let answered: Vec<Layer> = whole.flat_map(Layers::iter).map(answer).collect();
    let depths = Depths::default();
    let mut alone = Merged::new(Kind::Package, None, &depths);
    for layer in &answered {
        alone.lay_answered(layer.clone());
    }
    let own = alone.finish(findings).0;
    let mut laid = Merged::new(Kind::Package, Some(release), &model.depths);
    laid.merge(&below(model, name, &own, release), findings);
    for layer in answered {
        laid.lay_answered(layer);
    }
    laid.tell(findings);
    Some(laid)
}

/// Returns the keys that the component `name` has by default. `own` is the tree of the component
/// without these keys.
fn below(model: &Model, name: &str, own: &Node, release: &Release) -> Node {
    let mut out = map(Vec::new(), own.span);
    if let Some((upstream, layers)) = model.upstream.as_ref().zip(model.components.get(name)) {
        standard(own, layers, upstream, &mut out);
    }
    // The variables that this release reads are the ones that are passed.
    if let Some(targets) = own.get("targets").filter(|t| t.get("variable").is_none())
        && let Some(all) = targets.get("variables")
    {
        let read = |range: &Node| range.text().and_then(|text| holds(text, release)) != Some(false);
        let names = all.entries().iter().filter(|(_, range)| read(range));
        let names: Vec<Node> = names
            .map(|(name, _)| scalar(&name.name, name.span))
            .collect();
        put(&mut out, &["targets", "variable"], list(names, all.span));
    }
    // Tests of device code run on a device.
    if let (Some(targets), Some(tests)) = (own.get("targets"), own.get("tests"))
        && matches!(
            (&targets.value, &tests.value),
            (Value::Map(_), Value::Map(_))
        )
    {
        put(&mut out, &["tests", "device"], flag(true, targets.span));
    }
    out
}

/// Adds to `out` the keys that `upstream.yaml` gives to a component. `own` is the component's tree
/// at this release, and `layers` are its files.
fn standard(own: &Node, layers: &Layers, upstream: &Upstream, out: &mut Node) {
    // The main source of this release. If the release has none yet, the newest source of the last
    // layer that names a repository is used. The newest is the last of several.
    let main = |of: &'_ Node| -> Option<Node> {
        let source = of.get("sources")?.get("main")?.one_or_many().last()?;
        source.get("repository").map(|_| source.clone())
    };
    let source = main(own).or_else(|| layers.iter().rev().find_map(main));
    let of_source = |key: &str| {
        source
            .as_ref()
            .and_then(|source| source.get(key))
            .and_then(Node::text)
    };
    let said = |name: &str| match name {
        "title" => own.get("title").and_then(Node::text),
        "owner" => of_source("owner").or(upstream.owner.as_ref().map(|owner| owner.value.as_str())),
        "repository" | "path" => of_source(name),
        "branch" => Some(
            upstream
                .repositories
                .get(of_source("repository")?)?
                .branch
                .value
                .as_str(),
        ),
        _ => None,
    };
    // A text with a reference to a fact that the component does not state is left out.
    let fill = |text: &Text| -> Option<String> {
        let piece = |piece: &Piece| match piece {
            Piece::Literal(text) => Some(text.clone()),
            Piece::Reference(name) => said(name).map(str::to_owned),
        };
        text.pieces.iter().map(piece).collect()
    };
    let home = if of_source("path").is_some() {
        &upstream.folder_homepage
    } else {
        &upstream.homepage
    };
    let texts = [
        ("homepage", home),
        ("documentation", &upstream.documentation),
        ("licence-file", &upstream.licence_file),
    ];
    // The place of the documentation is only known for repositories of upstream's own owner.
    let is_own = source.is_some()
        && said("owner") == upstream.owner.as_ref().map(|owner| owner.value.as_str());
    for (key, text) in texts
        .into_iter()
        .filter(|(key, _)| is_own || *key != "documentation")
    {
        if let Some((text, whole)) = text.as_ref().and_then(|t| Some((t, fill(t)?))) {
            // The filled text is not in the file, so places inside it do not exist.
            put(
                out,
                &[key],
                scalar(
                    &whole,
                    Span {
                        inset: None,
                        ..text.span
                    },
                ),
            );
        }
    }
    assets(own, upstream, out);
    let named = named_features(own);
    for (feature, standard) in upstream
        .features
        .iter()
        .filter(|(f, _)| named.contains(f.as_str()))
    {
        let summary = scalar(&standard.summary.value, standard.summary.span);
        put(out, &["features", feature, "summary"], summary);
    }
}

/// Sets the folder (`relative`) of each fetched patch that states none: the folder of the patch's
/// repository that contains the project. `layers` are those of the component.
pub(crate) fn place_patches(package: &mut Package, layers: &Layers) {
    let mut folders: Vec<(&str, Option<&Node>)> = Vec::new();
    for (_, source) in layers.iter().flat_map(|layer| layer.entries_of("sources")) {
        // A project can move inside its repository. A patch without a stated folder uses the last
        // folder of the project.
        let mut told: Vec<&str> = Vec::new();
        for source in source.one_or_many().iter().rev() {
            if let Some(name) = source
                .get("repository")
                .and_then(Node::text)
                .filter(|n| !told.contains(n))
            {
                told.push(name);
                folders.push((name, source.get("path")));
            }
        }
    }
    for patch in package.patches.iter_mut().filter(|p| p.relative.is_none()) {
        let url = patch.url.as_ref().map(Text::to_string).unwrap_or_default();
        let repository = url
            .strip_prefix("https://github.com/")
            .and_then(|rest| rest.split('/').nth(1));
        let folder = repository.and_then(|r| folders.iter().find(|(name, _)| *name == r));
        let path = folder.and_then(|(_, path)| *path);
        patch.relative = path.and_then(|path| {
            Some(Spanned {
                value: path.text()?.to_owned(),
                span: path.span,
            })
        });
    }
}

/// Sets the asset of each source that is a folder of a repository. The repository's releases must
/// have an asset for each project.
fn assets(own: &Node, upstream: &Upstream, out: &mut Node) {
    let sources = own.entries_of("sources");
    let asset = |source: &Node| {
        let repository = source.get("repository").and_then(Node::text)?;
        let path = source.get("path")?;
        let folder = path.text()?.rsplit('/').next()?;
        upstream
            .repositories
            .get(repository)
            .filter(|r| r.assets.is_some())
            .map(|_| scalar(folder, path.span))
    };
    if sources.iter().all(|(_, source)| asset(source).is_none()) {
        return;
    }
    for (key, source) in sources {
        // All sources are added, to keep the component's order.
        let facts = asset(source)
            .map(|a| entry("asset", a.span, a))
            .into_iter()
            .collect();
        put(out, &["sources", &key.name], map(facts, key.span));
    }
}

/// Returns the features that a component names, in conditions or elsewhere. `test` is included if
/// it has test data, or tests that run on a GPU.
fn named_features(own: &Node) -> BTreeSet<String> {
    let mut out: BTreeSet<String> = ["features", "programs"]
        .into_iter()
        .flat_map(|section| own.keys_of(section))
        .map(str::to_owned)
        .collect();
    let conditions = conditions(own)
        .into_iter()
        .filter_map(|(_, node)| Cond::parse(node.text()?).ok());
    for cond in conditions {
        out.extend(cond.features().into_iter().map(str::to_owned));
    }
    // Tests that run on a GPU are the user's choice. Other tests, such as those of a script, need
    // no feature.
    let on_gpu = own.get("tests").is_some_and(|tests| {
        matches!(tests.value, Value::Map(_))
            && tests.get("never").is_none()
            && own.get("targets").is_some()
    });
    if own.get("test-data").is_some() || on_gpu {
        out.insert("test".to_owned());
    }
    out
}
