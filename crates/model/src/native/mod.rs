//! What of a package's data is code all the same: commands that run their words, the lines of a file that is run, and variables by
//! which programs are told what to run.

mod commands;
mod programs;
mod variables;

use crate::command;
use crate::decode::OneOrMany;
use crate::finding::Findings;
use crate::package::Package;
use crate::project::EnvironmentVariable;
use crate::source::Span;
use crate::step::{Action, Each, Step};
use crate::text::Text;
use commands::Own;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Files that a build tool reads as its program.
const BUILD_FILES: [&str; 15] = [
    "autogen.sh",
    "bootstrap",
    "configure",
    "CMakeLists.txt",
    "GNUmakefile",
    "Makefile",
    "Makefile.am",
    "Makefile.in",
    "build.ninja",
    "configure.ac",
    "configure.in",
    "makefile",
    "meson.build",
    "meson_options.txt",
    "setup.py",
];

/// Places in which tools look for what they run.
const PROGRAM_PLACES: [&str; 7] =
    [".git/", "/alpm/", "/cron", "/libalpm/", "/nix-support/", "/profile.d/", "/systemd/"];

/// What names of programs and scripts end with.
const SCRIPTS: [&str; 5] = [".cmake", ".mk", ".pl", ".py", ".sh"];

/// Notes each command that may run its words, each file that a package writes and that is a program, and each variable that says what is run.
pub fn note_code(package: &Package, findings: &mut Findings) {
    let functions = package.ebuild.iter().flat_map(|e| e.functions.values()).flatten();
    let parts = package.pkgbuild.iter().flat_map(|b| b.packages.values()).flat_map(|part| &part.steps);
    let mut all = All::default();
    package.phases.values().flatten().chain(functions).chain(parts).for_each(|step| all.read(step));
    let mut own = Own { functions: BTreeSet::new(), variables: all.items.iter().copied().collect() };
    own.functions.extend(package.ebuild.iter().flat_map(|e| e.functions.keys()).map(String::as_str));
    own.variables.extend(all.variables.iter().flat_map(|map| map.keys()).map(String::as_str));
    own.variables.extend(all.lists.iter().flat_map(|map| map.keys()).map(String::as_str));
    own.variables.extend(package.ebuild.iter().flat_map(|e| e.variables.keys()).map(String::as_str));
    own.variables.extend(package.pkgbuild.iter().flat_map(|b| b.variables.keys()).map(String::as_str));
    for (words, span) in &all.commands {
        if commands::runs_code(words, &own) {
            findings.note_native(*span, "a command that may run its words");
        }
    }
    note_runner(package, &own, findings);
    note_goals(package, findings);
    note_files(&all, findings);
    note_variables(package, &all, findings);
}

/// The program that runs the tests is one of the package's where it has no path.
fn note_runner(package: &Package, own: &Own<'_>, findings: &mut Findings) {
    let Some(tests) = &package.tests else { return };
    let Some(runner) = &tests.runner else { return };
    let word = match runner.value.as_str() {
        path if path.contains('/') || path == "ctest" => Text::literal(path),
        name => Text::literal(format!("./{name}")),
    };
    let words: Vec<Text> = [word].into_iter().chain(tests.arguments.iter().cloned()).collect();
    if commands::runs_code(&words, own) {
        findings.note_native(runner.span, "a command that may run its words");
    }
}

/// Files that are programs: by their names, by their first lines, or because a command runs files of the package.
fn note_files(all: &All, findings: &mut Findings) {
    // Which of them it runs is not known: a file may be moved or copied first, and be called by its new name.
    let runs = all.commands.iter().any(|(words, _)| runs_a_file(words));
    for (path, first, span) in &all.written {
        let told = first.is_some_and(|line| line.literals().next().is_some_and(|l| l.starts_with("#!")));
        let inside = path.literals().any(|l| PROGRAM_PLACES.iter().any(|place| l.contains(place)));
        if runs || told || inside || is_program(path) {
            findings.note_native(*span, "a program that is written");
        }
    }
}

/// What is handed to the build tool behind its goals: options and variables are none.
fn note_goals(package: &Package, findings: &mut Findings) {
    let goals = package.cmake.values().flat_map(|project| &project.goals).flat_map(|goals| &goals.0);
    for goal in goals.filter(|goal| goal.value.starts_with('-') || goal.value.contains(['=', '$', '`'])) {
        findings.note_native(goal.span, "a goal that is none");
    }
}

/// True for a file that a build tool or a shell reads as its program; one of which the name is not known may be one.
fn is_program(path: &Text) -> bool {
    let name = command::file_name(path);
    name.is_none_or(|name| BUILD_FILES.contains(&name) || SCRIPTS.iter().any(|end| name.ends_with(end)))
}

