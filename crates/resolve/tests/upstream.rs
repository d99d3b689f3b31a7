//! Tests of the keys that `upstream.yaml` gives to a component, and of the keys by which a
//! component changes them.

use rocpkg_model::{Files, Package};
use rocpkg_resolve::{Choice, Model, Plan, Planned};

const UPSTREAM: &str = r"
owner: ROCm
homepage: https://example.org/${owner}/${repository}
folder-homepage: https://example.org/${owner}/${repository}/${branch}/${path}
documentation: https://docs.example.org/${title}
licence-file: LICENSE.md
repositories:
  many: {branch: develop, assets: '>=7.2'}
  tree: {branch: main}
features:
  test: {summary: Build and run the tests}
  debug: {summary: Build with assertions}
  sample: {summary: Build the samples}
";

const DISTRO: &str = "
version: '7.2.0'
naming: component
fetch: asset
packages: {demo: default}
";

const COMPONENT: &str = "
title: Demo
summary: A library
licence: [MIT]
sources:
  main:
    - {releases: '<7.1', repository: Demo}
    - {releases: '>=7.1', repository: many, path: projects/demo}
";

/// Plans the package `demo` at `release`. `component` is its component, `other` another component,
/// and `mine` the component's layer in a user's folder, or empty. Returns the last package of the
/// plan, if a plan was made, and each finding as its code and message.
fn planned(
    component: &str,
    other: &str,
    mine: &str,
    release: &str,
) -> (Option<Planned>, Vec<String>) {
    let line = |version: &str| format!("tag: v${{version}}\nversions: {{'{version}': {{}}}}\n");
    let (old, new) = (line("7.0.2"), line("7.2.0"));
    let mut files = Files::new();
    for (path, text) in [
        ("upstream.yaml", UPSTREAM),
        ("distros/gentoo.yaml", DISTRO),
        ("components/demo.yaml", component),
        ("components/other.yaml", other),
        ("releases/7.0.yaml", &*old),
        ("releases/7.2.yaml", &*new),
        ("externals.yaml", "gtest: {gentoo: dev-cpp/gtest}\n"),
    ] {
        files.insert(path.to_owned(), text.to_owned());
    }
    let mut layers = vec![(String::new(), files)];
    if !mine.is_empty() {
        layers.push((
            "mine".into(),
            [("components/demo.yaml".to_owned(), mine.to_owned())].into(),
        ));
    }
    let (model, mut findings) = Model::load(&layers);
    let plan = Plan::new(
        &model,
        "gentoo",
        &Choice::Release(release.parse().unwrap()),
        &mut findings,
    );
    let said = findings
        .sorted()
        .iter()
        .map(|f| format!("{} {}", f.code, f.message))
        .collect();
    (plan.and_then(|p| p.packages.last().cloned()), said)
}

/// Plans the package as [`planned`] does, with a trivial other component. Panics if there is a
/// finding.
fn package(component: &str, mine: &str, release: &str) -> Planned {
    let (planned, said) = planned(component, "summary: Other\n", mine, release);
    assert_eq!(said, [] as [&str; 0]);
    planned.unwrap()
}

fn home(p: &Package) -> Option<&str> {
    p.homepage.as_ref().map(|h| h.value.as_str())
}

#[test]
fn addresses_follow_the_source_of_the_release_and_the_title() {
    let new = "https://example.org/ROCm/many/develop/projects/demo";
    for (release, address) in [("7.2.0", new), ("7.0.2", "https://example.org/ROCm/Demo")] {
        let p = package(COMPONENT, "", release).package;
        assert_eq!(home(&p), Some(address));
        assert_eq!(
            p.documentation.unwrap().value,
            "https://docs.example.org/Demo"
        );
        assert_eq!(p.licence_file.unwrap().to_string(), "LICENSE.md");
    }
    let own = COMPONENT.replace("many, path: projects/demo", "Demo2, owner: us");
    assert_eq!(
        home(&package(&own, "", "7.2.0").package),
        Some("https://example.org/us/Demo2")
    );
}

