//! CMake projects, their arguments, compiler flags and the environment.

use crate::cond::When;
use crate::decode::{Decode, OneOrMany, Spanned, choice, field, mapping, record};
use crate::describe::{Book, Declared, Record, Shape};
use crate::finding::Findings;
use crate::node::{Node, Value};
use crate::text::Text;
use indexmap::IndexMap;

record! {
    /// A CMake project of a package.
    pub struct Project {
        /// The components whose options the project takes, if a package has several projects.
        of: Vec<Spanned<String>>,
        /// The folder with the project's `CMakeLists.txt`, such as `${source}/samples`; the
        /// package's source folder when absent.
        source: Option<Text>,
        /// The folder in which the project is built; the distribution's usual folder when absent.
        build: Option<Text>,
        /// The arguments for CMake by name. `NAME: VALUE` becomes `-DNAME=VALUE`. A name that
        /// starts with `-` is passed as it is.
        arguments: IndexMap<String, OneOrMany<Argument>>,
        /// The CMake targets to build (goals), in order. Each entry is one call of the build tool,
        /// with one goal or several. When empty, the build tool builds everything.
        goals: Vec<OneOrMany<Spanned<String>>>,
        /// Environment variables that are set only while CMake configures the project.
        environment: IndexMap<String, Text>,
        /// The condition under which the project is built. A condition over releases is allowed
        /// only in the first layer that states the project.
        when: Option<When>,
        /// The reason for the project. Becomes a comment.
        comment: Option<String>,
    }
}

/// The value of a CMake argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// `ON` for true, `OFF` for false.
    Bool(bool),
    /// `ON` if the condition holds, else `OFF`.
    When(When),
    /// A text with references.
    Text(Text),
    /// The first text if the condition holds, else the second text.
    Choice(When, Text, Text),
    /// No value: the argument is only its name, as in `-Wno-dev`.
    Bare,
}

impl ArgumentValue {
    /// Returns the texts that the value may be: both texts of a `Choice`, none of a `Bool`, `When`
    /// or `Bare`.
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
    /// The value of the argument.
    pub value: ArgumentValue,
    /// The condition under which the argument is passed.
    pub when: Option<When>,
    /// The reason for the argument. Becomes a comment.
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

/// Reads the value of an argument that depends on no condition. `bare` without quotes is
/// [`ArgumentValue::Bare`].
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
    /// The action of an edit of compiler or linker flags.
    pub enum FlagAction {
        /// The flags are added at the end.
        Append = "append",
        /// The flags that match a pattern of a shell are removed.
        Filter = "filter",
        /// The flags that match an extended regular expression are replaced by the text in `with`.
        Replace = "replace",
        /// Link-time optimisation is turned off.
        NoLto = "no-lto",
    }
}

/// The words for variables of flags in the key `on` of a [`FlagEdit`]. `all` is the flags of C and
/// C++.
pub const FLAG_KINDS: [&str; 7] = ["c", "cxx", "cpp", "ld", "fortran", "hip", "all"];

record! {
    /// An edit of compiler or linker flags.
    pub struct FlagEdit {
        /// The action on the flags.
        action: FlagAction,
        /// The variables whose flags are edited: `c`, `cxx`, `cpp` (preprocessor), `ld` (linker),
        /// `fortran`, `hip`, or `all` for C and C++.
        on: OneOrMany<Spanned<String>>,
        /// The flags to add, or the patterns of the flags to remove or replace.
        flags: Vec<Text>,
        /// The text that replaces a flag. Only for the action `replace`.
        with: Option<Text>,
        /// The phase in which the flags are edited; the phase of configuration when absent.
        phase: Option<Spanned<String>>,
        /// The condition under which the flags are edited.
        when: Option<When>,
        /// The reason. Becomes a comment in the recipe.
        comment: Option<String>,
    }
}

record! {
    /// An environment variable: its value, or a mapping with the value and its condition.
    pub struct EnvironmentVariable or "value": Text {
        /// The value of the variable.
        value: Text,
        /// The condition under which the variable is set.
        when: Option<When>,
        /// The reason. Becomes a comment in the recipe.
        comment: Option<String>,
        /// Set if the variable exists only inside the phase function, in languages that can express
        /// this. Otherwise it is exported.
        local: bool,
    }
}
