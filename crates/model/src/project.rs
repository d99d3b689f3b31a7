//! CMake projects, their arguments, compiler flags and the environment.

use crate::cond::When;
use crate::decode::{Decode, OneOrMany, Spanned, choice, field, mapping, record};
use crate::describe::{Book, Declared, Record, Shape};
use crate::encode::{Encode, map, scalar};
use crate::finding::Findings;
use crate::node::{Node, Value};
use crate::text::Text;
use indexmap::IndexMap;

record! {
    /// A CMake project.
    pub struct Project {
        /// The components whose options the project takes, if a package has several projects.
        of: Vec<Spanned<String>>,
        /// The folder with the project's `CMakeLists.txt`; the package's source folder when absent.
        source: Option<Text>,
        /// The build folder.
        build: Option<Text>,
        /// The arguments by name. `NAME` becomes `-DNAME=…`. A name that starts with `-` is not
        /// changed.
        arguments: IndexMap<String, OneOrMany<Argument>>,
        /// The goals to build, in order; everything when empty. Each entry is one call of the build
        /// tool.
        goals: Vec<OneOrMany<Spanned<String>>>,
        /// Environment variables that are set only while the project is configured.
        environment: IndexMap<String, Text>,
        /// The condition under which the project is built. A condition over releases must be in the
        /// layer that names the project first.
        when: Option<When>,
        /// The reason.
        comment: Option<String>,
    }
}

/// The value of a CMake argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// Always `ON`, or always `OFF`.
    Bool(bool),
    /// `ON` if the condition holds, else `OFF`.
    When(When),
    /// Text.
    Text(Text),
    /// The first text if the condition holds, else the second text.
    Choice(When, Text, Text),
    /// No value: the argument is only its name, as in `-Wno-dev`.
    Bare,
}

impl ArgumentValue {
    /// Returns the texts that the value may be.
    pub fn texts(&self) -> Vec<&Text> {
        match self {
            Self::Text(text) => vec![text],
            Self::Choice(_, yes, no) => vec![yes, no],
            Self::Bool(_) | Self::When(_) | Self::Bare => Vec::new(),
        }
    }
}

/// An argument of a CMake project: its value, its condition and its reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The value.
    pub value: ArgumentValue,
    /// The condition under which the argument is passed.
    pub when: Option<When>,
    /// The reason.
    pub comment: Option<String>,
    /// The place of the argument in its file.
    pub span: crate::source::Span,
}

impl Argument {
    const RECORD: Record = Record {
        name: "Argument",
        doc: "An argument of a CMake project: a value (true and ON, false and OFF mean the same; `bare` means that the name \
              stands alone), or a mapping.",
        fields: &[
            Declared::optional::<Text>("value", "The value."),
            Declared::optional::<When>("feature", "ON when the condition holds, else OFF."),
            Declared::optional::<When>(
                "choose",
                "The condition that decides between `then` and `else`.",
            ),
            Declared::optional::<Text>("then", "The value when the condition of `choose` holds."),
            Declared::optional::<Text>("else", "The value when it does not hold."),
            Declared::optional::<When>("when", "Passed only under this condition."),
            Declared::optional::<String>("comment", "Why."),
        ],
        words: &[],
        forms: &[Text::shape],
    };
}

/// Reads the value of an argument that depends on no condition.
fn plain_value(node: &Node, findings: &mut Findings) -> Option<ArgumentValue> {
    Some(match &node.value {
        Value::Scalar { text, plain: true } if text == "true" || text == "ON" => {
            ArgumentValue::Bool(true)
        }
        Value::Scalar { text, plain: true } if text == "false" || text == "OFF" => {
            ArgumentValue::Bool(false)
        }
        Value::Scalar { text, plain: true } if text == "bare" => ArgumentValue::Bare,
        _ => ArgumentValue::Text(Text::decode(node, findings)?),
    })
}

impl Decode for Argument {
    const EXPECTED: &'static str = "a value, or a mapping with `value`, `feature` or `choose`";

    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        let span = node.span;
        let node = mapping(node, &Self::RECORD, Some("value"), findings)?;
        let value = if let Some(n) = node.get("feature") {
            ArgumentValue::When(When::decode(n, findings)?)
        } else if let Some(n) = node.get("choose") {
            let choice = When::decode(n, findings)?;
            ArgumentValue::Choice(
                choice,
                field(&node, "then", findings)?,
                field(&node, "else", findings)?,
            )
        } else if let Some(n) = node.get("value") {
            plain_value(n, findings)?
        } else {
            // The key is missing, and `field` reports that.
            ArgumentValue::Text(field(&node, "value", findings)?)
        };
        Some(Self {
            value,
            when: field(&node, "when", findings)?,
            comment: field(&node, "comment", findings)?,
            span,
        })
    }

    fn shape(book: &mut Book) -> Shape {
        book.record(&Self::RECORD)
    }
}

choice! {
    /// The action of an edit of flags.
    pub enum FlagAction {
        /// The flags are added at the end.
        Append = "append",
        /// The flags that match a pattern are removed.
        Filter = "filter",
        /// The flags that match an extended regular expression are replaced.
        Replace = "replace",
        /// Link-time optimisation is turned off.
        NoLto = "no-lto",
    }
}

/// The kinds of flags that an edit may change. `all` is the flags of C and C++.
pub const FLAG_KINDS: [&str; 7] = ["c", "cxx", "cpp", "ld", "fortran", "hip", "all"];

record! {
    /// An edit of compiler or linker flags.
    pub struct FlagEdit {
        /// The action of the edit.
        action: FlagAction,
        /// The variables: `c`, `cxx`, `cpp`, `ld`, `fortran`, `hip`, or `all` for C and C++.
        on: OneOrMany<Spanned<String>>,
        /// The flags.
        flags: Vec<Text>,
        /// The text that replaces a flag.
        with: Option<Text>,
        /// The phase in which the flags are edited; configuration when absent.
        phase: Option<Spanned<String>>,
        /// The condition under which the flags are edited.
        when: Option<When>,
        /// The reason.
        comment: Option<String>,
    }
}

record! {
    /// A variable of the environment: its value, or a mapping.
    pub struct EnvironmentVariable or "value": Text {
        /// The value.
        value: Text,
        /// The condition under which the variable is set.
        when: Option<When>,
        /// The reason.
        comment: Option<String>,
        /// Set if the variable exists only inside the phase function, in languages that can express
        /// this.
        local: bool,
    }
}

impl Encode for Argument {
    fn encode(&self) -> Option<Node> {
        let own: Vec<(&'static str, Option<Node>)> = match &self.value {
            ArgumentValue::Bool(on) => vec![("value", on.encode())],
            ArgumentValue::When(when) => vec![("feature", when.encode())],
            ArgumentValue::Text(text) => vec![("value", text.encode())],
            ArgumentValue::Choice(when, yes, no) => {
                vec![
                    ("choose", when.encode()),
                    ("then", yes.encode()),
                    ("else", no.encode()),
                ]
            }
            ArgumentValue::Bare => vec![("value", Some(scalar("bare", true)))],
        };
        Some(map(own.into_iter().chain([
            ("when", self.when.encode()),
            ("comment", self.comment.encode()),
        ])))
    }
}
