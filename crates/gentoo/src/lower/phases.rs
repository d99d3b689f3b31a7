//! Phase functions (PMS 9), made of CMake, Python, the compiler, flags, tests and the profile's
//! steps.

use crate::lower::context::Context;
use crate::lower::expand::{Expand, OFFERED_TARGETS, SUPPORTED_TARGETS};
use crate::lower::steps::die;
use crate::lower::vocabulary::no_targets;
use crate::value::ebuild::Phase;
use rocpkg_model::{Action, Cond, Fetch, Policy, PythonMode, Step, TargetFlags, Text, When};
use rocpkg_render::bash::{Command, Scope, Stmt, Word, run};
use rocpkg_resolve::{ResolvedSource, TEST};

/// The phases of the model and their functions of PMS 9.1, in the order in which they run.
const PHASES: &[(&str, Phase)] = &[
    ("pretend", Phase::PkgPretend),
    ("setup", Phase::PkgSetup),
    ("unpack", Phase::SrcUnpack),
    ("prepare", Phase::SrcPrepare),
    ("configure", Phase::SrcConfigure),
    ("build", Phase::SrcCompile),
    ("check", Phase::SrcTest),
    ("install", Phase::SrcInstall),
    ("preinst", Phase::PkgPreinst),
    ("postinst", Phase::PkgPostinst),
    ("prerm", Phase::PkgPrerm),
    ("postrm", Phase::PkgPostrm),
];

/// Other names of phases in a profile, each with the usual name: `compile` is another name of
/// `build`.
pub(crate) const ALIASES: &[(&str, &str)] = &[("compile", "build"), ("test", "check")];

/// Returns true if `stated`, a name in a profile, is the usual name `phase` of a phase or another
/// name of it.
pub(crate) fn is_phase(stated: &str, phase: &str) -> bool {
    stated == phase || ALIASES.contains(&(stated, phase))
}

/// Returns true if a phase function with this body is superfluous: the body is empty, or only calls
/// the function that runs without it, such as `cmake_src_compile`.
fn is_usual(body: &[Stmt]) -> bool {
    let body: Vec<&Stmt> = body.iter().filter(|s| !matches!(s, Stmt::Blank)).collect();
    let [Stmt::Command(c)] = body.as_slice() else {
        return body.is_empty();
    };
    let plain = Command::new(c.words[..1].to_vec());
    let call = c.words[0].as_literal().unwrap_or_default();
    *c == plain
        && (call == "default"
            || call.starts_with("cmake_src_")
            || call.starts_with("distutils-r1_src_"))
}

