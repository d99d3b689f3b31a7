//! `rocpkg order`: the order in which packages are built.

use crate::args::OrderArgs;
use crate::error::Error;
use crate::list::releases;
use crate::outcome::Outcome;
use crate::settings::Settings;
use crate::todos::counted;
use rocpkg::internal::model::{Compiler, EdgeKind};
use rocpkg::internal::resolve::{Dependency, KnownCycle, Plan, Planned, ResolvedEdge};
use rocpkg::order::{Need, Order};
use rocpkg::{Backend, Stack};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Prints the stages of the build order. The packages of a stage don't need each other, so they can
/// be built at the same time.
pub(crate) fn run(args: &OrderArgs) -> Result<Outcome, Error> {
    let here = Settings::here()?;
    let stack = args.plan.model.stack_over(&here.profiles())?;
    let backend = args.distro.or(here.distribution).unwrap_or(Backend::Gentoo);
    let choice = here.choice(&stack, &args.plan.release, &[backend])?;
    let mut order = if args.needs.is_empty() {
        stack.order(backend, &choice, &args.changed)?
    } else {
        stack.order_of_needs(backend, &choice, &args.needs)?
    };
    let own = here.own_packages(&stack, backend)?;
    let elsewhere = own.filter(|_| args.needs.is_empty());
    let elsewhere = elsewhere.map_or(0, |own| order.keep(&own));
    if args.json {
        return Ok(Outcome::json(&as_json(&stack, &order)));
    }
    if args.dot {
        return Ok(Outcome::done(order.dot()));
    }
    if !args.needs.is_empty() {
        return Ok(Outcome::done(needed(&stack, &order, &args.needs)));
    }
    let is_consumer = |id: &&String| order.plan.get(id).is_none();
    let consumers = order.stages.iter().flatten().filter(is_consumer).count();
    let count = order.stages.iter().map(Vec::len).sum::<usize>() - consumers;
    let stages = order.stages.len();
    let mut out = format!(
        "{} {}: {} ",
        order.plan.distro_name,
        releases(&order.plan),
        counted(count, "package")
    );
    let changed = args.changed.join(", ");
    let elsewhere = match elsewhere {
        0 => String::new(),
        count => format!("{count} more without a recipe in this checkout\n"),
    };
    if count + consumers == 0 && !changed.is_empty() {
        let (distro, version) = (&order.plan.distro_name, releases(&order.plan));
        let here = if elsewhere.is_empty() { "" } else { " here" };
        return Ok(Outcome::done(format!(
            "{distro} {version}: no package{here} depends on {changed}\n{elsewhere}"
        )));
    }
    if consumers > 0 {
        out += &format!("and {consumers} consumers, which are not rendered (+), ");
    }
    if !args.changed.is_empty() {
        out += &format!(
            "after {changed}, on which they depend, directly or through others (`render --rebuild` \
             counts those with *), "
        );
    }
    out += &format!("in {}\n", counted(stages, "stage"));
    for (i, stage) in order.stages.iter().enumerate() {
        let mark = |is: bool, sign| if is { sign } else { "" };
        let marked = |id: &String| {
            let plus = mark(is_consumer(&id), "+");
            let star = mark(order.holding.contains(id), "*");
            format!("{}{plus}{star}", order.name(id))
        };
        let names: Vec<_> = stage.iter().map(marked).collect();
        out += &format!("{:3}  {}\n", i + 1, names.join(" "));
    }
    out += &elsewhere;
    out += &circles(&order);
    Ok(Outcome::done(out))
}

/// Returns the list of what the packages `names` need: a line for each package, stage by stage.
fn needed(stack: &Stack, order: &Order, names: &[String]) -> String {
    let plan = &order.plan;
    let all = order.stages.iter().enumerate();
    let rows = all.flat_map(|(at, stage)| stage.iter().map(move |id| (at, id)));
    let rows: Vec<(usize, &Planned, String)> = rows
        .filter_map(|(at, id)| plan.known(id).map(|p| (at, p, licence(p))))
        .collect();
    let width = |of: fn(&(usize, &Planned, String)) -> usize| rows.iter().map(of).max();
    let name = width(|(_, p, _)| p.name.len()).unwrap_or_default();
    let word = width(|(_, _, licence)| licence.len()).unwrap_or_default();
    let mut out = format!(
        "{} {}: {} packages for {}, each after those that it needs; the last stage is {}\n",
        plan.distro_name,
        releases(plan),
        rows.len(),
        names.join(", "),
        order.stages.len()
    );
    for (at, p, licence) in &rows {
        let code = if plan.has_device_code(p) {
            "device code"
        } else {
            "no device code"
        };
        let parts: Vec<&str> = parts(p).filter(|part| *part != p.name).collect();
        let parts = if parts.is_empty() {
            String::new()
        } else {
            format!("; makes {}", parts.join(" "))
        };
        out += &format!(
            "{:3}  {:name$}  {licence:word$}  {code}{parts}\n",
            at + 1,
            p.name
        );
    }
    let compilers = compilers(order);
    if !compilers.is_empty() {
        let compilers = Vec::from_iter(compilers).join(", ");
        out += &format!("and from the distribution, as their compiler: {compilers}\n");
    }
    let outside = outside(stack, order);
    if !outside.is_empty() {
        let outside = Vec::from_iter(outside).join(" ");
        out += &format!("and, of the same upstream, without a profile here: {outside}\n");
    }
    out + &circles(order)
}

