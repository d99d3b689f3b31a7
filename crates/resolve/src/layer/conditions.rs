//! Answers conditions on the tree itself, as far as they can be answered before rendering.
//!
//! Conditions over the release (`releases: ">=7.1"`, `when: release:>=7.1`) are answered in each
//! layer before the next layer is merged over it. So an overlay can't drop or restore a fact about
//! a release by accident. Conditions over features that a distribution fixes, and over targets that
//! nobody can choose, are answered last, on the merged tree. Portage refuses an ebuild that names a
//! flag which the ebuild does not have. Backends only see conditions over features and targets.

use crate::layer::identity::{Kind, Path, identities};
use crate::layer::tree::{entry, flag, scalar};
use crate::read::release::{Range, Release, holds, read_range};
use rocpkg_model::{Cond, Finding, Findings, Key, Node, SmolStr, Span, Value};
use std::collections::{BTreeMap, BTreeSet};

const CONDITIONS: [&str; 4] = ["when", "feature", "choose", "need"];

pub(crate) const LISTS: [&str; 3] = ["exactly-one", "at-most-one", "any-of"];

/// Returns the nodes of a tree that should hold conditions, at any depth, each with its key.
pub(crate) fn conditions(node: &Node) -> Vec<(&str, &Node)> {
    let mut out: Vec<_> = node.list().iter().flat_map(conditions).collect();
    for (key, value) in node.entries() {
        let key = key.name.as_str();
        if CONDITIONS.contains(&key) || LISTS.contains(&key) {
            out.extend(value.one_or_many().iter().map(|one| (key, one)));
        }
        out.extend(conditions(value));
    }
    out
}

/// The facts by which conditions are answered when a package is planned.
pub(crate) struct Known<'a> {
    pub(crate) release: &'a Release,
    pub(crate) fixed: BTreeMap<String, bool>,
    /// The GPU targets that can be chosen. A condition on any other target is false. `None` if the
    /// list is not known.
    pub(crate) offered: Option<Vec<String>>,
    /// The versions of LLVM that the package can be built with. Empty if they are not known.
    pub(crate) llvm: Vec<u64>,
}

impl Known<'_> {
    fn answer(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Feature(f) => self.fixed.get(f).copied(),
            Cond::Release(r) => holds(r, self.release),
            Cond::Llvm(range) => of_llvm(range, &self.llvm),
            Cond::Target(t) => self
                .offered
                .as_ref()
                .filter(|all| !all.contains(t))
                .map(|_| false),
            _ => None,
        }
    }
}

