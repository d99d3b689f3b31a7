//! What is refused, and what must come out quoted.
#![allow(clippy::disallowed_methods)] // bash itself is the judge here

mod common;

use common::{TOOL, small, small_templated, small_with, sourced};
use std::process::Command;

const NASTY: &[&str] = &[
    "$(touch /tmp/owned)",
    "`id`",
    "a \"b\" 'c' \\d",
    "${pkgver@Q} !x",
    "x) ; rm -rf / #",
    "''${y}",
    "~root * ? [a]",
    "-n",
];

#[test]
fn texts_of_a_profile_reach_bash_as_they_are() {
    for text in NASTY {
        let yaml = format!("'{}'", text.replace('\'', "''").replace("${", "$${"));
        // A summary holds no references, so its dollars stay.
        let plain = format!("'{}'", text.replace('\'', "''"));
        let overlay = format!(
            "summary: {plain}\npkgbuild: {{backup: [{yaml}]}}\ncmake: {{main: {{arguments: {{A: {yaml}}}}}}}\nphases: {{package: [{{run: [{yaml}, {yaml}]}}]}}\n"
        );
        let out = small(TOOL, &overlay);
        assert!(!out.findings.has_errors(), "{}", out.text);
        let file = out.file("tool/PKGBUILD");
        let values = sourced(&file, &["pkgdesc", "backup"]);
        assert_eq!(values, [*text, *text], "{file}");
        let info = out.file("tool/.SRCINFO");
        assert!(
            info.contains(&format!(
                "\tpkgdesc = {}\n",
                text.split_whitespace().collect::<Vec<_>>().join(" ")
            )),
            "{info}"
        );
    }
}

#[test]
fn every_fault_has_its_code() {
    let cases: &[(&str, &str)] = &[
        ("E0401", "phases: {package: [{run: 'a ${sorce}'}]}"),
        ("E0401", "pkgbuild: {provides: ['a=${srcdir}']}"),
        ("E0404", "licence: ~"),
        ("E0405", "licence: [MIT licence]"),
        ("E0406", "pkgbuild: {options: ['!lot']}"),
        ("E0407", "pkgbuild: {provides: ['tool>=1']}"),
        ("E0408", "pkgbuild: {arch: [any, x86_64]}"),
        ("E0409", "pkgbuild: {pkgrel: one}"),
        ("E0409", "pkgbuild: {epoch: '-1'}"),
        ("E0410", "sources: {main: {unchecked: no reason}}"),
        ("E0411", "pkgbuild: {files: {x: {hash: abc}}}"),
        ("E0412", "pkgbuild: {files: {x: {}}}"),
        ("E0225", "cmake: {lib: {source: lib}}\nphases: {build: [{standard: lob}]}"),
        ("E0414", "cmake: {main: {arguments: {'A=$(x)': b}}}"),
        ("E0415", "phases: {prepare: [{cherry-pick: ['HEAD; x']}]}"),
        ("E0416", "phases: {prepare: [{submodule: {path: a, source: mian}}]}"),
        ("E0417", "phases: {prepare: [{replace: {files: a, from: \"x\\ny\", to: z}}]}"),
        ("E0418", "pkgbuild: {variables: {name: x}}"),
        ("E0418", "pkgbuild: {variables: {_a: x}, shared-depends: _a, packages: {b: {shared: true}}}"),
        ("E0419", "pkgbuild: {variables: {'_a;id': x}}"),
        ("E0419", "environment: {build: {'A=$(id)': x}}"),
        ("E0226", "flags: [{action: append, on: cx, flags: [-g]}]"),
        ("E0421", "flags: [{action: filter, on: cxx, flags: ['-a b']}]"),
        ("E0422", "flags: [{action: filter, on: cxx, flags: ['${jobs}']}]"),
        ("E0423", "pkgbuild: {packages: {a: {depends: [glib]}, b: {}}}"),
        ("E0424", "phases: {package_tool: [standard]}"),
        ("E0425", "pkgbuild: {packages: {'a b': {}, c: {}}}"),
        ("E0425", "name: 'a$(id)'"),
        ("E0426", "summary: \"two\\nlines\""),
        ("E0427", "pkgbuild: {backup: [/etc/x]}"),
        ("E0424", "flags: [{action: append, on: c, flags: [-g], phase: lunch}]"),
        ("E0227", "pkgbuild: {url: 'https://example.org/a page'}"),
        ("E0432", "pkgbuild: {arch: [x86-64]}"),
        ("E0432", "pkgbuild: {arch: [ay ay]}"),
        ("E0432", "pkgbuild: {arch: [riscv_64]}"),
        ("E0431", "patches: [{file: ../../x, hash: abc}]"),
        ("E0431", "pkgbuild: {install: a b}"),
        ("E0430", "targets: {variable: GPU_TARGETS, list: own}"),
    ];
    let mut all = String::new();
    for (code, overlay) in cases {
        let out = small(TOOL, overlay);
        assert!(
            out.findings.has_errors() && out.text.contains(&format!("[{code}]")),
            "{code}: {overlay}\n{}",
            out.text
        );
        all.push_str(&out.text);
    }
    insta::assert_snapshot!("faults", all);
}

