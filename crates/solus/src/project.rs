//! CMake projects, as ypkg's macros configure, build and install them.

use crate::ir::Step;
use crate::vocabulary::Context;
use indexmap::IndexMap;
use rocpkg_model::{Compiler, Findings, Project, Spanned, When};
use rocpkg_render::bash::{Command, Layout, Stmt, Word};
use rocpkg_shell::{Given, define, option};

/// The build folder of `%cmake_ninja`, which the other macros of Ninja know.
const BUILD: &str = "solusBuildDir";
/// The build type of `%cmake_ninja`.
const BUILD_TYPE: &str = "RelWithDebInfo";
/// More arguments than this stand each on its line.
const INLINE: usize = 2;

/// The build folder of a project: the macros know one; each of several has its own.
pub(crate) fn build_folder(cx: &Context, name: &str) -> Word {
    match cx.p.package.cmake.get_index_of(name) {
        Some(i) if i > 0 => Word::lit(format!("{BUILD}-{name}")),
        _ => Word::lit(BUILD),
    }
}

/// What a step does for the projects that `name` means.
pub(crate) fn standard(
    cx: &Context,
    step: Step,
    name: &Spanned<String>,
    findings: &mut Findings,
) -> Vec<Stmt> {
    let chosen = rocpkg_shell::chosen(&cx.p.package.cmake, name, &|when| cx.p.settles(when), findings);
    let mut out = Vec::new();
    for (name, project) in chosen {
        match step {
            Step::Setup => out.extend(configure(cx, name, project, findings)),
            Step::Build => {
                let goals = project.map(|p| p.goals.as_slice()).unwrap_or_default();
                let goals = goals.iter().map(|g| g.0.iter().map(|g| Word::lit(g.value.clone())).collect());
                let goals: Vec<Vec<Word>> = goals.collect();
                let all = if goals.is_empty() { vec![Vec::new()] } else { goals };
                out.extend(all.into_iter().map(|goal| ninja(cx, "%ninja_build", name, goal)));
            }
            Step::Install => out.push(ninja(cx, "%ninja_install", name, Vec::new())),
            Step::Check => out.push(ninja(cx, "%ninja_check", name, Vec::new())),
            Step::Environment | Step::Profile => {}
        }
    }
    out
}

fn ninja(cx: &Context, with: &str, name: &str, words: Vec<Word>) -> Stmt {
    let mut all = vec![Word::lit(with)];
    let folder = build_folder(cx, name);
    // A later folder wins over the macro's.
    if folder.as_literal() != Some(BUILD) {
        all.extend([Word::lit("-C"), folder]);
    }
    all.extend(words);
    Stmt::Command(Command::new(all))
}

/// The configuration, under what is to be said of the project and its arguments: no comment stands among words that go on.
fn configure(cx: &Context, name: &str, project: Option<&Project>, findings: &mut Findings) -> Vec<Stmt> {
    let empty = IndexMap::new();
    let written = project.map_or(&empty, |p| &p.arguments);
    let package = &cx.p.package;
    let mut habit = Vec::new();
    let folder = build_folder(cx, name);
    if folder.as_literal() != Some(BUILD) {
        habit.push(Given::new("-B", option("-B ", folder)));
    }
    let source = match project.and_then(|p| p.source.as_ref()) {
        Some(text) => {
            Some(rocpkg_shell::word(text, rocpkg_shell::Place::One, &mut |r| cx.meaning(r, text, findings)))
        }
        None => cx.p.sources.first().and_then(|s| s.path.clone()).filter(|p| !p.is_empty()).map(Word::lit),
    };
    if let Some(source) = source {
        habit.push(Given::new("-S", option("-S ", source)));
    }
    let build_type = package.build_type.as_ref().filter(|t| t.value != BUILD_TYPE);
    if let Some(t) = build_type {
        habit.push(Given::new("CMAKE_BUILD_TYPE", define("CMAKE_BUILD_TYPE", Word::lit(t.value.clone()))));
    }
    let compilers = match package.compiler {
        Some(Compiler::Hipcc) => Some(("hipcc", "hipcc")),
        Some(Compiler::Amdclang) => Some(("amdclang", "amdclang++")),
        Some(Compiler::Clang) => Some(("clang", "clang++")),
        Some(Compiler::System) | None => None,
    };
    for (variable, compiler) in
        compilers.into_iter().flat_map(|(c, cxx)| [("CMAKE_C_COMPILER", c), ("CMAKE_CXX_COMPILER", cxx)])
    {
        habit.push(Given::new(variable, define(variable, Word::lit(compiler))));
    }
    let holds = |when: Option<&When>| cx.p.settles(when);
    let uses_targets = rocpkg_shell::names_targets(written, &holds);
    let mut dialect = cx.in_step(Step::Setup, findings);
    let mut all = rocpkg_shell::arguments(&mut dialect, habit, written, &holds);
    let variables = package.targets.iter().flat_map(|t| &t.variable.0).map(|v| v.value.as_str());
    if let (Some(list), false) = (cx.targets(), uses_targets) {
        let given = variables.filter(|v| !written.contains_key(*v));
        all.extend(given.map(|v| Given::new(v, define(v, list.clone()))));
    }
    let environment = project.map(|p| rocpkg_shell::variables(&mut dialect, &p.environment));
    let said = project
        .and_then(|p| p.comment.clone())
        .into_iter()
        .chain(all.iter().filter_map(|a| Some(format!("{}: {}", a.name, a.comment.as_ref()?))));
    let mut out: Vec<Stmt> = said.map(Stmt::Comment).collect();
    // Options without a value go on the macro's own line.
    let (bare, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|a| a.name.starts_with('-'));
    let layout = if rest.len() > INLINE { Layout::PerWord } else { Layout::Wrap };
    let head =
        bare.into_iter().fold(Word::pattern("%cmake_ninja"), |w, a| w.then(Word::pattern(" ")).then(a.word));
    let words = std::iter::once(head).chain(rest.into_iter().map(|a| a.word)).collect();
    out.push(Stmt::Command(Command { env: environment.unwrap_or_default(), layout, ..Command::new(words) }));
    out
}
