//! Ebuilds from code: `check` refuses everything that Portage would refuse.

use rocpkg_core::UseExpand;
use rocpkg_gentoo::{Dep, Eapi, Ebuild, Eclass, EclassFunction, Phase, Required, Variable};
use rocpkg_pms::Spec;
use rocpkg_render::Unprintable;
use rocpkg_render::bash::{Stmt, Test, Word, run};

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

/// Asserts that `check` refuses an ebuild with a message.
#[track_caller]
fn refused(ebuild: &Ebuild, text: &str) {
    let found = ebuild.check().expect_err(&ebuild.to_string()).to_string();
    assert!(found.contains(text), "{found}");
}

#[test]
fn flags_have_to_be_in_iuse_beside_eclasses_too() {
    assert_eq!(sound().check(), Ok(()));
    let missing = "USE flag `gpu` is used, but it is not in IUSE";
    let depend = sound().rdepend("gpu? ( dev-libs/a )".parse().unwrap());
    refused(&depend, missing);
    let asks = |flag: &str| vec![run("usex", [Word::lit(flag)])];
    let phase = sound().phase(Phase::SrcConfigure, asks("gpu"));
    refused(&phase, missing);
    let phase = sound().phase(Phase::SrcConfigure, asks("doc"));
    assert_eq!(phase.check(), Ok(()));
    // A flag of a known eclass, and a flag that an unknown eclass may have.
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
    // Nothing uses this eclass, but Portage accepts that.
    assert_eq!(sound().inherit(["edo"]).check(), Ok(()));
}

#[test]
fn some_choice_of_flags_meets_required_use() {
    let none = sound().required_use("doc !doc".parse().unwrap());
    refused(&none, "REQUIRED_USE");
    // The files beside the ebuild are not known here.
    let patch = Word::var("FILESDIR").literal("/a.patch");
    assert_eq!(sound().patch(patch).check(), Ok(()));
}

#[test]
fn all_faults_are_returned_each_with_its_place() {
    let empty = Stmt::when(Test::Command(Vec::new()), vec![run("true", [])]);
    let wrong = sound()
        .rdepend("gpu? ( dev-libs/a )".parse().unwrap())
        .inherit(["a b"])
        .function("if", vec![run("true", [])])
        .variable(Variable::new("EAPI", Word::lit("7")))
        .phase(Phase::SrcTest, vec![empty]);
    let refused = wrong.check().unwrap_err();
    let all: Vec<String> = refused.reasons().iter().map(ToString::to_string).collect();
    for expected in [
        "`a b` is not a valid name",
        "`if` is not a valid name",
        "the ebuild can't be read",
    ] {
        assert!(
            all.iter().any(|found| found.contains(expected)),
            "{expected}: {all:?}"
        );
    }
    for (ebuild, expected) in [
        (
            sound().rdepend("gpu? ( dev-libs/a )".parse().unwrap()),
            "16:2: USE flag `gpu`",
        ),
        (
            sound().variable(Variable::new("EAPI", Word::lit("7"))),
            "`EAPI` is set twice",
        ),
        (
            sound().variable(Variable::new("IUSE", Word::lit("x"))),
            "`IUSE` is set twice",
        ),
        (
            sound().variable(Variable::array("DESCRIPTION", [Word::lit("x")])),
            "`DESCRIPTION`",
        ),
    ] {
        let found = ebuild.check().expect_err(&ebuild.to_string()).to_string();
        assert!(found.contains(expected), "{expected}: {found}\n{ebuild}");
    }
    let unclosed = Stmt::Raw(Word::lit("echo \"unclosed"));
    refused_raw(&sound().phase(Phase::SrcTest, vec![unclosed]));
    refused_raw(&sound().phase(Phase::SrcTest, vec![Stmt::Raw(Word::lit("}"))]));
}

#[track_caller]
fn refused_raw(ebuild: &Ebuild) {
    assert!(ebuild.check().is_err(), "{ebuild}");
}

#[test]
fn an_eclass_says_for_which_eapis_it_is_and_defines_each_name_once() {
    let function = |name: &str| EclassFunction::new(name, "Does it.", vec![run("true", [])]);
    let eclass = || Eclass::new("own", "Own things", "2026").maintainer("A <a@example.org>");
    let sound = eclass().function(function("own_a"));
    assert_eq!(sound.check(), Ok(()));
    let twice = sound.function(function("own_a"));
    assert_eq!(
        twice.check().unwrap_err().to_string(),
        "`own_a` is defined twice"
    );
    let nowhere = eclass().eapis([""; 0]).check().unwrap_err();
    assert_eq!(nowhere.reasons()[0], Unprintable::Lacks("a supported EAPI"));
    let expand = UseExpand::new("OWN_TARGETS").unwrap();
    let names = ("own", &expand, "Own");
    let empty = Eclass::for_targets(names, ("Own things", "2026"), [], None);
    let empty = empty.maintainer("A <a@example.org>").check().unwrap_err();
    assert_eq!(
        empty.reasons()[0],
        Unprintable::Lacks("a row of GPU targets")
    );
    let reserved = eclass().function(function("then"));
    assert!(reserved.check().is_err());
}

#[test]
fn no_dependency_brings_code_into_an_ebuild() {
    for text in [
        "a/b-$(touch x)",
        "a/b-`touch x`",
        "a/b\"; touch x; \"",
        "${A:-$(touch x)}",
        "a/b[${X}$(touch x)]",
        "$(llvm_gen_dep \"a/b\")",
    ] {
        assert!(text.parse::<Spec<Dep>>().is_err(), "{text}");
    }
    let kept = ">=a/b-${PV}:${SLOT}=[${PYTHON_USEDEP}]";
    assert_eq!(kept.parse::<Spec<Dep>>().unwrap().to_string(), kept);
    for text in ["a$(touch x)", "${A}$(x)", "|| ( `x` )"] {
        assert!(text.parse::<Spec<Required>>().is_err(), "{text}");
    }
}

#[test]
fn an_ebuild_keeps_the_order_of_eclasses_and_states_its_eapi() {
    let spec = |text: &str| text.parse().unwrap();
    let nine = sound()
        .inherit(["xdg", "cmake", "cargo"])
        .eapi(Eapi::Nine)
        .idepend(spec("dev-util/desktop-file-utils"))
        .properties("test_network".parse().unwrap());
    assert_eq!(nine.check(), Ok(()));
    let text = nine.to_string();
    for line in [
        "EAPI=9",
        "inherit cmake xdg cargo",
        "IDEPEND=\"dev-util/desktop-file-utils\"",
        "PROPERTIES=\"test_network\"",
    ] {
        assert!(text.lines().any(|own| own == line), "{line}: {text}");
    }
    let seven = sound().eapi(Eapi::Seven).idepend(spec("a/b"));
    refused(&seven, "EAPI 7 has no IDEPEND");
}

#[test]
fn a_literal_of_a_variable_is_never_run() {
    let made = |text: &str| {
        let cpv = "app-misc/thing-1.0".parse().unwrap();
        Ebuild::new(cpv, &"0".parse().unwrap(), "Things", 2026)
            .variable(Variable::new("X", Word::lit(text)))
    };
    let printed = made("a\u{1}$(touch x)").to_string();
    assert!(printed.contains("\nX=$'a\\x01$(touch x)'\n"), "{printed}");
    assert_eq!(made("a\u{1}$(touch x)").check(), Ok(()));
    assert!(made("7.2").to_string().contains("\nX=\"7.2\"\n"));
    assert!(made("a\0b").check().is_err());
}
