//! CMake projects, their arguments, compiler flags and the environment.

use crate::cond::When;
use crate::decode::{Decode, OneOrMany, Spanned, choice, record, unknown_keys};
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
        /// Its arguments by name: `NAME` becomes `-DNAME=…`, a name that starts with `-` stands as it is.
        arguments: IndexMap<String, OneOrMany<Argument>>,
        /// What is built, in order; everything when empty. Each entry is one call of the build tool.
        goals: Vec<OneOrMany<Spanned<String>>>,
        /// Variables set for its configuration only.
        environment: IndexMap<String, Text>,
        /// Only under this condition. One over releases stands where the project is said first.
        when: Option<When>,
        /// Why.
        comment: Option<String>,
    }
}

choice! {
    /// The CMake type of an argument.
    pub enum ArgumentKind {
        /// ON or OFF.
        Bool = "bool",
        /// Text.
        String = "string",
        /// A path.
        Path = "path",
        /// Text without a stated type, written `-DNAME=value`.
        Plain = "plain",
    }
}

/// The value of a CMake argument.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// ON or OFF, always.
    Bool(bool),
    /// ON when the condition holds, else OFF.
    When(When),
    /// OFF when the condition holds, else ON.
    Unless(When),
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
            Self::Bool(_) | Self::When(_) | Self::Unless(_) | Self::Bare => Vec::new(),
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
    /// The stated type; derived from the value when absent.
    pub kind: Option<ArgumentKind>,
    /// Why.
    pub comment: Option<String>,
    /// Where it stands.
    pub span: crate::source::Span,
}

impl Decode for Argument {
    const EXPECTED: &'static str = "a value, or a mapping with `value`, `feature` or `choose`";

    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        let span = node.span;
        let scalar = |node: &Node, findings: &mut Findings| -> Option<ArgumentValue> {
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
        };
        if !matches!(node.value, Value::Map(_)) {
            return Some(Self {
                value: scalar(node, findings)?,
                when: None,
                kind: None,
                comment: None,
                span,
            });
        }
        unknown_keys(
            node,
            &["value", "feature", "unless", "choose", "then", "else", "when", "type", "comment"],
            findings,
        );
        let value = if let Some(n) = node.get("feature") {
            ArgumentValue::When(When::decode(n, findings)?)
        } else if let Some(n) = node.get("unless") {
            ArgumentValue::Unless(When::decode(n, findings)?)
        } else if let Some(n) = node.get("choose") {
            ArgumentValue::Choice(
                When::decode(n, findings)?,
                crate::decode::field(node, "then", findings)?,
                crate::decode::field(node, "else", findings)?,
            )
        } else {
            match node.get("value") {
                Some(n) => scalar(n, findings)?,
                None => {
                    return crate::decode::field::<Text>(node, "value", findings)
                        .map(|_| unreachable_argument(span));
                }
            }
        };
        Some(Self {
            value,
            when: crate::decode::field(node, "when", findings)?,
            kind: crate::decode::field(node, "type", findings)?,
            comment: crate::decode::field(node, "comment", findings)?,
            span,
        })
    }
}

/// `field` reported the missing value and gave `None`, so this is never built.
fn unreachable_argument(span: crate::source::Span) -> Argument {
    Argument { value: ArgumentValue::Bare, when: None, kind: None, comment: None, span }
}

choice! {
    /// What is done with flags.
    pub enum FlagAction {
        /// Added at the end.
        Append = "append",
        /// Added at the front.
        Prepend = "prepend",
        /// Removed, by pattern.
        Filter = "filter",
        /// Replaced, by extended regular expression.
        Replace = "replace",
        /// Link-time optimisation is turned off.
        NoLto = "no-lto",
        /// The whole variable is set.
        Set = "set",
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

/// A variable of the environment: its value, its condition, and how it joins what is there.
#[derive(Clone, Debug, PartialEq)]
pub struct EnvironmentVariable {
    /// The value.
    pub value: Text,
    /// Only under this condition.
    pub when: Option<When>,
    /// Why.
    pub comment: Option<String>,
    /// Visible inside the phase function only, where the language can say so.
    pub local: bool,
}

impl Decode for EnvironmentVariable {
    const EXPECTED: &'static str = "text, or a mapping with `value`";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        if !matches!(node.value, Value::Map(_)) {
            return Some(Self {
                value: Text::decode(node, findings)?,
                when: None,
                comment: None,
                local: false,
            });
        }
        unknown_keys(node, &["value", "when", "comment", "local"], findings);
        Some(Self {
            value: crate::decode::field(node, "value", findings)?,
            when: crate::decode::field(node, "when", findings)?,
            comment: crate::decode::field(node, "comment", findings)?,
            local: crate::decode::field(node, "local", findings)?,
        })
    }
}
