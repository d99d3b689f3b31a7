//! The dialect of bash in a hook such as `postInstall`, for `rocpkg-shell`. The hook is a string of
//! Nix. Nix fills in values, and decides every condition by `lib.optionalString`.

use crate::lower::Lower;
use crate::value::expr::{NixExpr, Operator, Part};
use rocpkg_model::{
    Action, ConfigFile, Finding, FlagEdit, Licence, Piece, Replace, Span, Step, Text, When,
};
use rocpkg_render::bash::{Command, Layout, Quoting, Scope, Stmt, Style, Test, Word, print, run};
use rocpkg_shell::{Condition, Dialect, Habits, InPlace, Inputs, Native, Outputs, Passed, Place};
use std::collections::BTreeSet;

/// A command longer than this many columns is broken into several lines.
const WIDTH: usize = 100;

/// The character around a placeholder for a value of Nix: `\0` `3` `\0` for the fourth value. Texts
/// of profiles can't contain this character.
const MARK: char = '\0';

/// The rules of bash in a hook, for `rocpkg-shell`.
static HABITS: Habits = Habits {
    recipe: "a Nix hook",
    failure: None,
    separators: &['/'],
    in_place: InPlace::First,
    paragraphs: false,
    short_array: usize::MAX,
    local_loops: false,
    silent_folders: false,
    begin: None,
    image: "out",
};

const STYLE: Style = Style {
    indent: "  ",
    indent_width: 2,
    width: usize::MAX,
    quoting: Quoting::Least,
    padded_arrays: false,
};

/// The state while one hook is lowered.
struct InHook<'l, 'a> {
    lower: &'l mut Lower<'a>,
    /// The names of the variables that the package's steps declare.
    own: BTreeSet<String>,
    /// The values that Nix fills in, by the number in their placeholders.
    values: Vec<NixExpr>,
    /// Set while references in raw text are lowered. They are not quoted, because the author of raw
    /// text is responsible for quoting.
    is_raw: bool,
    passed: Vec<Passed>,
}

/// A statement, with the condition under which the hook contains it.
type Conditional = (Option<NixExpr>, Stmt);

impl Lower<'_> {
    /// Returns the expression for a hook with these steps, or `None` if the hook would be empty.
    pub(crate) fn hook(&mut self, steps: &[Step]) -> Option<NixExpr> {
        let own = rocpkg_shell::declared(self.package.phases.values());
        let mut hook = InHook {
            lower: self,
            own,
            values: Vec::new(),
            is_raw: false,
            passed: Vec::new(),
        };
        let stmts = match steps {
            // With an empty text, stdenv would run its default phase.
            [
                Step {
                    action: Action::Group(inner),
                    when,
                    ..
                },
            ] if inner.is_empty() => {
                rocpkg_shell::conditional(&mut hook, when.as_ref(), None, vec![run(":", [])])
            }
            _ => rocpkg_shell::lower(&mut hook, steps),
        };
        let mut all = Vec::new();
        hook.flatten(stmts, None, &mut all);
        // A comment gets the condition of the statement that it explains.
        for i in (1..all.len()).rev() {
            if matches!(all[i - 1].1, Stmt::Comment(_)) {
                let condition = all[i].0.clone();
                all[i - 1].0 = condition;
            }
        }
        let mut texts = Vec::new();
        for group in all.chunk_by(|a, b| a.0 == b.0) {
            let text = hook.text(in_paragraphs(group.iter().map(|(_, stmt)| stmt)));
            texts.push(NixExpr::given(group[0].0.clone(), NixExpr::Lines(text)));
        }
        NixExpr::join(Operator::Plus, texts)
    }
}

impl InHook<'_, '_> {
    /// Adds a value to `values`, and returns the placeholder that stands for the value in a text.
    fn put(&mut self, value: NixExpr) -> String {
        self.values.push(value);
        format!("{MARK}{}{MARK}", self.values.len() - 1)
    }

