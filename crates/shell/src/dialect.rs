//! The differences between distributions whose recipes are bash or contain it: Gentoo, Arch, Solus.

use crate::operation::{Native, Place, Tool};
use crate::outside::check_outside;
use crate::targets::{Passed, Targets};
use crate::word::word;
use rocpkg_model::{Finding, Findings, FlagEdit, Replace, Span, Spanned, Text, When};
use rocpkg_render::bash::{Command, Scope, Stmt, Test, Word};
use rocpkg_resolve::{Plan, Planned};
use std::collections::BTreeSet;

/// The order of words in a sed command that edits files in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InPlace {
    /// `sed -i SCRIPT FILES`.
    First,
    /// `sed -e SCRIPT -i FILES`.
    Last,
}

/// Rules of style and of the packaging tool, which are the same in every recipe of a distribution.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// The noun for a recipe in messages, such as `an ebuild`.
    pub recipe: &'static str,
    /// The command that is called when another command fails, such as `die`: `mv a b || die`. It is
    /// `None` if the shell stops at a failure without such a call.
    pub failure: Option<&'static str>,
    /// The characters that may separate the two sides of a sed replacement, such as `/` in
    /// `s/a/b/`. The preferred character is the first.
    pub separators: &'static [char],
    /// The order of words in sed commands.
    pub in_place: InPlace,
    /// Set if empty lines separate some statements from others: conditionals, loops, standard
    /// steps, and steps with a comment.
    pub paragraphs: bool,
    /// The largest number of elements of an array that are written on one line. A longer array has
    /// each element on a line of its own.
    pub short_array: usize,
    /// Set if the variable of a loop is declared as local to the function.
    pub local_loops: bool,
    /// Set if the output of `pushd` and `popd`, which is the stack of folders, is discarded.
    pub silent_folders: bool,
    /// The name of the reference to the folder in which a phase begins, such as `checkout`. It is
    /// `None` if the paths of standard steps are not relative to that folder.
    pub begin: Option<&'static str>,
    /// The name of the variable for the folder whose content becomes the package, such as `pkgdir`.
    pub image: &'static str,
}

/// The result of lowering a condition of the model, such as `tests & !docs`.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The condition is decided while the recipe is rendered.
    Known(bool),
    /// The recipe tests the condition when it is run.
    Tested(Test),
}

/// The values that lowering reads, in any dialect.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'d> {
    /// The rules that are the same in every recipe.
    pub habits: &'static Habits,
    /// The plan that contains the package.
    pub plan: &'d Plan,
    /// The package whose recipe is rendered.
    pub planned: &'d Planned,
    /// The names of the package's own variables: those that its steps declare, and those of its
    /// environment. Their values may be any text.
    pub own: &'d BTreeSet<String>,
}

/// The lists to which lowering adds its results, beside statements.
#[derive(Debug)]
pub struct Outputs<'d> {
    /// The findings about faults.
    pub findings: &'d mut Findings,
    /// The records of the GPU targets that the recipe passes to upstream's build.
    pub passed: &'d mut Vec<Passed>,
}

/// A distribution's dialect of bash: its words for references `${…}`, its tests of conditions, and
/// the steps for which it has commands of its own.
pub trait Dialect {
    /// Returns the values that lowering reads.
    fn inputs(&self) -> Inputs<'_>;

    /// Returns the lists to which lowering adds findings and records.
    fn outputs(&mut self) -> Outputs<'_>;

    /// Returns the list of GPU targets that `${targets}` stands for, or `None` if the recipe passes
    /// no list to upstream's build.
    fn targets(&self) -> Option<Targets> {
        None
    }

    /// Adds a finding.
    fn report(&mut self, finding: Finding) {
        self.outputs().findings.push(finding);
    }

    /// Returns the word for the reference `${name}` in `text`. An unknown name is reported, and its
    /// word is empty.
    fn reference(&mut self, name: &str, text: &Text) -> Word;

