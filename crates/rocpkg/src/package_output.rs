//! One run of a distribution: each of its packages is planned, printed and proved once. The user's
//! request (names of packages, guesses, checksums) is applied to the result later, in `select.rs`.
//! There is one exception: the plan of a whole scope lacks the packages that rest on guesses or
//! whose checksums are unknown, since a scope can't refer to a package that it lacks.

use crate::backend::Backend;
use crate::error::Error;
use crate::loaded::Loaded;
use crate::options::Options;
use crate::select::Packages;
use rocpkg_model::{Distro, Finding, Findings, Node, Owner, Severity, Spanned, Value};
use rocpkg_render::{Companion, Pinned, Rendered, Templates};
use rocpkg_resolve::{
    Choice, Dependency, Model, Plan, Planned, Proof, Range, Release, editions, live, prove,
    several, unread_settings, unsupported_habits,
};
use rocpkg_shell::Edition;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::thread;

/// The result of one run of a distribution.
pub(crate) struct Run {
    pub(crate) backend: Backend,
    /// The plans, one for each version. Empty if one of them can't be made.
    pub(crate) editions: Vec<Edition>,
    /// The recipes that are printed from these plans.
    pub(crate) rendered: Rendered,
    /// The proof of GPU targets for each plan.
    pub(crate) proofs: Vec<Proof>,
    /// The findings of the run, except those of the proofs.
    pub(crate) findings: Findings,
    /// The packages that the plans leave out because of a guess, by id, each with the reason: the
    /// guessed facts, or the package that it needs.
    pub(crate) guessed: BTreeMap<String, String>,
    /// The packages that the plans leave out because of an unknown checksum, by id, each with the
    /// package that it needs. None if its own checksum is unknown.
    pub(crate) without_sums: BTreeMap<String, Option<String>>,
}

/// The part of a [`Run`] that belongs to one package.
#[derive(Default)]
pub(crate) struct PackageOutput<'r> {
    /// The planned package at each version. Empty if the package's profile can't be read.
    pub(crate) planned: Vec<&'r Planned>,
    pub(crate) recipe: BTreeMap<&'r str, &'r [u8]>,
    /// The files whose checksums the recipe states: sources, and files beside the recipe.
    pub(crate) fetches: Vec<&'r Pinned>,
    pub(crate) findings: Vec<&'r Finding>,
}

impl Run {
    /// Returns a run that has only a plan, and no printed recipes.
    pub(crate) fn of_plan(backend: Backend, plan: Plan) -> Self {
        let editions = vec![Edition {
            plan,
            packages: None,
        }];
        let (rendered, findings) = (Rendered::default(), Findings::default());
        Self {
            backend,
            editions,
            rendered,
            proofs: Vec::new(),
            findings,
            guessed: BTreeMap::new(),
            without_sums: BTreeMap::new(),
        }
    }

