//! How much the shared model carries: each fact of the components is changed in turn, in memory, and what the distributions
//! make of it is compared with what they made before.

use rocpkg::Backend;
use rocpkg::gentoo::Options;
use rocpkg::model::{Findings, Node, Value};
use rocpkg::resolve::{Choice, DISTROS, Dependency, Model, Plan, Planned, Recipes, ResolvedEdge, prove};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::thread;

use crate::tools::Outcome;

/// The most facts that the overlays of a distribution's packages may hold together.
const MOST_OVERLAY_FACTS: [(&str, usize); DISTROS.len()] =
    [("gentoo", 811), ("arch", 519), ("nixpkgs", 803), ("solus", 267)];
/// The least share of all facts, in percent, that two distributions or more must hear of.
const LEAST_SHARED: usize = 20;

/// Counts, prints, and fails where the model carries less than it did.
///
/// `list` prints each fact with the distributions that hear of it.
pub(crate) fn run(list: bool) -> Outcome {
    let (model, findings) = Model::load(&[(String::new(), rocpkg::profiles())]);
    if findings.has_errors() {
        return Err(findings.render(&model.sources, false));
    }
    let overlays: BTreeMap<&String, usize> = model
        .overlays
        .iter()
        .map(|(distro, files)| {
            (distro, files.values().flat_map(rocpkg::resolve::Layers::iter).map(facts).sum())
        })
        .collect();
    let in_overlays: usize = overlays.values().sum();
    let work: Vec<(String, Vec<Step>)> = model
        .components
        .iter()
        .flat_map(|(name, layers)| {
            let mut paths = Vec::new();
            layers.iter().for_each(|node| leaves(node, &mut Vec::new(), &mut paths));
            paths.into_iter().map(move |path| (name.clone(), path))
        })
        .collect();
    let mut reach = [0_usize; DISTROS.len() + 1];
    let mut keys: BTreeMap<(String, String), usize> = BTreeMap::new();
    let known = &before(&model);
    let half = work.len().div_ceil(2);
    let counted: Vec<(BTreeSet<&str>, String, String)> = thread::scope(|s| {
        let halves: Vec<_> = work
            .chunks(half.max(1))
            .map(|part| {
                let mut model = model.clone();
                s.spawn(move || {
                    let mut out = Vec::new();
                    // A component's facts stand together: what is made of it unchanged is asked once.
                    for facts in part.chunk_by(|a, b| a.0 == b.0) {
                        let Some((c, _)) = facts.first() else { continue };
                        let before = made(&model, known, c, |_| true);
                        for (_, path) in facts {
                            let found = distributions(&mut model, known, &before, c, path);
                            out.push((found, shown(path), format!("{c}: {}", whole(path))));
                        }
                    }
                    out
                })
            })
            .collect();
        halves.into_iter().flat_map(|h| h.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    for (found, key, fact) in counted {
        if list {
            let who: Vec<&str> = found.iter().copied().collect();
            println!("{:24} {fact}", if who.is_empty() { "nobody".to_owned() } else { who.join(" ") });
        }
        reach[found.len()] += 1;
        if found.len() < 2 {
            let who = found.first().map_or("nobody", |d| d).to_owned();
            *keys.entry((who, key)).or_default() += 1;
        }
    }
    let all = work.len() + in_overlays;
    let shared: usize = reach[2..].iter().sum();
    println!("facts in components: {}; in overlays: {in_overlays} {overlays:?}", work.len());
    println!(
        "facts of components by how many distributions they reach, from none on: {}",
        reach.map(|n| n.to_string()).join(", ")
    );
    println!("facts that reach two or more: {shared} of {all}, {:.1} %", percent(shared, all));
    for who in ["nobody"].iter().chain(&DISTROS) {
        let mut most: Vec<_> =
            keys.iter().filter(|((w, _), _)| w == who).map(|((_, k), n)| (*n, k)).collect();
        most.sort_by(|a, b| (b.0, a.1).cmp(&(a.0, b.1)));
        let most: Vec<String> = most.iter().take(12).map(|(n, key)| format!("{key} {n}")).collect();
        println!("heard of by {who} alone: {}", most.join(", "));
    }
    let mut faults = Vec::new();
    for (distro, most) in MOST_OVERLAY_FACTS {
        let held = overlays.iter().find(|(d, _)| d.as_str() == distro).map_or(0, |(_, n)| *n);
        if held > most {
            faults.push(format!("overlays of {distro} hold {held} facts, {most} are allowed"));
        }
    }
    if shared * 100 < all * LEAST_SHARED {
        faults.push(format!("{shared} of {all} facts are shared, {LEAST_SHARED} % are due"));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("; ")) }
}

#[allow(clippy::cast_precision_loss)] // a few thousand facts
fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

/// A key of a mapping, or a place in a list.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Key(String),
    At(usize),
}

/// The scalars of a tree, and its empty ends.
fn facts(node: &Node) -> usize {
    let mut out = Vec::new();
    leaves(node, &mut Vec::new(), &mut out);
    out.len()
}

pub(crate) fn leaves(node: &Node, path: &mut Vec<Step>, out: &mut Vec<Vec<Step>>) {
    match &node.value {
        Value::Map(entries) => {
            for (key, value) in entries {
                path.push(Step::Key(key.name.to_string()));
                leaves(value, path, out);
                path.pop();
            }
        }
        Value::Seq(items) => {
            for (i, value) in items.iter().enumerate() {
                path.push(Step::At(i));
                leaves(value, path, out);
                path.pop();
            }
        }
        Value::Scalar { .. } | Value::Null => out.push(path.clone()),
    }
}

pub(crate) fn whole(path: &[Step]) -> String {
    let words = path.iter().map(|s| match s {
        Step::Key(k) => k.clone(),
        Step::At(i) => i.to_string(),
    });
    words.collect::<Vec<_>>().join(".")
}

fn shown(path: &[Step]) -> String {
    let keys = path.iter().filter_map(|s| if let Step::Key(k) = s { Some(k.as_str()) } else { None });
    let keys: Vec<&str> = keys.collect();
    match keys.as_slice() {
        [section, _, key] => format!("{section}.*.{key}"),
        other => other.join("."),
    }
}

fn at<'a>(node: &'a mut Node, path: &[Step]) -> Option<&'a mut Node> {
    let Some((first, rest)) = path.split_first() else { return Some(node) };
    let next = match (first, &mut node.value) {
        (Step::Key(name), Value::Map(entries)) => {
            entries.iter_mut().find(|(k, _)| k.name == *name).map(|(_, n)| n)
        }
        (Step::At(i), Value::Seq(items)) => items.get_mut(*i),
        _ => None,
    };
    at(next?, rest)
}

