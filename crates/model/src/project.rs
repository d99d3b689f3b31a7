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
    /// One CMake project.
    pub struct Project {
        /// The components whose options it takes, where a package has several projects.
        of: Vec<Spanned<String>>,
        /// The folder with its `CMakeLists.txt`; the package's source folder when absent.
        source: Option<Text>,
        /// Its build folder.
        build: Option<Text>,
        /// Its arguments by name: `NAME` becomes `-DNAME=…`, a name that starts with `-` stands as
        /// it is.
        arguments: IndexMap<String, OneOrMany<Argument>>,
        /// What is built, in order; everything when empty. Each entry is one call of the build
        /// tool.
        goals: Vec<OneOrMany<Spanned<String>>>,
        /// Variables set for its configuration only.
        environment: IndexMap<String, Text>,
        /// Only under this condition. One over releases stands where the project is said first.
        when: Option<When>,
        /// Why.
        comment: Option<String>,
    }
}

/// The value of a CMake argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// ON or OFF, always.
    Bool(bool),
    /// ON when the condition holds, else OFF.
    When(When),
    /// Text.
    Text(Text),
    /// One text when the condition holds, another when not.
    Choice(When, Text, Text),
    /// The argument stands as it is, as in `-Wno-dev`.
    Bare,
}

impl ArgumentValue {
    /// The texts that it may be.
    pub fn texts(&self) -> Vec<&Text> {
        match self {
            Self::Text(text) => vec![text],
            Self::Choice(_, yes, no) => vec![yes, no],
            Self::Bool(_) | Self::When(_) | Self::Bare => Vec::new(),
        }
    }
}

/// An argument of a CMake project: its value, its condition and why it is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    /// The value.
    pub value: ArgumentValue,
    /// Passed only under this condition.
    pub when: Option<When>,
    /// Why.
    pub comment: Option<String>,
    /// Where it stands.
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

/// The value of an argument without a condition.
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
            // It is not there, and this says so.
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
    /// What is done with flags.
    pub enum FlagAction {
        /// Added at the end.
        Append = "append",
        /// Removed, by pattern.
        Filter = "filter",
        /// Replaced, by extended regular expression.
        Replace = "replace",
        /// Link-time optimisation is turned off.
        NoLto = "no-lto",
    }
}

/// The kinds of flags that an edit names; `all` is those of C and C++.
pub const FLAG_KINDS: [&str; 7] = ["c", "cxx", "cpp", "ld", "fortran", "hip", "all"];

record! {
    /// An edit of compiler or linker flags.
    pub struct FlagEdit {
        /// What is done.
        action: FlagAction,
        /// The variables: `c`, `cxx`, `cpp`, `ld`, `fortran`, `hip`, or `all` for C and C++.
        on: OneOrMany<Spanned<String>>,
        /// The flags.
        flags: Vec<Text>,
        /// What a replaced flag becomes.
        with: Option<Text>,
        /// The phase; configuration when absent.
        phase: Option<Spanned<String>>,
        /// Only under this condition.
        when: Option<When>,
        /// Why.
        comment: Option<String>,
    }
}

record! {
    /// A variable of the environment: its value, or a mapping.
    pub struct EnvironmentVariable or "value": Text {
        /// The value.
        value: Text,
        /// Only under this condition.
        when: Option<When>,
        /// Why.
        comment: Option<String>,
        /// Seen inside the phase function only, where the language can say so.
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
