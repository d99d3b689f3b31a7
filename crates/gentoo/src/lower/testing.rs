//! `src_test`, if it differs from the eclass's: tests that need a GPU, tests that are run by a
//! program other than ctest, and tests of several projects.

use crate::lower::context::Context;
use crate::lower::steps::{die, local_exported};
use rocpkg_model::Tests;
use rocpkg_render::bash::{Command, Item, Scope, Stmt, Word, run};

/// The command that runs the tests of a Python package.
const OF_PYTHON: &str = "distutils-r1_src_test";

impl Context<'_> {
    /// Returns the statements of `src_test` for the CMake projects `names`; none if the
    /// distribution never builds the package's tests.
    pub(crate) fn check(&mut self, names: &[String]) -> Vec<Stmt> {
        if self.is_distutils() {
            return vec![run(OF_PYTHON, Vec::new())];
        }
        let Some(tests) = self.p.package.tests.clone() else {
            return self.run_tests(&self.tested(names), &[run("cmake_src_test", Vec::new())]);
        };
        if !self.p.may_build_tests() {
            return Vec::new();
        }
        let head = self.before_tests(&tests);
        let own = tests.runner.as_ref().filter(|r| r.value != "ctest");
        let mut words = Vec::new();
        if let Some(runner) = own {
            let program = &runner.value;
            words.push(Word::lit("edob"));
            words.push(Word::lit(if program.contains('/') {
                program.clone()
            } else {
                format!("./{program}")
            }));
        } else {
            // For tests that are never run, the goal is left out.
            match tests.goal.as_ref().filter(|_| tests.never.is_none()) {
                Some(goal) => {
                    words.extend([Word::lit("cmake_build"), Word::lit(goal.value.clone())]);
                }
                None => words.push(Word::lit("cmake_src_test")),
            }
            words.extend(tests.jobs.map(|n| Word::lit(format!("-j{n}"))));
        }
        words.extend(tests.arguments.iter().map(|t| self.word(t)));
        let call = Stmt::Command(Command::new(words));
        // A program of its own runs once for all projects. With a single project, all statements
        // are under its condition.
        let tested = self.tested(names);
        match tested.as_slice() {
            [_] => self.run_tests(&tested, &[head, vec![call]].concat()),
            _ if own.is_some() => [head, vec![call]].concat(),
            _ => [head, self.run_tests(&tested, &[call])].concat(),
        }
    }

    /// Returns those of the projects `names` whose tests are run: the projects that exist for tests
    /// only, or all if there are none of these.
    fn tested(&self, names: &[String]) -> Vec<String> {
        let for_tests = |name: &&String| {
            self.projects
                .get(*name)
                .is_some_and(rocpkg_shell::is_for_tests)
        };
        let own: Vec<String> = names.iter().filter(for_tests).cloned().collect();
        if own.is_empty() { names.to_vec() } else { own }
    }

    /// Returns `stmts` for each of the projects `tested`, or the call `default` if the package has
    /// no CMake project.
    fn run_tests(&mut self, tested: &[String], stmts: &[Stmt]) -> Vec<Stmt> {
        if self.projects.is_empty() {
            return vec![run("default", Vec::new())];
        }
        self.each_project("check", tested, || stmts.to_vec())
    }

    /// Returns the statements before the call that runs the tests: the check for a GPU, the folder,
    /// the environment, and the list of skipped tests.
    fn before_tests(&mut self, tests: &Tests) -> Vec<Stmt> {
        let mut out: Vec<Stmt> = tests
            .comment
            .clone()
            .map(Stmt::Comment)
            .into_iter()
            .collect();
        if tests.device {
            let function = self
                .plan
                .distro
                .eclass
                .as_ref()
                .and_then(|eclass| eclass.device.as_ref());
            out.extend(function.map(|function| run(&function.value, Vec::new())));
        }
        if let Some(folder) = &tests.folder {
            out.push(die("cd", vec![self.word(folder)]));
        }
        for (name, value) in &tests.environment {
            let value = self.word(value);
            out.push(local_exported(name, value));
        }
        if !tests.skip.is_empty() {
            out.extend(tests.skip_reason.clone().map(Stmt::Comment));
            let items = tests
                .skip
                .iter()
                .map(|s| Item::from(Word::lit(s.value.clone())))
                .collect();
            out.push(Stmt::array(Scope::Local, "CMAKE_SKIP_TESTS", items, true));
        }
        if out.len() > 1 + usize::from(tests.comment.is_some()) {
            out.push(Stmt::Blank);
        }
        out
    }
}
