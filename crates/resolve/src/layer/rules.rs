//! Selects the rules of a distribution's habits that apply to a package. A rule depends on the kind
//! of the package, its contents and dependencies, and the release.

use crate::layer::identity::Kind;
use crate::layer::merged::Layer;
use crate::read::release::{Release, holds as in_range};
use crate::read::texts::words;
use rocpkg_model::{Cond, Findings, Habits, Node, Rule, Spanned, TestDataHabit, Value};

/// The prefix of a repository's name in the condition of a rule: `repository-rocm-libraries`
/// matches packages whose main source is in `rocm-libraries`.
pub(crate) const REPOSITORY: &str = "repository-";

/// The kinds of packages that the condition of a rule can name.
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

/// The rules of a distribution that apply to a release, each with the keys that it gives to
/// packages.
#[derive(Debug)]
pub(crate) struct Rules<'m> {
    pub(crate) habits: &'m Habits,
    pub(crate) list: Vec<(&'m Rule, Option<Layer>)>,
}

impl<'m> Rules<'m> {
    /// Selects the rules for a release, and answers the conditions in their keys. A range that
    /// can't be read is reported when the rules are loaded.
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

    /// Returns the rules that apply to a package, each with the keys that it gives. `of` are the
    /// components of the package.
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

/// Returns true if a rule applies to a package. `of` are the components of the package.
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

/// Returns true if a package is of a kind of [`KINDS`], or in a repository: [`REPOSITORY`] and its
/// name.
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

/// The keys of resources that a build needs as a whole, as opposed to each of its jobs.
const WHOLE: [&str; 4] = ["disk", "memory", "memory-per-target", "time-per-target"];

/// Returns the rows of resources that a build needs.
fn resources(package: &Node) -> &[Node] {
    package
        .get("resources")
        .map(Node::one_or_many)
        .unwrap_or_default()
}

pub(crate) fn main_source(package: &Node) -> Option<&Node> {
    package.get("sources")?.entries().first().map(|(_, s)| s)
}

/// Returns true if the distribution fetches test data as sources, and a feature that reads the
/// package's test data can be chosen.
pub(crate) fn fetches_test_data(package: &Node, habits: &Habits) -> bool {
    habits.test_data == Some(TestDataHabit::Fetched) && reads_test_data(package)
}

/// Returns the condition under which the tests read the test data `data`: its `when`, or else the
/// feature `test`.
pub(crate) fn reader(data: &Node) -> &str {
    data.get("when").and_then(Node::text).unwrap_or("test")
}

/// Returns true if a package has test data, and a feature that reads the data can be chosen.
fn reads_test_data(package: &Node) -> bool {
    package.get("test-data").is_some_and(|data| {
        let words = reader(data).split(|c: char| !c.is_alphanumeric() && c != '-');
        let mut features = words.filter_map(|word| package.get("features")?.get(word));
        features.any(|feature| feature.get("fixed").is_none())
    })
}

/// Returns true if a package's test data is converted before the tests read it.
fn converts_test_data(package: &Node, habits: &Habits) -> bool {
    matches!(
        habits.test_data,
        Some(TestDataHabit::Fetched | TestDataHabit::Brought)
    ) && reads_test_data(package)
        && package
            .get("test-data")
            .is_some_and(|data| data.get("converter").is_some())
}
