//! Tests of the merging of layers.

use proptest::prelude::*;
use rocpkg_model::{Findings, Node, Value, parse};
use rocpkg_resolve::{Depths, History, Kind, Merged};

/// Returns a tree as text, without places.
fn plain(node: &Node) -> String {
    match &node.value {
        Value::Null => "~".into(),
        Value::Scalar { text, .. } => text.to_string(),
        Value::Seq(items) => format!(
            "[{}]",
            items.iter().map(plain).collect::<Vec<_>>().join(", ")
        ),
        Value::Map(entries) => {
            let all: Vec<String> = entries
                .iter()
                .map(|(k, v)| format!("{}: {}", k.name, plain(v)))
                .collect();
            format!("{{{}}}", all.join(", "))
        }
    }
}

/// Merges texts at a release. The first two are layers of the shipped folder, the others of a
/// user's folder. Returns the merged tree, its history, and each finding as its code and message.
fn nodes(kind: Kind, release: Option<&str>, texts: &[&str]) -> (Node, History, Vec<String>) {
    let mut findings = Findings::default();
    let mut depths = Depths::default();
    let release = release.map(|r| r.parse().unwrap());
    (0..texts.len()).for_each(|i| depths.push(usize::from(i > 1)));
    let mut all = Merged::new(kind, release.as_ref(), &depths);
    for (file, text) in (0..).zip(texts) {
        let node = parse(file, text, &mut findings).unwrap();
        all.merge(&node, &mut findings);
    }
    let (node, history) = all.finish(&mut findings);
    let said = findings
        .sorted()
        .iter()
        .map(|f| format!("{} {}", f.code, f.message))
        .collect();
    (node, history, said)
}

/// Merges texts as [`nodes`] does, and returns the tree as text.
fn laid(kind: Kind, release: Option<&str>, texts: &[&str]) -> (String, History, Vec<String>) {
    let (node, history, said) = nodes(kind, release, texts);
    (plain(&node), history, said)
}

/// Merges the texts of a package at 7.2.0, and returns the tree as text. Panics if there is a
/// finding.
fn package(texts: &[&str]) -> String {
    let (tree, _, said) = laid(Kind::Package, Some("7.2.0"), texts);
    assert_eq!(said, [] as [&str; 0]);
    tree
}

proptest! {
    #[test]
    fn laying_a_tree_over_itself_changes_nothing(keys in prop::collection::btree_map("[a-z]{1,4}", "[a-z]{1,4}", 0..6)) {
        let text: String = keys.iter().map(|(k, v)| format!("{k}x: {{inner: [{v}x]}}\n")).collect();
        prop_assert_eq!(package(&[&text, &text]), package(&[&text]));
        prop_assert_eq!(package(&[&text, &text, &text]), package(&[&text]));
    }
}

#[test]
fn a_layer_adds_replaces_and_removes() {
    let base = "a: 1\nb: {c: 2, d: 3}\ne: [1, 2]\n";
    let over = "b: {c: ~, f: 4}\ne: [3]\ng: 5\nh: ~\ni: {j: ~}\n";
    assert_eq!(
        package(&[base, over]),
        "{a: 1, b: {d: 3, f: 4}, e: [3], g: 5, i: {}}"
    );
    assert_eq!(
        package(&[over]),
        "{b: {f: 4}, e: [3], g: 5, i: {}}",
        "`~` means the same in the first layer"
    );
}

#[test]
fn a_later_folder_keeps_removals() {
    let [base, over] = ["a: 1\nb: {c: 2, d: 3}\n", "a: ~\nb: {c: ~}\n"];
    assert_eq!(package(&[base, over, over]), "{b: {d: 3}}");
    assert_eq!(package(&[base, over, "a: 4\n"]), "{b: {d: 3}, a: 4}");
}

const MOVED: &str = "sources:\n  main:\n    - {releases: '<7.1', repository: rocRAND}\n    - {releases: '>=7.1', repository: rocm-libraries, path: projects/rocrand}\n";

#[test]
fn a_source_that_moves_keeps_what_an_overlay_says_of_it() {
    let at = |release| {
        laid(
            Kind::Package,
            Some(release),
            &[MOVED, "sources: {main: {fetch: git}}\n"],
        )
    };
    let (tree, _, said) = at("7.0.2");
    assert_eq!(tree, "{sources: {main: {repository: rocRAND, fetch: git}}}");
    assert_eq!(said, [] as [&str; 0]);
    let (tree, ..) = at("7.2.0");
    assert_eq!(
        tree,
        "{sources: {main: {repository: rocm-libraries, path: projects/rocrand, fetch: git}}}"
    );
}

