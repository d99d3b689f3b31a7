//! `rocpkg upstream diff`: lists the differences between two releases of upstream's sources that
//! may break recipes.

use super::located::{Row, Side, rows};
use crate::args::UpstreamDiffArgs;
use crate::error::Error;
use crate::outcome::{DIFFERS, OK, Outcome};
use rocpkg::internal::model::{Content, Node, legible, unknown_name};
use rocpkg::internal::probe::SourceTree;
use rocpkg::internal::resolve::{Choice, Dependency, Model, Planned, bare};
use rocpkg::{Backend, Stack};
use rocpkg_upstream::cmake::Facts;
use rocpkg_upstream::diff::{ChangeKind, FactChange, Passed, compare, moved};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The folders of a repository that contain projects, such as `projects/rocblas` of rocm-libraries.
const PROJECTS: [&str; 2] = ["projects/", "shared/"];

/// The kinds of changes that are only counted without `-v`.
const COUNTED: [(ChangeKind, &str); 3] = [
    (ChangeKind::Needs, "changed needs"),
    (ChangeKind::OptionNew, "new options"),
    (ChangeKind::Pin, "moved pins"),
];

/// The options that recipes pass to a component, and the components that may read these options.
#[derive(Default)]
struct OptionUse {
    passed: Passed,
    /// The other components whose CMake files may read the passed options.
    helpers: BTreeSet<String>,
}

/// Components that share their place on the older side and their place on the newer side.
struct Pair {
    names: Vec<String>,
    from: (Row, SourceTree),
    to: (Row, SourceTree),
}

/// The comparison of two sides, an older one (`a`) and a newer one (`b`).
struct Comparison<'m> {
    model: &'m Model,
    a: Side<'m>,
    b: Side<'m>,
    /// The changes of each component: its name, its place and the changes. Components with the
    /// changes that break most come first.
    changes: Vec<(String, String, Vec<FactChange>)>,
    /// The components that could not be compared: those that neither side has, and those that only
    /// one side has without a sign that they are gone.
    lacking: Vec<String>,
    compared: usize,
    /// Set if the newer side has at least one of the components or their repositories.
    reached: bool,
    /// The folders that components are built from, as `repository/folder`. Folders of a monorepo
    /// that no component is built from are reported as new projects; these are not.
    told: BTreeSet<String>,
    /// The distributions whose shipped recipes were read, because the distribution can't be planned
    /// at the newer side's release.
    shipped: Vec<String>,
}

pub(super) fn run(args: &UpstreamDiffArgs, verbose: bool) -> Result<Outcome, Error> {
    let stack = args.model.stack()?;
    let model = stack.model();
    let side = |word: &str| Side::of(model, word, args.mirror.as_deref());
    let (a, mut b) = (side(&args.from)?, side(&args.to)?);
    b.release = args.release.clone().or(b.release);
    let (uses, shipped) = uses(&stack, &b)?;
    let named = named(model, &args.package)?;
    let mut all = Comparison {
        model,
        a,
        b,
        changes: Vec::new(),
        lacking: Vec::new(),
        compared: 0,
        reached: false,
        told: BTreeSet::new(),
        shipped,
    };
    let mut pairs = Vec::new();
    for component in &named {
        all.locate(component, &mut pairs)?;
    }
    for pair in &pairs {
        all.pair(pair, &uses)?;
    }
    if args.package.is_empty() {
        all.repositories()?;
        all.superbuild()?;
    }
    if !all.reached {
        let hint = if args.mirror.is_some() {
            "does --mirror have repositories with these tags?"
        } else {
            "do the folders contain source trees?"
        };
        return Err(Error::Usage(format!(
            "no component found on both sides: {hint}"
        )));
    }
    all.changes
        .sort_by_key(|(name, _, changes)| (changes.first().map(|c| c.kind), name.clone()));
    let broken = all
        .changes
        .iter()
        .flat_map(|(_, _, c)| c)
        .any(|c| matches!(c.kind, ChangeKind::Unread | ChangeKind::Gone));
    let status = if broken { DIFFERS } else { OK };
    if args.json {
        return Ok(Outcome {
            status,
            ..Outcome::json(&all.as_json(args))
        });
    }
    Ok(Outcome {
        status,
        ..Outcome::done(all.text(verbose))
    })
}

