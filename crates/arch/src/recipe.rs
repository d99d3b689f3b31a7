//! What PKGBUILDs pass to upstream's build as GPU targets, read off the [`Pkgbuild`]s that are printed.

use crate::ir::Pkgbuild;
use rocpkg_render::bash::Stmt;
use rocpkg_resolve::{Asked, Builds, Chooser, Given, Nothing, Plan, Planned, Recipes};
use rocpkg_shell::{Passed, PassedValue, listed};

/// What the PKGBUILDs pass on, each with the id of its package. Packages without device code are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, &'a Pkgbuild)>) -> Recipes {
    let mut out = Recipes { chooser: Chooser::Packager, ..Recipes::default() };
    let by_environment = |builds: &Builds| builds.asked != Asked::Ignored;
    for (id, pkgbuild) in all {
        if let Some(p) = plan.get(id).filter(|p| p.targets.is_some()) {
            out.builds.insert(id.to_owned(), one(plan, p, pkgbuild));
        }
    }
    if out.builds.values().any(by_environment) {
        out.chooser = Chooser::Builder;
    }
    out
}

fn one(plan: &Plan, p: &Planned, pkgbuild: &Pkgbuild) -> Builds {
    let functions = pkgbuild.functions.iter().map(|f| f.body.as_slice());
    let bodies: Vec<&[Stmt]> = functions.chain(pkgbuild.parts.iter().map(|p| p.body.as_slice())).collect();
    let tool = plan.distro.target_tool.as_ref();
    let command = tool.map_or("", |t| t.command.value.as_str());
    let exclude = tool.map_or("", |t| t.exclude.value.as_str());
    let passed = rocpkg_shell::passed(&bodies, &|n| p.reads(n), command);
    let by_environment = !passed.is_empty() && passed.iter().all(|p| p.unless.is_some());
    Builds {
        unasked: given(&passed, command, exclude),
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

fn given(passed: &[Passed], command: &str, exclude: &str) -> Given {
    let value = match Given::alike(passed.iter().map(|p| (p.variable.clone(), (&p.value, &p.unless)))) {
        Err(unread) => return unread,
        Ok(None) => return Given::Upstream,
        Ok(Some((value, _))) => value,
    };
    match value {
        PassedValue::Literal(list) => Given::List(listed(list)),
        PassedValue::Command(words) => match tool(words, command, exclude) {
            Some(without) => Given::Tool { command: command.to_owned(), without },
            None => Given::Unread(words.join(" ")),
        },
        PassedValue::Other(text) => Given::Unread(text.clone()),
    }
}

/// What the tool is told to leave out; nothing when these words are no call of it that is understood.
fn tool(words: &[String], command: &str, exclude: &str) -> Option<Vec<String>> {
    let (first, rest) = words.split_first()?;
    let mut out = Vec::new();
    for pair in rest.chunks(2) {
        match pair {
            [option, names] if option == exclude => out.extend(listed(names)),
            _ => return None,
        }
    }
    (first == command && !command.is_empty()).then_some(out)
}