/// The releases that are looked at: what ships, and one at which older facts hold.
pub(crate) fn choices() -> [Choice; 2] {
    [Choice::Shipped, "7.0.2".parse().map_or(Choice::Shipped, Choice::Release)]
}

/// A distribution at a release before anything is changed: the plan, and what its recipes pass on.
pub(crate) type Before = (&'static str, Choice, Plan, Recipes);

pub(crate) fn before(model: &Model) -> Vec<Before> {
    let mut out = Vec::new();
    for (distro, choice) in DISTROS.into_iter().flat_map(|d| choices().map(|c| (d, c))) {
        let mut findings = Findings::default();
        let Some(plan) = Plan::new(model, distro, &choice, &mut findings) else { continue };
        let (_, recipes) = lowered(distro, &plan, &plan.packages.iter().map(|p| p.id.clone()).collect());
        out.push((distro, choice, plan, recipes));
    }
    out
}

/// Some packages of a distribution as text, and what their recipes pass on; no text when they have faults.
fn lowered(distro: &str, plan: &Plan, ids: &BTreeSet<String>) -> (Option<String>, Recipes) {
    let mut findings = Findings::default();
    let named = plan.packages.iter().filter(|p| ids.contains(&p.id));
    let (text, recipes) = match Backend::of(distro) {
        Some(Backend::Gentoo) => {
            let options = Options { packages: ids.clone(), ..Options::default() };
            let ebuilds = rocpkg::gentoo::lower_all(plan, &options, &mut findings);
            (format!("{ebuilds:?}"), rocpkg::gentoo::recipes(plan, &ebuilds))
        }
        Some(Backend::Arch) => {
            let lower = |p| rocpkg::arch::lower(plan, p, true, &mut findings);
            let all: Vec<_> = named.clone().map(|p| p.id.as_str()).zip(named.map(lower)).collect();
            let recipes = rocpkg::arch::recipes(plan, all.iter().map(|(id, l)| (*id, &l.pkgbuild)));
            (all.iter().map(|(_, l)| format!("{l:?}")).collect(), recipes)
        }
        Some(Backend::Solus) => {
            let lower = |p| rocpkg::solus::lower(plan, p, true, &mut findings);
            let all: Vec<_> = named.clone().map(|p| p.id.as_str()).zip(named.map(lower)).collect();
            let recipes = rocpkg::solus::recipes(plan, all.iter().map(|(id, r)| (*id, r)));
            (all.iter().map(|(_, r)| format!("{r:?}")).collect(), recipes)
        }
        Some(Backend::Nix) => {
            let tables = rocpkg::nix::Tables::new(plan);
            let lower = |p| rocpkg::nix::lower(&tables, p, &mut findings);
            let all: Vec<_> = named.clone().map(|p| p.id.as_str()).zip(named.map(lower)).collect();
            let recipes = rocpkg::nix::recipes(plan, all.iter().map(|(id, l)| (*id, l)));
            let mut text: String = all.iter().map(|(_, l)| format!("{l:?}")).collect();
            // How the scope calls a package stands in the scope's file alone.
            for p in plan.packages.iter().filter(|p| ids.contains(&p.id)) {
                text.push_str(&format!("{:?}", rocpkg::nix::calls(&tables, p, &mut findings)));
            }
            (text, recipes)
        }
        None => return (None, Recipes::default()),
    };
    ((!findings.has_errors()).then_some(text), recipes)
}

/// What each distribution that is asked makes of a component.
fn made(
    model: &Model,
    known: &[Before],
    component: &str,
    asked: impl Fn(&str) -> bool,
) -> BTreeMap<&'static str, String> {
    let mut out: BTreeMap<&str, String> = BTreeMap::new();
    let asked = DISTROS.into_iter().filter(|d| asked(d));
    for (distro, choice) in asked.flat_map(|d| choices().map(|c| (d, c))) {
        let of = |p: &Planned| p.components.iter().any(|c| c == component);
        if let Some(text) = printed(model, known, distro, &choice, of) {
            // One that falls away at one of the releases is another one.
            *out.entry(distro).or_default() += &format!("{choice:?}{text}");
        }
    }
    out
}

