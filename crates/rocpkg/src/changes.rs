//! What users of a distribution notice between two releases.

use crate::backend::Backend;
use crate::error::Error;
use crate::stack::{Stack, missing};
use crate::tree::{concerns, profiles};
use rocpkg_model::{Finding, Severity, Sources, Span, TargetRule};
use rocpkg_resolve::{Choice, Dependency, Plan, Planned, target_row};
use rocpkg_targets::Registry;
use std::collections::{BTreeMap, BTreeSet};

/// What changes in a distribution between two releases.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Changes {
    /// The distribution.
    pub distro: String,
    /// The release before, and the one after.
    pub releases: (String, String),
    /// Packages that have a source at the new release alone.
    pub added: Vec<String>,
    /// Packages that have none at the new release, and where that is said.
    pub removed: Vec<(String, String)>,
    /// Packages that have another name: the old one and the new one.
    pub renamed: Vec<(String, String)>,
    /// Packages whose main source stands elsewhere: the package, the old place and the new one.
    pub moved: Vec<(String, String, String)>,
    /// The packages with both versions, where they differ.
    pub versions: Vec<(String, String, String)>,
    /// GPU targets, package by package.
    pub targets: Vec<TargetChange>,
    /// USE flags, or options of an expression.
    pub features: Vec<Gained>,
    /// Options that recipes pass to upstream's build.
    pub options: Vec<Gained>,
    /// Dependencies, by the distribution's names.
    pub depends: Vec<Gained>,
    /// Replacements of text that nobody checked for the new release, and that say nothing when the text is gone.
    pub silent: Vec<Silent>,
}

/// A GPU target that a package gains or loses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TargetChange {
    /// The package.
    pub package: String,
    /// The target.
    pub target: String,
    /// Gained; lost when false.
    pub gained: bool,
    /// Why.
    pub reason: String,
    /// Where that stands.
    pub place: Option<String>,
}

/// Names that a package gains and loses.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Gained {
    /// The package.
    pub package: String,
    /// What is new.
    pub gained: Vec<String>,
    /// What is gone.
    pub lost: Vec<String>,
}

/// A replacement of text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Silent {
    /// The package.
    pub package: String,
    /// `replace` or `sed`.
    pub what: &'static str,
    /// Where it stands.
    pub place: String,
}

/// A distribution's packages at a version.
pub(crate) struct Dated {
    pub(crate) plan: Plan,
    /// The packages without a source there, by their ids.
    pub(crate) absent: BTreeMap<String, Finding>,
}

impl Dated {
    fn packages(&self) -> impl Iterator<Item = &Planned> {
        self.plan.packages.iter().filter(|p| !self.absent.contains_key(&p.id))
    }

    fn get(&self, id: &str) -> Option<&Planned> {
        self.packages().find(|p| p.id == id)
    }
}

impl Stack {
    /// Tells what changes between two versions, in each of some distributions.
    ///
    /// # Errors
    /// All that is wrong with the profiles.
    pub fn changes(&self, old: &Choice, new: &Choice, backends: &[Backend]) -> Result<Vec<Changes>, Error> {
        let each = backends.iter().map(|backend| {
            let (old, new) = (self.dated(*backend, old)?, self.dated(*backend, new)?);
            Ok(between(*backend, (&old, self.sources()), (&new, self.sources())))
        });
        each.collect()
    }

    /// The packages at a version. One whose component has no source there is no fault.
    pub(crate) fn dated(&self, backend: Backend, choice: &Choice) -> Result<Dated, Error> {
        let model = self.model();
        let mut findings = self.findings().clone();
        let Some(plan) = Plan::new(model, backend.distro(), choice, &mut findings) else {
            let wrong = findings.has_errors();
            return Err(if wrong { self.problems(findings) } else { missing(backend) });
        };
        let is_sourceless = |f: &Finding| f.code == "E0217" && f.message.starts_with("no alternative");
        let mut absent = BTreeMap::new();
        for id in plan.distro.packages.keys() {
            let files = profiles(model, &plan, &BTreeSet::from([id.clone()]));
            let sorted = findings.sorted();
            let mut of_package = sorted.iter().filter(|f| is_sourceless(f));
            if let Some(finding) = of_package.find(|f| concerns(&files, f, self.sources())) {
                absent.insert(id.clone(), (*finding).clone());
            }
        }
        findings.retain(|f| !is_sourceless(f));
        if findings.any(|f| f.severity == Severity::Error) {
            return Err(self.problems(findings));
        }
        Ok(Dated { plan, absent })
    }
}

