//! `rocpkg explain`: where every fact of a package comes from.

use crate::args::ExplainArgs;
use crate::outcome::{Outcome, shown};
use crate::profiles;
use rocpkg::model::{Findings, Node, Severity, Sources, Span, Value, nearest};
use rocpkg::resolve::{Choice, DISTROS, History, Plan, Planned};

/// Prints each fact of a package with the file and line of every layer that spoke of it; notes about layers go beside them.
pub(crate) fn run(args: &ExplainArgs) -> Result<Outcome, String> {
    let (model, mut findings) = profiles::load(&args.model)?;
    let wanted: Vec<&str> = match args.distro {
        Some(d) => vec![d.backend().distro()],
        None => DISTROS.to_vec(),
    };
    let plans: Vec<Plan> =
        wanted.iter().filter_map(|d| Plan::new(&model, d, &Choice::Shipped, &mut findings)).collect();
    if findings.has_errors() {
        return Ok(Outcome::wrong(&findings, &model.sources, args.model.verbose));
    }
    let mut out = String::new();
    for plan in &plans {
        for p in plan.packages.iter().filter(|p| is_named(p, &args.package)) {
            out.push_str(&format!("{} in {}, {}\n", p.name, plan.distro_name, p.version));
            for source in &p.sources {
                let known = if source.checksum.is_some() { "checksum known" } else { "no checksum known" };
                out.push_str(&format!("  source {} = {} ({known})\n", source.name, source.key));
            }
            let mut facts = Facts { history: &p.history, sources: &model.sources, out: &mut out };
            facts.walk(&p.node, &mut Vec::new());
            facts.removed();
            out.push('\n');
        }
    }
    if out.is_empty() {
        let known = plans.iter().flat_map(|p| &p.packages).flat_map(|p| [p.id.as_str(), p.name.as_str()]);
        let hint =
            nearest(&args.package, known).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        return Err(format!("no package is called `{}`{hint}", args.package));
    }
    Ok(Outcome { err: shown(&notes(&findings), &model.sources, true), ..Outcome::done(out) })
}

/// What is said about layers, without the warnings of every package.
fn notes(findings: &Findings) -> Findings {
    let mut out = Findings::default();
    let notes = findings.sorted().into_iter().filter(|f| f.severity == Severity::Note);
    notes.cloned().for_each(|f| out.push(f));
    out
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

/// Facts being printed, each with every layer that spoke of it.
struct Facts<'a> {
    history: &'a History,
    sources: &'a Sources,
    out: &'a mut String,
}

impl Facts<'_> {
    fn walk(&mut self, node: &Node, path: &mut Vec<String>) {
        match &node.value {
            Value::Map(entries) => {
                self.whole(node, path);
                for (key, value) in entries {
                    path.push(key.name.to_string());
                    self.walk(value, path);
                    path.pop();
                }
            }
            Value::Seq(items) => {
                self.whole(node, path);
                for (i, value) in items.iter().enumerate() {
                    path.push(i.to_string());
                    self.walk(value, path);
                    path.pop();
                }
            }
            Value::Scalar { text, .. } => {
                let short: String = text.lines().next().unwrap_or("").chars().take(60).collect();
                let more = if short.len() < text.len() { " …" } else { "" };
                let over = self.history.over(node.span);
                self.line(&format!("{} = {short}{more}", path.join(".")), node.span, over);
            }
            Value::Null => {}
        }
    }

    /// A list or mapping that replaced another one whole.
    fn whole(&mut self, node: &Node, path: &[String]) {
        let over = self.history.over(node.span);
        if !over.is_empty() {
            self.line(&format!("{} replaced", path.join(".")), node.span, over);
        }
    }

    /// What a layer removed.
    fn removed(&mut self) {
        for r in &self.history.removed {
            self.line(&format!("{} removed", r.path), r.by, &r.was);
        }
    }

    /// One line: the layer that won, then the ones that it was laid over, the last one first.
    fn line(&mut self, fact: &str, winner: Span, over: &[Span]) {
        let mut places = self.sources.place(winner);
        for span in over {
            places.push_str(&format!(" over {}", self.sources.place(*span)));
        }
        self.out.push_str(&format!("  {fact:<72} {places}\n"));
    }
}
