//! A review of the existing recipes of a checkout, row by row: each recipe is compared with the
//! model at the release that the recipe states.

use super::ebuilds::newest;
use super::existing_recipe::{Conflict, ExistingRecipe, RecipePaths, UNKNOWN_SUM};
use super::folder_kind::Checkout;
use super::grades::{Grade, Graded, add_faults, add_targets};
use super::left_out::LeftOut;
use super::line_ends::read_text;
use super::nix_pin::{Pin, PinKind};
use super::renderings::Renderings;
use super::surroundings::{Beside, folder, names as names_in};
use super::todo::Todo;
use super::unchecked::NotChecked;
use super::unmade::DESCRIPTIONS;
use super::{nix_pins, nix_tables};
use crate::backend::Backend;
use crate::error::Error;
use crate::names::is_named;
use crate::options::Options;
use crate::stack::Stack;
use crate::sums::is_stand_in;
use crate::tree::Tree;
use rocpkg_edit::{Checks, Difference, MergeResult, differences, lacks, spellings, take};
use rocpkg_model::{Node as Fact, TargetRelation, Value};
use rocpkg_render::{FileTree, Report, WriteOptions, write};
use rocpkg_resolve::{Choice, Dependency, Plan};
use rocpkg_syntax::{
    Checked, Language, List, Node, Outline, Surroundings, Values, agreed, is_part_of, nix,
};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// An item that differs between a recipe and the model at the same release, or a contradiction in
/// the recipe.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Row {
    /// The package's id.
    pub package: String,
    /// The path of the recipe, relative to the checkout.
    pub path: String,
    /// The line of the item, from 1. If the recipe lacks the item, the line of the item that would
    /// contain it.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
    /// The keys that lead to the item, the outermost first, such as `depends` and `rocm-core`.
    pub item: Vec<String>,
    /// The item's text in the existing recipe. None if only the model's recipe has the item.
    #[cfg_attr(feature = "serde", serde(rename = "there"))]
    pub existing: Option<String>,
    /// The item's text in the model's recipe. None if only the existing recipe has the item, or if
    /// the row is a contradiction of the existing recipe alone.
    pub model: Option<String>,
    /// The place of the fact in the profiles that causes the item, as `FILE:LINE:COLUMN`. None if
    /// no single fact is found.
    pub fact: Option<String>,
    /// The GPU targets that only one of the texts `existing` and `model` names.
    pub targets: Vec<String>,
    /// The ids of packages that pass GPU targets to this package over a dependency, or take them
    /// from it. Empty if `targets` is empty.
    pub edges: Vec<String>,
    /// The grade: breaks, differs, or spelled differently.
    pub grade: Grade,
    /// The contradiction in the existing recipe that the row reports. None if the row is only a
    /// difference between the recipe and the model.
    pub reason: Option<String>,
}

impl Row {
    /// Returns the place of the row as `FILE:LINE:COLUMN`.
    pub fn place(&self) -> String {
        format!("{}:{}:{}", self.path, self.line, self.column)
    }
}

/// The result of a review.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Reviewed {
    /// The rows, grouped by file, and in each file by grade, the worst first. If the caller picked
    /// rows, these are the rows that remain after the edit.
    pub rows: Vec<Row>,
    /// A todo for each recipe that was not compared, because the model does not have its
    /// release or the recipe can't be read.
    pub unknown: Vec<Todo>,
    /// The folders of other recipes in the checkout, of packages that the model does not know.
    /// Empty if only some packages were requested.
    pub others: Vec<String>,
    /// Recipes of the stack that are not compared, each with the reason. Empty if only some
    /// packages were requested.
    pub left_out: Vec<LeftOut>,
    /// Questions that the checks of the recipes could not decide.
    pub unchecked: Vec<NotChecked>,
    /// The number of recipes that were compared.
    pub recipes: usize,
    /// The picked rows that could not be applied.
    pub not_taken: Vec<Todo>,
    /// The files that were written. None if the caller passed no function that picks rows.
    pub report: Option<Report>,
}