/// What changes between two plans, each with the texts that it is made of.
pub(crate) fn between(
    backend: Backend,
    (old, old_texts): (&Dated, &Sources),
    (new, texts): (&Dated, &Sources),
) -> Changes {
    let mut out = Changes {
        distro: backend.distro().to_owned(),
        releases: (old.plan.version.release().to_owned(), new.plan.version.release().to_owned()),
        ..Changes::default()
    };
    for p in old.packages().filter(|p| new.get(&p.id).is_none()) {
        let why = new.absent.get(&p.id).and_then(|f| f.span).map(|span| texts.place(span));
        out.removed.push((p.name.clone(), why.unwrap_or_default()));
    }
    let distro_lists = (&old.plan, &new.plan);
    for p in new.packages() {
        let Some(before) = old.get(&p.id) else {
            out.added.push(p.name.clone());
            continue;
        };
        if before.name != p.name {
            out.renamed.push((before.name.clone(), p.name.clone()));
        }
        if let (Some(from), Some(to)) = (origin(before), origin(p))
            && from != to
        {
            out.moved.push((p.name.clone(), from, to));
        }
        let version = |plan: &Plan, p: &Planned| plan.own_version(p).unwrap_or(p.version.as_str()).to_owned();
        let (from, to) = (version(&old.plan, before), version(&new.plan, p));
        if from != to {
            out.versions.push((p.name.clone(), from, to));
        }
        out.targets.extend(targets(distro_lists, (before, old_texts), (p, texts)));
        out.features.extend(gained(&p.name, features(backend, before), features(backend, p)));
        out.options.extend(gained(&p.name, options(before), options(p)));
        out.depends.extend(gained(&p.name, depends(&old.plan, before), depends(&new.plan, p)));
        let silent = p.unchecked(&new.plan.depths).into_iter().filter(|fact| is_silent(backend, fact.what));
        out.silent.extend(silent.flat_map(|fact| {
            let (what, package) = (fact.what, p.name.clone());
            fact.spans.into_iter().map(move |span| Silent {
                package: package.clone(),
                what,
                place: texts.place(span),
            })
        }));
    }
    out
}

/// Whether a step says nothing where the text is gone that it replaces: sed does, and Nix's `--replace-fail` fails.
fn is_silent(backend: Backend, what: &str) -> bool {
    what == "sed" || what == "replace" && backend != Backend::Nix
}

/// Where the first source of a package stands.
fn origin(p: &Planned) -> Option<String> {
    let source = p.sources.first().filter(|s| !s.repository.is_empty())?;
    let folder = source.path.as_ref().map(|path| format!("/{path}")).unwrap_or_default();
    Some(format!("{}/{}{folder}", source.owner, source.repository))
}

/// What users may switch.
fn features(backend: Backend, p: &Planned) -> BTreeSet<String> {
    if !matches!(backend, Backend::Gentoo | Backend::Nix) {
        return BTreeSet::new();
    }
    let open = p.package.features.iter().filter(|(_, f)| f.fixed.is_none());
    open.map(|(id, f)| f.name.as_ref().map_or(id, |name| &name.value).clone()).collect()
}

fn options(p: &Planned) -> BTreeSet<String> {
    p.package.cmake.values().flat_map(|project| project.arguments.keys()).cloned().collect()
}

