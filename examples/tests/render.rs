//! Renders each example without an error, and compares the output with a snapshot.

use rocpkg::Choice;
use rocpkg::{Backend, Options, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::plans::fewest_runs;
use std::path::Path;

/// Returns the rendered files whose path contains one of `parts`, one after the other.
fn rendered(name: &str, packages: &[&str], parts: &[&str]) -> String {
    let stack = Stack::shipped()
        .unwrap()
        .layer(Path::new(env!("CARGO_MANIFEST_DIR")).join(name))
        .unwrap();
    let packages = packages.iter().map(|p| (*p).to_owned()).collect();
    let tree = stack
        .render(&Options {
            packages,
            ..Options::everything()
        })
        .unwrap();
    let mut out = String::new();
    for (path, bytes) in tree
        .files
        .iter()
        .filter(|(p, _)| parts.iter().any(|w| p.as_str().contains(w)))
    {
        out.push_str(&format!("=== {path}\n{}\n", String::from_utf8_lossy(bytes)));
    }
    out
}

#[test]
fn a_new_package_is_printed_for_all_three_distributions() {
    let text = rendered("new-package", &["rocshow"], &["rocShow", "rocshow"]);
    for part in [
        "rocShow-7.2.0.ebuild",
        "arch/rocshow/PKGBUILD",
        "nix/rocshow/default.nix",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn a_library_of_the_usual_kind_needs_no_overlay() {
    let text = rendered(
        "new-library",
        &["hipexample"],
        &["hipExample", "hipexample"],
    );
    for part in [
        "hipExample-7.2.0.ebuild",
        "arch/hipexample/PKGBUILD",
        "nix/hipexample/default.nix",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    insta::assert_snapshot!(text);
}

#[test]
fn an_overlays_own_targets_are_followed_everywhere() {
    let text = rendered("own-targets", &[], &["rocm.eclass", "amdgpu_targets.desc"]);
    assert!(text.contains("gfx1030") && text.contains("gfx1100"));
    assert!(!text.contains("gfx90a"), "no other target is left:\n{text}");
}

#[test]
fn a_list_that_a_tool_is_known_to_print_is_proved() {
    let text = rendered("known-tool", &[], &["arch/rocblas/PKGBUILD"]);
    assert!(
        text.contains("$(rocm-supported-gfx)"),
        "the recipe still asks the tool:\n{text}"
    );
}

/// Returns, for each distribution, the GPU targets whose code each runner of a consumer tests, and
/// the targets that no runner tests.
fn tested(name: &str, package: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("consumers")
        .join(name);
    let stack = Stack::shipped()
        .unwrap()
        .layer(folder.join("rocm"))
        .unwrap();
    let runners = stack
        .lab(
            "runners.yaml",
            &std::fs::read_to_string(folder.join("runners.yaml")).unwrap(),
        )
        .unwrap()
        .runners;
    let mut out = String::new();
    for backend in [Backend::Gentoo, Backend::Arch, Backend::Nix] {
        let questions = stack.questions(backend, &Choice::Shipped).unwrap();
        let (units, unknown) = questions.test_units(&runners, &[package.to_owned()]);
        assert!(unknown.is_empty(), "{unknown:?}");
        for run in fewest_runs(&units).0 {
            let tested = units
                .iter()
                .filter(|u| u.runs().contains(&run))
                .map(|u| questions.registry.name(u.code));
            let tested = tested.collect::<Vec<_>>().join(" ");
            out += &format!(
                "{}: {} tests code for {tested}\n",
                backend.folder(),
                runners[run.runner].name
            );
        }
        let bare = units
            .iter()
            .filter(|u| u.runs().is_empty())
            .map(|u| questions.registry.name(u.code));
        out += &format!(
            "{}: nobody tests: {}\n",
            backend.folder(),
            bare.collect::<Vec<_>>().join(" ")
        );
    }
    out
}

#[test]
fn projects_with_a_backend_are_rendered_and_know_what_to_test() {
    for (name, recipes) in [
        (
            "iree",
            [
                "IREE-3.14.0.ebuild",
                "arch/iree/PKGBUILD",
                "nix/iree/default.nix",
            ],
        ),
        (
            "cupy",
            [
                "CuPy-14.1.1.ebuild",
                "arch/python-cupy-rocm/PKGBUILD",
                "nix/cupy/default.nix",
            ],
        ),
    ] {
        let text = rendered(&format!("consumers/{name}/rocm"), &[name], &recipes);
        for part in recipes {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        insta::assert_snapshot!(name, text);
        insta::assert_snapshot!(format!("{name}-tests"), tested(name, name));
    }
}
