//! Rules of the lowering, one at a time.

use crate::support::{Outcome, changed, package, released};

/// The lines of a function.
pub(crate) fn function(ebuild: &str, name: &str) -> Vec<String> {
    let start = format!("{name}() {{");
    let lines = ebuild.lines().skip_while(|l| *l != start).skip(1).take_while(|l| *l != "}");
    lines.map(|l| l.trim_start_matches('\t').to_owned()).filter(|l| !l.is_empty()).collect()
}

/// The value of a variable in double quotes.
pub(crate) fn variable(ebuild: &str, name: &str) -> String {
    let at = ebuild.find(&format!("\n{name}=\"")).unwrap_or_else(|| panic!("no {name} in\n{ebuild}"));
    let value = &ebuild[at + name.len() + 3..];
    value[..value.find('"').unwrap()].split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_component_without_facts_of_gentoo_is_a_cmake_package() {
    let ebuild = package("{}").ebuild();
    assert_eq!(function(&ebuild, "src_configure"), [] as [&str; 0]);
    assert!(ebuild.contains("\ninherit cmake\n"));
    assert_eq!(variable(&ebuild, "S"), "${WORKDIR}/sample");
    assert_eq!(
        variable(&ebuild, "SRC_URI"),
        "https://github.com/ROCm/rocm-libraries/releases/download/rocm-${PV}/sample.tar.gz -> ${P}.tar.gz"
    );
    assert_eq!(
        variable(&ebuild, "HOMEPAGE"),
        "https://github.com/ROCm/rocm-libraries/tree/develop/projects/sample"
    );
}

#[test]
fn device_code_brings_the_eclass_the_compiler_and_the_list() {
    let ebuild = package("targets: {variable: GPU_TARGETS}").ebuild();
    assert!(ebuild.contains("\nROCM_VERSION=\"${PV}\"\n\ninherit cmake rocm\n"), "{ebuild}");
    assert_eq!(variable(&ebuild, "REQUIRED_USE"), "${ROCM_REQUIRED_USE}");
    assert_eq!(
        function(&ebuild, "src_configure"),
        [
            "rocm_use_clang",
            "local mycmakeargs=(",
            "-DGPU_TARGETS=\"$(get_amdgpu_flags)\"",
            ")",
            "cmake_src_configure"
        ]
    );
}

#[test]
fn an_own_list_comes_from_what_the_component_supports() {
    let ebuild = package(
        "targets: {list: own, variable: GPU_TARGETS, supports: [{targets: [gfx1100, gfx90a, gfx942], reason: r}]}",
    )
    .ebuild();
    assert!(ebuild.contains("\nROCM_SKIP_GLOBALS=1\n"));
    assert!(ebuild.contains("\nSUPPORTED_TARGETS=( gfx1100 gfx90a )\n"), "{ebuild}");
    assert_eq!(variable(&ebuild, "IUSE"), "${IUSE_TARGETS[*]/#/+}");
}

#[test]
fn a_list_of_which_nothing_is_offered_has_no_flags_and_says_so() {
    let of = |target: &str| {
        package(&format!(
            "targets: {{list: own, policy: stub, variable: GPU_TARGETS, supports: [{{targets: [{target}], reason: r}}]}}"
        ))
        .ebuild()
    };
    let ebuild = of("gfx942");
    assert!(!ebuild.contains("_TARGETS=("), "{ebuild}");
    let said = function(&ebuild, "pkg_pretend");
    assert_eq!(said[0], "ewarn \"${PN} has device code for none of the GPU targets that are offered:\"");
    let ebuild = of("gfx90a");
    assert!(
        ebuild.contains("# The GPU targets that upstream has kernels for\nSUPPORTED_TARGETS=( gfx90a )\n")
    );
    assert!(
        function(&ebuild, "pkg_pretend").contains(&"ewarn \"${SUPPORTED_TARGETS[*]}\"".to_owned()),
        "{ebuild}"
    );
    assert!(ebuild.contains("IUSE_TARGETS=( \"${SUPPORTED_TARGETS[@]/#/amdgpu_targets_}\" )"), "{ebuild}");
}

#[test]
fn what_upstream_has_kernels_for_is_not_claimed_where_nobody_looked() {
    let ebuild = package("targets: {list: own, variable: GPU_TARGETS}").ebuild();
    assert!(
        ebuild
            .contains("# GPU targets; which of them upstream has kernels for at this release is not known\n")
    );
}

#[test]
fn folders_of_one_archive_are_fetched_once_and_unpacked_together() {
    let ebuild = package(
        "
sources:
  main: {fetch: archive}
  other: {repository: rocm-libraries, path: shared/other, fetch: archive}
  further: {repository: further, fetch: archive}
",
    )
    .ebuild();
    assert_eq!(variable(&ebuild, "SRC_URI").matches("rocm-libraries/archive").count(), 1, "{ebuild}");
    let unpack = function(&ebuild, "src_unpack").join(" ");
    assert!(unpack.contains("/projects/sample\" ") && unpack.contains("/shared/other\" || die"), "{unpack}");
    assert!(unpack.contains("unpack \"further-rocm-${PV}.tar.gz\""), "{unpack}");
}

#[test]
fn tests_run_by_a_goal_or_with_arguments_have_a_function() {
    let with = |tests: &str| package(&format!("features: {{test: {{}}}}\ntests: {{{tests}}}")).ebuild();
    assert!(with("goal: check").contains("src_test() {\n\tcmake_build check\n}"));
    assert!(with("arguments: [-V]").contains("src_test() {\n\tcmake_src_test -V\n}"));
    assert!(!with("goal: check, never: they need a network").contains("src_test"));
}

#[test]
fn conditional_arguments_of_one_condition_share_a_block() {
    let ebuild = package(
        "
features: {a: {}, b: {}}
constraints: [{exactly-one: [a, b]}]
cmake:
  main:
    arguments:
      ALWAYS: true
      ONE: {when: a, value: 1x}
      TWO: {when: a, value: 2x}
      THREE: {when: b, value: 3x}
      BOTH: {feature: a | b}
",
    )
    .ebuild();
    assert_eq!(
        function(&ebuild, "src_configure"),
        [
            "local mycmakeargs=(",
            "-DALWAYS=ON",
            "-DBOTH=\"$(usex a ON \"$(usex b ON OFF)\")\"",
            ")",
            "if use a; then",
            "mycmakeargs+=(",
            "-DONE=1x",
            "-DTWO=2x",
            ")",
            "elif use b; then",
            "mycmakeargs+=(",
            "-DTHREE=3x",
            ")",
            "fi",
            "cmake_src_configure"
        ]
    );
}

#[test]
fn a_second_project_runs_through_a_function_of_its_own() {
    let ebuild = package(
        "
features: {test: {}}
cmake:
  main: {arguments: {}}
  tests: {source: '${source}/tests', when: test, goals: [all_tests]}
",
    )
    .ebuild();
    assert_eq!(
        function(&ebuild, "sample_tests"),
        [
            "local CMAKE_USE_DIR=\"${S}/tests\"",
            "local BUILD_DIR=\"${S}/tests_build\"",
            "cd \"${S}/tests\" || die",
            "\"${@}\""
        ]
    );
    assert_eq!(
        function(&ebuild, "src_compile"),
        ["cmake_src_compile", "if use test; then", "sample_tests cmake_src_compile all_tests", "fi"]
    );
    assert!(function(&ebuild, "src_prepare").contains(&"local PATCHES=()".to_owned()));
}

#[test]
fn external_commands_die_and_helpers_do_it_themselves() {
    let ebuild = package(
        "
phases:
  install:
    - standard
    - run: [rm, '${ED}/usr/x']
    - run: [dobin, a/b]
    - run: [dosym, -r, /a, /b]
    - remove: ['${ED}/usr/y']
    - symlink: {from: /usr/lib/a, to: /usr/lib/b}
",
    )
    .ebuild();
    assert_eq!(
        function(&ebuild, "src_install"),
        [
            "cmake_src_install",
            "rm \"${ED}/usr/x\" || die",
            "dobin a/b",
            "dosym -r /a /b",
            "rm -r \"${ED}/usr/y\" || die",
            "dosym -r /usr/lib/a /usr/lib/b"
        ]
    );
}

#[test]
fn a_replacement_is_literal_on_both_sides() {
    let ebuild = package(
        "
phases:
  prepare:
    - replace: {from: 'a.b*[c]/$d', to: 'x&y\\z', files: f.txt}
    - replace: {from: '/opt', to: '${prefix}', files: [f, g]}
",
    )
    .ebuild();
    assert_eq!(
        function(&ebuild, "src_prepare"),
        [
            r"sed -e 's:a\.b\*\[c\]/\$d:x\&y\\z:g' -i f.txt || die",
            "sed -e \"s:/opt:${EPREFIX}/usr:g\" -i f g || die"
        ]
    );
}

#[test]
fn tests_that_need_a_device_ask_for_it_first() {
    let ebuild = package(
        "
features: {test: {}}
tests:
  device: true
  runner: sample-test
  arguments: [--quick]
  folder: '${BUILD_DIR}/staging'
  environment: {HIP_VISIBLE_DEVICES: '0'}
",
    )
    .ebuild();
    assert_eq!(variable(&ebuild, "RESTRICT"), "!test? ( test )");
    assert!(ebuild.contains("\ninherit cmake edo\n"));
    assert_eq!(
        function(&ebuild, "src_test"),
        [
            "check_amdgpu",
            "cd \"${BUILD_DIR}/staging\" || die",
            "local -x HIP_VISIBLE_DEVICES=0",
            "edob ./sample-test --quick"
        ]
    );
}

#[test]
fn tests_that_are_never_run_are_restricted_with_the_reason() {
    let ebuild = package("tests: {never: They take a week}").ebuild();
    assert!(ebuild.contains("\n# They take a week\nRESTRICT=\"test\"\n"), "{ebuild}");
}

#[test]
fn an_unknown_checksum_is_a_warning_and_no_line_of_the_manifest() {
    let outcome = package("{}");
    assert_eq!(outcome.warnings, ["W0301 no size, BLAKE2B and SHA512 are known of sample-7.2.0.tar.gz"]);
    assert!(outcome.rendered.tree.get("sci-libs/sample/Manifest").is_none());
}

#[test]
fn an_unknown_reference_is_an_error_with_the_nearest_name() {
    let outcome = package("cmake: {main: {arguments: {A: '${BUILD_DIRR}'}}}");
    assert_eq!(outcome.errors, ["E0301 `${BUILD_DIRR}` means nothing in an ebuild"]);
}

#[test]
fn patches_are_companions_below_files() {
    let outcome = package("patches: [{file: sample-7.2.0-fix.patch}, {file: other.patch}]");
    assert!(outcome.ebuild().contains(
        "\nPATCHES=(\n\t\"${FILESDIR}/${PN}-7.2.0-fix.patch\"\n\t\"${FILESDIR}/other.patch\"\n)\n"
    ));
    let paths: Vec<_> = outcome.rendered.companions.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(paths, ["sci-libs/sample/files/sample-7.2.0-fix.patch", "sci-libs/sample/files/other.patch"]);
}

#[test]
fn a_file_that_a_step_names_is_a_companion() {
    let outcome =
        package("phases: {prepare: [{patch: '${FILESDIR}/${PN}-7-fix.patch'}, {patch: '${FILESDIR}/${T}'}]}");
    let paths: Vec<_> = outcome.rendered.companions.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(paths, ["sci-libs/sample/files/sample-7-fix.patch"]);
}

#[test]
fn a_revision_belongs_to_the_version_that_is_shipped() {
    let path = |o: &Outcome| {
        let names: Vec<_> = o.rendered.tree.iter().map(|(p, _)| p.as_str().to_owned()).collect();
        names.into_iter().find(|p| p.contains(".ebuild")).unwrap()
    };
    let overlay = "ebuild: {revision: 2}";
    assert_eq!(path(&package(overlay)), "sci-libs/sample/sample-7.2.0-r2.ebuild");
    let pinned = changed("sample: default", "sample: '7.2.0'", overlay);
    assert_eq!(path(&pinned), "sci-libs/sample/sample-7.2.0-r2.ebuild");
    assert_eq!(path(&released("7.2.1", overlay)), "sci-libs/sample/sample-7.2.1.ebuild");
}

#[test]
fn a_fetched_patch_is_a_source() {
    let ebuild = package("patches: [{file: sample-fix.patch, url: 'https://a.example/1.patch'}]").ebuild();
    assert!(ebuild.contains("\thttps://a.example/1.patch -> sample-fix.patch\n"), "{ebuild}");
    assert!(ebuild.contains("\t\"${DISTDIR}/${PN}-fix.patch\"\n"), "{ebuild}");
    let errors = package("features: {a: {}}\npatches: [{file: a.patch, when: a}]").errors;
    assert_eq!(errors, ["E0328 PATCHES takes whole patches without conditions, for the source folder"]);
}

#[test]
fn environment_and_flags_of_a_phase_stand_in_it() {
    let ebuild = package(
        "
environment: {install: {B: b}, compile: {C: {value: d, local: true}}}
flags: [{action: append, on: ld, flags: ['-Wl,-z'], phase: check}]
phases: {install: [standard], test: [{run: [edo, x]}]}
",
    )
    .ebuild();
    assert_eq!(function(&ebuild, "src_install"), ["export B=b", "cmake_src_install"]);
    assert_eq!(function(&ebuild, "src_compile"), ["local -x C=d", "cmake_src_compile"]);
    assert_eq!(function(&ebuild, "src_test"), ["append-ldflags -Wl,-z", "edo x"]);
    let errors = package("environment: {instal: {B: b}}").errors;
    assert_eq!(errors, ["E0309 unknown phase `instal`"]);
}

#[test]
fn a_release_without_a_row_of_targets_is_told() {
    let warned = |o: &Outcome| o.warnings.iter().any(|w| w.starts_with("W0304"));
    assert!(warned(&changed("'>=7.0, <8'", "'>=6.0, <7'", "targets: {variable: GPU_TARGETS}")));
    assert!(!warned(&changed("'>=7.0, <8'", "'>=6.0, <7'", "{}")));
    assert!(!warned(&package("targets: {variable: GPU_TARGETS}")));
}

#[test]
fn a_project_under_a_condition_is_built_tested_and_installed_under_it() {
    for tests in ["", "tests: {jobs: 1}\n"] {
        let ebuild = package(&format!(
            "features: {{extra: {{summary: More}}}}\ncmake: {{main: {{when: extra}}}}\n{tests}phases: {{prepare: [standard]}}\n"
        ))
        .ebuild();
        assert_eq!(function(&ebuild, "src_prepare"), ["cmake_src_prepare"]);
        for (phase, call) in [
            ("configure", "cmake_src_configure"),
            ("compile", "cmake_src_compile"),
            ("install", "cmake_src_install"),
        ] {
            let body = function(&ebuild, &format!("src_{phase}"));
            assert_eq!(body, ["if use extra; then", call, "fi"], "{ebuild}");
        }
        let call = if tests.is_empty() { "cmake_src_test" } else { "cmake_src_test -j1" };
        assert_eq!(function(&ebuild, "src_test"), ["if use extra; then", call, "fi"], "{ebuild}");
    }
}

#[test]
fn installed_files_and_raw_text_speak_the_shared_vocabulary() {
    let ebuild = package(
        "
phases:
  install:
    - standard
    - config-file: {path: /etc/sample.conf, lines: [a=$b]}
    - install-file: {from: x.conf, to: /etc/y.conf}
    - install-file: {from: ['*.h', b], to: /usr/share/sample/}
    - copy: {from: 'a*', to: '${T}/x'}
    - install-file: {from: a, to: /}
    - install-file: {from: a, to: etc/}
    - config-file: {path: etc/z.conf, lines: [a]}
    - symlink: {from: '${prefix}/bin/a', to: /usr/bin/b}
    - raw: echo \"${version}\" \"$$(nproc)\" \"${jobs}\" || die
",
    )
    .ebuild();
    assert_eq!(
        function(&ebuild, "src_install"),
        [
            "cmake_src_install",
            "printf '%s\\n' a='$b' > \"${T}/rocpkg.conf\" || die",
            "insinto /etc",
            "newins \"${T}/rocpkg.conf\" sample.conf",
            "insinto /etc",
            "newins x.conf y.conf",
            "insinto /usr/share/sample",
            "doins *.h b",
            "cp -a a* \"${T}/x\" || die",
            "insinto /",
            "doins a",
            "install -Dm644 a -t etc || die",
            "printf '%s\\n' a > \"${T}/rocpkg.conf\" || die",
            "install -Dm644 \"${T}/rocpkg.conf\" etc/z.conf || die",
            "dosym -r \"${EPREFIX}/usr/bin/a\" /usr/bin/b",
            "echo \"${PV}\" \"$(nproc)\" \"$(makeopts_jobs)\" || die",
        ]
    );
    assert!(ebuild.contains("\ninherit cmake multiprocessing\n"), "{ebuild}");
}
