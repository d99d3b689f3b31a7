//! The PKGBUILDs of small packages, one rule at a time.

use crate::common::{TOOL, small};

#[test]
fn a_component_needs_no_file_of_arch() {
    let out = small(TOOL, "");
    assert!(out.findings.is_empty(), "{}", out.text);
    insta::assert_snapshot!("plain", out.file("tool/PKGBUILD"));
}

#[test]
fn a_package_needs_another_one_of_its_build() {
    let overlay = |part: &str, epoch: &str| {
        format!(
            "pkgbuild:\n  {epoch}packages:\n    one: {{of: [tool]}}\n    two: {{{part}, steps: [{{licence: {{file: LICENSE}}}}]}}\n"
        )
    };
    let bound = "depends: [git], same-version: [one]";
    let out = small(TOOL, &overlay(bound, ""));
    assert!(out.findings.is_empty(), "{}", out.text);
    assert!(
        (out.file("tool/PKGBUILD")).contains("depends=('git' \"one=$pkgver-$pkgrel\")"),
        "{}",
        out.file("tool/PKGBUILD")
    );
    assert!(
        out.file("tool/.SRCINFO")
            .contains("\tdepends = one=7.2.4-1\n")
    );
    let out = small(TOOL, &overlay(bound, "epoch: \"2\"\n  "));
    assert!(
        (out.file("tool/PKGBUILD")).contains("\"one=$epoch:$pkgver-$pkgrel\""),
        "{}",
        out.file("tool/PKGBUILD")
    );
    assert!(
        out.file("tool/.SRCINFO")
            .contains("\tdepends = one=2:7.2.4-1\n")
    );
    let out = small(TOOL, &overlay("same-version: [one]", ""));
    let file = out.file("tool/PKGBUILD");
    assert!(file.contains("depends=(\"one=$pkgver-$pkgrel\")"), "{file}");
    for name in ["two", "git"] {
        let out = small(TOOL, &overlay(&format!("same-version: [{name}]"), ""));
        let message = format!("E0423]: the PKGBUILD makes no other package `{name}`");
        assert!(out.text.contains(&message), "{}", out.text);
    }
}

#[test]
fn every_step_has_a_form() {
    let overlay = r#"
sources:
  main: {fetch: git, save-as: tool}
  extra: {fetch: git, repository: extra, unchecked: a submodule}
patches:
  - {file: a.patch, hash: "3333333333333333333333333333333333333333333333333333333333333333", comment: why}
cmake:
  main:
    source: ${source}/src
    environment: {CXXFLAGS: "${CXXFLAGS} -g"}
    arguments:
      -Wno-error: bare
      A_B: {value: "x y", comment: a reason}
      LIST: a;b
      HERE: ${srcdir}/x
    goals: [[one, two], []]
flags:
  - {action: filter, on: c, flags: [-a*, -b]}
  - {action: replace, on: cxx, flags: [-g], with: -g1}
environment:
  build:
    FOO: {value: "${jobs}", local: true}
phases:
  prepare:
    - standard
    - inside: {folder: "${source}", steps: [{run: git submodule init}]}
    - cherry-pick: [0123456789abcdef]
    - replace: {files: [a, b], from: "x|y/z*", to: "${version} & more"}
    - sed: {files: "*.txt", scripts: ["s/a/b/", "/c/d"]}
    - local: {_list: [a, b c]}
    - each: {variable: _f, items: ["*.c"], steps: [{remove: "${_f}"}]}
  package:
    - standard
    - config-file: {path: /etc/tool.conf, lines: ["a=$b", "c `d`"]}
    - copy: {from: [a, "b*"], to: "${pkgdir}/usr/lib"}
    - install-file: {from: [a, b], to: /usr/share/tool/}
    - symlink: {from: a, to: "${pkgdir}/b"}
    - run-with: {command: [prog, "a b"], environment: {LC_ALL: C}, output: out.txt, may-fail: true}
    - remove: ["${pkgdir}/x/", y]
    - licence: {file: LICENSE, name: "COPYING"}
    - raw: echo "${prefix}/${version}" "$${x%.*}"
"#;
    let out = small(TOOL, overlay);
    assert!(out.findings.is_empty(), "{}", out.text);
    insta::assert_snapshot!("steps", out.file("tool/PKGBUILD"));
    assert_eq!(out.rendered.companions.len(), 1);
}

