//! The changes between two releases that users of a distribution notice.

use crate::backend::Backend;
use crate::error::Error;
use crate::kinds::kinds;
use crate::stack::{Stack, missing};
use rocpkg_model::{Finding, Owner, Severity, Sources, Span, TargetRule};
use rocpkg_resolve::{
    Bundles, Choice, CompatibleCode, Dependency, Plan, Planned, ResolvedEdge, target_row,
};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

kinds! {
    /// The kind of a change between two releases. Changes are reported in the order of the
    /// variants.
    ChangeKind: head;
    /// A new package.
    Added = "added": "New packages",
    /// A package that has no source any more.
    Removed = "removed": "Packages that no longer have a source",
    /// A package whose name in the distribution changed.
    Renamed = "renamed": "Renamed packages",
    /// A package whose first source moved to another repository or folder.
    Source = "source": "Moved sources",
    /// A package whose version changed.
    Version = "version": "Versions",
    /// GPU targets that a package gained or lost.
    Target = "target": "GPU targets",
    /// Bundles of device code that are compressed now, or no longer.
    Bundles = "bundles": "Compression of device code",
    /// USE flags of ebuilds, or options of Nix packages, that came or went.
    Feature = "feature": "USE flags and options of packages",
    /// CMake options of upstream's build that a recipe passes now or no longer.
    Option = "option": "Options of upstream's build",
    /// Dependencies that a package gained or lost.
    Dependency = "dependency": "Dependencies",
    /// A step that replaces text (`sed`, `replace`), gives no error if the text is gone, and was
    /// not checked for the new release.
    Replacement = "replacement": "For reviewers: replacements that were not checked, and that fail silently if the text is gone",
}

/// The changes in a distribution between two releases.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Changes {
    /// The name of the distribution's profile, such as `nixpkgs`.
    pub distro: String,
    /// The old release and the new release, in this order.
    pub releases: (String, String),
    /// All changes, sorted by kind. Within a kind, the packages are in build order.
    pub all: Vec<Change>,
}

/// A change of a package.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Change {
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The package, by the distribution's name.
    pub package: String,
    /// The values that only the old release has. If a name, version or source changed, the old one.
    pub was: Vec<String>,
    /// The values that only the new release has. If a name, version or source changed, the new one.
    pub is: Vec<String>,
    /// The reason for a change of GPU targets, or of the packing of device code. For a
    /// replacement, the kind of step: `sed` or `replace`. For a removed package, the consumers that
    /// need it: packages for which no recipe is rendered. Empty for other changes.
    pub reason: String,
    /// The file, line and column of the profiles that cause the change, if they are known.
    pub place: Option<String>,
}

impl Change {
    /// Returns a change of the package `package` whose other fields are empty.
    fn new(kind: ChangeKind, package: &str) -> Self {
        let package = package.to_owned();
        Self {
            kind,
            package,
            was: Vec::new(),
            is: Vec::new(),
            reason: String::new(),
            place: None,
        }
    }
}

/// The code of the finding which reports that a package has no source at the release.
const SOURCELESS: &str = "E0253";

/// A distribution's packages at a release, and those of them that have no source there.
pub(crate) struct Dated {
    pub(crate) plan: Plan,
    /// The packages of the plan without a source at that release, by id, each with the finding that
    /// reports it.
    pub(crate) absent: BTreeMap<String, Finding>,
}

impl Dated {
    fn packages(&self) -> impl Iterator<Item = &Planned> {
        self.plan
            .packages
            .iter()
            .filter(|p| !self.absent.contains_key(&p.id))
    }

    fn get(&self, id: &str) -> Option<&Planned> {
        self.packages().find(|p| p.id == id)
    }
}

impl Stack {
    /// Returns the changes between the release `old` and the release `new`, for each of the
    /// distributions `backends`.
    ///
    /// # Errors
    /// All errors in the profiles at one of the two releases.
    pub fn changes(
        &self,
        old: &Choice,
        new: &Choice,
        backends: &[Backend],
    ) -> Result<Vec<Changes>, Error> {
        let each = backends.iter().map(|backend| {
            let (old, new) = (self.dated(*backend, old)?, self.dated(*backend, new)?);
            Ok(between(
                *backend,
                &old,
                self.sources(),
                &new,
                self.sources(),
            ))
        });
        each.collect()
    }

