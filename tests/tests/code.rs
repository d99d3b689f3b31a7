//! Packages from code are handled like packages that are written in YAML.

use rocpkg::model::{Decode, Encode, Findings, Package, parse};
use rocpkg::resolve::Choice;
use rocpkg::{Backend, Options, Stack};

/// Returns the YAML of a package, and the YAML after it was read and written once more.
fn again(package: &Package) -> (String, String) {
    let text = package.encode().unwrap().to_string();
    let mut findings = Findings::default();
    let node = parse(0, &text, &mut findings).unwrap();
    let read = Package::decode(&node, &mut findings);
    assert!(!findings.has_errors(), "{text}");
    let written = read.unwrap().encode().unwrap().to_string();
    (text, written)
}

#[test]
fn every_package_of_the_model_is_read_as_it_is_written() {
    let stack = Stack::shipped().unwrap();
    for backend in Backend::ALL {
        for p in &stack.plan(backend, &Choice::Shipped).unwrap().packages {
            let (text, written) = again(&p.package);
            assert_eq!(text, written, "{} of {}", p.id, backend.distro());
        }
    }
}

#[test]
fn a_package_from_code_is_rendered_for_all_four() {
    let mut thing = Package::default();
    thing.title = Some("hipThing".into());
    thing.summary = "Things for AMD GPUs, \"quoted\" and $(not run)".into();
    thing.licence = vec!["MIT".into()];
    let mut source = rocpkg::model::Source::default();
    (source.owner, source.repository) = (Some("somebody".into()), Some("hipThing".into()));
    thing.sources.insert("main".into(), source);
    let mut edge = rocpkg::model::Edge::default();
    edge.kind = vec![rocpkg::model::EdgeKind::Link].into();
    thing.depends.insert("clr".into(), vec![edge].into());
    let mut stack = Stack::shipped().unwrap().component("hipthing", &thing);
    for backend in Backend::ALL {
        stack = stack.package(backend, "hipthing", &Package::default());
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
        let text = tree.text(path).unwrap_or_else(|| {
            panic!(
                "{path}: {:?}",
                tree.files
                    .iter()
                    .map(|(p, _)| p.to_string())
                    .collect::<Vec<_>>()
            )
        });
        assert!(text.contains("Things for AMD GPUs"), "{text}");
    }
}