#[test]
fn an_unknown_checksum_is_told_and_zeros_stand_in() {
    let component = TOOL.replace("repository: tool", "repository: other");
    let out = small(&component, "");
    assert!(out.findings.is_empty(), "{}", out.text);
    let [unknown] = out.rendered.unknown_sums().collect::<Vec<_>>()[..] else {
        panic!("{:?}", out.rendered.pinned)
    };
    assert_eq!(
        (unknown.path.as_str(), unknown.package.as_str()),
        ("tool/PKGBUILD", "tool")
    );
    assert_eq!(unknown.kinds, ["sha256"]);
    assert_eq!(
        unknown.address,
        "https://github.com/ROCm/other/archive/refs/tags/rocm-7.2.4.tar.gz"
    );
    let text = out.file("tool/PKGBUILD");
    assert!(
        text.contains(&format!("sha256sums=('{}')", "0".repeat(64))) && !text.contains("SKIP"),
        "{text}"
    );
}

#[test]
fn a_checksum_is_not_kept_for_another_source() {
    let source = "repository: tool";
    for (other, key) in [
        ("repository: tool, owner: Other", "Other/tool/archive"),
        (
            "repository: tool, tag: \"other-${version}\"",
            "tool@other-7.2.4/archive",
        ),
        (
            "repository: tool, revision: 0123abc",
            "tool@0123abc/archive",
        ),
        (
            "repository: tool, url: \"https://example.org/${tag}.tar.gz\"",
            "https://example.org/rocm-7.2.4.tar.gz",
        ),
    ] {
        let out = small(&TOOL.replace(source, other), "");
        let unknown: Vec<&str> = out.rendered.unknown_sums().map(|u| u.of.as_str()).collect();
        assert_eq!(unknown, [key], "{other}: {}", out.text);
    }
    // GitHub serves a file at two addresses, and the tag may be written literally.
    for same in [
        "repository: tool, owner: ROCm",
        "repository: tool, tag: \"rocm-${version}\"",
        "repository: tool, url: \"https://github.com/ROCm/tool/archive/${tag}.tar.gz\"",
    ] {
        let out = small(&TOOL.replace(source, same), "");
        assert!(!out.findings.has_errors(), "{same}: {}", out.text);
    }
}

#[test]
fn features_take_their_defaults() {
    let tool = TOOL.split_once("depends: ").unwrap().0;
    let component = format!(
        "{tool}features: {{on: {{default: true}}, off: {{}}}}\ndepends:\n  cmake: {{kind: tool}}\n  glibc: {{kind: link, when: on}}\n  git: {{kind: link, when: off}}\ncmake: {{main: {{arguments: {{A: {{feature: on}}, B: {{feature: '!on'}}, C: {{choose: off, then: x, else: y}}, D: {{value: z, when: off}}}}}}}}\n"
    );
    let text = small(&component, "").file("tool/PKGBUILD");
    assert!(text.contains("depends=('glibc')"), "{text}");
    for there in ["-D A=ON", "-D B=OFF", "-D C=y"] {
        assert!(text.contains(there), "{there}: {text}");
    }
    assert!(!text.contains("-D D="), "{text}");
}

#[test]
fn target_lists_come_from_the_tool_or_from_the_package() {
    let with = |rest: &str| {
        small(
            &format!("{TOOL}targets: {{variable: GPU_TARGETS, {rest}}}\n"),
            "",
        )
        .file("tool/PKGBUILD")
    };
    let all = with("list: all");
    assert!(
        all.contains("-D GPU_TARGETS=\"$(rocm-supported-gfx)\"") && all.contains("rocm-toolchain"),
        "{all}"
    );
    let none = with("list: none");
    assert!(
        !none.contains("GPU_TARGETS") && !none.contains("rocm-toolchain"),
        "{none}"
    );
}

