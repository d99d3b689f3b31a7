//! How many lines need which layer of the model.

use crate::error::Error;
use crate::options::Options;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_render::FileTree;
use std::collections::BTreeMap;

/// Layers of the model, the lowest first. `native` is what needs the keys `ebuild`, `pkgbuild`, `ypkg` or `nix` of an overlay.
pub const LAYERS: [&str; 4] = ["component", "distribution", "overlay", "native"];

impl Stack {
    /// How many lines of each distribution's tree need each of the [`LAYERS`]. A line belongs to the lowest that suffices for it: it
    /// stands in the same file when the model is rendered with the layers up to that one alone.
    ///
    /// # Errors
    /// When an option can't be met.
    pub fn lines_by_layer(
        &self,
        tree: &Tree,
        options: &Options,
    ) -> Result<BTreeMap<&'static str, [usize; LAYERS.len()]>, Error> {
        let model = self.changed(options)?.into_owned();
        let mut components = model.clone();
        components.strip_overlays();
        let habits = components.clone();
        components.distros.values_mut().for_each(|d| d.habits = None);
        let mut neutral = model;
        neutral.strip_native();
        let backends: Vec<_> = tree.packages.keys().copied().collect();
        let mut lower = Vec::new();
        for model in [components, habits, neutral] {
            // What is wrong in a part by itself is of no interest.
            lower.push(self.make_tree(&model, &backends, options)?.0.files);
        }
        Ok(tree.counts.keys().map(|folder| (*folder, by_layer(tree, &lower, folder))).collect())
    }
}

/// How many lines of a distribution need each layer.
fn by_layer(tree: &Tree, lower: &[FileTree], folder: &str) -> [usize; LAYERS.len()] {
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
