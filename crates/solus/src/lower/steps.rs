//! The dialect of bash in the scripts of a `package.yml`, for `rocpkg-shell`. `set -e` stops a
//! script if a command fails. Conditions of the model are decided while a recipe is rendered, so
//! scripts contain none of them.

use crate::lower::vocabulary::{Context, FILES, FOLDERS, REFERENCES};
use crate::lower::{project, sources};
use crate::value::ir::Step as Script;
use crate::value::macros;
use rocpkg_model::{
    Action, Fetch, Finding, Findings, FlagAction, FlagEdit, Licence, Patch, Piece, Span, Spanned,
    Step, Text,
};
use rocpkg_render::bash::{Scope, Stmt, Word, print, run};
use rocpkg_resolve::ResolvedSource;
use rocpkg_shell::{
    Dialect, Habits, InPlace, Inputs, Native, Outputs, Passed, Place, References, Targets,
    Vocabulary,
};

/// The file that exists if a build machine has an AMD GPU.
const DEVICE: &str = "/dev/kfd";

/// The macro that applies the patches in `files/series`.
const APPLY_PATCHES: &str = "%apply_patches";

/// Variables that ypkg sets in each script.
const YPKGS: [&str; 7] = [
    "installdir",
    "package",
    "pkgfiles",
    "release",
    "sources",
    "version",
    "workdir",
];

/// The settings of bash in a recipe. `%` does not separate the sides of a sed replacement, because
/// ypkg would look for a macro after it.
static HABITS: Habits = Habits {
    recipe: "a package.yml",
    failure: None,
    separators: &['/', '|', '@', '#', ',', ';'],
    in_place: InPlace::First,
    paragraphs: false,
    short_array: 4,
    local_loops: false,
    silent_folders: false,
    begin: Some("checkout"),
    image: "installdir",
};

/// The state while one script of a recipe is lowered.
pub(crate) struct InStep<'a, 'f> {
    pub(crate) cx: &'a Context<'a>,
    step: Script,
    findings: &'f mut Findings,
    /// The GPU targets that the script passes to upstream's build, as far as it is lowered.
    pub(crate) passed: Vec<Passed>,
}

impl Context<'_> {
    /// Returns the dialect for the script `step`. Faults are added to `findings`.
    pub(crate) fn in_step<'a, 'f>(
        &'a self,
        step: Script,
        findings: &'f mut Findings,
    ) -> InStep<'a, 'f> {
        InStep {
            cx: self,
            step,
            findings,
            passed: Vec::new(),
        }
    }
}

impl Dialect for InStep<'_, '_> {
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
                let own = rocpkg_shell::beside(file, FILES, FOLDERS).and_then(|t| t.as_literal());
                let mut applied = self.cx.p.applied();
                let known = applied.find(|p| Some(&p.file.value) == own.as_ref());
                let strip = known.map_or(1, |p| p.strip);
                vec![patch(
                    rocpkg_shell::patch_file(self, file, FILES, FOLDERS),
                    strip,
                )]
            }
            Native::CherryPick(commits) => rocpkg_shell::git_cherry_pick(self, commits),
            Native::Wheel(folder) => self.wheel(folder),
            Native::Licence(l) => self.licence(l),
            // In `printf %s`, ypkg would look for a macro.
            Native::ConfigFile(c) => vec![rocpkg_shell::here_document(self, c)],
            Native::InstallFile(i) => rocpkg_shell::install_file(self, i),
        })
    }

    fn word(&mut self, text: &Text, place: Place) -> Word {
        for written in text
            .literals()
            .flat_map(str::lines)
            .filter_map(macros::unknown)
        {
            let known: Vec<String> = macros::all().collect();
            self.findings.push(
                Finding::error("E0703", text.span, format!("ypkg has no macro `{written}`"))
                    .label("ypkg expands no macro behind it on this line either")
                    .nearest(&written, known.iter().map(String::as_str)),
            );
        }
        // ypkg replaces the macro by the list before bash reads the word.
        if text.literals().any(macros::holds_list) {
            return text
                .pieces
                .iter()
                .fold(Word::default(), |word, piece| match piece {
                    Piece::Literal(literal) => word.then(Word::quoted(literal)),
                    Piece::Reference(name) => word.then(self.reference(name, text)),
                });
        }
        rocpkg_shell::word(text, place, &mut |name| self.reference(name, text))
    }

    fn check(&mut self, stmts: &[Stmt], span: Span) {
        check_macros(stmts, span, self.findings);
        rocpkg_shell::check_outside(stmts, span, HABITS.image, self.findings);
    }

    fn own_variables(&self) -> Scope {
        Scope::Plain
    }

    /// Returns the statements that edit compiler flags. ypkg exports variables such as `CFLAGS`, so
    /// an assignment changes the exported value. If several flags are replaced at once, they are
    /// joined to one text, which the variable must contain exactly.
    fn flag_edit(&mut self, edit: &FlagEdit) -> Vec<Stmt> {
        if edit.action == FlagAction::Replace && edit.flags.len() > 1 {
            let settings = &self.cx.plan.distro.settings;
            let version = settings.get("eopkg").map_or("", |v| v.value.as_str());
            // eopkg sets the variables. Their values are stated in the distribution's file.
            let known = |name: &str| {
                Some((
                    settings.get(&name.to_lowercase())?.value.as_str(),
                    format!("eopkg {version}"),
                ))
            };
            return rocpkg_shell::by_text(self, edit, &known);
        }
        rocpkg_shell::by_assignment(self, edit, Scope::Export)
    }
}

