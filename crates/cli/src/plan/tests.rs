//! `rocpkg plan test`: assigns the tests of packages to runners, which are machines with GPUs.

use super::gate::{Health, health};
use super::results::{is_package, meant, read, read_results};
use super::texts::size;
use crate::args::{PlanTestArgs, TestFormat};
use crate::error::Error;
use crate::gpu::all;
use crate::outcome::{DIFFERS, Outcome};
use crate::settings::Settings;
use rocpkg::internal::is_named;
use rocpkg::internal::targets::{Registry, Target};
use rocpkg::{Backend, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::gpu::Questions;
use rocpkg_answers::plans::{Lab, LabBackend, Runner, TestRun, Unit, Untested, fewest_runs};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Reads the file of `--runners`.
pub(crate) fn read_lab(stack: &Stack, path: &Path) -> Result<Lab, Error> {
    Ok(stack.lab(&path.display().to_string(), &read(path)?)?)
}

/// The tests of packages, and the runners that can run them. A test is the test of one package of a
/// distribution, on GPUs of one target.
pub(crate) struct Tests<'s> {
    pub(super) registry: &'s Registry,
    pub(crate) lab: Lab,
    /// The version of each package in each distribution, by the distribution's name and the
    /// package's id.
    pub(super) versions: BTreeMap<String, BTreeMap<String, String>>,
    /// The ids of the packages to test. Empty for all.
    pub(super) packages: Vec<String>,
    pub(super) units: Vec<Unit>,
    /// The tests that can't be planned, each with the distribution, the package, and the fact that
    /// is not known.
    pub(super) unknown: Vec<(String, String, String)>,
}

impl<'s> Tests<'s> {
    /// Collects the tests of the packages in `packages`, or of all packages if it is empty.
    pub(crate) fn new(
        stack: &'s Stack,
        questions: &[(Backend, Questions)],
        mut lab: Lab,
        packages: &[String],
    ) -> Result<Self, Error> {
        let (mut units, mut unknown) = (Vec::new(), Vec::new());
        for (_, q) in questions {
            let (more, open) = q.test_units(&lab.runners, packages);
            units.extend(more);
            unknown.extend(
                open.into_iter()
                    .map(|(p, fact)| (q.plan.distro_name.clone(), p, fact)),
            );
        }
        let is_there = |name: &String| {
            questions
                .iter()
                .any(|(_, q)| q.plan.packages.iter().any(|p| is_named(p, name)))
        };
        if let Some(name) = packages.iter().find(|name| !is_there(name)) {
            return Err(stack
                .no_package(questions.iter().map(|(_, q)| &q.plan), name)
                .into());
        }
        for runner in &lab.runners {
            let skipped = runner.skips.iter().map(|(name, _)| name);
            if let Some(name) = skipped
                .into_iter()
                .find(|name| !is_package(stack, name) && !is_there(name))
            {
                let said = format!(
                    "the runner {} skips `{name}`, but no package is called `{name}`",
                    runner.name
                );
                return Err(Error::Usage(said));
            }
        }
        let versions = questions.iter().map(|(_, q)| {
            let packages = q.plan.packages.iter();
            let packages = packages.map(|p| (p.id.clone(), p.version.to_string()));
            (q.plan.distro_name.clone(), packages.collect())
        });
        let id = |name: &String| {
            let plans = questions.iter().flat_map(|(_, q)| &q.plan.packages);
            let found = plans.into_iter().find(|p| is_named(p, name));
            found.map_or_else(|| meant(stack, name), |p| Some(p.id.clone()))
        };
        let backends = lab.backends.iter_mut().map(|b| (&b.name, &mut b.package));
        let limits = lab.limits.iter_mut().flat_map(|l| {
            let metric = &l.metric;
            l.packages.iter_mut().map(move |package| (metric, package))
        });
        for (of, package) in backends.chain(limits) {
            *package = id(package)
                .ok_or_else(|| Error::Usage(format!("`{of}`: no package is called `{package}`")))?;
        }
        // Only what is planned is compared with the demands.
        let packages: Vec<String> = packages.iter().filter_map(id).collect();
        let is_planned = |b: &LabBackend| {
            let is_asked = |d: &Backend| questions.iter().any(|(backend, _)| backend == d);
            (packages.is_empty() || packages.contains(&b.package))
                && (b.distributions.is_empty() || b.distributions.iter().any(is_asked))
        };
        lab.backends.retain(is_planned);
        Ok(Self {
            registry: stack.registry()?,
            lab,
            versions: versions.collect(),
            packages,
            units,
            unknown,
        })
    }