/// What a distribution makes of some packages, with all that is said of their GPU targets; none when there is none of them,
/// or a fault.
pub(crate) fn printed(
    model: &Model,
    known: &[Before],
    distro: &str,
    choice: &Choice,
    wanted: impl Fn(&Planned) -> bool,
) -> Option<String> {
    let (.., before, recipes) = known.iter().find(|(d, c, ..)| *d == distro && c == choice)?;
    let ids: BTreeSet<String> = before.packages.iter().filter(|p| wanted(p)).map(|p| p.id.clone()).collect();
    if ids.is_empty() {
        return None;
    }
    let mut findings = Findings::default();
    // The others are as they were.
    let plan = before.again(model, choice, &ids, &mut findings)?;
    if findings.has_errors() {
        return None;
    }
    let (text, changed) = lowered(distro, &plan, &ids);
    let mut text = text?;
    // The others' recipes say what they said before.
    let mut recipes = recipes.clone();
    recipes.builds.extend(changed.builds);
    // What the questions about GPUs are answered from.
    for p in plan.packages.iter().filter(|p| ids.contains(&p.id)) {
        text.push_str(&format!("{:?}", p.targets));
        let rules = p.package.targets.iter().flat_map(|t| t.supports.iter().chain(&t.excludes));
        rules.for_each(|r| text.push_str(&r.reason.value));
        // An edge between two that hold device code is refused without its relation, and proved by it.
        let device = |e: &&ResolvedEdge| match &e.to {
            Dependency::Package(id) => plan.get(id).is_some_and(|d| d.targets.is_some()),
            Dependency::External(_) => false,
        };
        for e in p.depends.iter().filter(|_| p.targets.is_some()).filter(device) {
            text.push_str(&format!("{} {:?}", e.name, e.edge.targets.as_ref().map(|t| t.value)));
        }
        p.package
            .guesses
            .iter()
            .for_each(|g| text.push_str(&format!("{} {}", g.about.value, g.reason.value)));
    }
    if let Some(registry) = &model.registry {
        let proof = prove(&plan, registry, &recipes);
        proof.findings.sorted().iter().for_each(|f| text.push_str(&f.message));
    }
    Some(text)
}

