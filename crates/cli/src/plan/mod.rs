//! `rocpkg plan`: the order of builds and their machines, and the runners of tests.

mod engines;
mod gate;
mod results;
mod tests;
mod texts;

use crate::args::{BuildFormat, PlanBuildArgs, PlansCommand};
use crate::error::Error;
use crate::order::circle;
use crate::outcome::Outcome;
use crate::settings::Settings;
pub(crate) use gate::{Health, Standing, health, is_limited, over};
pub(crate) use results::{Came, Record, Series, came_of, read_results, series};
use rocpkg::internal::resolve::Bundles;
use rocpkg_answers::Answers as _;
use rocpkg_answers::plans::{Amount, BuildPlan, Builder, Job, KnownSize, Placement};
use serde_json::{Value, json};
pub(crate) use tests::{Tests, read_lab};
pub(crate) use texts::size;
use texts::{bare, left_out, short_of_memory, time, title};

/// Prints a plan of builds or of tests.
pub(crate) fn run(command: &PlansCommand, verbose: bool) -> Result<Outcome, Error> {
    match command {
        PlansCommand::Build(a) => build(a, verbose),
        PlansCommand::Test(a) => tests::run(a),
    }
}

fn build(args: &PlanBuildArgs, verbose: bool) -> Result<Outcome, Error> {
    let here = Settings::here()?;
    let stack = args.plan.model.stack_over(&here.profiles())?;
    let backend = here.backend(args.distro)?;
    let choice = &here.choice(&stack, &args.plan.release, &[backend])?;
    let targets = args.targets.as_deref();
    let mut builds = stack.builds(backend, choice, &args.changed, targets, &args.machine)?;
    if let Some(own) = here.own_packages(&stack, backend)? {
        builds.keep(&own);
    }
    if builds.jobs.is_empty() {
        let notes = builds.notes.iter().map(|note| format!("; {note}"));
        let notes: String = notes.collect();
        return Ok(Outcome::done(format!("nothing to build{notes}\n")));
    }
    let text = match args.format {
        BuildFormat::Text => told(&builds, verbose),
        BuildFormat::Json => return Ok(Outcome::json(&as_json(&builds))),
        BuildFormat::Ninja => engines::ninja(&builds)?,
        BuildFormat::Snakemake => engines::snakemake(&builds)?,
        BuildFormat::Github => engines::github(&builds),
        BuildFormat::Hydra => engines::hydra(&builds)?,
    };
    let mut outcome = Outcome::done(text);
    if args.format != BuildFormat::Text {
        // Builds that the written plan leaves out are also reported on standard error.
        outcome.err = bare(&builds);
        outcome.err.extend(
            left_out(&builds)
                .iter()
                .map(|line| format!("left out: {line}\n")),
        );
    }
    Ok(outcome)
}

fn machine(m: &Builder) -> String {
    let builds = if m.builds > 1 {
        format!(", {} builds at once", m.builds)
    } else {
        String::new()
    };
    format!(
        "{}: {} processors, {} of memory, {} of disk{builds}",
        m.name,
        m.cpus,
        size(m.memory),
        size(m.disk)
    )
}

fn told(builds: &BuildPlan, verbose: bool) -> String {
    let mut out = format!("{}; commands are run {}\n", title(builds), builds.place());
    for m in &builds.machines {
        out += &format!("machine {}\n", machine(m));
    }
    let possible = builds.possible();
    let mut is_estimate = false;
    let width = possible.iter().map(|j| j.name.len()).max().unwrap_or(0);
    for job in &possible {
        let Some((at, fit)) = job.best() else {
            continue;
        };
        let on = if builds.machines.len() > 1 {
            format!(" {}", builds.machines[at].name)
        } else {
            String::new()
        };
        let estimated = job.demand.estimated(&fit);
        let mut mark = |what| {
            if estimated.contains(&what) {
                is_estimate = true;
                "?"
            } else {
                ""
            }
        };
        let links = fit
            .links
            .map(|n| format!(" ({n} link)"))
            .unwrap_or_default();
        let least = if fit.at_least { "at least " } else { "" };
        out += &format!(
            "{:width$} {on} -j{}{links}, {}{} memory, {}{} disk, {least}{}{}: {}\n",
            job.name,
            fit.jobs,
            size(fit.memory),
            mark("memory"),
            size(fit.disk),
            mark("disk"),
            time(fit.minutes),
            mark("minutes"),
            builds.command(job, &fit),
        );
        if verbose {
            for (what, Amount { value, source, .. }) in job.demand.seen() {
                let value = if what.starts_with("minutes") {
                    time(*value)
                } else {
                    size(*value)
                };
                out += &format!("{:width$}   {what}: {value}, by {source}\n", "");
            }
            for (name, value) in knobs(job, &fit) {
                out += &format!("{:width$}   upstream's variable {name}: {value}\n", "");
            }
        }
    }
    if is_estimate {
        out += "?: not measured for this build, but estimated: for the package's kind in \
                upstream.yaml, or by a rule of thumb, whose source -v shows\n";
    }
    out += &short_of_memory(builds);
    out.extend(builds.broken.iter().map(|need| circle(&builds.plan, need)));
    out.extend(builds.sizes().iter().map(library));
    out += &bare(builds);
    for line in left_out(builds) {
        out += &format!("can't be built here: {line}\n");
    }
    out
}

