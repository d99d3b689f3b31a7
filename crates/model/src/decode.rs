//! Reads records from YAML trees. All faults of a tree are reported, not only the first one.

use crate::describe::{Book, Declared, Record, Shape, Word};
use crate::finding::{Finding, Findings, MAX_SHOWN};
use crate::node::{Key, Node, Value};
use crate::source::Span;
use crate::type_mismatch::{missing, no_mapping, not_expected};
use indexmap::IndexMap;
use std::borrow::Cow;

/// A type that can be read from a node, and that describes its own form in YAML.
pub trait Decode: Sized {
    /// A description of the expected value for messages, such as "a list".
    const EXPECTED: &'static str;

    /// Reads a value from `node`, and adds each fault to `findings`. Returns `None` if no value can
    /// be read.
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self>;

    /// Returns the value for an absent key, or `None` if the key is required.
    fn absent() -> Option<Self> {
        None
    }

    /// Returns the shape of the type. Adds the named definitions that the shape needs to `book`.
    fn shape(book: &mut Book) -> Shape;
}

impl Declared {
    /// Creates the declaration of a key that may be left out.
    pub(crate) const fn optional<T: Decode>(key: &'static str, doc: &'static str) -> Self {
        Self {
            key,
            doc,
            shape: T::shape,
            required: || false,
        }
    }
}

/// Reports that `node` is not of the type `T`. Always returns `None`.
pub(crate) fn wrong_type<T: Decode>(node: &Node, findings: &mut Findings) -> Option<T> {
    not_expected(node, T::EXPECTED, findings);
    None
}

/// A value and its place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// The place of the value in its file.
    pub span: Span,
}

impl<T: Decode> Decode for Spanned<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        T::decode(node, findings).map(|value| Spanned {
            value,
            span: node.span,
        })
    }
    fn shape(book: &mut Book) -> Shape {
        T::shape(book)
    }
}

impl<T: std::fmt::Display> std::fmt::Display for Spanned<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.value.fmt(f)
    }
}

impl Decode for String {
    const EXPECTED: &'static str = "text";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        let Value::Scalar { text, .. } = &node.value else {
            return wrong_type(node, findings);
        };
        // The parser has already checked the text of a parsed node. The text of a node that was
        // made in code is checked here.
        if let Some(odd) = crate::node::illegible(text, node.span, &['\n', '\t']) {
            findings.push(odd);
            return None;
        }
        Some(text.to_string())
    }
    fn shape(_: &mut Book) -> Shape {
        Shape::Text("text")
    }
}

impl Decode for bool {
    const EXPECTED: &'static str = "true or false";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        match &node.value {
            Value::Scalar { text, plain: true } if text == "true" => Some(true),
            Value::Scalar { text, plain: true } if text == "false" => Some(false),
            _ => wrong_type(node, findings),
        }
    }
    fn absent() -> Option<Self> {
        Some(false)
    }
    fn shape(_: &mut Book) -> Shape {
        Shape::Flag
    }
}

impl Decode for u64 {
    const EXPECTED: &'static str = "a whole number";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        match &node.value {
            Value::Scalar { text, plain: true } => {
                text.parse().ok().or_else(|| wrong_type(node, findings))
            }
            _ => wrong_type(node, findings),
        }
    }
    fn shape(_: &mut Book) -> Shape {
        Shape::Number
    }
}

impl<T: Decode> Decode for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        if node.value == Value::Null {
            Some(None)
        } else {
            T::decode(node, findings).map(Some)
        }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
    fn shape(book: &mut Book) -> Shape {
        T::shape(book)
    }
}

impl<T: Decode> Decode for Vec<T> {
    const EXPECTED: &'static str = "a list";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        match &node.value {
            Value::Null => Some(Vec::new()),
            // A fault in one item must not hide the faults of the others.
            Value::Seq(items) => {
                let read: Vec<_> = items.iter().map(|n| T::decode(n, findings)).collect();
                read.into_iter().collect()
            }
            _ => wrong_type(node, findings),
        }
    }
    fn absent() -> Option<Self> {
        Some(Vec::new())
    }
    fn shape(book: &mut Book) -> Shape {
        Shape::List(Box::new(T::shape(book)))
    }
}

impl<T: Decode> Decode for IndexMap<String, T> {
    const EXPECTED: &'static str = "a mapping";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        match &node.value {
            Value::Null => Some(IndexMap::new()),
            Value::Map(entries) => {
                let mut out = IndexMap::new();
                let mut whole = true;
                for (key, value) in entries {
                    match T::decode(value, findings) {
                        Some(v) => {
                            out.insert(key.name.to_string(), v);
                        }
                        None => whole = false,
                    }
                }
                whole.then_some(out)
            }
            _ => wrong_type(node, findings),
        }
    }
    fn absent() -> Option<Self> {
        Some(IndexMap::new())
    }
    fn shape(book: &mut Book) -> Shape {
        Shape::Mapping(Box::new(T::shape(book)))
    }
}

