//! `rocpkg explain`: where every fact of a package comes from.

use crate::args::ExplainArgs;
use crate::outcome::Outcome;
use crate::profiles;
use rocpkg::model::{Node, Sources, Value, nearest};
use rocpkg::resolve::{Choice, DISTROS, Plan, Planned};

/// Prints each fact of a package with its file and line.
pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome, String> {
    let (model, mut findings) = profiles::load(&args.model.profiles)?;
    let wanted: Vec<&str> = match args.distro {
        Some(d) => vec![d.backend().distro()],
        None => DISTROS.to_vec(),
    };
    let plans: Vec<Plan> =
        wanted.iter().filter_map(|d| Plan::new(&model, d, &Choice::Shipped, &mut findings)).collect();
    if findings.has_errors() {
        return Ok(Outcome::wrong(&findings, &model.sources));
    }
    let mut out = String::new();
    for plan in &plans {
        for p in plan.packages.iter().filter(|p| is_named(p, &args.package)) {
            out.push_str(&format!("{} in {}, {}\n", p.name, plan.distro_name, p.version));
            for source in &p.sources {
                let known = if source.checksum.is_some() { "checksum known" } else { "no checksum known" };
                out.push_str(&format!("  source {} = {} ({known})\n", source.name, source.key));
            }
            walk(&p.node, &mut Vec::new(), &model.sources, &mut out);
            out.push('\n');
        }
    }
    if out.is_empty() {
        let known = plans.iter().flat_map(|p| &p.packages).flat_map(|p| [p.id.as_str(), p.name.as_str()]);
        let hint =
            nearest(&args.package, known).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        return Err(format!("no package is called `{}`{hint}", args.package));
    }
    Ok(Outcome::done(out))
}

/// True when `wanted` is the package's id, its name or one of its components, in any case.
pub(crate) fn is_named(p: &Planned, wanted: &str) -> bool {
    [&p.id, &p.name].into_iter().chain(&p.components).any(|n| n.eq_ignore_ascii_case(wanted))
}

/// The package of a plan that somebody names, with its category or without.
pub(crate) fn named<'a>(plan: &'a Plan, name: &str) -> Result<&'a Planned, String> {
    let wanted = name.rsplit('/').next().unwrap_or(name);
    plan.packages.iter().find(|p| is_named(p, wanted)).ok_or_else(|| {
        let known = plan.packages.iter().flat_map(|p| [p.id.as_str(), p.name.as_str()]);
        let hint = nearest(wanted, known).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        format!("no package of {} is called `{name}`{hint}", plan.distro_name)
    })
}

fn walk(node: &Node, path: &mut Vec<String>, sources: &Sources, out: &mut String) {
    match &node.value {
        Value::Map(entries) => {
            for (key, value) in entries {
                path.push(key.name.clone());
                walk(value, path, sources, out);
                path.pop();
            }
        }
        Value::Seq(items) => {
            for (i, value) in items.iter().enumerate() {
                path.push(i.to_string());
                walk(value, path, sources, out);
                path.pop();
            }
        }
        Value::Scalar { text, .. } => {
            let short: String = text.lines().next().unwrap_or("").chars().take(60).collect();
            let more = if short.len() < text.len() { " …" } else { "" };
            let fact = format!("{} = {short}{more}", path.join("."));
            out.push_str(&format!("  {fact:<72} {}\n", sources.place(node.span)));
        }
        Value::Null => {}
    }
}
