//! Ebuilds from code: what Portage would refuse is refused before it is printed.

use rocpkg_gentoo::{Ebuild, Phase, Variable};
use rocpkg_render::Unprintable;
use rocpkg_render::bash::{Word, run};

fn plain() -> Ebuild {
    let slot = "0".parse().unwrap();
    let name = "app-misc/thing-1.0".parse().unwrap();
    Ebuild::new(name, &slot, "A thing", 2026)
        .homepage("https://example.org/thing")
        .license("MIT".parse().unwrap())
        .iuse("doc".parse().unwrap())
}

fn sound() -> Ebuild {
    plain().inherit(["cmake"])
}

/// Asserts that an ebuild is refused with a text.
#[track_caller]
fn refused(ebuild: &Ebuild, text: &str) {
    match ebuild.check() {
        Err(Unprintable::Text(found)) => assert!(found.contains(text), "{found}"),
        other => panic!("{other:?}: {ebuild}"),
    }
}

#[test]
fn flags_have_to_be_in_iuse_beside_eclasses_too() {
    assert_eq!(sound().check(), Ok(()));
    let missing = |flag: &str| Err(Unprintable::Flag(flag.to_owned()));
    let depend = sound().rdepend("gpu? ( dev-libs/a )".parse().unwrap());
    assert_eq!(depend.check(), missing("gpu"));
    let asks = |flag: &str| vec![run("usex", [Word::lit(flag)])];
    let phase = sound().phase(Phase::SrcConfigure, asks("gpu"));
    assert_eq!(phase.check(), missing("gpu"));
    let phase = sound().phase(Phase::SrcConfigure, asks("doc"));
    assert_eq!(phase.check(), Ok(()));
    // A flag of an eclass, and one that an eclass which is not at hand may have.
    let python = sound().inherit(["python-single-r1"]);
    let python = python.rdepend(
        "python_single_target_python3_13? ( dev-libs/a )"
            .parse()
            .unwrap(),
    );
    assert_eq!(python.check(), Ok(()));
    let ours = sound().inherit(["ours"]);
    let ours = ours.rdepend("gpu? ( dev-libs/a )".parse().unwrap());
    assert_eq!(ours.check(), Ok(()));
}

#[test]
fn names_are_set_once_and_functions_are_defined() {
    let twice = sound()
        .function("own_step", vec![run("true", [])])
        .function("own_step", vec![run("false", [])])
        .phase(Phase::SrcTest, vec![run("own_step", [])]);
    refused(&twice, "`own_step` is defined twice");
    let set = |value: &str| Variable::new("CMAKE_BUILD_TYPE", Word::lit(value));
    let twice = sound()
        .before_inherit(set("Debug"))
        .before_inherit(set("Release"));
    refused(&twice, "`CMAKE_BUILD_TYPE` is set twice");
    let flags = |eclass: &str| {
        let append = run("append-flags", [Word::lit("-O1")]);
        plain()
            .inherit([eclass])
            .phase(Phase::SrcConfigure, vec![append])
    };
    refused(&flags("edo"), "`append-flags` is called");
    assert_eq!(flags("flag-o-matic").check(), Ok(()));
    // Nothing uses this eclass, and Portage does not mind.
    assert_eq!(sound().inherit(["edo"]).check(), Ok(()));
}

#[test]
fn some_choice_of_flags_meets_required_use() {
    let none = sound().required_use("doc !doc".parse().unwrap());
    refused(&none, "REQUIRED_USE");
    // What lies beside the ebuild is not known here.
    let patch = Word::var("FILESDIR").literal("/a.patch");
    assert_eq!(sound().patch(patch).check(), Ok(()));
}