#[test]
fn a_metapackage_has_functions_that_bash_takes() {
    let meta = "summary: A set\nhomepage: https://example.org\nlicence: [LicenseRef-None]\npkgbuild: {packages: {set-a: {depends: [glibc]}, set-b: {}}}\n";
    let out = small(meta, "");
    assert!(out.findings.is_empty(), "{}", out.text);
    let text = out.file("tool/PKGBUILD");
    assert_eq!(crate::common::sourced(&text, &["pkgbase"]), ["tool"]);
    assert!(text.contains("package_set-b() {\n  :\n}"), "{text}");
    assert!(
        !text.contains("build()") && !text.contains("cmake"),
        "{text}"
    );
}

#[test]
fn dependencies_of_a_split_package_are_not_inherited() {
    let overlay = "depends:\n  glibc: {kind: link}\n  git: {kind: optional, reason: for fun}\npkgbuild:\n  shared-depends: _all\n  packages:\n    one: {of: [tool], shared: true}\n    two: {depends: [tool], optdepends: {git: for more}, steps: [{licence: {file: LICENSE}}]}\n";
    let out = small(TOOL, overlay);
    assert!(out.findings.is_empty(), "{}", out.text);
    let info = out.file("tool/.SRCINFO");
    let (whole, parts) = info.split_once("\n\n").unwrap();
    assert!(
        whole.contains("\tmakedepends = glibc") && !whole.contains("\tdepends"),
        "{info}"
    );
    assert_eq!(
        parts,
        "pkgname = one\n\tdepends = glibc\n\toptdepends = git: for fun\n\npkgname = two\n\tdepends = one\n\toptdepends = git: for more\n"
    );
}

#[test]
fn what_can_not_be_installed_beside_it_is_said_wherever_the_overlay_speaks_of_makepkg() {
    let edges = "depends: {glibc: {kind: conflict}, x: {kind: conflict, exact-name: y, version: '<2'}, z: {kind: conflict, exact-name: z, when: off}}\nfeatures: {off: {}}\n";
    let out = small(TOOL, edges);
    assert!(out.findings.is_empty(), "{}", out.text);
    let conflicts = |text: &str| {
        text.lines()
            .find(|l| l.starts_with("conflicts"))
            .map(str::to_owned)
    };
    assert_eq!(
        conflicts(&out.file("tool/PKGBUILD")).unwrap(),
        "conflicts=('glibc' 'y<2')"
    );
    let more = small(
        TOOL,
        &format!("{edges}pkgbuild: {{conflicts: [other, glibc]}}"),
    );
    assert_eq!(
        conflicts(&more.file("tool/PKGBUILD")).unwrap(),
        "conflicts=('other' 'glibc' 'y<2')"
    );
}

#[test]
fn the_archive_of_a_commit_unpacks_to_its_folder() {
    let out = small(
        TOOL,
        "sources: {main: {revision: 0123abc, checksum: tool/archive}}",
    );
    let file = out.file("tool/PKGBUILD");
    assert!(
        file.contains("/archive/0123abc.tar.gz") && file.contains("tool-0123abc"),
        "{file}"
    );
}

#[test]
fn steps_behind_patches_stay_where_they_are_however_many_patches_there_are() {
    let sum = "3".repeat(64);
    let patches: Vec<String> = ["a", "b"]
        .map(|n| format!("{{file: {n}.patch, hash: \"{sum}\"}}"))
        .into();
    for list in [&patches[..1], &patches] {
        let overlay = format!(
            "sources: {{main: {{fetch: git}}}}\npatches: [{}]\nphases: {{prepare: [standard, {{remove: x}}]}}\n",
            list.join(", ")
        );
        let out = small(TOOL, &overlay);
        assert!(out.findings.is_empty(), "{}", out.text);
        let file = out.file("tool/PKGBUILD");
        assert_eq!(
            file.matches("patch -Np1 -d tool -i ").count(),
            list.len(),
            "{file}"
        );
        assert!(!file.contains("cd tool"), "{file}");
    }
}

