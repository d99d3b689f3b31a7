//! Mending: what was misspelt is read as what was meant, before any file is laid over another.

use crate::read::files::Folders;
use crate::read::spellings::Spellings;
use crate::validate::{Wrong, first_wrong};
use rocpkg_model::{Findings, Key, Node, Span, Value};
use std::collections::BTreeMap;

/// Tells what is wrong with names, kind by kind, and puts what was meant in their places.
pub(crate) fn names(folders: &mut Folders, spellings: &Spellings, findings: &mut Findings) {
    let mut done = None;
    while let Some((kind, wrong)) = first_wrong(folders, spellings, done) {
        mend(folders, &wrong);
        for one in wrong {
            findings.push(one.finding);
        }
        done = Some(kind);
    }
}

/// The wrong name at each place, and the right one.
type Right<'w> = BTreeMap<Span, (&'w str, Option<&'w str>)>;

/// Puts what was meant in the place of what is wrong. A name of which nobody knows what it stands
/// for is taken out.
fn mend(folders: &mut Folders, wrong: &[Wrong]) {
    let right: Right = wrong
        .iter()
        .flat_map(|w| {
            w.spans
                .iter()
                .map(|span| (*span, (w.name.as_str(), w.meant.as_deref())))
        })
        .collect();
    for layers in folders.files.values_mut() {
        layers.change(|layer| mended(layer, &right).unwrap_or_else(|| layer.clone()));
    }
}

/// A tree with the right names; none where it is a name itself that is taken out.
fn mended(node: &Node, right: &Right) -> Option<Node> {
    let value = match &node.value {
        Value::Seq(items) => Value::Seq(
            items
                .iter()
                .filter_map(|item| mended(item, right))
                .collect(),
        ),
        Value::Map(entries) => {
            let mut all: Vec<(Key, Node)> = Vec::with_capacity(entries.len());
            for (key, value) in entries {
                let name = match right.get(&key.span) {
                    Some((wrong, meant)) if key.name == *wrong => meant.map(Into::into),
                    _ => Some(key.name.clone()),
                };
                let Some(name) = name.filter(|name| all.iter().all(|(key, _)| key.name != *name))
                else {
                    continue;
                };
                all.extend(mended(value, right).map(|value| {
                    (
                        Key {
                            name,
                            ..key.clone()
                        },
                        value,
                    )
                }));
            }
            Value::Map(all)
        }
        Value::Scalar { text, plain } => match right.get(&node.span) {
            Some((wrong, meant)) if text == wrong => Value::Scalar {
                text: (*meant)?.into(),
                plain: *plain,
            },
            Some((wrong, Some(meant))) => Value::Scalar {
                text: text.replace(wrong, meant).into(),
                plain: *plain,
            },
            _ => node.value.clone(),
        },
        Value::Null => Value::Null,
    };
    Some(Node {
        span: node.span,
        value,
    })
}
