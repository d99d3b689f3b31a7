//! `rocpkg gpu`: reports what runs on a GPU. The GPU is given by a name that its owner knows.

mod facts;
mod json;
mod printed;

use self::facts::{Gpu, MOST, facts, is_whole};
pub(crate) use self::facts::{read_from, reported, word};
use self::json::as_json;
pub(crate) use self::json::{on_distro, on_gpu, on_read_only};
use crate::args::{GpuArgs, words};
use crate::audit::Installed;
use crate::error::Error;
use crate::list::releases;
use crate::outcome::Outcome;
use crate::settings::Settings;
use indexmap::IndexMap;
use rocpkg::internal::beside_each_other;
use rocpkg::internal::resolve::{Bundles, Choice};
use rocpkg::internal::targets::{Carrier, Found, Registry, TargetKind, TargetSet, Via};
use rocpkg::{Backend, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::gpu::{KernelGpu, Machine, OnGpu, Questions, Support, read_only};
use rocpkg_answers::plans::Runs;
use serde_json::{Value, json};
use std::mem::ManuallyDrop;
use std::path::Path;

/// The states of upstream's tests of a package on a device, each with its description.
pub(crate) const TESTS: [(&str, &str); 3] = [
    (
        "scheduled",
        "tests scheduled on a device by upstream, results unknown",
    ),
    ("excluded", "left out of upstream's tests on a device"),
    ("no-machine", "upstream has no machine to test it on"),
];

/// Reports on the named GPUs, or on those of this machine.
pub(crate) fn run(args: &GpuArgs, verbose: bool) -> Result<Outcome, Error> {
    // The process ends after the answer. Freeing the memory piece by piece would take a tenth of
    // the run time.
    let here = Settings::here()?;
    let backends = here.backends(args.distro.as_slice());
    let mut stack = args.plan.model.stack_over(&here.profiles())?;
    let choice = here.choice(&stack, &args.plan.release, &backends)?;
    if let Some(text) = &args.supported_gfx {
        stack = printed::with_printed(stack, &backends, text)?;
    }
    let stack = ManuallyDrop::new(stack);
    let registry = stack.registry()?;
    let machine = args
        .names
        .is_empty()
        .then(|| Machine::read(args.sysfs.as_deref().unwrap_or(Path::new("/sys"))));
    let asked: Vec<Gpu> = if let Some(machine) = &machine {
        machine
            .gpus
            .iter()
            .map(|seen| found_here(&stack, seen))
            .collect()
    } else {
        let is_distro = |name: &&String| words(std::slice::from_ref(*name)).0.is_some();
        if let Some(name) = args.names.iter().find(is_distro) {
            return Err(Error::Usage(format!(
                "`{name}` is a distribution and no GPU: name it as in `rocpkg gpu gfx1030 --distro {name}`"
            )));
        }
        let found = |name: &String| {
            Ok(Gpu {
                name: name.clone(),
                found: Ok(stack.gpu(name)?),
            })
        };
        args.names.iter().map(found).collect::<Result<_, Error>>()?
    };
    let wanted: TargetSet = asked
        .iter()
        .filter_map(|a| a.found.as_ref().ok())
        .map(|f| reported(&stack, &f.targets()))
        .filter(|t| t.len() <= MOST)
        .fold(TargetSet::EMPTY, |all, t| all.union(t));
    let mut questions = if wanted.is_empty() {
        Vec::new()
    } else {
        all(&stack, &backends, &choice)?
    };
    for (_, q) in &mut questions {
        q.options = args.plan.shown();
    }
    let questions = ManuallyDrop::new(questions);
    // The installed runtime is taken for that of a distribution only if the user named one.
    let own = questions
        .first()
        .filter(|_| backends.len() == 1)
        .map(|(_, q)| q);
    let installed = args
        .installed
        .as_ref()
        .map(|dir| Installed::read(&stack, dir.as_deref()))
        .transpose()?;
    if args.json {
        let gpus: Vec<Value> = asked
            .iter()
            .map(|a| as_json(&stack, registry, a, &questions))
            .collect();
        let here = machine.map(|m| json!({"kfd": m.kfd, "others": m.others}));
        let installed = installed.map(|i| i.as_json(registry, own, &wanted));
        return Ok(Outcome::json(
            &json!({"gpus": gpus, "machine": here, "installed": installed}),
        ));
    }
    let mut out = String::new();
    if let Some(machine) = &machine {
        out += &about_machine(machine);
    }
    for a in &asked {
        tell(&stack, registry, a, &questions, verbose, &mut out);
    }
    if asked.len() > 1 {
        out += &together(registry, &wanted, &questions);
    }
    out.extend(installed.map(|i| i.text(registry, own, &wanted)));
    Ok(Outcome::done(out))
}

/// Returns the [`Questions`] of each distribution, from which all reports on GPUs are answered.
/// They are computed in parallel.
pub(crate) fn all<'s>(
    stack: &'s Stack,
    backends: &[Backend],
    choice: &Choice,
) -> Result<Vec<(Backend, Questions<'s>)>, Error> {
    let each = beside_each_other(backends, |b| stack.questions(*b, choice).map(|q| (*b, q)));
    Ok(each.into_iter().collect::<Result<_, _>>()?)
}

