//! The releases for which a patch, a replacement or a piece of shell text was checked, and for
//! which upstream's accepted targets are known.
//!
//! Such a fact holds at the release at which the facts of its folder were read
//! (`layer/checked_at.rs`), or at the releases that `checked: ">=7.1, <7.3"` beside it states
//! instead. Other releases can be rendered too. Every fact that was not checked for the rendered
//! release is then reported. This applies to requested releases and to the releases that a
//! distribution ships.

use crate::layer::model::Model;
use crate::plan::planned::Planned;
use crate::plan::targets::SUPPORTED;
use crate::read::files::Depths;
use crate::read::release::{LIVE_VERSION, Release, read_range};
use rocpkg_model::{Fetch, Finding, Findings, Node, Span, Value};

/// The keys of steps that depend on the contents of upstream's files, each with its name in
/// messages.
const STEPS: [(&str, &str); 4] = [
    ("replace", "replacement"),
    ("sed", "sed script"),
    ("cherry-pick", "picked commit"),
    ("raw", "shell text"),
];

/// A fact of a package that was not checked for the package's release.
#[derive(Clone, Debug)]
pub struct Unchecked {
    /// The kind of the fact: `patch`, `options`, or the key of a step: `replace`, `sed`,
    /// `cherry-pick`, `raw`.
    pub what: &'static str,
    /// The name of the patch, the files of the step, the commits, or the options.
    pub subjects: Vec<String>,
    /// The texts that a replacement looks for: literal, or as scripts of sed.
    pub texts: Vec<String>,
    /// The places of the fact. For `options`, these are the places of all options.
    pub spans: Vec<Span>,
    /// The finding that reports the fact.
    pub finding: Finding,
}

impl Planned {
    /// Returns the facts that were not checked for the package's release. `depths` are those of the
    /// package's plan.
    pub fn unchecked(&self, depths: &Depths) -> Vec<Unchecked> {
        unchecked(self, depths, &mut Findings::default())
    }
}

/// Returns each fact of a package that was not checked for its version. A text under `checked` that
/// is no range is reported to `findings` as E0203.
pub(crate) fn unchecked(p: &Planned, depths: &Depths, findings: &mut Findings) -> Vec<Unchecked> {
    let mut all = facts(p, depths, findings);
    all.extend(options(p, depths));
    all
}

/// Returns the patches and steps that were not checked.
fn facts(p: &Planned, depths: &Depths, findings: &mut Findings) -> Vec<Unchecked> {
    let mut asked = Collector {
        p,
        depths,
        findings,
        all: Vec::new(),
    };
    for patch in p.node.list_of("patches") {
        // The patch was checked by the author of the first layer that states it.
        let Some(file) = patch.get("file") else {
            continue;
        };
        let name = file.text().unwrap_or_default();
        asked.fact(
            patch,
            p.history.first(file.span),
            ("patch", &format!("patch `{name}`")),
        );
    }
    asked.steps(&p.node);
    asked.all
}

/// Reports a release at which the targets that upstream accepts are not known, although they are
/// known for other releases.
pub(crate) fn unknown_support(p: &Planned, findings: &mut Findings) {
    let Some(guess) = p
        .package
        .guesses
        .iter()
        .find(|guess| guess.about.value == SUPPORTED)
    else {
        return;
    };
    let variables = p.package.targets.iter().flat_map(|t| &t.variable.0);
    let variable = variables
        .map(|v| v.value.as_str())
        .next()
        .unwrap_or("upstream");
    let message = format!(
        "the GPU targets that `{variable}` accepts at {} are not known",
        p.version.release()
    );
    findings.push(
        Finding::warning("W0224", Some(guess.about.span), message)
            .label("expected a row for this release; all targets that are not excluded are offered")
            .hint("check upstream's CMakeLists.txt of that release"),
    );
}

