//! CMake projects: configuration, build and installation as Arch writes them.

use crate::steps::{Phase, check_name};
use crate::vocabulary::{Context, PREFIX};
use indexmap::IndexMap;
use rocpkg_model::{Compiler, Finding, Findings, Generator, Node, Project, Spanned};
use rocpkg_render::bash::{Command, Item, Layout, Scope, Stmt, Word};
use rocpkg_shell::{Given, define, option};

/// More arguments than this stand in an array.
const INLINE: usize = 7;

/// The arguments that every CMake project is given unasked.
const HABIT: &[&str] =
    &["-Wno-dev", "-S", "-B", "-G", "CMAKE_BUILD_TYPE", "CMAKE_INSTALL_PREFIX", "CMAKE_CXX_COMPILER"];

/// What is left out must be there: an argument of the habit, of a project that there is.
pub(crate) fn check_without(cx: &Context, findings: &mut Findings) {
    let projects = &cx.p.package.cmake;
    let node = cx.p.node.get("pkgbuild").and_then(|n| n.get("without"));
    for (project, names) in cx.p.package.pkgbuild.iter().flat_map(|b| &b.without) {
        let main = projects.is_empty() && project == "main";
        if project != "all" && !main && !projects.contains_key(project) {
            let key = node.into_iter().flat_map(Node::entries).find(|(key, _)| key.name == *project);
            let span = key.map_or(cx.p.node.span, |(key, _)| key.span);
            findings.push(
                Finding::error("E0413", span, format!("unknown CMake project `{project}`"))
                    .label("expected a project under `cmake`, or `all`")
                    .nearest(project, projects.keys().map(String::as_str)),
            );
        }
        for name in names.iter().filter(|n| !HABIT.contains(&n.value.as_str())) {
            let message = format!("the distribution's habit gives CMake no argument `{}`", name.value);
            findings.push(
                Finding::error("E0567", name.span, message)
                    .label(format!("expected one of: {}", HABIT.join(", ")))
                    .nearest(&name.value, HABIT.iter().copied()),
            );
        }
    }
}

/// The build folder of a project, below `$srcdir`.
pub(crate) fn build_folder(cx: &Context, name: &str, findings: &mut Findings) -> Word {
    let projects = &cx.p.package.cmake;
    match projects.get(name).and_then(|p| p.build.as_ref()) {
        Some(text) => cx.word(text, findings),
        None if projects.len() > 1 => Word::lit(format!("build-{name}")),
        None => Word::lit("build"),
    }
}

/// The projects that `standard: NAME` means: one, or `all`; an unknown name is a finding.
pub(crate) fn chosen<'a>(
    cx: &'a Context,
    name: &Spanned<String>,
    findings: &mut Findings,
) -> Vec<(&'a str, Option<&'a Project>)> {
    rocpkg_shell::chosen(&cx.p.package.cmake, name, &|when| cx.holds(when), findings)
}

/// Configuration and build.
pub(crate) fn build(
    cx: &Context,
    name: &str,
    project: Option<&Project>,
    findings: &mut Findings,
) -> Vec<Stmt> {
    let mut out = Vec::new();
    if let Some(c) = project.and_then(|p| p.comment.as_ref()) {
        out.push(Stmt::Comment(c.clone()));
    }
    let folder = build_folder(cx, name, findings);
    let args = arguments(cx, name, project, &folder, findings);
    let mut env = Vec::new();
    if let Some(p) = project {
        for (variable, value) in &p.environment {
            check_name(variable, value.span, findings);
        }
        env.extend(rocpkg_shell::variables(&mut cx.in_phase(Phase::Build, findings), &p.environment));
    }
    let cmake = |words: Vec<Word>, layout| {
        let words = std::iter::once(Word::lit("cmake")).chain(words).collect();
        Stmt::Command(Command { env: env.clone(), layout, ..Command::new(words) })
    };
    if args.len() > INLINE || args.iter().any(|a| a.comment.is_some()) {
        let items = args.into_iter().map(|a| Item { word: a.word, comment: a.comment }).collect();
        out.push(Stmt::Array {
            scope: Scope::Local,
            name: "_cmake_args".into(),
            append: false,
            items,
            tall: true,
        });
        out.push(cmake(vec![Word::var("_cmake_args[@]")], Layout::Wrap));
    } else {
        out.push(cmake(args.into_iter().map(|a| a.word).collect(), Layout::PerWord));
    }
    let goals = project.map(|p| p.goals.as_slice()).unwrap_or_default();
    let call = |goal: &[Spanned<String>]| {
        let mut words = vec![Word::lit("cmake"), Word::lit("--build"), folder.clone()];
        if !goal.is_empty() {
            words.push(Word::lit("--"));
            words.extend(goal.iter().map(|g| Word::lit(g.value.clone())));
        }
        Stmt::Command(Command::new(words))
    };
    if goals.is_empty() {
        out.push(call(&[]));
    }
    out.extend(goals.iter().map(|g| call(&g.0)));
    out
}

