//! Benchmarks that upstream builds and does not install: they are taken from the build tree.

use crate::context::Context;
use rocpkg_model::{Action, Cond, Piece, ProgramHabit, Span, Step, Text, When};

/// The kind of programs that is installed; tests are run where they were built.
const INSTALLED: &str = "benchmark";

impl Context<'_> {
    /// The steps that install programs by hand; none where the feature is not offered.
    pub(crate) fn programs(&self) -> Vec<Step> {
        let habit = self.plan.distro.habits.as_ref().and_then(|h| h.programs);
        let package = &self.p.package;
        let offered = package.features.get(INSTALLED).is_some_and(|f| f.fixed.is_none());
        let Some(kind) = package.programs.get(INSTALLED).filter(|k| offered && !k.files.is_empty()) else {
            return Vec::new();
        };
        if habit != Some(ProgramHabit::InstalledByHand) {
            return Vec::new();
        }
        let build = Piece::Reference("build".to_owned());
        // A pattern is read where the programs are; a name is given with its folder.
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
        words.extend(kind.files.iter().map(|f| match (pattern(f), &kind.folder) {
            (Some(p), _) => Text::joined(&[Piece::Reference(format!("glob:{p}"))]),
            (None, Some(folder)) if !inside => Text::joined(
                &[folder.pieces.as_slice(), &[Piece::Literal("/".to_owned())], f.pieces.as_slice()].concat(),
            ),
            (None, _) => f.clone(),
        }));
        let steps = vec![Step::new(Action::Enter(enter)), Step::new(Action::Run(words))];
        let when = When { cond: Cond::Feature(INSTALLED.to_owned()), span: Span::default() };
        vec![Step { when: Some(when), ..Step::new(Action::Group(steps)) }]
    }

    /// The steps of the installation with the programs behind each `standard`.
    pub(crate) fn with_programs(&self, written: Option<Vec<Step>>) -> Option<Vec<Step>> {
        let programs = self.programs();
        if programs.is_empty() {
            return written;
        }
        let mut out = Vec::new();
        for step in written.unwrap_or_else(|| vec![Step::standard()]) {
            let here = matches!(step.action, Action::Standard(_));
            out.push(step);
            if here {
                out.extend(programs.iter().cloned());
            }
        }
        Some(out)
    }
}
