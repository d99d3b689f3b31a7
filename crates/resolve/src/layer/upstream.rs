//! What upstream does everywhere, made part of one component.
//!
//! `upstream.yaml` says it once. The result is a tree of a component's keys that lies below the
//! component, so that a component can change each of them by its key, and take it back by `~`.

use crate::layer::conditions::conditions;
use crate::layer::identity::Kind;
use crate::layer::laid::{Laid, Layer};
use crate::layer::model::Model;
use crate::layer::tree::{entry, flag, list, map, put, scalar};
use crate::read::files::{Depths, Layers};
use crate::read::release::{Release, holds};
use rocpkg_model::{Cond, Findings, Node, Package, Piece, Span, Spanned, Text, Upstream, Value};
use std::collections::BTreeSet;

impl Model {
    /// A component at a release, as every distribution meets it: with what upstream does
    /// everywhere. None of that name: `None`.
    ///
    /// # Errors
    /// Faults of its text go to `findings`.
    pub fn component(
        &self,
        name: &str,
        release: &Release,
        findings: &mut Findings,
    ) -> Option<Node> {
        component(self, name, release, findings).map(|laid| laid.finish(findings).0)
    }
}

/// The same with what its layers said.
pub(crate) fn component<'m>(
    model: &'m Model,
    name: &str,
    release: &'m Release,
    findings: &mut Findings,
) -> Option<Laid<'m>> {
    model.components.get(name)?;
    let whole = model
        .with_bases(name)
        .into_iter()
        .rev()
        .filter_map(|name| model.components.get(name));
    let answer = |layer| Layer::at(layer, Kind::Package, Some(release), findings);
    let answered: Vec<Layer> = whole.flat_map(Layers::iter).map(answer).collect();
    let depths = Depths::default();
    let mut alone = Laid::new(Kind::Package, None, &depths);
    for layer in &answered {
        alone.lay_answered(layer.clone());
    }
    let own = alone.finish(findings).0;
    let mut laid = Laid::new(Kind::Package, Some(release), &model.depths);
    laid.lay(&below(model, name, &own, release), findings);
    for layer in answered {
        laid.lay_answered(layer);
    }
    laid.tell(findings);
    Some(laid)
}

/// The keys that a component has without saying them; `own` is what it says by itself.
fn below(model: &Model, name: &str, own: &Node, release: &Release) -> Node {
    let mut out = map(Vec::new(), own.span);
    if let Some((upstream, layers)) = model.upstream.as_ref().zip(model.components.get(name)) {
        standard(own, layers, upstream, &mut out);
    }
    // What this release reads is what is passed to it.
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
    // Tests of device code run it.
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

/// What `upstream.yaml` says of a component.
fn standard(own: &Node, layers: &Layers, upstream: &Upstream, out: &mut Node) {
    // The release's own. One that has none yet is told by the newest, which is the last of several;
    // the layer that names the repository also says where in it.
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
    // What asks for something that the component does not say is not said.
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
    // Where its owner documents what is its own is known of that alone.
    let is_own = source.is_some()
        && said("owner") == upstream.owner.as_ref().map(|owner| owner.value.as_str());
    for (key, text) in texts
        .into_iter()
        .filter(|(key, _)| is_own || *key != "documentation")
    {
        if let Some((text, whole)) = text.as_ref().and_then(|t| Some((t, fill(t)?))) {
            // The text is not the file's: no place inside it can be told.
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

/// Says of each fetched patch which folder of its repository holds the project, when the patch does
/// not say it itself.
pub(crate) fn place_patches(package: &mut Package, layers: &Layers) {
    let mut folders: Vec<(&str, Option<&Node>)> = Vec::new();
    for (_, source) in layers.iter().flat_map(|layer| layer.entries_of("sources")) {
        // A project can move inside its repository: a patch of no stated folder is made where it
        // lies last.
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

/// Names the asset of each source that is a folder of a repository whose releases have one for each
/// project.
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
        // All of them, since the order is the component's.
        let facts = asset(source)
            .map(|a| entry("asset", a.span, a))
            .into_iter()
            .collect();
        put(out, &["sources", &key.name], map(facts, key.span));
    }
}

/// The features that a component names, by conditions or otherwise.
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
    // Tests that run on a GPU are the user's choice; what only runs, such as a script, needs none.
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
