//! The plan of builds: the packages to build, their order, the command of each build, and the
//! machine resources that it needs. Nothing is run here. Read `demand.rs` and `command.rs` next.

mod builder;
mod command;
mod demand;
mod sizes;

use crate::questions::{Support, questions, switched_off};
pub use builder::{Builder, BuilderError};
use command::Commands;
use demand::Rows;
pub use demand::{Amount, Demand, MissingResource, Placement};
use rocpkg::internal::model::{Content, Decode, Findings, OneOrMany, Policy, Resources};
use rocpkg::internal::resolve::{Built, Choice, Plan, Planned, Proof};
use rocpkg::internal::targets::TargetSet;
use rocpkg::order::Need;
use rocpkg::{Backend, Error, Options, Stack};
pub use sizes::KnownSize;
use std::collections::{BTreeMap, BTreeSet};

/// A build of a package, or of a part of a package. A part is a set of upstream's build goals that
/// nixpkgs builds as a derivation of its own, such as `mha` of composable-kernel.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Job {
    /// The distribution's name for the package. For a part, a colon and the part's name follow:
    /// `composable_kernel:mha`.
    pub name: String,
    /// The package's id.
    pub id: String,
    /// The package's version.
    pub version: String,
    /// The name of the part. None if the build is of a whole package.
    pub part: Option<String>,
    /// The names ([`Job::name`]) of the builds whose results have to be installed before this
    /// build.
    pub needs: Vec<String>,
    /// The number of GPU targets that the package is built for. None if the number is not known, or
    /// if the package has no device code.
    pub targets: Option<u64>,
    /// Set if the package can't be built for any of the requested GPU targets, and is built
    /// without GPU kernels.
    pub bare: bool,
    /// The resources that the build needs.
    pub demand: Demand,
    /// For each of [`BuildPlan::machines`], in their order: the placement of the build on it, or
    /// the resource that the machine has too little of.
    pub fits: Vec<Result<Placement, MissingResource>>,
    /// Suggestions for the user if the build fits no machine, such as fewer GPU targets. Empty
    /// otherwise.
    pub help: Vec<String>,
}

impl Job {
    /// Returns the smallest machine that the build fits, as an index into [`BuildPlan::machines`],
    /// and the placement there. None if it fits no machine.
    pub fn best(&self) -> Option<(usize, Placement)> {
        self.fits
            .iter()
            .enumerate()
            .find_map(|(at, fit)| Some((at, *fit.as_ref().ok()?)))
    }
}

/// The builds of a distribution's packages, in order.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct BuildPlan {
    /// The distribution.
    pub backend: Backend,
    /// The plan of the distribution's packages.
    #[doc(hidden)]
    pub plan: Plan,
    /// The builds. Each is after the builds that it needs.
    pub jobs: Vec<Job>,
    /// The dependencies that no order can satisfy, since they close a circle: `from` is built
    /// before `to` is installed.
    pub broken: Vec<Need>,
    /// The build machines, sorted by memory, the smallest first.
    pub machines: Vec<Builder>,
    /// Notes for the user: requested GPU targets that the plan replaces by other targets, with the
    /// reason, and consumers that come after a change, for which no recipe is rendered.
    pub notes: Vec<String>,
    /// The packages that can't be built for the requested GPUs, by id, each with the reason.
    pub left_out: BTreeMap<String, String>,
    commands: Commands,
}

impl BuildPlan {
    /// Removes the builds of all packages but those with the ids `wanted`, with the dependencies on
    /// them: the packages are installed from elsewhere.
    pub fn keep(&mut self, wanted: &BTreeSet<String>) {
        self.jobs.retain(|job| wanted.contains(&job.id));
        let names: BTreeSet<String> = self.jobs.iter().map(|job| job.name.clone()).collect();
        for job in &mut self.jobs {
            job.needs.retain(|name| names.contains(name));
        }
        self.left_out.retain(|id, _| wanted.contains(id));
        self.broken
            .retain(|n| wanted.contains(&n.from) && wanted.contains(&n.to));
    }
}

/// See [`Answers::builds`](crate::Answers::builds).
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
        left_out: order.left_out.clone(),
        plan: order.plan.clone(),
    };
    let wanted = order.with_changed();
    let both = |n: &&Need| wanted.contains(n.from.as_str()) && wanted.contains(n.to.as_str());
    let mut needs: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (file, name) in order.built_in_scope() {
        made.add_compiler(stack, name);
        for id in &file.users {
            needs.entry(id).or_default().push(name.to_owned());
        }
    }
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
    let all = order.stages.iter().flatten();
    let consumers = all.filter(|id| order.plan.get(id).is_none());
    let consumers: Vec<&str> = consumers.map(|id| order.name(id)).collect();
    if !changed.is_empty() && !consumers.is_empty() {
        let names = consumers.join(", ");
        made.notes
            .push(format!("to be rebuilt too, without a recipe here: {names}"));
    }
    Ok(made)
}

