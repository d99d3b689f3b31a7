//! A model as trees, the places in it where a string can stand, and the text that it is written as.

use crate::hostile::{Dice, Hostile};
use rocpkg::model::{Book, Definition, Field, FileKind, Files, Findings, Node, Shape, Value, parse};

/// A tree of YAML.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Null,
    /// A scalar; one that is plain stands without quotes.
    Scalar(String, bool),
    Seq(Vec<Tree>),
    Map(Vec<(String, Tree)>),
}

impl Tree {
    fn of(node: &Node) -> Self {
        match &node.value {
            Value::Null => Self::Null,
            Value::Scalar { text, plain } => Self::Scalar(text.to_string(), *plain),
            Value::Seq(items) => Self::Seq(items.iter().map(Self::of).collect()),
            Value::Map(entries) => {
                Self::Map(entries.iter().map(|(k, v)| (k.name.to_string(), Self::of(v))).collect())
            }
        }
    }

    fn child(&mut self, at: usize) -> &mut (String, Tree) {
        let Self::Map(entries) = self else { panic!("no mapping") };
        &mut entries[at]
    }

    fn down(&mut self, path: &[usize]) -> &mut Tree {
        path.iter().fold(self, |tree, at| match tree {
            Self::Seq(items) => &mut items[*at],
            tree => &mut tree.child(*at).1,
        })
    }
}

/// What is done at a place.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// Its scalar becomes another one.
    Value,
    /// The key of the entry becomes another one.
    Key(usize),
    /// A key that the record knows and the model does not use is added.
    Add(String, Shape),
}

/// A place where a string can stand.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The file.
    pub(crate) file: usize,
    path: Vec<usize>,
    /// What is done there.
    pub(crate) change: Change,
    /// What its record and key are called, for messages.
    pub(crate) name: String,
    /// `$$` is a dollar there.
    pub(crate) references: bool,
}

/// A string that was put in, and where.
#[derive(Clone, Debug)]
pub(crate) struct Put {
    pub(crate) hostile: Hostile,
    /// `$$` is a dollar there.
    pub(crate) references: bool,
    /// The record and the key.
    pub(crate) name: String,
}

/// A change that is made: where, by what, and which strings came in.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub(crate) place: Place,
    pub(crate) strings: Vec<Put>,
    tree: Tree,
}

/// The model before anything is changed.
pub(crate) struct Base {
    pub(crate) files: Vec<(String, Tree, Shape, Book)>,
}

impl Base {
    pub(crate) fn read(files: &Files) -> Self {
        let one = |(path, text): (&String, &String)| {
            let mut findings = Findings::default();
            let node = parse(0, text, &mut findings).expect("the model is YAML");
            let (shape, book) = FileKind::of(&format!("x/{path}")).expect("a kind of profile").describe();
            (path.clone(), Tree::of(&node), shape, book)
        };
        Self { files: files.iter().map(one).collect() }
    }

    /// Every place of the model, and every key that its records could have beside those they have.
    pub(crate) fn places(&self) -> Vec<Place> {
        let mut out = Vec::new();
        for (file, (path, tree, shape, book)) in self.files.iter().enumerate() {
            let stem = path.rsplit('/').next().unwrap_or_default().trim_end_matches(".yaml");
            let mut walk = Walk { file, book, out: &mut out };
            walk.walk(shape, tree, &mut Vec::new(), stem);
        }
        out
    }

    /// The texts with these changes, and where each of them stands: the file, from and to which byte.
    pub(crate) fn written(&self, edits: &[Edit]) -> (Files, Vec<(String, usize, usize)>) {
        let mut files = Files::new();
        let mut ranges = vec![(String::new(), 0, 0); edits.len()];
        for (file, (path, tree, ..)) in self.files.iter().enumerate() {
            let mut tree = tree.clone();
            // Marks stand around what is changed until the text is written.
            let here = edits.iter().enumerate().filter(|(_, e)| e.place.file == file);
            for (number, edit) in here.clone().filter(|(_, e)| !matches!(e.place.change, Change::Key(_))) {
                let at = tree.down(&edit.place.path);
                match &edit.place.change {
                    Change::Add(key, _) => {
                        let Tree::Map(entries) = at else { panic!("no mapping") };
                        entries.push((format!("{number}\u{1}{key}"), edit.tree.clone()));
                    }
                    _ => *at = Tree::Map(vec![(format!("{number}\u{2}"), edit.tree.clone())]),
                }
            }
            for (number, edit) in here {
                if let (Change::Key(at), Tree::Scalar(text, _)) = (&edit.place.change, &edit.tree) {
                    // An entry below may have been changed: its own key is another thing.
                    tree.down(&edit.place.path).child(*at).0 = format!("{number}\u{3}{text}");
                }
            }
            let mut out = String::new();
            let mut mark = |number: usize, start: usize, end: usize| {
                ranges[number] = (path.clone(), start, end);
            };
            print(&tree, &mut out, &mut mark);
            out.push('\n');
            files.insert(path.clone(), out);
        }
        (files, ranges)
    }