    /// Returns the output of each package, by id. Packages whose profiles can't be read are
    /// included.
    pub(crate) fn made(&self) -> BTreeMap<&str, PackageOutput<'_>> {
        let mut all: BTreeMap<&str, PackageOutput<'_>> = BTreeMap::new();
        for edition in &self.editions {
            let plan = &edition.plan;
            for id in plan.distro.packages.keys() {
                if !plan.absent.contains_key(id) {
                    all.entry(id).or_default();
                }
            }
            for p in edition.plan.packages.iter().filter(|p| edition.has(&p.id)) {
                all.entry(&p.id).or_default().planned.push(p);
            }
        }
        for (path, bytes) in &self.rendered.tree {
            if let Some(id) = self.rendered.owners.get(path.as_str()) {
                all.entry(id)
                    .or_default()
                    .recipe
                    .insert(path.as_str(), bytes);
            }
        }
        for pinned in self.rendered.pinned.iter().filter(|p| !p.is_version()) {
            all.entry(&pinned.package).or_default().fetches.push(pinned);
        }
        for (finding, owners) in self.findings.owned() {
            for owner in owners {
                if let Owner::Package { distribution, id } = owner
                    && distribution == self.backend.distro()
                {
                    all.entry(id).or_default().findings.push(finding);
                }
            }
        }
        all
    }

    /// Returns the ids of the packages that each package needs to be built or to run, by the
    /// package's id. The needs of all versions are merged.
    pub(crate) fn needs(&self, model: &Model) -> BTreeMap<&str, BTreeSet<String>> {
        let mut all: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let distro = self.backend.distro();
        for edition in &self.editions {
            let plan = &edition.plan;
            let unread = || {
                plan.distro
                    .packages
                    .keys()
                    .filter(|id| plan.unread.contains(*id))
            };
            for p in plan.packages.iter().filter(|p| edition.has(&p.id)) {
                let needs = all.entry(&p.id).or_default();
                for edge in p.depends.iter().filter(|e| p.settles(e.edge.when.as_ref())) {
                    if let Dependency::Package(id) = &edge.to
                        && edge.edge.kind.0.iter().any(|kind| kind.is_needed())
                    {
                        needs.insert(id.clone());
                    }
                }
                // A plan has no dependency edges to packages whose profiles can't be read. An
                // unknown name may be that of such a package.
                let is_known = |name: &String| {
                    p.depends.iter().any(|e| e.name == *name) || plan.externals.contains_key(name)
                };
                let is_open = |name: &&String| !plan.unread.is_empty() && !is_known(name);
                for name in p.package.depends.keys().filter(is_open) {
                    let is_it = |id: &&String| {
                        *id == name || model.components_of(distro, id).contains(name)
                    };
                    let before = needs.len();
                    needs.extend(unread().filter(is_it).cloned());
                    // If an overlay can't be read, the components of its package are not known, so
                    // any of these packages may be meant.
                    if needs.len() == before {
                        needs.extend(unread().cloned());
                    }
                }
            }
        }
        all
    }
}

/// Returns the run of each distribution. The runs are made in parallel, since they do not depend on
/// each other. `without` are the packages that plans leave out because a checksum is unknown; see
/// [`Run::without_sums`]. If `only` has ids of packages, only their recipes are made, and nothing
/// is proved.
pub(crate) fn make_all(
    templates: &Templates,
    model: &Loaded,
    backends: &[Backend],
    options: &Options,
    without: &Packages,
    only: Option<&BTreeSet<String>>,
) -> Result<Vec<Run>, Error> {
    beside_each_other(backends, |backend| {
        let ids = without.iter().filter(|(of, _)| of == backend);
        let ids: Vec<&String> = ids.map(|(_, id)| id).collect();
        make(templates, model, *backend, options, &ids, only)
    })
    .into_iter()
    .collect()
}

/// Calls `make` for each of `things`, in a thread of its own, and returns the results in the order
/// of `things`.
pub fn beside_each_other<T: Send, R: Send>(
    things: impl IntoIterator<Item = T>,
    make: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    thread::scope(|s| {
        let make = &make;
        let running: Vec<_> = things
            .into_iter()
            .map(|thing| s.spawn(move || make(thing)))
            .collect();
        running
            .into_iter()
            .map(|r| r.join().unwrap_or_else(|panic| resume_unwind(panic)))
            .collect()
    })
}

/// Returns the requested versions of a distribution, each with the ids of the packages that are
/// rendered at this version, or None for all packages. These are the versions that the distribution
/// ships, if they are requested, and each release in `options.choices`. If `options.choices` is
/// empty, see [`Options::choices`].
fn versions(
    backend: Backend,
    distro: Option<&Distro>,
    options: &Options,
    findings: &mut Findings,
) -> BTreeMap<Choice, Option<BTreeSet<String>>> {
    let mut out = BTreeMap::new();
    let mut said = Findings::default();
    let mut choices = options.choices.clone();
    if choices.is_empty() && !options.allows_missing() {
        let read = |text: &Spanned<String>| text.value.parse::<Release>().ok();
        let known = distro.and_then(|d| Some((read(d.rendered.as_ref()?)?, read(&d.version)?)));
        choices.extend(
            known
                .filter(|(known, own)| known > own)
                .map(|(known, _)| Choice::Release(known)),
        );
    }
    let shipped = choices.is_empty() || choices.contains(&Choice::Shipped);
    if let Some(distro) = distro.filter(|_| shipped) {
        let span = several(distro).filter(|_| !backend.keeps_several());
        if let Some(span) = span {
            let message = format!("{} has one version of each package", backend.distro());
            said.push(
                Finding::error("E0250", span, message)
                    .label("expected `version`, or one version for a pinned package"),
            );
        } else {
            out.extend(
                editions(distro, &mut said)
                    .into_iter()
                    .map(|(choice, ids)| (choice, Some(ids))),
            );
        }
    }
    findings.append_of(&Owner::Distribution(backend.distro().to_owned()), said);
    // A single version applies to all packages, also to those that can't be read.
    if out.len() < 2 && out.keys().all(|choice| *choice == Choice::Shipped) {
        out = shipped
            .then_some((Choice::Shipped, None))
            .into_iter()
            .collect();
    }
    let own = distro
        .and_then(|d| d.version.value.parse().ok())
        .map(Choice::Release);
    for choice in &choices {
        let is_there = *choice == Choice::Shipped || shipped && Some(choice) == own.as_ref();
        let ids = distro.filter(|_| *choice == Choice::Live).map(live);
        out.extend((!is_there).then(|| (choice.clone(), ids)));
    }
    out
}