/// Returns the names of the GPU targets to build for if the user requests the GPUs `text`, and
/// notes for the user. These are the requested targets, with one exception. In a distribution whose
/// users choose the targets (Gentoo), a requested target that fewer than half of the packages offer
/// is replaced by the targets that [`crate::Questions::on_gpu`] suggests. A note says so.
///
/// # Errors
/// The errors of [`Stack::targets`] (unknown names) and of
/// [`Answers::questions`](crate::Answers::questions) (errors in the profiles), and a target for
/// which no replacement is suggested.
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
            "packages do not offer {name}: code for {code} runs on it"
        ));
    }
    Ok((
        all.iter().map(|t| registry.name(t).to_owned()).collect(),
        notes,
    ))
}

impl BuildPlan {
    /// Adds the builds of the package `p`: one for each part, then one for the package as a whole.
    /// `built` has the GPU targets of its device code, if it has such code. `needs` are the names
    /// of the builds that must be installed before.
    fn add(&mut self, stack: &Stack, p: &Planned, built: Option<&Built>, needs: &[String]) {
        let targets = built.and_then(built_for);
        // The measured resources are those of a build with kernels.
        let is_bare = targets == Some(0);
        let class = class(p, built.filter(|_| !is_bare));
        // Device code is compiled beside the host code of a library.
        let host = (class == "device").then(|| Content::Library.word());
        let resources = stack.model().upstream.as_ref().map(|u| &u.resources);
        let kinds = std::iter::once(class).chain(host);
        let assumed = kinds.filter_map(|kind| resources?.get(kind));
        let mut rows = Rows {
            seen: if is_bare {
                Vec::new()
            } else {
                p.package.resources.0.clone()
            },
            assumed: assumed.flat_map(|r| r.0.clone()).collect(),
        };
        let (mut own, mut parts) = (needs.to_vec(), parts(p));
        if parts.is_empty() || !p.package.nix.as_ref().is_some_and(|n| n.parts) {
            // The whole build has the longest job of its parts.
            let all = parts.drain(..).flat_map(|(_, rows)| rows);
            let longest = all.filter(|r| r.longest_job.is_some() && !is_bare);
            rows.seen.extend(longest.cloned());
        } else {
            // The measured build time is that of the whole package. A part takes less time, and so
            // does the build that joins the parts. The longest job is in one of the parts.
            for row in &mut rows.seen {
                row.minutes = None;
                row.longest_job = None;
            }
        }
        for (part, group) in &parts {
            let name = format!("{}:{part}", p.name);
            let rows = Rows {
                seen: [group, rows.seen.as_slice()].concat(),
                assumed: rows.assumed.clone(),
            };
            let job = self.job(&rows, targets, Some(p));
            own.push(name.clone());
            self.jobs.push(Job {
                name,
                part: Some((*part).to_owned()),
                needs: needs.to_vec(),
                ..job
            });
        }
        let mut job = self.job(&rows, targets, Some(p));
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
                "a build in {parts} parts by upstream's goals, as nixpkgs does"
            ));
        }
        self.jobs.push(Job { needs: own, ..job });
    }

    /// Adds the build of the compiler that the scope of all packages contains under the attribute
    /// `name`. Its resources are those of the component that builds the stack's own LLVM.
    fn add_compiler(&mut self, stack: &Stack, name: &str) {
        let component = self.plan.llvm.clone().unwrap_or_default();
        let layers = stack.model().components.get(&component);
        let rows = layers.and_then(|layers| layers.last("resources"));
        let rows = rows.and_then(|node| OneOrMany::decode(node, &mut Findings::default()));
        let assumed = stack.model().upstream.as_ref();
        let assumed = assumed.and_then(|u| u.resources.get(Content::Library.word()));
        let rows = Rows {
            seen: rows.map_or(Vec::new(), |OneOrMany(rows)| rows),
            assumed: assumed.map_or(Vec::new(), |r| r.0.clone()),
        };
        let job = self.job(&rows, None, None);
        self.jobs.push(Job {
            name: name.to_owned(),
            id: component,
            version: self.plan.version.to_string(),
            ..job
        });
    }

    /// Returns the build of the package `p`, or of something else than a package, which has no name
    /// yet.
    fn job(&self, rows: &Rows, targets: Option<u64>, p: Option<&Planned>) -> Job {
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
                (_, Some(n)) => help.push(format!("--targets with at most {n} targets")),
                (Some(n), None) if n > 1 => help.push("fewer targets are not enough".to_owned()),
                _ => {}
            }
            let policy = p.and_then(|p| p.package.targets.as_ref()?.policy);
            if matches!(policy, Some(Policy::Stub | Policy::Throwaway)) {
                help.push("a stub without kernels, as for unsupported targets".to_owned());
            }
        }
        Job {
            name: p.map_or_else(String::new, |p| p.name.clone()),
            id: p.map_or_else(String::new, |p| p.id.clone()),
            version: p.map_or_else(String::new, |p| p.version.to_string()),
            part: None,
            needs: Vec::new(),
            targets,
            bare: false,
            demand,
            fits,
            help,
        }
    }

    /// Returns the builds that fit some machine, if all builds that they need fit some machine,
    /// too.
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

    /// Returns the names of all builds that `job` needs, directly or through other builds.
    pub fn before<'b>(&'b self, job: &'b Job) -> BTreeSet<&'b str> {
        let jobs: BTreeMap<&str, &Job> = self.jobs.iter().map(|j| (j.name.as_str(), j)).collect();
        let (mut met, mut open) = (BTreeSet::new(), vec![job]);
        while let Some(job) = open.pop() {
            let new = job.needs.iter().filter_map(|name| jobs.get(name.as_str()));
            open.extend(new.filter(|j| met.insert(j.name.as_str())));
        }
        met
    }

    /// Returns the command of the distribution's own tool (`emerge`, `pkgctl`, `nix`, `solbuild`)
    /// that builds `job` with the number of jobs in `fit`, as a line for a POSIX shell.
    pub fn command(&self, job: &Job, fit: &Placement) -> String {
        self.commands.line(self, job, fit)
    }

    /// Returns the files that a build is made from, as paths in a checkout of the distribution's
    /// packages: its recipe, the files that the recipe reads, and the files that the recipe names.
    pub fn files(&self, job: &Job) -> &[String] {
        self.commands.files(job)
    }

    /// Returns a digest of a build's recipe and GPU targets, as 12 hexadecimal digits. If the
    /// recipe or the targets change, the digest changes.
    pub fn digest(&self, job: &Job) -> &str {
        self.commands.digest(job)
    }

    /// Returns the place where the commands are to be run, as a phrase for users: `at the root of
    /// nixpkgs`.
    pub fn place(&self) -> &'static str {
        command::place(self.backend)
    }

    /// Returns the paths of the package files, or of the folder of package files, that a build
    /// leaves for the builds that need it. Empty for Nix, where the store has them.
    pub fn products(&self, job: &Job) -> Vec<String> {
        self.commands.products(self.backend, job)
    }
}