    /// Returns the runners that test a package of the distribution `distro` on a GPU with the
    /// target `gpu`.
    pub(crate) fn who(&self, distro: &str, package: &str, gpu: Target) -> Vec<&Runner> {
        let units = self
            .units
            .iter()
            .filter(|u| u.distro == distro && u.package == package);
        let runs = units
            .flat_map(|u| u.native.iter().chain(&u.compatible))
            .filter(|run| run.gpu == gpu);
        runs.map(|run| &self.lab.runners[run.runner]).collect()
    }

    /// Returns the tests of a package on GPUs of `target`, for a package whose code for the target
    /// is not in the model.
    pub(super) fn any_unit(
        &self,
        distro: &str,
        package: &str,
        version: &str,
        target: Target,
    ) -> Unit {
        let runs = self.lab.runners.iter().enumerate().filter(|(_, runner)| {
            let skips = runner.skips.iter();
            let mut skipped = skips.filter(|(_, set)| set.contains(target));
            runner.gpus.iter().any(|(_, gpu)| *gpu == target)
                && !skipped.any(|(name, _)| name == package)
        });
        let runs = runs.map(|(runner, _)| TestRun {
            runner,
            gpu: target,
        });
        Unit::new(distro, package, version, target, runs.collect())
    }

    fn name(&self, target: Target) -> &str {
        self.registry.name(target)
    }

    /// Returns a run as text, with the name of its runner and the target of its GPU:
    /// `big, gfx1100`.
    fn shown(&self, run: &TestRun) -> String {
        format!(
            "{}, {}",
            self.lab.runners[run.runner].name,
            self.name(run.gpu)
        )
    }

    /// Returns the tests of a run. The value is true if the code in the test is built for the GPU's
    /// own target.
    fn tested(&self, run: &TestRun) -> Vec<(&Unit, bool)> {
        let of = |u: &&Unit| u.runs().contains(run);
        self.units
            .iter()
            .filter(of)
            .map(|u| (u, !u.native.is_empty()))
            .collect()
    }
}

/// Prints the plan of tests: the tests of each runner, and the tests without a runner.
pub(super) fn run(args: &PlanTestArgs) -> Result<Outcome, Error> {
    let here = Settings::here()?;
    let stack = args.plan.model.stack_over(&here.profiles())?;
    let lab = read_lab(&stack, &args.runners)?;
    if args.gate && lab.backends.is_empty() && lab.limits.is_empty() {
        let file = args.runners.display();
        let said = format!("--gate: {file} states no `backends` and no `limits`");
        return Err(Error::Usage(said));
    }
    let records = args.results.as_deref().map(|dir| read_results(&stack, dir));
    let records = records.transpose()?.unwrap_or_default();
    let backends = here.backends(args.distro.as_slice());
    let choice = here.choice(&stack, &args.plan.release, &backends)?;
    let questions = all(&stack, &backends, &choice)?;
    let tests = Tests::new(&stack, &questions, lab, &args.package)?;
    let health = health(&tests, &records);
    let mut outcome = match args.format {
        TestFormat::Text => Outcome::done(tests.text() + &health.text()),
        TestFormat::Json => Outcome::json(&tests.json(&health)),
        TestFormat::Github => Outcome {
            err: health.text(),
            ..Outcome::json(&tests.matrix())
        },
    };
    if args.gate && !health.is_good() {
        outcome.status = DIFFERS;
    }
    Ok(outcome)
}