/// Returns the components with these names and those of packages with these names, or all
/// components if `names` is empty.
fn named(model: &Model, names: &[String]) -> Result<BTreeSet<String>, Error> {
    let mut out = BTreeSet::new();
    for name in names {
        let id = model
            .spellings
            .meant(name)
            .map_or_else(|| bare(name).to_owned(), |(id, _)| id.to_owned());
        let of = |distro: &str| model.components_of(distro, &id);
        let parts = model
            .overlays
            .keys()
            .flat_map(|distro| of(distro))
            .filter(|c| model.components.contains_key(c));
        let before = out.len();
        out.extend(parts.chain(model.components.contains_key(&id).then(|| id.clone())));
        if out.len() == before && !out.contains(&id) {
            let known = model.components.keys().map(String::as_str);
            let (message, _) = unknown_name("component or package", name, known);
            return Err(Error::Usage(message));
        }
    }
    Ok(if names.is_empty() {
        model.components.keys().cloned().collect()
    } else {
        out
    })
}

/// Returns the use of each component by the recipes at the release of `side`. Also returns the
/// distributions whose shipped recipes were read instead, because they can't be planned at that
/// release.
fn uses(stack: &Stack, side: &Side) -> Result<(BTreeMap<String, OptionUse>, Vec<String>), Error> {
    let versions = side
        .release
        .as_ref()
        .and_then(|r| Some((r, stack.model().lines.get(&r.line())?)));
    let named = versions.and_then(|(r, line)| {
        line.versions
            .keys()
            .find_map(|v| v.parse().ok().filter(|v| v == r))
    });
    let choice = named.map(Choice::Release);
    let (mut out, mut shipped) = (BTreeMap::<String, OptionUse>::new(), Vec::new());
    for backend in Backend::ALL
        .into_iter()
        .filter(|b| stack.model().distros.contains_key(b.distro()))
    {
        let of_release = choice
            .as_ref()
            .and_then(|choice| stack.plan(backend, choice).ok());
        let plan = if let Some(plan) = of_release {
            plan
        } else {
            shipped.push(backend.distro().to_owned());
            stack.plan(backend, &Choice::Shipped)?
        };
        for p in &plan.packages {
            let Some(first) = p.components.first() else {
                continue;
            };
            let own = out.entry(first.clone()).or_default();
            let passed = p
                .package
                .cmake
                .values()
                .flat_map(|project| project.arguments.keys());
            for name in
                passed.filter(|name| p.package.options.contains_key(*name) || !may_bring(p, name))
            {
                own.passed
                    .entry(name.clone())
                    .or_default()
                    .insert(plan.distro_name.clone());
            }
            let brought = p
                .sources
                .iter()
                .map(|source| source.name.clone())
                .chain(p.carried.keys().cloned());
            own.helpers
                .extend(p.components[1..].iter().cloned().chain(brought));
            let needed = p.depends.iter().filter_map(|d| match &d.to {
                Dependency::Package(id) => plan.get(id),
                Dependency::External(_) => None,
            });
            let modules =
                needed.filter(|n| matches!(n.package.content, Content::Scripts | Content::Python));
            own.helpers
                .extend(modules.flat_map(|n| n.components.iter().cloned()));
        }
    }
    Ok((out, shipped))
}

/// Returns true if the recipe of `p` may add the option `name` to the CMake files itself: by a
/// patch, or by a step that contains the option's name.
fn may_bring(p: &Planned, name: &str) -> bool {
    let mut texts = p
        .node
        .get("phases")
        .into_iter()
        .flat_map(Node::ends)
        .filter_map(Node::text);
    !p.package.patches.is_empty() || texts.any(|text| text.contains(name))
}

