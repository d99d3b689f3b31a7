//! What the records look like in YAML, as the records tell it themselves: for schemas, for the
//! reference of all keys, and to find the keys that nobody uses.

use crate::node::{Node, Value};
use indexmap::IndexMap;

/// What may stand in a place of a YAML file. `~` may stand wherever a key has a value, and is not
/// told here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar that is kept as written; the words say what is expected.
    Text(&'static str),
    /// true or false.
    Flag,
    /// A whole number from 0 on.
    Number,
    /// A list.
    List(Box<Shape>),
    /// A mapping of names.
    Mapping(Box<Shape>),
    /// One value, or a list of them.
    OneOrMany(Box<Shape>),
    /// One of these two, where a list has at least one element.
    Filled(Box<Shape>),
    /// A definition of the book.
    Named(&'static str),
}

/// A key of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key.
    pub key: &'static str,
    /// What it means.
    pub doc: &'static str,
    /// What stands under it.
    pub shape: Shape,
    /// It must be there once all layers are laid over each other.
    pub required: bool,
}

/// A word of a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub word: &'static str,
    /// What it means.
    pub doc: &'static str,
}

/// A type with a name: a mapping with these fields, or one of these words, or one of the forms.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Definition {
    /// The name of the type.
    pub name: &'static str,
    /// What it is.
    pub doc: String,
    /// The keys, when it may be a mapping.
    pub fields: Vec<Field>,
    /// The words that may stand there.
    pub words: Vec<Word>,
    /// What else may stand there.
    pub forms: Vec<Shape>,
}

/// A key as a record declares it.
pub(crate) struct Declared {
    pub(crate) key: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) shape: fn(&mut Book) -> Shape,
    pub(crate) required: fn() -> bool,
}

/// What a record declares: see [`Definition`].
pub(crate) struct Record {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) fields: &'static [Declared],
    pub(crate) words: &'static [Word],
    pub(crate) forms: &'static [fn(&mut Book) -> Shape],
}

/// Lists that may be left out, and name something where they stand: the record and the key.
const FILLED: [(&str, &str); 4] = [
    ("Constraint", "any-of"),
    ("Constraint", "at-most-one"),
    ("Constraint", "exactly-one"),
    ("Edge", "kind"),
];

/// All definitions that a type needs, itself included, in the order in which they are met.
#[derive(Clone, Debug, Default)]
pub struct Book {
    pub(crate) definitions: IndexMap<&'static str, Definition>,
}

impl Book {
    /// The definition with this name.
    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name)
    }

    /// All definitions.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// Adds a definition, unless it is there or on its way already: a record may hold itself.
    pub(crate) fn define(
        &mut self,
        name: &'static str,
        make: &dyn Fn(&mut Self) -> Definition,
    ) -> Shape {
        if !self.definitions.contains_key(name) {
            self.definitions.insert(name, Definition::default());
            let mut whole = make(self);
            for field in whole
                .fields
                .iter_mut()
                .filter(|f| FILLED.contains(&(name, f.key)))
            {
                field.shape = Shape::Filled(Box::new(field.shape.clone()));
            }
            self.definitions.insert(name, Definition { name, ..whole });
        }
        Shape::Named(name)
    }

    /// Adds a record or a choice as it declares itself.
    pub(crate) fn record(&mut self, record: &Record) -> Shape {
        self.define(record.name, &|book| Definition {
            name: record.name,
            doc: record.doc.to_owned(),
            fields: (record.fields.iter())
                .map(|f| Field {
                    key: f.key,
                    doc: f.doc,
                    shape: (f.shape)(book),
                    required: (f.required)(),
                })
                .collect(),
            words: record.words.to_vec(),
            forms: record.forms.iter().map(|form| form(book)).collect(),
        })
    }

    /// Calls `seen` with the record, the key and the value for every key of a record in a tree.
    pub fn walk<'b>(
        &'b self,
        shape: &'b Shape,
        node: &Node,
        seen: &mut dyn FnMut(&'b Definition, &'b Field, &Node),
    ) {
        match (shape, &node.value) {
            (Shape::List(inner) | Shape::OneOrMany(inner), Value::Seq(items)) => {
                for item in items {
                    self.walk(inner, item, seen);
                }
            }
            (Shape::Mapping(inner), Value::Map(entries)) => {
                for (_, value) in entries {
                    self.walk(inner, value, seen);
                }
            }
            (Shape::OneOrMany(inner) | Shape::Filled(inner), _) => self.walk(inner, node, seen),
            (Shape::Named(name), _) => {
                let Some(definition) = self.get(name) else {
                    return;
                };
                let form = definition.forms.iter().find(|form| self.fits(form, node));
                match form {
                    Some(form) if !definition.knows_all_keys(node) => self.walk(form, node, seen),
                    _ => {
                        for (key, value) in node.entries() {
                            let Some(field) = definition.field(&key.name) else {
                                continue;
                            };
                            seen(definition, field, value);
                            self.walk(&field.shape, value, seen);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a node looks like this shape from outside.
    fn fits(&self, shape: &Shape, node: &Node) -> bool {
        match (shape, &node.value) {
            (Shape::List(_) | Shape::OneOrMany(_), Value::Seq(_))
            | (Shape::Mapping(_), Value::Map(_))
            | (Shape::Text(_) | Shape::Flag | Shape::Number, Value::Scalar { .. }) => true,
            (Shape::OneOrMany(inner) | Shape::Filled(inner), _) => self.fits(inner, node),
            (Shape::Named(name), _) => self.get(name).is_some_and(|d| {
                d.knows_all_keys(node)
                    || node
                        .text()
                        .is_some_and(|text| d.words.iter().any(|w| w.word == text))
                    || d.forms.iter().any(|form| self.fits(form, node))
            }),
            _ => false,
        }
    }
}

impl Definition {
    /// The field under this key.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.key == key)
    }

    /// Whether the node is a mapping, and has no key that is not a field.
    fn knows_all_keys(&self, node: &Node) -> bool {
        !self.fields.is_empty()
            && matches!(node.value, Value::Map(_))
            && node
                .entries()
                .iter()
                .all(|(key, _)| self.field(&key.name).is_some())
    }
}
