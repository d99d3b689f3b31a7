//! Tests of the keys that habits give to a package, before the package's own overlay is merged.

use rocpkg_model::{Files, Node, Value};
use rocpkg_resolve::{Choice, Model, Plan};

const COMPONENT: &str = r"
title: demo
summary: A library
homepage: https://example.org
documentation: https://example.org
licence: [MIT]
sources: {main: {owner: ROCm, repository: demo}}
features:
  test: {summary: Build and run the tests}
  sample: {summary: Build the sample programs}
options:
  BUILD_TEST: {default: off, feature: test}
  BUILD_SAMPLE: {default: on, feature: sample}
  TEST_ALL: {default: off, feature: test, when: test}
  FETCH: {default: on, value: off}
  LINKS: {default: on}
  CLIENTS: {default: on, feature: test | sample}
depends:
  reader: {kind: tool}
test-data:
  base: https://example.org/data
  files: [a/first]
  converter: deps/convert
  suffix: .bin
";

const DISTRO: &str = r#"
version: "7.2.0"
naming: component
fetch: asset
licences: {MIT: MIT}
packages: {demo: default}
habits:
  features: {sample: off}
  options: always
  option-values: {LINKS: false}
  test-data: fetched
  rules:
    - depends-on: reader
      as: tool
      package: {ebuild: {python: {mode: any-r1}}}
    - depends-on: reader
      as: link
      package: {build-type: Debug}
    - feature: sample
      package: {flags: [{action: append, on: c, flags: [-O1]}]}
    - depends-on: reader
      package: {flags: [{action: append, on: cxx, flags: [-O2]}]}
    - when: test-data
      after:
        prepare: [{run: ["${test-data:converter}", "x${test-data:suffix}"]}]
      first:
        test: [{run: [fetched], when: "${test-data:when}"}]
    - own-steps: {prepare: before, install: after}
"#;

const OVERLAY: &str = r"
phases: {prepare: [{run: [before]}, standard, {run: [behind]}]}
";

fn planned(overlay: &str) -> Node {
    planned_by(DISTRO, overlay)
}

/// Plans the package `demo`, with `rules` after those of the distribution.
fn planned_with(rules: &str) -> Node {
    planned_by(&format!("{DISTRO}{rules}"), OVERLAY)
}

fn planned_by(distro: &str, overlay: &str) -> Node {
    let line = "tag: rocm-${version}\nversions: {\"7.2.0\": {date: \"2026-01-01\"}}\n";
    let files = [
        ("components/demo.yaml", COMPONENT),
        ("distros/gentoo.yaml", distro),
        ("distros/gentoo/demo.yaml", overlay),
        ("externals.yaml", "reader: {gentoo: dev-util/reader}\n"),
        ("releases/7.2.yaml", line),
    ];
    let files: Files = files
        .iter()
        .map(|(p, t)| ((*p).to_owned(), (*t).to_owned()))
        .collect();
    let (model, mut findings) = Model::load(&[(String::new(), files)]);
    let plan = Plan::new(&model, "gentoo", &Choice::Shipped, &mut findings);
    let text = findings.render(&model.sources, false);
    assert!(findings.is_empty(), "{text}");
    plan.unwrap().get("demo").unwrap().node.clone()
}

/// Returns a tree as one line of text.
fn shown(node: &Node) -> String {
    match &node.value {
        Value::Null => "~".to_owned(),
        Value::Scalar { text, .. } => text.to_string(),
        Value::Seq(items) => format!(
            "[{}]",
            items.iter().map(shown).collect::<Vec<_>>().join(", ")
        ),
        Value::Map(facts) => {
            let facts: Vec<String> = facts
                .iter()
                .map(|(k, n)| format!("{}: {}", k.name, shown(n)))
                .collect();
            format!("{{{}}}", facts.join(", "))
        }
    }
}