/// Reports macros that ypkg does not expand, because a `%` that is no macro precedes them on their
/// line.
fn check_macros(stmts: &[Stmt], span: Span, findings: &mut Findings) {
    for line in print(stmts, &crate::value::print::STYLE).lines() {
        if let Some((written, hidden)) = macros::hidden(line) {
            findings.push(
                Finding::error(
                    "E0704",
                    span,
                    format!("ypkg does not expand `{hidden}` on this line"),
                )
                .label(format!("ypkg stops at `{written}`, which is not a macro"))
                .hint("put the macro on a line of its own, or before the other `%`"),
            );
        }
    }
}

impl Vocabulary for InStep<'_, '_> {
    const REFERENCES: &'static References = &REFERENCES;

    /// Returns the folder that a source is in when the scripts run. ypkg unpacks the first source
    /// into `$workdir`, and copies repositories to `$sources/NAME.git`. The script `setup` unpacks
    /// further archives into folders below `$workdir`.
    fn checkout(&self, source: &ResolvedSource) -> Word {
        let first = self
            .cx
            .p
            .sources
            .first()
            .is_some_and(|s| s.name == source.name);
        match source.fetch {
            _ if first => Word::var("workdir"),
            Fetch::Git | Fetch::Tree => {
                Word::var("sources").literal(format!("/{}.git", source.repository))
            }
            _ => Word::var("workdir").literal(format!("/{}", Context::unpacked(source))),
        }
    }

    /// Returns the build folder of the CMake project `project`. The first project has the folder
    /// that the macros use, `solusBuildDir`. Each other project has a folder of its own.
    fn build_folder(&mut self, project: &str) -> Word {
        Word::lit(
            project::own_folder(self.cx, project).unwrap_or_else(|| project::BUILD.to_owned()),
        )
    }
}