/// Removes the packages that rest on a guess from the plan of a scope, and all packages that refer
/// to them. Returns the ids of the removed packages, each with the reason.
fn without_guesses(plan: &mut Plan, backend: Backend) -> BTreeMap<String, String> {
    let resting = plan.packages.iter();
    let resting = resting.filter(|p| !p.package.guesses.is_empty());
    let own: BTreeMap<String, String> = resting
        .map(|p| {
            let facts = p.package.guesses.iter().map(|g| g.about.value.as_str());
            (p.id.clone(), facts.collect::<Vec<_>>().join(", "))
        })
        .collect();
    let gone = leave_out(plan, backend, own.keys());
    let reason = |(id, needs): (String, Option<String>)| {
        let needs = needs.map(|needs| format!("needs {needs}"));
        let why = needs.or_else(|| own.get(&id).cloned()).unwrap_or_default();
        (id, why)
    };
    gone.into_iter().map(reason).collect()
}

/// Removes the packages `ids` from the plan of a scope, and all packages that refer to them, since
/// a scope can't refer to a package that it lacks. Returns the ids of the removed packages, each
/// with the removed package that it needs. None for the packages in `ids`.
fn leave_out<'i>(
    plan: &mut Plan,
    backend: Backend,
    ids: impl IntoIterator<Item = &'i String>,
) -> BTreeMap<String, Option<String>> {
    let mut gone: BTreeMap<String, Option<String>> = ids
        .into_iter()
        .filter(|id| plan.get(id).is_some())
        .map(|id| (id.clone(), None))
        .collect();
    loop {
        let needs = |p: &Planned| {
            let mut edges = p.depends.iter().filter(|e| p.settles(e.edge.when.as_ref()));
            let needed = edges.find_map(|e| match &e.to {
                Dependency::Package(id) if gone.contains_key(id) => Some(id.clone()),
                _ => None,
            });
            let mut others = gone.keys().filter_map(|id| plan.get(id));
            needed.or_else(|| {
                let other = others.find(|other| backend.implementation().refers_to(p, other));
                other.map(|other| other.id.clone())
            })
        };
        let others = plan.packages.iter().filter(|p| !gone.contains_key(&p.id));
        let found: Vec<(String, Option<String>)> = others
            .filter_map(|p| Some((p.id.clone(), Some(needs(p)?))))
            .collect();
        if found.is_empty() {
            break;
        }
        gone.extend(found);
    }
    let all = plan.packages.iter().cloned();
    let (left_out, kept): (Vec<_>, Vec<_>) = all.partition(|p| gone.contains_key(&p.id));
    plan.packages = kept.into();
    plan.left_out.extend(left_out);
    gone
}

