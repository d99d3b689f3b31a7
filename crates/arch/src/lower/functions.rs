//! The bodies of a PKGBUILD's functions: the steps that the profile states, or the default steps.

use crate::lower::project;
use crate::lower::steps::{InPhase, Phase};
use crate::lower::vocabulary::Context;
use rocpkg_model::{Action, Findings, FlagEdit, Licence, LicenceHabit, Piece, Step};
use rocpkg_render::bash::Stmt;
use rocpkg_shell::Passed;

/// Returns the body of the function `name`: edits of flags, the environment, then the steps that
/// the profile states. Without such steps, the default steps are used. Adds the GPU targets that
/// the body passes to upstream's build to `passed`.
pub(crate) fn body(
    cx: &Context,
    name: &str,
    phase: Phase,
    passed: &mut Vec<Passed>,
    findings: &mut Findings,
) -> Vec<Stmt> {
    let package = &cx.p.package;
    let here = |e: &&FlagEdit| match e.phase.as_ref().map_or("build", |p| p.value.as_str()) {
        "configure" | "compile" => name == "build",
        "install" => name == "package",
        "test" => name == "check",
        other => name == other,
    };
    let d = &mut cx.in_phase(phase, findings);
    let [flags, exports] = rocpkg_shell::head(
        d,
        package.flags.iter().filter(here),
        package.environment.get(name),
    );
    let steps = match package.phases.get(name) {
        Some(written) if phase == Phase::Prepare => {
            let patches = d.unapplied_patches(written);
            rocpkg_shell::apart(patches, rocpkg_shell::named_steps(d, written))
        }
        Some(written) => rocpkg_shell::named_steps(d, written),
        None => habit(d, phase),
    };
    passed.append(&mut d.passed);
    rocpkg_shell::apart([flags, exports].concat(), steps)
}

/// Returns the default statements of the function for `phase`. `check()` runs only tests that need
/// no GPU, as a build machine has none.
pub(crate) fn habit(d: &mut InPhase, phase: Phase) -> Vec<Stmt> {
    let cx = d.cx;
    let standard = Step {
        span: cx.p.node.span,
        ..Step::standard()
    };
    let mut steps = Vec::new();
    match phase {
        // A metapackage has nothing to build.
        Phase::Build | Phase::Package if cx.p.sources.is_empty() => {}
        Phase::Prepare if cx.p.applied().next().is_none() => {}
        Phase::Prepare | Phase::Build => steps.push(standard),
        Phase::Package => {
            steps.push(standard);
            steps.extend(licence_file(cx));
        }
        Phase::Check if cx.p.runs_tests(cx.plan) => {
            if let Some(goal) = cx.p.package.tests.as_ref().and_then(|t| t.goal.as_ref()) {
                return vec![project::goal(d, goal)];
            }
            steps.push(standard);
        }
        Phase::Check => {}
    }
    rocpkg_shell::named_steps(d, &steps)
}

/// Returns the step that installs upstream's licence file, or `None` if the distribution's habits
/// install no licences. A path without a reference is relative to the project's folder.
fn licence_file(cx: &Context) -> Option<Step> {
    let installed = cx.plan.distro.habits.as_ref().and_then(|h| h.licence_files)
        == Some(LicenceHabit::Installed);
    let mut file = cx.p.package.licence_file.clone().filter(|_| installed)?;
    if let Some(name) = file.as_literal() {
        file.pieces = vec![
            Piece::Reference("source".into()),
            Piece::Literal(format!("/{name}")),
        ];
    }
    let span = file.span;
    let action = {
        let mut licence = Licence::default();
        licence.file = file;
        Action::Licence(licence)
    };
    Some(Step {
        span,
        ..Step::new(action)
    })
}
