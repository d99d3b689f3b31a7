//! Typed steps of a phase. What recurs has a name here; the rest is a raw hook, and counted.

use crate::cond::When;
use crate::decode::{Decode, OneOrMany, OneOrMore, Spanned, field, record, unknown_keys, wrong_type};
use crate::describe::{Book, Declared, Record, Shape, Word};
use crate::finding::{Finding, Findings};
use crate::node::{Node, Value};
use crate::source::Span;
use crate::text::Text;
use crate::{command, step_paths};
use indexmap::IndexMap;

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The standard step of this phase for a CMake project (all of them when the name is `all`).
    Standard(Spanned<String>),
    /// A command; each word is quoted.
    Run(Vec<Text>),
    /// A command under variables of its own.
    RunWith(RunWith),
    /// Literal text replaced in files.
    Replace(Replace),
    /// A sed script over files.
    Sed(Sed),
    /// A patch applied here.
    Patch(Text),
    /// Commits picked from the same repository.
    CherryPick(Vec<Spanned<String>>),
    /// A submodule pointed at a source.
    Submodule(Submodule),
    /// A Python wheel built from or installed into a folder.
    Wheel(Text),
    /// A licence file installed.
    Licence(Licence),
    /// Moved.
    Move(FromTo),
    /// Copied with its mode, folders with all that they hold.
    Copy(FromTo),
    /// Installed as data: a file with mode 644 and the folders above it. A place that ends in `/` is a folder.
    InstallFile(FromTo),
    /// Linked.
    Symlink(FromTo),
    /// Removed, files and folders, which must be there; one that ends in `/` may be absent. A pattern may be used.
    Remove(Vec<Text>),
    /// A folder made.
    MakeFolder(Vec<Text>),
    /// A configuration file written with these lines.
    ConfigFile(ConfigFile),
    /// The folder changed for the rest of the phase.
    Enter(Text),
    /// Steps inside a folder; the folder is left afterwards.
    Inside(Inside),
    /// Variables exported.
    Export(IndexMap<String, Text>),
    /// Variables of the phase function.
    Local(IndexMap<String, OneOrMany<Text>>),
    /// Steps for each of the items.
    Each(Each),
    /// Steps under the condition of this step, with others when it does not hold.
    Group(Vec<Step>),
    /// Shell text as it is, its references answered. Counted.
    Raw(Text),
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
    /// Steps done when the condition does not hold.
    pub otherwise: Vec<Step>,
    /// Why; becomes a comment.
    pub comment: Option<String>,
    /// Where it stands.
    pub span: Span,
}

impl Step {
    /// A step of no file, without a condition.
    pub fn new(action: Action) -> Self {
        Self { action, id: None, when: None, otherwise: Vec::new(), comment: None, span: Span::default() }
    }

    /// What the distribution does in a phase unasked.
    pub fn standard() -> Self {
        Self::new(Action::Standard(Spanned { value: "all".to_owned(), span: Span::default() }))
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
    /// Literal text replaced in files. It is an error when the text is not there, where the language can check it.
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
        /// Extended regular expressions.
        extended: bool,
    }
}

