//! The schemas of the profile files: what ships is valid, and they refuse the keys that the records refuse.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test may read plainly, and panics when it can't go on"
)]

use rocpkg::model::{Decode, Distro, FileKind, Findings, Node, Package, Span, Step, Value as Yaml, parse};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn what_ships_is_valid() {
    let schemas = schemas();
    let mut seen = BTreeMap::new();
    for (path, text) in files(&["profiles", "examples"]) {
        let kind = FileKind::of(&path).unwrap_or_else(|| panic!("{path} is of no kind"));
        *seen.entry(kind).or_insert(0) += 1;
        let mut faults = Vec::new();
        check(&schemas[&kind], &schemas[&kind], &tree(&text), &mut String::new(), &mut faults);
        assert!(faults.is_empty(), "{path}: {faults:#?}");
    }
    assert_eq!(seen.len(), FileKind::ALL.len(), "{seen:?}");
}

/// What lies in `profiles/` for people and editors stays out of the program.
#[test]
fn every_yaml_file_ships_and_nothing_else() {
    let shipped: Vec<String> =
        rocpkg::profiles().into_keys().map(|path| format!("profiles/{path}")).collect();
    assert_eq!(shipped, files(&["profiles"]).into_keys().collect::<Vec<_>>());
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

/// Keys of the files that people write by hand are misspelt one at a time: what the record takes for unknown, the schema
/// refuses, and the other way round. Of each file it is every fifth key, from another one on.
#[test]
fn schemas_and_records_know_the_same_keys() {
    let schemas = schemas();
    let (mut refused, mut free) = (0, 0);
    for (first, (path, text)) in files(&["profiles", "examples"]).into_iter().enumerate() {
        let kind = FileKind::of(&path).unwrap();
        if !matches!(kind, FileKind::Component | FileKind::Overlay | FileKind::Distro) {
            continue;
        }
        let whole = tree(&text);
        for number in (first % 5..).step_by(5) {
            let mut node = whole.clone();
            let Some(key) = misspell(&mut node, &mut { number }) else { break };
            let by_record = {
                let mut findings = Findings::default();
                let mut node = node.clone();
                // Rows of a distribution's targets keep theirs.
                match &mut node.value {
                    Yaml::Map(entries) if kind == FileKind::Distro => {
                        let habits = entries.iter_mut().filter(|(key, _)| key.name == "habits");
                        habits.for_each(|(_, habits)| answer_releases(habits));
                    }
                    _ => answer_releases(&mut node),
                }
                if kind == FileKind::Distro {
                    // The keys of a package in a rule are read when a package takes them over.
                    let rules = Distro::decode(&node, &mut findings).and_then(|d| d.habits).map(|h| h.rules);
                    for rule in rules.unwrap_or_default() {
                        if let Some(keys) = &rule.package {
                            Package::decode(&keys.0, &mut findings);
                        }
                        for steps in rule.after.values().chain(rule.first.values()) {
                            Vec::<Step>::decode(&steps.0, &mut findings);
                        }
                    }
                } else {
                    for chosen in choices(&node) {
                        Package::decode(&chosen, &mut findings);
                    }
                }
                // An action misspelt leaves a step without one, a Nix value's key one of no kind.
                findings.sorted().iter().any(|f| ["E0110", "E0117", "E0118"].contains(&f.code))
            };
            let mut faults = Vec::new();
            check(&schemas[&kind], &schemas[&kind], &node, &mut String::new(), &mut faults);
            assert_eq!(by_record, !faults.is_empty(), "{path}: `{key}`, misspelt: {faults:?}");
            *if by_record { &mut refused } else { &mut free } += 1;
        }
    }
    assert!(refused > 300 && free > 100, "{refused} refused, {free} free");
}

/// The tree with the first source of each list taken, then the second, as the plan takes one by release.
fn choices(package: &Node) -> Vec<Node> {
    let lists = package.get("sources").map(Node::entries).unwrap_or_default();
    let many = lists.iter().map(|(_, s)| if let Yaml::Seq(items) = &s.value { items.len() } else { 1 });
    let take = |number: usize| {
        let mut chosen = package.clone();
        let Yaml::Map(entries) = &mut chosen.value else { return chosen };
        for (_, sources) in entries.iter_mut().filter(|(key, _)| key.name == "sources") {
            let Yaml::Map(sources) = &mut sources.value else { continue };
            for (_, source) in sources {
                let Yaml::Seq(items) = &source.value else { continue };
                *source = items[number.min(items.len() - 1)].clone();
            }
        }
        chosen
    };
    (0..many.max().unwrap_or(1)).map(take).collect()
}

/// Takes the ranges of releases out, which are answered before a record is read.
fn answer_releases(node: &mut Node) {
    match &mut node.value {
        Yaml::Map(entries) => {
            entries.retain(|(key, value)| key.name != "releases" || value.text().is_none());
            for (_, value) in entries {
                answer_releases(value);
            }
        }
        Yaml::Seq(items) => items.iter_mut().for_each(answer_releases),
        _ => {}
    }
}

/// Misspells one key, counted from 0, and tells which.
fn misspell(node: &mut Node, left: &mut usize) -> Option<String> {
    match &mut node.value {
        Yaml::Map(entries) => entries.iter_mut().find_map(|(key, value)| {
            if *left == 0 {
                let old = key.name.to_string();
                key.name.push_str("-x");
                return Some(old);
            }
            *left -= 1;
            misspell(value, left)
        }),
        Yaml::Seq(items) => items.iter_mut().find_map(|item| misspell(item, left)),
        _ => None,
    }
}

fn schemas() -> BTreeMap<FileKind, Value> {
    FileKind::ALL
        .into_iter()
        .map(|kind| (kind, serde_json::from_str(&rocpkg::schema(kind)).unwrap()))
        .collect()
}

fn tree(text: &str) -> Node {
    let mut findings = Findings::default();
    let node = parse(0, text, &mut findings).unwrap();
    assert!(!findings.has_errors());
    assert_eq!(node.span.file, Span::default().file);
    node
}

/// All YAML files of folders of the workspace, by path.
fn files(folders: &[&str]) -> BTreeMap<String, String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut out = BTreeMap::new();
    let mut open: Vec<PathBuf> = folders.iter().map(PathBuf::from).collect();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(root.join(&folder)).unwrap().map(Result::unwrap) {
            let path = folder.join(entry.file_name());
            if entry.path().is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "yaml") {
                out.insert(path.to_str().unwrap().to_owned(), fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    out
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