impl Reviewed {
    /// Returns the number of rows of a grade.
    pub fn count(&self, grade: Grade) -> usize {
        self.rows.iter().filter(|row| row.grade == grade).count()
    }
}

/// An existing recipe, and the model's recipe at the release that the existing one states.
struct Pair<'a> {
    existing: &'a ExistingRecipe,
    model: &'a Outline,
    /// The function that an eclass provides for a phase, by the phase: `src_configure` ->
    /// `cmake_src_configure`. Only phases for which both recipes inherit the same function. Empty
    /// for other distributions than Gentoo.
    phases: BTreeMap<String, String>,
    /// The values of the variables of the existing recipe.
    own: Values,
    /// The values of the variables of the model's recipe.
    other: Values,
    /// The names of the variables whose values are the same in both.
    agreed: BTreeSet<String>,
}

impl<'a> Pair<'a> {
    fn new(existing: &'a ExistingRecipe, model: &'a Outline, beside: &Surroundings) -> Self {
        let phases = |text: &str| {
            existing
                .backend
                .implementation()
                .default_phases(text, beside)
        };
        let other = phases(&model.text);
        let mut phases = phases(&existing.outline.text);
        phases.retain(|phase, function| other.get(phase) == Some(function));
        let values = |text: &str| existing.backend.implementation().values(text, beside);
        let (own, other) = (values(&existing.outline.text), values(&model.text));
        Self {
            existing,
            model,
            phases,
            agreed: agreed(&own, &other),
            own,
            other,
        }
    }

    /// Returns true if both recipes do the same. Either `d` is a part of a variable whose value is
    /// the same in both, or it is about words of a list that both have. Or only one of them has the
    /// function of `d`, and the function only calls what the eclass runs in this phase anyway:
    /// `src_configure() { cmake_src_configure; }`.
    fn is_respelled(&self, d: &Difference) -> bool {
        let name = d.path.last().map_or("", String::as_str);
        let values = (d.existing.as_deref(), d.model.as_deref());
        let pin = self.existing.pin.as_ref();
        if pin.is_some_and(|pin| pin.explains(name, values.0, values.1)) {
            return true;
        }
        let path = || d.path.iter().map(String::as_str);
        let mut all = self.agreed.iter();
        if all.any(|name| is_part_of(path(), name)) || self.has_same_words(d) {
            return true;
        }
        // Names that only one recipe binds are compared where they are used.
        let is_own = d.existing.is_none() || d.model.is_none();
        if is_own && self.model.reading.language == Language::Nix {
            let text = d.existing.as_ref().or(d.model.as_ref());
            let names = text.and_then(|text| text.rsplit(')').next());
            let mut names = nix::names(names.unwrap_or_default())
                .filter(|name| !name.is_empty() && *name != "inherit");
            let is_agreed = |name: &str| {
                let name = format!("derivation.{}", nix::spelling(name));
                let set = format!("{name}.");
                let mut agreed = self.agreed.iter();
                agreed.any(|own| *own == name || own.starts_with(&set))
            };
            let inherits = d.path.iter().any(|key| key.starts_with("inherit"));
            return d.path.first().is_some_and(|first| first == "let")
                || inherits && names.all(is_agreed);
        }
        let outline = match (&d.existing, &d.model) {
            (Some(_), None) => &self.existing.outline,
            (None, Some(_)) => self.model,
            _ => return false,
        };
        let [key] = d.path.as_slice() else {
            return false;
        };
        let function = key
            .strip_suffix("()")
            .and_then(|phase| self.phases.get(phase));
        let body = outline.get(&[key]).map(Node::nodes);
        matches!((body, function), (Some([one]), Some(function)) if one.key.open == *function)
    }

