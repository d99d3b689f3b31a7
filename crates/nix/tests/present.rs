//! Tests of edits of a scope and of expressions in a checkout: the parts that are kept, and the
//! parts that are changed.

use proptest::prelude::*;
use rocpkg_nix::internal::{join_scope, sums_from};
use rocpkg_nix::{Fault, check_style};
use rocpkg_test_support::fixture;
use std::collections::BTreeMap;

/// Returns a small stand-in for the scope in nixpkgs. It contains every form of a call that the
/// real scope has.
fn stand_in() -> String {
    std::fs::read_to_string(fixture("standins/nixpkgs/default.nix")).unwrap()
}

/// Returns a file of the rendered tree in `tests/golden/nix`, or `None` if the tree has no such
/// file.
fn golden(path: &str) -> Option<&'static str> {
    let text = std::fs::read_to_string(fixture("golden/nix").join(path)).ok()?;
    Some(text.leak())
}

fn join(present: &str) -> String {
    join_scope(golden("default.nix").unwrap(), present, golden)
        .unwrap()
        .text
}

/// Returns the formatted text of a scope with the bindings `calls`.
fn scope(calls: &str) -> String {
    let text = format!(
        "{{ lib, stdenv, newScope, python3Packages, boost179 }}: lib.makeScope newScope (self: {{\n{calls}\n}})\n"
    );
    nixfmt_rs::format(&text).unwrap()
}

/// Returns the text of the existing scope `there` with the calls `ours` joined to it. Every called
/// file takes the arguments in `takes`.
fn joined(ours: &str, there: &str, takes: &str) -> Result<String, String> {
    let expression = format!("{{ {takes} }}: null");
    let said = |f: Fault| {
        format!(
            "{} {}: {} ({})",
            f.finding.code,
            there[f.range()].lines().next().unwrap_or_default(),
            f.finding.message,
            f.finding.label
        )
    };
    let result = join_scope(&scope(ours), there, |_| Some(&expression)).map_err(said)?;
    if let Some((_, fault)) = result.faults.into_iter().next() {
        return Err(said(fault));
    }
    let text = result.text;
    assert_eq!(
        join_scope(&scope(ours), &text, |_| Some(&expression))
            .unwrap()
            .text,
        text,
        "joined twice"
    );
    Ok(text)
}

