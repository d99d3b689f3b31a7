//! Conditions over releases, answered in one layer: `releases: ">=7.1"` and `when: release:>=7.1`.

use crate::layer::conditions::{Known, keep};
use crate::layer::identity::{Kind, identities};
use crate::layer::laid::Path;
use crate::read::release::{Release, read_range};
use rocpkg_model::{CompactString, Cond, Finding, Findings, Node, Span, Value};
use std::collections::{BTreeMap, BTreeSet};

/// What the conditions of one layer came to.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    /// What fell away.
    pub(crate) gone: BTreeSet<Path>,
    /// What is there because the layer says that it holds for the release.
    pub(crate) held: BTreeSet<Path>,
    /// Sources of which no alternative holds: a fault where no layer below has one.
    pub(crate) missing: Vec<(Path, Finding)>,
}

/// Drops what does not hold for `release`, and the conditions of what does.
pub(crate) fn answer(
    node: &mut Node,
    kind: Kind,
    release: &Release,
    answers: &mut Answers,
    findings: &mut Findings,
) {
    let known = Known { release, fixed: BTreeMap::new(), offered: None };
    Asked { kind, known, answers, findings }.walk(node, &mut Vec::new());
}

struct Asked<'a> {
    kind: Kind,
    known: Known<'a>,
    answers: &'a mut Answers,
    findings: &'a mut Findings,
}

impl Asked<'_> {
    fn walk(&mut self, node: &mut Node, path: &mut Path) {
        let lists = identities(self.kind, path);
        let span = node.span;
        match &mut node.value {
            Value::Map(entries) => entries.retain_mut(|(key, n)| {
                path.push(key.name.clone());
                let stays = self.stays(n, path, true);
                path.pop();
                stays
            }),
            Value::Seq(items) => {
                let all = items.len();
                items.retain_mut(|n| {
                    let id = lists.and_then(|l| l.identity(n));
                    let named = id.is_some();
                    path.push(id.unwrap_or_default());
                    let stays = self.stays(n, path, named);
                    path.pop();
                    stays
                });
                if matches!(path.as_slice(), [section, _] if section == "sources") {
                    self.choose(node, span, all, path);
                }
            }
            _ => {}
        }
    }

    /// Of the alternatives of a source, exactly one is left.
    fn choose(&mut self, node: &mut Node, span: Span, all: usize, path: &Path) {
        let Value::Seq(items) = &mut node.value else { return };
        let name = path.last().map_or("", CompactString::as_str);
        let finding = |span, how_many: &str| {
            let message = format!("{how_many} of the source `{name}` for {}", self.known.release);
            Finding::error("E0217", span, message).label(match all {
                0 => "expected a source; `~` removes one".to_owned(),
                _ => format!("expected exactly one of {all} to have `releases` that hold"),
            })
        };
        if let Some(second) = items.get(1) {
            self.findings.push(finding(second.span, &format!("{} alternatives", items.len())));
        }
        // The newest of them, so that what follows is read as far as it goes.
        if let Some(item) = items.pop() {
            *node = item;
        } else {
            let missing = finding(Span { end: span.start, ..span }, "no alternative");
            // A list without any says nothing, whatever it is laid over.
            if all == 0 {
                self.findings.push(missing);
            } else {
                self.answers.missing.push((path.clone(), missing));
            }
            node.value = Value::Map(Vec::new());
        }
    }

    /// Answers one entry or element; false when it falls away.
    fn stays(&mut self, node: &mut Node, path: &mut Path, named: bool) -> bool {
        let mut spoke = false;
        let mut stays = true;
        if let Value::Map(entries) = &mut node.value {
            if let Some(at) = entries.iter().position(|(k, n)| k.name == "releases" && n.text().is_some()) {
                let asked = &entries[at].1;
                let range = read_range(asked.text().unwrap_or_default(), asked.span, self.findings);
                if let Some(range) = range {
                    stays = range.contains(self.known.release);
                    spoke = true;
                }
                // A row of targets keeps its range, by which the next layer knows it.
                if !matches!(path.as_slice(), [targets, _, _] if targets == "targets") {
                    entries.remove(at);
                }
            }
            spoke |= entries.iter().any(|(k, n)| k.name == "when" && asks_release(n));
        }
        stays = stays && keep(node, &self.known);
        if named && spoke {
            let set = if stays { &mut self.answers.held } else { &mut self.answers.gone };
            set.insert(path.clone());
        }
        if stays {
            self.walk(node, path);
        }
        stays
    }
}

/// True when a condition speaks of releases.
pub(crate) fn asks_release(node: &Node) -> bool {
    node.text().and_then(|text| Cond::parse(text).ok()).is_some_and(|cond| !cond.releases().is_empty())
}