    /// Returns the parts of a string: the text `text` with its placeholders replaced by their
    /// values.
    fn filled(&self, text: &str) -> Vec<Part> {
        let pieces = text
            .split(MARK)
            .enumerate()
            .filter(|(_, piece)| !piece.is_empty());
        let value = |i: usize, piece: &str| {
            let number: usize = piece.parse().ok().filter(|_| i % 2 == 1)?;
            self.values.get(number).cloned().map(Part::Value)
        };
        pieces
            .map(|(i, piece)| value(i, piece).unwrap_or_else(|| Part::Text(piece.to_owned())))
            .collect()
    }

    /// Returns the approximate number of columns of a text, with its placeholders replaced by the
    /// expressions for their values.
    fn columns(&self, text: &str) -> usize {
        let width = |part: &Part| match part {
            Part::Text(text) => text.chars().count(),
            Part::Value(value) => value.to_string().chars().count() + 3,
        };
        self.filled(text).iter().map(width).sum()
    }

    /// Returns a word of bash that is filled in by Nix. The value is put into `lib.escapeShellArg`
    /// if it may contain special characters.
    fn value(&mut self, value: NixExpr) -> Word {
        if self.is_raw || self.lower.is_plain(&value) {
            return Word::foreign(self.put(value));
        }
        Word::pattern(self.put(escaped(value)))
    }

    /// Returns the condition whose placeholder a test contains.
    fn tested(&self, test: &Test) -> Option<NixExpr> {
        let Test::Command(words) = test else {
            return None;
        };
        let mut parts = self
            .filled(&words.first()?.print(Quoting::Least))
            .into_iter();
        parts.find_map(|part| {
            if let Part::Value(value) = part {
                Some(value)
            } else {
                None
            }
        })
    }

    /// Adds the statements to `out`, each with its condition. `outer` is the condition around them.
    /// A conditional is replaced by the statements inside it.
    fn flatten(&self, stmts: Vec<Stmt>, outer: Option<&NixExpr>, out: &mut Vec<Conditional>) {
        for stmt in stmts {
            let Stmt::If { branches, .. } = stmt else {
                out.push((outer.cloned(), stmt));
                continue;
            };
            for (test, body) in branches {
                let both = outer.cloned().into_iter().chain(self.tested(&test));
                self.flatten(body, NixExpr::join(Operator::And, both).as_ref(), out);
            }
        }
    }

    /// Returns the printed statements as parts of a string.
    fn text(&mut self, stmts: Vec<Stmt>) -> Vec<Part> {
        let stmts = self.decided(stmts);
        self.filled(&print(&stmts, &STYLE))
    }

    /// Returns the statements with each conditional replaced by a placeholder for
    /// `lib.optionalString CONDITION ''…''`.
    fn decided(&mut self, stmts: Vec<Stmt>) -> Vec<Stmt> {
        let mut out: Vec<Stmt> = Vec::new();
        for stmt in stmts {
            match stmt {
                Stmt::If { branches, .. } => {
                    for (test, mut body) in branches {
                        let comment = out.pop_if(|last| matches!(last, Stmt::Comment(_)));
                        body.splice(0..0, comment);
                        let text = NixExpr::Lines(self.text(body));
                        let text = NixExpr::given(self.tested(&test), text);
                        out.push(Stmt::Raw(Word::foreign(self.put(text))));
                    }
                }
                Stmt::For { name, items, body } => {
                    out.push(Stmt::For {
                        name,
                        items,
                        body: self.decided(body),
                    });
                }
                stmt => out.push(stmt),
            }
        }
        out
    }

    /// Returns the word for a text. The word is quoted even if bash needs no quotes.
    fn quoted(&mut self, text: &Text) -> Word {
        text.pieces
            .iter()
            .fold(Word::quoted(""), |word, piece| match piece {
                Piece::Literal(literal) => word.then(Word::quoted(literal)),
                Piece::Reference(_) => word.then(self.word(&Text::joined([piece]), Place::One)),
            })
    }

