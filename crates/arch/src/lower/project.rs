//! CMake projects: configuration, build and installation in the style of Arch.

use crate::lower::steps::InPhase;
use crate::lower::vocabulary::Context;
use rocpkg_model::{Compiler, Finding, Findings, Generator, Project, Spanned};
use rocpkg_render::bash::{Command, Item, Scope, Stmt, Word, run};
use rocpkg_shell::{CmakeArgument, Dialect, Place, Vocabulary};

/// The name of the array of CMake's arguments.
pub(crate) const ARGUMENTS: &str = "cmake_args";

/// The names of the arguments that every CMake project has by default.
const HABIT: &[&str] = &[
    "-Wno-dev",
    "-S",
    "-B",
    "-G",
    "CMAKE_BUILD_TYPE",
    "CMAKE_INSTALL_PREFIX",
    "CMAKE_CXX_COMPILER",
];

/// Reports a name under `pkgbuild.without` of the profile that is no default argument.
pub(crate) fn check_without(cx: &Context, findings: &mut Findings) {
    for names in
        cx.p.package
            .pkgbuild
            .iter()
            .flat_map(|b| b.without.values())
    {
        for name in names.iter().filter(|n| !HABIT.contains(&n.value.as_str())) {
            let message = format!(
                "the distribution's habits pass no argument `{}` to CMake",
                name.value
            );
            findings.push(
                Finding::error("E0567", name.span, message)
                    .label(format!("expected one of: {}", HABIT.join(", ")))
                    .nearest(&name.value, HABIT.iter().copied()),
            );
        }
    }
}

/// Returns the path of the build folder of the project `name`, relative to `$srcdir`: the stated
/// one, else `build`, or `build-NAME` if there are several projects.
pub(crate) fn build_folder(d: &mut InPhase, name: &str) -> Word {
    let projects = &d.cx.p.package.cmake;
    match projects.get(name).and_then(|p| p.build.as_ref()) {
        Some(text) => d.word(text, Place::One),
        None if projects.len() > 1 => Word::lit(format!("build-{name}")),
        None => Word::lit("build"),
    }
}

/// Returns the statements that configure and build the project `name`.
pub(crate) fn build(d: &mut InPhase, name: &str, project: Option<&Project>) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = project
        .and_then(|p| p.comment.clone())
        .map(Stmt::Comment)
        .into_iter()
        .collect();
    let folder = build_folder(d, name);
    let args = arguments(d, name, project, folder.clone());
    let env = project
        .map(|p| rocpkg_shell::named_variables(d, &p.environment))
        .unwrap_or_default();
    let items = args
        .into_iter()
        .map(|a| Item::explained(a.word, a.comment))
        .collect();
    out.push(Stmt::Array {
        scope: Scope::Local,
        name: ARGUMENTS.into(),
        append: false,
        items,
        tall: true,
    });
    let words = vec![Word::lit("cmake"), Word::var(format!("{ARGUMENTS}[@]"))];
    out.push(Stmt::Command(Command {
        env,
        ..Command::new(words)
    }));
    out.extend(rocpkg_shell::goals(project).into_iter().map(|goals| {
        let words = [Word::lit("--build"), folder.clone()].into_iter();
        let mark = (!goals.is_empty()).then(|| Word::lit("--"));
        run("cmake", words.chain(mark).chain(goals))
    }));
    out
}

/// Returns the statement that builds a CMake target (goal) of the first project.
pub(crate) fn goal(d: &mut InPhase, goal: &Spanned<String>) -> Stmt {
    let first =
        d.cx.p
            .package
            .cmake
            .keys()
            .next()
            .map_or("main", String::as_str);
    let folder = build_folder(d, first);
    run(
        "cmake",
        [
            Word::lit("--build"),
            folder,
            Word::lit("--target"),
            Word::lit(goal.value.clone()),
        ],
    )
}

/// Returns the statement that runs the tests of the project `name`.
pub(crate) fn test(d: &mut InPhase, name: &str) -> Stmt {
    run(
        "ctest",
        [
            Word::lit("--test-dir"),
            build_folder(d, name),
            Word::lit("--output-on-failure"),
        ],
    )
}

/// Returns the statement that installs the project `name` into `$pkgdir`.
pub(crate) fn install(d: &mut InPhase, name: &str) -> Stmt {
    let words = vec![
        Word::lit("cmake"),
        Word::lit("--install"),
        build_folder(d, name),
    ];
    Stmt::Command(Command {
        env: vec![("DESTDIR".into(), Word::var("pkgdir"))],
        ..Command::new(words)
    })
}

fn arguments(
    d: &mut InPhase,
    name: &str,
    project: Option<&Project>,
    folder: Word,
) -> Vec<CmakeArgument> {
    let package = &d.cx.p.package;
    let source = match project.and_then(|p| p.source.as_ref()) {
        Some(text) => d.word(text, Place::One),
        None => d.project_folder().unwrap_or_else(|| Word::lit(".")),
    };
    let mut habit = vec![
        CmakeArgument::new("-Wno-dev", Word::lit("-Wno-dev")),
        CmakeArgument::option("-S", source),
        CmakeArgument::option("-B", folder),
    ];
    if package.generator == Some(Generator::Ninja) {
        habit.push(CmakeArgument::option("-G", Word::lit("Ninja")));
    }
    let build_type = package
        .build_type
        .as_ref()
        .map_or("None", |t| t.value.as_str());
    habit.push(CmakeArgument::define(
        "CMAKE_BUILD_TYPE",
        Word::lit(build_type),
    ));
    habit.push(CmakeArgument::define(
        "CMAKE_INSTALL_PREFIX",
        Word::lit(d.cx.plan.prefix()),
    ));
    let exported = |v: &str| package.environment.values().any(|e| e.contains_key(v));
    let hipcc = format!("{}/bin/hipcc", d.cx.plan.prefix());
    let compiler = match package.compiler {
        Some(Compiler::Amdclang | Compiler::Clang) => Some("amdclang++"),
        Some(Compiler::Hipcc) => Some(hipcc.as_str()),
        Some(Compiler::System) | None => None,
    };
    if let Some(c) = compiler.filter(|_| !exported("CXX")) {
        habit.push(CmakeArgument::define("CMAKE_CXX_COMPILER", Word::lit(c)));
    }
    let without = package
        .pkgbuild
        .iter()
        .flat_map(|b| [b.without.get("all"), b.without.get(name)]);
    let without: Vec<&str> = without
        .flatten()
        .flatten()
        .map(|s| s.value.as_str())
        .collect();
    habit.retain(|a| !without.contains(&a.name.as_str()));
    let variable = package.targets.as_ref().and_then(|t| t.variable.0.first());
    let variables = variable.map(std::slice::from_ref).unwrap_or_default();
    let mut all = rocpkg_shell::arguments(d, habit, (name, project), variables);
    for argument in &mut all {
        argument.word.part_definition();
    }
    all
}
