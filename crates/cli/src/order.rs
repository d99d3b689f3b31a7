//! `rocpkg order`: the order in which packages are built.

use crate::args::OrderArgs;
use crate::error::Error;
use crate::outcome::Outcome;
use rocpkg::order::{Need, Order};
use rocpkg::resolve::Plan;
use serde_json::{Value, json};

/// Prints the stages of the build order. The packages of a stage don't need each other, so they can
/// be built at the same time.
pub(crate) fn run(args: &OrderArgs) -> Result<Outcome, Error> {
    let stack = args.plan.model.stack()?;
    let order = stack.order(args.distro, args.plan.choice()?, &args.changed)?;
    if args.json {
        return Ok(Outcome::json(&as_json(&order)));
    }
    if args.dot {
        return Ok(Outcome::done(order.dot()));
    }
    let is_consumer = |id: &&String| order.plan.get(id).is_none();
    let consumers = order.stages.iter().flatten().filter(is_consumer).count();
    let count = order.stages.iter().map(Vec::len).sum::<usize>() - consumers;
    let stages = order.stages.len();
    let mut out = format!(
        "{} {}: {count} packages ",
        order.plan.distro_name, order.plan.version
    );
    if consumers > 0 {
        out += &format!("and {consumers} consumers, which are not rendered (+), ");
    }
    if !args.changed.is_empty() {
        let changed = args.changed.join(", ");
        out += &format!(
            "come after {changed}, because they depend on it, directly or through others (`render --rebuild` \
             counts those with *) "
        );
    }
    out += &format!("in {stages} stages\n");
    for (i, stage) in order.stages.iter().enumerate() {
        let mark = |is: bool, sign| if is { sign } else { "" };
        let named = |id: &String| {
            let plus = mark(is_consumer(&id), "+");
            let star = mark(order.holding.contains(id), "*");
            format!("{}{plus}{star}", order.name(id))
        };
        let names: Vec<_> = stage.iter().map(named).collect();
        out += &format!("{:3}  {}\n", i + 1, names.join(" "));
    }
    let broken = order.drawn().filter(|(_, is_broken)| *is_broken);
    out.extend(broken.map(|(need, _)| circle(&order.plan, need)));
    Ok(Outcome::done(out))
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
fn as_json(order: &Order) -> Value {
    let row = |id: &String| {
        let version = order.plan.known(id).map(|p| p.version.to_string());
        let rendered = order.plan.get(id).is_some();
        json!({"id": id, "name": order.name(id), "version": version, "holds": order.holding.contains(id), "rendered": rendered})
    };
    let stages = order
        .stages
        .iter()
        .map(|stage| stage.iter().map(row).collect::<Vec<_>>());
    let need = |(need, broken): (&Need, bool)| {
        let kinds: Vec<_> = need.kinds.iter().map(|kind| kind.word()).collect();
        json!({"from": need.from, "to": need.to, "kinds": kinds, "broken": broken})
    };
    json!({
        "distribution": order.plan.distro_name,
        "version": order.plan.version.to_string(),
        "stages": stages.collect::<Vec<_>>(),
        "needs": order.drawn().map(need).collect::<Vec<_>>(),
    })
}
