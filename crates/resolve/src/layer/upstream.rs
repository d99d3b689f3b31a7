//! What upstream does everywhere, made part of one component.
//!
//! `upstream.yaml` says it once. The result is a tree of a component's keys that lies below the component, so that a component
//! can change each of them by its key, and take it back by `~`.

use crate::layer::identity::Kind;
use crate::layer::laid::{Laid, Layer};
use crate::layer::model::Model;
use crate::layer::tree::{entry, flag, list, map, put, scalar};
use crate::read::files::{Depths, Layers};
use crate::read::release::{Release, holds};
use crate::read::texts::items;
use rocpkg_model::{Cond, Findings, Node, Package, Piece, Span, Spanned, Text, Upstream, Value};
use std::collections::BTreeSet;

/// The keys whose values are conditions over features.
const CONDITIONS: [&str; 3] = ["feature", "when", "need"];

impl Model {
    /// A component at a release, as every distribution meets it: with what upstream does everywhere. None of that name: `None`.
    ///
    /// # Errors
    /// Faults of its text go to `findings`.
    pub fn component(&self, name: &str, release: &Release, findings: &mut Findings) -> Option<Node> {
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
    let whole = model.with_bases(name).into_iter().rev().filter_map(|name| model.components.get(name));
    let answered: Vec<Layer> = whole.flat_map(|layers| answered(layers, release, findings)).collect();
    let own = by_itself(&answered, findings);
    let mut laid = Laid::new(Kind::Package, Some(release), &model.depths);
    laid.lay(&below(model, name, &own, release), findings);
    for layer in answered {
        laid.lay_answered(layer);
    }
    laid.tell(findings);
    Some(laid)
}

/// The layers of a component at a release.
fn answered(layers: &Layers, release: &Release, findings: &mut Findings) -> Vec<Layer> {
    layers.iter().map(|layer| Layer::at(layer, Kind::Package, Some(release), findings)).collect()
}

/// What a component says by itself.
fn by_itself(answered: &[Layer], findings: &mut Findings) -> Node {
    let depths = Depths::default();
    let mut laid = Laid::new(Kind::Package, None, &depths);
    for layer in answered {
        laid.lay_answered(layer.clone());
    }
    laid.finish(findings).0
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
        let names: Vec<Node> = names.map(|(name, _)| scalar(&name.name, name.span)).collect();
        put(&mut out, &["targets", "variable"], list(names, all.span));
    }
    // Tests of device code run it.
    if let (Some(targets), Some(tests)) = (own.get("targets"), own.get("tests"))
        && matches!((&targets.value, &tests.value), (Value::Map(_), Value::Map(_)))
    {
        put(&mut out, &["tests", "device"], flag(true, targets.span));
    }
    out
}

/// What `upstream.yaml` says of a component.
fn standard(own: &Node, layers: &Layers, upstream: &Upstream, out: &mut Node) {
    let says = Says::new(own, layers, upstream);
    let home = if says.path.is_some() { &upstream.folder_homepage } else { &upstream.homepage };
    let texts = [
        ("homepage", home),
        ("documentation", &upstream.documentation),
        ("licence-file", &upstream.licence_file),
    ];
    for (key, text) in texts {
        if let Some((text, whole)) = text.as_ref().and_then(|t| Some((t, says.fill(t)?))) {
            // The text is not the file's: no place inside it can be told.
            put(out, &[key], scalar(&whole, Span { inset: None, ..text.span }));
        }
    }
    assets(own, upstream, out);
    let named = named_features(own);
    for (feature, standard) in upstream.features.iter().filter(|(f, _)| named.contains(f.as_str())) {
        let summary = scalar(&standard.summary.value, standard.summary.span);
        put(out, &["features", feature, "summary"], summary);
    }
}

