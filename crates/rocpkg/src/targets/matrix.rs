//! `targets matrix`: each package's support of each target.

use super::{Asked, Choice, json};
use crate::args::TargetsMatrixArgs;
use crate::outcome::Outcome;
use rocpkg::model::TargetRule;
use rocpkg::resolve::{Chooser, Planned, triple};
use rocpkg::targets::{Kind, SupportClass, Target, TargetSet};
use serde_json::json as object;

/// What is said of a package and a target, best first.
const WORDS: [&str; 5] = ["official", "builds", "compiler-only", "not-offered", "unknown"];

/// The class of each target for each package with device code.
pub(super) fn matrix(asked: &Asked, args: &TargetsMatrixArgs) -> Outcome {
    let packages: Vec<&Planned> = asked.plan.packages.iter().filter(|p| p.targets.is_some()).collect();
    let columns = columns(asked, &packages);
    let mut rows = Vec::new();
    for p in &packages {
        for t in columns {
            let (class, reason) = cell(asked, p, t);
            rows.push((p.id.as_str(), t, class, reason));
        }
    }
    if args.stack.json {
        let all: Vec<_> = rows
            .iter()
            .map(|(p, t, c, r)| object!({"package": p, "target": asked.registry.name(*t), "class": c, "reason": r}))
            .collect();
        return json(&object!({"matrix": all, "rests-on": facts(asked)}));
    }
    let mut out = String::new();
    if args.csv {
        out.push_str("package,target,class,reason\n");
        for (p, t, c, r) in &rows {
            out.push_str(&format!("{p},{},{},\"{}\"\n", asked.registry.name(*t), c, r.replace('"', "\"\"")));
        }
        return Outcome::done(out);
    }
    let width = packages.iter().map(|p| p.id.len()).max().unwrap_or(0);
    for of_one in rows.chunk_by(|(a, ..), (b, ..)| a == b) {
        out.push_str(&format!("{:width$}", of_one[0].0));
        for class in WORDS {
            let of = of_one.iter().filter(|(_, _, c, _)| *c == class);
            let names: Vec<&str> = of.map(|(_, t, ..)| asked.registry.name(*t)).collect();
            if !names.is_empty() {
                out.push_str(&format!("  {class}: {}\n{:width$}", names.join(" "), ""));
            }
        }
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    for fact in facts(asked) {
        out.push_str(&format!("rests on: {fact}\n"));
    }
    Outcome::done(out)
}

/// What the distribution offers, and what a package supports of its own.
fn columns(asked: &Asked, packages: &[&Planned]) -> TargetSet {
    let mut set = TargetSet::EMPTY;
    for p in packages {
        let (default, offered) = asked.plan.distro_targets(&p.version);
        let own = p.targets.iter().flat_map(|t| t.supports.iter().chain(&t.excludes));
        for t in default.iter().chain(&offered).chain(own).filter_map(|n| asked.registry.get(n)) {
            set.insert(t);
        }
    }
    if set.is_empty() { asked.registry.of_kind(Kind::Processor) } else { set }
}

/// How far a package supports a target in this distribution, and where that stands.
pub(crate) fn cell(asked: &Asked, p: &Planned, t: Target) -> (&'static str, String) {
    let line = asked.plan.lines.get(&p.version.line());
    let llvm = line.and_then(|l| l.llvm.as_ref()).and_then(|v| v.value.parse().ok()).unwrap_or(22);
    let able = p.able(asked.registry);
    let class = asked.registry.support_class(t, triple(&p.version), able, llvm);
    let written = p.package.targets.as_ref();
    let rule = |rules: &[TargetRule]| {
        // A rule may name a family.
        let names = |r: &&TargetRule| {
            r.targets.iter().any(|n| asked.registry.find(&n.value).is_ok_and(|f| f.targets().contains(t)))
        };
        rules.iter().find(names).map(|r| r.reason.value.clone())
    };
    if !able.contains(t) {
        let word = if class == SupportClass::CompilerOnly { "compiler-only" } else { "unknown" };
        let reason = written.and_then(|w| rule(&w.excludes));
        return (word, reason.unwrap_or_else(|| "not in the package's list".into()));
    }
    if let Some(reason) = asked.not_offered(p, t) {
        return ("not-offered", reason);
    }
    if asked.recipes.chooser == Chooser::Packager
        && let Err(fact) = asked.built_for(p, Choice::Unasked)
    {
        return ("unknown", format!("{fact} is not known"));
    }
    let official = asked.registry.official(triple(&p.version)).map(|(_, o)| o.source.clone());
    match (class, written.and_then(|w| rule(&w.supports))) {
        (SupportClass::Official, _) => ("official", official.unwrap_or_default()),
        (_, Some(reason)) => ("builds", reason),
        // That nothing is known against it does not say that it builds.
        (_, None) => ("unknown", "the package states no limit, and no list that has it".into()),
    }
}

fn facts(asked: &Asked) -> Vec<String> {
    let official = asked.registry.official(triple(&asked.plan.version)).map(|(_, o)| o.source.clone());
    [Some(asked.facts()), official].into_iter().flatten().collect()
}
