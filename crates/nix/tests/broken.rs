//! Tests of expressions for a choice of targets or features: packages that are marked as broken,
//! flags that are left out, and empty lists of targets.

use crate::common::{file, lines, run};
use rocpkg_nix::check_style;

#[test]
fn what_is_excluded_is_not_handed_on_and_alone_it_is_broken() {
    let change = (
        "components/blas.yaml",
        "targets: {",
        "targets: {policy: fail, excludes: [{targets: [gfx906], reason: a bug}], ",
    );
    let (r, told, errors) = run(&[change]);
    assert!(!errors, "{told}");
    let text = file(&r, "blas/default.nix");
    assert!(
        text.contains("# A bug\n  supportedTargets = lib.subtractLists [ \"gfx906\" ] gpuTargets;"),
        "{text}"
    );
    assert!(
        text.contains("lib.concatStringsSep \";\" supportedTargets"),
        "{text}"
    );
    // The overlay's own condition is kept.
    let broken = "broken = stdenv.cc.isGNU || gpuTargets != [ ] && supportedTargets == [ ];";
    assert!(text.contains(broken), "{text}");
}

#[test]
fn a_package_without_device_code_for_a_choice_is_handed_an_empty_list() {
    let policy = (
        "components/sparse.yaml",
        "policy: throwaway",
        "policy: stub",
    );
    let (r, told, errors) = run(&[
        policy,
        ("components/sparse.yaml", "throwaway: gfx942, ", ""),
    ]);
    assert!(!errors, "{told}");
    let text = file(&r, "sparse/default.nix");
    assert!(!text.contains("broken ="), "{text}");
    assert!(text.contains("lib.optionals (gpuTargets != [ ])"), "{text}");
}

#[test]
fn an_overlay_can_call_a_package_in_parts_broken() {
    let meta = "parts: true\n  meta: {broken: 'stdenv.cc.isGNU || !smallBuild || gpuTargets == [ \"gfx906\" ]'}\n";
    let (r, told, errors) = run(&[("components/conv.yaml", "parts: true\n", meta)]);
    assert!(!errors, "{told}");
    let text = file(&r, "conv/default.nix");
    check_style(&text).unwrap();
    assert_eq!(
        lines(&text, &["inherit ("]),
        ["inherit (conv_base) gpuTargets smallBuild;"]
    );
    let stated = "stdenv.cc.isGNU || !smallBuild || gpuTargets == [ \"gfx906\" ]";
    let all = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        all.contains(&format!("({stated}) || !finalAttrs.passthru.hasNinth"))
            || all.contains(&format!("{stated} || !finalAttrs.passthru.hasNinth")),
        "{text}"
    );
    assert!(text.starts_with("{\n  lib,\n  stdenv,\n"), "{text}");
    assert!(file(&r, "conv/base.nix").contains("broken = true;"));
}

#[test]
fn a_feature_goes_off_where_what_it_asks_for_is_broken() {
    let features =
        "features: {fast: {name: withFast, default: true, targets: [gfx942]}}\ntargets:\n";
    let needs = "depends:\n  conv: {kind: link, when: fast, targets: covers}\n";
    let changes = [
        ("components/sparse.yaml", "targets:\n", features),
        ("components/sparse.yaml", "depends:\n", needs),
    ];
    let (r, told, errors) = run(&changes);
    assert!(!errors, "{told}");
    let text = file(&r, "sparse/default.nix");
    let default =
        "withFast ? lib.intersectLists gpuTargets [ \"gfx942\" ] != [ ] && !conv.meta.broken,";
    assert_eq!(lines(&text, &["withFast ?"]), [default]);
    assert!(
        text.contains("++ lib.optionals withFast [\n    conv\n  ]"),
        "{text}"
    );
    // A package that can't be broken for lack of a target is not tested.
    let (r, ..) = run(&[
        changes[0],
        changes[1],
        ("components/conv.yaml", "policy: fail", "policy: stub"),
    ]);
    let default = "withFast ? lib.intersectLists gpuTargets [ \"gfx942\" ] != [ ],";
    assert_eq!(
        lines(&file(&r, "sparse/default.nix"), &["withFast ?"]),
        [default]
    );
}

