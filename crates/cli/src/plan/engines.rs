//! Writes a plan of builds as input of the engines that run the builds, such as ninja.

use super::texts::{left_out, title};
use crate::error::Error;
use minijinja::{Value as Text, context};
use rocpkg::Backend;
use rocpkg::internal::render::bash::{Quoting, Word};
use rocpkg::internal::render::{Templates, ready};
use rocpkg_answers::plans::{BuildPlan, Builder, Job, Placement};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Returns the builds that a machine has room for. Each has the position of its machine in the
/// plan, and its resources there.
fn running(builds: &BuildPlan) -> Vec<(&Job, usize, Placement)> {
    builds
        .possible()
        .into_iter()
        .filter_map(|job| job.best().map(|(at, fit)| (job, at, fit)))
        .collect()
}

fn one_machine<'b>(builds: &'b BuildPlan, engine: &str) -> Result<&'b Builder, Error> {
    match builds.machines.as_slice() {
        [one] => Ok(one),
        _ => Err(Error::Usage(format!(
            "{engine} builds on one machine: expected one --machine"
        ))),
    }
}

/// Returns the builds that are left out of the plan, as the texts of comments of one line each.
fn comments(builds: &BuildPlan) -> Vec<Text> {
    left_out(builds)
        .iter()
        .map(|line| ready(line.replace('\n', " ")))
        .collect()
}

fn filled(name: &str, view: Text) -> Result<String, Error> {
    Ok(Templates::new(&rocpkg::shipped::templates())?.render(name, view)?)
}

/// Returns the path of the stamp of the build `name`, escaped for ninja. A stamp is a file that
/// marks a finished build. Its name contains a digest, so that a build of the same package with
/// another recipe has another stamp.
fn stamp(builds: &BuildPlan, name: &str) -> String {
    let escaped = name
        .replace('$', "$$")
        .replace(':', "$:")
        .replace(' ', "$ ");
    let digest = builds
        .jobs
        .iter()
        .find(|j| j.name == name)
        .map_or("", |job| builds.digest(job));
    format!("stamps/{escaped}@{digest}")
}

/// Returns the plan as a file for ninja. Builds that run in parallel get equal shares of the
/// machine. A build that needs more than a share takes an exclusive lock, and the other builds
/// share the lock. So the build waits until no other build runs. If it fails, only the builds that
/// need it are stopped.
pub(super) fn ninja(builds: &BuildPlan) -> Result<String, Error> {
    let machine = one_machine(builds, "ninja")?;
    let running = running(builds);
    let locks = running.iter().any(|(.., f)| f.alone) && running.iter().any(|(.., f)| !f.alone);
    let jobs = running.iter().map(|(job, _, fit)| {
        let mut run = builds.command(job, fit);
        let others = Word::lit(format!("stamps/{}@", job.name)).then(Word::pattern("*")).print(Quoting::Whole);
        if locks {
            let mode = if fit.alone { "--exclusive" } else { "--shared" };
            run = format!("flock {mode} stamps/.lock sh -c {}", Word::lit(run).print(Quoting::Whole));
        }
        context! {
            name => ready(job.name.replace('$', "$$")), stamp => ready(stamp(builds, &job.name)), memory => fit.memory, disk => fit.disk, jobs => fit.jobs,
            needs => job.needs.iter().map(|n| ready(stamp(builds, n))).collect::<Vec<_>>(),
            others => ready(others.replace('$', "$$")),
            pool => ready(if fit.alone { "alone" } else { "beside" }), run => ready(run.replace('$', "$$")),
        }
    });
    let jobs: Vec<Text> = jobs.collect();
    filled(
        "plan/ninja.j2",
        context! { title => ready(title(builds)), place => ready(builds.place()), left_out => comments(builds), beside => machine.builds, jobs },
    )
}

pub(super) fn snakemake(builds: &BuildPlan) -> Result<String, Error> {
    let jobs = running(builds).into_iter().map(|(job, _, fit)| {
        let about = json!({
            "needs": job.needs, "command": builds.command(job, &fit), "recipe": builds.digest(job), "jobs": fit.jobs, "memory": fit.memory, "disk": fit.disk,
            "minutes": fit.minutes,
        });
        (job.name.clone(), about)
    });
    // The JSON of texts, numbers, lists and mappings is valid Python, too.
    let jobs = Value::Object(jobs.collect());
    let sum = |of: fn(&Builder) -> u64| builds.machines.iter().map(of).max().unwrap_or(0);
    filled(
        "plan/Snakefile.j2",
        context! {
            title => ready(title(builds)), place => ready(builds.place()), left_out => comments(builds), builds => ready(format!("{jobs:#}")),
            cpus => sum(|m| m.cpus), memory => sum(|m| m.memory), disk => sum(|m| m.disk),
        },
    )
}

/// Returns a job's name in the form that GitHub and Nix accept: `a.b` becomes `a-b`.
fn identifier(name: &str) -> String {
    let word = name.replace(
        |c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-',
        "-",
    );
    if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        word
    } else {
        format!("_{word}")
    }
}