/// One value or a list of values. Both `licence: MIT` and `licence: [MIT, BSD]` can be read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T: Decode> Decode for OneOrMany<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        match node.value {
            Value::Seq(_) => Vec::decode(node, findings).map(OneOrMany),
            _ => T::decode(node, findings).map(|v| OneOrMany(vec![v])),
        }
    }
    fn absent() -> Option<Self> {
        Some(Self(Vec::new()))
    }
    fn shape(book: &mut Book) -> Shape {
        Shape::OneOrMany(Box::new(T::shape(book)))
    }
}

/// One value or a list of values, like [`OneOrMany`]. An empty list is an error.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OneOrMore<T>(pub Vec<T>);

impl<T> From<OneOrMore<T>> for Vec<T> {
    fn from(list: OneOrMore<T>) -> Self {
        list.0
    }
}

impl<T: Decode> Decode for OneOrMore<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        let OneOrMany(list) = OneOrMany::decode(node, findings)?;
        if list.is_empty() {
            let finding = Finding::error("E0113", node.span, "the list is empty");
            findings.push(finding.label(format!(
                "expected {}, or a list that is not empty",
                T::EXPECTED
            )));
            return None;
        }
        Some(Self(list))
    }
    fn shape(book: &mut Book) -> Shape {
        Shape::Filled(Box::new(OneOrMany::<T>::shape(book)))
    }
}

/// Reads the value under `key` of the mapping `node`. If the key is absent or its value is null,
/// returns `T::absent()`. If that is `None`, the key is required, and the missing key is reported.
pub(crate) fn field<T: Decode>(node: &Node, key: &str, findings: &mut Findings) -> Option<T> {
    field_or(node, key, T::absent(), findings)
}

/// Reads the value under `key` of the mapping `node`. If the key is absent or its value is null,
/// returns `absent`. If `absent` is `None`, the key is required, and the missing key is reported.
pub(crate) fn field_or<T: Decode>(
    node: &Node,
    key: &str,
    absent: Option<T>,
    findings: &mut Findings,
) -> Option<T> {
    match node.get(key) {
        Some(n) if n.value != Value::Null => T::decode(n, findings),
        _ => {
            if absent.is_none() {
                missing(node, key, T::EXPECTED, findings);
            }
            absent
        }
    }
}

/// Returns the mapping that `record` is read from. Reports each key that the record does not have.
/// If `alone` is given, a node that is no mapping becomes a mapping with this node under the key
/// `alone`: `MIT` -> `{value: MIT}`. Otherwise the node is reported, and `None` is returned.
pub(crate) fn mapping<'n>(
    node: &'n Node,
    record: &Record,
    alone: Option<&str>,
    findings: &mut Findings,
) -> Option<Cow<'n, Node>> {
    match (&node.value, alone) {
        (Value::Map(_), _) => {
            unknown_keys(node, record, findings);
            Some(Cow::Borrowed(node))
        }
        (_, Some(key)) => {
            let key = Key {
                name: key.into(),
                span: node.span,
            };
            Some(Cow::Owned(Node {
                span: node.span,
                value: Value::Map(vec![(key, node.clone())]),
            }))
        }
        (_, None) => {
            findings.push(no_mapping(node, record));
            None
        }
    }
}

/// Reports every key of a mapping that the record does not have.
pub(crate) fn unknown_keys(node: &Node, record: &Record, findings: &mut Findings) {
    // A key without a name was not text. The parser has already reported it.
    let named = node
        .entries()
        .iter()
        .map(|(key, _)| key)
        .filter(|key| !key.name.is_empty());
    let unknown = named.filter(|key| record.fields.iter().all(|f| key.name != f.key));
    for (i, key) in unknown.enumerate() {
        let finding = Finding::error("E0110", key.span, format!("unknown key `{}`", key.name));
        // The search for the nearest name is slow, so only the first `MAX_SHOWN` keys get a hint.
        findings.push(if i < MAX_SHOWN {
            let known: Vec<&str> = record.fields.iter().map(|f| f.key).collect();
            let expected = finding.label(format!("expected one of: {}", known.join(", ")));
            expected.nearest(&key.name, known)
        } else {
            finding
        });
    }
}

/// Returns the index in `words` of the word that `node` contains. Reports any other node and
/// returns `None`. `expected` is the text for the message.
pub(crate) fn chosen(
    node: &Node,
    words: &[Word],
    expected: &str,
    findings: &mut Findings,
) -> Option<usize> {
    let Some(text) = node.text() else {
        not_expected(node, expected, findings);
        return None;
    };
    let found = words.iter().position(|w| w.word == text);
    if found.is_none() {
        let finding =
            Finding::error("E0114", node.span, format!("unknown word `{text}`")).label(expected);
        findings.push(finding.nearest(text, words.iter().map(|w| w.word)));
    }
    found
}

/// Returns the name of a field as bytes, with `-` for each `_`: `build_type` -> `build-type`. `N`
/// is the length of the name.
pub(crate) const fn dashed<const N: usize>(name: &str) -> [u8; N] {
    let (name, mut out, mut at) = (name.as_bytes(), [0; N], 0);
    while at < N {
        out[at] = if name[at] == b'_' { b'-' } else { name[at] };
        at += 1;
    }
    out
}

