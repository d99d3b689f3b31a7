//! The plan of builds: the packages to build, their order, the command of each build, and its needs
//! of a machine. Nothing is run here.

mod builder;
mod command;
mod demand;

use crate::questions::{Support, questions, switched_off};
pub use builder::{Builder, BuilderError};
use command::Commands;
use demand::Rows;
pub use demand::{Amount, Demand, MissingResource, Placement};
use rocpkg::model::{Content, Policy, Resources};
use rocpkg::order::Order;
use rocpkg::order::{Need, is_named_exactly};
use rocpkg::resolve::{Built, Choice, Plan, Planned, Proof};
use rocpkg::targets::TargetSet;
use rocpkg::{Backend, Error, Options, Stack};
use std::collections::{BTreeMap, BTreeSet};

/// A build of a package, or of a part of one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Job {
    /// The distribution's name for the package. For a part, a colon and the part's name follow.
    pub name: String,
    /// The package's id.
    pub id: String,
    /// Its version.
    pub version: String,
    /// The part, if the build is of one.
    pub part: Option<String>,
    /// The names of the builds that have to be installed first.
    pub needs: Vec<String>,
    /// The number of GPU targets that it is built for, if known. None if it has no device code.
    pub targets: Option<u64>,
    /// Set if the package can't be built for any of the chosen targets, and is built without
    /// kernels.
    pub bare: bool,
    /// The resources that it needs.
    pub demand: Demand,
    /// The placement on each machine, or the resource that the machine has too little of.
    pub fits: Vec<Result<Placement, MissingResource>>,
    /// Suggestions, if the build runs on no machine.
    pub help: Vec<String>,
}

impl Job {
    /// Returns the smallest machine on which the build runs, as an index into the machines, and the
    /// placement there.
    pub fn best(&self) -> Option<(usize, Placement)> {
        self.fits
            .iter()
            .enumerate()
            .find_map(|(at, fit)| Some((at, *fit.as_ref().ok()?)))
    }
}

/// The builds of a distribution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuildPlan {
    /// The distribution.
    pub backend: Backend,
    /// The plan of the distribution's packages.
    pub plan: Plan,
    /// The builds, each after those that it needs.
    pub jobs: Vec<Job>,
    /// The needs that no order can satisfy: `from` is built without `to`.
    pub broken: Vec<Need>,
    /// The machines, the smallest first.
    pub machines: Vec<Builder>,
    /// Notes about requested GPU targets that are replaced by others, with the reason.
    pub notes: Vec<String>,
    commands: Commands,
}

/// Returns the builds of a distribution's packages. If `changed` names packages or
/// dependencies, only these and the packages that come after a change of them are built. The
/// builds are for the distribution's GPU targets, or for those in `targets`, which are
/// separated by commas.
///
/// # Errors
/// All that is wrong with the profiles, and names that stand for nothing.
pub(crate) fn builds(
    stack: &Stack,
    backend: Backend,
    choice: &Choice,
    changed: &[String],
    targets: Option<&str>,
    machines: &[Builder],
) -> Result<BuildPlan, Error> {
    let offered = targets
        .map(|text| offered(stack, backend, choice, text))
        .transpose()?;
    let (names, notes) = offered.unwrap_or_default();
    let (choices, targets) = (
        vec![choice.clone()],
        (!names.is_empty()).then(|| names.join(",")),
    );
    let options = Options {
        backends: vec![backend],
        choices,
        targets,
        ..Options::everything()
    };
    let (tree, order) = stack.rendered_order(backend, &options, changed)?;
    let mut machines = machines.to_vec();
    machines.sort_by(|a, b| (a.memory, a.cpus, &a.name).cmp(&(b.memory, b.cpus, &b.name)));
    let commands = Commands::new(backend, &order.plan, &tree);
    let mut made = BuildPlan {
        backend,
        jobs: Vec::new(),
        broken: Vec::new(),
        machines,
        commands,
        notes,
        plan: order.plan.clone(),
    };
    let wanted = wanted(&order, changed);
    let both = |n: &&Need| wanted.contains(n.from.as_str()) && wanted.contains(n.to.as_str());
    let mut needs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for need in order.needs.iter().filter(both) {
        // A package may need another for several reasons.
        let (of_it, name) = (
            needs.entry(&need.from).or_default(),
            order.name(&need.to).to_owned(),
        );
        if !of_it.contains(&name) {
            of_it.push(name);
        }
    }
    for p in order.stages_of(&wanted).into_iter().flatten() {
        let needs = needs.remove(p.id.as_str()).unwrap_or_default();
        made.add(stack, p, built(p, &tree.proofs), &needs);
    }
    made.broken = order.broken.iter().filter(both).cloned().collect();
    Ok(made)
}

