//! Benchmarks that upstream builds but does not install: the ebuild installs them from the build
//! folder.

use crate::lower::context::Context;
use rocpkg_model::{Action, Cond, Piece, ProgramHabit, Span, Step, Text, When};

/// The kind of programs that is installed, and the feature that builds them. Programs of the kind
/// `test` run in the build folder.
const INSTALLED: &str = "benchmark";

impl Context<'_> {
    /// Returns the steps that install the benchmark programs. Returns none if the package does not
    /// offer the feature `benchmark` or lists no such program, or if the distribution's habit is
    /// another one than `InstalledByHand`.
    pub(crate) fn programs(&self) -> Vec<Step> {
        let habit = self.plan.distro.habits.as_ref().and_then(|h| h.programs);
        let package = &self.p.package;
        let offered = package
            .features
            .get(INSTALLED)
            .is_some_and(|f| f.fixed.is_none());
        let Some(kind) = package
            .programs
            .get(INSTALLED)
            .filter(|k| offered && !k.files.is_empty())
        else {
            return Vec::new();
        };
        if habit != Some(ProgramHabit::InstalledByHand) || self.projects.is_empty() {
            return Vec::new();
        }
        let build = Piece::Reference("build".to_owned());
        // A pattern is expanded in the folder of the programs. A name is written with its folder.
        let pattern = |t: &Text| t.as_literal().filter(|t| t.contains(['*', '?', '[']));
        let inside = kind.files.iter().any(|f| pattern(f).is_some());
        let below = |folder: &Text| {
            let slash = Piece::Literal("/".to_owned());
            [&[build.clone(), slash], folder.pieces.as_slice()].concat()
        };
        let enter = match &kind.folder {
            Some(folder) if inside => Text::joined(&below(folder)),
            _ => Text::joined(&[build]),
        };
        let mut words = vec![Text::literal("dobin")];
        words.extend(kind.files.iter().map(|f| {
            match (pattern(f), &kind.folder) {
                (Some(p), _) => Text::joined(&[Piece::Reference(format!("glob:{p}"))]),
                (None, Some(folder)) if !inside => Text::joined(
                    &[
                        folder.pieces.as_slice(),
                        &[Piece::Literal("/".to_owned())],
                        f.pieces.as_slice(),
                    ]
                    .concat(),
                ),
                (None, _) => f.clone(),
            }
        }));
        let steps = vec![
            Step::new(Action::Enter(enter)),
            Step::new(Action::Run(words)),
        ];
        let mut when = When {
            cond: Cond::Feature(INSTALLED.to_owned()),
            span: Span::default(),
        };
        // The programs exist only under the condition of their project.
        if let Some(built) = self
            .projects
            .first()
            .and_then(|(_, project)| project.when.clone())
            && built.cond != when.cond
        {
            when.cond = Cond::All(vec![built.cond, when.cond]);
        }
        vec![Step {
            when: Some(when),
            ..Step::new(Action::Group(steps))
        }]
    }

    /// Returns the steps of the phase `install`: those that the profile states (`written`), with
    /// the steps of `programs` behind each step `standard` that installs the first CMake project.
    /// If the profile states none, a single `standard` counts as stated. Without benchmark
    /// programs, `written` is returned unchanged.
    pub(crate) fn with_programs(&self, written: Option<Vec<Step>>) -> Option<Vec<Step>> {
        let programs = self.programs();
        if programs.is_empty() {
            return written;
        }
        let first = self.projects.keys().next().map_or("", String::as_str);
        Some(behind(
            &written.unwrap_or_else(|| vec![Step::standard()]),
            first,
            &programs,
        ))
    }
}

/// Returns `steps` with the steps `others` behind each step `standard` that installs the CMake
/// project `project`.
fn behind(steps: &[Step], project: &str, others: &[Step]) -> Vec<Step> {
    let mut out = Vec::new();
    for step in steps {
        let mut step = step.clone();
        let inner = |steps: &mut Vec<Step>| *steps = behind(steps, project, others);
        let mut here = false;
        match &mut step.action {
            Action::Standard(name) => here = name.value == "all" || name.value == project,
            Action::Group(steps) => inner(steps),
            Action::Inside(i) => inner(&mut i.steps),
            Action::Each(e) => inner(&mut e.steps),
            _ => {}
        }
        // The other steps are under the same condition.
        if here && step.when.is_some() {
            let when = step.when.take();
            let group = std::iter::once(step)
                .chain(others.iter().cloned())
                .collect();
            out.push(Step {
                when,
                ..Step::new(Action::Group(group))
            });
            continue;
        }
        out.push(step);
        if here {
            out.extend(others.iter().cloned());
        }
    }
    out
}
