//! Phase functions (PMS 9): what CMake, Python, the compiler, flags, tests and own steps ask for.

use crate::context::{Context, texts};
use crate::steps::{die, run};
use crate::vocabulary::{has_targets, no_targets};
use rocpkg_model::{
    Argument, ArgumentKind, ArgumentValue, Compiler, Cond, EnvironmentVariable, FlagAction, MessageKind, Policy,
    Project, PythonMode, RocmMode, Step, TargetList, When,
};
use rocpkg_render::bash::{Command, Item, Scope, Stmt, Test, Word};

/// Phases of the model and the functions of PMS 9.1 that they become, in the order in which they run.
const PHASES: &[(&str, &str)] = &[
    ("pretend", "pkg_pretend"),
    ("setup", "pkg_setup"),
    ("unpack", "src_unpack"),
    ("prepare", "src_prepare"),
    ("configure", "src_configure"),
    ("build", "src_compile"),
    ("check", "src_test"),
    ("install", "src_install"),
    ("preinst", "pkg_preinst"),
    ("postinst", "pkg_postinst"),
    ("prerm", "pkg_prerm"),
    ("postrm", "pkg_postrm"),
];

/// The function that asks check-reqs.eclass for the memory of all jobs.
const CHECK_MEMORY: &str = "check_memory_of_jobs";

/// Other words for the same phases.
const ALIASES: &[(&str, &str)] = &[("compile", "build"), ("test", "check")];

