//! The conversion of a profile's steps to bash in an ebuild's functions: commands that die,
//! commands of eclasses, and tests of flags.

use crate::lower::context::Context;
use crate::lower::helpers::{is_helper, is_question};
use crate::lower::vocabulary::COMPILERS;
use rocpkg_model::{Cond, ConfigFile, Finding, FlagEdit, FromTo, Piece, Span, Spanned, Text, When};
use rocpkg_render::bash::{Command, Stmt, Word, run};
use rocpkg_shell::{
    Condition, Dialect, Habits, InPlace, Inputs, Native, Outputs, Place, Targets, Tool, failing,
};

/// Commands that run their arguments as a command.
const RUNNERS: &[&str] = &["edo", "edob", "nonfatal"];

/// The style of bash in an ebuild.
static HABITS: Habits = Habits {
    recipe: "an ebuild",
    failure: Some("die"),
    separators: &['/', ':', '|', ',', '#', '~'],
    in_place: InPlace::Last,
    paragraphs: true,
    short_array: 2,
    local_loops: true,
    silent_folders: true,
    begin: None,
    image: "ED",
};

/// A phase of a package while it is lowered to a function of bash.
pub(crate) struct InPhase<'c, 'a> {
    pub(crate) context: &'c mut Context<'a>,
    /// The name of the phase in the model. It is empty in functions that are no phases.
    pub(crate) phase: &'c str,
    /// Conditions with too many flags for an argument of CMake. Each has the variable of bash that
    /// holds its result, `ON` or `OFF`.
    pub(crate) answers: Vec<(Cond, String)>,
}

impl<'a> Context<'a> {
    /// Returns the converter of steps for a phase. `phase` is empty in functions that are no
    /// phases.
    pub(crate) fn in_phase<'c>(&'c mut self, phase: &'c str) -> InPhase<'c, 'a> {
        InPhase {
            context: self,
            phase,
            answers: Vec::new(),
        }
    }
}

impl Dialect for InPhase<'_, '_> {
    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            habits: &HABITS,
            plan: self.context.plan,
            planned: self.context.p,
            own: &self.context.declared,
        }
    }

    fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            findings: self.context.findings,
            passed: &mut self.context.passed,
        }
    }

    fn targets(&self) -> Option<Targets> {
        Some(self.context.targets())
    }

    fn reference(&mut self, name: &str, text: &Text) -> Word {
        self.context.meaning(name, text)
    }

    fn condition(&mut self, when: &When) -> Condition {
        Condition::Tested(self.context.test(&when.cond, when.span))
    }

    fn choose(&mut self, when: &When, yes: Word, no: Word) -> Word {
        let answer = self.answers.iter().find(|(cond, _)| *cond == when.cond);
        match answer.filter(|_| yes.as_literal() == Some("ON") && no.as_literal() == Some("OFF")) {
            Some((_, variable)) => Word::var(variable),
            None => self.context.usex(when, yes, no),
        }
    }

    fn tool(&self, tool: Tool) -> &'static [&'static str] {
        match tool {
            Tool::Copy => &["cp", "-a"],
            // A link below the image is relative.
            Tool::Link if self.phase == "install" => &["dosym", "-r"],
            other => other.usual(),
        }
    }

    fn dies(&self, program: &str) -> bool {
        let eclass = self.context.plan.distro.eclass.as_ref();
        is_helper(program)
            || self.context.is_own(program)
            || crate::lower::expand::is_of_eclass(eclass, program)
    }

    fn guards(&self) -> bool {
        self.context.plan.distro.guards
    }

    fn may_fail(&self, value: &Word) -> bool {
        let asks = |words: &[Word]| {
            words
                .first()
                .and_then(Word::as_literal)
                .is_some_and(is_question)
        };
        value.commands().any(|words| !asks(words))
    }

    fn native(&mut self, native: &Native<'_>) -> Option<Vec<Stmt>> {
        Some(match native {
            Native::Standard(project) => self.context.standard(self.phase, &project.value),
            Native::Patch(file) => {
                // A name without a folder is that of a file in `files`.
                let word = match file.pieces.as_slice() {
                    [Piece::Literal(name)] if !name.contains('/') => {
                        self.context.file_word("FILESDIR", name)
                    }
                    _ => self.word(file, Place::One),
                };
                vec![run("eapply", vec![word])]
            }
            Native::ConfigFile(file) => self.config_file(file),
            Native::InstallFile(i) => self.install_file(i),
            // Gentoo keeps licences in its repository and installs none.
            Native::Licence(_) => Vec::new(),
            Native::CherryPick(_) | Native::Wheel(_) => return None,
        })
    }

    /// Checks the statements of a step. Phases after the installation work on the system, not on
    /// the image, so they may use paths outside the image.
    fn check(&mut self, stmts: &[Stmt], span: Span) {
        if !matches!(self.phase, "preinst" | "postinst" | "prerm" | "postrm") {
            rocpkg_shell::check_outside(stmts, span, HABITS.image, self.context.findings);
        }
        for command in stmts.iter().filter_map(|s| {
            if let Stmt::Command(c) = s {
                Some(c)
            } else {
                None
            }
        }) {
            if let [dosym, relative, from, to] = command.words.as_slice()
                && dosym.as_literal() == Some("dosym")
                && relative.as_literal() == Some("-r")
            {
                self.check_link(from, to, span);
            }
            let program = command
                .words
                .iter()
                .find(|w| !w.as_literal().is_some_and(|w| RUNNERS.contains(&w)));
            let called = program
                .and_then(Word::as_command)
                .and_then(|c| c.first()?.as_literal());
            if let Some(compiler) = called.filter(|c| COMPILERS.contains(c)) {
                self.context.findings.push(
                    Finding::error(
                        "E0330",
                        span,
                        format!("`$({compiler})` is called as one word"),
                    )
                    .label("a compiler may be several words, such as `ccache g++`")
                    .hint(format!("write ${{split:{compiler}}}")),
                );
            }
        }
    }

    fn check_loop(&mut self, variable: &Spanned<String>) {
        crate::value::variable_names::check_loop(variable, self.context.findings);
    }

    fn local_environment(&mut self, name: &str, value: Word) -> Stmt {
        local_exported(name, value)
    }

    fn flag_edit(&mut self, edit: &FlagEdit) -> Vec<Stmt> {
        crate::lower::flag_edits::by_eclass(self, edit)
    }
}