    /// A change at a place, its strings numbered from `next` on.
    pub(crate) fn edit(&self, place: &Place, next: &mut usize, dice: &mut Dice) -> Edit {
        let book = &self.files[place.file].3;
        let name = place.name.clone();
        let mut make = Make { book, next, dice, strings: Vec::new(), name };
        let tree = match &place.change {
            Change::Add(_, shape) => make.tree(shape, 0),
            Change::Value | Change::Key(_) => make.hostile(place.references),
        };
        Edit { place: place.clone(), strings: make.strings, tree }
    }
}

struct Walk<'a> {
    file: usize,
    book: &'a Book,
    out: &'a mut Vec<Place>,
}

impl Walk<'_> {
    fn add(&mut self, path: &[usize], change: Change, name: &str, references: bool) {
        let place = Place { file: self.file, path: path.to_vec(), change, name: name.to_owned(), references };
        self.out.push(place);
    }

    fn walk(&mut self, shape: &Shape, tree: &Tree, path: &mut Vec<usize>, name: &str) {
        match (shape, tree) {
            (Shape::Text(what), Tree::Scalar(..)) => {
                self.add(path, Change::Value, name, *what == "text with references");
            }
            (Shape::List(inner) | Shape::OneOrMany(inner), Tree::Seq(items)) => {
                for (i, item) in items.iter().enumerate() {
                    path.push(i);
                    self.walk(inner, item, path, name);
                    path.pop();
                }
            }
            (Shape::OneOrMany(inner) | Shape::Filled(inner), _) => self.walk(inner, tree, path, name),
            (Shape::Mapping(inner), Tree::Map(entries)) => {
                for (i, (key, value)) in entries.iter().enumerate() {
                    self.add(path, Change::Key(i), &format!("{name}.{key}"), false);
                    path.push(i);
                    self.walk(inner, value, path, name);
                    path.pop();
                }
            }
            (Shape::Named(record), _) => {
                let Some(definition) = self.book.get(record) else { return };
                self.named(definition, tree, path, name);
            }
            _ => {}
        }
    }

    fn named(&mut self, definition: &Definition, tree: &Tree, path: &mut Vec<usize>, name: &str) {
        match tree {
            Tree::Map(entries)
                if !definition.fields.is_empty()
                    && entries.iter().all(|(k, _)| definition.field(k).is_some()) =>
            {
                for (i, (key, value)) in entries.iter().enumerate() {
                    let Some(field) = definition.field(key) else { continue };
                    path.push(i);
                    self.walk(&field.shape, value, path, &format!("{}.{key}", definition.name));
                    path.pop();
                }
                for field in definition.fields.iter().filter(|f| entries.iter().all(|(k, _)| *k != f.key)) {
                    let name = format!("{}.{}", definition.name, field.key);
                    self.add(path, Change::Add(field.key.to_owned(), field.shape.clone()), &name, false);
                }
            }
            Tree::Scalar(text, _) if definition.words.iter().any(|w| w.word == text) => {}
            _ => {
                let fits = |form: &&Shape| {
                    matches!(
                        (form, tree),
                        (Shape::Text(_), Tree::Scalar(..))
                            | (Shape::List(_) | Shape::OneOrMany(_), Tree::Seq(_))
                            | (Shape::Mapping(_), Tree::Map(_))
                    )
                };
                if let Some(form) = definition.forms.iter().find(fits) {
                    self.walk(form, tree, path, name);
                }
            }
        }
    }
}

/// Makes what a shape asks for.
struct Make<'a> {
    book: &'a Book,
    next: &'a mut usize,
    dice: &'a mut Dice,
    strings: Vec<Put>,
    name: String,
}

