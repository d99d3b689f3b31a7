//! Writes `profiles/reference.md`: every key of every profile file, with an example from a file
//! that has the key.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use crate::{files::find, references};
use rocpkg_model::{Definition, Field, FileKind, Findings, Node, Shape, Value, parse};

/// The number of characters up to which an example is short. A longer example is used only if no
/// short one exists.
const SHORT: usize = 70;

/// Folders with models that test hostile or extreme values. No example is taken from them.
const NO_EXAMPLES: [&str; 2] = ["tests/values/", "tests/suite/text-in-hooks/"];
/// The folder of broken fixtures, each of which causes a finding. An example from this folder is
/// used only if no other file has the key, since its value may be the broken one.
const BROKEN: &str = "tests/errors/";
/// The folders that contain files of the model, in the order in which examples are taken from them.
const FOLDERS: [&str; 3] = ["profiles/", "examples/", "tests/"];

const OPENING: &str = "\
# Every key

Generated from the records by `cargo xtask generate`. [README.md](README.md) describes where a fact belongs. Examples are taken from the files themselves.

- `~` may be the value of any key. It removes the value of a lower layer.
- A *condition* is made of features, `target:gfx942`, `release:>=7.0` and `llvm:>=24` with `!`, `&`, `|` and parentheses.
- *Text with references* may contain `${NAME}`; each distribution spells the value in its own language. `$$` is a dollar sign.
- *Required* keys must be present after all layers are merged. A single file may leave them out.
";

/// One use of a key in a file.
struct Example {
    text: String,
    path: String,
}