/// True for a command that runs a file of the package, or has a tool read one as its program.
fn runs_a_file(words: &[Text]) -> bool {
    let program = |w: &Text| {
        commands::is_interpreter(w)
            || w.as_literal().is_some_and(|w| w == "." || w == "source" || commands::is_own(&w))
    };
    let letters = |w: &str| w.starts_with('-') && !w.starts_with("--") && w.contains('f');
    let file = |w: &Text| w.as_literal().is_some_and(|w| letters(&w) || w.starts_with("--f"));
    let builds = |w: &Text| {
        command::file_name(w).is_some_and(|name| ["cmake", "emake", "gmake", "make", "ninja"].contains(&name))
    };
    let reads = |w: &Text| command::file_name(w).is_some_and(|name| ["autoconf", "doxygen"].contains(&name));
    commands::called(words).is_some_and(|(named, _)| program(named))
        || words.iter().any(reads)
        || words.iter().any(builds) && words.iter().any(file)
}

/// Notes variables of the environment and arguments of CMake whose values are code, and flags that are more than one.
fn note_variables(package: &Package, all: &All, findings: &mut Findings) {
    let mut set: Vec<(&String, &Text)> = Vec::new();
    let present = package.ypkg.iter().flat_map(|y| y.present.values());
    package.environment.values().chain(present).for_each(|map| set.extend(variables(map)));
    let of_projects = package.cmake.values().map(|project| &project.environment);
    let of_tests = package.tests.iter().map(|tests| &tests.environment);
    let of_recipe = package.pkgbuild.iter().map(|b| &b.variables);
    let plain = of_projects.chain(of_tests).chain(of_recipe).chain(all.variables.iter().copied());
    set.extend(plain.flatten());
    let lists = package.ebuild.iter().map(|e| &e.variables).chain(all.lists.iter().copied());
    set.extend(lists.flatten().flat_map(|(name, texts)| texts.0.iter().map(move |text| (name, text))));
    let arguments = package.cmake.values().flat_map(|project| &project.arguments);
    let arguments = arguments.flat_map(|(name, values)| values.0.iter().map(move |v| (name, &v.value)));
    let arguments =
        arguments.flat_map(|(name, value)| value.texts().into_iter().map(move |text| (name, text)));
    set.extend(all.loops.iter().flat_map(|each| each.items.iter().map(|item| (&each.variable.value, item))));
    let set = set.into_iter().filter(|(name, text)| {
        variables::of_environment(name, &commands::shown(text)) || *name == "PATH" && !is_of_the_system(text)
    });
    let arguments = arguments.filter(|(name, text)| variables::of_cmake(name, &commands::shown(text)));
    for (_, text) in set.chain(arguments) {
        findings.note_native(text.span, "a variable that says what is run");
    }
    let flags = package.flags.iter().flat_map(|edit| edit.flags.iter().chain(&edit.with));
    for flag in flags.filter(|flag| variables::run_something(&commands::shown(flag))) {
        findings.note_native(flag.span, "a flag by which something is run");
    }
}

/// True for a search path through what is installed.
fn is_of_the_system(path: &Text) -> bool {
    path.to_string().split(':').all(|part| part == "${PATH}" || part.starts_with("${prefix}/"))
}

/// The variables of a mapping, with each of their values.
fn variables(
    map: &IndexMap<String, OneOrMany<EnvironmentVariable>>,
) -> impl Iterator<Item = (&String, &Text)> {
    map.iter().flat_map(|(name, values)| values.0.iter().map(move |v| (name, &v.value)))
}

/// What steps write, change, run and set.
#[derive(Default)]
struct All<'a> {
    /// Files with their first lines, where these are known.
    written: Vec<(&'a Text, Option<&'a Text>, Span)>,
    commands: Vec<(&'a [Text], Span)>,
    variables: Vec<&'a IndexMap<String, Text>>,
    lists: Vec<&'a IndexMap<String, OneOrMany<Text>>>,
    /// The variables of loops.
    items: Vec<&'a str>,
    loops: Vec<&'a Each>,
}

impl<'a> All<'a> {
    fn read(&mut self, step: &'a Step) {
        match &step.action {
            Action::ConfigFile(file) => self.written.push((&file.path, file.lines.first(), step.span)),
            Action::Run(words) => self.commands.push((words, step.span)),
            Action::RunWith(run) => {
                self.written.extend(run.output.iter().map(|path| (path, None, step.span)));
                self.commands.push((&run.command, step.span));
                self.variables.push(&run.environment);
            }
            Action::Export(variables) => self.variables.push(variables),
            Action::Local(variables) => self.lists.push(variables),
            Action::Inside(inside) => inside.steps.iter().for_each(|s| self.read(s)),
            Action::Each(each) => {
                self.items.push(&each.variable.value);
                self.loops.push(each);
                each.steps.iter().for_each(|s| self.read(s));
            }
            Action::Group(steps) => steps.iter().for_each(|s| self.read(s)),
            _ => {}
        }
        step.otherwise.iter().for_each(|s| self.read(s));
    }
}