#[test]
fn what_is_not_upstreams_has_no_documentation_made_up() {
    let said = |component: &str| {
        package(component, "", "7.2.0")
            .package
            .documentation
            .map(|url| url.value)
    };
    assert_eq!(
        said(COMPONENT).as_deref(),
        Some("https://docs.example.org/Demo")
    );
    let owned =
        |owner: &str| COMPONENT.replace("{releases", &format!("{{owner: {owner}, releases"));
    assert_eq!(
        said(&owned("ROCm")).as_deref(),
        Some("https://docs.example.org/Demo")
    );
    assert_eq!(said(&owned("somebody")), None);
}

#[test]
fn what_a_component_says_stands() {
    let text = format!("{COMPONENT}homepage: https://demo.example.org\ndocumentation: ~\n");
    let p = package(&text, "licence-file: COPYING\n", "7.2.0").package;
    assert_eq!(home(&p), Some("https://demo.example.org"));
    assert!(p.documentation.is_none(), "`~` takes it back");
    assert_eq!(p.licence_file.unwrap().to_string(), "COPYING");
}

#[test]
fn a_layer_that_moves_the_source_moves_the_homepage() {
    let p = package(
        COMPONENT,
        "sources: {main: {repository: tree, path: lib/demo}}\n",
        "7.2.0",
    );
    assert_eq!(
        home(&p.package),
        Some("https://example.org/ROCm/tree/main/lib/demo")
    );
}

#[test]
fn an_asset_is_called_like_the_folder_where_there_are_any() {
    let asset = |text: &str, release| package(text, "", release).sources[0].asset.clone();
    assert_eq!(asset(COMPONENT, "7.2.0").as_deref(), Some("demo"));
    assert_eq!(asset(COMPONENT, "7.0.2"), None);
    let said = COMPONENT.replace("projects/demo", "projects/demo, asset: demonstration");
    assert_eq!(asset(&said, "7.2.0").as_deref(), Some("demonstration"));
    assert_eq!(asset(&COMPONENT.replace("many", "tree"), "7.2.0"), None);
}

#[test]
fn before_there_were_assets_the_archive_of_the_tag_is_taken() {
    let early = COMPONENT
        .replace("'<7.1'", "'<7.0'")
        .replace("'>=7.1'", "'>=7.0'");
    let url = |component: &str, release: &str| {
        let p = package(component, "", release);
        (
            p.sources[0].url.to_string(),
            p.sources[0].project().map(str::to_owned),
        )
    };
    let (address, folder) = url(&early, "7.0.2");
    assert_eq!(
        address,
        "https://github.com/ROCm/many/archive/refs/tags/v${version}.tar.gz"
    );
    assert_eq!(folder.as_deref(), Some("projects/demo"));
    let (address, folder) = url(&early, "7.2.0");
    assert_eq!(
        address,
        "https://github.com/ROCm/many/releases/download/v${version}/demo.tar.gz"
    );
    assert_eq!(folder, None);
    let asked = early.replace("repository: many,", "repository: many, fetch: asset,");
    let (_, said) = planned(&asked, "summary: Other\n", "", "7.0.2");
    assert_eq!(said, ["E0224 many has no assets at 7.0.2"]);
}

#[test]
fn a_release_is_passed_the_variable_that_it_reads() {
    let variables = "targets: {variables: {GPU_TARGETS: '>=7.1', AMDGPU_TARGETS: '<7.1'}}\n";
    let read = |release: &str| {
        let p = package(&format!("{COMPONENT}{variables}"), "", release).package;
        let names = p.targets.unwrap().variable.0;
        names.into_iter().map(|v| v.value).collect::<Vec<_>>()
    };
    assert_eq!(read("7.0.2"), ["AMDGPU_TARGETS"]);
    assert_eq!(read("7.2.0"), ["GPU_TARGETS"]);
}

