//! The dialect of a PKGBUILD's functions: makepkg stops at a failure by itself, and every condition is decided.

use crate::project;
use crate::vocabulary::Context;
use rocpkg_model::{Finding, Findings, Licence, Piece, Span, Spanned, Step, Submodule, Text, When};
use rocpkg_render::bash::{Command, Stmt, Word};
pub(crate) use rocpkg_shell::check_name;
use rocpkg_shell::{Condition, Dialect, Habits, InPlace, Native, Tool};

/// The functions of a PKGBUILD that steps belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// `prepare()`
    Prepare,
    /// `build()`
    Build,
    /// `check()`
    Check,
    /// `package()` or that of a part.
    Package,
}

/// How bash is written in a PKGBUILD.
static HABITS: Habits = Habits {
    recipe: "a PKGBUILD",
    failure: None,
    separators: &['|', '/', '@', '#', '%', ',', ';'],
    in_place: InPlace::First,
    paragraphs: false,
    short_array: usize::MAX,
    local_loops: false,
    silent_folders: false,
    image: "pkgdir",
};

/// One function of a PKGBUILD.
pub(crate) struct InPhase<'a, 'f> {
    cx: &'a Context<'a>,
    phase: Phase,
    findings: &'f mut Findings,
}

impl Context<'_> {
    /// The dialect of a PKGBUILD's function.
    pub(crate) fn in_phase<'a, 'f>(&'a self, phase: Phase, findings: &'f mut Findings) -> InPhase<'a, 'f> {
        InPhase { cx: self, phase, findings }
    }
}

impl Dialect for InPhase<'_, '_> {
    fn habits(&self) -> &'static Habits {
        &HABITS
    }

    fn report(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    fn reference(&mut self, name: &str, text: &Text) -> Word {
        self.cx.meaning(name, text, self.findings)
    }

    fn sets(&self, name: &str) -> bool {
        self.cx.sets(name)
    }

    fn condition(&mut self, when: &When) -> Condition {
        Condition::Known(self.cx.holds(Some(when)))
    }

    fn choose(&mut self, when: &When, yes: Word, no: Word) -> Word {
        if self.cx.holds(Some(when)) { yes } else { no }
    }

    fn tool(&self, tool: Tool) -> &'static [&'static str] {
        match tool {
            Tool::RemoveFiles => &["rm"],
            Tool::RemoveFolders => &["rm", "-rf"],
            other => other.usual(),
        }
    }

    fn native(&mut self, native: &Native<'_>) -> Option<Vec<Stmt>> {
        let (cx, phase) = (self.cx, self.phase);
        Some(match native {
            Native::Standard(name) => standard(cx, phase, name, self.findings),
            Native::Patch(file) => {
                let file = cx.word(file, self.findings);
                vec![patch(cx, file, 1, None, self.findings)]
            }
            Native::CherryPick(commits) => rocpkg_shell::git_cherry_pick(self, commits),
            Native::Submodules(list) => submodules(cx, list, self.findings),
            Native::Wheel(folder) => wheel(cx, phase, folder, self.findings),
            Native::Licence(l) => vec![licence(cx, l, self.findings)],
            Native::ConfigFile(c) => rocpkg_shell::config_file(self, c),
            Native::InstallFile(i) => rocpkg_shell::install_file(self, i),
        })
    }

    fn check(&mut self, stmts: &[Stmt], span: Span) {
        rocpkg_shell::check_outside(stmts, span, HABITS.image, self.findings);
    }

    fn check_loop(&mut self, variable: &Spanned<String>) {
        if !variable.value.starts_with('_') {
            self.findings.push(private(&variable.value, variable.span));
        }
    }
}

/// The statements of some steps. Every name they give to a variable is checked.
pub(crate) fn lower(cx: &Context, phase: Phase, steps: &[Step], findings: &mut Findings) -> Vec<Stmt> {
    rocpkg_shell::named_steps(&mut cx.in_phase(phase, findings), steps)
}

/// What a phase does when nothing else is said.
pub(crate) fn standard(
    cx: &Context,
    phase: Phase,
    name: &Spanned<String>,
    findings: &mut Findings,
) -> Vec<Stmt> {
    let chosen = project::chosen(cx, name, findings);
    match phase {
        Phase::Prepare => patches(cx, findings),
        Phase::Build => {
            let mut out = Vec::new();
            for (i, (name, project)) in chosen.into_iter().enumerate() {
                if i > 0 {
                    out.push(Stmt::Blank);
                }
                out.extend(project::build(cx, name, project, findings));
            }
            out
        }
        Phase::Check => chosen
            .into_iter()
            .map(|(name, _)| {
                command(
                    "ctest",
                    [
                        Word::lit("--test-dir"),
                        project::build_folder(cx, name, findings),
                        Word::lit("--output-on-failure"),
                    ],
                )
            })
            .collect(),
        Phase::Package => chosen.into_iter().map(|(name, _)| project::install(cx, name, findings)).collect(),
    }
}

