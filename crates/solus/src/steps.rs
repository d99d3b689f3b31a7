//! The dialect of a recipe's scripts: `set -e` stops them, and every condition is decided.

use crate::ir::Step as Script;
use crate::macros::{self, Stop};
use crate::vocabulary::Context;
use crate::{project, sources};
use rocpkg_model::{Fetch, Finding, Findings, FlagAction, FlagEdit, Piece, Span, Spanned, Text, When};
use rocpkg_render::bash::{Command, Scope, Stmt, Word, print};
use rocpkg_shell::{Condition, Dialect, Habits, InPlace, Native, Place, Tool};

/// The file that is there where a build machine has an AMD GPU.
const DEVICE: &str = "/dev/kfd";

/// How bash is written in a recipe. `%` parts no sides of a replacement: ypkg would look for a macro behind it.
static HABITS: Habits = Habits {
    recipe: "a package.yml",
    failure: None,
    separators: &['/', '|', '@', '#', ',', ';'],
    in_place: InPlace::First,
    paragraphs: false,
    short_array: 4,
    local_loops: false,
    silent_folders: false,
    image: "installdir",
};

/// One script of a recipe.
pub(crate) struct InStep<'a, 'f> {
    cx: &'a Context<'a>,
    step: Script,
    findings: &'f mut Findings,
}

impl Context<'_> {
    /// The dialect of a script.
    pub(crate) fn in_step<'a, 'f>(&'a self, step: Script, findings: &'f mut Findings) -> InStep<'a, 'f> {
        InStep { cx: self, step, findings }
    }
}

impl Dialect for InStep<'_, '_> {
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
        Condition::Known(self.cx.p.settles(Some(when)))
    }

    fn choose(&mut self, when: &When, yes: Word, no: Word) -> Word {
        if self.cx.p.settles(Some(when)) { yes } else { no }
    }

    fn tool(&self, tool: Tool) -> &'static [&'static str] {
        match tool {
            Tool::RemoveFiles => &["rm"],
            Tool::RemoveFolders => &["rm", "-rf"],
            other => other.usual(),
        }
    }

    fn native(&mut self, native: &Native<'_>) -> Option<Vec<Stmt>> {
        Some(match native {
            Native::Standard(name) => standard(self.cx, self.step, name, self.findings),
            Native::Patch(file) => {
                let strip = sources::patches(self.cx)
                    .find(|p| Some(p.file.value.as_str()) == file.as_literal().as_deref());
                vec![patch(self.word(file, Place::One), strip.map_or(1, |p| p.strip))]
            }
            Native::CherryPick(commits) => rocpkg_shell::git_cherry_pick(self, commits),
            // A repository is fetched with its submodules.
            Native::Submodules(_) => Vec::new(),
            Native::Wheel(_) if self.step == Script::Install => vec![command("%python3_install", [])],
            Native::Wheel(_) => vec![command("%python3_setup", [])],
            Native::Licence(l) => vec![command("%install_license", [self.word(&l.file, Place::One)])],
            // `printf %s` would have ypkg look for a macro.
            Native::ConfigFile(c) => vec![rocpkg_shell::here_document(self, c)],
            Native::InstallFile(i) => rocpkg_shell::install_file(self, i),
        })
    }

    fn word(&mut self, text: &Text, place: Place) -> Word {
        for literal in
            text.pieces.iter().filter_map(|p| if let Piece::Literal(l) = p { Some(l) } else { None })
        {
            for written in literal.lines().filter_map(macros::unknown) {
                let known: Vec<String> = macros::all().collect();
                self.findings.push(
                    Finding::error("E0703", text.span, format!("ypkg has no macro `{written}`"))
                        .label("what stands behind it on its line is not looked at either")
                        .nearest(&written, known.iter().map(String::as_str)),
                );
            }
        }
        rocpkg_shell::word(text, place, &mut |name| self.reference(name, text))
    }

    fn check(&mut self, stmts: &[Stmt], span: Span) {
        check_macros(stmts, span, self.findings);
        rocpkg_shell::check_outside(stmts, span, HABITS.image, self.findings);
    }

    fn local_environment(&mut self, name: &str, value: Word) -> Stmt {
        Stmt::Assign { scope: Scope::Plain, name: name.to_owned(), append: false, value }
    }

    /// Flags are what ypkg exports, so a changed variable is exported already; several flags that are
    /// replaced are one text, which must stand there as it is.
    fn flag_edit(&mut self, edit: &FlagEdit) -> Vec<Stmt> {
        if edit.action == FlagAction::Replace && edit.flags.len() > 1 {
            let settings = &self.cx.plan.distro.settings;
            let version = settings.get("eopkg").map_or("", |v| v.value.as_str());
            // They are eopkg's, in the distribution's file.
            let known = |name: &str| {
                Some((settings.get(&name.to_lowercase())?.value.as_str(), format!("eopkg {version}")))
            };
            return rocpkg_shell::by_text(self, edit, &known);
        }
        let mut out = rocpkg_shell::by_assignment(self, edit);
        for stmt in &mut out {
            if let Stmt::Assign { scope, .. } = stmt {
                *scope = Scope::Export;
            }
        }
        out
    }
}

/// Reports macros that ypkg never comes to.
fn check_macros(stmts: &[Stmt], span: Span, findings: &mut Findings) {
    for line in print(stmts, &crate::print::STYLE).lines() {
        if let Some(Stop::Hidden(written, hidden)) = macros::stop(line) {
            findings.push(
                Finding::error("E0704", span, format!("ypkg never comes to `{hidden}` on this line"))
                    .label(format!("it stops at `{written}`, which is no macro"))
                    .hint("put the macro on a line of its own, or before the other sign"),
            );
        }
    }
}

