//! The points in which distributions with bash-like recipes differ.

use crate::operation::{Native, Place, Tool};
use crate::outside::check_outside;
use crate::targets::{Passed, Targets};
use crate::word::word;
use rocpkg_model::{Finding, Findings, FlagEdit, Replace, Span, Spanned, Text, When};
use rocpkg_render::bash::{Command, Scope, Stmt, Test, Word};
use rocpkg_resolve::Planned;
use std::collections::BTreeSet;

/// The order of words in a sed command that edits files in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InPlace {
    /// `sed -i SCRIPT FILES`.
    First,
    /// `sed -e SCRIPT -i FILES`.
    Last,
}

/// Settings that are the same in every recipe of a distribution.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// The noun for a recipe in messages, such as `an ebuild`.
    pub recipe: &'static str,
    /// The command that is called when another command fails, such as `die`. It is `None` if the
    /// shell stops by itself.
    pub failure: Option<&'static str>,
    /// The characters that may separate the sides of a sed replacement, the preferred one first.
    pub separators: &'static [char],
    /// The order of words in sed commands.
    pub in_place: InPlace,
    /// Set if blocks and steps with a comment are separated from others by empty lines.
    pub paragraphs: bool,
    /// The largest number of elements that an array has on one line. A longer array has one element
    /// on each line.
    pub short_array: usize,
    /// Set if the variable of a loop is declared as local to the function.
    pub local_loops: bool,
    /// Set if the output of `pushd` and `popd`, which is the stack of folders, is discarded.
    pub silent_folders: bool,
    /// The reference to the folder where a phase begins. It is set if the paths of standard steps
    /// are relative to that folder.
    pub begin: Option<&'static str>,
    /// The variable that contains the folder that becomes the package.
    pub image: &'static str,
}

/// The result of lowering a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The condition is decided while the recipe is rendered.
    Known(bool),
    /// The recipe tests the condition when it is run.
    Tested(Test),
}

/// A distribution's dialect of bash: its references, its conditions, and the steps for which it has
/// commands of its own.
pub trait Dialect {
    /// Returns the settings that are the same in every recipe.
    fn habits(&self) -> &'static Habits;

    /// Returns the package whose recipe is rendered.
    fn planned(&self) -> &Planned;

    /// Returns the findings so far.
    fn findings(&mut self) -> &mut Findings;

    /// Returns the list of GPU targets, or `None` if no list is passed on.
    fn targets(&self) -> Option<Targets>;

    /// Returns the GPU targets that were given to upstream's build so far.
    fn passed(&mut self) -> &mut Vec<Passed>;

    /// Adds a finding.
    fn report(&mut self, finding: Finding) {
        self.findings().push(finding);
    }

    /// Returns the word for `${name}`. An unknown name is reported, and its word is empty.
    fn reference(&mut self, name: &str, text: &Text) -> Word;

    /// Returns the package's own variables: those that its steps declare, and those of its
    /// environment. Their values may be any text.
    fn own(&self) -> &BTreeSet<String>;

    /// Returns the statements for a step that the distribution lowers in its own way, or `None` if
    /// a recipe can't express the step.
    fn native(&mut self, native: &Native<'_>) -> Option<Vec<Stmt>>;

    /// Returns the finding about a step that a recipe can't express.
    fn no_form(&self, span: Span) -> Finding {
        Finding::error(
            "E0307",
            span,
            format!("this step has no form in {}", self.habits().recipe),
        )
    }

    /// Lowers a condition. A recipe without switches tests nothing, so its conditions are decided
    /// here.
    fn condition(&mut self, when: &When) -> Condition {
        Condition::Known(self.planned().settles(Some(when)))
    }

    /// Returns a word that is `yes` if the condition holds and `no` if not.
    fn choose(&mut self, when: &When, yes: Word, no: Word) -> Word {
        if self.planned().settles(Some(when)) {
            yes
        } else {
            no
        }
    }

    /// Returns the words of a tool.
    fn tool(&self, tool: Tool) -> &'static [&'static str] {
        tool.usual()
    }

    /// Returns true if a failure of the program stops the build without further code.
    fn dies(&self, _program: &str) -> bool {
        false
    }

    /// Returns true if a value comes from a command whose failure would not be noticed.
    fn may_fail(&self, _value: &Word) -> bool {
        false
    }

    /// Returns statements that replace texts in the same files in the distribution's own way.
    /// Returns `None` if sed is to be used.
    fn replace(&mut self, _all: &[&Replace]) -> Option<Vec<Stmt>> {
        None
    }

    /// Returns the word for shell text.
    fn raw(&mut self, text: &Text) -> Word {
        self.word(text, Place::One)
    }

    /// Chooses the layout of a command of a profile.
    fn laid_out(&self, command: Command) -> Command {
        command
    }

    /// Checks the statements of a step at a place. The steps inside it are checked separately.
    fn check(&mut self, stmts: &[Stmt], span: Span) {
        let image = self.habits().image;
        check_outside(stmts, span, image, self.findings());
    }

    /// Checks the variable of a loop.
    fn check_loop(&mut self, _variable: &Spanned<String>) {}

    /// Returns the scope in which a step's own variables are declared. A script that is not a
    /// function has no local variables.
    fn own_variables(&self) -> Scope {
        Scope::Local
    }

    /// Returns the statement that sets a variable of the environment inside the function only.
    fn local_environment(&mut self, name: &str, value: Word) -> Stmt {
        Stmt::assign(self.own_variables(), name, value)
    }

    /// Returns the statements of an edit of compiler flags.
    fn flag_edit(&mut self, edit: &FlagEdit) -> Vec<Stmt>;

    /// Returns the word for a text.
    fn word(&mut self, text: &Text, place: Place) -> Word {
        word(text, place, &mut |name| self.reference(name, text))
    }
}

/// Makes a command of these words. The dialect's failure command is added, unless the program stops
/// the build by itself.
pub fn call<D: Dialect>(d: &D, words: Vec<Word>) -> Stmt {
    Stmt::Command(failing(d, Command::new(words)))
}

/// Adds the dialect's failure command, unless the command's program stops the build by itself. A
/// command with a redirection always gets it, because the redirection can fail.
pub fn failing<D: Dialect>(d: &D, mut command: Command) -> Command {
    let dies = command
        .words
        .first()
        .and_then(Word::as_literal)
        .is_some_and(|w| d.dies(w));
    if let Some(word) = d
        .habits()
        .failure
        .filter(|_| !dies || command.output.is_some())
    {
        command.or = Some(vec![Word::lit(word)]);
    }
    command
}

/// Puts statements under a condition, with a comment above them. Returns nothing if the condition
/// is known not to hold.
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