    /// Returns true if `d` is an item of a list, and the other recipe has the words of the item
    /// too: with `RDEPEND="${DEPEND}"`, those of DEPEND. Also returns true for a list of the
    /// maintainer that other lists are made of, such as `COMMON_DEPEND`, and for dependencies in
    /// another order within a call.
    fn has_same_words(&self, d: &Difference) -> bool {
        let (has, other) = match (&d.existing, &d.model) {
            (Some(_), None) => (&self.own, &self.other),
            (None, Some(_)) => (&self.other, &self.own),
            (Some(own), Some(model)) => {
                let rules = &self.existing.outline.reading.rules;
                let list = d.path.first().and_then(|name| rules.list(name));
                return list == Some(List::Spec) && is_reordered_call(own, model);
            }
            (None, None) => return false,
        };
        let (list, key) = match d.path.as_slice() {
            [list, key] => (list, key),
            // A helper variable is compared where it is used.
            [name] => {
                let outline = &self.existing.outline;
                let is_list = outline.reading.rules.list(name) == Some(List::Spec);
                let is_used = outline.text.contains(&format!("${{{name}}}"));
                return d.model.is_none() && is_list && is_used;
            }
            _ => return false,
        };
        let (Some(list), Some(other)) = (has.get(list), other.get(list)) else {
            return false;
        };
        let named = key.strip_prefix("${").and_then(|key| key.strip_suffix('}'));
        let of_variable = named
            .and_then(|name| has.get(name))
            .map(|value| &value.words);
        let single = vec![key.clone()];
        let words = of_variable.unwrap_or(&single);
        let is_same = |name: &String| {
            let is_there = list.words.iter().any(|word| word.contains(name));
            is_there && !lacks(other, list, name)
        };
        !words.is_empty() && words.iter().all(is_same)
    }
}

/// Returns true if both texts are a call of a generating function with the same dependencies in
/// another order, such as `$(llvm_gen_dep " a b ")` and `$(llvm_gen_dep " b a ")`.
fn is_reordered_call(own: &str, model: &str) -> bool {
    let words = |text: &str| {
        let mut words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        words.sort_unstable();
        words
    };
    own.starts_with("$(") && !own.contains("||") && words(own) == words(model)
}

