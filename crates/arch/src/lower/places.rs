//! The places in the profiles that the values of a PKGBUILD come from. Each finding points at the
//! line that must be changed.

use rocpkg_model::{Node, Span, Value};
use rocpkg_resolve::Planned;

/// Returns the place in the profile of the name of a package of a split PKGBUILD, else of the
/// package's own name.
pub(crate) fn of_part(p: &Planned, name: &str) -> Span {
    let parts = p
        .node
        .get("pkgbuild")
        .map(|own| own.entries_of("packages"))
        .unwrap_or_default();
    let key = parts.iter().find(|(key, _)| key.name == name);
    key.map_or_else(|| p.name_place(), |(key, _)| key.span)
}

/// Returns the place in the profile of a text in the PKGBUILD, else the place of the package.
pub(crate) fn of_value(p: &Planned, value: &str) -> Span {
    written(&p.node, value).unwrap_or_else(|| p.place())
}

fn written(node: &Node, value: &str) -> Option<Span> {
    match &node.value {
        Value::Seq(items) => items.iter().find_map(|item| written(item, value)),
        Value::Map(entries) => entries.iter().find_map(|(key, node)| {
            if key.name == value {
                Some(key.span)
            } else {
                written(node, value)
            }
        }),
        Value::Scalar { text, .. } => {
            // A dollar sign is doubled in the profile. An optional dependency has its name in front
            // of the reason.
            let text = text.replace("$$", "$");
            let is_said = value == text
                || value
                    .split_once(": ")
                    .is_some_and(|(_, reason)| reason == text);
            is_said.then_some(node.span)
        }
        Value::Null => None,
    }
}