#[test]
fn all_faults_at_once() {
    let out = small(
        TOOL,
        "licence: [Free]\npkgbuild: {options: [nope], pkgrel: x}\nphases: {package: [{run: '${a}'}]}",
    );
    for code in ["E0401", "E0405", "E0406", "E0409"] {
        assert!(out.text.contains(code), "{code}: {}", out.text);
    }
}

#[test]
fn an_archive_is_never_skipped_even_when_missing_sums_are_allowed() {
    let out = small_with(TOOL, "sources: {main: {unchecked: no reason}}", true);
    assert!(out.findings.has_errors() && out.text.contains("E0410"), "{}", out.text);
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
        let out = Command::new("bash")
            .args(["-c", &format!("CFLAGS='{flags}'\n{line}\necho $CFLAGS")])
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(out.stdout).unwrap().trim(), want, "{line}");
    }
}

#[test]
fn a_template_that_loses_something_is_refused() {
    for (template, reason) in [
        ("{{ fields }}", "begins with `build() {`"),
        ("{% for f in functions %}\n{{ f }}\n{% endfor %}", "begins with `pkgname=tool`"),
        ("{{ fields }}pkgver=9\n{% for f in functions %}{{ f }}{% endfor %}", "pkgver is stated 2 times"),
        ("{{ field }}", "undefined"),
    ] {
        let out = small_templated(TOOL, template);
        assert!(
            out.findings.has_errors() && out.text.contains("E0429") && out.text.contains(reason),
            "{}",
            out.text
        );
    }
    let header = "# Ours.\n{{ fields }}\n# functions\n{% for f in functions %}\n{{ f }}\n{% endfor %}";
    let out = small_templated(TOOL, header);
    assert!(out.findings.is_empty() && out.file("tool/PKGBUILD").starts_with("# Ours."), "{}", out.text);
}

#[test]
fn files_may_be_named_by_globs_and_variables_and_need_no_step_where_makepkg_reads_them() {
    let hash = "3".repeat(64);
    let files = ["demo.service", "demo.conf", "demo.install", "demo.tar.gz", "left.over"];
    let files = files.map(|name| format!("{name}: {{hash: \"{hash}\"}}")).join(", ");
    let step = r#"raw: 'install -Dm644 "$srcdir"/*.service "$srcdir"/$$_file "$$pkgdir"/x'"#;
    let overlay = format!(
        "pkgbuild: {{install: demo.install, variables: {{_file: demo.conf}}, files: {{{files}}}}}\nphases: {{package: [{{{step}}}]}}\n"
    );
    let out = small(TOOL, &overlay);
    let named = out.findings.sorted().into_iter().filter(|f| f.code == "W0402").map(|f| f.message.as_str());
    assert_eq!(named.collect::<Vec<_>>(), ["no step of tool names the file `left.over`"], "{}", out.text);
}