impl InStep<'_, '_> {
    /// Returns the statements of this script: the steps that the profile writes, or else the
    /// standard step. Edits of flags and exported variables come before the steps. In `environment`
    /// they come after the steps, because the steps clear unwanted values.
    pub(crate) fn script(&mut self) -> Vec<Stmt> {
        let (package, step) = (&self.cx.p.package, self.step);
        let of = |e: &FlagEdit| {
            e.phase
                .as_ref()
                .map_or(Some(Script::Environment), |p| Script::of_phase(&p.value))
        };
        let here = package.flags.iter().filter(|e| of(e) == Some(step));
        let [flags, exports] = rocpkg_shell::head(self, here, package.environment.get(step.name()));
        let head = rocpkg_shell::apart(flags, exports);
        self.check_owned();
        // If all written steps are for other releases, the list is empty and the standard step is
        // used.
        let mut steps = match package
            .phases
            .get(step.name())
            .filter(|written| !written.is_empty())
        {
            Some(written) => {
                let standard = |s: &Step| matches!(s.action, Action::Standard(_));
                let at = written
                    .iter()
                    .position(standard)
                    .filter(|_| self.part().is_some());
                let (before, rest) = written.split_at(at.unwrap_or_default());
                let before = rocpkg_shell::named_steps(self, before);
                let own = [self.in_part(before), rocpkg_shell::named_steps(self, rest)].concat();
                let has_macro = crate::value::print::script(&own).contains(APPLY_PATCHES);
                let patches = if has_macro {
                    Vec::new()
                } else {
                    self.unapplied_patches(written)
                };
                rocpkg_shell::apart(patches, own)
            }
            None if matches!(step, Script::Setup | Script::Build | Script::Install) => {
                rocpkg_shell::named_steps(
                    self,
                    &[Step {
                        span: self.cx.p.node.span,
                        ..Step::standard()
                    }],
                )
            }
            None => Vec::new(),
        };
        if step == Script::Environment {
            return [rocpkg_shell::apart(steps, head), self.present()].concat();
        }
        // Further sources are unpacked before the steps of `setup`, which refer to them.
        if step == Script::Setup {
            steps.splice(0..0, self.unpack());
        }
        // `popd` directly followed by `pushd` into the same folder is left out.
        let again = self
            .part()
            .map(|folder| [run("popd", []), run("pushd", [Word::lit(folder)])]);
        if let Some(at) = again.and_then(|again| steps.windows(2).position(|two| two == again)) {
            steps.drain(at..at + 2);
        }
        rocpkg_shell::apart(head, steps)
    }

    /// Reports steps and entries of `environment` that set one of ypkg's variables, because later
    /// code relies on ypkg's values.
    fn check_owned(&mut self) {
        let package = &self.cx.p.package;
        let name = self.step.name();
        let all = rocpkg_shell::assigned(package.phases.get(name), package.environment.get(name));
        for (name, span) in all.into_iter().filter(|(name, _)| YPKGS.contains(name)) {
            self.findings
                .push(rocpkg_shell::taken(name, span, "ypkg sets it"));
        }
    }

    fn standard(&mut self, name: &Spanned<String>) -> Vec<Stmt> {
        if matches!(self.step, Script::Environment | Script::Profile) {
            let message = format!(
                "a package.yml has no standard step for `{}`",
                self.step.name()
            );
            let label = "expected other steps, because this script has no default";
            self.findings
                .push(Finding::error("E0702", name.span, message).label(label));
        }
        let patches = if self.step == Script::Setup {
            self.patches()
        } else {
            Vec::new()
        };
        let projects = project::standard(self, self.step, name);
        let device = self.cx.p.package.tests.as_ref().is_some_and(|t| t.device);
        if self.step == Script::Check && device && !projects.is_empty() {
            return vec![rocpkg_shell::where_there(DEVICE, projects)];
        }
        rocpkg_shell::apart(patches, projects)
    }

    /// Returns the statements that build a Python wheel in `folder`, or install it if this script
    /// is `install`. ypkg's macros work in the current folder, so the folder is entered first.
    fn wheel(&mut self, folder: &Text) -> Vec<Stmt> {
        let install = self.step == Script::Install;
        let call = run(
            if install {
                "%python3_install"
            } else {
                "%python3_setup"
            },
            [],
        );
        if folder.as_literal().as_deref() == Some(".") {
            return vec![call];
        }
        vec![
            run("pushd", [self.word(folder, Place::One)]),
            call,
            run("popd", []),
        ]
    }

    /// Returns the statement that installs a licence. `%install_license` keeps the file's name, so
    /// a file with another name is installed by `install`.
    fn licence(&mut self, l: &Licence) -> Vec<Stmt> {
        let Some(name) = &l.name else {
            return vec![run("%install_license", [self.word(&l.file, Place::One)])];
        };
        let name = self.word(name, Place::One);
        vec![rocpkg_shell::licence(
            self, &l.file, name, "-Dm00644", "package",
        )]
    }