/// A script: its own steps, or the standard one. Flags and variables stand before it; in the environment behind its steps, which
/// clear what is not wanted.
pub(crate) fn script(cx: &Context, step: Script, findings: &mut Findings) -> Vec<Stmt> {
    let package = &cx.p.package;
    let here = |e: &&FlagEdit| {
        e.phase.as_ref().map_or(Some(Script::Environment), |p| Script::of_phase(&p.value)) == Some(step)
    };
    let mut head =
        rocpkg_shell::edits(&mut cx.in_step(step, findings), package.flags.iter().filter(here)).concat();
    if let Some(variables) = package.environment.get(step.name()) {
        let exports = rocpkg_shell::named_environment(&mut cx.in_step(step, findings), variables);
        if !head.is_empty() && !exports.is_empty() {
            head.push(Stmt::Blank);
        }
        head.extend(exports);
    }
    // Of steps for other releases nothing is left, and what is done unasked stands.
    let steps = match package.phases.get(step.name()).filter(|written| !written.is_empty()) {
        Some(written) => rocpkg_shell::named_steps(&mut cx.in_step(step, findings), written),
        None => habit(cx, step, findings),
    };
    // What the scripts of a setup speak of is there before them.
    let unpacked = if step == Script::Setup { unpack(cx) } else { Vec::new() };
    let steps = [unpacked, steps].concat();
    let (mut out, second) = if step == Script::Environment { (steps, head) } else { (head, steps) };
    if !out.is_empty() && !second.is_empty() {
        out.push(Stmt::Blank);
    }
    out.extend(second);
    if step == Script::Environment {
        out.extend(present(cx, findings));
    }
    out
}

/// What a step does when the profile has no steps for it.
fn habit(cx: &Context, step: Script, findings: &mut Findings) -> Vec<Stmt> {
    match step {
        Script::Setup | Script::Build | Script::Install => {
            let all = Spanned { value: "all".to_owned(), span: Span::default() };
            standard(cx, step, &all, findings)
        }
        Script::Environment | Script::Profile | Script::Check => Vec::new(),
    }
}

fn standard(cx: &Context, step: Script, name: &Spanned<String>, findings: &mut Findings) -> Vec<Stmt> {
    let mut out = Vec::new();
    if step == Script::Setup {
        out.extend(patches(cx, findings));
    }
    let projects = project::standard(cx, step, name, findings);
    let device = cx.p.package.tests.as_ref().is_some_and(|t| t.device);
    if step == Script::Check && device && !projects.is_empty() {
        return vec![rocpkg_shell::where_there(DEVICE, projects)];
    }
    out.extend(projects);
    out
}

/// Variables that are exported where a file is there.
fn present(cx: &Context, findings: &mut Findings) -> Vec<Stmt> {
    let mut out = Vec::new();
    for (file, variables) in cx.own.iter().flat_map(|o| &o.present).filter(|(_, map)| !map.is_empty()) {
        let body = rocpkg_shell::named_environment(&mut cx.in_step(Script::Environment, findings), variables);
        out.extend([Stmt::Blank, rocpkg_shell::where_there(file, body)]);
    }
    out
}

/// ypkg unpacks the first source alone: further archives go into folders of their names.
fn unpack(cx: &Context) -> Vec<Stmt> {
    if cx.own.is_some_and(|o| o.by_hand) {
        return Vec::new();
    }
    let further = cx.p.fetched().skip(1).filter(|s| matches!(s.fetch, Fetch::Archive | Fetch::Asset));
    let mut out = Vec::new();
    for s in further {
        let folder = || Word::lit(Context::unpacked(s));
        let file = sources::file(cx, s).unwrap_or_default();
        out.push(command("mkdir", [folder()]));
        let words = [
            Word::lit("xf"),
            Word::var("sources").literal(format!("/{file}")),
            Word::lit("--strip-components=1"),
        ];
        out.push(command("tar", words.into_iter().chain([Word::lit("-C"), folder()])));
    }
    out
}

/// The patches of the package that none of its steps applies; those of one folder together.
fn patches(cx: &Context, findings: &mut Findings) -> Vec<Stmt> {
    let chosen = sources::standing(cx);
    if sources::in_series(cx) && !chosen.is_empty() {
        return vec![command("%apply_patches", [])];
    }
    let mut out = Vec::new();
    for group in
        chosen.chunk_by(|a, b| a.inside.as_ref().map(|t| &t.pieces) == b.inside.as_ref().map(|t| &t.pieces))
    {
        let folder =
            group[0].inside.as_ref().map(|t| cx.in_step(Script::Setup, findings).word(t, Place::One));
        out.extend(folder.clone().map(|f| command("pushd", [f])));
        for p in group {
            out.extend(p.comment.clone().map(Stmt::Comment));
            out.push(patch(Word::lit(p.file.value.clone()), p.strip));
        }
        out.extend(folder.map(|_| command("popd", [])));
    }
    out
}

fn patch(file: Word, strip: u64) -> Stmt {
    command(
        "%patch",
        [Word::lit(format!("-p{strip}")), Word::lit("-i"), Word::var("pkgfiles").literal("/").then(file)],
    )
}

fn command(name: &str, words: impl IntoIterator<Item = Word>) -> Stmt {
    Stmt::Command(Command::new(std::iter::once(Word::lit(name)).chain(words).collect()))
}