impl Tests<'_> {
    fn text(&self) -> String {
        let (runs, exact) = fewest_runs(&self.units);
        let covered = self.units.iter().filter(|u| !u.runs().is_empty()).count();
        let native = self.units.iter().filter(|u| !u.native.is_empty()).count();
        let all = self.units.len();
        let fewest = if exact {
            "the fewest possible"
        } else {
            "fewer may be enough"
        };
        let mut out = format!(
            "{covered} of {all} tests have a runner, {native} of them on a GPU of exactly their target, in {} runs, {fewest}\n",
            runs.len()
        );
        for run in &runs {
            let runner = &self.lab.runners[run.runner];
            let who = runner
                .contact
                .as_ref()
                .map_or("no contact".to_owned(), |c| format!("contact: {c}"));
            out += &format!("{} ({}; {who})\n", self.shown(run), runner.labels.join(" "));
            let mut by: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
            for (unit, native) in self.tested(run) {
                let code = if native {
                    String::new()
                } else {
                    format!(" by code for {}", self.name(unit.code))
                };
                by.entry((&unit.distro, code))
                    .or_default()
                    .push(&unit.package);
            }
            for ((distro, code), packages) in by {
                out += &format!("  {distro}{code}: {}\n", packages.join(" "));
            }
        }
        let mut bare: BTreeMap<(&str, String), Vec<&str>> = BTreeMap::new();
        for unit in self.units.iter().filter(|u| u.runs().is_empty()) {
            let why: BTreeSet<String> = unit
                .untested
                .iter()
                .map(|(at, why)| format!("{} {}", self.lab.runners[*at].name, said(why)))
                .collect();
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(" ({})", why.into_iter().collect::<Vec<_>>().join(", "))
            };
            bare.entry((&unit.distro, self.name(unit.code).to_owned() + &why))
                .or_default()
                .push(&unit.package);
        }
        for ((distro, target), packages) in bare {
            out += &format!("no runner: {distro} {target}: {}\n", packages.join(" "));
        }
        for (distro, package, fact) in &self.unknown {
            out += &format!("unknown: {distro} {package}: {fact}\n");
        }
        out
    }

    fn json(&self, health: &Health) -> Value {
        let (runs, exact) = fewest_runs(&self.units);
        let run = |r: &TestRun| json!({"runner": self.lab.runners[r.runner].name, "gpu": self.name(r.gpu)});
        let unit = |u: &Unit| {
            let untested: Vec<Value> = u
                .untested
                .iter()
                .map(|(at, why)| json!({"runner": self.lab.runners[*at].name, "why": said(why)}))
                .collect();
            json!({
                "distribution": u.distro, "package": u.package, "version": u.version, "target": self.name(u.code),
                "native": u.native.iter().map(run).collect::<Vec<_>>(), "compatible": u.compatible.iter().map(run).collect::<Vec<_>>(),
                "untested": untested,
            })
        };
        json!({
            "tests": self.units.iter().map(unit).collect::<Vec<_>>(), "runs": runs.iter().map(run).collect::<Vec<_>>(), "fewest": exact,
            "health": health.json(),
            "unknown": self.unknown.iter().map(|(d, p, fact)| json!({"distribution": d, "package": p, "missing": fact})).collect::<Vec<_>>(),
        })
    }

    /// Returns the value of `strategy.matrix` in a workflow of GitHub Actions, with one entry for
    /// each run and distribution. The steps of the job test the packages in `matrix.packages`.
    fn matrix(&self) -> Value {
        let mut include = Vec::new();
        for run in fewest_runs(&self.units).0 {
            let mut by: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (unit, _) in self.tested(&run) {
                by.entry(&unit.distro).or_default().insert(&unit.package);
            }
            let runner = &self.lab.runners[run.runner];
            include.extend(by.into_iter().map(|(distro, packages)| {
                let packages = packages.into_iter().collect::<Vec<_>>().join(" ");
                json!({"runner": runner.name, "runs-on": runner.labels, "gpu": self.name(run.gpu), "distribution": distro, "packages": packages})
            }));
        }
        json!({ "include": include })
    }
}

fn said(why: &Untested) -> String {
    match why {
        Untested::Skipped => "skips it".to_owned(),
        Untested::Memory(m) => format!("has less than {} of memory", size(*m)),
    }
}
