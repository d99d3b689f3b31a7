//! Configures, builds and installs CMake projects with ypkg's macros.

use crate::lower::steps::InStep;
use crate::lower::vocabulary::Context;
use crate::value::ir::Step;
use rocpkg_model::{Compiler, Project, Spanned};
use rocpkg_render::bash::{Command, Layout, Stmt, Word, run};
use rocpkg_shell::{CmakeArgument, Dialect, Place};

/// The build folder of `%cmake_ninja`, which the other macros for Ninja use too.
pub(crate) const BUILD: &str = "solusBuildDir";
/// The build type of `%cmake_ninja`.
const BUILD_TYPE: &str = "RelWithDebInfo";
/// The largest number of arguments of `%cmake_ninja` that are written on one line. If there are
/// more, each has a line of its own.
const INLINE: usize = 2;

/// Returns the build folder of the CMake project `name`: `solusBuildDir-NAME`. Returns `None` for
/// the package's first project, which is built in the macros' own folder, `solusBuildDir`.
pub(crate) fn own_folder(cx: &Context, name: &str) -> Option<String> {
    let further = cx.p.package.cmake.get_index_of(name).is_some_and(|i| i > 0);
    further.then(|| format!("{BUILD}-{name}"))
}

/// Returns the statements of the step `standard: NAME` in a script, such as `%ninja_build` in
/// `build`. `name` is the name of one CMake project, or `all`.
pub(crate) fn standard(d: &mut InStep, step: Step, name: &Spanned<String>) -> Vec<Stmt> {
    let cx = d.cx;
    let mut out = Vec::new();
    let projects = &cx.p.package.cmake;
    let meant = &name.value;
    for (name, project) in rocpkg_shell::chosen(d, projects, name) {
        // The macro passes `-C solusBuildDir` to Ninja. A later `-C` overrides it.
        let folder = own_folder(cx, name)
            .into_iter()
            .flat_map(|f| [Word::lit("-C"), Word::lit(f)]);
        match step {
            Step::Setup => out.extend(configure(d, name, project)),
            Step::Build => {
                let calls = rocpkg_shell::goals(project).into_iter();
                out.extend(calls.map(|goals| run("%ninja_build", folder.clone().chain(goals))));
            }
            Step::Install if !rocpkg_shell::is_installed(projects, name, meant) => {}
            Step::Install => out.push(run("%ninja_install", folder)),
            Step::Check => out.push(run("%ninja_check", folder)),
            Step::Environment | Step::Profile => {}
        }
    }
    out
}

/// Returns the statements that configure the CMake project `name`: `%cmake_ninja` with its
/// arguments. The comments of the project and its arguments are written above the command, because
/// no comment can be put among the words of a continued line. `project` is `None` for a package
/// that states no project.
fn configure(d: &mut InStep, name: &str, project: Option<&Project>) -> Vec<Stmt> {
    let cx = d.cx;
    let package = &cx.p.package;
    let mut habit = Vec::new();
    habit.extend(own_folder(cx, name).map(|folder| CmakeArgument::option("-B", Word::lit(folder))));
    let source = match project.and_then(|p| p.source.as_ref()) {
        Some(text) => Some(d.word(text, Place::One)),
        None => {
            cx.p.sources
                .first()
                .and_then(|s| s.project())
                .map(Word::lit)
        }
    };
    habit.extend(source.map(|source| CmakeArgument::option("-S", source)));
    let build_type = package
        .build_type
        .as_ref()
        .filter(|t| t.value != BUILD_TYPE);
    habit.extend(
        build_type.map(|t| CmakeArgument::define("CMAKE_BUILD_TYPE", Word::lit(t.value.clone()))),
    );
    let compilers = match package.compiler {
        Some(Compiler::Hipcc) => Some(("hipcc", "hipcc")),
        Some(Compiler::Amdclang) => Some(("amdclang", "amdclang++")),
        Some(Compiler::Clang) => Some(("clang", "clang++")),
        Some(Compiler::System) | None => None,
    };
    if let Some((c, cxx)) = compilers {
        habit.push(CmakeArgument::define("CMAKE_C_COMPILER", Word::lit(c)));
        habit.push(CmakeArgument::define("CMAKE_CXX_COMPILER", Word::lit(cxx)));
    }
    let variables = package
        .targets
        .as_ref()
        .map(|t| t.variable.0.as_slice())
        .unwrap_or_default();
    let all = rocpkg_shell::arguments(d, habit, (name, project), variables);
    let env = project
        .map(|p| rocpkg_shell::named_variables(d, &p.environment))
        .unwrap_or_default();
    let said = project.and_then(|p| p.comment.clone()).into_iter().chain(
        all.iter()
            .filter_map(|a| Some(format!("{}: {}", a.name, a.comment.as_ref()?))),
    );
    let mut out: Vec<Stmt> = said.map(Stmt::Comment).collect();
    // Options that begin with `-` are written on the macro's own line.
    let (bare, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|a| a.name.starts_with('-'));
    let layout = if rest.len() > INLINE {
        Layout::PerWord(1)
    } else {
        Layout::Wrap
    };
    let head = bare
        .into_iter()
        .fold(Word::pattern("%cmake_ninja"), |w, a| {
            w.then(Word::pattern(" ")).then(a.word)
        });
    let words = std::iter::once(head)
        .chain(rest.into_iter().map(|a| a.word))
        .collect();
    out.push(Stmt::Command(Command {
        env,
        layout,
        ..Command::new(words)
    }));
    out
}