/// Returns the answer to a condition over LLVM, if it is the same for all `versions`.
fn of_llvm(range: &str, versions: &[u64]) -> Option<bool> {
    let range: Range = range.parse().ok()?;
    let mut all = versions.iter().map(|major| range.has_major(*major));
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

/// Returns the features that a distribution fixes, with their values, read from the merged tree
/// `package`.
pub(crate) fn fixed_features(package: &Node) -> BTreeMap<String, bool> {
    let features = package.entries_of("features");
    features
        .iter()
        .filter_map(|(key, node)| match node.get("fixed").and_then(Node::text) {
            Some("true") => Some((key.name.to_string(), true)),
            Some("false") => Some((key.name.to_string(), false)),
            _ => None,
        })
        .collect()
}

/// Removes every entry whose `when` is known to be false, and every `when` that is known to be
/// true.
pub(crate) fn prune(node: &mut Node, known: &Known) {
    match &mut node.value {
        Value::Seq(items) => {
            items.retain_mut(|n| keep(n, known));
            for n in items {
                prune(n, known);
            }
        }
        Value::Map(entries) => {
            entries.retain_mut(|(_, n)| keep(n, known));
            for (_, n) in entries {
                prune(n, known);
            }
        }
        _ => {}
    }
}

/// Answers the conditions of one entry of a mapping or list. Returns false if the entry's `when` is
/// known to be false, so that the caller removes the entry.
fn keep(node: &mut Node, known: &Known) -> bool {
    let Some(entries) = node.entries_mut() else {
        return true;
    };
    answer_value(entries, known);
    match answered(entries, "when", known) {
        Some((at, true)) => {
            entries.remove(at);
            true
        }
        Some((_, false)) => false,
        None => true,
    }
}

/// Answers the condition under the key `word`. Returns the index of the key and the answer. If only
/// a part of the condition is known, the part that is left replaces the condition, and the result
/// is `None`. The result is also `None` if the key does not exist.
fn answered(entries: &mut [(Key, Node)], word: &str, known: &Known) -> Option<(usize, bool)> {
    let at = entries.iter().position(|(k, _)| k.name == word)?;
    let cond = Cond::parse(entries[at].1.text()?).ok()?;
    match cond.reduce(&|c| known.answer(c)) {
        Ok(answer) => Some((at, answer)),
        Err(left) => {
            entries[at].1 = scalar(&left.to_string(), entries[at].1.span);
            None
        }
    }
}

/// Replaces `feature: test` and `choose: test` by plain values if the answer is known.
/// `feature: test` -> `value: true`; `choose: test`, `then: a`, `else: b` -> `value: a`.
fn answer_value(entries: &mut Vec<(Key, Node)>, known: &Known) {
    for word in ["feature", "choose"] {
        let Some((at, answer)) = answered(entries, word, known) else {
            continue;
        };
        let (key, asked) = entries.remove(at);
        let value = match word {
            "choose" => {
                let (take, leave) = if answer {
                    ("then", "else")
                } else {
                    ("else", "then")
                };
                entries.retain(|(k, _)| k.name != leave);
                let Some(i) = entries.iter().position(|(k, _)| k.name == take) else {
                    return;
                };
                Node {
                    span: asked.span,
                    ..entries.remove(i).1
                }
            }
            _ => flag(answer, asked.span),
        };
        entries.push(entry("value", key.span, value));
    }
}

/// The results of answering the conditions over releases in one layer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// Entries whose condition over releases does not hold.
    pub(crate) gone: BTreeSet<Path>,
    /// Entries whose condition over releases holds, and that contain more keys than the condition.
    pub(crate) held: BTreeSet<Path>,
    /// Sources without an alternative that holds. Each is an error if no layer below has the
    /// source.
    pub(crate) missing: Vec<(Path, Finding)>,
    /// Entries that hold, and that contain nothing but the releases at which the entry of a lower
    /// layer exists, such as `{file: a.patch, releases: "<7.2"}`.
    pub(crate) kept: BTreeSet<Path>,
    /// Entries like those in `kept` that do not hold, with their places. The entry of the lower
    /// layer ends there.
    pub(crate) ended: Vec<(Path, Span)>,
    /// Lists of which no element holds for this release. The list of the lower layer then stays.
    /// Lists that are written without elements are not included: they replace the lower list on
    /// purpose.
    pub(crate) emptied: Vec<Path>,
    /// Entries whose range ends before this release, and that contain more than the range, with an
    /// error for each. The error is reported if a lower folder has the same entry: the lower entry
    /// is then used, which the author may not expect.
    pub(crate) over: Vec<(Path, Finding)>,
}

/// Removes the entries of a layer that do not hold for `release`, and the conditions over releases
/// of the entries that do. The results are added to `answers`.
pub(crate) fn answer(
    node: &mut Node,
    kind: Kind,
    release: &Release,
    answers: &mut Answers,
    findings: &mut Findings,
) {
    let known = Known {
        release,
        fixed: BTreeMap::new(),
        offered: None,
        llvm: Vec::new(),
    };
    ConditionWalk {
        kind,
        known,
        answers,
        findings,
    }
    .walk(node, &mut Vec::new());
}

struct ConditionWalk<'a> {
    kind: Kind,
    known: Known<'a>,
    answers: &'a mut Answers,
    findings: &'a mut Findings,
}

