//! Forms of YAML that the records do not declare, because they are resolved on trees before a
//! record is read. Four forms exist: the key `releases` on an element, several alternative sources
//! under one name, a package's own version by release, and mappings that are merged over lists whose
//! elements have an identity (`patches: {a.patch: ~}`).

use crate::describe::{Book, Definition, Field, Shape};

const RELEASES: &str = "releases";

/// The records that may have the key `releases`, each with the description of the key.
const HOLDS: [(&str, &str); 12] = [
    (
        "Obstacle",
        "The releases that it holds for, such as `<7.0`; all releases when absent.",
    ),
    (
        "Cycle",
        "The releases that have it, such as `>=6.2`; all releases when absent.",
    ),
    (
        "Source",
        "The releases that it holds for, such as `<7.1`; of several sources in a list, the one that holds is taken.",
    ),
    (
        "Edge",
        "The releases that it holds for, such as `>=7.2`; at another one the dependency is not there.",
    ),
    (
        "NixPart",
        "The releases that it holds for, such as `>=7.2`; at another one these bindings are not there.",
    ),
    (
        "Patch",
        "The releases that it holds for, such as `<7.2.1`; at another one the patch is not there.",
    ),
    (
        "UpstreamOption",
        "The releases that have it, such as `>=7.1`.",
    ),
    ("Feature", "The releases that have it, such as `<6.3`."),
    (
        "Argument",
        "The releases that it is passed for, such as `<7.0`.",
    ),
    (
        "EnvironmentVariable",
        "The releases that it is set for, such as `<7.0`.",
    ),
    (
        "Guess",
        "The releases for which it is one, such as `>=10`; all of them when absent.",
    ),
    (
        "Resources",
        "The releases of which it was seen, such as `<7.1`.",
    ),
];

/// The lists whose elements have an identity. Each row is the record and the key of the list, the
/// record of its elements, the name of the list's definition in the [`Book`], and the keys that
/// identify an element.
const LISTS: [(&str, &str, &str, &str, &str); 6] = [
    ("Package", "patches", "Patch", "Patches", "file"),
    (
        "Targets",
        "supports",
        "TargetRule",
        "TargetRules",
        "releases",
    ),
    (
        "Targets",
        "defaults",
        "TargetRule",
        "TargetRules",
        "releases",
    ),
    (
        "Targets",
        "excludes",
        "TargetRule",
        "TargetRules",
        "releases",
    ),
    (
        "Distro",
        "targets",
        "TargetDefaults",
        "TargetRows",
        "releases",
    ),
    (
        "Distro",
        "known",
        "KnownFinding",
        "KnownFindings",
        "code, then its packages",
    ),
];

impl Book {
    /// Adds the forms of YAML that are allowed in layers (see the module) to the definitions of
    /// records.
    pub(crate) fn write_layers(&mut self) {
        if let Some(sources) = self.field("Package", "sources") {
            sources.shape =
                Shape::Mapping(Box::new(Shape::OneOrMany(Box::new(Shape::Named("Source")))));
        }
        if self.field("Package", "version").is_some() {
            let shape = Shape::OneOrMany(Box::new(self.own_version()));
            if let Some(version) = self.field("Package", "version") {
                version.shape = shape;
            }
        }
        for (record, doc) in HOLDS {
            let field = Field {
                key: RELEASES,
                doc,
                shape: Shape::Text("range of releases"),
                required: false,
            };
            if let Some(definition) = self.definitions.get_mut(record)
                && definition.fields.iter().all(|f| f.key != RELEASES)
            {
                definition.fields.insert(0, field);
            }
        }
        for (record, key, element, name, identity) in LISTS {
            if self.field(record, key).is_some() {
                let shape = self.list(element, name, identity);
                if let Some(field) = self.field(record, key) {
                    field.shape = shape;
                }
            }
        }
        if self.field("Package", "phases").is_some() {
            let steps = self.list("Step", "Steps", "id");
            if let Some(phases) = self.field("Package", "phases") {
                phases.shape = Shape::Mapping(Box::new(steps));
            }
        }
    }

    fn own_version(&mut self) -> Shape {
        let field = |key, doc, shape| Field {
            key,
            doc,
            shape: Shape::Text(shape),
            required: true,
        };
        self.define("OwnVersion", &|_| Definition {
            doc: "A package's own version, for all releases or for some of them.".to_owned(),
            fields: vec![
                field(
                    RELEASES,
                    "The releases at which the package has the version, such as `<10`. At a release in no row, the package has the version of the release.",
                    "range of releases",
                ),
                field("value", "The version, such as `\"0.5.0\"`.", "text"),
            ],
            forms: vec![Shape::Text("text")],
            ..Definition::default()
        })
    }

    fn list(&mut self, element: &'static str, name: &'static str, identity: &str) -> Shape {
        self.define(name, &|_| Definition {
            doc: format!(
                "A list; a later layer changes or adds elements by their identity ({identity}), or removes one by a mapping from \
                 it to `~`."
            ),
            forms: vec![
                Shape::List(Box::new(Shape::Named(element))),
                Shape::Mapping(Box::new(Shape::Named(element))),
            ],
            ..Definition::default()
        })
    }
}
