//! Turns the merged tree of one package into its facts and its sources.

use crate::layer::conditions::{Known, fixed_features, prune};
use crate::layer::package::{Layering, MergedPackage, Pin};
use crate::layer::upstream::place_patches;
use crate::plan::edges::needed;
use crate::plan::fetching::{place_flat, resolve};
use crate::plan::llvm::versions;
use crate::plan::planned::{Planned, key_span};
use crate::plan::sources::ResolvedSource;
use crate::plan::targets::{distro_targets, guessed_support, nearby_defaults};
use crate::read::release::read_release;
use crate::read::texts::words;
use indexmap::IndexMap;
use rocpkg_model::{Decode, Findings, Naming, Node, Package, Targets};

/// Answers the conditions in the tree that the distribution decides: those on fixed features, and
/// on targets that nobody can choose. Then decodes the tree. Returns `None` if the tree can't be
/// decoded.
///
/// # Errors
/// What can't be read is in the findings.
pub(crate) fn read(
    at: &Layering,
    pin: &Pin,
    merged: &mut MergedPackage,
    findings: &mut Findings,
) -> Option<Package> {
    let offered = offered(at, pin, &merged.node);
    let llvm = versions(
        at.model,
        (at.distro, at.has_fork),
        &pin.version,
        &merged.node,
    );
    let known = Known {
        release: &pin.version,
        fixed: fixed_features(&merged.node),
        offered,
        llvm,
    };
    prune(&mut merged.node, &known);
    Package::decode(&merged.node, findings)
}

/// Plans one package from its merged tree and its decoded facts. The dependency edges and the GPU
/// targets are still empty: the plan sets them for all packages together.
pub(crate) fn plan(
    at: &Layering,
    pin: &Pin,
    merged: MergedPackage,
    mut package: Package,
    findings: &mut Findings,
) -> Planned {
    let MergedPackage {
        parts,
        node,
        history,
        carried,
        ..
    } = merged;
    if let Some(layers) = parts.base {
        place_patches(&mut package, layers);
        package.guesses.extend(guessed_support(&package, layers));
    }
    let nearby = parts
        .base
        .map_or_else(Vec::new, |layers| nearby_defaults(layers, &pin.version));
    let stated = package
        .targets
        .as_ref()
        .and_then(|targets| targets.release.as_ref());
    let version = package
        .version
        .as_ref()
        .map_or_else(|| pin.version.clone(), |v| pin.version.called(&v.value));
    let name = match (&package.name, at.distro.naming) {
        (Some(n), _) => n.value.clone(),
        (None, Naming::Title) => package
            .title
            .as_ref()
            .map_or_else(|| pin.id.to_owned(), |t| t.value.clone()),
        (None, Naming::Component) => pin.id.to_owned(),
    };
    let mut sources: Vec<ResolvedSource> = package
        .sources
        .iter()
        .map(|(name, source)| {
            resolve(
                at,
                &version,
                (name, source),
                key_span(&node, "sources", name),
                findings,
            )
        })
        .collect();
    place_flat(&mut sources);
    // Each component is also decoded by itself, for recipes that split the package again.
    let read = |(name, tree): (String, Node)| Some((name, Package::decode(&tree, findings)?));
    let pieces = merged.pieces.into_iter().filter_map(read).collect();
    let llvm = versions(at.model, (at.distro, at.has_fork), &version, &node);
    Planned {
        id: pin.id.to_owned(),
        name,
        components: parts.of,
        listed: stated
            .and_then(|text| read_release(text, findings))
            .unwrap_or_else(|| pin.version.clone()),
        version,
        is_shipped: pin.version == pin.shipped,
        checked_at: at.model.checked_at(at.name, pin.id),
        known_variables: known_variables(merged.variables.as_ref(), package.targets.as_ref()),
        package,
        node,
        own_files: parts.overlays.iter().map(|layer| layer.span.file).collect(),
        history,
        sources,
        pieces,
        carried,
        taken_back: needed(&merged.removed, findings),
        depends: Vec::new(),
        targets: None,
        nearby_defaults: nearby,
        llvm,
    }
}

/// Returns the variables by which upstream's build takes GPU targets, each with its range of
/// releases, if one is stated. `named` is the component's `targets.variable`. `targets` contains
/// its `variables`.
fn known_variables(
    named: Option<&Node>,
    targets: Option<&Targets>,
) -> IndexMap<String, Option<String>> {
    let mut out: IndexMap<String, Option<String>> = named
        .into_iter()
        .flat_map(words)
        .map(|(word, _)| (word.to_owned(), None))
        .collect();
    for (name, range) in targets.iter().flat_map(|t| &t.variables) {
        out.insert(name.clone(), range.as_ref().map(|r| r.value.clone()));
    }
    out
}

/// Returns the GPU targets that can be chosen for a package. These are the targets to which the
/// user limits the plan, or else those of the distribution. Returns `None` if the distribution
/// lists none, or if the package has a list of its own, which may contain other targets.
fn offered(at: &Layering, pin: &Pin, package: &Node) -> Option<Vec<String>> {
    if !at.model.narrowed.is_empty() {
        return Some(at.model.narrowed.clone());
    }
    let own = package
        .get("targets")
        .and_then(|t| t.get("list"))
        .and_then(Node::text)
        == Some("own");
    let stated = package
        .get("targets")
        .and_then(|t| t.get("release")?.text()?.parse().ok());
    let (default, offered) = distro_targets(at.distro, stated.as_ref().unwrap_or(&pin.version));
    let further = at.distro.further_targets.iter().map(|t| t.value.clone());
    let all: Vec<String> = default.into_iter().chain(offered).chain(further).collect();
    (!own && !all.is_empty()).then_some(all)
}
