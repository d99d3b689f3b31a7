//! Facts of overlays that say nothing: each is taken out in turn, in memory, and what the distribution makes of the package
//! is compared with what it made before.

use rocpkg::model::{Node, Value};
use rocpkg::resolve::{DISTROS, Model};
use std::panic::resume_unwind;
use std::thread;

use crate::shared::{Before, Step, before, choices, leaves, printed, whole};
use crate::tools::Outcome;

/// Prints them.
pub(crate) fn run() -> Outcome {
    let (model, findings) = Model::load(&[(String::new(), rocpkg::profiles())]);
    if findings.has_errors() {
        return Err(findings.render(&model.sources, false));
    }
    let known = &before(&model);
    let work: Vec<(&'static str, String)> = DISTROS
        .into_iter()
        .flat_map(|d| model.overlays.get(d).into_iter().flatten().map(move |(id, _)| (d, id.clone())))
        .collect();
    let found: Vec<String> = thread::scope(|s| {
        let halves: Vec<_> = (0..2)
            .map(|half| {
                let mut model = model.clone();
                let work: Vec<_> = work.iter().skip(half).step_by(2).cloned().collect();
                s.spawn(move || {
                    work.iter().flat_map(|(d, id)| idle(&mut model, known, d, id)).collect::<Vec<_>>()
                })
            })
            .collect();
        halves.into_iter().flat_map(|h| h.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    });
    for fact in &found {
        println!("{fact}");
    }
    println!("{} facts of overlays change nothing", found.len());
    Ok(())
}

/// The facts of one overlay without which everything is as it was, at each release that is looked at.
fn idle(model: &mut Model, known: &[Before], distro: &'static str, id: &str) -> Vec<String> {
    let Some(kept) = model.overlays.get(distro).and_then(|o| o.get(id)).cloned() else { return Vec::new() };
    let mut paths = Vec::new();
    kept.iter().for_each(|node| leaves(node, &mut Vec::new(), &mut paths));
    let ask = |model: &Model| -> Vec<Option<String>> {
        let own = |p: &rocpkg::resolve::Planned| p.id == id;
        choices().iter().map(|c| printed(model, known, distro, c, own)).collect()
    };
    let was = ask(model);
    let mut out = Vec::new();
    for path in paths {
        let mut layers = kept.clone();
        layers.change(|node| without(node, &path));
        model.overlays.entry(distro.to_owned()).or_default().insert(id.to_owned(), layers);
        if ask(model) == was {
            out.push(format!("{distro}/{id}: {}", whole(&path)));
        }
    }
    model.overlays.entry(distro.to_owned()).or_default().insert(id.to_owned(), kept);
    out
}

/// The tree without one of its leaves, and without what is empty then.
fn without(node: &Node, path: &[Step]) -> Node {
    let mut node = node.clone();
    let Some((first, rest)) = path.split_first() else { return node };
    let last = rest.is_empty();
    match (first, &mut node.value) {
        (Step::Key(name), Value::Map(entries)) => {
            if let Some(at) = entries.iter().position(|(k, _)| k.name == *name) {
                let inner = without(&entries[at].1, rest);
                if last || is_empty(&inner) {
                    entries.remove(at);
                } else {
                    entries[at].1 = inner;
                }
            }
        }
        (Step::At(i), Value::Seq(items)) if *i < items.len() => {
            let inner = without(&items[*i], rest);
            if last || is_empty(&inner) {
                items.remove(*i);
            } else {
                items[*i] = inner;
            }
        }
        _ => {}
    }
    node
}

fn is_empty(node: &Node) -> bool {
    match &node.value {
        Value::Map(entries) => entries.is_empty(),
        Value::Seq(items) => items.is_empty(),
        Value::Scalar { .. } | Value::Null => false,
    }
}