    /// Returns a distribution's packages at the release `choice`. A package without a source at
    /// that release is no error; it is in [`Dated::absent`].
    pub(crate) fn dated(&self, backend: Backend, choice: &Choice) -> Result<Dated, Error> {
        let mut findings = self.findings().clone();
        let Some(plan) = self.loaded().plan(backend, choice, &mut findings) else {
            findings.retain(|f| f.severity == Severity::Error);
            return Err(if findings.has_errors() {
                self.problems(findings)
            } else {
                missing(backend)
            });
        };
        let mut absent = BTreeMap::new();
        for (finding, owners) in findings.owned().filter(|(f, _)| f.code == SOURCELESS) {
            for owner in owners {
                if let Owner::Package { id, .. } = owner {
                    absent.insert(id.clone(), finding.clone());
                }
            }
        }
        // Findings that follow from a missing source are dropped too.
        findings.retain(|f| f.severity == Severity::Error && f.code != SOURCELESS);
        findings.retain_of(
            |owner| !matches!(owner, Owner::Package { id, .. } if absent.contains_key(id)),
        );
        if findings.has_errors() {
            return Err(self.problems(findings));
        }
        Ok(Dated { plan, absent })
    }
}

/// Returns the changes of a distribution's packages from `old` to `new`. `old_texts` and `texts`
/// are the texts of the profiles from which the two were planned.
pub(crate) fn between(
    backend: Backend,
    old: &Dated,
    old_texts: &Sources,
    new: &Dated,
    texts: &Sources,
) -> Changes {
    let mut out = Changes {
        distro: backend.distro().to_owned(),
        releases: (
            old.plan.version.release().to_owned(),
            new.plan.version.release().to_owned(),
        ),
        ..Changes::default()
    };
    let mut add = |kind, package: &str, (was, is): (Vec<String>, Vec<String>)| {
        let there = kind == ChangeKind::Added || was != is;
        let change = Change {
            was,
            is,
            ..Change::new(kind, package)
        };
        out.all.extend(there.then_some(change));
    };
    let gone = old
        .packages()
        .filter(|p| new.get(&p.id).is_none())
        .map(|p| {
            let place = new
                .absent
                .get(&p.id)
                .and_then(|f| f.span)
                .map(|span| texts.place(span));
            Change {
                place,
                reason: consumers(&old.plan, &p.id),
                ..Change::new(ChangeKind::Removed, &p.name)
            }
        });
    let mut changes: Vec<Change> = gone.collect();
    for p in new.packages() {
        let name = p.name.as_str();
        let Some(before) = old.get(&p.id) else {
            add(ChangeKind::Added, name, Default::default());
            continue;
        };
        add(
            ChangeKind::Renamed,
            name,
            (vec![before.name.clone()], vec![name.to_owned()]),
        );
        if let (Some(from), Some(to)) = (origin(before), origin(p)) {
            add(ChangeKind::Source, name, (vec![from], vec![to]));
        }
        add(
            ChangeKind::Version,
            name,
            (
                vec![printed(&old.plan, before)],
                vec![printed(&new.plan, p)],
            ),
        );
        add(
            ChangeKind::Feature,
            name,
            apart(&features(backend, before), &features(backend, p)),
        );
        add(
            ChangeKind::Option,
            name,
            apart(&options(before), &options(p)),
        );
        add(
            ChangeKind::Dependency,
            name,
            apart(&depends(&old.plan, before), &depends(&new.plan, p)),
        );
        changes.extend(targets(&new.plan, before, old_texts, p, texts));
        changes.extend(bundles((&old.plan, before), (&new.plan, p)));
        let silent = p
            .unchecked(&new.plan.depths)
            .into_iter()
            .filter(|fact| is_silent(backend, fact.what));
        changes.extend(
            silent
                .flat_map(|fact| fact.spans.into_iter().map(move |span| (fact.what, span)))
                .map(|(what, span)| Change {
                    reason: what.to_owned(),
                    place: Some(texts.place(span)),
                    ..Change::new(ChangeKind::Replacement, name)
                }),
        );
    }
    out.all.extend(changes);
    out.all.sort_by_key(|change| change.kind);
    out
}

