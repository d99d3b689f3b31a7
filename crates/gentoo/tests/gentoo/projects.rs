//! CMake projects of small packages: none, one under a condition, several.

use crate::small::function;
use crate::support::{changed, package, released};

const TWO: &str = "features: {test: {}}\ncmake: {second: {source: '${source}/second'}}\n";

#[test]
fn a_further_project_does_not_take_the_place_of_the_unsaid_one() {
    let ebuild = package(TWO).ebuild();
    assert_eq!(function(&ebuild, "src_compile"), ["cmake_src_compile", "sample_second cmake_src_compile"]);
    assert!(!ebuild.contains("\nCMAKE_USE_DIR"), "{ebuild}");
}

#[test]
fn all_projects_are_built_tested_and_installed() {
    for steps in ["", "phases: {check: [standard], install: [standard]}\n"] {
        let ebuild = package(&format!("{TWO}{steps}")).ebuild();
        assert_eq!(function(&ebuild, "src_test"), ["cmake_src_test", "sample_second cmake_src_test"]);
        assert_eq!(
            function(&ebuild, "src_install"),
            ["cmake_src_install", "sample_second cmake_src_install"]
        );
    }
    let named = "phases: {check: [{standard: second}], install: [{standard: main}]}\ntests: {jobs: 1}\n";
    let ebuild = package(&format!("{TWO}{named}")).ebuild();
    assert_eq!(function(&ebuild, "src_test"), ["sample_second cmake_src_test -j1"]);
    assert_eq!(function(&ebuild, "src_install"), ["cmake_src_install"]);
}

#[test]
fn nothing_is_installed_of_a_project_that_is_there_for_tests_and_no_other_is_tested() {
    let ebuild = package(&TWO.replace("second'}", "second', when: test}")).ebuild();
    assert!(!ebuild.contains("src_install"), "{ebuild}");
    assert_eq!(function(&ebuild, "src_test"), ["sample_second cmake_src_test"]);
}

#[test]
fn projects_of_one_folder_are_built_apart() {
    let ebuild = package("cmake: {main: {}, second: {of: [sample]}}\n").ebuild();
    assert!(ebuild.contains("local BUILD_DIR=\"${S}_build-second\""), "{ebuild}");
}

#[test]
fn every_project_of_device_code_is_told_the_targets() {
    let ebuild = package(&format!("{TWO}targets: {{variable: GPU_TARGETS}}\n")).ebuild();
    assert_eq!(ebuild.matches("-DGPU_TARGETS=\"$(get_amdgpu_flags)\"").count(), 2, "{ebuild}");
}

#[test]
fn tests_beside_other_steps_are_run() {
    let ebuild = package("features: {test: {}}\nphases: {check: [standard, {run: [x]}]}\n").ebuild();
    assert_eq!(function(&ebuild, "src_test"), ["cmake_src_test", "x || die"]);
}

#[test]
fn where_there_is_no_project_nothing_is_asked_of_cmake() {
    for none in ["main: ~", "main: {when: 'release:<7'}"] {
        // An overlay can't take the unsaid project out by a release.
        let outcome =
            package(&format!("cmake: {{{none}}}\nphases: {{install: [standard, {{run: [dobin, x]}}]}}\n"));
        if none.contains("when") {
            assert!(outcome.errors.iter().any(|e| e.starts_with("E0249")), "{:?}", outcome.errors);
            continue;
        }
        let ebuild = outcome.ebuild();
        assert!(!ebuild.contains("cmake"), "{ebuild}");
        assert_eq!(function(&ebuild, "src_install"), ["default", "dobin x"]);
    }
    let errors = package("cmake: {main: ~}\ntests: {environment: {A: '${build}/x'}}\n").errors;
    assert!(errors.iter().any(|e| e.starts_with("E0301")), "{errors:?}");
    let named = "cmake: {other: {source: x, when: 'release:<7.2.1'}}\n";
    assert!(package(named).ebuild().contains("sample_other cmake_src_compile"));
    let later = released("7.2.1", named).ebuild();
    assert!(later.contains("inherit cmake") && !later.contains("sample_other"), "{later}");
}

