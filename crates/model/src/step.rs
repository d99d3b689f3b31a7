//! Typed steps of a phase. Frequent operations have actions of their own. Everything else is a
//! `raw` step, and raw steps are counted.

use crate::cond::When;
use crate::decode::{
    Decode, OneOrMany, OneOrMore, Spanned, field, record, unknown_keys, wrong_type,
};
use crate::describe::{Book, Declared, Record, Shape, Word};
use crate::encode::{Encode, map};
use crate::finding::{Finding, Findings};
use crate::node::{Node, Value};
use crate::source::Span;
use crate::text::Text;
use crate::{command, step_paths};
use indexmap::IndexMap;

/// Declares the actions: the type that each contains, its key, the type that is read under the key,
/// and its description.
macro_rules! actions {
    ($($(#[doc = $doc:literal])* $variant:ident($holds:ty) = $key:literal: $read:ty,)*) => {
        /// The action of a step.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Action { $($(#[doc = $doc])* $variant($holds),)* }

        /// The names of all actions, for messages.
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
            /// Reads the action with this key.
            fn decode(key: &str, value: &Node, f: &mut Findings) -> Option<Self> {
                match key {
                    $($key => <$read>::decode(value, f).map(|read| Self::$variant(read.into())),)*
                    _ => None,
                }
            }

            /// Returns the key of the action, and the value under the key.
            pub(crate) fn encode(&self) -> (&'static str, Option<Node>) {
                match self {
                    $(Self::$variant(held) => ($key, Encode::encode(held)),)*
                }
            }
        }
    };
}

type Name = Spanned<String>;

/// The step that prevents habits from adding the standard step to a phase. The step itself does
/// nothing.
pub const NO_STANDARD: &str = "no-standard";

actions! {
    /// Runs the standard step of this phase for a CMake project, or for `all` projects.
    Standard(Name) = "standard": Name,
    /// Runs a command: a list of words, or one text that is split at spaces. Each word is quoted.
    Run(Vec<Text>) = "run": Command,
    /// Runs a command with an environment of its own.
    RunWith(RunWith) = "run-with": RunWith,
    /// Replaces literal text in files.
    Replace(Replace) = "replace": Replace,
    /// Runs a sed script over files.
    Sed(Sed) = "sed": Sed,
    /// Applies a patch.
    Patch(Text) = "patch": Text,
    /// Picks commits from the same repository.
    CherryPick(Vec<Name>) = "cherry-pick": Vec<Name>,
    /// Builds a Python wheel from this folder, or installs a wheel into it.
    Wheel(Text) = "wheel": Text,
    /// Installs a licence file.
    Licence(Licence) = "licence": Licence,
    /// Moves files.
    Move(FromTo) = "move": FromTo,
    /// Copies files with their modes, and folders with all their contents.
    Copy(FromTo) = "copy": FromTo,
    /// Installs files as data with mode 644. `/etc/x` is below the folder that the package is
    /// installed to. A destination that ends in `/` is a folder.
    InstallFile(FromTo) = "install-file": FromTo,
    /// Creates a symbolic link.
    Symlink(FromTo) = "symlink": FromTo,
    /// Removes files and folders, which must exist. A folder that ends in `/` may be absent.
    /// Patterns are allowed.
    Remove(Vec<Text>) = "remove": OneOrMore<Text>,
    /// Creates folders.
    MakeFolder(Vec<Text>) = "make-folder": OneOrMore<Text>,
    /// Writes a file with these lines. `/etc/x` is below the folder that the package is installed
    /// to.
    ConfigFile(ConfigFile) = "config-file": ConfigFile,
    /// Changes to a folder for the rest of the phase.
    Enter(Text) = "enter": Text,
    /// Runs steps inside a folder, and leaves the folder afterwards.
    Inside(Inside) = "inside": Inside,
    /// Exports variables.
    Export(IndexMap<String, Text>) = "export": IndexMap<String, Text>,
    /// Sets local variables of the phase function.
    Local(IndexMap<String, OneOrMany<Text>>) = "local": IndexMap<String, OneOrMany<Text>>,
    /// Runs steps for each of several items.
    Each(Each) = "each": Each,
    /// Runs steps under the condition of this step.
    Group(Vec<Step>) = "group": Vec<Step>,
    /// Runs shell text. References in the text are replaced, and a dollar sign before `{` is
    /// written `$$`. This action is the last resort, and its uses are counted.
    Raw(Text) = "raw": Text,
}

impl Action {
    /// Returns the steps inside the action.
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
    /// The action.
    pub action: Action,
    /// The step's name, by which a later layer changes or removes the step.
    pub id: Option<Spanned<String>>,
    /// The condition under which the step runs.
    pub when: Option<When>,
    /// The reason. Becomes a comment.
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
    /// A command with its own environment or working folder.
    pub struct RunWith {
        /// The words of the command.
        command: Vec<Text>,
        /// Environment variables for the command.
        environment: IndexMap<String, Text>,
        /// The file that the output is written to.
        output: Option<Text>,
        /// Set if the command may fail.
        may_fail: bool,
    }
}

record! {
    /// A replacement of literal text in files. If the text is absent, the step fails, in languages
    /// that can check this.
    pub struct Replace {
        /// Set if the text is not in every release. Its absence is then no error.
        may_be_absent: bool,
        /// The files.
        files: OneOrMore<Text>,
        /// The text to replace.
        from: Text,
        /// The new text; empty when absent.
        to: Text = Text::literal(""),
    }
}

record! {
    /// A sed script over files.
    pub struct Sed {
        /// The files.
        files: OneOrMore<Text>,
        /// The scripts. Each becomes one option `-e`.
        scripts: OneOrMore<Text>,
    }
}

record! {
    /// A licence file to install.
    pub struct Licence {
        /// The file in the source.
        file: Text,
        /// The installed name; the distribution's usual name when absent.
        name: Option<Text>,
    }
}

record! {
    /// Source paths and a destination.
    pub struct FromTo {
        /// The source paths.
        from: OneOrMore<Text>,
        /// The destination.
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
    /// A configuration file.
    pub struct ConfigFile {
        /// The installed path.
        path: Text,
        /// The lines of the file.
        lines: Vec<Text>,
    }
}

record! {
    /// Steps inside a folder.
    pub struct Inside {
        /// The folder.
        folder: Text,
        /// The steps.
        steps: Vec<Step>,
    }
}

record! {
    /// Steps to run for each of several items.
    pub struct Each {
        /// The loop variable.
        variable: Spanned<String>,
        /// The items. Patterns are expanded.
        items: Vec<Text>,
        /// The steps.
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
                Finding::error("E0117", node.span, "a step without an action")
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
                        "a step with two actions, `{}` and `{}`",
                        key.name, second.name
                    ),
                )
                .label("expected one action")
                .hint("make two steps of it"),
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

impl Encode for Step {
    fn encode(&self) -> Option<Node> {
        let own = [self.action.encode()];
        let more = [
            ("id", self.id.encode()),
            ("when", self.when.encode()),
            ("comment", self.comment.encode()),
        ];
        Some(map(own.into_iter().chain(more)))
    }
}

/// Reports words that are no command, and steps that would do nothing because a list or a text is
/// empty.
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
                f.push(finding.label("expected the text as the file has it"));
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
            "a line; `[\"\"]` is an empty one",
        ),
        _ => return,
    };
    if empty {
        let finding = Finding::error("E0113", at.span, "this step names nothing");
        f.push(finding.label(format!("expected {expected}")));
    }
}

/// A command: a list of words, or one text that is split at spaces.
struct Command(Vec<Text>);

impl From<Command> for Vec<Text> {
    fn from(command: Command) -> Self {
        command.0
    }
}

impl Decode for Command {
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
