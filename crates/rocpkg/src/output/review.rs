//! Recipes that lie in a checkout beside the model at the release that they state: a review, row by row.

use super::checkout::Checkout;
use super::recipes::sorted_versions;
use super::renderings::Renderings;
use super::surroundings::{Beside, names};
use super::there::{Left, There};
use crate::backend::Backend;
use crate::error::Error;
use crate::names::is_named;
use crate::options::Options;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_edit::{Checks, Difference, differences, take};
use rocpkg_model::{Node, TargetRelation, Value};
use rocpkg_render::{FileTree, Report, WriteOptions, write};
use rocpkg_resolve::{Choice, Dependency, Plan};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::Path;

/// An item that a recipe and the model say in two ways at the same release.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Row {
    /// The package's id.
    pub package: String,
    /// The file.
    pub path: String,
    /// The line of the file, from 1: of what lies there, else of what it would stand in.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The item, from the file's margin inwards.
    pub item: Vec<String>,
    /// What lies there; none for what the model has alone.
    pub there: Option<String>,
    /// What the model has; none for what lies there alone.
    pub model: Option<String>,
    /// Where the model says it, as file, line and column; none where no single fact does.
    pub fact: Option<String>,
    /// GPU targets that one of the two has alone.
    pub targets: Vec<String>,
    /// Packages between which and this one such targets are to agree.
    pub edges: Vec<String>,
}

impl Row {
    /// `FILE:LINE:COLUMN`.
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.path, self.line, self.column)
    }
}

/// What a review found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Reviewed {
    /// What differs, file by file; where rows were picked, what differs then.
    pub rows: Vec<Row>,
    /// Recipes of releases that the model does not know, and recipes that can't be read.
    pub unknown: Vec<Left>,
    /// The folders of recipes beside these whose packages the model does not know.
    pub others: Vec<String>,
    /// How many recipes were looked at.
    pub recipes: usize,
    /// What was taken over.
    pub report: Option<Report>,
}

impl Stack {
    /// Holds the recipes of a checkout against the model at the releases that they state; of some packages, by any of their names, or of
    /// all. `from` is the release of recipes that state one that the model does not know. Rows that are picked are taken over.
    ///
    /// # Errors
    /// All that is wrong with the profiles, names that no package has, and recipes that can't be read or written.
    pub fn review(
        &self,
        (out, checkout): (&Path, &Checkout),
        names: &[String],
        from: Option<&Choice>,
        picked: Option<&dyn Fn(&Row) -> bool>,
    ) -> Result<Reviewed, Error> {
        let backend = checkout.backend();
        let asked = Options {
            backends: vec![backend],
            packages: names.to_vec(),
            ..Options::everything()
        };
        let model = self.changed(&asked)?;
        let tree = checkout.placed(self.make_tree(&model, &[backend], &asked)?)?;
        let plan = self.plan(backend, &Choice::Shipped)?;
        let mut renderings = Renderings::new(self, checkout, &asked);
        let mut done = Reviewed::default();
        let mut texts = FileTree::default();
        for name in names {
            if !plan.packages.iter().any(|p| is_named(p, name)) {
                return Err(self.no_package([&plan], name));
            }
        }
        let (all, unreadable) = recipes(&tree, out);
        done.unknown.extend(unreadable);
        if names.is_empty() {
            done.others = others(&tree, out);
        }
        let releases = all
            .iter()
            .filter_map(|there| there.version.as_ref()?.parse().ok());
        let choices: Vec<Choice> = releases
            .filter(|release| self.knows(release))
            .map(Choice::Release)
            .collect();
        let beside = Beside::read(self, (out, backend), &choices)?;
        for there in all {
            let Some((text, place)) = renderings.before(&there, there.version.as_deref(), from)?
            else {
                done.unknown.push(there.unknown(there.version.as_deref()));
                continue;
            };
            let rendered = There::read(backend, &place, &text)?;
            done.recipes += 1;
            let told = |there: &There, d: &Difference| {
                Some(self.row(&plan, there, d)).filter(|row| !is_own(row))
            };
            let mut now = there;
            if let Some(picked) = picked {
                let is_picked = |d: &Difference| told(&now, d).is_some_and(|row| picked(&row));
                let is = beside.of(&now.place, &tree);
                let checks = Checks {
                    before: &backend.check(&now.outline.text, &is),
                    check: &|text| backend.check(text, &is),
                };
                let text = take(&now.outline, &rendered, is_picked, checks).text;
                if text != now.outline.text {
                    now.outline = There::read(backend, &now.place, &text)?;
                    let text = now.with_line_ends(text);
                    texts.insert(now.place.as_str(), text)?;
                }
            }
            let all = differences(&now.outline, &rendered);
            done.rows.extend(all.iter().filter_map(|d| told(&now, d)));
        }
        if picked.is_some() {
            let options = WriteOptions {
                checkout: true,
                ..WriteOptions::default()
            };
            done.report = Some(write(&texts, out, &options)?);
        }
        Ok(done)
    }