impl ConditionWalk<'_> {
    fn walk(&mut self, node: &mut Node, path: &mut Path) {
        let lists = identities(self.kind, path);
        let span = node.span;
        match &mut node.value {
            Value::Map(entries) => entries.retain_mut(|(key, n)| {
                path.push(key.name.clone());
                let had = !n.list().is_empty();
                let mut stays = self.stays(n, path, true);
                if had && n.list().is_empty() && is_own_version(self.kind, path) {
                    // No row holds at the release: the version of a lower layer stays.
                    stays = !matches!(n.value, Value::Seq(_));
                }
                if had && n.list().is_empty() && identities(self.kind, path).is_some() {
                    self.answers.emptied.push(path.clone());
                }
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
                } else if is_own_version(self.kind, path) {
                    self.choose_version(node);
                }
            }
            _ => {}
        }
    }

    /// Replaces the alternatives of a source by the one that holds. Several that hold are an error.
    /// If none holds, an error is added to `missing` of the answers, since a lower layer may have
    /// the source. `all` is the number of alternatives that are written, at the place `span`.
    fn choose(&mut self, node: &mut Node, span: Span, all: usize, path: &Path) {
        let Value::Seq(items) = &mut node.value else {
            return;
        };
        let name = path.last().map_or("", SmolStr::as_str);
        let finding = |code, span, how_many: &str| {
            let message = format!(
                "the source `{name}` has {how_many} for {}",
                self.known.release
            );
            Finding::error(code, span, message).label(match all {
                0 => "expected a source; write `~` to remove a source".to_owned(),
                _ => format!("expected exactly one of {all} with matching `releases`"),
            })
        };
        if let Some(second) = items.get(1) {
            self.findings.push(finding(
                "E0217",
                second.span,
                &format!("{} alternatives", items.len()),
            ));
        }
        // The last alternative is the newest. It is used, so that later stages can report more
        // errors.
        if let Some(item) = items.pop() {
            *node = item;
        } else {
            // A list that is written without alternatives is an error, whatever the layers below
            // state.
            if all == 0 {
                self.findings
                    .push(finding("E0217", span.begin(), "no alternative"));
            } else {
                let missing = finding("E0253", span.begin(), "no alternative");
                self.answers.missing.push((path.clone(), missing));
            }
            node.value = Value::Map(Vec::new());
        }
    }

    /// Replaces the rows of a package's own version by the version of the row that holds. Several
    /// that hold are an error.
    fn choose_version(&mut self, node: &mut Node) {
        let rows = node.list();
        if let Some(second) = rows.get(1) {
            let release = self.known.release;
            let message = format!("the package has {} versions at {release}", rows.len());
            let finding = Finding::error("E0217", second.span, message);
            self.findings
                .push(finding.label("expected one row with matching `releases`"));
        }
        if let Some(last) = rows.last() {
            *node = last.get("value").unwrap_or(last).clone();
        }
    }

    /// Answers the conditions of one entry of a mapping or list. Returns false if the entry does
    /// not hold. If the entry is `named`, by a key or by an identity, the result is also recorded
    /// under `path`.
    fn stays(&mut self, node: &mut Node, path: &mut Path, named: bool) -> bool {
        let mut spoke = false;
        let mut stays = true;
        let mut over = None;
        // A CMake project can't end: `validate/projects.rs` reports conditions over releases on it.
        let is_project = matches!(path.as_slice(), [cmake, _] if cmake == "cmake");
        let caps = !is_project && says_when_alone(node);
        if let Value::Map(entries) = &mut node.value {
            if let Some(at) = entries
                .iter()
                .position(|(k, n)| k.name == "releases" && n.text().is_some())
            {
                let asked = &entries[at].1;
                let range = read_range(asked.text().unwrap_or_default(), asked.span, self.findings);
                if let Some(range) = range {
                    stays = range.contains(self.known.release);
                    spoke = true;
                    over = range
                        .to()
                        .filter(|to| *to <= self.known.release.parts())
                        .map(|_| asked.span);
                }
                // A row of targets keeps its range, since that is its identity when the next layer
                // is merged.
                if !matches!(path.as_slice(), [targets, _, _] if targets == "targets") {
                    entries.remove(at);
                }
            }
            spoke |= entries
                .iter()
                .any(|(k, n)| k.name == "when" && asks_release(n));
        }
        stays = stays && keep(node, &self.known);
        if named && spoke {
            let answers = &mut *self.answers;
            if !stays && caps {
                answers.ended.push((path.clone(), node.span));
            }
            let set = match (stays, caps) {
                (true, false) => &mut answers.held,
                (true, true) => &mut answers.kept,
                (false, _) => &mut answers.gone,
            };
            set.insert(path.clone());
            answers.over.extend(
                over.filter(|_| !caps)
                    .map(|span| (path.clone(), is_over(path, span))),
            );
        }
        if stays {
            self.walk(node, path);
        }
        stays
    }
}

/// Returns true if a path is that of a package's own version.
fn is_own_version(kind: Kind, path: &[SmolStr]) -> bool {
    kind == Kind::Package && matches!(path, [version] if version == "version")
}

/// Returns true if an entry only states the releases at which the entry of a lower layer exists: by
/// `releases` or `when`. Beside them, it may only have keys that identify it, and `comment`.
fn says_when_alone(node: &Node) -> bool {
    let speaks =
        |(key, n): &(Key, Node)| key.name == "releases" || (key.name == "when" && asks_release(n));
    let names = |key: &Key| matches!(key.name.as_str(), "file" | "id" | "comment");
    node.entries().iter().any(speaks) && node.entries().iter().all(|e| speaks(e) || names(&e.0))
}

fn is_over(path: &Path, span: Span) -> Finding {
    let message = format!("`{}` does not end with these releases", path.join("."));
    Finding::error("E0252", span, message)
        .label("after them, the entry of the lower layer applies unchanged")
        .hint(
            "write only `releases` to end it, `~` to remove it, or `when: release:<8` to change \
            some releases",
        )
}

/// Returns true if a condition mentions releases.
pub(crate) fn asks_release(node: &Node) -> bool {
    node.text()
        .and_then(|text| Cond::parse(text).ok())
        .is_some_and(|cond| !cond.releases().is_empty())
}
