//! Typed steps as statements of a PKGBUILD's functions.

use crate::project;
use crate::vocabulary::Context;
use rocpkg_model::{
    Action, Each, Finding, Findings, Licence, Piece, Replace, RunWith, Sed, Span, Spanned, Step, Submodule,
    Text,
};
use rocpkg_render::Origin;
use rocpkg_render::bash::{Command, Item, Scope, Stmt, Word};

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

/// True for the name of a variable.
pub(crate) fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Steps in order. Submodules that follow each other become one init, their addresses, and one update.
pub(crate) fn lower(cx: &Context, phase: Phase, steps: &[Step], findings: &mut Findings) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < steps.len() {
        let step = &steps[i];
        if !cx.holds(step.when.as_ref()) {
            out.extend(lower(cx, phase, &step.otherwise, findings));
            i += 1;
            continue;
        }
        if let Some(c) = &step.comment {
            out.push(Stmt::Comment(c.clone()));
        }
        let run = steps[i..]
            .iter()
            .take_while(|s| matches!(s.action, Action::Submodule(_)) && s.when.is_none())
            .count();
        if run > 0 {
            let list: Vec<&Submodule> = steps[i..i + run]
                .iter()
                .filter_map(|s| if let Action::Submodule(m) = &s.action { Some(m) } else { None })
                .collect();
            out.push(Stmt::From(Origin::Step, submodules(cx, &list, findings)));
            i += run;
            continue;
        }
        let stmts = action(cx, phase, &step.action, step.span, findings);
        let raw =
            matches!(step.action, Action::Raw(_) | Action::Each(_) | Action::Group(_) | Action::Inside(_));
        if raw {
            out.extend(stmts);
        } else {
            out.push(Stmt::From(Origin::Step, stmts));
        }
        i += 1;
    }
    out
}

fn action(cx: &Context, phase: Phase, action: &Action, span: Span, findings: &mut Findings) -> Vec<Stmt> {
    match action {
        Action::Standard(name) => standard(cx, phase, name, findings),
        Action::Run(words) => {
            let words = words.iter().map(|w| cx.pattern(w, findings)).collect();
            vec![Stmt::Command(Command::new(words))]
        }
        Action::RunWith(r) => vec![run_with(cx, r, findings)],
        Action::Replace(r) => replace(cx, r, findings),
        Action::Sed(s) => vec![sed(cx, s, findings)],
        Action::Patch(file) => vec![patch(cx, file, None, findings)],
        Action::CherryPick(commits) => commits.iter().map(|c| cherry_pick(c, findings)).collect(),
        Action::Submodule(m) => submodules(cx, &[m], findings),
        Action::Wheel(folder) => wheel(cx, phase, folder, findings),
        Action::Licence(l) => vec![licence(cx, l, findings)],
        Action::Move(m) => {
            let from: Vec<Word> = m.from.0.iter().map(|t| cx.pattern(t, findings)).collect();
            let to = cx.word(&m.to, findings);
            vec![command("mv", from.into_iter().chain([to]))]
        }
        Action::Copy(c) => {
            let from: Vec<Word> = c.from.0.iter().map(|t| cx.pattern(t, findings)).collect();
            let (to, folder) = without_slash(&c.to);
            let to = cx.word(&to, findings);
            let mode = Word::lit("-Dm644");
            let words: Vec<Word> = if folder {
                std::iter::once(mode).chain(from).chain([Word::lit("-t"), to]).collect()
            } else {
                std::iter::once(mode).chain(from).chain([to]).collect()
            };
            vec![command("install", words)]
        }
        Action::Symlink(l) => {
            let to = cx.word(&l.to, findings);
            l.from
                .0
                .iter()
                .map(|t| command("ln", [Word::lit("-s"), cx.word(t, findings), to.clone()]))
                .collect()
        }
        Action::Remove(texts) => {
            let (folders, files): (Vec<_>, Vec<_>) =
                texts.iter().map(without_slash).partition(|(_, folder)| *folder);
            let mut out = Vec::new();
            let mut put = |flag: Option<&str>, list: Vec<(Text, bool)>, findings: &mut Findings| {
                if !list.is_empty() {
                    let words: Vec<Word> = list.iter().map(|(t, _)| cx.pattern(t, findings)).collect();
                    out.push(command("rm", flag.map(Word::lit).into_iter().chain(words)));
                }
            };
            put(None, files, findings);
            put(Some("-rf"), folders, findings);
            out
        }
        Action::MakeFolder(texts) => {
            let words: Vec<Word> = texts.iter().map(|t| cx.word(t, findings)).collect();
            vec![command("mkdir", std::iter::once(Word::lit("-p")).chain(words))]
        }
        Action::ConfigFile(c) => {
            // No here-document: makepkg's style indents with blanks, which `<<-` does not strip.
            let words = ["printf", "%s\\n"]
                .map(Word::lit)
                .into_iter()
                .chain(c.lines.iter().map(|l| cx.word(l, findings)))
                .collect();
            let install = ["install", "-Dm644", "/dev/stdin"]
                .map(Word::lit)
                .into_iter()
                .chain([cx.word(&c.path, findings)])
                .collect();
            vec![Stmt::Command(Command {
                pipe: Some(Box::new(Command::new(install))),
                ..Command::new(words)
            })]
        }
        Action::Enter(folder) => vec![command("cd", [cx.word(folder, findings)])],
        Action::Inside(i) => {
            let folder = cx.word(&i.folder, findings);
            let mut out = vec![command("pushd", [folder])];
            out.extend(lower(cx, phase, &i.steps, findings));
            out.push(command("popd", []));
            out
        }
        Action::Export(vars) => {
            vars.iter().map(|(n, t)| variable(cx, Scope::Export, n, t, findings)).collect()
        }
        Action::Local(vars) => vars
            .iter()
            .map(|(n, values)| match values.0.as_slice() {
                [one] => variable(cx, Scope::Local, n, one, findings),
                many => {
                    check_name(n, many.first().map_or(span, |t| t.span), findings);
                    let items = many.iter().map(|t| Item::from(cx.word(t, findings))).collect();
                    Stmt::Array { scope: Scope::Local, name: n.clone(), append: false, items, tall: false }
                }
            })
            .collect(),
        Action::Each(e) => vec![each(cx, phase, e, findings)],
        Action::Group(steps) => lower(cx, phase, steps, findings),
        Action::Raw(text) => vec![Stmt::Raw(text.value.clone())],
    }
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
        let strip = p.strip.unwrap_or(1);
        out.push(patch_word(cx, Word::lit(p.file.value.clone()), strip, place, findings));
    }
    out
}

