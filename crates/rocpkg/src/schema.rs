//! JSON Schemas of the profile files, made from the Rust records that the files are decoded into.

use rocpkg_model::{Book, Definition, FileKind, Shape, Word};
use serde_json::{Map, Value, json};

/// Returns the JSON Schema of a kind of profile file, as text.
///
/// The schema is of draft 7, which every version of the YAML language server reads. It requires no
/// key, because a file may be merged over another one and contain only the differences.
#[doc(hidden)]
pub fn schema(kind: FileKind) -> String {
    let (shape, book) = kind.describe();
    let mut top = Map::new();
    top.insert(
        "$schema".into(),
        "http://json-schema.org/draft-07/schema#".into(),
    );
    top.insert("title".into(), kind.path().into());
    top.insert("description".into(), kind.doc().into());
    let root = match &shape {
        Shape::Named(name) => book.get(name),
        _ => None,
    };
    // Draft 7 ignores all keys beside a `$ref`, so the shape of the file itself is at the top
    // level.
    merge(
        &mut top,
        root.map_or_else(|| of_shape(&shape), |d| of_definition(d, &book)),
    );
    let definitions: Map<String, Value> = book
        .iter()
        .filter(|d| root.is_none_or(|r| r.name != d.name))
        .map(|d| (d.name.to_owned(), of_definition(d, &book)))
        .collect();
    top.insert("$defs".into(), definitions.into());
    let mut text = String::new();
    print(&top.into(), 0, &mut text);
    text + "\n"
}

/// Prints a value on one line if it fits, so that a change of a key is a change of a line. Objects
/// of the two outer levels always take several lines.
fn print(value: &Value, depth: usize, out: &mut String) {
    const WIDTH: usize = 140;
    let flat = value.to_string();
    let entries: Vec<(Option<&String>, &Value)> = match value {
        Value::Object(map) if depth < 2 || flat.len() + 2 * depth > WIDTH => {
            map.iter().map(|(k, v)| (Some(k), v)).collect()
        }
        Value::Array(items) if flat.len() + 2 * depth > WIDTH => {
            items.iter().map(|v| (None, v)).collect()
        }
        _ => return out.push_str(&flat),
    };
    let (open, close) = if value.is_object() {
        ('{', '}')
    } else {
        ('[', ']')
    };
    out.push(open);
    for (i, (key, value)) in entries.iter().enumerate() {
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(depth + 1));
        if let Some(key) = key {
            out.push_str(&format!("{}: ", Value::from(key.as_str())));
        }
        print(value, depth + 1, out);
    }
    out.push_str(&format!("\n{}{close}", "  ".repeat(depth)));
}

fn of_definition(definition: &Definition, book: &Book) -> Value {
    let mut ways: Vec<Value> = Vec::new();
    if !definition.words.is_empty() {
        let words: Vec<&str> = definition.words.iter().map(|w| w.word).collect();
        ways.push(json!({ "enum": words }));
    }
    ways.extend(definition.forms.iter().map(of_shape));
    if !definition.fields.is_empty() {
        let properties: Map<String, Value> = definition
            .fields
            .iter()
            .map(|field| {
                let words = choice(&field.shape, book);
                let mut property = Map::from_iter([described(field.doc, words)]);
                merge(&mut property, or_nothing(&field.shape));
                (field.key.to_owned(), property.into())
            })
            .collect();
        ways.push(
            json!({ "type": "object", "properties": properties, "additionalProperties": false }),
        );
    }
    let mut out = Map::from_iter([described(&definition.doc, &definition.words)]);
    match ways.len() {
        1 => merge(&mut out, ways.remove(0)),
        _ => merge(&mut out, json!({ "anyOf": ways })),
    }
    out.into()
}

/// Returns the allowed words if a shape is an enumeration of words or a list of them; otherwise
/// nothing. The schema repeats the words in the description of a key, because an editor shows the
/// key's own description instead of that of its type.
fn choice<'b>(shape: &Shape, book: &'b Book) -> &'b [Word] {
    match shape {
        Shape::List(inner) | Shape::OneOrMany(inner) | Shape::Filled(inner) => choice(inner, book),
        Shape::Named(name) => book
            .get(name)
            .filter(|d| d.fields.is_empty())
            .map(|d| d.words.as_slice())
            .unwrap_or_default(),
        _ => &[],
    }
}

fn described(doc: &str, words: &[Word]) -> (String, Value) {
    let lines: String = words
        .iter()
        .map(|w| format!("\n- `{}`: {}", w.word, w.doc))
        .collect();
    let gap = if words.is_empty() { "" } else { "\n" };
    (
        "description".to_owned(),
        format!("{doc}{gap}{lines}").into(),
    )
}

fn of_shape(shape: &Shape) -> Value {
    match shape {
        Shape::Text(_) => json!({ "type": ["string", "number", "boolean"] }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Number => json!({ "type": "integer", "minimum": 0 }),
        Shape::List(inner) => json!({ "type": "array", "items": of_shape(inner) }),
        Shape::Mapping(inner) => {
            json!({ "type": "object", "additionalProperties": or_nothing(inner) })
        }
        Shape::OneOrMany(inner) => {
            json!({ "anyOf": [of_shape(inner), { "type": "array", "items": of_shape(inner) }] })
        }
        Shape::Filled(inner) => {
            let mut value = of_shape(inner);
            fill(&mut value);
            value
        }
        Shape::Named(name) => json!({ "$ref": format!("#/$defs/{name}") }),
    }
}

/// Adds `minItems: 1` to the schema of a list. In the schema of a single value or a list, adds it
/// to the list.
fn fill(value: &mut Value) {
    if let Some(ways) = value.get_mut("anyOf").and_then(Value::as_array_mut) {
        ways.iter_mut().for_each(fill);
    } else if let Some(array) = value
        .as_object_mut()
        .filter(|o| o.get("type").is_some_and(|t| t == "array"))
    {
        array.insert("minItems".to_owned(), json!(1));
    }
}

/// Returns the schema of a shape, with `null` as a further value: in a layer, `~` removes the value
/// of a lower layer.
fn or_nothing(shape: &Shape) -> Value {
    let mut value = of_shape(shape);
    match value.get_mut("type") {
        Some(Value::Array(types)) => types.push("null".into()),
        Some(one) => *one = json!([one, "null"]),
        None => match value.get_mut("anyOf").and_then(Value::as_array_mut) {
            Some(ways) => ways.push(json!({ "type": "null" })),
            None => value = json!({ "anyOf": [value, { "type": "null" }] }),
        },
    }
    value
}

fn merge(into: &mut Map<String, Value>, from: Value) {
    if let Value::Object(entries) = from {
        into.extend(entries);
    }
}