#[test]
fn benchmarks_are_installed_where_their_project_is_built() {
    let with = |overlay: &str| {
        let habits = "habits: {programs: installed-by-hand}\nsettings:";
        let facts = "features: {test: {}, benchmark: {}}\nprograms: {benchmark: {files: [bench_*]}}\n";
        function(&changed("settings:", habits, &format!("{facts}{overlay}")).ebuild(), "src_install")
    };
    let block = ["cd \"${BUILD_DIR}\" || die", "dobin bench_*", "fi"];
    let open = "if use benchmark; then".to_owned();
    let expected = |head: &[&str]| -> Vec<String> {
        head.iter().map(ToString::to_string).chain([open.clone()]).chain(block.map(str::to_owned)).collect()
    };
    assert_eq!(with(""), expected(&["cmake_src_install"]));
    let guarded = with("cmake: {main: {when: test}}\n").join("\n");
    assert!(guarded.contains("if use test && use benchmark; then"), "{guarded}");
    let inside = with("phases: {install: [{inside: {folder: x, steps: [standard]}}]}\n").join("\n");
    assert!(inside.contains("cmake_src_install\nif use benchmark; then"), "{inside}");
    let second = with("cmake: {main: {}, b: {source: b}}\nphases: {install: [{standard: b}]}\n");
    assert_eq!(second, ["sample_b cmake_src_install"]);
}

#[test]
fn the_standard_step_of_a_habit_does_not_join_one_inside_of_others() {
    let with = |steps: &str| {
        let habits = "habits: {rules: [{own-steps: {prepare: before}}]}\nsettings:";
        let overlay = format!("features: {{a: {{}}}}\nphases: {{prepare: [{{run: [x]}}, {steps}]}}\n");
        let ebuild = changed("settings:", habits, &overlay).ebuild();
        assert_eq!(ebuild.matches("cmake_src_prepare").count(), 1, "{ebuild}");
    };
    with("{run: [y]}");
    with("{group: [standard]}");
    with("{when: a, group: [{run: [y]}], otherwise: [standard]}");
    with("{inside: {folder: y, steps: [{group: [{standard: all}]}]}}");
    for steps in
        ["standard, {group: [{standard: main}]}", "{each: {variable: i, items: [a, b], steps: [standard]}}"]
    {
        let errors = package(&format!("phases: {{prepare: [{steps}]}}")).errors;
        assert!(errors.iter().any(|e| e.starts_with("E0248")), "{errors:?}");
    }
}

#[test]
fn a_further_project_that_is_prepared_first_leaves_the_patches_to_the_first() {
    let ebuild =
        package(&format!("{TWO}phases: {{prepare: [{{standard: second}}, {{standard: main}}]}}\n")).ebuild();
    let body = function(&ebuild, "src_prepare");
    assert_eq!(body, ["PATCHES=\"\" sample_second cmake_src_prepare", "cmake_src_prepare"]);
}

#[test]
fn variables_of_a_phase_are_set_before_its_own_steps() {
    let stated = "environment: {configure: {ONE: a}, build: {TWO: b}}\n";
    let own = "phases: {configure: [{run: [x]}, standard], build: [{run: [y]}]}\n";
    let ebuild = package(&format!("{stated}{own}")).ebuild();
    let configure = function(&ebuild, "src_configure");
    assert_eq!(configure[..2], ["export ONE=a", "x || die"]);
    assert_eq!(configure.iter().filter(|line| line.starts_with("export ONE")).count(), 1);
    assert_eq!(function(&ebuild, "src_compile"), ["export TWO=b", "y || die"]);
    let ebuild = package(stated).ebuild();
    assert_eq!(function(&ebuild, "src_compile"), ["export TWO=b", "cmake_src_compile"]);
    let ebuild = package("cmake: {main: {environment: {CXXFLAGS: x}}}\n").ebuild();
    assert_eq!(function(&ebuild, "src_configure"), ["CXXFLAGS=x cmake_src_configure"]);
}