impl Stack {
    /// Compares the recipes of `checkout`, in the folder `out`, with the model at the releases that
    /// the recipes state. Of `options`, the packages and the GPU targets are used. `from` is the
    /// release of recipes whose version the model does not have. For each row that `picked`
    /// accepts, the model's text is written into the recipe.
    ///
    /// # Errors
    /// All errors in the profiles, names that no package has, and recipes that can't be edited or
    /// written.
    pub fn review(
        &self,
        out: &Path,
        checkout: &Checkout,
        options: &Options,
        from: Option<&Choice>,
        picked: Option<&dyn Fn(&Row) -> bool>,
    ) -> Result<Reviewed, Error> {
        let backend = checkout.backend();
        let names = &options.packages;
        let asked = Options {
            backends: vec![backend],
            packages: names.clone(),
            targets: options.targets.clone(),
            ..Options::everything()
        };
        let model = self.changed(&asked)?;
        let tree = checkout.placed(self.make_tree(&model, &[backend], &asked)?)?;
        let plan = self.plan(backend, &Choice::Shipped)?;
        let ids = tree.owners.values().map(|(_, id)| id.clone()).collect();
        let mut renderings = Renderings::new(self, checkout, &asked, ids);
        let mut done = Reviewed::default();
        let mut texts = FileTree::default();
        for name in names {
            if !plan.packages.iter().any(|p| is_named(p, name)) {
                return Err(self.no_package([&plan], name));
            }
        }
        let (all, unreadable) = recipes(&tree, out);
        done.unknown
            .extend(unreadable.into_iter().map(Conflict::todo));
        if names.is_empty() {
            done.left_out = checkout.left_out().to_vec();
            done.others = others(&tree, out);
            let is_known = |path: &String| done.left_out.iter().any(|one| one.folder == *path);
            done.others.retain(|path| !is_known(path));
        }
        let releases = all
            .iter()
            .filter_map(|existing| self.release_of(existing.version.as_deref()));
        let choices: Vec<Choice> = releases.map(Choice::Release).collect();
        let beside = Beside::read(self, out, backend, &choices)?;
        let pins = nix_pins::pins(self, out, checkout)?;
        let is_asked = |pin: &&Pin| {
            let p = pin.package.as_ref().and_then(|id| plan.get(id));
            names.is_empty() || p.is_some_and(|p| names.iter().any(|name| is_named(p, name)))
        };
        let derivations = pins.iter().filter(|pin| pin.kind == PinKind::Derivation);
        done.unknown
            .extend(derivations.filter(is_asked).map(Pin::todo));
        let (mut rows, mut plans) = (Vec::new(), BTreeMap::new());
        for now in all {
            let mut now = nix_tables::with_pin(now, &pins);
            let version = now.version.clone();
            let Some((text, place)) = renderings.before(&now, version.as_deref(), from)? else {
                done.unknown
                    .push(now.unknown(version.as_deref(), &pins).todo());
                continue;
            };
            let rendered = ExistingRecipe::read(backend, &place, &text)?;
            done.recipes += 1;
            let is = beside.of(&now.place, &tree);
            if let Some(picked) = picked {
                let pair = Pair::new(&now, &rendered, &is);
                let is_picked = |d: &Difference| {
                    let row = self.row(&plan, &pair, d, Grade::Differs).row;
                    !is_own(d) && picked(&row)
                };
                let check = |text: &str| {
                    let mut checked = backend.check(text, &is);
                    // The checksum of a new source is not known to the model.
                    let faults = &mut checked.faults;
                    faults.retain(|fault| fault.finding.code != UNKNOWN_SUM);
                    checked
                };
                let checks = Checks {
                    before: &backend.check(&now.outline.text, &is),
                    check: &check,
                    ..Checks::NONE
                };
                let MergeResult { text, conflicts } =
                    take(&now.outline, &rendered, is_picked, checks);
                let conflicts = conflicts.into_iter().map(|c| now.conflict(c).todo());
                done.not_taken.extend(conflicts);
                if text != now.outline.text {
                    now.outline = ExistingRecipe::read(backend, &now.place, &text)?;
                    let text = now.with_line_ends(text);
                    texts.insert(now.place.as_str(), text)?;
                }
            }
            let checked = backend.check(&now.outline.text, &is);
            let own = self.rows(&plan, &Pair::new(&now, &rendered, &is), &checked);
            let text = &now.outline.text;
            done.unchecked
                .extend(now.not_checked(&now.place, text, &checked));
            for row in own.iter().filter(|row| !row.row.targets.is_empty()) {
                if let (Some(release), None) = (&row.release, plans.get(&row.release))
                    && let Some(listed) = self.listed(release)
                {
                    let plan = self.plan(backend, &Choice::Release(listed))?;
                    plans.insert(row.release.clone(), plan);
                }
            }
            rows.extend(own);
        }
        add_targets(&plans, &mut rows);
        for recipe in rows.chunk_by_mut(|a, b| a.row.path == b.row.path) {
            recipe.sort_by_key(|row| row.row.grade);
        }
        done.rows.extend(rows.into_iter().map(|row| row.row));
        if picked.is_some() {
            let options = WriteOptions {
                checkout: true,
                ..WriteOptions::default()
            };
            done.report = Some(write(&texts, out, &options)?);
        }
        Ok(done)
    }

    /// Returns the rows of one recipe: its differences from the model's recipe, the other
    /// spellings, and the contradictions in `checked`.
    fn rows(&self, plan: &Plan, pair: &Pair, checked: &Checked) -> Vec<Graded> {
        let existing = pair.existing;
        let row = |d: &Difference, grade| self.row(plan, pair, d, grade);
        let differences = differences(&existing.outline, pair.model);
        let differences = differences.iter().filter(|d| !is_own(d));
        let mut rows: Vec<Graded> = differences.map(|d| row(d, Grade::Differs)).collect();
        let spellings = spellings(&existing.outline, pair.model);
        let spellings = spellings.iter().filter(|d| !is_own(d));
        rows.extend(spellings.map(|d| row(d, Grade::Spelled)));
        add_faults(&mut rows, existing, checked);
        rows
    }