#[test]
fn options_follow_features_and_the_distributions_values() {
    let node = planned(OVERLAY);
    let arguments = node
        .get("cmake")
        .and_then(|c| c.get("main")?.get("arguments"))
        .unwrap();
    assert_eq!(
        shown(arguments),
        "{BUILD_TEST: {feature: test}, BUILD_SAMPLE: {value: false}, TEST_ALL: {value: true, when: test}, \
         FETCH: {value: false}, LINKS: {value: false}, CLIENTS: {feature: test}}"
    );
}

/// Returns the value to which the feature `sample` is fixed, and the argument of the option that
/// depends on this feature. The habits turn the feature off.
fn sample(rules: &str, overlay: &str) -> [String; 2] {
    let node = planned_by(&format!("{DISTRO}{rules}"), overlay);
    let feature = node
        .get("features")
        .and_then(|f| f.get("sample"))
        .and_then(|f| f.get("fixed"));
    let option = node
        .get("cmake")
        .and_then(|c| c.get("main")?.get("arguments")?.get("BUILD_SAMPLE"));
    [
        feature.map(shown).unwrap_or_default(),
        option.map(shown).unwrap(),
    ]
}

#[test]
fn a_rule_decides_a_feature_before_what_holds_everywhere() {
    let off = ["false", "{value: false}"];
    assert_eq!(sample("", OVERLAY), off);
    let rule = |when: &str, fixed: &str| {
        format!("    - {when}package: {{features: {{sample: {{fixed: {fixed}}}}}}}\n")
    };
    assert_eq!(sample(&rule("", "true"), OVERLAY)[0], "true");
    assert_eq!(sample(&rule("", "false"), OVERLAY), off);
    assert_eq!(
        sample(&rule("releases: \"<7.2\"\n      ", "true"), OVERLAY),
        off
    );
    assert_eq!(
        sample(&rule("depends-on: reader\n      ", "~"), OVERLAY),
        ["", "{feature: sample}"]
    );
    // Of several rules, the last one counts. The overlay counts before all rules.
    let both = format!("{}{}", rule("", "~"), rule("", "true"));
    assert_eq!(sample(&both, OVERLAY)[0], "true");
    assert_eq!(sample(&both, "features: {sample: {fixed: false}}\n"), off);
}

#[test]
fn a_feature_of_an_overlay_for_other_releases_leaves_the_habit_alone() {
    let of = |releases: &str| {
        let overlay = format!("features: {{sample: {{releases: \"{releases}\", fixed: ~}}}}\n");
        sample("", &overlay)[0].clone()
    };
    assert_eq!([of("<7.2"), of(">=7.2")], ["false", ""]);
}

#[test]
fn a_rule_asks_for_the_kind_of_a_dependency() {
    let node = planned(OVERLAY);
    assert_eq!(
        node.get("ebuild").map(shown).unwrap(),
        "{python: {mode: any-r1}}"
    );
    assert!(node.get("build-type").is_none());
}

#[test]
fn steps_of_a_rule_follow_the_standard_one() {
    let prepare = |overlay: &str| {
        planned(overlay)
            .get("phases")
            .and_then(|p| p.get("prepare"))
            .map(shown)
            .unwrap()
    };
    let converts = "{run: [deps/convert, x.bin]}";
    assert_eq!(
        prepare(OVERLAY),
        format!("[{{run: [before]}}, standard, {converts}, {{run: [behind]}}]")
    );
    assert_eq!(
        prepare("build-type: Release\n"),
        format!("[standard, {converts}]")
    );
    // Without tests there is nothing to convert.
    assert!(
        planned("features: {test: {fixed: false}}\n")
            .get("phases")
            .is_none()
    );
}

