//! Where a distribution keeps the files that its recipes name.

use crate::backend::Backend;
use rocpkg_model::{Node, Value};
use rocpkg_render::Companion;
use rocpkg_resolve::{Model, Plan};

/// The address of a file, by the distribution's setting `companions`; none for one that only a layer of the user's names.
pub(crate) fn address(model: &Model, plan: &Plan, backend: Backend, c: &Companion) -> Option<String> {
    let pattern = &plan.distro.settings.get("companions")?.value;
    let name = c.path.rsplit('/').next()?;
    let distro = backend.distro();
    let own = model.overlays.get(distro).and_then(|of| of.get(&c.package));
    let components = model.components_of(distro, &c.package);
    let parts = components.iter().filter_map(|part| model.components.get(part));
    let layers = own.into_iter().chain(parts).flat_map(|layers| layers.iter());
    let ships = |node: &Node| names(model, node, name);
    let is_shipped = layers.chain(model.distro_nodes.get(distro)).any(ships);
    // One of the whole tree is named by no overlay.
    (is_shipped || c.package.is_empty()).then(|| {
        let (folder, file) = c.path.split_once('/').unwrap_or_default();
        pattern
            .replace("${path}", &backend.in_checkout(&c.path))
            .replace("${folder}", folder)
            .replace("${file}", file)
    })
}

/// Whether what ships names a file in a tree, perhaps by a reference.
fn names(model: &Model, node: &Node, name: &str) -> bool {
    match &node.value {
        Value::Scalar { text, .. } => {
            let said = text.rsplit('/').next().unwrap_or(text);
            let (head, tail) = (said.split("${").next(), said.rsplit('}').next());
            let is_referred = head.zip(tail).is_some_and(|(head, tail)| {
                said.contains("${")
                    && !(head.is_empty() && tail.is_empty())
                    && name.starts_with(head)
                    && name.ends_with(tail)
            });
            (is_referred || text.contains(name)) && model.depths.of(node.span) == 0
        }
        Value::Seq(items) => items.iter().any(|n| names(model, n, name)),
        Value::Map(entries) => entries
            .iter()
            .any(|(key, n)| key.name == name && model.depths.of(key.span) == 0 || names(model, n, name)),
        Value::Null => false,
    }
}
