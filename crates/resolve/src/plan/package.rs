//! One package: the layers of its component, the distribution's habits and its overlay become its facts.

use crate::layer::conditions::{Known, check, fixed_features, prune};
use crate::layer::habit_features::{self, Decided};
use crate::layer::habits;
use crate::layer::identity::Kind;
use crate::layer::laid::{Laid, Layers};
use crate::layer::projects;
use crate::layer::tree::{put, without};
use crate::layer::upstream;
use crate::plan::planned::{Planned, distro_targets, key_span};
use crate::plan::sources;
use crate::read::load::Model;
use crate::read::release::Release;
use crate::validate::checked::unchecked;
use crate::validate::contradictions;
use crate::validate::effect;
use crate::validate::named;
use indexmap::IndexMap;
use rocpkg_model::{
    Decode, Distro, Fetch, Finding, Findings, Naming, Node, OneOrMany, Package, Span, Targets, Value,
};

/// The variables for GPU targets that a component names.
fn named_variables(component: Option<&Node>) -> Vec<String> {
    let variable = component.and_then(|n| n.get("targets")?.get("variable"));
    let named = variable.and_then(|n| OneOrMany::<String>::decode(n, &mut Findings::default()));
    named.map(|l| l.0).unwrap_or_default()
}

/// The variables that the component names, whatever a distribution passes.
fn known_variables(named: Vec<String>, targets: Option<&Targets>) -> IndexMap<String, Option<String>> {
    let mut out: IndexMap<String, Option<String>> = named.into_iter().map(|v| (v, None)).collect();
    for (name, range) in targets.iter().flat_map(|t| &t.variables) {
        out.insert(name.clone(), range.as_ref().map(|r| r.value.clone()));
    }
    out
}