#[test]
fn steps_that_name_no_standard_one_stand_where_the_distribution_puts_them() {
    let phases = |overlay: &str| {
        let phases = planned(overlay).get("phases").cloned().unwrap();
        let phase = |name: &str| phases.get(name).map(shown).unwrap_or_default();
        (phase("prepare"), phase("install"))
    };
    let converts = "{run: [deps/convert, x.bin]}";
    let (prepare, install) =
        phases("phases: {prepare: [{run: [mine]}], install: [{run: [mine]}]}\n");
    assert_eq!(prepare, format!("[{{run: [mine]}}, standard, {converts}]"));
    assert_eq!(install, "[standard, {run: [mine]}]");
    // A package that states the phase decides, even if it states no steps.
    let (prepare, install) =
        phases("phases: {prepare: [{standard: main}, {run: [mine]}], install: []}\n");
    assert_eq!(
        prepare,
        format!("[{{standard: main}}, {converts}, {{run: [mine]}}]")
    );
    assert_eq!(install, "[]");
}

#[test]
fn steps_of_a_rule_stand_before_all_others_and_know_who_reads_the_data() {
    let tests = |overlay: &str| {
        planned(overlay)
            .get("phases")
            .and_then(|p| p.get("test"))
            .map(shown)
            .unwrap()
    };
    assert_eq!(
        tests("phases: {test: [{run: [mine]}]}\n"),
        "[{run: [fetched], when: test}, {run: [mine]}]"
    );
    assert_eq!(
        tests("test-data: {when: test | sample}\n"),
        "[{run: [fetched], when: test}, standard]",
        "samples are off here"
    );
}

/// In Arch, HIP is built with `hipcc`, another CMake project of the same package. So the order of
/// projects must not change.
#[test]
fn projects_keep_the_order_in_which_the_package_builds_them() {
    let node = planned(
        "cmake: {first: {source: a}, second: {of: [demo]}, third: {source: b}}\nphases: {prepare: [standard]}\n",
    );
    let projects: Vec<&str> = node
        .get("cmake")
        .unwrap()
        .entries()
        .iter()
        .map(|(k, _)| k.name.as_str())
        .collect();
    assert_eq!(projects, ["first", "second", "third"]);
    let arguments = |project: &str| {
        node.get("cmake")
            .unwrap()
            .get(project)
            .unwrap()
            .get("arguments")
            .map_or(0, |a| a.entries().len())
    };
    assert_eq!((arguments("first"), arguments("third")), (0, 0));
    assert!(
        arguments("second") > 3,
        "options go to the project that takes those of their component"
    );
}

#[test]
fn a_rule_takes_back_what_the_component_says() {
    let said = planned(OVERLAY);
    assert!(
        said.get("depends").and_then(|d| d.get("reader")).is_some()
            && said.get("test-data").is_some()
    );
    let node =
        planned_with("    - when: library\n      package: {depends: {reader: ~}, test-data: ~}\n");
    assert!(
        node.get("depends").and_then(|d| d.get("reader")).is_none(),
        "{}",
        shown(&node)
    );
    assert!(node.get("test-data").is_none(), "{}", shown(&node));
    // A later rule may remove the keys of an earlier one. Keys of a later rule stay.
    let built = |first: &str, second: &str| {
        let rule =
            |value: &str| format!("    - when: library\n      package: {{build-type: {value}}}\n");
        planned_with(&(rule(first) + &rule(second)))
            .get("build-type")
            .map(shown)
    };
    assert_eq!(built("Release", "~"), None);
    assert_eq!(built("~", "Release").as_deref(), Some("Release"));
}

#[test]
fn a_rule_is_about_the_packages_of_some_components() {
    let rule =
        |of: &str| format!("    - components: [{of}]\n      package: {{build-type: Debug}}\n");
    assert_eq!(
        planned_with(&rule("demo"))
            .get("build-type")
            .map(shown)
            .as_deref(),
        Some("Debug")
    );
    // The components of a rule count together with its other conditions.
    let both = rule("demo").replace("package:", "when: scripts\n      package:");
    assert!(planned_with(&both).get("build-type").is_none());
}
