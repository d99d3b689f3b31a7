//! Tests of the schemas of the profile files: the shipped files are valid, and unknown words and
//! wrong types are refused.

use rocpkg::internal::model::{FileKind, Findings, Node, Value as Yaml, parse};
use rocpkg_tests::{check_schema, fixture, texts};
use serde_json::Value;
use std::collections::BTreeMap;

#[test]
fn what_ships_is_valid() {
    let schemas = schemas();
    let mut seen = BTreeMap::new();
    let shipped = rocpkg::shipped::profiles()
        .into_iter()
        .map(|(path, text)| (format!("profiles/{path}"), text));
    let examples = texts(&fixture("../examples"), &["yaml"]).into_iter();
    for (path, text) in
        shipped.chain(examples.map(|(path, text)| (format!("examples/{path}"), text)))
    {
        let kind = FileKind::of(&path).unwrap_or_else(|| panic!("{path} is of no kind"));
        *seen.entry(kind).or_insert(0) += 1;
        let faults = check_schema(&schemas[&kind], &document(&text));
        assert!(faults.is_empty(), "{path}: {faults:#?}");
    }
    assert_eq!(seen.len(), FileKind::ALL.len(), "{seen:?}");
}

#[test]
fn a_wrong_word_and_a_wrong_type_are_refused() {
    for (kind, text, place) in [
        (FileKind::Component, "sumary: x", ".sumary"),
        (FileKind::Component, "pkgbuild: {pkgrel: 2}", ".pkgbuild"),
        (
            FileKind::Overlay,
            "sources: {main: {fetch: assets}}",
            ".sources.main.fetch",
        ),
        (
            FileKind::Overlay,
            "phases: {install: [{rm: a}]}",
            ".phases.install[0]",
        ),
        (
            FileKind::Overlay,
            "ebuild: {revision: two}",
            ".ebuild.revision",
        ),
        (FileKind::Overlay, "patches: a.patch", ".patches"),
        (
            FileKind::Overlay,
            "phases: {install: [{remove: []}]}",
            ".phases.install[0]",
        ),
        (
            FileKind::Overlay,
            "depends: {hip: {kind: []}}",
            ".depends.hip.kind",
        ),
        (
            FileKind::Component,
            "constraints: [{any-of: []}]",
            ".constraints[0].any-of",
        ),
        (FileKind::Distro, "naming: titel", ".naming"),
        (
            FileKind::Release,
            "versions: {7.2.0: {checksum: {}}}",
            ".versions.7.2.0.checksum",
        ),
        (
            FileKind::Targets,
            "processors: {gfx906: {xnack: maybe}}",
            ".processors.gfx906.xnack",
        ),
        (
            FileKind::Externals,
            "gtest: {gento: dev-cpp/gtest}",
            ".gtest.gento",
        ),
    ] {
        let schema = &schemas()[&kind];
        let faults = check_schema(schema, &document(text));
        assert!(
            faults.iter().any(|f| f.starts_with(place)),
            "{text}: {faults:?}"
        );
    }
}

#[test]
fn an_entry_may_be_removed_anywhere() {
    let schema = &schemas()[&FileKind::Overlay];
    let text = "summary: ~\ndepends: {hip: ~, clr: {when: ~}}\ncmake: {main: {arguments: {A: ~}}}\nebuild: ~\nphases: {test: ~}";
    let faults = check_schema(schema, &document(text));
    assert!(faults.is_empty(), "{faults:?}");
}

fn schemas() -> BTreeMap<FileKind, Value> {
    FileKind::ALL
        .into_iter()
        .map(|kind| {
            (
                kind,
                serde_json::from_str(&rocpkg::internal::schema(kind)).unwrap(),
            )
        })
        .collect()
}

/// Returns a profile's text as the document that YAML 1.2's core schema makes of it.
fn document(text: &str) -> Value {
    json(&parse(0, text, &mut Findings::default()).unwrap())
}

fn json(node: &Node) -> Value {
    match &node.value {
        Yaml::Null => Value::Null,
        Yaml::Map(entries) => {
            let entries = entries.iter();
            entries
                .map(|(key, value)| (key.name.to_string(), json(value)))
                .collect()
        }
        Yaml::Seq(items) => items.iter().map(json).collect(),
        Yaml::Scalar { text, plain: false } => text.as_str().into(),
        Yaml::Scalar { text, plain: true } => match (text.parse::<bool>(), text.parse::<u64>()) {
            (Ok(truth), _) => truth.into(),
            (_, Ok(number)) => number.into(),
            _ => {
                let number = text.parse::<f64>().ok().filter(|n| n.is_finite());
                number.map_or_else(|| text.as_str().into(), Value::from)
            }
        },
    }
}
