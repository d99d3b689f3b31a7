//! From YAML trees to records, collecting every fault on the way.

use crate::finding::{Finding, Findings, MAX_SHOWN};
use crate::node::{Node, Value};
use crate::source::Span;
use indexmap::IndexMap;

/// A type that can be read from a node.
pub trait Decode: Sized {
    /// What is expected, for messages: "a list of names".
    const EXPECTED: &'static str;

    /// Reads the node; faults go to `findings` and give `None`.
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self>;

    /// The value when the key is absent; `None` when the key must be there.
    fn absent() -> Option<Self> {
        None
    }
}

/// Reports that `node` is not what was expected.
pub(crate) fn wrong_type<T: Decode>(node: &Node, findings: &mut Findings) -> Option<T> {
    findings.push(
        Finding::error("E0111", node.span, format!("expected {}, found {}", T::EXPECTED, node.kind()))
            .label(format!("expected {}", T::EXPECTED)),
    );
    None
}

/// A value with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T: Decode> Decode for Spanned<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        T::decode(node, findings).map(|value| Spanned { value, span: node.span })
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
        let Value::Scalar { text, .. } = &node.value else { return wrong_type(node, findings) };
        // A node that was parsed was looked at already; one that was made is looked at here.
        if let Some(odd) = crate::node::illegible(text, node.span, &['\n', '\t']) {
            findings.push(odd);
            return None;
        }
        Some(text.to_string())
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
}

impl Decode for u64 {
    const EXPECTED: &'static str = "a whole number";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        match &node.value {
            Value::Scalar { text, plain: true } => text.parse().ok().or_else(|| wrong_type(node, findings)),
            _ => wrong_type(node, findings),
        }
    }
}

impl<T: Decode> Decode for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        if node.value == Value::Null { Some(None) } else { T::decode(node, findings).map(Some) }
    }
    fn absent() -> Option<Self> {
        Some(None)
    }
}

impl<T: Decode> Decode for Box<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        T::decode(node, findings).map(Box::new)
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
}

/// One value or a list of them: `when: [a, b]` and `when: a` alike.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOrMany<T>(pub Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Decode> Decode for OneOrMany<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        match node.value {
            Value::Seq(_) => Vec::decode(node, findings).map(OneOrMany),
            _ => T::decode(node, findings).map(|v| OneOrMany(vec![v])),
        }
    }
    fn absent() -> Option<Self> {
        Some(Self::default())
    }
}

/// The same where nothing at all would make no sense.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOrMore<T>(pub Vec<T>);

impl<T: Decode> Decode for OneOrMore<T> {
    const EXPECTED: &'static str = T::EXPECTED;
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        let OneOrMany(list) = OneOrMany::decode(node, findings)?;
        if list.is_empty() {
            let finding = Finding::error("E0113", node.span, "an empty list names nothing");
            findings.push(finding.label(format!("expected {}, or a list of it", T::EXPECTED)));
            return None;
        }
        Some(Self(list))
    }
}

/// Reads the field `key` of a mapping, or its type's value when absent.
pub(crate) fn field<T: Decode>(node: &Node, key: &str, findings: &mut Findings) -> Option<T> {
    field_or(node, key, T::absent, findings)
}

/// Reads the field `key` of a mapping, or what stands for it when absent; none where it must be there.
pub(crate) fn field_or<T: Decode>(
    node: &Node,
    key: &str,
    absent: impl FnOnce() -> Option<T>,
    findings: &mut Findings,
) -> Option<T> {
    match node.get(key) {
        Some(n) if n.value != Value::Null => T::decode(n, findings),
        _ => absent().or_else(|| {
            findings.push(
                Finding::error(
                    "E0113",
                    Span { end: node.span.start, ..node.span },
                    format!("`{key}` is missing"),
                )
                .label(format!("expected `{key}`: {}", T::EXPECTED)),
            );
            None
        }),
    }
}

/// Reports every key of a mapping that is not in `known`.
pub(crate) fn unknown_keys(node: &Node, known: &[&str], findings: &mut Findings) {
    // A key without a name was no text, which was said already.
    let named = node.entries().iter().map(|(key, _)| key).filter(|key| !key.name.is_empty());
    for (i, key) in named.filter(|key| !known.contains(&key.name.as_str())).enumerate() {
        let finding = Finding::error("E0110", key.span, format!("unknown key `{}`", key.name));
        // More of them than are ever shown need no help each.
        findings.push(if i < MAX_SHOWN {
            let expected = finding.label(format!("expected one of: {}", known.join(", ")));
            expected.nearest(&key.name, known.iter().copied())
        } else {
            finding
        });
    }
}

