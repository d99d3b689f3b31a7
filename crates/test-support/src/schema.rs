//! Checks documents against a JSON Schema. Only the keywords that rocpkg's schemas use are
//! implemented.
#![allow(clippy::unwrap_used, reason = "a schema of ours is what is tested")]

use serde_json::Value;

/// Checks `document` against the JSON Schema `schema`, and returns the faults, each with its place:
/// `.phases.install[0]: expected …`.
///
/// # Panics
/// When the schema has a keyword that is not implemented.
pub fn check_schema(schema: &Value, document: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    check(schema, schema, document, &mut String::new(), &mut faults);
    faults
}

fn check(schema: &Value, root: &Value, node: &Value, place: &mut String, faults: &mut Vec<String>) {
    for (keyword, value) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$schema"
            | "title"
            | "description"
            | "$defs"
            | "properties"
            | "additionalProperties" => {}
            "required" => {
                let keys = value
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|key| key.as_str().unwrap());
                let missing = keys.filter(|key| node.get(key).is_none());
                faults.extend(missing.map(|key| format!("{place}: `{key}` is missing")));
            }
            "$ref" => {
                let pointer = value.as_str().unwrap().strip_prefix('#').unwrap();
                check(root.pointer(pointer).unwrap(), root, node, place, faults);
            }
            "anyOf" => any_of(value.as_array().unwrap(), root, node, place, faults),
            "enum" => {
                let words = value.as_array().unwrap();
                if !words.contains(node) {
                    faults.push(format!("{place}: none of {value}"));
                }
            }
            "type" => {
                let types = value
                    .as_array()
                    .map_or(std::slice::from_ref(value), Vec::as_slice);
                let is = types_of(node);
                if !types.iter().any(|t| is.contains(&t.as_str().unwrap())) {
                    faults.push(format!("{place}: expected {value}, found {is:?}"));
                }
            }
            "minimum" => assert_eq!(value.as_u64(), Some(0)),
            "minItems" => {
                assert_eq!(value.as_u64(), Some(1));
                if node.as_array().is_some_and(Vec::is_empty) {
                    faults.push(format!("{place}: expected an element"));
                }
            }
            "items" => {
                for (i, item) in node.as_array().into_iter().flatten().enumerate() {
                    inside(place, &format!("[{i}]"), |place| {
                        check(value, root, item, place, faults);
                    });
                }
            }
            other => panic!("no such keyword is checked: {other}"),
        }
    }
    let nothing = serde_json::Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&nothing);
    for (key, value) in node.as_object().into_iter().flatten() {
        inside(place, &format!(".{key}"), |place| {
            match (properties.get(key), schema.get("additionalProperties")) {
                (None, Some(Value::Bool(false))) => faults.push(format!("{place}: unknown key")),
                (Some(inner), _) | (None, Some(inner)) => {
                    check(inner, root, value, place, faults);
                }
                (None, None) => {}
            }
        });
    }
}

/// Adds to `faults` the faults of the alternative in `ways` that fits `node` best. They are none if
/// an alternative fits.
fn any_of(
    ways: &[Value],
    root: &Value,
    node: &Value,
    place: &mut String,
    faults: &mut Vec<String>,
) {
    let here = format!("{place}: ");
    let tried = ways.iter().map(|way| {
        let mut found = Vec::new();
        check(way, root, node, place, &mut found);
        found
    });
    // An alternative of another type gives no useful faults.
    let nearest =
        tried.min_by_key(|found| (found.iter().any(|f| f.starts_with(&here)), found.len()));
    faults.extend(nearest.unwrap_or_default());
}

fn inside(place: &mut String, part: &str, work: impl FnOnce(&mut String)) {
    let length = place.len();
    place.push_str(part);
    work(place);
    place.truncate(length);
}

/// Returns the names of a value's types in JSON Schema.
fn types_of(node: &Value) -> &'static [&'static str] {
    match node {
        Value::Null => &["null"],
        Value::Object(_) => &["object"],
        Value::Array(_) => &["array"],
        Value::String(_) => &["string"],
        Value::Bool(_) => &["boolean"],
        Value::Number(number) if number.is_u64() => &["integer", "number"],
        Value::Number(_) => &["number"],
    }
}
