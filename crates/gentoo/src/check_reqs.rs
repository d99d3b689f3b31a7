//! What a build needs of the machine: check-reqs.eclass, and what it can't tell.

use crate::context::Context;
use crate::expand::Expand;
use rocpkg_model::Package;
use rocpkg_render::bash::{Command, Item, Scope, Stmt, Test, Word, run};
use rocpkg_resolve::TEST;

/// The function that asks check-reqs.eclass for the memory that the jobs of this machine take
/// together.
const FUNCTION: &str = "check_requirements";

impl Context<'_> {
    /// True when the memory depends on the jobs or on the targets, so that it has to be reckoned in
    /// a phase.
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

    /// True when too little is warned of and never refused. check-reqs.eclass refuses in
    /// `pkg_pretend`, and warns in `pkg_setup`.
    pub(crate) fn is_lenient(&self) -> bool {
        self.facts().is_some_and(|f| f.lenient_requirements)
    }

    /// What `pkg_pretend` or `pkg_setup` does about it.
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

    /// The function that reckons, warns and asks; `None` where check-reqs.eclass does by itself.
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

/// `$(( … ))`.
fn arithmetic(text: impl std::fmt::Display) -> Word {
    Word::cmd(vec![Word::pattern(format!("( {text} )"))])
}

fn warn(text: Word) -> Stmt {
    run("ewarn", vec![text])
}

/// The memory of a build in mebibytes: what it takes in any case, and what jobs and targets add.
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

/// Whoever left the variable at its default waits for all of them.
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

/// check-reqs.eclass compares with the memory that the machine has; what counts is what is free,
/// and how many jobs fit into that.
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
