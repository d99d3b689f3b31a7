//! Lowers the steps of a profile to bash for a PKGBUILD's functions. makepkg stops at a failed
//! command by itself. Every condition is decided when the PKGBUILD is rendered.

use crate::lower::project;
use crate::lower::sources;
use crate::lower::vocabulary::{Context, DIRNAME, REFERENCES};
use crate::value::ir::Field;
use rocpkg_model::{
    Action, Finding, Findings, FlagEdit, Licence, Patch, Piece, Span, Spanned, Step, Text,
};
use rocpkg_render::bash::{Scope, Stmt, Word, run};
use rocpkg_resolve::ResolvedSource;
pub(crate) use rocpkg_shell::check_name;
use rocpkg_shell::{
    Dialect, Habits, InPlace, Inputs, Native, Outputs, Passed, Place, References, Targets,
    Vocabulary,
};
use rocpkg_shell::{below, taken};

/// The functions of a PKGBUILD that contain steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// `prepare()`
    Prepare,
    /// `build()`
    Build,
    /// `check()`
    Check,
    /// `package()`, or the function `package_NAME` of a split PKGBUILD.
    Package,
}

/// The rules for bash in a PKGBUILD: quoting, separators of sed, variables of folders.
static HABITS: Habits = Habits {
    recipe: "a PKGBUILD",
    failure: None,
    separators: &['|', '/', '@', '#', '%', ',', ';'],
    in_place: InPlace::First,
    paragraphs: false,
    short_array: usize::MAX,
    local_loops: false,
    silent_folders: false,
    begin: Some("srcdir"),
    image: "pkgdir",
};

/// The state while the steps of one function are converted to bash.
pub(crate) struct InPhase<'a, 'f> {
    pub(crate) cx: &'a Context<'a>,
    phase: Phase,
    findings: &'f mut Findings,
    /// The GPU targets that the function passes to upstream's build.
    pub(crate) passed: Vec<Passed>,
}

impl Context<'_> {
    /// Returns the state for converting the steps of the function `phase`.
    pub(crate) fn in_phase<'a, 'f>(
        &'a self,
        phase: Phase,
        findings: &'f mut Findings,
    ) -> InPhase<'a, 'f> {
        InPhase {
            cx: self,
            phase,
            findings,
            passed: Vec::new(),
        }
    }
}

impl Dialect for InPhase<'_, '_> {
    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            habits: &HABITS,
            plan: self.cx.plan,
            planned: self.cx.p,
            own: &self.cx.names,
        }
    }

    fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            findings: self.findings,
            passed: &mut self.passed,
        }
    }

    fn targets(&self) -> Option<Targets> {
        self.cx.targets()
    }

    fn reference(&mut self, name: &str, text: &Text) -> Word {
        rocpkg_shell::reference(self, name, text)
    }

    fn native(&mut self, native: &Native<'_>) -> Option<Vec<Stmt>> {
        Some(match native {
            Native::Standard(name) => self.standard(name),
            Native::Patch(file) => {
                let file = rocpkg_shell::patch_file(self, file, "srcdir", ABSOLUTE);
                vec![self.patch(file, 1, None)]
            }
            Native::CherryPick(commits) => rocpkg_shell::git_cherry_pick(self, commits),
            Native::Wheel(folder) => self.wheel(folder),
            Native::Licence(l) => vec![self.licence(l)],
            Native::ConfigFile(c) => rocpkg_shell::config_file(self, c),
            Native::InstallFile(i) => rocpkg_shell::install_file(self, i),
        })
    }

    fn flag_edit(&mut self, edit: &FlagEdit) -> Vec<Stmt> {
        rocpkg_shell::by_assignment(self, edit, Scope::Plain)
    }

    fn check_loop(&mut self, variable: &Spanned<String>) {
        self.cx
            .check_private(&variable.value, variable.span, self.findings);
    }
}

impl Vocabulary for InPhase<'_, '_> {
    const REFERENCES: &'static References = &REFERENCES;

    fn checkout(&self, source: &ResolvedSource) -> Word {
        sources::checkout(self.cx, source)
    }

    /// Returns the absolute path of a folder inside a source, as the projects of several sources
    /// are built beside each other.
    fn folder(&self, source: &ResolvedSource, path: Option<&str>) -> Word {
        below("srcdir", sources::folder(self.cx, source, path))
    }

    fn project_folder(&self) -> Option<Word> {
        let folder = self.cx.main_folder()?;
        Some(if self.cx.has_dirname() {
            Word::var(DIRNAME)
        } else {
            folder
        })
    }

    fn build_folder(&mut self, project: &str) -> Word {
        project::build_folder(self, project)
    }
}

impl InPhase<'_, '_> {
    /// Returns the statements of the standard step for the project `name`, or for `all` projects.
    fn standard(&mut self, name: &Spanned<String>) -> Vec<Stmt> {
        let cx = self.cx;
        let chosen = rocpkg_shell::chosen(self, &cx.p.package.cmake, name).into_iter();
        match self.phase {
            Phase::Prepare => self.patches(&cx.p.applied().collect::<Vec<_>>()),
            Phase::Build => chosen.fold(Vec::new(), |out, (name, project)| {
                rocpkg_shell::apart(out, project::build(self, name, project))
            }),
            Phase::Check => chosen.map(|(name, _)| project::test(self, name)).collect(),
            Phase::Package => chosen
                .filter(|(project, _)| {
                    cx.p.package.cmake.is_empty()
                        || rocpkg_shell::is_installed(&cx.p.package.cmake, project, &name.value)
                })
                .map(|(name, _)| project::install(self, name))
                .collect(),
        }
    }