/// The text of a documentation comment; nothing for any other attribute.
macro_rules! doc_line {
    (doc = $text:expr) => {
        $text
    };
    ($($other:tt)*) => {
        ""
    };
}
pub(crate) use doc_line;

/// Declares a record, how it is read, and what it looks like: a mapping with exactly these keys, `_` written as `-`.
macro_rules! record {
    ($(#[$($meta:tt)*])* pub struct $name:ident { $($(#[$($fmeta:tt)*])* $field:ident $(as $key:literal)? : $ty:ty $(= $default:expr)?,)* }) => {
        $(#[$($meta)*])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[$($fmeta)*])* pub $field: $ty,)* }

        impl $crate::describe::Describe for $name {
            fn shape(book: &mut $crate::describe::Book) -> $crate::describe::Shape {
                book.define(stringify!($name), |book| $crate::describe::Definition {
                    doc: $crate::describe::doc(&[$($crate::decode::doc_line!($($meta)*),)*]),
                    fields: vec![$($crate::describe::Field {
                        key: $crate::decode::record!(@key $field $($key)?),
                        doc: $crate::describe::doc(&[$($crate::decode::doc_line!($($fmeta)*),)*]),
                        shape: <$ty as $crate::describe::Describe>::shape(book),
                        required: $crate::decode::record!(@absent $ty $(, $default)?).is_none(),
                    },)*],
                    ..$crate::describe::Definition::default()
                })
            }
        }

        impl $crate::decode::Decode for $name {
            const EXPECTED: &'static str = "a mapping";
            fn decode(node: &$crate::node::Node, findings: &mut $crate::finding::Findings) -> Option<Self> {
                if !matches!(node.value, $crate::node::Value::Map(_)) {
                    return $crate::decode::wrong_type(node, findings);
                }
                let keys = [$($crate::decode::record!(@key $field $($key)?),)*];
                let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
                $crate::decode::unknown_keys(node, &keys, findings);
                $(let $field = $crate::decode::field_or::<$ty>(node, &$crate::decode::record!(@key $field $($key)?), || $crate::decode::record!(@absent $ty $(, $default)?), findings);)*
                Some(Self { $($field: $field?,)* })
            }
        }
    };
    (@key $field:ident) => { stringify!($field).replace('_', "-") };
    (@key $field:ident $key:literal) => { String::from($key) };
    (@absent $ty:ty) => { <$ty as $crate::decode::Decode>::absent() };
    (@absent $ty:ty, $default:expr) => { Some::<$ty>($default) };
}
pub(crate) use record;

/// Declares a choice among fixed words, how it is read, and what it looks like.
macro_rules! choice {
    ($(#[$($meta:tt)*])* pub enum $name:ident { $($(#[$($vmeta:tt)*])* $variant:ident = $word:literal,)* }) => {
        $(#[$($meta)*])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum $name { $($(#[$($vmeta)*])* $variant,)* }

        impl $crate::describe::Describe for $name {
            fn shape(book: &mut $crate::describe::Book) -> $crate::describe::Shape {
                book.define(stringify!($name), |_| $crate::describe::Definition {
                    doc: $crate::describe::doc(&[$($crate::decode::doc_line!($($meta)*),)*]),
                    words: vec![$($crate::describe::Word {
                        word: $word,
                        doc: $crate::describe::doc(&[$($crate::decode::doc_line!($($vmeta)*),)*]),
                    },)*],
                    ..$crate::describe::Definition::default()
                })
            }
        }

        impl $name {
            /// All choices in order.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// The word in YAML.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word,)* }
            }
        }

        impl $crate::decode::Decode for $name {
            const EXPECTED: &'static str = concat!("one of:" $(, " ", $word)*);
            fn decode(node: &$crate::node::Node, findings: &mut $crate::finding::Findings) -> Option<Self> {
                match node.text() {
                    $(Some($word) => Some(Self::$variant),)*
                    Some(other) => {
                        findings.push(
                            $crate::finding::Finding::error("E0114", node.span, format!("unknown word `{other}`"))
                                .label(<Self as $crate::decode::Decode>::EXPECTED)
                                .nearest(other, [$($word,)*]),
                        );
                        None
                    }
                    None => $crate::decode::wrong_type(node, findings),
                }
            }
        }
    };
}
pub(crate) use choice;