/// Returns the names of the targets that packages are built for, if the user requests some, and
/// notes. In a distribution whose users choose the targets, most packages may not offer a
/// requested target. The targets that [`crate::Questions::on_gpu`] suggests replace it then,
/// and a note is added.
///
/// # Errors
/// As [`Stack::targets`] and [`Stack::questions`], and for a target that nothing stands in for.
fn offered(
    stack: &Stack,
    backend: Backend,
    choice: &Choice,
    text: &str,
) -> Result<(Vec<String>, Vec<String>), Error> {
    let (registry, asked) = (stack.registry()?, questions(stack, backend, choice)?);
    let (mut all, mut notes) = (TargetSet::EMPTY, Vec::new());
    for target in stack.targets(text)?.iter() {
        let found = asked.on_gpu(target);
        if !asked.users_choose()
            || found.by(|way| *way == Support::Native).len() * 2 >= found.packages.len()
        {
            all.insert(target);
            continue;
        }
        let name = registry.name(target);
        let instead: TargetSet = found.choose.iter().copied().collect();
        if found.choose.is_empty() {
            return Err(Error::NotOffered {
                distribution: backend,
                targets: vec![name.to_owned()],
            });
        }
        all = all.union(&instead);
        let code = registry.show(instead);
        notes.push(format!(
            "packages offer no {name}; code for {code} runs there"
        ));
    }
    Ok((
        all.iter().map(|t| registry.name(t).to_owned()).collect(),
        notes,
    ))
}

/// Returns the packages that are built: the changed ones, and those that come after a change.
fn wanted<'a>(order: &'a Order, changed: &[String]) -> BTreeSet<&'a str> {
    let after = order.stages.iter().flatten().map(String::as_str);
    let is_changed = |p: &&Planned| changed.iter().any(|name| is_named_exactly(p, name));
    after
        .chain(
            order
                .plan
                .packages
                .iter()
                .filter(is_changed)
                .map(|p| p.id.as_str()),
        )
        .collect()
}

impl BuildPlan {
    /// Adds the builds of a package: one for each of its parts, then its own.
    fn add(&mut self, stack: &Stack, p: &Planned, built: Option<&Built>, needs: &[String]) {
        let targets = built.and_then(built_for);
        // The observed resources are those of its kernels.
        let is_bare = targets == Some(0);
        let assumed = stack.model().upstream.as_ref();
        let assumed = assumed.and_then(|u| u.resources.get(class(p, built.filter(|_| !is_bare))));
        let mut rows = Rows {
            seen: if is_bare {
                Vec::new()
            } else {
                p.package.resources.0.clone()
            },
            assumed: assumed.map_or(Vec::new(), |r| r.0.clone()),
        };
        let (mut own, parts) = (needs.to_vec(), parts(p));
        if !parts.is_empty() {
            // The build time of the whole is not that of a part, and not that of putting the parts
            // together.
            for row in &mut rows.seen {
                row.minutes = None;
            }
        }
        for (part, group) in &parts {
            let name = format!("{}:{part}", p.name);
            let rows = Rows {
                seen: [group, rows.seen.as_slice()].concat(),
                assumed: rows.assumed.clone(),
            };
            let job = self.job(p, &rows, targets);
            own.push(name.clone());
            self.jobs.push(Job {
                name,
                part: Some((*part).to_owned()),
                needs: needs.to_vec(),
                ..job
            });
        }
        let mut job = self.job(p, &rows, targets);
        if let Some(built) = built.filter(|_| is_bare) {
            if built.mended || switched_off(p).is_some() {
                job.bare = true;
            } else {
                let (what, source) = (
                    "targets",
                    format!("it can't be built for {}", self.plan.narrowed.join(" ")),
                );
                job.fits.fill(Err(MissingResource {
                    what,
                    needs: 1,
                    has: 0,
                    source,
                }));
            }
        } else if job.best().is_none() && parts.is_empty() && !p.package.parts.is_empty() {
            let parts = p.package.parts.len();
            job.help.push(format!(
                "upstream's goals make {parts} parts, which nixpkgs builds one by one"
            ));
        }
        self.jobs.push(Job { needs: own, ..job });
    }

