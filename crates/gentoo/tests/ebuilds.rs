//! The rules of ebuilds, one at a time. Each file of `rules/` holds overlays of one small package,
//! and a snapshot shows the result. Lines that are the same as without an overlay are left out, and
//! missing lines are marked by `-`. A line `=== distro` begins a layer over the distribution's
//! file, and `=== release` names another release.

use rocpkg_gentoo::internal::{Edition, render};
use rocpkg_model::{Files, Severity};
use rocpkg_render::Templates;
use rocpkg_resolve::{Choice, Model, Plan};
use std::fs;

const DISTRO: &str = "
version: 7.2.0
naming: title
fetch: asset
year: '2026'
packages: {sample: default}
licences: {MIT: MIT}
eclass: {name: rocm, expand: AMDGPU_TARGETS, title: ROCm, blurb: GPU targets, compilers: {clang: rocm_use_clang, amdclang: rocm_use_clang, hipcc: rocm_use_hipcc}, device: check_amdgpu}
targets:
  - {releases: '>=7.0, <8', default: [gfx90a, gfx1100], offered: [gfx1031]}
maintainers: [{name: A Maintainer, email: a@example.org}]
settings: {global-flags: a b c d e f benchmark test}
";

const EXTERNALS: &str = "
gtest: {gentoo: dev-cpp/gtest}
slotted: {gentoo: 'dev-libs/slotted:${SLOT}'}
clang: {gentoo: 'llvm-core/clang:${LLVM_SLOT}'}
python: {gentoo: '${PYTHON_DEPS}'}
";

const COMPONENT: &str = "
title: sample
summary: A sample
licence: [MIT]
sources: {main: {repository: rocm-libraries, path: projects/sample, asset: sample}}
";

fn files(files: &[(&str, &str)]) -> Files {
    files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
        .collect()
}

/// Returns the result of a rule: the findings and, if there is no error, the files that the user
/// provides and the ebuild below its head.
fn shown(rule: &str) -> String {
    let (rule, release) = rule.split_once("\n=== release ").unwrap_or((rule, ""));
    let (overlay, distro) = rule.split_once("\n=== distro\n").unwrap_or((rule, "{}"));
    let base = files(&[
        ("distros/gentoo.yaml", DISTRO),
        ("distros/gentoo/sample.yaml", overlay),
        ("components/sample.yaml", COMPONENT),
        ("externals.yaml", EXTERNALS),
        ("upstream.yaml", "owner: ROCm\n"),
        (
            "releases/7.2.yaml",
            "tag: 'rocm-${version}'\nversions: {'7.2.0': {}, '7.2.1': {}, '7.2.3': {flat-assets: true}}\n",
        ),
    ]);
    let layer = files(&[("distros/gentoo.yaml", distro)]);
    let (model, mut findings) = Model::load(&[(String::new(), base), ("over".to_owned(), layer)]);
    let choice: Choice = release.trim().parse().unwrap_or_default();
    let plan = Plan::new(&model, "gentoo", &choice, &mut findings).unwrap();
    let templates = Templates::new(&rocpkg_test_support::templates("gentoo")).unwrap();
    let (rendered, _) = render(
        &[Edition {
            plan,
            packages: None,
        }],
        &templates,
        &mut findings,
    );
    let mut out = String::new();
    for f in findings
        .sorted()
        .into_iter()
        .filter(|f| f.severity != Severity::Note)
    {
        out += &format!("{} {}\n", f.code, f.message);
    }
    if findings.has_errors() {
        return out;
    }
    for u in rendered.unknown_sums() {
        out += &format!("no sums of {}\n", u.name);
    }
    for companion in &rendered.companions {
        out += &format!("brought: {}\n", companion.path);
    }
    for (path, bytes) in rendered
        .tree
        .iter()
        .filter(|(path, _)| path.as_str().ends_with(".ebuild"))
    {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        out += &format!("{path}\n{}", text.split_once("EAPI=8\n").unwrap().1);
    }
    out
}

/// Returns the lines that differ from those of the plain package.
fn changed(plain: &str, text: &str) -> String {
    let lines = |text: &str| {
        text.lines()
            .filter(|line| !line.is_empty())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    if text.starts_with('E') {
        return text.to_owned();
    }
    let (plain, text) = (lines(plain), lines(text));
    let gone = plain
        .iter()
        .filter(|line| !text.contains(line))
        .map(|line| format!("- {line}\n"));
    let new = text
        .iter()
        .filter(|line| !plain.contains(line))
        .map(|line| format!("{line}\n"));
    gone.chain(new).collect()
}

#[test]
fn each_rule_makes_its_ebuild() {
    let plain = shown("{}");
    insta::assert_snapshot!(plain);
    insta::glob!("rules/*.yaml", |file| {
        let text = fs::read_to_string(file).unwrap();
        let rules = text.split("\n---\n");
        let each = rules.map(|rule| {
            format!(
                "{}\n{}",
                rule.lines().next().unwrap(),
                changed(&plain, &shown(rule))
            )
        });
        insta::assert_snapshot!(each.collect::<Vec<_>>().join("\n"));
    });
}
