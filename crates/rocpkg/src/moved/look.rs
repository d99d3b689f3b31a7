//! What a person has to look at after a bump, the riskiest first.

use crate::backend::Backend;
use crate::changes::{ChangeKind, Changes};
use crate::kinds::kinds;
use crate::stack::Stack;
use crate::sums;
use crate::tree::Tree;
use rocpkg_model::{Finding, Owner, Severity, Span};
use rocpkg_resolve::{Dependency, Plan};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

kinds! {
    /// What may be wrong, in the order of risk.
    Risk: advice;
    /// What would be rendered is wrong.
    Refused = "refused": "`render` refuses this as it is",
    /// A release or a version that nobody looked at.
    Release = "release": "guessed, or moved from where it was pinned: look at upstream's release",
    /// GPU targets.
    Target = "target": "GPU targets come and go: look at upstream's CMakeLists.txt and its release notes",
    /// A patch or a picked commit.
    Patch = "patch": "nobody looked whether it applies: try it, or end it with `releases`",
    /// Replaced text.
    Replacement = "replacement": "text that may be gone: sed says nothing then",
    /// Text of a shell.
    Shell = "shell": "text of a shell that rests on upstream's files",
    /// Options of upstream's build.
    Option = "option": "options that may mean something else by now",
    /// A range of versions.
    Dependency = "dependency": "a range of versions that may have moved",
    /// A checksum.
    Checksum = "checksum": "nobody knows it: `rocpkg sums` computes it",
}

/// Something that a person has to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Look {
    /// Of what kind it is.
    pub risk: Risk,
    /// What to do about all of this risk.
    pub advice: &'static str,
    /// The file with line and column.
    pub place: Option<String>,
    /// What it is.
    #[cfg_attr(feature = "serde", serde(rename = "message"))]
    pub said: String,
    /// The packages, as `gentoo:rocblas`.
    pub packages: Vec<String>,
}

impl Look {
    /// Returns what is to be looked at of a patch that a recipe applies and the model does not
    /// have.
    pub fn of_patch(place: String, file: &str, package: String) -> Self {
        let risk = Risk::Patch;
        Self {
            risk,
            advice: risk.advice(),
            place: Some(place),
            said: format!("`{file}` is a patch of the recipe's own"),
            packages: vec![package],
        }
    }
}

/// What is told of the release or of a package's version.
pub(super) struct Note {
    pub(super) risk: Risk,
    pub(super) place: Option<String>,
    pub(super) said: String,
}

/// What they are sorted by: the risk, then the file, the line and the column.
type Order = (Risk, String, usize, usize, String);

/// What was gathered.
pub(super) struct Looks<'s> {
    stack: &'s Stack,
    all: BTreeMap<Order, (Option<String>, BTreeSet<String>)>,
}

impl<'s> Looks<'s> {
    /// Nothing yet, of the model as it becomes.
    pub(super) fn new(stack: &'s Stack) -> Self {
        Self {
            stack,
            all: BTreeMap::new(),
        }
    }

    /// What was told while the edits were made.
    pub(super) fn notes(&mut self, notes: Vec<Note>) {
        for Note { risk, place, said } in notes {
            self.add(risk, place, said, []);
        }
    }

    /// What is wrong with what would be rendered, what targets nobody knows, and which checksums.
    pub(super) fn tree(&mut self, tree: &Tree, plans: &[&Plan]) {
        for (f, owners) in tree
            .proofs
            .iter()
            .flat_map(|(_, p)| p.findings.owned())
            .chain(tree.findings.owned())
        {
            let risk = match (f.severity, f.code) {
                (Severity::Error, _) => Risk::Refused,
                (_, "W0224") => Risk::Target,
                (_, "W0229") => Risk::Release,
                _ => continue,
            };
            self.found(risk, f, named(owners, plans));
        }
        for (f, owners) in sums::findings(tree.lacking(), true).owned() {
            self.found(Risk::Checksum, f, named(owners, plans));
        }
    }

    /// What rests on upstream's files in a distribution, and what changes there.
    pub(super) fn distro(
        &mut self,
        backend: Backend,
        plan: &Plan,
        ids: &BTreeSet<String>,
        changes: &Changes,
    ) {
        let distro = backend.distro();
        for t in changes
            .all
            .iter()
            .filter(|change| change.kind == ChangeKind::Target)
        {
            let (verb, targets) = if t.is.is_empty() {
                ("lost", &t.was)
            } else {
                ("gained", &t.is)
            };
            let said = format!("{verb} in {distro}: {}: {}", targets.join(" "), t.reason);
            self.add(
                Risk::Target,
                t.place.clone(),
                said,
                [format!("{distro}:{}", t.package)],
            );
        }
        for p in plan.packages.iter().filter(|p| ids.contains(&p.id)) {
            let package = format!("{distro}:{}", p.name);
            for fact in p.unchecked(&plan.depths) {
                let risk = match fact.what {
                    "patch" | "cherry-pick" => Risk::Patch,
                    "options" => Risk::Option,
                    "raw" => Risk::Shell,
                    _ => Risk::Replacement,
                };
                self.of_package(risk, fact.finding.span, fact.finding.message, &package);
            }
            for edge in p
                .depends
                .iter()
                .filter(|edge| matches!(edge.to, Dependency::External(_)))
            {
                let range = edge.edge.version.as_ref();
                let Some(range) = range.filter(|v| v.value.starts_with(['<', '>', '='])) else {
                    continue;
                };
                let said = format!("{} `{}`", edge.name, range.value);
                self.of_package(Risk::Dependency, Some(range.span), said, &package);
            }
        }
    }

    /// All of it, the riskiest first.
    pub(super) fn sorted(self) -> Vec<Look> {
        let each = self
            .all
            .into_iter()
            .map(|((risk, _, _, _, said), (place, packages))| Look {
                risk,
                advice: risk.advice(),
                place,
                said,
                packages: packages.into_iter().collect(),
            });
        each.collect()
    }

    fn found(&mut self, risk: Risk, f: &Finding, packages: Vec<String>) {
        let said = if f.label.is_empty() {
            f.message.clone()
        } else {
            format!("{}: {}", f.message, f.label)
        };
        self.add(
            risk,
            f.span.map(|span| self.stack.sources().place(span)),
            said,
            packages,
        );
    }

    fn of_package(&mut self, risk: Risk, span: Option<Span>, said: String, package: &str) {
        let place = span.map(|span| self.stack.sources().place(span));
        self.add(risk, place, said, [package.to_owned()]);
    }

    fn add(
        &mut self,
        risk: Risk,
        place: Option<String>,
        said: String,
        packages: impl IntoIterator<Item = String>,
    ) {
        let text = place.clone().unwrap_or_default();
        let mut parts = text.rsplitn(3, ':');
        let mut number = || {
            parts
                .next()
                .and_then(|n| n.parse().ok())
                .unwrap_or_default()
        };
        let (column, line) = (number(), number());
        let order = (
            risk,
            parts.next().unwrap_or_default().to_owned(),
            line,
            column,
            said,
        );
        self.all
            .entry(order)
            .or_insert((place, BTreeSet::new()))
            .1
            .extend(packages);
    }
}

/// The packages that a finding is about.
fn named(owners: &BTreeSet<Owner>, plans: &[&Plan]) -> Vec<String> {
    let name = |owner: &Owner| {
        let Owner::Package { distribution, id } = owner else {
            return None;
        };
        let plan = plans
            .iter()
            .find(|plan| plan.distro_name == *distribution)?;
        Some(format!("{distribution}:{}", plan.get(id)?.name))
    };
    owners.iter().filter_map(name).collect()
}
