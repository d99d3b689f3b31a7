//! The schemas of the profile files: what ships is valid, and wrong words and types are refused.

use rocpkg::model::{FileKind, Findings, Node, Value as Yaml, parse};
use rocpkg_tests::{fixture, texts};
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn what_ships_is_valid() {
    let schemas = schemas();
    let mut seen = BTreeMap::new();
    let shipped = rocpkg::profiles().into_iter().map(|(path, text)| (format!("profiles/{path}"), text));
    let examples = texts(&fixture("../examples"), &["yaml"]).into_iter();
    for (path, text) in shipped.chain(examples.map(|(path, text)| (format!("examples/{path}"), text))) {
        let kind = FileKind::of(&path).unwrap_or_else(|| panic!("{path} is of no kind"));
        *seen.entry(kind).or_insert(0) += 1;
        let mut faults = Vec::new();
        check(&schemas[&kind], &schemas[&kind], &tree(&text), &mut String::new(), &mut faults);
        assert!(faults.is_empty(), "{path}: {faults:#?}");
    }
    assert_eq!(seen.len(), FileKind::ALL.len(), "{seen:?}");
}

#[test]
fn a_wrong_word_and_a_wrong_type_are_refused() {
    for (kind, text, place) in [
        (FileKind::Component, "sumary: x", ".sumary"),
        (FileKind::Component, "pkgbuild: {pkgrel: 2}", ".pkgbuild"),
        (FileKind::Overlay, "sources: {main: {fetch: assets}}", ".sources.main.fetch"),
        (FileKind::Overlay, "phases: {install: [{rm: a}]}", ".phases.install[0]"),
        (FileKind::Overlay, "ebuild: {revision: two}", ".ebuild.revision"),
        (FileKind::Overlay, "patches: a.patch", ".patches"),
        (FileKind::Overlay, "phases: {install: [{remove: []}]}", ".phases.install[0]"),
        (FileKind::Overlay, "depends: {hip: {kind: []}}", ".depends.hip.kind"),
        (FileKind::Component, "constraints: [{any-of: []}]", ".constraints[0].any-of"),
        (FileKind::Distro, "naming: titel", ".naming"),
        (FileKind::Release, "versions: {7.2.0: {checksum: {}}}", ".versions.7.2.0.checksum"),
        (FileKind::Targets, "processors: {gfx906: {xnack: maybe}}", ".processors.gfx906.xnack"),
        (FileKind::Externals, "gtest: {gento: dev-cpp/gtest}", ".gtest.gento"),
    ] {
        let schema = &schemas()[&kind];
        let mut faults = Vec::new();
        check(schema, schema, &tree(text), &mut String::new(), &mut faults);
        assert!(faults.iter().any(|f| f.starts_with(place)), "{text}: {faults:?}");
    }
}

#[test]
fn an_entry_may_be_removed_anywhere() {
    let schema = &schemas()[&FileKind::Overlay];
    let text = "summary: ~\ndepends: {hip: ~, clr: {when: ~}}\ncmake: {main: {arguments: {A: ~}}}\nebuild: ~\nphases: {test: ~}";
    let mut faults = Vec::new();
    check(schema, schema, &tree(text), &mut String::new(), &mut faults);
    assert!(faults.is_empty(), "{faults:?}");
}

fn schemas() -> BTreeMap<FileKind, Value> {
    FileKind::ALL
        .into_iter()
        .map(|kind| (kind, serde_json::from_str(&rocpkg::schema(kind)).unwrap()))
        .collect()
}

fn tree(text: &str) -> Node {
    parse(0, text, &mut Findings::default()).unwrap()
}

/// Checks a tree against the part of JSON Schema that is used here; any other keyword is a fault of the schema.
fn check(schema: &Value, root: &Value, node: &Node, place: &mut String, faults: &mut Vec<String>) {
    for (keyword, value) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$schema" | "title" | "description" | "$defs" | "properties" | "additionalProperties" => {}
            "$ref" => {
                let pointer = value.as_str().unwrap().strip_prefix('#').unwrap();
                check(root.pointer(pointer).unwrap(), root, node, place, faults);
            }
            "anyOf" => any_of(value.as_array().unwrap(), root, node, place, faults),
            "enum" => {
                let words = value.as_array().unwrap();
                if !words.iter().any(|word| word.as_str() == node.text()) {
                    faults.push(format!("{place}: none of {value}"));
                }
            }
            "type" => {
                let types = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
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
                let Yaml::Seq(items) = &node.value else { continue };
                for (i, item) in items.iter().enumerate() {
                    inside(place, &format!("[{i}]"), |place| check(value, root, item, place, faults));
                }
            }
            other => panic!("no such keyword is checked: {other}"),
        }
    }
    let nothing = serde_json::Map::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&nothing);
    for (key, value) in node.entries() {
        inside(place, &format!(".{}", key.name), |place| {
            match (properties.get(key.name.as_str()), schema.get("additionalProperties")) {
                (None, Some(Value::Bool(false))) => faults.push(format!("{place}: unknown key")),
                (Some(inner), _) | (None, Some(inner)) => check(inner, root, value, place, faults),
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
        check(way, root, node, place, &mut found);
        found
    });
    // A way that does not even fit from outside says nothing useful.
    let nearest = tried.min_by_key(|found| (found.iter().any(|f| f.starts_with(&here)), found.len()));
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