/// What a component says that the texts of `upstream.yaml` ask for.
struct Says<'a> {
    title: Option<&'a str>,
    owner: &'a str,
    repository: Option<&'a str>,
    branch: Option<&'a str>,
    path: Option<&'a str>,
}

impl<'a> Says<'a> {
    fn new(own: &'a Node, layers: &'a Layers, upstream: &'a Upstream) -> Self {
        let is_named = |source: &&Node| source.get("repository").is_some();
        // The release's own. One that has none yet is told by the newest, which is the last of several; the layer that names the
        // repository also says where in it.
        let held = own.get("sources").and_then(|s| items(s.get("main")?).last()).filter(is_named);
        let newest = || {
            layers.iter().rev().find_map(|layer| {
                let main = layer.get("sources")?.get("main")?;
                items(main).last().filter(is_named)
            })
        };
        let source = held.or_else(newest);
        let text = |key: &str| source.and_then(|s| s.get(key)).and_then(Node::text);
        let repository = text("repository");
        Self {
            title: own.get("title").and_then(Node::text),
            owner: text("owner").unwrap_or("ROCm"),
            repository,
            branch: repository.and_then(|r| upstream.repositories.get(r)).map(|r| r.branch.value.as_str()),
            path: text("path"),
        }
    }

    /// The text, unless it asks for something that the component does not say.
    fn fill(&self, text: &Text) -> Option<String> {
        let piece = |p: &Piece| match p {
            Piece::Literal(t) => Some(t.clone()),
            Piece::Reference(r) => {
                let said = match r.as_str() {
                    "title" => self.title,
                    "owner" => Some(self.owner),
                    "repository" => self.repository,
                    "branch" => self.branch,
                    "path" => self.path,
                    _ => None,
                };
                said.map(str::to_owned)
            }
        };
        text.pieces.iter().map(piece).collect()
    }
}

/// Says of each fetched patch which folder of its repository holds the project, when the patch does not say it itself.
pub(crate) fn place_patches(package: &mut Package, layers: &Layers) {
    let mut folders: Vec<(&str, Option<&Node>)> = Vec::new();
    for (_, source) in layers.iter().filter_map(|l| l.get("sources")).flat_map(Node::entries) {
        // A project can move inside its repository: a patch of no stated folder is made where it lies last.
        let mut told: Vec<&str> = Vec::new();
        for source in items(source).iter().rev() {
            if let Some(name) = source.get("repository").and_then(Node::text).filter(|n| !told.contains(n)) {
                told.push(name);
                folders.push((name, source.get("path")));
            }
        }
    }
    for patch in package.patches.iter_mut().filter(|p| p.relative.is_none()) {
        let url = patch.url.as_ref().map(Text::to_string).unwrap_or_default();
        let repository = url.strip_prefix("https://github.com/").and_then(|rest| rest.split('/').nth(1));
        let folder = repository.and_then(|r| folders.iter().find(|(name, _)| *name == r));
        let path = folder.and_then(|(_, path)| *path);
        patch.relative =
            path.and_then(|path| Some(Spanned { value: path.text()?.to_owned(), span: path.span }));
    }
}

/// Names the asset of each source that is a folder of a repository whose releases have one for each project.
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
        let facts = asset(source).map(|a| entry("asset", a.span, a)).into_iter().collect();
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
    asked(own, &mut out);
    if own.get("test-data").is_some() {
        out.insert("test".to_owned());
    }
    out
}

/// Collects the features that the conditions of a tree ask for.
fn asked(node: &Node, out: &mut BTreeSet<String>) {
    match &node.value {
        Value::Map(entries) => {
            for (key, value) in entries {
                if let (true, Some(text)) = (CONDITIONS.contains(&key.name.as_str()), value.text())
                    && let Ok(cond) = Cond::parse(text)
                {
                    out.extend(cond.features().into_iter().map(str::to_owned));
                }
                asked(value, out);
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| asked(item, out)),
        Value::Scalar { .. } | Value::Null => {}
    }
}
