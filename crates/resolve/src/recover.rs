//! Recovery from wrong names: before files are merged, a misspelt name is replaced by the valid
//! name that was probably meant.

use crate::read::files::Folders;
use crate::read::spellings::Spellings;
use crate::validate::{Wrong, first_wrong};
use rocpkg_model::{Findings, Key, Node, Span, Value};
use std::collections::BTreeMap;

/// Reports the wrong names in `folders`, one kind of name after the other, and replaces them by the
/// names that were probably meant. A wrong name is removed if no valid name is near. Returns the
/// places of the replaced names.
pub(crate) fn names(
    folders: &mut Folders,
    spellings: &Spellings,
    findings: &mut Findings,
) -> Guesses {
    let mut guesses = Guesses::default();
    let mut done = None;
    while let Some((kind, wrong)) = first_wrong(folders, spellings, done) {
        recover(folders, &wrong);
        for one in wrong {
            if one.meant.is_some() {
                let places = one.spans.iter().map(|span| (*span, one.finding.code));
                guesses.0.extend(places);
            }
            findings.push(one.finding);
        }
        done = Some(kind);
    }
    guesses
}

/// The places at which a wrong name was replaced by a guess, each with the code of the finding that
/// reports the wrong name.
#[derive(Clone, Debug, Default)]
pub struct Guesses(BTreeMap<Span, &'static str>);

impl Guesses {
    /// Removes the findings that point at a guessed name, since the guess may be the fault. The
    /// findings that report the wrong names stay.
    pub fn drop_from(&self, findings: &mut Findings) {
        if self.0.is_empty() {
            return;
        }
        findings.retain(|finding| {
            let others = finding.others.iter().map(|(span, _)| *span);
            let mut places = finding.span.into_iter().chain(others);
            !places.any(|span| self.0.get(&span).is_some_and(|code| *code != finding.code))
        });
    }
}

/// By place, the wrong name and the right name. The right name is `None` if it is not known.
type Right<'w> = BTreeMap<Span, (&'w str, Option<&'w str>)>;

/// Replaces wrong names by the names that were meant. A wrong name is removed if the name that was
/// meant is not known.
fn recover(folders: &mut Folders, wrong: &[Wrong]) {
    let right: Right = wrong
        .iter()
        .flat_map(|w| {
            w.spans
                .iter()
                .map(|span| (*span, (w.name.as_str(), w.meant.as_deref())))
        })
        .collect();
    for layers in folders.files.values_mut() {
        layers.change(|layer| recovered(layer, &right).unwrap_or_else(|| layer.clone()));
    }
}

/// Returns `node` with each wrong name replaced by the right one. Returns `None` if `node` itself
/// is a wrong name without a known right one, so that the caller removes it.
fn recovered(node: &Node, right: &Right) -> Option<Node> {
    let value = match &node.value {
        Value::Seq(items) => Value::Seq(
            items
                .iter()
                .filter_map(|item| recovered(item, right))
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
                all.extend(recovered(value, right).map(|value| {
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