record! {
    /// A submodule pointed at a source of the package.
    pub struct Submodule {
        /// The submodule's path.
        path: Text,
        /// The source's name.
        source: Spanned<String>,
        /// The repository that holds it.
        inside: Option<Text>,
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

/// The names of all actions, for messages.
pub const ACTIONS: &[&str] = &[
    "standard",
    "run",
    "run-with",
    "replace",
    "sed",
    "patch",
    "cherry-pick",
    "submodule",
    "wheel",
    "licence",
    "move",
    "copy",
    "install-file",
    "symlink",
    "remove",
    "make-folder",
    "config-file",
    "enter",
    "inside",
    "export",
    "local",
    "each",
    "group",
    "raw",
];

type Name = Spanned<String>;

const RECORD: Record = Record {
    name: "Step",
    doc: "A step of a phase: a mapping with exactly one action beside `id`, `when`, `otherwise` and `comment`.",
    fields: &[
        Declared::optional::<Name>(
            "standard",
            "The standard step of this phase for a CMake project, or for `all` of them.",
        ),
        Declared::optional::<OneOrMany<Text>>(
            "run",
            "A command: a list of words, or one text split at spaces. Each word is quoted.",
        ),
        Declared::optional::<RunWith>("run-with", "A command with an environment of its own."),
        Declared::optional::<Replace>("replace", "Literal text replaced in files."),
        Declared::optional::<Sed>("sed", "A sed script over files."),
        Declared::optional::<Text>("patch", "A patch applied here."),
        Declared::optional::<Vec<Name>>("cherry-pick", "Commits picked from the same repository."),
        Declared::optional::<Submodule>("submodule", "A submodule pointed at a source."),
        Declared::optional::<Text>("wheel", "A Python wheel, built from this folder or installed into it."),
        Declared::optional::<Licence>("licence", "A licence file installed."),
        Declared::optional::<FromTo>("move", "Files moved."),
        Declared::optional::<FromTo>("copy", "Copied with its mode, folders with all that they hold."),
        Declared::optional::<FromTo>(
            "install-file",
            "Installed as data, mode 644; `/etc/x` lies below what the package installs, and a place that ends in `/` is a folder.",
        ),
        Declared::optional::<FromTo>("symlink", "A symbolic link."),
        Declared::optional::<OneOrMore<Text>>(
            "remove",
            "Files and folders removed, which must be there; a folder that ends in `/` may be absent. A pattern may be used.",
        ),
        Declared::optional::<OneOrMore<Text>>("make-folder", "Folders made."),
        Declared::optional::<ConfigFile>(
            "config-file",
            "A file written with these lines; `/etc/x` lies below what the package installs.",
        ),
        Declared::optional::<Text>("enter", "The folder changed for the rest of the phase."),
        Declared::optional::<Inside>("inside", "Steps inside a folder, which is left afterwards."),
        Declared::optional::<IndexMap<String, Text>>("export", "Variables exported."),
        Declared::optional::<IndexMap<String, OneOrMany<Text>>>("local", "Variables of the phase function."),
        Declared::optional::<Each>("each", "Steps for each of some items."),
        Declared::optional::<Vec<Step>>("group", "Steps under the condition of this step."),
        Declared::optional::<Text>(
            "raw",
            "Shell text, its references answered and a dollar sign before `{` written `$$`: the last resort, and counted.",
        ),
        Declared::optional::<Name>("id", "Its name, by which a later layer changes or removes it."),
        Declared::optional::<When>("when", "Only under this condition."),
        Declared::optional::<Vec<Step>>("otherwise", "Steps done when the condition does not hold."),
        Declared::optional::<String>(
            "checked",
            "The releases that it is known to fit, beside the one that the distribution ships.",
        ),
        Declared::optional::<String>("comment", "Why; becomes a comment."),
    ],
    words: &[Word { word: "standard", doc: "The standard step of this phase for all CMake projects." }],
    forms: &[],
};

impl Decode for Step {
    const EXPECTED: &'static str = "a step: a mapping with one action such as `run` or `replace`";