#[test]
fn the_row_of_an_own_version_that_holds_is_the_version() {
    let rows = |end: &str| {
        format!(
            "version: [{{releases: '<{end}', value: '4'}}, {{releases: '>=7.2', value: '5'}}]\n"
        )
    };
    let fine = rows("7.2");
    for (release, expected) in [("7.1.1", "{version: 4}"), ("7.2.0", "{version: 5}")] {
        let (tree, _, said) = laid(Kind::Package, Some(release), &[&fine]);
        assert_eq!((tree.as_str(), said.len()), (expected, 0));
    }
    let (_, _, said) = laid(Kind::Package, Some("7.2.0"), &[&rows("7.3")]);
    assert_eq!(said, ["E0217 the package has 2 versions at 7.2.0"]);
    // No row holds: the version of the layer below stays, if it has one.
    let older = "version: [{releases: '<7.1', value: '3'}]\n";
    assert_eq!(package(&["version: '2'\n", older]), "{version: 2}");
    assert_eq!(package(&[&fine, older]), "{version: 5}");
    assert_eq!(package(&[older]), "{}");
    assert_eq!(package(&[&fine, "version: '6'\n"]), "{version: 6}");
}

#[test]
fn exactly_one_alternative_of_a_source_is_left() {
    let two = MOVED.replace("'<7.1'", "'<7.3'");
    let (_, _, said) = laid(Kind::Package, Some("7.2.0"), &[&two]);
    assert_eq!(
        said,
        ["E0217 the source `main` has 2 alternatives for 7.2.0"]
    );
    let over = "sources: {main: [{releases: '<7.1', url: x}]}\n";
    assert_eq!(
        package(&[MOVED, over]),
        "{sources: {main: {repository: rocm-libraries, path: projects/rocrand}}}",
        "an overlay may have nothing to say at a release"
    );
    let none = MOVED.replace("'>=7.1'", "'>=7.3'");
    let (_, _, said) = laid(Kind::Package, Some("7.2.0"), &[&none]);
    assert_eq!(
        said,
        ["E0253 the source `main` has no alternative for 7.2.0"]
    );
}

#[test]
fn what_a_component_drops_by_release_stays_away() {
    for component in [
        "depends: {tracer: {kind: link, releases: '<7.2'}, other: {kind: tool}}\n",
        "depends: {tracer: {kind: link, when: 'release:<7.2 & test'}, other: {kind: tool}}\n",
    ] {
        for overlay in [
            "depends: {tracer: [{kind: link, when: benchmark}]}\n",
            "depends: {tracer: {version: slot}}\n",
        ] {
            assert_eq!(
                package(&[component, overlay]),
                "{depends: {other: {kind: tool}}}",
                "{overlay}"
            );
        }
        // A layer that states the release itself has an effect.
        let own = "depends: {tracer: {kind: run, releases: '>=7.2'}}\n";
        assert_eq!(
            package(&[component, own]),
            "{depends: {other: {kind: tool}, tracer: {kind: run}}}"
        );
    }
    let (before, ..) = laid(
        Kind::Package,
        Some("7.1.0"),
        &[
            "depends: {tracer: {kind: link, releases: '<7.2'}}\n",
            "depends: {tracer: {version: slot}}\n",
        ],
    );
    assert_eq!(before, "{depends: {tracer: {kind: link, version: slot}}}");
}

#[test]
fn a_condition_keeps_what_is_not_about_releases() {
    let tree = package(&[
        "a: {b: {x: 1, when: 'release:>=7.1 & test'}, c: {x: 2, when: 'release:<7.1 | test'}}\n",
    ]);
    assert_eq!(tree, "{a: {b: {x: 1, when: test}, c: {x: 2, when: test}}}");
}

#[test]
fn a_bare_version_is_no_range_anywhere() {
    let wrong = "E0203 `7.1` is not a range: expected one such as >=6.4, <7.0";
    let (_, _, said) = laid(
        Kind::Package,
        Some("7.2.0"),
        &["depends: {a: {kind: link, releases: '7.1'}}\n"],
    );
    assert_eq!(said, [wrong]);
}

const PATCHES: &str = "patches:\n  - {file: a.patch, comment: one}\n  - {file: b.patch}\n";

#[test]
fn patches_merge_by_file() {
    let all = "{patches: [{file: a.patch, comment: one}, {file: b.patch}, {file: c.patch}]}";
    assert_eq!(package(&[PATCHES, "patches: [{file: c.patch}]\n"]), all);
    assert_eq!(package(&[PATCHES, "patches: {c.patch: {}}\n"]), all);
    assert_eq!(
        package(&[
            PATCHES,
            "patches: [{file: a.patch, comment: two, strip: 0}]\n"
        ]),
        "{patches: [{file: a.patch, comment: two, strip: 0}, {file: b.patch}]}"
    );
    assert_eq!(
        package(&[PATCHES, "patches: {a.patch: ~}\n"]),
        "{patches: [{file: b.patch}]}"
    );
    assert_eq!(package(&[PATCHES, "patches: ~\n"]), "{}");
    assert_eq!(
        package(&[PATCHES, "patches: []\n"]),
        "{patches: []}",
        "an empty list is meant"
    );
    assert_eq!(
        package(&["patches: {c.patch: {strip: 0}, d.patch: ~}\n"]),
        "{patches: [{file: c.patch, strip: 0}]}"
    );
}