    /// Returns the statements that export variables only if a certain file exists: the overlay's
    /// `present`.
    fn present(&mut self) -> Vec<Stmt> {
        let mut out = Vec::new();
        for (file, variables) in self
            .cx
            .own
            .iter()
            .flat_map(|o| &o.present)
            .filter(|(_, map)| !map.is_empty())
        {
            let body = rocpkg_shell::named_environment(self, variables);
            out.extend([Stmt::Blank, rocpkg_shell::where_there(file, body)]);
        }
        out
    }

    /// Returns the statements that unpack all archives after the first source, each into a folder
    /// of its own. ypkg itself unpacks only the first source. The result is empty if the profile
    /// unpacks them by its own steps (`by-hand`).
    fn unpack(&self) -> Vec<Stmt> {
        if self.cx.own.is_some_and(|o| o.by_hand) {
            return Vec::new();
        }
        let further = self
            .cx
            .p
            .fetched()
            .skip(1)
            .filter(|s| matches!(s.fetch, Fetch::Archive | Fetch::Asset));
        let mut out = Vec::new();
        for s in further {
            let folder = Word::lit(Context::unpacked(s));
            let file = sources::file(self.cx, s).unwrap_or_default();
            let archive = Word::var("sources").literal(format!("/{file}"));
            out.push(run("mkdir", [folder.clone()]));
            let strip = Word::lit("--strip-components=1");
            out.push(run(
                "tar",
                [Word::lit("xf"), archive, strip, Word::lit("-C"), folder],
            ));
        }
        out
    }

    /// Returns the statements that apply patches before the steps `own` that the profile writes for
    /// `setup`, if none of the steps applies these patches.
    fn unapplied_patches(&mut self, own: &[Step]) -> Vec<Stmt> {
        if self.step != Script::Setup {
            return Vec::new();
        }
        let chosen = rocpkg_shell::unapplied(self.cx.p, own, std::iter::empty());
        self.applied(&chosen)
    }

    /// Returns the statements that apply the patches that no `patch` step of the profile applies.
    fn patches(&mut self) -> Vec<Stmt> {
        self.applied(&sources::standing(self.cx))
    }

    /// Returns the statements that apply patches: the macro that reads `files/series`, or one
    /// command each. Adjacent patches for the same folder are applied together, between one `pushd`
    /// and `popd`.
    fn applied(&mut self, chosen: &[&Patch]) -> Vec<Stmt> {
        if sources::in_series(self.cx) && !chosen.is_empty() {
            return vec![run(APPLY_PATCHES, [])];
        }
        let mut out = Vec::new();
        let inside = |p: &Patch| p.inside.as_ref().map(|t| t.pieces.clone());
        for group in chosen.chunk_by(|a, b| inside(a) == inside(b)) {
            let folder = group[0].inside.as_ref().map(|t| self.word(t, Place::One));
            out.extend(folder.clone().map(|f| run("pushd", [f])));
            for p in group {
                out.extend(p.comment.clone().map(Stmt::Comment));
                out.push(patch(
                    rocpkg_shell::below(FILES, Word::lit(p.file.value.clone())),
                    p.strip,
                ));
            }
            out.extend(folder.map(|_| run("popd", [])));
        }
        self.in_part(out)
    }

    /// Returns the folder of the main source in which `setup` runs, such as `projects/hipblas` of a
    /// monorepo. Returns `None` if the script runs at the top of the source: it is another script
    /// than `setup`, or the overlay does not set `in-folder`.
    fn part(&self) -> Option<&str> {
        let part = self.cx.own.is_some_and(|own| own.in_folder) && self.step == Script::Setup;
        self.cx
            .p
            .fetched()
            .next()
            .and_then(|s| s.path.as_deref())
            .filter(|_| part)
    }

    fn in_part(&self, steps: Vec<Stmt>) -> Vec<Stmt> {
        match self.part().filter(|_| !steps.is_empty()) {
            Some(folder) => [
                vec![run("pushd", [Word::lit(folder)])],
                steps,
                vec![run("popd", [])],
            ]
            .concat(),
            None => steps,
        }
    }
}

fn patch(file: Word, strip: u64) -> Stmt {
    run(
        "%patch",
        [Word::lit(format!("-p{strip}")), Word::lit("-i"), file],
    )
}
