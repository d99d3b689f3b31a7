//! Dependencies and `REQUIRED_USE` of small packages, one rule at a time.

use crate::small::{function, variable};
use crate::support::package;

#[test]
fn kinds_of_edges_go_to_their_variables() {
    let ebuild = package(
        "
features: {test: {}}
depends:
  linked: {kind: link, spelt: dev-libs/linked}
  headers: {kind: build, spelt: dev-libs/headers}
  program: {kind: tool, spelt: dev-util/program}
  needed: {kind: run, spelt: dev-libs/needed}
  gtest: {kind: test}
  tester: {kind: [test, tool], spelt: dev-util/tester}
  later: {kind: post, spelt: dev-libs/later}
  nice: {kind: optional, spelt: '>=dev-libs/nice-2', reason: faster sorting}
  old: {kind: conflict, spelt: '!dev-libs/old'}
",
    )
    .ebuild();
    assert_eq!(variable(&ebuild, "COMMON_DEPEND"), "dev-libs/linked");
    assert_eq!(variable(&ebuild, "RDEPEND"), "${COMMON_DEPEND} dev-libs/needed !dev-libs/old");
    assert_eq!(variable(&ebuild, "DEPEND"), "${COMMON_DEPEND} dev-libs/headers test? ( dev-cpp/gtest )");
    assert_eq!(variable(&ebuild, "BDEPEND"), "dev-util/program test? ( dev-util/tester )");
    assert_eq!(variable(&ebuild, "PDEPEND"), "dev-libs/later");
    assert!(ebuild.contains("inherit cmake optfeature"), "{ebuild}");
    assert!(
        ebuild.contains("pkg_postinst() {\n\toptfeature \"faster sorting\" dev-libs/nice\n}"),
        "{ebuild}"
    );
}

#[test]
fn a_dependency_variable_that_holds_another_refers_to_it() {
    let ebuild = package("depends: {a: {kind: link, spelt: a/a}, b: {kind: run, spelt: b/b}}").ebuild();
    assert_eq!(variable(&ebuild, "DEPEND"), "a/a");
    assert_eq!(variable(&ebuild, "RDEPEND"), "${DEPEND} b/b");
    let ebuild = package("depends: {a: {kind: link, spelt: a/a}, b: {kind: build, spelt: b/b}}").ebuild();
    assert_eq!(variable(&ebuild, "RDEPEND"), "a/a");
    assert_eq!(variable(&ebuild, "DEPEND"), "${RDEPEND} b/b");
    assert!(!ebuild.contains("BDEPEND"));
}

#[test]
fn either_of_two_features_is_written_twice() {
    let ebuild = package(
        "
features: {a: {}, b: {}, c: {}}
depends:
  x: {kind: run, when: a | b, spelt: x/x}
  y: {kind: run, when: '!(a | b)', spelt: y/y}
  z: {kind: run, when: a & c, spelt: z/z}
",
    )
    .ebuild();
    assert_eq!(variable(&ebuild, "RDEPEND"), "a? ( x/x c? ( z/z ) ) b? ( x/x ) !a? ( !b? ( y/y ) )");
}

#[test]
fn atoms_of_a_slot_of_llvm_share_one_call() {
    let ebuild = package(
        "
depends:
  clang: {kind: tool}
  lld: {kind: tool, spelt: 'llvm-core/lld:${LLVM_SLOT}='}
ebuild: {llvm: ['22']}
",
    )
    .ebuild();
    let call =
        "\t$(llvm_gen_dep \"\n\t\tllvm-core/clang:\\${LLVM_SLOT}\n\t\tllvm-core/lld:\\${LLVM_SLOT}=\n\t\")\n";
    assert!(ebuild.contains(call), "{ebuild}");
    assert!(ebuild.contains("\nLLVM_COMPAT=( 22 )\n\ninherit cmake llvm-r2\n"));
}

#[test]
fn modules_for_any_python_are_looked_for_as_they_are_asked_for() {
    let ebuild = package(
        "
features: {test: {}}
depends:
  python: {kind: tool}
  one: {kind: tool, spelt: 'dev-python/one[${PYTHON_USEDEP}]'}
  two: {kind: tool, when: test, spelt: 'dev-python/two[${PYTHON_USEDEP}]'}
ebuild: {python: {mode: any-r1, compat: ['python3_{12..14}']}}
",
    )
    .ebuild();
    assert!(ebuild.contains("\nPYTHON_COMPAT=( python3_{12..14} )\n"));
    assert_eq!(
        function(&ebuild, "python_check_deps"),
        [
            "python_has_version -b \"dev-python/one[${PYTHON_USEDEP}]\" || return 1",
            "if use test; then",
            "python_has_version -b \"dev-python/two[${PYTHON_USEDEP}]\"",
            "fi"
        ]
    );
}

#[test]
fn constraints_become_required_use() {
    let ebuild = package(
        "
features: {a: {}, b: {}, c: {targets: [gfx90a]}}
targets: {variable: GPU_TARGETS}
constraints:
  - {when: a, need: b}
  - {exactly-one: [a, c]}
  - {when: '!b', at-most-one: [a, c]}
ebuild: {require-targets: [a, b]}
",
    )
    .ebuild();
    assert_eq!(
        variable(&ebuild, "REQUIRED_USE"),
        "a? ( ${ROCM_REQUIRED_USE} ) b? ( ${ROCM_REQUIRED_USE} ) c? ( || ( amdgpu_targets_gfx90a ) ) \
         a? ( b ) ^^ ( a c ) !b? ( ?? ( a c ) )"
    );
}

#[test]
fn a_remark_about_a_dependency_stands_above_its_variable() {
    let ebuild = package("depends: {a: {kind: tool, spelt: a/a, comment: for its b}}").ebuild();
    assert!(ebuild.contains("\n# a/a: for its b\nBDEPEND=\"a/a\"\n"), "{ebuild}");
}

#[test]
fn targets_that_nothing_requires_need_no_group() {
    let own = "targets: {list: own, variable: GPU_TARGETS, supports: [{targets: [gfx90a], reason: r}]}";
    let never = format!("{own}\nebuild: {{require-targets: never}}");
    assert!(package(own).ebuild().contains("\nROCM_REQUIRED_USE="));
    assert!(!package(&never).ebuild().contains("ROCM_REQUIRED_USE"));
}
