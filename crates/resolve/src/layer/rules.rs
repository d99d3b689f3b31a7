//! Which rules of a distribution's habits are about a package: what it is, has and needs, and at
//! which release.

use crate::layer::identity::Kind;
use crate::layer::laid::Layer;
use crate::read::release::{Release, holds as in_range};
use crate::read::texts::words;
use rocpkg_model::{Cond, Findings, Habits, Node, Rule, Spanned, TestDataHabit, Value};

/// A rule may also ask for the repository of the main source, by this and its name.
pub(crate) const REPOSITORY: &str = "repository-";

/// What a package is, as rules may ask.
pub(crate) const KINDS: &[&str] = &[
    "demanding",
    "device",
    "headers",
    "large",
    "library",
    "limited",
    "monorepo",
    "own-version",
    "parts",
    "python",
    "scripts",
    "test-data",
];

/// The rules of a distribution that are about a release, each with the keys that it gives.
#[derive(Debug)]
pub(crate) struct Rules<'m> {
    pub(crate) habits: &'m Habits,
    pub(crate) list: Vec<(&'m Rule, Option<Layer>)>,
}

impl<'m> Rules<'m> {
    /// Answers what the rules say of a release. Ranges that can't be read were told where they are
    /// loaded.
    pub(crate) fn at(habits: &'m Habits, release: &Release, findings: &mut Findings) -> Self {
        let is_at = |rule: &&Rule| {
            rule.releases
                .as_ref()
                .is_none_or(|range| in_range(&range.value, release) == Some(true))
        };
        let mut keys = |tree| Layer::at(tree, Kind::Package, Some(release), findings);
        let rules = habits.rules.iter().filter(is_at);
        let list = rules
            .map(|rule| (rule, rule.package.as_ref().map(|tree| keys(&tree.0))))
            .collect();
        Self { habits, list }
    }

    /// The rules about a package.
    pub(crate) fn about<'r>(
        &'r self,
        package: &'r Node,
        of: &'r [String],
    ) -> impl Iterator<Item = (&'m Rule, Option<&'r Layer>)> + use<'r, 'm> {
        let about = self
            .list
            .iter()
            .filter(|(rule, _)| holds(rule, package, self.habits, of));
        about.map(|(rule, keys)| (*rule, keys.as_ref()))
    }
}

/// Whether a rule is about a package.
fn holds(rule: &Rule, package: &Node, habits: &Habits, of: &[String]) -> bool {
    let kind = |c: &Cond| match c {
        Cond::Feature(f) if f == "test-data" => converts_test_data(package, habits),
        Cond::Feature(f) => is(package, f),
        _ => false,
    };
    let has = |section: &str, name: &Option<Spanned<String>>| {
        name.as_ref().is_none_or(|n| {
            package
                .get(section)
                .is_some_and(|s| s.get(&n.value).is_some())
        })
    };
    let made_of = |name: &Spanned<String>| of.contains(&name.value);
    (rule.components.is_empty() || rule.components.iter().any(made_of))
        && rule
            .when
            .as_ref()
            .is_none_or(|w| w.cond.reduce(&|c| Some(kind(c))) == Ok(true))
        && has("depends", &rule.depends_on)
        && has("features", &rule.feature)
        && has("options", &rule.option)
        && rule.kind.is_none_or(|kind| {
            let edge = rule
                .depends_on
                .as_ref()
                .and_then(|n| package.get("depends")?.get(&n.value));
            let kinds = edge.and_then(|e| e.get("kind")).into_iter().flat_map(words);
            kinds.into_iter().any(|(word, _)| word == kind.word())
        })
}

/// Whether a package is of a kind.
fn is(package: &Node, kind: &str) -> bool {
    let content = package
        .get("content")
        .and_then(Node::text)
        .unwrap_or("library");
    match kind {
        "device" => package.get("targets").is_some_and(|t| {
            matches!(t.value, Value::Map(_)) && t.get("list").and_then(Node::text) != Some("none")
        }),
        "limited" => package
            .get("targets")
            .and_then(|t| t.get("supports"))
            .is_some(),
        "own-version" => package.get("version").is_some(),
        "parts" => package.get("parts").is_some(),
        "demanding" => !resources(package).is_empty(),
        "large" => resources(package)
            .iter()
            .any(|row| WHOLE.iter().any(|key| row.get(key).is_some())),
        "monorepo" => {
            main_source(package).is_some_and(|s| s.get("path").and_then(Node::text).is_some())
        }
        other => match other.strip_prefix(REPOSITORY) {
            Some(name) => {
                main_source(package)
                    .and_then(|s| s.get("repository"))
                    .and_then(Node::text)
                    == Some(name)
            }
            None => content == other,
        },
    }
}

/// What is said of a whole build, as opposed to each of its jobs.
const WHOLE: [&str; 4] = ["disk", "memory", "memory-per-target", "time-per-target"];

/// The rows of what a build needs.
fn resources(package: &Node) -> &[Node] {
    package
        .get("resources")
        .map(Node::one_or_many)
        .unwrap_or_default()
}

pub(crate) fn main_source(package: &Node) -> Option<&Node> {
    package.get("sources")?.entries().first().map(|(_, s)| s)
}

/// Whether data for its tests is among the sources of a package.
pub(crate) fn fetches_test_data(package: &Node, habits: &Habits) -> bool {
    habits.test_data == Some(TestDataHabit::Fetched) && reads_test_data(package)
}

/// The condition under which something reads the data.
pub(crate) fn reader(data: &Node) -> &str {
    data.get("when").and_then(Node::text).unwrap_or("test")
}

/// Whether a package has data for its tests, and what reads it may be asked for.
fn reads_test_data(package: &Node) -> bool {
    package.get("test-data").is_some_and(|data| {
        let words = reader(data).split(|c: char| !c.is_alphanumeric() && c != '-');
        let mut features = words.filter_map(|word| package.get("features")?.get(word));
        features.any(|feature| feature.get("fixed").is_none())
    })
}

/// Whether that data is converted before the tests read it.
fn converts_test_data(package: &Node, habits: &Habits) -> bool {
    matches!(
        habits.test_data,
        Some(TestDataHabit::Fetched | TestDataHabit::Brought)
    ) && reads_test_data(package)
        && package
            .get("test-data")
            .is_some_and(|data| data.get("converter").is_some())
}