#[test]
fn an_element_that_is_not_there_can_not_be_removed() {
    let (_, _, said) = laid(
        Kind::Package,
        Some("7.2.0"),
        &[PATCHES, "patches: {c.patch: ~}\n"],
    );
    assert_eq!(said, ["E0218 `patches` has no `c.patch`"]);
    let base = "patches: [{file: a.patch, releases: '<7.2'}, {file: b.patch}]\n";
    assert_eq!(
        package(&[base, "patches: {a.patch: ~}\n"]),
        "{patches: [{file: b.patch}]}",
        "not at this release"
    );
}

#[test]
fn steps_merge_by_id() {
    let base = "phases: {prepare: [standard, {id: x, run: a, comment: why}, {run: b}]}\n";
    assert_eq!(
        package(&[
            base,
            "phases: {prepare: [{id: x, sed: c}, {id: y, run: d}]}\n"
        ]),
        "{phases: {prepare: [standard, {id: x, comment: why, sed: c}, {run: b}, {id: y, run: d}]}}"
    );
    assert_eq!(
        package(&[base, "phases: {prepare: {x: ~}}\n"]),
        "{phases: {prepare: [standard, {run: b}]}}"
    );
    assert_eq!(
        package(&[base, "phases: {prepare: [{run: e}]}\n"]),
        "{phases: {prepare: [{run: e}]}}"
    );
}

#[test]
fn rows_of_targets_merge_by_their_range() {
    let base = "targets:\n  - {releases: '>=6.0, <7', default: [gfx906]}\n  - {releases: live, default: [gfx942]}\n";
    let lay = |over| laid(Kind::Distro, None, &[base, over]).0;
    assert_eq!(
        lay("targets: [{releases: '>=7.0, <8', default: [gfx1030]}]\n"),
        "{targets: [{releases: >=7.0, <8, default: [gfx1030]}, {releases: >=6.0, <7, default: [gfx906]}, {releases: live, default: [gfx942]}]}",
        "the first row that fits counts, so what is new stands in front"
    );
    assert_eq!(
        lay("targets: {live: {default: [gfx950]}, '>=6.0, <7': ~}\n"),
        "{targets: [{releases: live, default: [gfx950]}]}"
    );
    let rows = "targets: {excludes: [{targets: [a], reason: x}, {targets: [b], reason: y}, {targets: [c], releases: '>=7', reason: z}]}\n";
    assert_eq!(
        package(&[rows, "targets: {excludes: [{targets: [d], reason: w}]}\n"]),
        "{targets: {excludes: [{targets: [d], reason: w}, {targets: [c], releases: >=7, reason: z}]}}",
        "rows of one range are one thing"
    );
}

#[test]
fn known_findings_merge_by_code_and_packages() {
    let base = "known: [{code: E0608, packages: [a, b], reason: x}, {code: E0610, reason: y}]\n";
    let lay = |over| laid(Kind::Distro, None, &[base, over]).0;
    assert_eq!(
        lay("known: {E0608 a b: ~}\n"),
        "{known: [{code: E0610, reason: y}]}"
    );
    assert_eq!(
        lay("known: [{code: E0610, reason: z}]\n"),
        "{known: [{code: E0608, packages: [a, b], reason: x}, {code: E0610, reason: z}]}"
    );
}

#[test]
fn a_users_layer_that_replaces_a_list_is_noted() {
    let texts = [
        "licence: [MIT]\n",
        "licence: [BSD]\n",
        "licence: [NCSA, MIT]\n",
    ];
    let (tree, _, said) = laid(Kind::Package, Some("7.2.0"), &texts);
    assert_eq!(tree, "{licence: [NCSA, MIT]}");
    assert_eq!(
        said,
        ["N0201 `licence` replaces a whole list"],
        "not between what ships"
    );
    assert_eq!(
        package(&["licence: [MIT]\n", "{}", "licence: [MIT]\n"]),
        "{licence: [MIT]}",
        "a copy says nothing new"
    );
}

#[test]
fn history_holds_every_layer_that_spoke() {
    let (tree, history, _) = nodes(
        Kind::Package,
        Some("7.2.0"),
        &["a: 1\nb: 2\n", "a: 3\n", "a: 4\nb: ~\n"],
    );
    assert_eq!(plain(&tree), "{a: 4}");
    let files: Vec<u32> = history.removed[0].was.iter().map(|s| s.file).collect();
    assert_eq!((history.removed[0].path.as_str(), files), ("b", vec![0]));
    let over = history.over(tree.get("a").unwrap().span);
    assert_eq!(over.iter().map(|s| s.file).collect::<Vec<_>>(), [1, 0]);
}