    /// Returns the statement that installs a file with these lines, through a pipe:
    /// `printf '%s\n' … | install …`. Each line is in single quotes, so references to outputs are
    /// filled in by Nix instead of bash.
    fn config_file(&mut self, c: &ConfigFile) -> Stmt {
        let mut words = ["printf", "%s\\n"].map(Word::lit).to_vec();
        for line in &c.lines {
            let text: String = line
                .pieces
                .iter()
                .map(|piece| self.single_quoted(piece, line.span))
                .collect();
            words.push(Word::pattern(format!("'{text}'")));
        }
        words.push(
            Word::pattern("| install -Dm644 /dev/stdin ")
                .then(rocpkg_shell::installed(self, &c.path)),
        );
        let layout = if c.lines.len() > 1 {
            Layout::PerWord(2)
        } else {
            Layout::Wrap
        };
        Stmt::Command(Command {
            layout,
            ..Command::new(words)
        })
    }

    /// Returns a piece of a text, escaped for a place between single quotes.
    fn single_quoted(&mut self, piece: &Piece, span: Span) -> String {
        match piece {
            Piece::Literal(literal) => literal.replace('\'', "'\\''"),
            Piece::Reference(name) => {
                let value = self.lower.reference(name, span);
                if self.lower.is_plain(&value) {
                    return self.put(value);
                }
                format!("'{}'", self.put(escaped(value)))
            }
        }
    }

    fn licence(&mut self, l: &Licence) -> Stmt {
        let folder = Word::path("out").literal(format!("/share/licenses/{}", self.lower.attribute));
        let file = self.word(&l.file, Place::One);
        let to = match &l.name {
            Some(name) => vec![folder.literal("/").then(self.word(name, Place::One))],
            None => vec![Word::lit("-t"), folder],
        };
        run("install", [Word::lit("-Dm644"), file].into_iter().chain(to))
    }
}