impl Comparison<'_> {
    /// Reads the CMake files of the component at `row`, without those of other components in its
    /// folders.
    fn facts(&self, row: &Row, found: &SourceTree) -> Result<Facts, Error> {
        let own = row.path.as_deref().unwrap_or_default();
        let all = self
            .model
            .components
            .keys()
            .flat_map(|other| rows(self.model, other));
        let inner = all
            .filter(|other| other.repository == row.repository)
            .filter_map(|other| other.path);
        let below = |path: String| match own {
            "" => Some(path),
            own => Some(path.strip_prefix(own)?.strip_prefix('/')?.to_owned()),
        };
        let inner: Vec<String> = inner.filter_map(below).collect();
        Ok(Facts::read(&found.own(), &inner)?)
    }

    /// Finds a component on both sides, and adds it to `pairs`. Components with the same two places
    /// share a pair. A component that is gone is added to the changes.
    fn locate(&mut self, name: &str, pairs: &mut Vec<Pair>) -> Result<(), Error> {
        let rows = rows(self.model, name);
        let was = self
            .a
            .component(&rows)?
            .map(|(row, found)| (row.clone(), found));
        let mut is = self
            .b
            .component(&rows)?
            .map(|(row, found)| (row.clone(), found));
        if was.is_some() && is.is_none() {
            is = self.moved(name, &rows)?;
        }
        match (was, is) {
            (Some(from), Some(to)) => {
                let same = |p: &&mut Pair| {
                    p.from.0.shown() == from.0.shown() && p.to.0.shown() == to.0.shown()
                };
                if let Some(pair) = pairs.iter_mut().find(same) {
                    pair.names.push(name.to_owned());
                } else {
                    pairs.push(Pair {
                        names: vec![name.to_owned()],
                        from,
                        to,
                    });
                }
            }
            (Some((row, _)), None) => match self.gone(&row)? {
                Some(why) => {
                    let change =
                        FactChange::new(ChangeKind::Gone, name, Some(row.shown()), Some(why));
                    self.told.insert(row.shown());
                    self.compared += 1;
                    self.changes
                        .push((name.to_owned(), row.shown(), vec![change]));
                }
                None => self.lacking.push(name.to_owned()),
            },
            _ => self.lacking.push(name.to_owned()),
        }
        Ok(())
    }

    /// Returns the reason why the component at `row` is gone from the newer side: its repository
    /// exists, but the folder or the tag does not. Returns `None` if the repository was not found.
    fn gone(&mut self, row: &Row) -> Result<Option<String>, Error> {
        let whole = self.b.repository(&row.owner, &row.repository)?;
        self.reached |= whole.is_some();
        let no_folder = whole.is_some().then(|| "the folder is gone".to_owned());
        Ok(no_folder.or_else(|| {
            Some(format!(
                "{} has no `{}`",
                row.repository,
                self.b.lacks(row)?
            ))
        }))
    }

    /// Looks for a component on the newer side at a place that the model does not know: a folder of
    /// its name in a repository with many projects. `rows` are its known places.
    fn moved(&self, name: &str, rows: &[Row]) -> Result<Option<(Row, SourceTree)>, Error> {
        for (owner, repository) in self.many() {
            let own = rows.iter().filter(|row| row.path.is_none());
            let names = own
                .map(|row| row.repository.to_ascii_lowercase())
                .chain([name.to_owned()]);
            for name in names.collect::<BTreeSet<_>>() {
                for head in PROJECTS {
                    let row = Row::at(&owner, &repository, Some(format!("{head}{name}")));
                    if let Some(found) = self.b.find(&row)? {
                        return Ok(Some((row, found)));
                    }
                }
            }
        }
        Ok(None)
    }

    fn pair(&mut self, pair: &Pair, uses: &BTreeMap<String, OptionUse>) -> Result<(), Error> {
        let Pair {
            names,
            from: (from, old),
            to: (to, new),
        } = pair;
        (self.compared, self.reached) = (self.compared + 1, true);
        self.told.extend([from.shown(), to.shown()]);
        let mut passed = Passed::new();
        let (mut helpers, mut unseen) = (Vec::new(), Vec::new());
        let own = || names.iter().filter_map(|name| uses.get(name));
        for (option, by) in own().flat_map(|used| &used.passed) {
            passed
                .entry(option.clone())
                .or_default()
                .extend(by.iter().cloned());
        }
        let is_other = |c: &&String| !names.contains(c) && self.model.components.contains_key(*c);
        for helper in own()
            .flat_map(|used| &used.helpers)
            .filter(is_other)
            .collect::<BTreeSet<_>>()
        {
            match self.b.component(&rows(self.model, helper))? {
                Some((row, found)) => helpers.push(self.facts(row, &found)?),
                None => unseen.push(helper.as_str()),
            }
        }
        let (a, b) = (self.facts(from, old)?, self.facts(to, new)?);
        let mut changes = compare(&a, &b, &helpers, &passed);
        if !unseen.is_empty() {
            let unread = changes.iter_mut().filter(|c| c.kind == ChangeKind::Unread);
            unread.for_each(|c| c.to = Some(format!("{} not searched", unseen.join(", "))));
        }
        let names = names.join(", ");
        if from.shown() != to.shown() {
            changes.push(FactChange::new(
                ChangeKind::Moved,
                &names,
                Some(from.shown()),
                Some(to.shown()),
            ));
            changes.sort();
        }
        if !changes.is_empty() {
            self.changes.push((names, to.shown(), changes));
        }
        Ok(())
    }

    /// Returns the repositories with many projects, such as rocm-libraries, each as owner and name.
    /// These are the repositories in which a component has its place below a folder in
    /// [`PROJECTS`].
    fn many(&self) -> BTreeSet<(String, String)> {
        let all = self
            .model
            .components
            .keys()
            .flat_map(|name| rows(self.model, name));
        let is_many = |row: &Row| {
            row.path
                .as_ref()
                .is_some_and(|p| PROJECTS.iter().any(|f| p.starts_with(f)))
        };
        all.filter(is_many)
            .map(|row| (row.owner, row.repository))
            .collect()
    }

    /// Adds the changes of projects that belong to no component of the model, in repositories with
    /// many projects, such as rocm-libraries.
    fn repositories(&mut self) -> Result<(), Error> {
        for (owner, repository) in self.many() {
            let (was, is) = (
                self.a.repository(&owner, &repository)?,
                self.b.repository(&owner, &repository)?,
            );
            let (Some(was), Some(is)) = (was, is) else {
                continue;
            };
            let folders = |found: &SourceTree| -> BTreeMap<String, String> {
                let mut out = BTreeMap::new();
                for path in found.tree.paths() {
                    let head = PROJECTS.iter().find(|head| path.starts_with(**head));
                    if let Some(name) = head.and_then(|head| {
                        path[head.len()..]
                            .split_once('/')
                            .map(|(n, _)| format!("{head}{n}"))
                    }) {
                        out.insert(name.clone(), name);
                    }
                }
                out
            };
            let known = |name: &String| self.told.contains(&format!("{repository}/{name}"));
            let mut changes = moved(&folders(&was), &folders(&is));
            changes.retain(|c| !known(&c.name) && !c.to.as_ref().is_some_and(known));
            if !changes.is_empty() {
                changes.sort();
                self.changes.push((repository, String::new(), changes));
            }
        }
        Ok(())
    }

    fn superbuild(&mut self) -> Result<(), Error> {
        let Some(name) = self
            .model
            .upstream
            .as_ref()
            .and_then(|u| u.superbuild.as_ref())
        else {
            return Ok(());
        };
        let (owner, name) = (self.model.owner(), name.value.as_str());
        let (was, is) = (
            self.a.repository(owner, name)?,
            self.b.repository(owner, name)?,
        );
        let (Some(was), Some(is)) = (was, is) else {
            return Ok(());
        };
        let read = |found: &SourceTree| Facts::read(&found.tree, &[]);
        let changes = compare(&read(&was)?, &read(&is)?, &[], &Passed::new());
        (self.compared, self.reached) = (self.compared + 1, true);
        if !changes.is_empty() {
            self.changes.push((name.to_owned(), String::new(), changes));
        }
        Ok(())
    }

    fn text(&self, verbose: bool) -> String {
        let mut out = String::new();
        for (name, place, changes) in &self.changes {
            let place = if place.is_empty() || place == name {
                String::new()
            } else {
                format!(" ({place})")
            };
            out += &format!("{name}{place}\n");
            let counted =
                |kind: ChangeKind| !verbose && COUNTED.iter().any(|(counted, _)| *counted == kind);
            for change in changes.iter().filter(|c| !counted(c.kind)) {
                out += &format!("  {}\n", legible(&change.to_string()));
            }
            let count = |kind: ChangeKind| changes.iter().filter(|c| c.kind == kind).count();
            let each = COUNTED
                .iter()
                .filter(|(kind, _)| counted(*kind) && count(*kind) > 0);
            let each: Vec<String> = each
                .map(|(kind, word)| format!("{word}: {}", count(*kind)))
                .collect();
            if !each.is_empty() {
                out += &format!("  {} (-v lists them)\n", each.join(", "));
            }
        }
        let changed = self.changes.len();
        out += &format!("{changed} of {} compared components changed", self.compared);
        if !self.lacking.is_empty() {
            let list = if verbose {
                format!(": {}", self.lacking.join(", "))
            } else {
                " (-v)".to_owned()
            };
            out += &format!(
                "; {} are not available on both sides{list}",
                self.lacking.len()
            );
        }
        out += "\n";
        if !self.shipped.is_empty() {
            let list = self.shipped.join(", ");
            out += &format!("passed options are those of the shipped recipes: {list}\n");
        }
        out
    }

    fn as_json(&self, args: &UpstreamDiffArgs) -> Value {
        let change = |c: &FactChange| {
            let (path, line) = c.place.as_ref().map(|p| (&p.path, p.line)).unzip();
            json!({"kind": c.kind, "name": c.name, "from": c.from, "to": c.to, "path": path, "line": line})
        };
        let each = self.changes.iter().map(|(name, place, changes)| {
            let changes: Vec<Value> = changes.iter().map(change).collect();
            json!({"name": name, "place": place, "changes": changes})
        });
        let each: Vec<Value> = each.collect();
        json!({"from": args.from, "to": args.to, "components": each, "compared": self.compared, "not-at-hand": self.lacking,
            "shipped": self.shipped})
    }
}