/// Expands to the lines of a doc comment as one text, and to an empty text for other attributes.
macro_rules! words_of {
    ($([$($meta:tt)*])*) => { concat!($($crate::decode::words_of!(@line $($meta)*)),*).trim_ascii() };
    (@line doc = $text:literal) => { $text };
    (@line $($other:tt)*) => { "" };
}
pub(crate) use words_of;

/// Declares a record: the struct, its reader, and its description. In YAML, a record is a mapping
/// with exactly these keys, with `-` for each `_`. With `or "key": Type`, a value of `Type` may
/// replace the mapping. It is then the value of `key`.
macro_rules! record {
    ($(#[$($meta:tt)*])* pub struct $name:ident $(or $alone:literal: $form:ty)? { $($(#[$($fmeta:tt)*])* $field:ident $(as $key:literal)? : $ty:ty $(= $default:expr)?,)* }) => {
        $(#[$($meta)*])*
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub struct $name { $($(#[$($fmeta)*])* pub $field: $ty,)* }

        /// Sets each optional key to its value when absent. Sets each required key to the default
        /// of its type.
        impl Default for $name {
            fn default() -> Self {
                Self { $($field: $crate::decode::record!(@absent $ty $(, $default)?).unwrap_or_default(),)* }
            }
        }

        impl $name {
            const RECORD: $crate::describe::Record = $crate::describe::Record {
                name: stringify!($name),
                doc: $crate::decode::words_of!($([$($meta)*])*),
                fields: &[$($crate::describe::Declared {
                    key: $crate::decode::record!(@key $field $($key)?),
                    doc: $crate::decode::words_of!($([$($fmeta)*])*),
                    shape: <$ty as $crate::decode::Decode>::shape,
                    required: || $crate::decode::record!(@absent $ty $(, $default)?).is_none(),
                },)*],
                words: &[],
                forms: &[$(<$form as $crate::decode::Decode>::shape)?],
            };
        }

        impl $crate::decode::Decode for $name {
            const EXPECTED: &'static str = "a mapping";
            fn decode(node: &$crate::node::Node, findings: &mut $crate::finding::Findings) -> Option<Self> {
                let node = $crate::decode::mapping(node, &Self::RECORD, [$($alone)?].first().copied(), findings)?;
                $(let $field = $crate::decode::field_or::<$ty>(&node, $crate::decode::record!(@key $field $($key)?), $crate::decode::record!(@absent $ty $(, $default)?), findings);)*
                Some(Self { $($field: $field?,)* })
            }
            fn shape(book: &mut $crate::describe::Book) -> $crate::describe::Shape {
                book.record(&Self::RECORD)
            }
        }
    };
    (@key $field:ident) => {{
        const DASHED: [u8; stringify!($field).len()] = $crate::decode::dashed(stringify!($field));
        const KEY: &str = match std::str::from_utf8(&DASHED) { Ok(key) => key, Err(_) => "" };
        KEY
    }};
    (@key $field:ident $key:literal) => { $key };
    (@absent $ty:ty) => { <$ty as $crate::decode::Decode>::absent() };
    (@absent $ty:ty, $default:expr) => { Some::<$ty>($default) };
}
pub(crate) use record;

/// Declares a choice among fixed words: the enum, its reader, and its description.
macro_rules! choice {
    ($(#[$($meta:tt)*])* pub enum $name:ident { $($(#[$($vmeta:tt)*])* $variant:ident = $word:literal,)* }) => {
        $(#[$($meta)*])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$($vmeta)*])* $variant,)* }

        impl $name {
            const WORDS: &'static [$crate::describe::Word] =
                &[$($crate::describe::Word { word: $word, doc: $crate::decode::words_of!($([$($vmeta)*])*) },)*];

            /// All variants in the order of their declaration.
            pub const ALL: [$name; Self::WORDS.len()] = [$($name::$variant,)*];

            /// Returns the word for the variant in YAML.
            #[must_use]
            pub fn word(self) -> &'static str {
                Self::WORDS[self as usize].word
            }
        }

        /// The default of a choice is its first variant.
        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl $crate::decode::Decode for $name {
            const EXPECTED: &'static str = concat!("one of:" $(, " ", $word)*);
            fn decode(node: &$crate::node::Node, findings: &mut $crate::finding::Findings) -> Option<Self> {
                let at = $crate::decode::chosen(node, Self::WORDS, Self::EXPECTED, findings)?;
                Self::ALL.get(at).copied()
            }
            fn shape(book: &mut $crate::describe::Book) -> $crate::describe::Shape {
                book.record(&$crate::describe::Record {
                    name: stringify!($name),
                    doc: $crate::decode::words_of!($([$($meta)*])*),
                    fields: &[],
                    words: Self::WORDS,
                    forms: &[],
                })
            }
        }
    };
}
pub(crate) use choice;
