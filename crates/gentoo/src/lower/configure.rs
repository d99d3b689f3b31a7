//! `src_configure`: the compiler, the environment, flags, and CMake's arguments.

use crate::lower::context::{Context, target_flags_of, texts};
use crate::lower::steps::local_exported;
use crate::lower::vocabulary::{has_targets, no_targets};
use rocpkg_model::{
    Argument, ArgumentValue, Compiler, Cond, EnvironmentVariable, FlagEdit, Project, Spanned,
    TargetFlags, TargetList, Text, When,
};
use rocpkg_render::bash::{Command, Item, Scope, Stmt, Test, Word, is_bare, run};
use rocpkg_resolve::Planned;
use rocpkg_shell::Targets;

/// The argument that is printed first in `mycmakeargs` if a project has it.
const FIRST: &str = "-DCMAKE_SKIP_RPATH=ON";

/// Returns the compiler that the eclass of GPU targets switches to for a package. Device code is
/// built with the matching clang unless the profile states another compiler. Returns `None` if the
/// ebuild does not inherit the eclass, or builds with the system's compiler.
pub(crate) fn switched_to(p: &Planned) -> Option<Compiler> {
    let flags = target_flags_of(p);
    let device = matches!(flags, TargetFlags::Eclass | TargetFlags::Own);
    let compiler = p.package.compiler.or(device.then_some(Compiler::Clang));
    compiler.filter(|compiler| flags != TargetFlags::None && *compiler != Compiler::System)
}