/// Looks up a GPU of this machine. Returns the products with its PCI id that have the target of its
/// version. If there are none, returns the target.
fn found_here(stack: &Stack, seen: &KernelGpu) -> Gpu {
    let by_version = stack.gpu(&seen.name);
    let by_device = stack.gpu(&seen.pci).ok();
    let ids = if seen.name == seen.pci {
        seen.pci.clone()
    } else {
        format!("{}, {}", seen.name, seen.pci)
    };
    let name = format!("{} ({ids})", seen.place);
    let found = match (by_version, by_device) {
        (Ok(version), Some(Found::Hardware(rows))) => {
            let same: Vec<_> = rows
                .into_iter()
                .filter(|c| version.targets().contains(c.target))
                .collect();
            Ok(if same.is_empty() {
                version
            } else {
                Found::Hardware(same)
            })
        }
        (Ok(version), _) => Ok(version),
        (Err(e), _) => Err(e.to_string()),
    };
    Gpu { name, found }
}

fn about_machine(machine: &Machine) -> String {
    let mut out = String::new();
    if machine.gpus.is_empty() {
        out += "no AMD GPU found";
        out += if machine.kfd {
            ": the kernel lists only processors\n"
        } else {
            "\n"
        };
    } else if !machine.kfd {
        out +=
            "the compute driver (KFD) is not loaded: GPUs are identified by their PCI ids alone\n";
    }
    for other in &machine.others {
        out += &format!("{other}: a GPU of another vendor, which has no targets\n");
    }
    out
}

fn tell(
    stack: &Stack,
    registry: &Registry,
    asked: &Gpu,
    questions: &[(Backend, Questions)],
    verbose: bool,
    out: &mut String,
) {
    let found = match &asked.found {
        Ok(found) => found,
        Err(why) => return out.push_str(&format!("{}: {why}\n", asked.name)),
    };
    let what = match found {
        Found::Id(target) if registry.kind(*target) == TargetKind::Generic => {
            let covered = registry.serves(*target, false);
            format!("a generic target of {}", registry.show(covered))
        }
        Found::Id(target) => registry.hardware(registry.name(*target)).family.to_owned(),
        Found::Family { name, .. } => format!("family {name}"),
        Found::Hardware(_) if found.targets().len() > MOST => "which all have this name".to_owned(),
        Found::Hardware(rows) => named(registry, rows),
    };
    let kernel = reported(stack, &found.targets());
    let targets = registry.show(found.targets());
    let what = Some(what).filter(|what| !what.is_empty());
    let all: Vec<String> = [targets].into_iter().chain(what).collect();
    *out += &format!("{}: {}\n", asked.name, all.join(", "));
    if kernel != found.targets() {
        *out += &format!("  the kernel reports {}\n", registry.show(&kernel));
    }
    if kernel.len() > MOST {
        *out += "  name one of them to see what runs: `rocminfo` prints it, and so do gfx_target_version in \
                 /sys/class/kfd/kfd/topology/nodes/*/properties and the PCI id (`lspci -nn`); `rocpkg gpu` without a name reads both\n";
        return;
    }
    for gpu in kernel.iter() {
        if kernel.len() > 1 {
            *out += &format!("on {}:\n", registry.name(gpu));
        }
        for (what, text) in facts(registry, gpu).iter().filter(|_| verbose) {
            *out += &format!("  {what}: {text}\n");
        }
        if verbose && let Some((word, source)) = registry.declared(gpu) {
            *out += &format!("  declared {word} by upstream ({source}); passed: no record\n");
        }
        for (_, q) in questions {
            let head = format!("{} {}", q.plan.distro_name, releases(&q.plan));
            let found = q.on_gpu(gpu);
            distribution(registry, &head, &found, verbose, out);
            consumers(registry, q, &found, out);
        }
        for (name, entry, found) in read_only(registry, gpu).filter(|_| is_whole(questions)) {
            let head = format!("{name} {} ({})", entry.release, read_from(entry));
            distribution(registry, &head, &found, verbose, out);
            if let Some(runtime) = entry.runtime.as_ref().filter(|_| verbose) {
                let not = if runtime.patched { "" } else { "not " };
                let source = &runtime.source.value;
                *out += &format!("    runtime: {not}patched for compatible GPUs ({source})\n");
            }
        }
        for o in registry.overrides(gpu) {
            let head = match o.outcome.word() {
                "hangs" => format!("never set HSA_OVERRIDE_GFX_VERSION={}", o.value),
                word if verbose => format!("HSA_OVERRIDE_GFX_VERSION={}: {word}", o.value),
                _ => continue,
            };
            *out += &format!("  {head}: {} ({})\n", o.reason, o.source);
        }
    }
}

