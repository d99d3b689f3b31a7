//! A check of documents against the part of JSON Schema that is used here.
#![allow(clippy::unwrap_used, reason = "a schema of ours is what is tested")]

use rocpkg::model::{Node, Value as Yaml};
use serde_json::Value;

/// Checks a tree against the part of JSON Schema that is used here: what is wrong goes to `faults`, each with its place.
///
/// # Panics
/// Any other keyword is a fault of the schema.
pub fn check_schema(
    schema: &Value,
    root: &Value,
    node: &Node,
    place: &mut String,
    faults: &mut Vec<String>,
) {
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
                check_schema(root.pointer(pointer).unwrap(), root, node, place, faults);
            }
            "anyOf" => any_of(value.as_array().unwrap(), root, node, place, faults),
            "enum" => {
                let words = value.as_array().unwrap();
                if !words.iter().any(|word| word.as_str() == node.text()) {
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
                if matches!(&node.value, Yaml::Seq(items) if items.is_empty()) {
                    faults.push(format!("{place}: expected an element"));
                }
            }
            "items" => {
                let Yaml::Seq(items) = &node.value else {
                    continue;
                };
                for (i, item) in items.iter().enumerate() {
                    inside(place, &format!("[{i}]"), |place| {
                        check_schema(value, root, item, place, faults);
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
    for (key, value) in node.entries() {
        inside(place, &format!(".{}", key.name), |place| {
            match (
                properties.get(key.name.as_str()),
                schema.get("additionalProperties"),
            ) {
                (None, Some(Value::Bool(false))) => faults.push(format!("{place}: unknown key")),
                (Some(inner), _) | (None, Some(inner)) => {
                    check_schema(inner, root, value, place, faults);
                }
                (None, None) => {}
            }
        });
    }
}

/// The faults of the way that comes nearest, when none fits.
fn any_of(ways: &[Value], root: &Value, node: &Node, place: &mut String, faults: &mut Vec<String>) {
    let here = format!("{place}: ");
    let tried = ways.iter().map(|way| {
        let mut found = Vec::new();
        check_schema(way, root, node, place, &mut found);
        found
    });
    // A way that does not even fit from outside says nothing useful.
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

/// What YAML 1.2 takes a node for.
fn types_of(node: &Node) -> &'static [&'static str] {
    match &node.value {
        Yaml::Null => &["null"],
        Yaml::Map(_) => &["object"],
        Yaml::Seq(_) => &["array"],
        Yaml::Scalar { plain: false, .. } => &["string"],
        Yaml::Scalar { text, .. } if matches!(text.as_str(), "true" | "false") => &["boolean"],
        Yaml::Scalar { text, .. } if text.parse::<u64>().is_ok() => &["integer", "number"],
        Yaml::Scalar { text, .. } if text.parse::<f64>().is_ok() => &["number"],
        Yaml::Scalar { .. } => &["string"],
    }
}