/// The distributions whose packages change with one fact of a component.
fn distributions(
    model: &mut Model,
    known: &[Before],
    before: &BTreeMap<&'static str, String>,
    component: &str,
    path: &[Step],
) -> BTreeSet<&'static str> {
    let kept = model.components[component].clone();
    let mut found = BTreeSet::new();
    let mut node = kept.iter().next().cloned().unwrap_or_else(|| unreachable!("a component has a layer"));
    let Some(text) = at(&mut node, path).and_then(|n| n.text().map(str::to_owned)) else { return found };
    for other in others(path, &text) {
        let changed = |n: &Node| {
            let mut n = n.clone();
            if let Some(leaf) = at(&mut n, path) {
                leaf.value = Value::Scalar { text: other.clone().into(), plain: true };
            }
            n
        };
        if let Some(layers) = model.components.get_mut(component) {
            layers.change(changed);
        }
        // One that does not package it never hears, and one that heard need not be asked again.
        let open = |d: &str| before.contains_key(d) && !found.contains(d);
        let heard: Vec<_> =
            made(model, known, component, open).into_iter().filter(|(d, text)| before[d] != *text).collect();
        found.extend(heard.into_iter().map(|(d, _)| d));
        if found.len() == before.len() {
            break;
        }
    }
    model.components.insert(component.to_owned(), kept);
    found
}

/// What else could stand in a fact's place.
fn others(path: &[Step], text: &str) -> Vec<String> {
    let key = path.iter().rev().find_map(|s| if let Step::Key(k) = s { Some(k.as_str()) } else { None });
    let words = |list: &[&str]| list.iter().filter(|w| **w != text).map(|w| (*w).to_owned()).collect();
    match (key.unwrap_or_default(), text) {
        (_, "true" | "on") => words(&["false", "off"]),
        (_, "false" | "off") => words(&["true", "on"]),
        ("kind", _) => words(&["link", "run", "tool", "build", "propagated", "post"]),
        ("when" | "feature" | "unless", _) => vec![format!("!({text})")],
        ("releases", _) => words(&[">=99.0", ">=1.0"]),
        ("content", _) => words(&["library", "headers", "python"]),
        ("licence", _) => words(&["MIT", "NCSA", "BSD-3-Clause"]),
        ("targets", _) => words(&["covers", "same", "any", "none", "gfx906", "gfx942", "gfx1030"]),
        ("list", _) => words(&["own", "none", "all"]),
        _ => match text.parse::<u64>() {
            Ok(n) => vec![(n + 1).to_string()],
            Err(_) => vec![format!("{text}x"), format!("x{text}")],
        },
    }
}