    fn row(&self, plan: &Plan, pair: &Pair, d: &Difference, grade: Grade) -> Graded {
        let existing = pair.existing;
        let (line, column) = existing.outline.place(d.at);
        let (own, other) = (d.existing.as_deref(), d.model.as_deref());
        let targets = if is_of_tests(&d.path) {
            Vec::new()
        } else {
            self.targets_between(own, other)
        };
        let edges = if targets.is_empty() {
            Vec::new()
        } else {
            edges(plan, &existing.id)
        };
        let key = d.path.last().map_or("", String::as_str);
        let node = plan.get(&existing.id).map(|p| &p.node);
        let fact = node.and_then(|node| find(node, key.trim_start_matches("-D")));
        // Other items may name a GPU target too, such as the GPU that tests run on. They are no
        // lists of targets.
        let is_list = |text: &str| {
            let is_word = |c: char| c.is_ascii_alphanumeric() || "_\"'".contains(c);
            own.is_some() && other.is_some() || text.chars().all(is_word)
        };
        let named = |text: &str| -> Vec<String> {
            let all = targets.iter().filter(|t| is_list(text) && names(text, t));
            all.cloned().collect()
        };
        let not_in = |all: Vec<String>, text: &str| -> Vec<String> {
            all.into_iter().filter(|t| !names(text, t)).collect()
        };
        let row = Row {
            package: existing.id.clone(),
            path: existing.place.clone(),
            line,
            column,
            item: d.path.clone(),
            existing: d.existing.clone(),
            model: d.model.clone(),
            fact: fact.map(|node| self.sources().place(node.span)),
            targets: targets.clone(),
            edges,
            grade: if pair.is_respelled(d) {
                Grade::Spelled
            } else {
                grade
            },
            reason: None,
        };
        Graded {
            at: own.map(|text| d.at..d.at + text.len()),
            added: not_in(own.map_or_else(Vec::new, named), &pair.model.text),
            lacking: not_in(other.map_or_else(Vec::new, named), &existing.outline.text),
            ..Graded::new(row, existing)
        }
    }

    /// Returns the GPU targets that are in only one of the texts `one` and `other`.
    fn targets_between(&self, one: Option<&str>, other: Option<&str>) -> Vec<String> {
        let Some(registry) = &self.model().registry else {
            return Vec::new();
        };
        let is_in = |text: Option<&str>, name| text.is_some_and(|text| names(text, name));
        let all = registry.names();
        all.filter(|name| is_in(one, name) != is_in(other, name))
            .map(str::to_owned)
            .collect()
    }
}

/// Returns true if a text names a GPU target, such as `gfx803`. These don't count: the end of a
/// package's name (`rocblas-gfx803`), and a target that the recipe excludes
/// (`rocm-supported-gfx -e gfx803`).
fn names(text: &str, target: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric();
    text.match_indices(target).any(|(at, _)| {
        let (before, behind) = (&text[..at], &text[at + target.len()..]);
        let is_of_name = before
            .strip_suffix('-')
            .is_some_and(|name| name.ends_with(is_letter));
        let is_left_out = before.ends_with(" -e ");
        !before.ends_with(is_letter)
            && !behind.starts_with(is_letter)
            && !is_of_name
            && !is_left_out
    })
}

/// Returns true if the keys of an item name a setting for tests, such as `ROCM_TEST_CHIPSET`, the
/// GPU that tests run on.
fn is_of_tests(item: &[String]) -> bool {
    item.last().is_some_and(|key| key.contains("TEST"))
}

/// Returns the number of items in which the recipe `existing` differs from the model's recipe at
/// the same release, as [`Stack::review`] reports them. Other spellings don't count. `beside` are
/// the files beside the recipe.
pub(super) fn differing(
    existing: &ExistingRecipe,
    model: &Outline,
    beside: &Surroundings,
) -> usize {
    let pair = Pair::new(existing, model, beside);
    let all = differences(&existing.outline, model);
    let rows = all.iter().filter(|d| !is_own(d) && !pair.is_respelled(d));
    rows.count()
}