/// Returns the lines that joining `ours` adds to and removes from a scope with the calls `there`.
fn difference(ours: &str, there: &str, takes: &str) -> String {
    let there = scope(there);
    let text = joined(ours, &there, takes).unwrap();
    check_style(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let diff = similar::TextDiff::from_lines(&there, &text);
    let lines = diff
        .iter_all_changes()
        .filter(|c| c.tag() != similar::ChangeTag::Equal);
    lines.map(|c| format!("{}{}", c.tag(), c.value())).collect()
}

#[test]
fn what_is_called_the_same_way_stays() {
    assert_eq!(join(&stand_in()), stand_in());
}

#[test]
fn a_package_of_ours_stands_behind_the_one_that_is_rendered_before_it() {
    let line = "      rocblas = self.callPackage ./rocblas { };\n\n";
    let without = stand_in().replace(line, "");
    let text = join(&without);
    let behind = "      roctracer = self.callPackage ./roctracer { };\n\n";
    assert_eq!(text, without.replace(behind, &format!("{behind}{line}")));
    // No file of the package is written, so no call is added.
    let none = join_scope(golden("default.nix").unwrap(), &without, |_| None)
        .unwrap()
        .text;
    assert_eq!(none, without);
}

#[test]
fn what_stands_together_stays_together_and_arguments_come_along() {
    let (rest, mut text) = (stand_in(), stand_in());
    for gone in [
        "      rocwmma = self.callPackage ./rocwmma { };\n\n",
        "  boost179,\n",
    ] {
        assert!(text.contains(gone));
        text = text.replace(gone, "");
    }
    let start = text.find("      miopen = ").unwrap();
    let end = start + text[start..].find("};\n      };\n").unwrap() + "};\n      };\n\n".len();
    text.replace_range(start..end, "");
    let text = join(&text);
    assert!(
        text.contains(
            "./composable_kernel { };\n\n      rocwmma = self.callPackage ./rocwmma { };\n\n      ck4inductor"
        ),
        "{text}"
    );
    assert!(text.contains("      miopen = self.callPackage ./miopen {\n        boost = boost179.override { enableStatic = true; };\n      };\n"));
    assert!(text.contains("  pkgs,\n  boost179,\n}:\n"), "{text}");
    assert_eq!(text.lines().count() + 2, rest.lines().count());
    check_style(&text).unwrap();
}

#[test]
fn a_call_is_replaced_where_it_differs() {
    let ours = "
        a = self.callPackage ./a { };
        b = python3Packages.callPackage ./b { inherit (self) clr hip; };
        c = self.callPackage ./c { boost = boost179.override { enableStatic = true; }; };
        d = self.callPackage ./d { inherit stdenv; };
        e = self.callPackage ./e { x = 1; };
    ";
    let there = "
        # another path
        a = lib.dontRecurseIntoAttrs (self.callPackage ../old/a { }); # says why
        # another caller, and an argument that is not taken any more
        b = self.callPackage ./b {
          # stays
          inherit (self) clr gone;
        };
        c = self.callPackage ./c { other = 2; boost = boost179; };
        d = self.callPackage ./d/default.nix { stdenv = python3Packages.stdenv; };
        e = self.callPackage ./e { inherit (self) x; };
    ";
    insta::assert_snapshot!(difference(ours, there, "clr, hip, other, boost, stdenv, x"), @r"
    -  a = lib.dontRecurseIntoAttrs (self.callPackage ../old/a { }); # says why
    +  a = lib.dontRecurseIntoAttrs (self.callPackage ./a { }); # says why
    -  b = self.callPackage ./b {
    +  b = python3Packages.callPackage ./b {
    -    inherit (self) clr gone;
    +    inherit (self) clr hip;
    -    boost = boost179;
    +    boost = boost179.override { enableStatic = true; };
    -  e = self.callPackage ./e { inherit (self) x; };
    +  e = self.callPackage ./e { x = 1; };
    ");
}

#[test]
fn what_a_call_loses_is_told() {
    let there = "{ newScope, lib }:\nlib.makeScope newScope (self: {\n  a = self.callPackage ./a { x = 1; inherit (self) y z; };\n})\n";
    let ours = scope("a = self.callPackage ./a { };");
    let joined = join_scope(&ours, there, |_| Some("{ y }: null")).unwrap();
    let (text, lost) = (joined.text, joined.lost);
    assert!(text.contains("./a { inherit (self) y; }"), "{text}");
    let lost: Vec<&str> = lost.iter().map(|(_, said)| said.as_str()).collect();
    let told = [
        "./a has no argument `x`, so its call loses `x = 1;`",
        "./a has no argument `z`, so its call loses `z`",
    ];
    assert_eq!(lost, told);
}

/// Tests the place of a new call. Sorted names stay sorted, in the whole file or in the group of
/// calls between empty lines. No empty lines are added or lost.
#[test]
fn a_new_call_keeps_the_order_and_the_empty_lines() {
    let calls = |names: &str| -> String {
        let call = |n: &str| {
            if n == "-" {
                "\n".into()
            } else {
                format!("{n} = self.callPackage ./{n} {{ }};\n")
            }
        };
        names.split(' ').map(call).collect()
    };
    let order = |ours: &str, there: &str| {
        let text = joined(&calls(ours), &scope(&calls(there)), "").unwrap();
        let name = |l: &str| l.split(" = self").next().unwrap().trim().to_owned();
        let inside = text
            .lines()
            .skip_while(|l| !l.contains("(self: {"))
            .skip(1)
            .take_while(|l| !l.contains("})"));
        inside
            .map(|l| if l.is_empty() { "-".into() } else { name(l) })
            .collect::<Vec<String>>()
            .join(" ")
            .trim_end_matches(" -")
            .to_owned()
    };
    // All names are sorted, so the new call is put at its place by name. The order of rendering has
    // no effect.
    assert_eq!(order("z b e a", "a c f z"), "a b c e f z");
    assert_eq!(order("z e b", "a - c - f - z"), "a - b - c - e - f - z");
    assert_eq!(order("a c f", "c d f"), "a c d f");
    // The names of a group are sorted, so the new call is put at its place within the group.
    assert_eq!(order("f e z", "z y - c d f - m"), "z y - c d e f - m");
    // The names are not sorted, so the new call is put after the call that is rendered before it.
    assert_eq!(order("z b", "c a z f"), "c a z b f");
    assert_eq!(order("z b", "c - a - z - f"), "c - a - z - b - f");
}

#[test]
fn names_of_the_file_there_are_kept_apart() {
    let ours = "a = self.callPackage ./a { inherit stdenv; b = self.c; };\nd = self.callPackage ./d { inherit stdenv; };";
    let there = "{ newScope, lib, stdenv }:\nlet\n  usual = stdenv;\nin\nlib.makeScope newScope (final: {\n  d = final.callPackage ./d { stdenv = usual; };\n})\n";
    let text = joined(ours, there, "stdenv, b").unwrap();
    insta::assert_snapshot!(text, @r"
    { newScope, lib, stdenv }:
    let
      usual = stdenv;
    in
    lib.makeScope newScope (final: {
      a = final.callPackage ./a {
        inherit stdenv;
        b = final.c;
      };
      d = final.callPackage ./d { stdenv = usual; };
    })
    ");
    let shadowed = there.replace("usual = stdenv", "stdenv = null");
    insta::assert_snapshot!(joined(ours, &shadowed, "stdenv, b").unwrap_err(), @"E0510 {: `stdenv` is redefined around this, but the one of nixpkgs is needed (expected another name in `let`)");
}

#[test]
fn what_is_not_understood_is_an_error() {
    let ours = "rocblas = self.callPackage ./rocblas { x = 1; };";
    let told: Vec<String> = [
        "{ lib }: { a = 1; }\n",
        "{ lib, newScope }: lib.makeScope newScope (import ./set.nix)\n",
        "{ lib, newScope }: lib.makeScope newScope (self: {\n  rocblas = self.other;\n})\n",
        "{ lib, newScope }: lib.makeScope newScope (self: {\n  inherit (self.llvm) rocblas;\n})\n",
        "{ lib, newScope }: lib.makeScope newScope (self: {\n  rocblas = self.callPackage ./rocblas (import ./args.nix);\n})\n",
        "{ lib, newScope }: lib.makeScope newScope (self: {\n  rocblas = ;\n})\n",
    ]
    .into_iter()
    .map(|there| joined(ours, there, "x").unwrap_err())
    .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    E0510 { lib }: { a = 1; }: the file defines no scope (expected `lib.makeScope newScope (self: { … })`)
    E0510 (import ./set.nix): the definition of the scope can't be read (expected `lib.makeScope newScope (self: { … })`)
    E0510 rocblas = self.other;: `rocblas` is not a call of ./rocblas (expected `callPackage ./rocblas`; if this binding is removed, the call is added)
    E0510 inherit (self.llvm) rocblas;: `rocblas` is not a call of ./rocblas (expected `callPackage ./rocblas`; if this binding is removed, the call is added)
    E0510 (import ./args.nix): `x` can't be looked up in the arguments of ./rocblas (expected a literal set: `{ … }`)
    E0510 ;: unexpected `;` (expected one of identifier, number, string, set, list, path, found ';')
    ");
    let fault = join_scope(&scope(ours), "null", |_| Some("{ x }: null")).unwrap_err();
    assert_eq!((fault.finding.code, fault.range()), ("E0510", 0..4));
    // The file is called under another name, as in nixpkgs for rocmlir.
    let there = scope("other = self.callPackage ./rocblas { x = 2; };\nrocblas = self.other;");
    assert_eq!(joined(ours, &there, "x").unwrap(), there);
}

#[test]
fn every_form_of_a_set_takes_a_call() {
    let ours =
        "a = self.callPackage ./a { inherit stdenv; };\nc = python3Packages.callPackage ./c { };";
    let forms = [
        "{ lib, newScope }: lib.makeScope newScope (self: { })\n",
        "{ lib, newScope, ... }@args:\nlib.makeScope newScope (self: {\n  # nothing yet\n})\n",
        "{ lib, newScope }: lib.makeScope newScope (self: { b = self.callPackage ./b { }; })\n",
        "{\n  lib,\n  newScope, # makes it\n}:\nlib.makeScope newScope (\n  self: with self; rec {\n    b = callPackage ./b { }; # the second\n  }\n)\n",
        "{ lib\n, newScope\n, stdenv\n}:\n\nlib.makeScope newScope (self: (let inherit (self) x; in {\n    d = self.d';\n    # hidden: c\n    b = x;\n  }) // lib.optionalAttrs true { old = throw \"old\"; })\n",
    ];
    let texts: Vec<String> = forms
        .map(|form| joined(ours, form, "stdenv").unwrap())
        .into();
    insta::assert_snapshot!(texts.join("---\n"), @r#"
    {
      lib,
      newScope,
      stdenv,
      python3Packages,
    }:
    lib.makeScope newScope (self: {
      a = self.callPackage ./a { inherit stdenv; };
      c = python3Packages.callPackage ./c { };
    })
    ---
    {
      lib,
      newScope,
      stdenv,
      python3Packages,
      ...
    }@args:
    lib.makeScope newScope (self: {
      a = self.callPackage ./a { inherit stdenv; };
      c = python3Packages.callPackage ./c { };
      # nothing yet
    })
    ---
    { lib, newScope, stdenv, python3Packages }: lib.makeScope newScope (self: { b = self.callPackage ./b { }; a = self.callPackage ./a { inherit stdenv; }; c = python3Packages.callPackage ./c { }; })
    ---
    {
      lib,
      newScope, # makes it
      stdenv,
      python3Packages,
    }:
    lib.makeScope newScope (
      self: with self; rec {
        b = callPackage ./b { }; # the second
        a = self.callPackage ./a { inherit stdenv; };
        c = python3Packages.callPackage ./c { };
      }
    )
    ---
    { lib
    , newScope
    , stdenv, python3Packages
    }:

    lib.makeScope newScope (self: (let inherit (self) x; in {
        d = self.d';
        # hidden: c
        b = x;
        a = self.callPackage ./a { inherit stdenv; };
        c = python3Packages.callPackage ./c { };
      }) // lib.optionalAttrs true { old = throw "old"; })
    "#);
}

const NO_HASH: &str = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// Returns an expression for a package of this version. Its source is fetched with `arguments`.
fn package(version: &str, arguments: &str) -> String {
    format!(
        "{{ fetchFromGitHub }}: mk (finalAttrs: {{ version = \"{version}\"; src = fetchFromGitHub {{ {arguments} }}; }})\n"
    )
}

#[test]
fn a_sum_is_taken_for_the_same_address_and_version() {
    const KNOWN: &str = "sha256-vAVVpTwt49lGHu2YopR1X68v5LwFOjUYuSC4ucBpFGg=";
    let ours = r#"owner = "ROCm"; repo = "rocm-libraries"; rev = "rocm-${finalAttrs.version}"; sparseCheckout = [ "a" "b" ];"#;
    let rendered = package("7.2.3", &format!("{ours} hash = \"{NO_HASH}\";"));
    let taken = |version: &str, arguments: &str| {
        let text = sums_from(&rendered, &package(version, arguments));
        assert!(
            text == rendered || text == rendered.replace(NO_HASH, KNOWN),
            "{text}"
        );
        text != rendered
    };
    let there = |from: &str, to: &str| format!("{} hash = \"{KNOWN}\";", ours.replace(from, to));
    for (from, to) in [
        ("", ""),
        ("rev", "name = \"x\"; tag"),
        ("rocm-${finalAttrs.version}", "refs/tags/rocm-${version}"),
        ("rocm-${finalAttrs.version}", "rocm-7.2.3"),
        ("\"a\" \"b\"", "\"b\" \"a\""),
    ] {
        assert!(taken("7.2.3", &there(from, to)), "{from} {to}");
    }
    assert!(!taken("7.2.4", &there("", "")));
    assert!(!taken("7.2.4", &there("${finalAttrs.version}", "7.2.3")));
    for (from, to) in [
        ("ROCm", "rocm"),
        ("\"b\"", ""),
        ("rev", "fetchSubmodules = true; rev"),
        (
            "${finalAttrs.version}",
            "${lib.versions.majorMinor finalAttrs.version}",
        ),
        ("${finalAttrs.version}", "${llvm.version}"),
        ("owner = \"ROCm\";", "inherit owner;"),
    ] {
        assert!(!taken("7.2.3", &there(from, to)), "{from} {to}");
    }
    for hash in [NO_HASH, "", "lib.fakeHash", "0abc"] {
        assert!(!taken("7.2.3", &format!("{ours} hash = \"{hash}\";")));
    }
    assert!(!taken("7.2.3", &format!("{ours} hash = lib.fakeHash;")));
    assert!(taken("7.2.3", &format!("{ours} sha256 = \"{KNOWN}\";")));
    // A hash that is known is not changed.
    let known = rendered.replace(
        NO_HASH,
        "sha256-wrjcr2ASSF+bk5atjvKfIYSbg+vevo/a2W2ca9Nft/4=",
    );
    assert_eq!(sums_from(&known, &package("7.2.3", &there("", ""))), known);
    assert_eq!(sums_from(&rendered, "{"), rendered);
}

#[test]
fn sums_come_back_to_every_expression() {
    let mut count = 0;
    for entry in std::fs::read_dir(fixture("golden/nix")).unwrap() {
        let Some(text) = golden(&format!(
            "{}/default.nix",
            entry.unwrap().file_name().into_string().unwrap()
        )) else {
            continue;
        };
        let without: String = text
            .split("hash = \"")
            .enumerate()
            .map(|(i, part)| match part.split_once('"') {
                Some((_, rest)) if i > 0 => format!("hash = \"{NO_HASH}\"{rest}"),
                _ => part.to_owned(),
            })
            .collect();
        // Only Nix can compute the compiler's version.
        if text.contains("inherit (llvm.llvm) version") {
            continue;
        }
        assert_eq!(sums_from(&without, text), text);
        count += usize::from(without != text);
    }
    assert!(count > 20, "{count}");
}

/// Returns the text of each binding in the sets of a scope, by the names that it binds. The text
/// ends at the end of the line, so it includes a comment there.
fn bindings(text: &str) -> BTreeMap<String, String> {
    use rnix::ast::{AttrSet, HasEntry};
    use rowan::ast::AstNode;
    let root = rnix::Root::parse(text).syntax();
    let sets = root.descendants().filter_map(AttrSet::cast);
    let entries = sets.flat_map(|set| {
        set.entries()
            .map(|e| e.syntax().clone())
            .collect::<Vec<_>>()
    });
    // A binding inside another one is part of that one.
    let outermost = entries.filter(|e| {
        !e.ancestors().skip(1).any(|a| {
            rnix::ast::Entry::can_cast(a.kind()) && AttrSet::can_cast(a.parent().unwrap().kind())
        })
    });
    outermost
        .map(|e| {
            let end = usize::from(e.text_range().end());
            let line = text[end..].lines().next().unwrap_or_default();
            (
                e.text()
                    .to_string()
                    .split([' ', '='])
                    .take(if e.text().to_string().starts_with("inherit") {
                        9
                    } else {
                        1
                    })
                    .collect::<String>(),
                format!("{}{line}", e.text()),
            )
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_not_ours_stays_and_joining_twice_is_joining_once(
        gone in proptest::collection::btree_set(0_usize..40, 0..30),
        changed in proptest::collection::btree_map(0_usize..40, 0_usize..4, 0..6),
        tight in any::<bool>(),
        ragged in any::<bool>(),
    ) {
        let mut text = stand_in();
        if tight {
            text = text.replace(" };\n\n      ", " };\n      ");
        }
        let ours: Vec<String> = golden("default.nix").unwrap().lines().filter(|l| l.contains("callPackage ./") && !l.contains("update.nix") && !l.contains("./llvm"))
            .map(|l| l.trim().split(' ').next().unwrap().to_owned()).collect();
        let all = bindings(&text);
        for (n, name) in ours.iter().enumerate() {
            let Some(binding) = all.get(name) else { continue };
            if gone.contains(&n) {
                text = text.replace(&format!("      {binding}\n"), "");
            } else if let Some(how) = changed.get(&n) {
                let other = match how {
                    0 => binding.replace("./", "../old/"),
                    1 => binding.replace("{ ", "{ unknown = 1; "),
                    2 => binding.replace("self.call", "pkgs.call"),
                    _ => binding.replace("{ ", "{\n# a comment\n"),
                };
                text = text.replace(binding.as_str(), &other);
            }
        }
        text = nixfmt_rs::format(&text).unwrap();
        if ragged {
            text = text.replace("    \"gfx", "   \"gfx");
        }
        let result = join(&text);
        prop_assert_eq!(&join(&result), &result);
        let (before, after) = (bindings(&text), bindings(&result));
        for (name, binding) in &before {
            if !ours.contains(name) {
                prop_assert_eq!(after.get(name), Some(binding), "{}", name);
            }
        }
        prop_assert!(ours.iter().all(|name| after.contains_key(name)), "{}", result);
        prop_assert_eq!(text.matches('#').count(), result.matches('#').count());
        if !ragged {
            check_style(&result).unwrap();
        }
    }
}