/// Returns the names of the products `all`, as text. If they have several targets, each product is
/// followed by its target.
fn named(registry: &Registry, all: &[Carrier]) -> String {
    let open = all.iter().any(|c| c.target != all[0].target);
    let mut said: Vec<String> = Vec::new();
    for row in all {
        let mut text = row.name.clone();
        if open {
            text += &format!(" ({})", registry.name(row.target));
        }
        if let Some(why) = &row.unsure {
            text += &format!(" (not sure: {why})");
        }
        if !said.contains(&text) {
            said.push(text);
        }
    }
    let decides = if open { "; the PCI id decides" } else { "" };
    said.join(", ") + decides
}

/// Returns one line for each distribution in which users choose targets: the setting of
/// `package.use` that builds packages for all of these GPUs.
fn together(registry: &Registry, gpus: &TargetSet, questions: &[(Backend, Questions)]) -> String {
    let mut out = String::new();
    for (_, q) in questions {
        let all: TargetSet = gpus.iter().flat_map(|gpu| q.on_gpu(gpu).choose).collect();
        if !all.is_empty() {
            let (distro, names) = (&q.plan.distro_name, registry.show(all));
            let variable = q
                .plan
                .distro
                .eclass
                .as_ref()
                .map_or("", |eclass| &eclass.expand.value);
            out += &format!("{distro}, for all of them: `*/* {variable}: -* {names}`\n");
        }
    }
    out
}

/// Adds a line for each way in which consumers run on a GPU. Consumers are packages that are built
/// on the others, and for which no recipe is rendered.
fn consumers(registry: &Registry, q: &Questions, found: &OnGpu, out: &mut String) {
    for (word, all) in ways(registry, &found.consumers) {
        let names: Vec<&str> = all
            .into_iter()
            .map(|id| q.plan.known(id).map_or(id, |p| &p.name))
            .collect();
        *out += &format!("    consumers, {word}: {}\n", names.join(" "));
    }
}

/// Returns the packages on a GPU, by the ways in which they run, as text. The best way comes first.
fn ways<'f>(registry: &Registry, all: &'f [Runs]) -> IndexMap<String, Vec<&'f str>> {
    let mut out: IndexMap<String, Vec<&str>> = IndexMap::new();
    let mut packages: Vec<&Runs> = all.iter().collect();
    packages.sort_by_key(|p| match p.way {
        Support::Native => 0,
        Support::Loads { .. } => 1,
        Support::Packed { .. } => 2,
        Support::Override { .. } => 3,
        Support::Without => 4,
        Support::Unknown(_) => 5,
    });
    for p in packages {
        out.entry(word(registry, &p.way))
            .or_default()
            .push(&p.package);
    }
    out
}