    fn job(&self, p: &Planned, rows: &Rows, targets: Option<u64>) -> Job {
        let demand = rows.demand(targets);
        let fits: Vec<_> = self.machines.iter().map(|m| demand.fit(m)).collect();
        let mut help = Vec::new();
        if fits.iter().all(Result::is_err) && !fits.is_empty() {
            let runs = |n: &u64| {
                self.machines
                    .iter()
                    .any(|m| rows.demand(Some(*n)).fit(m).is_ok())
            };
            let most = || {
                rows.seen
                    .iter()
                    .filter_map(|r| r.targets)
                    .max()
                    .unwrap_or(1)
            };
            match (targets, (1..targets.unwrap_or_else(most)).rev().find(runs)) {
                (_, Some(n)) => help.push(format!("--targets with {n} of them at most")),
                (Some(n), None) if n > 1 => help.push("fewer targets are not enough".to_owned()),
                _ => {}
            }
            let policy = p.package.targets.as_ref().and_then(|t| t.policy);
            if matches!(policy, Some(Policy::Stub | Policy::Throwaway)) {
                help.push(
                    "a stub without kernels, as for targets that it can't be built for".to_owned(),
                );
            }
        }
        let (name, id, version) = (p.name.clone(), p.id.clone(), p.version.to_string());
        Job {
            name,
            id,
            version,
            part: None,
            needs: Vec::new(),
            targets,
            bare: false,
            demand,
            fits,
            help,
        }
    }

    /// Returns the builds that run on some machine and that need only such builds.
    pub fn possible(&self) -> Vec<&Job> {
        let (mut out, mut names) = (Vec::new(), BTreeSet::new());
        for job in &self.jobs {
            if job.best().is_some() && job.needs.iter().all(|n| names.contains(n.as_str())) {
                names.insert(job.name.as_str());
                out.push(job);
            }
        }
        out
    }

    /// Returns the names of all builds that a build needs, directly or through others.
    pub fn before<'b>(&'b self, job: &'b Job) -> BTreeSet<&'b str> {
        let jobs: BTreeMap<&str, &Job> = self.jobs.iter().map(|j| (j.name.as_str(), j)).collect();
        let (mut met, mut open) = (BTreeSet::new(), vec![job]);
        while let Some(job) = open.pop() {
            let new = job.needs.iter().filter_map(|name| jobs.get(name.as_str()));
            open.extend(new.filter(|j| met.insert(j.name.as_str())));
        }
        met
    }

    /// Returns the distribution's own command for a build with the jobs of `fit`, as a line for a
    /// POSIX shell.
    pub fn command(&self, job: &Job, fit: &Placement) -> String {
        self.commands.line(self, job, fit)
    }

    /// Returns the files that a build is made from, as paths in a checkout of the distribution's
    /// packages: its recipe, the files that the recipe reads, and the files that the recipe names.
    pub fn files(&self, job: &Job) -> &[String] {
        self.commands.files(job)
    }

    /// Returns a digest of a build's recipe and GPU targets, as hexadecimal digits. Different
    /// digests mean different builds.
    pub fn digest(&self, job: &Job) -> &str {
        self.commands.digest(job)
    }

    /// Returns the place where the commands are to be run, as text.
    pub fn place(&self) -> &'static str {
        command::place(self.backend)
    }

    /// Returns patterns for the paths of the files that a build leaves behind for its dependents.
    pub fn products(&self, job: &Job) -> Vec<String> {
        self.commands.products(self.backend, job)
    }
}

/// Returns the key of the assumed resources that apply to a package. Packages that compile kernels,
/// and not only for their tests, have the key `device`.
fn class(p: &Planned, built: Option<&Built>) -> &'static str {
    let written = p.package.targets.as_ref().and_then(|t| t.when.as_ref());
    let compiles = built.is_some() && p.settles(written);
    match p.package.content {
        Content::Library | Content::Python if compiles => "device",
        content => content.word(),
    }
}

/// Returns the proved GPU targets of a package with device code.
fn built<'a>(p: &Planned, proofs: &'a [(Backend, Proof)]) -> Option<&'a Built> {
    let built = proofs.iter().find_map(|(_, proof)| proof.built.get(&p.id));
    built.filter(|b| p.targets.is_some() && !b.host_only)
}

/// Returns the number of GPU targets that a package is built for, if it is known.
fn built_for(built: &Built) -> Option<u64> {
    let set = built.default.set()?;
    u64::try_from(if set.is_empty() { &built.instead } else { set }.len()).ok()
}

/// Returns the parts that a package is built in, each with its observed resources.
fn parts(p: &Planned) -> Vec<(&str, &[Resources])> {
    if !p.package.nix.as_ref().is_some_and(|n| n.parts) {
        return Vec::new();
    }
    let built = |only: &[rocpkg::model::Spanned<String>]| {
        only.is_empty()
            || p.targets
                .as_ref()
                .is_some_and(|t| only.iter().any(|o| t.default.contains(&o.value)))
    };
    let parts = p
        .package
        .parts
        .iter()
        .filter(|(_, part)| p.settles(part.when.as_ref()) && built(&part.only_for));
    parts
        .map(|(name, part)| (name.as_str(), part.resources.0.as_slice()))
        .collect()
}