impl Make<'_> {
    fn hostile(&mut self, references: bool) -> Tree {
        *self.next += 1;
        let made = Hostile::new(*self.next, self.dice);
        let text = made.written.clone();
        self.strings.push(Put { hostile: made, references, name: self.name.clone() });
        Tree::Scalar(text, false)
    }

    fn tree(&mut self, shape: &Shape, depth: usize) -> Tree {
        match shape {
            Shape::Text("condition") => Tree::Scalar("test".into(), true),
            Shape::Text("range of releases") => Tree::Scalar("*".into(), false),
            Shape::Text(what) => self.hostile(*what == "text with references"),
            Shape::Flag => Tree::Scalar(if self.dice.one_in(2) { "true" } else { "false" }.into(), true),
            Shape::Number => Tree::Scalar("1".into(), true),
            Shape::List(inner) => {
                Tree::Seq((0..=self.dice.below(2)).map(|_| self.tree(inner, depth + 1)).collect())
            }
            Shape::OneOrMany(inner) | Shape::Filled(inner) => self.tree(inner, depth),
            Shape::Mapping(inner) => {
                let Tree::Scalar(key, _) = (if self.dice.one_in(2) {
                    self.hostile(false)
                } else {
                    Tree::Scalar(
                        self.dice.pick(&["main", "test", "_name", "NAME", "configure", "build"]).into(),
                        true,
                    )
                }) else {
                    return Tree::Null;
                };
                let value = self.tree(inner, depth + 1);
                Tree::Map(vec![(key, value)])
            }
            Shape::Named(name) => self.named(name, depth),
        }
    }

    fn named(&mut self, name: &str, depth: usize) -> Tree {
        let Some(definition) = self.book.get(name) else { return Tree::Null };
        let choices = definition.words.len();
        if choices > 0 && (definition.fields.is_empty() || self.dice.one_in(4)) {
            return Tree::Scalar(definition.words[self.dice.below(choices)].word.into(), true);
        }
        if !definition.forms.is_empty() && (definition.fields.is_empty() || depth > 3 || self.dice.one_in(2))
        {
            let form = &definition.forms[self.dice.below(definition.forms.len())];
            return self.tree(form, depth + 1);
        }
        let mut entries = Vec::new();
        if name == "Step" {
            let actions = rocpkg::model::ACTIONS;
            // Steps within steps end somewhere.
            let action = if depth > 4 { "run" } else { self.dice.pick(actions) };
            let field = definition.field(action).expect("each action is described");
            entries.push((field.key.to_owned(), self.below(name, field, depth)));
            return Tree::Map(entries);
        }
        for field in &definition.fields {
            if field.required || (depth < 3 && self.dice.one_in(3)) {
                entries.push((field.key.to_owned(), self.below(name, field, depth)));
            }
        }
        Tree::Map(entries)
    }

    fn below(&mut self, record: &str, field: &Field, depth: usize) -> Tree {
        let outer = std::mem::replace(&mut self.name, format!("{record}.{}", field.key));
        let made = self.tree(&field.shape, depth + 1);
        self.name = outer;
        made
    }
}

/// Writes a tree in the flow style, and tells where each marked part of it stands.
fn print(tree: &Tree, out: &mut String, mark: &mut dyn FnMut(usize, usize, usize)) {
    match tree {
        Tree::Null => out.push('~'),
        // Only words and numbers mean something else in quotes.
        Tree::Scalar(text, true) if text.bytes().all(|b| b.is_ascii_alphanumeric()) => out.push_str(text),
        Tree::Scalar(text, _) => quote(text, out),
        Tree::Seq(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { ", " } else { "" });
                print(item, out, mark);
            }
            out.push(']');
        }
        Tree::Map(entries) => {
            if let [(key, value)] = entries.as_slice()
                && let Some(number) = key.strip_suffix('\u{2}')
            {
                let start = out.len();
                print(value, out, mark);
                return mark(number.parse().expect("a number"), start, out.len());
            }
            out.push('{');
            for (i, (key, value)) in entries.iter().enumerate() {
                out.push_str(if i > 0 { ",\n" } else { "\n" });
                let start = out.len();
                let added = key.split_once('\u{1}');
                let renamed = key.split_once('\u{3}');
                let plain = added.or(renamed).map_or(key.as_str(), |(_, key)| key);
                quote(plain, out);
                if let Some((number, _)) = renamed {
                    mark(number.parse().expect("a number"), start, out.len());
                }
                out.push_str(": ");
                print(value, out, mark);
                if let Some((number, _)) = added {
                    mark(number.parse().expect("a number"), start, out.len());
                }
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || ('\u{2000}'..='\u{20ff}').contains(&c) => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
