//! What the statements of a recipe without switches pass to upstream's build as GPU targets.

use crate::targets::{Passed, PassedValue, listed, passed};
use rocpkg_model::{Finding, Findings, Node, TargetTool};
use rocpkg_render::bash::Stmt;
use rocpkg_resolve::{Asked, Builds, Chooser, Given, Nothing, Plan, Planned, Recipes};

/// Reports what a package says of steps that a recipe does not have: under `phases` and `environment`, and at edits of flags, which may
/// use the `other` names too.
pub fn check_steps(
    p: &Planned,
    code: &'static str,
    what: &str,
    known: &[&str],
    other: &[&str],
    findings: &mut Findings,
) {
    let sections = ["phases", "environment"].into_iter().filter_map(|section| p.node.get(section));
    let keys = sections.flat_map(Node::entries).map(|(key, _)| (key.name.as_str(), key.span));
    let edits = p.package.flags.iter().filter_map(|e| e.phase.as_ref()).map(|f| (f.value.as_str(), f.span));
    let edits = edits.filter(|(name, _)| !other.contains(name));
    for (name, span) in keys.chain(edits).filter(|(name, _)| !known.contains(name)) {
        findings.push(
            Finding::error(code, span, format!("{what} `{name}`"))
                .label(format!("expected one of: {}", known.join(", ")))
                .nearest(name, known.iter().chain(other).copied().filter(|k| *k != name)),
        );
    }
}

/// What the recipes of a plan pass on, each with the id of its package and the bodies of its functions. Packages without device code
/// are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, Vec<&'a [Stmt]>)>) -> Recipes {
    let mut out = Recipes { chooser: Chooser::Packager, ..Recipes::default() };
    for (id, bodies) in all {
        if let Some(p) = plan.get(id).filter(|p| p.targets.is_some()) {
            out.builds.insert(id.to_owned(), builds(plan, p, &bodies));
        }
    }
    if out.builds.values().any(|b| b.asked != Asked::Ignored) {
        out.chooser = Chooser::Builder;
    }
    out
}

/// What the bodies of a recipe's functions pass on.
fn builds(plan: &Plan, p: &Planned, bodies: &[&[Stmt]]) -> Builds {
    let tool = plan.distro.target_tool.as_ref();
    let command = tool.map_or("", |t| t.command.value.as_str());
    let passed = passed(bodies, &|n| p.reads(n), command);
    let by_environment = !passed.is_empty() && passed.iter().all(|p| p.unless.is_some());
    Builds {
        unasked: given(&passed, tool),
        // An empty variable is none, so there is always a list.
        asked: if by_environment {
            Asked::Passed { within: None, nothing: Nothing::Empty }
        } else {
            Asked::Ignored
        },
        variables: passed.into_iter().map(|p| p.variable).collect(),
        ..Builds::default()
    }
}

fn given(passed: &[Passed], tool: Option<&TargetTool>) -> Given {
    let value = match Given::alike(passed.iter().map(|p| (p.variable.clone(), (&p.value, &p.unless)))) {
        Err(unread) => return unread,
        Ok(None) => return Given::Upstream,
        Ok(Some((value, _))) => value,
    };
    let command = tool.map(|t| &t.command.value).filter(|c| !c.is_empty());
    match value {
        PassedValue::Literal(list) => {
            // A macro is replaced before the shell reads the list, so it stands among the names.
            let (calls, names): (Vec<_>, Vec<_>) = listed(list).into_iter().partition(|n| Some(n) == command);
            match calls.into_iter().next() {
                Some(command) => Given::Tool { command, without: Vec::new(), further: names },
                None => Given::List(names),
            }
        }
        PassedValue::Command(words) => {
            let exclude = tool.and_then(|t| t.exclude.as_ref()).map(|e| e.value.as_str());
            match (command, left_out(words, command, exclude)) {
                (Some(command), Some(without)) => {
                    Given::Tool { command: command.clone(), without, further: Vec::new() }
                }
                _ => Given::Unread(words.join(" ")),
            }
        }
        PassedValue::Other(text) => Given::Unread(text.clone()),
    }
}

/// What the tool is told to leave out; nothing when these words are no call of it that is understood.
fn left_out(words: &[String], command: Option<&String>, exclude: Option<&str>) -> Option<Vec<String>> {
    let (first, rest) = words.split_first()?;
    let mut out = Vec::new();
    for pair in rest.chunks(2) {
        match pair {
            [option, names] if Some(option.as_str()) == exclude => out.extend(listed(names)),
            _ => return None,
        }
    }
    (Some(first) == command).then_some(out)
}