    fn row(&self, plan: &Plan, there: &There, d: &Difference) -> Row {
        let (line, column) = there.outline.place(d.at);
        let targets = self.targets_between(d.there.as_deref(), d.model.as_deref());
        let edges = if targets.is_empty() {
            Vec::new()
        } else {
            edges(plan, &there.id)
        };
        let key = d.path.last().map_or("", String::as_str);
        let node = plan.get(&there.id).map(|p| &p.node);
        let fact = node.and_then(|node| find(node, key.trim_start_matches("-D")));
        Row {
            package: there.id.clone(),
            path: there.place.clone(),
            line,
            column,
            item: d.path.clone(),
            there: d.there.clone(),
            model: d.model.clone(),
            fact: fact.map(|node| self.sources().place(node.span)),
            targets,
            edges,
        }
    }

    /// The GPU targets that one of two texts names alone.
    fn targets_between(&self, one: Option<&str>, other: Option<&str>) -> Vec<String> {
        let Some(registry) = &self.model().registry else {
            return Vec::new();
        };
        let names = |text: Option<&str>, name: &str| {
            let words = text
                .into_iter()
                .flat_map(|t| t.split(|c: char| !c.is_ascii_alphanumeric()));
            words.into_iter().any(|word| word == name)
        };
        let all = registry.names();
        all.filter(|name| names(one, name) != names(other, name))
            .map(str::to_owned)
            .collect()
    }
}

/// What history decides, which no model knows, and descriptions, which are each one's own words.
fn is_own(row: &Row) -> bool {
    let key = row.item.first().map_or("", String::as_str);
    let last = row.item.last().map_or("", String::as_str);
    matches!(key, "pkgrel" | "epoch" | "release" | "KEYWORDS")
        || matches!(
            last,
            "pkgdesc" | "DESCRIPTION" | "description" | "longDescription" | "summary"
        )
        || row.model.as_deref().is_some_and(|text| {
            let digits = text.trim_matches(['\'', '"']);
            digits.len() >= 32 && digits.bytes().all(|c| c == b'0')
                || digits.starts_with("sha256-AAAAAAAA")
        })
}

/// The packages that hand GPU targets to a package, or take them from it.
fn edges(plan: &Plan, id: &str) -> Vec<String> {
    let relates = |relation: &TargetRelation| !matches!(relation, TargetRelation::None);
    let mut all = Vec::new();
    for p in &plan.packages {
        for edge in p
            .depends
            .iter()
            .filter(|e| e.edge.targets.as_ref().is_some_and(|t| relates(&t.value)))
        {
            let Dependency::Package(to) = &edge.to else {
                continue;
            };
            if to == id {
                all.push(p.id.clone());
            } else if p.id == id {
                all.push(to.clone());
            }
        }
    }
    all.sort();
    all.dedup();
    all
}

/// Where a tree names something.
fn find<'n>(node: &'n Node, name: &str) -> Option<&'n Node> {
    match &node.value {
        Value::Map(entries) => {
            let own = entries
                .iter()
                .find(|(key, _)| key.name == name)
                .map(|(_, value)| value);
            own.or_else(|| entries.iter().find_map(|(_, value)| find(value, name)))
        }
        Value::Seq(items) => items.iter().find_map(|item| find(item, name)),
        Value::Scalar { text, .. } => (text == name).then_some(node),
        Value::Null => None,
    }
}

/// The recipes that lie in a checkout of packages that the model has, and a conflict for each that can't be
/// read; of several versions the newest, and no live one.
fn recipes(tree: &Tree, out: &Path) -> (Vec<There>, Vec<Left>) {
    let (mut all, mut unreadable) = (Vec::new(), Vec::new());
    for (path, backend) in tree.recipes() {
        let Some((_, id)) = tree.owners.get(path) else {
            continue;
        };
        let place = match backend {
            Backend::Gentoo => sorted_versions(out, path).pop(),
            _ => Some(path.to_owned()),
        };
        let Some(place) = place.filter(|place| out.join(place).is_file()) else {
            continue;
        };
        match There::load(out, (path, &place), backend, id) {
            Ok(there) => all.push(there),
            Err(error) => unreadable.push(Left::unreadable(id, place, &error)),
        }
    }
    (all, unreadable)
}

/// The folders of recipes whose packages the model does not know, where recipes of the model's packages
/// lie or would lie.
fn others(tree: &Tree, out: &Path) -> Vec<String> {
    let known: BTreeSet<&str> = tree
        .recipes()
        .filter_map(|(path, _)| folder(path))
        .collect();
    let above: BTreeSet<&str> = known
        .iter()
        .map(|path| folder(path).unwrap_or(""))
        .collect();
    let backends: BTreeSet<Backend> = tree.recipes().map(|(_, backend)| backend).collect();
    let mut all = BTreeSet::new();
    for above in above {
        for name in names(&out.join(above)) {
            let path = [above, &name].join("/");
            let path = path.trim_start_matches('/').to_owned();
            let is_recipe = |file: &String| backends.iter().any(|b| b.is_recipe(file));
            if !known.contains(path.as_str()) && names(&out.join(&path)).iter().any(is_recipe) {
                all.insert(path);
            }
        }
    }
    all.into_iter().collect()
}

fn folder(path: &str) -> Option<&str> {
    path.rsplit_once('/').map(|(folder, _)| folder)
}