    /// Returns the statements for a step that the distribution lowers in its own way, or `None` if
    /// its recipes can't express the step.
    fn native(&mut self, native: &Native<'_>) -> Option<Vec<Stmt>>;

    /// Returns the finding about a step that a recipe can't express. `span` is the step's place.
    fn no_form(&self, span: Span) -> Finding {
        Finding::error(
            "E0307",
            span,
            format!("{} can't express this step", self.inputs().habits.recipe),
        )
    }

    /// Lowers a condition. This default is for recipes without switches: the condition is decided
    /// now, with each feature at its default.
    fn condition(&mut self, when: &When) -> Condition {
        Condition::Known(self.inputs().planned.settles(Some(when)))
    }

    /// Returns a word whose value is `yes` if the condition holds, and `no` if not. A recipe that
    /// can't test conditions gets one of the two.
    fn choose(&mut self, when: &When, yes: Word, no: Word) -> Word {
        if self.inputs().planned.settles(Some(when)) {
            yes
        } else {
            no
        }
    }

    /// Returns the words that call a tool, such as `mkdir -p`.
    fn tool(&self, tool: Tool) -> &'static [&'static str] {
        tool.usual()
    }

    /// Returns true if a program stops the build when it fails, so that no `|| die` is needed.
    fn dies(&self, _program: &str) -> bool {
        false
    }

    /// Returns true if `value` contains the output of a command, such as `$(cat a)`, whose failure
    /// would not be noticed.
    fn may_fail(&self, _value: &Word) -> bool {
        false
    }

    /// Returns true if the recipe tests before each replacement that the text is there.
    fn guards(&self) -> bool {
        false
    }

    /// Returns statements of the distribution's own that make the replacements `all`, which are all
    /// in the same files. Returns `None` if sed is to be used.
    fn replace(&mut self, _all: &[&Replace]) -> Option<Vec<Stmt>> {
        None
    }

    /// Returns the word for the text of a raw step, which is shell.
    fn raw(&mut self, text: &Text) -> Word {
        self.word(text, Place::One)
    }

    /// Returns a command of the profile with the layout that the distribution uses, such as one
    /// word on each line.
    fn laid_out(&self, command: Command) -> Command {
        command
    }

    /// Checks the statements of the step at `span`. The statements of steps inside it are checked
    /// by calls of their own.
    fn check(&mut self, stmts: &[Stmt], span: Span) {
        let image = self.inputs().habits.image;
        check_outside(stmts, span, image, self.outputs().findings);
    }

    /// Checks the name of a loop's variable.
    fn check_loop(&mut self, _variable: &Spanned<String>) {}

    /// Returns the scope in which a step declares its own variables. It is not `Scope::Local` for a
    /// script that is no function, because `local` needs a function.
    fn own_variables(&self) -> Scope {
        Scope::Local
    }

    /// Returns the statement that sets a variable of the environment for the current function only.
    fn local_environment(&mut self, name: &str, value: Word) -> Stmt {
        Stmt::assign(self.own_variables(), name, value)
    }

    /// Returns the statements that edit compiler flags, such as `CXXFLAGS+=" -g"`.
    fn flag_edit(&mut self, edit: &FlagEdit) -> Vec<Stmt>;

    /// Returns the word for a text of the profile. `place` is the use of the word, which decides if
    /// `*` in it is a pattern.
    fn word(&mut self, text: &Text, place: Place) -> Word {
        word(text, place, &mut |name| self.reference(name, text))
    }
}

/// Makes a command of words. The dialect's failure command is added (`|| die`), unless the program
/// stops the build by itself.
pub fn call<D: Dialect>(d: &D, words: Vec<Word>) -> Stmt {
    Stmt::Command(failing(d, Command::new(words)))
}

/// Returns the command with the dialect's failure command added (`|| die`), unless its program
/// stops the build by itself. A command with a redirection always gets `|| die`, because the
/// redirection can fail too.
pub fn failing<D: Dialect>(d: &D, mut command: Command) -> Command {
    let dies = command
        .words
        .first()
        .and_then(Word::as_literal)
        .is_some_and(|w| d.dies(w));
    let failure = d.inputs().habits.failure;
    if let Some(word) = failure.filter(|_| !dies || command.output.is_some()) {
        command.or = Some(vec![Word::lit(word)]);
    }
    command
}

/// Returns the statements `body` under the condition `when`, with the comment above. A condition
/// that is already decided needs no `if`. If it does not hold, the result is empty.
pub fn conditional<D: Dialect>(
    d: &mut D,
    when: Option<&When>,
    comment: Option<&str>,
    body: Vec<Stmt>,
) -> Vec<Stmt> {
    let condition = when.map(|w| d.condition(w));
    if condition == Some(Condition::Known(false)) {
        return Vec::new();
    }
    let mut out: Vec<Stmt> = comment
        .map(|c| Stmt::Comment(c.to_owned()))
        .into_iter()
        .collect();
    match condition {
        Some(Condition::Tested(test)) => {
            out.push(Stmt::when(test, body));
        }
        _ => out.extend(body),
    }
    out
}
