//! Writes trees as YAML, and makes values of records that have no place in a file.

use crate::decode::Spanned;
use crate::node::{Node, Value};
use crate::source::Span;
use std::fmt;

/// Prints a node as YAML on one line. Each text is in quotes, so that it is not read as another
/// type.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Value::Null => f.write_str("~"),
            Value::Scalar { text, plain: true } => f.write_str(text),
            Value::Scalar { text, plain: false } => quoted(text, f),
            Value::Seq(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Value::Map(entries) => {
                f.write_str("{")?;
                for (i, (key, value)) in entries.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    quoted(&key.name, f)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Writes a text between double quotes, in a form that JSON and YAML both read.
fn quoted(text: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' | '\\' => write!(f, "\\{c}")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            c if c.is_control() => write!(f, "\\u{:04x}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}

/// Creates a value that has no place in a file.
impl<T> From<T> for Spanned<T> {
    fn from(value: T) -> Self {
        Self {
            value,
            span: Span::default(),
        }
    }
}

impl From<&str> for Spanned<String> {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}