/// The highest number of jobs that GitHub allows in a run.
const MOST_JOBS: usize = 256;

pub(super) fn github(builds: &BuildPlan) -> String {
    let running = running(builds);
    // The products of a build depend on its recipe and patches, on those of the builds that it
    // needs, and on the targets.
    let targets: String = builds
        .plan
        .narrowed
        .iter()
        .map(|name| format!("{name}-"))
        .collect();
    let cache = |job: &Job| {
        let products = builds.products(job);
        let before = builds.before(job);
        let of = builds
            .jobs
            .iter()
            .filter(|j| j.name == job.name || before.contains(j.name.as_str()));
        let recipes: BTreeSet<String> = of
            .flat_map(|j| builds.files(j))
            .map(|path| format!("'{path}'"))
            .collect();
        let recipes = recipes.into_iter().collect::<Vec<_>>().join(", ");
        let key = format!(
            "rocpkg-{}-{}-{targets}${{{{ hashFiles({recipes}) }}}}",
            builds.plan.distro_name,
            identifier(&job.name)
        );
        (!products.is_empty()).then(|| json!({"path": products.join("\n") + "\n", "key": key}))
    };
    let mut jobs = Map::new();
    for (job, at, fit) in &running {
        let mut steps = vec![json!({"uses": "actions/checkout@v6"})];
        let before = builds.before(job);
        for other in builds
            .jobs
            .iter()
            .filter(|j| before.contains(j.name.as_str()))
        {
            if let Some(mut with) = cache(other) {
                with["fail-on-cache-miss"] = json!(true);
                steps.push(json!({"name": format!("Take {}", other.name), "uses": "actions/cache/restore@v5", "with": with}));
            }
        }
        let mut run =
            json!({"name": format!("Build {}", job.name), "run": builds.command(job, fit)});
        if let Some(with) = cache(job) {
            steps.push(json!({"id": "own", "uses": "actions/cache@v5", "with": with}));
            run["if"] = json!("steps.own.outputs.cache-hit != 'true'");
        }
        steps.push(run);
        let needs: Vec<String> = job.needs.iter().map(|n| identifier(n)).collect();
        let mut about =
            json!({"name": job.name, "runs-on": ["self-hosted", builds.machines[*at].name]});
        if !needs.is_empty() {
            about["needs"] = json!(needs);
        }
        // A build that takes three times as long as expected is taken as hanging.
        about["timeout-minutes"] = json!(fit.minutes.saturating_mul(3).max(60));
        about["steps"] = json!(steps);
        jobs.insert(identifier(&job.name), about);
    }
    let mut workflow = json!({"name": title(builds), "on": {"workflow_dispatch": {}}});
    if builds.backend == Backend::Gentoo {
        // The caches contain binary packages.
        workflow["env"] = json!({"FEATURES": "buildpkg", "EMERGE_DEFAULT_OPTS": "--usepkg"});
    }
    workflow["jobs"] = Value::Object(jobs);
    let mut out = String::new();
    for line in left_out(builds) {
        out += &format!("# Left out: {}\n", line.replace('\n', " "));
    }
    if running.len() > MOST_JOBS {
        out += &format!("# GitHub runs at most {MOST_JOBS} jobs: split the plan with --changed\n");
    }
    yaml(&workflow, 0, &mut out);
    out
}

/// Adds a value to `out` as YAML, indented by `depth` steps. Mappings and lists of mappings become
/// blocks. All else is JSON, which is valid YAML.
pub(super) fn yaml(value: &Value, depth: usize, out: &mut String) {
    let margin = "  ".repeat(depth);
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                let nested = matches!(value, Value::Object(m) if !m.is_empty())
                    || matches!(value, Value::Array(a) if a.iter().any(Value::is_object));
                *out += &format!("{margin}{key}:{}", if nested { "\n" } else { " " });
                yaml(value, depth + 1, out);
            }
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for item in items {
                let mut text = String::new();
                yaml(item, depth + 1, &mut text);
                *out += &format!("{margin}- {}", text.trim_start());
            }
        }
        other => *out += &format!("{other}\n"),
    }
}

pub(super) fn hydra(builds: &BuildPlan) -> Result<String, Error> {
    if builds.backend != Backend::Nix {
        return Err(Error::Usage(format!(
            "Hydra builds only nixpkgs, not packages of {}",
            builds.plan.distro_name
        )));
    }
    let running = running(builds);
    // Builds that many others need come first.
    let waiting = |job: &Job| {
        running
            .iter()
            .filter(|(other, ..)| builds.before(other).contains(job.name.as_str()))
            .count()
    };
    let jobs: Vec<Text> = running
        .iter()
        .map(|(job, _, fit)| {
            let attribute = job.name.replacen(':', ".parts.", 1);
            // Hydra's own limit is ten hours.
            let timeout = (fit.minutes * 3 * 60).max(36000);
            context! { name => ready(identifier(&job.name)), timeout, priority => 100 + waiting(job), attribute => ready(attribute) }
        })
        .collect();
    filled(
        "plan/release.nix.j2",
        context! { title => ready(title(builds)), left_out => comments(builds), jobs },
    )
}