/// Reports repositories for which no profile states that they have the release's tag.
pub(crate) fn unseen_tags(model: &Model, p: &Planned, findings: &mut Findings) {
    if p.version.as_str() == LIVE_VERSION {
        return;
    }
    for source in p
        .sources
        .iter()
        .filter(|s| s.fetch != Fetch::File && s.revision.is_none() && !s.own_tag)
    {
        let Some(line) = model
            .lines
            .get(&source.version.line())
            .filter(|l| !l.tagged.is_empty())
        else {
            continue;
        };
        let is_seen = line
            .tagged
            .iter()
            .any(|name| name.value == source.repository)
            && source.owner == model.owner();
        if !is_seen && !source.key.is_empty() {
            let repository = format!("{}/{}", source.owner, source.repository);
            let message = format!(
                "the tag of {} is not known to exist in {repository}",
                source.version.release()
            );
            findings.push(
                Finding::warning("W0229", Some(source.span), message)
                    .label("expected a repository under `tagged` of the release line")
                    .hint(
                        "find upstream's repository with the tag, or add this one to `tagged` of \
                        the release line",
                    ),
            );
        }
    }
}

/// Reports a main source that stays the same when the version of the package changes. The source
/// must contain the version, or state the version that it belongs to.
pub(crate) fn version_of_source(p: &Planned, findings: &mut Findings) {
    let main = p
        .sources
        .iter()
        .find(|s| s.name == "main" && s.revision.is_none());
    let (Some(source), Some(stated)) = (main, p.package.sources.get("main")) else {
        return;
    };
    // The address of a checkout is the address of its repository.
    let url = stated
        .url
        .as_ref()
        .filter(|_| !matches!(source.fetch, Fetch::Git | Fetch::Tree));
    let fixed = stated
        .tag
        .as_ref()
        .or(url)
        .filter(|text| text.references().next().is_none());
    if let Some(fixed) = fixed.filter(|_| p.package.version.is_none() && stated.version.is_none()) {
        let message = format!(
            "the version of {} becomes {}, but its source stays the same",
            p.name,
            p.version.release()
        );
        findings.push(
            Finding::error("E0254", fixed.span, message)
                .label("expected `${version}` or the release's `${tag}`")
                .hint("or state the version of this source: `version` beside `sources`"),
        );
    }
}

/// Returns the options of upstream's build that are passed at a later release than the one at which
/// they were read. The options of a component were read at its `options-checked-at`, or at the
/// release at which the facts of the folder of profiles that states them were read, whichever is
/// later.
fn options(p: &Planned, depths: &Depths) -> Vec<Unchecked> {
    let mut all = Vec::new();
    let whole = p.components.iter().zip([&p.package]);
    let components = whole.filter(|_| p.pieces.is_empty()).chain(&p.pieces);
    for (component, package) in components {
        let read = package.options_checked_at.as_ref();
        let is_passed = |name: &String| {
            p.package
                .cmake
                .values()
                .any(|project| project.arguments.contains_key(name))
        };
        let passed: Vec<&str> = package
            .options
            .keys()
            .filter(|n| is_passed(n))
            .map(String::as_str)
            .collect();
        let span = read.map_or_else(
            || {
                p.node
                    .get("options")
                    .map_or(p.node.span, |n| n.span.begin())
            },
            |r| r.span,
        );
        let release = read.and_then(|read| read.value.parse::<Release>().ok());
        // Earlier releases are known: options that were added later have a range.
        let is_known = p
            .checked_at
            .get(&depths.of(span))
            .into_iter()
            .chain(&release)
            .any(|seen| p.version <= *seen);
        if is_known || passed.is_empty() {
            continue;
        }
        let message = format!(
            "these options of {component} were not checked for {}: {}",
            p.version.release(),
            passed.join(", ")
        );
        let label = release.map_or_else(
            || "expected `options-checked-at` beside the options".to_owned(),
            |release| format!("checked for {release}"),
        );
        let finding = Finding::warning("W0225", Some(span), message)
            .label(label)
            .hint("check upstream's CMake files of that release, then set `options-checked-at`");
        let written = |name: &&str| p.node.get("options")?.get(name).map(|node| node.span);
        let spans = passed.iter().filter_map(written).collect();
        all.push(Unchecked {
            what: "options",
            subjects: passed.iter().map(|name| (*name).to_owned()).collect(),
            texts: Vec::new(),
            spans,
            finding,
        });
    }
    all
}

