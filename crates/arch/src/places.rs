//! Where the profiles state what a PKGBUILD holds: each finding points at the line that is to be changed.

use crate::ir::Field;
use rocpkg_model::{Node, Span, Value};
use rocpkg_resolve::Planned;

/// One value of a PKGBUILD: of which part, of which field, and the how manieth it is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct At<'a> {
    /// The part of a split package, unless the whole states it.
    pub(crate) part: Option<&'a str>,
    /// The profile's key.
    pub(crate) key: &'a str,
    /// The value and its place in the list.
    pub(crate) value: Option<(usize, &'a str)>,
}

/// The profile's key for a field.
pub(crate) fn key(field: Field) -> &'static str {
    match field {
        Field::Pkgdesc => "summary",
        Field::Pkgver => "version",
        Field::Url => "homepage",
        Field::License => "licence",
        f => f.name(),
    }
}

/// Where a package of a PKGBUILD gets its name.
pub(crate) fn of_part(p: &Planned, name: &str) -> Span {
    let parts = p.node.get("pkgbuild").and_then(|b| b.get("packages"));
    let key = parts.map(Node::entries).unwrap_or_default().iter().find(|(key, _)| key.name == name);
    key.map_or_else(|| p.name_place(), |(key, _)| key.span)
}

/// The place of a value: the element of its list, else the key of the part or of the whole, else the package's last layer.
pub(crate) fn place(p: &Planned, at: At) -> Span {
    let native = p.node.get("pkgbuild");
    let part = at.part.and_then(|name| native?.get("packages")?.get(name));
    let stated = part.and_then(|part| part.get(at.key));
    let stated = stated.or_else(|| native.and_then(|n| n.get(at.key))).or_else(|| p.node.get(at.key));
    let value = at.value.and_then(|(index, value)| element(stated?, index, value));
    match (value.or(stated.map(|node| node.span)), at.part) {
        (Some(span), _) => span,
        (None, Some(part)) => of_part(p, part),
        (None, None) => p.place(),
    }
}

/// The place of an element of a list, of that with its index where there is no such text, or of the key of a mapping.
fn element(list: &Node, index: usize, value: &str) -> Option<Span> {
    // A field has a dollar where the text has two, and a reason behind what is optional.
    let is = |text: &str| text.replace("$$", "$") == value;
    match &list.value {
        Value::Seq(items) => {
            let same = items.iter().find(|n| n.text().is_some_and(is));
            same.or_else(|| items.get(index)).map(|n| n.span)
        }
        Value::Map(entries) => {
            let name = value.split(": ").next().unwrap_or(value);
            entries.iter().find(|(k, _)| k.name == name).map(|(k, _)| k.span)
        }
        Value::Scalar { .. } => Some(list.span),
        Value::Null => None,
    }
}