impl Dialect for InHook<'_, '_> {
    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            habits: &HABITS,
            plan: self.lower.plan,
            planned: self.lower.planned,
            own: &self.own,
        }
    }

    fn outputs(&mut self) -> Outputs<'_> {
        Outputs {
            findings: self.lower.findings,
            passed: &mut self.passed,
        }
    }

    fn reference(&mut self, name: &str, text: &Text) -> Word {
        if self.own.contains(name) {
            return Word::var(name);
        }
        // A Nix text that `split:NAME` refers to may contain several words, such as arguments of a
        // wrapper. Its author is responsible for quoting.
        if let Some(own) = name
            .strip_prefix("split:")
            .filter(|own| self.lower.own.contains_key(*own))
        {
            let words = self.lower.name(own, text.span);
            return Word::pattern(self.put(words));
        }
        if let Some(set) = name.strip_prefix("lib.attrValues:") {
            let values = NixExpr::call("lib.attrValues", [self.lower.name(set, text.span)]);
            return Word::pattern(self.put(NixExpr::call("toString", [values])));
        }
        match name {
            "prefix" => Word::path("out"),
            "jobs" => Word::path("NIX_BUILD_CORES"),
            "source" => Word::var("NIX_BUILD_TOP")
                .literal("/")
                .variable("sourceRoot"),
            "build" => Word::lit("."),
            "*" => Word::pattern("*"),
            _ if name == "NIX_STORE" || self.lower.is_output(name) => Word::path(name),
            _ => name
                .strip_prefix("env:")
                .and_then(rocpkg_shell::inherited)
                .unwrap_or_else(|| {
                    let value = self.lower.reference(name, text.span);
                    self.value(value)
                }),
        }
    }

    fn native(&mut self, native: &Native<'_>) -> Option<Vec<Stmt>> {
        Some(match native {
            Native::Patch(file) => {
                vec![run(
                    "patch",
                    [
                        Word::lit("-p1"),
                        Word::lit("-i"),
                        self.word(file, Place::One),
                    ],
                )]
            }
            Native::Licence(l) => vec![self.licence(l)],
            Native::ConfigFile(c) => vec![self.config_file(c)],
            Native::InstallFile(i) => rocpkg_shell::install_file(self, i),
            Native::Standard(_) | Native::CherryPick(_) | Native::Wheel(_) => return None,
        })
    }

    fn no_form(&self, span: Span) -> Finding {
        Finding::error("E0504", span, "a Nix hook can't express this step")
            .label("expected a step that a hook can run")
            .hint(
                "a phase of nixpkgs runs the standard step itself; fetch further files as a source",
            )
    }

    fn condition(&mut self, when: &When) -> Condition {
        let value = self.lower.cond(&when.cond);
        Condition::Tested(Test::Command(vec![Word::foreign(self.put(value))]))
    }

    fn replace(&mut self, all: &[&Replace]) -> Option<Vec<Stmt>> {
        let mut words = vec![Word::lit("substituteInPlace")];
        let files = all.iter().take(1).flat_map(|r| &r.files.0);
        words.extend(files.map(|file| self.word(file, Place::Files)));
        let layout = Layout::PerWord(words.len());
        for r in all {
            let option = if r.may_be_absent {
                "--replace-quiet"
            } else {
                "--replace-fail"
            };
            let (from, to) = (self.quoted(&r.from), self.quoted(&r.to));
            let [left, right] = [&from, &to].map(|word| self.columns(&word.print(Quoting::Least)));
            // Only two long texts are put on separate lines. An empty text stays on its line.
            let is_long = option.len() + 1 + left + right > WIDTH && right > WIDTH / 3;
            let from = on_one_line(Word::lit(option), from);
            words.extend(if is_long {
                vec![from, to]
            } else {
                vec![on_one_line(from, to)]
            });
        }
        Some(vec![Stmt::Command(Command {
            layout,
            ..Command::new(words)
        })])
    }

    fn raw(&mut self, text: &Text) -> Word {
        self.is_raw = true;
        let word = self.word(text, Place::One);
        self.is_raw = false;
        word
    }

    /// Returns a command with its layout. A long command has its options on the first line, and
    /// each further word on a line of its own.
    fn laid_out(&self, command: Command) -> Command {
        let words: Vec<String> = command
            .words
            .iter()
            .map(|word| word.print(Quoting::Least))
            .collect();
        let head = 1 + words
            .iter()
            .skip(1)
            .take_while(|word| word.starts_with('-'))
            .count();
        let is_long = words
            .iter()
            .map(|word| self.columns(word) + 1)
            .sum::<usize>()
            > WIDTH;
        Command {
            layout: if is_long {
                Layout::PerWord(head)
            } else {
                Layout::Wrap
            },
            ..command
        }
    }

    /// Checks nothing. Other distributions check here that paths are inside of the image
    /// (`$pkgdir`, `${ED}`). A phase of Nix has no image, and may write to another output.
    fn check(&mut self, _: &[Stmt], _: Span) {}

    fn own_variables(&self) -> Scope {
        Scope::Plain
    }

    /// Returns no statements, because flags are variables of the environment in a derivation.
    fn flag_edit(&mut self, _: &FlagEdit) -> Vec<Stmt> {
        Vec::new()
    }
}

/// Returns the statements with an empty line above each comment.
fn in_paragraphs<'s>(stmts: impl Iterator<Item = &'s Stmt>) -> Vec<Stmt> {
    let mut out: Vec<Stmt> = Vec::new();
    for stmt in stmts {
        let explains = match stmt {
            Stmt::Comment(_) => true,
            Stmt::Raw(text) => text
                .first_literal()
                .is_some_and(|text| text.starts_with('#')),
            _ => false,
        };
        if explains
            && out
                .last()
                .is_some_and(|last| !matches!(last, Stmt::Comment(_)))
        {
            out.push(Stmt::Blank);
        }
        out.push(stmt.clone());
    }
    out
}

/// Returns two words as one, with a blank between them, so that they stay on one line.
fn on_one_line(first: Word, second: Word) -> Word {
    first.then(Word::pattern(" ")).then(second)
}

/// Returns `lib.escapeShellArg value`, which the shell reads as one part of a word.
fn escaped(value: NixExpr) -> NixExpr {
    NixExpr::call("lib.escapeShellArg", [value])
}