/// Returns the consumers that need the package `id`, as text: `needed by python-pytorch`. Empty if
/// no consumer needs it.
fn consumers(plan: &Plan, id: &str) -> String {
    let leads = |edge: &ResolvedEdge| matches!(&edge.to, Dependency::Package(to) if to == id);
    let all = plan
        .consumers
        .iter()
        .filter(|p| p.depends.iter().any(leads));
    let names: Vec<&str> = all.map(|p| p.name.as_str()).collect();
    if names.is_empty() {
        return String::new();
    }
    format!("needed by {}", names.join(", "))
}

/// Returns the version of the package `p` as its recipe states it. This may be the package's own
/// version, and not that of the release.
pub(crate) fn printed(plan: &Plan, p: &Planned) -> String {
    plan.own_version(p).unwrap_or(p.version.as_str()).to_owned()
}

/// Returns true if a step of the kind `what` gives no error when the text that it replaces is gone.
fn is_silent(backend: Backend, what: &str) -> bool {
    what == "sed" || what == "replace" && !backend.implementation().preparation().replace_fails
}

/// Returns the place of a package's first source, as `owner/repository/folder` or
/// `owner/repository`. None if the source is in no repository.
fn origin(p: &Planned) -> Option<String> {
    let source = p.sources.first().filter(|s| !s.repository.is_empty())?;
    let folder = source
        .path
        .as_ref()
        .map(|path| format!("/{path}"))
        .unwrap_or_default();
    Some(format!("{}/{}{folder}", source.owner, source.repository))
}

/// Returns the names of the features of a package that users may switch. Empty in Arch and Solus,
/// where the packager decides.
fn features(backend: Backend, p: &Planned) -> BTreeSet<String> {
    if !backend.implementation().users_choose() {
        return BTreeSet::new();
    }
    let open = p.package.features.iter().filter(|(_, f)| f.fixed.is_none());
    open.map(|(id, f)| f.name.as_ref().map_or(id, |name| &name.value).clone())
        .collect()
}

fn options(p: &Planned) -> BTreeSet<String> {
    p.package
        .cmake
        .values()
        .flat_map(|project| project.arguments.keys())
        .cloned()
        .collect()
}

fn depends(plan: &Plan, p: &Planned) -> BTreeSet<String> {
    let name = |to: &Dependency| match to {
        Dependency::Package(id) => plan.known(id).map_or(id, |p| &p.name).clone(),
        Dependency::External(name) => name.clone(),
    };
    p.depends.iter().map(|edge| name(&edge.to)).collect()
}

/// Returns the elements that only `old` has, and those that only `new` has.
fn apart(old: &BTreeSet<String>, new: &BTreeSet<String>) -> (Vec<String>, Vec<String>) {
    (
        old.difference(new).cloned().collect(),
        new.difference(old).cloned().collect(),
    )
}

/// Returns the change of the packing of a package's device code, with its effect on compatible
/// GPUs. `None` if the packing is the same, or not known at one of the two releases.
fn bundles(old: (&Plan, &Planned), new: (&Plan, &Planned)) -> Option<Change> {
    let registry = new.0.registry.as_ref()?;
    new.1.targets.as_ref()?;
    let packing = |(plan, p): (&Plan, &Planned)| match plan.bundles(registry, p) {
        Bundles::Plain => Some((vec!["plain".to_owned()], String::new())),
        Bundles::Compressed { cause, .. } => Some((vec!["compressed".to_owned()], cause)),
        Bundles::Unknown => None,
    };
    let ((was, _), (is, cause)) = (packing(old)?, packing(new)?);
    let effect = match new.0.compatible_code(registry, new.1) {
        CompatibleCode::Packed(packed) => Some(format!(
            "the runtime does not find code for other GPUs in them (not patched: {}); build {}",
            packed.missing.join("; "),
            packed.without
        )),
        CompatibleCode::Loads if !cause.is_empty() => {
            let patches = new.0.bundle_patches(registry);
            let by = format!(
                "the runtime finds code for other GPUs in them by {}",
                patches.join(", ")
            );
            Some(by).filter(|_| !patches.is_empty())
        }
        _ => None,
    };
    let reason = [Some(cause), effect].into_iter().flatten();
    let reason: Vec<String> = reason.filter(|text| !text.is_empty()).collect();
    (was != is).then(|| Change {
        was,
        is,
        reason: reason.join("; "),
        ..Change::new(ChangeKind::Bundles, &new.1.name)
    })
}

