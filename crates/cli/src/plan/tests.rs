//! `rocpkg plan test`: assigns the tests of packages to runners, which are machines with GPUs. This
//! module also reads the records of test results.

use super::texts::size;
use crate::args::{PlanTestArgs, TestFormat};
use crate::error::Error;
use crate::gpu::{all, reported};
use crate::outcome::Outcome;
use rocpkg::explain::is_named;
use rocpkg::targets::{Registry, Target};
use rocpkg::{Backend, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::gpu::Questions;
use rocpkg_answers::plans::{Runner, TestRun, Unit, Untested, fewest_runs};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|e| Error::file(path, e))
}

/// Reads the file of `--runners`.
pub(crate) fn runners(stack: &Stack, path: &Path) -> Result<Vec<Runner>, Error> {
    Ok(stack.runners(&path.display().to_string(), &read(path)?)?)
}

/// The tests of packages, and the runners that can run them. A test is the test of one package of a
/// distribution, on GPUs of one target.
pub(crate) struct Tests<'s> {
    registry: &'s Registry,
    runners: Vec<Runner>,
    units: Vec<Unit>,
    /// The tests that can't be planned, each with the distribution, the package, and the fact that
    /// is not known.
    unknown: Vec<(String, String, String)>,
}

impl<'s> Tests<'s> {
    /// Collects the tests of the packages in `packages`, or of all packages if it is empty.
    pub(crate) fn new(
        stack: &'s Stack,
        questions: &[(Backend, Questions)],
        runners: Vec<Runner>,
        packages: &[String],
    ) -> Result<Self, Error> {
        let (mut units, mut unknown) = (Vec::new(), Vec::new());
        for (_, q) in questions {
            let (more, open) = q.test_units(&runners, packages);
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
        for runner in &runners {
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
        Ok(Self {
            registry: stack.registry()?,
            runners,
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
        runs.map(|run| &self.runners[run.runner]).collect()
    }

    fn name(&self, target: Target) -> &str {
        self.registry.name(target)
    }

    /// Returns a run as text, with the name of its runner and the target of its GPU:
    /// `big, gfx1100`.
    fn shown(&self, run: &TestRun) -> String {
        format!("{}, {}", self.runners[run.runner].name, self.name(run.gpu))
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
    let stack = args.plan.model.stack()?;
    let runners = runners(&stack, &args.runners)?;
    let backends = args
        .distro
        .map_or_else(|| Backend::ALL.to_vec(), |d| vec![d]);
    let questions = all(&stack, &backends, args.plan.choice()?)?;
    let tests = Tests::new(&stack, &questions, runners, &args.package)?;
    Ok(match args.format {
        TestFormat::Text => Outcome::done(tests.text()),
        TestFormat::Json => Outcome::json(&tests.json()),
        TestFormat::Github => Outcome::json(&tests.matrix()),
    })
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
            let runner = &self.runners[run.runner];
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
                .map(|(at, why)| format!("{} {}", self.runners[*at].name, said(why)))
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

    fn json(&self) -> Value {
        let (runs, exact) = fewest_runs(&self.units);
        let run =
            |r: &TestRun| json!({"runner": self.runners[r.runner].name, "gpu": self.name(r.gpu)});
        let unit = |u: &Unit| {
            let untested: Vec<Value> = u
                .untested
                .iter()
                .map(|(at, why)| json!({"runner": self.runners[*at].name, "why": said(why)}))
                .collect();
            json!({
                "distribution": u.distro, "package": u.package, "version": u.version, "target": self.name(u.code),
                "native": u.native.iter().map(run).collect::<Vec<_>>(), "compatible": u.compatible.iter().map(run).collect::<Vec<_>>(),
                "untested": untested,
            })
        };
        json!({
            "tests": self.units.iter().map(unit).collect::<Vec<_>>(), "runs": runs.iter().map(run).collect::<Vec<_>>(), "fewest": exact,
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
            let runner = &self.runners[run.runner];
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

/// The result of a package's tests on a device, or the result of `rocpkg audit` that the package
/// was built for a target.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "lowercase")]
pub(crate) struct Record {
    /// The package, by any of its names. [`read_results`] replaces the name by the package's id.
    pub(crate) package: String,
    /// The version of the package.
    pub(crate) release: String,
    pub(crate) distribution: String,
    /// The target of the GPU.
    pub(crate) target: String,
    /// The name of the GPU, as its owner knows it; empty if the package was only built.
    #[serde(default)]
    pub(crate) device: String,
    pub(crate) outcome: Came,
    /// The address of the log.
    pub(crate) log: String,
    /// The day of the test, as `2026-11-23`; empty if the package was only built.
    #[serde(default)]
    pub(crate) date: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Came {
    Passed,
    Failed,
    /// The package contains code for the target, by `rocpkg audit`. Nobody ran the code.
    Built,
}

/// The output of `rocpkg audit --format json`. Only its results are read.
#[derive(Deserialize)]
struct Audited {
    results: Vec<Record>,
}

/// Returns true if `id` is the id of a component, or of a package in some distribution.
fn is_package(stack: &Stack, id: &str) -> bool {
    let model = stack.model();
    model.components.contains_key(id) || model.distros.values().any(|d| d.packages.contains_key(id))
}

/// Reads the test results in the JSON files of a folder. The newest come first.
pub(crate) fn read_results(stack: &Stack, folder: &Path) -> Result<Vec<Record>, Error> {
    let registry = stack.registry()?;
    let wrong = |path: &Path, e: &dyn std::fmt::Display| Error::file(path, e);
    let entries = fs::read_dir(folder).map_err(|e| wrong(folder, &e))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|e| wrong(folder, &e))?.path());
    }
    paths.retain(|p| p.extension().is_some_and(|e| e == "json"));
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        let text = read(&path)?;
        let mut records: Vec<Record> = if text.trim_start().starts_with('[') {
            serde_json::from_str(&text).map_err(|e| wrong(&path, &e))?
        } else if let Ok(audited) = serde_json::from_str::<Audited>(&text) {
            audited.results
        } else {
            vec![serde_json::from_str(&text).map_err(|e| wrong(&path, &e))?]
        };
        for record in records
            .iter_mut()
            .filter(|r| !is_package(stack, &r.package))
        {
            // The record may have the name that a distribution or upstream uses.
            if let Some((id, _)) = stack.model().spellings.meant(&record.package) {
                record.package = id.to_owned();
            }
        }
        if let Some(fault) = records
            .iter()
            .find_map(|record| fault(stack, registry, record))
        {
            return Err(wrong(&path, &fault));
        }
        out.extend(records);
    }
    out.sort_by(|a, b| b.date.cmp(&a.date));
    Ok(out)
}

/// Returns the fault of a record as text, or `None` if the record is valid.
fn fault(stack: &Stack, registry: &Registry, record: &Record) -> Option<String> {
    let Record {
        package,
        target,
        distribution,
        date,
        device,
        ..
    } = record;
    if !is_package(stack, package) {
        return Some(format!("no package is called `{package}`"));
    }
    let Some(gpu) = registry.get(target) else {
        return Some(format!("unknown GPU target `{target}`"));
    };
    if !Backend::ALL.iter().any(|b| b.distro() == distribution) {
        return Some(format!("unknown distribution `{distribution}`"));
    }
    if record.outcome == Came::Built {
        return None;
    }
    if device.is_empty() {
        return Some("`device` is missing: expected the name of the GPU".to_owned());
    }
    // A device that is not in the model is accepted with the target that its owner states.
    if let Ok(found) = stack.gpu(device) {
        let all = found.targets().union(reported(stack, &found.targets()));
        if !all.contains(gpu) {
            return Some(format!(
                "`{target}` is not the target of `{device}`: expected {}",
                registry.show(all)
            ));
        }
    }
    (!is_day(date)).then(|| format!("`{date}` is not a date: expected a day such as 2026-11-23"))
}

fn is_day(text: &str) -> bool {
    let shape = text.len() == 10
        && text.char_indices().all(|(i, c)| {
            if matches!(i, 4 | 7) {
                c == '-'
            } else {
                c.is_ascii_digit()
            }
        });
    let number = |at: std::ops::Range<usize>| {
        text.get(at)
            .and_then(|t| t.parse::<u32>().ok())
            .unwrap_or(0)
    };
    shape && (1..=12).contains(&number(5..7)) && (1..=31).contains(&number(8..10))
}

/// Returns the results of a package on a GPU target in the distribution `distro`. The newest come
/// first.
pub(crate) fn came_of<'r>(
    records: &'r [Record],
    distro: &str,
    package: &str,
    target: &str,
) -> Vec<&'r Record> {
    let of = |r: &&Record| r.distribution == distro && r.package == package && r.target == target;
    records.iter().filter(of).collect()
}
