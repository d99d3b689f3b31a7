//! Packages from code are handled like packages that are written in YAML.

use rocpkg::profile::{Dependency, Distribution, Package, Profile, Value};
use rocpkg::{Backend, Options, Stack};

#[test]
fn a_package_from_code_is_rendered_for_all_four() {
    let thing = Package::component("hipthing")
        .title("hipThing")
        .summary("Things for AMD GPUs, \"quoted\" and $(not run)")
        .licence("MIT")
        .repository("somebody", "hipThing")
        .depends("clr", Dependency::link());
    let mut stack = Stack::shipped().unwrap().with(thing);
    for backend in Backend::ALL {
        stack = stack.with(Package::overlay(backend, "hipthing"));
    }
    let options = Options {
        packages: vec!["hipthing".into()],
        ..Options::everything()
    };
    let tree = stack.render(&options).unwrap_or_else(|e| panic!("{e}"));
    for path in [
        "gentoo/sci-libs/hipThing/hipThing-7.2.0.ebuild",
        "arch/hipthing/PKGBUILD",
        "nix/hipthing/default.nix",
        "solus/hipthing/package.yml",
    ] {
        let text = tree.text(path).unwrap_or_else(|| panic!("{path}"));
        assert!(text.contains("Things for AMD GPUs"), "{text}");
    }
}

/// A stack of which nothing is in a file: the same values as in `examples/other-stack`.
#[test]
fn a_stack_from_code_is_rendered() {
    let names = |name| [(Backend::Gentoo, "dev-build/cmake"), (Backend::Arch, name)];
    let library = Package::component("nimblas")
        .title("nimBLAS")
        .summary("BLAS for Nimbus GPUs")
        .licence("MIT")
        .repository("nimbus-hpc", "nimBLAS")
        .depends("cmake", Dependency::tool())
        .feature("test", "Build and run the tests", false)
        .option("BUILD_TESTS", false, "test")
        .targets("NIMBUS_TARGETS", ["nb10", "nb20"], "CMakeLists.txt");
    let arch = Distribution::new(Backend::Arch, "3.1.0")
        .package("nimblas")
        .targets("*", ["nb10", "nb20"], [])
        .maintainer("A Packager", "a@example.org")
        .set(["settings", "prefix"], "/opt/nimbus");
    let stack = Stack::empty()
        .unwrap()
        .with(Profile::upstream(
            "Nimbus",
            "nimbus-hpc",
            "https://example.org/${repository}",
        ))
        .with(Profile::release("3.1.0", "v${version}"))
        .with(Profile::external("cmake", names("cmake")))
        .with(Profile::processor("nb10", "Cumulus", "20"))
        .with(Profile::processor("nb20", "Stratus", "21"))
        .with(library)
        .with(arch);
    let options = Options {
        allow_missing: true,
        ..Options::default()
    };
    let tree = stack.render(&options).unwrap_or_else(|e| panic!("{e}"));
    insta::assert_snapshot!(tree.text("arch/nimblas/PKGBUILD").unwrap());
}

#[test]
fn a_wrong_name_is_found_at_its_line() {
    let wrong = Package::component("nimblas")
        .title("nimBLAS")
        .set(["depends", "cmake", "kind"], "tol");
    let stack = Stack::empty().unwrap().with(wrong);
    let message = stack.render(&Options::default()).unwrap_err().to_string();
    let place = "code/components/nimblas.yaml:2:13";
    assert!(message.contains("unknown dependency `cmake`"), "{message}");
    assert!(message.contains(place), "{message}");
}

#[test]
fn hostile_text_stays_text() {
    let text = "a\"b\\c\n: [x] # y\u{7f}\u{85}\u{2028}${z}";
    let file = Profile::new("upstream.yaml").set(["name", "${x}: y"], Value::from(text));
    let mut findings = rocpkg::internal::model::Findings::default();
    let node = rocpkg::internal::model::parse(0, &file.to_string(), &mut findings).unwrap();
    let read = node.get("name").and_then(|name| name.get("${x}: y"));
    assert_eq!(read.and_then(|value| value.text()), Some(text));
}