/// The patches of the package: each in its folder, that of the whole checkout when none is stated.
pub(crate) fn patches(cx: &Context, findings: &mut Findings) -> Vec<Stmt> {
    let chosen: Vec<_> = cx.p.package.patches.iter().filter(|p| cx.holds(p.when.as_ref())).collect();
    let checkout = Text { pieces: vec![Piece::Reference("checkout".into())], span: Span::default() };
    let mut out = Vec::new();
    let one_place = chosen.len() > 1 && chosen.iter().all(|p| p.inside == chosen[0].inside);
    if one_place {
        out.push(command("cd", [cx.word(chosen[0].inside.as_ref().unwrap_or(&checkout), findings)]));
    }
    for p in chosen {
        if let Some(c) = &p.comment {
            out.push(Stmt::Comment(c.clone()));
        }
        let place = (!one_place).then(|| p.inside.as_ref().unwrap_or(&checkout));
        let strip = p.strip;
        out.push(patch(cx, Word::lit(p.file.value.clone()), strip, place, findings));
    }
    out
}

fn patch(cx: &Context, file: Word, strip: u64, place: Option<&Text>, findings: &mut Findings) -> Stmt {
    let mut words = vec![Word::lit(format!("-Np{strip}"))];
    if let Some(place) = place {
        words.extend([Word::lit("-d"), cx.word(place, findings)]);
    }
    words.extend([Word::lit("-i"), Word::var("srcdir").literal("/").then(file)]);
    command("patch", words)
}

/// makepkg clones sources beside each other, so every submodule is pointed at its clone; git refuses local clones unless told.
fn submodules(cx: &Context, list: &[&Submodule], findings: &mut Findings) -> Vec<Stmt> {
    let mut out = Vec::new();
    let inside = list.first().and_then(|m| m.inside.as_ref());
    if let Some(folder) = inside {
        out.push(command("cd", [cx.word(folder, findings)]));
    }
    let git = |words: Vec<Word>| command("git", words);
    out.push(git(vec![Word::lit("submodule"), Word::lit("init")]));
    for m in list {
        let Some(source) = cx.p.sources.iter().find(|s| s.name == m.source.value) else {
            findings.push(
                Finding::error("E0416", m.source.span, format!("unknown source `{}`", m.source.value))
                    .label("expected one of the package's sources")
                    .nearest(&m.source.value, cx.p.sources.iter().map(|s| s.name.as_str())),
            );
            continue;
        };
        let key = Word::lit("submodule.").then(cx.word(&m.path, findings)).literal(".url");
        let place = Word::var("srcdir").literal("/").then(crate::sources::checkout(cx, source).word());
        out.push(git(vec![Word::lit("config"), key, place]));
    }
    let update = ["-c", "protocol.file.allow=always", "submodule", "update", "--init", "--recursive"];
    out.push(git(update.into_iter().map(Word::lit).collect()));
    out
}

/// A wheel is built by python-build and installed by python-installer.
fn wheel(cx: &Context, phase: Phase, folder: &Text, findings: &mut Findings) -> Vec<Stmt> {
    let mut out = Vec::new();
    if folder.as_literal().as_deref() != Some(".") {
        out.push(command("cd", [cx.word(folder, findings)]));
    }
    out.push(if phase == Phase::Package {
        let wheels = Word::lit("dist/").then(Word::pattern("*")).literal(".whl");
        let place = Word::pattern("--destdir=").then(Word::var("pkgdir"));
        command("python", [Word::lit("-m"), Word::lit("installer"), place, wheels])
    } else {
        command("python", ["-m", "build", "--wheel", "--no-isolation"].map(Word::lit))
    });
    out
}

fn licence(cx: &Context, l: &Licence, findings: &mut Findings) -> Stmt {
    let name = l.name.as_ref().map_or_else(|| Word::lit("LICENSE"), |n| cx.word(n, findings));
    let place =
        Word::var("pkgdir").literal("/usr/share/licenses/").variable("pkgname").literal("/").then(name);
    command("install", [Word::lit("-Dm644"), cx.word(&l.file, findings), place])
}

/// A name of a variable of the packager's own must start with `_`, lest it is one of makepkg's.
pub(crate) fn private(name: &str, span: Span) -> Finding {
    Finding::error("E0418", span, format!("the private variable `{name}` must start with `_`"))
        .label("makepkg and its tools own the other names")
        .hint(format!("name it `_{name}`"))
}

fn command(name: &str, words: impl IntoIterator<Item = Word>) -> Stmt {
    Stmt::Command(Command::new(std::iter::once(Word::lit(name)).chain(words).collect()))
}
