//! Requirements of a build on the machine: the variables of check-reqs.eclass, and a function for
//! requirements that the eclass can't express.

use crate::lower::context::Context;
use crate::lower::expand::Expand;
use rocpkg_model::Package;
use rocpkg_render::bash::{Command, Item, Scope, Stmt, Test, Word, run};
use rocpkg_resolve::TEST;

/// The name of the function that computes the memory of the build from the number of jobs and
/// targets, and calls check-reqs.eclass.
const FUNCTION: &str = "check_requirements";

impl Context<'_> {
    /// Returns true if the memory that the build needs depends on the number of jobs or targets, or
    /// on whether tests are built. The ebuild then computes it in a phase.
    pub(crate) fn asks_requirements(&self) -> bool {
        self.p
            .package
            .asks(|r| {
                r.memory_per_job
                    .or(r.memory_per_target)
                    .or(r.memory_for_tests)
            })
            .is_some()
    }

    /// Returns true if too little memory or disk causes a warning only. check-reqs.eclass stops the
    /// build in `pkg_pretend`, and warns in `pkg_setup`.
    pub(crate) fn is_lenient(&self) -> bool {
        self.facts().is_some_and(|f| f.lenient_requirements)
    }

    /// Returns the statements of `pkg_pretend` or `pkg_setup` that check the requirements; none if
    /// check-reqs.eclass checks them without a call.
    pub(crate) fn ask_requirements(&self, phase: &str) -> Vec<Stmt> {
        if phase == "pretend" && self.is_lenient() {
            return vec![
                Stmt::Comment(
                    "check-reqs would refuse here what it only warns of in pkg_setup".into(),
                ),
                run(":", Vec::new()),
            ];
        }
        if self.asks_requirements() {
            vec![run(FUNCTION, Vec::new())]
        } else {
            Vec::new()
        }
    }

    /// Returns the function that computes the memory, warns, and calls check-reqs.eclass; `None` if
    /// the variables of check-reqs.eclass can express all requirements of the package.
    pub(crate) fn requirements(&mut self) -> Option<(String, Vec<Stmt>)> {
        if !self.asks_requirements() {
            return None;
        }
        let package = &self.p.package;
        let time_per_target = package.resources.0.iter().any(|r| r.time_per_target);
        let mut body = Vec::new();
        if time_per_target || self.p.package.asks(|r| r.memory_per_target).is_some() {
            let items = vec![Item::from(Word::split(Expand::of(self.plan).variable()))];
            body.push(Stmt::array(Scope::Local, "targets", items, false));
        }
        if time_per_target {
            body.push(many_targets(Expand::of(self.plan).variable()));
        }
        body.push(local("jobs", Word::cmd(vec![Word::lit("makeopts_jobs")])));
        if let Some(each) = self.p.package.asks(|r| r.memory_per_job) {
            body.extend(too_many_jobs(each));
        }
        body.push(local("CHECKREQS_MEMORY", sum(package).literal("M")));
        if let Some(tests) = self.p.package.asks(|r| r.memory_for_tests) {
            let tests = Word::lit(crate::lower::mebibytes(tests));
            let more = Stmt::assign(Scope::Plain, "CHECKREQS_MEMORY", tests);
            let test = Test::Command(vec![Word::lit("use"), Word::lit(self.flag(TEST))]);
            body.push(Stmt::when(test, vec![more]));
        }
        body.push(Stmt::Command(Command::new(vec![
            Word::lit("check-reqs_").variable("EBUILD_PHASE_FUNC"),
        ])));
        let source = Test::Brackets(vec![
            Word::split("MERGE_TYPE"),
            Word::pattern("!="),
            Word::lit("binary"),
        ]);
        let body = vec![Stmt::when(source, body)];
        Some((FUNCTION.to_owned(), body))
    }
}

fn local(name: &str, value: Word) -> Stmt {
    Stmt::assign(Scope::Local, name, value)
}

/// Returns the arithmetic expansion `$(( … ))`.
fn arithmetic(text: impl std::fmt::Display) -> Word {
    Word::cmd(vec![Word::pattern(format!("( {text} )"))])
}

fn warn(text: Word) -> Stmt {
    run("ewarn", vec![text])
}

/// Returns the memory of a build in mebibytes as an expression of bash: the fixed part, plus the
/// parts for each job and each target.
fn sum(package: &Package) -> Word {
    let terms = [
        package.asks(|r| r.memory).map(|m| m.to_string()),
        package
            .asks(|r| r.memory_per_job)
            .map(|m| format!("jobs * {m}")),
        package
            .asks(|r| r.memory_per_target)
            .map(|m| format!("jobs * ${{#targets[@]}} * {m}")),
    ];
    arithmetic(terms.into_iter().flatten().collect::<Vec<_>>().join(" + "))
}

/// Returns the warning about a build for several GPU targets. By default the `USE_EXPAND` variable
/// `variable` contains all targets, and each one takes time.
fn many_targets(variable: &str) -> Stmt {
    let several = Test::Brackets(vec![
        Word::split("#targets[@]"),
        Word::lit("-gt"),
        Word::lit("1"),
    ]);
    let count = Word::var("PN")
        .literal(" is built for ")
        .variable("#targets[@]");
    let body = vec![
        warn(count.literal(" GPU targets, one after the other:")),
        warn(Word::lit(format!(
            "{variable} should name those of your own GPUs."
        ))),
    ];
    Stmt::when(several, body)
}

/// Returns the warning that more jobs run than fit into the free memory, with `each` in mebibytes
/// for a job. check-reqs.eclass compares with the memory that the machine has, not with the free
/// memory.
fn too_many_jobs(each: u64) -> Vec<Stmt> {
    let script = "/^MemAvailable:/ { print int($2 / 1024) }";
    let read = Word::cmd(["awk", script, "/proc/meminfo"].map(Word::lit).to_vec());
    let few = Test::Brackets(vec![
        Word::split("available"),
        Word::lit("-lt"),
        arithmetic(format!("jobs * {each}")),
    ]);
    let free = Word::var("available")
        .literal(" MB of memory are free, and each of ")
        .variable("jobs");
    let fitting = local(
        "fitting",
        arithmetic(format!("available < {each} ? 1 : available / {each}")),
    );
    let body = vec![
        fitting,
        warn(free.literal(format!(" jobs may take {each} MB:"))),
        warn(
            Word::lit("MAKEOPTS of this package should hold -j")
                .variable("fitting")
                .literal("."),
        ),
    ];
    vec![local("available", read), Stmt::when(few, body)]
}