/// Returns the key of the default resources for a package: `device` for a library or Python package
/// that compiles GPU kernels, and otherwise the word of its kind of content, such as `library`. A
/// package that compiles kernels only for its tests does not count as `device`.
fn class(p: &Planned, built: Option<&Built>) -> &'static str {
    let written = p.package.targets.as_ref().and_then(|t| t.when.as_ref());
    let compiles = built.is_some() && p.settles(written);
    match p.package.content {
        Content::Library | Content::Python if compiles => "device",
        content => content.word(),
    }
}

/// Returns the GPU targets that the proof found for a package. None if the package has no device
/// code.
fn built<'a>(p: &Planned, proofs: &'a [(Backend, Proof)]) -> Option<&'a Built> {
    let built = proofs.iter().find_map(|(_, proof)| proof.built.get(&p.id));
    built.filter(|b| p.targets.is_some() && !b.host_only)
}

/// Returns the number of GPU targets that a package is built for by default. None if the list of
/// targets is not known.
fn built_for(built: &Built) -> Option<u64> {
    let set = built.default.set()?;
    u64::try_from(if set.is_empty() { &built.instead } else { set }.len()).ok()
}

/// Returns the groups of upstream's build goals that are built, each with its name and its measured
/// resources. nixpkgs builds some packages in these parts.
fn parts(p: &Planned) -> Vec<(&str, &[Resources])> {
    let built = |only: &[rocpkg::internal::model::Spanned<String>]| {
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
