//! The form of each record in YAML, as the record declares it. The schemas for editors, the
//! reference of all keys (`profiles/reference.md`) and the search for unused keys are made from
//! these descriptions.

use crate::node::{Node, Value};
use indexmap::IndexMap;

/// The form of a value in a YAML file. `~` is allowed as the value of any key, so no shape mentions
/// it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A scalar that is kept as written. The text describes the expected value.
    Text(&'static str),
    /// `true` or `false`.
    Flag,
    /// A whole number, 0 or greater.
    Number,
    /// A list of values, each of this shape.
    List(Box<Shape>),
    /// A mapping from names to values of this shape.
    Mapping(Box<Shape>),
    /// One value of this shape, or a list of such values.
    OneOrMany(Box<Shape>),
    /// A `List` or `OneOrMany` whose list must have at least one element.
    Filled(Box<Shape>),
    /// The definition with this name in the [`Book`].
    Named(&'static str),
}

/// A key of a record in YAML, with its meaning and form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The key as it is written in YAML.
    pub key: &'static str,
    /// The meaning of the key.
    pub doc: &'static str,
    /// The shape of the value.
    pub shape: Shape,
    /// Set if the key must be present after all layers are merged.
    pub required: bool,
}

/// One of the words that are allowed as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word as it is written in YAML.
    pub word: &'static str,
    /// The meaning of the word.
    pub doc: &'static str,
}

/// A named type: a mapping with these fields, one of these words, or a value of one of these forms.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Definition {
    /// The name of the type.
    pub name: &'static str,
    /// A description of the type.
    pub doc: String,
    /// The keys. Empty if no mapping is allowed.
    pub fields: Vec<Field>,
    /// The words that are allowed as the value.
    pub words: Vec<Word>,
    /// The other shapes that are allowed for the value.
    pub forms: Vec<Shape>,
}

/// A key as a record declares it, from which a [`Field`] is made.
pub(crate) struct Declared {
    pub(crate) key: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) shape: fn(&mut Book) -> Shape,
    pub(crate) required: fn() -> bool,
}

/// The declaration of a record, from which a [`Definition`] is made.
pub(crate) struct Record {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    pub(crate) fields: &'static [Declared],
    pub(crate) words: &'static [Word],
    pub(crate) forms: &'static [fn(&mut Book) -> Shape],
}

/// Lists that may be absent but not empty, each as a record and its key.
const FILLED: [(&str, &str); 4] = [
    ("Constraint", "any-of"),
    ("Constraint", "at-most-one"),
    ("Constraint", "exactly-one"),
    ("Edge", "kind"),
];

/// The definitions of a type and of all types that it contains, in the order in which they are
/// reached.
#[derive(Clone, Debug, Default)]
pub struct Book {
    pub(crate) definitions: IndexMap<&'static str, Definition>,
}

impl Book {
    /// Returns the definition with this name, or `None` if the book has none.
    pub fn get(&self, name: &str) -> Option<&Definition> {
        self.definitions.get(name)
    }

    /// Returns all definitions of the book, in the order in which they are reached.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.definitions.values()
    }

    /// Adds the definition that `make` returns, unless the book already has a definition of this
    /// name or is making it. A record may contain itself. Returns the shape that refers to the
    /// definition.
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

    /// Adds the definition of a record or a choice, made from its declaration. Returns the shape
    /// that refers to the definition.
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

    /// Calls `seen` for every key of a record in the tree `node`, whose form is `shape`. `seen`
    /// gets the record's definition, the field of the key, and the value under the key.
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

    /// Returns true if `node` is of the kind that `shape` describes: a list, a mapping or a scalar.
    /// Elements of lists and values of mappings are not compared.
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
    /// Returns the field with this key, or `None` if the definition has no such field.
    pub fn field(&self, key: &str) -> Option<&Field> {
        self.fields.iter().find(|f| f.key == key)
    }

    /// Returns true if `node` is a mapping whose keys are all fields of the definition. A
    /// definition without fields matches no node.
    fn knows_all_keys(&self, node: &Node) -> bool {
        !self.fields.is_empty()
            && matches!(node.value, Value::Map(_))
            && node
                .entries()
                .iter()
                .all(|(key, _)| self.field(&key.name).is_some())
    }
}