/// One goal of the first project.
pub(crate) fn goal(cx: &Context, goal: &Spanned<String>, findings: &mut Findings) -> Stmt {
    let first = cx.p.package.cmake.keys().next().map_or("main", String::as_str);
    let words = [Word::lit("cmake"), Word::lit("--build"), build_folder(cx, first, findings)];
    let goal = [Word::lit("--target"), Word::lit(goal.value.clone())];
    Stmt::Command(Command::new(words.into_iter().chain(goal).collect()))
}

/// Installation into `$pkgdir`.
pub(crate) fn install(cx: &Context, name: &str, findings: &mut Findings) -> Stmt {
    let words = vec![Word::lit("cmake"), Word::lit("--install"), build_folder(cx, name, findings)];
    Stmt::Command(Command { env: vec![("DESTDIR".into(), Word::var("pkgdir"))], ..Command::new(words) })
}

fn arguments(
    cx: &Context,
    name: &str,
    project: Option<&Project>,
    folder: &Word,
    findings: &mut Findings,
) -> Vec<Given> {
    let empty = IndexMap::new();
    let written = project.map_or(&empty, |p| &p.arguments);
    let package = &cx.p.package;
    let mut habit = vec![Given::new("-Wno-dev", Word::lit("-Wno-dev"))];
    let source = match project.and_then(|p| p.source.as_ref()) {
        Some(text) => cx.word(text, findings),
        None => match cx.main_folder() {
            Some(_) if cx.has_dirname() => Word::var("_dirname"),
            Some(f) => f.word(),
            None => Word::lit("."),
        },
    };
    habit.push(Given::new("-S", option("-S ", source)));
    habit.push(Given::new("-B", option("-B ", folder.clone())));
    if package.generator == Some(Generator::Ninja) {
        habit.push(Given::new("-G", option("-G ", Word::lit("Ninja"))));
    }
    let build_type = package.build_type.as_ref().map_or("None", |t| t.value.as_str());
    habit.push(Given::new("CMAKE_BUILD_TYPE", define("CMAKE_BUILD_TYPE", Word::lit(build_type))));
    habit.push(Given::new("CMAKE_INSTALL_PREFIX", define("CMAKE_INSTALL_PREFIX", Word::lit(PREFIX))));
    let exported = |v: &str| package.environment.values().any(|e| e.contains_key(v));
    let compiler = match package.compiler {
        Some(Compiler::Amdclang | Compiler::Clang) => Some("amdclang++"),
        Some(Compiler::Hipcc) => Some("/opt/rocm/bin/hipcc"),
        Some(Compiler::System) | None => None,
    };
    if let Some(c) = compiler.filter(|_| !exported("CXX")) {
        habit.push(Given::new("CMAKE_CXX_COMPILER", define("CMAKE_CXX_COMPILER", Word::lit(c))));
    }
    let without: Vec<&str> = package
        .pkgbuild
        .iter()
        .flat_map(|b| [b.without.get("all"), b.without.get(name)])
        .flatten()
        .flatten()
        .map(|s| s.value.as_str())
        .collect();
    habit.retain(|a| !without.contains(&a.name.as_str()));
    let holds = |when: Option<&_>| cx.holds(when);
    let uses_targets = rocpkg_shell::names_targets(written, &holds);
    let mut habit = rocpkg_shell::arguments(&mut cx.in_phase(Phase::Build, findings), habit, written, &holds);
    let variable = package.targets.as_ref().and_then(|t| t.variable.0.first());
    if let (Some(list), Some(variable), false) = (cx.targets(), variable, uses_targets)
        && !written.contains_key(&variable.value)
    {
        habit.push(Given::new(&variable.value, define(&variable.value, list)));
    }
    habit
}