/// Adds to the first component what the others of a package say beside it. Their sources go by their own names; what the
/// first says is not changed.
fn with_others(
    model: &Model,
    of: &[String],
    release: &Release,
    first: Node,
    owners: &mut habits::Owners,
    findings: &mut Findings,
) -> Node {
    let mut whole = first;
    let mut own = |name: Option<&String>, node: &Node| {
        for (key, _) in node.get("options").map(Node::entries).unwrap_or_default() {
            owners.entry(key.name.to_string()).or_insert_with(|| name.cloned().unwrap_or_default());
        }
    };
    own(of.first(), &whole);
    // Components of one package do not need each other.
    for own in of {
        whole = without(whole, "depends", own);
    }
    for name in of.iter().skip(1) {
        let Some(more) = upstream::component(model, name, release, findings) else { continue };
        own(Some(name), &more);
        for section in ["options", "features", "depends"] {
            for (key, node) in more.get(section).map(Node::entries).unwrap_or_default() {
                let own = whole.get(section).is_some_and(|s| s.get(&key.name).is_some());
                if !own && !of.iter().any(|c| key.name == *c) {
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

/// Where whole repositories are fetched, the main one brings the components that lie beside the first.
fn drop_carried(node: &mut Node, of: &[String], habit: Fetch) -> IndexMap<String, String> {
    let mut carried = IndexMap::new();
    let whole = |s: &Node| match s.get("fetch").and_then(Node::text) {
        Some(word) => matches!(word, "archive" | "git" | "tree"),
        None => matches!(habit, Fetch::Archive | Fetch::Git | Fetch::Tree),
    };
    let Value::Map(entries) = &mut node.value else { return carried };
    let Some((_, sources)) = entries.iter_mut().find(|(k, _)| k.name == "sources") else { return carried };
    let Value::Map(sources) = &mut sources.value else { return carried };
    let Some((_, main)) = sources.first().cloned() else { return carried };
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

/// Reports components that say of themselves that they need themselves.
fn check_own(model: &Model, of: &[String], findings: &mut Findings) {
    for name in of {
        let layers = model.components.get(name).into_iter().flat_map(Layers::iter);
        for (key, node) in layers.filter_map(|l| l.get("depends")).flat_map(Node::entries) {
            if key.name == *name && node.value != Value::Null {
                findings.push(needs_itself(name, key.span));
            }
        }
    }
}

/// Something that needs itself to be built.
pub(crate) fn needs_itself(name: &str, span: Span) -> Finding {
    Finding::error("E0233", span, format!("`{name}` needs itself"))
        .label("expected another package, or nothing")
}

/// The GPU targets that can be chosen for a package, where the distribution lists them. A package with a list of its own may have
/// others.
fn offered(model: &Model, distro: &Distro, package: &Node, version: &Release) -> Option<Vec<String>> {
    if !model.narrowed.is_empty() {
        return Some(model.narrowed.clone());
    }
    let own = package.get("targets").and_then(|t| t.get("list")).and_then(Node::text) == Some("own");
    let (default, offered) = distro_targets(distro, version);
    let further = distro.further_targets.iter().map(|t| t.value.clone());
    let all: Vec<String> = default.into_iter().chain(offered).chain(further).collect();
    (!own && !all.is_empty()).then_some(all)
}

/// Plans one package, but for what depends on other packages.
#[allow(clippy::too_many_arguments)] // one call, and every argument is another thing
pub(crate) fn plan_package(
    model: &Model,
    distro_name: &str,
    distro: &Distro,
    id: &str,
    span: Span,
    version: Release,
    shipped: &Release,
    targets: &[&str],
    findings: &mut Findings,
) -> Option<Planned> {
    let over = model.overlays.get(distro_name).and_then(|o| o.get(id));
    let of = model.components_of(distro_name, id);
    let own = std::iter::once(format!("distros/{distro_name}/{id}.yaml"));
    let mut files = own.chain(of.iter().map(|c| format!("components/{c}.yaml")));
    if files.any(|f| model.broken.contains(&f)) {
        return None; // its file is there, and what is wrong with it was said
    }
    let base = of.first().and_then(|c| model.components.get(c));
    for missing in of.iter().filter(|c| !model.components.contains_key(*c)) {
        if over.is_some_and(|o| o.last("of").is_none()) {
            continue; // a package of the distribution's own, such as a metapackage
        }
        let finding = Finding::error("E0208", span, format!("unknown component `{missing}`"))
            .label(format!("no components/{missing}.yaml and no distros/{distro_name}/{id}.yaml"));
        findings.push_nearest(finding, missing, model.components.keys().map(String::as_str));
        return None;
    }
    check_own(model, &of, findings);
    let mut laid = Laid::new(Kind::Package, Some(&version), &model.depths);
    if let Some(layers) = base {
        laid.lay(&upstream::below(model, &of[0], layers, &version, findings), findings);
        layers.iter().for_each(|layer| laid.lay(layer, findings));
    }
    let told = named_variables(laid.tree());
    let mut pieces = IndexMap::new();
    for (i, name) in of.iter().enumerate().filter(|_| of.len() > 1) {
        let Some(component) = upstream::component(model, name, &version, &mut Findings::default()) else {
            continue;
        };
        // The first one is read as a part of the whole; of the others, only some keys are.
        let mut faults = Findings::default();
        if let Some(piece) = Package::decode(&component, &mut faults) {
            pieces.insert(name.clone(), piece);
        }
        if i > 0 {
            findings.append(faults);
        }
    }
    let mut owners = habits::Owners::new();
    laid.change(|first| with_others(model, &of, &version, first, &mut owners, findings));
    let overlays: Vec<&Node> = over.into_iter().flat_map(Layers::iter).collect();
    let said = || base.into_iter().flat_map(Layers::iter).chain(overlays.iter().copied());
    let unsaid = !said().any(projects::names_main);
    let below: Vec<&Node> = base.into_iter().flat_map(Layers::iter).collect();
    projects::check_releases(&below, &overlays, findings);
    let mut decided = Decided::default();
    if let Some(h) = &distro.habits {
        // Habits look at the whole package, and lie below its overlay all the same.
        let mut whole = laid.clone();
        for layer in &overlays {
            whole.lay(layer, &mut Findings::default());
        }
        let (mut whole, _) = whole.finish();
        decided = Decided::of(&whole, h, &of, &overlays, &version);
        habit_features::fix(&mut whole, h, &decided);
        if unsaid {
            projects::with_main(&mut whole, said());
        }
        laid.lay(&habits::generate(&whole, h, &of, &owners, &version, findings), findings);
    }
    for layer in &overlays {
        laid.lay(layer, findings);
    }
    laid.tree()?;
    let (mut node, history) = laid.finish();
    if unsaid {
        projects::with_main(&mut node, said());
    }
    if let Some(h) = &distro.habits {
        habit_features::fix(&mut node, h, &decided);
        habits::complete(&mut node, h, &of, &version);
    }
    let carried = drop_carried(&mut node, &of, distro.fetch);
    let names: Vec<&str> = node.keys_of("features").collect();
    let mut faults = Findings::default();
    contradictions::check(&node, &mut faults);
    // Features that can't be read are one fault, not one at each condition that names them.
    if node.get("features").is_none_or(|n| matches!(n.value, Value::Map(_))) {
        check(&node, &names, targets, &mut faults);
    }
    let offered = offered(model, distro, &node, &version);
    let known = Known { release: &version, fixed: fixed_features(&node), offered };
    prune(&mut node, &known);
    let Some(mut package) = Package::decode(&node, &mut faults) else {
        // A component that can't be read is one fault, not one more at each value that a distribution lays over it.
        let mut own = Findings::default();
        let component =
            of.first().and_then(|c| upstream::component(model, c, &version, &mut Findings::default()));
        let whole = component.as_ref().is_none_or(|c| Package::decode(c, &mut own).is_some());
        findings.append(if whole { faults } else { own });
        return None;
    };
    findings.append(faults);
    for file in package.patches.iter().map(|p| &p.file) {
        if !sources::stays_inside(&file.value) {
            findings.push(sources::outside(&file.value, file.span));
        } else if file.value.split('/').any(|part| matches!(part, "" | ".")) {
            let message = format!("`{}` can't be the name of a patch", file.value);
            let finding = Finding::error("E0563", file.span, message);
            findings.push(finding.label("expected names of folders and of a file between single slashes"));
        }
    }
    rocpkg_model::check_paths(&package, findings);
    named::check(&package, &node, &named::features(model, &of), targets, findings);
    effect::check(&package, &node, &of, version == *shipped, findings);
    unchecked(&node, &version, shipped, findings);
    if let Some(layers) = base {
        upstream::place_patches(&mut package, layers);
        unknown_support(&package, layers, &version, findings);
    }
    let name = match (&package.name, distro.naming) {
        (Some(n), _) => n.value.clone(),
        (None, Naming::Title) => package.title.as_ref().map_or_else(|| id.to_owned(), |t| t.value.clone()),
        (None, Naming::Component) => id.to_owned(),
    };
    let mut sources: Vec<_> = package
        .sources
        .iter()
        .map(|(n, s)| {
            let span = key_span(&node, "sources", n);
            let resolved = sources::resolve(n, s, distro.fetch, &version, model, span, findings);
            let told = model.upstream.as_ref().and_then(|u| u.repositories.get(&resolved.repository));
            sources::ResolvedSource { branch: told.map(|r| r.branch.value.clone()), ..resolved }
        })
        .collect();
    sources::place_flat(&mut sources, findings);
    let known_variables = known_variables(told, package.targets.as_ref());
    Some(Planned {
        is_shipped: version == *shipped,
        known_variables,
        pieces,
        carried,
        id: id.to_owned(),
        name,
        components: of,
        version,
        package,
        node,
        own_files: overlays.iter().map(|layer| layer.span.file).collect(),
        history,
        sources,
        depends: Vec::new(),
        targets: None,
    })
}

/// Reports a release of which nobody said what targets upstream accepts, while it is known of others: all that are not excluded
/// are offered then.
fn unknown_support(package: &Package, component: &Layers, version: &Release, findings: &mut Findings) {
    let Some(targets) = package.targets.as_ref().filter(|t| t.supports.is_empty()) else { return };
    let mut rows = component.iter().filter_map(|layer| layer.get("targets")?.get("supports"));
    let rows = rows.rfind(|rows| matches!(&rows.value, Value::Seq(rows) if !rows.is_empty()));
    let Some(rows) = rows else { return };
    let variable = targets.variable.0.first().map_or("its list", |v| v.value.as_str());
    let message = format!("what `{variable}` may hold at {version} is not known");
    findings.push(
        Finding::warning("W0224", Some(Span { end: rows.span.start, ..rows.span }), message)
            .label("expected a row for this release; all targets that are not excluded are offered")
            .hint("look into upstream's CMakeLists.txt of that release"),
    );
}
