//! `rocpkg render --stats`: how many lines are printed, by what prints them and by the layer that they need.

use rocpkg::model::Findings;
use rocpkg::render::{FileTree, Origin};
use rocpkg::resolve::Model;
use rocpkg::{Stack, StackOptions, StackTree};
use std::collections::BTreeMap;

/// Layers of the model, the lowest first.
const LAYERS: [&str; 4] = ["component", "distribution", "overlay", "native"];

/// Two tables: lines by origin, and lines by layer.
///
/// A line belongs to the lowest layer that suffices for it: it stands in the same file when the model is rendered with the
/// layers up to that one alone. `native` is what needs the keys `ebuild`, `pkgbuild` or `nix` of an overlay.
pub(crate) fn stats(tree: &StackTree, model: &Model, options: &StackOptions) -> String {
    let mut out = String::from("lines      data  template      step       raw\n");
    for (folder, counts) in &tree.counts {
        let n = |o: Origin| counts.get(&o).copied().unwrap_or(0);
        out.push_str(&format!(
            "{folder:8}{:7}{:10}{:10}{:10}\n",
            n(Origin::Data),
            n(Origin::Template),
            n(Origin::Step),
            n(Origin::Raw)
        ));
    }
    let mut components = model.clone();
    components.strip_overlays();
    let habits = components.clone();
    components.distros.values_mut().for_each(|d| d.habits = None);
    let mut neutral = model.clone();
    neutral.strip_native();
    let lower: Vec<FileTree> =
        [components, habits, neutral].into_iter().map(|model| files(model, options)).collect();
    out.push_str("lines ");
    for layer in LAYERS {
        out.push_str(&format!("{layer:>13}"));
    }
    out.push('\n');
    for folder in tree.counts.keys() {
        let counts = by_layer(tree, &lower, folder);
        out.push_str(&format!("{folder:6}"));
        for n in counts {
            out.push_str(&format!("{n:13}"));
        }
        out.push('\n');
    }
    out
}

/// The files of a part of the model; what is wrong in a part by itself is of no interest.
fn files(model: Model, options: &StackOptions) -> FileTree {
    let rendered = Stack::new(model, &rocpkg::templates())
        .and_then(|stack| stack.render(options, &mut Findings::default()));
    rendered.map(|tree| tree.files).unwrap_or_default()
}

/// How many lines of a distribution need each layer.
fn by_layer(tree: &StackTree, lower: &[FileTree], folder: &str) -> [usize; LAYERS.len()] {
    let mut out = [0; LAYERS.len()];
    for (path, bytes) in tree.files.iter().filter(|(p, _)| p.as_str().split('/').next() == Some(folder)) {
        let parts: Vec<_> = lower.iter().map(|p| lines(p.get(path.as_str()).unwrap_or_default())).collect();
        for (line, all) in lines(bytes) {
            let mut known = 0;
            for (layer, part) in parts.iter().enumerate() {
                let here = part.get(&line).copied().unwrap_or(0).min(all).max(known);
                out[layer] += here - known;
                known = here;
            }
            out[LAYERS.len() - 1] += all - known;
        }
    }
    out
}

/// The lines of a file that hold something, with how often each stands there.
fn lines(bytes: &[u8]) -> BTreeMap<String, usize> {
    let mut out = BTreeMap::new();
    for line in String::from_utf8_lossy(bytes).lines().map(str::trim).filter(|l| !l.is_empty()) {
        *out.entry(line.to_owned()).or_default() += 1;
    }
    out
}