fn depends(plan: &Plan, p: &Planned) -> BTreeSet<String> {
    let name = |to: &Dependency| match to {
        Dependency::Package(id) => plan.get(id).map_or(id, |p| &p.name).clone(),
        Dependency::External(name) => name.clone(),
    };
    p.depends.iter().map(|edge| name(&edge.to)).collect()
}

fn gained(package: &str, old: BTreeSet<String>, new: BTreeSet<String>) -> Option<Gained> {
    let (gained, lost): (Vec<String>, Vec<String>) =
        (new.difference(&old).cloned().collect(), old.difference(&new).cloned().collect());
    let is_any = !gained.is_empty() || !lost.is_empty();
    is_any.then(|| Gained { package: package.to_owned(), gained, lost })
}

/// The targets that a package gains and loses.
fn targets(
    plans: (&Plan, &Plan),
    (old, old_texts): (&Planned, &Sources),
    (new, texts): (&Planned, &Sources),
) -> Vec<TargetChange> {
    let built = |p: &Planned| -> BTreeSet<String> {
        p.targets.iter().flat_map(|t| t.default.iter().chain(&t.offered)).cloned().collect()
    };
    let (before, after) = (built(old), built(new));
    let change = |target: &String, gained: bool| {
        // Who has the target, and who lacks it.
        let (has, lacks) = if gained { (new, old) } else { (old, new) };
        let registry = if gained { &plans.1.registry } else { &plans.0.registry }.as_ref();
        let (reason, place) = why(plans.1, registry, (has, lacks), target, gained);
        // What is excluded no longer stands in the texts before, as do its places.
        let shown = |(span, of_old): (Span, bool)| if of_old { old_texts.place(span) } else { texts.place(span) };
        let place = place.map(shown);
        TargetChange { package: new.name.clone(), target: target.clone(), gained, reason, place }
    };
    let gains = after.difference(&before).map(|t| change(t, true));
    gains.chain(before.difference(&after).map(|t| change(t, false))).collect()
}

/// Why one of two has a target that the other lacks, and where that stands: true for a place in the texts before.
fn why(
    plan: &Plan,
    registry: Option<&Registry>,
    (has, lacks): (&Planned, &Planned),
    target: &str,
    gained: bool,
) -> (String, Option<(Span, bool)>) {
    let named = |rules: &[TargetRule]| -> Option<TargetRule> {
        let names = |name: &str| {
            let found = registry.and_then(|all| Some((all.find(name).ok()?, all.get(target)?)));
            name == target || found.is_some_and(|(found, t)| found.targets().contains(t))
        };
        rules.iter().find(|rule| rule.targets.iter().any(|n| names(&n.value))).cloned()
    };
    if let Some(rule) = lacks.package.targets.as_ref().and_then(|t| named(&t.excludes)) {
        let how = if gained { "no longer excluded" } else { "excluded" };
        return (format!("{how}: {}", rule.reason.value), Some((rule.reason.span, gained)));
    }
    if lacks.targets.as_ref().is_some_and(|t| !t.supports.is_empty() && !t.supports.iter().any(|n| n == target))
    {
        let rules = |p: &Planned| p.package.targets.as_ref().map(|t| t.supports.clone()).unwrap_or_default();
        if let Some(rule) = named(&rules(has)).filter(|_| gained) {
            return (format!("accepted by now: {}", rule.reason.value), Some((rule.reason.span, false)));
        }
        if let Some(rule) = rules(lacks).first() {
            let how = if gained { "was not accepted" } else { "not accepted" };
            return (format!("{how}: {}", rule.reason.value), Some((rule.reason.span, gained)));
        }
    }
    // The distribution's own lists.
    let (at, how) = if gained { (has, "is in") } else { (lacks, "is not in") };
    let row = target_row(&plan.distro, &at.listed).map(|row| (row.releases.span, false));
    let lists = plan.distro_node.as_ref().and_then(|node| node.get("targets"));
    let place = row.or_else(|| lists.map(|node| (node.span.begin(), false)));
    (format!("{how} what {} lists for {}", plan.distro_name, at.listed.release()), place)
}
