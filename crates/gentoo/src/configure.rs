//! `src_configure`: the compiler, the environment, flags, and CMake's arguments.

use crate::context::{Context, texts};
use crate::steps::run;
use crate::vocabulary::has_targets;
use rocpkg_model::{
    Argument, ArgumentKind, ArgumentValue, Compiler, Cond, EnvironmentVariable, FlagAction, Project,
    RocmMode, TargetList, When,
};
use rocpkg_render::bash::{Command, Item, Scope, Stmt, Test, Word};

impl Context<'_> {
    /// Compiler, environment, flags and CMake's arguments, then `cmake_src_configure`.
    pub(crate) fn configure(&mut self, names: &[String]) -> Vec<Stmt> {
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
    pub(crate) fn compiler_choice(&self) -> Option<Compiler> {
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
                    Stmt::Comment(
                        "CMake takes the newest clang that it finds, whose bitcode older ones can't read"
                            .into(),
                    ),
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
    pub(crate) fn environment(&mut self, phase: &str) -> Vec<Stmt> {
        let stated = &self.p.package.environment;
        let alias = crate::phases::ALIASES.iter().find(|(_, p)| *p == phase).map_or("", |(a, _)| *a);
        let Some(variables) = stated.get(phase).or_else(|| stated.get(alias)).cloned() else {
            return Vec::new();
        };
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

    pub(crate) fn conditional(
        &mut self,
        when: Option<&When>,
        comment: Option<&str>,
        body: Vec<Stmt>,
    ) -> Vec<Stmt> {
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
    pub(crate) fn flags(&mut self, phase: &str) -> Vec<Vec<Stmt>> {
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
                        if let Some(function) = append(one) {
                            body.push(run(function, words.clone()));
                        } else {
                            let span = edit.on.0[0].span;
                            self.error("E0311", span, format!("no flags are named `{one}`"));
                        }
                    }
                }
                FlagAction::Set => {
                    for one in &on {
                        let value = words.iter().enumerate().fold(Word::default(), |all, (i, w)| {
                            if i > 0 { all.literal(" ").then(w.clone()) } else { all.then(w.clone()) }
                        });
                        if append(one).is_none() {
                            let span = edit.on.0[0].span;
                            self.error("E0311", span, format!("no flags are named `{one}`"));
                        }
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
        vec![Stmt::Assign {
            scope: Scope::Local,
            name: "CMAKE_BUILD_TYPE".into(),
            append: false,
            value: Word::cmd(words),
        }]
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
            out.push(Stmt::Comment(
                "The list ends in a semicolon, after which an empty target is read".into(),
            ));
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
            .flat_map(|c| {
                [(texts(&c.exactly_one), c.when.is_none()), (texts(&c.at_most_one), c.when.is_none())]
            })
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