/// Returns true for a difference that no review needs: counters and keywords, which depend on the
/// recipe's history; descriptions; the name of a fork; and checksums that the model does not have.
fn is_own(difference: &Difference) -> bool {
    let key = difference.path.first().map_or("", String::as_str);
    let last = difference.path.last().map_or("", String::as_str);
    let is_name = difference.path.len() == 1 && matches!(key, "pkgname" | "pkgbase");
    is_name
        || matches!(key, "pkgrel" | "epoch" | "release" | "KEYWORDS")
        || DESCRIPTIONS.contains(&last)
        || difference.model.as_deref().is_some_and(is_stand_in)
}

/// Returns the ids of the packages that pass GPU targets to the package `id`, or take them from it.
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

/// Returns the value of the first key `name` below `node`, or the first scalar whose text is
/// `name`. Returns None if `node` contains neither.
fn find<'n>(node: &'n Fact, name: &str) -> Option<&'n Fact> {
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

/// Reads the existing recipes of the packages of `tree` in the folder `out`. If a package has
/// recipes of several versions, the newest one is read. Live recipes are left out. The second value
/// has a conflict for each recipe that can't be read.
fn recipes(tree: &Tree, out: &Path) -> (Vec<ExistingRecipe>, Vec<Conflict>) {
    let (mut all, mut unreadable) = (Vec::new(), Vec::new());
    for (path, backend) in tree.recipes() {
        let Some((_, id)) = tree.owners.get(path) else {
            continue;
        };
        let place = newest(backend, out, path);
        let Some(place) = place.filter(|place| out.join(place).is_file()) else {
            continue;
        };
        match ExistingRecipe::load(
            out,
            RecipePaths {
                path,
                place: &place,
            },
            backend,
            id,
        ) {
            Ok(existing) => all.push(existing),
            Err(error) => unreadable.push(Conflict::unreadable(id, &place, &error)),
        }
    }
    (all, unreadable)
}

/// Returns the folders of recipes that belong to no package of `tree`. Only folders beside those of
/// the tree's packages are searched, such as all of `sci-libs`.
fn others(tree: &Tree, out: &Path) -> Vec<String> {
    let known: BTreeSet<&str> = tree
        .recipes()
        .map(|(path, _)| folder(path))
        .filter(|folder| !folder.is_empty())
        .collect();
    let above: BTreeSet<&str> = known.iter().map(|path| folder(path)).collect();
    let backends: BTreeSet<Backend> = tree.recipes().map(|(_, backend)| backend).collect();
    let mut all = BTreeSet::new();
    for above in above {
        for name in names_in(&out.join(above)) {
            let path = [above, &name].join("/");
            let path = path.trim_start_matches('/').to_owned();
            let is_recipe = |file: &String| {
                let path = out.join(&path).join(file);
                let text = read_text(&path).ok().flatten().unwrap_or_default();
                let is_package = |backend: &Backend| backend.implementation().is_package(&text);
                let mut all = backends.iter().filter(|backend| backend.is_recipe(file));
                all.any(is_package)
            };
            if !known.contains(path.as_str()) && names_in(&out.join(&path)).iter().any(is_recipe) {
                all.insert(path);
            }
        }
    }
    all.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{is_of_tests, names};

    #[test]
    fn a_target_in_a_name_is_no_target() {
        for text in [
            "-DGPU_TARGETS=gfx803",
            "amdgpu_targets_gfx803",
            "\"gfx803;gfx90a\"",
            "--offload-arch=gfx803:xnack-",
            "gfx803-generic",
        ] {
            assert!(names(text, "gfx803"), "{text}");
        }
        for text in [
            "pkgname=rocblas-gfx803",
            "$(rocm-supported-gfx -e gfx803)",
            "gfx8030",
            "xgfx803",
        ] {
            assert!(!names(text, "gfx803"), "{text}");
        }
        assert!(is_of_tests(&[
            "build".to_owned(),
            "-DROCM_TEST_CHIPSET".to_owned()
        ]));
    }
}