/// Returns the GPU targets that a package gains or loses from `old` to `new`. Targets with the same
/// reason and position are one change. `plan` is the new plan. `old_texts` and `texts` are the
/// texts of the old and of the new profiles.
fn targets(
    plan: &Plan,
    old: &Planned,
    old_texts: &Sources,
    new: &Planned,
    texts: &Sources,
) -> Vec<Change> {
    let built = |p: &Planned| -> BTreeSet<String> {
        p.targets
            .iter()
            .flat_map(|t| t.default.iter().chain(&t.offered))
            .cloned()
            .collect()
    };
    let (lost, won) = apart(&built(old), &built(new));
    let each = won
        .into_iter()
        .map(|t| (t, true))
        .chain(lost.into_iter().map(|t| (t, false)));
    let mut alike: BTreeMap<(bool, String, Option<String>), Vec<String>> = BTreeMap::new();
    for (target, gained) in each {
        // `has` is the version with the target, `lacks` the one without.
        let (has, lacks) = if gained { (new, old) } else { (old, new) };
        let (reason, place) = why(plan, has, lacks, &target, gained);
        let place = place.map(|(span, is_old)| {
            if is_old {
                old_texts.place(span)
            } else {
                texts.place(span)
            }
        });
        alike
            .entry((!gained, reason, place))
            .or_default()
            .push(target);
    }
    let change =
        |((is_lost, reason, place), targets): ((bool, String, Option<String>), Vec<String>)| {
            let (was, is) = if is_lost {
                (targets, Vec::new())
            } else {
                (Vec::new(), targets)
            };
            Change {
                was,
                is,
                reason,
                place,
                ..Change::new(ChangeKind::Target, &new.name)
            }
        };
    alike.into_iter().map(change).collect()
}

/// Returns the reason why the version `has` of a package has the GPU target `target` and the
/// version `lacks` does not, and the position of that reason. `gained` is true if `has` is the new
/// version. The `bool` is true if the position is in the old profiles. `plan` is the new plan.
fn why(
    plan: &Plan,
    has: &Planned,
    lacks: &Planned,
    target: &str,
    gained: bool,
) -> (String, Option<(Span, bool)>) {
    let named = |rules: &[TargetRule]| -> Option<TargetRule> {
        let names = |name: &str| {
            let all = plan.registry.as_ref();
            let found = all.and_then(|all| Some((all.find(name).ok()?, all.get(target)?)));
            name == target || found.is_some_and(|(found, t)| found.targets().contains(t))
        };
        rules
            .iter()
            .find(|rule| rule.targets.iter().any(|n| names(&n.value)))
            .cloned()
    };
    if let Some(rule) = lacks
        .package
        .targets
        .as_ref()
        .and_then(|t| named(&t.excludes))
    {
        let how = if gained {
            "no longer excluded"
        } else {
            "excluded"
        };
        return (
            format!("{how}: {}", rule.reason.value),
            Some((rule.reason.span, gained)),
        );
    }
    if lacks
        .targets
        .as_ref()
        .is_some_and(|t| !t.supports.is_empty() && !t.supports.iter().any(|n| n == target))
    {
        let rules = |p: &Planned| {
            p.package
                .targets
                .as_ref()
                .map(|t| t.supports.clone())
                .unwrap_or_default()
        };
        if let Some(rule) = named(&rules(has)).filter(|_| gained) {
            return (
                format!("now accepted: {}", rule.reason.value),
                Some((rule.reason.span, false)),
            );
        }
        if let Some(rule) = rules(lacks).first() {
            let how = if gained {
                "was not accepted"
            } else {
                "not accepted"
            };
            return (
                format!("{how}: {}", rule.reason.value),
                Some((rule.reason.span, gained)),
            );
        }
    }
    // No rule of the package is the reason, so the distribution's lists of targets are.
    let (at, how) = if gained {
        (has, "in")
    } else {
        (lacks, "not in")
    };
    let row = target_row(&plan.distro, &at.listed).map(|row| (row.releases.span, false));
    let lists = plan
        .distro_node
        .as_ref()
        .and_then(|node| node.get("targets"));
    let place = row.or_else(|| lists.map(|node| (node.span.begin(), false)));
    (
        format!(
            "{how} the list of {} for {}",
            plan.distro_name,
            at.listed.release()
        ),
        place,
    )
}