fn distribution(registry: &Registry, head: &str, found: &OnGpu, verbose: bool, out: &mut String) {
    let ways = ways(registry, &found.packages);
    let doubtful = found
        .packages
        .iter()
        .filter(|p| p.way == Support::Native && !p.reason.is_empty())
        .count();
    let short = |(word, all): (&String, &Vec<&str>)| {
        let said = match ways.len() {
            1 => format!("{word} in all {} packages", all.len()),
            _ => format!("{word}: {} of {}", all.len(), found.packages.len()),
        };
        let offered = if word == "native" && doubtful > 0 {
            format!(
                " ({doubtful} by the distribution's word alone: no known list of upstream names them)"
            )
        } else {
            String::new()
        };
        said + &offered
    };
    let known: Vec<String> = ways
        .iter()
        .filter(|(w, _)| !w.starts_with("unknown"))
        .map(short)
        .collect();
    let unknown: usize = ways
        .iter()
        .filter(|(w, _)| w.starts_with("unknown"))
        .map(|(_, all)| all.len())
        .sum();
    let guesses = guesses(registry, found);
    let unknown = (unknown > 0).then(|| {
        let mut more: IndexMap<&str, usize> = IndexMap::new();
        for ((word, _), packages) in &guesses {
            *more.entry(word).or_default() += packages.len();
        }
        let mut more: Vec<String> = more
            .iter()
            .map(|(word, count)| format!("probably {word}: {count}"))
            .collect();
        more.extend((!verbose).then(|| "-v lists the missing facts".to_owned()));
        let more = match more.join("; ") {
            more if more.is_empty() => more,
            more => format!(" ({more})"),
        };
        format!("unknown: {unknown} of {}{more}", found.packages.len())
    });
    let line = known
        .into_iter()
        .chain(unknown)
        .collect::<Vec<_>>()
        .join("; ");
    *out += &format!("  {head}: {line}\n");
    for (word, all) in ways.iter().filter(|_| verbose) {
        *out += &format!("    {word}: {}\n", all.join(" "));
    }
    if verbose && !found.headers.is_empty() {
        let headers = found.headers.join(" ");
        *out += &format!("    headers, compiled by what includes them: {headers}\n");
    }
    for ((word, reason), all) in guesses.iter().filter(|_| verbose) {
        let names = all.join(" ");
        *out += &format!("    probably {word}, a guess: {names}: {reason}\n");
    }
    let mut alike: IndexMap<String, Vec<&str>> = IndexMap::new();
    for p in found.packages.iter().filter(|p| p.way == Support::Without) {
        let said = [&p.cost]
            .into_iter()
            .chain(&p.avoid)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("; ");
        let said = if said.is_empty() {
            said
        } else {
            format!(" ({said})")
        };
        let reason = if verbose {
            format!(": {}", p.reason)
        } else {
            String::new()
        };
        alike.entry(said + &reason).or_default().push(&p.package);
    }
    for (said, packages) in alike {
        *out += &format!("    no kernels: {}{said}\n", packages.join(" "));
    }
    *out += &compressed(found);
    if verbose {
        let told = |what: &str, is: &dyn Fn(&Runs) -> bool| {
            let names: Vec<&str> = found
                .packages
                .iter()
                .filter(|p| is(p))
                .map(|p| p.package.as_str())
                .collect();
            if names.is_empty() {
                String::new()
            } else {
                format!("    {what}: {}\n", names.join(" "))
            }
        };
        *out += &told(
            "modelled: upstream's code supports it, as far as is known",
            &|p| p.evidence.modelled,
        );
        *out += &told("excluded by upstream", &|p| p.evidence.excluded.is_some());
        for (word, what) in TESTS {
            *out += &told(what, &|p| p.evidence.tests == word);
        }
    }
    if verbose && !found.patches.is_empty() {
        *out += &format!("    patched: {}\n", found.patches.join("; "));
    }
    for step in &found.next {
        *out += &format!("    next: {step}\n");
    }
}

/// Returns the packages whose support is not known and guessed, by the guess as text and its
/// reason.
fn guesses<'f>(registry: &Registry, found: &'f OnGpu) -> IndexMap<(String, &'f str), Vec<&'f str>> {
    let mut out: IndexMap<(String, &str), Vec<&str>> = IndexMap::new();
    for p in &found.packages {
        if let Some(likely) = &p.likely {
            let guess = (word(registry, &likely.way), likely.reason.as_str());
            out.entry(guess).or_default().push(&p.package);
        }
    }
    out.sort_by(|(a, _), _, (b, _), _| (a != "native").cmp(&(b != "native")));
    out
}

/// Returns a line for each cause of compression that hides code from the runtime, with the packages
/// and the patches that are missing. Another line has the packages whose compressed code the
/// runtime finds by patches.
fn compressed(found: &OnGpu) -> String {
    let mut hidden: IndexMap<String, Vec<&str>> = IndexMap::new();
    let mut served: IndexMap<&str, Vec<&str>> = IndexMap::new();
    for p in &found.packages {
        match (&p.way, &p.bundles) {
            (Support::Packed { packed, .. }, _) => {
                let missing = packed.missing.join("; ");
                let said = format!("{}; not patched: {missing}", packed.cause);
                hidden.entry(said).or_default().push(&p.package);
            }
            (Support::Loads { via, .. }, Bundles::Compressed { without, .. })
                if *via == Via::Compatible && !found.bundle_patches.is_empty() =>
            {
                served.entry(without).or_default().push(&p.package);
            }
            _ => {}
        }
    }
    let line = |(said, packages): (&String, &Vec<&str>)| {
        format!(
            "    in compressed bundles: {} ({said})\n",
            packages.join(" ")
        )
    };
    let mut out: String = hidden.iter().map(line).collect();
    if !served.is_empty() {
        let ways = served.iter();
        let ways = ways.map(|(without, packages)| match served.len() {
            1 => (*without).to_owned(),
            _ => format!("{} {without}", packages.join(" ")),
        });
        let ways: Vec<String> = ways.collect();
        let packages: Vec<&str> = served.values().flatten().copied().collect();
        let patches = found.bundle_patches.join(", ");
        let ways = ways.join(", ");
        let said = format!("found by {patches}; without these patches: build {ways}");
        out += &line((&said, &packages));
    }
    out
}