impl InPhase<'_, '_> {
    /// Checks the arguments `from` and `to` of a call of `dosym -r`. The command makes the absolute
    /// path `from` relative, and creates the link `to` below the image (PMS 12.3.9).
    fn check_link(&mut self, from: &Word, to: &Word, span: Span) {
        if to.variables().any(|name| matches!(name, "ED" | "D")) {
            self.context.error(
                "E0307",
                span,
                "dosym creates links below the image: expected a path that begins with `/`",
            );
        }
        let text = from.as_literal();
        if text.is_some_and(|path| !path.starts_with('/')) {
            self.context.error(
                "E0307",
                span,
                "dosym -r makes the path relative itself: expected an absolute path",
            );
        }
    }

    fn config_file(&mut self, file: &ConfigFile) -> Vec<Stmt> {
        let mut words = vec![Word::lit("printf"), Word::lit("%s\\n")];
        words.extend(file.lines.iter().map(|l| self.word(l, Place::One)));
        let made = Text::joined(&[
            Piece::Reference("T".into()),
            Piece::Literal("/rocpkg.conf".into()),
        ]);
        let output = Some(self.word(&made, Place::One));
        let print = Stmt::Command(failing(
            self,
            Command {
                output,
                ..Command::new(words)
            },
        ));
        let install = FromTo::new([made], file.path.clone());
        [vec![print], self.install_file(&install)].concat()
    }

    /// Installs a file with `insinto` and `doins`, or with `newins` under another name. These
    /// commands add `ED` themselves. A path without `/` at its start is relative to the current
    /// folder.
    fn install_file(&mut self, i: &FromTo) -> Vec<Stmt> {
        let path = self.word(&i.to, Place::One);
        let Some(text) = path.as_literal() else {
            self.context.error(
                "E0307",
                i.to.span,
                "an ebuild can only install files to literal paths",
            );
            return Vec::new();
        };
        if !text.starts_with('/') {
            return rocpkg_shell::install_file(self, i);
        }
        let from: Vec<Word> = i
            .from
            .0
            .iter()
            .map(|t| self.word(t, Place::Files))
            .collect();
        let (folder, name) = text.rsplit_once('/').unwrap_or_default();
        let into = run(
            "insinto",
            vec![Word::lit(if folder.is_empty() { "/" } else { folder })],
        );
        match (name, from.as_slice()) {
            (name, [one]) if !name.is_empty() => {
                vec![into, run("newins", vec![one.clone(), Word::lit(name)])]
            }
            // Several files are installed to a folder; the reader of the step checks this.
            _ => vec![into, run("doins", from)],
        }
    }
}

/// Returns `local -x NAME=value`, which the commands of the function see as an environment
/// variable.
pub(crate) fn local_exported(name: &str, value: Word) -> Stmt {
    run(
        "local",
        vec![Word::lit("-x"), Word::lit(format!("{name}=")).then(value)],
    )
}

/// Returns an external command with its arguments and `|| die`.
pub(crate) fn die(name: &str, words: Vec<Word>) -> Stmt {
    let mut all = vec![Word::lit(name)];
    all.extend(words);
    Stmt::Command(Command::new(all).or_die())
}