    /// Returns the statements that apply the patches that no step applies. `own` are the steps that
    /// the profile writes for `prepare()`. The patches are applied before these steps.
    pub(crate) fn unapplied_patches(&mut self, own: &[Step]) -> Vec<Stmt> {
        let p = self.cx.p;
        let parts = p.package.pkgbuild.iter().flat_map(|b| b.packages.values());
        let further = parts.flat_map(|part| &part.steps);
        self.patches(&rocpkg_shell::unapplied(p, own, further))
    }

    /// Returns the statements that apply patches. Each patch is applied in its folder `inside`, or
    /// in the folder of the main source.
    fn patches(&mut self, chosen: &[&Patch]) -> Vec<Stmt> {
        let checkout = Text {
            pieces: vec![Piece::Reference("checkout".into())],
            span: Span::default(),
        };
        let mut out = Vec::new();
        // If other steps follow the patches, `cd` is not used. These steps would otherwise run in
        // another folder if there are patches.
        let steps = self.cx.p.package.phases.get("prepare");
        let last =
            steps.is_none_or(|s| matches!(s.last().map(|s| &s.action), Some(Action::Standard(_))));
        let one_place =
            last && chosen.len() > 1 && chosen.iter().all(|p| p.inside == chosen[0].inside);
        if one_place {
            out.push(run(
                "cd",
                [self.word(chosen[0].inside.as_ref().unwrap_or(&checkout), Place::One)],
            ));
        }
        for p in chosen {
            out.extend(p.comment.clone().map(Stmt::Comment));
            let place = (!one_place).then(|| p.inside.as_ref().unwrap_or(&checkout));
            out.push(self.patch(
                below("srcdir", Word::lit(p.file.value.clone())),
                p.strip,
                place,
            ));
        }
        out
    }

    fn patch(&mut self, file: Word, strip: u64, place: Option<&Text>) -> Stmt {
        let mut words = vec![Word::lit(format!("-Np{strip}"))];
        if let Some(place) = place {
            words.extend([Word::lit("-d"), self.word(place, Place::One)]);
        }
        words.extend([Word::lit("-i"), file]);
        run("patch", words)
    }

    /// Returns the statements that build a wheel with python-build, or in `package()` those that
    /// install it with python-installer.
    fn wheel(&mut self, folder: &Text) -> Vec<Stmt> {
        let mut out = Vec::new();
        if folder.as_literal().as_deref() != Some(".") {
            out.push(run("cd", [self.word(folder, Place::One)]));
        }
        out.push(if self.phase == Phase::Package {
            let wheels = Word::lit("dist/").then(Word::pattern("*")).literal(".whl");
            let place = Word::pattern("--destdir=").then(Word::var("pkgdir"));
            run(
                "python",
                [Word::lit("-m"), Word::lit("installer"), place, wheels],
            )
        } else {
            run(
                "python",
                ["-m", "build", "--wheel", "--no-isolation"].map(Word::lit),
            )
        });
        out
    }

    fn licence(&mut self, l: &Licence) -> Stmt {
        let name = l
            .name
            .as_ref()
            .map_or_else(|| Word::lit("LICENSE"), |n| self.word(n, Place::One));
        rocpkg_shell::licence(self, &l.file, name, "-Dm644", "pkgname")
    }
}

impl Context<'_> {
    /// Checks the name of a private variable, and reports faults. The name must begin with `_`, as
    /// makepkg may own other names. The name must not be used otherwise in this PKGBUILD.
    pub(crate) fn check_private(&self, name: &str, span: Span, findings: &mut Findings) {
        if !name.starts_with('_') {
            findings.push(
                Finding::error(
                    "E0418",
                    span,
                    format!("the private variable `{name}` must start with `_`"),
                )
                .label("other names are reserved for makepkg and its tools")
                .hint(format!("name it `_{name}`")),
            );
        } else if name == DIRNAME && self.has_dirname() {
            findings.push(taken(
                name,
                span,
                "it contains the folder of the main source: expected `${source}`",
            ));
        }
    }

    /// Checks the names of variables that functions set, and reports faults. They may be variables
    /// of the environment, such as `CFLAGS`, but not makepkg's.
    pub(crate) fn check_owned(&self, findings: &mut Findings) {
        let package = &self.p.package;
        let parts = package
            .pkgbuild
            .iter()
            .flat_map(|b| b.packages.values())
            .map(|part| &part.steps);
        let all = package.phases.values().chain(parts);
        for (name, span) in rocpkg_shell::assigned(all, package.environment.values()) {
            if MAKEPKGS.contains(&name) || Field::ALL.iter().any(|f| f.name() == name) {
                findings.push(taken(name, span, "makepkg sets it"));
            } else if name == DIRNAME && self.has_dirname() {
                self.check_private(name, span, findings);
            } else if name == project::ARGUMENTS && !package.cmake.is_empty() {
                findings.push(taken(name, span, "it contains the arguments of CMake"));
            }
        }
    }
}

/// References that begin an absolute path. Other paths are below `$srcdir`, where sources are.
const ABSOLUTE: &[&str] = &["pkg", "pkgdir", "prefix", "startdir", "PWD"];

/// Variables of makepkg that are no fields of a PKGBUILD.
const MAKEPKGS: [&str; 6] = [
    "pkgbase",
    "pkgdir",
    "pkgdirbase",
    "pkgname",
    "srcdir",
    "startdir",
];