/// Plans, prints and proves the packages of one distribution. `without` are ids of packages that
/// the plans leave out because a checksum is unknown. `only` is as in [`make_all`].
fn make(
    templates: &Templates,
    model: &Loaded,
    backend: Backend,
    options: &Options,
    without: &[&String],
    only: Option<&BTreeSet<String>>,
) -> Result<Run, Error> {
    let mut findings = Findings::default();
    let versions = versions(
        backend,
        model.distros.get(backend.distro()),
        options,
        &mut findings,
    );
    let asked = versions.len();
    let (mut guessed, mut without_sums) = (BTreeMap::new(), BTreeMap::new());
    let mut editions = Vec::with_capacity(asked);
    for (choice, packages) in versions {
        let mut found = Findings::default();
        let mut plan = model.plan(backend, &choice, &mut found);
        if backend.needs_all() && options.packages.is_empty() && !options.allow_guesses {
            guessed.extend(
                plan.as_mut()
                    .map(|plan| without_guesses(plan, backend))
                    .unwrap_or_default(),
            );
        }
        if let Some(plan) = plan.as_mut().filter(|_| !without.is_empty()) {
            without_sums.extend(leave_out(plan, backend, without.iter().copied()));
        }
        let ids = packages.as_ref().filter(|_| plan.is_some());
        retain_of(&mut found, backend, ids);
        findings.append(found);
        let edition = plan.map(|plan| Edition { plan, packages });
        editions.extend(edition.map(|edition| match only {
            // The files of a scope name all packages.
            Some(only) if !backend.needs_all() => limited(edition, only),
            _ => edition,
        }));
    }
    if editions.len() < asked {
        editions.clear();
    }
    let whole = Owner::Distribution(backend.distro().to_owned());
    let mut said = Findings::default();
    for Edition { plan, .. } in &editions {
        for other in Backend::ALL.into_iter().filter(|b| *b != backend) {
            unsupported_habits(plan, other.distro(), other.column(), &mut said);
        }
        unread_settings(plan, backend.column(), &mut said);
    }
    let (mut rendered, recipes) = if editions.is_empty() {
        Default::default()
    } else {
        let distribution = backend.implementation();
        distribution.render(&editions, templates, &mut said)?
    };
    if let Some(Edition { plan, .. }) = editions.first() {
        for c in &mut rendered.companions {
            c.address = c
                .address
                .take()
                .or_else(|| address(model, plan, backend, c));
        }
    }
    // The proof uses the same values that were printed into the recipes. Its findings about
    // packages with an error are dropped, because they may only follow from that error.
    let wrong: Vec<&BTreeSet<Owner>> = errors(&findings);
    let is_whole =
        |owners: &&BTreeSet<Owner>| owners.iter().all(|o| matches!(o, Owner::Distribution(_)));
    let sound = !wrong.iter().any(is_whole);
    let is_wrong = |owner: &Owner| match owner {
        Owner::Package { distribution, id } if distribution == backend.distro() => {
            let parts = model
                .all_components_of(backend.distro(), id)
                .into_iter()
                .map(Owner::Component);
            parts
                .chain([owner.clone()])
                .any(|owner| wrong.iter().any(|owners| owners.contains(&owner)))
        }
        Owner::Distribution(_) => !wrong.is_empty(),
        other => wrong.iter().any(|owners| owners.contains(other)),
    };
    let proofs = model
        .registry
        .iter()
        .filter(|_| sound && only.is_none())
        .flat_map(|registry| {
            editions.iter().zip(&recipes).map(|(edition, recipes)| {
                let mut proof = prove(&edition.plan, registry, recipes);
                retain_of(&mut proof.findings, backend, edition.packages.as_ref());
                proof.findings.drop_of(is_wrong);
                proof
            })
        });
    let proofs = proofs.collect();
    findings.append_of(&whole, said);
    // Findings about packages that are not of these versions are dropped.
    if let Some(ids) = editions
        .iter()
        .map(|edition| edition.packages.as_ref())
        .collect::<Option<Vec<_>>>()
    {
        let ids = ids.into_iter().flatten().cloned().collect();
        retain_of(
            &mut findings,
            backend,
            Some(&ids).filter(|_| !editions.is_empty()),
        );
    }
    Ok(Run {
        backend,
        editions,
        rendered,
        proofs,
        findings,
        guessed,
        without_sums,
    })
}

/// Returns `edition` with the packages `only` and all that they depend on, of which only the
/// recipes of `only` are rendered.
fn limited(edition: Edition, only: &BTreeSet<String>) -> Edition {
    let Edition { mut plan, packages } = edition;
    let mut open: Vec<&Planned> = only.iter().filter_map(|id| plan.get(id)).collect();
    let mut met: BTreeSet<&str> = open.iter().map(|p| p.id.as_str()).collect();
    while let Some(p) = open.pop() {
        for edge in &p.depends {
            if let Dependency::Package(id) = &edge.to
                && let Some(next) = plan.get(id).filter(|next| met.insert(&next.id))
            {
                open.push(next);
            }
        }
    }
    let kept = plan.packages.iter().filter(|p| met.contains(p.id.as_str()));
    plan.packages = kept.cloned().collect::<Vec<_>>().into();
    let packages = match packages {
        Some(packages) => only.intersection(&packages).cloned().collect(),
        None => only.clone(),
    };
    Edition {
        plan,
        packages: Some(packages),
    }
}

