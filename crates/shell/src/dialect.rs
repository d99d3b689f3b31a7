//! What a distribution answers where bash-like recipes differ.

use crate::operation::{Native, Place, Tool};
use crate::outside::check_outside;
use crate::targets::{Passed, Targets};
use crate::word::word;
use rocpkg_model::{Finding, Findings, FlagEdit, Replace, Span, Spanned, Text, When};
use rocpkg_render::bash::{Command, Scope, Stmt, Test, Word};
use rocpkg_resolve::Planned;
use std::collections::BTreeSet;

/// How sed edits files in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InPlace {
    /// `sed -i SCRIPT FILES`.
    First,
    /// `sed -e SCRIPT -i FILES`.
    Last,
}

/// Habits that are the same in every recipe of a distribution.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// What a recipe is called in messages, such as `an ebuild`.
    pub recipe: &'static str,
    /// What is called when a command fails, such as `die`; none where the shell stops by itself.
    pub failure: Option<&'static str>,
    /// Characters that part the sides of a replacement, the one that is liked best first.
    pub separators: &'static [char],
    /// How sed edits files.
    pub in_place: InPlace,
    /// Blocks and explained steps stand apart from others.
    pub paragraphs: bool,
    /// An array of more elements has one on each line.
    pub short_array: usize,
    /// The variable of a loop is declared as one of the function.
    pub local_loops: bool,
    /// `pushd` and `popd`, which print the stack of folders, are silenced.
    pub silent_folders: bool,
    /// The reference to where a phase begins, if what a standard step says of folders leads from
    /// there.
    pub begin: Option<&'static str>,
    /// The variable of the folder that becomes the package.
    pub image: &'static str,
}

/// What becomes of a condition.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// It is known while the recipe is written.
    Known(bool),
    /// The recipe tests it.
    Tested(Test),
}

/// A distribution's way with bash: its references, its conditions, and what it has commands of its
/// own for.
pub trait Dialect {
    /// What is the same in every recipe.
    fn habits(&self) -> &'static Habits;

    /// The package whose recipe is written.
    fn planned(&self) -> &Planned;

    /// What was found wrong so far.
    fn findings(&mut self) -> &mut Findings;

    /// The list of GPU targets; none where nothing is to be passed on.
    fn targets(&self) -> Option<Targets>;

    /// What upstream's build was given for GPU targets so far.
    fn passed(&mut self) -> &mut Vec<Passed>;

    /// Takes a finding.
    fn report(&mut self, finding: Finding) {
        self.findings().push(finding);
    }

    /// What `${name}` is as a part of a word. A name that means nothing is reported, and is an
    /// empty word.
    fn reference(&mut self, name: &str, text: &Text) -> Word;

    /// Variables of the package's own: those that its steps declare, and of its environment. Their
    /// values may be any text.
    fn own(&self) -> &BTreeSet<String>;

    /// What the distribution does in its own way; `None` when a recipe can't do it.
    fn native(&mut self, native: &Native<'_>) -> Option<Vec<Stmt>>;

    /// The finding about a step that a recipe can't do.
    fn no_form(&self, span: Span) -> Finding {
        Finding::error(
            "E0307",
            span,
            format!("this step has no form in {}", self.habits().recipe),
        )
    }

    /// What becomes of a condition. A recipe without switches has nothing to test.
    fn condition(&mut self, when: &When) -> Condition {
        Condition::Known(self.planned().settles(Some(when)))
    }

    /// One word when the condition holds, another when it does not.
    fn choose(&mut self, when: &When, yes: Word, no: Word) -> Word {
        if self.planned().settles(Some(when)) {
            yes
        } else {
            no
        }
    }

    /// The words of a tool.
    fn tool(&self, tool: Tool) -> &'static [&'static str] {
        tool.usual()
    }

    /// True for a program whose failure stops the build by itself.
    fn dies(&self, _program: &str) -> bool {
        false
    }

    /// True where a value comes of a command whose failure nobody would see.
    fn may_fail(&self, _value: &Word) -> bool {
        false
    }

    /// Texts replaced in the same files in a way of the distribution's own; sed does it where there
    /// is none.
    fn replace(&mut self, _all: &[&Replace]) -> Option<Vec<Stmt>> {
        None
    }

    /// Shell text.
    fn raw(&mut self, text: &Text) -> Word {
        self.word(text, Place::One)
    }

    /// A command of a profile, its words laid out.
    fn laid_out(&self, command: Command) -> Command {
        command
    }

    /// Checks what a step at a place became, the steps inside it apart.
    fn check(&mut self, stmts: &[Stmt], span: Span) {
        let image = self.habits().image;
        check_outside(stmts, span, image, self.findings());
    }

    /// Checks the variable of a loop.
    fn check_loop(&mut self, _variable: &Spanned<String>) {}

    /// How a step's own variables are declared; a script that is no function has none of its own.
    fn own_variables(&self) -> Scope {
        Scope::Local
    }

    /// A variable of the environment that is set inside the function only.
    fn local_environment(&mut self, name: &str, value: Word) -> Stmt {
        Stmt::assign(self.own_variables(), name, value)
    }

    /// An edit of compiler flags.
    fn flag_edit(&mut self, edit: &FlagEdit) -> Vec<Stmt>;

    /// The word that a text stands for.
    fn word(&mut self, text: &Text, place: Place) -> Word {
        word(text, place, &mut |name| self.reference(name, text))
    }
}

/// A command of these words, with the error word unless it stops the build by itself.
pub fn call<D: Dialect>(d: &D, words: Vec<Word>) -> Stmt {
    Stmt::Command(failing(d, Command::new(words)))
}

/// The command with the dialect's error word, unless its program stops the build by itself. A
/// redirection can fail whatever the program does.
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

/// Statements under a condition, with a comment above them; none when it is known not to hold.
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
