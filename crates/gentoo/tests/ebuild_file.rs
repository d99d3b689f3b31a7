//! Ebuilds that are read, changed and printed: properties of the golden ebuilds, and examples.

use rocpkg_gentoo::{Dep, DependVariable, Ebuild, EbuildFile, Eclass, Phase};
use rocpkg_render::bash::{Script, Word, run};
use rocpkg_test_support::{fixture, texts};
use std::collections::BTreeMap;

/// Returns the golden ebuilds by their paths in the repository.
fn golden() -> BTreeMap<String, String> {
    let all = texts(&fixture("golden/gentoo"), &["ebuild"]);
    assert!(all.len() > 40, "{}", all.len());
    all
}

/// Returns the lines of one text that another one lacks.
fn lacking<'a>(text: &'a str, other: &str) -> Vec<&'a str> {
    text.lines()
        .filter(|line| !other.lines().any(|own| own == *line))
        .collect()
}

#[test]
fn golden_ebuilds_are_typed_and_their_printing_is_read_back_as_the_same() {
    for (path, text) in golden() {
        let ebuild = Ebuild::read(&text).unwrap();
        assert_eq!(ebuild.untyped(), [""; 0], "{path}");
        let printed = ebuild.to_string();
        let again = Ebuild::read(&printed).unwrap().to_string();
        assert_eq!(again, printed, "{path}");
        for variable in DependVariable::ALL {
            ebuild
                .depends(variable)
                .unwrap_or_else(|e| panic!("{path}: {e}"));
        }
        assert!(ebuild.eapi().is_some(), "{path}");
    }
}

#[test]
fn what_does_not_change_keeps_every_byte() {
    for (path, text) in golden() {
        let ebuild = Ebuild::read(&text).unwrap();
        let done = ebuild.written_into(&text, &path).unwrap();
        assert_eq!(done.text, text, "{path}");
        assert_eq!(done.conflicts, [], "{path}");
    }
}

#[test]
fn a_setter_touches_its_item_alone() {
    for (path, text) in golden() {
        let mut ebuild = Ebuild::read(&text).unwrap();
        let before = ebuild.clone();
        let flag = "zz-flag".parse().unwrap();
        ebuild.add_flag(&flag).unwrap();
        let lib = "dev-libs/zz-lib".parse().unwrap();
        ebuild.add_depend(DependVariable::Post, &lib).unwrap();
        ebuild.set_phase(Phase::PkgInfo, vec![run("einfo", [Word::lit("zz")])]);
        // No other item has changed, whatever the style of the ebuild.
        let others = |ebuild: &EbuildFile| -> Vec<_> {
            let mut items = ebuild.script.items.clone();
            items.retain(|item| {
                let text = Script {
                    items: vec![item.clone()],
                };
                let names = ["IUSE", "PDEPEND"];
                text.function("pkg_info").is_none()
                    && names.iter().all(|name| text.values(name).next().is_none())
            });
            items.retain(|item| !matches!(item, rocpkg_render::bash::Stmt::Blank));
            items
        };
        assert_eq!(others(&ebuild), others(&before), "{path}");

        let done = ebuild.written_into(&text, &path).unwrap();
        let reads: Vec<String> = done
            .conflicts
            .iter()
            .map(|left| left.path.join("/"))
            .collect();
        assert_eq!(reads, [""; 0], "{path}");
        for line in lacking(&text, &done.text) {
            assert!(
                line.contains("IUSE=") || line.contains("PDEPEND="),
                "{path}: {line}"
            );
        }
        let again = Ebuild::read(&done.text).unwrap();
        assert_eq!(again.iuse().unwrap(), ebuild.iuse().unwrap(), "{path}");
        assert_eq!(
            again.phase(Phase::PkgInfo),
            ebuild.phase(Phase::PkgInfo),
            "{path}"
        );
    }
}

const OPEN: &str = r#"EAPI=8
PYTHON_COMPAT=( python3_{12..14} )

inherit distutils-r1 # by hand
if [[ ${PV} == 9999 ]]; then
	inherit git-r3
else
	SRC_URI="https://example.org/${P}.tar.gz -> ${PN}-${PV%.*}.tar.gz"
	KEYWORDS="~amd64"