impl Context<'_> {
    /// Returns the statements of `src_configure` for the CMake projects `names`: the compiler, the
    /// environment, flags, CMake's arguments, and the call of `cmake_src_configure`. The compiler,
    /// the environment and flags are set only if `names` begins with the first project.
    pub(crate) fn configure(&mut self, names: &[String]) -> Vec<Stmt> {
        let first = self.projects.keys().next().cloned();
        let mut out = Vec::new();
        if names.first() == first.as_ref() {
            out = self.configure_head();
            if first.is_some() {
                out.push(Stmt::Blank);
            }
            if self.is_distutils() {
                out.push(run("distutils-r1_src_configure", Vec::new()));
            } else if first.is_none() {
                out.push(run("default", Vec::new()));
            }
        }
        for (i, name) in names.iter().enumerate() {
            if i > 0 {
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
        groups.into_iter().fold(Vec::new(), rocpkg_shell::apart)
    }

    /// Returns the argument of the CMake project `name` that passes the GPU targets to upstream's
    /// build: `-DGPU_TARGETS=$(get_amdgpu_flags)`. Returns none if the profile passes the variable
    /// itself, as an argument or in the environment.
    fn target_arguments(&mut self, name: &str, project: &Project) -> Vec<Item> {
        let Some(targets) = &self.p.package.targets else {
            return Vec::new();
        };
        let device = matches!(self.target_flags(), TargetFlags::Eclass | TargetFlags::Own);
        let asked = |v: &&Spanned<String>| {
            !project.arguments.contains_key(&v.value) && !self.p.withholds(name, &v.value)
        };
        // A tree that is rendered for some GPUs never uses upstream's default.
        let is_ours =
            device && (targets.list != TargetList::None || !self.plan.narrowed.is_empty());
        let Some(variable) = targets.variable.0.first().filter(asked).filter(|_| is_ours) else {
            return Vec::new();
        };
        let Targets { word, list } = self.targets();
        rocpkg_shell::pass(&mut self.in_phase("configure"), &variable.value, list);
        // A variable that is exported already is not passed again.
        let is_list = |v: &EnvironmentVariable| v.value.references().any(|name| name == "targets");
        let exported = self
            .p
            .package
            .environment
            .values()
            .filter_map(|phase| phase.get(&variable.value));
        if exported.flat_map(|values| &values.0).any(is_list) {
            return Vec::new();
        }
        vec![Item::from(
            Word::lit(format!("-D{}=", variable.value)).then(word),
        )]
    }

    /// Returns the statements that choose the compiler. For a package with GPU targets, the eclass
    /// of GPU targets switches to the stated compiler, by default the clang that fits HIP. A
    /// package without them whose profile states `clang` or `amdclang` uses the clang of its LLVM
    /// slot.
    fn compiler(&mut self) -> Vec<Stmt> {
        if let Some(compiler) = switched_to(self.p) {
            let eclass = self.plan.distro.eclass.as_ref();
            let function = eclass.and_then(|eclass| eclass.compilers.get(compiler.word()));
            return function
                .map(|function| run(&function.value, Vec::new()))
                .into_iter()
                .collect();
        }
        match self
            .p
            .package
            .compiler
            .filter(|_| self.target_flags() == TargetFlags::None)
        {
            Some(Compiler::Clang | Compiler::Amdclang) if !self.llvm.is_empty() => {
                let tool =
                    |variable, suffix| local_exported(variable, Word::var("CHOST").literal(suffix));
                vec![
                    Stmt::Comment(
                        "CMake takes the newest clang that it finds, whose bitcode older ones can't read"
                            .into(),
                    ),
                    run("llvm_prepend_path", vec![Word::var("LLVM_SLOT")]),
                    tool("CC", "-clang"),
                    tool("CXX", "-clang++"),
                    Stmt::Comment("Flags of the user's that only another compiler knows, bug #936099".into()),
                    run("strip-unsupported-flags", Vec::new()),
                ]
            }
            _ => Vec::new(),
        }
    }

    /// Returns the assignments of a phase's environment variables, at the first call for that
    /// phase. Later calls return nothing, as the variables are exported already.
    pub(crate) fn environment(&mut self, phase: &str) -> Vec<Stmt> {
        if !self.exported.insert(phase.to_owned()) {
            return Vec::new();
        }
        let stated = &self.p.package.environment;
        let alias = crate::lower::phases::ALIASES
            .iter()
            .find(|(_, p)| *p == phase)
            .map_or("", |(a, _)| *a);
        match stated.get(phase).or_else(|| stated.get(alias)) {
            Some(variables) => rocpkg_shell::environment(&mut self.in_phase(phase), variables),
            None => Vec::new(),
        }
    }

    pub(crate) fn conditional(
        &mut self,
        when: Option<&When>,
        comment: Option<&str>,
        body: Vec<Stmt>,
    ) -> Vec<Stmt> {
        rocpkg_shell::conditional(&mut self.in_phase(""), when, comment, body)
    }

    /// Returns the statements that edit compiler flags in a phase, most of them by
    /// flag-o-matic.eclass; one group for each edit of the profile.
    pub(crate) fn flags(&mut self, phase: &str) -> Vec<Vec<Stmt>> {
        let edits = self.p.package.flags.iter();
        let stated = |e: &FlagEdit| {
            e.phase
                .as_ref()
                .map_or_else(|| "configure".to_owned(), |p| p.value.clone())
        };
        let here = edits.filter(|e| crate::lower::phases::is_phase(&stated(e), phase));
        rocpkg_shell::edits(&mut self.in_phase(phase), here)
    }

    /// Returns the assignment of `CMAKE_BUILD_TYPE` for a package with the flag `debug`: the flag
    /// chooses `Debug`, else the type is the stated one or cmake.eclass's default `RelWithDebInfo`.
    /// Returns nothing for other packages.
    fn build_type(&mut self) -> Vec<Stmt> {
        let package = &self.p.package;
        let asked = package.ebuild.as_ref().is_none_or(|e| e.debug_build_type);
        if !package.features.contains_key("debug") || !asked {
            return Vec::new();
        }
        let flag = self.flag("debug");
        let normal = package
            .build_type
            .as_ref()
            .map_or("RelWithDebInfo", |b| b.value.as_str());
        let words = vec![
            Word::lit("usex"),
            Word::lit(flag),
            Word::lit("Debug"),
            Word::lit(normal),
        ];
        vec![Stmt::assign(
            Scope::Local,
            "CMAKE_BUILD_TYPE",
            Word::cmd(words),
        )]
    }

    fn configure_project(&mut self, name: &str, first: bool) -> Vec<Stmt> {
        let Some(project) = self.projects.get(name).cloned() else {
            return Vec::new(); // that it is unknown was said
        };
        let mut plain: Vec<Item> = self.target_arguments(name, &project);
        let mut grouped: Vec<(When, Vec<Item>)> = Vec::new();
        let built_when = self.p.package.targets.as_ref().and_then(|t| t.when.clone());
        if let Some(when) = built_when.filter(|_| !plain.is_empty()) {
            grouped.push((when, std::mem::take(&mut plain)));
        }
        let answers = long_conditions(&project);
        for (argument, values) in &project.arguments {
            for value in &values.0 {
                let word = self.argument(argument, value, &answers);
                let item = Item::explained(word, value.comment.clone());
                match &value.when {
                    None => plain.push(item),
                    Some(when) => match grouped.iter_mut().find(|(w, _)| w.cond == when.cond) {
                        Some((_, items)) => items.push(item),
                        None => grouped.push((when.clone(), vec![item])),
                    },
                }
            }
        }
        // The order of ::gentoo's ebuilds: this argument first, then the GPU targets.
        if let Some(at) = plain
            .iter()
            .position(|i| i.word.as_literal() == Some(FIRST))
        {
            plain[..=at].rotate_right(1);
        }
        let mut out: Vec<Stmt> = project
            .comment
            .clone()
            .map(Stmt::Comment)
            .into_iter()
            .collect();
        out.extend(self.project_variables(&project, answers));
        if !out.is_empty() {
            out.push(Stmt::Blank);
        }
        self.argument_lists(plain, grouped, &mut out);
        if !out.is_empty() {
            out.push(Stmt::Blank);
        }
        let mut command = Command::new(vec![Word::lit("cmake_src_configure")]);
        command.env =
            rocpkg_shell::variables(&mut self.in_phase("configure"), &project.environment);
        let mut call = Stmt::Command(command);
        if !first {
            call = self.wrapped(name, call);
        }
        out.push(call);
        match project.when {
            Some(when) => {
                let test = self.test(&when.cond, when.span);
                vec![Stmt::when(test, out)]
            }
            None => out,
        }
    }

    /// Returns the assignments of the variables that the arguments of a project refer to. `answers`
    /// are the conditions of `long_conditions` with their variables.
    fn project_variables(&mut self, project: &Project, answers: Vec<(Cond, String)>) -> Vec<Stmt> {
        let mut out = Vec::new();
        if speaks_of(project, "targets:trimmed") {
            let value = self.targets().word;
            out.push(Stmt::Comment(
                "The list ends in a semicolon, after which an empty target is read".into(),
            ));
            out.push(Stmt::assign(Scope::Local, "targets", value));
        }
        let mut tests = Vec::new();
        for (cond, name) in answers {
            tests.push((self.test(&cond, self.p.node.span), name));
        }
        if speaks_of(project, "has-targets") {
            tests.push((has_targets(self.plan), "with_device".to_owned()));
        }
        if speaks_of(project, "lacks-targets") {
            tests.push((no_targets(self.plan), "without_device".to_owned()));
        }
        for (test, name) in tests {
            out.push(Stmt::assign(Scope::Local, name.as_str(), Word::lit("OFF")));
            out.push(Stmt::when(
                test,
                vec![Stmt::assign(Scope::Plain, name, Word::lit("ON"))],
            ));
        }
        out
    }

    /// Adds the arrays of `mycmakeargs` to `out`: the unconditional arguments `plain`, then the
    /// arguments `grouped` by their condition.
    fn argument_lists(
        &mut self,
        plain: Vec<Item>,
        grouped: Vec<(When, Vec<Item>)>,
        out: &mut Vec<Stmt>,
    ) {
        let always = self
            .p
            .package
            .constraints
            .iter()
            .filter(|c| c.when.is_none());
        let groups: Vec<Vec<String>> = always
            .flat_map(|c| [texts(&c.exactly_one), texts(&c.at_most_one)])
            .collect();
        let exclusive = |a: &Cond, b: &Cond| match (a, b) {
            (Cond::Feature(a), Cond::Feature(b)) => groups
                .iter()
                .any(|names| names.contains(a) && names.contains(b)),
            _ => false,
        };
        let mut before: Option<Cond> = None;
        if !plain.is_empty() || !grouped.is_empty() {
            out.push(arguments(Scope::Local, false, plain));
        }
        for (when, items) in grouped {
            let test = self.test(&when.cond, when.span);
            out.push(Stmt::Blank);
            let body = vec![arguments(Scope::Plain, true, items)];
            match (out.get_mut(..), &test) {
                // `a` and then `! a` are one statement with two branches.
                (
                    Some(
                        [
                            ..,
                            Stmt::If {
                                branches,
                                otherwise,
                            },
                            Stmt::Blank,
                        ],
                    ),
                    Test::Not(t),
                ) if branches.len() == 1 && otherwise.is_empty() && branches[0].0 == **t => {
                    *otherwise = body;
                    out.pop();
                }
                // Two features of which only one can be on are two branches as well.
                (Some([.., Stmt::If { branches, .. }, Stmt::Blank]), _)
                    if before.as_ref().is_some_and(|b| exclusive(b, &when.cond)) =>
                {
                    branches.push((test, body));
                    out.pop();
                }
                _ => out.push(Stmt::when(test, body)),
            }
            before = Some(when.cond);
        }
    }

    /// Returns the argument `-DNAME=value` of CMake. A condition in `answers` is replaced by its
    /// variable.
    fn argument(&mut self, name: &str, argument: &Argument, answers: &[(Cond, String)]) -> Word {
        let mut dialect = self.in_phase("configure");
        dialect.answers = answers.to_vec();
        let Some(value) = rocpkg_shell::value(&mut dialect, argument) else {
            return Word::lit(name);
        };
        rocpkg_shell::pass_argument(&mut dialect, name, &argument.value, &value);
        let head = if name.starts_with('-') {
            format!("{name}=")
        } else {
            format!("-D{name}=")
        };
        Word::lit(head).then(unquoted(value))
    }
}

/// Returns a command substitution such as `$(usex test ON OFF)` without quotes, as ebuilds in
/// `::gentoo` write it. Plain words are not split, so they need no quotes.
fn unquoted(value: Word) -> Word {
    let plain = |words: &&[Word]| words.iter().all(|w| w.as_literal().is_some_and(is_bare));
    let words = value
        .as_command()
        .filter(plain)
        .filter(|words| words.len() > 1)
        .map(<[Word]>::to_vec);
    words.map_or(value, Word::split_command)
}

/// Returns the conditions of more than two flags, which are too long for an argument. Each has the
/// variable that holds its result. Arguments with the same condition share a variable.
fn long_conditions(project: &Project) -> Vec<(Cond, String)> {
    let mut out: Vec<(Cond, String)> = Vec::new();
    for (argument, values) in &project.arguments {
        for value in &values.0 {
            if let ArgumentValue::When(when) = &value.value
                && when.cond.features().len() + when.cond.targets().len() > 2
                && !out.iter().any(|(cond, _)| *cond == when.cond)
            {
                out.push((when.cond.clone(), argument.to_lowercase()));
            }
        }
    }
    out
}

/// Returns true if an argument of the project refers to `${name}`, where `name` is a reference such
/// as `has-targets`.
fn speaks_of(project: &Project, name: &str) -> bool {
    project.arguments.values().flat_map(|a| &a.0).any(|a| {
        a.value
            .texts()
            .into_iter()
            .flat_map(Text::references)
            .any(|r| r == name)
    })
}

fn arguments(scope: Scope, append: bool, items: Vec<Item>) -> Stmt {
    Stmt::Array {
        scope,
        name: "mycmakeargs".into(),
        append,
        tall: !items.is_empty(),
        items,
    }
}