#[test]
fn nothing_is_installed_of_a_further_project_that_is_there_for_tests() {
    let features =
        "sources: {main: {fetch: git}}\nfeatures: {test: {summary: Tests, default: true}}\n";
    let all = |cmake: &str| {
        let out = small(TOOL, &format!("{features}cmake: {{{cmake}}}\n"));
        assert!(out.findings.is_empty(), "{}", out.text);
        let file = out.file("tool/PKGBUILD");
        let lines = file
            .lines()
            .filter(|line| line.contains("cmake --"))
            .map(str::trim);
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let built = ["cmake --build build-main", "cmake --build build-more"];
    let main = "DESTDIR=\"$pkgdir\" cmake --install build-main";
    let more = "DESTDIR=\"$pkgdir\" cmake --install build-more";
    assert_eq!(
        all("more: {source: more}"),
        [built[0], built[1], main, more]
    );
    assert_eq!(
        all("more: {source: more, when: test}"),
        [built[0], built[1], main]
    );
}

#[test]
fn a_patch_that_names_its_folder_lies_there() {
    let with = |file: &str| {
        let sum = "3".repeat(64);
        let patch = format!("patches: [{{file: a.patch, hash: \"{sum}\"}}]\n");
        let steps = format!("phases: {{prepare: [{{patch: \"{file}\"}}]}}\n");
        small(
            TOOL,
            &format!("sources: {{main: {{fetch: git}}}}\n{patch}{steps}"),
        )
        .file("tool/PKGBUILD")
    };
    for file in ["a.patch", "${srcdir}/a.patch"] {
        assert!(
            with(file).contains("patch -Np1 -i \"$srcdir/a.patch\""),
            "{}",
            with(file)
        );
    }
    assert!(with("${startdir}/a.patch").contains("-i \"$startdir/a.patch\""));
}

#[test]
fn an_archive_is_never_skipped_even_when_missing_sums_are_allowed() {
    let out = small(TOOL, "sources: {main: {unchecked: no reason}}");
    assert!(
        out.findings.has_errors() && out.text.contains("E0410"),
        "{}",
        out.text
    );
}

#[test]
fn a_wide_filter_removes_whole_flags_only() {
    let overlay = "flags: [{action: filter, on: c, flags: [-pipe, -Wp*, -x.y]}]";
    let text = small(TOOL, overlay).file("tool/PKGBUILD");
    let line = text.lines().find(|l| l.contains("sed -E")).unwrap().trim();
    for (flags, want) in [
        ("-O2 -pipe -Wp,-D_X=3 -x.y -g", "-O2 -g"),
        ("-pipe", ""),
        ("-pipeline -xzy -pipe -pipe -g", "-pipeline -xzy -g"),
    ] {
        let out = rocpkg_programs::command("bash")
            .args(["-c", &format!("CFLAGS='{flags}'\n{line}\necho $CFLAGS")])
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8(out.stdout).unwrap().trim(),
            want,
            "{line}"
        );
    }
}

#[test]
fn files_may_be_named_by_globs_and_need_no_step_where_makepkg_reads_them() {
    let hash = "3".repeat(64);
    let files = ["demo.service", "demo.conf", "demo.tar.gz", "left.over"];
    let files = files
        .map(|name| format!("{name}: {{hash: \"{hash}\"}}"))
        .join(", ");
    let step = r#"raw: 'install -Dm644 "$srcdir"/*.service "$srcdir"/demo.conf "$$pkgdir"/x'"#;
    let overlay = format!("pkgbuild: {{files: {{{files}}}}}\nphases: {{package: [{{{step}}}]}}\n");
    let out = small(TOOL, &overlay);
    let named = out
        .findings
        .sorted()
        .into_iter()
        .filter(|f| f.code == "W0402")
        .map(|f| f.message.as_str());
    assert_eq!(
        named.collect::<Vec<_>>(),
        ["no step of tool uses the file `left.over`"],
        "{}",
        out.text
    );
}