fi
SRC_URI+=" $(pypi_sdist_url)"
LICENSE="MIT ${X}"
SLOT="0/$(ver_cut 1-2)"
IUSE="+hip ${CPU_FLAGS[@]/#/cpu_flags_}"
REQUIRED_USE="${PYTHON_REQUIRED_USE} hip? ( || ( a b ) )"
RDEPEND="
	$(python_gen_cond_dep '
		dev-python/numpy[${PYTHON_USEDEP}]
		hip? ( dev-python/cupy )
	' 'python3_1[23]' -2)
	$(llvm_gen_dep "llvm-core/clang:\${LLVM_SLOT}")
	~dev-util/hip-${PV}:=
	>=dev-util/rocm-$(ver_cut 1)
	${MY_USE}? ( dev-libs/x )
"
"#;

#[test]
fn dependencies_hold_calls_with_groups_and_words_of_bash() {
    let ebuild = Ebuild::read(OPEN).unwrap();
    assert_eq!(ebuild.untyped(), [""; 0]);
    assert_eq!(ebuild.inherited(), ["distutils-r1", "git-r3"]);
    let depends = ebuild.depends(DependVariable::Run).unwrap();
    let leaves = depends.leaves();
    let Dep::Call(call) = leaves[0] else {
        panic!("{leaves:?}")
    };
    assert_eq!(&*call.function, "python_gen_cond_dep");
    assert_eq!(
        call.depends.to_string(),
        "dev-python/numpy[${PYTHON_USEDEP}] hip? ( dev-python/cupy )"
    );
    let words: Vec<&str> = call.words.iter().map(|word| &**word).collect();
    assert_eq!(words, ["'python3_1[23]'", "-2"]);
    let shown: Vec<String> = leaves[1..].iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            "$(llvm_gen_dep \"llvm-core/clang:\\${LLVM_SLOT}\")",
            "~dev-util/hip-${PV}:=",
            ">=dev-util/rocm-$(ver_cut 1)",
            "${MY_USE}?",
            "dev-libs/x",
        ]
    );
    let (flags, open) = ebuild.iuse().unwrap();
    assert_eq!(flags.to_string(), "+hip");
    assert_eq!(&*open[0], "${CPU_FLAGS[@]/#/cpu_flags_}");
    let required = ebuild.required_use().unwrap().to_string();
    assert_eq!(required, "${PYTHON_REQUIRED_USE} hip? ( || ( a b ) )");
    assert_eq!(ebuild.src_uri().unwrap().to_string(), "$(pypi_sdist_url)");
    assert_eq!(ebuild.license().unwrap().to_string(), "MIT ${X}");
    assert_eq!(ebuild.text("SLOT").unwrap(), "0/$(ver_cut 1-2)");
    // The variable is set in a branch.
    assert_eq!(ebuild.text("SRC_URI"), None);
}

#[test]
fn a_value_that_is_none_is_kept_as_text_and_told() {
    let ebuild =
        Ebuild::read("DEPEND=\"a/b? ( c/d\"\nIUSE=\"1!\"\nfoo() { DEPEND=\"(\"; }\n").unwrap();
    assert_eq!(ebuild.untyped(), ["DEPEND=a/b? ( c/d", "IUSE=1!"]);
    ebuild.depends(DependVariable::Build).unwrap_err();
    ebuild.iuse().unwrap_err();
}

#[test]
fn what_is_set_in_branches_alone_is_added_to_behind_them() {
    let text = "if true; then\n\tIUSE=\"a\"\nfi\n\nsrc_test() {\n\t:\n}\n";
    let mut ebuild = Ebuild::read(text).unwrap();
    ebuild.add_flag(&"b".parse().unwrap()).unwrap();
    let tool = "dev-build/x".parse().unwrap();
    ebuild.add_depend(DependVariable::Tool, &tool).unwrap();
    let printed = ebuild.to_string();
    assert!(
        printed.contains("fi\nIUSE+=\" b\"\nBDEPEND=\"dev-build/x\"\n\nsrc_test"),
        "{printed}"
    );
}

#[test]
fn keywords_of_a_branch_are_set_in_it() {
    let text = "if [[ ${PV} == 9999 ]]; then\n\tinherit git-r3\nelse\n\tKEYWORDS=\"~amd64\"\nfi\n";
    let mut ebuild = Ebuild::read(text).unwrap();
    ebuild.set_keywords("amd64").unwrap();
    let expected = text.replace("~amd64", "amd64");
    assert_eq!(ebuild.to_string(), expected);
}

