//! The items that a person has to review after a bump, the riskiest first.

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
    /// The kind of a possible fault after a bump. The riskiest kind is first.
    Risk: advice;
    /// An error in the packages that would be rendered.
    Refused = "refused": "`render` fails with these errors",
    /// A guessed fact of a release, a version that was pinned, or a package without a source.
    Release = "release": "guessed, or no longer pinned: check upstream's release",
    /// GPU targets that packages gain or lose, or that are guessed.
    Target = "target": "GPU targets changed: check upstream's CMakeLists.txt and release notes",
    /// A patch or a picked commit.
    Patch = "patch": "not checked whether it still applies: try it, or end it with `releases`",
    /// A step that replaces text of upstream's files.
    Replacement = "replacement": "the replaced text may be gone: sed does not report that",
    /// Shell code of a profile that depends on the contents of upstream's files.
    Shell = "shell": "shell code that depends on upstream's files",
    /// Options that recipes pass to upstream's build.
    Option = "option": "options whose meaning may have changed",
    /// The version range of a dependency on a package outside of the model.
    Dependency = "dependency": "version ranges that may have changed",
    /// An unknown checksum.
    Checksum = "checksum": "unknown checksums: `rocpkg sums` computes them",
}

/// An item that a person has to review.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct ReviewItem {
    /// The kind of the possible fault.
    pub risk: Risk,
    /// The advice for all items of this kind, such as where to look.
    pub advice: &'static str,
    /// The file of the profiles or of the checkout, with line and column. None if the item has no
    /// single place.
    pub place: Option<String>,
    /// The message: the possible fault, without the advice.
    #[cfg_attr(feature = "serde", serde(rename = "message"))]
    pub said: String,
    /// The packages that the item is about: the distribution and its name for the package, as in
    /// `gentoo:rocBLAS`.
    pub packages: Vec<String>,
}

impl ReviewItem {
    /// Returns a distribution's names of the packages that the item is about.
    pub fn packages_of(&self, backend: Backend) -> impl Iterator<Item = &str> {
        let all = self.packages.iter();
        all.filter_map(move |package| {
            let (distro, name) = package.split_once(':')?;
            (distro == backend.distro()).then_some(name)
        })
    }

    /// Returns true if the item is not about the distribution's files in the model, which a
    /// checkout does not contain.
    #[cfg(feature = "checkout")]
    pub(crate) fn is_shared(&self) -> bool {
        let place = self.place.as_ref();
        !place.is_some_and(|place| place.starts_with("distros/"))
    }
}

/// A note that was made during the edits, about the release, a version or a checksum.
pub(super) struct Note {
    pub(super) risk: Risk,
    pub(super) place: Option<String>,
    pub(super) said: String,
}

/// The sort key of an item: the risk, the file, the line, the column and the message.
type Order = (Risk, String, usize, usize, String);

/// The items for review that are collected so far.
pub(super) struct Looks<'s> {
    stack: &'s Stack,
    all: BTreeMap<Order, (Option<String>, BTreeSet<String>)>,
}

impl<'s> Looks<'s> {
    /// Returns an empty collection. `stack` is the model after the bump.
    pub(super) fn new(stack: &'s Stack) -> Self {
        Self {
            stack,
            all: BTreeMap::new(),
        }
    }

    /// Adds the notes that were made during the edits.
    pub(super) fn notes(&mut self, notes: Vec<Note>) {
        for Note { risk, place, said } in notes {
            self.add(risk, place, said, []);
        }
    }

    /// Adds items for the findings about `tree`, which is rendered after the bump: errors, unknown
    /// checksums, guessed GPU targets (W0224) and tags that nobody saw (W0229). `plans` are the
    /// plans after the bump.
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

    /// Adds items for a distribution: the GPU targets in `changes` that its packages gain or lose,
    /// and for the packages `ids` the unchecked facts that depend on upstream's files, and the
    /// version ranges of external dependencies. `plan` is the plan after the bump.
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

    pub(super) fn sorted(self) -> Vec<ReviewItem> {
        let each = self
            .all
            .into_iter()
            .map(|((risk, _, _, _, said), (place, packages))| ReviewItem {
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

/// Returns the packages among the owners of a finding, as `gentoo:rocBLAS`. Packages that no plan
/// has are left out.
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