/// Returns the conditions in `meta.broken` of the package blas, without the condition about GCC.
/// `features` and `constraint` are added to the package.
fn broken_with(features: &str, constraint: &str) -> String {
    let constraints = format!("constraints: [{constraint}]\ndepends:\n");
    let features = format!("{features}  lazy: {{");
    let (r, told, errors) = run(&[
        ("components/blas.yaml", "depends:\n", &constraints),
        ("components/blas.yaml", "  lazy: {", &features),
    ]);
    assert!(!errors, "{told}");
    lines(&file(&r, "blas/default.nix"), &["broken ="])
        .join(" ")
        .replace("broken = stdenv.cc.isGNU", "")
}

#[test]
fn features_that_do_not_go_together_are_broken() {
    let broken = |constraint| broken_with("", constraint);
    assert_eq!(
        broken("{when: test, need: lazy}"),
        " || buildTests && !lazyLoading;"
    );
    assert_eq!(
        broken("{at-most-one: [lazy, test]}"),
        " || lazyLoading && buildTests;"
    );
    assert_eq!(
        broken("{exactly-one: [lazy, test]}"),
        " || lazyLoading && buildTests || !lazyLoading && !buildTests;"
    );
    assert_eq!(
        broken("{when: test, any-of: [lazy]}"),
        " || buildTests && !lazyLoading;"
    );
}

#[test]
fn what_the_distribution_fixes_can_break_a_package_for_those_who_ask_for_more() {
    let broken = |constraint| broken_with("  a: {fixed: true}\n  b: {fixed: true}\n", constraint);
    assert_eq!(
        broken("{when: test, exactly-one: [a, b]}"),
        " || buildTests;"
    );
    assert_eq!(
        broken("{when: test, at-most-one: [a, b]}"),
        " || buildTests;"
    );
    assert_eq!(
        broken("{when: test, at-most-one: [a, lazy]}"),
        " || buildTests && lazyLoading;"
    );
    assert_eq!(broken("{when: test, any-of: [a, b]}"), ";");
}

#[test]
fn a_package_is_laid_out_whatever_is_wrong_with_another() {
    let wrong = (
        "components/sparse.yaml",
        "depends:\n",
        "environment: {build: {A: '${nothing}'}}\ndepends:\n",
    );
    let (r, told, errors) = run(&[wrong]);
    assert!(errors && told.contains("E0501"), "{told}");
    let (sound, ..) = run(&[]);
    assert_eq!(
        file(&r, "blas/default.nix"),
        file(&sound, "blas/default.nix")
    );
}

#[test]
fn of_many_features_those_that_are_on_are_counted() {
    let names: Vec<String> = (0..40).map(|i| format!("f{i}")).collect();
    let features = names
        .iter()
        .map(|n| format!("  {n}: {{name: {n}}}\n"))
        .collect::<String>();
    for (key, sign) in [("at-most-one", ">"), ("exactly-one", "!=")] {
        let all = format!(
            "constraints: [{{when: '!test', {key}: [{}]}}]\ndepends:\n",
            names.join(", ")
        );
        let features = format!(
            "{}  lazy: {{",
            features.replacen("f0}", "f0, default: true}", 1)
        );
        let changes = [
            ("components/blas.yaml", "depends:\n", all.as_str()),
            ("components/blas.yaml", "  lazy: {", &features),
        ];
        let (r, told, errors) = run(&changes);
        assert!(!errors, "{told}");
        let text = file(&r, "blas/default.nix");
        check_style(&text).unwrap();
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let list = format!(
            "!buildTests && lib.count lib.id [ {} ] {sign} 1;",
            names.join(" ")
        );
        assert!(text.contains(&list), "{text}");
    }
}

#[test]
fn what_nothing_is_left_of_is_not_passed_on() {
    let policy = (
        "components/sparse.yaml",
        "policy: throwaway",
        "policy: fail",
    );
    let (r, told, errors) = run(&[
        policy,
        ("components/sparse.yaml", "throwaway: gfx942, ", ""),
    ]);
    assert!(!errors, "{told}");
    let text = file(&r, "sparse/default.nix");
    assert!(
        text.contains("lib.optionals (supportedTargets != [ ])"),
        "{text}"
    );
}
