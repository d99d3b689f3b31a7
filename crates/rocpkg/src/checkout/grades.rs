//! The grades of a review's rows: breaks, differs, and spelled differently. A row of
//! [`Stack::review`](crate::Stack::review) is an item that differs between a recipe and the model.

use super::existing_recipe::ExistingRecipe;
use super::review::Row;
use rocpkg_model::{EdgeKind, TargetRelation, Without};
use rocpkg_resolve::{Dependency, Plan, Planned, Release};
use rocpkg_syntax::{Checked, Fault, NormalText, Outline};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::ops::Range;

/// The grade of a row of a review. The worst grade is the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum Grade {
    /// The recipe contradicts itself, or a package is not built for a GPU target that a package
    /// which depends on it needs.
    Breaks,
    /// The recipe and the model differ in meaning.
    Differs,
    /// The recipe and the model mean the same in other words.
    Spelled,
}

impl fmt::Display for Grade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Breaks => "breaks",
            Self::Differs => "differs",
            Self::Spelled => "spelled differently",
        })
    }
}

/// A row of a review, with the facts that its grade follows from.
#[derive(Clone, Debug)]
pub(super) struct Graded {
    pub(super) row: Row,
    /// The bytes of the item in the existing recipe. None if only the model has the item.
    pub(super) at: Option<Range<usize>>,
    /// The release that the existing recipe states. None if its version is not the number of a
    /// release.
    pub(super) release: Option<Release>,
    /// GPU targets that the existing recipe names in this item and that the model's recipe nowhere
    /// names.
    pub(super) added: Vec<String>,
    /// GPU targets that the model's recipe names in this item and that the existing recipe nowhere
    /// names.
    pub(super) lacking: Vec<String>,
}

impl Graded {
    /// Returns a row of the recipe `existing`. `at`, `added` and `lacking` are still empty.
    pub(super) fn new(row: Row, existing: &ExistingRecipe) -> Self {
        let release = existing.version.as_ref().and_then(|v| v.parse().ok());
        Self {
            row,
            at: None,
            release,
            added: Vec::new(),
            lacking: Vec::new(),
        }
    }

    /// Sets `grade`, if it is worse than the grade of the row, and adds `reason` to the reasons of
    /// the row.
    fn worsen(&mut self, grade: Grade, reason: String) {
        self.row.grade = self.row.grade.min(grade);
        self.row.reason = Some(match self.row.reason.take() {
            Some(other) => format!("{other}; {reason}"),
            None => reason,
        });
    }

    /// Returns true if the row is about the item whose absence is the contradiction `fault`, or
    /// about the item that contains the place of `fault`.
    fn is_about(&self, fault: &Fault) -> bool {
        let Row { item, existing, .. } = &self.row;
        let is_missing = fault.missing.as_ref().is_some_and(|missing| {
            let is_list = |key: &String| NormalText::base(key) == missing.list;
            existing.is_none() && item.last() == Some(&missing.name) && item.iter().any(is_list)
        });
        is_missing || self.at.as_ref().is_some_and(|at| at.contains(&fault.at()))
    }
}

/// Adds the contradictions of the recipe `existing`, which are in `checked`, to its rows. If a row
/// is about the same item as a contradiction, the contradiction becomes the reason of that row. Any
/// other contradiction becomes a row of its own.
pub(super) fn add_faults(rows: &mut Vec<Graded>, existing: &ExistingRecipe, checked: &Checked) {
    for fault in &checked.faults {
        let grade = if fault.is_harmless {
            Grade::Differs
        } else {
            Grade::Breaks
        };
        let reason = format!("{} ({})", fault.finding.message, fault.finding.code);
        let about = |row: &&mut Graded| row.row.grade != Grade::Spelled && row.is_about(fault);
        if let Some(row) = rows.iter_mut().find(about) {
            row.worsen(grade, reason);
            continue;
        }
        let (line, column) = existing.outline.place(fault.at());
        let mut item = keys_at(&existing.outline, fault.at());
        if item.is_empty() {
            item.push(fault.finding.code.to_owned());
        }
        let text = existing.outline.text.lines().nth(line - 1);
        let row = Row {
            package: existing.id.clone(),
            path: existing.place.clone(),
            line,
            column,
            item,
            existing: text.map(|line| line.trim().to_owned()),
            model: None,
            fact: None,
            targets: Vec::new(),
            edges: Vec::new(),
            grade,
            reason: Some(reason),
        };
        rows.push(Graded::new(row, existing));
    }
}

/// Returns the keys of the items that contain the byte `at`, the outermost first.
fn keys_at(outline: &Outline, at: usize) -> Vec<String> {
    let mut keys = Vec::new();
    let mut nodes = outline.root.nodes.as_slice();
    while let Some(node) = nodes.iter().find(|node| node.at.contains(&at)) {
        keys.push(rocpkg_edit::shown(&node.key));
        nodes = node.nodes();
    }
    keys
}

/// Grades rows by their GPU targets. If one package is built for a target, and a package that it
/// needs is not, the build breaks, or the programs fail on that GPU. `plans` contains the plan of
/// each release.
pub(super) fn add_targets(plans: &BTreeMap<Option<Release>, Plan>, rows: &mut [Graded]) {
    let names = |get: fn(&Graded) -> &Vec<String>| -> BTreeSet<(String, String)> {
        let of = |row: &Graded, t: &String| (row.row.package.clone(), t.clone());
        let all = rows.iter();
        all.flat_map(|row| get(row).iter().map(move |t| of(row, t)))
            .collect()
    };
    let (added, lacking) = (names(|row| &row.added), names(|row| &row.lacking));
    let is_built = |p: &Planned, target: &String| {
        let key = (p.id.clone(), target.clone());
        let stated = p
            .targets
            .as_ref()
            .is_some_and(|t| t.default.contains(target) || t.offered.contains(target));
        stated && !lacking.contains(&key) || added.contains(&key)
    };
    for row in rows {
        let Some(plan) = plans.get(&row.release) else {
            continue;
        };
        let id = row.row.package.clone();
        let targets = [row.added.as_slice(), &row.lacking].concat();
        for target in targets {
            let needs = pairs(plan).find(|(from, to)| {
                (from.id == id || to.id == id) && is_built(from, &target) && !is_built(to, &target)
            });
            if let Some((from, to)) = needs {
                let reason = format!(
                    "`{}` is not built for {target}, but `{}` needs it",
                    to.id, from.id
                );
                row.worsen(Grade::Breaks, reason);
            }
        }
    }
}

/// Returns pairs of packages from the dependencies of a plan. The GPU targets of the second package
/// have to include those of the first.
fn pairs(plan: &Plan) -> impl Iterator<Item = (&Planned, &Planned)> {
    let has_code = |p: &&Planned| p.targets.is_some();
    plan.packages.iter().filter(has_code).flat_map(move |from| {
        from.depends.iter().flat_map(move |edge| {
            let is_needed = edge.edge.without != Some(Without::Slower)
                && !edge.edge.kind.0.contains(&EdgeKind::Conflict);
            let to = match &edge.to {
                Dependency::Package(id) if is_needed => plan.get(id).filter(has_code),
                _ => None,
            };
            let relation = edge.edge.targets.as_ref().map(|t| t.value);
            let forth = to.filter(|_| {
                matches!(
                    relation,
                    Some(TargetRelation::Covers | TargetRelation::Same)
                )
            });
            let back = to.filter(|_| relation == Some(TargetRelation::Same));
            let forth = forth.map(|to| (from, to)).into_iter();
            forth.chain(back.map(|to| (to, from)))
        })
    })
}
