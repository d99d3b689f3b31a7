//! Lowers programs that are built together with a library, such as tests and benchmarks. The
//! derivation gets one output for each kind of programs, so that users of the library don't
//! download the programs.

use rocpkg_model::{
    Action, Cond, Feature, FromTo, NixOutput, Piece, ProgramHabit, Programs, Span, Step, Text, When,
};
use rocpkg_resolve::{Plan, Planned};

/// Returns the kinds of programs that get an output, each with its name, its facts and its
/// condition. A kind gets an output if its feature can be chosen, or if the programs are always
/// built. The condition is then `None`.
fn kinds<'a>(plan: &Plan, p: &'a Planned) -> Vec<(&'a String, &'a Programs, Option<When>)> {
    let own = plan.distro.habits.as_ref().and_then(|h| h.programs) == Some(ProgramHabit::OwnOutput);
    let offered = |f: Option<&Feature>| f.is_some_and(|f| f.fixed.is_none());
    let programs = p
        .package
        .programs
        .iter()
        .filter(|(_, k)| own && !k.files.is_empty());
    programs
        .filter(|(name, kind)| kind.always || offered(p.package.features.get(*name)))
        .map(|(name, kind)| {
            let when = || When {
                cond: Cond::Feature(name.clone()),
                span: Span::default(),
            };
            (name, kind, (!kind.always).then(when))
        })
        .collect()
}

/// Returns the outputs for programs, by name.
pub(crate) fn outputs(plan: &Plan, p: &Planned) -> Vec<(String, NixOutput)> {
    let kinds = kinds(plan, p).into_iter();
    let output = |when| {
        let mut output = NixOutput::default();
        output.when = when;
        output
    };
    kinds
        .map(|(name, _, when)| (name.clone(), output(when)))
        .collect()
}

/// Returns the steps of the hook `postInstall`. `written` are the steps in the profile. A
/// `standard` step among them is replaced by the steps that move programs to their outputs. If the
/// profile writes no steps, the result consists of these steps alone.
pub(crate) fn steps(plan: &Plan, p: &Planned, written: Option<&Vec<Step>>) -> Vec<Step> {
    let kinds = kinds(plan, p);
    let written = match written {
        Some(steps) => steps.clone(),
        None if kinds.is_empty() => return Vec::new(),
        None => vec![Step::standard()],
    };
    let mut out = Vec::new();
    let mut moved = false;
    for s in written {
        if !matches!(s.action, Action::Standard(_)) || kinds.is_empty() {
            out.push(s);
            continue;
        }
        moved = true;
        for (name, kind, when) in &kinds {
            let folder = below(name, "/bin", &[]);
            let built = kind.folder.as_ref().filter(|_| !kind.installed);
            let head = match built {
                Some(built) => [built.pieces.as_slice(), &[Piece::Literal("/".into())]].concat(),
                None => below("out", "/bin/", &[]).pieces,
            };
            let from = kind
                .files
                .iter()
                .map(|f| Text::joined(head.iter().chain(&f.pieces)));
            let m = FromTo::new(from, folder.clone());
            out.push(step(Action::MakeFolder(vec![folder]), when.clone()));
            out.push(step(Action::Move(m), when.clone()));
            // A program that is not installed still has the build folder in its search path for
            // libraries.
            if built.is_some() {
                let words =
                    ["patchelf", "--shrink-rpath", "--allowed-rpath-prefixes"].map(Text::literal);
                let store = Text::joined(&[Piece::Reference("NIX_STORE".into())]);
                let moved = kind.files.iter().map(|f| in_output(name, f));
                let words = words.into_iter().chain([store]).chain(moved);
                out.push(step(Action::Run(words.collect()), when.clone()));
            }
        }
    }
    if moved {
        let installed: Vec<_> = kinds.iter().filter(|(_, kind, _)| kind.installed).collect();
        let all: Option<Vec<Cond>> = installed
            .iter()
            .map(|(_, _, w)| w.as_ref().map(|w| w.cond.clone()))
            .collect();
        let when = all.map(|mut all| When {
            cond: if all.len() == 1 {
                all.remove(0)
            } else {
                Cond::Any(all)
            },
            span: Span::default(),
        });
        for name in kinds.iter().flat_map(|(_, kind, _)| &kind.leftovers) {
            out.push(step(
                Action::Remove(vec![below("out", "/bin/", &name.pieces)]),
                when.clone(),
            ));
        }
        if !installed.is_empty() && !kinds.iter().any(|(_, kind, _)| kind.keep_other_files) {
            out.push(step(
                Action::Run(vec![Text::literal("rmdir"), below("out", "/bin", &[])]),
                when,
            ));
        }
    }
    out
}

/// Returns the path `folder` in the output `output`, followed by `rest`:
/// `${test}/bin/rocblas-test`.
fn below(output: &str, folder: &str, rest: &[Piece]) -> Text {
    let head = [
        Piece::Reference(output.into()),
        Piece::Literal(folder.into()),
    ];
    Text::joined(head.iter().chain(rest))
}

/// Returns the paths of the programs `files` after they were moved to the output `output`. A star
/// in `files` stays a pattern.
fn in_output(output: &str, files: &Text) -> Text {
    let mut pieces = below(output, "/bin/", &[]).pieces;
    for piece in &files.pieces {
        let Piece::Literal(text) = piece else {
            pieces.push(piece.clone());
            continue;
        };
        for (i, part) in text.split('*').enumerate() {
            pieces.extend((i > 0).then(|| Piece::Reference("*".into())));
            pieces.extend((!part.is_empty()).then(|| Piece::Literal(part.to_owned())));
        }
    }
    Text::joined(&pieces)
}

fn step(action: Action, when: Option<When>) -> Step {
    Step {
        when,
        ..Step::new(action)
    }
}