/// The best example of each key, by the name of the record and the key.
#[derive(Default)]
struct Uses(BTreeMap<(&'static str, String), Example>);

/// Returns the text of `profiles/reference.md`.
///
/// # Errors
/// Returns an error that lists the keys without documentation and the keys that no file
/// uses.
pub(crate) fn document(root: &Path) -> Result<String, String> {
    let uses = uses(root)?;
    let mut faults = Vec::new();
    let mut out = OPENING.to_owned();
    let mut told = BTreeSet::new();
    out += "\n| file | contents | keys |\n| --- | --- | --- |\n";
    for kind in FileKind::ALL {
        let (shape, _) = kind.describe();
        let root_name = if kind == FileKind::Component {
            "Package".to_owned()
        } else {
            name_of(&shape)
        };
        out += &format!(
            "| `{}` | {} | {} |\n",
            kind.path(),
            kind.doc(),
            link(&root_name)
        );
    }
    let (_, component) = FileKind::Component.describe();
    let shared = component.get("Component");
    for kind in FileKind::ALL
        .into_iter()
        .filter(|k| *k != FileKind::Component)
    {
        out += &match kind {
            FileKind::Overlay => {
                format!(
                    "\n## {} and {}\n",
                    FileKind::Component.path(),
                    FileKind::Overlay.path()
                )
            }
            _ => format!("\n## {}\n", kind.path()),
        };
        let (_, book) = kind.describe();
        for definition in book.iter() {
            if !told.insert(definition.name) {
                continue;
            }
            faults.extend(undocumented(definition));
            out += &section(definition, &uses, &|field| {
                definition.name == "Package" && shared.is_none_or(|c| c.field(field.key).is_none())
            });
            faults.extend(unused(definition, &uses));
        }
    }
    if faults.is_empty() {
        return Ok(out + &references::section(root)?);
    }
    Err(format!(
        "{} faults in the records\n  {}",
        faults.len(),
        faults.join("\n  ")
    ))
}

/// Collects one example of each key: the first one that is short, or else the shortest. A broken
/// fixture gives an example only if no other file has the key.
fn uses(root: &Path) -> Result<Uses, String> {
    let mut uses = Uses::default();
    let books = FileKind::ALL.map(|kind| (kind, kind.describe()));
    for (path, text) in files(root)? {
        // The first line of a broken fixture contains the path that the fixture would have in a
        // model.
        let place = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("# at: "))
            .unwrap_or(&path);
        let Some(kind) = FileKind::of(place) else {
            continue;
        };
        let Some(node) = parse(0, &text, &mut Findings::default()) else {
            continue;
        };
        let Some((_, (shape, book))) = books.iter().find(|(k, ..)| *k == kind) else {
            continue;
        };
        book.walk(shape, &node, &mut |definition, field, value| {
            uses.add(definition, field, value, &path);
        });
    }
    Ok(uses)
}

impl Uses {
    fn add(&mut self, definition: &Definition, field: &Field, value: &Node, path: &str) {
        let text = format!("{}: {}", field.key, flow(value, false));
        let entry = (record(definition.name), field.key.to_owned());
        let better = self.0.get(&entry).is_none_or(|old| {
            let (length, new) = (old.text.chars().count(), text.chars().count());
            match (old.path.starts_with(BROKEN), path.starts_with(BROKEN)) {
                (true, false) => true,
                (false, true) => false,
                _ => length > SHORT && new < length,
            }
        });
        if better && value.value != Value::Null {
            self.0.insert(
                entry,
                Example {
                    text,
                    path: path.to_owned(),
                },
            );
        }
    }
}

/// Returns the name of the record whose table lists the keys of `name`. The keys of a component are
/// listed in the table of packages.
fn record(name: &'static str) -> &'static str {
    if name == "Component" { "Package" } else { name }
}

/// Returns the paths and texts of all YAML files that may belong to a model, in the order of
/// [`FOLDERS`].
fn files(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut out = Vec::new();
    for folder in FOLDERS {
        let mut found = Vec::new();
        find(&root.join(folder), "yaml", &mut found)?;
        let path = |file: &Path| file.strip_prefix(root).map(|p| p.display().to_string());
        let mut paths: Vec<_> = found.iter().filter_map(|file| path(file).ok()).collect();
        paths.retain(|path| !NO_EXAMPLES.iter().any(|folder| path.starts_with(folder)));
        paths.sort();
        for path in paths {
            let text = fs::read_to_string(root.join(&path)).map_err(|e| format!("{path}: {e}"))?;
            out.push((path, text));
        }
    }
    Ok(out)
}

/// Returns a value in YAML's flow style, on one line: `{a: 1, b: [c, d]}`.
fn flow(node: &Node, inside: bool) -> String {
    match &node.value {
        Value::Null => "~".to_owned(),
        Value::Scalar { text, plain } => {
            let mut lines = text.trim_end().lines();
            let first = lines.next().unwrap_or_default();
            let more = if lines.next().is_some() { " …" } else { "" };
            let quoted = !more.is_empty()
                || (*plain && !(inside && first.contains([',', '[', ']', '{', '}', '#', ':'])));
            if quoted {
                format!("{first}{more}")
            } else {
                format!("{first:?}")
            }
        }
        Value::Seq(items) => {
            format!(
                "[{}]",
                items
                    .iter()
                    .map(|n| flow(n, true))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }
        Value::Map(entries) => {
            let each: Vec<_> = entries
                .iter()
                .map(|(k, n)| format!("{}: {}", k.name, flow(n, true)))
                .collect();
            format!("{{{}}}", each.join(", "))
        }
    }
}

fn section(definition: &Definition, uses: &Uses, native: &dyn Fn(&Field) -> bool) -> String {
    let mut out = format!("\n### {}\n\n{}\n", definition.name, definition.doc);
    if !definition.forms.is_empty() {
        let forms: Vec<_> = definition.forms.iter().map(kind_of).collect();
        let way = if definition.fields.is_empty() {
            "Either"
        } else {
            "Instead of a mapping"
        };
        out += &format!("{way}: {}.\n", forms.join(", or "));
    }
    if !definition.words.is_empty() {
        out += "\n| word | meaning |\n| --- | --- |\n";
        for word in &definition.words {
            out += &format!("| `{}` | {} |\n", word.word, cell(word.doc));
        }
    }
    if !definition.fields.is_empty() {
        out += "\n| key | value | meaning | example |\n| --- | --- | --- | --- |\n";
        for field in &definition.fields {
            let mut kind = kind_of(&field.shape);
            if field.required {
                kind += "; required";
            }
            if native(field) {
                kind += "; in overlays only";
            }
            let example = uses
                .0
                .get(&(definition.name, field.key.to_owned()))
                .map(shown)
                .unwrap_or_default();
            out += &format!(
                "| `{}` | {} | {} | {example} |\n",
                field.key,
                cell(&kind),
                cell(field.doc)
            );
        }
    }
    out
}

fn shown(example: &Example) -> String {
    let mut text: String = example.text.chars().take(SHORT).collect();
    if text.len() < example.text.len() {
        text += " …";
    }
    let fence = if text.contains('`') { "``" } else { "`" };
    let path = example
        .path
        .strip_prefix("profiles/")
        .map_or_else(|| format!("../{}", example.path), str::to_owned);
    let name = path.trim_start_matches("../").trim_end_matches(".yaml");
    format!("{fence}{}{fence} ([{name}]({path}))", cell(&text))
}

fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn kind_of(shape: &Shape) -> String {
    match shape {
        Shape::Text(says) => (*says).to_owned(),
        Shape::Flag => "true or false".to_owned(),
        Shape::Number => "number".to_owned(),
        Shape::List(inner) => format!("list of {}", kind_of(inner)),
        Shape::Mapping(inner) => format!("by name: {}", kind_of(inner)),
        Shape::OneOrMany(inner) => format!("{}, or a list of them", kind_of(inner)),
        Shape::Filled(inner) => kind_of(inner),
        Shape::Named(name) => link(name),
    }
}

fn link(name: &str) -> String {
    format!("[{name}](#{})", name.to_lowercase())
}

/// Returns the name of the record that a shape contains, for instance that of a list's elements.
/// Returns an empty text if the shape contains no record.
fn name_of(shape: &Shape) -> String {
    match shape {
        Shape::List(inner)
        | Shape::Mapping(inner)
        | Shape::OneOrMany(inner)
        | Shape::Filled(inner) => name_of(inner),
        Shape::Named(name) => (*name).to_owned(),
        Shape::Text(_) | Shape::Flag | Shape::Number => String::new(),
    }
}

fn undocumented(definition: &Definition) -> Vec<String> {
    let name = definition.name;
    let whole = definition
        .doc
        .is_empty()
        .then(|| format!("{name} has no documentation"));
    let fields = definition
        .fields
        .iter()
        .filter(|f| f.doc.is_empty())
        .map(|f| f.key);
    let words = definition
        .words
        .iter()
        .filter(|w| w.doc.is_empty())
        .map(|w| w.word);
    whole
        .into_iter()
        .chain(
            fields
                .chain(words)
                .map(|key| format!("{name}: `{key}` has no documentation")),
        )
        .collect()
}

fn unused(definition: &Definition, uses: &Uses) -> Vec<String> {
    let name = definition.name;
    let idle = definition
        .fields
        .iter()
        .filter(|f| !uses.0.contains_key(&(name, f.key.to_owned())));
    idle.map(|f| {
        format!(
            "{name}: no YAML file uses `{}`: use it in one, or remove it",
            f.key
        )
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_without_words_is_named() {
        let field = |doc: &'static str| Field {
            key: "a",
            doc,
            shape: Shape::Flag,
            required: false,
        };
        let with = |doc| Definition {
            name: "A",
            doc: "b".to_owned(),
            fields: vec![field(doc)],
            ..Definition::default()
        };
        assert!(undocumented(&with("c")).is_empty());
        assert_eq!(undocumented(&with("")), ["A: `a` has no documentation"]);
    }

    #[test]
    fn a_key_that_no_file_uses_is_named() {
        let (_, book) = FileKind::Targets.describe();
        let record = book.get("PseudoEntry").unwrap();
        assert_eq!(unused(record, &Uses::default()).len(), record.fields.len());
        let mut uses = Uses::default();
        let node = parse(
            0,
            "pseudo: {native: {meaning: the GPU of this machine}}",
            &mut Findings::default(),
        )
        .unwrap();
        let (shape, book) = FileKind::Targets.describe();
        book.walk(&shape, &node, &mut |d, f, n| {
            uses.add(d, f, n, "targets.yaml");
        });
        assert!(unused(record, &uses).is_empty());
        let example = &uses.0[&("PseudoEntry", "meaning".to_owned())];
        assert_eq!(example.text, "meaning: the GPU of this machine");
    }

    #[test]
    fn a_short_example_is_kept_and_a_long_one_gives_way() {
        let (shape, book) = FileKind::Component.describe();
        let mut uses = Uses::default();
        let long = "a".repeat(99);
        let mut taken = Vec::new();
        for (title, path) in [
            ("x", "tests/errors/x"),
            (&long, "a"),
            ("b", "b"),
            ("c", "c"),
            ("y", "tests/errors/y"),
        ] {
            let node = parse(0, &format!("title: {title}"), &mut Findings::default()).unwrap();
            book.walk(&shape, &node, &mut |d, f, n| uses.add(d, f, n, path));
            taken.push(uses.0[&("Package", "title".to_owned())].path.clone());
        }
        assert_eq!(taken, ["tests/errors/x", "a", "b", "b", "b"]);
    }
}
