//! Typed steps of a phase. Frequent operations have actions of their own. Everything else is a
//! `raw` step, and raw steps are counted.

use crate::cond::When;
use crate::decode::{
    Decode, OneOrMany, OneOrMore, Spanned, field, record, unknown_keys, wrong_type,
};
use crate::describe::{Book, Declared, Record, Shape, Word};
use crate::finding::{Finding, Findings};
use crate::node::{Node, Value};
use crate::source::Span;
use crate::text::Text;
use crate::{command, step_paths};
use indexmap::IndexMap;

/// Declares the actions of steps. Each line states the type in the variant of [`Action`], the key
/// in YAML, the type that is read under the key, and the description.
macro_rules! actions {
    ($($(#[doc = $doc:literal])* $variant:ident($holds:ty) = $key:literal: $read:ty,)*) => {
        /// The action of a step.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Action { $($(#[doc = $doc])* $variant($holds),)* }

        /// The keys of all actions in YAML, for messages.
        pub const ACTIONS: &[&str] = &[$($key,)*];

        const RECORD: Record = Record {
            name: "Step",
            doc: "A step of a phase: a mapping with exactly one action beside `id`, `when` and `comment`.",
            fields: &[
                $(Declared::optional::<$read>($key, concat!($($doc),*).trim_ascii()),)*
                Declared::optional::<Name>("id", "Its name, by which a later layer changes or removes it."),
                Declared::optional::<When>("when", "Only under this condition."),
                Declared::optional::<String>(
                    "checked",
                    "The releases that it is known to fit, instead of the one at which its folder was read.",
                ),
                Declared::optional::<String>("comment", "Why; becomes a comment."),
            ],
            words: &[
                Word { word: "standard", doc: "The standard step of this phase for all CMake projects." },
                Word { word: NO_STANDARD, doc: "The other steps of this phase are all there is." },
            ],
            forms: &[],
        };

        impl Action {
            /// Reads the action with this key from its value. Returns `None` for any other key, or
            /// if `value` has a fault.
            fn decode(key: &str, value: &Node, f: &mut Findings) -> Option<Self> {
                match key {
                    $($key => <$read>::decode(value, f).map(|read| Self::$variant(read.into())),)*
                    _ => None,
                }
            }
        }
    };
}

type Name = Spanned<String>;

/// The step that prevents a distribution's habits from adding the standard step to a phase. The
/// step itself does nothing.
pub const NO_STANDARD: &str = "no-standard";

actions! {
    /// Runs the standard step of this phase (such as `cmake --build`) for the CMake project with
    /// this name, or for `all` projects.
    Standard(Name) = "standard": Name,
    /// Runs a command: a list of words, or one text that is split at spaces. The recipe quotes each
    /// word, so the shell expands no patterns.
    Run(Vec<Text>) = "run": RunWords,
    /// Runs a command with environment variables, a file for its output, or both.
    RunWith(RunWith) = "run-with": RunWith,
    /// Replaces literal text in files.
    Replace(Replace) = "replace": Replace,
    /// Runs a sed script over files.
    Sed(Sed) = "sed": Sed,
    /// Applies the patch with this path.
    Patch(Text) = "patch": Text,
    /// Applies commits of the main source's repository (`git cherry-pick`), by their hashes.
    CherryPick(Vec<Name>) = "cherry-pick": Vec<Name>,
    /// In the phase `build`: builds a Python wheel from the project in this folder. In the phase
    /// `install`: installs the wheel that was built in this folder.
    Wheel(Text) = "wheel": Text,
    /// Installs a licence file of the source.
    Licence(Licence) = "licence": Licence,
    /// Moves files or folders.
    Move(FromTo) = "move": FromTo,
    /// Copies files with their modes, and folders with all their contents.
    Copy(FromTo) = "copy": FromTo,
    /// Installs files with mode 644. A destination such as `/etc/x` is relative to the folder that
    /// the package is installed to. A destination that ends in `/` is a folder.
    InstallFile(FromTo) = "install-file": FromTo,
    /// Creates a symbolic link at `to`, or several links in the folder `to`. They lead to `from`.
    Symlink(FromTo) = "symlink": FromTo,
    /// Removes files and folders. They must exist, except for paths that end in `/`. Patterns such
    /// as `*.a` are allowed.
    Remove(Vec<Text>) = "remove": OneOrMore<Text>,
    /// Creates folders.
    MakeFolder(Vec<Text>) = "make-folder": OneOrMore<Text>,
    /// Writes a file with these lines. A path such as `/etc/x` is relative to the folder that the
    /// package is installed to.
    ConfigFile(ConfigFile) = "config-file": ConfigFile,
    /// Changes to a folder for the rest of the phase.
    Enter(Text) = "enter": Text,
    /// Runs steps inside a folder, and leaves the folder afterwards.
    Inside(Inside) = "inside": Inside,
    /// Sets environment variables and exports them, by name.
    Export(IndexMap<String, Text>) = "export": IndexMap<String, Text>,
    /// Sets local variables of the phase function, by name. A list becomes an array.
    Local(IndexMap<String, OneOrMany<Text>>) = "local": IndexMap<String, OneOrMany<Text>>,
    /// Runs steps in a loop over items.
    Each(Each) = "each": Each,
    /// Runs several steps under the condition `when` of this step.
    Group(Vec<Step>) = "group": Vec<Step>,
    /// Runs text in the shell's language. The backend replaces references such as `${source}`. A
    /// dollar sign before `{` is written `$$`. This action is the last resort, and its uses are
    /// counted.
    Raw(Text) = "raw": Text,
}

impl Action {
    /// Returns the steps inside the action; none for an action that contains no steps.
    pub fn steps(&self) -> &[Step] {
        match self {
            Self::Inside(inside) => &inside.steps,
            Self::Each(each) => &each.steps,
            Self::Group(steps) => steps,
            _ => &[],
        }
    }
}

/// A step: its action, its condition and its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The action of the step.
    pub action: Action,
    /// The step's name, by which a later layer changes or removes the step.
    pub id: Option<Spanned<String>>,
    /// The condition under which the step runs.
    pub when: Option<When>,
    /// The reason for the step. Becomes a comment in the recipe.
    pub comment: Option<String>,
    /// The place of the step in its file.
    pub span: Span,
}

impl Step {
    /// Creates a step that is in no file and has no condition.
    pub fn new(action: Action) -> Self {
        Self {
            action,
            id: None,
            when: None,
            comment: None,
            span: Span::default(),
        }
    }

    /// Creates the standard step of a phase, for all CMake projects.
    pub fn standard() -> Self {
        Self::new(Action::Standard(Spanned {
            value: "all".to_owned(),
            span: Span::default(),
        }))
    }
}

record! {
    /// A command with environment variables of its own.
    pub struct RunWith {
        /// The words of the command. The first word is the program.
        command: Vec<Text>,
        /// Environment variables that are set for the command only, by name.
        environment: IndexMap<String, Text>,
        /// The path of the file that the standard output is written to.
        output: Option<Text>,
        /// Set if the phase goes on when the command fails.
        may_fail: bool,
    }
}

record! {
    /// A replacement of literal text in files. If a file does not contain the text, the step fails,
    /// in languages that can check this.
    pub struct Replace {
        /// Set if the text is not in every release. A missing text is then no error.
        may_be_absent: bool,
        /// The paths of the files that are changed.
        files: OneOrMore<Text>,
        /// The text to replace, as it is in the file.
        from: Text,
        /// The new text; empty when absent.
        to: Text = Text::literal(""),
    }
}

record! {
    /// A run of sed over files (`sed -i`).
    pub struct Sed {
        /// The paths of the files that are changed.
        files: OneOrMore<Text>,
        /// The scripts for sed. Each becomes one option `-e`.
        scripts: OneOrMore<Text>,
    }
}

record! {
    /// A licence file to install.
    pub struct Licence {
        /// The path of the licence file in the source.
        file: Text,
        /// The name of the installed file; the distribution's usual name when absent.
        name: Option<Text>,
    }
}

record! {
    /// Paths of files, and the destination that they are moved, copied, installed or linked to.
    pub struct FromTo {
        /// The paths of the existing files or folders. For `symlink`, the text in the link.
        from: OneOrMore<Text>,
        /// The destination: the new path, or a folder that contains the files afterwards.
        to: Text,
    }
}

impl FromTo {
    /// Creates a value from source paths and a destination.
    pub fn new(from: impl IntoIterator<Item = Text>, to: Text) -> Self {
        Self {
            from: OneOrMore(from.into_iter().collect()),
            to,
        }
    }
}

record! {
    /// A configuration file to write.
    pub struct ConfigFile {
        /// The path of the file.
        path: Text,
        /// The lines of the file, without line ends.
        lines: Vec<Text>,
    }
}

record! {
    /// Steps inside a folder.
    pub struct Inside {
        /// The folder in which the steps run.
        folder: Text,
        /// The steps that run.
        steps: Vec<Step>,
    }
}

record! {
    /// Steps to run in a loop over items.
    pub struct Each {
        /// The name of the loop variable. Steps refer to the current item by `${NAME}`.
        variable: Spanned<String>,
        /// The items. Patterns such as `*.so` are expanded to the files that match.
        items: Vec<Text>,
        /// The steps that run.
        steps: Vec<Step>,
    }
}

impl Decode for Step {
    const EXPECTED: &'static str = "a step: a mapping with one action such as `run` or `replace`";

    fn decode(node: &Node, f: &mut Findings) -> Option<Self> {
        if let Value::Scalar { .. } = node.value {
            // `- standard` alone is the standard step of all projects.
            if node.text() == Some("standard") {
                let all = Spanned {
                    value: "all".to_owned(),
                    span: node.span,
                };
                return Some(Self {
                    span: node.span,
                    ..Self::new(Action::Standard(all))
                });
            }
            if node.text() == Some(NO_STANDARD) {
                return Some(Self {
                    span: node.span,
                    ..Self::new(Action::Group(Vec::new()))
                });
            }
            return wrong_type(node, f);
        }
        if !matches!(node.value, Value::Map(_)) {
            return wrong_type(node, f);
        }
        unknown_keys(node, &RECORD, f);
        let mut actions = node
            .entries()
            .iter()
            .filter(|(k, _)| ACTIONS.contains(&k.name.as_str()));
        let Some((key, value)) = actions.next() else {
            f.push(
                Finding::error("E0117", node.span, "the step has no action")
                    .label(format!("expected one of: {}", ACTIONS.join(", "))),
            );
            return None;
        };
        if let Some((second, _)) = actions.next() {
            f.push(
                Finding::error(
                    "E0117",
                    second.span,
                    format!(
                        "the step has two actions, `{}` and `{}`",
                        key.name, second.name
                    ),
                )
                .label("expected one action")
                .hint("split it into two steps"),
            );
        }
        let action = Action::decode(&key.name, value, f)?;
        check(&action, value, f);
        step_paths::check(&action, f);
        Some(Self {
            action,
            id: field(node, "id", f)?,
            when: field(node, "when", f)?,
            comment: field(node, "comment", f)?,
            span: node.span,
        })
    }

    fn shape(book: &mut Book) -> Shape {
        book.record(&RECORD)
    }
}

/// Reports faults of the value of an action: words that are no command, and steps that would do
/// nothing because a list or a text is empty.
fn check(action: &Action, value: &Node, f: &mut Findings) {
    let (empty, at, expected) = match action {
        Action::Run(words) => return command::check(words, value.span, f),
        Action::RunWith(run) => return command::check(&run.command, value.span, f),
        Action::Replace(replace) => {
            if replace
                .from
                .as_literal()
                .is_some_and(|text| text.is_empty())
            {
                let finding = Finding::error(
                    "E0562",
                    replace.from.span,
                    "an empty text can't be replaced",
                );
                f.push(finding.label("expected text that the file contains"));
            }
            return;
        }
        Action::CherryPick(commits) => (commits.is_empty(), value, "a commit"),
        Action::Export(map) => (map.is_empty(), value, "a variable and its value"),
        Action::Local(map) => (map.is_empty(), value, "a variable and its value"),
        Action::Each(each) => (
            each.items.is_empty(),
            value.get("items").unwrap_or(value),
            "an item",
        ),
        // For an empty list, some tools write an empty file and others a file with one empty line.
        Action::ConfigFile(file) => (
            file.lines.is_empty(),
            value.get("lines").unwrap_or(value),
            "a line; `[\"\"]` is one empty line",
        ),
        _ => return,
    };
    if empty {
        let finding = Finding::error("E0113", at.span, "this step is empty");
        f.push(finding.label(format!("expected {expected}")));
    }
}

/// A command: a list of words, or one text that is split at spaces.
struct RunWords(Vec<Text>);

impl From<RunWords> for Vec<Text> {
    fn from(command: RunWords) -> Self {
        command.0
    }
}

impl Decode for RunWords {
    const EXPECTED: &'static str = "a command";

    fn decode(node: &Node, f: &mut Findings) -> Option<Self> {
        let Value::Scalar { .. } = node.value else {
            return Vec::decode(node, f).map(Self);
        };
        let text = String::decode(node, f)?;
        let word = |w: &str| Node {
            span: node.span,
            value: Value::Scalar {
                text: w.into(),
                plain: true,
            },
        };
        let read: Vec<_> = text
            .split_whitespace()
            .map(|w| Text::decode(&word(w), f))
            .collect();
        read.into_iter().collect::<Option<_>>().map(Self)
    }

    fn shape(book: &mut Book) -> Shape {
        OneOrMany::<Text>::shape(book)
    }
}
