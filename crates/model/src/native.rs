//! Data of a package that is code all the same: the lines of a file that is run, and the variables by which programs are told
//! what to run.

use crate::command;
use crate::finding::Findings;
use crate::package::Package;
use crate::source::Span;
use crate::step::{Action, Step};
use crate::text::Text;
use indexmap::IndexMap;
use std::collections::BTreeSet;

/// Files that a build tool reads as its program.
const BUILD_FILES: [&str; 6] =
    ["CMakeLists.txt", "GNUmakefile", "Makefile", "makefile", "meson.build", "setup.py"];

/// What names of programs and scripts end with.
const SCRIPTS: [&str; 5] = [".cmake", ".mk", ".pl", ".py", ".sh"];

/// Notes each file that a package writes and that is a program: by its name, by its first line, or because one of the commands runs it.
/// And each variable that says what is run.
pub fn note_code(package: &Package, findings: &mut Findings) {
    let functions = package.ebuild.iter().flat_map(|e| e.functions.values()).flatten();
    let parts = package.pkgbuild.iter().flat_map(|b| b.packages.values()).flat_map(|part| &part.steps);
    let mut all = All::default();
    package.phases.values().flatten().chain(functions).chain(parts).for_each(|step| all.read(step));
    let run: BTreeSet<&str> = all.commands.iter().flat_map(|words| command::run(words)).collect();
    for (path, first, span) in &all.written {
        let Some(name) = command::file_name(path) else { continue };
        let script = BUILD_FILES.contains(&name) || SCRIPTS.iter().any(|end| name.ends_with(end));
        let told = first.is_some_and(|line| line.literals().next().is_some_and(|l| l.starts_with("#!")));
        if script || told || run.contains(name) {
            findings.note_native(*span, "a program that is written");
        }
    }
    note_variables(package, &all, findings);
}

/// Notes variables of the environment and arguments of CMake whose values are commands.
fn note_variables(package: &Package, all: &All, findings: &mut Findings) {
    let of_phases = package.environment.values().flatten();
    let of_phases = of_phases.flat_map(|(name, values)| values.0.iter().map(move |v| (name, &v.value)));
    let of_projects = package.cmake.values().flat_map(|project| &project.environment);
    let of_tests = package.tests.iter().flat_map(|tests| &tests.environment);
    let of_commands = all.environments.iter().copied().flatten();
    let arguments = package.cmake.values().flat_map(|project| &project.arguments);
    let arguments = arguments.flat_map(|(name, values)| values.0.iter().map(move |v| (name, &v.value)));
    let arguments =
        arguments.flat_map(|(name, value)| value.texts().into_iter().map(move |text| (name, text)));
    for (name, value) in of_phases.chain(of_projects).chain(of_tests).chain(of_commands).chain(arguments) {
        if command::is_handed_to_a_shell(name, Some(value)) {
            findings.note_native(value.span, "a variable that says what is run");
        }
    }
}

/// The files that steps write, each with its first line where that is known, and the commands.
#[derive(Default)]
struct All<'a> {
    written: Vec<(&'a Text, Option<&'a Text>, Span)>,
    commands: Vec<&'a [Text]>,
    environments: Vec<&'a IndexMap<String, Text>>,
}

impl<'a> All<'a> {
    fn read(&mut self, step: &'a Step) {
        match &step.action {
            Action::ConfigFile(file) => self.written.push((&file.path, file.lines.first(), step.span)),
            Action::Run(words) => self.commands.push(words),
            Action::RunWith(run) => {
                self.written.extend(run.output.iter().map(|path| (path, None, step.span)));
                self.commands.push(&run.command);
                self.environments.push(&run.environment);
            }
            Action::Inside(inside) => inside.steps.iter().for_each(|s| self.read(s)),
            Action::Each(each) => each.steps.iter().for_each(|s| self.read(s)),
            Action::Group(steps) => steps.iter().for_each(|s| self.read(s)),
            _ => {}
        }
        step.otherwise.iter().for_each(|s| self.read(s));
    }
}