/// Returns the owners of each error: the packages, components or distribution that it is about.
fn errors(findings: &Findings) -> Vec<&BTreeSet<Owner>> {
    findings
        .owned()
        .filter(|(f, _)| f.severity == Severity::Error)
        .map(|(_, owners)| owners)
        .collect()
}

/// Drops the findings about packages of a distribution that are not in `ids`. Keeps all findings if
/// `ids` is None.
fn retain_of(findings: &mut Findings, backend: Backend, ids: Option<&BTreeSet<String>>) {
    let Some(ids) = ids else { return };
    findings.retain_of(|owner| match owner {
        Owner::Package { distribution, id } => distribution != backend.distro() || ids.contains(id),
        Owner::Distribution(_) | Owner::Component(_) => true,
    });
}

/// Returns the address at which the distribution keeps the companion `c`, a file that a recipe
/// names. The pattern of the address is the distribution's setting `companions`. Returns None if
/// the distribution has no such setting, if only a layer of the user names the file, or if the file
/// is of another release than `checked-at`, the release whose recipes the profiles describe.
fn address(model: &Model, plan: &Plan, backend: Backend, c: &Companion) -> Option<String> {
    let pattern = &plan.distro.settings.get("companions")?.value;
    let name = c.path.rsplit('/').next()?;
    let distro = backend.distro();
    let own = model.overlays.get(distro).and_then(|of| of.get(&c.package));
    let components = model.components_of(distro, &c.package);
    let parts = components
        .iter()
        .filter_map(|part| model.components.get(part));
    let layers = own
        .into_iter()
        .chain(parts)
        .flat_map(rocpkg_resolve::Layers::iter);
    let checked_at = plan
        .distro
        .packages_checked_at
        .get(&c.package)
        .or(plan.distro.checked_at.as_ref());
    let checked_at: Option<Release> = checked_at
        .unwrap_or(&plan.distro.version)
        .value
        .parse()
        .ok();
    let refers =
        checked_at.as_ref() == Some(&plan.version) || !name.contains(plan.version.as_str());
    let ships = |node: &Node| names(model, node, name, checked_at.as_ref(), refers);
    let is_shipped = layers.chain(model.distro_nodes.get(distro)).any(ships);
    // No overlay names a file of the whole tree.
    (is_shipped || c.package.is_empty()).then(|| {
        let (folder, file) = c.path.split_once('/').unwrap_or_default();
        pattern
            .replace("${path}", &backend.in_checkout(&c.path))
            .replace("${folder}", folder)
            .replace("${file}", file)
    })
}

/// Returns true if the shipped profiles name the file `name` below `node`. Only facts that hold at
/// the release `at` count. If `refers` is set, a name with a reference counts too, such as
/// `rocBLAS-${version}-fix.patch`.
fn names(model: &Model, node: &Node, name: &str, at: Option<&Release>, refers: bool) -> bool {
    let named = |n: &Node| names(model, n, name, at, refers);
    match &node.value {
        Value::Scalar { text, .. } => {
            let said = text.rsplit('/').next().unwrap_or(text);
            let (head, tail) = (said.split("${").next(), said.rsplit('}').next());
            let is_referred = head.zip(tail).is_some_and(|(head, tail)| {
                refers
                    && said.contains("${")
                    && !(head.is_empty() && tail.is_empty())
                    && name.starts_with(head)
                    && name.ends_with(tail)
            });
            (is_referred || text.contains(name)) && model.depths.of(node.span) == 0
        }
        Value::Seq(items) => items.iter().any(named),
        Value::Map(entries) => {
            let range = node.get("releases").and_then(Node::text);
            let range = range.or_else(|| node.get("when")?.text()?.strip_prefix("release:"));
            let range = range.and_then(|range| range.parse::<Range>().ok());
            range.zip(at).is_none_or(|(range, at)| range.contains(at))
                && entries.iter().any(|(key, n)| {
                    key.name == name && model.depths.of(key.span) == 0 && n.value != Value::Null
                        || named(n)
                })
        }
        Value::Null => false,
    }
}