#[test]
fn specifications_are_set_as_code_makes_them() {
    let mut ebuild = Ebuild::read("DEPEND=\"a/b\"\nRDEPEND=\"${DEPEND}\"\n").unwrap();
    let depends = "hip? ( dev-util/hip:= ) ${PYTHON_DEPS}".parse().unwrap();
    ebuild.set_depends(DependVariable::Build, &depends).unwrap();
    let required = "|| ( a b )".parse().unwrap();
    ebuild.set_required_use(&required).unwrap();
    ebuild.set_keywords("~amd64").unwrap();
    ebuild.set_iuse(&"+a b".parse().unwrap()).unwrap();
    assert_eq!(ebuild.depends(DependVariable::Build).unwrap(), depends);
    assert_eq!(
        ebuild.to_string(),
        "DEPEND=\"hip? ( dev-util/hip:= ) ${PYTHON_DEPS}\"\nRDEPEND=\"${DEPEND}\"\n\
         REQUIRED_USE=\"|| ( a b )\"\nKEYWORDS=\"~amd64\"\nIUSE=\"+a b\"\n"
    );
}

#[test]
fn ebuilds_from_code_are_the_values_that_the_reader_makes_of_them() {
    let slot = "0".parse().unwrap();
    let made = Ebuild::new("sci-libs/x-1".parse().unwrap(), &slot, "Things", 2026)
        .license("MIT".parse().unwrap())
        .depend("dev-util/hip:=".parse().unwrap());
    let file = EbuildFile::from(&made);
    assert_eq!(file, Ebuild::read(&made.to_string()).unwrap());
    assert_eq!(
        file.depends(DependVariable::Build).unwrap().to_string(),
        "dev-util/hip:="
    );
    file.check(&made.path()).unwrap();
}

#[test]
fn eclasses_are_read_with_their_exports() {
    for (path, text) in texts(&fixture("golden/gentoo"), &["eclass"]) {
        let eclass = Eclass::read(&text).unwrap();
        assert_eq!(eclass.untyped(), [""; 0], "{path}");
        assert_eq!(Eclass::read(&eclass.to_string()).unwrap(), eclass, "{path}");
    }
    let text =
        "inherit a\nif [[ -z ${_X} ]]; then\n_X=1\nfi\nEXPORT_FUNCTIONS src_test pkg_setup\n";
    let eclass = Eclass::read(text).unwrap();
    assert_eq!(eclass.exported(), ["src_test", "pkg_setup"]);
    assert_eq!(eclass.inherited(), ["a"]);
}

#[test]
fn an_eclass_is_inherited_above_what_uses_it() {
    let added = |text: &str| {
        let mut ebuild = Ebuild::read(text).unwrap();
        ebuild.add_eclass("cmake");
        ebuild.to_string()
    };
    let branch = "EAPI=8\n\nif [[ ${PV} == 9999 ]]; then\n\tinherit git-r3\nfi\n";
    let rest = "\nSLOT=\"0\"\n\nsrc_test() {\n\tcmake_src_test\n}\n";
    assert_eq!(
        added(&format!("{branch}{rest}")),
        format!("{branch}inherit cmake\n{rest}")
    );
    assert_eq!(
        added(&format!("EAPI=8\n{rest}")),
        format!("EAPI=8\ninherit cmake\n{rest}")
    );
}

#[test]
fn an_ebuild_is_checked_at_a_path_of_ebuilds_and_with_what_it_needs() {
    let sound = "EAPI=8\nDESCRIPTION=\"a\"\nSLOT=\"0\"\n";
    let check = |text: &str, path: &str| {
        let refused = Ebuild::read(text).unwrap().check(path).unwrap_err();
        refused.to_string()
    };
    assert_eq!(
        Ebuild::read(sound).unwrap().check("a-b/c/c-1.ebuild"),
        Ok(())
    );
    for path in [
        "",
        "c-1.ebuild",
        "a-b/c/d-1.ebuild",
        "a-b/c/c.ebuild",
        "a b/c/c-1.ebuild",
    ] {
        assert!(
            check(sound, path).contains("is not the path of an ebuild"),
            "{path}"
        );
    }
    let lacks = check("DESCRIPTION=\"a\"\n", "a-b/c/c-1.ebuild");
    assert_eq!(lacks, "EAPI is missing\nSLOT is missing");
}