fn licence(p: &Planned) -> String {
    let all: Vec<&str> = p.package.licence.iter().map(|l| l.value.as_str()).collect();
    if all.is_empty() {
        "no licence stated".to_owned()
    } else {
        all.join(", ")
    }
}

/// Returns the names of the packages that the recipe of `p` is split into.
fn parts(p: &Planned) -> impl Iterator<Item = &str> {
    let own = p.package.pkgbuild.iter();
    own.flat_map(|own| own.packages.keys().map(String::as_str))
}

/// Returns the distribution's names of components that the packages in the stages need, and that no
/// package of the plan contains.
fn outside(stack: &Stack, order: &Order) -> BTreeSet<String> {
    let named = externals(order).filter_map(|(name, e)| {
        let known = stack.model().components.contains_key(&e.name);
        known.then(|| name.clone())
    });
    named.collect()
}

/// Returns the distribution's names, without slots, of the compilers that the packages in the
/// stages need and that no package of the plan contains: those that the key `compiler` names.
fn compilers(order: &Order) -> BTreeSet<String> {
    let named = externals(order).filter_map(|(name, e)| {
        let name = name.split(':').next().unwrap_or(name);
        let own = order.plan.packages.iter().any(|p| p.name == name);
        (e.name == Compiler::Clang.word() && !own).then(|| name.to_owned())
    });
    named.collect()
}

/// Returns the external dependencies of the packages in the stages, except those of tests alone.
fn externals(order: &Order) -> impl Iterator<Item = (&String, &ResolvedEdge)> {
    let ids = order.stages.iter().flatten();
    let edges = ids
        .filter_map(|id| order.plan.known(id))
        .flat_map(|p| p.depends.iter().filter(|e| p.settles(e.edge.when.as_ref())));
    let is_test = |kinds: &[EdgeKind]| kinds.iter().all(|kind| *kind == EdgeKind::Test);
    edges.filter_map(move |e| match &e.to {
        Dependency::External(name) => (!is_test(&e.edge.kind.0)).then_some((name, e)),
        Dependency::Package(_) => None,
    })
}

/// Returns a line for each cycle that packages in the stages are part of: dependencies that no
/// order satisfies, then the cycles that upstream has and the distribution breaks.
fn circles(order: &Order) -> String {
    let broken = order.drawn().filter(|(_, is_broken)| *is_broken);
    let mut out: String = broken.map(|(need, _)| circle(&order.plan, need)).collect();
    for cycle in cycles(order) {
        out += &format!("a cycle: {}\n", cycle.text(&order.plan.distro_name));
    }
    out
}

/// Returns the known cycles of which a package in the stages is an end.
fn cycles(order: &Order) -> impl Iterator<Item = KnownCycle<'_>> {
    let touched = |cycle: &KnownCycle| order.stages.iter().flatten().any(|id| cycle.touches(id));
    order.plan.cycles().filter(touched)
}

/// Returns the line about a dependency that is left out of the build order, because it closes a
/// cycle.
pub(crate) fn circle(plan: &Plan, Need { from, to, kinds }: &Need) -> String {
    let name = |id| plan.known(id).map_or(id, |p| &p.name);
    let kinds: Vec<_> = kinds.iter().map(|kind| kind.word()).collect();
    let (from, to, kinds) = (name(from), name(to), kinds.join(", "));
    format!(
        "a cycle: {from} needs {to} ({kinds}), which is built later: build {from} without it first\n"
    )
}

/// Returns the stages of the build order and the dependencies between packages as JSON.
fn as_json(stack: &Stack, order: &Order) -> Value {
    let row = |id: &String| {
        let known = order.plan.known(id);
        let version = known.map(|p| p.version.to_string());
        let rendered = order.plan.get(id).is_some();
        let licences = known.iter().flat_map(|p| &p.package.licence);
        let licences: Vec<&str> = licences.map(|l| l.value.as_str()).collect();
        let device = known.is_some_and(|p| order.plan.has_device_code(p));
        let parts: Vec<&str> = known.into_iter().flat_map(parts).collect();
        json!({"id": id, "name": order.name(id), "version": version, "holds": order.holding.contains(id),
            "rendered": rendered, "licences": licences, "device": device, "packages": parts})
    };
    let stages = order
        .stages
        .iter()
        .map(|stage| stage.iter().map(row).collect::<Vec<_>>());
    let need = |(need, broken): (&Need, bool)| {
        let kinds: Vec<_> = need.kinds.iter().map(|kind| kind.word()).collect();
        json!({"from": need.from, "to": need.to, "kinds": kinds, "broken": broken})
    };
    let cycle = |c: KnownCycle| {
        let way = c.cycle.broken_by.as_ref().map(|way| &way.value);
        json!({"package": c.package.id, "component": c.component, "reason": c.cycle.reason.value,
            "source": c.cycle.source.value, "broken-by": way})
    };
    json!({
        "distribution": order.plan.distro_name,
        "version": order.plan.version.to_string(),
        "stages": stages.collect::<Vec<_>>(),
        "needs": order.drawn().map(need).collect::<Vec<_>>(),
        "compilers": compilers(order),
        "outside": outside(stack, order),
        "cycles": cycles(order).map(cycle).collect::<Vec<_>>(),
    })
}