impl Context<'_> {
    /// Returns all functions of the ebuild: its own first, then the phases in order. A phase that
    /// would only call the eclass's function is left out.
    pub(crate) fn functions(&mut self) -> Vec<(String, Vec<Stmt>)> {
        let mut out = Vec::new();
        self.check_phases();
        let projects: Vec<String> = self.projects.keys().cloned().collect();
        for project in projects.iter().skip(1) {
            out.push((self.wrapper(project), self.wrapper_body(project)));
        }
        if let Some(e) = &self.p.package.ebuild {
            for (name, steps) in &e.functions {
                out.push((
                    name.clone(),
                    rocpkg_shell::lower(&mut self.in_phase(""), steps),
                ));
            }
        }
        out.extend(self.requirements());
        for (phase, function) in PHASES {
            let body = self.phase(phase);
            if !body.is_empty() {
                out.push((function.function().to_owned(), body));
            }
        }
        out
    }

    fn check_phases(&mut self) {
        let names = PHASES
            .iter()
            .map(|(phase, _)| *phase)
            .chain(ALIASES.iter().map(|(alias, _)| *alias));
        let known: Vec<&str> = names.collect();
        rocpkg_shell::check_steps(self.p, "E0309", "unknown phase", &known, &[], self.findings);
    }

    /// Returns the steps that the profile states for a phase, under the phase's usual or other
    /// name. Returns `None` if the profile states none.
    fn own_steps(&self, phase: &str) -> Option<&'_ [Step]> {
        let phases = &self.p.package.phases;
        let alias = ALIASES.iter().find(|(_, p)| *p == phase).map(|(a, _)| *a);
        phases
            .get(phase)
            .or_else(|| phases.get(alias?))
            .map(Vec::as_slice)
    }

    fn phase(&mut self, phase: &str) -> Vec<Stmt> {
        let mut own = self.own_steps(phase).map(<[Step]>::to_vec);
        if phase == "install" {
            own = self.with_programs(own);
        }
        let mut body = Vec::new();
        // Environment variables for configuring and building are set by the standard step, unless
        // other steps run before it.
        let waits = own.as_ref().is_none_or(|steps| {
            matches!(steps.first().map(|s| &s.action), Some(Action::Standard(_)))
        });
        if !matches!(phase, "configure" | "build") || !waits {
            body.extend(self.environment(phase));
        }
        if phase != "configure" {
            body.extend(self.flags(phase).into_iter().flatten());
        }
        if let Some(steps) = own {
            body.extend(rocpkg_shell::lower(&mut self.in_phase(phase), &steps));
            // With an empty body the eclass's function would run.
            if body.is_empty() && !steps.is_empty() {
                body.push(run(":", Vec::new()));
            }
        } else {
            // The ebuild's function replaces the eclass's, so it must call the eclass's function
            // itself.
            let standard = self.standard(phase, "all");
            if !body.is_empty() || !is_usual(&standard) {
                body.extend(standard);
            }
        }
        if phase == "install" {
            body.extend(self.no_strip(body.is_empty()));
        }
        if phase == "postinst" {
            body.extend(self.optional());
        }
        body
    }

    /// Returns the statements that a phase has if the profile states no steps for it. `project` is
    /// the name of a CMake project, or `all`.
    pub(crate) fn standard(&mut self, phase: &str, project: &str) -> Vec<Stmt> {
        let names: Vec<String> = match project {
            "all" => self.projects.keys().cloned().collect(),
            one => vec![one.to_owned()],
        };
        match phase {
            "pretend" => [self.stub_warning(), self.ask_requirements(phase)].concat(),
            "setup" => self.ask_requirements(phase),
            "unpack" => self.unpack(),
            "configure" => self.configure(&names),
            "check" => self.check(&names),
            "prepare" | "build" | "install" if self.is_distutils() => {
                self.python_and_cmake(phase, &names)
            }
            // Without a project, the phase does the same as in packages without an eclass.
            "prepare" | "install" if self.projects.is_empty() => vec![run("default", Vec::new())],
            "prepare" => {
                let call = || run("cmake_src_prepare", Vec::new());
                // The first project is prepared even if it is not built, as this also applies the
                // user's patches.
                let (first, further): (Vec<_>, Vec<_>) = names
                    .into_iter()
                    .partition(|name| self.projects.get_index_of(name) == Some(0));
                let mut out: Vec<Stmt> = first.iter().map(|_| call()).collect();
                self.prepared |= !first.is_empty();
                // `PATCHES` can be emptied for the rest of the function only after the first
                // project is prepared.
                let for_good = self.prepared;
                out.extend(self.each_project(phase, &further, || {
                    if for_good {
                        return vec![
                            Stmt::array(Scope::Local, "PATCHES", Vec::new(), false),
                            call(),
                        ];
                    }
                    let mut alone = Command::new(vec![Word::lit("cmake_src_prepare")]);
                    alone.env = vec![("PATCHES".to_owned(), Word::default())];
                    vec![Stmt::Command(alone)]
                }));
                out
            }
            "build" => self.build(&names, project == "all"),
            "install" => {
                // `all` leaves out projects that exist for tests only.
                let mut names = names;
                names.retain(|name| rocpkg_shell::is_installed(&self.projects, name, project));
                self.each_project(phase, &names, || vec![run("cmake_src_install", Vec::new())])
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn is_distutils(&self) -> bool {
        self.python_mode() == Some(PythonMode::Distutils)
    }

    pub(crate) fn python_mode(&self) -> Option<PythonMode> {
        self.p
            .package
            .ebuild
            .as_ref()
            .and_then(|e| e.python.as_ref())
            .map(|p| p.mode)
    }

    /// Returns the body of the function that runs its arguments as a command for a CMake project
    /// other than the first. It sets `CMAKE_USE_DIR` and `BUILD_DIR`, which cmake.eclass reads.
    fn wrapper_body(&mut self, project: &str) -> Vec<Stmt> {
        let source = self.project_folder(project).unwrap_or_default();
        let build = self.build_folder(project).unwrap_or_default();
        vec![
            Stmt::assign(Scope::Local, "CMAKE_USE_DIR", source.clone()),
            Stmt::assign(Scope::Local, "BUILD_DIR", build),
            die("cd", vec![source]),
            Stmt::Command(Command::new(vec![Word::var("@")])),
        ]
    }

    /// Returns the statements `stmts` once for each of the CMake projects `names`. For a project
    /// other than the first, calls of cmake.eclass run through the project's wrapper function. If a
    /// project has a condition, its statements are inside an `if`.
    pub(crate) fn each_project(
        &mut self,
        phase: &str,
        names: &[String],
        stmts: impl Fn() -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let mut out = Vec::new();
        for name in names {
            let Some(at) = self.projects.get_index_of(name) else {
                continue; // that it is unknown was said
            };
            let mut body = stmts();
            if at > 0 {
                body = body.into_iter().map(|s| self.wrapped(name, s)).collect();
            }
            // The test phase does not run without tests, so their condition is left out.
            let asked =
                |when: &When| phase != "check" || when.cond != Cond::Feature(TEST.to_owned());
            let when = self.projects[at].when.clone().filter(asked);
            out.extend(self.conditional(when.as_ref(), None, body));
        }
        out
    }

    /// Returns `stmt` with a call of cmake.eclass run through the wrapper function of `project`:
    /// `cmake_src_compile` → `hip_tests cmake_src_compile`. Other statements are unchanged.
    pub(crate) fn wrapped(&self, project: &str, stmt: Stmt) -> Stmt {
        match stmt {
            Stmt::Command(mut c)
                if c.words
                    .first()
                    .and_then(Word::as_literal)
                    .is_some_and(|w| w.starts_with("cmake_")) =>
            {
                c.words.insert(0, Word::lit(self.wrapper(project)));
                Stmt::Command(c)
            }
            other => other,
        }
    }

    fn build(&mut self, names: &[String], whole: bool) -> Vec<Stmt> {
        let mut out = self.environment("build");
        if whole
            && self
                .p
                .package
                .ebuild
                .as_ref()
                .is_some_and(|e| e.docs.is_some())
        {
            out.push(run("docs_compile", Vec::new()));
        }
        if self.projects.is_empty() {
            out.push(run("default", Vec::new()));
        }
        for name in names {
            let calls = rocpkg_shell::goals(self.projects.get(name)).into_iter();
            let calls: Vec<Stmt> = calls.map(|goals| run("cmake_src_compile", goals)).collect();
            out.extend(self.each_project("build", std::slice::from_ref(name), || calls.clone()));
        }
        out
    }

    /// Returns the statements for a Python package, then for the parts that CMake builds. CMake
    /// installs nothing: setup.py copies these parts.
    fn python_and_cmake(&mut self, phase: &str, names: &[String]) -> Vec<Stmt> {
        let call = match phase {
            "prepare" => "distutils-r1_src_prepare",
            "build" => "distutils-r1_src_compile",
            _ => "distutils-r1_src_install",
        };
        let mut out = vec![run(call, Vec::new())];
        if phase == "build" && !self.p.package.cmake.is_empty() {
            out.extend(
                self.each_project(phase, names, || vec![run("cmake_src_compile", Vec::new())]),
            );
        }
        out
    }

    /// Returns calls of `dostrip -x` for folders that must not be stripped (PMS 12.3.11); none if
    /// the profile names no such folder. With `nothing_else`, the phase has no other statements
    /// yet, so those of the standard installation come first.
    fn no_strip(&mut self, nothing_else: bool) -> Vec<Stmt> {
        let folders = self
            .p
            .package
            .ebuild
            .as_ref()
            .map(|e| e.no_strip.clone())
            .unwrap_or_default();
        if folders.is_empty() {
            return Vec::new();
        }
        let mut out = Vec::new();
        if nothing_else {
            out.extend(self.standard("install", "all"));
        }
        out.push(Stmt::Blank);
        out.push(Stmt::Comment(
            "HIP can't load code objects whose .strtab is stripped".into(),
        ));
        for folder in &folders {
            out.push(run("dostrip", vec![Word::lit("-x"), self.word(folder)]));
        }
        out
    }

    /// Returns a warning for `pkg_pretend`: the package can't be built for any of the user's GPU
    /// targets, so it is built without device code. Returns nothing unless the profile allows this
    /// (`policy: stub`).
    fn stub_warning(&self) -> Vec<Stmt> {
        let policy = self.p.package.targets.as_ref().and_then(|t| t.policy);
        if policy != Some(Policy::Stub) || self.target_flags() != TargetFlags::Own {
            return Vec::new();
        }
        let say = |words: Word| run("ewarn", vec![words]);
        let (own, offered) = crate::lower::flags::own_targets(self.plan, self.p);
        let arrays = [(SUPPORTED_TARGETS, own), (OFFERED_TARGETS, offered)];
        let lists: Vec<Word> = arrays
            .into_iter()
            .filter(|(_, l)| !l.is_empty())
            .map(|(name, _)| Word::var(format!("{name}[*]")))
            .collect();
        let Some(list) = lists.into_iter().reduce(|a, b| a.literal(" ").then(b)) else {
            return vec![
                say(Word::var("PN")
                    .literal(" has device code for none of the GPU targets that are offered:")),
                say(Word::lit(
                    "programs can link against it, and every call of it fails.",
                )),
            ];
        };
        let has = if crate::lower::flags::targets_known(self.p) {
            "has device code for these GPU targets alone"
        } else {
            "knows these GPU targets"
        };
        let body = vec![
            say(Word::var("PN").literal(format!(" {has}:"))),
            say(list),
            say(Word::lit(format!(
                "{} holds none of them, so the library will be built without device code:",
                Expand::of(self.plan).variable()
            ))),
            say(Word::lit(
                "programs can link against it, and every call of it fails.",
            )),
        ];
        vec![Stmt::when(no_targets(self.plan), body)]
    }

    /// Returns the statements of `src_unpack`. If the package is one folder of a large archive,
    /// only this folder is unpacked. The live ebuild checks out only this folder.
    fn unpack(&mut self) -> Vec<Stmt> {
        let main = self
            .p
            .sources
            .first()
            .filter(|main| main.fetch == Fetch::Archive);
        let Some(path) = main.and_then(|main| main.path.clone()) else {
            if !self.p.sources.iter().any(ResolvedSource::needs_folder) {
                return vec![run("default", Vec::new())];
            }
            return (0..self.p.sources.len())
                .flat_map(|at| self.unpack_one(at))
                .collect();
        };
        if self.is_live() {
            let empty = || Word::lit("");
            let words = vec![empty(), empty(), empty(), Word::lit(path)];
            return vec![
                run("git-r3_fetch", Vec::new()),
                run("git-r3_checkout", words),
            ];
        }
        let (file, top) = (self.distfile(0), self.archive_folder(0));
        let mut words = ["-x", "-z", "-o", "-f"].map(Word::lit).to_vec();
        words.push(Word::var("DISTDIR").literal("/").then(file));
        words.push(top.literal(format!("/{path}")));
        let mut others = Vec::new();
        let (p, archive) = (self.p, self.stored(0));
        for (i, s) in p.sources.iter().enumerate().skip(1) {
            if is_file(s) && self.stored(i) == archive {
                let top = self.archive_folder(i);
                words.push(
                    s.path
                        .iter()
                        .fold(top, |top, path| top.literal(format!("/{path}"))),
                );
            } else {
                others.extend(self.unpack_one(i));
            }
        }
        let why = Stmt::Comment("The rest of the archive is many times as large".into());
        [vec![why, die("tar", words)], others].concat()
    }

    /// Returns the statements that unpack the source at index `at`. If its archive has no top
    /// folder, a folder is made for it. Returns none for a source that is not fetched as a file.
    fn unpack_one(&mut self, at: usize) -> Vec<Stmt> {
        let s = &self.p.sources[at];
        if !is_file(s) {
            return Vec::new();
        }
        let mut out = vec![run("unpack", vec![self.distfile(at)])];
        if let Some(text) = s
            .folder
            .as_ref()
            .and_then(Text::as_literal)
            .filter(|_| s.needs_folder())
        {
            let top = text.split('/').next().unwrap_or_default().to_owned();
            let folder = Word::var("WORKDIR").literal("/").literal(top);
            let silent = |words| {
                let output = Some(Word::lit("/dev/null"));
                Stmt::Command(
                    Command {
                        output,
                        ..Command::new(words)
                    }
                    .or_die(),
                )
            };
            out.insert(0, die("mkdir", vec![Word::lit("-p"), folder.clone()]));
            out.insert(1, silent(vec![Word::lit("pushd"), folder]));
            out.push(silent(vec![Word::lit("popd")]));
        }
        self.conditional(s.when.as_ref(), None, out)
    }
}

/// Returns true for a source that Portage fetches as a file, such as an archive.
fn is_file(s: &ResolvedSource) -> bool {
    matches!(s.fetch, Fetch::Archive | Fetch::Asset | Fetch::File)
}