#[test]
fn a_component_has_the_features_that_it_names() {
    let text = format!(
        "{COMPONENT}features: {{debug: {{}}}}\noptions: {{BUILD_TEST: {{default: off, feature: test}}}}\n"
    );
    let p = package(&text, "", "7.2.0").package;
    let features: Vec<_> = p
        .features
        .iter()
        .map(|(n, f)| format!("{n}: {}", f.summary.as_ref().unwrap().value))
        .collect();
    assert_eq!(
        features,
        [
            "test: Build and run the tests",
            "debug: Build with assertions"
        ]
    );
    let (_, said) = planned(
        &text.replace("feature: test", "feature: tset"),
        "summary: Other\n",
        "",
        "7.2.0",
    );
    assert_eq!(said, ["E0201 unknown feature `tset`"]);
}

#[test]
fn tests_of_device_code_run_it() {
    let device = |more: &str| {
        package(&format!("{COMPONENT}{more}"), "", "7.2.0")
            .package
            .tests
            .map(|t| t.device)
    };
    assert_eq!(
        device("targets: {variable: GPU_TARGETS}\ntests: {jobs: 1}\n"),
        Some(true)
    );
    assert_eq!(
        device("targets: {variable: GPU_TARGETS}\ntests: {device: false}\n"),
        Some(false)
    );
    assert_eq!(device("tests: {jobs: 1}\n"), Some(false));
    assert_eq!(device("targets: {variable: GPU_TARGETS}\n"), None);
    // The tests are chosen by a feature, whatever else names it.
    let chosen = |more: &str| {
        package(&format!("{COMPONENT}{more}"), "", "7.2.0")
            .package
            .features
            .contains_key("test")
    };
    assert!(chosen("targets: {variable: GPU_TARGETS}\ntests: {}\n"));
    assert!(!chosen(
        "targets: {variable: GPU_TARGETS}\ntests: {never: They hang}\n"
    ));
    assert!(!chosen("tests: {jobs: 1}\n"));
}

#[test]
fn a_reference_to_nothing_is_a_finding() {
    let upstream = "documentation: https://docs.example.org/${titel}\n";
    let (_, findings) = Model::load(&[(
        String::new(),
        [("upstream.yaml".to_owned(), upstream.to_owned())].into(),
    )]);
    let said: Vec<_> = findings
        .sorted()
        .iter()
        .map(|f| format!("{} {}", f.code, f.message))
        .collect();
    assert_eq!(said, ["E0240 unknown reference `${titel}` in a component"]);
}

#[test]
fn a_fetched_patch_lies_where_the_project_lies() {
    let relative = |patch: &str| {
        let p = package(&format!("{COMPONENT}patches: [{patch}]\n"), "", "7.0.2").package;
        p.patches[0].relative.clone().map(|r| r.value)
    };
    let there = "file: a.patch, checked: '*', url: 'https://github.com/us/many/commit/1.patch'";
    assert_eq!(
        relative(&format!("{{{there}}}")).as_deref(),
        Some("projects/demo")
    );
    assert_eq!(
        relative(&format!("{{{there}, relative: lib}}")).as_deref(),
        Some("lib")
    );
    assert_eq!(
        relative(
            "{file: a.patch, checked: '*', url: 'https://github.com/ROCm/Demo/commit/1.patch'}"
        ),
        None
    );
    assert_eq!(relative("{file: a.patch, checked: '*'}"), None);
}

#[test]
fn a_fetched_patch_of_a_project_that_moved_in_its_repository_lies_where_it_is_last() {
    let moved =
        "'<6.3', repository: Demo, path: src}\n    - {releases: '>=6.3, <7.1', repository: Demo}";
    let component = COMPONENT.replace("'<7.1', repository: Demo}", moved);
    assert_ne!(component, COMPONENT);
    let patch = "patches: [{file: a.patch, checked: '*', url: 'https://github.com/ROCm/Demo/commit/1.patch'}]";
    let p = package(&format!("{component}{patch}\n"), "", "7.0.2").package;
    assert_eq!(p.patches[0].relative.clone().map(|r| r.value), None);
}
