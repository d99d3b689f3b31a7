//! Typed steps of a phase. What recurs has a name here; the rest is a raw hook, and counted.

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

/// Declares the actions: what each holds, its key, what is read under it, and what is told of it.
macro_rules! actions {
    ($($(#[doc = $doc:literal])* $variant:ident($holds:ty) = $key:literal: $read:ty,)*) => {
        /// What a step does.
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
            /// Reads the action under its key.
            fn decode(key: &str, value: &Node, f: &mut Findings) -> Option<Self> {
                match key {
                    $($key => <$read>::decode(value, f).map(|read| Self::$variant(read.into())),)*
                    _ => None,
                }
            }

            /// Its key, and what stands under it.
            pub(crate) fn encode(&self) -> (&'static str, Option<Node>) {
                match self {
                    $(Self::$variant(held) => ($key, Encode::encode(held)),)*
                }
            }
        }
    };
}

type Name = Spanned<String>;

/// The step that keeps the standard one out of a phase, where habits would put it beside the
/// others. It does nothing itself.
pub const NO_STANDARD: &str = "no-standard";

actions! {
    /// The standard step of this phase for a CMake project, or for `all` of them.
    Standard(Name) = "standard": Name,
    /// A command: a list of words, or one text split at spaces. Each word is quoted.
    Run(Vec<Text>) = "run": Command,
    /// A command with an environment of its own.
    RunWith(RunWith) = "run-with": RunWith,
    /// Literal text replaced in files.
    Replace(Replace) = "replace": Replace,
    /// A sed script over files.
    Sed(Sed) = "sed": Sed,
    /// A patch applied here.
    Patch(Text) = "patch": Text,
    /// Commits picked from the same repository.
    CherryPick(Vec<Name>) = "cherry-pick": Vec<Name>,
    /// A Python wheel, built from this folder or installed into it.
    Wheel(Text) = "wheel": Text,
    /// A licence file installed.
    Licence(Licence) = "licence": Licence,
    /// Files moved.
    Move(FromTo) = "move": FromTo,
    /// Copied with its mode, folders with all that they hold.
    Copy(FromTo) = "copy": FromTo,
    /// Installed as data, mode 644; `/etc/x` lies below what the package installs, and a place that
    /// ends in `/` is a folder.
    InstallFile(FromTo) = "install-file": FromTo,
    /// A symbolic link.
    Symlink(FromTo) = "symlink": FromTo,
    /// Files and folders removed, which must be there; a folder that ends in `/` may be absent. A
    /// pattern may be used.
    Remove(Vec<Text>) = "remove": OneOrMore<Text>,
    /// Folders made.
    MakeFolder(Vec<Text>) = "make-folder": OneOrMore<Text>,
    /// A file written with these lines; `/etc/x` lies below what the package installs.
    ConfigFile(ConfigFile) = "config-file": ConfigFile,
    /// The folder changed for the rest of the phase.
    Enter(Text) = "enter": Text,
    /// Steps inside a folder, which is left afterwards.
    Inside(Inside) = "inside": Inside,
    /// Variables exported.
    Export(IndexMap<String, Text>) = "export": IndexMap<String, Text>,
    /// Variables of the phase function.
    Local(IndexMap<String, OneOrMany<Text>>) = "local": IndexMap<String, OneOrMany<Text>>,
    /// Steps for each of some items.
    Each(Each) = "each": Each,
    /// Steps under the condition of this step.
    Group(Vec<Step>) = "group": Vec<Step>,
    /// Shell text, its references answered and a dollar sign before `{` written `$$`: the last
    /// resort, and counted.
    Raw(Text) = "raw": Text,
}

impl Action {
    /// The steps inside it.
    pub fn steps(&self) -> &[Step] {
        match self {
            Self::Inside(inside) => &inside.steps,
            Self::Each(each) => &each.steps,
            Self::Group(steps) => steps,
            _ => &[],
        }
    }
}

/// A step: what it does, under which condition, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// Its name, by which a later layer changes or removes it.
    pub id: Option<Spanned<String>>,
    /// Only under this condition.
    pub when: Option<When>,
    /// Why; becomes a comment.
    pub comment: Option<String>,
    /// Where it stands.
    pub span: Span,
}

impl Step {
    /// A step of no file, without a condition.
    pub fn new(action: Action) -> Self {
        Self {
            action,
            id: None,
            when: None,
            comment: None,
            span: Span::default(),
        }
    }

    /// What the distribution does in a phase unasked.
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
        /// The words.
        command: Vec<Text>,
        /// Variables set for it.
        environment: IndexMap<String, Text>,
        /// The file that its output goes to.
        output: Option<Text>,
        /// Failure is allowed.
        may_fail: bool,
    }
}

record! {
    /// Literal text replaced in files. It is an error when the text is not there, where the
    /// language can check it.
    pub struct Replace {
        /// The text is not in every release, and its absence is no error.
        may_be_absent: bool,
        /// The files.
        files: OneOrMore<Text>,
        /// The text.
        from: Text,
        /// What it becomes; nothing when absent.
        to: Text = Text::literal(""),
    }
}

record! {
    /// A sed script over files.
    pub struct Sed {
        /// The files.
        files: OneOrMore<Text>,
        /// The scripts, each one `-e`.
        scripts: OneOrMore<Text>,
    }
}

record! {
    /// A licence file installed.
    pub struct Licence {
        /// The file in the source.
        file: Text,
        /// Its installed name; the distribution's habit when absent.
        name: Option<Text>,
    }
}

record! {
    /// From here to there.
    pub struct FromTo {
        /// From.
        from: OneOrMore<Text>,
        /// To.
        to: Text,
    }
}

impl FromTo {
    /// From each of these to there.
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
        /// Its installed path.
        path: Text,
        /// Its lines.
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
    /// Steps for each of some items.
    pub struct Each {
        /// The variable.
        variable: Spanned<String>,
        /// The items; patterns expand.
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

/// Reports words that are no command, and a step that would do nothing, as it names nothing.
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
        // To some tools it is a file without a line, to others one with an empty line.
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

/// A command: a list of words, or one text split at spaces.
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