    fn decode(node: &Node, f: &mut Findings) -> Option<Self> {
        if let Value::Scalar { .. } = node.value {
            // `- standard` alone is the standard step of all projects.
            if node.text() == Some("standard") {
                let all = Spanned { value: "all".to_owned(), span: node.span };
                return Some(Self { span: node.span, ..Self::new(Action::Standard(all)) });
            }
            return wrong_type(node, f);
        }
        if !matches!(node.value, Value::Map(_)) {
            return wrong_type(node, f);
        }
        unknown_keys(node, &RECORD, f);
        let mut actions = node.entries().iter().filter(|(k, _)| ACTIONS.contains(&k.name.as_str()));
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
                    format!("a step with two actions, `{}` and `{}`", key.name, second.name),
                )
                .label("expected one action")
                .hint("make two steps of it"),
            );
        }
        let action = match key.name.as_str() {
            "standard" => Action::Standard(Decode::decode(value, f)?),
            "run" => Action::Run(command::checked(words(value, f)?, value.span, f)),
            "run-with" => {
                let run = RunWith::decode(value, f)?;
                Action::RunWith(RunWith { command: command::checked(run.command, value.span, f), ..run })
            }
            "replace" => {
                let replace = Replace::decode(value, f)?;
                if replace.from.as_literal().is_some_and(|text| text.is_empty()) {
                    let finding =
                        Finding::error("E0562", replace.from.span, "an empty text can't be replaced");
                    f.push(finding.label("expected the text as the file has it"));
                }
                Action::Replace(replace)
            }
            "sed" => Action::Sed(Decode::decode(value, f)?),
            "patch" => Action::Patch(Decode::decode(value, f)?),
            "cherry-pick" => Action::CherryPick(Decode::decode(value, f)?),
            "submodule" => Action::Submodule(Decode::decode(value, f)?),
            "wheel" => Action::Wheel(Decode::decode(value, f)?),
            "licence" => Action::Licence(Decode::decode(value, f)?),
            "move" => Action::Move(Decode::decode(value, f)?),
            "copy" => Action::Copy(Decode::decode(value, f)?),
            "install-file" => Action::InstallFile(Decode::decode(value, f)?),
            "symlink" => Action::Symlink(Decode::decode(value, f)?),
            "remove" => Action::Remove(OneOrMore::decode(value, f)?.0),
            "make-folder" => Action::MakeFolder(OneOrMore::decode(value, f)?.0),
            "config-file" => Action::ConfigFile(Decode::decode(value, f)?),
            "enter" => Action::Enter(Decode::decode(value, f)?),
            "inside" => Action::Inside(Decode::decode(value, f)?),
            "export" => Action::Export(Decode::decode(value, f)?),
            "local" => Action::Local(Decode::decode(value, f)?),
            "each" => Action::Each(Decode::decode(value, f)?),
            "group" => Action::Group(Decode::decode(value, f)?),
            _ => Action::Raw(Decode::decode(value, f)?),
        };
        match &action {
            Action::CherryPick(commits) => something(commits.is_empty(), value, "a commit", f),
            Action::Export(map) => something(map.is_empty(), value, "a variable and its value", f),
            Action::Local(map) => something(map.is_empty(), value, "a variable and its value", f),
            Action::Each(each) => {
                something(each.items.is_empty(), value.get("items").unwrap_or(value), "an item", f);
            }
            // To some tools it is a file without a line, to others one with an empty line.
            Action::ConfigFile(file) => {
                something(
                    file.lines.is_empty(),
                    value.get("lines").unwrap_or(value),
                    "a line; `[\"\"]` is an empty one",
                    f,
                );
            }
            _ => {}
        }
        step_paths::check(&action, f);
        Some(Self {
            action,
            id: field(node, "id", f)?,
            when: field(node, "when", f)?,
            otherwise: field(node, "otherwise", f)?,
            comment: field(node, "comment", f)?,
            span: node.span,
        })
    }

    fn shape(book: &mut Book) -> Shape {
        book.record(&RECORD)
    }
}

/// Reports a step that would do nothing, as it names nothing.
fn something(empty: bool, node: &Node, expected: &str, f: &mut Findings) {
    if empty {
        let finding = Finding::error("E0113", node.span, "this step names nothing");
        f.push(finding.label(format!("expected {expected}")));
    }
}

/// A command: a list of words, or one text split at spaces.
fn words(node: &Node, f: &mut Findings) -> Option<Vec<Text>> {
    match &node.value {
        Value::Scalar { .. } => {
            let text = String::decode(node, f)?;
            let read: Vec<Option<Text>> = text
                .split_whitespace()
                .map(|w| {
                    Text::decode(
                        &Node { span: node.span, value: Value::Scalar { text: w.into(), plain: true } },
                        f,
                    )
                })
                .collect();
            read.into_iter().collect()
        }
        _ => Vec::decode(node, f),
    }
}