/// Returns the line about a library whose size is known.
fn library(known: &KnownSize) -> String {
    let fact = known.fact;
    let states = [("plain", fact.plain), ("compressed", fact.compressed)];
    let states = states
        .iter()
        .filter_map(|(word, mb)| Some(format!("{} {word}", size((*mb)?))));
    let states: Vec<String> = states.collect();
    let targets: Vec<&str> = fact.built_for.iter().map(|t| t.value.as_str()).collect();
    let built = if targets.is_empty() {
        String::new()
    } else {
        format!(" for {}", targets.join(" "))
    };
    let packing = match &known.bundles {
        Bundles::Compressed { .. } => "compressed here",
        Bundles::Plain => "plain here",
        Bundles::Unknown => "not known if compressed here",
    };
    let limit = if known.is_near_limit() {
        "; this is near 2 GiB, where the linker fails (`R_X86_64_PC32 out of range`): compress it, or \
         build for fewer GPU targets"
    } else {
        ""
    };
    format!(
        "size of {} of {}: {}{built} ({}); {packing}{limit}\n",
        fact.library.value,
        known.package,
        states.join(", "),
        fact.source.value
    )
}

/// Returns the variables by which upstream's build is told the number of parallel jobs, with their
/// values on a machine.
fn knobs(job: &Job, fit: &Placement) -> Vec<(String, u64)> {
    use rocpkg::internal::model::Knob;
    let value = |knob| {
        if knob == Knob::Link {
            fit.links.unwrap_or(fit.jobs)
        } else {
            fit.jobs
        }
    };
    job.demand
        .knobs
        .iter()
        .map(|(name, knob)| (name.clone(), value(*knob)))
        .collect()
}

fn as_json(builds: &BuildPlan) -> Value {
    let job = |job: &Job| {
        let seen: Vec<Value> = job
            .demand
            .seen()
            .into_iter()
            .map(|(what, a)| json!({"what": what, "value": a.value, "source": a.source}))
            .collect();
        let runs = job.best().map(|(at, fit)| {
            json!({
                "machine": builds.machines[at].name, "jobs": fit.jobs, "links": fit.links, "memory": fit.memory, "disk": fit.disk,
                "minutes": fit.minutes, "at-least": fit.at_least, "estimated": job.demand.estimated(&fit), "alone": fit.alone, "command": builds.command(job, &fit),
                "variables": knobs(job, &fit).into_iter().collect::<std::collections::BTreeMap<_, _>>(),
            })
        });
        let lack = job
            .fits
            .iter()
            .rev()
            .find_map(|f| f.as_ref().err())
            .filter(|_| runs.is_none());
        json!({
            "name": job.name, "package": job.id, "part": job.part, "version": job.version, "needs": job.needs,
            "targets": job.targets, "runs": runs, "seen": seen, "assumed": job.demand.assumed(),
            "lacks": lack,
            "help": job.help,
        })
    };
    json!({
        "distribution": builds.plan.distro_name, "version": builds.plan.version.to_string(), "targets": builds.plan.narrowed, "notes": builds.notes,
        "place": builds.place(), "machines": builds.machines, "jobs": builds.jobs.iter().map(job).collect::<Vec<_>>(),
        "broken": builds.broken.iter().map(|n| json!({"from": n.from, "to": n.to})).collect::<Vec<_>>(),
        "left-out": left_out(builds),
        "sizes": builds.sizes().iter().map(|known| json!({
            "package": known.package, "library": known.fact.library.value, "plain": known.fact.plain,
            "compressed": known.fact.compressed, "source": known.fact.source.value,
            "is-compressed": match &known.bundles {
                Bundles::Compressed { .. } => Some(true),
                Bundles::Plain => Some(false),
                Bundles::Unknown => None,
            },
            "near-limit": known.is_near_limit(),
        })).collect::<Vec<_>>(),
    })
}