struct Collector<'a> {
    p: &'a Planned,
    depths: &'a Depths,
    findings: &'a mut Findings,
    all: Vec<Unchecked>,
}

impl Collector<'_> {
    fn steps(&mut self, node: &Node) {
        node.list().iter().for_each(|n| self.steps(n));
        for (key, name) in STEPS {
            if node.get(key).is_some_and(|n| is_step(key, n)) {
                self.fact(node, node.span, (key, name));
            }
        }
        // A dependency may have the name `sed`. No steps are under these two keys.
        let elsewhere = node
            .entries()
            .iter()
            .filter(|(k, _)| !matches!(k.name.as_str(), "depends" | "patches"));
        elsewhere.for_each(|(_, n)| self.steps(n));
    }

    /// Adds the fact `node` to the result if nobody checked it for the package's release. `said` is
    /// the place of the first layer that states the fact. `what` is its kind, and `name` its name
    /// in messages.
    fn fact(&mut self, node: &Node, said: Span, (what, name): (&'static str, &str)) {
        let version = &self.p.version;
        let (holds, label) =
            if let Some((n, text)) = node.get("checked").and_then(|n| Some((n, n.text()?))) {
                let Some(range) = read_range(text, n.span, self.findings) else {
                    return;
                };
                (range.contains(version), format!("checked for `{text}`"))
            } else {
                match self.p.checked_at.get(&self.depths.of(said)) {
                    Some(checked_at) => (
                        checked_at == version,
                        format!("checked for {checked_at}, by `checked-at` of its folder"),
                    ),
                    None => (false, "its folder has no `checked-at`".to_owned()),
                }
            };
        if !holds {
            let message = format!("the {name} was not checked for {}", version.release());
            let finding = Finding::warning("W0220", Some(node.span), message)
                .label(label)
                .hint(
                    "check upstream's files, then set `checked` to the range of releases; \
                    `checked-at` is for a whole folder",
                );
            self.all.push(Unchecked {
                what,
                subjects: subjects(what, node),
                texts: sought(what, node),
                spans: vec![node.span],
                finding,
            });
        }
    }
}

fn texts(node: Option<&Node>) -> Vec<String> {
    let all = node.into_iter().flat_map(|node| match node.list() {
        [] => vec![node],
        all => all.iter().collect(),
    });
    all.filter_map(Node::text).map(str::to_owned).collect()
}

/// Returns the texts that the step `node` replaces, or its scripts of sed.
fn sought(what: &str, node: &Node) -> Vec<String> {
    let key = if what == "sed" { "scripts" } else { "from" };
    texts(node.get(what).and_then(|step| step.get(key)))
}

/// Returns the name of the patch `node`, or the files or commits of the step `node`.
fn subjects(what: &str, node: &Node) -> Vec<String> {
    match what {
        "patch" => texts(node.get("file")),
        "replace" | "sed" => texts(node.get(what).and_then(|step| step.get("files"))),
        "cherry-pick" => texts(node.get(what)),
        _ => Vec::new(),
    }
}

/// Returns true if `node`, the value of the key `key`, has the form of the step of that name. A key
/// of the same name may be something else, such as a dependency `sed`.
fn is_step(key: &str, node: &Node) -> bool {
    match key {
        "replace" | "sed" => node.get("files").is_some(),
        "cherry-pick" => matches!(node.value, Value::Seq(_)),
        _ => node.text().is_some(),
    }
}