fn patch(cx: &Context, file: &Text, place: Option<&Text>, findings: &mut Findings) -> Stmt {
    let file = cx.word(file, findings);
    patch_word(cx, file, 1, place, findings)
}

fn patch_word(cx: &Context, file: Word, strip: u64, place: Option<&Text>, findings: &mut Findings) -> Stmt {
    let mut words = vec![Word::lit(format!("-Np{strip}"))];
    if let Some(place) = place {
        words.extend([Word::lit("-d"), cx.word(place, findings)]);
    }
    words.extend([Word::lit("-i"), Word::var("srcdir").literal("/").then(file)]);
    command("patch", words)
}

fn cherry_pick(commit: &Spanned<String>, findings: &mut Findings) -> Stmt {
    if commit.value.len() < 7 || !commit.value.bytes().all(|b| b.is_ascii_hexdigit()) {
        findings.push(
            Finding::error("E0415", commit.span, format!("`{}` is no commit", commit.value))
                .label("expected 7 to 40 hexadecimal digits"),
        );
    }
    // The commit need not be in the history of the tag, so it is applied without being recorded.
    command("git", [Word::lit("cherry-pick"), Word::lit("-n"), Word::lit(commit.value.clone())])
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

fn run_with(cx: &Context, r: &RunWith, findings: &mut Findings) -> Stmt {
    let env = r
        .environment
        .iter()
        .map(|(n, t)| {
            check_name(n, t.span, findings);
            (n.clone(), cx.word(t, findings))
        })
        .collect();
    let words = r.command.iter().map(|w| cx.pattern(w, findings)).collect();
    let output = r.output.as_ref().map(|t| cx.word(t, findings));
    let or = r.may_fail.then(|| vec![Word::lit("true")]);
    Stmt::Command(Command { env, output, or, ..Command::new(words) })
}

fn sed(cx: &Context, s: &Sed, findings: &mut Findings) -> Stmt {
    let mut words = vec![Word::lit("-i")];
    if s.extended {
        words.push(Word::lit("-E"));
    }
    for script in &s.scripts.0 {
        words.extend([Word::lit("-e"), cx.word(script, findings)]);
    }
    words.extend(s.files.0.iter().map(|f| cx.pattern(f, findings)));
    command("sed", words)
}

/// Literal text replaced by sed, one line at a time.
fn replace(cx: &Context, r: &Replace, findings: &mut Findings) -> Vec<Stmt> {
    if r.from.pieces.iter().any(|p| matches!(p, Piece::Literal(l) if l.contains('\n'))) {
        findings.push(
            Finding::error("E0417", r.from.span, "sed replaces text within one line")
                .label("this text holds a line's end")
                .hint("use a patch"),
        );
    }
    let all = [&r.from, &r.to].into_iter().flat_map(|t| &t.pieces);
    let used: String =
        all.filter_map(|p| if let Piece::Literal(l) = p { Some(l.as_str()) } else { None }).collect();
    let mark =
        ['|', '/', '@', '#', '%', ',', ';'].into_iter().find(|c| !used.contains(*c)).unwrap_or('\u{1}');
    let escaped = |t: &Text, special: &str| Text {
        pieces: t
            .pieces
            .iter()
            .map(|p| match p {
                Piece::Literal(l) => Piece::Literal(l.chars().fold(String::new(), |mut out, c| {
                    if special.contains(c) || c == mark {
                        out.push('\\');
                    }
                    // sed writes a line's end as `\n`.
                    match c {
                        '\n' => out.push_str("\\n"),
                        c => out.push(c),
                    }
                    out
                })),
                reference @ Piece::Reference(_) => reference.clone(),
            })
            .collect(),
        span: t.span,
    };
    // Special in a basic regular expression, and in what replaces a match.
    let from = cx.word(&escaped(&r.from, "\\.*[]^$"), findings);
    let to = cx.word(&escaped(&r.to, "\\&"), findings);
    let m = mark.to_string();
    let script = Word::lit(format!("s{m}")).then(from).literal(m.clone()).then(to).literal(format!("{m}g"));
    r.files
        .0
        .iter()
        .map(|f| command("sed", [Word::lit("-i"), script.clone(), cx.pattern(f, findings)]))
        .collect()
}

fn each(cx: &Context, phase: Phase, e: &Each, findings: &mut Findings) -> Stmt {
    check_name(&e.variable.value, e.variable.span, findings);
    if !e.variable.value.starts_with('_') {
        findings.push(private(&e.variable.value, e.variable.span));
    }
    let items = e.items.iter().map(|t| cx.pattern(t, findings)).collect();
    Stmt::For { name: e.variable.value.clone(), items, body: lower(cx, phase, &e.steps, findings) }
}

/// A name of a variable of the packager's own must start with `_`, lest it is one of makepkg's.
pub(crate) fn private(name: &str, span: Span) -> Finding {
    Finding::error("E0418", span, format!("the private variable `{name}` must start with `_`"))
        .label("makepkg and its tools own the other names")
        .hint(format!("name it `_{name}`"))
}

/// Reports a name that bash can't give to a variable.
pub(crate) fn check_name(name: &str, span: Span, findings: &mut Findings) {
    if !is_variable(name) {
        findings.push(
            Finding::error(
                "E0419",
                span,
                format!("`{}` can't be the name of a variable", name.escape_debug()),
            )
            .label("expected letters, digits and `_`, not starting with a digit"),
        );
    }
}

/// An assignment with a checked name.
pub(crate) fn variable(
    cx: &Context,
    scope: Scope,
    name: &str,
    value: &Text,
    findings: &mut Findings,
) -> Stmt {
    check_name(name, value.span, findings);
    Stmt::Assign { scope, name: name.to_owned(), append: false, value: cx.word(value, findings) }
}

/// The text when it holds no reference; else a finding.
pub(crate) fn literal(text: &Text, what: &str, findings: &mut Findings) -> String {
    text.as_literal().unwrap_or_else(|| {
        findings.push(
            Finding::error("E0422", text.span, format!("{what} can't hold a reference here"))
                .label("expected plain text"),
        );
        String::new()
    })
}

/// A text without the slash at its end, and whether there was one: it marks a folder.
fn without_slash(text: &Text) -> (Text, bool) {
    let mut text = text.clone();
    if let Some(Piece::Literal(l)) = text.pieces.last_mut()
        && l.len() > 1
        && let Some(short) = l.strip_suffix('/')
    {
        *l = short.to_owned();
        return (text, true);
    }
    (text, false)
}

fn command(name: &str, words: impl IntoIterator<Item = Word>) -> Stmt {
    Stmt::Command(Command::new(std::iter::once(Word::lit(name)).chain(words).collect()))
}