impl Context<'_> {
    /// All functions of the ebuild: its own first, then the phases in order. A phase that would do nothing but what the
    /// eclass does is left to the eclass.
    pub(crate) fn functions(&mut self) -> Vec<(String, Vec<Stmt>)> {
        let mut out = Vec::new();
        self.check_phases();
        for project in self.further_projects() {
            out.push((self.wrapper(&project), self.wrapper_body(&project)));
        }
        if let Some(e) = &self.p.package.ebuild {
            for (name, steps) in &e.functions {
                let body = self.steps(steps, false, &mut |_, _| Vec::new());
                out.push((name.clone(), body));
            }
        }
        let memory = self.check_memory();
        if !memory.is_empty() {
            out.push((CHECK_MEMORY.to_owned(), memory));
        }
        for (phase, function) in PHASES {
            let body = self.phase(phase);
            if !body.is_empty() {
                out.push(((*function).to_owned(), body));
            }
        }
        out
    }

    fn check_phases(&mut self) {
        let known = |name: &str| {
            PHASES.iter().any(|(p, _)| *p == name) || ALIASES.iter().any(|(a, _)| *a == name)
        };
        for (name, _) in self.p.package.phases.iter().filter(|(n, _)| !known(n)) {
            let span = self.p.node.get("phases").map_or(self.p.node.span, |n| n.span);
            self.findings.push(
                rocpkg_model::Finding::error("E0309", span, format!("unknown phase `{name}`"))
                    .label("expected a phase of an ebuild")
                    .nearest(name, PHASES.iter().map(|(p, _)| *p)),
            );
        }
    }

    /// The steps of a phase under its name or another word for it.
    fn own_steps(&self, phase: &str) -> Option<&'_ [Step]> {
        let phases = &self.p.package.phases;
        let alias = ALIASES.iter().find(|(_, p)| *p == phase).map(|(a, _)| *a);
        phases.get(phase).or_else(|| phases.get(alias?)).map(Vec::as_slice)
    }

    fn phase(&mut self, phase: &str) -> Vec<Stmt> {
        let own = self.own_steps(phase).map(<[Step]>::to_vec);
        let mut body = Vec::new();
        body.extend(self.messages(phase));
        match own {
            Some(steps) => {
                let mut standard =
                    |c: &mut Self, project: &str| c.standard(phase, project).unwrap_or_default();
                let stmts = self.steps(&steps, phase == "install", &mut standard);
                body.extend(stmts);
            }
            None if phase == "check" => body.extend(self.standard(phase, "all").unwrap_or_default()),
            None if self.has_default(phase) => body.extend(self.standard(phase, "all").unwrap_or_default()),
            None => {}
        }
        if phase == "install" {
            body.extend(self.no_strip(body.is_empty()));
        }
        body
    }

    /// True when the phase does more by default than the eclass's function of that name.
    fn has_default(&self, phase: &str) -> bool {
        let package = &self.p.package;
        let projects = !self.further_projects().is_empty();
        match phase {
            "pretend" => self.warns_about_stub() || package.resources.is_some_and_memory(),
            "setup" => package.resources.is_some_and_memory(),
            "unpack" => self.partial_archive().is_some(),
            "prepare" => projects,
            "configure" => {
                let first = self.projects.first().is_some_and(|(_, p)| !p.arguments.is_empty());
                let compiler =
                    matches!(self.compiler_choice(), Some(Compiler::Clang | Compiler::Hipcc | Compiler::Amdclang));
                let environment = ["configure", "build"].iter().any(|p| package.environment.contains_key(*p));
                projects || first || compiler || !package.flags.is_empty() || environment
            }
            "build" => {
                let goals = self.projects.values().any(|p| !p.goals.is_empty()) || self.is_distutils();
                let docs = package.ebuild.as_ref().is_some_and(|e| e.docs.is_some());
                projects || goals || docs || package.environment.contains_key("build")
            }
            _ => false,
        }
    }

    /// What a phase does for one project, or for all of them.
    fn standard(&mut self, phase: &str, project: &str) -> Option<Vec<Stmt>> {
        let names: Vec<String> = match project {
            "all" => self.projects.keys().cloned().collect(),
            one => vec![one.to_owned()],
        };
        Some(match phase {
            "pretend" | "setup" => {
                let mut out = if phase == "pretend" { self.stub_warning() } else { Vec::new() };
                if self.p.package.resources.is_some_and_memory() {
                    out.push(run(CHECK_MEMORY, Vec::new()));
                }
                out
            }
            "unpack" => self.unpack(),
            "configure" => self.configure(&names),
            "check" => self.check(),
            "prepare" | "build" | "install" if self.is_distutils() => self.python_and_cmake(phase, &names),
            "prepare" => self.each_project(&names, |_, first| {
                let mut out = Vec::new();
                if !first {
                    out.push(Stmt::Array { scope: Scope::Local, name: "PATCHES".into(), append: false, items: Vec::new(), tall: false });
                }
                out.push(run("cmake_src_prepare", Vec::new()));
                out
            }),
            "build" => self.build(&names, project == "all"),
            "install" => {
                // A second project is there for tests: nothing of it is installed unless a step says so.
                let first = names.first().cloned().into_iter().collect::<Vec<_>>();
                self.each_project(&first, |_, _| vec![run("cmake_src_install", Vec::new())])
            }
            _ => Vec::new(),
        })
    }

    fn is_distutils(&self) -> bool {
        self.python_mode() == Some(PythonMode::Distutils)
    }

    pub(crate) fn python_mode(&self) -> Option<PythonMode> {
        self.p.package.ebuild.as_ref().and_then(|e| e.python.as_ref()).map(|p| p.mode)
    }

    /// CMake projects after the first one.
    fn further_projects(&self) -> Vec<String> {
        self.projects.keys().skip(1).cloned().collect()
    }

    /// cmake.eclass reads `CMAKE_USE_DIR` and `BUILD_DIR`, so a function that sets both runs its phases for another
    /// project.
    fn wrapper_body(&mut self, project: &str) -> Vec<Stmt> {
        let source = self.project_folder(project).unwrap_or_default();
        let build = self.build_folder(project).unwrap_or_default();
        let local = |name: &str, value: Word| Stmt::Assign {
            scope: Scope::Local,
            name: name.to_owned(),
            append: false,
            value,
        };
        vec![
            local("CMAKE_USE_DIR", source.clone()),
            local("BUILD_DIR", build),
            die("cd", vec![source]),
            Stmt::Command(Command::new(vec![Word::var("@")])),
        ]
    }

    /// The statements for each project: the first as it is, a further one through its wrapper and under its condition.
    fn each_project(
        &mut self,
        names: &[String],
        mut stmts: impl FnMut(&mut Self, bool) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let mut out = Vec::new();
        for name in names {
            let Some(at) = self.projects.get_index_of(name) else {
                let span = self.p.node.span;
                self.error("E0310", span, format!("no CMake project is named `{name}`"));
                continue;
            };
            let mut body = stmts(self, at == 0);
            if at > 0 {
                body = body.into_iter().map(|s| self.wrapped(name, s)).collect();
            }
            let when = self.projects[at].when.clone();
            match when {
                Some(when) => {
                    let test = self.test(&when.cond, when.span);
                    out.push(Stmt::If { branches: vec![(test, body)], otherwise: Vec::new() });
                }
                None => out.extend(body),
            }
        }
        out
    }

    /// A call of the eclass goes through the project's wrapper.
    fn wrapped(&self, project: &str, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::Command(mut c)
                if c.words.first().and_then(Word::as_literal).is_some_and(|w| w.starts_with("cmake_")) =>
            {
                c.words.insert(0, Word::lit(self.wrapper(project)));
                Stmt::Command(c)
            }
            other => other,
        }
    }

    fn build(&mut self, names: &[String], whole: bool) -> Vec<Stmt> {
        let mut out = self.environment("build");
        if whole && self.p.package.ebuild.as_ref().is_some_and(|e| e.docs.is_some()) {
            out.push(run("docs_compile", Vec::new()));
        }
        for name in names {
            let goals = self.projects.get(name).map(|p| p.goals.clone()).unwrap_or_default();
            let one = std::slice::from_ref(name);
            out.extend(self.each_project(one, |_, _| {
                if goals.is_empty() {
                    return vec![run("cmake_src_compile", Vec::new())];
                }
                let call = |g: &rocpkg_model::OneOrMany<rocpkg_model::Spanned<String>>| {
                    run("cmake_src_compile", g.0.iter().map(|w| Word::lit(w.value.clone())).collect())
                };
                goals.iter().map(call).collect()
            }));
        }
        out
    }

    /// A Python package first, then what CMake builds beside it. CMake installs nothing: setup.py takes what it needs.
    fn python_and_cmake(&mut self, phase: &str, names: &[String]) -> Vec<Stmt> {
        let (python, cmake) = match phase {
            "prepare" => ("distutils-r1_src_prepare", None),
            "build" => ("distutils-r1_src_compile", Some("cmake_src_compile")),
            _ => ("distutils-r1_src_install", None),
        };
        let mut out = vec![run(python, Vec::new())];
        if let Some(cmake) = cmake.filter(|_| !self.p.package.cmake.is_empty()) {
            out.extend(self.each_project(names, |_, _| vec![run(cmake, Vec::new())]));
        }
        out
    }

    /// Compiler, environment, flags and CMake's arguments, then `cmake_src_configure`.
    fn configure(&mut self, names: &[String]) -> Vec<Stmt> {
        let mut out = Vec::new();
        let first = self.projects.keys().next().cloned();
        let python = self.is_distutils();
        for (i, name) in names.iter().enumerate() {
            if Some(name) == first.as_ref() {
                let head = self.configure_head();
                let gap = !head.is_empty();
                out.extend(head);
                if gap {
                    out.push(Stmt::Blank);
                }
                if python {
                    out.push(run("distutils-r1_src_configure", Vec::new()));
                }
            } else if i > 0 {
                out.push(Stmt::Blank);
            }
            out.extend(self.configure_project(name, Some(name) == first.as_ref()));
        }
        out
    }

    fn configure_head(&mut self) -> Vec<Stmt> {
        let mut groups = vec![self.compiler(), self.environment("configure")];
        groups.extend(self.flags("configure"));
        groups.push(self.build_type());
        let mut out: Vec<Stmt> = Vec::new();
        for group in groups.into_iter().filter(|g| !g.is_empty()) {
            if !out.is_empty() {
                out.push(Stmt::Blank);
            }
            out.extend(group);
        }
        out
    }

    /// Device code is built by the clang that fits HIP unless the profile says otherwise.
    fn compiler_choice(&self) -> Option<Compiler> {
        let device = matches!(self.rocm(), RocmMode::Eclass | RocmMode::Own);
        self.p.package.compiler.or(device.then_some(Compiler::Clang))
    }

    /// The variables that hand the targets to upstream's build, where the profile does not pass them itself.
    fn target_arguments(&mut self, project: &Project) -> Vec<Item> {
        let Some(targets) = &self.p.package.targets else { return Vec::new() };
        let device = matches!(self.rocm(), RocmMode::Eclass | RocmMode::Own);
        let variable = targets.variable.0.first().filter(|v| !project.arguments.contains_key(&v.value));
        match variable {
            Some(v) if device && targets.list != Some(TargetList::None) => {
                let value = Word::cmd(vec![Word::lit("get_amdgpu_flags")]);
                vec![Item::from(Word::lit(format!("-D{}=", v.value)).then(value))]
            }
            _ => Vec::new(),
        }
    }

    /// The compiler: rocm.eclass switches to the clang that fits HIP; a package that the runtime itself is built from
    /// takes the clang of its LLVM slot.
    fn compiler(&mut self) -> Vec<Stmt> {
        let outside = self.rocm() == RocmMode::None;
        match self.compiler_choice() {
            Some(Compiler::Hipcc) if !outside => vec![run("rocm_use_hipcc", Vec::new())],
            Some(Compiler::Clang | Compiler::Hipcc | Compiler::Amdclang) if !outside => {
                vec![run("rocm_use_clang", Vec::new())]
            }
            Some(Compiler::Clang | Compiler::Amdclang) if !self.llvm().is_empty() => {
                self.eclasses.insert("flag-o-matic".into());
                let tool = |variable: &str, suffix: &str| {
                    let value = Word::lit(format!("{variable}=")).variable("CHOST").literal(suffix);
                    run("local", vec![Word::lit("-x"), value])
                };
                vec![
                    Stmt::Comment("CMake takes the newest clang that it finds, whose bitcode older ones can't read".into()),
                    run("llvm_prepend_path", vec![Word::var("LLVM_SLOT")]),
                    tool("CC", "-clang"),
                    tool("CXX", "-clang++"),
                    Stmt::Comment("Flags of the user's that only another compiler knows".into()),
                    run("strip-unsupported-flags", Vec::new()),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// Variables of the environment of a phase, exported for its commands.
    fn environment(&mut self, phase: &str) -> Vec<Stmt> {
        let Some(variables) = self.p.package.environment.get(phase).cloned() else { return Vec::new() };
        let mut out = Vec::new();
        for (name, values) in &variables {
            for value in &values.0 {
                let stmt = self.variable(name, value);
                out.extend(self.conditional(value.when.as_ref(), value.comment.as_deref(), vec![stmt]));
            }
        }
        out
    }

    fn variable(&mut self, name: &str, value: &EnvironmentVariable) -> Stmt {
        let word = self.word(&value.value);
        if value.local {
            return run("local", vec![Word::lit("-x"), Word::lit(format!("{name}=")).then(word)]);
        }
        Stmt::Assign { scope: Scope::Export, name: name.to_owned(), append: false, value: word }
    }

    fn conditional(&mut self, when: Option<&When>, comment: Option<&str>, body: Vec<Stmt>) -> Vec<Stmt> {
        let mut out: Vec<Stmt> = comment.map(|c| Stmt::Comment(c.to_owned())).into_iter().collect();
        match when {
            Some(when) => {
                let test = self.test(&when.cond, when.span);
                out.push(Stmt::If { branches: vec![(test, body)], otherwise: Vec::new() });
            }
            None => out.extend(body),
        }
        out
    }

    /// Edits of flags by flag-o-matic.eclass, one group for each comment.
    fn flags(&mut self, phase: &str) -> Vec<Vec<Stmt>> {
        let edits = self.p.package.flags.clone();
        let mut out = Vec::new();
        for edit in edits.iter().filter(|e| e.phase.as_ref().map_or("configure", |p| &p.value) == phase) {
            self.eclasses.insert("flag-o-matic".into());
            let words = self.words(&edit.flags);
            let on: Vec<&str> = edit.on.0.iter().map(|o| o.value.as_str()).collect();
            let mut body = Vec::new();
            match edit.action {
                FlagAction::NoLto => body.push(run("filter-lto", Vec::new())),
                FlagAction::Filter => body.push(run("filter-flags", words)),
                FlagAction::Replace => {
                    let with = edit.with.as_ref().map(|t| self.word(t)).unwrap_or_default();
                    let pairs = words.into_iter().map(|w| run("replace-flags", vec![w, with.clone()]));
                    body.extend(pairs);
                }
                FlagAction::Append | FlagAction::Prepend => {
                    for one in &on {
                        match append(one) {
                            Some(function) => body.push(run(function, words.clone())),
                            None => {
                                let span = edit.on.0[0].span;
                                self.error("E0311", span, format!("no flags are named `{one}`"));
                            }
                        }
                    }
                }
                FlagAction::Set => {
                    for one in &on {
                        let value = words.iter().enumerate().fold(Word::default(), |all, (i, w)| {
                            if i > 0 { all.literal(" ").then(w.clone()) } else { all.then(w.clone()) }
                        });
                        let name = format!("{}FLAGS", one.to_uppercase());
                        body.push(Stmt::Assign { scope: Scope::Export, name, append: false, value });
                    }
                }
            }
            out.push(self.conditional(edit.when.as_ref(), edit.comment.as_deref(), body));
        }
        out
    }

    /// cmake.eclass builds `RelWithDebInfo` unless `CMAKE_BUILD_TYPE` says otherwise; `debug` asks for `Debug`.
    fn build_type(&mut self) -> Vec<Stmt> {
        let package = &self.p.package;
        if !package.features.contains_key("debug") {
            return Vec::new();
        }
        let flag = self.flag("debug");
        let normal = package.build_type.as_ref().map_or("RelWithDebInfo", |b| b.value.as_str());
        let words = vec![Word::lit("usex"), Word::lit(flag), Word::lit("Debug"), Word::lit(normal)];
        vec![Stmt::Assign { scope: Scope::Local, name: "CMAKE_BUILD_TYPE".into(), append: false, value: Word::cmd(words) }]
    }

    fn configure_project(&mut self, name: &str, first: bool) -> Vec<Stmt> {
        let Some(project) = self.projects.get(name).cloned() else {
            let span = self.p.node.span;
            self.error("E0310", span, format!("no CMake project is named `{name}`"));
            return Vec::new();
        };
        let mut plain: Vec<Item> = if first { self.target_arguments(&project) } else { Vec::new() };
        let mut grouped: Vec<(When, Vec<Item>)> = Vec::new();
        for (argument, values) in &project.arguments {
            for value in &values.0 {
                let item = Item { word: self.argument(argument, value), comment: value.comment.clone() };
                match &value.when {
                    None => plain.push(item),
                    Some(when) => match grouped.iter_mut().find(|(w, _)| w.cond == when.cond) {
                        Some((_, items)) => items.push(item),
                        None => grouped.push((when.clone(), vec![item])),
                    },
                }
            }
        }
        let mut out = Vec::new();
        if std::mem::take(&mut self.trimmed) {
            let value = Word::cmd(vec![Word::lit("get_amdgpu_flags")]);
            out.push(Stmt::Comment("The list ends in a semicolon, after which an empty target is read".into()));
            out.push(Stmt::Assign { scope: Scope::Local, name: "targets".into(), append: false, value });
        }
        let mut answers = Vec::new();
        for (when, name) in std::mem::take(&mut self.answers) {
            answers.push((self.test(&when.cond, when.span), name));
        }
        if std::mem::take(&mut self.device) {
            answers.push((has_targets(), "with_device".to_owned()));
        }
        for (test, name) in answers {
            let assign = |scope: Scope, value: &str| Stmt::Assign {
                scope,
                name: name.clone(),
                append: false,
                value: Word::lit(value),
            };
            out.push(assign(Scope::Local, "OFF"));
            let on = vec![assign(Scope::Plain, "ON")];
            out.push(Stmt::If { branches: vec![(test, on)], otherwise: Vec::new() });
        }
        if !out.is_empty() {
            out.push(Stmt::Blank);
        }
        let groups: Vec<(Vec<String>, bool)> = (self.p.package.constraints.iter())
            .flat_map(|c| [(texts(&c.exactly_one), c.when.is_none()), (texts(&c.at_most_one), c.when.is_none())])
            .collect();
        let exclusive = |a: &Cond, b: &Cond| match (a, b) {
            (Cond::Feature(a), Cond::Feature(b)) => {
                groups.iter().any(|(names, always)| *always && names.contains(a) && names.contains(b))
            }
            _ => false,
        };
        let mut before: Option<Cond> = None;
        let mut local = plain.is_empty();
        if !plain.is_empty() {
            out.push(arguments(Scope::Local, false, plain));
        }
        for (when, items) in grouped {
            if std::mem::take(&mut local) {
                out.push(arguments(Scope::Local, false, Vec::new()));
            }
            let test = self.test(&when.cond, when.span);
            out.push(Stmt::Blank);
            let body = vec![arguments(Scope::Plain, true, items)];
            match (out.get_mut(..), &test) {
                // `a` and then `! a` are one statement with two branches.
                (Some([.., Stmt::If { branches, otherwise }, Stmt::Blank]), Test::Not(t))
                    if branches.len() == 1 && otherwise.is_empty() && branches[0].0 == **t =>
                {
                    *otherwise = body;
                    out.pop();
                }
                // So are two features of which only one can be on.
                (Some([.., Stmt::If { branches, .. }, Stmt::Blank]), _)
                    if before.as_ref().is_some_and(|b| exclusive(b, &when.cond)) =>
                {
                    branches.push((test, body));
                    out.pop();
                }
                _ => out.push(Stmt::If { branches: vec![(test, body)], otherwise: Vec::new() }),
            }
            before = Some(when.cond);
        }
        if !out.is_empty() {
            out.push(Stmt::Blank);
        }
        let mut environment: Vec<(String, Word)> = Vec::new();
        for (name, value) in &project.environment {
            environment.push((name.clone(), self.word(value)));
        }
        let mut command = Command::new(vec![Word::lit("cmake_src_configure")]);
        command.env = environment;
        let mut call = Stmt::Command(command);
        if !first {
            call = self.wrapped(name, call);
        }
        out.push(call);
        match project.when {
            Some(when) => {
                let test = self.test(&when.cond, when.span);
                vec![Stmt::If { branches: vec![(test, out)], otherwise: Vec::new() }]
            }
            None => out,
        }
    }

    /// The variable that holds `ON` when a condition of many flags holds; arguments that ask the same share it.
    fn answer(&mut self, argument: &str, when: &When) -> Word {
        if let Some((_, name)) = self.answers.iter().find(|(w, _)| w.cond == when.cond) {
            return Word::var(name.clone());
        }
        let name: String = argument.to_lowercase();
        self.answers.push((when.clone(), name.clone()));
        Word::var(name)
    }

    /// `-DNAME=value`.
    fn argument(&mut self, name: &str, argument: &Argument) -> Word {
        let on_off = |on: bool| Word::lit(if on { "ON" } else { "OFF" });
        let value = match &argument.value {
            ArgumentValue::Bare => return Word::lit(name),
            ArgumentValue::Bool(on) => on_off(*on),
            ArgumentValue::When(when) if when.cond.features().len() + when.cond.targets().len() > 2 => {
                self.answer(name, when)
            }
            ArgumentValue::When(when) => self.usex(when, on_off(true), on_off(false)),
            ArgumentValue::Unless(when) => self.usex(when, on_off(false), on_off(true)),
            ArgumentValue::Text(text) => self.word(text),
            ArgumentValue::Choice(when, yes, no) => {
                let (yes, no) = (self.word(yes), self.word(no));
                self.usex(when, yes, no)
            }
        };
        let kind = match argument.kind {
            Some(ArgumentKind::Path) => ":PATH",
            Some(ArgumentKind::String) => ":STRING",
            Some(ArgumentKind::Bool) => ":BOOL",
            _ => "",
        };
        let head = if name.starts_with('-') { format!("{name}=") } else { format!("-D{name}{kind}=") };
        Word::lit(head).then(value)
    }

    /// `src_test` where the eclass's own would not do: a device, an environment, a program instead of ctest.
    fn check(&mut self) -> Vec<Stmt> {
        let Some(tests) = self.p.package.tests.clone() else { return Vec::new() };
        let ctest = tests.runner.as_ref().is_none_or(|r| r.value == "ctest");
        let special = tests.device || !tests.environment.is_empty() || !tests.skip.is_empty() || tests.jobs.is_some();
        if (ctest && !special && tests.folder.is_none()) {
            return Vec::new();
        }
        let mut out = Vec::new();
        if tests.device {
            out.push(run("check_amdgpu", Vec::new()));
        }
        if let Some(folder) = &tests.folder {
            out.push(die("cd", vec![self.word(folder)]));
        }
        for (name, value) in &tests.environment {
            let value = Word::lit(format!("{name}=")).then(self.word(value));
            out.push(run("local", vec![Word::lit("-x"), value]));
        }
        if !tests.skip.is_empty() {
            let items = tests.skip.iter().map(|s| Item::from(Word::lit(s.value.clone()))).collect();
            out.push(Stmt::Array { scope: Scope::Local, name: "CMAKE_SKIP_TESTS".into(), append: false, items, tall: true });
        }
        if out.len() > 1 {
            out.push(Stmt::Blank);
        }
        let mut words = Vec::new();
        if let Some(runner) = tests.runner.as_ref().filter(|_| !ctest) {
            self.eclasses.insert("edo".into());
            let program = &runner.value;
            words.push(Word::lit("edob"));
            words.push(Word::lit(if program.contains('/') { program.clone() } else { format!("./{program}") }));
        } else {
            // Tests are the last project's when there is one for them.
            if let Some(project) = self.further_projects().last() {
                words.push(Word::lit(self.wrapper(project)));
            }
            words.push(Word::lit("cmake_src_test"));
            words.extend(tests.jobs.map(|n| Word::lit(format!("-j{n}"))));
        }
        words.extend(self.words(&tests.arguments));
        out.push(Stmt::Command(Command::new(words)));
        out
    }

    /// `dostrip -x` (PMS 12.3.11).
    fn no_strip(&mut self, nothing_else: bool) -> Vec<Stmt> {
        let folders = self.p.package.ebuild.as_ref().map(|e| e.no_strip.clone()).unwrap_or_default();
        if folders.is_empty() {
            return Vec::new();
        }
        let mut out = Vec::new();
        if nothing_else {
            out.extend(self.standard("install", "all").unwrap_or_default());
        }
        out.push(Stmt::Blank);
        out.push(Stmt::Comment("Code objects without their string table can't be loaded".into()));
        for folder in &folders {
            out.push(run("dostrip", vec![Word::lit("-x"), self.word(folder)]));
        }
        out
    }

    fn messages(&mut self, phase: &str) -> Vec<Stmt> {
        let messages = self.p.package.messages.clone();
        let mut out = Vec::new();
        for m in messages.iter().filter(|m| m.phase.value == phase) {
            let function = match m.kind {
                MessageKind::Log => "elog",
                MessageKind::Warn => "ewarn",
                MessageKind::Die => "eerror",
            };
            let mut body: Vec<Stmt> = m.lines.iter().map(|l| run(function, vec![self.word(l)])).collect();
            if m.kind == MessageKind::Die {
                body.push(run("die", Vec::new()));
            }
            out.extend(self.conditional(m.when.as_ref(), None, body));
        }
        out
    }

    /// A package that is built without device code for a target it can't be built for says so.
    fn warns_about_stub(&self) -> bool {
        let policy = self.p.package.targets.as_ref().and_then(|t| t.policy);
        policy == Some(Policy::Stub) && self.rocm() == RocmMode::Own
    }

    fn stub_warning(&mut self) -> Vec<Stmt> {
        if !self.warns_about_stub() {
            return Vec::new();
        }
        let say = |words: Word| run("ewarn", vec![words]);
        let body = vec![
            say(Word::var("PN").literal(" has device code for these GPU targets alone:")),
            say(Word::var("SUPPORTED_TARGETS[*]")),
            say(Word::lit("AMDGPU_TARGETS holds none of them, so the library will be built without device code:")),
            say(Word::lit("programs can link against it, and every call of it fails.")),
        ];
        vec![Stmt::If { branches: vec![(no_targets(), body)], otherwise: Vec::new() }]
    }

    /// check-reqs.eclass, with the memory that the jobs of this machine take together.
    fn check_memory(&mut self) -> Vec<Stmt> {
        let Some(each) = self.p.package.resources.as_ref().and_then(|r| r.memory_per_job) else { return Vec::new() };
        self.eclasses.extend(["check-reqs".to_owned(), "multiprocessing".to_owned()]);
        let source = Test::Brackets(vec![Word::split("MERGE_TYPE"), Word::pattern("!="), Word::lit("binary")]);
        let local = |name: &str, value: Word| Stmt::Assign {
            scope: Scope::Local,
            name: name.to_owned(),
            append: false,
            value,
        };
        let memory = Word::cmd(vec![Word::pattern(format!("( jobs * {each} )"))]).literal("M");
        let phase = Word::lit("check-reqs_").variable("EBUILD_PHASE_FUNC");
        let body = vec![
            local("jobs", Word::cmd(vec![Word::lit("makeopts_jobs")])),
            local("CHECKREQS_MEMORY", memory),
            Stmt::Command(Command::new(vec![phase])),
        ];
        vec![Stmt::If { branches: vec![(source, body)], otherwise: Vec::new() }]
    }

    /// A folder of an archive that is too large to be unpacked whole.
    fn partial_archive(&self) -> Option<(String, String)> {
        let main = self.p.sources.first()?;
        let path = main.path.clone()?;
        (main.fetch == rocpkg_model::Fetch::Archive).then_some((main.repository.clone(), path))
    }

    fn unpack(&mut self) -> Vec<Stmt> {
        let Some((_, path)) = self.partial_archive() else { return vec![run("default", Vec::new())] };
        let (file, top) = (self.distfile(0), self.archive_folder(0));
        let words = ["-x", "-z", "-o", "-f"].map(Word::lit).to_vec();
        let mut words: Vec<Word> = words;
        words.push(Word::var("DISTDIR").literal("/").then(file));
        words.push(top.literal(format!("/{path}")));
        vec![Stmt::Comment("The rest of the archive is many times as large".into()), die("tar", words)]
    }
}

/// The function of flag-o-matic.eclass that appends to some flags.
fn append(on: &str) -> Option<&'static str> {
    Some(match on {
        "all" => "append-flags",
        "c" => "append-cflags",
        "cxx" => "append-cxxflags",
        "cpp" => "append-cppflags",
        "ld" => "append-ldflags",
        "fortran" => "append-fflags",
        _ => return None,
    })
}

fn arguments(scope: Scope, append: bool, items: Vec<Item>) -> Stmt {
    Stmt::Array { scope, name: "mycmakeargs".into(), append, tall: !items.is_empty(), items }
}

/// Resources that check-reqs.eclass is asked about.
trait Memory {
    fn is_some_and_memory(&self) -> bool;
}

impl Memory for Option<rocpkg_model::Resources> {
    fn is_some_and_memory(&self) -> bool {
        self.as_ref().is_some_and(|r| r.memory_per_job.is_some())
    }
}
